"""The time of a function on the device, and operands for it."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ....arrays import last_offset

if TYPE_CHECKING:
    from ....plan.operand import Operand

#: Samples of a time, and runs of each.
_SAMPLES, _RUNS = 5, 4

_TYPES = {
    "HALF": torch.float16, "BFLOAT16": torch.bfloat16, "FLOAT": torch.float32,
    "INT8": torch.int8, "FP8_E4M3": torch.float8_e4m3fn,
}  # fmt: skip


def like_of(operand: Operand, ordinal: int) -> Tensor:
    """Return small random numbers for an operand of a plan."""
    dtype = _TYPES[operand.data_type]
    size = last_offset(operand.shape, operand.strides) + 1
    device = torch.device("cuda", ordinal)
    own = torch.Generator(device)  # the process's draws for a model's calls
    made = torch.randint(-3, 4, (size,), device=device, dtype=torch.int8, generator=own)
    if dtype != torch.int8:
        made = made.to(dtype)
    return made.as_strided(operand.shape, operand.strides)


def time_of(run: Callable[[], object]) -> float:
    """Return the median of a function's microseconds on PyTorch's current stream."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for place in range(_SAMPLES + 1):
        begin.record()
        for _ in range(_RUNS):
            run()
        end.record()
        end.synchronize()
        if place:
            times.append(begin.elapsed_time(end) * 1000 / _RUNS)
    return float(statistics.median(times))
