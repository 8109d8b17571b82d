"""Choose a plan by timing candidates on the device."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from .. import driver, errors
from .._support.results import Record
from ..driver import timing
from ..plan import Operand, Plan
from . import samples
from .candidates import MODES, search
from .clock import Clock, Sampler, is_stable
from .devices import DeviceProperties
from .engines import Candidate
from .keys import to_key
from .plans import describe_device, is_captured
from .refusals import Refusal, forget, listening, no_plan, refusal
from .table import Rows, format_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, NamedTuple, Unpack

    from ..plan import Computation
    from .options import FilterOptions
else:
    NamedTuple = Record

__all__ = ["Timing", "Tuned", "autotune"]

#: With n samples of each, a candidate is timed further if its median is above the smallest by at
#: most this over n, as a part of it.
_MARGIN = 0.8

#: Microseconds that the host may add to a run that is timed alone.
_HOST = 100.0

_FIRST_SAMPLES = 3
_MOST_SAMPLES = 80


class Timing(NamedTuple):
    """What was found out of one candidate.

    Attributes:
        engine: the index of the engine.
        knobs: values of its knobs by name.
        source: where the candidate is from, as `Candidate.source`.
        state: "ok"; "wrong" for results that are not those of the reference, or not a number;
            "refused" for a candidate that cuDNN did not build or run; "skipped" where the time was
            up.
        median: microseconds on the device; inf where it was not timed.
        deviation: the standard deviation of the samples, in microseconds.
        minimum: the fastest sample, in microseconds.
        samples: how many there are.
        workspace: in bytes; None where there is no plan.
        error: the norm of the difference from the reference over the norm of the reference, the
            largest of all outputs; None where nothing was compared.
        deterministic: whether the same input gives the same bits each time.
        reason: why it is not "ok", or "".
    """

    engine: int
    knobs: dict[str, int]
    source: str
    state: str
    median: float = float("inf")
    deviation: float = 0.0
    minimum: float = float("inf")
    samples: int = 0
    workspace: int | None = None
    error: float | None = None
    deterministic: bool = True
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name; times that were not measured are None."""
        fields = {**self._asdict(), "knobs": dict(self.knobs)}
        for name in ("median", "minimum"):
            if fields[name] == float("inf"):
                fields[name] = None
        if self.error == float("inf"):
            fields["error"] = None
        return fields


class Tuned(Rows[Timing]):
    """What `autotune` found, the fastest candidate first; prints as a table.

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


class _Contender:
    """A candidate with a plan, while it is timed."""

    def __init__(self, candidate: Candidate, plan: Plan) -> None:
        self.candidate = candidate
        self.plan = plan
        self.error: float | None = None
        self.reason = ""
        self.sampler: Sampler | None = None
        self.times: list[float] = []

    @property
    def median(self) -> float:
        return statistics.median(self.times) if self.times else float("inf")

    def to_record(self, state: str) -> Timing:
        candidate = self.candidate
        return Timing(
            candidate.engine,
            dict(candidate.knobs),
            candidate.source,
            state,
            self.median,
            statistics.pstdev(self.times) if self.times else 0.0,
            min(self.times, default=float("inf")),
            len(self.times),
            self.plan.workspace_size,
            self.error,
            candidate.deterministic,
            self.reason,
        )


def autotune(
    computation: Computation,
    operands: Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    candidates: Iterable[Candidate] | None = None,
    modes: Sequence[str] = MODES,
    every_engine: bool = False,
    engine: int | None = None,
    knobs: Mapping[Any, int] | None = None,
    sm_count: int | None = None,
    cold: bool = False,
    repeats: int | None = None,
    precision: float = 0.01,
    seconds: float = 30.0,
    most: int | None = None,
    reference: Mapping[str, Any] | Sequence[Any] | None = None,
    tolerance: float | None = None,
    seed: int = 0,
    remember: bool = True,
    **filters: Unpack[FilterOptions],
) -> Tuned:
    """Time candidates on the device, check what they compute, and return all that was found.

    Each candidate is built and run on the same operands. Before its first run all bytes of the
    outputs are set to ones, which is NaN in all floating point types, and afterwards they are
    compared with those of the reference. One whose result is wrong is listed, and never wins. Then
    the times on the device are taken by events, until the median of the fastest ones is known well
    enough.

    The stream of the computation's handle is used. This waits for the whole device before it
    begins.

    Args:
        computation: what to run; it has a handle.
        operands: arrays by the names of operands, or in the order of a call. What is left out is
            made: random numbers for inputs. Outputs that are given are written over.
        candidates: what to time; by default what `candidates` finds with the following arguments.
        modes, every_engine, engine, knobs, sm_count: as for `candidates`.
        cold: whether the device's cache is emptied before each run; else it holds what the run
            before has left there.
        repeats: how many samples to take of each candidate; by default as many as it needs.
        precision: the standard error of the median over the median, at which sampling ends.
        seconds: after so many seconds no other candidate is built, and no further sample taken.
        most: the most candidates to time, in their order; by default all.
        reference: the right outputs, by the names of operands or in their order. By default those
            of the first deterministic candidate.
        tolerance: how far outputs may be from the reference: the norm of the difference over the
            norm of the reference. By default it depends on the data type.
        seed: of the random numbers.
        remember: whether `build` finds the fastest plan from now on, also in other processes.
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
    key = to_key(computation, modes, engine, knobs, sm_count, filters)
    found: Iterable[Candidate | Refusal] = (
        search(computation, modes, every_engine, engine, knobs, sm_count, filters)
        if candidates is None
        else candidates
    )
    deadline = time.monotonic() + seconds
    with handle._current():
        driver.synchronize_context()
        bench = _Bench(computation, operands, seed, tolerance, reference)
        records, contenders = bench.check(found, deadline, most, filters.get("workspace_limit"))
        properties = _l2_cache(computation)
        clock = Clock(handle.get_stream(), properties, handle.device, handle.stream, cold=cold)
        try:
            _measure(bench, clock, contenders, repeats, precision, deadline)
            best = _choose(bench, contenders)
        finally:
            driver.synchronize_context()
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
    if key is not None and remember and candidates is None:
        key.keep(computation, best.candidate, best.plan, tuned=True)
    return result


