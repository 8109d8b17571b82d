"""Graphs as JSON: written, read, and refused where the text is damaged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from ... import errors
from ..._support.arguments import integers
from ..._support.decoding import decoded
from ..arguments import lies_in, view_alignment
from ..methods.generic import add_generic, descriptor_class
from ..nested import Nested, SingleNode, SubGraph
from ..record.enum_words import data_type_name
from ..record.operation import Operation, Parameters, Port
from ..record.operations import OPERATIONS, POINTWISE
from ..tensors import Node, Tensor

if TYPE_CHECKING:
    from ..methods.operations import Operations
    from ..record.types import DType, Options, ReorderingWord


GraphT = TypeVar("GraphT", bound="Operations")

SCHEMA = "cudnn_cffi.graph"
VERSION = 1


class _Record(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    pass


class TensorRecord(_Record, frozen=True):
    """A tensor as JSON has it; `Tensor` has the meaning of each field."""

    uid: int
    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    data_type: str | None = None
    stored_as: str = "FLOAT"
    alignment: int = 16
    virtual: bool = False
    output: bool = False
    workspace: bool = False
    fill: int | None = None
    by_value: bool = False
    value: float | int | str | None = None
    constant: bool = False
    any_rank: bool = False
    base: int | None = None
    offset: int = 0
    ragged_offset: int | None = None
    ragged_multiplier: int = 1
    reordering_mode: str | None = None
    vectorization: tuple[int, int] | None = None


class NodeRecord(_Record, frozen=True):
    """A node as JSON has it, with the uids of its tensors by port."""

    name: str
    kind: str
    inputs: dict[str, int]
    outputs: dict[str, int]
    options: dict[str, object] = {}
    lists: tuple[str, ...] = ()


class GraphRecord(_Record, frozen=True):
    """A graph as JSON has it."""

    schema: str
    version: int
    tensors: tuple[TensorRecord, ...]
    nodes: tuple[NodeRecord, ...]
    outputs: tuple[int, ...]
    name: str = ""
    io_data_type: str | None = None
    intermediate_data_type: str = "FLOAT"
    compute_data_type: str = "FLOAT"
    composites: tuple[str, ...] = ()
    dynamic_shapes: bool = False
    override_shapes: bool = False


#: Classes of nested nodes, by their names.
_NESTED = {each.__name__: each for each in (Nested, SubGraph, SingleNode)}

#: Numbers that JSON cannot say.
_SPECIAL = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}

_MOST_INDENT = 64


def to_json(graph: Operations, indent: int = 0) -> str:
    """Return a graph as JSON."""
    (indent,) = integers(indent=indent)
    if not 0 <= indent <= _MOST_INDENT:
        raise errors.ArgumentError(f"indent: expected 0 to {_MOST_INDENT}, got {indent}")
    # The fields without a default come first, so a file begins with the schema.
    text = msgspec.json.encode(to_record(graph))
    return (msgspec.json.format(text, indent=indent) if indent else text).decode()


def to_record(graph: Operations) -> GraphRecord:
    """Return a graph as plain values."""
    return GraphRecord(
        schema=SCHEMA,
        version=VERSION,
        name=graph.name,
        io_data_type=graph.io_data_type,
        intermediate_data_type=graph.intermediate_data_type,
        compute_data_type=graph.compute_data_type,
        composites=graph.composites,
        dynamic_shapes=graph.dynamic_shapes,
        override_shapes=graph.override_shapes,
        tensors=tuple(_write_tensor(each) for each in graph.tensors.values()),
        nodes=tuple(_write_node(each) for each in graph.nodes),
        outputs=tuple(each.uid for each in graph.outputs),
    )


#: Fields of `TensorRecord` -> attributes of tensors, if these have other names.
_ATTRIBUTES = {
    "data_type": "given_type", "stored_as": "memory_type", "virtual": "is_virtual",
    "output": "is_output", "workspace": "in_workspace", "constant": "is_constant",
    "any_rank": "takes_rank",
}  # fmt: skip


def _write_tensor(tensor: Tensor) -> TensorRecord:
    fields = TensorRecord.__struct_fields__
    values = {name: getattr(tensor, _ATTRIBUTES.get(name, name)) for name in fields}
    for name, other in (("base", tensor.base), ("ragged_offset", tensor.ragged_offset)):
        values[name] = None if other is None else other.uid
    return TensorRecord(**values | {"value": _plain(tensor.value)})


def _write_node(node: Node) -> NodeRecord:
    lists: tuple[str, ...] = ()
    if node.operation.cls is not None:
        lists = tuple(port.name for port in node.operation.inputs if port.many)
    return NodeRecord(
        name=node.name,
        kind=node.kind,
        inputs={port: each.uid for port, each in node.inputs.items()},
        outputs={port: each.uid for port, each in node.outputs.items()},
        options={key: _encode(node, value) for key, value in node.options.items()},
        lists=lists,
    )


def _plain(value: float | str | None) -> float | str | None:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


def _encode(node: Node, value: object) -> object:
    if isinstance(value, Nested):
        return _write_nested(value)
    if isinstance(value, Parameters):
        attributes = {key: _encode(node, each) for key, each in value.attributes}
        return {"descriptor": value.descriptor, "attributes": attributes}
    if isinstance(value, tuple):
        return [_encode(node, each) for each in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return _plain(value)
    raise errors.ArgumentError(
        f"node {node.name}: an option that is a {type(value).__name__} has no JSON"
    )


def _write_nested(nested: Nested) -> dict[str, object]:
    """Return operations inside a node, with their tensors where the graph has not got these."""
    tensors = nested.tensors if type(nested) is Nested else ()
    return {
        "nested": type(nested).__name__,
        "name": nested.name,
        "tensors": [_write_tensor(each) for each in tensors],
        "nodes": [_write_node(each) for each in nested.nodes],
        "arguments": [each.uid for each in nested.arguments],
        "result": nested.result.uid,
    }


def _read_nested(graph: Operations, value: dict[str, Any], where: str) -> Nested:
    kind = _NESTED[value["nested"]]
    for each in decoded(value["tensors"], tuple[TensorRecord, ...], msgspec.convert):
        read_tensor(graph, each, is_inside=True)
    arguments = tuple([_tensor(graph, uid, where) for uid in value["arguments"]])
    for argument in arguments:
        argument.is_virtual = False  # since nodes may not read a virtual tensor that none computes
    before = len(graph.nodes)
    for node in decoded(value["nodes"], tuple[NodeRecord, ...], msgspec.convert):
        _read_node(graph, node, is_inside=True)
    nodes = graph.nodes[before:]
    del graph.nodes[before:]
    for argument in arguments:
        argument.is_virtual = True
    made = kind(value["name"], nodes, arguments, _tensor(graph, value["result"], where))
    if kind is Nested:
        for tensor in made.tensors:
            del graph.tensors[tensor.uid]
    return made


def decode_option(value: object, graph: Operations | None = None, where: str = "") -> object:
    """Return an option of a node as nodes have it; nested nodes only with their graph."""
    if isinstance(value, list):
        return tuple(decode_option(each) for each in value)
    if isinstance(value, dict):
        if "nested" in value and graph is not None:
            return _read_nested(graph, value, where)
        attributes = tuple((key, decode_option(each)) for key, each in value["attributes"].items())
        return Parameters(value["descriptor"], attributes)
    return _SPECIAL.get(value, value) if isinstance(value, str) else value


def from_json(cls: type[GraphT], text: str | bytes) -> GraphT:
    """Return the graph of a text that `to_json` wrote.

    Raises:
        GraphError: the text is damaged, of something else, or of a newer version of this package;
            or its graph has a circle, a tensor that is not there, a name or id twice, or shapes
            that do not go together.
    """
    return from_record(cls, decode(text))


def decode(text: str | bytes) -> GraphRecord:
    """Return a graph of JSON as plain values, whether or not it can be computed.

    Raises:
        GraphError: the text is damaged, of something else, or of a newer version of this package.
    """
    try:
        record = decoded(text, GraphRecord)
    except (msgspec.DecodeError, TypeError, UnicodeError) as error:
        raise errors.GraphError(f"this is no JSON of a graph: {error}") from error
    if record.schema != SCHEMA:
        raise errors.GraphError(f"this is no JSON of a graph: its schema is {record.schema!r}")
    if record.version != VERSION:
        raise errors.GraphError(
            f"the JSON has version {record.version} of its schema, this package reads {VERSION}"
        )
    return record


def from_record(cls: type[GraphT], record: GraphRecord) -> GraphT:
    """Return the graph of plain values; it raises as `from_json` does."""
    try:
        return _read_graph(cls, record)
    except errors.ArgumentError as error:
        raise errors.GraphError(error.message, hint=error.hint) from error


def _read_graph(cls: type[GraphT], record: GraphRecord) -> GraphT:
    graph = cls(
        record.name,
        io_data_type=cast("DType | None", record.io_data_type),
        intermediate_data_type=cast("DType", record.intermediate_data_type),
        compute_data_type=cast("DType", record.compute_data_type),
        composites=record.composites,
        dynamic_shapes=record.dynamic_shapes,
        override_shapes=record.override_shapes,
    )
    for each in record.tensors:
        read_tensor(graph, each)
    link_tensors(graph, record.tensors)
    for node in sorted_nodes(record):
        _read_node(graph, node)
    for uid in record.outputs:
        graph.outputs.append(_tensor(graph, uid, "outputs"))
    _check_roles(graph)
    return graph


def read_tensor(graph: Operations, record: TensorRecord, *, is_inside: bool = False) -> None:
    """Add a tensor; names inside a node are none of the graph's."""
    try:
        tensor = graph.tensor(
            record.shape,
            cast("DType | None", record.data_type),
            record.strides,
            name=None if is_inside else record.name,
            alignment=record.alignment,
            uid=record.uid,
            virtual=record.virtual,
            reordering_mode=cast("ReorderingWord | None", record.reordering_mode),
            vectorization=record.vectorization,
        )
    except errors.ArgumentError as error:
        raise errors.GraphError(
            f"tensor {record.name}: {error.message}", hint=error.hint
        ) from error
    tensor._name = record.name
    tensor.memory_type = data_type_name(record.stored_as)
    tensor.is_output, tensor.in_workspace = record.output, record.workspace
    tensor.fill, tensor.by_value, tensor.takes_rank = record.fill, record.by_value, record.any_rank
    value, tensor.is_constant = decode_option(record.value), record.constant
    if isinstance(value, str):
        raise errors.GraphError(f"tensor {record.name}: its value {record.value!r} is not a number")
    tensor.value = cast("float | None", value)


