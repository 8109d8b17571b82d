"""Small models that are fused, beside the same models in float64."""

from __future__ import annotations

import copy
from typing import Any

import torch

from .draw import Draw
from .judge import compare, largest, poison
from .values import device, filled, synchronize

__all__ = ["run"]

nn = torch.nn

TYPES = (torch.float16, torch.float32, torch.bfloat16)
DATA = ("plain", "zeros", "constant", "small_integers", "one_huge", "cancelling")
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"choose": "time"},
    {"capture": True},
    {"compile": True},
)
ACTIVATIONS = (nn.ReLU, nn.SiLU, nn.Identity, nn.Sigmoid, nn.ELU)

#: Calls of a model in turns of two sizes: the later ones are replayed.
CALLS = 5


class _Block(nn.Module):  # type: ignore[misc, name-defined]
    """A convolution, perhaps its norm, an addition and an activation."""

    def __init__(self, draw: Draw, name: str, channels: int) -> None:
        super().__init__()
        size = draw.pick(f"{name}_size", (3, 1, 5))
        depthwise = draw.pick(f"{name}_groups", ("one", "each"), 0.6) == "each"
        more = {"bias": draw.pick(f"{name}_bias", (True, False))}
        self.conv = nn.Conv2d(
            channels, channels, size, padding=size // 2, groups=channels if depthwise else 1, **more
        )  # fmt: skip
        norm = draw.pick(f"{name}_norm", (False, True))
        self.norm = nn.BatchNorm2d(channels) if norm else nn.Identity()
        self.adds = draw.pick(f"{name}_adds", (False, True))
        self.act = draw.pick(f"{name}_act", ACTIVATIONS)()

    def forward(self, x: Any) -> Any:
        y = self.norm(self.conv(x))
        return self.act(y + x if self.adds else y)


def _model(draw: Draw) -> Any:
    """Return a drawn model in float64."""
    torch.manual_seed(draw.number("weights"))
    channels = draw.pick("channels", (8, 16, 3, 5, 17))
    layers: list[Any] = [nn.Conv2d(draw.pick("inputs", (3, 8, 1)), channels, 3, padding=1)]
    layers += [_Block(draw, f"b{i}", channels) for i in range(draw.pick("blocks", (1, 2, 3)))]
    pool = draw.pick("pool", (None, nn.MaxPool2d(2), nn.AvgPool2d(3, 2, 1)))
    layers += [pool] if pool else []
    if draw.pick("head", (False, True)):
        layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10)]
    model = nn.Sequential(*layers).double()
    for each in model.modules():
        if isinstance(each, nn.BatchNorm2d):
            nn.init.normal_(each.running_mean, 0.0, 0.3)
            nn.init.uniform_(each.running_var, 0.5, 2.0)
            nn.init.uniform_(each.weight, 0.5, 1.5)
    return model.eval().requires_grad_(False)


def run(draw: Draw) -> str:
    """Fuse a model, and compare its results with those of PyTorch and of float64.

    PyTorch's own are in exact float32. Models of float32 have TF32 or not, as is drawn: the switch
    is set for each call, and the results are judged by that precision.
    """
    from cudnn_cffi.torch import fuse

    model, kind = _model(draw), draw.pick("dtype", TYPES)
    own = model.to(kind)
    exact = copy.deepcopy(own).double()
    own = own.to(device())
    order = draw.pick("order", (torch.contiguous_format, torch.channels_last))
    fused = fuse(own, **draw.pick("settings", SETTINGS, subject=True))
    tf32 = kind == torch.float32 and draw.pick("precision", ("fp32", "tf32")) == "tf32"
    unit = 2.0**-11 if tf32 else torch.finfo(kind).eps
    nudged = _moved_weights(exact, unit) if tf32 else exact
    data = draw.pick("x_data", DATA, 0.4)
    inputs, results = [], []
    for turn in range(2):
        height, width = draw.pick("height", (8, 7, 16, 13)), draw.pick("width", (8, 9, 32))
        shape = (draw.pick("batch", (2, 1, 3)), exact[0].in_channels, height, width + 8 * turn)
        numbers = torch.Generator().manual_seed(draw.number(f"x{turn}"))
        x = torch.randn(shape, generator=numbers, dtype=torch.float64)
        x = filled(x, data, draw.chance("x_values"), kind)
        moved = _moved(x, unit)
        inputs.append(x.to(device(), kind, memory_format=order))
        with torch.backends.cudnn.flags(enabled=False, allow_tf32=False):
            results.append((own(inputs[-1]).cpu(), exact(x), nudged(moved), largest(x)))
    for number in range(CALLS):
        for turn, (x, (theirs, right, moved, size)) in enumerate(zip(inputs, results, strict=True)):
            poison()
            with torch.backends.cudnn.flags(enabled=True, allow_tf32=tf32):
                y = fused(x)
            synchronize()
            name = f"y of call {number + 1} of size {turn + 1}"
            # Weights are rounded once more where a norm is folded into them.
            compare(name, y.cpu(), theirs, right, moved, size, unit)
    return ""


def _moved(x: Any, by: float) -> Any:
    return x * (1 + by * torch.randn(x.shape, dtype=torch.float64))


def _moved_weights(model: Any, by: float) -> Any:
    """Return a copy of a model whose weights are moved as TF32 rounds them."""
    found = copy.deepcopy(model)
    for each in found.parameters():
        each.copy_(_moved(each, by))
    return found
