"""Infer the results of operations of language models: attention, experts, block scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .results import Result, broadcast_shapes, check_ranks, misfit

if TYPE_CHECKING:
    from ..tensors import Node


def softmax(node: Node) -> dict[str, Result]:
    """Infer the result, and a statistic for each row."""
    x, sink = node.inputs["x"], node.inputs.get("sink")
    shape = (*x.shape[:-1], 1)
    if sink is not None and broadcast_shapes(sink.shape, shape) != shape:
        raise misfit(node, f"expected a sink that repeats to {shape}", sink, x)
    statistic = Result(shape, None, "FLOAT")
    return {"y": Result(x.shape, x), "stats": statistic, "max": statistic, "sum_exp": statistic}


def block_scale_quantize(node: Node) -> dict[str, Result]:
    """Infer FP8 elements, and a scale for each block of them."""
    x, axis, size = node.inputs["x"], node.options["axis"], node.options["block_size"]
    assert isinstance(size, int)
    if x.shape[axis] % size:
        raise misfit(
            node, f"expected dimension {axis} to be a multiple of the block size {size}", x
        )
    shape = (*x.shape[:axis], x.shape[axis] // size, *x.shape[axis + 1 :])
    return {"y": Result(x.shape, x, "FP8_E4M3"), "scale": Result(shape, x, "FP8_E8M0")}


def block_scale_dequantize(node: Node) -> dict[str, Result]:
    """Infer numbers that the narrow type of the elements has no room for."""
    x = node.inputs["x"]
    return {"y": Result(x.shape, x, None, "FLOAT")}


def paged_cache_load(node: Node) -> dict[str, Result]:
    """Infer the tensor whose blocks a page table lists."""
    container, table = node.inputs["container"], node.inputs["page_table"]
    shape = node.options.get("shape")
    if shape is None:
        if not len(container.shape) == len(table.shape) == 4:
            raise misfit(node, "expected 4 dimensions of both", container, table)
        blocks, heads, size, width = container.shape
        del blocks
        shape = (table.shape[0], heads, table.shape[2] * size, width)
    return {"y": Result(shape, None, container.data_type)}


def moe_grouped_matmul(node: Node) -> dict[str, Result]:
    """Infer a row for each token, or each index of one."""
    token, weight = node.inputs["token"], node.inputs["weight"]
    check_ranks(node, 2, "token", "weight", "token_index")
    if token.shape[-1] != weight.shape[-2]:
        raise misfit(node, f"{token.shape[-1]} columns meet {weight.shape[-2]} rows", token, weight)
    index = node.inputs.get("token_index")
    rows = token.shape[-2] if index is None else node.options.get("rows", index.shape[-2])
    return {"y": Result((*token.shape[:-2], rows, weight.shape[-1]), None, None, token.io_type)}


def moe_grouped_matmul_backward(node: Node) -> dict[str, Result]:
    """Infer a gradient for each expert's weights."""
    token, dy, offset = node.inputs["token"], node.inputs["dy"], node.inputs["first_token_offset"]
    check_ranks(node, 2, "token", "dy")
    if token.shape[-2] != dy.shape[-2]:
        raise misfit(node, "they differ in the number of tokens", token, dy)
    experts = offset.shape[0]
    return {"dweight": Result((experts, token.shape[-1], dy.shape[-1]), None, None, token.io_type)}


def attention(node: Node) -> dict[str, Result]:
    """Infer the result of attention, its statistics and its mask."""
    q, v = node.inputs["q"], node.inputs["v"]
    batch, heads, length, _ = q.shape
    one = Result((1, 1, 1, 1), None, "FLOAT")
    return {
        "o": Result((batch, heads, length, v.shape[3]), q),
        "stats": Result((batch, heads, length, 1), None, "FLOAT"),
        "mask": Result((batch, heads, length, node.options["length_kv"]), None, "FLOAT"),
        "row_max": Result((batch, heads, length, 1), None, "FLOAT"),
        "row_sum": Result((batch, heads, length, 1), None, "FLOAT"),
        "amax_s": one,
        "amax_o": one,
    }


def attention_backward(node: Node) -> dict[str, Result]:
    """Infer gradients with the shapes of the inputs."""
    one = Result((1, 1, 1, 1), None, "FLOAT")
    scores = (*node.inputs["q"].shape[:3], node.options["length_kv"])
    others = {"mask": Result(scores, None, "FLOAT")}
    others |= {f"amax_d{port}": one for port in ("q", "k", "v", "p")}
    return others | {
        f"d{port}": Result(
            node.inputs[port].shape, node.inputs[port], "FLOAT" if port == "sink" else None
        )
        for port in ("q", "k", "v", "bias", "sink")
        if port in node.inputs
    }


def sdpa_forward(node: Node) -> dict[str, Result]:
    """Infer the result of attention, and a statistic for each query."""
    q, k, v = (node.inputs[port] for port in "qkv")
    if len(q.shape) != 4 or len(k.shape) != 4 or len(v.shape) != 4:
        raise misfit(node, "shapes are (batch, heads, length, width)", q, k, v)
    if q.shape[3] != k.shape[3]:
        raise misfit(node, "queries and keys differ in width", q, k)
    batch, heads, length, _ = q.shape
    statistic = Result((batch, heads, length, 1), None, "FLOAT")
    one = Result((1, 1, 1, 1), None, "FLOAT")
    return {
        "o": Result((batch, heads, length, v.shape[3]), q),
        "stats": statistic,
        "amax_s": one,
        "amax_o": one,
        "rng_dump": Result((batch, heads, length, k.shape[2]), None, "FLOAT"),
    }


def sdpa_backward(node: Node) -> dict[str, Result]:
    """Infer gradients with the shapes of the inputs."""
    results = {f"d{port}": Result(node.inputs[port].shape, node.inputs[port]) for port in "qkv"}
    if "sink" in node.inputs:
        results["dsink"] = Result(node.inputs["sink"].shape, None, "FLOAT")
    if "bias_shape" in node.options:  # the bias itself is in the graph for scores
        results["dbias"] = Result(node.options["bias_shape"], None, None, node.inputs["q"].io_type)
    return results
