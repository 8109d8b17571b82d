"""Reductions by a kernel of this package, and the steps around those of functions and graphs.

`cudnnReduceTensor` uses little of the device, and engines add in any order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ... import driver, errors
from ..._operation.way_search import limited_filters
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import HALVES, Case, Unfit, Way, is_deterministic, plan_of
from ..._ways.classic_call import Classic, describe
from ...choice import measured
from ...choice.policy import Rule
from ...errata.asks import wrong_function
from ...kernels import can_compile
from ...kernels.common import TYPES
from ...kernels.reduce import Reduce, axes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Handle


def by_kernel(
    case: Case, word: str, given: tuple[Spec, Spec], rule: Rule, handle: Handle, *,
    nan: bool = True,
) -> Classic | None:  # fmt: skip
    """Return the call of the kernel; None where it does not compute a case.

    Args:
        case: has one input and one output. Its alpha and beta count, too.
        word: of the reduction, as cuDNN has it.
        given: both, the second with all axes of the first.
        rule: how to choose.
        handle: where it runs.
        nan: whether a NaN wins over numbers in extremes.
    """
    x, y = given
    if (
        rule.via is not None
        or not can_compile()
        or handle._context != driver.primary_context(handle.device)  # where kernels are loaded
        or x.dtype not in TYPES
        or y.dtype not in TYPES
        or min((*x.strides, *y.strides)) < 0
    ):
        return None
    axes = axes_of(x.shape, x.strides, y.shape, y.strides)
    if axes is None:
        return None
    try:
        made = Reduce(
            word, axes, x.dtype, y.dtype, alpha=case.alpha, beta=case.beta, nan=nan,
            device=handle.device,
        )  # fmt: skip
    except errors.NotSupportedError:  # no compiler, or the driver takes nothing that it makes
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


def in_float32(case: Case, make: Callable[[Case], Classic]) -> Classic:
    """Return what converts an array to float32, reduces it, and converts the result back.

    Args:
        case: has one input; the first output is the result. Its alpha and beta count, too.
        make: returns the call that reduces an array of float32.

    Raises:
        Unfit: an array has gaps.
    """
    (name, x), (result, y) = (next(iter(e.items())) for e in (case.inputs, case.outputs))
    if not (x.is_dense and y.is_dense):
        raise Unfit(f"{name}: arrays of {x.dtype} without gaps are converted only")
    wide, total = (each._replace(dtype="float32", alignment=16) for each in (x, y))
    steps, outputs = Steps(case.inputs, case.outputs), dict(case.outputs)
    steps.room("wide", wide)
    steps.call("cudnnTransformTensor", 1.0, _flat(x), name, 0.0, _flat(wide), "wide")
    names = {"wide": "wide", **{each: each for each in outputs}}
    if y.dtype == "float32":
        steps.way(make(case._replace(inputs={name: wide})), names | {name: "wide"})
        return steps.classic()
    outputs[result] = total
    steps.room("total", total)
    inner = Case({name: wide}, outputs, call=case.call)
    steps.way(make(inner), names | {name: "wide", result: "total"})
    steps.call(
        "cudnnTransformTensor", case.alpha, _flat(total), "total", case.beta, _flat(y), result
    )  # fmt: skip
    return steps.classic()


def from_float32(
    case: Case, rule: Rule, handle: Handle | None, plan: Callable[[Case], Way], *, adds: bool = True
) -> Way:
    """Return the plan of a reduction, with a conversion after it if the result is narrow.

    Engines for reductions write float32 only. Sums are asked of errata: their order may vary.

    Args:
        case: has one input; the first output is the result. Its alpha and beta count, too.
        rule: says whether the bits are to stay.
        handle: None to return the plan alone.
        plan: returns the plan of a case.
        adds: whether the reduction rounds, so that the order counts.

    Raises:
        Unfit: the result has gaps, or bits are to stay that a graph changes.
    """
    if adds and rule.keeps_bits and (why := wrong_function("reduction sums", {})):
        raise Unfit(f"the same bits are wanted each time: {why}")
    result, y = next(iter(case.outputs.items()))
    if y.dtype not in HALVES:
        return plan(case)
    if not y.is_dense:
        raise Unfit(f"{result}: an array of {y.dtype} without gaps is converted only")
    total = y._replace(dtype="float32", alignment=16)
    outputs = {**case.outputs, result: total}
    made = plan(case._replace(outputs=outputs, alpha=1.0, beta=0.0))
    if handle is None:
        return made
    steps = Steps(case.inputs, case.outputs)
    steps.room("total", total)
    steps.way(made, {**{name: name for name in case.inputs}, result: "total"})
    steps.call(
        "cudnnTransformTensor", case.alpha, _flat(total), "total", case.beta, _flat(y), result
    )  # fmt: skip
    way = steps.classic(deterministic=not adds and is_deterministic(made))
    way.core = plan_of(made)
    return way


def _flat(x: Spec) -> Any:
    """Return a descriptor of an array without gaps by which its elements are copied fastest."""
    count = math.prod(x.shape)
    is_short = count < measured.COPIED_ALONG_LAST
    return describe(packed((1, count, 1, 1) if is_short else (1, 1, 1, count), x))
