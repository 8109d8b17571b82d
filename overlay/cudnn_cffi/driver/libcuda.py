"""The driver's library: loaded once, when a function of it is first needed."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

from .. import errors
from .._support import fork as _fork

#: The names of its file, the first one first.
NAMES = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so")

_lock = _fork.lock()
_cuda: Any = None
_why = ""
_count = 0


def load() -> Any:
    """Return libcuda, initialised; None if no device can be used."""
    if _cuda is None and not _why:
        with _lock:
            if _cuda is None and not _why:
                _load()
    return _cuda


def loaded() -> Any:
    """Return libcuda if a device was used through it before; else None."""
    return _cuda


_fork.watch(loaded)


@cache
def _open() -> tuple[Any, str]:
    """Return the library, or why there is none; only the first answer is of the driver's own."""
    reasons = []
    for name in NAMES:
        try:
            return ctypes.CDLL(name), ""
        except OSError as error:
            reasons.append(str(error))
    return None, f"no NVIDIA driver: {reasons[0]}"


def why_absent() -> str:
    """Return why the driver's library is not there; "" if it is. It is not initialised."""
    return _open()[1]


def _load() -> None:
    global _cuda, _why, _count
    cuda, absent = _open()
    if absent:
        _why = absent
        return
    if status := cuda.cuInit(0):
        _why = f"the NVIDIA driver does not start: {error_name(status, cuda)}"
        return
    number = ctypes.c_int()
    cuda.cuDeviceGetCount(ctypes.byref(number))
    _count = number.value
    if not _count:
        _why = "the NVIDIA driver shows no device to this process"
        return
    _cuda = cuda


def error_name(status: int, cuda: ctypes.CDLL | None = None) -> str:
    """Return the driver's name of a status, or its number where the driver knows none."""
    cuda = cuda or _open()[0]
    name = ctypes.c_char_p()
    if cuda is None or cuda.cuGetErrorName(status, ctypes.byref(name)) or not name.value:
        return f"error {status}"
    return name.value.decode()


def why_unusable() -> str:
    """Return why no device can be used, in words; "" if one can."""
    load()
    return _why


def no_device() -> errors.NotInitializedError:
    """Return the error for a process that can use no device."""
    return errors.NotInitializedError(_why, hint="`python -m cudnn_cffi doctor` checks this")


def call(function: str, *arguments: object) -> None:
    """Call a function of the driver.

    Raises:
        ForkedError: the parent process had used CUDA.
        NotInitializedError: there is no driver or no device.
        AllocationError: the device or the host has too little memory.
        CudnnError: the function failed.
    """
    cuda = load()
    if cuda is None:
        raise no_device()
    _fork.check()
    if status := getattr(cuda, function)(*arguments):
        name = error_name(status, cuda)
        kind = errors.AllocationError if "OUT_OF_MEMORY" in name else errors.CudnnError
        raise kind(f"{function} -> {name}", function=function)


def count() -> int:
    """Return how many devices this process sees; 0 without a driver."""
    load()
    return _count
