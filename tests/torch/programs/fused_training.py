"""One of two processes that train a fused model together: `python ... RANK FILE DEVICE`.

DEVICE is "cpu", "cuda" for both on the first GPU, or "cuda:RANK" for one GPU each.
"""

import copy
import sys

import torch
from cudnn_cffi.torch import fuse
from torch import distributed, nn

rank, place = int(sys.argv[1]), sys.argv[2]
device = sys.argv[3].replace("RANK", str(rank))
has_own = ":" in device
if has_own:
    torch.cuda.set_device(device)
distributed.init_process_group(
    "nccl" if has_own else "gloo", init_method=f"file://{place}", rank=rank, world_size=2,
    device_id=torch.device(device) if has_own else None,
)  # fmt: skip
torch.backends.cudnn.allow_tf32 = False
torch.manual_seed(7)
model = nn.Sequential(
    nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3),
    nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 8 * 8, 4),
).to(device, memory_format=torch.channels_last)  # fmt: skip
halves = [copy.deepcopy(model) for _ in range(2)]
fused = fuse(model, training=True)
parallel = nn.parallel.DistributedDataParallel(fused, device_ids=[rank] if has_own else None)
for turn in range(3):
    torch.manual_seed(turn)
    batch = torch.randn(8, 3, 12, 12, device=device)
    for own in (*halves, model):
        own.zero_grad()
    parallel(batch[4 * rank : 4 * rank + 4]).square().mean().backward()
    # Each process normalizes by its own half; buffers are those of the first one.
    for each, own in enumerate(halves):
        own(batch[4 * each : 4 * each + 4]).square().mean().backward()
    halves[1].load_state_dict(halves[0].state_dict())
    for found, *theirs in zip(*(e.parameters() for e in (model, *halves)), strict=True):
        wanted = (theirs[0].grad + theirs[1].grad) / 2
        assert torch.allclose(found.grad, wanted, rtol=1e-3, atol=1e-4), turn
assert any(row.what == "norm + relu" for row in fused.report)
if rank == 0:
    for one, other in zip(model.buffers(), halves[0].buffers(), strict=True):
        assert torch.allclose(one, other, rtol=1e-3, atol=1e-4)
distributed.destroy_process_group()
print("trained")
