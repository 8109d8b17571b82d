"""A ResNet of torchvision computes by cudnn_cffi: what was changed, and by which engines it runs.

    python examples/torch_convert.py

It needs PyTorch and torchvision. Without a GPU, PyTorch computes the converted model.
"""

from __future__ import annotations

import torch
import torchvision
from cudnn_cffi import ops
from cudnn_cffi.torch import convert

device = "cuda" if torch.cuda.is_available() else "cpu"
if device == "cpu":
    print("no GPU: PyTorch computes the converted model on the CPU")
torch.manual_seed(0)
model = torchvision.models.resnet18(weights=None).to(device).eval()
x = torch.randn(4, 3, 224, 224, device=device)

with torch.no_grad():
    before = model(x)
    report = convert(model)
    after = model(x)
    print(report)

    with ops.record(time=device == "cuda") as log:
        model(x)
print(log)

error = float((after - before).norm() / before.norm())
print(f"relative difference {error:.1e}")
assert error < 1e-2

convert(model, back=True)
assert type(model.conv1) is torch.nn.Conv2d
