"""Networks of no package, for benchmarks: a diffusion UNet, a video decoder, a speech encoder.

Their sizes stand in their classes. Weights are random.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class _Residual(nn.Module):
    """Two convolutions after norms, with the embedding of the time step between them."""

    def __init__(self, inputs: int, outputs: int, embedded: int) -> None:
        super().__init__()
        self.norm1 = nn.GroupNorm(32, inputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.embed = nn.Linear(embedded, outputs)
        self.norm2 = nn.GroupNorm(32, outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x: Tensor, step: Tensor) -> Tensor:
        y = self.conv1(functional.silu(self.norm1(x)))
        y = y + self.embed(functional.silu(step))[:, :, None, None]
        return self.skip(x) + self.conv2(functional.silu(self.norm2(y)))


class _Attention(nn.Module):
    """Attention of all pixels, with heads of 64 channels."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.heads = channels // 64
        self.norm = nn.GroupNorm(32, channels)
        self.qkv = nn.Linear(channels, 3 * channels)
        self.out = nn.Linear(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        batch, channels, height, width = x.shape
        rows = self.norm(x).permute(0, 2, 3, 1).reshape(batch, height * width, channels)
        q, k, v = self.qkv(rows).view(batch, height * width, 3, self.heads, 64).unbind(2)
        y = functional.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        )
        y = self.out(y.transpose(1, 2).reshape(batch, height * width, channels))
        return x + y.view(batch, height, width, channels).permute(0, 3, 1, 2)


class UNet(nn.Module):
    """A UNet for latent diffusion: 4 channels of 64x64, 149 million parameters.

    192 channels at 64x64, 384 at 32x32, 576 at 16x16 and at 8x8, two blocks at each size on the way
    down and three on the way up, attention at 16x16 and 8x8, an embedding of 768 numbers for the
    time step.
    """

    def __init__(self) -> None:
        super().__init__()
        sizes, embedded = (192, 384, 576, 576), 768
        self.embed = nn.Sequential(
            nn.Linear(192, embedded), nn.SiLU(), nn.Linear(embedded, embedded)
        )
        self.first = nn.Conv2d(4, 192, 3, padding=1)
        kept, now = [192], 192
        self.down = nn.ModuleList()
        for level, size in enumerate(sizes):
            for _ in range(2):
                pair = [_Residual(now, size, embedded)]
                self.down.append(nn.ModuleList([*pair, *([_Attention(size)] if level > 1 else [])]))
                now = size
                kept.append(now)
            if level < 3:
                self.down.append(nn.ModuleList([nn.Conv2d(now, now, 3, stride=2, padding=1)]))
                kept.append(now)
        self.middle1 = _Residual(now, now, embedded)
        self.attention = _Attention(now)
        self.middle2 = _Residual(now, now, embedded)
        self.up = nn.ModuleList()
        for level, size in reversed([*enumerate(sizes)]):
            for place in range(3):
                each = nn.ModuleList([_Residual(now + kept.pop(), size, embedded)])
                now = size
                if level > 1:
                    each.append(_Attention(size))
                if level and place == 2:
                    each.append(nn.Conv2d(now, now, 3, padding=1))
                self.up.append(each)
        self.norm = nn.GroupNorm(32, now)
        self.last = nn.Conv2d(now, 4, 3, padding=1)

    def forward(self, x: Tensor, step: Tensor) -> Tensor:
        """Return the noise in x, (batch, 4, 64, 64), at steps embedded as (batch, 192)."""
        step = self.embed(step)
        x = self.first(x)
        kept = [x]
        for each in self.down:
            for layer in each:
                x = layer(x, step) if isinstance(layer, _Residual) else layer(x)
            kept.append(x)
        x = self.middle2(self.attention(self.middle1(x, step)), step)
        for each in self.up:
            x = torch.cat([x, kept.pop()], 1)
            for layer in each:
                if isinstance(layer, nn.Conv2d):
                    x = functional.interpolate(x, scale_factor=2.0, mode="nearest")
                x = layer(x, step) if isinstance(layer, _Residual) else layer(x)
        return self.last(functional.silu(self.norm(x)))


