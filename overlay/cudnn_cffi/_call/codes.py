"""Codes that the call layer and its shims share: of arguments, and of the shims' own statuses.

docs/model.md explains the codes.
"""

from __future__ import annotations

from .._support.results import NamedTuple

#: Statuses below 0: nothing is bound yet; NULL_BASE - n, where argument n is NULL and must not be.
NOT_BOUND = -1
NULL_BASE = -1000

#: The error of a shim, or of the conversion of an argument, for an argument that it cannot take.
CONVERT = (AttributeError, TypeError, ValueError, OverflowError)

#: Codes of pointers that must not be NULL.
REQUIRED = ("P", "r4", "r8")

#: Codes of arguments that C takes as numbers.
PLAIN = "bBhHiIqQfd?"

#: Maximum number of elements of an array that a call makes room for.
ARRAY_LIMIT = 1 << 26


class Number(NamedTuple):
    """A type of C's numbers: its name, "int" or "float", its size in bytes, and its range."""

    ctype: str
    kind: str
    size: int
    low: int = 0
    high: int = 0

    @property
    def range(self) -> tuple[int, int]:
        return self.low, self.high


def _integer(ctype: str, size: int, signed: bool) -> Number:
    bits = 8 * size - signed
    return Number(ctype, "int", size, -(1 << bits) if signed else 0, (1 << bits) - 1)


#: The numbers of C, by code: those of the struct module, and "p" for an address.
NUMBERS = {
    "i": _integer("int", 4, True),
    "I": _integer("unsigned int", 4, False),
    "q": _integer("int64_t", 8, True),
    "Q": _integer("uint64_t", 8, False),
    "p": _integer("uintptr_t", 8, False),
    "b": _integer("int8_t", 1, True),
    "B": _integer("uint8_t", 1, False),
    "h": _integer("int16_t", 2, True),
    "H": _integer("uint16_t", 2, False),
    "?": Number("_Bool", "int", 1, 0, 1),
    "f": Number("float", "float", 4),
    "d": Number("double", "float", 8),
}
