"""Timing picks a way, of stand-ins for engines and classic algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from cudnn_cffi import choice, errors, library, ops
from cudnn_cffi._kept import store
from cudnn_cffi._operation import way_search as ways
from cudnn_cffi._operation.operation import Operation
from cudnn_cffi._ways.case import Case
from cudnn_cffi._ways.classic_call import Classic
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.plan import Plan

like = ops.Spec.like

FREE = Rule()


class Made(Classic):
    """A call that is not made."""

    def __init__(self, name: str, size: int = 0, deterministic: bool = True) -> None:
        self.algorithm, self.workspace_size, self.deterministic = name, size, deterministic
        self.function, self.math, self.operands = "none", "", ()


class Stood(Operation):
    """An operation with three algorithms and an engine."""

    ways = ("graph", "classic")
    engines = 0

    def __init__(self) -> None:
        super().__init__()
        self.found = {
            "A": Made("A"), "B": Made("B", 1 << 20), "C": Made("C", 0, False),
        }  # fmt: skip

    def algorithms(self, case: Any, handle: Any, rule: Rule = FREE) -> Iterator[Any]:
        for name, each in self.found.items():
            yield name, each, ""
        yield "D", None, "not supported"

    def classic(self, case: Any, rule: Rule, handle: Any) -> Classic:
        if rule.pick not in self.found:
            raise errors.NotSupportedError(f"{rule.pick} is no algorithm")
        return self.found[rule.pick]

    def _by_graph(self, case: Any, rule: Rule, handle: Any, device: Any) -> Any:
        if rule.pick == "time" and not self.engines:
            raise errors.NotSupportedError("no engine")
        return Made("engine")


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, float | None]]:
    times: dict[str, float | None] = {"engine": 5.0, "A": 4.0, "B": 2.0, "C": 1.0}
    monkeypatch.setattr(ways, "time_way", lambda way, _handle, _best: (times[way.algorithm], ""))
    monkeypatch.setattr(ways, "kind_of", lambda _: "a GPU")
    monkeypatch.setattr(ways, "is_captured", lambda _: False)
    monkeypatch.setattr(library, "load", lambda: SimpleNamespace(version="9.12.0"))
    monkeypatch.setattr(store, "_warned", set())
    choice.forget()
    yield times
    choice.forget()


WORKSPACE: Any = SimpleNamespace(limit=None, size=0, clear=lambda: setattr(WORKSPACE, "size", 0))
HANDLE: Any = SimpleNamespace(device=0, workspace=WORKSPACE)
CASE = Case({"x": like((2, 3))}, {"y": like((2, 3))})


def picked(operation: Stood, **rule: Any) -> str:
    way: Any = operation.find_way(CASE, Rule(**{"pick": "time", **rule}), HANDLE, None)
    return str(way.algorithm)


def test_the_fastest_of_all_that_a_rule_allows(times: Any) -> None:
    operation = Stood()
    operation.engines = 1
    assert picked(operation) == "C"
    assert picked(operation, deterministic=True) == "B"
    assert picked(operation, deterministic=True, workspace_limit=1024) == "A"
    assert picked(operation, exclude=("A", "B", "C")) == "engine"
    assert picked(operation, via="graph") == "engine"
    choice.forget()
    assert picked(operation, most=10) == "engine"  # a limit leaves the others out
    times["C"] = None  # cuDNN refuses it when it runs
    choice.forget()
    assert picked(operation) == "B"
    operation.engines = 0
    choice.forget()
    assert picked(operation, exclude=("B",)) == "A"
    choice.forget()
    assert picked(operation, exclude=("B",), most=10) == "A"


def test_what_was_timed_is_not_timed_again(times: Any) -> None:
    assert picked(Stood()) == "C"
    (known,) = choice.choices()
    assert (known.algorithm, known.how, known.time) == ("C", "time", 1.0)
    times["A"] = 0.5
    assert picked(Stood()) == "C"  # another operation with the same options and arrays
    choice.adopt(choice.Choices([known._replace(algorithm="A", how="hand")]))
    assert picked(Stood()) == "A"
    choice.adopt(choice.Choices([known._replace(algorithm="Z", how="hand")]))
    with pytest.warns(RuntimeWarning, match="the choice of Z for .* is not used"):
        assert picked(Stood()) == "A"


def test_what_was_timed_for_another_workspace_is_timed_again(
    times: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    times["C"] = 3.0
    operation = Stood()
    assert picked(operation) == "B"
    monkeypatch.setattr(WORKSPACE, "limit", 1 << 10)
    assert picked(operation) == "C"
    monkeypatch.setattr(WORKSPACE, "limit", None)
    assert picked(operation) == "B"


def test_workspace_of_slower_ways_is_freed(times: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def grow(way: Any, _handle: Any, _best: Any) -> tuple[Any, str]:
        WORKSPACE.size = max(WORKSPACE.size, way.workspace_size)
        return times[way.algorithm], ""

    monkeypatch.setattr(ways, "time_way", grow)
    assert picked(Stood()) == "C"
    assert WORKSPACE.size == 0
    assert picked(Stood(), exclude=("C",)) == "B"
    assert WORKSPACE.size == 1 << 20
    WORKSPACE.size = 0


def test_where_nothing_can_be_timed_the_first_is_taken(times: Any) -> None:
    for name in times:
        times[name] = None
    operation = Stood()
    operation.engines = 1
    assert picked(operation) == "engine"
    (known,) = choice.choices()
    assert known.how == "heuristic"  # so that it is timed when it can be


def test_two_operations_with_the_same_arrays_share_a_plan(times: Any) -> None:
    class Asked(Stood):
        engines = 1
        asked: ClassVar[list[Any]] = []

        def _by_graph(self, case: Any, rule: Rule, handle: Any, device: Any) -> Any:
            self.asked.append(rule.pick)
            return Stored.__new__(Stored)

    class Stored(Plan):
        engine, workspace_size, algorithm = 3, 0, "engine"
        knobs: ClassVar[dict[str, int]] = {}

        def __del__(self) -> None:
            pass

    times["engine"] = 0.1
    assert picked(Asked()) == picked(Asked()) == "engine"
    assert Asked.asked == ["time", "time"]  # the second one finds the plan of the first
    choice.adopt(choice.choices())
    assert picked(Asked()) == "engine"
    assert Asked.asked[-1] == choice.Engine(3)
