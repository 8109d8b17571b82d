"""Records of functions that call others with their arguments, under the names of other packages."""

from __future__ import annotations

import inspect
import re
from typing import NamedTuple


class Record(NamedTuple):
    """A function of another package that calls one function.

    Attributes:
        name: its name there.
        target: the name of the function that it calls.
        parameters: their names.
        call: the arguments of the call: None for the next argument, or a number.
        factors: the indices of scaling factors, and of the tensors that decide their data type.
        follows: whether the handle gets CuPy's current stream.
        result: the word for what makes the result; "" for none.
        help: the first line of its help.
    """

    name: str
    target: str
    parameters: tuple[str, ...]
    call: tuple[float | None, ...]
    factors: tuple[tuple[int, int], ...] = ()
    follows: bool = False
    result: str = ""
    help: str = ""

    @property
    def is_plain(self) -> bool:
        """Return whether it passes nothing but its arguments."""
        return self.call == (None,) * len(self.parameters)

    @property
    def signature(self) -> inspect.Signature:
        """Return the signature of the function."""
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([inspect.Parameter(each, kind) for each in self.parameters])

    def arguments(self, args: tuple[object, ...]) -> list[object]:
        """Return the arguments of the call."""
        given = iter(args)
        return [next(given) if each is None else each for each in self.call]


def record_of(text: str, prefix: str = "") -> Record:
    """Return the record of a text.

    Args:
        text: `[~]name[=target] parameters [-> result][: help]`; with a "~" the handle gets CuPy's
            current stream. A scaling factor is named with its tensor, as in "alpha@xDesc": it is an
            address of host memory. Numbers among the parameters are passed on.
        prefix: before the target's name, which begins with a capital letter then.
    """
    text, _, help_ = " ".join(text.split()).partition(": ")
    head, _, result = text.partition("->")
    name, *words = head.split()
    follows, name = name.startswith("~"), name.removeprefix("~")
    name, _, target = name.partition("=")
    if prefix:
        target = prefix + (target or name[0].upper() + name[1:])
    parts = [word.partition("@") for word in words if word[0].isalpha()]
    names = tuple([each for each, _, _ in parts])
    return Record(
        name,
        target or name,
        names,
        tuple([None if word[0].isalpha() else _number(word) for word in words]),
        tuple([(names.index(each), names.index(tensor)) for each, at, tensor in parts if at]),
        follows,
        result.strip(),
        help_,
    )


def _number(word: str) -> float:
    return float(word) if "." in word else int(word)


def records_of(text: str, prefix: str = "") -> dict[str, Record]:
    """Return records by name; a line that begins with a space goes on with the one before."""
    found = [record_of(each, prefix) for each in re.split(r"\n(?=\S)", text.strip())]
    return {each.name: each for each in found}
