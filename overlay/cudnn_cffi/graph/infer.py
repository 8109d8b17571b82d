"""The shapes, layouts and data types of results, one rule for each kind of operation.

A rule gets a node with its inputs and options and returns, for each port of a result, a `Result`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .. import errors

if TYPE_CHECKING:
    from .tensors import Node, Tensor

__all__ = ["Result", "broadcast", "misfit", "packed", "strides_like"]


class Result(NamedTuple):
    """What is known of a result.

    Attributes:
        shape: its extents.
        like: the tensor whose order of strides it has; None for row-major.
        data_type: what it is unless the caller sets another; None where the graph decides.
        hint: its type in memory where neither caller nor graph say; None for that of `like`.
    """

    shape: tuple[int, ...]
    like: Tensor | None = None
    data_type: str | None = None
    hint: str | None = None


def misfit(node: Node, problem: str, *tensors: Tensor) -> errors.ShapeMismatchError:
    """Return the error for tensors that do not go together: it names the node and each of them."""
    which = " and ".join(f"{each.name} {each.shape}" for each in tensors)
    return errors.ShapeMismatchError(
        f"node {node.name} ({node.word}): {problem}: {which}",
        arguments={port: each.describe() for port, each in node.inputs.items()},
    )


@lru_cache(4096)
def packed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of a row-major tensor without gaps."""
    strides, step = [1] * len(shape), 1
    for axis in range(len(shape) - 1, -1, -1):
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


@lru_cache(4096)
def strides_like(
    shape: tuple[int, ...], other: tuple[int, ...], strides: tuple[int, ...]
) -> tuple[int, ...]:
    """Return strides without gaps, in the order that those of another tensor of this rank have.

    Args:
        shape: the extents of the new tensor.
        other: the extents of the other tensor.
        strides: the strides of the other tensor.
    """
    if len(shape) != len(other):
        return packed(shape)
    # The sort is stable, and of equal strides an extent of 1 is the inner one: (N, 1, H, W) with
    # strides (HW, 1, W, 1) has its channels last.
    order = sorted(range(len(shape)), key=lambda axis: (-strides[axis], other[axis] == 1))
    result, step = [1] * len(shape), 1
    for axis in reversed(order):
        result[axis] = step
        step *= shape[axis]
    return tuple(result)


@lru_cache(4096)
def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    if len(a) != len(b):
        return None
    shape = []
    for one, other in zip(a, b, strict=True):
        if one != other and one != 1 and other != 1:
            return None
        shape.append(other if one == 1 else one)
    return tuple(shape)


def broadcast(node: Node, tensors: Sequence[Tensor]) -> tuple[int, ...]:
    """Return the shape that tensors have together; an extent of 1 goes with any other."""
    first = tensors[0]
    shape = first.shape
    for each in tensors[1:]:
        if each.shape != shape:
            wider = _broadcast(shape, each.shape)
            if wider is None:
                if len(each.shape) != len(shape):
                    raise misfit(
                        node, "ranks differ, and cuDNN broadcasts extents of 1 only", first, each
                    )
                raise misfit(node, "extents differ and neither is 1", first, each)
            shape = wider
    return shape


def pointwise(node: Node) -> dict[str, Result]:
    tensors = list(node.inputs.values())
    shape = broadcast(node, tensors) if len(tensors) > 1 else tensors[0].shape
    like = tensors[0]
    for each in tensors:
        if each.shape == shape and not each.by_value:
            like = each
            break
    mode = node.options["mode"]
    port = "dx" if mode.endswith("_BWD") else "y"
    if mode == "GEN_INDEX":
        return {port: Result(shape, like, "INT32")}
    if mode.startswith(("CMP_", "LOGICAL_")):
        return {port: Result(shape, like, "BOOLEAN")}
    return {
        port: Result(shape, like, None, None if mode != "BINARY_SELECT" else _select_type(node))
    }


def _select_type(node: Node) -> str:
    x, b = node.inputs["x"], node.inputs["b"]
    return b.io_type if x.by_value and not b.by_value else x.io_type


@lru_cache(4096)
def _windows(
    extents: tuple[int, ...],
    window: tuple[int, ...],
    pre: tuple[int, ...],
    post: tuple[int, ...],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
) -> tuple[int, ...]:
    """Return how many positions a window has in each dimension."""
    return tuple(
        [
            (x + low + high - (d * (w - 1) + 1)) // s + 1
            for x, w, low, high, s, d in zip(
                extents, window, pre, post, stride, dilation, strict=True
            )
        ]
    )


