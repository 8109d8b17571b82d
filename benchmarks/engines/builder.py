"""Build the plans of cases, in a process of its own that executes none of them.

It reads a line of JSON for each case, and says which engine it begins with and, at the end, which
plans there are. A plan is a file: cuDNN's JSON, with compiled kernels. One that has no such JSON
has no file: the process that times builds it again. Heuristics are asked here, by a handle of the
device: without one they suggest others.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from .cases import Case, cases, computation

#: Maximum number of configurations that heuristics suggest, of one case. Further ones are taken if
#: they are the first of their engine.
SUGGESTED = 5

#: Seconds after which no further engine of a case is compiled.
PATIENCE = 10.0


def chosen(computed: Any) -> Iterator[tuple[Any, int | None]]:
    """Yield the candidates of a case and their ranks, and refusals; see `SUGGESTED`."""
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


def build(case: Case, where: Any, folder: Path, skip: list[int], say: Any) -> dict[str, Any]:
    """Return the plans of a case, as a line for the process that times them.

    Args:
        case: the case.
        where: the handle, or the properties of a device.
        folder: gets a file for each plan.
        skip: engines that ended such a process before.
        say: is called with each engine before it is built.
    """
    from cudnn_cffi import errors
    from cudnn_cffi.choice.database.table import signature_of

    begin = time.monotonic()
    has_device = hasattr(where, "get_stream")
    computed = computation(case, **{"handle" if has_device else "device": where})
    found = list(chosen(computed))
    refused = sorted(
        {each.engine for each, _ in found if not hasattr(each, "build") and each.engine is not None}
    )
    candidates = [(each, rank) for each, rank in found if hasattr(each, "build")]
    # Suggestions of heuristics are first; engines that take long to build are last.
    candidates.sort(key=lambda pair: (pair[1] is None, pair[1] or 0, is_compiled(pair[0])))
    plans, late, lost = [], [], 0
    for number, (each, rank) in enumerate(candidates):
        if each.engine in skip:
            continue
        compiled = is_compiled(each)
        if compiled and time.monotonic() - begin > PATIENCE:
            late.append(each.engine)
            continue
        say(begins=each.engine)
        started = time.process_time()
        path = folder / f"{os.getpid()}-{time.monotonic_ns()}-{number}.json"
        try:
            plan = each.build()
        except errors.CudnnError:
            refused.append(each.engine)
            lost += rank is not None  # a choice takes the next suggestion
            continue
        with plan, suppress(errors.CudnnError):
            path.write_text(plan.to_json(), encoding="utf-8")
        plans.append({
            "engine": each.engine, "knobs": dict(each.knobs),
            "rank": None if rank is None else rank - lost,
            "deterministic": each.deterministic, "compiled": compiled,
            "file": str(path) if path.exists() else "",
            "build": round((time.process_time() - started) * 1000),
        })  # fmt: skip
    timed = {each["engine"] for each in plans}
    return {
        "signature": signature_of(computed.signature), "plans": plans,
        "refused": sorted(set(refused) - timed), "late": sorted(set(late) - timed),
    }  # fmt: skip


def serve(seed: int, folder: str) -> None:
    """Build the cases whose numbers are read, until there are no more."""
    out = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # libraries print, too

    def say(**what: Any) -> None:
        out.write(json.dumps(what) + "\n")

    import cudnn_cffi

    handle, known = cudnn_cffi.handle(), cases(seed)
    say(ready=True)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            found = build(known[asked["case"]], handle, Path(folder), asked.get("skip", []), say)
        except Exception as error:  # the case has no plan, which is told
            text = (str(error).splitlines() or [""])[0][:200]
            found = {"plans": [], "error": f"{type(error).__name__}: {text}"}
        say(built=found)
