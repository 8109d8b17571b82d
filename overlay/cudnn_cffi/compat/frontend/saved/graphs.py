"""Graphs as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from .... import errors, library
from ..enums import (
    attention_implementation,
    convolution_mode,
    data_type,
    diagonal_alignment,
    moe_grouped_matmul_mode,
    norm_forward_phase,
    reduction_mode,
    reshape_mode,
    scalar_type,
    tensor_reordering,
)
from ..tensors import Node, NodeType, Tensor

if TYPE_CHECKING:
    from ....graph import Graph
    from ..planning import Planning

#: Values by name, as JSON has them.
Fields: TypeAlias = Mapping[str, Any]

#: The enums that texts have members of.
_ENUMS = {
    each.__name__: each
    for each in (
        *(convolution_mode, data_type, diagonal_alignment, attention_implementation),
        *(moe_grouped_matmul_mode, norm_forward_phase, reduction_mode, reshape_mode),
        *(scalar_type, tensor_reordering),
    )
}

#: The number of the form of these texts.
FORM = 1

_CONTEXT = ("io_data_type", "intermediate_data_type", "compute_data_type")


def graph_text(graph: Planning) -> str:
    """Return a graph as JSON, which `read_graph` reads."""
    saved = {
        "json_version": f"cudnn_cffi {FORM}",
        "cudnn_backend_version": library.load().version if graph._computation else None,
        "name": graph.name,
        "context": {
            **{name: _plain(getattr(graph.context, name)) for name in _CONTEXT},
            "is_dynamic_shape_enabled": graph._dynamic,
            "is_override_shape_enabled": graph._override,
        },
        "nodes": [
            {
                "tag": node.node_type.name,
                "name": node.name,
                "compute_data_type": _plain(node.compute_data_type),
                "inputs": {port: each.uid for port, each in node.inputs.items()},
                "outputs": {port: each.uid for port, each in node.outputs.items()},
                **{key: _plain(value) for key, value in node.params.items()},
            }
            for node in graph.nodes
        ],
        "tensors": [tensor_fields(each) for each in graph._by_uid.values()],
    }
    return json.dumps(saved, indent=4)


def read_graph(graph: Planning, text: str) -> None:
    """Add the tensors and nodes of a text that `repr` returned to an empty graph."""
    try:
        saved = json.loads(text)
        if saved["json_version"] != f"cudnn_cffi {FORM}":
            raise errors.ArgumentError(
                f"deserialize: the text is of {saved['json_version']!r}",
                hint="texts that NVIDIA's front end has written are not read",
            )
        if graph._nodes:
            raise errors.ArgumentError("deserialize: expected an empty graph")
        context = saved["context"]
        graph._dynamic = context["is_dynamic_shape_enabled"]
        graph._override = context["is_override_shape_enabled"]
        for name in _CONTEXT:
            setattr(graph.context, name, _value(context[name]))
        ragged = {}
        for fields in saved["tensors"]:
            made = add_tensor(graph, fields)
            ragged[made] = fields["ragged_offset"]
        for tensor, uid in ragged.items():
            tensor.ragged_offset = None if uid is None else graph._by_uid[uid]
        for fields in saved["nodes"]:
            node = Node(
                fields["name"], NodeType[fields["tag"]], _value(fields["compute_data_type"])
            )
            for port, uid in fields["inputs"].items():
                node.inputs[port] = graph._by_uid[uid]
            for port, uid in fields["outputs"].items():
                node.outputs[port] = graph._by_uid[uid]
            rest = fields.keys() - {"name", "tag", "compute_data_type", "inputs", "outputs"}
            node.params = {key: _value(fields[key]) for key in fields if key in rest}
            graph._nodes.append(node)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if isinstance(error, errors.CudnnError):
            raise
        raise errors.ArgumentError(f"deserialize: the text is not a graph: {error!r}") from error


def lowered(graph: Planning) -> Graph:
    """Return the `Graph` that a front end's graph is lowered to.

    Raises:
        ValueError, CudnnError: as `Planning.validate` and `build_operation_graph` do.
    """
    graph.validate()
    if graph._late is not None:
        raise graph._late
    assert graph._lowering is not None
    return graph._lowering.graph


def add_tensor(graph: Planning, fields: Fields) -> Tensor:
    """Add a tensor of `tensor_fields` to a graph."""
    dim_assigned, stride_assigned = fields["assigned"]
    made = Tensor(
        fields["name"],
        _value(fields["data_type"]),
        fields["dim"],
        fields["stride"],
        fields["is_virtual"],
        fields["is_pass_by_value"],
        fields["pass_by_value"],
        fields["uid"],
        uid_assigned=True,
        dim_assigned=dim_assigned,
        stride_assigned=stride_assigned,
        reordering_type=_value(fields["reordering_type"]),
        ragged_offset_multiplier=fields["ragged_offset_multiplier"],
        scalar_type=_value(fields["scalar_type"]),
        owner=graph,
    )
    return graph._register(made)


def tensor_fields(tensor: Tensor) -> Fields:
    """Return a tensor as JSON has it."""
    ragged = tensor.ragged_offset
    return {
        "name": tensor.name,
        "uid": tensor.uid,
        "data_type": _plain(tensor.data_type),
        "dim": list(tensor.dim),
        "stride": list(tensor.stride),
        "is_virtual": tensor.is_virtual,
        "is_pass_by_value": tensor.is_pass_by_value,
        "pass_by_value": _plain(tensor.pass_by_value),
        "scalar_type": _plain(tensor.scalar_type),
        "reordering_type": _plain(tensor.reordering_type),
        "ragged_offset": None if ragged is None else ragged.uid,
        "ragged_offset_multiplier": tensor.ragged_offset_multiplier,
        "assigned": [tensor.dim_assigned, tensor.stride_assigned],
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "item"):  # a number of NumPy
        return value.item()
    return f"function {getattr(value, '__name__', '')}" if callable(value) else str(value)


def _value(plain: Any) -> Any:
    """Return what `_plain` was given."""
    if isinstance(plain, str):
        kind, _, name = plain.partition(".")
        enum = _ENUMS.get(kind)
        if enum is not None:
            return enum[name]
        if kind.startswith("function"):
            raise errors.ArgumentError("deserialize: functions of scores are not part of the text")
    if isinstance(plain, dict):
        return slice(*plain["slice"])
    return [_value(each) for each in plain] if isinstance(plain, list) else plain
