"""A picture of all releases: how the API grew, and which steps broke what.

`svg` is the picture alone, for a README; `page` has it with every finding of every step below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby

import msgspec

from . import steps
from .formats import html as pages
from .formats import words
from .records import Item, Report
from .rules import RULES

_WIDTH = 1400

#: The letters of a line of text that fit beside the names of a step.
_MOST_LETTERS = 170

_LEFT, _RIGHT = 64, 56
_GROWTH = (96, 290)  # top and bottom of the panel with the lines
_ZERO = 470  # where neither added nor lost is
_UP, _DOWN = 110, 96  # how far the bars go at most
_STRIP = 592  # the row of APIs
_NAMES = 642  # where the releases' names hang from
_LIST = 722  # the first of the steps that break
_STEP = 25  # between two lines of that list

_STYLE = """\
svg { --ink: #1a1f26; --quiet: #5c6672; --line: #dde2e8; --paper: #ffffff; --band: #f3f5f8;
  --breaking: #c2261b; --risk: #d98a1f; --added: #2f9e67; --functions: #3565a8; --names: #7a55b5;
  --api: #c9d3df; --other: #9fb0c3; }
@media (prefers-color-scheme: dark) { svg { --ink: #e4e8ee; --quiet: #98a2af; --line: #323943;
  --paper: #1d2128; --band: #232831; --breaking: #ff7b6e; --risk: #f0b04a; --added: #5fce95;
  --functions: #86b4f5; --names: #c3a5f5; --api: #3b4552; --other: #566579; } }
text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink); }
.title { font-size: 22px; font-weight: 600; } .head { font-size: 13px; font-weight: 600; }
.quiet { fill: var(--quiet); } .mark { fill: var(--paper); font-weight: 700; text-anchor: middle; }
.end { text-anchor: end; } .middle { text-anchor: middle; } .bold { font-weight: 600; }
line { stroke: var(--line); } .zero { stroke: var(--quiet); }
path { fill: none; stroke-width: 2.5; stroke-linejoin: round; }"""


class _Point(msgspec.Struct, frozen=True):
    """One release in the picture."""

    version: str
    api: str
    x: float
    functions: int
    enumerators: int
    step: Report | None  # from the release before; None for the first


def svg() -> str:
    """Return the picture as a file of its own."""
    return _svg(_points(steps.reports()), linked=False)


def page() -> str:
    """Return the picture with every finding of every step below, in one page."""
    reports = steps.reports()
    body = "\n".join(_body(reports))
    return pages.page("cuDNN's API over all releases", body)


def _body(reports: Sequence[Report]) -> Iterator[str]:
    first, last = reports[0].old.version, reports[-1].new.version
    yield "<h1>What changed in cuDNN, and when</h1>"
    yield (
        f'<p class="quiet">{len(reports) + 1} releases from {first} to {last}. '
        "Click a release to see what changed in it.</p>"
    )
    yield f'<div class="figure">{_svg(_points(reports), linked=True)}</div>'
    yield from pages.cards(reports)
    yield pages.filters()
    for report in reversed(reports):
        if report.findings:
            yield f'<section id="v{report.new.version}">'
            yield f"<h2>{report.new.version} <small>{_since(report)}</small></h2>"
            yield from pages.groups(report)
            yield "</section>"


def _since(report: Report) -> str:
    return f'<span class="quiet">since {report.old.version}: {words.summary(report)}</span>'


def _points(reports: Sequence[Report]) -> list[_Point]:
    releases: list[tuple[Report, int, Report | None]] = [(reports[0], 0, None)]
    releases += [(report, 1, report) for report in reports]
    gap = (_WIDTH - _LEFT - _RIGHT) / len(releases)
    return [
        _Point(
            version=(report.new if side else report.old).version,
            api=(report.new if side else report.old).api,
            x=_LEFT + gap * (place + 0.5),
            functions=report.compared["functions"][side],
            enumerators=report.compared["enumerators"][side],
            step=step,
        )
        for place, (report, side, step) in enumerate(releases)
    ]


def _svg(points: Sequence[_Point], *, linked: bool) -> str:
    breaking = [point for point in points if point.step and point.step.summary.breaking]
    height = _LIST + _STEP * len(breaking) + 14
    # what has links in it is no single image to a screen reader
    role = "group" if linked else "img"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'role="{role}" aria-label="Growth and breaking changes of the cuDNN API">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{height}" rx="8" fill="var(--paper)"/>',
        *_titles(points),
        *_majors(points),
        *_growth(points),
        *_bars(points),
        *_apis(points),
        *_columns(points, linked),
        *_marks(breaking),
        *_list(breaking),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _titles(points: Sequence[_Point]) -> Iterator[str]:
    apis = len({point.api for point in points})
    yield _text_element(_LEFT - 40, 38, "The cuDNN API, release by release", "title")
    span = f"{points[0].version} to {points[-1].version}"
    yield _text_element(
        _LEFT - 40, 62, f"{len(points)} releases from {span}, {apis} different APIs", "quiet"
    )


def _majors(points: Sequence[_Point]) -> Iterator[str]:
    """Draw a band below every other major version, with its name."""
    half = (points[1].x - points[0].x) / 2
    for place, (major, group) in enumerate(groupby(points, lambda p: p.version.partition(".")[0])):
        xs = [point.x for point in group]
        left, width = xs[0] - half, xs[-1] - xs[0] + 2 * half
        if place % 2 == 0:
            top = _GROWTH[0] - 14
            yield _rect(left, top, width, _STRIP + 28 - top, "var(--band)")
        yield _text_element(left + 8, _GROWTH[0] + 4, f"cuDNN {major}", "head quiet")


def _growth(points: Sequence[_Point]) -> Iterator[str]:
    top, bottom = _GROWTH
    most_functions = _round_up(max(point.functions for point in points), 100)
    most_names = _round_up(max(point.enumerators for point in points), 500)
    quarter = (bottom - top - 20) / 4
    for tick in range(5):
        y = bottom - quarter * tick
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _text_element(_LEFT - 8, y + 4, str(most_functions * tick // 4), "quiet end")
        yield _text_element(_WIDTH - _RIGHT + 8, y + 4, str(most_names * tick // 4), "quiet")
    for name, colour, most, value in (
        ("functions", "var(--functions)", most_functions, lambda p: p.functions),
        ("enumerators", "var(--names)", most_names, lambda p: p.enumerators),
    ):
        yield from _line(points, name, colour, quarter * 4 / most, value)


def _line(
    points: Sequence[_Point],
    name: str,
    colour: str,
    scale: float,
    value: Callable[[_Point], int],
) -> Iterator[str]:
    bottom = _GROWTH[1]
    half = (points[1].x - points[0].x) / 2
    path = f"M{points[0].x - half:.1f} {bottom - value(points[0]) * scale:.1f}"
    for point in points:
        path += f"V{bottom - value(point) * scale:.1f}H{point.x + half:.1f}"
    yield f'<path d="{path}" stroke="{colour}"/>'
    last = points[-1]
    y = bottom - value(last) * scale - 9
    yield f'<text x="{last.x + half:.1f}" y="{y:.1f}" class="bold end" style="fill:{colour}">' + (
        f"{value(last)} {name}</text>"
    )


def _bars(points: Sequence[_Point]) -> Iterator[str]:
    """Draw added names up, breaking and risky changes down, on a scale for one and for many."""
    counted = [(point, point.step.summary) for point in points if point.step]
    up = _UP / max((summary.added**0.5 for _, summary in counted), default=1)
    down = _DOWN / max(((s.breaking + s.risk) ** 0.5 for _, s in counted), default=1)
    width = (points[1].x - points[0].x) * 0.62
    y = _ZERO - _UP - 30
    yield _text_element(_LEFT - 40, y, "Changes at each step", "head")
    x = _LEFT + 140.0
    for colour, meaning in (
        ("var(--added)", "added"),
        ("var(--breaking)", "breaking"),
        ("var(--risk)", "a risk"),
    ):
        yield _rect(x, y - 10, 11, 11, colour, 2)
        yield _text_element(x + 17, y, meaning, "quiet")
        x += 84
    yield _text_element(x, y, "(heights by square root)", "quiet")
    yield f'<line class="zero" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{_ZERO}" y2="{_ZERO}"/>'
    for point, summary in counted:
        left = point.x - width / 2
        high = summary.added**0.5 * up
        if summary.added:
            yield _rect(left, _ZERO - high, width, high, "var(--added)")
            yield _text_element(point.x, _ZERO - high - 4, str(summary.added), "quiet middle")
        hurt = summary.breaking + summary.risk
        if hurt:
            low = hurt**0.5 * down
            red = low * summary.breaking / hurt
            yield _rect(left, _ZERO, width, red, "var(--breaking)")
            yield _rect(left, _ZERO + red, width, low - red, "var(--risk)")
            yield _text_element(point.x, _ZERO + low + 13, str(hurt), "quiet middle")


def _apis(points: Sequence[_Point]) -> Iterator[str]:
    """Releases that share one API, as one block."""
    half = (points[1].x - points[0].x) / 2
    yield _text_element(_LEFT - 8, _STRIP + 13, "API", "quiet end")
    for place, (_, group) in enumerate(groupby(points, key=lambda point: point.api)):
        xs = [point.x for point in group]
        colour = "var(--api)" if place % 2 else "var(--other)"
        yield _rect(xs[0] - half + 1.5, _STRIP, xs[-1] - xs[0] + 2 * half - 3, 18, colour, 4)


def _columns(points: Sequence[_Point], linked: bool) -> Iterator[str]:
    """Names of the releases; over each column what a reader sees who points at it."""
    half = (points[1].x - points[0].x) / 2
    for point in points:
        weight = "bold" if point.version.endswith(".0.0") else "quiet"
        yield (
            f'<text class="{weight} end" '
            f'transform="translate({point.x + 4:.1f} {_NAMES - 14}) rotate(-60)">'
            f"{point.version}</text>"
        )
        column = (
            f'<rect x="{point.x - half:.1f}" y="{_GROWTH[0]}" width="{2 * half:.1f}" '
            f'height="{_NAMES - _GROWTH[0]}" fill="var(--ink)" opacity="0">'
            f"<title>{escape(_hint(point))}</title></rect>"
        )
        if linked and point.step and point.step.findings:
            label = f"Changes of cuDNN {point.version}"
            yield f'<a href="#v{point.version}" aria-label="{label}">{column}</a>'
        else:
            yield column


def _hint(point: _Point) -> str:
    lines = [f"cuDNN {point.version}", f"{point.functions} functions"]
    lines.append(f"{point.enumerators} enumerators")
    if point.step and not point.step.findings:
        lines.append(f"the same API as {point.step.old.version}")
    elif point.step:
        lines += [f"{count} {what}" for what, count in _sorts(point.step.findings)]
    return "\n".join(lines)


def _sorts(items: Sequence[Item]) -> list[tuple[str, int]]:
    """Return how many findings there are by each rule, in the rules' own words."""
    counts: dict[str, int] = {}
    for item in items:
        title = RULES[item.rule].title
        counts[title] = counts.get(title, 0) + 1
    return list(counts.items())


def _marks(breaking: Sequence[_Point]) -> Iterator[str]:
    for number, point in enumerate(breaking, 1):
        yield _mark(point.x, _STRIP + 9, number)


def _mark(x: float, y: float, number: int) -> str:
    circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="var(--breaking)"/>'
    return circle + _text_element(x, y + 4, str(number), "mark")


def _list(breaking: Sequence[_Point]) -> Iterator[str]:
    if breaking:
        yield _text_element(_LEFT - 40, _LIST - 16, "Steps that break something", "head")
    for number, point in enumerate(breaking, 1):
        assert point.step is not None
        y = _LIST + _STEP * number - 16
        yield _mark(_LEFT - 30, y - 4, number)
        step = point.step
        yield _text_element(_LEFT - 12, y, f"{step.old.version} → {step.new.version}", "bold")
        yield _text_element(_LEFT + 110, y, _what(step))


def _what(step: Report) -> str:
    """Return the breaking findings in a line: names if they are few, numbers if they are many."""
    items = [item for item in step.findings if item.severity == "breaking"]
    by_rule = [list(group) for _, group in groupby(items, key=lambda item: item.rule)]
    parts: list[str] = []
    told = 0
    for alike in by_rule[:3]:
        title = RULES[alike[0].rule].title.lower()
        axes = ", ".join(words.worst_axes(*alike))
        if len(alike) == 1:
            change = alike[0].change.replace("->", "→")
            part = " ".join(filter(None, [f"{title}:", alike[0].subject, change, f"({axes})"]))
        else:
            owners = {item.owner for item in alike}
            of = f" of {owners.pop()}" if len(owners) == 1 and None not in owners else ""
            part = f"{len(alike)} {title}{of} ({axes})"
        if parts and len("; ".join([*parts, part])) > _MOST_LETTERS:
            break
        parts.append(part)
        told += len(alike)
    rest = len(items) - told
    return "; ".join(parts) + (f"; and {rest} more" if rest else "")


def _round_up(value: int, to: int) -> int:
    return -(-value // to) * to


def _text_element(x: float, y: float, text: str, style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind}>{escape(text)}</text>'


def _rect(x: float, y: float, width: float, height: float, fill: str, radius: int = 1) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="{radius}" fill="{fill}"/>'
    )
