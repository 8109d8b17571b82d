"""For release notes: by severity, then by rule, each with what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ..records import Item, Report
from ..rules import RULES, SEVERITIES
from . import words

_TITLES = {"breaking": "Breaking", "risk": "Risks", "added": "Added", "info": "For information"}


def render(report: Report) -> str:
    """Return the report as Markdown."""
    return "\n".join(section(report, level=1)) + "\n"


def section(report: Report, level: int) -> Iterator[str]:
    """Yield the report under a heading of `level`."""
    yield f"{'#' * level} {words.heading(report).replace('->', '→')}"
    yield ""
    yield f"{words.summary(report).capitalize()}; {words.compared(report)}.".replace("->", "→")
    yield ""
    if report.uses:
        yield f"{words.scanned(report)}."
        yield ""
    for note in (*report.notes, *words.warnings(report)):
        yield f"> {_plain(note)}"
        yield ""
    open_ = [item for item in report.findings if item.suppressed is None]
    if not open_:
        yield f"{words.nothing(report).capitalize()}."
        yield ""
    for severity in SEVERITIES:
        items = [item for item in open_ if item.severity == severity]
        if items:
            yield f"{'#' * (level + 1)} {_TITLES[severity]}"
            yield ""
            for rule, group in groupby(items, key=lambda item: item.rule):
                yield from _rule(rule, list(group))
    yield from _suppressed(report)


def _rule(id: str, items: Sequence[Item]) -> Iterator[str]:
    rule = RULES[id]
    axes = ", ".join(words.worst_axes(*items))
    yield f"**{rule.title}** ({len(items)}; {axes}; `{id}`). {rule.reason} {rule.advice}"
    yield ""
    if any(item.change or item.successor or item.places for item in items):
        yield from _table(items)
    else:
        yield ", ".join(f"`{item.subject}`" for item in items)
    yield ""


def _table(items: Sequence[Item]) -> Iterator[str]:
    columns = {
        "name": [f"`{item.subject}`" for item in items],
        "of": [f"`{i.owner}`" if i.owner and i.subject == i.name else "" for i in items],
        "change": [_plain(item.change).replace("->", "→") for item in items],
        "use instead": [
            words.marked(i.successor.name, "`", "`") if i.successor else "" for i in items
        ],
        "because": [i.successor.evidence if i.successor else "" for i in items],
        "where": ["<br>".join(_plain(place.spelled) for place in item.places) for item in items],
    }
    shown = {title: cells for title, cells in columns.items() if any(cells)}
    yield f"| {' | '.join(shown)} |"
    yield f"|{' --- |' * len(shown)}"
    for row in zip(*shown.values(), strict=True):
        yield f"| {' | '.join(row)} |"


def _suppressed(report: Report) -> Iterator[str]:
    items = [item for item in report.findings if item.suppressed is not None]
    for item in items:
        yield f"- suppressed: `{item.rule}` `{item.subject}`: {_plain(item.suppressed or '')}"
    for unused in report.unused_suppressions:
        entry = f"rule `{unused.rule}`, name `{unused.name}`"
        yield f"- unused suppression: {entry}: {_plain(unused.reason)}"
    if items or report.unused_suppressions:
        yield ""


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    for character in "\\`*_|<>[]":
        text = text.replace(character, "\\" + character)
    return text.replace("-\\>", "->").replace("\n", " ")
