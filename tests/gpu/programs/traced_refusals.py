"""TorchScript traces batches without elements, and what cuDNN refuses as eager mode has it."""

import warnings

import torch
from cudnn_cffi.torch import modules

warnings.simplefilter("ignore")
x = torch.zeros(0, 6, device="cuda")
for training in (True, False):
    norm = modules.BatchNorm1d(6).cuda().train(training)
    assert torch.jit.trace(norm, (x,), check_trace=False)(x).shape == (0, 6)
double = torch.randn(4, 6, device="cuda", dtype=torch.float64)
last = modules.LayerNorm(6).double().cuda()
traced = torch.jit.trace(last, (double,), check_trace=False)
torch.testing.assert_close(traced(double), last(double))
print("traced")
