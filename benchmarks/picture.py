"""Draws docs/speed.svg of the record of benchmarks/gpu_plans.py; `nox -s figures` writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

#: Keys of the record, and their titles.
COLUMNS = {
    "small": "convolution 3x3, 1x8x16x16 float16",
    "large": "convolution 3x3, 32x64x56x56 float16",
    "attention": "attention, 4x16x2048x128",
}

#: Bars: the label, the keys of the number (a column has one of them or none), and the colour.
ROWS = (
    ("a loop in C", ("c_loop",), "c"),
    ("plan(x, w, y) of this package", ("plan_pytorch",), "ours"),
    ("NVIDIA's front end, execute", ("front_end_execute",), "other"),
    ("PyTorch's own function", ("torch_conv2d_no_grad", "torch_sdpa_no_grad"), "other"),
)

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


def svg(values: Mapping[str, Mapping[str, float]]) -> str:
    """Return the picture of the values of a record, in microseconds.

    Raises:
        KeyError: the record has no such computation, or no time of the loop in C.
    """
    rows = {
        title: [
            (shown, colour, values[column][name])
            for shown, names, colour in ROWS
            for name in names
            if name in values[column]
        ]
        for column, title in COLUMNS.items()
    }
    most = max(value for each in rows.values() for *_, value in each)
    scale = (WIDTH - LEFT - RIGHT) / most
    parts, y = [], float(TOP)
    for column, title in COLUMNS.items():
        parts.append(f'<text x="24" y="{y + 14:.0f}" class="head">{escape(title)}</text>')
        y += HEAD - 10
        for shown, colour, value in rows[title]:
            factor = value / values[column]["c_loop"]
            parts += _bar(y, shown, colour, value, factor, scale)
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
