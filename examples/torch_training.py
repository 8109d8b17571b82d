"""A small network learns to tell where a bright spot is, with its modules converted.

python examples/torch_training.py
"""

from __future__ import annotations

import torch
from cudnn_cffi.torch import convert
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
if device == "cpu":
    print("no GPU: PyTorch computes the converted network on the CPU")
torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1),
    nn.BatchNorm2d(16),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1),
    nn.BatchNorm2d(32),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(32 * 8 * 8, 4),
).to(device)
print(convert(model))

optimizer = torch.optim.Adam(model.parameters(), 1e-3)
right = 0.0
for step in range(101):
    x = torch.randn(64, 1, 16, 16, device=device)
    labels = torch.randint(0, 4, (64,), device=device)
    rows, columns = 8 * (labels // 2) + 4, 8 * (labels % 2) + 4
    x[torch.arange(64, device=device), 0, rows, columns] += 8
    found = model(x)
    loss = nn.functional.cross_entropy(found, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        right = (found.argmax(1) == labels).float().mean().item()
        print(f"step {step:3d}: loss {loss.item():.3f}, right {right:.0%}")
assert right > 0.9