def _check_place(computation: Computation) -> Any:
    """Return the handle, if its stream can be used now."""
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


class _Bench:
    """The operands that all candidates run on, and what they should compute."""

    def __init__(
        self,
        computation: Computation,
        operands: Mapping[str, Any] | Sequence[Any] | None,
        seed: int,
        allowed: float | None,
        reference: Mapping[str, Any] | Sequence[Any] | None,
    ) -> None:
        self.computation = computation
        self.handle = computation.handle
        self.allowed = allowed
        self.refusals: list[Refusal] = []
        taken = [each for each in computation.operands if each.is_argument]
        self.outputs = [each for each in taken if each.role == "output"]
        given = _by_name(operands, taken, "operands")
        chance = random.Random(seed)
        stream = self.handle.stream
        self.arrays = {
            each.name: given[each.name]
            if each.name in given
            else samples.make_array(each, self.handle.device, stream, chance)
            for each in taken
        }
        self.given = _by_name(reference, self.outputs, "reference")
        self.model: Plan | None = None  # of the candidate whose outputs are the reference
        self.expected = self._read(self.given)
        self.fill = 0xFF
        self.narrow = False

    def run(self, plan: Plan) -> Callable[[], object]:
        """Return a function that executes a plan."""
        handle, arrays = self.handle, self.arrays
        return lambda: plan(handle=handle, **arrays)

    def check(
        self,
        found: Iterable[Candidate | Refusal],
        deadline: float,
        most: int | None,
        workspace_limit: int | None,
    ) -> tuple[list[Timing], list[_Contender]]:
        """Build and run each candidate once, and compare what it computes.

        Returns: the records of those that are out, and the contenders.
        """
        out: list[Timing] = []
        contenders: list[_Contender] = []
        results: list[dict[str, Any]] = []
        late = 0
        for each in found:
            if isinstance(each, Refusal):
                self.refusals.append(each)
                continue
            facts = each.engine, dict(each.knobs), each.source
            if most is not None and len(contenders) >= most:
                break
            if contenders and time.monotonic() > deadline:
                late += 1
                out.append(Timing(*facts, "skipped", reason="the time was up"))
                continue
            with listening() as listener:
                try:
                    plan = each.build()
                    if workspace_limit is not None and plan.workspace_size > workspace_limit:
                        size = plan.workspace_size
                        why = f"{size} bytes of workspace, at most {workspace_limit} are allowed"
                        out.append(Timing(*facts, "refused", workspace=size, reason=why))
                        continue
                    result = self.compute(plan)
                except errors.CudnnError as error:
                    if error.status is None and not isinstance(error, errors.AllocationError):
                        raise
                    told = refusal("plan", error, listener, each.engine, each.knobs)
                    forget(error)
                else:
                    contenders.append(_Contender(each, plan))
                    results.append(result)
                    continue
            self.refusals.append(told)
            why = ": ".join(filter(None, (told.status.removeprefix("CUDNN_STATUS_"), told.reason)))
            out.append(Timing(*facts, "refused", reason=why))
        if results and all(samples.all_nan(n) for n in results[0].values()):
            # The outputs are read too, as by a sum into what is there.
            self.fill = 0
            results = [self.compute(each.plan) for each in contenders]
        self._compare(contenders, results)
        return out, contenders

    def compute(self, plan: Plan, *, complete: bool = False) -> dict[str, Any]:
        """Return the outputs of a plan by name, as numbers."""
        stream = self.handle.get_stream()
        for each in self.outputs:
            address, size = samples.place(each, self.arrays[each.name])
            timing.fill_with(address, self.fill, size, stream)
        self.run(plan)()
        driver.synchronize(stream)
        return self._read(self.arrays, complete=complete)

    def _read(self, arrays: Mapping[str, Any], *, complete: bool = False) -> dict[str, Any]:
        return {
            each.name: samples.read_array(each, arrays[each.name], complete=complete)
            for each in self.outputs
            if each.name in arrays
        }

    def confirm(self, contender: _Contender) -> None:
        """Compare all of the outputs: those that were compared before are from some places."""
        if self.model is None:
            self.expected = self._read(self.given, complete=True)
        elif self.model is not contender.plan:
            self.expected = self.compute(self.model, complete=True)
        result = self.compute(contender.plan, complete=True)
        for each in self.outputs:
            numbers = result[each.name]
            if self.model is not contender.plan:
                self._judge(contender, each, numbers)
            elif samples.has_nan(numbers) and not samples.has_nan(self.expected[each.name]):
                contender.reason = f"{each.name} has elements that are NaN or were not written"

    def _compare(self, contenders: list[_Contender], results: list[dict[str, Any]]) -> None:
        pairs = list(zip(contenders, results, strict=True))
        if not self.expected:
            chosen = [pair for pair in pairs if pair[0].candidate.deterministic] or pairs
            clean = [pair for pair in chosen if not any(map(samples.has_nan, pair[1].values()))]
            if pairs:
                model, self.expected = (clean or chosen)[0]
                self.model = model.plan
        for contender, result in pairs:
            for each in self.outputs:
                self._judge(contender, each, result[each.name])

    def _judge(self, contender: _Contender, operand: Operand, numbers: Any) -> None:
        expected = self.expected.get(operand.name)
        if expected is None:
            return
        error = samples.difference(numbers, expected)
        contender.error = max(contender.error or 0.0, error)
        notes = {note.name for note in contender.candidate.numeric_notes}
        allowed = self.allowed
        if allowed is None:
            allowed = samples.tolerance(operand.data_type, bool(notes & _NARROW) or self._narrow())
        if not error <= allowed:
            nan = samples.has_nan(numbers) and not samples.has_nan(expected)
            what = "has elements that are NaN or were not written" if nan else "is not right"
            contender.reason = f"{operand.name} {what}: error {error:.1e}, at most {allowed:.0e}"

    def _narrow(self) -> bool:
        """Return whether the reference may have been computed with TensorFloat-32."""
        return not self.given


