"""Infer the results of norms and their statistics."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from .results import Result, broadcast_shapes, check_ranks, misfit

if TYPE_CHECKING:
    from ..tensors import Node, Tensor


def norm_statistics_shape(
    mode: str, shape: tuple[int, ...], scale: tuple[int, ...] | None
) -> tuple[int, ...]:
    """Return the shape of mean and inverse deviation of a norm of a tensor of `shape`."""
    if mode == "BATCH_NORM":
        return (1, shape[1], *(1,) * (len(shape) - 2))
    if mode == "INSTANCE_NORM":
        return (*shape[:2], *(1,) * (len(shape) - 2))
    # Layer and RMS: the dimensions in which the scale has extents are normalized together.
    if scale is None:
        scale = (1, *shape[1:])
    if mode == "ADA_LAYER_NORM":
        scale = (1, *scale[1:])
    return tuple([1 if part != 1 else extent for extent, part in zip(shape, scale, strict=True)])


def _check_parameters(node: Node, x: Tensor) -> None:
    """Refuse parameters and statistics that do not go with an input."""
    check_ranks(node, 2, "x")
    for port in ("scale", "bias", "mean", "inv_variance", "inv_std"):
        each = node.inputs.get(port)
        if each is not None and broadcast_shapes(each.shape, x.shape) != x.shape:
            raise misfit(node, f"expected {port} to repeat to the shape of the input", x, each)


def norm_forward(node: Node) -> dict[str, Result]:
    """Infer the normalized input, and its statistics."""
    x, scale = node.inputs["x"], node.inputs.get("scale")
    _check_parameters(node, x)
    shape = norm_statistics_shape(
        node.options["mode"], x.shape, None if scale is None else scale.shape
    )
    is_alone = "peer_statistics0" not in node.inputs
    if "running_variance" in node.inputs and prod(x.shape) == prod(shape) and is_alone:
        raise misfit(node, "expected several numbers for each running variance", x)
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
    """Infer the gradients of the input, the scale and the bias."""
    x, dy, scale = node.inputs["x"], node.inputs["dy"], node.inputs.get("scale")
    if x.shape != dy.shape:
        raise misfit(node, "input and gradient differ in shape", x, dy)
    _check_parameters(node, x)
    shape = x.shape if scale is None else scale.shape
    hint = "FLOAT" if scale is None else scale.io_type
    parameter = Result(shape, scale, None, hint)  # cuDNN requires the order of the scale
    return {"dx": Result(x.shape, x), "dscale": parameter, "dbias": parameter}


def _channel_shape(x: Tensor) -> tuple[int, ...]:
    return (1, x.shape[1], *(1,) * (len(x.shape) - 2))


def gen_stats(node: Node) -> dict[str, Result]:
    """Infer two sums for each channel."""
    check_ranks(node, 2, "x")
    shape = _channel_shape(node.inputs["x"])
    return {"sum": Result(shape, None, "FLOAT"), "square_sum": Result(shape, None, "FLOAT")}


def bn_finalize(node: Node) -> dict[str, Result]:
    """Infer the statistics, and the scale and bias that they make."""
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
    """Infer gradients and factors for each channel."""
    x, dy = node.inputs["x"], node.inputs["dy"]
    if x.shape != dy.shape:
        raise misfit(node, "input and gradient differ in shape", x, dy)
    _check_parameters(node, x)
    shape = _channel_shape(x)
    ports = ("dscale", "dbias", "eq_dy_scale", "eq_x_scale", "eq_bias")
    return dict.fromkeys(ports, Result(shape, None, "FLOAT"))
