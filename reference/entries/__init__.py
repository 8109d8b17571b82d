"""Pages of operations, of nodes of graphs, and of functions and modules for PyTorch.

Each follows from what the package says of itself: records, signatures and docstrings. Only the
arrays of examples are told here, in the files examples/*.toml.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from . import operations
from .entry import Entry as Entry


class Chapter(NamedTuple):
    """Pages in one folder, and the list of them.

    Attributes:
        first: the sentence below the title of the list.
        grouped: yields headings, and the pages below each.
    """

    folder: str
    title: str
    first: str
    entries: Iterable[Entry]
    grouped: Callable[[Iterable[Entry]], Iterator[tuple[str, list[Entry]]]]


def chapters() -> Iterator[Chapter]:
    """Yield all chapters."""
    yield Chapter(
        "operations",
        "All operations",
        "The functions of `cudnn_cffi.ops`; [Operations](../guide/operations.md) says what they "
        "have in common.",
        operations.entries(),
        operations.index,
    )


#: Tables of the guide whose first column has names with pages, and the folders of these.
_TABLES = {"guide/operations.md": {"the operations": "operations"}}


def linked(path: str, text: str) -> str:
    """Return a page of the guide with links in the first columns of its tables."""
    for table, folder in _TABLES.get(path, {}).items():
        before, mark, rest = text.partition(f"<!-- {table} -->\n")
        rows, end, after = rest.partition(f"<!-- end of {table} -->")
        assert end, table

        def link(row: re.Match[str], folder: str = folder) -> str:
            return re.sub(r"`(\w+)`", rf"[`\1`](../{folder}/\1.md)", row[0])

        rows = re.sub(r"^\| `[^|]*\|", link, rows, flags=re.M)
        text = f"{before}{mark}{rows}{end}{after}"
    return text
