"""Python laid out as ruff lays it out: on a line where it fits, else an item a line."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

WIDTH = 100


@dataclass(frozen=True, eq=False)
class Bracketed:
    """Items between an opening and a closing text; equal only to itself, so quick to remember."""

    opening: str
    items: tuple[Item, ...]
    closing: str = ")"

    def __str__(self) -> str:
        return self._text  # of each level, not again for each level around it

    @cached_property
    def _text(self) -> str:
        comma = "," if self.is_tuple and len(self.items) == 1 else ""
        return f"{self.opening}{', '.join(map(str, self.items))}{comma}{self.closing}"

    @property
    def is_tuple(self) -> bool:
        """Return whether it is a tuple, perhaps after a key, and no call."""
        return self.opening == "(" or self.opening.endswith(": (")


@dataclass(frozen=True)
class Choice:
    """`plain if test else other`, with a line for each where it does not fit."""

    parts: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.parts)


Item = Bracketed | Choice | str


def call(name: str, *items: Item) -> Bracketed:
    """Return a call."""
    return Bracketed(f"{name}(", items)


def tuple_of(items: Iterable[Item]) -> Bracketed:
    """Return a tuple."""
    return Bracketed("(", tuple(items))


@cache
def lay_out(item: Item, indent: int = 0, before: str = "", after: str = "") -> str:
    """Return the text of an item, whose first line begins at column `indent`.

    Args:
        item: the item.
        indent: of the line that it is on.
        before: what is before it on the same line.
        after: what is after it on the same line.
    """
    flat = f"{before}{item}{after}"
    if indent + len(flat) <= WIDTH or isinstance(item, str):
        return flat
    inner = " " * (indent + 4)
    if isinstance(item, Choice):
        if before:
            return f"{before}(\n{inner}{lay_out(item, indent + 4)}\n{' ' * indent}){after}"
        return f"\n{' ' * indent}".join(item.parts) + after
    if not item.items:
        return flat
    lines = [f"{inner}{lay_out(each, indent + 4, after=',')}" for each in item.items]
    return "\n".join([before + item.opening, *lines, f"{' ' * indent}{item.closing}{after}"])


def assigned(value: str, name: str, call: str = "") -> str:
    """Return the assignment of an expression, or of what a function makes of it."""
    flat = f"{name} = {call}({value})" if call else f"{name} = {value}"
    return flat if len(flat) <= WIDTH else f"{name} = {call}(\n    {value}\n)"


def paragraph(text: str, indent: int, width: int = WIDTH, hanging: int = 0) -> str:
    """Return a paragraph in lines of at most `width` columns, where its words allow that.

    Args:
        text: the paragraph; white space in it is for the reader of the template.
        indent: the column at which the first line begins.
        width: columns of a line with its indent.
        hanging: how much further in the other lines begin.
    """
    text = " ".join(text.split())
    if indent + len(text) <= width:
        return text
    wrapped = textwrap.fill(
        text,
        width,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hanging),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped.lstrip()


def literal_text(value: Any, indent: int = 0, before: str = "") -> str:
    """Return the text of a value, laid out; the arguments are those of `lay_out`."""
    return lay_out(literal(value), indent, before)


def literal(value: Any, key: str = "") -> Bracketed | str:
    """Return a value of tuples, dictionaries, texts and numbers, after a dictionary's key.

    A `Bracketed` is such a value already, with its key.
    """
    if isinstance(value, Bracketed):
        return value
    if isinstance(value, tuple):
        return Bracketed(f"{key}(", tuple(literal(each) for each in value))
    if isinstance(value, Mapping):
        items = tuple(literal(each, key_of(name)) for name, each in value.items())
        return Bracketed(f"{key}{{", items, "}")
    if isinstance(value, str):
        return f"{key}{_quoted(value)}"
    return f"{key}{repr(value).replace('e+', 'e')}"  # 1e308 is how ruff writes 1e+308


#: Quotes text as JSON does; `json.dumps` would make an encoder for each.
_quoted = json.JSONEncoder(ensure_ascii=False).encode


def key_of(name: str) -> str:
    """Return what is before the value of a dictionary's key."""
    return f"{_quoted(name)}: "
