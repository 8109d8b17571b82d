"""Print as JSON the type of the factors of each function, as passed and as cuDNN's log reads it.

All descriptors are of float64, or none: cuDNN refuses most calls of two types. A function in
cuDNN's place notes what comes; cuDNN's own is called without a handle, which it refuses after it
has written its arguments to its log. That is done in a process of its own: some functions crash
instead.
"""

import ctypes
import json
import os
import re
import struct
import tempfile

import cudnn_cffi as cudnn
from cudnn_cffi import _call, _tables
from cudnn_cffi._call.layer import lib
from cudnn_cffi._call.spec import WRAPPERS, read_spec

FACTOR = 2.5
FLOAT, DOUBLE = struct.pack("=f", FACTOR), struct.pack("=d", FACTOR)
NUMBERS = {"i": ctypes.c_int, "Q": ctypes.c_uint64, "d": ctypes.c_double}

real = ctypes.CDLL(os.environ["CUDNN_CFFI_LIBRARY"])
kept: list[object] = []
told = {}


def descriptor(ctype: str, dtype: str) -> object:
    """Make a descriptor, of a data type if it has one."""
    cls = getattr(cudnn, ctype.removeprefix("const ").removeprefix("cudnn").removesuffix("_t"))
    if cls is cudnn.TensorDescriptor:
        return cls.packed((2, 4, 4, 4), dtype)
    if cls is cudnn.FilterDescriptor:
        return cls.packed((4, 4, 1, 1), dtype)
    if cls is cudnn.ConvolutionDescriptor:
        return cls.cross_correlation(compute=dtype)
    if cls in (cudnn.OpTensorDescriptor, cudnn.ReduceTensorDescriptor):
        return cls.of("ADD", dtype)
    return cls()


def as_passed(name: str, arguments: list[object]) -> list[str]:
    """Return the types of the factors that a call passes to a function in cuDNN's place."""
    codes = read_spec(name).codes
    found = []

    def function(*given: int) -> int:
        for code, value in zip(codes, given, strict=True):
            if code[0] in "st":
                bits = ctypes.string_at(value, 8)
                found.append("DOUBLE" if bits == DOUBLE else "FLOAT" if bits[:4] == FLOAT else "?")
        return 0

    kinds = [NUMBERS.get(code[0], ctypes.c_void_p) for code in codes]
    kept.append(ctypes.CFUNCTYPE(ctypes.c_int, *kinds)(function))
    lib.cudnn_cffi_bind(WRAPPERS.index(name), ctypes.cast(kept[-1], ctypes.c_void_p).value)
    getattr(cudnn, name)(*arguments)
    return found


def as_read(name: str, arguments: list[object]) -> list[str]:
    """Return the types of the factors by cuDNN's log."""
    factor = ctypes.c_double(FACTOR)
    given = [None]
    for code, value in zip(read_spec(name).codes[1:], arguments[1:], strict=True):
        kind = NUMBERS.get(code[0])
        if code[0] in "st":
            given.append(ctypes.byref(factor))
        else:
            given.append(kind(value) if kind else ctypes.c_void_p(getattr(value, "address", value)))
    with tempfile.TemporaryFile() as log:
        child = os.fork()
        if not child:
            os.dup2(log.fileno(), 2)
            getattr(real, name)(*given)
            os._exit(0)
        os.waitpid(child, 0)
        log.seek(0)
        text = log.read().decode(errors="replace")
    text = text.partition(f"function {name}() called")[2].partition("i! Time")[0]
    return re.findall(r"i!\s+\w+: type=CUDNN_DATA_(\w+); val=", text)


for name in WRAPPERS:
    spec = read_spec(name)
    if name not in _tables.active().functions.values():
        continue
    if not any(code[0] in "st" for code in spec.codes):
        continue
    typed = [each.name for each in spec.parameters if each.kind == "descriptor"]
    for doubles in ([], typed):
        arguments = []
        for each in spec.parameters:
            if each.kind == "descriptor":
                arguments.append(
                    descriptor(each.ctype, "float64" if each.name in doubles else "float32")
                )
            else:
                arguments.append(
                    FACTOR if each.kind == "scaling" else 1 if each.code in NUMBERS else 1 << 20
                )
        told[f"{name} {' '.join(doubles)}"] = as_passed(name, arguments), as_read(name, arguments)
print(json.dumps([_call.mode(), told]))
