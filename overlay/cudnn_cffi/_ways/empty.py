"""Operations on arrays without elements, for which cuDNN has no descriptors."""

from __future__ import annotations

from .. import errors
from .array_spec import in_front
from .call_sequence import Steps
from .case import Case
from .classic_call import Classic, describe


def of_nothing(case: Case, *, sums: bool) -> Classic:
    """Return what computes a case in which an array has no elements.

    Outputs without elements are as they should be.

    Args:
        case: has such an array.
        sums: whether the outputs are sums, which are zero if there is nothing to add up.

    Raises:
        ArgumentError: an output has elements, and is no sum.
    """
    steps = Steps(case.inputs, case.outputs)
    for place, (name, each) in enumerate(case.outputs.items()):
        if 0 in each.shape:
            continue
        if not sums:
            empty = next(n for n, e in case.inputs.items() if 0 in e.shape)
            raise errors.ArgumentError(
                f"{empty}: {case.inputs[empty].shape} has no elements to compute {name} "
                f"{each.shape} of"
            )
        if place or case.beta == 0.0:
            steps.fill(name, each, 0.0)
        elif case.beta != 1.0:
            steps.call("cudnnScaleTensor", describe(in_front(each, 4)), name, case.beta)
    return steps.classic()
