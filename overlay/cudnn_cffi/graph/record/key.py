"""The key of a graph: everything that its descriptors say, as a hashable value."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ...errata.asks import wrong_function

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..tensors import Node, Tensor
    from .types import Key


def rest_of_key(tensor: Tensor) -> Key:
    """Return the part of the key that only views, numbers, and ragged or hidden tensors have."""
    ragged, base = tensor.ragged_offset, tensor.base
    return (
        tensor.data_type,
        tensor.by_value,
        tensor.is_constant,
        repr(tensor.value),  # 0.0 is not -0.0, and nan is nan
        tensor.in_workspace,
        tensor.fill,
        None if base is None else (base.uid, tensor.offset),
        None if ragged is None else (ragged.uid, tensor.ragged_multiplier),
        tensor.reordering_mode,
        tensor.vectorization,
    )


def key_and_names(
    start: Iterable[object],
    types: tuple[str | None, str],
    tensors: Mapping[int, Tensor],
    nodes: Iterable[Node],
    outputs: Iterable[Tensor],
) -> tuple[Key, tuple[str, ...]]:
    """Return the key of a graph, and the names of the tensors that are not virtual.

    Args:
        start: the graph's own settings.
        types: the data types of inputs and outputs, and of virtual tensors.
        tensors, nodes, outputs: of the graph.
    """
    names: list[str] = []
    parts = [*start]
    add = parts.append
    io, intermediate = types
    for each in tensors.values():  # few calls: finding a plan again mostly is this loop
        kind = each.given_type or (intermediate if each.is_virtual else io or each.memory_type)
        virtual, output = each.is_virtual, each.is_output
        if not virtual:
            names.append(each._name or each.name)
        add((each.uid, each.shape, each.strides, kind, each.alignment, virtual, output))
        if (
            each.by_value
            or each.in_workspace
            or each.base is not None
            or each.ragged_offset is not None
            or each.reordering_mode is not None
            or each.vectorization is not None
        ):
            add(rest_of_key(each))
    for node in nodes:
        add(node.operation.kind)
        for port, each in node.inputs.items():
            add(port)
            add(each.uid)
        for port, each in node.outputs.items():
            add(port)
            add(each.uid)
        parts += node.options.items()
    add(None)
    for each in outputs:
        add(each.uid)
    return tuple(parts), tuple(names)


def kind_of(key: Key) -> Key:
    """Return a key in which ranks, orders and extents of 1 stand for the shapes of tensors."""
    return tuple([_without_extents(each) if type(each) is tuple else each for each in key])


#: Kinds of nodes whose kernels take tensors of all extents.
_FREE = ("convolution_forward", "pointwise", "reduction")

#: The number of matrix products in a node, at least.
_PRODUCTS = {"matmul": 1, "attention": 2}


def kept(nodes: Iterable[Node]) -> Key:
    """Return the extents that graphs have in common whose plans share kernels.

    Extents of nodes that are not known to take others are kept, and those of products for which
    errata have a record.
    """
    nodes = list(nodes)
    products = sum(_PRODUCTS.get(each.kind, 0) for each in nodes)
    is_wrong = bool(wrong_function("kernels of other extents", {"products": products}))
    return tuple(
        [
            tuple([each.shape for each in node.tensors().values()])
            for node in nodes
            if (is_wrong if node.kind in _PRODUCTS else node.kind not in _FREE)
        ]
    )


def _without_extents(part: Key) -> Key:
    """Return a part of the result of `key_and_names` without extents."""
    if len(part) == 2 and part[0] == "shape" and type(part[1]) is tuple:
        return ("shape", *_few(cast("tuple[int, ...]", part[1])))
    if len(part) == 10 and part[1] is True and part[2] is False:
        return (*part[:3], *part[4:])  # a number that is passed with each call
    if len(part) != 7 or type(part[1]) is not tuple:
        return part
    uid, shape, strides, *rest = cast("tuple[int, tuple[int, ...], tuple[int, ...], str]", part)
    order = sorted(range(len(shape)), key=lambda axis: (-strides[axis], axis))
    return (uid, *_few(shape), *_few(strides), *order, *rest)


def _few(numbers: Iterable[int]) -> list[int]:
    """Return the numbers with all above 1 replaced by one value."""
    return [min(each, 2) for each in numbers]
