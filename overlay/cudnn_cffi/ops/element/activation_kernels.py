"""Functions of each element by a kernel of this package, whose launch takes less time than a call.

cuDNN's functions take more time on the host than the kernels that they launch on the device.
"""

from __future__ import annotations

import math

from ... import driver, errors
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps
from ..._ways.case import Case
from ..._ways.classic_call import Classic
from ...arrays import same_strides
from ...choice.policy import Rule
from ...kernels import can_compile
from ...kernels.elements import NARROW, PIECE, WORDS, elements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Handle


def has_kernels(case: Case, rule: Rule, handle: Handle) -> bool:
    """Return whether kernels of this package may compute a case.

    Args:
        case: its alpha and beta count, too.
        rule: how to choose.
        handle: where it runs.
    """
    return (
        rule.via is None
        and case.is_plain
        and can_compile()
        and handle._context == driver.primary_context(handle.device)  # where kernels are loaded
        and all(each.dtype in NARROW for each in (*case.inputs.values(), *case.outputs.values()))
    )


def by_kernel(
    case: Case, word: str, coefficient: float, by: str, rule: Rule, handle: Handle
) -> Classic | None:
    """Return the call of the kernel; None where it does not compute a case.

    Args:
        case: has the gradient as the input `dy`, if it is one of a gradient.
        word: of the activation.
        coefficient: its number, or 1.
        by: the input by which it is computed.
        rule: how to choose.
        handle: where it runs.
    """
    (target,) = case.outputs
    like = case.outputs[target]
    used = {name: each for name, each in case.inputs.items() if name in ("dy", by)}
    if (
        not has_kernels(case, rule, handle)
        or word not in WORDS
        or coefficient != 1.0
        or not all(_are_alike(each, like) for each in (like, *used.values()))
    ):
        return None
    count = math.prod(like.shape)
    how = "NEITHER" if "dy" not in used else "RESULT" if by == "y" else "INPUT"
    try:
        launch = elements(word, like.dtype, count, how, device=handle.device)
    except errors.NotSupportedError:  # no compiler, or the driver takes nothing that it makes
        return None
    steps = Steps(case.inputs, case.outputs)
    steps.align(dict.fromkeys((*used, target), PIECE))
    steps.kernel(launch, "dy" if "dy" in used else 0, by, target, count, by_element=True)
    return steps.classic(algorithm="kernels.elements")


def _are_alike(x: Spec, like: Spec) -> bool:
    """Return whether the elements of an array are at the places of those of another one."""
    return (
        x.is_dense
        and x.dtype == like.dtype
        and x.shape == like.shape
        and x.alignment >= PIECE
        and same_strides(x.shape, x.strides, like.strides)
    )
