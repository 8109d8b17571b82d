"""Integers, truth values and float64: copies of them, and what engines do not compute of them."""

from __future__ import annotations

from functools import partial

from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case, Unfit
from ..._ways.classic_call import Behind, Classic, operands_of
from ...errata.asks import wrong_function
from ...plan.run.copy import Copy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._ways.array_spec import Spec
    from ..._ways.case import Way

#: Integers that float32 does not hold.
WIDE = ("int32", "uint32", "int64")

#: The types that `cudnnTransformTensor` copies without a loss.
_COPIED = ("float32", "float64", "float16", "bfloat16", "int8")


def refuse_integers(case: Case) -> None:
    """Refuse graphs of integers that are rounded in float32, and of truth values.

    Raises:
        Unfit: there are such.
    """
    for name, each in (*case.inputs.items(), *case.outputs.items()):
        if each.dtype == "bool" and (why := wrong_function("truth values in memory", {})):
            raise Unfit(f"{name}: {why}")
        if each.dtype in WIDE:
            raise Unfit(f"{name}: engines round {each.dtype} to float32")


def refuse_conversions(case: Case) -> None:
    """Refuse graphs of x and y that do not convert as cuDNN's function does.

    Raises:
        Unfit: integers or truth values are rounded, or float64 is multiplied in float32.
    """
    x, y = case.inputs["x"], case.outputs["y"]
    if _is_scaled_float64(x, y, case):
        raise Unfit("y: graphs multiply float64 in float32")
    rounds = x.dtype in WIDE and y.dtype in (*WIDE, "float64")
    if rounds or "bool" in (x.dtype, y.dtype) or (case.beta != 0.0 and y.dtype in WIDE):
        refuse_integers(case)


def copied_as_bytes(case: Case, source: str, target: str) -> Classic | None:
    """Return the call that copies an array of a type that `cudnnTransformTensor` does not have.

    Returns: None for a type that it has, and for a conversion.

    Raises:
        Unfit: there are factors; or a plain conversion to float64, which is measured for graphs
            alone.
        NotSupportedError: elements are repeated.
    """
    x, y = case.inputs[source], case.outputs[target]
    if y.dtype == "float64" != x.dtype and case.is_plain:
        raise Unfit(f"{target}: conversions of {x.dtype} to float64 are left to graphs")
    if x.dtype != y.dtype or x.dtype in _COPIED:
        return None
    if not case.is_plain:
        raise Unfit(f"{source}: {x.dtype} is copied without factors")
    copy = Copy(x.shape, x.data_type, (x.strides, 0), (y.strides, 0))
    steps = copy.steps(partial(_behind, source), partial(_behind, target))
    return Classic("cudnnTransformTensor", operands_of(case.inputs, case.outputs), steps)


def converted_first(steps: Steps, case: Case, find: Callable[[Case], Way]) -> tuple[Spec, str]:
    """Return x and its name; for a scaled float64 result, those of its copy in the workspace.

    Args:
        steps: of the call; the conversion is added to them.
        case: of the call.
        find: finds a way for a case.
    """
    x, y = case.inputs["x"], case.outputs["y"]
    if not _is_scaled_float64(x, y, case):
        return x, "x"
    inner = Case(case.inputs, {"y": packed(y.shape, y)})
    place = steps.room("converted", inner.outputs["y"])
    steps.way(find(inner), {"x": "x", "y": place})
    return inner.outputs["y"], place


def _is_scaled_float64(x: Spec, y: Spec, case: Case) -> bool:
    return y.dtype == "float64" != x.dtype and not case.is_plain


def _behind(name: str, offset: int) -> str | Behind:
    """Return the place of an operand, or that at an offset from it."""
    return Behind(name, offset) if offset else name
