"""The command `engines`: databases of engines, and how often heuristics miss the fastest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import errors
from .._support.output import write
from ..choice import database
from ..choice.database.summary import summarize

if TYPE_CHECKING:
    from ..choice.database import Database


def main(files: list[str], *, as_json: bool, missed: bool, margin: float) -> int:
    """Print what databases have; return the exit status.

    Args:
        files: paths; without one, the databases of the package and of CUDNN_CFFI_ENGINES.
        as_json: whether to print JSON.
        missed: whether to list each case that heuristics miss.
        margin: how much slower, as a part, the suggested engine may be before it is a miss.

    Raises:
        ArgumentError: the margin is negative.
        DatabaseError: a file is damaged.
        OSError: a file cannot be read.
    """
    if not margin >= 0:
        raise errors.ArgumentError(f"margin: expected a number from 0 on, got {margin}")
    found = [*map(database.read, files)] if files else [*database.databases()]
    if as_json:
        write(f"{json.dumps([_fields(each, missed, margin) for each in found], indent=1)}\n")
        return 0
    for each in found:
        write(f"{_text(each, missed, margin)}\n")
    if not found:
        write("there is no database; python -m benchmarks.engines in a checkout makes one\n")
    return 0


def _missed(found: Database, margin: float) -> list[dict[str, Any]]:
    """Return the cases that heuristics miss, the worst first."""
    cases = [each for each in found.cases.values() if (each.loss or 0) > margin]
    cases.sort(key=lambda each: -(each.loss or 0))
    return [
        {
            "case": each.name, "networks": list(each.networks),
            "ratio": round(1 + (each.loss or 0), 3),
            "best": {"engine": each.best.engine, "knobs": dict(each.best.knobs)},
            "time": each.best.time,
            "suggested": {"engine": each.suggested.engine, "time": each.suggested.time},
        }
        for each in cases
        if each.best is not None and each.suggested is not None
    ]  # fmt: skip


def _fields(found: Database, missed: bool, margin: float) -> dict[str, Any]:
    fields = {name: value for name, value in found._asdict().items() if name != "cases"}
    fields |= {"cases": len(found.cases), "lines": summarize(found, margin).to_dicts()}
    return fields | ({"missed": _missed(found, margin)} if missed else {})


def _text(found: Database, missed: bool, margin: float) -> str:
    lines = [
        f"{found.path}",
        f"{found.name}, cuDNN {found.release}, {found.date}: {len(found.cases)} cases",
        repr(summarize(found, margin)),
    ]
    if missed:
        lines += [
            f"{each['ratio']:8.2f}  engine {each['best']['engine']} instead of "
            f"{each['suggested']['engine']}: {each['case']}"
            for each in _missed(found, margin)
        ]
    return "\n".join(lines)
