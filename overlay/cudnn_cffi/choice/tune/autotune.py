"""Choose a plan by timing candidates on the device."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable

from ... import driver, errors
from ..._support.arguments import boolean, byte_limit, integers, reals
from ...plan import Computation, Plan
from ..candidates import search
from ..device.properties import DeviceProperties
from ..engine.engines import Candidate
from ..engine.finalize import describe_device, is_captured
from ..engine.refusals import Refusal, no_plan
from ..filters import MODES
from ..record_table import Rows, format_bytes
from ..store.keys import to_key
from . import idle
from .device_clock import Clock, Sampler, is_far, is_stable
from .trials import Bench, Contender, Timing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Unpack

    from ...handles import Handle
    from ..keywords import FilterOptions
    from ..policy_words import Arrays, Knobs, Modes


#: With n samples of each, a candidate is timed further if its median is above the smallest by at
#: most this over n, as a part of it.
_MARGIN = 0.8

_log = logging.getLogger("cudnn_cffi.choice")

_FIRST_SAMPLES = 3
_MOST_SAMPLES = 80


class Tuned(Rows[Timing]):
    """The result of `autotune`, the fastest candidate first; prints as a table.

    Attributes:
        best: the plan of the first record.
    """

    _columns: ClassVar[tuple[str, ...]] = (
        *("engine", "median us", "deviation", "minimum", "workspace", "error", "state", "from"),
        "knobs",
    )
    best: Plan

    @staticmethod
    def _cells(record: Timing) -> tuple[str, ...]:
        timed = record.samples > 0
        return (
            str(record.engine),
            f"{record.median:.2f}" if timed else "-",
            f"{record.deviation:.2f}" if timed else "-",
            f"{record.minimum:.2f}" if timed else "-",
            format_bytes(record.workspace),
            "-" if record.error is None else f"{record.error:.1e}",
            f"{record.state}: {record.reason}"[:60] if record.reason else record.state,
            record.source,
            " ".join(f"{name}={value}" for name, value in record.knobs.items()) or "default",
        )


def autotune(
    computation: Computation,
    operands: Arrays | None = None,
    *,
    candidates: Iterable[Candidate] | None = None,
    modes: Modes = MODES,
    every_engine: bool = False,
    engine: int | None = None,
    knobs: Knobs | None = None,
    sm_count: int | None = None,
    cold: bool = False,
    repeats: int | None = None,
    precision: float = 0.01,
    seconds: float = 30.0,
    most: int | None = None,
    reference: Arrays | None = None,
    tolerance: float | None = None,
    seed: int = 0,
    remember: bool = True,
    **filters: Unpack[FilterOptions],
) -> Tuned:
    """Time candidates on the device, check what they compute, and return all that was found.

    Each candidate is built and run on the same operands. Before its first run all bits of outputs
    and workspace are set to ones, which is NaN in all floating point types, and afterwards outputs
    are compared with those of the reference. One whose result is wrong is listed, and never wins.
    Then the times on the device are taken by events, until the median of the fastest ones is known
    well enough.

    The stream of the computation's handle is used. This waits for the whole device before it
    begins.

    Args:
        computation: the one to run; it has a handle.
        operands: arrays by the names of operands, or in the order of a call. Missing ones are made,
            inputs of random numbers. Outputs that are given are written over, but for those with
            gaps: in place of them others are timed, which have the same strides.
        candidates: what to time, of this graph; by default what `candidates` finds with the
            following arguments.
        modes, every_engine, engine, knobs, sm_count: as for `candidates`.
        cold: whether the device's cache is emptied before each run; else it holds what the run
            before has left there.
        repeats: how many samples to take of each candidate; by default as many as it needs.
        precision: the standard error of the median over the median, at which sampling ends.
        seconds: the time after which no other candidate is built, and no further sample taken.
        most: the most candidates to time, in their order; by default all.
        reference: the right outputs, by the names of operands or in their order. By default those
            of the first deterministic candidate.
        tolerance: how far outputs may be from the reference: the norm of the difference over the
            norm of the reference. By default it depends on the data type.
        seed: of the random numbers.
        remember: whether `build` finds the fastest plan from now on, also in other processes. The
            fastest of given `candidates` is not remembered.
        **filters: what the engines must be like; see `Filters`.

    Raises:
        NoPlanError: no candidate could be built and run with the right result.
        NotInitializedError: there is no GPU.
        ArgumentError: the computation has device properties instead of a handle; an operand does
            not fit or cannot be made up; or an argument is not what it should be.
        AllocationError: operands that are made here do not fit on the device.
        CudnnError: the stream of the handle, or the current one of PyTorch or CuPy, is being
            captured.
    """
    handle = _check_place(computation)
    cold, remember = boolean(cold, "cold"), boolean(remember, "remember")
    for name, least in (("repeats", repeats), ("most", most)):
        if least is not None and integers(**{name: least})[0] < 1:
            raise errors.ArgumentError(f"{name}: expected a number from 1 on, got {least!r}")
    for name, number in (("precision", precision), ("seconds", seconds), ("tolerance", tolerance)):
        if number is not None and reals(**{name: number})[0] < 0:
            raise errors.ArgumentError(f"{name}: expected a number from 0 on, got {number!r}")
    key = to_key(computation, modes, engine, knobs, sm_count, filters)
    found: Iterable[Candidate | Refusal]
    if candidates is None:
        found = search(computation, modes, every_engine, engine, knobs, sm_count, filters)
    else:
        found = (
            each if isinstance(each, Refusal) else each.for_computation(computation)
            for each in candidates
        )
    began = time.monotonic()
    deadline = began + seconds
    limit = byte_limit(filters.get("workspace_limit"), "workspace_limit")
    with handle._current():
        idle.settle(handle.get_stream())
        bench = Bench(computation, operands, seed, tolerance, reference)
        records, contenders = bench.check(found, deadline, most, limit)
        properties = _l2_cache(computation)
        clock = Clock(handle.get_stream(), properties, handle.device, handle.stream, cold=cold)
        try:
            _measure(bench, clock, contenders, repeats, precision, deadline)
            best = _choose(bench, contenders)
        finally:
            idle.settle(handle.get_stream())
            clock.close()
    records += [each.to_record("wrong" if each.reason else "ok") for each in contenders]
    order = {"ok": 0, "wrong": 1, "skipped": 2, "refused": 3}
    result = Tuned(sorted(records, key=lambda each: (order[each.state], each.median)))
    if best is None:
        refusals = [
            Refusal(each.engine, each.knobs, each.state, "", each.reason) for each in result
        ]
        raise no_plan(bench.refusals + refusals, computation.text, describe_device(computation))
    result.best = best.plan
    if _log.isEnabledFor(logging.INFO):
        shapes = ", ".join(f"{each.name} {each.shape}" for each in computation.operands)
        text = "%s: engine %d takes %.1f us, the fastest of %d; timed in %.2f s"
        took = time.monotonic() - began
        _log.info(text, shapes, best.candidate.engine, best.median, len(contenders), took)
    if key is not None and remember and candidates is None:
        key.keep(computation, best.candidate, best.plan, tuned=True, time=best.median)
    return result


def _check_place(computation: Computation) -> Handle:
    """Return the handle, if its stream can be used now."""
    Computation.check(computation)
    if computation.handle is None:
        raise errors.ArgumentError(
            "autotune runs plans on a GPU: the computation has device properties, and no handle",
            hint="make the computation for a handle; without a GPU, candidates() lists engines",
        )
    if not driver.count():
        raise errors.NotInitializedError(
            f"autotune runs plans on a GPU: {driver.why_unusable()}",
            hint="without a GPU, candidates() lists engines",
        )
    if is_captured(computation.handle):
        raise errors.CudnnError(
            "autotune was called while a stream is being captured",
            hint="tune before the capture: nothing can be timed during one",
        )
    return computation.handle


def _l2_cache(computation: Computation) -> int:
    """Return the bytes of the device's cache, as far as they are known."""
    try:
        return DeviceProperties.from_handle(computation.handle).l2_cache
    except (errors.CudnnError, KeyError):
        return 64 << 20


