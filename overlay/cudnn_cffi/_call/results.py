"""Memory for the results of a call, and their conversion."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable

from _cffi_backend import FFI

from .._tables import record_class
from .arguments.messages import refused
from .arguments.scalars import to_int
from .codes import ARRAY_LIMIT
from .layer import ffi

#: Room for 64 results.
_OUT_BYTES = 512

#: Memory for the results of a call: its address and a view of it. A wrapper takes one out and
#: puts it back when it has read it, so that calls on other threads, or from a finalizer or signal
#: handler in between, have others. A call that fails loses its own.
outs: list[tuple[int, bytearray]] = []


def lend() -> tuple[int, bytearray]:
    """Return memory for results, old or new; it is put back into `outs`."""
    try:
        return outs.pop()
    except IndexError:
        pass
    block = bytearray(_OUT_BYTES)
    return int(ffi.cast("uintptr_t", ffi.from_buffer(block))), block


def unpacker(form: str) -> Callable[[bytearray], tuple[object, ...]]:
    """Return a function that reads results from memory, by a format of the struct module."""
    return struct.Struct(form).unpack_from


def memory(element: str, length: int = 1, name: str = "", least: int = 1) -> FFI.CData:
    """Return zeroed memory for `length` results, at least for `least`; `name` said how many."""
    try:
        length = to_int(length, 0, ARRAY_LIMIT)
    except (TypeError, OverflowError) as error:
        raise refused(name, str(error), length) from error
    return ffi.new(f"{element}[]", max(length, least))


def text(address: int) -> str:
    """Return a text that cuDNN keeps."""
    if not address:
        return ""
    return ffi.string(ffi.cast("char *", address)).decode("utf-8", "replace")


def string(buffer: object, length: int) -> str:
    """Return a text that cuDNN wrote to memory of `length` bytes."""
    return ffi.string(buffer, max(length, 1)).decode("utf-8", "replace")


def records(ctype: str, length: int, name: str = "") -> FFI.CData:
    """Return zeroed memory for `length` structs; `name` said how many."""
    size = ctypes.sizeof(record_class(ctype))
    try:
        count = to_int(length, 0, ARRAY_LIMIT // size)
    except (TypeError, OverflowError) as error:
        raise refused(name, str(error), length) from error
    return ffi.new("char[]", max(count, 1) * size)


def record_values(buffer: object, ctype: str, count: int) -> list[ctypes.Structure]:
    """Return copies of `count` structs that cuDNN wrote."""
    cls = record_class(ctype)
    size = ctypes.sizeof(cls)
    view = ffi.buffer(buffer)
    return [cls.from_buffer_copy(view[i * size : (i + 1) * size]) for i in range(count)]
