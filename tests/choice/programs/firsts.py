"""Count how often cuDNN is asked before the first plan of a computation."""

import sys
from collections import Counter
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import errors
from cudnn_cffi._backend import Descriptor
from cudnn_cffi.choice import build, candidates, no_cache, plans
from cudnn_cffi.choice.build import build_uncompiled
from cudnn_cffi.choice.engine.engines import Engines

from tests.choice.computations import convolution, matmul

room: Any = sys.modules["cudnn_cffi.choice.build"]
few = sys.modules["cudnn_cffi.choice.candidates"]._FEW
h200 = cudnn.DeviceProperties("H200")
asked: list[tuple[str, int | None]] = []
made: Counter[str] = Counter()
ask, finalize, search = Engines.ask, Descriptor.finalize, room.search


def count_asked(self: Engines, mode: str, most: int | None = None) -> Any:
    asked.append((mode, most))
    return ask(self, mode, most)


def count_made(self: Descriptor) -> None:
    made[type(self).__name__] += 1
    finalize(self)


def count_searches(*given: Any, **named: Any) -> Any:
    made["search"] += 1
    return search(*given, **named)


Engines.ask = count_asked  # type: ignore[method-assign]
Descriptor.finalize = count_made  # type: ignore[method-assign]
room.search = count_searches


def forget() -> None:
    plans.clear()
    asked.clear()
    made.clear()


# The first plan asks for a few suggestions, and for no more once one of them is built.
plan = build(convolution(device=h200))
assert asked == [("A", few[0])], asked
assert made["EngineHeurDescriptor"] == made["ExecutionPlanDescriptor"] == 1, made

# Where all are wanted, the same heuristics give them: each once, in their order.
forget()
found = candidates(convolution(device=h200), "A")
asks = [("A", most) for most in (*few, None)]
assert asked in [asks[:count] for count in (1, 2, 3)], asked
assert made["EngineHeurDescriptor"] == 1, made
engines = Engines(convolution(device=h200))
whole = dict.fromkeys([engines.to_candidate(each, "A").key for each in ask(engines, "A")])
left = [(each.engine, frozenset(each.knobs.items())) for each in found.refusals]
assert [each.key for each in found] == [each for each in whole if each not in left], found
assert len(found) + len(left) == len(whole), (found, left)

# A plan that needs no compiler is built by the search that finds this out.
for computation in (convolution, matmul):
    forget()
    try:
        compiles = "RUNTIME_COMPILATION" in [
            each.name for each in candidates(computation(device=h200))[0].behavior_notes
        ]
    except IndexError:  # nothing is compiled without the compiler
        continue
    forget()
    try:
        is_built = build_uncompiled(computation(device=h200))
    except errors.NoPlanError:
        continue
    assert is_built is not compiles, computation
    assert made["search"] == made["EngineHeurDescriptor"] == 1, made
    assert made["ExecutionPlanDescriptor"] == is_built, made
    again = build(computation(device=h200))
    assert made["search"] == (1 if is_built else 2), made
    assert build_uncompiled(computation(device=h200)), "the plan is there"
    assert made["ExecutionPlanDescriptor"] == 1, made
    if computation is convolution:
        assert (again.engine, again.knobs) == (plan.engine, plan.knobs), (again, plan)

# Nothing is built that would not be kept.
forget()
with no_cache():
    assert build_uncompiled(convolution(device=h200))
assert not made["search"], made
