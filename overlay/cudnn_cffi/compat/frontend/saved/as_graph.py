"""Read graphs that NVIDIA's front end saved as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .... import errors
from ....graph import Graph
from ....graph.tensors import Tensor

#: The number of the form of the original's texts.
_ORIGINAL = "1.0"

#: Values by name, as JSON has them.
Fields = Mapping[str, Any]


def read_as_graph(saved: Fields) -> Graph:
    """Return the `Graph` of JSON that the original's `Graph::serialize` and `repr` return.

    Args:
        saved: the JSON, of convolutions, products, pointwise operations, reductions and attention.

    Raises:
        ArgumentError: it is of another form, damaged, or has another operation.
        CudnnError: the graph cannot be made; the error names the node.
    """
    form = saved.get("json_version")
    if form != _ORIGINAL:
        raise errors.ArgumentError(f"json_version: expected {_ORIGINAL!r}, got {form!r}")
    try:
        return _original(saved)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, errors.CudnnError):
            raise
        raise errors.ArgumentError(
            f"the JSON is not a graph of the front end: {error!r}"
        ) from error


def _original(saved: Fields) -> Graph:
    context = saved.get("context", {})
    types = {
        name: context[name]
        for name in ("io_data_type", "intermediate_data_type", "compute_data_type")
        if context.get(name)
    }
    graph = Graph(**types)
    fields: dict[str, Fields] = {}
    for key, each in saved["tensors"].items():
        fields[key] = fields[str(each.get("name") or key)] = each
    made: dict[int, Tensor] = {}

    def tensor(reference: object) -> Tensor:
        own = fields[str(reference)]
        if id(own) not in made:
            if own.get("is_pass_by_value"):
                made[id(own)] = graph.scalar(_number(own), own.get("data_type"))
            else:
                made[id(own)] = graph.tensor(tuple(own["dim"]), own["data_type"], own["stride"])
        return made[id(own)]

    for node in saved["nodes"]:
        add = _NODES.get(node["tag"])
        if add is None:
            raise errors.ArgumentError(
                f"node {node.get('name')}: {node['tag']} of the front end's JSON is not read",
                hint=f"those of {', '.join(_NODES)} are",
            )
        inputs = {port: tensor(each) for port, each in node["inputs"].items()}
        results = add(graph, node, inputs, fields)
        for port, reference in node["outputs"].items():
            if port in results:
                made[id(fields[str(reference)])] = results[port]
                _settle(graph, results[port], fields[str(reference)])
    return graph


def _number(own: Fields) -> float | None:
    value = own.get("pass_by_value")
    if isinstance(value, dict):
        value = next(iter(value.values()))
    return value if isinstance(value, (int, float)) else None


def _settle(graph: Graph, result: Tensor, own: Fields) -> None:
    """Give a result the type and layout that the text has."""
    kind = own.get("data_type")
    strides = own.get("stride")
    if own.get("is_virtual"):
        if kind:
            result.given_type = kind
        return
    fits = strides and len(strides) == len(result.shape)
    graph.output(result, data_type=kind or None, strides=strides if fits else None)


def _windows(node: Fields) -> dict[str, Any]:
    pairs = list(zip(node["pre_padding"], node["post_padding"], strict=True))
    return {
        "padding": [tuple(each) for each in pairs],
        "stride": node["stride"],
        "dilation": node["dilation"],
        "flip": node.get("math_mode") == "CONVOLUTION",
    }


#: Adds a node, and returns its results by port.
Add = Callable[[Graph, Fields, dict[str, Tensor], Mapping[str, Fields]], dict[str, Tensor]]


def _forward(
    graph: Graph, node: Fields, inputs: dict[str, Tensor], fields: Mapping[str, Fields]
) -> dict[str, Tensor]:
    return {"Y": graph.convolution(inputs["X"], inputs["W"], **_windows(node))}


def _data(
    graph: Graph, node: Fields, inputs: dict[str, Tensor], fields: Mapping[str, Fields]
) -> dict[str, Tensor]:
    shape = tuple(fields[str(node["outputs"]["DX"])]["dim"])
    made = graph.convolution_backward_data(
        inputs["DY"], inputs["W"], shape=shape or None, **_windows(node)
    )
    return {"DX": made}


def _filter(
    graph: Graph, node: Fields, inputs: dict[str, Tensor], fields: Mapping[str, Fields]
) -> dict[str, Tensor]:
    shape = tuple(fields[str(node["outputs"]["DW"])]["dim"])
    made = graph.convolution_backward_filter(inputs["X"], inputs["DY"], shape, **_windows(node))
    return {"DW": made}


def _product(
    graph: Graph, node: Fields, inputs: dict[str, Tensor], fields: Mapping[str, Fields]
) -> dict[str, Tensor]:
    return {"C": graph.matmul(inputs["A"], inputs["B"])}


def _pointwise(
    graph: Graph, node: Fields, inputs: dict[str, Tensor], fields: Mapping[str, Fields]
) -> dict[str, Tensor]:
    operands = [inputs[name] for name in ("IN_0", "IN_1", "IN_2") if name in inputs]
    return {"OUT_0": graph.pointwise(node["mode"], *operands)}


def _reduction(
    graph: Graph, node: Fields, inputs: dict[str, Tensor], fields: Mapping[str, Fields]
) -> dict[str, Tensor]:
    (x,) = inputs.values()
    ((port, reference),) = node["outputs"].items()
    return {port: graph.reduction(x, node["mode"], shape=tuple(fields[str(reference)]["dim"]))}


def _attention(
    graph: Graph, node: Fields, inputs: dict[str, Tensor], fields: Mapping[str, Fields]
) -> dict[str, Tensor]:
    named = {
        "Bias": "bias",
        "Attn_scale": "scale",
        "SEQ_LEN_Q": "seq_len_q",
        "SEQ_LEN_KV": "seq_len_kv",
    }
    options: dict[str, Any] = {ours: inputs[name] for name, ours in named.items() if name in inputs}
    if node.get("causal_mask"):
        options["causal"] = True
    if node.get("causal_mask_bottom_right"):
        options["causal"] = "bottom_right"
    wants = "Stats" in node["outputs"]
    made: Any = graph.attention(inputs["Q"], inputs["K"], inputs["V"], stats=wants, **options)
    return {"O": made[0], "Stats": made[1]} if wants else {"O": made}


_NODES: dict[str, Add] = {
    "CONV_FPROP": _forward,
    "CONV_DGRAD": _data,
    "CONV_WGRAD": _filter,
    "MATMUL": _product,
    "POINTWISE": _pointwise,
    "REDUCTION": _reduction,
    "SDPA": _attention,
    "SDPA_FWD": _attention,
}
