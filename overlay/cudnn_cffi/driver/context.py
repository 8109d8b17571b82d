"""CUDA contexts: the current one, and which device one is on."""

from __future__ import annotations

import ctypes
from operator import index

from .. import errors
from .._support.wording import a_kind
from . import libcuda

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import SupportsIndex

_primary: dict[int, int] = {}


def current_context() -> int:
    """Return the context that is current in this thread; 0 if none is."""
    cuda = libcuda.load()
    if cuda is None:
        return 0
    context = ctypes.c_void_p()
    cuda.cuCtxGetCurrent(ctypes.byref(context))
    return context.value or 0


def set_context(context: int) -> None:
    """Make a context current in this thread; 0 for none."""
    libcuda.call("cuCtxSetCurrent", ctypes.c_void_p(context))


class in_context:  # noqa: N801  it is used like a function
    """Make a context current while a `with` block runs, and then the one before.

    Args:
        context: the context; 0 leaves the current one.
        stay: whether `context` stays current where none was before, as after a call of the CUDA
            runtime.
    """

    __slots__ = ("_before", "_stay", "_wanted")

    def __init__(self, context: int, *, stay: bool = False) -> None:
        self._wanted = context
        self._stay = stay
        self._before = 0

    def __enter__(self) -> None:
        self._before = current_context()
        if self._wanted and self._before != self._wanted:
            set_context(self._wanted)

    def __exit__(self, *_: object) -> None:
        if not self._wanted or (self._stay and not self._before):
            return
        if current_context() != self._before:
            set_context(self._before)


def ordinal(device: SupportsIndex) -> int:
    """Return `device` as an int.

    Raises:
        ArgumentError: it is no whole number.
    """
    if not isinstance(device, bool) and not hasattr(device, "__cuda_stream__"):
        try:
            return index(device)
        except TypeError:
            pass
    raise errors.ArgumentError(
        f"device: expected an ordinal, got {a_kind(device)}",
        hint="0 is the first device that this process sees; a stream is passed as stream=",
    )


def usable_context(device: int) -> int:
    """Return the current context if it is on `device`, else the primary one there."""
    current = current_context()
    return current if current and device_of(current) == device else primary_context(device)


def primary_context(device: int) -> int:
    """Return the context that the CUDA runtime, and with it most libraries, uses on `device`.

    It is kept until the process ends, as those libraries do.

    Raises:
        NotInitializedError: there is no driver or no device.
        ArgumentError: there is no device of that number.
    """
    if device not in _primary:
        if not 0 <= device < libcuda.count():
            if libcuda.why_unusable():
                raise libcuda.no_device()
            raise errors.ArgumentError(
                f"there is no device {device}: this process sees {libcuda.count()}",
                hint="CUDA_VISIBLE_DEVICES chooses and numbers them",
            )
        context = ctypes.c_void_p()
        libcuda.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), ctypes.c_int(device))
        _primary[device] = context.value or 0
    return _primary[device]


def is_primary(context: int) -> bool:
    """Return whether a context is one that `primary_context` has returned."""
    return context in list(_primary.values())  # other threads add to it


def device_of_context(context: int) -> int:
    """Return the ordinal of the device that `context` is on."""
    for device, primary in list(_primary.items()):  # other threads add to it
        if primary == context:
            return device
    ordinal = ctypes.c_int()
    with in_context(context):
        libcuda.call("cuCtxGetDevice", ctypes.byref(ordinal))
    return ordinal.value


def device_of(context: int = 0) -> int:
    """Return the device of `context`, or of this thread: 0 for a thread without a context."""
    context = context or current_context()
    return device_of_context(context) if context else 0


def context_of_stream(stream: int) -> int:
    """Return the context that a stream was made in."""
    context = ctypes.c_void_p()
    libcuda.call("cuStreamGetCtx", ctypes.c_void_p(stream), ctypes.byref(context))
    return context.value or 0
