"""Places in programs that use a name."""

from __future__ import annotations

from typing import Literal

import msgspec

Language = Literal["C", "C++", "CUDA", "Python", "ELF"]


class Place(msgspec.Struct, frozen=True, order=True):
    """Where a program uses a name; an ELF file has no lines."""

    path: str
    line: int | None
    column: int | None
    text: str  # what stands there
    language: Language

    @property
    def spelled(self) -> str:
        """The place as editors and compilers spell it."""
        return self.path if self.line is None else f"{self.path}:{self.line}"
