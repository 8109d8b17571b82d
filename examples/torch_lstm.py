"""An LSTM learns to add the marked numbers of a sequence, with sequences of different lengths.

python examples/torch_lstm.py
"""

from __future__ import annotations

import torch
from cudnn_cffi.torch import modules
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
if device == "cpu":
    print("no GPU: PyTorch computes the LSTM on the CPU")
torch.manual_seed(0)
net = modules.LSTM(2, 32, batch_first=True).to(device)
head = nn.Linear(32, 1).to(device)
optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], 1e-2)

error = 1.0
for step in range(301):
    lengths = torch.randint(5, 11, (64,))  # on the host, as PyTorch has them
    x = torch.rand(64, 10, 2, device=device)
    marks = torch.rand(64, 10, device=device).argsort(1) < 2
    marks &= torch.arange(10, device=device) < lengths.to(device)[:, None]
    x[..., 1] = marks
    wanted = (x[..., 0] * marks).sum(1, keepdim=True)
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    _, (hidden, _) = net(packed)
    loss = nn.functional.mse_loss(head(hidden[-1]), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        error = loss.item()
        print(f"step {step:3d}: mean square of the error {error:.4f}")
assert error < 0.1
assert not net.refused
