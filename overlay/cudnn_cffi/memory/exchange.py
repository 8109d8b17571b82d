"""Exchange types by DLPack that cuda.core does not export itself."""

from __future__ import annotations

import ctypes

#: DLPack's codes of the types that cuda.core does not export.
DLPACK_CODES = {
    "bfloat16": 4,
    "bool": 6,
    "float8_e4m3fn": 10,
    "float8_e5m2": 12,
    "float8_e8m0fnu": 14,
}

#: The offset of the type's code in the struct that a capsule of that name holds.
_OFFSETS = {b"dltensor": 20, b"dltensor_versioned": 52}


def set_type(capsule: object, code: int) -> None:
    """Change the type of a DLPack capsule that holds integers of the same size.

    Args:
        capsule: with the name "dltensor" or "dltensor_versioned".
        code: DLPack's code of the type.
    """
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype = ctypes.c_void_p
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype = ctypes.c_char_p
    name_of.argtypes = [ctypes.py_object]
    name = name_of(capsule)
    ctypes.c_uint8.from_address(pointer_of(capsule, name) + _OFFSETS[name]).value = code
