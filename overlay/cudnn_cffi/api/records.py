"""Records of a report: the two sides, findings with places, and their summary."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Literal

import msgspec

from .changes.finding import Successor, Value
from .names.place import Language as Language
from .names.place import Place as Place
from .rules import Axis, Severity

SCHEMA = 2

FailOn = Literal["breaking", "risk", "added", "info", "never"]


class Side(msgspec.Struct, frozen=True):
    """One of the two that were compared."""

    version: str
    build: str
    api: str  # the first release with the same API
    headers: str | None = None  # the folder, if it was read from headers
    remarks: tuple[str, ...] = ()  # what its headers declare and the comparison lacks

    @property
    def label(self) -> str:
        """The release, and where its headers are from."""
        return f"{self.version} ({self.headers})" if self.headers else self.version


class Item(msgspec.Struct, frozen=True):
    """A finding, judged."""

    rule: str
    severity: Severity
    axes: dict[Axis, Severity]  # on each axis that was asked for and that it concerns
    name: str
    kind: str
    owner: str | None
    old: Value
    new: Value
    note: str | None
    successor: Successor | None
    places: tuple[Place, ...] = ()
    suppressed: str | None = None  # the reason

    @property
    def subject(self) -> str:
        """The name as a reader knows it: with its struct or function where it has one."""
        if self.kind == "parameter":
            return f"{self.owner}({self.name})"
        return f"{self.owner}.{self.name}" if self.kind == "member" else self.name

    @property
    def change(self) -> str:
        """Return what is different, "" where the rule says it all."""
        if self.old is not None and self.new is not None and self.old != self.new:
            text = f"{self.old} -> {self.new}"
        elif self.old is None and self.new is not None:
            text = f"= {self.new}" if isinstance(self.new, (int, float)) else str(self.new)
        elif self.old is not None and self.new is None:
            text = f"was {self.old}"
        else:
            text = ""
        return f"{text} ({self.note})" if text and self.note else text or self.note or ""

    @property
    def names(self) -> tuple[str, ...]:
        """Return what a suppression may call it."""
        return (self.subject, self.name)


class Summary(msgspec.Struct, frozen=True):
    """The numbers of findings, by severity."""

    breaking: int
    risk: int
    added: int
    info: int
    suppressed: int


class Scan(msgspec.Struct, frozen=True):
    """The code that `--uses` looked at."""

    paths: tuple[str, ...]
    files: int
    using: int  # files that use cuDNN
    names: int  # distinct names that they use
    skipped: tuple[str, ...] = ()  # "path: reason", where a file could not be read to the end
    unread: tuple[str, ...] = ()  # "path (language)", of those that mention cuDNN and are not read


class Suppression(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An accepted finding; a missing `rule` or `name` stands for any, but one must be there."""

    reason: str
    rule: str = "*"
    name: str = "*"

    def covers(self, rule: str, names: Sequence[str]) -> bool:
        """Return whether it is about findings of this rule and one of these names."""
        return fnmatchcase(rule, self.rule) and any(fnmatchcase(n, self.name) for n in names)


class Report(msgspec.Struct, frozen=True):
    """All that a comparison found."""

    schema: int
    tool: str
    old: Side
    new: Side
    compared: dict[str, tuple[int, int]]  # how many of each kind the two have
    axes: tuple[Axis, ...]
    fail_on: FailOn
    findings: tuple[Item, ...]
    summary: Summary
    exit: Literal[0, 1]
    notes: tuple[str, ...] = ()
    unused_suppressions: tuple[Suppression, ...] = ()
    uses: Scan | None = None

    @property
    def same_api(self) -> bool:
        """Return whether both are releases of one API, so that there was nothing to find."""
        headers = self.old.headers or self.new.headers
        return self.old.api == self.new.api and not headers
