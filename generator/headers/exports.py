"""The functions that library files export, read from their symbol tables without loading them."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import BinaryIO

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from .records import HeaderError

#: A library of cuDNN's in a wheel; the group is the name by which the model knows it.
LIBRARY = re.compile(r"(?:.*/)?(libcudnn\w*)\.so\.\d+")

#: The small library in front of the others, which programs link with.
FRONT = "libcudnn"

#: cuDNN's functions; kernels and variables have other names.
_FUNCTION = re.compile(r"cudnn[A-Z]\w*")


def functions(file: bytes | BinaryIO, name: str) -> tuple[str, ...]:
    """Return the names of cuDNN's functions that a shared library defines, sorted.

    Raises:
        HeaderError: it is not a shared library for Linux, or has no table of symbols.
    """
    stream = io.BytesIO(file) if isinstance(file, bytes) else file
    try:
        section = ELFFile(stream).get_section_by_name(".dynsym")
    except ELFError as error:
        raise HeaderError(f"{name} is not a shared library: {error}") from error
    if not isinstance(section, SymbolTableSection):
        raise HeaderError(f"{name} exports nothing")
    found = {
        symbol.name
        for symbol in section.iter_symbols()
        if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["type"] == "STT_FUNC"
    }
    return tuple(sorted(name for name in found if _FUNCTION.fullmatch(name)))


def in_folder(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return what cuDNN's libraries in a folder export, without those that cannot be read."""
    found = {}
    for path in sorted(folder.iterdir()):
        if (match := LIBRARY.fullmatch(path.name)) is None:
            continue
        try:
            with path.open("rb") as file:
                found[match[1]] = functions(file, str(path))
        except (HeaderError, OSError):
            continue
    return found
