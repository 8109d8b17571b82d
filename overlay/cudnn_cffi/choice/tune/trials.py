"""Build and run candidates on one set of arrays, and compare what they compute."""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from ... import errors
from ..._support.results import NamedTuple
from ...driver import timing
from ...memory import Memory
from ...plan import Operand, Plan
from ...plan.binding import check
from ..engine.engines import Candidate
from ..engine.refusals import Refusal, forget, listening, refusal
from . import idle, samples
from .device_clock import Sampler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...plan import Computation
    from ..policy_words import Arrays


#: Notes of engines that may round float32 inputs.
_NARROW = frozenset({"TENSOR_CORE", "DOWN_CONVERT_INPUTS"})

#: Said of an output.
_NOT_WRITTEN = "has elements that are NaN or were not written"


class Timing(NamedTuple):
    """The results of timing one candidate.

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

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name; times that were not measured are None."""
        fields = {**self._asdict(), "knobs": dict(self.knobs)}
        for name in ("median", "minimum"):
            if fields[name] == float("inf"):
                fields[name] = None
        if self.error == float("inf"):
            fields["error"] = None
        return fields


class Contender:
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
        """Return the median of its times in microseconds."""
        return statistics.median(self.times) if self.times else float("inf")

    def to_record(self, state: str) -> Timing:
        """Return its record."""
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


