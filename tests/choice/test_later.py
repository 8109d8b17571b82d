"""Timing in the background: when it is done, what it waits for, and what is told of it."""

from __future__ import annotations

import contextlib
import importlib
import logging
import math
import threading
import time
import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import driver, errors
from cudnn_cffi._operation import way_search
from cudnn_cffi.choice import policy
from cudnn_cffi.choice.policy import Policy, Rule
from cudnn_cffi.choice.store import choices as book
from cudnn_cffi.choice.store.choices import Choice
from cudnn_cffi.choice.store.plan_cache import plans
from cudnn_cffi.choice.tune import idle, later
from cudnn_cffi.choice.tune.device_clock import Clock, Sampler
from cudnn_cffi.driver import captures

LATER = Rule(pick="time", when="background")


class Handle:
    """A handle of a device that is not there."""

    device = 0

    def __init__(self) -> None:
        self.stream: Any = None
        self.workspace = SimpleNamespace(limit=None, clear=lambda: None)

    def _current(self) -> Any:
        return contextlib.nullcontext()


class Owner:
    pass


def noting(seen: list[int], number: int, name: str) -> Any:
    """Return work that only notes that it was done."""

    def work(_: Any) -> str:
        seen.append(number)
        return name

    return work


@pytest.fixture(autouse=True)
def _without_device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    own = Handle()
    monkeypatch.setattr(later, "handles", SimpleNamespace(handle=lambda _: own))
    monkeypatch.setattr(later, "Stream", lambda device: ("stream", device))
    monkeypatch.setattr(later, "_asked", {})
    monkeypatch.setattr(later, "_REST", 0.0)
    monkeypatch.setattr(captures, "is_any_captured", lambda: False)
    yield
    later.wait()


def ask(key: object, owner: object, work: Any) -> None:
    given: Any = Handle()
    later.ask(key, f"graph {key}", owner, given, work)


