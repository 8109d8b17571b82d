"""Every release against the one before it, and the changelog that comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby, pairwise

import msgspec

from . import store
from .diff import build
from .errors import CannotCompareError
from .formats import words
from .inputs.sides import all_sides
from .records import FailOn, Item, Report, Suppression
from .rules import AXES, RULES, SEVERITIES, Axis


def reports(
    *,
    axes: tuple[Axis, ...] = AXES,
    fail_on: FailOn = "breaking",
    suppressions: Sequence[Suppression] = (),
) -> list[Report]:
    """One report for each step, oldest first.

    The last of them names the suppressions for which no step at all has a use.
    """
    found = [
        build(old, new, axes=axes, fail_on=fail_on, suppressions=suppressions)
        for old, new in pairwise(all_sides(store()))
    ]
    if not found:
        raise CannotCompareError("only one release is known: there is nothing to compare it with")
    unused = tuple(s for s in suppressions if all(s in r.unused_suppressions for r in found))
    last = len(found) - 1
    return [
        msgspec.structs.replace(each, unused_suppressions=unused if place == last else ())
        for place, each in enumerate(found)
    ]


_FOLDED = 12  # names of one sort that are shown at once; more are folded away

_INTRO = """\
# API changes

Changes of cuDNN's C API, and of the Python names made from it, from each release to the next.
Written by `python -m cudnn_cffi changelog` from the committed models; do not edit it.
[diff.md](diff.md) explains the rules, and the axes `abi`, `source` and `python`.
"""


def changelog(steps: Sequence[Report]) -> str:
    """All steps as one Markdown page, newest first."""
    lines = [_INTRO, *_table(steps), ""]
    for step in reversed(steps):
        lines += section(step)
    return "\n".join(lines)


def _table(steps: Sequence[Report]) -> Iterator[str]:
    yield f"| step | {' | '.join(SEVERITIES)} |"
    yield "| --- |" + " ---: |" * len(SEVERITIES)
    for step in reversed(steps):
        counts = [getattr(step.summary, severity) for severity in SEVERITIES]
        if any(counts):
            cells = " | ".join(str(count or "") for count in counts)
            yield f"| {step.old.version} → {step.new.version} | {cells} |"


def section(step: Report) -> Iterator[str]:
    """Yield the lines of one step's part of the page."""
    yield f"## {step.new.version}"
    yield ""
    if not step.findings:
        yield f"The same API as {step.old.version}."
    else:
        totals = [
            f"{old} → {new} {what}" for what, (old, new) in step.compared.items() if old != new
        ]
        yield f"Since {step.old.version}: {', '.join([words.summary(step), *totals])}."
    yield ""
    for rule, group in groupby(step.findings, key=lambda item: item.rule):
        yield from _bullet(rule, list(group))
    if step.findings:
        yield ""


def _bullet(rule: str, items: Sequence[Item]) -> Iterator[str]:
    severity, axes = items[0].severity, ", ".join(words.worst_axes(items[0]))
    what = f"({axes}) {RULES[rule].title}"
    if len(items) > _FOLDED:
        names = "; ".join(_by_successor(items))
        summary = f"<summary><b>{severity}</b> {what}: {len(items)}</summary>"
        yield f"- <details>{summary}{names}</details>"
    else:
        yield f"- **{severity}** {what}: {', '.join(_named(item, '`', '`') for item in items)}"


def _by_successor(items: Sequence[Item]) -> Iterator[str]:
    """Yield the names, those with the same successor together and after it."""
    groups: dict[str | None, list[Item]] = {}
    for item in items:
        name = item.successor.name if item.successor else None
        groups.setdefault(name, []).append(item)
    for successor, group in groups.items():
        bare = (msgspec.structs.replace(item, successor=None) for item in group)
        names = ", ".join(_named(item, "<code>", "</code>") for item in bare)
        yield (
            f"use {words.marked(successor, '<code>', '</code>')} for {names}"
            if successor
            else names
        )


def _named(item: Item, open_: str, close: str) -> str:
    """Return the name in code marks; inside an HTML element Markdown's own are not read."""
    change = escape(item.change.replace("->", "→"), quote=False).replace("*", "\\*")
    text = f"{open_}{item.subject}{close}" + (f" {change}" if change else "")
    if item.successor:
        text += f" (use {words.marked(item.successor.name, open_, close)})"
    return text
