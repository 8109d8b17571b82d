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
print(z.shape, fused, cudnn_torch)

F.conv2d(x, w, pading=1)  # refused
F.conv2d(x, w, padding="smae")  # refused
F.max_pool2d(x, 2, cieling=True)  # refused
F.gelu(x, approximate="tahn")  # refused
modules.Conv2d(64, 64, 3, pading=1)  # refused
fuse(model, captuer=True)  # refused
convert(model, exlude=["0.*"])  # refused
text: str = F.conv2d(x, w)  # refused
