"""Networks of drawn layers, in float64: what PyTorch's documentation lets a model have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from .draw import Draw
from .wrapping import WRAPPERS

__all__ = ["network"]

nn = torch.nn
F = nn.functional

CHANNELS = (8, 16, 3, 5, 17, 32, 64, 24, 1)

ACTIVATIONS: tuple[Callable[[], Any], ...] = (
    *(nn.ReLU, lambda: nn.ReLU(inplace=True), nn.SiLU, lambda: nn.SiLU(inplace=True)),
    *(nn.GELU, lambda: nn.GELU("tanh"), nn.Sigmoid, nn.Tanh, nn.ReLU6, nn.Hardswish),
    *(lambda: nn.ReLU6(inplace=True), lambda: nn.Hardswish(inplace=True), nn.Hardsigmoid),
    *(nn.ELU, lambda: nn.ELU(2.0), lambda: nn.ELU(0.5, inplace=True), nn.SELU, nn.CELU),
    *(nn.LeakyReLU, lambda: nn.LeakyReLU(0.3, inplace=True), lambda: nn.LeakyReLU(-0.5)),
    *(nn.Softplus, lambda: nn.Softplus(2.0, 30.0), nn.Mish, nn.Hardtanh),
    *(lambda: nn.Hardtanh(-0.3, 1.5), lambda: nn.Threshold(0.1, 0.1), nn.LogSigmoid),
    *(lambda: nn.Softshrink(0.1), nn.Tanhshrink, lambda: nn.PReLU(1), nn.Softsign),
)


class _Call(nn.Module):  # type: ignore[misc, name-defined]
    """A function as a layer, with parameters and modules of its own."""

    def __init__(self, function: Callable[..., Any], *own: Any) -> None:
        super().__init__()
        self.function, self.count = function, len(own)
        for i, each in enumerate(own):
            setattr(self, f"own{i}", each)

    def forward(self, x: Any) -> Any:
        return self.function(x, *[getattr(self, f"own{i}") for i in range(self.count)])


def _weight(*shape: int) -> Any:
    return nn.Parameter(torch.randn(shape, dtype=torch.float64) * 0.5)


def _of(rank: int, *names: str) -> Any:
    """Return a class for images of a rank."""
    return tuple(getattr(nn, f"{name}{rank}d") for name in names)


def _convolution(draw: Draw, name: str, shape: Sequence[int]) -> Any:
    channels, rank = shape[1], len(shape) - 2
    sizes: tuple[Any, ...] = (3, 1, 5, 2, (3, 1, 2)[:rank], (1, 3, 3)[:rank])
    size = draw.pick(f"{name}_size", sizes)
    stride = draw.pick(f"{name}_stride", (1, 2, 3, (2, 1, 1)[:rank]), 0.5)
    dilation = draw.pick(f"{name}_dilation", (1, 2), 0.7)
    found = draw.pick(f"{name}_groups", (1, channels, 2, 4), 0.4)
    groups = found if channels % found == 0 else 1
    padding: Any = draw.pick(
        f"{name}_padding", ("half", 0, 1, "same", "valid", (2, 0, 1)[:rank]), 0.5
    )
    if padding == "half":
        padding = size // 2 if isinstance(size, int) else tuple(each // 2 for each in size)
    if padding == "same":
        stride = 1
    mode = draw.pick(f"{name}_mode", ("zeros", "circular", "reflect", "replicate"), 0.7)
    made = draw.pick(f"{name}_out", CHANNELS, 0.2)
    made = {channels: channels * draw.pick(f"{name}_each", (1, 2), 0.6)}.get(
        groups, -(-made // groups) * groups
    )
    return _of(rank, "Conv")[0](
        channels, made, size, stride, padding, dilation, groups,
        draw.pick(f"{name}_bias", (True, False)), mode,
    )  # fmt: skip


def _transposed(draw: Draw, name: str, shape: Sequence[int]) -> Any:
    channels, rank = shape[1], len(shape) - 2
    stride = draw.pick(f"{name}_stride", (1, 2, 3))
    groups = draw.pick(f"{name}_groups", (1, channels), 0.5)
    made = draw.pick(f"{name}_out", CHANNELS)
    return _of(rank, "ConvTranspose")[0](
        channels, -(-made // groups) * groups, draw.pick(f"{name}_size", (3, 1, 2, 4)), stride,
        draw.pick(f"{name}_padding", (0, 1)), stride - 1 if draw.pick(f"{name}_more", (0, 1)) else 0,
        groups, draw.pick(f"{name}_bias", (True, False)), draw.pick(f"{name}_dilation", (1, 2), 0.7),
    )  # fmt: skip


def _norm(draw: Draw, name: str, shape: Sequence[int]) -> Any:
    channels, rank = shape[1], len(shape) - 2
    batch, instance = _of(rank, "BatchNorm", "InstanceNorm")
    kind = draw.pick(f"{name}_norm", ("batch", "group", "instance", "layer", "lrn", "rms"), 0.5)
    affine = draw.pick(f"{name}_affine", (True, False), 0.5)
    tracked = draw.pick(f"{name}_tracked", (True, False), 0.5)
    eps = draw.pick(f"{name}_eps", (1e-5, 1e-3, 0.1), 0.5)
    if kind == "batch":
        momentum = draw.pick(f"{name}_momentum", (0.1, 0.5, 1.0, None), 0.5)
        return batch(channels, eps, momentum, affine, tracked)
    if kind == "instance":
        return instance(channels, eps, 0.1, affine, not tracked)
    if kind == "layer":
        return nn.LayerNorm(shape[1:], eps, affine)
    if kind == "rms":
        return nn.RMSNorm(shape[2:], eps, affine)
    if kind == "lrn":
        return nn.LocalResponseNorm(draw.pick(f"{name}_window", (3, 5, 2)))
    groups = draw.pick(f"{name}_groups", (1, channels, 2, 4))
    return nn.GroupNorm(groups if channels % groups == 0 else 1, channels, eps, affine)


def _activation(draw: Draw, name: str, _shape: Sequence[int]) -> Any:
    return draw.pick(f"{name}_act", ACTIVATIONS, 0.2)()


def _pool(draw: Draw, name: str, shape: Sequence[int]) -> Any:
    rank = len(shape) - 2
    most, mean = _of(rank, "MaxPool", "AvgPool")
    size, stride = (
        draw.pick(f"{name}_size", (2, 3, (3, 2, 1)[:rank])),
        draw.pick(f"{name}_stride", (2, 1, 3)),
    )
    padding, ceil = draw.pick(f"{name}_padding", (0, 1)), draw.pick(f"{name}_ceil", (False, True))
    if draw.pick(f"{name}_kind", ("max", "mean")) == "max":
        dilation = draw.pick(f"{name}_dilation", (1, 2), 0.7)
        # PyTorch writes outside of its memory where a window lies in the padding alone.
        dilation = dilation if min(shape[2:]) > 4 else 1
        return most(size, stride, padding if isinstance(size, int) else 0, dilation, ceil_mode=ceil)
    return mean(
        size,
        stride,
        padding if size in (2, 3) else 0,
        ceil,
        draw.pick(f"{name}_counts", (True, False)),
    )


def _adaptive(draw: Draw, name: str, shape: Sequence[int]) -> Any:
    most, mean = _of(len(shape) - 2, "AdaptiveMaxPool", "AdaptiveAvgPool")
    return draw.pick(f"{name}_kind", (mean, most))(draw.pick(f"{name}_to", (1, 2, 3, 7)))


def _upsample(draw: Draw, name: str, shape: Sequence[int]) -> Any:
    smooth = {1: "linear", 2: "bilinear", 3: "trilinear"}[len(shape) - 2]
    mode = draw.pick(f"{name}_kind", ("nearest", smooth, "nearest-exact"))
    aligned = draw.pick(f"{name}_aligned", (False, True)) if mode == smooth else None
    factor = draw.pick(f"{name}_factor", (2, 3, 1.5))
    if draw.pick(f"{name}_by", ("factor", "size")) == "size":
        size = tuple(int(each * factor) + 1 for each in shape[2:])
        return nn.Upsample(size=size, mode=mode, align_corners=aligned)
    return nn.Upsample(scale_factor=factor, mode=mode, align_corners=aligned)


def _pad(draw: Draw, name: str, shape: Sequence[int]) -> Any:
    kinds = _of(len(shape) - 2, "ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad")
    pads: tuple[Any, ...] = (1, (1, 0), (0, 1), (-1, 1))
    by = draw.pick(f"{name}_by", pads)
    if by == (-1, 1):
        kinds = kinds[:1]  # PyTorch's circular padding leaves elements unset there
    by = by if isinstance(by, int) else by * (len(shape) - 2)
    if draw.pick(f"{name}_constant", (False, True), 0.5):
        return _of(len(shape) - 2, "ConstantPad")[0](by, draw.pick(f"{name}_value", (0.0, 1.5)))
    return draw.pick(f"{name}_kind", kinds)(by)


def _changed_by_a_view(x: Any) -> Any:
    y = x * 1.0
    y[:, :1] = 0.25
    y[..., ::2] += 1
    y.chunk(2, -1)[0].mul_(0.5)
    return y


def _function(draw: Draw, name: str, shape: Sequence[int]) -> Any:
    """Return a function of images that PyTorch's users write between layers."""
    channels, rank = shape[1], len(shape) - 2
    one = (1,) * rank
    some = (
        _Call(lambda x, w: x * w, _weight(1, channels, *one)),
        _Call(lambda x, w: x + w, _weight(channels, *one)),
        _Call(lambda x, w: torch.relu(x) * w + x, _weight(1)),
        _Call(lambda x: torch.cat([x, x[:, :1]], 1)),
        _Call(lambda x: torch.cat(x.chunk(2, 1)[::-1], 1)),
        _Call(lambda x: torch.cat([F.relu(each) for each in x.split(3, 1)], 1)),
        _Call(lambda x: x.flip(-1)),
        _Call(lambda x: x.transpose(-1, 1).contiguous().transpose(-1, 1)),
        _Call(lambda x: x - x.mean(1, keepdim=True)),
        _Call(lambda x: x[..., ::2]),
        _Call(lambda x: x[:, 1:] if x.shape[1] > 1 else x),
        _Call(lambda x: F.softmax(x, 1)),
        _Call(lambda x: x.clamp(-1.0, 0.5)),
        _Call(lambda x, w: torch.einsum("nc...,cd->nd...", x, w), _weight(channels, 7)),
        _Call(lambda x: F.dropout(x, 0.5, training=False) * 2 - 1),
        _Call(lambda x: torch.roll(x, 1, 1)),
        _Call(lambda x: (x * x.mean(tuple(range(2, x.dim())), keepdim=True).sigmoid())),
        _Call(lambda x: x.add_(1.0)),
        _Call(lambda x: x.relu_() + x),
        _Call(lambda x: x / (1 + x.abs())),
        _Call(lambda x: x.unflatten(1, (1, -1)).sum(1)),
        _Call(lambda x: torch.where(x > 0, x, x * 0.1)),
        _Call(lambda x: x.masked_fill(x > 1, 1.0)),
        _Call(lambda x: F.glu(torch.cat([x, x], 1), 1)),
        _Call(lambda x, m, f: f(torch.cat([m(x), x], 1)), nn.Conv2d(channels, 4, 1) if rank == 2
              else nn.Identity(), nn.ReLU()),
        _Call(lambda x, a, b: x * b(F.silu(a(F.adaptive_avg_pool2d(x, 1)))).sigmoid(),
              nn.Conv2d(channels, 4, 1), nn.Conv2d(4, channels, 1)) if rank == 2 else nn.Identity(),
        _Call(lambda x, a, b: x * torch.sigmoid(b(F.relu(a(x.mean((2, 3))))))[:, :, None, None],
              nn.Linear(channels, 4), nn.Linear(4, channels)) if rank == 2 else nn.Identity(),
        _Call(lambda x, a: a(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2),
              nn.LayerNorm(channels)) if rank == 2 else nn.Identity(),
        nn.ChannelShuffle(2 if channels % 2 == 0 else 1),
        nn.PixelShuffle(2) if rank == 2 and channels % 4 == 0 else nn.Identity(),
        nn.PixelUnshuffle(2) if rank == 2 and shape[2] % 2 == shape[3] % 2 == 0 else nn.Identity(),
        nn.Dropout(), nn.Identity(),
        _Call(lambda x: x[:, :1].expand_as(x) + x.mean(1, keepdim=True).expand_as(x)),
        _Call(_changed_by_a_view),
        _Call(lambda x: F.relu(x, inplace=True) - x.unsqueeze(0).squeeze(0)),
        _Call(lambda x: torch.add(x, x.detach(), out=torch.empty_like(x)) if not x.requires_grad
              else x + x.detach()),
        _Call(lambda x: x.transpose(1, -1).reshape(x.shape)),
        _Call(lambda x: x.view(x.shape) * x.new_tensor(0.5) + x.new_ones(x.shape[1:])),
        _Call(lambda x: sum(torch.unbind(x.unsqueeze(0).expand(3, *x.shape)))),
        _Call(lambda x, n: F.batch_norm(x * 1.0, n.running_mean, n.running_var, n.weight, n.bias,
              n.training, 0.25).relu_(), nn.BatchNorm1d(channels)),
        _Call(lambda x: x.exp_().div_(x.sum(1, keepdim=True) + 1)),
        _Call(lambda x: x.copy_(F.softmax(x.detach(), 1)) if not x.requires_grad
              else F.softmax(x, 1).to(x.dtype)),
        _Call(lambda x, n: n(x.float()).to(x.dtype) if n.weight.dtype == torch.float32 else n(x),
              nn.GroupNorm(1, channels)),
        _Call(lambda x: F.log_softmax(x, 1, dtype=torch.float32).to(x.dtype)),
        _Call(lambda x, w: F.relu_(F.conv1d(x.flatten(2), w[:, :, None])).unflatten(2, x.shape[2:]),
              _weight(7, channels)),
    )  # fmt: skip
    return some[draw.pick(f"{name}_function", range(len(some)))]