#: Notes of engines that may round float32 inputs.
_NARROW = frozenset({"TENSOR_CORE", "DOWN_CONVERT_INPUTS"})


def _by_name(given: Any, operands: Sequence[Operand], what: str) -> dict[str, Any]:
    """Return arrays by the names of operands."""
    names = [each.name for each in operands]
    if given is None:
        return {}
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise errors.ArgumentError(
                f"{what}: there is no operand {unknown[0]!r}", hint=f"operands: {', '.join(names)}"
            )
        return dict(given)
    arrays = list(given)
    if len(arrays) > len(names):
        raise errors.ArgumentError(
            f"{what}: at most {len(names)} arrays were expected, {len(arrays)} came",
            hint=f"operands: {', '.join(names)}",
        )
    return {n: array for n, array in zip(names, arrays, strict=False) if array is not None}


def _measure(
    bench: _Bench,
    clock: Clock,
    contenders: list[_Contender],
    repeats: int | None,
    precision: float,
    deadline: float,
) -> None:
    """Take samples: a few of each, then more of the fastest, in turns."""
    first = _FIRST_SAMPLES if repeats is None else repeats
    best = float("inf")
    for each in contenders:
        if each.reason:
            continue
        each.sampler = Sampler(clock, bench.run(each.plan))
        if repeats is None and each.sampler.rough > 4 * best + _HOST:
            each.times.append(each.sampler.rough)
            continue
        for _ in range(first):
            each.times.append(each.sampler.sample())
            if time.monotonic() > deadline:
                break
        best = min(best, each.median)
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


def _choose(bench: _Bench, contenders: list[_Contender]) -> _Contender | None:
    """Return the fastest contender of which all that it computes is right."""
    while right := [each for each in contenders if not each.reason and each.times]:
        best = min(right, key=lambda each: each.median)
        bench.confirm(best)
        if not best.reason:
            return best
    return None
