"""The memory of random numbers, where it is used in other streams than its own."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi.ops.element import random_state as states


class Driver:
    """Notes what is done with streams, by their addresses."""

    def __init__(self) -> None:
        self.done: list[tuple[str, int]] = []
        self.captured: set[int] = set()

    def record(self, stream: int) -> Any:
        self.done.append(("record in", stream))
        return SimpleNamespace(address=0x5000 + len(self.done))

    def wait_for(self, _event: Any, stream: int) -> None:
        self.done.append(("wait in", stream))

    def capture_id(self, stream: int) -> int:
        return stream in self.captured

    def context_of_stream(self, _stream: int) -> int:
        return 1


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    made = Driver()

    class Memory:
        address, size = 0x4000, 64

        def __init__(self, _size: int, _device: int, stream: int) -> None:
            self.stream = stream

        def current(self) -> Any:
            return contextlib.nullcontext()

        def ordered(self) -> int:
            return self.stream

        def __del__(self) -> None:
            made.done.append(("free in", self.stream))

    calls = SimpleNamespace(
        cudnnDropoutGetStatesSize=lambda _: 64,
        cudnnSetDropoutDescriptor=lambda *_: None,
        cudnnDestroyDropoutDescriptor=lambda *_: None,
    )
    captures = SimpleNamespace(
        relaxed=contextlib.nullcontext, is_captured=lambda stream: stream in made.captured
    )
    for name, value in (
        ("driver", made), ("Memory", Memory), ("calls", calls), ("captures", captures),
        ("DropoutDescriptor", lambda: None),
    ):  # fmt: skip
        monkeypatch.setattr(states, name, value)
    return made


def handle(stream: int) -> Any:
    return SimpleNamespace(device=0, stream=stream, get_stream=lambda: stream)


def test_a_state_is_used_behind_its_allocation_and_freed_behind_its_last_use(
    driver: Driver,
) -> None:
    """It is allocated and freed in the order of one stream, and may be used in others."""
    state = states.RandomState(0.5, 3)
    state.place(handle(0x10))
    assert driver.done == [("record in", 0x10)]
    with state.used_by(handle(0x20)):
        assert driver.done[1:] == [("wait in", 0x20)]
    with state.used_by(handle(0x20)):
        pass
    assert driver.done[2:] == [("record in", 0x20)] * 2
    del state
    assert driver.done[4:] == [("wait in", 0x10), ("free in", 0x10)]


def test_in_one_stream_nothing_waits(driver: Driver) -> None:
    state = states.RandomState(0.5, 3)
    with state.used_by(handle(0x10)):
        pass
    del state
    assert driver.done == [("record in", 0x10)] * 2 + [("free in", 0x10)]


def test_nothing_is_put_into_a_stream_that_is_captured(driver: Driver) -> None:
    state = states.RandomState(0.5, 3)
    state.place(handle(0x10))
    with state.used_by(handle(0x20)):
        pass
    driver.captured.add(0x10)
    driver.done.clear()
    del state
    assert driver.done == [("free in", 0x10)]  # that memory waits for the end of the capture
