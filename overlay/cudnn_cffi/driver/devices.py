"""Devices: their properties, and which one has an address."""

from __future__ import annotations

import ctypes

from .. import errors
from .._support.results import NamedTuple
from . import libcuda
from .context import in_context, primary_context
from .graphs import attribute

_ATTRIBUTE_ORDINAL = 9
_CAPABILITY_MAJOR, _CAPABILITY_MINOR = 75, 76


class DeviceInfo(NamedTuple):
    """The description of a device in errors; memory in bytes, 0 if unknown."""

    ordinal: int
    name: str
    free: int
    total: int
    driver: str

    def __str__(self) -> str:
        memory = f", {self.free >> 20} of {self.total >> 20} MiB free" if self.total else ""
        return f"{self.ordinal} ({self.name}{memory})"


def ordinal_of_pointer(address: int) -> int | None:
    """Return the device that an address belongs to; None for memory that CUDA does not know."""
    cuda = libcuda.load()
    if cuda is None:
        return None
    ordinal = ctypes.c_int(-1)
    status = cuda.cuPointerGetAttribute(
        ctypes.byref(ordinal), _ATTRIBUTE_ORDINAL, ctypes.c_uint64(address)
    )
    return None if status or ordinal.value < 0 else ordinal.value


def memory_info(device: int) -> tuple[int, int]:
    """Return free and total memory of a device, in bytes; zeros if they cannot be asked."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    try:
        with in_context(primary_context(device)):
            libcuda.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    except errors.CudnnError:
        return 0, 0
    return free.value, total.value


def compute_capability(device: int) -> tuple[int, int] | None:
    """Return the compute capability of a device, such as (9, 0); None if it cannot be asked."""
    try:
        return attribute(device, _CAPABILITY_MAJOR), attribute(device, _CAPABILITY_MINOR)
    except errors.CudnnError:
        return None


def info(device: int) -> DeviceInfo:
    """Describe a device. It never fails, since it is used to tell of failures."""
    cuda = libcuda.load()
    if cuda is None:
        return DeviceInfo(device, libcuda.why_unusable(), 0, 0, "none")
    name = ctypes.create_string_buffer(128)
    version = ctypes.c_int()
    cuda.cuDeviceGetName(name, len(name), ctypes.c_int(device))
    cuda.cuDriverGetVersion(ctypes.byref(version))
    driver = f"for CUDA {version.value // 1000}.{version.value % 1000 // 10}"
    return DeviceInfo(device, name.value.decode() or "unknown", *memory_info(device), driver)
