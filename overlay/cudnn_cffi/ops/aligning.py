"""Arrays at addresses that an engine does not take, copied to others in the workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import arrays
from .classic import Classic
from .specs import Spec
from .steps import Steps
from .ways import BEFORE, LARGE, Case, Unfit, Way, is_deterministic

#: What engines take: the address of memory that was allocated is a multiple of it.
ALIGNMENT = 16

#: The bytes of an array from which on it is not copied.
_LARGE = 1 << 30


def alignment_of(case: Case) -> int:
    """Return what the addresses of all arrays are multiples of."""
    return min(each.alignment for each in (*case.inputs.values(), *case.outputs.values()))


def is_low(case: Case) -> bool:
    """Return whether an array is at an address that some engine may not take."""
    return alignment_of(case) < ALIGNMENT


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
    made = steps.classic(deterministic=is_deterministic(way))
    made.is_mixed = True
    made.is_makeshift = sum(moved.values()) >= LARGE
    made.is_late = isinstance(way, Classic) and way.is_late
    return made
