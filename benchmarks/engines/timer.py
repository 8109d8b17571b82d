"""Time plans on the device, and compare what they compute with a reference: one process at a time.

It reads a line of JSON with the plans of a case, and says with which it begins and what it found.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from .cases import Case, cases, computation

#: Workspace beyond which a plan is not run, in bytes.
MOST_WORKSPACE = 8 << 30

#: Memory that PyTorch may keep from former cases, in bytes.
MOST_RESERVED = 24 << 30

#: The factor to the fastest beyond which a plan is run once.
FAR = 3.0

#: Microseconds that the host may add to a run that is timed alone.
HOST = 60.0

#: Samples of a plan: how many at least and at most, and the microseconds after which they end.
LEAST, MOST, ENOUGH = 3, 9, 10_000.0

#: The part of the median that samples may be apart from it on average, at which they end.
PRECISION = 0.01


class Clock(Protocol):
    """Measures work that a function puts into a stream."""

    def between(self, work: Callable[[], object]) -> float:
        """Return the microseconds of the work."""


class Sampled(Protocol):
    """Takes samples of one kind of work."""

    def sample(self) -> float:
        """Return the microseconds of one run."""


def measure(
    clock: Clock,
    run: Callable[[], object],
    make: Callable[[Clock, Callable[[], object]], Sampled],
    best: float | None,
) -> tuple[float, bool]:
    """Return the median time of a plan in microseconds, and whether it was run once only.

    Args:
        clock: times one run.
        run: puts the plan into the stream.
        make: makes what takes samples.
        best: the fastest of the case so far; None for none.
    """
    rough = clock.between(run)
    if best is not None and rough > FAR * best + HOST:
        return rough, True
    sampler = make(clock, run)
    times: list[float] = []
    while len(times) < LEAST or (len(times) < MOST and sum(times) < ENOUGH):
        times.append(sampler.sample())
        median = statistics.median(times)
        apart = statistics.mean(abs(each - median) for each in times)
        if len(times) >= LEAST and apart <= PRECISION * median:
            break
    return statistics.median(times), False


def rounded(value: float, digits: int) -> float:
    """Return a number rounded to a number of significant digits."""
    return float(f"{value:.{digits}g}")


def fitted(torch: Any, array: Any, operand: Any) -> Any:
    """Return an array with the strides of an operand, also where an extent is 1."""
    pairs = zip(array.shape, array.stride(), operand.strides, strict=True)
    if all(extent == 1 or own == wanted for extent, own, wanted in pairs):
        return torch.as_strided(array, operand.shape, operand.strides)
    made = torch.empty_strided(
        operand.shape, operand.strides, dtype=array.dtype, device=array.device
    )
    return made.copy_(array)


class Bench:
    """The device, and the arrays that all plans of a case share."""

    def __init__(self, seed: int) -> None:
        import torch  # isort: skip  its libraries are used

        import cudnn_cffi
        from cudnn_cffi import library
        from cudnn_cffi.choice.tune.device_clock import Clock as DeviceClock

        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.zeros(1, device="cuda")
        self.torch, self.device = torch, "cuda"
        self.seed = seed
        self.handle = cudnn_cffi.handle()
        self.properties = cudnn_cffi.DeviceProperties.from_handle(self.handle)
        loaded = library.load()
        self.release, self.library = loaded.version, str(loaded.path)
        handle = self.handle
        self.clock = DeviceClock(
            handle.get_stream(), self.properties.l2_cache, handle.device, handle.stream, cold=False
        )

    def about(self) -> dict[str, Any]:
        """Return what the record says of the machine."""
        about = self.properties
        return {
            "device": about.kind,
            "name": about.name,
            "compute_capability": list(about.compute_capability),
            "multiprocessors": about.multiprocessors,
            "release": self.release,
            "pytorch": self.torch.__version__,
        }

    def run_case(
        self, case: Case, plans: list[dict[str, Any]], first: int, best: float | None, say: Any
    ) -> None:
        """Time the plans of a case from one on, and tell each result.

        Args:
            case: the case.
            plans: as a builder tells them.
            first: the place of the first to be timed.
            best: the microseconds of the fastest before it.
            say: is called with each row.
        """
        from . import data

        if self.torch.cuda.memory_reserved() > MOST_RESERVED:
            self.torch.cuda.empty_cache()
        made = data.make(case, self.seed, self.device)
        say(reference=made.reference)
        for place in range(first, len(plans)):
            say(begins=place)
            row = self._row(case, plans[place], made, best)
            if row["time"] is not None and not set("wx") & set(row["flags"]):
                best = row["time"] if best is None else min(best, row["time"])
            say(row=row, place=place)
            if "x" in row["flags"] and _is_lost(self.torch):
                os._exit(1)  # what is lost cannot be cleaned up

    def _plan(self, case: Case, about: dict[str, Any]) -> Any:
        """Return the plan of a file; one without a file is built here."""
        from cudnn_cffi import Plan
        from cudnn_cffi.choice.candidates import candidates

        if about["file"]:
            text = Path(about["file"]).read_text(encoding="utf-8")
            return Plan.from_json(text, handle=self.handle)
        computed = computation(case, handle=self.handle)
        (found,) = candidates(computed, engine=about["engine"], knobs=about["knobs"] or None)
        return found.build()

    def _row(
        self, case: Case, about: dict[str, Any], made: Any, best: float | None
    ) -> dict[str, Any]:
        """Return the time of a plan, its error, and what else is known of it."""
        from cudnn_cffi import errors
        from cudnn_cffi.choice.tune.device_clock import Sampler

        flags = "d" * about["deterministic"] + "c" * about["compiled"]
        row: dict[str, Any] = {
            "time": None, "workspace": None, "error": None, "flags": flags + "x",
        }  # fmt: skip
        try:
            plan = self._plan(case, about)
            row["workspace"] = plan.workspace_size
            if plan.workspace_size > MOST_WORKSPACE:
                return {**row, "flags": flags, "why": "workspace"}
            with plan:
                return {**row, **self._timed(plan, made, best, flags, Sampler)}
        except (errors.CudnnError, self.torch.OutOfMemoryError) as error:
            if not about["file"] and row["workspace"] is None:
                return {**row, "refused": True}
            return {**row, "why": (str(error).splitlines() or [""])[0][:160]}

    def _timed(
        self, plan: Any, made: Any, best: float | None, flags: str, sampler: Any
    ) -> dict[str, Any]:
        from cudnn_cffi.choice.tune.samples import tolerance

        from . import data

        torch = self.torch
        arrays: dict[str, Any] = {}
        outputs: dict[str, Any] = {}
        types = {"HALF": torch.float16, "BFLOAT16": torch.bfloat16, "FLOAT": torch.float32}
        for each in plan.operands:
            if not each.is_argument:
                continue
            if each.role == "output":
                outputs[each.name] = torch.empty_strided(
                    each.shape, each.strides, dtype=types[each.data_type], device=self.device
                )
            else:
                arrays[each.name] = fitted(torch, made.inputs[each.name], each)
        arrays.update(outputs)
        handle = self.handle

        def run() -> None:
            plan(handle=handle, **arrays)

        for each in outputs.values():
            each.fill_(float("nan"))
        run()
        allowed = {"HALF": "HALF", "BFLOAT16": "BFLOAT16"}
        errors, wrong = [], False
        for each in plan.operands:
            if each.name not in made.expected:
                continue
            found = data.error(outputs[each.name], made.expected[each.name])
            kind = allowed.get(each.data_type, "FLOAT")
            errors.append(found)
            wrong = wrong or not found <= tolerance(kind, narrow=True)
        first = {name: each.clone() for name, each in outputs.items()}
        time, once = measure(self.clock, run, sampler, best)
        same = all(torch.equal(each, first[name]) for name, each in outputs.items())
        worst = max(errors, default=0.0)
        return {
            "time": rounded(time, 4),
            "error": rounded(worst, 2) if worst != float("inf") else None,
            "flags": flags + "b" * same + "o" * once + "w" * wrong,
        }


def serve(seed: int) -> None:
    """Time the plans of cases that are read, until there are no more."""
    out = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # libraries print, too

    def say(**what: Any) -> None:
        out.write(json.dumps(what) + "\n")

    bench, known = Bench(seed), cases(seed)
    say(ready=bench.about(), library=bench.library)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            bench.run_case(
                known[asked["case"]], asked["plans"], asked["first"], asked.get("best"), say
            )
        except Exception as error:
            text = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"
            if _is_lost(bench.torch):
                os._exit(1)
            bench.torch.cuda.empty_cache()
            say(done=text)
            continue
        say(done="")


def _is_lost(torch: Any) -> bool:
    """Return whether this process can use the device no more."""
    try:
        torch.zeros(1, device="cuda").add_(1).item()
    except RuntimeError:
        return True
    return False
