"""The few functions of the CUDA driver that handles and streams need, through ctypes.

cuDNN works on whatever context is current, so these must be there for users of every array
library, and a call must not cost more than the call that it serves.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from operator import index

from .. import errors
from .._support import fork as _fork

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NamedTuple
else:
    from .._support.results import Record as NamedTuple

__all__ = [
    "DeviceInfo",
    "Event",
    "capture_id",
    "context_of_stream",
    "count",
    "create_stream",
    "current_context",
    "device_of",
    "device_of_context",
    "in_context",
    "info",
    "last_reference",
    "memory_info",
    "ordinal",
    "ordinal_of_pointer",
    "primary_context",
    "record",
    "set_context",
    "synchronize",
    "synchronize_context",
    "usable_context",
    "wait_for",
    "why_unusable",
]

_NAMES = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so")
_NON_BLOCKING = 1
_WITHOUT_TIMING = 2
_ATTRIBUTE_ORDINAL = 9

_lock = _fork.lock()
_cuda: Any = None
_why = ""
_count = 0
_primary: dict[int, int] = {}


class DeviceInfo(NamedTuple):
    """What an error says about a device; memory in bytes, 0 where it cannot be asked."""

    ordinal: int
    name: str
    free: int
    total: int
    driver: str

    def __str__(self) -> str:
        memory = f", {self.free >> 20} of {self.total >> 20} MiB free" if self.total else ""
        return f"{self.ordinal} ({self.name}{memory})"


def _open() -> Any:
    """libcuda, initialised; None where there is none, with the reason in `_why`."""
    global _cuda, _why, _count
    if _cuda is not None or _why:
        return _cuda
    with _lock:
        if _cuda is not None or _why:
            return _cuda
        found = None
        reasons = []
        for name in _NAMES:
            try:
                found = ctypes.CDLL(name)
                break
            except OSError as error:
                reasons.append(str(error))
        if found is None:
            _why = f"no NVIDIA driver: {reasons[0]}"
            return None
        if status := found.cuInit(0):
            _why = f"the NVIDIA driver does not start: {_error_name(found, status)}"
            return None
        number = ctypes.c_int()
        found.cuDeviceGetCount(ctypes.byref(number))
        _count = number.value
        if not _count:
            _why = "the NVIDIA driver shows no device to this process"
            return None
        _cuda = found
    return _cuda


def _error_name(cuda: Any, status: int) -> str:
    name = ctypes.c_char_p()
    if cuda.cuGetErrorName(status, ctypes.byref(name)) or not name.value:
        return f"error {status}"
    return name.value.decode()


def why_unusable() -> str:
    """Why no device can be used, in words; "" where one can."""
    _open()
    return _why


def _call(function: str, *arguments: Any) -> None:
    cuda = _open()
    if cuda is None:
        raise errors.NotInitializedError(_why, hint="`python -m cudnn_cffi doctor` checks this")
    if status := getattr(cuda, function)(*arguments):
        name = _error_name(cuda, status)
        kind = errors.AllocationError if "OUT_OF_MEMORY" in name else errors.CudnnError
        raise kind(f"{function} -> {name}", function=function)


def count() -> int:
    """How many devices this process sees; 0 without a driver."""
    _open()
    return _count


def current_context() -> int:
    """The context that is current in this thread; 0 where none is."""
    cuda = _cuda or _open()
    if cuda is None:
        return 0
    context = ctypes.c_void_p()
    cuda.cuCtxGetCurrent(ctypes.byref(context))
    return context.value or 0


def set_context(context: int) -> None:
    """Make a context current in this thread; 0 for none."""
    _call("cuCtxSetCurrent", ctypes.c_void_p(context))


class in_context:  # noqa: N801  it is used like a function
    """Have a context current while a `with` block runs, and afterwards the one before.

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


def ordinal(device: Any) -> int:
    """`device` as an int.

    Raises:
        ArgumentError: it is no whole number.
    """
    if not isinstance(device, bool) and not hasattr(device, "__cuda_stream__"):
        try:
            return index(device)
        except TypeError:
            pass
    raise errors.ArgumentError(
        f"device: an ordinal was expected, a {type(device).__name__} came",
        hint="0 is the first device that this process sees; a stream is passed as stream=",
    )


def usable_context(device: int) -> int:
    """The current context where it is on `device`, or else the primary one there."""
    current = current_context()
    return current if current and device_of(current) == device else primary_context(device)


def primary_context(device: int) -> int:
    """The context that the CUDA runtime, and with it most libraries, uses on `device`.

    Kept until the process ends, as those libraries do.
    """
    if device not in _primary:
        if not 0 <= device < count():
            if why := why_unusable():
                raise errors.NotInitializedError(
                    why, hint="`python -m cudnn_cffi doctor` checks this"
                )
            raise errors.ArgumentError(
                f"there is no device {device}: this process sees {count()}",
                hint="CUDA_VISIBLE_DEVICES chooses and numbers them",
            )
        context = ctypes.c_void_p()
        _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), ctypes.c_int(device))
        _primary[device] = context.value or 0
    return _primary[device]


