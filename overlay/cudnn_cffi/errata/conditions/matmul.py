"""Conditions for matrix products, attention as a graph of products, and after a product."""

from __future__ import annotations

import math

from ..._backend import values_of
from ..facts import (
    always,
    child,
    has_one_product,
    is_alone,
    is_loose,
    is_low,
    makers_of,
    mode_of,
    needed,
    size_of,
    tensor,
    told,
    type_of,
)
from ..needs import needs
from ..record import ALIGNMENT, MAXIMUM_OF_GRID, Condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..._backend import Descriptor
    from ..facts import Operations, Structure

#: The needs of attention's gradient without a mask, and of repeated elements that a product reads.
_UNMASKED = (
    "FIVE_PRODUCTS",
    "first Matmul.cdesc IMAGE TORN_TILES",
    "no Pointwise.pw_descriptor BINARY_SELECT",
)
_REPEATED = needs("ONE_PRODUCT", "any.any MEMORY REPEATED")


def _has_index(_: None, operations: Operations) -> bool:
    return "GEN_INDEX" in operations.modes


def _has_one_convolution(structure: Structure) -> bool:
    return structure.kinds.count("ConvolutionForward") == 1


def _is_apart(operation: Descriptor, _: Operations) -> bool:
    """Return whether an operand or a result has gaps."""
    for name in ("xdesc", "bdesc", "ydesc"):
        each = tensor(operation, name)
        if each is None or each.get("is_virtual"):
            continue
        if is_loose(each["dimensions"], each["strides"]):
            return True
    return False


