"""Explain why a call is not supported: find the nearest call that is, by small changes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ... import arrays as descriptions
from ..._tables import chosen_release
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
    from ..._operation.searched import Call
    from ..._ways.array_spec import Spec
    from ..._ways.case import Way
    from ..._ways.signatures import Handle


def explain_call(
    start: Call,
    handle: Handle | None,
    device: DeviceProperties | None,
    seconds: float,
    refused: errors.CudnnError | None = None,
) -> Explanation:
    """Return the nearest call that is supported; see `explain`.

    Args:
        start: the call.
        handle, device: where; one of them.
        seconds: how long to search.
        refused: the error of the call, if it was made.
    """
    builder = _Builder(handle, device)
    if refused is None:
        try:
            built = builder.build(start)
        except REFUSALS as error:
            refused = error
        else:
            text = f"cuDNN {built.release} computes the call as it is for {built.device}"
            return Explanation(f"{text}: {built.way}", (), start, built.release, built.device)
    if seconds == 0:
        return nothing(refused, Found(), builder.name, 0)

    def find(state: Call) -> Iterator[Step]:
        if state is start:
            yield from devices(state, device, partial(builder.build, start), refused)
        yield from changes(state)

    found = Search(start, find, builder, refused).run(seconds)
    if not found.chains:
        return nothing(refused, found, builder.name, seconds)
    shown = start.lines()
    return answer(found, refused, shown, lambda state: (state.lines(), state), builder.name)


class _Builder:
    """Builds the ways of calls, for a device."""

    splits = False

    def __init__(self, handle: Handle | None, device: DeviceProperties | None) -> None:
        self._handle, self._device = handle, device
        self.name = device.name if device else DeviceProperties.from_handle(handle).name

    def is_likely(self, _: Call) -> bool:
        """Return True: only a build tells."""
        return True

    def build(self, call: Call, where: DeviceProperties | None = None) -> Built:
        """Build the way of a call, for another device if there is one."""
        place = where or self._device
        way = call.plan(None if place else self._handle, place)
        return Built(_named(way), chosen_release(), place.name if place else self.name)

    build_anyway = build

    def key(self, call: Call) -> str:
        """Return the options and arrays in words."""
        return repr((call.options, call.arrays))

    def kernel(self, call: Call) -> str:
        """Return the options and the data types of arrays in words."""
        return repr((call.options, {n: each.dtype for n, each in call.arrays.items()}))


def _named(way: Way) -> str:
    plan = plan_of(way)
    engine = getattr(plan, "engine", None)
    if engine is not None:
        return f"engine {engine}"
    parts = getattr(plan, "parts", None)
    return f"{len(parts)} plans together" if parts else "a classic function"


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
    defaults = call.defaults
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
