"""Pages of operations, of nodes of graphs, and of functions and modules for PyTorch.

Each follows from what the package says of itself: records, signatures and docstrings. Only the
arrays of examples are told here, in the files examples/*.toml.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

from . import layers, nodes, operations
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
    yield Chapter(
        "nodes",
        "All nodes",
        "The methods of `cudnn.Graph` that add operations; [Graphs](../guide/graph.md) says what "
        "they have in common.",
        nodes.entries(),
        nodes.index,
    )
    for room, title in zip(layers.ROOMS, ("All modules", "All functions for PyTorch"), strict=True):
        yield Chapter(
            room.name,
            title,
            f"The public names of `cudnn_cffi.torch.{room.name}`; [PyTorch](../guide/torch.md) "
            "says what they have in common.",
            layers.entries(room),
            layers.index,
        )


#: Tables of the guide: how each begins, and the folder of what it names.
_TABLES = {
    "guide/operations.md": {"| function | formula |": "operations"},
    "guide/graph.md": {"| operation | method | first release |": "nodes"},
    "guide/torch.md": {
        "| modules | PyTorch computes |": "modules",
        "| functions | second derivatives |": "functional",
    },
}


def linked(path: str, text: str, made: Container[str]) -> str:
    """Return a page of the guide with links from names in its tables to their pages.

    Args:
        made: the paths of all pages of chapters.
    """
    for begin, folder in _TABLES.get(path, {}).items():

        def link(name: re.Match[str], folder: str = folder) -> str:
            page = f"{folder}/{name[1]}"
            return f"[{name[0]}](../{page}.md)" if page in made else name[0]

        before, mark, rest = text.partition(begin)
        rows, gap, after = rest.partition("\n\n")
        assert mark, begin
        text = "".join([before, mark, re.sub(r"`(\w+)`", link, rows), gap, after])
    return text
