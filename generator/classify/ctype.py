"""C types taken apart."""

from __future__ import annotations

import functools

import msgspec


class CType(msgspec.Struct, frozen=True):
    """A C type taken apart, as far as roles depend on it."""

    base: str  # "void", "int", "cudnnTensorDescriptor_t"
    const: bool  # what it points to, or an element of it, or the value, may not be written
    pointers: int
    array: bool

    @classmethod
    @functools.cache
    def of(cls, text: str) -> CType:
        """Take a type apart, as C spells it."""
        array = text.endswith("]")
        body = text[: text.index("[")] if array else text
        pointers = body.count("*")
        body = body.replace("*", " ")
        words = body.split()
        const = "const" in words
        base = " ".join(w for w in words if w not in ("const", "struct", "enum", "union"))
        return cls(base, const, pointers, array)

    @property
    def value(self) -> bool:
        """Return whether it is passed by value."""
        return not self.pointers and not self.array
