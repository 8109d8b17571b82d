"""Words of other packages, and ours for the same, from the one table of them: words.json.

A record has `words`, as their packages write them, and a hint for each place where users may write
them. Names of ours that the package itself has are in backquotes.

| field | where the word is written | its value |
|---|---|---|
| name | an attribute of a module | what to use |
| module | an attribute of `cudnn_cffi.torch.modules` | the module of ours, and its options |
| method | an attribute of a `Graph` | what to use |
| argument | an argument of a method of `Graph` | the argument of ours |
| option | an argument of an operation | arguments of ours, the nearest first, with details |
| no_option | the same | what to do if the operation has none of those |
| pick | a choice | what to use |
| setting | a setting of `choice` | what to use |
| filter | a filter of candidates | what to use |
| activation, axis | a value of that option | what to use |

An argument "bias if alibi" counts for operations that have both names: a mask of attention is no
bias of a convolution.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias, TypedDict, TypeVar

    T = TypeVar("T")

    #: A place where a user may write a word, as texts of errors name it.
    Place: TypeAlias = Literal[
        "name", "module", "method", "argument", "no_option", "pick", "setting", "filter",
        "activation", "axis",
    ]  # fmt: skip

    class Record(TypedDict, total=False):
        """The hints for some words, by place."""

        words: str
        name: str
        module: str
        method: str
        argument: str
        option: Mapping[str, str]
        no_option: str
        pick: str
        setting: str
        filter: str
        activation: str
        axis: str


def plain(word: str) -> str:
    """Return a word without capitals and underscores, in which packages differ."""
    return word.lower().replace("_", "")


@cache
def records() -> dict[str, Record]:
    """Return the record of each word, as its package writes it."""
    import json

    found: list[Record] = json.loads(Path(__file__).with_name("words.json").read_bytes())
    return {word: each for each in found for word in each["words"].split()}


def said(place: Place) -> dict[str, str]:
    """Return the hints of one place, by words as their packages write them."""
    return {word: each[place] for word, each in records().items() if place in each}


def options() -> dict[str, Mapping[str, str]]:
    """Return the arguments of operations that a word may stand for, with a detail of each.

    Several names in one key are all meant, if the operation also has the name after "if".
    """
    return {word: each["option"] for word, each in records().items() if "option" in each}


def find(table: Mapping[str, T], word: str) -> T | None:
    """Return the hint of a table for a word in any spelling; None if it has none."""
    wanted = plain(word)
    return next((text for each, text in table.items() if plain(each) == wanted), None)
