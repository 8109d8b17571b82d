"""Compiled programs and libraries: the symbols that they take from libcudnn."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Protocol

from ..errors import CannotCompareError
from ..names.place import Place
from .names import LIBRARY, Uses, Wanted, library_names

_SHF_ALLOC, _SHF_EXECINSTR = 2, 4


class _Header(Protocol):
    sh_flags: int


class _Section(Protocol):
    """A section, as far as it is asked; pyelftools has no types."""

    header: _Header


#: Functions by which a program looks a symbol up.
_LOOKUPS = {"dlsym", "dlvsym"}
#: Strings as a compiler lays them down: a function, or the file name of a library.
_STRING = re.compile(rb"(?:^|(?<=\0))(cudnn[A-Z]\w*|(?:[\w./$-]*/)?libcudnn\w*\.so[.\d]*)(?=\0)")


def scan(path: Path, wanted: Wanted) -> tuple[Uses, str | None]:
    """Return what an ELF file takes from cuDNN, and the libraries of cuDNN's that it names.

    Where it looks symbols up, its strings count that are names of functions or of libraries.
    """
    try:
        elffile = import_module("elftools.elf.elffile")
        exceptions = import_module("elftools.common.exceptions")
    except ImportError as error:
        raise CannotCompareError(
            "--uses needs pyelftools to read compiled files: pip install pyelftools"
        ) from error
    uses = Uses()
    looks_up, strings = False, dict[str, None]()
    with path.open("rb") as file:
        try:
            elf = elffile.ELFFile(file)
            for section in elf.iter_sections():
                if section.header.sh_type in ("SHT_DYNSYM", "SHT_SYMTAB"):
                    for symbol in section.iter_symbols():
                        name = symbol.name.partition("@")[0]  # linkers may add a version
                        if symbol.entry.st_shndx != "SHN_UNDEF":
                            continue
                        looks_up |= name in _LOOKUPS
                        if name in wanted.names:
                            uses.add(name, _place_of(path, name))
                        elif wanted.unknown(name):
                            uses.add(f"unknown {name}", _place_of(path, name))
                elif section.header.sh_type == "SHT_DYNAMIC":
                    for tag in section.iter_tags("DT_NEEDED"):
                        _library(uses, path, tag.needed)
                elif section.header.sh_type == "SHT_PROGBITS" and _constant(section):
                    found = _STRING.findall(section.data())
                    strings |= dict.fromkeys(string.decode() for string in found)
        except (exceptions.ELFError, ValueError, UnicodeDecodeError, OverflowError) as error:
            return uses, f"not a complete ELF file: {error or type(error).__name__}"
        finally:
            for string in strings if looks_up else ():
                _library(uses, path, string)
                if string in wanted.names and not uses.at(string):
                    uses.add(f"string {string}", _place_of(path, string))
    return uses, None


def _constant(section: _Section) -> bool:
    """Return whether a section is loaded with the program and is no code."""
    flags = section.header.sh_flags
    return bool(flags & _SHF_ALLOC) and not flags & _SHF_EXECINSTR


def _library(uses: Uses, path: Path, name: str) -> None:
    if match := LIBRARY.fullmatch(name):
        for each in library_names(match):
            if not any(place.text == match[1] for place in uses.at(f"library {each}")):
                uses.add(f"library {each}", _place_of(path, match[1]))


def _place_of(path: Path, text: str) -> Place:
    return Place(str(path), None, None, text, "ELF")
