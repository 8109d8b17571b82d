"""Write docs/engines.md and its pictures: what the package's databases of engines say.

    python -m scripts.engines [--check]

With --check nothing is written, and the exit status is 1 if a file differs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from cudnn_cffi.choice import database
from cudnn_cffi.choice.build import COMPILED_GAIN
from cudnn_cffi.choice.database import Database
from cudnn_cffi.choice.database.reader import FLAGS, MARGIN, SLOW
from cudnn_cffi.choice.database.summary import Line, ratios, summarize

from benchmarks.engines import cases
from benchmarks.picture import STYLE

from . import pages
from .pages import ROOT

PAGE = ROOT / "docs" / "engines.md"

#: The number of misses that are listed.
WORST = 10

HEAD = """# Databases of engines

<!-- Written by scripts/engines.py from the package's databases; change these. -->

A database has, for many graphs, the time, the workspace, the error and the determinism of each
engine that takes them, recorded on one device with one release of cuDNN. It says how often cuDNN's
heuristics miss the fastest engine, and replaces timing.

## What uses it

| choice | with a graph in a database of the same device and release |
|---|---|
| `"time"` and its synonyms, `cudnn.benchmark = True` | the fastest engine that was recorded \
and that other settings allow; nothing is timed; \
where `most`, or PyTorch's `benchmark_limit`, is set, one that is compiled only if others take \
{gain} times as long |
| `"time_once"` | the same for the first shape |
| `"heuristic"`, the default | as without it; but if the suggested engine takes over {slow:.0f} \
times as long as one that is as exact and deterministic, and needs little workspace, that |
| all other picks | as without it |
| `Graph.autotune`, `choice.autotune` | times, as without it |

A choice that was loaded from a file, or made in this process, counts more. `deterministic=True`
takes engines that cuDNN calls deterministic and that gave equal bits in two runs. Classic
algorithms are not in databases, and are not timed for such a graph. If the settings allow no
recorded engine, or cuDNN builds none of those, all are timed as usual.

```python
import cudnn_cffi as cudnn

g = cudnn.Graph(io_data_type="HALF")
g.output(g.matmul(g.tensor((1, 64, 128)), g.tensor((1, 128, 256))))
cudnn.choice.database.load("mine.jsonl")  # or CUDNN_CFFI_ENGINES=mine.jsonl
with cudnn.choice.database.off():  # or CUDNN_CFFI_ENGINES=0
    plan = g.build(choose="time")  # by timing
```

A file that is damaged, has an entry that matches nothing, or is of another device or release raises
`DatabaseError`, and nothing of it is used. `python -m cudnn_cffi engines [FILE] [--missed]` lists
databases, and each case in which heuristics miss.

## How it is recorded

`nox -s engines -- --record FILE --seconds N`, or `python -m benchmarks.engines`, goes on where the
file ends; `--only REGEX` selects cases by their names, and `--pack OUT FILE...` makes a database of
records and databases. The {shapes} shapes are those of torchvision's networks, traced ({networks}),
of some ({fused}) also the convolutions with what `fuse` joins to them,
and by their figures those of transformers ({transformers}) and of networks with instance norms
({unets}); batches have {batch} images, or {videos} videos. In their directions, data types and
layouts they are {all} cases: float16 with channels last of all, others of a part. Any beginning of
the list has its share of every kind of layer.

- Cases whose first suggestion was not timed are left out.
- Candidates are the first {suggested} that heuristics suggest, the first suggestion of each other
  engine, and each other engine in its default configuration; not those that
  [errata](errata.md) call wrong.
- Several processes build plans; one executes them, and times them by events, with a warm cache:
  {least} to {most} samples of up to 8 runs; a plan whose first run takes more than
  {far:.0f} times as long as the fastest is not timed further.
- Outputs are filled with NaN before, and compared with PyTorch's in float64 (float32 for more than
  {flops:.0e} operations). The error is the norm of the difference over the norm of the reference.
  An engine beyond what the data type allows is recorded as wrong, and never chosen.

Letters of a row: {flags}.
"""

SECTION = """
## {name}, cuDNN {release}

The data file is `cudnn_cffi/choice/database/{file}`:
{count} cases of {shapes} shapes, recorded until {date}, the first at commit `{commit}`: {kinds}.
They are {part:.0%} of all cases. In {missed} of the {known} cases with several right configurations
({share:.0%}), the first that heuristics suggest takes over {margin:.0%} longer than the fastest. In
{slow} cases it takes over {factor:.0f} times as long; in {left} of these the default takes another.

![Time of the engine that heuristics choose over the time of the fastest]({picture})

"images" are two-dimensional and channels last where nothing is said. "cases" are those with several
right configurations, "engines" how many engines they have on average. "missed" counts the slow
suggestions; "mean" and "worst" are the suggestion's time over the fastest's, as geometric mean and
maximum; "repeats bits" counts cases whose fastest engine is deterministic.

| operation | images | data type | cases | engines | missed | part | mean | worst | repeats bits |
|---|---|---|---:|---:|---:|---:|---:|---:|---:|
{rows}

The {most} worst misses:

