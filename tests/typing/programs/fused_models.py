"""Whole models of PyTorch that are fused for inference, and for training."""

from __future__ import annotations

import torch
from cudnn_cffi.torch import Fused, FusedTraining, convert, fuse, modules
from cudnn_cffi.torch import functional as F  # noqa: N812


class Block(torch.nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = modules.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = modules.BatchNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.norm(self.conv(x)) + x)


x = torch.zeros(8, 64, 56, 56)
model = Block(64).eval()
fuse(model, dtype="int8", calibration=[x], loss=0.05)
fused: Fused = fuse(model, choose="time", capture=True, shapes=4)
y: torch.Tensor = fused(x)
words: list[str] = [each.by for each in fused.report]
convert(Block(8), exclude=["norm"])
states: dict[str, torch.Tensor] = fused.state_dict()
print(y.shape, words, states)
trained: FusedTraining = fuse(model, training=True, capture=True)


def total(x: torch.Tensor) -> torch.Tensor:
    y: torch.Tensor = trained(x)
    return y.sum()


step = trained.step(total, torch.optim.SGD(model.parameters(), 0.1))
loss: torch.Tensor = step(x)
whether: bool = step.has_optimizer

fuse(model, training=True, seconds=3.0)  # refused
step(3)  # refused
fuse(model, captrue=True)  # refused
fuse(model, choose="tiem")  # refused
fuse(model, shapes="4")  # refused
fuse(model, dtype="int4", calibration=[x])  # refused
fuse(x)  # refused
print(fused.reprot[0].by if False else fused.report.by)  # refused
modules.BatchNorm2d(64, momentun=0.1)  # refused
modules.Conv2d(64, 64, 3, padding_mode=3)  # refused
text: str = F.relu(x)  # refused
F.lstm(x, (x, x), [x], True, 1, 0.0, "no", False)  # refused
