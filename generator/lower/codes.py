"""How the call layer passes numbers and pointers between Python, the C shims and cuDNN.

Each argument of a C function has a code:

    P p   a pointer that must not be NULL, one that may be
    i I q Q f d   int, unsigned, 64 bits signed and unsigned, float, double by value
    A     a pointer to memory that the wrapper holds
    0     NULL
    s<n> t<n>     alpha or beta, as float or double after the tensor or filter descriptor at
                  index n
    r4 r8 a struct of integers by value, through a pointer to it
    o<c>  a pointer to a result of one of the kinds above
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """One way to pass an argument, or to get a result.

    Attributes:
        passed: the C type that cuDNN takes.
        taken: the C type that the shim takes; None where it takes no argument.
        letter: its letter in the names of the function types of `_abi_types`.
        reader: the C function that reads it from a Python number.
        slot: the code of its result in the struct module.
    """

    passed: str
    taken: str | None = None
    letter: str = "A"
    reader: str = ""
    slot: str = "q"


_POINTER = "void *"

#: By the first letter of a code, or by the code of a struct.
_CODES = {
    "i": Code("int", "int", "i", "to_int"),
    "I": Code("unsigned int", "unsigned int", "I", "to_unsigned"),
    "q": Code("int64_t", "int64_t", "q", "to_int64"),
    "Q": Code("uint64_t", "uint64_t", "Q", "to_uint64", "Q"),
    "f": Code("float", "float", "f", "to_float", "d"),
    "d": Code("double", "double", "d", "to_double", "d"),
    "P": Code(_POINTER, "uintptr_t", "p", "to_address", "Q"),
    "p": Code(_POINTER, "uintptr_t", "p", "to_address", "Q"),
    "A": Code(_POINTER, _POINTER),
    "0": Code(_POINTER),
    "s": Code(_POINTER, "double"),
    "t": Code(_POINTER, "double"),
    "r4": Code("uint32_t", "uintptr_t", "I"),
    "r8": Code("uint64_t", "uintptr_t", "Q"),
    "o": Code(_POINTER),
}

#: C types of what a function itself returns, and their letters, where that is no number.
RETURNED = {
    "status": Code("int", letter="i"),
    "void": Code("void", letter="v"),
    "text": Code("const char *", letter="p"),
}

#: Numbers, by the spelling of their C types.
SPELLED = {
    "int": "i",
    "int32_t": "i",
    "unsigned int": "I",
    "unsigned": "I",
    "uint32_t": "I",
    "long long": "q",
    "int64_t": "q",
    "unsigned long long": "Q",
    "uint64_t": "Q",
    "size_t": "Q",
    "float": "f",
    "double": "d",
    "int8_t": "i",
    "char": "i",
}

#: C types by their letters in the names of function types.
LETTERS = {
    **{code.letter: code.passed for code in RETURNED.values()},
    **{letter: _CODES[letter].passed for letter in "iIqQfd"},
    "p": "uintptr_t",
    "A": _POINTER,
}


def code_of(text: str) -> Code:
    """Return the record of a code."""
    return _CODES[text] if text in _CODES else _CODES[text[0]]


def returned(text: str) -> Code:
    """Return the record of what a function itself returns: a code, "status", "void" or "text"."""
    return RETURNED.get(text) or _CODES[text]
