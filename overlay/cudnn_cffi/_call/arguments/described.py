"""Ask cuDNN for the contents of a descriptor of a tensor or filter by its address."""

from __future__ import annotations

import ctypes
from typing import Any

from ... import arrays, library
from ..._support.results import NamedTuple
from ..._tables import active, enum_map
from ..failure import failed
from ..layer import ffi, lib
from .addresses import address_of

_DIM_MAX = 8


class Described(NamedTuple):
    """Data type, extents and strides in elements, as `arrays.check` compares them."""

    dtype: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def _ask(getter: str, address: int, *memory: object) -> None:
    """Call a getter, whose results go to memory: arrays, and the slots of numbers last."""
    *arrays, slots = memory

    def ask(*values: int) -> None:
        out = int(ffi.cast("uintptr_t", slots))
        if status := getattr(lib, getter)(*values, *arrays, out):
            failed(ask, getter, status, values)

    ask(address, _DIM_MAX)


def _read_tensor(address: int) -> Described:
    slots, shape, strides = ffi.new("int64_t[2]"), ffi.new("int[8]"), ffi.new("int[8]")
    _ask("cudnnGetTensorNdDescriptor", address, shape, strides, slots)
    count = max(min(slots[1], _DIM_MAX), 0)
    kind = enum_map("DataType")[slots[0]]
    return Described(kind, tuple(ffi.unpack(shape, count)), tuple(ffi.unpack(strides, count)))


def _read_filter(address: int) -> Described:
    slots, extents = ffi.new("int64_t[3]"), ffi.new("int[8]")
    _ask("cudnnGetFilterNdDescriptor", address, extents, slots)
    shape = tuple(ffi.unpack(extents, max(min(slots[2], _DIM_MAX), 0)))
    layout = enum_map("TensorFormat")[slots[1]].name
    return Described(enum_map("DataType")[slots[0]], shape, arrays.packed_strides(shape, layout))


#: By C type, what reads a descriptor at an address.
READERS = {
    "cudnnTensorDescriptor_t": _read_tensor,
    "cudnnFilterDescriptor_t": _read_filter,
}


def read_data_type(descriptor: object) -> Any:
    """Return the member of `DataType` that a tensor's descriptor has."""
    address = address_of(descriptor, "cudnnTensorDescriptor_t", optional=False)
    if "cudnnGetTensorNdDescriptor" in active().functions:
        return _read_tensor(address).dtype
    # Only cuDNN 1 lacks it.
    numbers = [ctypes.c_int() for _ in range(9)]
    signature = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 10)
    symbol = "cudnnGetTensor4dDescriptor"
    signature(library.load().address(symbol))(address, *map(ctypes.byref, numbers))
    return enum_map("DataType")[numbers[0].value]
