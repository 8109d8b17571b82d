"""Infer the results of convolutions, resampling, matrix products and reductions."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from ...errata.asks import wrong_function
from .results import Result, broadcast_shapes, check_ranks, misfit, new_tuple

if TYPE_CHECKING:
    from ..record.types import DataTypeName, Options
    from ..tensors import Node


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


@lru_cache(4096)
def _convolved(
    x: tuple[int, ...],
    w: tuple[int, ...],
    pre: tuple[int, ...],
    post: tuple[int, ...],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
) -> tuple[int, ...] | str:
    """Return the shape of a convolution's result, or why there is none."""
    if len(x) != len(w):
        return "ranks differ"
    if len(x) < 3:
        return "a convolution has one spatial dimension at least"
    channels, (filters, per_group) = x[1], w[:2]
    if per_group < 1 or channels % per_group:
        return f"{channels} channels are not a multiple of the {per_group} of a filter"
    if filters % (channels // per_group):
        return f"{filters} filters are not a multiple of the {channels // per_group} groups"
    spatial = _windows(x[2:], w[2:], pre, post, stride, dilation)
    if min(spatial) < 1:
        return "the filter is larger than the padded input"
    return (x[0], filters, *spatial)


def convolution_forward(node: Node) -> dict[str, Result]:
    """Infer a convolution: its window slides over the padded input."""
    x, w, o = node.inputs["x"], node.inputs["w"], node.options
    found = _convolved(
        x.shape, w.shape, o["pre_padding"], o["post_padding"], o["stride"], o["dilation"]
    )
    if type(found) is str:
        raise misfit(node, found, x, w)
    return {"y": new_tuple(Result, (found, x, None, None))}


def _check_convolution(
    node: Node, x: tuple[int, ...], w: tuple[int, ...], y: tuple[int, ...], what: str
) -> None:
    """Refuse a gradient whose convolution has no result, or one of another shape."""
    o = node.options
    found = _convolved(x, w, o["pre_padding"], o["post_padding"], o["stride"], o["dilation"])
    if found != y:
        why = found if type(found) is str else f"its result is {found}"
        raise misfit(node, f"{what} does not go with the gradient, {why}", *node.inputs.values())


def convolution_backward_data(node: Node) -> dict[str, Result]:
    """Infer the gradient of a convolution's input, by its shape or the smallest that fits."""
    dy, w, o = node.inputs["dy"], node.inputs["w"], node.options
    if len(dy.shape) != len(w.shape):
        raise misfit(node, "ranks differ", dy, w)
    if dy.shape[1] != w.shape[0]:
        raise misfit(node, f"expected a channel for each filter, got {dy.shape[1]}", dy, w)
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
    if min(shape) < 1:
        raise misfit(node, f"the shape {shape} does not go with them", dy, w)
    _check_convolution(node, shape, w.shape, dy.shape, f"a convolution of {shape}")
    return {"dx": Result(tuple(shape), dy)}


def convolution_backward_filter(node: Node) -> dict[str, Result]:
    """Infer the gradient of a convolution's filters, whose shape is given."""
    x, dy, shape = node.inputs["x"], node.inputs["dy"], node.options.get("shape")
    if shape is None:
        raise misfit(node, "expected the shape of the filters, got None", x, dy)
    _check_convolution(node, x.shape, shape, dy.shape, f"a convolution with the filter {shape}")
    return {"dw": Result(shape, x)}


def matmul(node: Node) -> dict[str, Result]:
    """Infer a row-major product; batch dimensions are repeated."""
    a, b = node.inputs["a"], node.inputs["b"]
    if len(a.shape) != len(b.shape):
        raise misfit(node, "ranks differ", a, b)
    if len(a.shape) < 2:
        raise misfit(node, "expected two dimensions or more", a, b)
    if a.shape[-1] != b.shape[-2]:
        raise misfit(node, f"{a.shape[-1]} columns meet {b.shape[-2]} rows", a, b)
    batch = (
        broadcast_shapes(a.shape[:-2], b.shape[:-2])
        if a.shape[:-2] != b.shape[:-2]
        else a.shape[:-2]
    )
    if batch is None:
        batch = _groups(a.shape[:-2], b.shape[:-2])
    if batch is None:
        raise misfit(node, "batch dimensions differ and neither is a multiple", a, b)
    # The result is row-major whatever the strides of `a`.
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
    """Infer a reduction to a shape that is given."""
    x = node.inputs["x"]
    return {"y": Result(node.options["shape"], x)}


def _wraps(options: Options) -> bool:
    """Return whether indices of INT8 have no room for the positions of a window."""
    return bool(wrong_function("resample_forward", {"count": prod(options["window"])}))


def resample_forward(node: Node) -> dict[str, Result]:
    """Infer the result of windows, or of a shape that is given, and the indices in them."""
    x, o = node.inputs["x"], node.options
    shape = o.get("shape")
    check_ranks(node, 3, "x")
    if shape is None:
        shape = _pooled(x.shape, o)
        if min(shape) < 1:
            raise misfit(node, f"the window {o['window']} is larger than the padded input", x)
    kind: DataTypeName = "INT32" if _wraps(o) else "INT8"
    return {"y": Result(shape, x), "index": Result(shape, x, kind)}


def resample_backward(node: Node) -> dict[str, Result]:
    """Infer a gradient with the shape of the input."""
    dy, o = node.inputs["dy"], node.options
    x = node.inputs.get("x")
    shape = o["shape"] if x is None else x.shape
    result = _pooled(shape, o)
    for port in ("dy", "y", "index"):
        each = node.inputs.get(port)
        if each is not None and each.shape != result:
            raise misfit(node, f"expected {port} to be {result} for an input {shape}", each)
    index = node.inputs.get("index")
    if index is not None and index.data_type == "INT8" and _wraps(o):
        raise misfit(node, f"INT8 has no room for positions in windows {o['window']}", index)
    return {"dx": Result(shape, dy)}


def _pooled(shape: tuple[int, ...], o: Options) -> tuple[int, ...]:
    """Return the shape of the result of windows over an input."""
    window = o["window"]
    found = _windows(
        shape[2:], window, o["pre_padding"], o["post_padding"], o["stride"], (1,) * len(window)
    )
    return (*shape[:2], *found)
