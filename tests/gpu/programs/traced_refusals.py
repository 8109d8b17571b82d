"""TorchScript traces batches without elements, and raises what cuDNN refuses."""

import warnings

import torch
from cudnn_cffi import errors
from cudnn_cffi.torch import modules

warnings.simplefilter("ignore")
x = torch.zeros(0, 6, device="cuda")
for training in (True, False):
    norm = modules.BatchNorm1d(6).cuda().train(training)
    assert torch.jit.trace(norm, (x,), check_trace=False)(x).shape == (0, 6)
print("traced")
double = torch.zeros(4, 6, device="cuda", dtype=torch.float64)
try:
    torch.jit.trace(modules.LayerNorm(6).double().cuda(), (double,), check_trace=False)
except errors.CudnnError:
    print("refused")
