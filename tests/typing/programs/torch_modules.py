"""Functions with gradients, modules and whole models of PyTorch."""

from __future__ import annotations

import torch
from cudnn_cffi import ops
from cudnn_cffi import torch as cudnn_torch
from cudnn_cffi.torch import convert, fuse, modules
from cudnn_cffi.torch import functional as F  # noqa: N812

x = torch.zeros(8, 64, 56, 56)
w = torch.nn.Parameter(torch.zeros(64, 64, 3, 3))
y: torch.Tensor = F.conv2d(x, w, None, 1, "same")
y = F.max_pool2d(y, 2)
y = ops.convolution(x, w, padding=1)
layer = modules.Conv2d(64, 64, 3, padding=1)
z: torch.Tensor = layer(x)
model = torch.nn.Sequential(torch.nn.Conv2d(64, 64, 3), torch.nn.ReLU())
fused = fuse(model, capture=True)
convert(model, exclude=["0.*"])
states: tuple[torch.Tensor, torch.Tensor, torch.Tensor] = F.lstm(
    x[0], (x[0], x[0]), [w, w], True, 1, 0.0, False
)
total: torch.Tensor = F.reduce(x, "sum", axes=(2, 3))
total = F.transform(F.tensor_operation("mul", total, total), "NHWC", torch.float16)
found = cudnn_torch.candidates(model, x, time=True, device="H200")
choices: cudnn_torch.Choices = found.choose("64 MiB", deterministic=True)
choices.apply(model)
engine: str = found[0].way.name
seconds: float = sum(each.time or 0.0 for each in cudnn_torch.profile(model, x))
print(z.shape, fused.report[0].by, states, engine, seconds)

F.conv2d(x, w, pading=1)  # refused
F.conv2d(x, w, padding="smae")  # refused
F.max_pool2d(x, 2, cieling=True)  # refused
F.gelu(x, approximate="tahn")  # refused
modules.Conv2d(64, 64, 3, pading=1)  # refused
fuse(model, captuer=True)  # refused
convert(model, exlude=["0.*"])  # refused
text: str = F.conv2d(x, w)  # refused
F.reduce(x, "smu")  # refused
F.aggregate(x, x, x, "avergae")  # refused
F.causal_convolution(x, w, activation="sliu")  # refused
F.transform(x, "NWHC")  # refused
fuse(model, choose="tiem")  # refused
convert(model, fallback="wran")  # refused
convert(x)  # refused
found.choose(totl=1)  # refused
choices.apply(x)  # refused
cudnn_torch.profile(model, x, gradient=True)  # refused