def link_tensors(graph: Operations, records: tuple[TensorRecord, ...]) -> None:
    """Let views and ragged tensors refer to the tensors that they are of."""
    for record in records:
        tensor = graph.tensors[record.uid]
        if record.ragged_offset is not None:
            what = f"the ragged offset of {record.name}"
            tensor.ragged_offset = _tensor(graph, record.ragged_offset, what)
            tensor.ragged_multiplier = record.ragged_multiplier
        if record.base is not None:
            tensor.base = _tensor(graph, record.base, f"the base of {record.name}")
            tensor.offset = record.offset


def _tensor(graph: Operations, uid: int, what: str) -> Tensor:
    try:
        return graph.tensors[uid]
    except KeyError:
        raise errors.GraphError(f"{what}: there is no tensor with the uid {uid}") from None


def sorted_nodes(record: GraphRecord) -> list[NodeRecord]:
    """Return nodes such that each comes after those that compute its inputs."""
    producers: dict[int, str] = {}
    for node in record.nodes:
        for uid in node.outputs.values():
            if uid in producers:
                raise errors.GraphError(
                    f"nodes {producers[uid]} and {node.name} both compute the tensor with uid {uid}"
                )
            producers[uid] = node.name
    done: set[int] = set()
    left, result = list(record.nodes), []
    while left:
        waiting = []
        for node in left:
            if all(uid in done or uid not in producers for uid in node.inputs.values()):
                result.append(node)
                done.update(node.outputs.values())
            else:
                waiting.append(node)
        if len(waiting) == len(left):
            names = ", ".join(node.name for node in left)
            raise errors.GraphError(f"these nodes wait for each other in a circle: {names}")
        left = waiting
    return result


