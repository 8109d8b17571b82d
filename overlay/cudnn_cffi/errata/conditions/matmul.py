"""Conditions for matrix products, attention as a graph of products, and after a product."""

from __future__ import annotations

from ... import arrays
from ..facts import has_gaps, is_low, mode_of, tensor
from ..record import ALIGNMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..facts import Facts, Operations


def _is_index(operation: Facts, operations: Operations) -> bool:
    return operation.pointwise_mode == "GEN_INDEX" and _is_alone(operations)


def _is_alone(operations: Operations) -> bool:
    """Return whether there is one product among operations: attention has two."""
    return operations.kinds.count("Matmul") == 1


def _is_apart(kind: str) -> Callable[[Facts, Operations], bool]:
    """Return what finds operands and results with gaps after an operation of a kind."""

    def applies(operation: Facts, operations: Operations) -> bool:
        if kind not in operations.distinct or operations.kinds.count(kind) != 1:
            return False  # attention has two products, and engines that take strides
        return any(map(has_gaps, (operation.xdesc, operation.bdesc, operation.ydesc)))

    return applies


def _is_batch_inside(tensor: Facts) -> bool:
    """Return whether matrices of a batch lie within each other."""
    axes = list(zip(tensor.dimensions, tensor.strides, strict=True))
    longest = max((n * step for n, step in axes[-2:] if n > 1), default=0)
    return any(n > 1 and step < longest for n, step in axes[:-2])


def _has_batches_inside(_: Facts, operations: Operations) -> bool:
    return _is_alone(operations) and any(map(_is_batch_inside, operations.memory))


def _has_odd_rows(_: Facts, operations: Operations) -> bool:
    """Return whether rows of a matrix, or columns, begin at addresses that engines cannot read."""
    return _is_alone(operations) and any(
        max(each.strides[-2:]) * arrays.itemsize(arrays.dtype_name(each.data_type)) % ALIGNMENT
        for each in operations.memory
        if min(each.dimensions[-2:]) > 1
    )


#: Elements of a tile of an operand of a product, along the inner extent.
_TILE = 64

#: Pointwise modes that have no finite result for 0, and the operand that must not be 0.
_NOT_OF_ZERO = {"DIV": "bdesc", "LOG": "xdesc", "RECIPROCAL": "xdesc", "RSQRT": "xdesc"}


def _divides_padding(operation: Facts, operations: Operations) -> bool:
    """Return whether zeros beside an operand of a product become NaN or inf on their way to it.

    Engines read tiles of both operands, with zeros for elements beyond the inner extent.
    """
    if not _is_alone(operations):
        return False
    made = {y.unique_id: each for each in operations if (y := tensor(each, "ydesc")) is not None}
    for operand, axis in ((operation.adesc, -1), (operation.bdesc, -2)):
        waiting = [operand] if operand.dimensions[axis] % _TILE else []
        while waiting:
            each = made.get(waiting.pop().unique_id)
            if each is None:
                continue
            read = tensor(each, _NOT_OF_ZERO.get(mode_of(each), ""))
            if read is not None and read.dimensions[axis] > 1:
                return True
            inputs = (tensor(each, name) for name in ("xdesc", "bdesc", "tdesc"))
            waiting += [one for one in inputs if one is not None]
    return False


def _lets_in(one_query: bool) -> Callable[[Facts, Operations], bool]:
    """Return what finds attention's gradient without a mask whose tiles end beside its scores."""

    def applies(operation: Facts, operations: Operations) -> bool:
        products = [each for each in operations if each.kind == "Matmul"]
        if len(products) != 5 or operation is not products[0]:
            return False
        if any(mode_of(each) == "BINARY_SELECT" for each in operations):
            return False
        *outer, queries, keys = operation.cdesc.dimensions
        if len(outer) != 2:
            return False  # attention has batches and heads
        odd = queries == 1 or (keys % 128 > 0 and not one_query)
        return bool(keys % 64 == 0 and odd)

    return applies


CONDITIONS = {
    "GEN_INDEX after one product": _is_index,
    "attention's gradient without a mask beside 64 keys modulo 128, or one query": _lets_in(False),
    "attention's gradient without a mask beside one query": _lets_in(True),
    "gaps after a convolution": _is_apart("ConvolutionForward"),
    "gaps after a product": _is_apart("Matmul"),
    "matrices of a batch within each other": _has_batches_inside,
    "product alone at a low address": is_low,
    "quotient, logarithm or reciprocal as an operand": _divides_padding,
    "rows at no multiples of 16 bytes": _has_odd_rows,
}
