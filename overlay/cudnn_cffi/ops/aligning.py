"""Arrays at addresses, or with strides, that nothing takes, copied to the workspace."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .. import arrays
from .classic import Classic, describe
from .specs import Spec, in_front
from .steps import Steps
from .ways import BEFORE, LARGE, Case, Unfit, Way, is_deterministic

#: What engines take: the address of memory that was allocated is a multiple of it.
ALIGNMENT = 16

_COPY = "cudnnTransformTensor"

#: The bytes of an array from which on it is not copied.
_LARGE = 1 << 30


def is_low(case: Case) -> bool:
    """Return whether an array is at an address that some engine may not take."""
    return any(
        each.alignment < ALIGNMENT for each in (*case.inputs.values(), *case.outputs.values())
    )


def in_aligned_memory(
    case: Case, find: Callable[[Case], Way], updates: Sequence[str] = ()
) -> Classic:
    """Return what copies arrays at low addresses to the workspace, computes there, and copies back.

    Args:
        case: has one of them at least.
        find: returns a way to compute a case of aligned arrays.
        updates: the inputs that it changes in place.

    Raises:
        Unfit: there is no output, or what is written has gaps, which belong to others, or an array
            is too large to be copied.
        NotSupportedError: there is no way for aligned arrays either.
    """
    if not case.outputs:
        raise Unfit("an array that is changed in place is not copied")
    written = {*case.outputs, *updates}
    moved: dict[str, int] = {}
    for name, each in (*case.inputs.items(), *case.outputs.items()):
        if each.alignment < ALIGNMENT:
            size = (arrays.last_offset(each.shape, each.strides) + 1) * arrays.itemsize(each.dtype)
            if size >= _LARGE or (name in written and not each.is_dense):
                raise Unfit(f"{name}: an array of {size} bytes, or with gaps, is not copied")
            moved[name] = size
    inputs, outputs = (
        {name: each._replace(alignment=max(each.alignment, ALIGNMENT)) for name, each in of.items()}
        for of in (case.inputs, case.outputs)
    )
    way = find(case._replace(inputs=inputs, outputs=outputs))
    device = next(iter(case.inputs.values())).device
    kept = {  # what a call makes besides, such as what its gradient reads
        each.name: Spec.like(each.shape, each.data_type)._replace(device=device)
        for each in way.outputs
        if each.name not in case.outputs
    }
    steps = Steps(case.inputs, {**case.outputs, **kept})
    names = {name: name for name in (*case.inputs, *case.outputs, *kept)}
    first = next(iter(case.outputs))
    for name, size in moved.items():
        names[name] = steps.room(f"aligned {name}", size)
        if name in case.inputs or (name == first and case.beta != 0.0):
            steps.copy_rows(name, names[name], 1, size, size)
    names[BEFORE] = names[first]
    steps.way(way, names)
    for name, size in moved.items():
        if name in written:
            steps.copy_rows(names[name], name, 1, size, size)
    return _made(steps, way, sum(moved.values()))


def is_uneven(case: Case) -> bool:
    """Return whether an array has gaps or repeated elements, or another order than the first."""
    return any(_packed(each, case) != each for each in _all(case))


def _all(case: Case) -> tuple[Spec, ...]:
    return (*case.inputs.values(), *case.outputs.values())


def in_packed_memory(
    case: Case, find: Callable[[Case], Way], updates: Sequence[str] = ()
) -> Classic:
    """Return what copies arrays with gaps, repeated elements, or another order than the first.

    Args:
        case: has one of them at least.
        find: returns a way to compute a case of packed arrays.
        updates: the inputs that it changes in place.

    Raises:
        Unfit: such an array is changed in place, or is too large to be copied, or elements of an
            output share memory.
        NotSupportedError: there is no way for packed arrays either.
    """
    steps = Steps(case.inputs, case.outputs)
    names = {name: name for name in (*case.inputs, *case.outputs)}
    total = 0
    packed: dict[str, Spec] = {}
    for name, each in (*case.inputs.items(), *case.outputs.items()):
        copy = _packed(each, case)
        if copy == each:
            continue
        size = math.prod(copy.shape) * arrays.itemsize(copy.dtype)
        is_shared = _whole(each) != each
        if size >= _LARGE or name in updates or (is_shared and name in case.outputs):
            raise Unfit(f"{name}: an array like {each} is not copied")
        packed[name], names[name] = copy, steps.room(f"packed {name}", copy)
        total += size
        if name not in case.inputs:
            continue
        source, target = (describe(in_front(e, 4)) for e in (_whole(each), copy))
        if is_shared:
            steps.fill(names[name], copy, 0.0)
            steps.call("cudnnAddTensor", 1.0, source, name, 1.0, target, names[name])
        else:
            steps.call(_COPY, 1.0, source, name, 0.0, target, names[name])
    inputs, outputs = (
        {name: packed.get(name, each) for name, each in of.items()}
        for of in (case.inputs, case.outputs)
    )
    first = next(iter(case.outputs), "")
    beta = 0.0 if first in packed else case.beta
    way = find(case._replace(inputs=inputs, outputs=outputs, beta=beta))
    others = {each.name for each in way.operands if each.is_argument} - {*names, BEFORE}
    if others:
        raise Unfit("what a call makes besides is not for arrays with gaps")
    steps.way(way, {**names, BEFORE: names.get(first, "")})
    for name in case.outputs:
        if name in packed:
            source, target = (describe(in_front(e, 4)) for e in (packed[name], case.outputs[name]))
            rest = case.beta if name == first else 0.0
            steps.call(_COPY, 1.0, source, names[name], rest, target, name)
    return _made(steps, way, total)


def _whole(spec: Spec) -> Spec:
    """Return an array without the axes along which its elements are repeated."""
    pairs = zip(spec.shape, spec.strides, strict=True)
    return spec._replace(shape=tuple([1 if step == 0 else n for n, step in pairs]))


def _packed(spec: Spec, case: Case) -> Spec:
    """Return an array as it is, or without gaps, in the order of the first one of its shape."""
    like = next(each for each in _all(case) if each.shape == spec.shape)
    if spec.is_dense and arrays.same_strides(spec.shape, spec.strides, like.strides):
        return spec
    order = sorted(range(len(like.shape)), key=lambda axis: -like.strides[axis])
    if 0 in like.strides:
        order.sort()
    strides = like.strides if like.is_dense else arrays.ordered_strides(spec.shape, order)
    return spec._replace(strides=strides, alignment=ALIGNMENT)


def _made(steps: Steps, way: Way, size: int) -> Classic:
    """Return one call of all steps, which copy so many bytes around a way."""
    made = steps.classic(deterministic=is_deterministic(way))
    made.is_mixed = True
    made.is_makeshift = size >= LARGE
    made.is_late = isinstance(way, Classic) and way.is_late
    return made