def _keeps(layer: Any, shape: Sequence[int]) -> bool:
    """Return whether a layer keeps the shape of images, whatever their size."""
    sizes = [(shape[0], shape[1], *[each + n for each in shape[2:]]) for n in (0, 9)]
    layer = layer.double()
    with torch.no_grad():
        try:
            return all(
                layer(torch.zeros(each, dtype=torch.float64)).shape == each for each in sizes
            )
        except (RuntimeError, ValueError):
            return False


class _Block(nn.Module):  # type: ignore[misc, name-defined]
    """A layer, its norm, an addition and an activation, in an order that is drawn."""

    def __init__(self, draw: Draw, name: str, shape: Sequence[int]) -> None:
        super().__init__()
        self.layer = _convolution(draw, name, shape)
        self.norm = self.second = None
        self.first = draw.pick(f"{name}_first", (False, True), 0.6)
        like = list(shape) if self.first else [0, self.layer.out_channels, *shape[2:]]
        if draw.pick(f"{name}_normed", (True, False)):
            self.norm = _norm(draw, name, like)
        self.act = _activation(draw, name, like)
        self.last = draw.pick(f"{name}_last", (nn.Identity, *ACTIVATIONS), 0.5)()
        self.adds = draw.pick(
            f"{name}_adds", ("no", "before", "after", "in place", "scaled", "reversed"), 0.3
        )
        if draw.pick(f"{name}_spectral", ("no", "weight", "spectral", "old"), 0.85) != "no":
            kind = draw.pick(f"{name}_spectral", ("no", "weight", "spectral", "old"), 0.85)
            from torch.nn.utils import parametrizations, weight_norm

            make: dict[str, Any] = {
                "weight": parametrizations.weight_norm,
                "spectral": parametrizations.spectral_norm,
            }
            self.layer = make.get(kind, weight_norm)(self.layer.double())
        self.fits = _keeps(self.layer, shape)

    def forward(self, x: Any) -> Any:
        y = x
        if self.first:
            y = self.act(self.norm(y) if self.norm is not None else y * 1.0)
            y = self.layer(y)
        else:
            y = self.layer(y)
            y = y if self.norm is None else self.norm(y)
        if self.fits:
            if self.adds in ("before", "after"):
                y = y + x
            elif self.adds == "in place":
                y += x
            elif self.adds == "scaled":
                y = torch.add(x, y, alpha=0.5)
            elif self.adds == "reversed":
                y = x - y
        return self.last(y if self.first else self.act(y))


