"""What a scanner looks for, and what it has found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..pynames import PythonNames
from ..report import Place

#: Numbers that are made of the parts of a version.
VERSION_NUMBERS = ("CUDNN_VERSION", "cudnnGetVersion")


@dataclass(frozen=True)
class Wanted:
    """The names worth finding, of both sides together."""

    names: frozenset[str]  # in C
    tags: Mapping[str, str]  # struct tag -> the type's name
    headers: frozenset[str]
    members: frozenset[str]  # of structs, where something about them changed
    python: Sequence[PythonNames]
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict)  # answers given before

    def c_names(self, text: str) -> tuple[str, ...]:
        """What a Python name such as DataType.FLOAT stands for on either side."""
        if text not in self._known:
            found = {text: None} if text in self.names else {}
            for names in self.python if not found else ():
                found |= dict.fromkeys(names.c_names(text))
            self._known[text] = tuple(found)
        return self._known[text]

    def is_class(self, name: str) -> bool:
        return any(name in names.classes for names in self.python)


class Uses:
    """Places by what is used there.

    A key is a C name, or one of: "include <header>", "library <file name>", "module <name>",
    "member <name>", "keyword <function>(<parameter>)", "arithmetic <name>" for one of
    `VERSION_NUMBERS` that is divided into its parts.
    """

    def __init__(self) -> None:
        self._places: dict[str, list[Place]] = {}

    def add(self, key: str, place: Place) -> None:
        self._places.setdefault(key, []).append(place)

    def at(self, key: str) -> list[Place]:
        return self._places.get(key, [])

    def files_with(self, key: str) -> set[str]:
        return {place.path for place in self.at(key)}

    def update(self, other: Uses) -> None:
        for key, places in other._places.items():
            self._places.setdefault(key, []).extend(places)

    def names(self) -> list[str]:
        """The C names among the keys."""
        return [key for key in self._places if " " not in key]

    def __bool__(self) -> bool:
        return bool(self._places)
