"""One of two processes, which takes over the choices of the other: `python ... RANK FILE`."""

import os
import sys

import cudnn_cffi as cudnn
import torch
from cudnn_cffi import choice
from cudnn_cffi.torch import convert, share_choices
from torch import distributed, nn

rank, place = int(sys.argv[1]), sys.argv[2]
distributed.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=2)
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3))
convert(model)
record = choice.Choice(
    "convolution", {"x": "float32[1] NCHW"}, {}, {}, "some device", cudnn.library.load().version,
    "graph", 7, {"TILE_SIZE": 3}, how="time",
)  # fmt: skip
if rank == 1:
    os.environ["CUDNN_CFFI_CHOICE"] = "tf32=0,large"
if rank == 0:
    choice.set_default(filter="deterministic")
    choice.adopt(choice.Choices([record]))
    model[0].set_mode(forward="IMPLICIT_GEMM", data=choice.Engine(5))
else:
    model[2].set_mode(forward="fft")
parallel = nn.parallel.DistributedDataParallel(model)
chosen = share_choices(parallel)
assert chosen is not None
assert choice.default_policy() == choice.Policy.of(filter="deterministic")
assert list(choice.choices()) == [record], choice.choices()
assert str(model[0].choose.forward.pick) == "IMPLICIT_GEMM"
assert model[0].choose.data.pick == choice.Engine(5)
assert model[2].choose is None, model[2].choose
assert share_choices() is None

# The gradients are those of both halves of the batch together; the CPU has no such algorithm.
model[0].reset_mode()
torch.manual_seed(3)
x = torch.randn(4, 3, 8, 8)
parallel(x[2 * rank : 2 * rank + 2]).square().mean().backward()
whole = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3))
whole.load_state_dict(model.state_dict())
whole(x).square().mean().backward()
for own, other in zip(model.parameters(), whole.parameters(), strict=True):
    assert torch.allclose(own.grad, other.grad, atol=1e-5)
distributed.destroy_process_group()
print("shared")