def _turned(x: Any) -> Any:
    """Return heads whose halves are rotated by their places."""
    half = x.shape[-1] // 2
    if not half or x.shape[-1] % 2:
        return x
    rates = 1.0 / 100 ** (torch.arange(half, device=x.device) / half)
    angles = torch.arange(x.shape[2], device=x.device)[:, None] * rates
    angles = torch.cat([angles, angles], -1)
    a, b = x[..., :half], x[..., half:]
    return x * angles.cos().to(x.dtype) + torch.cat([-b, a], -1) * angles.sin().to(x.dtype)


class _Attention(nn.Module):  # type: ignore[misc, name-defined]
    """Self attention of drawn form, with its projections."""

    def __init__(self, draw: Draw, name: str, width: int) -> None:
        super().__init__()
        found = draw.pick(f"{name}_heads", (1, 2, 4))
        self.heads = found if width % found == 0 else 1
        self.causal = draw.pick(f"{name}_causal", (False, True))
        self.how = draw.pick(f"{name}_how", ("one", "three", "module", "by hand"))
        self.more = draw.pick(f"{name}_more", ("", "turned", "bias", "few"))
        bias = draw.pick(f"{name}_bias", (True, False))
        if self.how == "module":
            self.whole = nn.MultiheadAttention(width, self.heads, bias=bias, batch_first=True)
            return
        if self.how == "one":
            self.qkv = nn.Linear(width, 3 * width, bias)
        else:
            self.q, self.k, self.v = (nn.Linear(width, width, bias) for _ in range(3))
        self.out = nn.Linear(width, width, bias)

    def forward(self, x: Any) -> Any:
        if self.how == "module":
            return self.whole(x, x, x, need_weights=False)[0]
        if self.how == "one":
            q, k, v = self.qkv(x).chunk(3, -1)
        else:
            q, k, v = self.q(x), self.k(x), self.v(x)
        q, k, v = (each.unflatten(-1, (self.heads, -1)).transpose(1, 2) for each in (q, k, v))
        if self.more == "turned":
            q, k = _turned(q), _turned(k)
        if self.more == "few":  # the last query alone
            q = q[:, :, -1:]
        mask = None
        if self.more == "bias":
            places = torch.arange(k.shape[2], device=x.device)
            mask = (-(places[:, None] - places).abs() * 0.1).to(x.dtype)
        if self.how == "by hand":
            y = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1) @ v
        else:
            causal = self.causal and mask is None and self.more != "few"
            y = F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal)
        return self.out(y.transpose(1, 2).flatten(2))


