"""Find in functions of scores what engines are known to compute wrongly."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from ...errata.conditions.attention import LEAST_SCALE
from ..nested import Nested

if TYPE_CHECKING:
    from ..lower.replaced import Replaced
    from ..tensors import Tensor


def _functions(at: Replaced) -> list[Nested]:
    """Return the functions of scores, and of their gradient."""
    found = [at.node.options.get("score"), at.node.options.get("score_backward")]
    return [each for each in found if isinstance(each, Nested)]


#: The inputs and bands of attention, and of its gradient, beside which indices were measured.
_BESIDE = {
    "attention": {"q", "k", "v", "scale", "seq_len_q", "seq_len_kv", "right"},
    "attention_backward": {"q", "k", "v", "o", "do", "stats", "scale"},
}


def loses_indices(at: Replaced) -> bool:
    """Return whether a function of the scores compares indices, or has them beside other options.

    Two results that follow from indices are compared; others may have their indices alone where
    `_BESIDE` has all inputs and bands.
    """
    known: set[int] = set()
    for node in [node for each in _functions(at) for node in each.nodes]:
        mode, given = node.options.get("mode", ""), [each.uid for each in node.inputs.values()]
        if mode.startswith("CMP_") and known.issuperset(given):
            return True
        if mode == "GEN_INDEX" or not known.isdisjoint(given):
            known.update(each.uid for each in node.outputs.values())
    bands = {"left", "right", "bottom_right"} & at.node.options.keys()
    inputs = {port for port in at.node.inputs if not port.startswith("score")}
    return bool(known and (inputs | bands) - _BESIDE[at.node.kind])


def loses_scores(at: Replaced) -> bool:
    """Return whether a function reads an array that engines read wrongly.

    These have an element for each of several examples, or heads of them; whole numbers without rows
    and columns; or, in the gradient, elements for keys alone.
    """
    is_row = at.node.kind == "attention_backward" and at.inputs["q"].shape[2] > 1
    for each in [one for own in _functions(at) for one in own.captured if not one.by_value]:
        batch, _, rows, columns = each.shape
        is_lost = batch > 1 or each.data_type.startswith("INT")
        if is_lost if rows == columns == 1 else is_row and rows == 1:
            return True
    return False


#: Modes of finite results, and modes that pass infinity on.
_BOUNDED = {"TANH_FWD", "SIGMOID_FWD", "ERF"}
_LINEAR = {"ADD", "SUB", "MUL", "DIV", "NEG", "IDENTITY"}


def has_infinite_slopes(at: Replaced, scale: float | None) -> bool:
    """Return whether a function's gradient may be infinite or NaN for a score of -inf.

    Args:
        at: the node.
        scale: of the scores, where no engine computes it by itself.
    """
    recorded = at.node.options.get("score_backward")
    if not isinstance(recorded, Nested):
        return False
    infinite, is_zero = {recorded.arguments[1].uid}, scale is not None and -scale < LEAST_SCALE
    for node in recorded.nodes:
        given = list(node.inputs.values())
        others = [each for each in given if each.uid not in infinite]
        mode = node.options.get("mode", "")
        if len(others) < len(given) and is_zero:  # -inf times zero
            return True
        if len(others) == len(given) or mode in _BOUNDED or mode.startswith("CMP_"):
            continue
        is_linear = mode in _LINEAR and len(given) - len(others) == 1
        if not (is_linear and all(each.by_value and each.value for each in others)):
            return True
        infinite.update(each.uid for each in node.outputs.values())
    return recorded.result.uid in infinite


#: Modes that are computed here, to follow a score of -inf through them; others count as NaN, and
#: those with other options than these.
_PLAIN = {"mode", "compute_data_type", "nan_propagation"}
_EXTENDED: dict[str, Callable[..., float]] = {
    "ADD": lambda a, b: a + b, "SUB": lambda a, b: a - b, "MUL": lambda a, b: a * b,
    "DIV": lambda a, b: a / b, "MAX": max, "MIN": min, "NEG": lambda a: -a, "ABS": abs,
    "IDENTITY": lambda a: a, "RELU_FWD": lambda a: max(a, 0.0), "TANH_FWD": math.tanh,
    "ERF": math.erf, "EXP": math.exp, "SIGMOID_FWD": lambda a: 1 / (1 + math.exp(-a)),
}  # fmt: skip


def has_nan_scores(at: Replaced) -> bool:
    """Return whether a function may be NaN for a score of -inf.

    Numbers that are not known count as NaN as factors, since they may be zero, and as 1 elsewhere.
    """
    recorded = at.node.options.get("score")
    if not isinstance(recorded, Nested):
        return False
    known = {recorded.arguments[0].uid: -math.inf}
    for node in recorded.nodes:
        mode, (y,) = node.options.get("mode", ""), node.outputs.values()
        if known.keys().isdisjoint(each.uid for each in node.inputs.values()):
            continue
        given = [known.get(each.uid, _number(each, mode)) for each in node.inputs.values()]
        known[y.uid] = math.nan
        with suppress(ArithmeticError, ValueError):
            if mode in _EXTENDED and node.options.keys() <= _PLAIN:
                known[y.uid] = _EXTENDED[mode](*given)
    return math.isnan(known.get(recorded.result.uid, 0.0))


def _number(tensor: Tensor, mode: str) -> float:
    if tensor.by_value and tensor.value is not None:
        return float(tensor.value)
    return math.nan if mode in ("MUL", "DIV") else 1.0