def _read_node(graph: Operations, record: NodeRecord, *, is_inside: bool = False) -> None:
    operation = OPERATIONS.get(record.kind) or _unknown_operation(record)
    where = f"node {record.name} ({record.kind})"
    inputs = {p: _tensor(graph, uid, f"{where} {p}") for p, uid in record.inputs.items()}
    outputs = {p: _tensor(graph, uid, f"{where} {p}") for p, uid in record.outputs.items()}
    _check_ports(where, operation.inputs, inputs)
    _check_ports(where, operation.outputs, outputs)
    try:
        options = {key: decode_option(value, graph, where) for key, value in record.options.items()}
        name = None if is_inside else record.name
        if operation.cls is not None:
            node = add_generic(graph, operation.cls, inputs, record.lists, outputs, options, name)
        else:
            _check_options(operation, inputs, options)
            node = graph.add_node(operation, inputs, cast("Options", options), name, outputs)
        node._name = record.name
    except errors.ArgumentError as error:
        raise errors.GraphError(f"{where}: {error.message}", hint=error.hint) from error
    except errors.CudnnError:
        raise
    except (*_MALFORMED, msgspec.ValidationError) as error:
        raise errors.GraphError(
            f"{where}: its options do not go with the operation: {error!r}"
        ) from error
    if not outputs:
        raise errors.GraphError(f"{where}: it has no result")


