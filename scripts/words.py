"""Count the words of the pages that are written by hand.

    python -m scripts.words [PAGE ...]

Prints the words of each page, the largest first, and their sum; the exit status is 1 if all pages
have more than `LIMIT`. Words are counted as `wc -w` does, code too. Parts that programs write,
tables of figures, comments, and pages that begin with "Written by" are not counted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from .pages import ROOT

LIMIT = 28_000

_WRITTEN = re.compile(r"# .+\n\n(?:.+\n)*?(?:\n?<!-- )?Written by ")

#: A part between its two comments, a table of figures with its template, any other comment.
_NOT_OURS = re.compile(
    r"<!-- ([^>]+) -->\n.*?\n<!-- end of \1 -->"
    r"|<!--\n(?:(?!-->).)*-->\n.*?\n<!--/-->"
    r"|<!--.*?-->",
    re.S,
)


def words(text: str) -> int:
    """Return the number of words of a page that are written by hand."""
    return 0 if _WRITTEN.match(text) else len(_NOT_OURS.sub("", text).split())


def pages() -> Iterator[Path]:
    """Yield README.md, the pages of docs/ and those of the site."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))
    yield from sorted((ROOT / "reference" / "guide").rglob("*.md"))


def main(arguments: list[str]) -> int:
    """Print the counts of the pages that are named, or of all; return the exit status."""
    named = [Path(each).resolve() for each in arguments] or list(pages())
    counts = {path: words(path.read_text(encoding="utf-8")) for path in named}
    for path, count in sorted(counts.items(), key=lambda each: -each[1]):
        print(f"{count:6} {path.relative_to(ROOT)}")
    total = sum(counts.values())
    print(f"{total:6} in all, of at most {LIMIT}")
    return int(total > LIMIT)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