def _measure(
    bench: Bench,
    clock: Clock,
    contenders: list[Contender],
    repeats: int | None,
    precision: float,
    deadline: float,
) -> None:
    """Take samples: a few of each, then more of the fastest, in turns."""
    first = _FIRST_SAMPLES if repeats is None else repeats
    best: float | None = None
    for each in contenders:
        if each.reason:
            continue
        each.sampler = Sampler(clock, bench.run(each.plan))
        if repeats is None and is_far(each.sampler, best):
            each.times.append(each.sampler.rough)
            continue
        for _ in range(first):
            each.times.append(each.sampler.sample())
            if time.monotonic() > deadline:
                break
        best = each.median if best is None else min(best, each.median)
    if repeats is not None:
        return
    close = [each for each in contenders if each.times]
    for count in range(first, _MOST_SAMPLES):
        # The more samples there are, the nearer to the fastest is what may still be faster.
        near = min(each.median for each in close) * (1 + _MARGIN / count) if close else 0.0
        close = [each for each in close if each.median <= near]
        if all(is_stable(each.times, precision) for each in close):
            return
        for each in close:
            if time.monotonic() > deadline:
                return
            assert each.sampler is not None
            each.times.append(each.sampler.sample())


def _choose(bench: Bench, contenders: list[Contender]) -> Contender | None:
    """Return the fastest contender whose results are all right."""
    while right := [each for each in contenders if not each.reason and each.times]:
        best = min(right, key=lambda each: each.median)
        bench.confirm(best)
        if not best.reason:
            return best
    return None
