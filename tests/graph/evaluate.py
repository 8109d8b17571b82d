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
    "MOD": np.fmod,
    "MAX": np.maximum,
    "MIN": np.minimum,
    "POW": np.power,
    "ABS": np.abs,
    "NEG": np.negative,
    "EXP": np.exp,
    "LOG": np.log,
    "SQRT": np.sqrt,
    "RSQRT": lambda x: 1 / np.sqrt(x),
    "FLOOR": np.floor,
    "TANH_FWD": np.tanh,
    "RELU_FWD": lambda x: np.maximum(x, 0),
    "IDENTITY": np.array,
    "CMP_EQ": np.equal,
    "CMP_NEQ": np.not_equal,
    "CMP_GE": np.greater_equal,
    "CMP_GT": np.greater,
    "CMP_LE": np.less_equal,
    "CMP_LT": np.less,
    "LOGICAL_AND": np.logical_and,
    "LOGICAL_OR": np.logical_or,
    "LOGICAL_NOT": np.logical_not,
    "BINARY_SELECT": lambda x, b, t: np.where(t, x, b),
}
INTEGERS = ("INT32", "INT64")
REDUCTIONS: dict[str, Any] = {
    "ADD": np.sum,
    "MUL": np.prod,
    "MAX": np.max,
    "MIN": np.min,
    "AMAX": lambda x, **o: abs(x).max(**o),
}


def see(value: Any, tensor: Any, shape: Any, strides: Any, offset: int = 0) -> Any:
    """Return what lies in the memory of a tensor at other strides, from an element on."""
    last = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.strides, strict=True))
    memory = np.full(last + 1, np.nan)
    _strided(memory, tensor.shape, tensor.strides)[...] = value
    return _strided(memory[offset:], shape, strides).copy()


def _strided(memory: Any, shape: Any, strides: Any) -> Any:
    end = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    assert end < memory.size, "it ends in its memory"
    return np.lib.stride_tricks.as_strided(memory, shape, [8 * step for step in strides])


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
    if x.ndim == 4 and 1 < shape[1] < x.shape[1]:  # grouped heads
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
    given = [values[node.inputs[port].uid] for port in ("x", "b", "t") if port in node.inputs]
    for port, factor in (("x", "alpha1"), ("b", "alpha2")):
        if factor in node.options:
            place = list(node.inputs).index(port)
            given[place] = given[place] * node.options[factor]
    result = POINTWISE[mode](*given)
    if mode == "DIV" and node.options.get("compute_data_type") in INTEGERS:
        return np.trunc(result)
    return result


def _load(node: Any, values: Any) -> Any:
    blocks = values[node.inputs["container"].uid]
    table = values[node.inputs["page_table"].uid].astype(int)
    shape = node.outputs["y"].shape
    rows = [np.concatenate(list(blocks[row.ravel()]), axis=1) for row in table]
    whole = np.stack(rows)
    return whole.swapaxes(2, 3)[..., : shape[3]] if node.outputs["y"].strides[3] != 1 else whole


def evaluate(graph: Any, arrays: dict[str, Any], original: Any = None) -> dict[str, Any]:
    """Return the outputs of a lowered graph by name.

    Args:
        graph: of pointwise operations, matmuls, reductions, moves and loads of pages.
        arrays: the inputs by name; a random mask by the name of the tensor that has it.
        original: the graph before it was lowered, whose shapes the arrays and results have.
    """
    values: dict[int, Any] = {}
    seen = (original or graph).tensors
    for tensor in graph.tensors.values():
        if tensor.value is not None:
            values[tensor.uid] = np.full(tensor.shape, float(tensor.value))
        elif tensor.name in arrays:
            value = np.asarray(arrays[tensor.name], np.float64)
            shown = seen.get(tensor.uid, tensor)
            values[tensor.uid] = see(value, shown, tensor.shape, tensor.strides)
    for tensor in graph.tensors.values():
        if tensor.base is not None:
            base = tensor.base
            values[tensor.uid] = see(
                values[base.uid], base, tensor.shape, tensor.strides, tensor.offset
            )
    for node in graph.nodes:
        first: Any = next(iter(node.inputs.values()), None)
        if node.kind == "pointwise":
            with np.errstate(all="ignore"):
                result = _pointwise(node, values)
        elif node.kind == "matmul":
            a, b = (values[node.inputs[port].uid] for port in "ab")
            if a.ndim == 4:
                heads = max(a.shape[1], b.shape[1])
                a, b = _heads(a, heads), _heads(b, heads)
            result = np.matmul(a, b)
        elif node.kind == "reduction":
            result = _reduce(values[first.uid], node)
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
            result = _moved(node, values)
        (output,) = node.outputs.values()
        assert np.broadcast_shapes(result.shape, output.shape) == output.shape, node.name
        values[output.uid] = np.broadcast_to(result, output.shape)
    return {
        each.name: see(values[each.uid], each, seen[each.uid].shape, seen[each.uid].strides)
        for each in graph.outputs
    }


def _moved(node: Any, values: Any) -> Any:
    """Return the result of a node that moves data."""
    given, o = [values[each.uid] for each in node.inputs.values()], node.options
    x, y = next(iter(node.inputs.values())), next(iter(node.outputs.values()))
    if node.kind == "reshape":
        if o.get("mode") == "LOGICAL":
            return given[0].reshape(y.shape)
        return see(given[0], x, y.shape, y.strides)
    if node.kind == "transpose":
        return given[0].transpose(o["permutation"])
    if node.kind == "slice":
        return given[0][tuple(map(slice, o["start"], o["limit"], o["step"]))]
    if node.kind == "concatenate":
        return np.concatenate(given, o["axis"])
    if node.kind == "expand":
        return np.broadcast_to(given[0], y.shape)
    raise NotImplementedError(node.kind)
