"""Engines and classic algorithms for an operation, as records."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

from .. import errors, handles
from .._support.arguments import boolean
from .._support.results import NamedTuple
from .._ways.timing import time_way
from ..choice.candidates import candidates as candidates_of
from ..choice.policy import Rule
from ..choice.policy_words import algorithm_names
from ..choice.record_table import Rows, format_bytes
from ..choice.tune.autotune import autotune
from ..choice.tune.samples import NotMadeUpError
from .way_search import on_device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._ways.array_spec import Spec
    from .._ways.classic_call import Classic
    from .._ways.signatures import Array, Device, Handle, Out
    from ..choice.policy import ChoiceSettings


#: The beginning of the names of kernels of this package.
_KERNELS = "kernels."


class Candidate(NamedTuple):
    """One way to compute an operation.

    Attributes:
        operation: the word of the operation, such as "convolution".
        section: "forward", "data" or "filter": which rule of a policy is for it.
        via: "graph" or "classic".
        name: the engine, such as "engine 4", or the classic algorithm or function; or a kernel of
            this package, which heuristics take where there is one.
        knobs: values of the engine's knobs by name; {} for the defaults and for classic functions.
        supported: whether it computes this.
        reason: why not, or "".
        workspace: in bytes; None where it is not known.
        deterministic: whether the same input gives the same bits each time; None if not known.
        math: what the numbers go through: numerical notes of the engine, joined by commas, or the
            math type of the classic algorithm; "" for nothing special.
        time: microseconds on the device, the median; None where it was not timed.
        error: the norm of the difference from what the first deterministic engine computes, over
            the norm of that; None where nothing was compared.
    """

    operation: str
    section: str
    via: str
    name: str
    knobs: dict[str, int]
    supported: bool = True
    reason: str = ""
    workspace: int | None = None
    deterministic: bool | None = None
    math: str = ""
    time: float | None = None
    error: float | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name."""
        return self._asdict()

    @property
    def choose(self) -> ChoiceSettings:
        """Return what makes a call use it: `op(x, choose=candidate.choose)`."""
        if self.via == "graph":
            return {"engine": int(self.name.split()[-1]), "knobs": dict(self.knobs)}
        if self.name in algorithm_names(self.section):
            algorithm: Any = self.name
            return {"pick": algorithm, "via": "classic"}
        return {"pick": "heuristic"} if self.name.startswith(_KERNELS) else {"via": "classic"}


class Candidates(Rows[Candidate]):
    """Candidates, the supported ones first; prints as a table, in notebooks as HTML."""

    _columns: ClassVar[tuple[str, ...]] = (
        *("operation", "via", "name", "workspace", "same bits", "math", "time us", "supported"),
        "knobs",
    )

    @staticmethod
    def _cells(record: Candidate) -> tuple[str, ...]:
        same = {None: "?", True: "yes", False: "no"}[record.deterministic]
        return (
            record.operation,
            record.via,
            record.name,
            format_bytes(record.workspace) if record.supported else "-",
            same if record.supported else "-",
            record.math or "-",
            "-" if record.time is None else f"{record.time:.2f}",
            "yes" if record.supported else f"no: {record.reason}"[:70],
            " ".join(f"{name}={value}" for name, value in record.knobs.items()) or "-",
        )


def candidates(
    operation: Any,
    *arrays: Array | Spec | None,
    time: bool = False,
    gradients: bool = False,
    device: Device | None = None,
    handle: Handle | None = None,
    seconds: float = 30.0,
    out: Out = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    rule: Rule | None = None,
    **call: object,
) -> Candidates:
    """Return all ways to compute the operation; see `cudnn_cffi.ops.candidates`.

    Args:
        arrays, time, gradients, device, handle, seconds, out, alpha, beta: as for that.
        rule: what leaves ways out, such as `deterministic` and `tf32`; its pick counts for nothing.
        call: further keyword arguments of the call.
    """
    time, gradients = boolean(time, "time"), boolean(gradients, "gradients")
    rule = Rule(pick="heuristic") if rule is None else rule._replace(pick="heuristic")
    named = {name: call.pop(name) for name in operation.takes if name in call}
    case = operation.case(*_in_order(operation, arrays, named), out=out, alpha=alpha, beta=beta,
                          **call)  # fmt: skip
    if device is None and handle is None:
        handle = handles.handle(operation.device_of(case))
    if time and handle is None:
        raise errors.ArgumentError("time: a GPU is needed to time candidates")
    found: list[Candidate] = []
    for each, its_case in operation.gradients(case) if gradients else [(operation, case)]:
        found += _classic(each, its_case, handle, time, rule)
        found += _engines(each, its_case, handle, device, time, seconds, rule)
    order = sorted(
        found,
        key=lambda c: (
            c.section != operation.section,
            c.section,
            not c.supported,
            float("inf") if c.time is None else c.time,
        ),
    )
    return Candidates(order)


