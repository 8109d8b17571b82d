"""A line for each finding, the worst first; similar ones of low severity share one without `-v`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..records import Item, Report
from ..rules import AXES, RULES, Severity
from . import words

_COLOURS: dict[Severity, str] = {"breaking": "31;1", "risk": "33", "added": "32", "info": "36"}
_LISTED = 4  # findings of one sort that are listed before they are only counted


def render(report: Report) -> str:
    """Return the report as plain text."""
    return lines(report, colour=False, verbose=False)


def lines(report: Report, *, colour: bool, verbose: bool) -> str:
    """Return the whole text; `verbose` lists everything and says why and what to do."""

    def paint(code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if colour else text

    out = [f"{paint('1', words.heading(report))}   {words.compared(report, not verbose)}"]
    if report.uses:
        out.append(words.scanned(report))
        out += [f"warning: {warning}" for warning in words.warnings(report)]
    if tuple(report.axes) != AXES:
        out.append(f"only what concerns: {words.axes(report)}")
    out += [f"note: {note}" for note in report.notes]
    shown = [item for item in report.findings if verbose or item.suppressed is None]
    width = max((len(item.rule) for item in shown), default=0)
    for group in _groups(shown, verbose):
        out += _block(group, width, paint)
    if not shown:
        out.append(words.nothing(report))
    if verbose:
        for rule in dict.fromkeys(item.rule for item in shown):
            out.append(f"{rule}: {RULES[rule].reason} {RULES[rule].advice}")
    for unused in report.unused_suppressions:
        out.append(f"unused suppression: rule {unused.rule}, name {unused.name} ({unused.reason})")
    exit_ = paint("31;1" if report.exit else "32", f"exit {report.exit}")
    out.append(f"Summary: {words.summary(report)} -> {exit_}")
    return "\n".join(out) + "\n"


def _groups(items: Iterable[Item], verbose: bool) -> Iterator[list[Item]]:
    """Group findings that one line can stand for; what breaks is never put together."""
    alike: dict[tuple[str | None, ...], list[Item]] = {}
    for item in items:
        alike.setdefault((item.severity, item.rule, _alike(item)), []).append(item)
    for group in alike.values():
        first = group[0]
        apart = verbose or first.severity == "breaking" or first.places
        if apart or len(group) <= _LISTED:
            yield from ([item] for item in group)
        else:
            yield group


def _alike(item: Item) -> str:
    return (item.owner or "") if item.severity == "added" else item.change


def _block(group: list[Item], width: int, paint: Callable[[str, str], str]) -> Iterator[str]:
    first = group[0]
    severity = paint(_COLOURS[first.severity], f"{first.severity.upper():<8}")
    axes = f"[{' '.join(words.worst_axes(first))}]"
    if len(group) == 1:
        what = " ".join(filter(None, (first.subject, first.change)))
        if first.successor:
            what += f"   use {first.successor.name} ({first.successor.evidence})"
    else:
        names = ", ".join(item.subject for item in group[:3])
        alike = _alike(first)
        what = f"{len(group)} names{f', {alike}' if alike else ''}: {names}, ..."
    yield f"{severity} {first.rule:<{width}} {axes:<19} {what}".rstrip()
    if first.suppressed is not None:
        yield f"         suppressed: {first.suppressed}"
    yield from dict.fromkeys([f"         {place.spelled}: {place.text}" for place in first.places])