def test_what_is_asked_for_is_timed_once_in_another_thread(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "cudnn_cffi.choice")
    owner, seen, before, timed = Owner(), [], policy.state(), book.timed

    def work(handle: Any) -> str:
        assert idle.is_beside()
        seen.append((threading.current_thread() is threading.main_thread(), handle.stream))
        return "engine 5"

    threads = [threading.Thread(target=ask, args=("a", owner, work)) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    later.wait()
    ask("a", owner, work)
    later.wait()
    assert seen == [(False, ("stream", 0))]
    assert book.timed == timed + 1
    assert policy.state()[1] is not before[1]  # so that all look again
    assert policy.state()[1] == before[1]
    assert "graph a: engine 5 from now on, timed in the background" in caplog.text
    assert not idle.is_beside()


def test_calls_do_not_wait_for_the_plan_that_a_thread_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, go, found = threading.Event(), threading.Event(), []
    key = SimpleNamespace(memory=object(), find=lambda *_, **__: None, make=None)

    def autotune(*_: object, **__: object) -> Any:
        begun.set()
        assert go.wait(10)
        return SimpleNamespace(best="the fastest")

    module: Any = importlib.import_module("cudnn_cffi.choice.build")
    monkeypatch.setattr(module, "Computation", SimpleNamespace(check=lambda _: None))
    monkeypatch.setattr(module, "autotune", autotune)
    for name, answer in {
        "to_key": key, "_check_capture": None, "_rows": None, "search": (),
        "_by_record": None, "_build_and_keep": "the first",
    }.items():  # fmt: skip
        monkeypatch.setattr(module, name, lambda *_, _answer=answer, **__: _answer)
    owner = Owner()

    def work(_: Any) -> str:
        found.append(module.build(None, "autotune"))
        return "engine 1"

    ask("a", owner, work)
    assert begun.wait(10)
    call = threading.Thread(target=lambda: found.append(module.build(None)))
    call.start()
    call.join(5)
    was_first = [*found]
    go.set()
    call.join()
    later.wait()
    assert was_first == ["the first"]
    assert found == ["the first", "the fastest"]


def test_errata_that_change_have_it_timed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    owner = Owner()
    for generation in (1, 1, 2):
        monkeypatch.setattr(plans, "generation", generation)
        ask("a", owner, noting(seen, 1, "engine 5"))
        later.wait()
    assert len(seen) == 2


def test_results_hold_when_all_is_timed() -> None:
    owner, go, seen, before = Owner(), threading.Event(), [], book.timed

    def work(_: Any) -> str:
        go.wait(10)
        seen.append(book.timed)
        return "engine 5"

    for key in range(5):
        ask(key, owner, work)
    go.set()
    later.wait()
    assert seen == [before] * 5
    assert book.timed == before + 1


@pytest.mark.parametrize("other", [False, True])
def test_nothing_is_timed_for_what_is_gone(other: bool) -> None:
    """One that asked for the same still wants it; and what was dropped can be asked for again."""
    owner, another, go, seen = Owner(), Owner(), threading.Event(), []

    def wait(_: Any) -> str:
        go.wait(10)
        return "engine 1"

    def work(_: Any) -> str:
        seen.append(1)
        return "engine 5"

    ask("first", another, wait)
    ask("second", owner, work)
    if other:
        ask("second", another, work)
    del owner
    go.set()
    later.wait()
    assert bool(seen) is other
    ask("second", another, work)
    later.wait()
    assert len(seen) == 1


def test_timing_ends_where_its_owner_goes() -> None:
    owner, begun, ended = Owner(), threading.Event(), []

    def work(_: Any) -> str:
        begun.set()
        try:
            while True:
                idle.check()
                time.sleep(0.001)
        finally:
            ended.append(1)

    before = book.timed
    ask("a", owner, work)
    assert begun.wait(10)
    del owner
    later.wait()
    assert ended
    assert book.timed == before


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (errors.AllocationError("no memory\nfor x"), "no memory"),
        (ZeroDivisionError("a defect"), "ZeroDivisionError: a defect"),
    ],
)
def test_errors_are_told(
    error: Exception, text: str, strict: bool, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[int] = []
    owner = Owner()
    key = f"{text} {strict}"  # each is told once

    def fail(_: Any) -> str:
        raise error

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("error" if strict else "always")
        ask(key, owner, fail)
        ask("next", owner, noting(seen, 1, "engine 1"))
        later.wait()
    told = caplog.text if strict else " ".join(str(each.message) for each in found)
    assert f"graph {key} is not timed in the background: {text}" in told
    assert ("Traceback" in caplog.text) is isinstance(error, ZeroDivisionError)
    assert seen  # the thread goes on


def test_a_device_that_is_never_idle_is_told_of(recwarn: pytest.WarningsRecorder) -> None:
    owner, seen, asked = Owner(), [], threading.Event()

    def busy(_: Any) -> str:
        asked.wait(10)
        seen.append(1)
        raise idle.NeverIdleError

    ask("busy", owner, busy)
    ask("next", owner, noting(seen, 2, "engine 1"))
    asked.set()
    later.wait()
    assert seen == [1, 2] + [1] * (later._ATTEMPTS - 1)  # others are not kept waiting
    assert "graph busy is not timed in the background: the device was never idle" in [
        str(each.message) for each in recwarn
    ]


def test_the_end_of_the_interpreter_ends_it(program: Any) -> None:
    """A task without an end, and one that is never begun."""
    program("late", None)


def test_a_child_begins_anew() -> None:
    owner = Owner()
    ask("a", owner, lambda _: "engine 1")
    later.wait()
    later._ends.set()
    later._forget()
    assert not later._asked
    ask("a", owner, lambda _: "engine 1")
    assert later._threads
    later.wait()


def test_attempts_wait_for_captures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "_PATIENCE", 0.05)
    with idle.beside(lambda: True):
        found = idle.attempts()
        next(found)
        with captures.without_collections, pytest.raises(idle.NeverIdleError):
            next(found)
        monkeypatch.setattr(captures, "is_any_captured", lambda: True)
        with pytest.raises(idle.NeverIdleError):
            next(idle.attempts())
    with idle.beside(lambda: False), pytest.raises(idle.Unwanted):
        next(idle.attempts())


class Rounds:
    """A clock whose attempts are disturbed at first."""

    cold, fill_time = False, 30.0

    def __init__(self, *found: float) -> None:
        self.found = list(found)

    def fill(self) -> None:
        pytest.fail("attempts fill by themselves")

    def between(self, work: Any) -> float:
        work()
        return 100.0

    def alone(self, fills: int, before: Any, work: Any) -> float:
        assert fills >= 1
        before()
        work()
        return self.found.pop(0)


def test_disturbed_samples_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    clock: Any = Rounds(math.inf, math.inf, 80.0)
    with idle.beside(lambda: True):
        sampler = Sampler(clock, lambda: None)
        assert sampler.sample() == pytest.approx(80.0 / sampler._repeats)
        assert not clock.found
        clock.found[:] = [math.inf] * 10_000
        monkeypatch.setattr(idle, "_PATIENCE", 0.05)
        with pytest.raises(idle.NeverIdleError):
            sampler.sample()


class Mark:
    """An event, whose time is given when it is recorded."""

    times: Iterator[float]
    ahead = True

    def __init__(self) -> None:
        self.at = 0.0

    def record(self, _: int) -> None:
        self.at = next(Mark.times)

    @property
    def done(self) -> bool:
        return not Mark.ahead

    def synchronize(self) -> None:
        pass

    def __sub__(self, start: Mark) -> float:
        return self.at - start.at


