"""Rules for changes: one for each kind, with a stable ID.

Three axes, because one change does not hurt everybody:

- abi: a program compiled against the old headers, run with the new library, not rebuilt.
- source: the same program compiled again, with the new headers.
- python: a program that uses this package, which picks the tables of the library it finds; names
  and argument lists count, values do not.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Literal, get_args

import msgspec

from .._support.decoding import decoded

Severity = Literal["breaking", "risk", "added", "info"]
Axis = Literal["abi", "source", "python"]

#: Worst first.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
AXES: tuple[Axis, ...] = get_args(Axis)


class Rule(msgspec.Struct, frozen=True):
    """A kind of change, with its severity on each axis."""

    id: str
    abi: Severity | None
    source: Severity | None
    python: Severity | None
    title: str  # what happened, as the heading of a list of names
    reason: str
    advice: str

    @property
    def one(self) -> str:
        """The title for a single finding: "Functions removed" is "function removed"."""
        title = self.title[0].lower() + self.title[1:]
        return _PLURAL.sub(lambda noun: _ONE.get(noun[0], noun[0][:-1]), title, count=1)

    def severity(self, axes: tuple[Axis, ...] = AXES) -> Severity | None:
        """Return the worst on `axes`; None if the change means nothing there."""
        found = {getattr(self, axis) for axis in axes}
        return next((severity for severity in SEVERITIES if severity in found), None)


_PLURAL = re.compile(r"\b\w+s\b")
_ONE = {"libraries": "library"}


def _read() -> dict[str, Rule]:
    text = files(__package__).joinpath("rules.toml").read_text(encoding="utf-8")
    return {
        id: decoded({"id": id, **dict.fromkeys(AXES), **fields}, Rule, msgspec.convert)
        for id, fields in msgspec.toml.decode(text).items()
    }


#: The rules of rules.toml, by their IDs.
RULES: dict[str, Rule] = _read()
