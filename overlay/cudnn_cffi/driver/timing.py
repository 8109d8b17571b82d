"""Fill and copy device memory by addresses, as choosing by timing needs."""

from __future__ import annotations

import ctypes

from .libcuda import call as _call

_ELEMENTS = {1: ctypes.c_ubyte, 2: ctypes.c_ushort, 4: ctypes.c_uint}

#: The functions that fill memory, by the bytes of an element.
FILLING = {width: f"cuMemsetD{8 * width}Async" for width in _ELEMENTS}


def fill_with(address: int, bits: int, count: int, stream: int, width: int = 1) -> None:
    """Set elements of device memory to the same bits, in the order of a stream.

    Args:
        address: that of the first; a multiple of `width`.
        bits: of each element, as a number.
        count: how many elements there are.
        stream: the address of the stream.
        width: the bytes of an element: 1, 2 or 4.
    """
    _call(
        FILLING[width],
        ctypes.c_uint64(address), _ELEMENTS[width](bits), ctypes.c_size_t(count),
        ctypes.c_void_p(stream),
    )  # fmt: skip


def copy_in(address: int, data: bytes) -> None:
    """Copy bytes to device memory, and wait until all streams see them."""
    repeat(address, data, len(data))


def copy_within(source: int, target: int, size: int, stream: int) -> None:
    """Copy bytes from device memory to device memory, in a stream's order."""
    _call(
        "cuMemcpyDtoDAsync_v2",
        ctypes.c_uint64(target), ctypes.c_uint64(source), ctypes.c_size_t(size),
        ctypes.c_void_p(stream),
    )  # fmt: skip


def repeat(address: int, block: bytes, size: int, stream: int = 0) -> None:
    """Fill device memory with a block again and again, in a stream's order, and wait for that."""
    done = min(len(block), size)
    part = block[:done]  # is read until the wait has ended
    _call(
        "cuMemcpyHtoDAsync_v2",
        ctypes.c_uint64(address), part, ctypes.c_size_t(done), ctypes.c_void_p(stream),
    )  # fmt: skip
    while done < size:
        count = min(done, size - done)
        copy_within(address, address + done, count, stream)
        done += count
    _call("cuStreamSynchronize", ctypes.c_void_p(stream))


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


def copy_rows(
    source: int, target: int, rows: int, width: int, pitch: int, to_pitch: int, stream: int
) -> None:
    """Copy the first bytes of each row of device memory to other rows, in a stream's order.

    Args:
        source, target: the addresses.
        rows: how many there are.
        width: the bytes of each that are copied.
        pitch, to_pitch: the bytes from row to row in `source` and in `target`.
        stream: the address of the stream.
    """
    copy = _Copy2D(
        source_type=_DEVICE, source_device=source, source_pitch=pitch, target_type=_DEVICE,
        target_device=target, target_pitch=to_pitch, width=width, height=rows,
    )  # fmt: skip
    _call("cuMemcpy2DAsync_v2", ctypes.byref(copy), ctypes.c_void_p(stream))


def copy_out(address: int, size: int, stream: int = 0) -> bytes | bytearray:
    """Return bytes of device memory, when all before in a stream is done.

    The default stream waits for all streams that block it.
    """
    data = bytearray(size)
    target = (ctypes.c_char * size).from_buffer(data)
    place = ctypes.c_void_p(stream)
    _call("cuMemcpyDtoHAsync_v2", target, ctypes.c_uint64(address), ctypes.c_size_t(size), place)
    _call("cuStreamSynchronize", place)
    return data