class _Mixer(nn.Module):  # type: ignore[misc, name-defined]
    """A step of a transformer: a norm, a layer, and what it is added to."""

    def __init__(self, draw: Draw, name: str, width: int) -> None:
        super().__init__()
        bias, affine = (
            draw.pick(f"{name}_bias", (True, False)),
            draw.pick(f"{name}_affine", (True, False), 0.5),
        )
        self.norm = draw.pick(f"{name}_norm", (nn.LayerNorm, nn.RMSNorm))(width, 1e-5, affine)
        self.act = draw.pick(f"{name}_act", ACTIVATIONS, 0.2)()
        self.order = draw.pick(f"{name}_order", ("before", "after", "none"))
        kinds = (
            "mlp",
            "attention",
            "gated",
            "linear",
            "fused gate",
            "recurrent",
            "encoder",
            "decoder",
        )
        self.kind = draw.pick(f"{name}_kind", kinds)
        inner = draw.pick(f"{name}_inner", (32, 24, 64, 7))
        if self.kind == "attention":
            self.one = _Attention(draw, name, width)
        elif self.kind == "linear":
            self.one = nn.Linear(width, width, bias)
        elif self.kind in ("encoder", "decoder"):
            found = draw.pick(f"{name}_heads", (1, 2, 4))
            cls = {"encoder": nn.TransformerEncoderLayer, "decoder": nn.TransformerDecoderLayer}
            self.one = cls[self.kind](
                width, found if width % found == 0 else 1, inner, 0.0,
                draw.pick(f"{name}_word", ("relu", "gelu")), batch_first=True, bias=bias,
                norm_first=draw.pick(f"{name}_first", (False, True)),
            )  # fmt: skip
        elif self.kind == "recurrent":
            cell = draw.pick(f"{name}_cell", (nn.GRU, nn.LSTM, nn.RNN))
            both = width % 2 == 0 and draw.pick(f"{name}_both", (False, True))
            self.one = cell(
                width, width // 2 if both else width, bias=bias, batch_first=True,
                bidirectional=both,
            )  # fmt: skip
        else:
            wide = 2 * inner if self.kind == "fused gate" else inner
            self.one, self.two = nn.Linear(width, wide, bias), nn.Linear(inner, width, bias)
            self.gate = nn.Linear(width, inner, bias) if self.kind == "gated" else nn.Identity()

    def layer(self, x: Any) -> Any:
        if self.kind == "mlp":
            return self.two(self.act(self.one(x)))
        if self.kind == "gated":
            return self.two(self.act(self.gate(x)) * self.one(x))
        if self.kind == "fused gate":
            a, b = self.one(x).chunk(2, -1)
            return self.two(self.act(a) * b)
        y = self.one(x, x.flip(1)) if self.kind == "decoder" else self.one(x)
        return y[0] if self.kind == "recurrent" else y

    def forward(self, x: Any) -> Any:
        if self.order == "before":
            return x + self.layer(self.norm(x))
        if self.order == "after":
            return self.norm(x + self.layer(x))
        return self.act(self.layer(x))


