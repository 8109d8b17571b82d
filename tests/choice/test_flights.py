"""Threads that want the same at the same time: one makes it, the others wait."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.choice.store import single_flight as flights
from cudnn_cffi.choice.store.single_flight import once


class Maker:
    """The values that are made, how often, and by whom."""

    def __init__(self, count: int = 8) -> None:
        self.made: list[Any] = []
        self.known: Any = None
        self.entered = threading.Event()
        self.go_on = threading.Event()
        self.count = count
        self.answers: list[Any] = []

    def make(self) -> Any:
        self.entered.set()
        assert self.go_on.wait(20)
        self.made.append(threading.get_ident())
        self.known = object()
        return self.known

    def run(self, call: Callable[[], Any] | None = None) -> None:
        """Have threads want it while the first of them makes it."""

        def one() -> None:
            try:
                self.answers.append(call() if call else once("k", lambda: self.known, self.make))
            except BaseException as error:
                self.answers.append(error)

        threads = [threading.Thread(target=one, daemon=True) for _ in range(self.count)]
        threads[0].start()
        assert self.entered.wait(20)
        for each in threads[1:]:
            each.start()
        deadline = time.monotonic() + 20
        while len(flights._waiting) < self.count - 1:
            assert time.monotonic() < deadline
        self.go_on.set()
        for each in threads:
            each.join(20)
            assert not each.is_alive()
        assert not flights._flights
        assert not flights._waiting


def test_it_is_made_once() -> None:
    maker = Maker()
    maker.run()
    assert len(maker.made) == 1
    assert maker.answers == [maker.known] * 8


def test_all_get_the_refusal_of_the_first() -> None:
    maker = Maker()

    def refuse() -> Any:
        maker.entered.set()
        maker.go_on.wait(20)
        maker.made.append(1)
        raise errors.NoPlanError("none", refusals=(1,))

    maker.run(lambda: once("k", lambda: None, refuse))
    assert len(maker.made) == 1
    assert {type(each) for each in maker.answers} == {errors.NoPlanError}
    assert len({id(each) for each in maker.answers}) == 8, "an error of its own for each"
    assert all(each.refusals == (1,) for each in maker.answers)


def test_one_that_fails_does_not_stop_the_others() -> None:
    maker = Maker()
    failures = iter([KeyboardInterrupt(), MemoryError(), errors.AllocationError("full")])

    def fail_first() -> Any:
        maker.entered.set()
        maker.go_on.wait(20)
        for each in failures:
            raise each
        return maker.make()

    maker.run(lambda: once("k", lambda: maker.known, fail_first))
    assert len(maker.made) == 1
    failed = [each for each in maker.answers if isinstance(each, BaseException)]
    assert len(failed) == 3
    assert maker.answers.count(maker.known) == 5


def test_the_maker_may_want_the_same() -> None:
    assert once("k", lambda: None, lambda: once("k", lambda: None, lambda: 3)) == 3


def test_makers_that_want_what_the_other_makes_do_not_wait_for_each_other() -> None:
    both = threading.Barrier(2)
    answers: list[Any] = []

    def want(first: str, second: str) -> None:
        def make() -> Any:
            both.wait(20)
            return first, once(second, lambda: None, lambda: f"{second} by {first}")

        answers.append(once(first, lambda: None, make))

    threads = [threading.Thread(target=want, args=each, daemon=True) for each in ("ab", "ba")]
    for each in threads:
        each.start()
    for each in threads:
        each.join(20)
        assert not each.is_alive()
    assert len(answers) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_does_not_wait_for_threads_that_it_does_not_have() -> None:
    maker = Maker()
    thread = threading.Thread(target=lambda: once("k", lambda: None, maker.make), daemon=True)
    thread.start()
    assert maker.entered.wait(20)
    child = os.fork()
    if not child:
        os._exit(once("k", lambda: None, lambda: 7))
    deadline = time.monotonic() + 20
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > deadline:
            os.kill(child, 9)
            pytest.fail("it waits")
        time.sleep(0.01)
    maker.go_on.set()
    thread.join(20)
    assert os.waitstatus_to_exitcode(status) == 7


def test_plans_in_the_background() -> None:
    """A thread builds each plan once; what failed, or is not found afterwards, is not begun anew."""
    from cudnn_cffi.choice.store import background

    go, built = threading.Event(), []

    def build(key: str, found: bool = True) -> bool:
        go.wait(10)
        built.append(key)
        if key == "broken":
            raise ValueError(key)
        return found

    for key in ("one", "one", "lost", "broken"):
        assert background.begin(key, partial(build, key, key != "lost"))
    assert background.is_running("one")
    assert background.begin("four", lambda: build("four"))
    assert background.begin("five", lambda: build("five"))  # none is free: it is not begun
    go.set()
    background.wait()
    assert sorted(built) == ["broken", "four", "lost", "one"]
    assert background.may_begin("one")
    assert background.may_begin("five")
    assert not background.may_begin("lost")
    assert not background.may_begin("broken")


def test_the_end_of_the_interpreter_waits_for_engines_that_are_compiled(
    program: Any, cudnn_library: Path, places: dict[str, str]
) -> None:
    """Without that, objects of libraries end while a thread uses them: most of these crash."""
    for _ in range(4):
        program("ending", cudnn_library, CUDNN_CFFI_PLAN_CACHE="0", **places)
