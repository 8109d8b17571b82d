"""A kernel that keeps a stream busy for a number of steps, and so ends whatever clocks say."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

#: Cycles of a step of spin.cu.
_CYCLES = 80


class Spin:
    """Does what `torch.cuda._sleep` does.

    PyTorch's reads the clock of a multiprocessor until it is late enough, which is no promise to end
    where several processes take turns on a device.
    """

    def __init__(self) -> None:
        self._kernels: dict[int, Any] = {}

    def __call__(self, cycles: int) -> None:
        import torch
        from cudnn_cffi.torch.fusion.kernels.compiled import Launch, Source

        device = torch.cuda.current_device()
        launch = self._kernels.get(device)
        if launch is None:
            file = Path(__file__).with_name("spin.cu")
            kernel = Source(device, file, (), "").kernel("spin")
            launch = self._kernels[device] = Launch(kernel, device, (1, 1, 1), 1)
        launch(struct.pack("I", max(1, cycles // _CYCLES)))
