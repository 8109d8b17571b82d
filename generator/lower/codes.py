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

import msgspec


class Code(msgspec.Struct, frozen=True):
    """One way to pass an argument, or to get a result.

    Attributes:
        passed: the C type that cuDNN takes.
        taken: the C type that the shim takes; None where it takes no argument.
        reader: the C function that reads it from a Python number.
        slot: the code of its result in the struct module.
        number: the C type that ABI mode passes instead of a pointer.
    """

    passed: str
    taken: str | None = None
    reader: str = ""
    slot: str = "q"
    number: str = ""


_POINTER = "void *"
_ADDRESS = Code(_POINTER, "uintptr_t", "to_address", "Q", "uintptr_t")

#: By the first letter of a code, or by the code of a struct.
_CODES = {
    "i": Code("int", "int", "to_int"),
    "I": Code("unsigned int", "unsigned int", "to_unsigned"),
    "q": Code("int64_t", "int64_t", "to_int64"),
    "Q": Code("uint64_t", "uint64_t", "to_uint64", "Q"),
    "f": Code("float", "float", "to_float", "d"),
    "d": Code("double", "double", "to_double", "d"),
    "P": _ADDRESS,
    "p": _ADDRESS,
    "A": Code(_POINTER, _POINTER),
    "0": Code(_POINTER),
    "s": Code(_POINTER, "double"),
    "t": Code(_POINTER, "double"),
    "r4": Code("uint32_t", "uintptr_t"),
    "r8": Code("uint64_t", "uintptr_t"),
    "o": Code(_POINTER),
}

#: What a function itself returns, where that is no number.
RETURNED = {
    "status": Code("int"),
    "void": Code("void"),
    "text": Code("const char *", number="uintptr_t"),
}

#: The C types that ABI mode passes and gets, by code.
TYPES = {text: code.number or code.passed for text, code in (_CODES | RETURNED).items()}

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


def code_of(text: str) -> Code:
    """Return the record of a code."""
    return _CODES[text] if text in _CODES else _CODES[text[0]]


def returned(text: str) -> Code:
    """Return the record of what a function itself returns: a code, "status", "void" or "text"."""
    return RETURNED.get(text) or _CODES[text]
