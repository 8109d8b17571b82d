"""Sentences that several formats share."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ..._support.wording import numbered
from ..records import Item, Place, Report, Scan
from ..rules import AXES, RULES, SEVERITIES, Axis


def heading(report: Report) -> str:
    """Return the title of a report."""
    return f"cuDNN {report.old.label} -> {report.new.label}"


_MAIN = ("functions", "enums", "enumerators", "structs")


def compared(report: Report, briefly: bool = False) -> str:
    """Return how much was compared, so that an empty report can be told from a failed one."""
    parts = [
        f"{old} {_some(old, what)}" if old == new else f"{old} -> {new} {what}"
        for what, (old, new) in report.compared.items()
        if (old or new) and (what in _MAIN or not briefly)
    ]
    return "compared " + ", ".join(parts)


def _some(count: int, what: str) -> str:
    return what.removesuffix("s") if count == 1 else what


def nothing(report: Report) -> str:
    """Return what to say where there is no finding."""
    if report.old.build == report.new.build and not report.old.headers:
        return "the same release"
    if report.uses is not None:
        looked_at = "the files that were read" if warnings(report) else "this code"
        return f"nothing that {looked_at} {'use' if warnings(report) else 'uses'} has changed"
    if report.same_api:
        return f"the two releases share one API, first seen in {report.old.api}"
    return "no difference" if len(report.axes) == 3 else f"no difference for {axes(report)}"


def axes(report: Report) -> str:
    """Return the axes of a report."""
    return " ".join(report.axes)


def summary(report: Report) -> str:
    """Return the numbers of findings."""
    counts = [f"{getattr(report.summary, severity)} {severity}" for severity in SEVERITIES]
    return ", ".join([*counts, f"{report.summary.suppressed} suppressed"])


def scanned(report: Report) -> str:
    """Return what was read to find uses; "" if nothing was."""
    scan = report.uses
    if scan is None:
        return ""
    files, names = _some(scan.files, "files"), _some(scan.names, "names")
    text = f"{scan.using} of {scan.files} {files} with {scan.names} {names} of cuDNN's"
    return f"{text}, {len(scan.skipped)} not read as a whole" if scan.skipped else text


def warnings(report: Report) -> tuple[str, ...]:
    """Return what was not read, of the code that was to be looked at."""
    scan = report.uses
    if scan is None:
        return ()
    return (*scan.skipped, unread(scan.unread)) if scan.unread else scan.skipped


def unread(files: Sequence[str], most: int = 5) -> str:
    """Return how many files mention cuDNN in a language that is not read, and the first of them."""
    more = f", {len(files) - most} more" if len(files) > most else ""
    count = numbered(len(files), "file")
    return f"not read: {count} mentioning cuDNN: {', '.join(files[:most])}{more}"


def no_use(scan: Scan) -> str:
    """Return that nothing was found, and why perhaps."""
    files = numbered(scan.files, "file")
    reasons = [*scan.skipped[:5], *([unread(scan.unread)] if scan.unread else ())]
    return "; ".join([f"no use of cuDNN found in {files} under {', '.join(scan.paths)}", *reasons])


_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def printable(text: str) -> str:
    """Text that UTF-8 can carry and a terminal shows: other characters as in Python's strings."""
    return _UNPRINTABLE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is no UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def shown_place(place: Place) -> Place:
    """Return a place with a printable name of its file."""
    path, text = printable(place.path), printable(place.text)
    return msgspec.structs.replace(place, path=path, text=text)


def shown_item(item: Item) -> Item:
    """Return a finding with printable names of files."""
    return msgspec.structs.replace(item, places=tuple(map(shown_place, item.places)))


def shown(report: Report) -> Report:
    """Return the report with printable names of files."""
    replace = msgspec.structs.replace
    scan = report.uses
    if scan is not None:
        fields = ("paths", "skipped", "unread")
        scan = replace(scan, **{f: tuple(map(printable, getattr(scan, f))) for f in fields})
    sides = {
        name: replace(side, headers=printable(side.headers))
        for name, side in (("old", report.old), ("new", report.new))
        if side.headers
    }
    return replace(report, findings=tuple(map(shown_item, report.findings)), uses=scan, **sides)


def worst_axes(*items: Item) -> tuple[Axis, ...]:
    """Where a finding is as severe as its severity says; elsewhere it is milder."""
    return tuple(a for a in AXES if any(item.axes.get(a) == item.severity for item in items))


def message(item: Item) -> str:
    """One sentence about one finding, understood without the others."""
    parts = [f"{item.subject}: {RULES[item.rule].one}"]
    if item.change:
        parts.append(f", {item.change}")
    parts.append(f". {RULES[item.rule].reason} {advice(item)}")
    return "".join(parts)


def marked(advised: str, open_: str, close: str) -> str:
    """Return what to use instead: a C name in code marks, words (the graph API) as they are."""
    return advised if " " in advised else f"{open_}{advised}{close}"


def event(item: Item) -> str:
    """Return the finding in the history of its name."""
    words = item.rule.split("-")[1:] if "-" in item.rule else [item.rule]
    text = " ".join(words)
    if item.change:
        text += f" {item.change}"
    if item.successor:
        text += f"; use {item.successor.name} ({item.successor.evidence})"
    return text


def advice(item: Item) -> str:
    """Return what to do about a finding."""
    if item.successor:
        return f"Use {item.successor.name} ({item.successor.evidence})."
    return RULES[item.rule].advice
