"""Compiled programs and libraries: the symbols that they take from libcudnn."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ..errors import CannotCompareError
from ..names.place import Place
from .names import Uses


def scan(path: Path) -> tuple[Uses, str | None]:
    """Return what an ELF file takes from cuDNN, and the libraries of cuDNN's that it names."""
    try:
        elffile = import_module("elftools.elf.elffile")
        exceptions = import_module("elftools.common.exceptions")
    except ImportError as error:
        raise CannotCompareError(
            "--uses needs pyelftools to read compiled files: pip install pyelftools"
        ) from error
    uses = Uses()
    with path.open("rb") as file:
        try:
            elf = elffile.ELFFile(file)
            for section in elf.iter_sections():
                if section.header.sh_type in ("SHT_DYNSYM", "SHT_SYMTAB"):
                    for symbol in section.iter_symbols():
                        name = symbol.name.partition("@")[0]  # linkers may add a version
                        if symbol.entry.st_shndx == "SHN_UNDEF" and name.startswith("cudnn"):
                            uses.add(name, _place_of(path, name))
                elif section.header.sh_type == "SHT_DYNAMIC":
                    for tag in section.iter_tags("DT_NEEDED"):
                        if tag.needed.startswith("libcudnn"):
                            stem = tag.needed.partition(".so")[0]
                            uses.add(f"library {tag.needed}", _place_of(path, tag.needed))
                            uses.add(f"library {stem}", _place_of(path, tag.needed))
        except (exceptions.ELFError, ValueError, UnicodeDecodeError, OverflowError) as error:
            return uses, f"not a complete ELF file: {error or type(error).__name__}"
    return uses, None


def _place_of(path: Path, text: str) -> Place:
    return Place(str(path), None, None, text, "ELF")
