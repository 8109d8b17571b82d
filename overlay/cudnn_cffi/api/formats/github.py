"""For GitHub Actions: an annotation for each place, or finding; suppressed ones are counted."""

from __future__ import annotations

from collections.abc import Iterator

from ..records import Item, Report
from ..rules import Severity
from . import words

_LEVELS: dict[Severity, str] = {
    "breaking": "error",
    "risk": "warning",
    "added": "notice",
    "info": "notice",
}


def render(report: Report) -> str:
    """Return the report as commands of GitHub's workflows."""
    lines = [line for item in report.findings if not item.suppressed for line in _lines(item)]
    for skipped in words.warnings(report):
        lines.append(f"::warning title=not read as a whole::{_data(skipped)}")
    for unused in report.unused_suppressions:
        text = f"unused suppression: rule {unused.rule}, name {unused.name}"
        lines.append(f"::warning title=unused suppression::{_data(text)}")
    total = f"{words.heading(report)}: {words.compared(report)}. {words.summary(report)}"
    lines.append(f"::notice title=cuDNN API::{_data(total)}")
    return "\n".join(lines) + "\n"


def _lines(item: Item) -> Iterator[str]:
    level, text = _LEVELS[item.severity], _data(words.message(item))
    title = _property(f"{item.rule}: {item.subject}")
    for place in item.places:
        where = f"file={_property(place.path)},"
        if place.line is not None:
            where += f"line={place.line},col={place.column},"
        yield f"::{level} {where}title={title}::{text}"
    if not item.places:
        yield f"::{level} title={title}::{text}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
