"""One of two processes that train a converted model on a GPU each: `python ... RANK FILE`."""

import copy
import sys

import torch
from cudnn_cffi import choice, ops
from cudnn_cffi.torch import convert, share_choices
from torch import distributed, nn

rank, place = int(sys.argv[1]), sys.argv[2]
torch.cuda.set_device(rank)
distributed.init_process_group(
    "nccl", init_method=f"file://{place}", rank=rank, world_size=2,
    device_id=torch.device("cuda", rank),
)  # fmt: skip
torch.manual_seed(7)
model = nn.Sequential(
    nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.Flatten(),
    nn.Linear(16 * 12 * 12, 4),
).to("cuda", memory_format=torch.channels_last)  # fmt: skip
whole = copy.deepcopy(model).double()
batch = torch.randn(8, 8, 12, 12, device="cuda")
convert(model)
choice.set_default("time", tf32=False)
parallel = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
part = batch[4 * rank : 4 * rank + 4]
parallel(part).square().mean().backward()  # each process has chosen by itself
share_choices(parallel)
assert choice.default_policy().forward.pick == "time"
model.zero_grad()
with ops.record() as log:
    parallel(part).square().mean().backward()
torch.cuda.synchronize()
whole(batch.double()).square().mean().backward()
for own, other in zip(model.parameters(), whole.parameters(), strict=True):
    error = float((own.grad.double() - other.grad).norm() / other.grad.norm())
    assert error < 1e-3, error
ran = [
    (each.section, each.way, sorted(each.knobs.items()))
    for each in log
    if each.operation in ("convolution", "convolution_backward_data", "convolution_backward_filter")
]
assert len(ran) == 5, ran

# Two GPUs in one process, as DataParallel has them: a thread for each.
if rank == 0:
    replicas = nn.parallel.replicate(model, [0, 1])
    parts = [batch[:4].detach(), batch[4:].detach().to("cuda:1")]
    with torch.no_grad():
        first, second = nn.parallel.parallel_apply(replicas, [(each,) for each in parts])
        wanted = whole(batch.double())
    found = torch.cat([first, second.to("cuda:0")])
    assert float((found.double() - wanted).norm() / wanted.norm()) < 1e-3
distributed.barrier()
distributed.destroy_process_group()
print("done", ran)
