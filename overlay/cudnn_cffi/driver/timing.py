"""Time what a stream does, and reach memory by addresses: what choosing by timing needs."""

from __future__ import annotations

import ctypes

from .events import create_event
from .libcuda import call as _call


class Mark:
    """An event of the current context that notes the time at which a stream gets to it."""

    __slots__ = ("_life", "address")

    def __init__(self) -> None:
        """Create the event, by `cuEventCreate`.

        Raises:
            CudnnError: there is no current context.
        """
        self.address, self._life = create_event(0)

    def record(self, stream: int) -> None:
        """Put the event into a stream."""
        _call("cuEventRecord", ctypes.c_void_p(self.address), ctypes.c_void_p(stream))

    def wait(self) -> None:
        """Wait, without the GIL, until the stream got to the event."""
        _call("cuEventSynchronize", ctypes.c_void_p(self.address))

    def microseconds_since(self, start: Mark) -> float:
        """Return the time between two events that streams got to, in microseconds."""
        value = ctypes.c_float()
        first, last = ctypes.c_void_p(start.address), ctypes.c_void_p(self.address)
        _call("cuEventElapsedTime", ctypes.byref(value), first, last)
        return value.value * 1000


def fill_with(address: int, byte: int, size: int, stream: int) -> None:
    """Set each byte of device memory, in the order of a stream."""
    _call(
        "cuMemsetD8Async",
        ctypes.c_uint64(address), ctypes.c_ubyte(byte), ctypes.c_size_t(size),
        ctypes.c_void_p(stream),
    )  # fmt: skip


def copy_in(address: int, data: bytes) -> None:
    """Copy bytes to device memory, and wait for that."""
    _call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))


class _Copy2D(ctypes.Structure):
    """CUDA_MEMCPY2D of cuda.h."""

    _fields_ = (
        *(
            (f"{side}_{name}", kind)
            for side in ("source", "target")
            for name, kind in (
                ("x", ctypes.c_size_t), ("y", ctypes.c_size_t), ("type", ctypes.c_uint),
                ("host", ctypes.c_void_p), ("device", ctypes.c_uint64), ("array", ctypes.c_void_p),
                ("pitch", ctypes.c_size_t),
            )
        ),
        ("width", ctypes.c_size_t),
        ("height", ctypes.c_size_t),
    )  # fmt: skip


#: The number of device memory in `_Copy2D`.
_DEVICE = 2


def copy_rows(source: int, target: int, rows: int, width: int, pitch: int, stream: int) -> None:
    """Copy the first bytes of each row of device memory to rows without gaps, in a stream's order.

    Args:
        source, target: the addresses.
        rows: how many there are.
        width: the bytes of each that are copied.
        pitch: the bytes from row to row in `source`.
        stream: the address of the stream.
    """
    copy = _Copy2D(
        source_type=_DEVICE, source_device=source, source_pitch=pitch, target_type=_DEVICE,
        target_device=target, target_pitch=width, width=width, height=rows,
    )  # fmt: skip
    _call("cuMemcpy2DAsync_v2", ctypes.byref(copy), ctypes.c_void_p(stream))


def copy_out(address: int, size: int) -> bytes:
    """Return bytes of device memory, when all streams that block the default one are done."""
    buffer = ctypes.create_string_buffer(size)
    _call("cuMemcpyDtoH_v2", buffer, ctypes.c_uint64(address), ctypes.c_size_t(size))
    return buffer.raw
