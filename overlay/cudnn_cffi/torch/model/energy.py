"""Measure the energy of work on a device, by NVML's counter."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Protocol

import torch

from ... import errors

#: Seconds of work between two changes of the counter, which changes some ten times a second.
ENOUGH = 0.5

#: Seconds after which no change is waited for, and those of the work between two looks.
PATIENCE, BATCH = 5.0, 0.004


class _Counter(Protocol):
    """The part of nvidia-ml-py that is used."""

    def nvmlInit(self) -> None: ...
    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> object: ...
    def nvmlDeviceGetTotalEnergyConsumption(self, device: object) -> int: ...


class Meter:
    """The energy counter of a device: that of all that runs there, idle power included."""

    def __init__(self, device: torch.device) -> None:
        """Find the counter.

        Raises:
            NotSupportedError: nvidia-ml-py is not installed, or the device has no counter.
        """
        self._device = device
        try:
            self._nvml: _Counter = import_module("pynvml")
        except ImportError:
            raise errors.NotSupportedError(
                "energy=True reads NVML's counter by nvidia-ml-py, which is not installed",
                hint="pip install nvidia-ml-py",
            ) from None
        try:
            self._nvml.nvmlInit()
            uuid = torch.cuda.get_device_properties(device).uuid
            self._handle = self._nvml.nvmlDeviceGetHandleByUUID(f"GPU-{uuid}")
            self._read()
        except Exception as error:  # NVML's own classes
            raise errors.NotSupportedError(f"NVML has no energy of {device}: {error}") from error

    def _read(self) -> int:
        """Return the millijoules since the driver was loaded."""
        return int(self._nvml.nvmlDeviceGetTotalEnergyConsumption(self._handle))

    def millijoules(self, run: Callable[[], object], microseconds: float) -> float | None:
        """Return the energy of a call, from some tenths of a second of calls.

        Args:
            run: makes the call.
            microseconds: how long it takes, about.

        Returns: None where the counter stands still.
        """
        calls = max(1, int(BATCH * 1e6 / max(microseconds, 1.0)))
        begin, done = time.monotonic(), 0
        last, changes = self._read(), []
        while time.monotonic() - begin < PATIENCE:
            for _ in range(calls):
                run()
            torch.cuda.synchronize(self._device)
            done += calls
            now = self._read()
            if now != last:
                last = now
                changes.append((time.monotonic(), done, now))
                if changes[-1][0] - changes[0][0] > ENOUGH:
                    break
        if len(changes) < 2:
            return None
        (_, first, before), (_, count, after) = changes[0], changes[-1]
        return (after - before) / (count - first)
