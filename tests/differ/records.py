"""Turn what an audit found into records of errata, each with the smallest graph that shows it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .core import SHRINKING, Found, served
from .draw import read_line

__all__ = ["erratum", "groups", "shrunk", "write"]

#: Returns the outcome of the case of a line, which is shrunk for some seconds.
Again = Callable[[str, float], Found]


def _again(line: str, shrinking: float) -> Found:
    return next(served(iter([line]), 0, shrinking=shrinking, alone=True))


def _key(found: Found) -> tuple[object, ...]:
    """Return what failures that look alike have in common."""
    facts = found.facts
    kinds = [each["kind"] for each in facts["graph"]["nodes"]]
    first = next((each for each in kinds if each != "pointwise"), "pointwise")
    return facts["engine"], first, found.outcome, facts["kind"]


def groups(failures: Iterable[Found]) -> list[list[Found]]:
    """Return failures of engines that look alike, the simplest first."""
    found: dict[tuple[object, ...], list[Found]] = {}
    for each in failures:
        if "graph" in each.facts:
            found.setdefault(_key(each), []).append(each)
    return [
        sorted(alike, key=lambda each: (len(each.facts["picks"]), each.line))
        for alike in found.values()
    ]


def shrunk(found: Found, end: float, again: Again = _again) -> Found:
    """Return a simpler case that fails alike.

    A case that ends its process is simplified from here, a choice at a time; any other one in a
    process of its own.

    Args:
        found: the failure.
        end: when to stop, as time.monotonic() tells it.
        again: runs the case of a line.
    """
    if found.outcome == "differs":
        less = again(found.line, max(end - time.monotonic(), SHRINKING))
        return less if less.failed and less.facts and _key(less) == _key(found) else found
    for name in found.facts["picks"]:
        if time.monotonic() > end:
            break
        draw = read_line(found.line)
        draw.given[name] = 0
        less = again(draw.line, 0.0)
        if less.failed and less.facts and _key(less) == _key(found):
            found = less
    return found


def erratum(alike: list[Found], number: int, where: str, operations: list[str]) -> dict[str, Any]:
    """Return the record of failures that look alike, of which the first is the smallest.

    Args:
        alike: at least one.
        number: a number for its id.
        where: the release and the device.
        operations: of the graph of the first, as errata name them.
    """
    first = alike[0]
    facts = first.facts
    main = next((each for each in operations if "Pointwise" not in each), operations[0])
    subject = main.partition(" ")[0]
    others = sorted({each for each in operations if each != main})
    kind = "context lost" if first.outcome == "lost" else facts["kind"]
    values = facts.get("values")
    data = ", ".join(f"{name.removesuffix('_data')} {word}" for name, word in facts["data"].items())
    return {
        "id": f"audit-{number}-{subject.lower()}-{facts['engine']}",
        "operation": subject,
        "engines": [facts["engine"]],
        "knobs": facts["knobs"],
        "where": {"with": others} if others else {"alone": len(operations) == 1},
        "kind": kind,
        "symptom": f"{first.text} (data: {data}; {len(alike)} graphs of the audit)",
        "evidence": f"measured with {where}; python -m tests.differ --case {first.line}",
        "shows": {"graph": facts["graph"]} | ({"data": values} if values else {}),
    }


def _operations(graph: dict[str, Any]) -> list[str]:
    """Return the operations of a graph as it is lowered, as errata name them."""
    from cudnn_cffi import DeviceProperties, Graph
    from cudnn_cffi.driver import libcuda
    from cudnn_cffi.errata.facts import kind_of, mode_of, operations_of

    device = {} if libcuda.count() else {"device": DeviceProperties("H200")}
    computation = Graph.from_json(json.dumps(graph)).computation(**device)
    given = operations_of(computation.operation_graph)
    return [f"{kind_of(type(each))} {mode_of(each)}".rstrip() for each in given]


def write(path: Path, failures: Iterable[Found], seconds: float, workers: int) -> int:
    """Shrink failures and write their records; return how many there are."""
    from .values import where  # it loads PyTorch

    end, alike = time.monotonic() + seconds, groups(failures)
    with ThreadPoolExecutor(workers) as pool:
        least = list(pool.map(lambda each: shrunk(each[0], end), alike))
    rows = [
        erratum([first, *rest[1:]], number, where(), _operations(first.facts["graph"]))
        for number, (first, rest) in enumerate(zip(least, alike, strict=True))
    ]
    document = {"schema": "cudnn_cffi.errata", "version": 1, "records": rows}
    path.write_text(json.dumps(document, indent=1) + "\n")
    for each in rows:
        print(f"{each['id']}: {each['kind']}: {each['symptom']}")
    return len(rows)
