"""Finds the files to read and gives each to the scanner for its language."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import CannotCompareError
from ..report import Language, Scan
from .names import Uses, Wanted

_LANGUAGES: dict[str, Language] = {
    ".c": "C",
    ".h": "C++",  # C too, but for a few words
    ".cc": "C++",
    ".cpp": "C++",
    ".cxx": "C++",
    ".c++": "C++",
    ".hh": "C++",
    ".hpp": "C++",
    ".hxx": "C++",
    ".h++": "C++",
    ".inl": "C++",
    ".ipp": "C++",
    ".tpp": "C++",
    ".cu": "CUDA",
    ".cuh": "CUDA",
    ".py": "Python",
    ".pyi": "Python",
    ".pyx": "Python",
    ".pxd": "Python",
    ".pxi": "Python",
}
_ELF = b"\x7fELF"
_SKIPPED_FOLDERS = {"__pycache__", "node_modules"}


def scan(paths: Sequence[str], wanted: Wanted) -> tuple[Uses, Scan]:
    """What the files in `paths` use.

    Raises:
        CannotCompareError: a path that is not there, not readable or of no known kind, or that
            has no file to read.
    """
    uses, skipped = Uses(), []
    files = using = 0
    for path, language in _files(paths):
        try:
            found, warning = _scan_file(path, language, wanted)
        except OSError as error:
            if str(path) in paths:
                raise CannotCompareError(f"{path}: cannot be read: {error.strerror}") from error
            found, warning = Uses(), f"cannot be read: {error.strerror}"
        files += 1
        using += bool(found)
        uses.update(found)
        if warning:
            skipped.append(f"{path}: {warning}")
    summary = Scan(
        paths=tuple(paths),
        files=files,
        using=using,
        names=len(uses.names()),
        skipped=tuple(skipped),
    )
    return uses, summary


def _files(paths: Sequence[str]) -> Iterator[tuple[Path, Language]]:
    seen: set[Path] = set()
    for text in paths:
        path = Path(text)
        if path.is_dir():
            found = list(_tree(path))
            if not found:
                raise CannotCompareError(
                    f"{text}: no Python, C, C++ or CUDA file and no compiled library in it"
                )
        elif path.exists():
            language = _language(path, strict=True)
            if language is None:
                raise CannotCompareError(
                    f"{text}: neither Python, C, C++ or CUDA by its name, nor an ELF file"
                )
            found = [(path, language)]
        else:
            raise CannotCompareError(f"{text}: no such file or folder")
        for each in found:
            real = each[0].resolve()
            if real not in seen:
                seen.add(real)
                yield each


def _tree(root: Path) -> Iterator[tuple[Path, Language]]:
    def unreadable(error: OSError) -> None:
        raise CannotCompareError(f"{error.filename}: cannot be read: {error.strerror}")

    for folder, folders, names in os.walk(root, onerror=unreadable):
        folders[:] = sorted(
            name for name in folders if name[0] != "." and name not in _SKIPPED_FOLDERS
        )
        for name in sorted(names):
            path = Path(folder, name)
            language = _language(path, strict=False)
            if language is not None:
                yield path, language


def _language(path: Path, *, strict: bool) -> Language | None:
    language = _LANGUAGES.get(path.suffix.lower())
    if language is not None:
        return language
    if not strict and path.suffix and path.suffix != ".o" and ".so" not in path.name:
        return None  # looking into every data file of a tree would take long
    try:
        with path.open("rb") as file:
            return "ELF" if file.read(4) == _ELF else None
    except OSError as error:
        if strict:
            raise CannotCompareError(f"{path}: cannot be read: {error.strerror}") from error
        return None


def _scan_file(path: Path, language: Language, wanted: Wanted) -> tuple[Uses, str | None]:
    """What one file uses, and what went wrong while reading it."""
    if language == "ELF":
        from . import elf

        return elf.scan(path)
    source = path.read_bytes()
    if b"cudnn" not in source.lower():
        return Uses(), None  # no name of cuDNN's is without it, and most files stop here
    if language == "Python":
        from . import python

        return python.scan(str(path), source, wanted)
    from . import c

    return c.scan(str(path), source, language, wanted), None