def _in_order(operation: Any, arrays: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    """Return the inputs in their order, also those that were passed by name."""
    places = {name: operation.takes.index(name) for name in named}
    found = [*arrays, *[None] * (max(places.values(), default=-1) + 1 - len(arrays))]
    for name, place in places.items():
        if place < len(arrays):
            raise errors.ArgumentError(f"{name}: given twice, by its place and by its name")
        found[place] = named[name]
    return found


def _classic(
    operation: Any, case: Any, handle: Handle | None, timed: bool, rule: Rule
) -> list[Candidate]:  # fmt: skip
    if "classic" not in operation.ways:
        return []
    facts = operation.word, operation.section, "classic"
    if handle is None:
        why = "classic functions need a GPU"
        return [Candidate(*facts, "classic", {}, supported=False, reason=why)]
    try:
        found = list(operation.algorithms(case, handle, rule))
        if not found:
            found = [_named(operation.by_classic(case, rule, handle))]
            if found[0][0].startswith(_KERNELS):
                with suppress(errors.CudnnError):  # functions may not compute it
                    way = operation.by_classic(case, rule._replace(via="classic"), handle)
                    found.append(_named(way))
    except errors.LibraryNotFoundError:
        raise
    except errors.CudnnError as error:
        return [Candidate(*facts, "classic", {}, supported=False, reason=error.message)]
    made = []
    for name, way, reason in found:
        if way is not None and rule.deterministic and way.deterministic is False:
            way, reason = None, "deterministic=True was asked for"
        if way is None:
            made.append(Candidate(*facts, name, {}, supported=False, reason=reason))
            continue
        took, why = time_way(way, handle) if timed else (None, "")
        made.append(
            Candidate(
                *facts,
                name,
                {},
                not why,
                why,
                way.workspace_size,
                way.deterministic,
                way.math,
                took,
            )
        )
    return made


def _named(way: Classic) -> tuple[str, Classic, str]:
    return way.algorithm or way.function, way, ""


def _engines(
    operation: Any,
    case: Any,
    handle: Handle | None,
    device: Device | None,
    timed: bool,
    seconds: float,
    rule: Rule,
) -> list[Candidate]:
    facts = operation.word, operation.section, "graph"
    try:
        computation = operation.computation(case, handle, device)
        filters = operation.engine_filters(case, on_device(rule, handle).filters)
        if timed:
            with suppress(NotMadeUpError):  # lengths and indices: there is nothing to time it on
                return _tuned(facts, computation, seconds, filters)
        found = candidates_of(computation, every_engine=True, **filters)
    except errors.NoPlanError as error:
        return [_refused(facts, each) for each in error.refusals]
    except errors.LibraryNotFoundError:
        raise
    except errors.CudnnError as error:
        return [Candidate(*facts, "engine", {}, supported=False, reason=error.message)]
    made = [
        Candidate(
            *facts,
            f"engine {each.engine}",
            dict(each.knobs),
            True,
            "",
            each.workspace,
            each.deterministic,
            ",".join(note.name for note in each.numeric_notes),
        )
        for each in found
    ]
    return made + [_refused(facts, each) for each in found.refusals]


def _refused(facts: tuple[str, str, str], refusal: Any) -> Candidate:
    name = refusal.stage if refusal.engine is None else f"engine {refusal.engine}"
    reason = ": ".join(filter(None, (refusal.status.removeprefix("CUDNN_STATUS_"), refusal.reason)))
    return Candidate(*facts, name, dict(refusal.knobs), False, reason)


def _tuned(
    facts: tuple[str, str, str], computation: Any, seconds: float, filters: Any
) -> list[Candidate]:  # fmt: skip
    made = []
    for each in autotune(computation, every_engine=True, seconds=seconds, **filters):
        timed = each.samples > 0
        made.append(
            Candidate(
                *facts,
                f"engine {each.engine}",
                dict(each.knobs),
                each.state == "ok",
                each.reason,
                each.workspace,
                each.deterministic,
                "",
                each.median if timed else None,
                each.error,
            )
        )
    return made
