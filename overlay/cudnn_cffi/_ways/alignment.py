"""Arrays at addresses, or with strides, that nothing takes, copied to the workspace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from .. import arrays
from ..choice import measured
from ..errata.record import ALIGNMENT
from .array_spec import Spec, in_front
from .call_sequence import Steps
from .case import BEFORE, Case, Unfit, Way, is_deterministic
from .classic_call import Classic, describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .signatures import DTypeWord

_COPY = "cudnnTransformTensor"

#: Bytes of an array from which it is not copied.
MAXIMUM_COPY = 1 << 30


def low(case: Case) -> dict[str, Spec]:
    """Return aligned copies of the arrays at addresses that some engine may not take, by name."""
    return {
        name: each._replace(alignment=ALIGNMENT)
        for name, each in _all(case).items()
        if each.alignment < ALIGNMENT
    }


def uneven(case: Case) -> dict[str, Spec]:
    """Return packed copies of arrays with gaps, repeated elements, or another order, by name.

    The order is that of the first array of the same shape. Ragged arrays have none, as offsets
    count the elements between their vectors.
    """
    if "offsets_q" in case.inputs:
        return {}
    found = {name: _packed(each, case) for name, each in _all(case).items()}
    return {name: each for name, each in found.items() if each != _all(case)[name]}


def in_channels_last(case: Case) -> Case | None:
    """Return a case whose images have the strides of channels last where an extent is 1.

    Strides of such extents do not matter, and frameworks set them in several ways. It is None if
    that changes nothing, or if an image has another layout.
    """
    arrays = [{**case.inputs}, {**case.outputs}]
    for named in arrays:
        for name, each in named.items():
            if len(each.shape) < 4:
                continue
            like = Spec.like(each.shape, each.dtype, "channels_last")
            pairs = zip(each.shape, each.strides, like.strides, strict=True)
            if any(extent > 1 and one != other for extent, one, other in pairs):
                return None
            named[name] = each._replace(strides=like.strides)
    changed = case._replace(inputs=arrays[0], outputs=arrays[1])
    return None if changed == case else changed


def in_workspace(
    case: Case,
    copies: Mapping[str, Spec],
    find: Callable[[Case], Way],
    updates: Sequence[str] = (),
) -> Classic:
    """Return what copies arrays to the workspace, computes there, and copies the results back.

    Args:
        case: the call: its arrays, factors and options.
        copies: of some of its arrays, at least one, by name.
        find: returns a way to compute a case with these copies.
        updates: the inputs that it changes in place.

    Raises:
        Unfit: an array is too large to be copied, or has gaps or other strides than its copy and is
            written to in place.
        NotSupportedError: there is no way for copies either.
    """
    if not case.outputs:
        raise Unfit("an array that is changed in place is not copied")
    specs = _all(case)
    first = next(iter(case.outputs))
    moved = _as_they_lie(case, copies, updates)
    inputs, outputs = (
        {name: copies.get(name, each) for name, each in of.items()}
        for of in (case.inputs, case.outputs)
    )
    turned = [name for name in case.outputs if name in copies and name not in moved]
    beta = 0.0 if first in turned else case.beta
    way = find(case._replace(inputs=inputs, outputs=outputs, beta=beta))
    device = next(iter(specs.values())).device
    kept = {  # what a call makes besides, such as what its gradient reads
        each.name: Spec.like(each.shape, cast("DTypeWord", each.data_type))._replace(device=device)
        for each in way.outputs
        if each.name not in case.outputs
    }
    steps = Steps(case.inputs, {**case.outputs, **kept})
    names = {name: name for name in (*specs, *kept)}
    for name, copy in copies.items():
        names[name] = steps.room(f"copy of {name}", moved.get(name, copy))
        if name in moved:
            if name in case.inputs or (name == first and beta != 0.0):
                steps.copy_rows(name, names[name], 1, moved[name], moved[name])
        elif name in case.inputs:
            _gather(steps, name, specs[name], names[name], copy)
    steps.way(way, {**names, BEFORE: names[first]})
    for name in moved:
        if name in case.outputs or name in updates:
            steps.copy_rows(names[name], name, 1, moved[name], moved[name])
    for name in turned:
        source, target = (describe(in_front(e, 4)) for e in (copies[name], specs[name]))
        rest = case.beta if name == first else 0.0
        steps.call(_COPY, 1.0, source, names[name], rest, target, name)
    made = steps.classic(deterministic=is_deterministic(way), changes=updates)
    made.is_mixed = True
    total = sum(map(bytes_of, copies.values()))
    made.is_makeshift = total >= measured.COPIED_BYTES and measured.holds(specs[first].device)
    made.is_late = isinstance(way, Classic) and way.is_late
    return made


def _as_they_lie(case: Case, copies: Mapping[str, Spec], updates: Sequence[str]) -> dict[str, int]:
    """Return the bytes of the arrays whose copies have the same strides, by name.

    Raises:
        Unfit: an array is not copied.
    """
    moved: dict[str, int] = {}
    for name, copy in copies.items():
        each, size = _all(case)[name], bytes_of(copy)
        if each.strides == copy.strides:
            moved[name] = size
            is_fit = each.is_dense or name not in (*case.outputs, *updates)
        else:
            is_fit = name not in updates
        if size >= MAXIMUM_COPY or not is_fit:
            raise Unfit(f"{name}: an array like {each} is not copied")
    return moved


def _gather(steps: Steps, name: str, each: Spec, room: str, copy: Spec) -> None:
    """Add the calls that copy an array to one with other strides.

    Raises:
        Unfit: it is at a low address, and too large to be copied from there first.
    """
    whole = _whole(each)
    source, target = (describe(in_front(e, 4)) for e in (whole, copy))
    begin = name
    if each.alignment < ALIGNMENT:  # kernels that copy are not known to take it either
        size = bytes_of(each)
        if size >= MAXIMUM_COPY:
            raise Unfit(f"{name}: an array of {size} bytes is not copied")
        begin = steps.room(f"{name} in aligned memory", size)
        steps.copy_rows(name, begin, 1, size, size)
    if whole == each:
        steps.call(_COPY, 1.0, source, begin, 0.0, target, room)
        return
    steps.fill(room, copy, 0.0)
    steps.call("cudnnAddTensor", 1.0, source, begin, 1.0, target, room)


def bytes_of(spec: Spec) -> int:
    """Return the bytes from the first element of an array to the end of the last one."""
    return (arrays.last_offset(spec.shape, spec.strides) + 1) * arrays.itemsize(spec.dtype)


def _all(case: Case) -> dict[str, Spec]:
    return {**case.inputs, **case.outputs}


def _whole(spec: Spec) -> Spec:
    """Return an array without the axes along which its elements are repeated."""
    pairs = zip(spec.shape, spec.strides, strict=True)
    return spec._replace(shape=tuple([1 if step == 0 else n for n, step in pairs]))


def _packed(spec: Spec, case: Case) -> Spec:
    """Return an array as it is, or without gaps, in the order of the first one of its shape.

    Orders that are neither row-major nor with channels last become so, as the first array is.
    """
    like = next(each for each in _all(case).values() if each.shape == spec.shape)
    order = sorted(range(len(like.shape)), key=lambda axis: -like.strides[axis])
    if 0 in like.strides:
        order.sort()
    strides = like.strides if like.is_dense else arrays.ordered_strides(spec.shape, order)
    usual = [arrays.packed_strides(spec.shape), _channels_last(spec.shape)]
    if not any(arrays.same_strides(spec.shape, strides, each) for each in usual):
        first = next(iter(_all(case).values()))
        is_last = arrays.same_strides(first.shape, first.strides, _channels_last(first.shape))
        strides = usual[is_last]
    if spec.is_dense and arrays.same_strides(spec.shape, spec.strides, strides):
        return spec
    return spec._replace(strides=strides, alignment=ALIGNMENT)


def _channels_last(shape: tuple[int, ...]) -> tuple[int, ...]:
    order = range(len(shape))
    return arrays.ordered_strides(shape, [*order[:1], *order[2:], *order[1:2]])
