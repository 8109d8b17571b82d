"""Read PyTorch's tensors in C: what they are, and whether their memory has their numbers.

`z.conj()` and its imaginary part share the memory of `z`, and have a bit set: conjugate or
negative. DLPack's table tells neither. A method takes longer than all else that is read of a
tensor, so PyTorch's function in C++ is asked for the negative bit: `at::native::is_neg`. Its
argument, an `at::Tensor`, is a field of the tensor's object of Python, whose place is found once,
on tensors for which `_cdata` has its value. Only complex tensors can be conjugate: these are
asked by their method.

DLPack's table takes five times as long as PyTorch's functions in C for compiled models. These read
tensors of PyTorch's own class in C++; the table describes all others, and complex ones.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import Any, NamedTuple

from ...arrays.dtypes import DLPACK, DTYPES

_WORD = 8

#: The library of PyTorch that exports the function, and its name there.
_LIBRARY, _FUNCTION = "libtorch_cpu.so", "_ZN2at6native6is_negERKNS_6TensorE"

#: PyTorch's functions in C that read tensors, and the types of what they write.
_READ: dict[str, Any] = {
    "data_ptr": ctypes.c_void_p, "dim": ctypes.c_int64,
    "sizes": ctypes.POINTER(ctypes.c_int64), "strides": ctypes.POINTER(ctypes.c_int64),
    "dtype": ctypes.c_int32, "device_type": ctypes.c_int32, "device_index": ctypes.c_int32,
}  # fmt: skip

#: The maximum number of PyTorch's data types.
_MOST_TYPES = 64


class Bits(NamedTuple):
    """The way that the compiled layer asks arrays of a type for their bits.

    Attributes:
        place: the offset of `at::Tensor` in an object of Python; -1 if methods are called.
        function: the address of the function that is asked; 0 if there is none.
        reader: what describes tensors in C: the word that those in C++ begin with, the number of
            CUDA's devices, DLPack's code and bits of each data type, addresses of functions; or ().
    """

    place: int
    function: int
    reader: tuple[Any, ...] = ()


#: For arrays whose memory always has their numbers.
NO_BITS = Bits(0, 0)

#: Calls the methods of each tensor.
ASKED = Bits(-1, 0)


def _library() -> ctypes.CDLL | None:
    """Return PyTorch's library; None if it is not loaded."""
    if sys.platform == "win32":  # which has no such modes
        return None
    try:
        return ctypes.CDLL(_LIBRARY, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return None


def _function() -> int:
    """Return the address of PyTorch's function; 0 if the library is not loaded or lacks it."""
    library = _library()
    try:
        return ctypes.cast(library[_FUNCTION], ctypes.c_void_p).value or 0 if library else 0
    except AttributeError:
        return 0


def _places(tensor: Any, size: int) -> set[int]:
    """Return the offsets in a tensor's object of words that refer to its object in C++."""
    words = (ctypes.c_size_t * (size // _WORD)).from_address(id(tensor))
    return {at * _WORD for at, word in enumerate(words) if word == tensor._cdata}


@cache
def find_bits(kind: type) -> Bits | None:
    """Return how PyTorch's tensors are asked in C++; None if that is not certain.

    Args:
        kind: the class of tensors, none that is derived from it.
    """
    if not hasattr(kind, "is_neg"):
        return NO_BITS
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != _WORD:
        return None
    torch, function = sys.modules["torch"], _function()
    if not function:
        return None
    try:
        with sys.modules["torch.utils._python_dispatch"]._disable_current_modes():
            plain = [torch.empty(shape, device="cpu") for shape in ((3, 5), (7,), ())]
            plain.append(plain[0][1:].t())
            tensors = [*plain, *map(torch._neg_view, plain)]
            whole = torch.empty(3, 5, dtype=torch.complex64, device="cpu")
            tensors += [whole, whole.conj(), whole.imag, whole.conj().imag]
        if {type(one) for one in tensors} != {kind}:
            return None
        (place,) = set.intersection(*[_places(one, kind.__basicsize__) for one in tensors])
        ask = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(function)
        if not all(ask(id(one) + place) is one.is_neg() for one in tensors):
            return None
        return Bits(place, function, _find_reader(place, plain) or ())
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError):
        return None


def _find_reader(place: int, plain: list[Any]) -> tuple[Any, ...] | None:
    """Return what describes tensors in C; None if PyTorch lacks it, or tells something else.

    DLPack's table describes tensors of data types that PyTorch does not make or read here. The bits
    are asked in C++ all the same.

    Args:
        place: the offset of `at::Tensor` in an object of Python.
        plain: tensors on the CPU that have their own numbers.
    """
    torch, library = sys.modules["torch"], _library()
    if library is None:
        return None
    try:
        cuda = library["aoti_torch_device_type_cuda"]()
        functions = [library[f"aoti_torch_get_{each}"] for each in _READ]
    except AttributeError:
        return None

    def read(tensor: Any) -> list[Any] | None:
        found, at = [kind() for kind in _READ.values()], ctypes.c_void_p(id(tensor) + place)
        pairs = zip(functions, found, strict=True)
        return None if any(function(at, ctypes.byref(each)) for function, each in pairs) else found

    answers = [(each, read(each)) for each in plain]
    types = bytearray(2 * _MOST_TYPES)
    for name, member in DTYPES.items():
        dtype = getattr(torch, name, None)
        if member not in DLPACK or dtype is None or dtype.is_complex:
            continue
        try:
            with sys.modules["torch.utils._python_dispatch"]._disable_current_modes():
                tensor = torch.empty((2, 3), dtype=dtype, device="cpu")
        except (RuntimeError, TypeError):
            continue
        answer = read(tensor)
        if answer is None:
            continue
        number = answer[4].value
        if not 0 <= number < _MOST_TYPES or types[2 * number + 1]:
            return None
        types[2 * number : 2 * number + 2] = DLPACK[member]
        answers.append((tensor, answer))
    for each, answer in answers:
        if answer is None:
            return None
        address, axes, shape, strides, *_ = answer
        count = axes.value
        if ((address.value or 0), tuple(shape[:count]), tuple(strides[:count])) != (
            each.data_ptr(), tuple(each.shape), each.stride(),
        ):  # fmt: skip
            return None
    kinds = {ctypes.c_size_t.from_address(each._cdata).value for each, _ in answers}
    if len(kinds) != 1:
        return None
    addresses = [ctypes.cast(each, ctypes.c_void_p).value for each in functions]
    return *kinds, cuda, bytes(types), *addresses