def _spatial(node: Node, shape: tuple[int, ...], window: tuple[int, ...]) -> tuple[int, ...]:
    o = node.options
    return _windows(shape, window, o["pre_padding"], o["post_padding"], o["stride"], o["dilation"])


def _check_channels(node: Node, x: Tensor, w: Tensor, channels: int) -> None:
    """Refuse filters whose groups do not divide the channels."""
    if len(x.shape) != len(w.shape):
        raise misfit(node, "ranks differ", x, w)
    per_group = w.shape[1]
    if per_group < 1 or channels % per_group:
        raise misfit(
            node, f"{channels} channels are not a multiple of the {per_group} of a filter", x, w
        )
    if w.shape[0] % (channels // per_group):
        raise misfit(
            node,
            f"{w.shape[0]} filters are not a multiple of the {channels // per_group} groups",
            x,
            w,
        )


def convolution_forward(node: Node) -> dict[str, Result]:
    x, w = node.inputs["x"], node.inputs["w"]
    xs, ws = x.shape, w.shape
    _check_channels(node, x, w, xs[1] if len(xs) > 1 else 0)
    spatial = _spatial(node, xs[2:], ws[2:])
    if min(spatial) < 1:
        raise misfit(node, "the filter is larger than the padded input", x, w)
    return {"y": Result((xs[0], ws[0], *spatial), x)}


def convolution_backward_data(node: Node) -> dict[str, Result]:
    dy, w, o = node.inputs["dy"], node.inputs["w"], node.options
    if len(dy.shape) != len(w.shape):
        raise misfit(node, "ranks differ", dy, w)
    if dy.shape[1] != w.shape[0]:
        raise misfit(node, f"the gradient has {dy.shape[1]} channels and not one per filter", dy, w)
    shape = o.get("shape")
    if shape is None:
        spatial = [
            (n - 1) * s + d * (k - 1) + 1 - low - high + more
            for n, k, s, d, low, high, more in zip(
                dy.shape[2:],
                w.shape[2:],
                o["stride"],
                o["dilation"],
                o["pre_padding"],
                o["post_padding"],
                o.get("output_padding") or (0,) * (len(w.shape) - 2),
                strict=True,
            )
        ]
        shape = (dy.shape[0], w.shape[1] * o.get("groups", 1), *spatial)
    if len(shape) != len(w.shape):
        raise misfit(node, f"the shape {shape} has another rank", dy, w)
    if shape[0] != dy.shape[0] or shape[1] % w.shape[1] or min(shape) < 1:
        raise misfit(node, f"the shape {shape} does not go with them", dy, w)
    if _spatial(node, shape[2:], w.shape[2:]) != dy.shape[2:]:
        raise misfit(node, f"a convolution of {shape} has a result of another shape", dy, w)
    return {"dx": Result(tuple(shape), dy)}


def convolution_backward_filter(node: Node) -> dict[str, Result]:
    x, dy, shape = node.inputs["x"], node.inputs["dy"], node.options["shape"]
    if not len(x.shape) == len(dy.shape) == len(shape):
        raise misfit(node, f"ranks differ from that of the filter {shape}", x, dy)
    if x.shape[0] != dy.shape[0]:
        raise misfit(node, "batch sizes differ", x, dy)
    if shape[0] != dy.shape[1] or x.shape[1] % shape[1]:
        raise misfit(node, f"channels do not go with the filter {shape}", x, dy)
    if _spatial(node, x.shape[2:], shape[2:]) != dy.shape[2:]:
        raise misfit(node, f"a convolution with the filter {shape} has another result", x, dy)
    return {"dw": Result(shape, x)}


def matmul(node: Node) -> dict[str, Result]:
    a, b = node.inputs["a"], node.inputs["b"]
    if len(a.shape) != len(b.shape):
        raise misfit(node, "ranks differ", a, b)
    if len(a.shape) < 2:
        raise misfit(node, "a matrix has two dimensions at least", a, b)
    if a.shape[-1] != b.shape[-2]:
        raise misfit(node, f"{a.shape[-1]} columns meet {b.shape[-2]} rows", a, b)
    batch = _broadcast(a.shape[:-2], b.shape[:-2]) if a.shape[:-2] != b.shape[:-2] else a.shape[:-2]
    if batch is None:
        batch = _groups(a.shape[:-2], b.shape[:-2])
    if batch is None:
        raise misfit(node, "batch dimensions differ and neither is a multiple", a, b)
    # The result is row-major: that a was transposed by its strides says nothing of it.
    shape = (*batch, a.shape[-2], b.shape[-1])
    return {"c": Result(shape, None, None, a.io_type)}


def _groups(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return batch dimensions where one is a multiple of the other, as with grouped heads."""
    shape = []
    for one, other in zip(a, b, strict=True):
        if one % other and other % one:
            return None
        shape.append(max(one, other))
    return tuple(shape)


def reduction(node: Node) -> dict[str, Result]:
    x = node.inputs["x"]
    return {"y": Result(node.options["shape"], x)}


def resample_forward(node: Node) -> dict[str, Result]:
    x, o = node.inputs["x"], node.options
    shape = o.get("shape")
    if shape is None:
        window, ones = o["window"], (1,) * len(o["window"])
        spatial = _windows(
            x.shape[2:], window, o["pre_padding"], o["post_padding"], o["stride"], ones
        )
        if min(spatial) < 1:
            raise misfit(node, f"the window {window} is larger than the padded input", x)
        shape = (*x.shape[:2], *spatial)
    return {"y": Result(shape, x), "index": Result(shape, x, "INT8")}


def resample_backward(node: Node) -> dict[str, Result]:
    dy, o = node.inputs["dy"], node.options
    x = node.inputs.get("x")
    return {"dx": Result(o["shape"] if x is None else x.shape, dy)}


def norm_statistics_shape(
    mode: str, shape: tuple[int, ...], scale: tuple[int, ...] | None
) -> tuple[int, ...]:
    """Return the shape of mean and inverse deviation of a norm of a tensor of `shape`."""
    if mode == "BATCH_NORM":
        return (1, shape[1], *(1,) * (len(shape) - 2))
    if mode == "INSTANCE_NORM":
        return (*shape[:2], *(1,) * (len(shape) - 2))
    # Layer and RMS: what is normalized together is what the scale has extents for.
    if scale is None:
        scale = (1, *shape[1:])
    if mode == "ADA_LAYER_NORM":
        scale = (1, *scale[1:])
    return tuple([1 if part != 1 else extent for extent, part in zip(shape, scale, strict=True)])


def norm_forward(node: Node) -> dict[str, Result]:
    x, scale = node.inputs["x"], node.inputs.get("scale")
    for port in ("scale", "bias", "mean", "inv_variance"):
        each = node.inputs.get(port)
        if each is not None and _broadcast(each.shape, x.shape) != x.shape:
            raise misfit(node, f"{port} does not go with the input", x, each)
    shape = norm_statistics_shape(
        node.options["mode"], x.shape, None if scale is None else scale.shape
    )
    statistic = Result(shape, None, "FLOAT")
    running = Result(shape, None, "FLOAT")
    return {
        "y": Result(x.shape, x),
        "mean_out": statistic,
        "inv_variance_out": statistic,
        "running_mean_out": running,
        "running_variance_out": running,
    }


def norm_backward(node: Node) -> dict[str, Result]:
    x, dy, scale = node.inputs["x"], node.inputs["dy"], node.inputs.get("scale")
    if x.shape != dy.shape:
        raise misfit(node, "input and gradient differ in shape", x, dy)
    shape = x.shape if scale is None else scale.shape
    hint = "FLOAT" if scale is None else scale.io_type
    parameter = Result(shape, None, None, hint)
    return {"dx": Result(x.shape, x), "dscale": parameter, "dbias": parameter}


def _channel_shape(x: Tensor) -> tuple[int, ...]:
    return (1, x.shape[1], *(1,) * (len(x.shape) - 2))


def gen_stats(node: Node) -> dict[str, Result]:
    shape = _channel_shape(node.inputs["x"])
    return {"sum": Result(shape, None, "FLOAT"), "square_sum": Result(shape, None, "FLOAT")}


def bn_finalize(node: Node) -> dict[str, Result]:
    scale = node.inputs["scale"]
    for port, each in node.inputs.items():
        if each.shape != scale.shape and not each.by_value:
            raise misfit(node, f"{port} and scale differ in shape", each, scale)
    result = Result(scale.shape, scale, "FLOAT")
    like = Result(scale.shape, scale, None, "HALF")
    return {
        **dict.fromkeys(("running_mean_out", "running_variance_out", "mean", "inv_std"), result),
        "eq_scale": like,
        "eq_bias": like,
    }


def bn_bwd_weights(node: Node) -> dict[str, Result]:
    x, dy = node.inputs["x"], node.inputs["dy"]
    if x.shape != dy.shape:
        raise misfit(node, "input and gradient differ in shape", x, dy)
    shape = _channel_shape(x)
    ports = ("dscale", "dbias", "eq_dy_scale", "eq_x_scale", "eq_bias")
    return dict.fromkeys(ports, Result(shape, None, "FLOAT"))


def concatenate(node: Node) -> dict[str, Result]:
    tensors, axis = list(node.inputs.values()), node.options["axis"]
    first, total = tensors[0], 0
    for each in tensors:
        same = len(each.shape) == len(first.shape) and all(
            a == b or at == axis
            for at, (a, b) in enumerate(zip(first.shape, each.shape, strict=True))
        )
        if not same:
            raise misfit(node, f"they differ in more than dimension {axis}", first, each)
        total += each.shape[axis]
    shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
    return {"y": Result(shape, first, first.data_type)}


def same(node: Node) -> dict[str, Result]:
    """Return results that are all like the first input."""
    x = next(iter(node.inputs.values()))
    return {port.name: Result(x.shape, x) for port in node.operation.outputs}


def reshape(node: Node) -> dict[str, Result]:
    x, shape = node.inputs["x"], node.options["shape"]
    if _count(x.shape) != _count(shape):
        raise misfit(node, f"the shape {shape} has another number of elements", x)
    return {"y": Result(shape, None, x.data_type, x.io_type)}


def _count(shape: Sequence[int]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def transpose(node: Node) -> dict[str, Result]:
    x, permutation = node.inputs["x"], node.options["permutation"]
    shape = tuple([x.shape[axis] for axis in permutation])
    return {"y": Result(shape, None, x.data_type, x.io_type)}


def slicing(node: Node) -> dict[str, Result]:
    x, o = node.inputs["x"], node.options
    shape = tuple(
        [
            -(-(stop - start) // step)
            for start, stop, step in zip(o["start"], o["limit"], o["step"], strict=True)
        ]
    )
    return {"y": Result(shape, x, x.data_type)}


def given_shape(node: Node) -> dict[str, Result]:
    """Return what the caller said of the shape."""
    first = next(iter(node.inputs.values()), None)
    hint = None if first is None else first.io_type
    return {
        port.name: Result(node.options["shape"], None, None, hint)
        for port in node.operation.outputs
    }


def softmax(node: Node) -> dict[str, Result]:
    x = node.inputs["x"]
    shape = (*x.shape[:-1], 1)
    statistic = Result(shape, None, "FLOAT")
    return {"y": Result(x.shape, x), "stats": statistic, "max": statistic, "sum_exp": statistic}


def block_scale_quantize(node: Node) -> dict[str, Result]:
    x, axis, size = node.inputs["x"], node.options["axis"], node.options["block_size"]
    if x.shape[axis] % size:
        raise misfit(node, f"dimension {axis} is not a multiple of the block size {size}", x)
    shape = (*x.shape[:axis], x.shape[axis] // size, *x.shape[axis + 1 :])
    return {"y": Result(x.shape, x, "FP8_E4M3"), "scale": Result(shape, x, "FP8_E8M0")}


def paged_cache_load(node: Node) -> dict[str, Result]:
    container, table = node.inputs["container"], node.inputs["page_table"]
    shape = node.options.get("shape")
    if shape is None:
        blocks, heads, size, width = container.shape
        del blocks
        shape = (table.shape[0], heads, table.shape[2] * size, width)
    return {"y": Result(shape, None, container.data_type)}


def moe_grouped_matmul(node: Node) -> dict[str, Result]:
    token, weight = node.inputs["token"], node.inputs["weight"]
    if token.shape[-1] != weight.shape[-2]:
        raise misfit(node, f"{token.shape[-1]} columns meet {weight.shape[-2]} rows", token, weight)
    index = node.inputs.get("token_index")
    rows = token.shape[-2] if index is None else node.options.get("rows", index.shape[-2])
    return {"y": Result((*token.shape[:-2], rows, weight.shape[-1]), None, None, token.io_type)}


def moe_grouped_matmul_backward(node: Node) -> dict[str, Result]:
    token, dy, offset = node.inputs["token"], node.inputs["dy"], node.inputs["first_token_offset"]
    if token.shape[-2] != dy.shape[-2]:
        raise misfit(node, "they differ in the number of tokens", token, dy)
    experts = offset.shape[0]
    return {"dweight": Result((experts, token.shape[-1], dy.shape[-1]), None, None, token.io_type)}


def sdpa_forward(node: Node) -> dict[str, Result]:
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
    results = {f"d{port}": Result(node.inputs[port].shape, node.inputs[port]) for port in "qkv"}
    if "sink" in node.inputs:
        results["dsink"] = Result(node.inputs["sink"].shape, None, "FLOAT")
    if "bias_shape" in node.options:  # the bias itself is in the graph for scores
        results["dbias"] = Result(node.options["bias_shape"], None, None, node.inputs["q"].io_type)
    return results


def generic(node: Node) -> dict[str, Result]:
    """Of an operation that the table does not know: the caller said everything."""
    del node
    return {}
