"""The tables of docs/errata.md: known errors of cuDNN, from the records in choice/engine/errata.

    python -m scripts.errata [--check]

writes them. With --check nothing is written, and the exit status is 1 if a table differs.
"""

from __future__ import annotations

from collections.abc import Iterable

from cudnn_cffi.choice.engine.errata import ERRATA, graphs
from cudnn_cffi.choice.engine.errata.record import MEASURED, Erratum
from cudnn_cffi.versions import version_name

from . import pages
from .pages import ROOT


def releases(each: Erratum) -> str:
    """Return the releases that an erratum holds for."""
    first = [f"from {version_name(each.first)}"] if each.first else []
    last = [f"before {version_name(each.last + 1)}"] if each.last else []
    return ", ".join([*first, *last]) or "all"


def proof(evidence: str) -> str:
    """Return evidence without that of most records; the page has that once."""
    return evidence.replace(MEASURED, "").removesuffix(": ")


def table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table."""
    names = list(heads)
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def engines() -> str:
    """Return the table of engines: a row for each error of the engines of an operation."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for each in ERRATA:
        if each.engine is not None:
            subject = each.subject.removeprefix("Operation").removesuffix("Descriptor")
            key = (subject, each.symptom, each.workaround or "another engine")
            found.setdefault(key, []).append(str(each.engine))
    rows = ((key[0], ", ".join(indices), *key[1:]) for key, indices in found.items())
    return table(("operation", "engines", "error", "workaround"), rows)


def functions() -> str:
    """Return the table of functions under their C names, and of nodes of graphs."""
    found: dict[tuple[str, ...], list[str]] = {}
    for each in ERRATA:
        if each.engine is None:
            cells = (each.symptom.removesuffix(","), proof(each.evidence) or "-")
            key = (*cells, each.workaround or "-", releases(each))
            found.setdefault(key, []).append(f"`{each.subject.removesuffix(' composite')}`")
    rows = ((", ".join(names), *key) for key, names in found.items())
    return table(("function", "error or refused case", "reason", "workaround", "releases"), rows)


def whole_graphs() -> str:
    """Return the table of graphs as a whole."""
    rows = dict.fromkeys((each.symptom, each.workaround) for each in graphs.ERRATA)
    return table(("error", "workaround"), rows)


def with_errata(text: str) -> str:
    """Return the text of docs/errata.md with its tables."""
    text = pages.with_part(text, "the engines", engines())
    text = pages.with_part(text, "the functions", functions())
    return pages.with_part(text, "the graphs", whole_graphs())


if __name__ == "__main__":
    raise SystemExit(pages.write(__doc__, {ROOT / "docs" / "errata.md": with_errata}))
