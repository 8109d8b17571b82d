"""Codes by which the call layer passes numbers and pointers between Python, the C shims and cuDNN.

Each argument of a C function has a code:

    P p   a pointer that must not be NULL, one that may be
    i I q Q f d   int, unsigned, 64 bits signed and unsigned, float, double by value
    b B h H ?     8 and 16 bits, signed and unsigned, and _Bool
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
        taken: the C type that the shim takes; "" where it takes no argument.
        given: what the shim passes on, with the argument's index for {}.
        reader: the C function that reads it from a Python number.
        slot: the code of its result in the struct module.
        number: the C type that ABI mode passes instead of a pointer.
    """

    passed: str
    taken: str = ""
    given: str = "a{}"
    reader: str = ""
    slot: str = "q"
    number: str = ""

    @property
    def unpacked(self) -> str:
        """Return what is made of a word for the shim, with the index of the word for {}."""
        real = {"double": "to_real(words[{}])", "float": "(float)to_real(words[{}])"}
        return real.get(self.taken) or f"({self.taken})words[{{}}]".replace("* )", "*)")


_POINTER = "void *"
_ADDRESS = Code(_POINTER, "uintptr_t", "(void *)a{}", "to_address", "Q", "uintptr_t")

#: The record of each code, by the whole code or by its first letter.
_CODES = {
    "i": Code("int", "int", reader="to_int"),
    "I": Code("unsigned int", "unsigned int", reader="to_unsigned"),
    "q": Code("int64_t", "int64_t", reader="to_int64"),
    "Q": Code("uint64_t", "uint64_t", reader="to_uint64", slot="Q"),
    "b": Code("int8_t", "int8_t", reader="to_int8"),
    "B": Code("uint8_t", "uint8_t", reader="to_uint8"),
    "h": Code("int16_t", "int16_t", reader="to_int16"),
    "H": Code("uint16_t", "uint16_t", reader="to_uint16"),
    "?": Code("_Bool", "_Bool", reader="to_bool"),
    "f": Code("float", "float", reader="to_float", slot="d"),
    "d": Code("double", "double", reader="to_double", slot="d"),
    "P": _ADDRESS,
    "p": _ADDRESS,
    "A": Code(_POINTER, _POINTER),
    "0": Code(_POINTER, given="NULL"),
    "s": Code(_POINTER, "double", "&f{}"),
    "t": Code(_POINTER, "double", "&f{}"),
    "r4": Code("uint32_t", "uintptr_t", "*(uint32_t *)a{}"),
    "r8": Code("uint64_t", "uintptr_t", "*(uint64_t *)a{}"),
    "o": Code(_POINTER, given="&o{}"),
}

#: The result of a function itself, if that is no number.
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
    "long": "q",  # on Linux
    "long long": "q",
    "int64_t": "q",
    "intptr_t": "q",
    "ptrdiff_t": "q",
    "unsigned long": "Q",
    "unsigned long long": "Q",
    "uint64_t": "Q",
    "uintptr_t": "Q",
    "size_t": "Q",
    "float": "f",
    "double": "d",
    "char": "b",
    "signed char": "b",
    "int8_t": "b",
    "unsigned char": "B",
    "uint8_t": "B",
    "short": "h",
    "int16_t": "h",
    "unsigned short": "H",
    "uint16_t": "H",
    "_Bool": "?",
}


def code_of(text: str) -> Code:
    """Return the record of a code."""
    return _CODES[text] if text in _CODES else _CODES[text[0]]


def returned(text: str) -> Code:
    """Return the record of what a function itself returns: a code, "status", "void" or "text"."""
    return RETURNED.get(text) or _CODES[text]
