"""Inputs of a case, and the right outputs in float64: by PyTorch, on the device.

Inputs are random numbers by a seed. In float64 a product beyond `MOST` operations takes too long:
those are computed in float32 without TensorFloat-32.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from .cases import EPSILON, Case, has_positions, pooling_graph

#: Multiplications and additions up to which a reference is computed in float64.
MOST = 1e12

#: Bytes of scores of attention that are computed at once.
SCORES = 1 << 30

Arrays = dict[str, torch.Tensor]


class Data(NamedTuple):
    """Inputs by name, outputs in a wider type by name, and that type."""

    inputs: Arrays
    expected: Arrays
    reference: str


def make(case: Case, seed: int, device: str = "cuda") -> Data:
    """Return the inputs of a case, and what it should compute."""
    chance = torch.Generator(device).manual_seed(seed)
    maker = Maker(case, chance, device)
    inputs, expected = getattr(maker, case.kind)()
    return Data(inputs, expected, str(maker.wide).removeprefix("torch."))


class Maker:
    """Makes the data of one case.

    Attributes:
        wide: the type of references.
    """

    def __init__(self, case: Case, chance: torch.Generator, device: str) -> None:
        self.case = case
        self.own = case.figures
        self.backward = case.word.rpartition("_")[2] in ("backward", "data", "filter")
        self.dtype = getattr(torch, case.dtype)
        self.chance = chance
        self.device = device
        self.wide = torch.float64

    def random(self, *shape: int, dtype: torch.dtype | None = None) -> torch.Tensor:
        """Return random numbers; images in the layout of the case."""
        made = torch.randn(shape, generator=self.chance, device=self.device, dtype=torch.float32)
        return self.laid_out(made.to(dtype or self.dtype))

    def laid_out(self, array: torch.Tensor) -> torch.Tensor:
        """Return an array; one of images in the layout of the case."""
        last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(array.dim())
        if last is None or self.own.get("layout") == "NCHW":
            return array.contiguous()
        return array.contiguous(memory_format=last)

    def widened(self, array: torch.Tensor) -> torch.Tensor:
        """Return an array in the type of references, in C order."""
        return array.to(self.wide).contiguous()

    def limit(self, operations: float) -> None:
        """Have references of many operations computed in float32."""
        if operations > MOST:
            self.wide = torch.float32

    def convolution(self) -> tuple[Arrays, Arrays]:
        """Return the data of a convolution."""
        own, word = self.own, self.case.word
        stride, padding, dilation = own["stride"], own["padding"], own["dilation"]
        x, w = self.random(*own["x"]), self.random(*own["w"])
        conv = functional.conv2d if x.dim() == 4 else functional.conv3d
        shape = conv(
            x[:1].to("meta"), w.to("meta"), None, stride, padding, dilation, own["groups"]
        ).shape
        self.limit(2.0 * len(x) * math.prod(shape) * math.prod(own["w"][1:]))
        if word == "convolution":
            made = conv(
                self.widened(x), self.widened(w), None, stride, padding, dilation, own["groups"]
            )
            return {"x": x, "w": w}, {"y": made}
        if word == "fused_convolution":
            bias = self.random(own["w"][0])
            made = conv(
                self.widened(x), self.widened(w), self.widened(bias), stride, padding, dilation,
                own["groups"],
            )  # fmt: skip
            inputs = {"x": x, "w": w, "bias": bias}
            if own["residual"]:
                inputs["residual"] = self.random(len(x), *shape[1:])
                made += self.widened(inputs["residual"])
            return inputs, {"y": made.relu_() if own["activation"] else made}
        dy = self.random(len(x), *shape[1:])
        is_data = word == "convolution_backward_data"
        dx, dw, _ = torch.ops.aten.convolution_backward(
            self.widened(dy), self.widened(x), self.widened(w), None, stride, padding, dilation,
            False, [0] * len(stride), own["groups"], [is_data, not is_data, False],
        )  # fmt: skip
        if is_data:
            return {"dy": dy, "w": w}, {"dx": dx}
        return {"x": x, "dy": dy}, {"dw": dw}

    fused_convolution = convolution

    def product(self) -> tuple[Arrays, Arrays]:
        """Return the data of a product: of a layer y = x w^T, and of its gradients."""
        own, word = self.own, self.case.word
        m, n, k = own["m"], own["n"], own["k"]
        self.limit(2.0 * m * n * k)
        if word == "product":
            a, b = self.random(1, m, k), self.random(1, n, k).transpose(1, 2)
        elif word == "product_backward_data":
            a, b = self.random(1, m, n), self.random(1, n, k)
        else:
            a, b = self.random(1, m, n).transpose(1, 2), self.random(1, m, k)
        return {"a": a, "b": b}, {"y": a.to(self.wide) @ b.to(self.wide)}

    def batched_product(self) -> tuple[Arrays, Arrays]:
        """Return the data of a product for each of many matrices."""
        own = self.own
        a = self.random(own["batch"], own["m"], own["k"])
        b = self.random(own["batch"], own["k"], own["n"])
        return {"a": a, "b": b}, {"y": a.to(self.wide) @ b.to(self.wide)}

    def _norm(self, x: torch.Tensor, over: list[int]) -> Any:
        """Return a normalized array, its mean, and the inverse of its deviation."""
        wide = self.widened(x)
        mean = wide.mean(over, keepdim=True)
        if self.case.kind == "rms_norm":
            mean = torch.zeros_like(mean)
        inverse = ((wide - mean) ** 2).mean(over, keepdim=True).add(EPSILON).rsqrt()
        return (wide - mean) * inverse, mean, inverse

    def batch_norm(self) -> tuple[Arrays, Arrays]:
        """Return the data of a batch norm in training, or of an instance norm."""
        x = self.random(*self.own["x"])
        channels = self.own["x"][1]
        scale, bias = (self.random(channels, dtype=torch.float32) for _ in range(2))
        space = list(range(2, x.dim()))
        over = [0, *space] if self.case.kind == "batch_norm" else space
        kept = (channels,) if self.case.kind == "batch_norm" else (*x.shape[:2], *[1] * len(space))
        return self._normed(x, scale, bias, over, (1, channels, *[1] * len(space)), kept)

    instance_norm = batch_norm

    def layer_norm(self) -> tuple[Arrays, Arrays]:
        """Return the data of a layer norm or an RMS norm over rows."""
        rows, width = self.own["rows"], self.own["width"]
        x, scale, bias = self.random(rows, width), self.random(width), self.random(width)
        return self._normed(x, scale, bias, [1], (1, width), (rows, 1))

    rms_norm = layer_norm

    def _normed(
        self, x: torch.Tensor, scale: torch.Tensor, bias: torch.Tensor, over: list[int],
        faces: tuple[int, ...], kept: tuple[int, ...],
    ) -> tuple[Arrays, Arrays]:  # fmt: skip
        is_rms = self.case.kind == "rms_norm"
        normed, mean, inverse = self._norm(x, over)
        factor = scale.to(self.wide).view(faces)
        if not self.backward:
            made = normed * factor
            if is_rms:
                return {"x": x, "scale": scale}, {"y": made}
            made += bias.to(self.wide).view(faces)
            return {"x": x, "scale": scale, "bias": bias}, {"y": made}
        dy = self.random(*x.shape)
        wide = self.widened(dy)
        part = wide * factor
        dx = part - normed * (part * normed).mean(over, keepdim=True)
        if not is_rms:
            dx -= part.mean(over, keepdim=True)
        rest = [each for each in range(x.dim()) if faces[each] == 1]
        expected = {"dx": dx * inverse, "dscale": (wide * normed).sum(rest)}
        inputs = {"dy": dy, "x": x, "scale": scale}
        if not is_rms:
            expected["dbias"] = wide.sum(rest)
            inputs["mean"] = mean.float().reshape(kept)
        inputs["inv_variance"] = inverse.float().reshape(kept)
        return inputs, expected

    def pooling(self) -> tuple[Arrays, Arrays]:
        """Return the data of a pooling; neighbours differ, so that each maximum is one element."""
        own = self.own
        n, c, *extents = own["x"]
        space = math.prod(extents)
        prime = 251 if self.case.dtype == "bfloat16" else 2039
        place = torch.arange(space, device=self.device).view(1, 1, *extents) * 97
        shift = torch.arange(n * c, device=self.device).view(n, c, *[1] * len(extents)) * 13
        x = self.laid_out((((place + shift) % prime) - prime // 2).div(64).to(self.dtype))
        wide = self.widened(x).requires_grad_(self.backward)
        kind = "max" if own["kind"] == "max" else "avg"
        pool = getattr(functional, f"{kind}_pool{len(extents)}d")
        made = pool(wide, own["window"], own["stride"], own["padding"])
        if not self.backward:
            return {"x": x}, {"y": made}
        y = self.laid_out(made.detach().to(self.dtype))
        dy = self.random(*y.shape)
        made.backward(self.widened(dy))
        assert wide.grad is not None
        inputs = {"dy": dy, "x": x, "y": y}
        if has_positions(self.case):
            inputs = {"dy": dy, "index": self._positions(x, y)}
        return inputs, {"dx": wide.grad}

    def _positions(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Return the positions of maxima in their windows, in cuDNN's way, as it computes them."""
        index = torch.empty_like(y, dtype=torch.int8)
        with pooling_graph(self.case, False).build() as plan:
            plan(x=x, y=torch.empty_like(y), index=index)
        return index

    def attention(self) -> tuple[Arrays, Arrays]:
        """Return the data of attention; matrices of a few heads at a time."""
        own = self.own
        b, s, h, keys, d = (own[n] for n in ("batch", "length", "heads", "key_heads", "width"))

        def heads(count: int) -> torch.Tensor:
            return self.random(b, s, count * d).view(b, s, count, d).transpose(1, 2)

        q, k, v = heads(h), heads(keys), heads(keys)
        group = h // keys
        o = torch.empty(b, h, s, d, device=self.device, dtype=self.wide)
        stats = torch.empty(b, h, s, 1, device=self.device)
        jobs = self._jobs(b, keys, group * s * s * 8)
        for job in jobs:
            _, probabilities, rows = self._scores(q, k, job, group)
            values = self._part(v, job).repeat_interleave(group, 1)
            _slice(o, job, group).copy_(probabilities @ values)
            _slice(stats, job, group).copy_(rows)
        if not self.backward:
            return {"q": q, "k": k, "v": v}, {"o": o}
        rounded = heads(h)
        rounded.copy_(o)
        do = heads(h)
        made = {name: torch.empty(each.shape, device=self.device, dtype=self.wide)
                for name, each in (("dq", q), ("dk", k), ("dv", v))}  # fmt: skip
        for job in jobs:
            scale, probabilities, _ = self._scores(q, k, job, group)
            values = self._part(v, job).repeat_interleave(group, 1)
            above, out = self._part(do, job, group), self._part(o, job, group)
            dv = probabilities.transpose(2, 3) @ above
            ds = above @ values.transpose(2, 3) - (above * out).sum(3, keepdim=True)
            ds *= probabilities
            ds *= scale
            dk = ds.transpose(2, 3) @ self._part(q, job, group)
            own_k = self._part(k, job).repeat_interleave(group, 1)
            _slice(made["dq"], job, group).copy_(ds @ own_k)
            for name, each in (("dk", dk), ("dv", dv)):
                summed = each.view(each.shape[0], -1, group, s, d).sum(2)
                _slice(made[name], job).copy_(summed)
        inputs = {"do": do, "q": q, "k": k, "v": v, "o": rounded, "stats": stats}
        return inputs, made

    def _jobs(self, batch: int, keys: int, size: int) -> list[tuple[slice, slice]]:
        """Return parts of batch and heads of keys whose scores fit."""
        if size * keys <= SCORES:
            step = max(1, SCORES // (size * keys))
            return [(slice(i, i + step), slice(0, keys)) for i in range(0, batch, step)]
        step = max(1, SCORES // size)
        return [
            (slice(i, i + 1), slice(j, min(j + step, keys)))
            for i in range(batch)
            for j in range(0, keys, step)
        ]

    def _part(self, array: torch.Tensor, job: tuple[slice, slice], group: int = 1) -> torch.Tensor:
        """Return a part of an array, in the type of references."""
        return _slice(array, job, group).to(self.wide)

    def _scores(
        self, q: torch.Tensor, k: torch.Tensor, job: tuple[slice, slice], group: int
    ) -> tuple[float, torch.Tensor, torch.Tensor]:
        """Return the scale, the probabilities, and the logarithms of the sums of exponentials."""
        scale = 1 / math.sqrt(self.own["width"])
        queries = self._part(q, job, group)
        keys = self._part(k, job).repeat_interleave(group, 1)
        scores = (queries @ keys.transpose(2, 3)).mul_(scale)
        if self.own["causal"]:
            length = scores.shape[-1]
            later = torch.ones(length, length, device=self.device, dtype=torch.bool).triu_(1)
            scores.masked_fill_(later, -math.inf)
        rows = scores.logsumexp(3, keepdim=True)
        return scale, scores.sub_(rows).exp_(), rows


def _slice(array: torch.Tensor, job: tuple[slice, slice], group: int = 1) -> torch.Tensor:
    """Return some examples of an array, and the heads of queries that share some heads of keys."""
    first, second = job
    return array[first, second.start * group : second.stop * group]


def error(found: torch.Tensor, expected: torch.Tensor) -> float:
    """Return the norm of the difference over the norm of what is right; inf where NaN differ."""
    wide = expected.to(torch.float64)
    apart = torch.linalg.vector_norm(found.to(torch.float64).reshape(wide.shape) - wide)
    norm = torch.linalg.vector_norm(wide)
    value = (apart / norm).item() if norm.item() else apart.item()
    return value if math.isfinite(value) else math.inf
