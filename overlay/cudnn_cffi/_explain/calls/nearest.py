"""Explain why a call is not supported: find the nearest call that is, by small changes."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from ... import arrays as descriptions
from ..._support.results import NamedTuple
from ..._tables import chosen_release
from ..._ways.array_spec import Spec
from ..._ways.case import plan_of
from ...choice import DeviceProperties
from ...graph.record.enum_words import layout_strides
from ...graph.rules.results import packed, strides_like
from ..elsewhere import devices
from ..graphs.explaining import answer, nothing
from ..result import Built, Explanation, Step, joined
from ..search import REFUSALS, Found, Search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ... import errors
    from ..._ways.case import Way
    from ..._ways.signatures import Device, Handle


class Call(NamedTuple):
    """A call that is described, and not made.

    Attributes:
        operation: the class of the operation.
        options: its options, by name.
        arrays: a `Spec` for each array, by name.
        call: the other arguments of the call, by name.
    """

    operation: type[Any]
    options: dict[str, Any]
    arrays: dict[str, Spec]
    call: dict[str, Any]

    def plan(self, handle: Handle | None, device: Device | None) -> Way:
        """Return what would compute it; see `Operation.plan`."""
        made = self.operation(**self.options)
        given = [self.arrays.get(name) for name in made.takes]
        while given and given[-1] is None:
            given.pop()
        found: Way = made.plan(*given, device=device, handle=handle, **self.call)
        return found

    def lines(self) -> list[str]:
        """Return it as lines, one for each array and option."""
        found = [f"{name} {each.text}" for name, each in self.arrays.items()]
        defaults = _defaults(self.operation)
        return found + [
            f"{name}={value!r}"
            for name, value in self.options.items()
            if name not in defaults or value != defaults[name]
        ]


def explain_call(
    start: Call, handle: Handle | None, device: DeviceProperties | None, seconds: float
) -> Explanation:
    """Return the nearest call that is supported; see `explain`."""
    name = device.name if device else DeviceProperties.from_handle(handle).name

    def build(call: Call, where: DeviceProperties | None = device) -> Built:
        way = call.plan(None if where else handle, where)
        return Built(_named(way), chosen_release(), where.name if where else name)

    try:
        built = build(start)
    except REFUSALS as error:
        refused: errors.CudnnError = error
    else:
        text = f"cuDNN {built.release} computes the call as it is for {name}: {built.way}"
        return Explanation(text, (), start, built.release, name)
    if seconds == 0:
        return nothing(refused, Found(), name, 0)

    def find(state: Call) -> Iterator[Step]:
        if state is start:
            yield from devices(state, device, lambda where: build(start, where), refused)
        yield from changes(state)

    found = Search(start, find, lambda _: True, build, _key).run(seconds)
    if not found.chains:
        return nothing(refused, found, name, seconds)
    return answer(found, refused, start.lines(), lambda state: (state.lines(), state), name)


def _named(way: Way) -> str:
    plan = plan_of(way)
    engine = getattr(plan, "engine", None)
    if engine is not None:
        return f"engine {engine}"
    parts = getattr(plan, "parts", None)
    return f"{len(parts)} plans together" if parts else "a classic function"


def _key(call: Call) -> str:
    return repr((call.options, call.arrays))


def _defaults(cls: type[Any]) -> dict[str, Any]:
    found = signature(cls.__init__).parameters
    return {
        name: each.default for name, each in found.items() if each.default is not Parameter.empty
    }


_FLOATS = ("float32", "bfloat16", "float16")


def _with(call: Call, changed: Mapping[str, Spec]) -> Call:
    return call._replace(arrays={**call.arrays, **changed})


def _aligned(call: Call) -> Iterator[tuple[str, Call]]:
    low = {n: each._replace(alignment=16) for n, each in call.arrays.items() if each.alignment < 16}
    if low:
        yield f"addresses of {joined(low)} that are multiples of 16 bytes", _with(call, low)


def _layouts(call: Call) -> Iterator[tuple[str, Call]]:
    """Remove gaps; give all arrays, or one, channels last, or rows."""
    makers: dict[str, Callable[[Spec], tuple[int, ...]]] = {
        "without gaps": lambda each: strides_like(each.shape, each.shape, each.strides),
        "in row-major order": lambda each: packed(each.shape),
        "with channels last": lambda each: (
            layout_strides(each.shape, "channels_last") if len(each.shape) > 2 else each.strides
        ),
    }
    for word, make in makers.items():
        moved = {name: each._replace(strides=make(each)) for name, each in call.arrays.items()}
        moved = {name: each for name, each in moved.items() if each != call.arrays[name]}
        for group in [tuple(moved), *[(each,) for each in moved if len(moved) > 1]]:
            if group:
                yield f"{joined(group)} {word}", _with(call, {name: moved[name] for name in group})


def _options(call: Call) -> Iterator[tuple[str, Call]]:
    defaults = _defaults(call.operation)
    for name, value in call.options.items():
        if name in defaults and value != defaults[name] and name != "choose":
            own = {**call.options, name: defaults[name]}
            yield f"{name}={defaults[name]!r}", call._replace(options=own)


def _types(call: Call) -> Iterator[tuple[str, Call]]:
    """Give the arrays of one type another one; or all arrays one; or one array."""
    kinds = dict.fromkeys(each.dtype for each in call.arrays.values())
    for old in kinds:
        for new in dict.fromkeys((*_FLOATS, *kinds)):
            own = {n: each for n, each in call.arrays.items() if each.dtype == old}
            if new != old:
                yield (
                    f"{new} in place of {old}",
                    _with(call, {name: _typed(each, new) for name, each in own.items()}),
                )
            for name, each in own.items() if len(own) > 1 and new != old else ():
                yield f"{name} in {new}", _with(call, {name: _typed(each, new)})
    for new in _FLOATS if len(kinds) > 1 else ():
        every = {name: _typed(each, new) for name, each in call.arrays.items()}
        yield f"all arrays in {new}", _with(call, every)


def _typed(spec: Spec, dtype: Any) -> Spec:
    return spec._replace(dtype=descriptions.dtype_name(dtype))  # type: ignore[arg-type]


def _padded(call: Call) -> Iterator[tuple[str, Call]]:
    """Make the last extents, or those of channels, multiples of 2 to 128."""
    for word, axes in (("last extents", (-1,)), ("channels", (1,)), ("channels", (0, 1))):
        places = {
            name: tuple(axis % len(each.shape) for axis in axes if axis < len(each.shape))
            for name, each in call.arrays.items()
            if each.shape
        }
        if axes == (0, 1):  # of filters both, of images the second
            places = {n: own if n in ("w", "dw") else own[1:] for n, own in places.items()}
        extents = {
            call.arrays[name].shape[axis] for name, own in places.items() for axis in own
        } - {1}
        for multiple in (2, 4, 8, 16, 32, 64, 128):
            new = {n: -(-n // multiple) * multiple for n in sorted(extents)}
            pairs = [f"{a} to {b}" for a, b in new.items() if a != b]
            if not pairs:
                continue
            changed = {}
            for name, own in places.items():
                each = call.arrays[name]
                shape = tuple(
                    new.get(n, n) if axis in own else n for axis, n in enumerate(each.shape)
                )
                if shape != each.shape:
                    strides = strides_like(shape, each.shape, each.strides)
                    changed[name] = each._replace(shape=shape, strides=strides)
            yield f"{word} padded from {', '.join(pairs)}", _with(call, changed)


def _without(call: Call) -> Iterator[tuple[str, Call]]:
    for name in call.arrays:
        if name in call.operation.optional or name in ("bias", "residual"):
            kept = {each: spec for each, spec in call.arrays.items() if each != name}
            yield f"no {name}", call._replace(arrays=kept)


#: The small changes of calls: name, cost, and what yields them.
CHANGES = (
    ("alignment", 1, _aligned),
    ("layout", 1, _layouts),
    ("options", 2, _options),
    ("types", 3, _types),
    ("padding", 3, _padded),
    ("parts", 4, _without),
)


def changes(call: Call) -> Iterator[Step]:
    """Yield all small changes of a call."""
    for name, cost, find in CHANGES:
        for phrase, changed in find(call):
            yield Step(name, cost, phrase, changed)
