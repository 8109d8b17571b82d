"""The numbers that a graph stands for, computed with NumPy in float64, node by node."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["evaluate"]

POINTWISE: dict[str, Any] = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": np.divide,
    "MAX": np.maximum,
    "EXP": np.exp,
    "LOG": np.log,
    "TANH_FWD": np.tanh,
    "IDENTITY": np.array,
    "MIN": np.minimum,
    "NEG": np.negative,
    "CMP_EQ": np.equal,
    "CMP_NEQ": np.not_equal,
    "CMP_GE": np.greater_equal,
    "CMP_GT": np.greater,
    "CMP_LT": np.less,
    "LOGICAL_AND": np.logical_and,
    "BINARY_SELECT": lambda x, b, t: np.where(t, x, b),
}
REDUCTIONS: dict[str, Any] = {"ADD": np.sum, "MAX": np.max, "AMAX": lambda x, **o: abs(x).max(**o)}


def _heads(x: Any, heads: int) -> Any:
    return np.repeat(x, heads // x.shape[1], axis=1)


def _softmax(x: Any) -> tuple[Any, Any, Any]:
    """Return maxima of rows, the softmax, and the sums of rows."""
    most = x.max(-1, keepdims=True)
    exponential = np.exp(x - most)
    total = exponential.sum(-1, keepdims=True)
    return most, exponential / total, total


def _reduce(x: Any, node: Any) -> Any:
    shape, mode = node.outputs["y"].shape, REDUCTIONS[node.options["mode"]]
    if 1 < shape[1] < x.shape[1]:  # grouped heads
        x = x.reshape(x.shape[0], shape[1], -1, *x.shape[2:])
        return mode(x, axis=2)
    axes = tuple(i for i, (n, m) in enumerate(zip(x.shape, shape, strict=True)) if n != m)
    return mode(x, axis=axes, keepdims=True)


def _pointwise(node: Any, values: Any) -> Any:
    mode = node.options["mode"]
    if mode == "GEN_INDEX":
        shape, axis = node.outputs["y"].shape, node.options["axis"]
        index = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        return np.broadcast_to(index, shape)
    ports = [port for port in ("x", "b", "t") if port in node.inputs]
    return POINTWISE[mode](*(values[node.inputs[port].uid] for port in ports))


def _load(node: Any, values: Any) -> Any:
    blocks = values[node.inputs["container"].uid]
    table = values[node.inputs["page_table"].uid].astype(int)
    shape = node.outputs["y"].shape
    rows = [np.concatenate(list(blocks[row.ravel()]), axis=1) for row in table]
    whole = np.stack(rows)
    return whole.swapaxes(2, 3)[..., : shape[3]] if node.outputs["y"].strides[3] != 1 else whole


def evaluate(graph: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the outputs of a lowered graph by name.

    Args:
        graph: of pointwise operations, matmuls, reductions, reshapes and loads of pages.
        arrays: the inputs by name; a random mask by the name of the tensor that has it.
    """
    values: dict[int, Any] = {}
    for tensor in graph.tensors.values():
        if tensor.value is not None:
            values[tensor.uid] = np.full(tensor.shape, float(tensor.value))
        elif tensor.name in arrays:
            values[tensor.uid] = np.asarray(arrays[tensor.name], np.float64)
    for tensor in graph.tensors.values():
        if tensor.base is not None:
            values[tensor.uid] = values[tensor.base.uid].swapaxes(2, 3)
    for node in graph.nodes:
        first: Any = next(iter(node.inputs.values()), None)
        if node.kind == "pointwise":
            with np.errstate(divide="ignore", invalid="ignore"):
                result = _pointwise(node, values)
        elif node.kind == "matmul":
            a, b = (values[node.inputs[port].uid] for port in "ab")
            heads = max(a.shape[1], b.shape[1])
            result = np.matmul(_heads(a, heads), _heads(b, heads))
        elif node.kind == "reduction":
            result = _reduce(values[first.uid], node)
        elif node.kind == "reshape":
            result = values[first.uid].swapaxes(2, 3)
        elif node.kind == "paged_cache_load":
            result = _load(node, values)
        elif node.kind == "softmax":
            most, result, total = _softmax(values[first.uid])
            known = {"y": result, "max": most, "sum_exp": total, "stats": most + np.log(total)}
            for port, each in node.outputs.items():
                values[each.uid] = known[port]
            continue
        elif node.kind == "rng":
            result = np.asarray(arrays["random"], np.float64)
        else:
            raise NotImplementedError(node.kind)
        (output,) = node.outputs.values()
        assert np.broadcast_shapes(result.shape, output.shape) == output.shape, node.name
        values[output.uid] = np.broadcast_to(result, output.shape)
    return {each.name: values[each.uid] for each in graph.outputs}