#: Python's types of options by `Option.type`; rules look at others.
_TYPES: dict[str, type | tuple[type, ...]] = {
    "bool": bool, "float": (int, float), "int": int, "nested": Nested, "number": (int, float),
    "str": str,
}  # fmt: skip


def _check_options(
    operation: Operation, inputs: Mapping[str, Tensor], options: Mapping[str, object]
) -> None:
    if operation.named_by_mode and "mode" not in options:
        raise KeyError("mode")
    if operation.kind in ("attention", "attention_backward") and "scale" not in inputs:
        raise KeyError("scale")
    if operation.kind == "pointwise":
        ports = POINTWISE.get(cast("str", options["mode"]))
        if ports is not None and {*ports} != inputs.keys():
            raise TypeError(f"expected the inputs {', '.join(ports)}, got {', '.join(inputs)}")
        if options["mode"] == "GEN_INDEX" and "axis" not in options:
            raise KeyError("axis")
    for name, value in options.items():
        if name == "compute_data_type" and operation.compute:
            data_type_name(cast("DType", value))
        elif not isinstance(value, _TYPES.get(operation.settings[name].type, object)):
            raise TypeError(f"{name}: {value!r}")


_MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError)


def _unknown_operation(record: NodeRecord) -> Operation:
    """Return the operation of a node that was made from a class of descriptors."""
    try:
        cls = descriptor_class(record.kind)
    except errors.ArgumentError as error:
        raise errors.GraphError(
            f"node {record.name}: the operation {record.kind!r} is not known"
        ) from error
    return Operation(record.kind, "", (), (), {}, None, lambda _: {}, cls=cls)


def _check_ports(where: str, ports: tuple[Port, ...], bound: Mapping[str, Tensor]) -> None:
    if not ports:
        return
    known = {port.name for port in ports}
    lists = tuple(port.name for port in ports if port.many)
    for name in bound:
        if name not in known and name.rstrip("0123456789") not in lists:
            raise errors.GraphError(f"{where}: it has no port {name!r}")
    for port in ports:
        if not (port.optional or port.many or port.name in bound):
            raise errors.GraphError(f"{where}: its {port.name} is missing")


def _check_roles(graph: Operations) -> None:
    for tensor in graph.tensors.values():
        if tensor.is_virtual and (tensor.is_output or tensor.in_workspace):
            raise errors.GraphError(f"tensor {tensor.name} is virtual and in memory")
        if tensor.producer is not None and not (
            tensor.is_virtual or tensor.is_output or tensor.in_workspace
        ):
            raise errors.GraphError(
                f"tensor {tensor.name} is computed, but neither virtual, output nor in workspace"
            )
        if tensor.producer is None and (tensor.is_output or tensor.in_workspace):
            raise errors.GraphError(f"no node computes the tensor {tensor.name}")
        _check_memory(tensor)
    marked = [each.uid for each in graph.tensors.values() if each.is_output]
    if sorted(marked) != sorted(each.uid for each in graph.outputs):
        raise errors.GraphError("the list of outputs differs from the tensors that are outputs")


def _check_memory(tensor: Tensor) -> None:
    """Refuse a contradictory tensor: a number without value, or a view outside of an input."""
    base, where = tensor.base, f"tensor {tensor.name}"
    if tensor.by_value and (tensor.producer is not None or tensor.is_virtual):
        raise errors.GraphError(f"{where} is passed by value, and computed or virtual")
    if not tensor.by_value and (tensor.value is not None or tensor.is_constant):
        raise errors.GraphError(f"{where} has a value, and is not passed by value")
    if tensor.is_constant and tensor.value is None:
        raise errors.GraphError(f"{where} is a constant without a value")
    if tensor.by_value and any(extent != 1 for extent in tensor.shape):
        raise errors.GraphError(f"{where} is passed by value, and has the shape {tensor.shape}")
    if tensor.fill not in (None, 0):
        raise errors.GraphError(f"{where} is filled with {tensor.fill}, which is not 0")
    if tensor.ragged_multiplier < 1:
        raise errors.GraphError(f"{where}: its ragged multiplier is {tensor.ragged_multiplier}")
    if base is None:
        return
    if tensor.producer is not None or base.role != "input" or base.by_value:
        raise errors.GraphError(f"{where} is a view of {base.name}, which is no input")
    if base.data_type != tensor.data_type or not lies_in(
        base, tensor.shape, tensor.strides, tensor.offset
    ):
        raise errors.GraphError(f"{where} is a view of {base.name}, and does not lie in it")
    if tensor.alignment > view_alignment(base, tensor.offset, tensor.data_type):
        raise errors.GraphError(f"{where} is a view of {base.name}, and less aligned than it says")
