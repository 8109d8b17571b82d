"""Graphs as errata read them, and facts of their tensors."""

from __future__ import annotations

from math import prod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol, TypeVar

    class Tensor(Protocol):
        """The part of a graph's tensor that errata read."""

        @property
        def uid(self) -> int: ...
        @property
        def shape(self) -> tuple[int, ...]: ...
        @property
        def strides(self) -> tuple[int, ...]: ...
        @property
        def is_virtual(self) -> bool: ...
        @property
        def by_value(self) -> bool: ...
        @property
        def data_type(self) -> str: ...
        @property
        def producer(self) -> object: ...
        @property
        def ragged_offset(self) -> object: ...
        @property
        def reordering_mode(self) -> object: ...
        @property
        def vectorization(self) -> object: ...

        def describe(self) -> str:
            """Return the name and the shape."""

    class Node(Protocol):
        """The part of a graph's node that errata read."""

        @property
        def kind(self) -> str: ...
        @property
        def word(self) -> str: ...
        @property
        def name(self) -> str: ...
        @property
        def inputs(self) -> Mapping[str, Tensor]: ...
        @property
        def outputs(self) -> Mapping[str, Tensor]: ...
        @property
        def options(self) -> Mapping[str, object]: ...

        def tensors(self) -> Mapping[str, Tensor]:
            """Return inputs and outputs by their ports."""

    class Graph(Protocol):
        """The part of a graph that errata read."""

        @property
        def name(self) -> str: ...
        @property
        def nodes(self) -> Sequence[Node]: ...

    TensorT = TypeVar("TensorT", bound=Tensor)
    _NodeT = TypeVar("_NodeT", bound=Node)


def used(graph: Graph) -> list[Tensor]:
    """Return the tensors that nodes read or write; of a view, not the tensor that it lies in."""
    found = {each.uid: each for node in graph.nodes for each in node.tensors().values()}
    return list(found.values())


def is_memory(tensor: Tensor) -> bool:
    """Return whether a tensor lies in memory, outside of engines."""
    return not (tensor.is_virtual or tensor.by_value)


def kinds_of(graph: Graph) -> list[str]:
    """Return the kinds of the nodes of a graph, in their order."""
    return [node.kind for node in graph.nodes]


def goes_by_strides(tensor: Tensor) -> bool:
    """Return whether strides alone tell where the elements of a tensor lie."""
    return (
        tensor.ragged_offset is None
        and tensor.vectorization is None
        and tensor.reordering_mode is None
    )


def largest(tensors: Iterable[TensorT]) -> TensorT:
    """Return the largest tensor in memory."""
    return max(filter(is_memory, tensors), key=lambda each: prod(each.shape))


def order_of(tensors: Iterable[Tensor]) -> list[int] | None:
    """Return the dimensions, outermost first, if all tensors in memory are packed in that order."""
    real = [each for each in tensors if is_memory(each)]
    if not real:
        return None
    full = largest(real)
    order = sorted(
        range(len(full.shape)), key=lambda axis: (-full.strides[axis], full.shape[axis] == 1)
    )
    for each in real:
        step = 1
        for axis in reversed(order):
            if each.shape[axis] != 1 and each.strides[axis] != step:
                return None
            step *= each.shape[axis]
    return order


def lies_by_rows(tensor: Tensor) -> bool:
    """Return whether the last dimension has no gaps, and each contains those after it."""
    axes = zip(tensor.shape, tensor.strides, strict=True)
    inner = 1
    for extent, stride in reversed([each for each in axes if each[0] > 1]):
        if stride < inner:
            return False
        inner = extent * stride
    return tensor.shape[-1] == 1 or tensor.strides[-1] == 1


def is_channels_last(image: Tensor) -> bool:
    """Return whether the channels of an image lie side by side."""
    return image.shape[1] == 1 or image.strides[1] == 1


def is_of_pixels(image: Tensor) -> bool:
    """Return whether the channels of several pixels lie side by side."""
    return min(image.shape[1], max(image.shape[2:])) > 1 and image.strides[1] == 1


def sources(tensor: Tensor, made: Mapping[int, Node]) -> list[Tensor]:
    """Return the tensors in memory that an operand is, or that operations compute it from."""
    waiting = [tensor]
    found: dict[int, Tensor] = {}
    while waiting:
        each = waiting.pop()
        if each.uid not in found:
            found[each.uid] = each
            node = made.get(each.uid)
            if node is not None and node.kind == "pointwise":
                waiting += node.inputs.values()
    return [each for each in found.values() if is_memory(each)]


def connected(nodes: Sequence[_NodeT]) -> list[_NodeT]:
    """Return those of some nodes that hang together with the first, by results that others read."""
    known = {id(node) for node in nodes}
    neighbours: dict[int, set[int]] = {each: set() for each in known}
    for node in nodes:
        for each in node.inputs.values():
            if each.producer is not None and id(each.producer) in known:
                neighbours[id(node)].add(id(each.producer))
                neighbours[id(each.producer)].add(id(node))
    found, fresh = set[int](), {id(nodes[0])}
    while fresh:
        found |= fresh
        fresh = {other for each in fresh for other in neighbours[each]} - found
    return [node for node in nodes if id(node) in found]


def repeats(tensors: Iterable[Tensor]) -> bool:
    """Return whether tensors in memory differ in shape: elements of some are repeated."""
    return len({each.shape for each in tensors if is_memory(each)}) > 1