@pytest.mark.parametrize(
    ("times", "ahead", "expected"),
    [
        ((0.0, 0.030, 0.5, 0.7, 0.731), True, 200.0),
        ((0.0, 0.060, 0.5, 0.7, 0.731), True, math.inf),  # other work before
        ((0.0, 0.030, 0.5, 0.7, 0.790), True, math.inf),  # other work after
        ((0.0, 0.030, 0.5, 0.7, 0.731), False, math.inf),  # the host was late
    ],
)
def test_a_sample_counts_where_nothing_else_was_done(
    times: tuple[float, ...], ahead: bool, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(Clock, "__init__", lambda _: None)
    monkeypatch.setattr(Clock, "fill", lambda _: done.append("fill"))
    clock: Any = Clock()  # type: ignore[call-arg]
    clock._stream, clock.fill_time, clock._events = 7, 30.0, tuple([Mark() for _ in range(5)])
    Mark.times, Mark.ahead = iter(times), ahead
    found = clock.alone(2, lambda: done.append("warm"), lambda: done.append("work"))
    assert found == pytest.approx(expected)
    assert done == ["fill", "fill", "fill", "warm", "work", "fill"]


def test_settling_waits_for_its_own_stream_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr(driver, "synchronize", done.append)
    monkeypatch.setattr(driver, "synchronize_context", lambda: done.append("all"))
    idle.settle(7)
    with idle.beside(lambda: True):
        idle.settle(7)
    assert done == ["all", 7]


def test_the_policy() -> None:
    assert Policy.parse("time,when=background").forward == LATER
    assert Policy.of("time", when="background").data.is_later
    assert not Policy.of("time", when="now").data.is_later
    assert not Policy.of("time").data.is_later
    assert not Policy.of("time_once", when="background").data.is_later
    assert not Policy.of("time", when="background", deterministic=True).data.is_later
    with pytest.raises(errors.ArgumentError, match='when: expected "now" or "background"'):
        Policy.of("time", when="later")
    with policy.scope(when="background"):  # as with PyTorch's switch
        behind = Policy.of("time", most=10)
        assert policy.rule_for("forward", behind=behind).is_later


class Operation:
    """An operation that a graph computes."""

    arrange = copier = None

    def _order(self, *_: object) -> tuple[str, ...]:
        return ("graph", "classic")


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the answers that the search gets, and the tasks that it asks for."""
    told: dict[str, Any] = {"asked": [], "rules": [], "recorded": None, "captured": False}
    told["way"] = SimpleNamespace(engine=1, knobs={}, workspace_size=0)
    key = Choice("convolution", {"x": str(id(told))}, {}, {}, "H200", "9", "graph")

    def find_first(_: Any, __: Any, rule: Rule, *___: Any) -> Any:
        told["rules"].append(rule)
        return told["way"]

    monkeypatch.setattr(way_search, "key_of", lambda *_: key)
    monkeypatch.setattr(way_search, "find_first", find_first)
    monkeypatch.setattr(way_search, "plan_of", lambda way: way)
    monkeypatch.setattr(way_search, "is_captured", lambda _: told["captured"])
    monkeypatch.setattr(way_search, "_find_recorded", lambda *_: told["recorded"])
    monkeypatch.setattr(way_search, "_find_fastest", lambda *_: (told["fastest"], 7.0))
    monkeypatch.setattr(later, "ask", lambda *given: told["asked"].append(given))
    return told


def choose(operation: Any, rule: Rule = LATER) -> Any:
    case: Any = SimpleNamespace(call={})
    handle: Any = Handle()
    return way_search.choose_way(operation, case, rule, handle, None)


def test_a_call_begins_with_what_heuristics_suggest_and_goes_on_with_the_fastest(
    searched: dict[str, Any],
) -> None:
    operation, first = Operation(), searched["way"]
    fastest = searched["fastest"] = SimpleNamespace(engine=2, knobs={}, workspace_size=0)
    assert choose(operation) is first
    ((_, _, owner, handle, work),) = searched["asked"]
    assert owner is operation
    assert searched["rules"][-1].pick == "heuristic"
    assert work(handle) == "engine 2"
    assert [each.how for each in book.choices() if each.arrays.get("x") == str(id(searched))] == [
        "time"
    ]
    searched["way"] = fastest  # which the caches of plans have now
    assert choose(operation) is fastest
    assert len(searched["asked"]) == 1
    assert searched["rules"][-1].pick == "heuristic"  # so that nothing is timed
    searched["way"] = first  # they have lost it, as when errata have changed
    assert choose(operation) is first
    assert len(searched["asked"]) == 2


def test_calls_that_do_not_leave_it_to_a_thread(searched: dict[str, Any]) -> None:
    fastest = searched["fastest"] = SimpleNamespace(engine=2, knobs={}, workspace_size=0)
    recorded = SimpleNamespace(engine=3, knobs={}, workspace_size=0)
    with book.unlisted():  # nothing would find it again
        assert choose(Operation()) is fastest
    searched["captured"] = True  # nothing is timed, and nothing is asked for
    assert choose(Operation()) is searched["way"]
    searched["captured"], searched["recorded"] = False, SimpleNamespace(plan=recorded, time=5.0)
    assert choose(Operation()) is recorded
    searched["recorded"] = None
    assert choose(Operation(), LATER._replace(deterministic=True)) is not None
    assert not searched["asked"]
