"""Read arrays by DLPack: by their capsules, or by the exchange table of their type.

The table has C functions, in a capsule `__dlpack_c_exchange_api__`. They describe an array without
a capsule of its own, and without waiting for a stream. The compiled layer calls them in
`native/arrays.c`; this module is for other readers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .. import errors
from .dtypes import DLPACK, dtype_name
from .info import ArrayInfo, host_error, packed_strides

_TABLES, _UNVERSIONED, _VERSIONED = b"dlpack_exchange_api", b"dltensor", b"dltensor_versioned"

#: The flag of an owner whose memory must not change.
READ_ONLY = 1

#: DLPack's numbers of host memory and of memory of a CUDA device.
HOST, CUDA = 1, 2

#: Names of data types, by DLPack's code and number of bits.
_NAMES = {key: dtype_name(member) for member, key in DLPACK.items()}

_Int, _Pointer, _Long = ctypes.c_int, ctypes.c_void_p, ctypes.c_int64


class _Array(ctypes.Structure):
    _fields_ = (
        *(("data", _Pointer), ("place", ctypes.c_int32), ("device", ctypes.c_int32)),
        *(("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8)),
        *(("lanes", ctypes.c_uint16), ("shape", _Pointer)),
        *(("strides", _Pointer), ("offset", ctypes.c_uint64)),
    )


class _Owner(ctypes.Structure):
    _fields_ = (
        *(("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", _Pointer)),
        *(("release", _Pointer), ("flags", ctypes.c_uint64), ("array", _Array)),
    )


class _Table(ctypes.Structure):
    _fields_ = (
        *(("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", _Pointer)),
        *(("allocate", _Pointer), ("own", _Pointer), ("to_object", _Pointer)),
        *(("describe", _Pointer), ("current_stream", _Pointer)),
    )


_is_capsule = ctypes.PYFUNCTYPE(_Int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_address_in = ctypes.PYFUNCTYPE(_Pointer, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)

_Describe = ctypes.PYFUNCTYPE(_Int, ctypes.py_object, ctypes.POINTER(_Array))
_Own = ctypes.PYFUNCTYPE(_Int, ctypes.py_object, ctypes.POINTER(ctypes.POINTER(_Owner)))
_Release = ctypes.PYFUNCTYPE(None, ctypes.POINTER(_Owner))


def export(array: Any, stream: int) -> object:
    """Return the capsule of an array, for a stream; of DLPack 1 where its library has that."""
    try:
        return array.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:
        return array.__dlpack__(stream=stream)


def structs_of(capsule: object) -> tuple[Any, Any]:
    """Return the array in a capsule, and its owner, which older capsules than DLPack 1 lack: None.

    They end with the capsule.
    """
    if _is_capsule(capsule, _VERSIONED):
        owner = _Owner.from_address(_address_in(capsule, _VERSIONED))
        return owner.array, owner
    return _Array.from_address(_address_in(capsule, _UNVERSIONED)), None


def is_read_only(capsule: object) -> bool:
    """Return whether a capsule says that the memory must not change."""
    return bool(_is_capsule(capsule, _VERSIONED) and structs_of(capsule)[1].flags & READ_ONLY)


#: Describes an array; raises what the table's function raises.
Reader = Callable[[object], ArrayInfo]


@lru_cache(64)
def table_of(kind: type) -> object | None:
    """Return the capsule with the exchange table of a type of arrays; None if it has none."""
    found = getattr(kind, "__dlpack_c_exchange_api__", None)
    return found if found is not None and _is_capsule(found, _TABLES) else None


@lru_cache(64)
def reader_of(kind: type) -> Reader | None:
    """Return what describes arrays of a type by its table; None if it has no table of version 1.

    The reader raises ArgumentError if the array is in host memory, ClosedError if its memory was
    freed, and LookupError if its data type or place has no name here.
    """
    capsule = table_of(kind)
    if capsule is None:
        return None
    address = _address_in(capsule, _TABLES)
    while address and (table := _Table.from_address(address)).major != 1:
        address = table.older
    if not address or not (table.describe or table.own):
        return None
    describe = _Describe(table.describe) if table.describe else None
    own = _Own(table.own) if table.own else None

    def read(array: object) -> ArrayInfo:
        if describe is not None:
            found = _Array()
            describe(array, ctypes.byref(found))
            return _info(array, found)
        owner = ctypes.POINTER(_Owner)()
        assert own is not None
        own(array, ctypes.byref(owner))
        try:
            return _info(array, owner.contents.array)
        finally:
            if owner.contents.release:
                _Release(owner.contents.release)(owner)

    return read


def _info(array: object, found: _Array) -> ArrayInfo:
    if found.place == HOST:
        raise host_error(array)
    if found.place != CUDA or found.lanes != 1:
        raise LookupError(f"memory {found.place}, {found.lanes} lanes")
    numbers = _Long * found.ndim  # ctypes keeps such types
    shape = tuple(numbers.from_address(found.shape)) if found.ndim else ()
    strides = tuple(numbers.from_address(found.strides)) if found.strides else packed_strides(shape)
    if not found.data and 0 not in shape:
        raise errors.ClosedError("expected device memory, got an array that was freed")
    address = found.data + found.offset if found.data else 0
    return ArrayInfo(address, _NAMES[found.code, found.bits], shape, strides, found.device)