class _Causal(nn.Module):
    """A convolution of 3x3x3 that sees no later frame."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.conv = nn.Conv3d(inputs, outputs, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(functional.pad(x, (1, 1, 1, 1, 2, 0)))


class _Block(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(32, inputs), _Causal(inputs, outputs)
        self.norm2, self.conv2 = nn.GroupNorm(32, outputs), _Causal(outputs, outputs)
        self.skip = nn.Conv3d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv1(functional.silu(self.norm1(x)))
        return self.skip(x) + self.conv2(functional.silu(self.norm2(y)))


class VideoDecoder(nn.Module):
    """The decoder of a video autoencoder: 16 channels of 4x32x32 to 16 frames of 256x256.

    512 channels at 4x32x32 and 8x64x64, 256 at 16x128x128, 128 at 16x256x256, three blocks at each
    size, 117 million parameters; causal convolutions of 3x3x3, and group norms.
    """

    def __init__(self) -> None:
        super().__init__()
        self.first = _Causal(16, 512)
        layers: list[nn.Module] = []
        now = 512
        for size, scale in ((512, (2, 2, 2)), (512, (2, 2, 2)), (256, (1, 2, 2)), (128, None)):
            for _ in range(3):
                layers.append(_Block(now, size))
                now = size
            if scale is not None:
                layers += [nn.Upsample(scale_factor=scale, mode="nearest"), _Causal(now, now)]
        self.layers = nn.Sequential(*layers)
        self.norm = nn.GroupNorm(32, now)
        self.last = _Causal(now, 3)

    def forward(self, x: Tensor) -> Tensor:
        """Return frames of latents, (batch, 16, 4, 32, 32)."""
        return self.last(functional.silu(self.norm(self.layers(self.first(x)))))


def _separable(inputs: int, outputs: int, window: int, stride: int = 1) -> list[nn.Module]:
    return [
        nn.Conv1d(inputs, inputs, window, stride, window // 2, groups=inputs, bias=False),
        nn.Conv1d(inputs, outputs, 1, bias=False),
        nn.BatchNorm1d(outputs, eps=1e-3),
    ]


class _Repeated(nn.Module):
    def __init__(self, inputs: int, outputs: int, window: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for place in range(5):
            layers += _separable(inputs if place == 0 else outputs, outputs, window)
            layers += [nn.ReLU()] if place < 4 else []
        self.layers = nn.Sequential(*layers)
        self.skip = nn.Sequential(
            nn.Conv1d(inputs, outputs, 1, bias=False), nn.BatchNorm1d(outputs, eps=1e-3)
        )

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.layers(x) + self.skip(x))


class SpeechEncoder(nn.Module):
    """A convolutional encoder for CTC: 1600 frames of 64 features to 800 of 29 letters.

    Separable convolutions along time: 33 wide with stride 2 and 256 channels; five blocks of five
    that are 33, 39, 51, 63 and 75 wide, with 256, 256, 512, 512 and 512 channels; 87 wide with 512;
    then 1024 channels: 7 million parameters.
    """

    def __init__(self) -> None:
        super().__init__()
        sizes = ((256, 33), (256, 39), (512, 51), (512, 63), (512, 75))
        blocks, now = [], 256
        for size, window in sizes:
            blocks.append(_Repeated(now, size, window))
            now = size
        self.layers = nn.Sequential(
            *_separable(64, 256, 33, 2), nn.ReLU(), *blocks, *_separable(512, 512, 87), nn.ReLU(),
            nn.Conv1d(512, 1024, 1, bias=False), nn.BatchNorm1d(1024, eps=1e-3), nn.ReLU(),
            nn.Conv1d(1024, 29, 1),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """Return logarithms of probabilities, (batch, time, letters), of (batch, 64, time)."""
        return functional.log_softmax(self.layers(x).transpose(1, 2), -1)
