"""Refuse options that an operation does not have, suggest the right ones, and check booleans."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .. import errors
from .._advice import find, said
from .._advice import options as words
from .._support.arguments import boolean
from .._support.wording import meant, numbered


def refused(
    word: str, wrong: str, options: Iterable[str], call: Iterable[str] = (), fixed: str = ""
) -> errors.ArgumentError:
    """Return the error about an option that an operation or a function does not have.

    Args:
        word: the operation or the function.
        wrong: the name of the option.
        options: the names that it has.
        call: the names that a call of the operation has.
        fixed: the class that has the option, if the function sets it.
    """
    text = f"options: {', '.join(options)}"
    if fixed:
        return errors.ArgumentError(
            f"{word}: there is no argument {wrong!r}, since {word} sets it",
            hint=f"the class {fixed} has this option; {text}",
        )
    if wrong in call:
        shift = "what a norm adds is bias; " if wrong == "beta" and "scale" in call else ""
        return errors.ArgumentError(
            f"{word}: {wrong!r} is an argument of the call, not an option of the operation",
            hint=f"pass it where the operation is called; {shift}{text}",
        )
    known = (*options, *call)
    found, detail = _present(find(words(), wrong) or {}, known)
    if found:
        use = f"use {' and '.join(found)}{detail and f', {detail}'}; "
    else:
        told = find(said("no_option"), wrong)
        use = f"{told}; " if told else meant(wrong, known)
    return errors.ArgumentError(f"{word}: there is no argument {wrong!r}", hint=f"{use}{text}")


def _present(ours: Mapping[str, str], known: Iterable[str]) -> tuple[list[str], str]:
    """Return the first of our arguments that an operation has, of pages all, and the detail."""
    for key, detail in ours.items():
        names, _, beside = key.partition(" if ")
        found = [each for each in names.split() if each in known]
        if found and (not beside or beside in known):
            return found, detail
    return [], ""


def synonyms(option: str, known: Iterable[str]) -> list[str]:
    """Return the words of other packages for which an operation's error names this option."""
    known = tuple(known)
    return sorted(
        word
        for word, ours in words().items()
        if word not in known and option in _present(ours, known)[0]
    )


def _names(function: Any) -> list[str]:
    """Return the names of the arguments of a method, without self and those that are open."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [each.name for each in parameters if each.kind is not each.VAR_KEYWORD]


def checked(init: Callable[..., None]) -> Callable[..., None]:
    """Return a constructor that refuses unknown options with a word on what is meant.

    It looks at what the class itself was called with; what a class hands to its base passes.
    Arguments that are annotated as `bool` reach the constructor as such, or are refused.
    """
    code = init.__code__
    booleans = [name for name, kind in init.__annotations__.items() if kind in ("bool", bool)]
    known = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    most = code.co_argcount - 1

    @functools.wraps(init)
    def make(self: Any, *given: Any, **options: Any) -> None:
        if len(given) > most and type(self).__init__ is make:
            raise errors.ArgumentError(
                f"{self.word}: expected at most {numbered(most, 'option')} without a name, got "
                f"{len(given)}",
                hint=f"options: {', '.join(_names(init))}",
            )
        if not known.issuperset(options) and type(self).__init__ is make:
            wrong = next(name for name in options if name not in known)
            raise refused(self.word, wrong, _names(init), _names(type(self).__call__))
        for name in booleans:
            if name in options:
                options[name] = boolean(options[name], name)
        init(self, *given, **options)

    return make
