"""Operations of `ops` that other parts do not call, and gradients of theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from .draw import Draw
from .judge import SkippedError
from .operations import Case, compared, gradient, image, normal, widened, window

__all__ = ["OPERATIONS", "run"]

F = functional
EPSILON = 1e-5


def _matrix(draw: Draw, name: str, *names: str) -> Any:
    """Return numbers with drawn extents."""
    extents = [draw.pick(each, (8, 1, 3, 5, 16, 33, 64)) for each in names]
    return normal(draw, name, *extents)


def _aggregation(draw: Draw) -> Case:
    x = _matrix(draw, "x", "nodes", "features")
    mode = draw.pick("mode", ("sum", "mean", "max", "min"))
    chance = draw.chance("edges")
    counts = [chance.choice((0, 1, 2, 5)) for _ in range(x.shape[0])]
    offsets = torch.tensor([sum(counts[:i]) for i in range(len(counts) + 1)], dtype=torch.int32)
    if not offsets[-1]:
        raise SkippedError("no edges")
    edges = [chance.randrange(x.shape[0]) for _ in range(int(offsets[-1]))]
    indices = torch.tensor(edges, dtype=torch.int32)

    def plain(x: Any) -> Any:
        rows = []
        for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            part = x[indices[first:last].long().to(x.device)]
            reduced: Any = getattr(part, {"max": "amax", "min": "amin"}.get(mode, mode))
            rows.append(reduced(0) if last > first else torch.zeros_like(x[0]))
        return torch.stack(rows)

    def ours(ops: Any, a: Any, **more: Any) -> Any:
        places = (each.to(a["x"].device) for each in (offsets, indices))
        return ops.aggregate(a["x"].contiguous(), *places, mode, **more)[0]

    return Case({"x": x}, ours, lambda a: plain(a["x"]), scaled=False)


def _activated(draw: Draw) -> Case:
    """Batch norm, an addition and ReLU, or their gradients."""
    x = image(draw)
    shape = (x.shape[1],)
    if x.numel() == x.shape[1]:
        raise SkippedError("one element of each channel")
    arrays = {"x": x, "scale": normal(draw, "scale", *shape), "bias": normal(draw, "bias", *shape)}
    adds = draw.pick("residual", (False, True))
    if adds:
        arrays["residual"] = normal(draw, "residual", *x.shape)
    is_backward = draw.pick("direction", ("forward", "backward")) == "backward"
    if is_backward:
        arrays["dy"] = normal(draw, "dy", *x.shape)

    def plain(x: Any, s: Any, b: Any, z: Any = None) -> Any:
        y = F.batch_norm(x, None, None, s, b, True, eps=EPSILON)
        return (y if z is None else y + z).relu()

    def ours(ops: Any, a: Any, **more: Any) -> Any:
        s, b = (a[name].contiguous() for name in ("scale", "bias"))
        x = a["x"].contiguous()
        z = a["residual"].contiguous() if adds else None
        found = ops.batch_norm_activation(x, s, b, z, **more)
        if not is_backward:
            return found.y
        more["residual"] = adds
        kept = (found.y, s, b, found.mean, found.inv_variance, found.reserve)
        grads = ops.batch_norm_activation_backward(a["dy"].contiguous(), x, *kept, **more)
        return [each for each in grads if each is not None]

    def theirs(a: Any) -> Any:
        leaves = [a["x"], a["scale"].to(a["x"]), a["bias"].to(a["x"])]
        leaves += [a["residual"]] if adds else []
        if not is_backward:
            return plain(*leaves)
        dx, ds, db, *rest = gradient(plain, a["dy"], *leaves)
        return [dx, widened(ds), widened(db), *rest]

    wide = ("scale", "bias")
    return Case(arrays, ours, theirs, ("scale", "bias", "x", "dy"), wide, scaled=False)


def _causal(draw: Draw) -> Case:
    x = _matrix(draw, "x", "batch", "channels", "time")
    taps = draw.pick("taps", (4, 1, 2, 3))
    word = draw.pick("activation", (None, "silu"))
    by_fft = draw.pick("by", ("plain", "fft"), 0.3) == "fft"
    arrays = {"x": x, "w": normal(draw, "w", x.shape[1], taps)}
    has_bias = not by_fft and draw.pick("bias", (False, True))
    if has_bias:
        arrays["bias"] = normal(draw, "bias", x.shape[1])
    is_backward = not by_fft and draw.pick("direction", ("forward", "backward")) == "backward"
    if is_backward:
        arrays["dy"] = normal(draw, "dy", *x.shape)

    def plain(x: Any, w: Any, b: Any = None) -> Any:
        y = F.conv1d(F.pad(x, (taps - 1, 0)), w[:, None], b, groups=x.shape[1])
        return F.silu(y) if word and not by_fft else y

    def ours(ops: Any, a: Any, **more: Any) -> Any:
        given = [a[name].contiguous() for name in ("x", "w", "bias") if name in a]
        if by_fft:
            return ops.fft_causal_convolution(*given, **more)[0]
        if not is_backward:
            return ops.causal_convolution(*given, activation=word, **more)
        dy = a["dy"].contiguous()
        grads = ops.causal_convolution_backward(dy, *given, activation=word, **more)
        return [each for each in grads[: len(given)] if each is not None]

    def theirs(a: Any) -> Any:
        leaves = [a[name] for name in ("x", "w", "bias") if name in a]
        return list(gradient(plain, a["dy"], *leaves)) if is_backward else plain(*leaves)

    return Case(arrays, ours, theirs, scaled=False, rough=word is not None)


def _divisive(draw: Draw) -> Case:
    x = image(draw)
    if x.ndim == 3:
        raise SkippedError("two or three dimensions")
    size = draw.pick("window", (3, 5, 1))
    area = size ** (x.ndim - 2)
    arrays = {"x": x, "means": normal(draw, "means", *x.shape)}
    is_backward = draw.pick("direction", ("forward", "backward")) == "backward"
    if is_backward:
        arrays["dy"] = normal(draw, "dy", *x.shape)
    pool = getattr(F, f"avg_pool{x.ndim - 2}d")

    def plain(x: Any, means: Any) -> Any:
        """Take the mean of the center from all elements of its window that are there."""
        first, second, count = (
            area * pool(each, size, 1, size // 2) for each in (x, x.square(), torch.ones_like(x))
        )
        squares = second - 2 * means * first + count * means.square()
        return x / (1 + 0.1 / area * squares) ** 0.75

    def ours(ops: Any, a: Any, **more: Any) -> Any:
        given = [a[name].contiguous() for name in ("x", "means")]
        words = {"size": size, "alpha": 0.1, **more}
        if is_backward:
            return list(ops.divisive_norm_backward(a["dy"].contiguous(), *given, **words))
        return ops.divisive_norm(*given, **words)

    def theirs(a: Any) -> Any:
        leaves = a["x"], a["means"]
        return list(gradient(plain, a["dy"], *leaves)) if is_backward else plain(*leaves)

    return Case(arrays, ours, theirs, ("x", "means", "dy"), scaled=False, rough=True)


def _blocks(draw: Draw) -> Case:
    factor = draw.pick("factor", (2, 1, 3))
    batch, channels = (draw.pick(each, (2, 1, 3, 8)) for each in ("batch", "channels"))
    extents = [factor * draw.pick(f"extent{axis}", (4, 1, 5)) for axis in range(2)]
    x = normal(draw, "x", batch, channels, *extents)

    def split(x: Any) -> Any:
        """Return channels of pixels: first all channels of the first pixel of each block."""
        parts = x.unflatten(3, (-1, factor)).unflatten(2, (-1, factor))
        return parts.permute(0, 3, 5, 1, 2, 4).flatten(1, 3)

    def joined(y: Any) -> Any:
        parts = y.unflatten(1, (factor, factor, -1)).permute(0, 3, 4, 1, 5, 2)
        return parts.flatten(4, 5).flatten(2, 3)

    if draw.pick("direction", ("forward", "backward")) == "forward":
        return Case(
            {"x": x},
            lambda ops, a, **more: ops.fold(a["x"], factor, **more),
            lambda a: split(a["x"]),
        )
    return Case(
        {"x": split(x)},
        lambda ops, a, **more: ops.unfold(a["x"], factor, **more),
        lambda a: joined(a["x"]),
    )


def _images_of_columns(draw: Draw) -> Case:
    x = image(draw)
    if x.ndim != 4:
        raise SkippedError("PyTorch has columns of images only")
    how = window(draw, x)
    size = how.pop("size")
    columns = F.unfold(x, size, **how)
    return Case(
        {"x": normal(draw, "columns", *columns.shape)},
        lambda ops, a, **more: ops.col2im(a["x"], tuple(x.shape), size, **how, **more),
        lambda a: F.fold(a["x"], x.shape[2:], size, **how),
        scaled=False,
    )


def _sampled(draw: Draw) -> Case:
    """Points of affine maps, or images at points, or their gradients."""
    batch, channels, *extents = (
        draw.pick(each, (3, 1, 2, 8)) for each in ("batch", "channels", "height", "width")
    )
    whole = (batch, channels, *extents)
    is_backward = draw.pick("direction", ("forward", "backward")) == "backward"
    if min(extents) < 2:
        raise SkippedError("corners of one element")
    if draw.pick("what", ("grid", "sample")) == "grid":

        def points(theta: Any) -> Any:
            return F.affine_grid(theta, list(whole), align_corners=True)

        if is_backward:
            return Case(
                {"dy": normal(draw, "dy", batch, *extents, 2)},
                lambda ops, a, **more: ops.affine_grid_backward(
                    a["dy"].contiguous(), whole, **more
                ),
                lambda a: gradient(points, a["dy"], a["dy"].new_zeros(batch, 2, 3))[0],
                scaled=False,
            )
        return Case(
            {"x": normal(draw, "x", batch, 2, 3)},
            lambda ops, a, **more: ops.affine_grid(a["x"].contiguous(), whole, **more),
            lambda a: points(a["x"]),
            scaled=False,
        )
    arrays = {"x": normal(draw, "x", *whole), "grid": normal(draw, "grid", batch, *extents, 2)}
    if is_backward:
        arrays["dy"] = normal(draw, "dy", *whole)

    def plain(x: Any, grid: Any) -> Any:
        return F.grid_sample(x, grid, align_corners=True)

    def ours(ops: Any, a: Any, **more: Any) -> Any:
        given = [a[name].contiguous() for name in ("dy", "x", "grid") if name in a]
        return list(ops.grid_sample_backward(*given, **more)) if is_backward else ops.grid_sample(
            *given, **more
        )  # fmt: skip

    def theirs(a: Any) -> Any:
        leaves = a["x"], a["grid"]
        return list(gradient(plain, a["dy"], *leaves)) if is_backward else plain(*leaves)

    return Case(arrays, ours, theirs, ("grid",), scaled=False)


def _norm_gradient(draw: Draw) -> Case:
    x = image(draw)
    form = draw.pick("form", ("layer", "rms", "instance", "group", "batch"))
    channels = x.shape[1]
    shape = x.shape[1:] if form in ("layer", "rms") else (channels,)
    groups = draw.pick("groups", (1, 2, channels))
    groups = 1 if channels % groups else groups
    arrays = {
        "x": x,
        "scale": normal(draw, "scale", *shape),
        "dy": normal(draw, "dy", *x.shape),
    }

    def plain(x: Any, s: Any, b: Any = None) -> Any:
        if form == "rms":
            return F.rms_norm(x, shape, s, EPSILON)
        if form == "layer":
            return F.layer_norm(x, shape, s, b, EPSILON)
        if form == "group":
            return F.group_norm(x, groups, s, b, EPSILON)
        if form == "instance":
            return F.instance_norm(x, None, None, s, b, eps=EPSILON)
        return F.batch_norm(x, None, None, s, b, True, eps=EPSILON)

    def ours(ops: Any, a: Any, **more: Any) -> Any:
        s = a["scale"].contiguous()
        words = {"groups": groups} if form == "group" else {}
        name = {"layer": "LayerNorm", "rms": "RMSNorm", "instance": "InstanceNorm"}.get(form)
        kept: list[Any] = []
        if name:  # the statistics of the forward call
            given = (a["x"], s) if form == "rms" else (a["x"], s, torch.zeros_like(s))
            found = getattr(ops, name)(statistics=True, epsilon=EPSILON)(*given)
            kept = [found.inv_variance] if form == "rms" else [found.mean, found.inv_variance]
        first = [a["dy"], a["x"], *words.values(), s, *kept]
        grads = getattr(ops, f"{form}_norm_backward")(*first, epsilon=EPSILON, **more)
        return list(grads[: 2 if form == "rms" else 3])

    def theirs(a: Any) -> Any:
        s = a["scale"].to(a["x"])
        leaves = [a["x"], s] if form == "rms" else [a["x"], s, torch.zeros_like(s)]
        dx, *rest = gradient(plain, a["dy"], *leaves)
        return [dx, *map(widened, rest)]

    return Case(arrays, ours, theirs, ("scale", "x", "dy"), ("scale",), scaled=False)


def _response_gradient(draw: Draw) -> Case:
    x = image(draw)
    size = draw.pick("window", (5, 3, 1))

    def plain(x: Any) -> Any:
        return F.local_response_norm(x, size, 0.1)

    def ours(ops: Any, a: Any, **more: Any) -> Any:
        y = ops.local_response_norm(a["x"], size, 0.1)
        return ops.local_response_norm_backward(a["dy"], a["x"], y, size, 0.1, **more)

    return Case(
        {"x": x, "dy": normal(draw, "dy", *x.shape)},
        ours,
        lambda a: gradient(plain, a["dy"], a["x"])[0],
        ("x",),
        scaled=False,
        rough=True,
    )


def _in_place(draw: Draw) -> Case:
    factor = draw.pick("factor", (0.5, -2.0, 0.0))
    fills = draw.pick("fills", (False, True))

    def ours(ops: Any, a: Any, **more: Any) -> Any:
        return ops.fill(a["x"], factor, **more) if fills else ops.scale(a["x"], factor, **more)

    return Case(
        {"x": image(draw)},
        ours,
        lambda a: torch.full_like(a["x"], factor) if fills else a["x"] * factor,
        scaled=False,
    )


def _multi_head(draw: Draw) -> Case:
    """Attention with projections, windows and lengths, or its gradients."""
    batch, heads = draw.pick("batch", (2, 1, 3)), draw.pick("heads", (2, 1, 3))
    queries, keys = draw.pick("queries", (5, 1, 9)), draw.pick("keys", (7, 1, 33))
    wide = draw.pick("wide", (8, 4, 6))
    projected = {name: draw.pick(f"{name}_projected", (wide, 0)) for name in "qk"}
    projected["v"] = draw.pick("v_projected", (8, 0, 3))
    projected["o"] = draw.pick("o_projected", (16, 0, 5)) if projected["v"] else 0
    sizes = {n: draw.pick(f"{n}_size", (8, 12, 3)) if projected[n] else wide for n in "qk"}
    sizes["v"] = draw.pick("v_size", (8, 1, 3))
    of_head = projected["v"] or sizes["v"]
    wholes = {"q": sizes["q"], "k": sizes["k"], "v": sizes["v"], "o": of_head}
    arrays = {n: normal(draw, n, batch, queries if n == "q" else keys, sizes[n]) for n in "qkv"}
    names = {"q": "query", "k": "key", "v": "value", "o": "output"}
    parts = [name for name in names if projected[name]]
    for name in parts:
        arrays[names[name]] = 0.5 * normal(draw, names[name], heads, projected[name], wholes[name])
    scale = draw.pick("scale", (0.5, 1.0, 0.0))
    seen = draw.pick("seen", ("all", "causal", "band"))
    windows = {
        "all": [(0, keys)] * queries, "causal": [(0, min(i + 1, keys)) for i in range(queries)],
        "band": [(max(min(i, keys) - 1, 0), min(i + 2, keys)) for i in range(queries)],
    }[seen]  # fmt: skip
    chance = draw.chance("lengths")
    least = 1 + max(first for first, _ in windows)
    is_short = draw.pick("lengths", ("full", "short")) == "short"
    lengths = [chance.randint(least, keys) if is_short else keys for _ in range(batch)]
    mask = torch.ones(batch, queries, keys, dtype=torch.bool)
    for example, length in enumerate(lengths):
        for row, (first, last) in enumerate(windows):
            mask[example, row, first : min(last, length)] = False
    is_backward = draw.pick("direction", ("forward", "backward")) == "backward"
    if is_backward:
        arrays["dy"] = normal(draw, "dy", batch, queries, projected["o"] or heads * of_head)

    def plain(*given: Any) -> Any:
        weights = dict(zip(parts, given[3:], strict=True))
        q, k, v = (
            x[:, None] @ weights[name].mT
            if name in weights
            else x[:, None].expand(-1, heads, -1, -1)
            for name, x in zip("qkv", given[:3], strict=True)
        )
        scores = (scale * q @ k.mT).masked_fill(mask[:, None].to(q.device), -torch.inf)
        o = scores.softmax(3) @ v
        if "o" in weights:
            return (o @ weights["o"].mT).sum(1)
        return o.transpose(1, 2).flatten(2)

    def ours(ops: Any, a: Any, **more: Any) -> Any:
        words = {f"{name}_projection": each for name, each in projected.items()}
        choose = more.pop("choose", None)
        attend = ops.MultiHeadAttention(
            heads, sizes["q"], sizes["k"], sizes["v"], scale=scale, choose=choose, **words
        )
        given = [a[name].contiguous() for name in "qkv"]
        weights = None
        if parts:
            weights = given[0].new_empty(attend.weights_count(given[0].dtype))
            for name, view in attend.parameters(weights).items():
                view.copy_(a[name.removesuffix(".weight")])
        call: Any = {"windows": tuple(zip(*windows, strict=True)), "kv_lengths": lengths}
        o, kept = attend(*given, weights, training=is_backward, **call, **more)
        if not is_backward:
            return o
        grads = attend.backward(a["dy"].contiguous(), *given, weights, kept, **call)
        found = attend.parameters(grads.weights) if parts else {}
        return [*grads[:3], *[found[f"{names[name]}.weight"] for name in parts]]

    def theirs(a: Any) -> Any:
        leaves = [a[name] for name in (*"qkv", *[names[each] for each in parts])]
        return list(gradient(plain, a["dy"], *leaves)) if is_backward else plain(*leaves)

    return Case(arrays, ours, theirs, tuple(arrays), scaled=False)


OPERATIONS: dict[str, Callable[[Draw], Case]] = {
    "aggregation": _aggregation,
    "activated norm": _activated,
    "causal": _causal,
    "divisive": _divisive,
    "blocks": _blocks,
    "images of columns": _images_of_columns,
    "sampled": _sampled,
    "norm gradient": _norm_gradient,
    "response gradient": _response_gradient,
    "in place": _in_place,
    "multi-head attention": _multi_head,
}


def run(draw: Draw) -> str:
    """Call a drawn operation, and compare its results."""
    return compared(draw, OPERATIONS)
