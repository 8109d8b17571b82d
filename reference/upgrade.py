"""What to write instead of functions that cuDNN 9.0 removed or deprecated."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudnn_cffi.api.report import Item

from .records import Models, example, operation_in_c

_HERE = Path(__file__).parent
OLD, NEW = "8.9.7", "9.0.0"

#: A plan from an operation graph, in C: what all programs do with the operations.
WHOLE = (_HERE / "templates" / "whole.c").read_text(encoding="utf-8").strip()


@dataclass(frozen=True)
class Group:
    """Functions with the same replacement."""

    title: str
    names: Sequence[str]
    python: str = ""
    c: str = ""
    text: str = ""
    evidence: str = ""
    reason: str = ""


def entries() -> list[dict[str, Any]]:
    """Return what takes the place of functions for which headers name the graph API."""
    with (_HERE / "instead.toml").open("rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["entry"]
    return found


def items(models: Models) -> tuple[list[Item], list[Item]]:
    """Return the findings about functions that 9.0 removed, and that it deprecated."""
    report = next(r for r in models.reports if r.new.version == NEW)
    removed = [item for item in report.findings if item.rule == "func-removed"]
    deprecated = [item for item in report.findings if item.rule == "func-deprecated"]
    return removed, deprecated


def groups(models: Models, found: Sequence[Item]) -> list[Group]:
    """Return functions by what replaces them, those with none last."""
    return [*_by_name(models, found), *_by_entry(models, found), *_without(found)]


def _by_name(models: Models, found: Sequence[Item]) -> Iterator[Group]:
    functions = {f.name: f for f in models.newest.functions}
    by_name: dict[str, list[Item]] = {}
    for item in found:
        if item.successor and not _entry(item):
            by_name.setdefault(item.successor.name, []).append(item)
    for name, its in sorted(by_name.items()):
        function = functions.get(name)
        evidence = its[0].successor.evidence if its[0].successor else ""
        shown = example(function) if function else None
        yield Group(
            title=f"Use {name}",
            names=[item.name for item in its],
            python=shown.python if shown else "",
            c=shown.c if shown else "",
            evidence=evidence.rstrip("."),
        )


def _by_entry(models: Models, found: Sequence[Item]) -> Iterator[Group]:
    for entry in entries():
        names = [item.name for item in found if _entry(item) == entry]
        if names:
            code = entry["python"].strip()
            yield Group(
                title=entry["title"],
                names=names,
                python=f"import cudnn_cffi as cudnn\nfrom cudnn_cffi import ops\n\n{code}",
                c="\n\n".join(
                    operation_in_c(each, models.descriptors()[each]) for each in entry["operations"]
                ),
                text=entry["text"],
            )


def _without(found: Sequence[Item]) -> Iterator[Group]:
    by_reason: dict[str, list[str]] = {}
    for item in found:
        if item.successor is None and not _entry(item):
            note = (item.note or "").removeprefix("no replacement: ")
            by_reason.setdefault(note or "Nothing says what replaces it", []).append(item.name)
    for reason, names in by_reason.items():
        reason = reason[0].upper() + reason[1:].rstrip(".") + "."
        yield Group(title=f"No replacement: {names[0]}", names=names, reason=reason)


def _entry(item: Item) -> dict[str, Any] | None:
    """Return the entry for a function that the graph API replaces, or that goes with it."""
    successor = item.successor.name if item.successor else None
    if successor is not None and "graph API" not in successor and not successor.endswith("_t"):
        return None  # another function; a type is no answer to what to call
    if successor is None and item.rule != "func-deprecated":
        return None
    return next((e for e in entries() if re.search(e["pattern"], item.name)), None)
