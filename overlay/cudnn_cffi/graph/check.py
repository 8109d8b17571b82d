"""Refuse an invalid graph before cuDNN is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import errors
from ..arrays import last_offset
from .arguments import overlaps

if TYPE_CHECKING:
    from .builder import Builder


#: More elements than any memory has.
_MOST = 1 << 56


def check(graph: Builder) -> None:
    """Refuse a graph that cannot be computed.

    Raises:
        GraphError: it has no node or no output, a tensor is virtual and no node computes it, no
            node reads an input, elements of an output overlap, or a tensor is larger than memory.
    """
    title = f"graph {graph.name}".strip()
    if not graph.nodes:
        raise errors.GraphError(f"{title}: it has no node")
    read: set[int] = set()
    written = False
    for node in graph.nodes:
        for port, each in node.inputs.items():
            read.add(each.uid)
            if each.producer is None and each.is_virtual:
                raise errors.GraphError(
                    f"node {node.name}: its {port} is {each.name}, which is virtual, and no node "
                    "computes it"
                )
    for tensor in graph.tensors.values():
        if last_offset(tensor.shape, tensor.strides) >= _MOST:
            raise errors.GraphError(
                f"{title}: the strides {tensor.strides} of {tensor.describe()} reach beyond 64-bit "
                "addresses"
            )
        if tensor.ragged_offset is not None:
            read.add(tensor.ragged_offset.uid)
        if tensor.base is not None and tensor.uid in read:
            read.add(tensor.base.uid)
        axes = slice(tensor.ragged_offset is not None, None)  # offsets say where entries begin
        if tensor.is_output and overlaps(tensor.shape[axes], tensor.strides[axes]):
            raise errors.GraphError(
                f"{title}: elements of the output {tensor.describe()} overlap: "
                f"its strides are {tensor.strides}"
            )
        written = written or tensor.is_output
    if not written:
        last = next(reversed(graph.nodes[-1].outputs.values()))
        raise errors.GraphError(
            f"{title}: it has no output", hint=f"mark one: g.output({last.name})"
        )
    for tensor in graph.tensors.values():
        if tensor.producer is None and tensor.uid not in read and tensor.value is None:
            raise errors.GraphError(
                f"{title}: no node reads the input {tensor.describe()}"
                if not tensor.is_virtual
                else f"{title}: no node computes or reads the virtual tensor {tensor.describe()}"
            )
