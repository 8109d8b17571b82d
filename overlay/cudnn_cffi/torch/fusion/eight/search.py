"""The plan of a layer of 8 bits, and its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .... import choice, errors
from .graphs import Shape, to_graph
from .timing import like_of, time_of

if TYPE_CHECKING:
    from ....choice.engine.engines import Candidate
    from ....choice.policy import Rule
    from ....plan import Plan

#: Candidates of a layer that are timed: each is compiled for a second.
_MOST = 3

#: Configurations of engine 4 of cuDNN 9.19 that were the fastest on an H200, where heuristics put
#: slower ones first, by up to four times: by the most channels of results.
_FIRST = {
    "INT8": ((64, (4,)), (128, (2, 4)), (1 << 31, (1, 42))),
    "FP8_E4M3": ((64, (28,)), (128, (49, 53)), (1 << 31, (42, 45, 53))),
}


class Found(NamedTuple):
    """The plan of a layer, and the microseconds that it takes."""

    plan: Plan
    time: float


def find(shape: Shape, rule: Rule, handle: Any) -> Found:
    """Return the plan for a shape: the fastest if the rule is to time, else the first.

    Raises:
        CudnnError: no engine computes it.
    """
    filters: dict[str, Any] = dict(rule.filters)
    computation = to_graph(shape).computation(handle)
    candidates = choice.candidates(computation, **filters)
    first = _first(shape)
    ordered = sorted(candidates, key=lambda each: _place(each, first))
    most = _MOST if rule.pick in ("time", "time_once") else 1
    found: list[Found] = []
    for each in ordered:
        try:
            plan = choice.build(computation, engine=each.engine, knobs=each.knobs, **filters)
        except errors.CudnnError:
            continue
        found.append(Found(plan, _time(plan, handle.device)))
        if len(found) == most:
            break
    if not found:  # it says why
        plan = choice.build(computation, **filters)
        found.append(Found(plan, _time(plan, handle.device)))
    return min(found, key=lambda each: each.time)


def _time(plan: Plan, ordinal: int) -> float:
    given = [like_of(each, ordinal) for each in plan.operands if each.is_argument]
    return time_of(lambda: plan(*given))


def _first(shape: Shape) -> tuple[int, ...]:
    pairs = _FIRST[shape.kind.data_type]
    return next(configurations for most, configurations in pairs if shape.y[1] <= most)


def _place(candidate: Candidate, first: tuple[int, ...]) -> int:
    """Return the place of a candidate among the first, or their number."""
    number = candidate.knobs.get("KERNEL_CFG")
    is_first = candidate.engine == 4 and number in first
    return first.index(number) if is_first and number is not None else len(first)
