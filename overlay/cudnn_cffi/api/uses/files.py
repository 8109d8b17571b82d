"""Finds the files to read and gives each to the scanner for its language."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import CannotCompareError
from ..records import Language, Scan
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
    ".tcc": "C++",
    ".icc": "C++",
    ".inc": "C++",
    ".def": "C++",
    ".cu": "CUDA",
    ".cuh": "CUDA",
    ".py": "Python",
    ".pyi": "Python",
    ".pyx": "Python",
    ".pxd": "Python",
    ".pxi": "Python",
    ".ipynb": "Python",
}
#: Languages that are not read: their files are only searched for cuDNN's names.
_UNREAD = {
    ".bas": "Basic",
    ".cl": "OpenCL",
    ".clj": "Clojure",
    ".cr": "Crystal",
    ".cs": "C#",
    ".d": "D",
    ".dart": "Dart",
    ".erl": "Erlang",
    ".ex": "Elixir",
    ".f": "Fortran",
    ".f90": "Fortran",
    ".f95": "Fortran",
    ".fs": "F#",
    ".go": "Go",
    ".hip": "HIP",
    ".hs": "Haskell",
    ".java": "Java",
    ".jl": "Julia",
    ".js": "JavaScript",
    ".kt": "Kotlin",
    ".lisp": "Lisp",
    ".lua": "Lua",
    ".m": "Objective-C or MATLAB",
    ".ml": "OCaml",
    ".mlir": "MLIR",
    ".mm": "Objective-C++",
    ".mojo": "Mojo",
    ".nim": "Nim",
    ".odin": "Odin",
    ".pas": "Pascal",
    ".php": "PHP",
    ".pl": "Perl",
    ".r": "R",
    ".rb": "Ruby",
    ".rs": "Rust",
    ".scala": "Scala",
    ".swift": "Swift",
    ".td": "TableGen",
    ".ts": "TypeScript",
    ".vala": "Vala",
    ".vb": "Basic",
    ".zig": "Zig",
}
#: Names of cuDNN's: functions, types, constants and libraries.
_MENTION = re.compile(rb"\b(?:lib)?cudnn(?:[A-Z]\w|64_\d|(?:_\w+)?\.so\b)|\bCUDNN_[A-Z]")
_ELF = b"\x7fELF"
_SKIPPED_FOLDERS = {"__pycache__", "node_modules"}
_LARGEST = 32 << 20  # bytes of a source; no program has one, but data may bear such a name

_File = tuple[str, Language | None, str]  # a path, its language, and why it is not read


def scan(paths: Sequence[str], wanted: Wanted) -> tuple[Uses, Scan]:
    """Return what the files in `paths` use.

    Raises:
        CannotCompareError: a path that is not there, not readable or of no known kind, or that
            has no file to read.
    """
    return Program(paths, wanted).scan(wanted)


class Program:
    """The files of a program, read once, to be looked at with one release's macros or another's."""

    def __init__(self, paths: Sequence[str], wanted: Wanted) -> None:
        """Read the files.

        Args:
            paths: files and folders.
            wanted: what to look for; what Python sources and compiled files use is found now.

        Raises:
            CannotCompareError: as for `scan`.
        """
        from . import c_files, declared, python

        self._paths = tuple(paths)
        self._project = c_files.Project()
        self._sources: list[c_files.Source] = []
        self._others: dict[str, Uses] = {}  # of files that mean the same for all releases
        self._skipped: list[str] = []
        self._unread: list[str] = []
        self._files = 0
        for path, language, problem in _files(paths):
            other = _UNREAD.get(Path(path).suffix.lower()) if language is None else None
            if other and not problem:
                if _mentions(path):
                    self._unread.append(f"{path} ({other})")
                continue
            self._files += 1
            warning = None
            try:
                if language is None:
                    raise _UnreadableError(problem)
                if language == "ELF":
                    self._others[path], warning = _scan_elf(path, wanted)
                    continue
                source = _read(path)
                # no name of cuDNN's is without it, and most files stop here
                used = b"cudnn" in source.lower()
                if language == "Python":
                    if used:
                        self._others[path], warning = python.scan(path, source, wanted)
                elif used:
                    self._sources.append(c_files.read(path, source, language))
                    self._project.learn(self._sources[-1])
                    self._project.declared.update(declared.declared(self._sources[-1]))
                else:
                    self._project.pass_over(path, source)
            except _UnreadableError as error:
                if path in paths:
                    raise CannotCompareError(f"{path}: {error}") from error
                warning = str(error)
            finally:
                if warning:
                    self._skipped.append(f"{path}: {warning}")

        own = frozenset().union(*(uses.own for uses in self._others.values()))
        self._others = {path: uses.without(own) for path, uses in self._others.items()}

    def scan(self, wanted: Wanted) -> tuple[Uses, Scan]:
        """Return what the files use, C sources with the macros in `wanted`."""
        from . import c

        project, uses = self._project.copied(), Uses()
        project.shims = frozenset().union(
            *(c.shims(source, project, wanted) for source in self._sources)
        )
        found = {path: uses.without(project.shims) for path, uses in self._others.items()}
        for source in self._sources:
            found[source.path] = c.scan(source, project, wanted)
        for each in found.values():
            uses.update(each)
        uses.headers |= project.headers(wanted.headers)
        summary = Scan(
            paths=self._paths,
            files=self._files,
            using=sum(map(bool, found.values())),
            names=len(uses.names()),
            skipped=(*self._skipped, *project.warnings(wanted)),
            unread=tuple(self._unread),
        )
        return uses, summary


class _UnreadableError(Exception):
    """A file that cannot be read; the text says why."""


def _files(paths: Sequence[str]) -> Iterator[_File]:
    seen: set[str] = set()
    for text in paths:
        if Path(text).is_dir():
            found = list(_tree(text))
            if not found:
                raise CannotCompareError(
                    f"{text}: no Python, C, C++ or CUDA file and no compiled library in it"
                )
        elif os.path.lexists(text):
            file = _file(Path(text), strict=True)
            if file is None:
                raise CannotCompareError(
                    f"{text}: neither Python, C, C++ or CUDA by its name, nor an ELF file"
                )
            found = [(text, *file[1:])]
        else:
            raise CannotCompareError(f"{text}: no such file or folder")
        for each in found:
            real = os.path.realpath(each[0])
            if real not in seen:
                seen.add(real)
                yield each


def _tree(root: str) -> Iterator[_File]:
    unreadable: list[_File] = []

    def note(error: OSError) -> None:
        reason = f"cannot be read: {error.strerror}"
        if error.filename == root:
            raise CannotCompareError(f"{root}: {reason}")
        unreadable.append((str(error.filename), None, reason))

    for folder, folders, names in os.walk(root, onerror=note):
        folders[:] = sorted(
            name for name in folders if name[0] != "." and name not in _SKIPPED_FOLDERS
        )
        for name in sorted(names):
            file = _file(Path(folder, name), strict=False)
            if file is not None:
                yield file
    yield from unreadable


def _file(path: Path, *, strict: bool) -> _File | None:
    """Return a file that is worth reading, or that would be; None for one of another kind."""
    language = _LANGUAGES.get(path.suffix.lower())
    other = not (path.suffix in ("", ".o") or path.suffix[1:].isdigit() or ".so" in path.name)
    unread = path.suffix.lower() in _UNREAD
    if language is None and not strict and other and not unread:
        return None  # looking into every data file of a tree would take long
    known = language is not None or strict
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return (str(path), None, "not a regular file") if known else None
        if language is None:
            with path.open("rb") as file:
                language = "ELF" if file.read(4) == _ELF else None
        return (str(path), language, "") if language or (unread and not strict) else None
    except OSError as error:
        return (str(path), None, f"cannot be read: {error.strerror}") if known else None


def _read(path: str) -> bytes:
    try:
        size = Path(path).stat().st_size
        if size > _LARGEST:
            raise _UnreadableError(f"not read: {size >> 20} MiB are too many for a source")
        # one without a size, such as those in /proc, may never end
        source = Path(path).read_bytes() if size else b""
    except OSError as error:
        raise _UnreadableError(f"cannot be read: {error.strerror}") from error
    if source.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        source = source.decode("utf-16", errors="replace").encode()
    return source


def _scan_elf(path: str, wanted: Wanted) -> tuple[Uses, str | None]:
    from . import elf

    try:
        return elf.scan(Path(path), wanted)
    except CannotCompareError:
        raise
    except OSError as error:
        raise _UnreadableError(f"cannot be read: {error.strerror}") from error
    except Exception as error:  # whatever a reader of somebody else's makes of a broken file
        return Uses(), f"not a complete ELF file: {error or type(error).__name__}"


def _mentions(path: str) -> bool:
    """Return whether a file in another language names anything of cuDNN's."""
    try:
        return _MENTION.search(_read(path)) is not None
    except _UnreadableError:
        return False
