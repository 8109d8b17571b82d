"""A comparison with everything that was asked of it: axes, limits, suppressions, uses.

A `Report` is what every format is made from; written as JSON it is the machine-readable output,
so a change of it is a change of `SCHEMA` and of docs/diff-schema.json.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from .diff import Finding, Value, compare, things
from .model import Api
from .rules import AXES, RULES, SEVERITIES, Axis, Severity
from .successors import Successor
from .suppress import Suppression

SCHEMA = 1

FailOn = Literal["breaking", "risk", "added", "info", "never"]
Language = Literal["C", "C++", "CUDA", "Python", "ELF"]


class Side(msgspec.Struct, frozen=True):
    """One of the two that were compared."""

    version: str
    build: str
    api: str  # the first release with the same API
    headers: str | None = None  # the folder, if it was read from headers

    @property
    def label(self) -> str:
        """The release, and where its headers are from."""
        return f"{self.version} ({self.headers})" if self.headers else self.version


class Place(msgspec.Struct, frozen=True, order=True):
    """Where a program uses a name; an ELF file has no lines."""

    path: str
    line: int | None
    column: int | None
    text: str  # what stands there
    language: Language

    @property
    def spelled(self) -> str:
        """The place as editors and compilers spell it."""
        return self.path if self.line is None else f"{self.path}:{self.line}"


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


def judge(findings: Iterable[Finding], axes: Sequence[Axis] = AXES) -> tuple[Item, ...]:
    """Return the findings that mean something on `axes`, worst first."""
    items = []
    for finding in findings:
        item = judged(finding, axes)
        if item is not None:
            items.append(item)
    return tuple(sorted(items, key=lambda item: SEVERITIES.index(item.severity)))


def judged(finding: Finding, axes: Sequence[Axis], places: tuple[Place, ...] = ()) -> Item | None:
    """Judge a finding on the axes; None if it matters on none."""
    rule = RULES[finding.rule]
    on: dict[Axis, Severity] = {axis: getattr(rule, axis) for axis in axes if getattr(rule, axis)}
    if not on:
        return None
    return Item(
        rule=finding.rule,
        severity=min(on.values(), key=SEVERITIES.index),
        axes=on,
        name=finding.name,
        kind=finding.kind,
        owner=finding.owner,
        old=finding.old,
        new=finding.new,
        note=finding.note,
        successor=finding.successor,
        places=places,
    )


_COUNTED = {
    "functions": ("function",),
    "enums": ("enumeration",),
    "enumerators": ("enumerator",),
    "constants": ("constant", "flag"),
    "macros": ("macro",),
    "structs": ("struct",),
    "object types": ("object type",),
    "callbacks": ("callback",),
    "typedefs": ("typedef",),
    "version macros": ("version macro",),
}


def counted(old: Api, new: Api) -> dict[str, tuple[int, int]]:
    """Return how many of each kind the two have."""

    def counts(api: Api) -> dict[str, int]:
        kinds = Counter(thing.kind for thing in things(api).values())
        found = {what: sum(kinds[kind] for kind in those) for what, those in _COUNTED.items()}
        found["parameters"] = sum(len(function.parameters) for function in api.functions)
        found["headers"] = len(api.headers)
        found["backend attributes"] = len(api.attributes)
        return found

    before, after = counts(old), counts(new)
    if old.libraries and new.libraries:
        before["libraries"], after["libraries"] = len(old.libraries), len(new.libraries)
    return {key: (before[key], after[key]) for key in before}


def build(
    old: tuple[Side, Api],
    new: tuple[Side, Api],
    *,
    axes: tuple[Axis, ...] = AXES,
    fail_on: FailOn = "breaking",
    suppressions: Sequence[Suppression] = (),
    items: tuple[Item, ...] | None = None,
    scan: Scan | None = None,
) -> Report:
    """Return the report on two APIs; `items` are the findings, if not all are wanted."""
    if items is None:
        items = judge(compare(old[1], new[1]), axes)
    used: set[Suppression] = set()
    accepted = []
    for item in items:
        entries = [s for s in suppressions if s.covers(item.rule, item.names)]
        if entries:
            used.update(entries)
            item = msgspec.structs.replace(item, suppressed=entries[0].reason)
        accepted.append(item)
    open_ = [item for item in accepted if item.suppressed is None]
    counts = {s: sum(item.severity == s for item in open_) for s in SEVERITIES}
    failing = () if fail_on == "never" else SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    return Report(
        schema=SCHEMA,
        tool=_tool(),
        old=old[0],
        new=new[0],
        compared=counted(old[1], new[1]),
        axes=axes,
        fail_on=fail_on,
        findings=tuple(accepted),
        summary=Summary(**counts, suppressed=len(accepted) - len(open_)),
        exit=1 if any(counts[severity] for severity in failing) else 0,
        notes=_notes(old, new),
        unused_suppressions=tuple(s for s in suppressions if s not in used),
        uses=scan,
    )


def _tool() -> str:
    from cudnn_cffi._version import __version__

    return f"cudnn_cffi {__version__}"


def _notes(old: tuple[Side, Api], new: tuple[Side, Api]) -> tuple[str, ...]:
    notes = []
    for section, what in (
        ("attributes", "types of backend attributes are"),
        ("libraries", "library files are"),
    ):
        without = [side.label for side, api in (old, new) if not getattr(api, section)]
        if without:
            notes.append(f"{what} not known for {' and '.join(without)}")
    return tuple(notes)
