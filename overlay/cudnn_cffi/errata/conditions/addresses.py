"""Conditions for graphs whose arrays may lie at any address.

Engines say that they take arrays of any alignment. Engines of a convolution alone, of pointwise
operations, reductions and one product do, but for records of their own.
"""

from __future__ import annotations

from ..record import ALIGNMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...plan import Computation, Operand
    from ..facts import Operations

_CONVOLUTIONS = frozenset(
    f"Convolution{way}" for way in ("Forward", "BackwardData", "BackwardFilter")
)
_ANYWHERE = frozenset({"Pointwise", "Reduction", "Matmul"})
_ATTENTION = frozenset({"SDPAFwd", "SDPABwd"})
_NARROW, _IMAGE = ("HALF", "BFLOAT16", "FP8_E4M3", "FP8_E5M2"), 4


def low_ones(operands: Sequence[Operand]) -> list[tuple[Operand, int]]:
    """Return the arrays of operands that may begin at low addresses, with their alignment."""
    found = []
    for each in operands:
        alignment = each.alignment
        for _, offset in each.views:
            if offset % ALIGNMENT:  # the lowest bit of an offset is the alignment of a view
                alignment = min(alignment, offset & -offset)
        if alignment < ALIGNMENT and each.is_argument and not each.by_value:
            found.append((each, alignment))
    return found


def _told(operand: Operand, alignment: int) -> str:
    return (
        f"{operand.name}: its engines read arrays at multiples of {ALIGNMENT} bytes "
        f"only, got an alignment of {alignment}"
    )


def _is_attention(kinds: Sequence[str]) -> bool:
    return bool(_ATTENTION.intersection(kinds)) or kinds.count("Matmul") > 1


def _of_attention(computation: Computation, operations: Operations) -> str:
    """Return an array of attention that is read by more than elements.

    Beside queries of one or two bytes, arrays of FLOAT are masks and statistics, which may lie
    anywhere.
    """
    if not _is_attention(operations.structure.kinds):
        return ""
    given = [each for each in computation.operands if each.role == "input"]
    is_narrow = any(each.data_type in _NARROW and len(each.shape) >= _IMAGE for each in given)
    read = _NARROW if is_narrow else (*_NARROW, "FLOAT")
    for each, alignment in low_ones(computation.operands):
        is_column = each.data_type == "FLOAT" and each.shape[-1] == 1  # as statistics are
        if each.data_type in read and len(each.shape) >= _IMAGE and not is_column:
            return _told(each, alignment)
    return ""


def _of_others(computation: Computation, operations: Operations) -> str:
    """Return an array of a graph that is no attention, and has engines that read it by vectors."""
    kinds = operations.structure.kinds
    is_alone = len(kinds) == 1 and kinds[0] in _CONVOLUTIONS
    if is_alone or _ANYWHERE.issuperset(kinds) or _is_attention(kinds):
        return ""
    return next((_told(*each) for each in low_ones(computation.operands)), "")


CONDITIONS = {
    "attention at a low address": _of_attention,
    "fused operations, norms and pooling at a low address": _of_others,
}
