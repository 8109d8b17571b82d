"""Draws the table "Plans on a GPU" of docs/performance.md as docs/speed.svg.

    python -m benchmarks.picture [--check]

The numbers are those that `python benchmarks/gpu_plans.py` printed. With --check nothing is
written, and the exit status is 1 if the picture is not that of the table.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"

#: Rows of the table, what the picture calls them, and the colour of their bars.
ROWS = {
    "C": ("a loop in C", "c"),
    "`plan(x, w, y)`, PyTorch": ("plan(x, w, y) of this package", "ours"),
    "the front end's `execute`": ("NVIDIA's front end, execute", "other"),
    "PyTorch's own function, no gradient": ("PyTorch's own function", "other"),
}

STYLE = """\
svg { --ink: #1a1f26; --quiet: #5c6672; --paper: #ffffff; --c: #9fb0c3; --ours: #2f9e67;
  --other: #3565a8; }
@media (prefers-color-scheme: dark) { svg { --ink: #e4e8ee; --quiet: #98a2af; --paper: #1d2128;
  --c: #566579; --ours: #5fce95; --other: #86b4f5; } }
text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink); }
.title { font-size: 18px; font-weight: 600; } .head { font-weight: 600; }
.quiet { fill: var(--quiet); } .end { text-anchor: end; } .bold { font-weight: 600; }"""

WIDTH, LEFT, RIGHT = 860, 240, 120  # the bars are between LEFT and RIGHT
BAR, GAP, HEAD, TOP = 20, 7, 34, 74


def table(text: str) -> tuple[list[str], dict[str, list[float | None]]]:
    """Return the columns of "Plans on a GPU", and the µs of each of its rows.

    Raises:
        ValueError: the page has no such table, or it lacks a row.
    """
    section = text.partition("\n## Plans on a GPU\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    if not cells:
        raise ValueError("docs/performance.md has no table of plans on a GPU")
    found: dict[str, list[float | None]] = {}
    for name, *values in cells[1:]:
        numbers = [re.match(r"[0-9.]+", value) for value in values]
        found[name] = [float(match[0]) if match else None for match in numbers]
    if missing := ROWS.keys() - found.keys():
        raise ValueError(f"the table of plans on a GPU has no row {sorted(missing)}")
    return cells[0][1:], found


def svg(text: str) -> str:
    """Return the picture of the table in the page's text."""
    columns, rows = table(text)
    most = max(value for name in ROWS for value in rows[name] if value is not None)
    scale = (WIDTH - LEFT - RIGHT) / most
    parts, y = [], float(TOP)
    for place, column in enumerate(columns):
        what = f"convolution {column}" if column.startswith("3x3") else column
        parts.append(f'<text x="24" y="{y + 14:.0f}" class="head">{escape(what)}</text>')
        y += HEAD - 10
        c = rows["C"][place]
        for name, (shown, colour) in ROWS.items():
            value = rows[name][place]
            if value is not None and c is not None:
                parts += _bar(y, shown, colour, value, value / c, scale)
                y += BAR + GAP
        y += 14
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:.0f}" role="img" '
        'aria-label="Host time of one call of a compiled computation">',
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{y:.0f}" rx="8" fill="var(--paper)"/>',
        '<text x="24" y="34" class="title">Host time of one call, in µs</text>',
        '<text x="24" y="56" class="quiet">outputs that are there; in brackets the factor to C; '
        "measured by benchmarks/gpu_plans.py</text>",
    )
    return "\n".join([*head, *parts, "</svg>"]) + "\n"


def _bar(
    y: float, shown: str, colour: str, value: float, factor: float, scale: float
) -> Iterator[str]:
    style = ' class="end bold"' if colour == "ours" else ' class="end quiet"'
    yield f'<text x="{LEFT - 10}" y="{y + 15:.0f}"{style}>{escape(shown)}</text>'
    yield (
        f'<rect x="{LEFT}" y="{y:.0f}" width="{value * scale:.1f}" height="{BAR}" rx="2" '
        f'fill="var(--{colour})"/>'
    )
    said = f"{value:.2f} ({factor:.2f})"
    yield f'<text x="{LEFT + value * scale + 8:.1f}" y="{y + 15:.0f}">{said}</text>'


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    drawn = svg((DOCS / "performance.md").read_text(encoding="utf-8"))
    target = DOCS / "speed.svg"
    if not chosen.check:
        target.write_text(drawn, encoding="utf-8")
        return 0
    if target.read_text(encoding="utf-8") == drawn:
        return 0
    print(f"{target} is not the picture of docs/performance.md: python -m benchmarks.picture")
    return 1


if __name__ == "__main__":
    sys.exit(main())
