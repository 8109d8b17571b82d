"""Where PyTorch keeps what tells that a tensor's memory has other numbers than the tensor.

`z.conj()` and the imaginary part of that share their memory with `z`, and have a bit set: conjugate
or negative. DLPack's table says nothing of these, and asking each tensor in Python takes a tenth of
a plan's call. So the place of the bits is found once, on tensors that have them and others that
have not: the word of the tensor's object in C++ that differs by one bit, and in nothing else.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any, NamedTuple

_WORD = 8

#: How many bytes of the object in C++ are looked at, which has more.
_MOST = 192


class Bits(NamedTuple):
    """Where the bits are.

    Attributes:
        pointer: the offset of the address of the object in C++, in the one of Python.
        word: the offset of the word with the bits there.
        mask: the bits that have to be 0.
    """

    pointer: int
    word: int
    mask: int


#: Of arrays whose memory always has their numbers.
NO_BITS = Bits(0, 0, 0)

#: Has each tensor asked by its methods, which takes some 150 ns.
ASKED = Bits(0, -1, 0)


def _words(address: int, size: int) -> list[int]:
    return list((ctypes.c_uint64 * (size // _WORD)).from_address(address))


def _kinds() -> list[tuple[list[Any], list[Any]]]:
    """Return tensors whose memory has their numbers, and like ones for each of the bits."""
    torch = sys.modules["torch"]

    def new(*shape: int, dtype: object) -> Any:
        return torch.empty(shape, dtype=dtype, device="cpu")

    real = [new(3, 5, dtype=torch.float32), new(7, dtype=torch.float16)]
    whole = [new(3, 5, dtype=torch.complex64), new(7, dtype=torch.complex128)]
    return [
        (
            [*each, *[one[1:] for one in each], each[0].t()],
            [*map(change, each), *[change(one[1:]) for one in each], change(each[0]).t()],
        )
        for each, change in ((real, torch._neg_view), (whole, torch.conj))
    ]


@cache
def find_bits(kind: type) -> Bits | None:
    """Return where PyTorch's tensors have the bits; None where that is not certain.

    Args:
        kind: the class of tensors, none that is derived from it.
    """
    if not hasattr(kind, "is_neg"):
        return NO_BITS
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != _WORD:
        return None
    try:
        with sys.modules["torch.utils._python_dispatch"]._disable_current_modes():
            pairs = _kinds()
        tensors = [one for pair in pairs for each in pair for one in each]
        if {type(one) for one in tensors} != {kind}:
            return None
        size = kind.__basicsize__
        (pointer,) = set.intersection(
            *[
                {at * _WORD for at, word in enumerate(_words(id(one), size)) if word == one._cdata}
                for one in tensors
            ]
        )
        found = [_differences(*pair) for pair in pairs]
        (word,) = set(found[0]) & set(found[1])
        return Bits(pointer, word, found[0][word] | found[1][word])
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError):
        return None


def _differences(plain: list[Any], others: list[Any]) -> dict[int, int]:
    """Return the offsets of words in which tensors differ by one bit, with that bit."""
    found = {}
    sides = [[_words(each._cdata, _MOST) for each in side] for side in (plain, others)]
    for at in range(_MOST // _WORD):
        one, other = ({words[at] for words in side} for side in sides)
        if len(one) == len(other) == 1:
            bit = one.pop() ^ (more := other.pop())
            if bit & more and bit.bit_count() == 1:
                found[at * _WORD] = bit
    return found
