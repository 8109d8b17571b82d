"""libcudnn's sub-libraries: which it names, which lie beside it, and of what release they are.

libcudnn itself holds hardly more than a table of functions; it opens a sub-library when one of its
functions is first called. A sub-library that cannot be opened then ends the process in most
releases, which is why this is looked into beforehand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import cudnn_cffi.library.elf as elf

from .locate import major_of

_NAMED = re.compile(rb"libcudnn_\w+(?=\.so)")

#: Bytes; a larger libcudnn is the whole of cuDNN in one file, as it was before 8.0.
_LARGEST = 8 << 20

#: The sub-library that answers cudnnGetVersion: of cuDNN 9, of cuDNN 8.
_CORES = ("libcudnn_graph", "libcudnn_ops_infer")


def named(library: Path) -> tuple[str, ...]:
    """Return the sub-libraries that `library` would open, without ".so" and what follows."""
    status = library.stat()
    if elf.kind_of(status.st_mode) or status.st_size > _LARGEST:
        return ()
    return tuple(sorted({name.decode() for name in _NAMED.findall(library.read_bytes())}))


def core(library: Path) -> str:
    """Return the name of the sub-library that the first call needs; "" if there is none."""
    names = named(library)
    return next((name for name in _CORES if name in names), "")


def siblings(library: Path, folder: Path | None = None) -> dict[str, Path]:
    """Return the sub-libraries of `library`'s major in its folder, or in another one, by name."""
    major = major_of(library)
    found: dict[str, Path] = {}
    with suppress(OSError):
        for path in sorted((folder or library.parent).glob("libcudnn_*.so*")):
            if major is None or major_of(path) in (None, major):
                found.setdefault(path.name.partition(".so")[0], path)
    return found


def missing(library: Path) -> list[str]:
    """Return the sub-libraries that `library` names and that do not lie beside it."""
    present = siblings(library)
    return [name for name in named(library) if name not in present]


def in_order(paths: Iterable[Path]) -> list[Path]:
    """Return the paths so that each comes after those among them that it depends on."""
    remaining = {path.name: path for path in paths}
    needed: dict[str, Sequence[str]] = {}
    for name, path in remaining.items():
        needed[name] = ()
        with suppress(OSError, elf.ElfError):
            needed[name] = elf.read(path).needed
    ordered: list[Path] = []
    while remaining:
        free = [name for name in remaining if not any(n in remaining for n in needed[name])]
        for name in free or list(remaining):
            ordered.append(remaining.pop(name))
    return ordered


def search_folders(library: Path) -> Iterator[Path]:
    """Yield where libcudnn and its sub-libraries tell the loader to look, beside themselves."""
    for part in (library, *siblings(library).values()):
        with suppress(OSError, elf.ElfError):
            own = elf.read(part)
            for entry in f"{own.rpath}:{own.runpath}".split(":"):
                if entry.startswith("$ORIGIN"):
                    yield Path(str(part.parent) + entry.removeprefix("$ORIGIN"))


def version_in(library: Path) -> str:
    """Return the release of libcudnn or a sub-library, from the files; "" if they do not say.

    Only some sub-libraries hold a number, and libcudnn none, so the first one beside it speaks.
    """
    own = re.search(r"\.so\.(\d+\.\d+\.\d+)", library.name)
    if library.name.startswith("libcudnn_"):
        return _number_in(library) or (own[1] if own else "")
    if own:
        return own[1]
    present = siblings(library)
    return next((text for n in _CORES if n in present and (text := _number_in(present[n]))), "")


def _number_in(path: Path) -> str:
    with suppress(OSError, elf.ElfError):
        for number in elf.numbers(path, rb"cudnn_\w+_version").values():
            # One byte each for minor and patch, whatever the release.
            return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"
    return ""
