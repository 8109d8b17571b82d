"""Errata of engines for matrix products, attention as a graph of products, and after a product."""

from __future__ import annotations

from .... import arrays
from .record import (
    ALIGNMENT,
    MEASURED,
    count,
    engines,
    in_memory,
    is_low,
    kinds_of,
    mode_of,
    tensor,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from .... import backend

    Operation: TypeAlias = backend.OperationDescriptor
    Operations: TypeAlias = Sequence[Operation]
    Pointwise: TypeAlias = backend.OperationPointwiseDescriptor


def _is_index(operation: Pointwise, operations: Operations) -> bool:
    return mode_of(operation) == "GEN_INDEX" and _is_alone(operations)


def _is_alone(operations: Operations) -> bool:
    """Return whether there is one product among operations: attention has two."""
    return kinds_of(operations).count("Matmul") == 1


def _has_gaps(tensor: backend.TensorDescriptor | None) -> bool:
    """Return whether elements of others lie between those of a tensor in memory."""
    if tensor is None or tensor.is_virtual:
        return False
    return arrays.last_offset(tensor.dimensions, tensor.strides) >= count(tensor)


def _is_apart(kind: str) -> Callable[[Pointwise, Operations], bool]:
    """Return what finds operands and results with gaps after an operation of a kind."""

    def applies(operation: Pointwise, operations: Operations) -> bool:
        if kinds_of(operations).count(kind) != 1:
            return False  # attention has two products, and engines that take strides
        return any(map(_has_gaps, (operation.xdesc, operation.bdesc, operation.ydesc)))

    return applies


def _is_batch_inside(tensor: backend.TensorDescriptor) -> bool:
    """Return whether matrices of a batch lie within each other."""
    axes = list(zip(tensor.dimensions, tensor.strides, strict=True))
    longest = max((n * step for n, step in axes[-2:] if n > 1), default=0)
    return any(n > 1 and step < longest for n, step in axes[:-2])


def _has_batches_inside(_: Operation, operations: Operations) -> bool:
    return _is_alone(operations) and any(map(_is_batch_inside, in_memory(operations)))


def _has_odd_rows(_: Operation, operations: Operations) -> bool:
    """Return whether rows of a matrix, or columns, begin at addresses that engines cannot read."""
    return _is_alone(operations) and any(
        max(each.strides[-2:]) * arrays.itemsize(arrays.dtype_name(each.data_type.name)) % ALIGNMENT
        for each in in_memory(operations)
        if min(each.dimensions[-2:]) > 1
    )


#: Elements of a tile of an operand of a product, along the inner extent.
_TILE = 64

#: Pointwise modes that have no finite result for 0, and the operand that must not be 0.
_NOT_OF_ZERO = {"DIV": "bdesc", "LOG": "xdesc", "RECIPROCAL": "xdesc", "RSQRT": "xdesc"}


def _divides_padding(operation: backend.OperationMatmulDescriptor, operations: Operations) -> bool:
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


def _lets_in(one_query: bool) -> Callable[[backend.OperationMatmulDescriptor, Operations], bool]:
    """Return what finds attention's gradient without a mask whose tiles end beside its scores."""

    def applies(operation: backend.OperationMatmulDescriptor, operations: Operations) -> bool:
        products = [each for each in operations if "Matmul" in type(each).__name__]
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


ERRATA = (
    *engines(
        "Pointwise",
        [4, 7],
        _is_index,
        "its GEN_INDEX after a matrix product that is not attention's gives wrong numbers",
    ),
    *[
        each
        for number, kind, what in (
            (8, "ConvolutionForward", "convolution"),
            (2, "Matmul", "matrix product"),
        )
        for each in engines(
            "Pointwise",
            [number],
            _is_apart(kind),
            f"it reads operands, and writes results, after a {what} as if they had no gaps",
            workaround="copy what has gaps",
        )
    ],
    *engines(
        "Matmul",
        [1, 2],
        _has_batches_inside,
        "it computes wrong numbers if the matrices of a batch lie within each other",
    ),
    *engines(
        "Matmul",
        [1, 4, 7],
        _divides_padding,
        "it computes NaN if an operand is a quotient, logarithm or reciprocal of an array, and "
        f"the inner extent is not a multiple of {_TILE}: it divides the zeros beside it",
        workaround="make the quotient in a graph of its own",
    ),
    *engines(
        "Matmul",
        [2],
        _has_odd_rows,
        "it computes wrong numbers if rows do not begin at multiples of 16 bytes",
    ),
    *[
        each
        for number, one_query, what in (
            (6, False, "there are 64 keys modulo 128, or one query and keys are multiples of 64"),
            (7, True, "there is one query and keys are multiples of 64"),
        )
        for each in engines(
            "Matmul",
            [number],
            _lets_in(one_query),
            "its gradient of attention without a mask is NaN if rows have low statistics (HALF: "
            f"below -11, BFLOAT16: below -88) and {what}: elements of a tile beside the scores "
            "take part",
            f"{MEASURED}; 9.25 to 9.30: issue 1072 and pull request 628 of NVIDIA/cudnn-frontend",
            "mask scores whose row or column is not below the number of queries or keys",
        )
    ],
    *[
        each
        for number, what in ((0, "it does not run"), (2, "it computes wrong numbers"))
        for each in engines(
            "Matmul",
            [number],
            is_low,
            f"{what} if an array is not at a multiple of 16 bytes",
            workaround="copy the array",
        )
    ],
)
