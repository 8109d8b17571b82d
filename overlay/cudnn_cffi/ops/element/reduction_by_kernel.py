"""Reductions by a kernel of this package, which rounds results alone."""

from __future__ import annotations

from typing import Any

from ... import driver, errors
from ..._operation.way_search import limited_filters
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps
from ..._ways.case import Case
from ...choice.policy import Rule
from ...choice.store import disk
from ...kernels import can_compile
from ...kernels.common import TYPES
from ...kernels.reduce import Reduce, axes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.classic_call import Classic
    from ..._ways.signatures import Handle


def by_kernel(
    case: Case, word: str, given: tuple[Spec, Spec], rule: Rule, handle: Handle
) -> Classic | None:
    """Return the call of the kernel; None where it does not compute a case.

    Args:
        case: has one input and one output. Its alpha and beta count, too.
        word: of the reduction, as cuDNN has it.
        given: both, the second with all axes of the first.
        rule: how to choose.
        handle: where it runs.
    """
    x, y = given
    if (
        rule.via is not None
        or x.dtype not in TYPES
        or y.dtype not in TYPES
        or min(x.strides) < 0
        or handle._context != driver.primary_context(handle.device)  # where kernels are loaded
        or not can_compile()
    ):
        return None
    axes = axes_of(x.shape, x.strides, y.shape, y.strides)
    if axes is None:
        return None
    try:
        made = Reduce(
            word, axes, x.dtype, y.dtype, alpha=case.alpha, beta=case.beta, device=handle.device,
            kept=disk,
        )  # fmt: skip
    except errors.NotSupportedError:
        return None
    limit: Any = limited_filters(rule, handle).get("workspace_limit")
    if limit is not None and made.workspace_size > limit:
        return None
    steps = Steps(case.inputs, case.outputs)
    parts = steps.room("parts", made.workspace_size) if made.workspace_size else ""
    (name,), (result,) = case.inputs, case.outputs
    for launch, words in zip(made.launches, made.words(name, result, parts), strict=True):
        steps.kernel(launch, *words)
    return steps.classic(algorithm="kernels.Reduce")