| case | suggested | fastest | ratio |
|---|---|---|---:|
{worst}
"""

NONE = "\n## Recorded devices\n\nThe package has no database yet.\n"

#: Upper ends of classes of ratios, and their colours.
CLASSES = ((1.02, "#2f9e67"), (1.1, "#8fce9a"), (1.5, "#f0c75e"), (2.0, "#e8904a"))
LAST = "#c9403a"
WIDTH, LEFT, RIGHT, BAR, STEP, TOP = 960, 400, 60, 18, 26, 76


def page(found: Sequence[Database]) -> str:
    """Return the text of the page."""
    from benchmarks.engines import builder, timer, trace

    known = cases.cases()
    text = HEAD.format(
        shapes=len(cases.shapes()), networks=", ".join(trace.NETWORKS), all=len(known),
        transformers=", ".join(trace.TRANSFORMERS), unets=", ".join(trace.U_NETS),
        batch=trace.BATCH, videos=trace.VIDEOS, fused=", ".join(trace.FUSED), gain=COMPILED_GAIN,
        suggested=builder.SUGGESTED, least=timer.LEAST, most=timer.MOST, far=timer.FAR, slow=SLOW,
        flops=1e12, flags="; ".join(f"`{letter}` {meaning}" for letter, meaning in FLAGS.items()),
    )  # fmt: skip
    return text + ("".join(section(each, len(known)) for each in found) or NONE)


def section(found: Database, known: int) -> str:
    """Return the section about a database."""
    lines = summarize(found)
    kinds = Counter(each.kind for each in found.cases.values())
    shapes = {
        each.name.split(" ", 2)[2].replace(',"layout":"NCHW"', "") for each in found.cases.values()
    }
    missed, judged = found.missed()
    slow = [each for each in found.cases.values() if (each.loss or 0) > SLOW - 1]
    return SECTION.format(
        name=found.name, release=found.release, count=len(found.cases), shapes=len(shapes),
        file=Path(found.path).name, picture=picture_of(found).name,
        date=found.date, commit=found.commit[:10], part=len(found.cases) / known,
        kinds=", ".join(f"{n} of {kind.replace('_', ' ')}" for kind, n in sorted(kinds.items())),
        slow=len(slow), left=sum(bool(each.faster) for each in slow), factor=SLOW,
        missed=missed, known=judged, share=missed / max(judged, 1), margin=MARGIN, most=WORST,
        rows="\n".join(map(row, lines)), worst="\n".join(worst(found)),
    )  # fmt: skip


def picture_of(found: Database) -> Path:
    """Return the path of the picture of a database."""
    name = re.search(r"[A-Z]+\d+", found.name)
    return PAGE.with_name(f"engines-{name[0].lower() if name else 'other'}.svg")


def row(line: Line) -> str:
    """Return the row of a line of the summary."""
    return (
        f"| `{line.operation}` | {line.form} | {line.dtype} | {line.cases} | {line.engines:.1f} "
        f"| {line.missed} | {line.share:.0%} | {line.mean:.2f} | {line.worst:.1f} "
        f"| {line.repeats} |"
    )


def worst(found: Database) -> list[str]:
    """Return rows of the cases with the largest losses."""
    lost = [each for each in found.cases.values() if (each.loss or 0) > MARGIN]
    rows = []
    for case in sorted(lost, key=lambda each: -(each.loss or 0))[:WORST]:
        best, suggested = case.best, case.suggested
        if best is not None and suggested is not None:
            rows.append(
                f"| `{case.name}` | engine {suggested.engine}, {suggested.time:.1f} µs | "
                f"engine {best.engine}, {best.time:.1f} µs | {1 + (case.loss or 0):.1f} |"
            )
    return rows


def picture(found: Database) -> str:
    """Return the picture: for each operation, the parts of its cases by ratio."""
    groups: dict[str, list[float]] = {}
    for case in found.cases.values():
        name = f"{case.name.split(' ')[0]} {case.form}".strip()
        groups.setdefault(name, []).extend(ratios([case]))
    groups = {name: times for name, times in sorted(groups.items()) if times}
    height = TOP + STEP * max(len(groups), 1) + 20
    title = f"{found.name}, cuDNN {found.release}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="Time of the suggested engine over the time of the fastest">',
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{height}" fill="var(--paper)"/>',
        '<text x="24" y="30" class="title">Time of the suggested engine over the fastest: '
        f"{escape(title)}</text>",
    ]
    x = 24
    names = [f"up to {end:g}" for end, _ in CLASSES] + [f"above {CLASSES[-1][0]:g}"]
    for name, colour in zip(names, [*(each for _, each in CLASSES), LAST], strict=True):
        parts.append(f'<rect x="{x}" y="46" width="14" height="14" fill="{colour}"/>')
        parts.append(f'<text x="{x + 20}" y="58" class="quiet">{name}</text>')
        x += 110
    scale = WIDTH - LEFT - RIGHT
    for place, (name, times) in enumerate(groups.items()):
        y = TOP + place * STEP
        parts.append(f'<text x="24" y="{y + 14}">{escape(name)}</text>')
        begin, left = 0.0, float(LEFT)
        for end, colour in (*CLASSES, (float("inf"), LAST)):
            share = sum(begin < each <= end for each in times) / len(times)
            if share:
                parts.append(
                    f'<rect x="{left:.1f}" y="{y}" width="{share * scale:.1f}" height="{BAR}" '
                    f'fill="{colour}"><title>{share:.0%}</title></rect>'
                )
            begin, left = end, left + share * scale
        parts.append(f'<text x="{WIDTH - 24}" y="{y + 14}" class="end quiet">{len(times)}</text>')
    return "\n".join([*parts, "</svg>", ""])


FOLDER = database.table.FOLDER


def main() -> int:
    """Write the files, or compare them; return the exit status."""
    found = [each for each in database.databases() if Path(each.path).parent == FOLDER]
    made = {PAGE: page(found)} | {picture_of(each): picture(each) for each in found}
    return pages.write(__doc__, made)


if __name__ == "__main__":
    raise SystemExit(main())
