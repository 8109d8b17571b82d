"""C types taken apart."""

from __future__ import annotations

import functools
import re

import msgspec


class CType(msgspec.Struct, frozen=True):
    """A C type taken apart, as far as roles depend on it."""

    base: str  # "void", "int", "cudnnTensorDescriptor_t"
    const: bool  # what it points to, or an element of it, or the value, may not be written
    pointers: int
    array: bool
    bound: int | None = None  # how many elements the type itself says an array has
    addresses: bool = False  # what it points to are addresses that are read
    function: bool = False  # a pointer to a function, spelled out

    @classmethod
    @functools.cache
    def of(cls, text: str) -> CType:
        """Take a type apart, as C spells it."""
        if "(*)(" in text:
            return cls(text, False, 1, False, function=True)
        # A `const` of the pointer itself says nothing about the memory that it points to.
        text = re.sub(r"\*( ?(const|restrict|volatile))+$", "*", text)
        body, bracket, bounds = text.partition("[")
        array = bool(bracket)
        bound = int(bounds[:-1]) if bounds[:-1].isdigit() else None
        pointers = body.count("*")
        addresses = "*const" in body and pointers + array > 1
        body = body.replace("*", " ")
        words = body.split()
        const = "const" in words
        base = " ".join(w for w in words if w not in ("const", "struct", "enum", "union"))
        return cls(base, const, pointers, array, bound, addresses)

    @property
    def value(self) -> bool:
        """Return whether it is passed by value."""
        return not self.pointers and not self.array
