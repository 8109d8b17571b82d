"""Python laid out as ruff lays it out: on a line where it fits, else an item a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

WIDTH = 100


@dataclass(frozen=True)
class Bracketed:
    """Items between an opening and a closing text."""

    opening: str
    items: tuple[Item, ...]
    closing: str = ")"

    def __str__(self) -> str:
        comma = "," if self.opening.endswith("(") and self.is_tuple and len(self.items) == 1 else ""
        return f"{self.opening}{', '.join(map(str, self.items))}{comma}{self.closing}"

    @property
    def is_tuple(self) -> bool:
        """Whether it is a tuple, perhaps after a key, and no call."""
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


def literal(value: Any, key: str = "") -> Bracketed | str:
    """Return a value of tuples, dictionaries, texts and numbers, after a dictionary's key."""
    if isinstance(value, tuple):
        return Bracketed(f"{key}(", tuple(literal(each) for each in value))
    if isinstance(value, Mapping):
        items = tuple(literal(each, f"{_quoted(name)}: ") for name, each in value.items())
        return Bracketed(f"{key}{{", items, "}")
    if isinstance(value, str):
        return f"{key}{_quoted(value)}"
    return f"{key}{repr(value).replace('e+', 'e')}"  # 1e308 is how ruff writes 1e+308


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
