"""Write pages that are made of records, or parts of them between two comments."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]


def with_part(text: str, name: str, part: str) -> str:
    """Return the text of a page with the part between two comments replaced."""
    begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    before, mark, rest = text.partition(begin)
    _, other, after = rest.partition(end)
    if not mark or not other:
        raise ValueError(f"no place for {name}")
    return f"{before}{begin}{part}{end}{after}"


def write(description: str, pages: Mapping[Path, str | Callable[[str], str]]) -> int:
    """Write pages, or compare them if the command line has --check; return the exit status.

    Args:
        description: of the program, for its help.
        pages: the text of each page, or what makes it from the one that it has.
    """
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    check, status = parser.parse_args().check, 0
    for page, made in pages.items():
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        wanted = made if isinstance(made, str) else made(text)
        if check and wanted != text:
            print(f"{page.relative_to(ROOT)}: is not what it is made of: nox -s emit")
            status = 1
        elif wanted != text:
            page.write_text(wanted, encoding="utf-8")
    return status
