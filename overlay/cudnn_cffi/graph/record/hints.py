"""Hints for names that a graph does not have: methods, their arguments, classes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ... import errors
from ..._advice import said
from ..._support.wording import meant

if TYPE_CHECKING:
    from .operation import Operation

#: Arguments of every method that adds an operation.
SETTINGS = ("name", "data_type", "compute_data_type", "strides", "layout")


def unknown_method(graph: object, name: str) -> AttributeError:
    """Return the error about a method that graphs do not have, with the one that is meant."""
    if name[:1] == "_":
        return AttributeError(f"{type(graph).__name__!r} object has no attribute {name!r}")
    public = [each for each in dir(type(graph)) if each[0] != "_"]
    near = meant(name, public, said("method")).strip(" ;")
    text = f"{type(graph).__name__!r} object has no attribute {name!r}"
    return AttributeError(f"{text}{f': {near}' if near else ''}")


def unknown_name(module: str, name: str, known: Sequence[str]) -> AttributeError:
    """Return the error about a class that a module does not have, with the one that is meant.

    Args:
        module: its name.
        name: of the class, which may lack "Operation" or "Descriptor", or be in another case.
        known: the names that there are.
    """
    text = f"module {module!r} has no attribute {name!r}"
    if name[:1] == "_":
        return AttributeError(text, name=name)
    whole = {each.lower(): each for each in known}
    word = name.lower().removesuffix("descriptor").removesuffix("op").removesuffix("operation")
    bare = word.removeprefix("operation")
    spelt = (f"{word}descriptor", f"operation{bare}descriptor", f"{bare}descriptor")
    found = next((whole[each] for each in spelt if each in whole), "")
    near = f"did you mean {found}?" if found else meant(name, known).strip()
    return AttributeError(f"{text}{f'; {near}' if near else ''}", name=name)


def unknown_argument(graph: object, operation: Operation, name: str) -> errors.ArgumentError:
    """Return the error about an argument that a method does not have.

    Args:
        graph: whose method was called.
        operation: its record.
        name: the argument.
    """
    method: Callable[..., object] | None = getattr(type(graph), operation.method or "_", None)
    found = list(inspect.signature(method).parameters.values())[1:] if method else []
    known = (*[each.name for each in found if each.kind is not each.VAR_KEYWORD], *SETTINGS)
    synonyms = {word: f"use {ours}" for word, ours in said("argument").items() if ours in known}
    if "groups" not in known:
        synonyms["groups"] = "they follow from the channels of x and w"
    return errors.ArgumentError(
        f"{operation.kind}: there is no argument {name!r}",
        hint=f"{meant(name, known, synonyms)}one of {', '.join(known)}",
    )
