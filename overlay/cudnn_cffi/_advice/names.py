"""Hints for names that a module does not have, and the class of modules that give them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib import import_module
from types import MethodType, ModuleType
from typing import TypedDict, Unpack

from .. import errors
from .._index import HISTORY, RELEASES
from .._tables import elsewhere
from .words import find, plain, said

#: The name of this package.
_PACKAGE = __name__.partition(".")[0]


class _Named(TypedDict, total=False):
    """The keywords of an AttributeError."""

    name: str
    obj: object


class AbsentError(AttributeError):
    """A name that a release does not have; its text says which releases have it, or what is meant.

    The text is looked up when it is printed: most such errors are caught and dropped.
    """

    def __init__(self, message: str, release: str = "", **about: Unpack[_Named]) -> None:
        super().__init__(message, **about)
        self.release = release

    def __str__(self) -> str:
        text, name = super().__str__(), self.name or ""
        if when := elsewhere(name, self.release):
            successor = HISTORY[name][2] if name in HISTORY else None
            use = f"; use {successor}" if successor and when.startswith("removed") else ""
            return f"{text}: it was {when}{use}"
        return f"{text}{advice(name, self.obj)}"

    def __reduce__(self) -> tuple[type[AttributeError], tuple[str]]:
        return AttributeError, (str(self),)  # modules cannot be pickled


class UnknownNameError(AttributeError):
    """A name that a module does not have; what is meant is looked up only to be printed."""

    def __str__(self) -> str:
        return f"{super().__str__()}{advice(self.name or '', self.obj)}"

    def __reduce__(self) -> tuple[type[AttributeError], tuple[str]]:
        return AttributeError, (str(self),)  # modules cannot be pickled


class Module(ModuleType):
    """A module that says what is meant by a name that it does not have, read or set.

    `dir` lists what it has for its users: neither the modules that it is made of nor what it has
    imported from elsewhere. A function `_advise` of it may say more about a name. `equip` makes a
    module one of this class.
    """

    def _find(self, name: str) -> object:
        """Return what has a name that is not there yet; refuse others."""
        raise UnknownNameError(
            f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self
        )

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and callable(self.__dict__.get(name)):
            return  # the import of a module that once had the name of a function
        known = name[:1] == "_" or name in self.__dict__ or f"{self.__name__}.{name}" in sys.modules
        if not known:
            raise UnknownNameError(
                f"module {self.__name__!r} has no attribute {name!r} to set", name=name, obj=self
            )
        super().__setattr__(name, value)

    @property
    def __all__(self) -> list[str]:
        """Return the names that `import *` takes, and that `help` documents."""
        return dir(self)

    def __dir__(self) -> list[str]:
        return sorted(name for name, value in vars(self).items() if _is_own(name, value))


def equip(name: str, kind: type[Module] = Module) -> None:
    """Make a module one of a class, whose `_find` is asked for names that it does not have.

    That is the module's own function `__getattr__`: a class with such a method takes three times as
    long for each name that is there, such as that of a function that is called.
    """
    module = sys.modules[name]
    module.__class__ = kind
    vars(module)["__getattr__"] = MethodType(kind._find, module)  # noqa: SLF001


def _is_own(name: str, value: object) -> bool:
    """Return whether a name of a module is for its users."""
    if name[0] == "_" or name == "TYPE_CHECKING" or isinstance(value, ModuleType):
        return False
    home = getattr(value, "__module__", None) or type(value).__module__
    return str(home).partition(".")[0] in (_PACKAGE, "builtins")


def advice(name: str, module: object) -> str:
    """Return the end of an error's text: what to use for `name`; "" where nothing is near."""
    word = plain(name)
    own = getattr(module, "__dict__", {}).get("_advise")
    if own is not None and (text := own(name)):
        return f": {text}"
    known = dir(module)
    if isinstance(module, Module):
        same = [each for each in known if plain(each) == word]
        if same:
            return f"; did you mean {same[-1]}?"  # functions come after classes
    if text := _of_others(word):
        return f": {text.replace('`', '')}"
    if isinstance(module, Module) and (near := _nearest(name, known)):
        return f"; did you mean {near}?"
    if name in _SUBMODULES:
        return f": import {_PACKAGE}.{name}"
    theirs = _of_compat(name)
    theirs = theirs and f": {theirs}"
    if name[:1] == "v" and name[1:].replace("_", "").isdigit():
        return f": the newest known release is v{list(RELEASES)[-1].replace('.', '_')}"
    near = _nearest(name, known)
    if near is None:
        near = _nearest(name, [other for other in errors.__all__ if other[0].isupper()])
        near = near and f"cudnn_cffi.{near}"
    return theirs + (f"; did you mean {near}?" if near else "")


#: Submodules that need an import of their own.
_SUBMODULES = ("api", "backend", "compat", "descriptors", "diagnose", "memory", "torch")


#: Beginnings and ends that Theano, Chainer, CuPy and cudnn.torch give to names of operations.
_AFFIXES = re.compile(
    r"(?:gpudnn|dnn)(.+?)(?:op|desc|base|inplace|[1-3]d)*"
    r"|(?:nstep)?(.+?)(?:forward|forwardtraining|forwardinference|updateoutput|[1-3]d|nd)*"
)


def _of_others(word: str) -> str:
    """Return what to use for a word of another package; "" for other words."""
    whole = _AFFIXES.fullmatch(word)
    for each in (word, *(whole.groups() if whole else ())):
        if each and (text := find(said("name"), each) or _operation(each)):
            return text
    return ""


def _operation(word: str) -> str:
    """Return where the operation with this name is, as "use ops.NAME"; "" if there is none."""
    # They are upper rooms, which are imported only to print an error.
    ops, graph = (import_module(f"{_PACKAGE}.{room}") for room in ("ops", "graph"))

    found = [each for each in dir(ops) if plain(each) == word]
    if found:
        return f"use ops.{found[-1]}"
    methods = [each for each in dir(graph.Graph) if each[0] != "_" and plain(each) == word]
    return f"use Graph.{methods[0]}" if methods else ""


#: Modules of compat, and whose names they have.
_COMPAT = {
    "cupy_cudnn": "CuPy",
    "cupy_backends_cudnn": "CuPy",
    "libcudnn": "cudnn-python-wrappers",
    "libcudnn_1": "cudnn-python-wrappers 1.0",
    "frontend": "NVIDIA's front end",
}


def _of_compat(name: str) -> str:
    """Return which module has a name as another package had it; "" where none has."""
    for place, package in _COMPAT.items():
        known = dir(import_module(f"{_PACKAGE}.compat.{place}"))
        bare = name.removesuffix("_t")
        if found := next((each for each in (name, bare, f"cudnn{bare}") if each in known), ""):
            return f"a name of {package}: use {_PACKAGE}.compat.{place}.{found}"
    return ""


#: Minimum length of a name's beginning that tells something.
_ENOUGH = 5


def _nearest(name: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    names = [other for other in known if other[0] != "_"]
    found = get_close_matches(name, names, 1, 0.8)
    if not found:
        lower = name.lower()
        found = [other for other in names if other.lower() == lower]
    if not found and len(name) >= _ENOUGH:
        found = sorted((other for other in names if other.lower().startswith(lower)), key=len)
    return found[0] if found else None
