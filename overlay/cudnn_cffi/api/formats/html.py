"""One page that needs nothing else, to read, to search and to filter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby
from string import Template

from ..records import Item, Report
from ..rules import AXES, RULES, SEVERITIES
from . import words

_OPEN = 60  # findings of one rule that are not folded away


def render(report: Report) -> str:
    """Return the report as a page."""
    return page(words.heading(report).replace("->", "→"), "\n".join(_body(report)))


def page(title: str, body: str) -> str:
    """Return a whole document around `body`; the script in it filters what `groups` wrote."""
    template = Template(files(__package__).joinpath("page.html").read_text(encoding="utf-8"))
    return template.substitute(title=escape(title), body=body)


def _body(report: Report) -> Iterator[str]:
    yield f"<h1>{_escaped(words.heading(report))}</h1>"
    yield f'<p class="quiet">{_escaped(words.compared(report).capitalize())}.</p>'
    if report.uses:
        yield f"<p>{_escaped(words.scanned(report))}: {_escaped(', '.join(report.uses.paths))}.</p>"
    for note in (*report.notes, *(report.uses.skipped if report.uses else ())):
        yield f'<p class="note">{_escaped(note)}</p>'
    yield from cards([report])
    if report.findings:
        yield filters()
        yield from groups(report)
    else:
        yield f'<p class="empty">{_escaped(words.nothing(report).capitalize())}.</p>'
    for unused in report.unused_suppressions:
        entry = f"rule {unused.rule}, name {unused.name}: {unused.reason}"
        yield f'<p class="note">Unused suppression: {_escaped(entry)}</p>'
    summary = f"{report.summary.suppressed} suppressed, {report.tool}, exit {report.exit}"
    yield f'<p class="quiet">{_escaped(summary)}</p>'


def cards(reports: Sequence[Report]) -> Iterator[str]:
    """Yield cards: how many findings of each severity, and on which axes."""
    items = [i for report in reports for i in report.findings if i.suppressed is None]
    yield '<div class="cards">'
    for severity in SEVERITIES:
        alike = [item for item in items if item.severity == severity]
        axes = " · ".join(
            f"{axis} {count}"
            for axis in AXES
            if (count := sum(axis in words.worst_axes(item) for item in alike))
        )
        yield (
            f'<div class="{severity}"><b>{len(alike)}</b>{severity}<br>'
            f"<small>{axes or '&nbsp;'}</small></div>"
        )
    yield "</div>"


def filters() -> str:
    """Return the controls that filter the findings."""
    boxes = [_box("severity", severity, severity) for severity in SEVERITIES]
    boxes += [_box("axis", axis, "") for axis in AXES]
    return (
        '<div class="bar"><input type="search" placeholder="name, rule or value" '
        f'aria-label="Search">{"".join(boxes)}<span class="quiet" id="shown"></span></div>'
        '<p class="empty" id="nothing" hidden>Nothing matches.</p>'
    )


def _box(name: str, value: str, tone: str) -> str:
    box = f'<input type="checkbox" name="{name}" value="{value}" checked>'
    return f'<label class="{tone}">{box}{value}</label>'


def groups(report: Report) -> Iterator[str]:
    """Yield the findings by rule, worst first."""
    for rule, group in groupby(report.findings, key=lambda item: (item.severity, item.rule)):
        items = list(group)
        yield from _group(RULES[rule[1]].id, items)


def _group(id: str, items: Sequence[Item]) -> Iterator[str]:
    rule, first = RULES[id], items[0]
    tags = "".join(f'<span class="tag">{axis}</span>' for axis in words.worst_axes(*items))
    open_ = " open" if len(items) <= _OPEN and first.severity != "info" else ""
    yield f'<details class="group {first.severity}"{open_}>'
    yield (
        f"<summary><b>{_escaped(rule.title)}</b> {len(items)} {tags}"
        f"<code>{first.severity} {rule.id}</code></summary>"
    )
    yield f'<p class="why">{_escaped(rule.reason)} {_escaped(rule.advice)}</p>'
    yield "<table>"
    for item in items:
        yield _row(item)
    yield "</table></details>"


def _row(item: Item) -> str:
    kind = ' class="suppressed"' if item.suppressed is not None else ""
    owner = ""
    if item.owner and item.subject == item.name:
        owner = f' <span class="owner">of {_escaped(item.owner)}</span>'
    cells = [_escaped(item.change)] if item.change else []
    if item.successor:
        evidence = f' <span class="owner">{_escaped(item.successor.evidence)}</span>'
        name = words.marked(_escaped(item.successor.name), "<code>", "</code>")
        cells.append(f'<span class="use">use {name}</span>{evidence}')
    if item.suppressed is not None:
        cells.append(f"suppressed: {_escaped(item.suppressed)}")
    places = "".join(
        f"<li><code>{_escaped(place.spelled)}</code> {_escaped(place.text)}</li>"
        for place in item.places
    )
    where = f'<ul class="places">{places}</ul>' if places else ""
    return (
        f'<tr{kind} data-severity="{item.severity}" data-axes="{" ".join(item.axes)}" '
        f'data-rule="{item.rule}"><td><code>{_escaped(item.subject)}</code>{owner}{where}</td>'
        f"<td>{'<br>'.join(cells)}</td></tr>"
    )


def _escaped(text: str) -> str:
    return escape(text.replace("->", "→"))
