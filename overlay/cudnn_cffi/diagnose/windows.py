"""Convolutions, pooling and changes of size, computed with NumPy in float64, place by place."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from ..graph import Node


class NoReferenceError(Exception):
    """A node that has no function here."""


def _taps(
    window: Sequence[int], options: Mapping[str, Any], extents: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Yield each place of a window, and the pixels of padded images that it is over."""
    ones = (1,) * len(window)
    steps = zip(options.get("stride", ones), options.get("dilation", ones), extents, strict=True)
    ways = list(steps)
    for tap in itertools.product(*map(range, window)):
        yield (
            tap,
            tuple(
                slice(at * dilation, at * dilation + (n - 1) * stride + 1, stride)
                for at, (stride, dilation, n) in zip(tap, ways, strict=True)
            ),
        )


def _pads(options: Mapping[str, Any]) -> list[tuple[int, int]]:
    pairs = zip(options["pre_padding"], options["post_padding"], strict=True)
    return [(0, 0), (0, 0), *pairs]


def _inside(options: Mapping[str, Any], extents: Sequence[int]) -> tuple[Any, ...]:
    """Return the pixels of padded images without the padding."""
    before = options["pre_padding"]
    return (..., *(slice(low, low + n) for low, n in zip(before, extents, strict=True)))


def convolution(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a convolution, or one of its gradients, as a sum over the places of the window."""
    options, kind = node.options, node.kind
    shapes = {port: each.shape for port, each in node.tensors().items()}
    x_shape, w_shape = shapes.get("x") or shapes["dx"], shapes.get("w") or shapes["dw"]
    y_shape = shapes.get("y") or shapes["dy"]
    pads = _pads(options)
    padded = [n + low + high for n, (low, high) in zip(x_shape, pads, strict=True)]
    x = np.pad(given["x"], pads) if "x" in given else np.zeros(padded)
    axes = tuple(range(2, len(w_shape))) if options["mode"] == "CONVOLUTION" else ()
    w = np.flip(given["w"], axes) if "w" in given else np.zeros(w_shape)
    y = given.get("dy", np.zeros(y_shape))
    groups = x_shape[1] // w_shape[1]  # an axis of their own: views, where they are written
    x5 = x.reshape(len(x), groups, -1, *padded[2:])
    y5, w5 = y.reshape(len(y), groups, -1, *y_shape[2:]), w.reshape(groups, -1, *w_shape[1:])
    for tap, pixels in _taps(w_shape[2:], options, y_shape[2:]):
        over, at = (..., *pixels), (..., *tap)
        if kind == "convolution_forward":
            y5 += np.einsum("ngc...,gkc->ngk...", x5[over], w5[at])
        elif kind == "convolution_backward_data":
            x5[over] += np.einsum("ngk...,gkc->ngc...", y5, w5[at])
        else:
            seen, dy = (each.reshape(*each.shape[:3], -1) for each in (x5[over], y5))
            rows = dy.transpose(1, 2, 0, 3).reshape(groups, dy.shape[2], -1)
            w5[at] = rows @ seen.transpose(1, 0, 3, 2).reshape(groups, -1, seen.shape[2])
    inside = x[_inside(options, x_shape[2:])]
    return {"y": y, "dx": inside, "dw": np.flip(w, axes)}


def resample(np: Any, node: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return pooling, the gradient of means, or images that are resized by interpolation."""
    options, mode = node.options, node.options["mode"]
    is_backward = node.kind == "resample_backward"
    around = options["padding_mode"]
    if mode == "BILINEAR" and not is_backward and _begins_at_pixels(options):
        return {"y": _interpolated(np, node, given["x"])}
    if mode == "MAXPOOL" and not is_backward and around == "NEG_INF_PAD":
        fill = -math.inf
    elif mode in ("AVGPOOL", "AVGPOOL_INCLUDE_PADDING") and around == "ZERO_PAD":
        fill = 0.0
    else:
        raise NoReferenceError(f"{node.name} ({mode} with {around})")
    window, pads = options["window"], _pads(options)
    count = math.prod(window)
    if is_backward:
        dy, shape = given["dy"], node.outputs["dx"].shape
        x = np.zeros([n + low + high for n, (low, high) in zip(shape, pads, strict=True)])
        for _, pixels in _taps(window, options, dy.shape[2:]):
            x[(..., *pixels)] += dy / count
        return {"dx": x[_inside(options, shape[2:])]}
    x = np.pad(given["x"], pads, constant_values=fill)
    extents = node.outputs["y"].shape[2:]
    seen = np.stack([x[(..., *pixels)] for _, pixels in _taps(window, options, extents)])
    if not fill:
        return {"y": seen.sum(0) / count}
    if options.get("nan_propagation") == "NOT_PROPAGATE_NAN":
        seen = np.where(np.isnan(seen), fill, seen)
    return {"y": seen.max(0), "index": seen.argmax(0)}


def _begins_at_pixels(options: Mapping[str, Any]) -> bool:
    """Return whether pixel i of a result is at i steps, and the edge goes on."""
    is_edge = options["padding_mode"] == "EDGE_VAL_PAD"
    return is_edge and {*options["window"]} == {2} and {*options["pre_padding"]} == {(1, 2)}


def _interpolated(np: Any, node: Node, x: Any) -> Any:
    """Return numbers between those of pixels, along one axis after the other."""
    steps = cast("tuple[tuple[int, int], ...]", node.options["stride"])
    for axis, (step, per) in enumerate(steps, 2):
        at = np.arange(node.outputs["y"].shape[axis]) * step / per
        one, last = at.astype(int), x.shape[axis] - 1
        rest = (at - one).reshape(-1, *(1,) * (x.ndim - axis - 1))
        x = x.take(one, axis) * (1 - rest) + x.take((one + 1).clip(0, last), axis) * rest
    return x