def _is_batch_inside(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether matrices of a batch lie within each other."""
    *outer, rows, columns = shape
    *steps, down, right = strides
    longest = max(rows * down if rows > 1 else 0, columns * right if columns > 1 else 0)
    return any(n > 1 and step < longest for n, step in zip(outer, steps, strict=True))


def _has_batches_inside(_: None, operations: Operations) -> bool:
    return any(_is_batch_inside(each["dimensions"], each["strides"]) for each in operations.memory)


def _are_many(_: None, operations: Operations) -> bool:
    """Return whether there are more matrices, or tiles of columns, than a grid has."""
    for each in operations.memory:
        *outer, _rows, columns = each["dimensions"]
        if math.prod(outer) > MAXIMUM_OF_GRID or columns > MAXIMUM_OF_GRID * _TILE_OF_COLUMNS:
            return True
    return False


def _has_several_products(structure: Structure) -> bool:
    return structure.kinds.count("Matmul") > 1


def _are_many_heads(_: None, operations: Operations) -> bool:
    """Return whether attention has more examples or heads than a grid has."""
    *outer, _queries, _keys = needed(operations.product, "cdesc")["dimensions"]
    return max(outer, default=0) > MAXIMUM_OF_GRID


def _repeats_within(_: None, operations: Operations) -> bool:
    """Return whether rows or columns of a matrix that a product reads in memory are repeated.

    Pointwise operations may read it first.
    """
    if not any(0 in each["strides"] for each in operations.memory):
        return False  # which tells it without a walk
    return any(map(_is_repeated, operations.read_by_product))


def _repeats_vector(_: None, operations: Operations) -> bool:
    """Return whether the elements of a vector that a product reads in memory are repeated."""
    return _repeats_within(None, operations) and any(
        min(each["dimensions"][-2:]) == 1 and _is_repeated(each)
        for each in operations.read_by_product
    )


def _is_repeated(matrix: Mapping[str, Any]) -> bool:
    (*_, down, right), (*_, rows, columns) = matrix["strides"], matrix["dimensions"]
    return bool((rows > 1 and not down) or (columns > 1 and not right))


def _may_copy(structure: Structure) -> bool:
    kinds = structure.kinds
    return kinds.count("Matmul") + kinds.count("ConvolutionForward") == 1


def _reads_two_computed(_: None, operations: Operations) -> bool:
    """Return whether an operation reads two computed numbers, where some are copied."""
    if "IDENTITY" not in operations.modes:
        return False
    computed: set[object] = set()
    for each in map(values_of, operations.given):
        if each.get("xdesc") in computed and each.get("bdesc") in computed:
            return True
        computed.update(y for name in ("ydesc", "cdesc", "y") if (y := each.get(name)) is not None)
    return False


def _has_low_matrices(_: None, operations: Operations) -> bool:
    """Return whether matrices that operations read before a product begin at low addresses."""
    if operations.structure.kinds[0] == "Matmul" or not any(map(_begins_low, operations.memory)):
        return False
    return any(map(_begins_low, operations.read_by_product))


def _begins_low(tensor: Mapping[str, Any]) -> bool:
    """Return whether a tensor, or a matrix of it, does not begin at a multiple of 16 bytes."""
    if tensor.get("byte_alignment", ALIGNMENT) < ALIGNMENT:
        return True
    shape, strides = tensor["dimensions"], tensor["strides"]
    for n, step in zip(shape[:-2], strides[:-2], strict=True):
        # An element has at least half a byte.
        if n > 1 and step % (2 * ALIGNMENT) and step * size_of(tensor["data_type"]) % ALIGNMENT:
            return True
    return False


def _is_low(_: None, operations: Operations) -> bool:
    """Return whether an array of a graph is at a low address."""
    return any(each.get("byte_alignment", ALIGNMENT) < ALIGNMENT for each in operations.memory)


def _has_one_column(operation: Descriptor, _: Operations) -> bool:
    if needed(operation, "cdesc")["dimensions"][-1] != 1:
        return False
    return bool(needed(operation, "bdesc")["dimensions"][-2] > 1)


def _has_two_products(structure: Structure) -> bool:
    return structure.kinds.count("Matmul") == 2


#: Operations of attention among which a bias is added.
_FIRST = 5


def _adds_by_columns(_: None, operations: Operations) -> bool:
    """Return whether attention adds an array whose rows are not contiguous."""
    for kind, each in zip(operations.structure.kinds, operations.given[:_FIRST], strict=False):
        added = values_of(each).get("bdesc")
        if added is None or kind != "Pointwise":
            continue
        own = told(added)
        if own["dimensions"][-1] > 1 and own["strides"][-1] != 1:
            return True
    return False


def _has_odd_rows(_: None, operations: Operations) -> bool:
    """Return whether rows of a matrix, or columns, begin at addresses that engines cannot read."""
    for each in operations.memory:
        step = max(each["strides"][-2:])
        # An element has at least half a byte.
        if step % (2 * ALIGNMENT) and min(each["dimensions"][-2:]) > 1:
            size = size_of(each["data_type"])
            if step * size % ALIGNMENT:
                return True
    return False


#: Columns of a product that a block of engine 1 computes.
_TILE_OF_COLUMNS = 128

#: Elements of a tile of an operand of a product, along the inner extent.
_TILE = 64

#: The inner axis of each operand of a product.
_INNER = ("adesc", -1), ("bdesc", -2)

#: The operands of pointwise operations.
_READ = "xdesc", "bdesc", "tdesc"

#: Pointwise modes that have no finite result for 0, and the operand that must not be 0.
_NOT_OF_ZERO = {"DIV": "bdesc", "LOG": "xdesc", "RECIPROCAL": "xdesc", "RSQRT": "xdesc"}


def _divides_padding(_: None, operations: Operations) -> bool:
    """Return whether zeros beside an operand of a product become NaN or inf on their way to it.

    Engines read tiles of both operands, with zeros for elements beyond the inner extent.
    """
    if operations.modes.isdisjoint(_NOT_OF_ZERO):
        return False
    given = [(needed(operations.product, name), axis) for name, axis in _INNER]
    torn = [
        (operand, axis)
        for operand, axis in given
        if operand["dimensions"][axis] % _TILE and operand.get("is_virtual")
    ]
    if not torn:
        return False
    made = makers_of(operations)
    for operand, axis in torn:
        waiting = [operand]
        while waiting:
            each = made.get(waiting.pop()["unique_id"])
            if each is None:
                continue
            read = tensor(each, _NOT_OF_ZERO.get(mode_of(each), ""))
            if read is not None and read["dimensions"][axis] > 1:
                return True
            inputs = (tensor(each, name) for name in ("xdesc", "bdesc", "tdesc"))
            waiting += [one for one in inputs if one is not None]
    return False


def _lets_in(one_query: bool) -> Callable[[None, Operations], bool]:
    """Return what finds attention's gradient without a mask whose tiles end beside its scores."""

    def applies(_: None, operations: Operations) -> bool:
        *outer, queries, keys = needed(operations.product, "cdesc")["dimensions"]
        if len(outer) != 2 or keys % 64:
            return False  # attention has batches and heads
        if queries != 1 and (keys % 128 == 0 or one_query):
            return False
        return "BINARY_SELECT" not in operations.modes

    return applies


#: Modes of attention's gradient, and of functions of scores whose gradient engines compute.
_STRAIGHT = frozenset(
    (
        *("ADD", "SUB", "MUL", "DIV", "NEG", "EXP", "IDENTITY", "GEN_INDEX", "BINARY_SELECT"),
        *(f"CMP_{each}" for each in ("EQ", "NEQ", "GE", "GT", "LE", "LT")),
        *(f"LOGICAL_{each}" for each in ("AND", "OR", "NOT")),
    )
)


def _bends_scores(_: None, operations: Operations) -> bool:
    """Return whether attention's scores are changed by a curved function, or read twice by one."""
    if "EXP" not in operations.modes:
        return False
    if not operations.modes <= _STRAIGHT:
        return True
    scores, scaled, count = child(operations.product, "cdesc"), None, 0
    for each in operations.of("Pointwise"):
        values = values_of(each)
        given = [values.get(name) for name in _READ]
        if scaled is None:
            scaled = values.get("ydesc") if scores in given else None
        elif scaled in given and mode_of(each) != "GEN_INDEX":  # which reads no elements
            count += 1
    return count > 1


def _has_five_products(structure: Structure) -> bool:
    return structure.kinds.count("Matmul") == 5


def _is_low_fp8(operation: Descriptor, _: Operations) -> bool:
    """Return whether an array of FP8 is at a low address."""
    for name in ("x", "w", "dy"):
        each = tensor(operation, name)
        begins_low = each is not None and each.get("byte_alignment", ALIGNMENT) < ALIGNMENT
        if begins_low and type_of(operation, name).startswith("FP8"):
            return True
    return False


CONDITIONS = {
    "FP8 alone at a low address": Condition(
        is_alone, _is_low_fp8, needs=needs("SINGLE", "any.any LOW")
    ),
    "a single column": Condition(has_one_product, _has_one_column, needs=needs("ONE_PRODUCT")),
    "attention of two products": Condition(
        _has_two_products, always, True, needs("TWO_PRODUCTS", decide=True)
    ),
    "attention with an array by columns": Condition(
        _has_two_products,
        _adds_by_columns,
        True,
        needs("TWO_PRODUCTS", "early Pointwise.bdesc BY_COLUMNS"),
    ),
    "matrices at low addresses before a product": Condition(
        has_one_product,
        _has_low_matrices,
        True,
        needs("SEVERAL", "ONE_PRODUCT", "any.any MEMORY LOW_MATRIX"),
    ),
    "product at a low address": Condition(
        has_one_product, _is_low, True, needs("ONE_PRODUCT", "any.any MEMORY LOW")
    ),
    "GEN_INDEX after one product": Condition(
        has_one_product,
        _has_index,
        True,
        needs("ONE_PRODUCT", "Pointwise.pw_descriptor GEN_INDEX", decide=True),
    ),
    "attention's gradient without a mask beside 64 keys modulo 128, or one query": Condition(
        _has_five_products, _lets_in(False), True, needs(*_UNMASKED, decide=True)
    ),
    "attention's gradient without a mask beside one query": Condition(
        _has_five_products,
        _lets_in(True),
        True,
        needs(*_UNMASKED, "first Matmul.cdesc ONE_ROW", decide=True),
    ),
    "attention's gradient with a curved function of scores": Condition(
        _has_five_products, _bends_scores, True, needs("FIVE_PRODUCTS")
    ),
    "gaps after a convolution": Condition(
        _has_one_convolution,
        _is_apart,
        needs=needs("ConvolutionForward", "own.any MEMORY GAPS"),
    ),
    "gaps after a product": Condition(
        has_one_product, _is_apart, needs=needs("ONE_PRODUCT", "own.any MEMORY GAPS")
    ),
    "matrices of a batch within each other": Condition(
        has_one_product, _has_batches_inside, True, needs("ONE_PRODUCT", "any.any MEMORY INSIDE")
    ),
    "more examples or heads than a grid has": Condition(
        _has_several_products,
        _are_many_heads,
        True,
        needs("SEVERAL_PRODUCTS", "first Matmul.cdesc BEYOND_GRID"),
    ),
    "more products than a grid has": Condition(
        has_one_product, _are_many, True, needs("ONE_PRODUCT", "any.any MEMORY BEYOND_GRID")
    ),
    "product alone at a low address": Condition(
        is_alone, is_low, needs=needs("SINGLE", "any.any LOW")
    ),
    "copies and two computed operands": Condition(
        _may_copy,
        _reads_two_computed,
        True,
        needs("ONE_OF_BOTH", "Pointwise.pw_descriptor IDENTITY"),
    ),
    "quotient, logarithm or reciprocal as an operand": Condition(
        has_one_product,
        _divides_padding,
        True,
        needs("ONE_PRODUCT", "Matmul.any COMPUTED", "Pointwise.pw_descriptor NOT_OF_ZERO"),
    ),
    "rows or columns of a matrix repeated": Condition(
        has_one_product, _repeats_within, True, _REPEATED
    ),
    "elements of a vector repeated": Condition(has_one_product, _repeats_vector, True, _REPEATED),
    "rows at no multiples of 16 bytes": Condition(
        has_one_product, _has_odd_rows, True, needs("ONE_PRODUCT", "any.any MEMORY ODD_ROWS")
    ),
}
