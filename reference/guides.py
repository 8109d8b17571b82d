"""Pages of the guide: where they are, and which names of cuDNN's they are about."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_DOCS = _HERE.parent / "docs"

#: Pages that have every name, which is no mention.
_REPORTS = {"api-changes.md"}


def pages() -> Iterator[tuple[str, str]]:
    """Yield the paths of pages within the site, and their texts.

    Links to programs of examples/ lead to the pages of these.
    """
    for folder, place in ((_DOCS, "guide/"), (_HERE / "guide", "")):
        for path in sorted(folder.rglob("*.md")):
            text = path.read_text(encoding="utf-8")
            text = re.sub(r"(/examples/\w+)\.(?:py|ipynb)\)", r"\1.md)", text)
            yield f"{place}{path.relative_to(folder)}", text


@cache
def mentions() -> Mapping[str, Sequence[str]]:
    """Return links to the pages that mention a name, by name."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, text in pages():
        if Path(path).name in _REPORTS:
            continue
        title = re.search(r"^# (.+)", text, re.M)
        assert title is not None, path
        for name in set(re.findall(r"\b(?:cudnn[A-Z]\w+|CUDNN_\w+)\b", text)):
            found[name].append(f"[{title[1]}](../{path})")
    return found
