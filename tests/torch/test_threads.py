"""Effects of models on the whole process, while other threads do something else."""

from __future__ import annotations

import random
import threading
import weakref
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def beside() -> Iterator[Callable[[Callable[[], object]], None]]:
    """Return what has another thread call a function; the thread waits before and after that."""
    wanted, done, ended = threading.Event(), threading.Event(), threading.Event()
    calls: list[Callable[[], object]] = []

    def work() -> None:
        wanted.wait()
        while not ended.is_set():
            wanted.clear()
            calls.pop()()
            done.set()
            wanted.wait()

    def call(function: Callable[[], object]) -> None:
        done.clear()
        calls.append(function)
        wanted.set()
        done.wait()

    thread = threading.Thread(target=work)
    thread.start()
    yield call
    ended.set()
    wanted.set()
    thread.join()


def generators(torch: ModuleType) -> list[tuple[Callable[[], object], Callable[[], object]]]:
    import numpy

    return [
        (random.random, random.getstate),
        (lambda: torch.rand(1), torch.get_rng_state),
        (numpy.random.rand, numpy.random.get_state),
    ]


@pytest.mark.parametrize("place", range(3))
def test_numbers_that_a_trace_draws_are_drawn_again(
    torch: ModuleType, beside: Callable[..., None], place: int
) -> None:
    """Another thread, which waits, has drawn none of them."""
    from cudnn_cffi.torch.fusion.trace.state import Drawing, _is_same

    draw, state = generators(torch)[place]
    beside(draw)
    before = state()
    with Drawing(torch.nn.Identity()) as drawing:
        draw()
    assert drawing.why == "it draws random numbers while it is traced"
    assert not drawing.is_disturbed
    assert _is_same(state(), before)
    with Drawing(torch.nn.Identity()) as drawing:
        beside(lambda: None)
    assert not drawing.why
    assert not drawing.is_disturbed


def test_variables_of_other_threads_are_not_kept(torch: ModuleType) -> None:
    from cudnn_cffi.torch.fusion.trace.state import Drawing

    at, wanted = threading.Barrier(2), threading.Event()

    def work() -> None:
        own = torch.ones(2)
        left.append(weakref.ref(own))
        at.wait()
        wanted.wait()

    left: list[weakref.ref[object]] = []
    thread = threading.Thread(target=work)
    thread.start()
    at.wait()
    with Drawing(torch.nn.Identity()) as drawing:
        assert left[0]() is not None
    wanted.set()
    thread.join()
    assert left[0]() is None
    assert not drawing.why


@pytest.mark.parametrize("place", range(3))
def test_numbers_of_another_thread_are_not_drawn_again(
    torch: ModuleType, beside: Callable[..., None], place: int
) -> None:
    from cudnn_cffi.torch.fusion.trace.state import Drawing, _is_same

    draw, state = generators(torch)[place]
    with Drawing(torch.nn.Identity()) as drawing:
        beside(draw)
        after = state()
    assert drawing.is_disturbed
    assert "another thread" in drawing.why
    assert _is_same(state(), after)


@pytest.mark.parametrize("place", [0, 99])
@pytest.mark.parametrize("at_the_end", [False, True])
def test_numbers_that_are_drawn_while_states_are_read(
    torch: ModuleType, beside: Callable[..., None], place: int, at_the_end: bool
) -> None:
    from cudnn_cffi.torch.fusion.trace.state import Drawing

    left: list[Callable[..., None]] = []

    def read() -> int:
        if left:
            left.pop()(random.random)
        return 0

    drawing, before = Drawing(torch.nn.Identity()), random.getstate()
    drawing._generators.insert(place, (read, lambda _: None))
    left += [] if at_the_end else [beside]
    with drawing:
        left += [beside] if at_the_end else []
    assert drawing.why != "it draws random numbers while it is traced"
    assert random.getstate() != before


@pytest.mark.parametrize(("times", "is_traced"), [(1, True), (2, True), (99, False)])
def test_a_model_is_traced_again_where_another_thread_draws(
    torch: ModuleType, beside: Callable[..., None], times: int, is_traced: bool
) -> None:
    from cudnn_cffi.torch import fuse

    left = [beside] * times

    class Model(torch.nn.Module):  # type: ignore[name-defined,misc]
        def forward(self, x: Any) -> Any:
            if left:
                left.pop()(random.random)
            return x * 2 + 1

    fused = fuse(Model())
    assert fused(torch.ones(2)).tolist() == [3, 3]
    assert ("another thread" not in f"{fused.report}") == is_traced


def test_deterministic_algorithms_of_two_threads(torch: ModuleType, beside: Any) -> None:
    """Blocks may end in any order; afterwards all is as before."""
    from cudnn_cffi.torch.autograd.switches import deterministic

    def is_on() -> bool:
        return bool(torch.are_deterministic_algorithms_enabled())

    assert not is_on()
    beside(deterministic.__enter__)
    with deterministic:
        beside(lambda: deterministic.__exit__(None, None, None))
        assert is_on()
    assert not is_on()
