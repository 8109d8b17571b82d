"""The index: where every name is, and which releases have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .families import FamilyView
from .text.render import render
from .text.source import Source


def files(
    source: Source, tables: Mapping[str, str], families: Sequence[FamilyView]
) -> Iterator[tuple[str, str]]:
    """Yield path and text of the index; `tables` names the API with the tables of each API."""
    history = {
        name: (source.merged.since(name), source.merged.removed(name), source.successor(name))
        for name in sorted(source.merged.variants)
    }
    text = render(
        "index.py.j2",
        releases={r.version: tables[r.api] for r in source.merged.releases},
        calls={plan.name: plan.module for plan in source.plans},
        history=history,
        families={family.cls: family.name for family in families},
    )
    yield "_index.py", text
