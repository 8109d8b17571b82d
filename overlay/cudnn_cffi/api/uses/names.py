"""Names that a scanner looks for, and its findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..names.place import Language, Place
    from ..names.pynames import PythonNames
    from ..rules import Axis
    from .preprocessor import Macros

#: Names of the form that cuDNN's functions, types and constants have.
_FORM = re.compile(r"cudnn[A-Z]\w*(?<!_)|CUDNN_[A-Z0-9][A-Z0-9_]*(?<!_)")

#: Paths of cuDNN's libraries.
LIBRARY = re.compile(r"(?:.*/)?((libcudnn\w*)\.so(?:\.\d+)*|cudnn(?:_\w+?)?64_(\d+)\.dll)")

#: Numbers that are made of the parts of a version.
VERSION_NUMBERS = ("CUDNN_VERSION", "cudnnGetVersion")

#: Changes that can break a program in this language, unless its place says otherwise.
AXES: Mapping[Language, tuple[Axis, ...]] = {
    "C": ("abi", "source"),
    "C++": ("abi", "source"),
    "CUDA": ("abi", "source"),
    "Python": ("python",),
    "ELF": ("abi",),
}


@dataclass(frozen=True)
class Wanted:
    """The names worth finding, of both sides together."""

    names: frozenset[str]  # in C, of all releases that there were
    tags: Mapping[str, str]  # struct tag -> the type's name
    headers: frozenset[str]
    members: frozenset[str]  # of structs, where something about them changed
    python: Sequence[PythonNames]
    old: Macros  # what the headers define that a compiled program was compiled with
    new: Macros  # and those with which it is compiled again
    numbers: Mapping[str, int]  # enumerators -> their number before
    quiet: frozenset[str] | None = None  # names in no table; None if there are no tables
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict)  # answers given before

    def c_names(self, text: str) -> tuple[str, ...]:
        """Return what a Python name such as DataType.FLOAT stands for on either side."""
        if text not in self._known:
            found = {text: None} if text in self.names else {}
            for names in self.python if not found else ():
                found |= dict.fromkeys(names.c_names(text))
            self._known[text] = tuple(found)
        return self._known[text]

    def unknown(self, name: str) -> bool:
        """Return whether a name has the form of cuDNN's and is in no release."""
        if self.quiet is None or name in self.names or name in self.tags or name in self.quiet:
            return False
        return _FORM.fullmatch(name) is not None

    def is_class(self, name: str) -> bool:
        """Return whether a Python name is that of a class, on either side."""
        return any(names.is_class(name) for names in self.python)


class Uses:
    """Places by what is used there.

    A key is a C name, or one of: "include <header>", "library <file name or its stem>",
    "module <name>", "member <name>", "keyword <function>(<parameter>)", "number <enumerator>"
    where its number is written out, "arithmetic <version number>" where that is taken apart,
    "string <name>" where a compiled file that looks symbols up has the name of a function among its
    strings, and "unknown <name>" for a name like cuDNN's that no release has.
    """

    def __init__(self) -> None:
        self._places: dict[str, list[Place]] = {}
        self._axes: dict[Place, frozenset[Axis]] = {}
        #: For each file, cuDNN's headers that it includes, itself or through the program's own.
        self.headers: dict[str, set[str]] = {}
        #: Names to which a Cython enumeration of the program gives a number.
        self.own: set[str] = set()

    def add(self, key: str, place: Place, axes: Iterable[Axis] = ()) -> None:
        """Add a place that uses `key`."""
        self._places.setdefault(key, []).append(place)
        if axes:
            self._axes[place] = frozenset(axes)

    def at(self, key: str) -> list[Place]:
        """Return the places that use `key`."""
        return self._places.get(key, [])

    def axes(self, place: Place) -> frozenset[Axis]:
        """Return what a change can break there."""
        return self._axes.get(place) or frozenset(AXES[place.language])

    def files_with(self, key: str) -> set[str]:
        """Return the files that use `key`."""
        return {place.path for place in self.at(key)}

    def without(self, names: frozenset[str]) -> Uses:
        """Return the uses but for those in Python of names that are the program's own."""
        if not names & self._places.keys():
            return self
        made = Uses()
        made.update(self)
        for name in names & self._places.keys():
            made._places[name] = [at for at in self.at(name) if at.language != "Python"]
        made._places = {key: places for key, places in made._places.items() if places}
        return made

    def update(self, other: Uses) -> None:
        """Add the uses that another scan found."""
        for key, places in other._places.items():
            self._places.setdefault(key, []).extend(places)
        self._axes.update(other._axes)
        self.headers.update(other.headers)

    def moved(self, to: Callable[[Place], Place]) -> Uses:
        """Return the same uses in other places."""
        made = Uses()
        for key, places in self._places.items():
            for place in places:
                made.add(key, to(place), self._axes.get(place, ()))
        return made

    def of_kind(self, kind: str) -> list[str]:
        """Return what stands after a word such as "unknown" in the keys that begin with it."""
        return [key.partition(" ")[2] for key in self._places if key.startswith(f"{kind} ")]

    def names(self) -> list[str]:
        """Return the C names among the keys."""
        return [key for key in self._places if " " not in key]

    def __bool__(self) -> bool:
        return bool(self._places)


def library_names(match: re.Match[str]) -> list[str]:
    """Return the names by which findings know a library's file: libcudnn.so.8, libcudnn."""
    if match[3] is not None:  # cudnn_ops64_9.dll
        stem = "lib" + match[1].partition("64_")[0]
        return [f"{stem}.so.{match[3]}", stem]
    return [re.sub(r"(\.so\.\d+).*", r"\1", match[1]), match[2]]
