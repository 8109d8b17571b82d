"""Read a shared library's own description from its file, without loading it.

Only what is needed to explain why a copy of libcudnn will not work: loading a damaged one, or one
of a mixed set, can end the process. 64-bit little-endian files, which is what cuDNN comes as.
"""

from __future__ import annotations

import mmap
import re
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .._support.results import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_DYNAMIC = struct.Struct("<qQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_INT = struct.Struct("<i")

_DATA_SECTION, _DYNAMIC_SECTION, _SYMBOL_SECTION = 1, 6, 11
_NEEDED, _SONAME, _RPATH, _RUNPATH = 1, 14, 15, 29
_OBJECT = 1


class ElfError(ValueError):
    """The file is not a shared library, or not a whole one; the text says which."""


class Elf(NamedTuple):
    """Its own name, the names of what it needs, and the folders in which that is looked for."""

    soname: str
    needed: tuple[str, ...]
    rpath: str
    runpath: str


class _Section(NamedTuple):
    type: int
    address: int
    offset: int
    size: int
    link: int


def check(path: Path) -> None:
    """Check that the file is whole, which the loader takes for granted.

    Raises `ElfError` where it is not, `OSError` for one that cannot be read.
    """
    with _file(path) as file:
        _sections(file.read(_HEADER.size), path.stat().st_size)


def read(path: Path) -> Elf:
    """Raise `ElfError` for a file that is damaged, `OSError` for one that cannot be read."""
    with _opened(path) as (data, sections):
        names: dict[int, list[str]] = {}
        for section in sections:
            if section.type == _DYNAMIC_SECTION:
                for tag, value in _DYNAMIC.iter_unpack(_bytes(data, section)):
                    if tag in (_NEEDED, _SONAME, _RPATH, _RUNPATH):
                        text = _string_at(data, sections[section.link], value)
                        names.setdefault(tag, []).append(text)
    return Elf(
        soname="".join(names.get(_SONAME, [])),
        needed=tuple(names.get(_NEEDED, [])),
        rpath="".join(names.get(_RPATH, [])),
        runpath="".join(names.get(_RUNPATH, [])),
    )


def numbers(path: Path, pattern: bytes) -> dict[str, int]:
    """Return the exported 4-byte variables whose whole name matches, and their initial values.

    Raises as `read` does.
    """
    found: dict[str, int] = {}
    with _opened(path) as (data, sections):
        for section in sections:
            if section.type != _SYMBOL_SECTION:
                continue
            # There can be tens of thousands of symbols, so they are searched, not walked through.
            names, symbols = _bytes(data, sections[section.link]), _bytes(data, section)
            for match in re.finditer(b"(?<=\\0)" + pattern + b"(?=\\0)", names):
                for at in _offsets_of(symbols, struct.pack("<I", match.start()), _SYMBOL.size):
                    _, info, _, index, address, length = _SYMBOL.unpack_from(symbols, at)
                    if info & 15 != _OBJECT or length != _INT.size or not 0 < index < len(sections):
                        continue
                    home = sections[index]
                    if home.type == _DATA_SECTION:
                        (number,) = _INT.unpack_from(data, home.offset + address - home.address)
                        found[match[0].decode()] = number
    return found


def kind_of(mode: int) -> str:
    """Return in words what is not a file, from its `st_mode`; "" for a file."""
    if stat.S_ISREG(mode):
        return ""
    return next((text for test, text in _KINDS.items() if test(mode)), "not a file")


_KINDS = {
    stat.S_ISDIR: "a folder",
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
}


def _file(path: Path) -> BinaryIO:
    """Open a regular file; to open a pipe would wait until another process writes to it."""
    if kind := kind_of(path.stat().st_mode):
        raise ElfError(f"it is {kind}")
    return path.open("rb")


@contextmanager
def _opened(path: Path) -> Iterator[tuple[mmap.mmap, list[_Section]]]:
    with _file(path) as file:
        if not path.stat().st_size:
            raise ElfError("it is empty")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                places = _sections(data[: _HEADER.size], len(data))
                yield data, [_section(data, at) for at in places]
            except (struct.error, IndexError, UnicodeDecodeError) as error:
                raise ElfError(f"its tables are damaged ({error})") from error


def _sections(header: bytes, size: int) -> range:
    """Where the section headers are, which linkers put last: so a file with them is whole."""
    if not size:
        raise ElfError("it is empty")
    if header[:4] != b"\x7fELF":
        raise ElfError("it is not a shared library")
    if len(header) < _HEADER.size:
        raise ElfError(f"it is cut short after {size} bytes")
    ident, *_, table, _, _, _, _, entry, count, _ = _HEADER.unpack(header)
    if ident[4:6] != b"\x02\x01":
        raise ElfError("it is not for a 64-bit little-endian machine")
    if table + entry * count > size:
        raise ElfError(
            f"it is cut short: expected {table + entry * count} bytes or more, got {size}"
        )
    return range(table, table + entry * count, entry or 1)


def _section(data: mmap.mmap, offset: int) -> _Section:
    _, kind, _, address, start, size, link, *_ = _SECTION.unpack_from(data, offset)
    return _Section(kind, address, start, size, link)


def _bytes(data: mmap.mmap, section: _Section) -> bytes:
    return data[section.offset : section.offset + section.size]


def _offsets_of(data: bytes, wanted: bytes, step: int) -> Iterator[int]:
    """Where `wanted` begins an entry of `step` bytes."""
    at = data.find(wanted)
    while at >= 0:
        if at % step == 0:
            yield at
        at = data.find(wanted, at + 1)


def _string_at(data: mmap.mmap, strings: _Section, offset: int) -> str:
    start = strings.offset + offset
    return data[start : data.find(b"\0", start)].decode()
