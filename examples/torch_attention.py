"""Scaled dot product attention with gradients, beside PyTorch's in float64.

python examples/torch_attention.py
"""

from __future__ import annotations

import sys

import cudnn_cffi
import torch
from cudnn_cffi.torch import functional as own

if not cudnn_cffi.is_available():
    sys.exit("this example needs a GPU: `python -m cudnn_cffi doctor` says what is missing")

torch.manual_seed(0)
shape = (2, 8, 256, 64)  # batch, heads, length, width
q, k, v = (torch.randn(shape, device="cuda").half().requires_grad_() for _ in range(3))
o = own.scaled_dot_product_attention(q, k, v, is_causal=True)
do = torch.randn_like(o)
gradients = torch.autograd.grad(o, (q, k, v), do)

wide = [each.detach().double().requires_grad_() for each in (q, k, v)]
exact = torch.nn.functional.scaled_dot_product_attention(*wide, is_causal=True)
others = torch.autograd.grad(exact, wide, do.double())
for name, one, other in zip(
    ("o", "dq", "dk", "dv"), (o, *gradients), (exact, *others), strict=True
):
    error = ((one.double() - other).norm() / other.norm()).item()
    print(f"{name}: relative error {error:.1e}")
    assert error < 5e-3