class _Joined(nn.Module):  # type: ignore[misc, name-defined]
    """Two branches of the same input, joined."""

    def __init__(self, draw: Draw, name: str, shape: Sequence[int]) -> None:
        super().__init__()
        rank, out = len(shape) - 2, draw.pick(f"{name}_out", CHANNELS)
        conv, norm = _of(rank, "Conv", "BatchNorm")
        self.one = nn.Sequential(conv(shape[1], out, 1, bias=False), norm(out))
        self.two = nn.Sequential(conv(shape[1], out, 3, padding=1), norm(out), nn.ReLU())
        self.how = draw.pick(f"{name}_how", ("add", "cat", "mul", "max", "stack", "sub"))
        self.act = _activation(draw, name, shape)

    def forward(self, x: Any) -> Any:
        a, b = self.one(x), self.two(x)
        if self.how == "cat":
            return torch.cat([a, b, x], 1)
        if self.how == "stack":
            return torch.stack([a, b]).sum(0)
        if self.how == "max":
            return self.act(torch.maximum(a, b))
        return self.act(a + b if self.how == "add" else a * b if self.how == "mul" else a - b)


class _Inverted(nn.Module):  # type: ignore[misc, name-defined]
    """Convolutions of single elements around one of each channel, with a gate, as in small networks."""

    def __init__(self, draw: Draw, name: str, shape: Sequence[int]) -> None:
        super().__init__()
        channels, rank = shape[1], len(shape) - 2
        conv, norm = _of(rank, "Conv", "BatchNorm")
        wide = channels * draw.pick(f"{name}_times", (2, 1, 4))
        size, stride = draw.pick(f"{name}_size", (3, 5, 7)), draw.pick(f"{name}_stride", (1, 2))
        bias = draw.pick(f"{name}_bias", (False, True))
        self.act = _activation(draw, name, shape)
        self.one = nn.Sequential(conv(channels, wide, 1, bias=bias), norm(wide), self.act)
        self.two = nn.Sequential(
            conv(wide, wide, size, stride, size // 2, groups=wide, bias=bias), norm(wide), self.act
        )
        self.gated = rank == 2 and draw.pick(f"{name}_gated", (True, False))
        if self.gated:
            self.gate = nn.Sequential(
                nn.AdaptiveAvgPool2d(1), conv(wide, 4, 1), self.act, conv(4, wide, 1),
                draw.pick(f"{name}_gate", (nn.Sigmoid, nn.Hardsigmoid))(),
            )  # fmt: skip
        self.three = nn.Sequential(conv(wide, channels, 1, bias=bias), norm(channels))
        self.fits = _keeps(self.two[0], (shape[0], wide, *shape[2:]))

    def forward(self, x: Any) -> Any:
        y = self.two(self.one(x))
        if self.gated:
            y = y * self.gate(y)
        y = self.three(y)
        return x + y if self.fits else y


class _Last(nn.Module):  # type: ignore[misc, name-defined]
    """A convolution of each channel, and linear layers with channels last, with a factor for each."""

    def __init__(self, draw: Draw, name: str, shape: Sequence[int]) -> None:
        super().__init__()
        channels, rank = shape[1], len(shape) - 2
        size = draw.pick(f"{name}_size", (7, 3, 5))
        self.conv = _of(rank, "Conv")[0](
            channels, channels, size, padding=size // 2, groups=channels
        )
        self.norm = nn.LayerNorm(channels, 1e-6)
        self.one, self.two = nn.Linear(channels, 4 * channels), nn.Linear(4 * channels, channels)
        self.act = draw.pick(f"{name}_act", (nn.GELU, nn.SiLU, nn.ReLU))()
        self.inside = draw.pick(f"{name}_inside", (True, False))
        self.factor = _weight(*([channels] if self.inside else [channels, *[1] * rank]))

    def forward(self, x: Any) -> Any:
        y = self.conv(x).movedim(1, -1)
        y = self.two(self.act(self.one(self.norm(y))))
        if self.inside:
            return x + (self.factor * y).movedim(-1, 1)
        return y.movedim(-1, 1) * self.factor + x


class _Offset(nn.Module):  # type: ignore[misc, name-defined]
    """Group norms, activations and convolutions, with numbers for channels, as models of noise have."""

    def __init__(self, draw: Draw, name: str, shape: Sequence[int]) -> None:
        super().__init__()
        channels, rank = shape[1], len(shape) - 2
        groups = draw.pick(f"{name}_groups", (1, 2, 4, 8, channels))
        groups = groups if channels % groups == 0 else 1
        conv = _of(rank, "Conv")[0]
        self.norms = nn.ModuleList([nn.GroupNorm(groups, channels, 1e-6) for _ in range(2)])
        self.convs = nn.ModuleList([conv(channels, channels, 3, padding=1) for _ in range(2)])
        self.act = draw.pick(f"{name}_act", (nn.SiLU, nn.GELU, nn.ReLU, nn.Identity))()
        self.embed = nn.Linear(channels, channels)
        self.index = (slice(None), slice(None), *[None] * rank)
        self.ups = draw.pick(f"{name}_ups", (False, True))

    def forward(self, x: Any) -> Any:
        offset = self.embed(x.flatten(2).mean(2))
        y = self.convs[0](self.act(self.norms[0](x)))
        y = y + offset[self.index]
        y = self.convs[1](self.act(self.norms[1](y)))
        y = y + x
        return F.interpolate(y, scale_factor=2.0, mode="nearest") if self.ups else y


class _Stem(nn.Module):  # type: ignore[misc, name-defined]
    """A first convolution with its norm, activation and pooling."""

    def __init__(self, draw: Draw, name: str, shape: Sequence[int]) -> None:
        super().__init__()
        conv, norm, pool = _of(len(shape) - 2, "Conv", "BatchNorm", "MaxPool")
        size, out = (
            draw.pick(f"{name}_size", (7, 3, 5, 4)),
            draw.pick(f"{name}_out", (64, 8, 24, 32, 17)),
        )
        self.conv = conv(
            shape[1], out, size, draw.pick(f"{name}_stride", (2, 1, 4)), size // 2, bias=False
        )
        self.norm, self.act = norm(out), _activation(draw, name, shape)
        self.pool = pool(3, draw.pick(f"{name}_step", (2, 1)), 1)

    def forward(self, x: Any) -> Any:
        return self.pool(self.act(self.norm(self.conv(x))))


class _Dense(nn.Module):  # type: ignore[misc, name-defined]
    """Layers that each read all results before them."""

    def __init__(self, draw: Draw, name: str, shape: Sequence[int]) -> None:
        super().__init__()
        channels, rank = shape[1], len(shape) - 2
        conv, norm = _of(rank, "Conv", "BatchNorm")
        grown = draw.pick(f"{name}_grown", (8, 4, 3, 16))
        self.layers = nn.ModuleList(
            nn.Sequential(
                norm(channels + i * grown),
                nn.ReLU(),
                conv(channels + i * grown, grown, 3, padding=1),
            )
            for i in range(3)
        )

    def forward(self, x: Any) -> Any:
        found = [x]
        for each in self.layers:
            found.append(each(torch.cat(found, 1)))
        return torch.cat(found, 1)


class Pair(NamedTuple):
    """Results with names."""

    y: Any
    more: Any = None


@dataclass
class Made:
    """Results in an object, which PyTorch does not look into."""

    y: Any


#: Results of a network, by its last value and its input.
GIVES: tuple[Callable[[Any, Any], Any], ...] = (
    lambda y, _: y,
    lambda y, _: {"y": y, "more": [y, None]},
    lambda y, x: (y, x),
    lambda y, x: (x.flatten(1)[:, ::2], y),
    lambda y, _: (y, 3, "text"),
    lambda y, _: [y, (y if isinstance(y, torch.Tensor) else y[0]).flatten()[1:]],
    lambda y, _: Pair(y),
    lambda y, _: Made([y]),
)


class _Network(nn.Module):  # type: ignore[misc, name-defined]
    """Steps one after the other; some results are added to later ones, or returned as well."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = nn.ModuleList()
        self.returned: list[int] = []
        self.gives = GIVES[0]

    def forward(self, x: Any, more: Any = None, *, scale: Any = None, last: Any = None) -> Any:
        if more is not None:
            x = x + more["added"][0]
        if scale is not None:
            x = x * scale
        given, found = x, []
        for each in self.steps:
            x = each(x)
            found.append(x)
        if last is not None:  # which steps may have changed
            x = x * (1 + last.mean())
        more = [found[i] for i in self.returned]
        return self.gives((x, *more) if more else x, given)


def _steps(draw: Draw, shape: Sequence[int], model: Any) -> None:
    """Append drawn steps to a model."""
    makers: tuple[Any, ...] = (
        *(_Block,) * 6, _convolution, _transposed, _norm, _norm, _activation, _pool, _pool, _adaptive,
        _upsample, _pad, *(_function,) * 4, *(_Joined,) * 2, "tokens", "tokens", "again",
        *(_Inverted, _Inverted, _Last, _Offset, _Offset, _Stem, _Dense),
    )  # fmt: skip
    sample = torch.randn(shape, dtype=torch.float64)
    for i in range(draw.pick("count", (2, 3, 4, 1, 5, 6))):
        name = f"s{i}"
        kind = draw.pick(f"{name}_step", makers)
        narrow = sample.dim() < 4 or sample.shape[1] < 3
        if (kind == "tokens" and narrow) or (kind == "again" and not len(model.steps)):
            continue
        if kind == "again":
            step = model.steps[draw.chance(name).randrange(len(model.steps))]
        elif kind == "tokens":
            step = nn.Sequential(_Call(lambda x: x.flatten(2).transpose(1, 2)))
            width = sample.shape[1]
            step.extend(
                [
                    _Mixer(draw, f"{name}m{j}", width)
                    for j in range(draw.pick(f"{name}_deep", (1, 2, 3)))
                ]
            )
            step.append(_Call(lambda x: x.transpose(1, 2).unflatten(2, (-1, 1))))
            step = step if sample[0, 0].numel() <= 1024 else nn.Identity()
        else:
            step = kind(draw, name, sample.shape)
        wrap = WRAPPERS[draw.pick(f"{name}_wrapped", list(WRAPPERS), 0.75)]
        step = wrap(step).double()
        try:
            with torch.no_grad():
                y = step.eval()(sample.clone())
        except (RuntimeError, ValueError):
            continue  # such as a window that is larger than its image
        if y.numel() > 1 << 18 or not y.numel() or y.dim() != sample.dim():
            continue
        model.steps.append(step)
        sample = y
    if draw.pick("head", (False, True), 0.3):
        pool, channels = _of(sample.dim() - 2, "AdaptiveAvgPool")[0], sample.shape[1]
        head = [pool(1), nn.Flatten(), nn.Linear(channels, 10)]
        if draw.pick("head_norm", (False, True)):
            head[2:2] = [nn.BatchNorm1d(channels), nn.ReLU()]
        model.steps.append(nn.Sequential(*head))


def network(draw: Draw) -> tuple[Any, tuple[int, ...]]:
    """Return a drawn network in float64, and the shape of its input."""
    torch.manual_seed(draw.number("weights"))
    rank = draw.pick("rank", (2, 1, 3), 0.6)
    sizes = tuple(
        draw.pick(f"extent{i}", (8, 7, 16, 13, 12, 32 if rank < 3 else 4, 1)) for i in range(rank)
    )
    shape = (draw.pick("batch", (2, 1, 3)), draw.pick("channels", CHANNELS), *sizes)
    model = _Network()
    _steps(draw, shape, model)
    count = len(model.steps)
    if count > 1 and draw.pick("returned", (False, True), 0.7):
        model.returned = [draw.chance("returned").randrange(count - 1)]
    model.gives = draw.pick("gives", GIVES, 0.75)
    model.double()
    if draw.pick("shared", (False, True), 0.7):
        known: dict[object, Any] = {}
        for each in model.modules():
            kinds = nn.modules.conv._ConvNd, nn.Linear
            if isinstance(each, kinds) and "weight" in each._parameters:
                each.weight = known.setdefault(each.weight.shape, each.weight)
    for each in model.modules():
        if getattr(each, "running_mean", None) is not None:
            nn.init.normal_(each.running_mean, 0.0, 0.3)
            nn.init.uniform_(each.running_var, 0.5, 2.0)
        if "Norm" in type(each).__name__ and getattr(each, "weight", None) is not None:
            nn.init.uniform_(each.weight, 0.5, 1.5)
        if "Norm" in type(each).__name__ and getattr(each, "bias", None) is not None:
            nn.init.normal_(each.bias, 0.0, 0.3)
    return model, shape
