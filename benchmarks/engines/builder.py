"""Build the plans of cases for a described device, in a process that uses no GPU.

It reads a line of JSON for each case, and says which engine it begins with and, at the end, which
plans there are. A plan is a file: cuDNN's JSON, with compiled kernels. Engines of cuBLAS that are
refused here have none: the process with the device builds them.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .cases import Case, cases, computation

#: Maximum number of configurations that heuristics suggest, of one case. Further ones are taken if
#: they are the first of their engine.
SUGGESTED = 5

#: After so many seconds no further engine of a case is compiled.
PATIENCE = 10.0


def signature(computed: Any) -> str:
    """Return what a case is found by: a hash of the computation's signature."""
    return hashlib.sha256(computed.signature.encode()).hexdigest()[:24]


def chosen(computed: Any) -> Iterator[tuple[Any, int | None]]:
    """Yield the candidates of a case and their ranks, and refusals; see `SUGGESTED`.

    The process with the device asks for ranks again: heuristics of norms suggest others there.
    """
    from cudnn_cffi.choice.candidates import search
    from cudnn_cffi.choice.engine.refusals import Refusal
    from cudnn_cffi.choice.filters import MODES

    engines: set[int] = set()
    rank = 0
    for each in search(computed, MODES, True):
        if isinstance(each, Refusal):
            yield each, None
            continue
        suggested = each.source != "engine"
        if each.engine not in engines or (suggested and rank < SUGGESTED):
            yield each, rank if suggested else None
        engines.add(each.engine)
        rank += suggested


def is_compiled(candidate: Any) -> bool:
    """Return whether an engine is compiled at run time."""
    return any(note.name == "RUNTIME_COMPILATION" for note in candidate.behavior_notes)


def needs_cublas(candidate: Any) -> bool:
    """Return whether an engine calls cuBLAS."""
    return any(note.name == "CUBLASLT_DEPENDENCY" for note in candidate.behavior_notes)


def build(case: Case, device: Any, folder: Path, skip: list[int], say: Any) -> dict[str, Any]:
    """Return the plans of a case, as a line for the process that times them.

    Args:
        case: the case.
        device: the properties of the device.
        folder: gets a file for each plan.
        skip: engines that ended such a process before.
        say: is called with each engine before it is built.
    """
    from cudnn_cffi import errors

    begin = time.monotonic()
    computed = computation(case, device=device)
    found = list(chosen(computed))
    refused = sorted(
        {each.engine for each, _ in found if not hasattr(each, "build") and each.engine is not None}
    )
    candidates = [(each, rank) for each, rank in found if hasattr(each, "build")]
    # Suggestions of heuristics are first; engines that take long to build are last.
    candidates.sort(key=lambda pair: (pair[1] is None, pair[1] or 0, is_compiled(pair[0])))
    plans, late = [], []
    for number, (each, rank) in enumerate(candidates):
        if each.engine in skip:
            continue
        compiled = is_compiled(each)
        if compiled and time.monotonic() - begin > PATIENCE:
            late.append(each.engine)
            continue
        say(begins=each.engine)
        started = time.process_time()
        path: Path | None = folder / f"{os.getpid()}-{time.monotonic_ns()}-{number}.json"
        try:
            text = each.build().to_json()
        except errors.CudnnError:
            if not needs_cublas(each):
                refused.append(each.engine)
                continue
            path = None  # cuBLAS may want the device
        if path is not None:
            path.write_text(text, encoding="utf-8")
        plans.append({
            "engine": each.engine, "knobs": dict(each.knobs), "rank": rank,
            "deterministic": each.deterministic, "compiled": compiled,
            "file": "" if path is None else str(path),
            "build": round((time.process_time() - started) * 1000),
        })  # fmt: skip
    timed = {each["engine"] for each in plans}
    return {
        "signature": signature(computed), "plans": plans,
        "refused": sorted(set(refused) - timed), "late": sorted(set(late) - timed),
    }  # fmt: skip


def serve(seed: int, properties: str, folder: str) -> None:
    """Build the cases whose numbers are read, until there are no more."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # libraries print, too

    def say(**what: Any) -> None:
        out.write(json.dumps(what) + "\n")

    from cudnn_cffi import DeviceProperties

    device, known = DeviceProperties(Path(properties)), cases(seed)
    say(ready=True)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            found = build(known[asked["case"]], device, Path(folder), asked.get("skip", []), say)
        except Exception as error:  # the case has no plan, which is told
            text = (str(error).splitlines() or [""])[0][:200]
            found = {"plans": [], "error": f"{type(error).__name__}: {text}"}
        say(built=found)