class Bench:
    """The operands that all candidates run on, and what they should compute."""

    def __init__(
        self,
        computation: Computation,
        operands: Arrays | None,
        seed: int,
        allowed: float | None,
        reference: Arrays | None,
    ) -> None:
        self.computation = computation
        assert computation.handle is not None
        self.handle = computation.handle
        self.allowed = allowed
        self.refusals: list[Refusal] = []
        taken = [each for each in computation.operands if each.is_argument]
        self.outputs = [each for each in taken if each.role == "output"]
        given = _by_name(operands, taken, "operands")
        chance = random.Random(seed)
        stream = self.handle.stream
        device = self.handle.device
        for each in taken:  # before they are filled
            if each.name in given and not each.by_value:
                check(each, given[each.name], device)
                if each.role == "output" and samples.has_gaps(each):
                    del given[each.name]  # the gaps may belong to other arrays
        self.arrays = {
            each.name: given[each.name]
            if each.name in given
            else samples.make_array(each, device, stream, chance)
            for each in taken
        }
        self.given = _by_name(reference, self.outputs, "reference")
        for each in self.outputs:
            if each.name in self.given:
                check(each._replace(role="input", alignment=1), self.given[each.name], device)
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
    ) -> tuple[list[Timing], list[Contender]]:
        """Build and run each candidate once, and compare what it computes.

        Returns: the records of those that are out, and the contenders.
        """
        out: list[Timing] = []
        contenders: list[Contender] = []
        results: list[dict[str, object]] = []
        late = 0
        for each in found:
            if isinstance(each, Refusal):
                self.refusals.append(each)
                continue
            idle.check()
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
                    told = refusal("plan", error, listener, each.engine, each.knobs)
                    forget(error)
                else:
                    contenders.append(Contender(each, plan))
                    results.append(result)
                    continue
            self.refusals.append(told)
            why = ": ".join(filter(None, (told.status.removeprefix("CUDNN_STATUS_"), told.reason)))
            out.append(Timing(*facts, "refused", reason=why))
        if results and all(samples.all_nan(n) for n in results[0].values()):
            # The outputs are inputs, too, as of a sum that adds to its output: begin with zeros.
            self.fill = 0
            results = [self.compute(each.plan) for each in contenders]
        self._compare(contenders, results)
        return out, contenders

    def compute(self, plan: Plan, *, complete: bool = False) -> dict[str, object]:
        """Return the outputs of a plan by name, as numbers."""
        self._compute(plan)
        return self._read(self.arrays, complete=complete)

    def _compute(self, plan: Plan) -> None:
        """Fill outputs that had no numbers by a plan, whose workspace has none either."""
        stream, size = self.handle.get_stream(), plan.workspace_size
        if size:
            timing.fill_with(self.handle.workspace.get(size), 0xFF, size, stream)
        for each in self.outputs:
            address, size = samples.place(each, self.arrays[each.name])
            timing.fill_with(address, self.fill, size, stream)
        self.run(plan)()

    def _read(self, arrays: Mapping[str, object], *, complete: bool = False) -> dict[str, object]:
        stream = self.handle.get_stream()
        return {
            each.name: samples.read_array(each, arrays[each.name], stream, complete=complete)
            for each in self.outputs
            if each.name in arrays
        }

    def confirm(self, contender: Contender) -> None:
        """Compare all of the outputs: those that were compared before are from some places.

        It is done on the device; on the host where that has no kernel or no memory for it.
        """
        model, ordinal = self.model, self.handle.device
        if model is not None and all(samples.is_comparable(e, ordinal) for e in self.outputs):
            try:
                self._confirm_there(contender, model)
                return
            except errors.AllocationError as error:
                forget(error)
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
                contender.reason = f"{each.name} {_NOT_WRITTEN}"

    def _confirm_there(self, contender: Contender, model: Plan) -> None:
        """Compare all of the outputs with those of the reference's plan, on the device."""
        handle, stream = self.handle, self.handle.get_stream()
        places = [samples.place(each, self.arrays[each.name]) for each in self.outputs]
        copies: list[Memory] = []
        try:
            if model is not contender.plan:
                self._compute(model)
                for address, size in places:
                    copies.append(Memory(size, handle.device, handle.stream))
                    timing.copy_within(address, int(copies[-1].address or 0), size, stream)
            self._compute(contender.plan)
            others = [int(each.address or 0) for each in copies] or [at for at, _ in places]
            for each, place, other in zip(self.outputs, places, others, strict=True):
                found = samples.difference_there(each, *place, other, handle)
                is_new = found.nan > 0 and not found.other_nan
                if copies:
                    self._judge_by(contender, each, found.error, is_new)
                elif found.nan and not samples.has_nan(self.expected[each.name]):
                    contender.reason = f"{each.name} {_NOT_WRITTEN}"
        finally:
            for copy in copies:
                copy.close()

    def _compare(self, contenders: list[Contender], results: list[dict[str, object]]) -> None:
        pairs = list(zip(contenders, results, strict=True))
        if not self.expected:
            chosen = [pair for pair in pairs if pair[0].candidate.deterministic] or pairs
            clean = (pair for pair in chosen if not any(map(samples.has_nan, pair[1].values())))
            if pairs:
                model, self.expected = next(clean, chosen[0])
                self.model = model.plan
        for contender, result in pairs:
            for each in self.outputs:
                self._judge(contender, each, result[each.name])

    def _judge(self, contender: Contender, operand: Operand, numbers: object) -> None:
        expected = self.expected.get(operand.name)
        if expected is None:
            return
        error = samples.difference(numbers, expected)
        is_new = error == math.inf and samples.has_nan(numbers) and not samples.has_nan(expected)
        self._judge_by(contender, operand, error, is_new)

    def _judge_by(self, contender: Contender, operand: Operand, error: float, is_new: bool) -> None:
        """Note how far an output is from the reference.

        Args:
            contender: whose output it is.
            operand: the output.
            error: the norm of the difference over that of the reference; inf where NaN differ.
            is_new: whether there is a NaN where the reference has none.
        """
        contender.error = max(contender.error or 0.0, error)
        notes = {note.name for note in contender.candidate.numeric_notes}
        allowed = self.allowed
        if allowed is None:
            allowed = samples.tolerance(operand.data_type, bool(notes & _NARROW) or self._narrow())
        if not error <= allowed:
            what = _NOT_WRITTEN if is_new else "is not right"
            contender.reason = f"{operand.name} {what}: error {error:.1e}, at most {allowed:.0e}"

    def _narrow(self) -> bool:
        """Return whether the reference may have been computed with TensorFloat-32."""
        return not self.given


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
            f"{what}: expected at most {len(names)} arrays, got {len(arrays)}",
            hint=f"operands: {', '.join(names)}",
        )
    return {n: array for n, array in zip(names, arrays, strict=False) if array is not None}