def device_of_context(context: int) -> int:
    """The ordinal of the device that `context` is on."""
    for device, primary in list(_primary.items()):  # other threads add to it
        if primary == context:
            return device
    ordinal = ctypes.c_int()
    with in_context(context):
        _call("cuCtxGetDevice", ctypes.byref(ordinal))
    return ordinal.value


def device_of(context: int = 0) -> int:
    """The device of `context`, or of this thread; a thread without a context is on device 0."""
    context = context or current_context()
    return device_of_context(context) if context else 0


def context_of_stream(stream: int) -> int:
    """The context that a stream was made in."""
    context = ctypes.c_void_p()
    _call("cuStreamGetCtx", ctypes.c_void_p(stream), ctypes.byref(context))
    return context.value or 0


def capture_id(stream: int) -> int:
    """What tells one capture from all others while `stream` is captured into a graph, else 0."""
    status, number = ctypes.c_int(), ctypes.c_uint64()
    _call(
        "cuStreamGetCaptureInfo_v2",
        ctypes.c_void_p(stream), ctypes.byref(status), ctypes.byref(number), None, None, None,
    )  # fmt: skip
    return (number.value or -1) if status.value else 0


_ffi: Any = None
_watched: dict[int, Any] = {}


def last_reference(address: int, end: Callable[[int], None]) -> Any:
    """What calls `end` when the last reference to it goes, but for the end of the interpreter.

    It is nothing that the garbage collector looks at, which would finalize it in any order. So in
    a cycle of references `end` comes after the finalizers of all that is in the cycle.
    """
    global _ffi
    if _ffi is None:
        from _cffi_backend import FFI

        _ffi = FFI()
    token = _ffi.cast("void *", address)
    key = id(token)

    def ended(_: object, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not _finalizing():
            del _watched[key]
            end(address)

    _watched[key] = weakref.ref(token, ended)
    return token


def _destroy_stream(stream: int) -> None:
    _cuda.cuStreamDestroy_v2(ctypes.c_void_p(stream))


def _destroy_event(event: int) -> None:
    _cuda.cuEventDestroy_v2(ctypes.c_void_p(event))


class Event(NamedTuple):
    """A point in the order of a stream."""

    address: int
    life: Any


def create_stream() -> tuple[int, Any]:
    """A stream in the current context that does not wait for the default stream.

    Returns: its address, and what it ends with. All that is in it then is still done.
    """
    stream = ctypes.c_void_p()
    _call("cuStreamCreate", ctypes.byref(stream), ctypes.c_uint(_NON_BLOCKING))
    address = stream.value or 0
    return address, last_reference(address, _destroy_stream)


def record(stream: int) -> Event:
    """The point in a stream behind all that was put into it so far."""
    with in_context(context_of_stream(stream)):
        made = ctypes.c_void_p()
        _call("cuEventCreate", ctypes.byref(made), ctypes.c_uint(_WITHOUT_TIMING))
        address = made.value or 0
        event = Event(address, last_reference(address, _destroy_event))
        _call("cuEventRecord", made, ctypes.c_void_p(stream))
    return event


def wait_for(event: Event, stream: int) -> None:
    """Have what is put into `stream` from now on wait, on the device, for `event`."""
    _call(
        "cuStreamWaitEvent",
        ctypes.c_void_p(stream), ctypes.c_void_p(event.address), ctypes.c_uint(0),
    )  # fmt: skip


def synchronize(stream: int) -> None:
    """Wait, without the GIL, until all that was put into the stream is done."""
    _call("cuStreamSynchronize", ctypes.c_void_p(stream))


def synchronize_context() -> None:
    """Wait, without the GIL, for all streams of the current context, also those that are gone."""
    _call("cuCtxSynchronize")


def ordinal_of_pointer(address: int) -> int | None:
    """The device that an address belongs to; None for memory that CUDA does not know."""
    cuda = _open()
    if cuda is None:
        return None
    ordinal = ctypes.c_int(-1)
    status = cuda.cuPointerGetAttribute(
        ctypes.byref(ordinal), _ATTRIBUTE_ORDINAL, ctypes.c_uint64(address)
    )
    return None if status or ordinal.value < 0 else ordinal.value


def memory_info(device: int) -> tuple[int, int]:
    """Free and total memory of a device, in bytes; zeros where they cannot be asked."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    try:
        with in_context(primary_context(device)):
            _call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    except errors.CudnnError:
        return 0, 0
    return free.value, total.value


def info(device: int) -> DeviceInfo:
    """What is known of a device; it never fails, since it is used to tell of failures."""
    cuda = _open()
    if cuda is None:
        return DeviceInfo(device, _why, 0, 0, "none")
    name = ctypes.create_string_buffer(128)
    version = ctypes.c_int()
    cuda.cuDeviceGetName(name, len(name), ctypes.c_int(device))
    cuda.cuDriverGetVersion(ctypes.byref(version))
    driver = f"for CUDA {version.value // 1000}.{version.value % 1000 // 10}"
    return DeviceInfo(device, name.value.decode() or "unknown", *memory_info(device), driver)
