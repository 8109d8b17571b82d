"""Ask PyTorch whether the memory of a tensor has the tensor's numbers.

`z.conj()` and its imaginary part share the memory of `z`, and have a bit set: conjugate or
negative. DLPack's table tells neither. A method takes longer than all else that is read of a
tensor, so PyTorch's function in C++ is asked for the negative bit: `at::native::is_neg`. Its
argument, an `at::Tensor`, is a field of the tensor's object of Python, whose place is found once,
on tensors for which `_cdata` has its value. Only complex tensors can be conjugate: these are
asked by their method.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import Any, NamedTuple

_WORD = 8

#: The library of PyTorch that exports the function, and its name there.
_LIBRARY, _FUNCTION = "libtorch_cpu.so", "_ZN2at6native6is_negERKNS_6TensorE"


class Bits(NamedTuple):
    """The way that the compiled layer asks arrays of a type for their bits.

    Attributes:
        place: the offset of `at::Tensor` in an object of Python; -1 if methods are called.
        function: the address of the function that is asked; 0 if there is none.
    """

    place: int
    function: int


#: For arrays whose memory always has their numbers.
NO_BITS = Bits(0, 0)

#: Calls the methods of each tensor.
ASKED = Bits(-1, 0)


def _function() -> int:
    """Return the address of PyTorch's function; 0 if the library is not loaded or lacks it."""
    if sys.platform == "win32":  # which has no such modes
        return 0
    try:
        library = ctypes.CDLL(_LIBRARY, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        return ctypes.cast(library[_FUNCTION], ctypes.c_void_p).value or 0
    except (OSError, AttributeError):
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
        right = all(ask(id(one) + place) is one.is_neg() for one in tensors)
        return Bits(place, function) if right else None
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError):
        return None
