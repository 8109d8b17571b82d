"""Make cuDNN's descriptors of a graph: tensors, operations, the operation graph."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from .. import backend, errors
from .._attributes import DESCRIPTORS
from ..plan import Computation, Operand
from ..plan.operand import Number, encode

if TYPE_CHECKING:
    from .core import Core
    from .table import Operation
    from .tensors import Node, Tensor

__all__ = ["make_computation", "make_node", "operands", "signature"]

#: Classes by the C names of their types, and keywords by the C names of attributes.
_CLASSES = {c_name: cls for cls, (c_name, _) in DESCRIPTORS.items()}
_KEYWORDS = {
    cls: {c_name: name for name, c_name in attributes.items()}
    for cls, (_, attributes) in DESCRIPTORS.items()
}


def find_class(descriptor: str) -> Any:
    """Return the class of a descriptor type, by its name without CUDNN_BACKEND_ and _DESCRIPTOR."""
    return getattr(backend, _CLASSES[f"CUDNN_BACKEND_{descriptor}_DESCRIPTOR"])


def _keyword(cls: Any, attribute: str) -> str:
    return _KEYWORDS[cls.__name__][f"CUDNN_ATTR_{attribute}"]


def make_computation(
    graph: Core, handle: Any, device: Any, text: str
) -> Computation:
    """Return the computation of a checked graph that the loaded release has all operations of.

    Raises:
        CudnnError: cuDNN refuses a tensor, a node or the graph; the error names it.
    """
    tensors: dict[int, Any] = {}
    for uid, tensor in graph.tensors.items():
        if uid not in tensors:
            _make_tensor(tensor, tensors)
    nodes = []
    for node in graph.nodes:
        nodes.append(make_node(node, tensors))
    try:
        operation_graph = backend.OperationGraphDescriptor(handle=handle, ops=nodes)
    except errors.CudnnError as error:
        raise _explained(error, graph, nodes, handle, text) from error.__cause__
    return Computation(
        operation_graph,
        operands(graph),
        handle=handle,
        device=device,
        signature=signature(graph),
        text=text,
        names={uid: tensor.name for uid, tensor in graph.tensors.items()},
    )


def operands(graph: Core) -> tuple[Operand, ...]:
    """Return what a plan of the graph takes: inputs, outputs, then what it keeps in its workspace."""
    inputs, hidden = [], []
    for tensor in graph.tensors.values():
        role = tensor.role
        if role in ("input", "value"):
            inputs.append(_operand(tensor, "input"))
        elif role == "workspace":
            hidden.append(_operand(tensor, role))
    return (*inputs, *[_operand(each, "output") for each in graph.outputs], *hidden)


def _operand(tensor: Tensor, role: str) -> Operand:
    return Operand(
        name=tensor.name,
        uid=tensor.uid,
        shape=tensor.shape,
        strides=tensor.strides,
        data_type=tensor.data_type,
        alignment=tensor.alignment,
        role=role,
        value=None if tensor.is_constant else tensor.value,
        by_value=tensor.by_value,
        fill=tensor.fill,
    )


#: Signatures of the structures that were seen last: hashing a long text costs more than a look-up.
_signatures: dict[Any, str] = {}
_MOST = 1024


def signature(graph: Core) -> str:
    """Return a text that is the same for graphs that differ in names only, in any process."""
    key = graph.key
    found = _signatures.get(key)
    if found is None:
        if len(_signatures) >= _MOST:
            _signatures.clear()
        found = hashlib.sha256(repr(key).encode()).hexdigest()
        _signatures[key] = found
    return found


def _make_tensor(tensor: Tensor, made: dict[int, Any]) -> Any:
    """Make the descriptor of a tensor, after those that it refers to."""
    ragged = tensor.ragged_offset
    values: dict[str, Any] = {
        "data_type": tensor.data_type,
        "dimensions": tensor.shape,
        "strides": tensor.strides,
        "unique_id": tensor.uid if tensor.view_of is None else tensor.view_of.uid,
        "byte_alignment": tensor.alignment,
    }
    if tensor.is_virtual:
        values["is_virtual"] = True
    if tensor.by_value:
        values["is_by_value"] = True
    if tensor.reordering_mode is not None:
        values["reordering_mode"] = tensor.reordering_mode
    if tensor.vectorization is not None:
        values["vector_count"], values["vectorized_dimension"] = tensor.vectorization
    if ragged is not None:
        if ragged.uid not in made:
            _make_tensor(ragged, made)
        values["ragged_offset_desc"] = made[ragged.uid]
        if tensor.ragged_multiplier != 1:
            values["ragged_offset_multiplier"] = tensor.ragged_multiplier
    number = None
    if tensor.is_constant:
        number = Number(encode(_operand(tensor, "input"), tensor.value))
        values["constant_value"] = number.address
    try:
        descriptor = made[tensor.uid] = backend.TensorDescriptor(**values)
    except errors.CudnnError as error:
        where = tensor.producer
        of = f", the {tensor.port} of node {where.name}" if where is not None else ""
        raise error.replace(
            message=f"tensor {tensor.name}{of}: {error.message}",
            arguments={"tensor": repr(tensor)},
        ) from error.__cause__
    return descriptor


def make_node(node: Node, tensors: dict[int, Any]) -> Any:
    """Make the descriptor of an operation, with the one of its parameters."""
    operation = node.operation
    cls = operation.cls or find_class(operation.descriptor)
    try:
        values = _values(node, operation, cls, tensors)
        return cls(**values)
    except errors.CudnnError as error:
        raise error.replace(
            message=f"node {node.name} ({node.word}): {error.message}",
            arguments={port: _shown(each) for port, each in node.tensors().items()},
        ) from error.__cause__


def _values(
    node: Node, operation: Operation, cls: Any, tensors: dict[int, Any]
) -> dict[str, Any]:
    options, values = node.options, {}
    compute = options.get("compute_data_type") or node.graph.compute_data_type
    for port in operation.ports:
        bound = node.inputs if port in operation.inputs else node.outputs
        if port.many:
            many = [tensors[each.uid] for name, each in bound.items() if _is_of(name, port.name)]
            if many:
                values[_keyword(cls, port.attribute)] = many
        elif port.name in bound:
            values[_keyword(cls, port.attribute)] = tensors[bound[port.name].uid]
    for option, attribute in operation.options.items():
        keyword = _keyword(cls, attribute)
        if options.get(option) is not None and keyword not in values:
            values[keyword] = _nested(options[option], node, tensors)
    helper = operation.helper
    if helper is not None:
        made = find_class(helper.descriptor)
        parameters = {
            _keyword(made, attribute): options[option]
            for option, attribute in helper.options.items()
            if options.get(option) is not None
        }
        if "spatial_dims" in helper.options:
            parameters["spatial_dims"] = len(options["stride"])
        if operation.compute:
            parameters[_keyword(made, operation.compute)] = compute
        values[_keyword(cls, helper.attribute)] = made(**parameters)
    elif operation.compute:
        values[_keyword(cls, operation.compute)] = compute
    return values


def _nested(value: Any, node: Node, tensors: dict[int, Any]) -> Any:
    """Return an option's value; what makes a descriptor of the graph's tensors is called."""
    make = getattr(value, "make_descriptor", None)
    return value if make is None else make(node, tensors)


def _is_of(name: str, port: str) -> bool:
    return name.startswith(port) and name[len(port) :].isdigit()


def _shown(tensor: Tensor) -> str:
    return f"{tensor.describe()}:{tensor.data_type}"


def _explained(
    error: errors.CudnnError, graph: Core, nodes: list[Any], handle: Any, text: str
) -> errors.CudnnError:
    """Return the error for a graph that cuDNN refuses, with the nodes that it refuses alone."""
    refused = []
    for node, descriptor in zip(graph.nodes, nodes, strict=True):
        try:
            backend.OperationGraphDescriptor(handle=handle, ops=[descriptor]).close()
        except errors.CudnnError as own:
            refused.append((node, own))
    if not refused or len(refused) == len(nodes) > 1:
        return error.replace(message=f"graph {graph.name}: {error.message}\n{text}".strip())
    node, own = refused[0]
    return own.replace(
        message=f"node {node.name} ({node.word}): {own.message}",
        arguments={port: _shown(each) for port, each in node.tensors().items()},
    )


