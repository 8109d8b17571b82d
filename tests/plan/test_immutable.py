"""New outputs for JAX, whose arrays cannot be written; without JAX and without a GPU."""

from __future__ import annotations

import sys
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import arrays, driver, errors, ops
from cudnn_cffi.arrays import libraries
from cudnn_cffi.arrays.libraries import library_of
from cudnn_cffi.handles import ordering
from cudnn_cffi.memory import DeviceArray, Memory
from cudnn_cffi.plan import binding
from cudnn_cffi.plan.arrays import outputs
from cudnn_cffi.plan.operand import Operand


class Theirs:
    """An array as JAX has it."""

    def __init__(self) -> None:
        self.streams: list[int] = []

    def unsafe_buffer_pointer(self) -> int:
        return 256

    def __dlpack__(self, *, stream: int) -> object:
        self.streams.append(stream)
        return object()


def pending(shape: tuple[int, ...], strides: tuple[int, ...]) -> outputs.Pending:
    return outputs.Pending(Memory.borrow(256, 4096, 0, None, None), shape, "float32", strides)


def test_arrays_of_jax_are_known() -> None:
    assert library_of(Theirs()) == "jax"
    assert libraries.is_immutable(Theirs())
    assert not libraries.is_immutable(pending((2,), (1,)))


def test_what_jax_traces_is_refused_with_what_to_do() -> None:
    class Traced(Theirs):
        shape, dtype = (2, 3), "float32"

        def is_deleted(self) -> bool:
            raise TypeError("Abstract tracer value encountered where concrete value is expected")

    for ask in (lambda: arrays.device_pointer(Traced()), lambda: ops.relu(Traced())):  # type: ignore[type-var]
        with pytest.raises(errors.ArgumentError, match="got an array that JAX traces") as caught:
            ask()
        assert "outside of jax.jit" in caught.value.hint


@pytest.mark.parametrize(("stream", "told"), [(0, 1), (77, 77)])
def test_a_stream_waits_for_inputs(stream: int, told: int) -> None:
    array = Theirs()
    ordering.wait([array, pending((2,), (1,))], stream)
    assert array.streams == [told]


def test_the_host_waits_for_types_without_dlpack() -> None:
    class Other(Theirs):
        waited = 0

        def __dlpack__(self, *, stream: int) -> object:
            raise TypeError(f"no such type in DLPack, for the stream {stream}")

        def block_until_ready(self) -> None:
            self.waited += 1

    array = Other()
    ordering.wait([array], 5)
    assert array.waited == 1


def test_outputs_are_handed_over_in_c_order(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    back: list[Any] = []

    def turn(axes: Any) -> str:
        back.append(axes)
        return "turned"

    def from_dlpack(array: Any) -> Any:
        given.append(array)
        return SimpleNamespace(transpose=turn)

    fake = SimpleNamespace(dlpack=SimpleNamespace(from_dlpack=from_dlpack))
    monkeypatch.setitem(sys.modules, "jax", fake)
    plain = pending((2, 3, 4), (12, 4, 1))
    outputs.settle(plain)
    assert given == [plain]
    assert back == []
    # (N, C, L) with the channels innermost lies in memory as (N, L, C).
    assert outputs.settle(pending((2, 3, 4), (12, 1, 3))) == "turned"
    assert given[1].shape == (2, 4, 3)
    assert given[1].is_contiguous
    assert back == [[0, 2, 1]]
    own = DeviceArray(Memory.borrow(256, 4096, 0, None, None), (2,), "float32", (1,))
    assert outputs.settle(own) is own


def test_inputs_live_until_the_stream_is_behind_them(monkeypatch: pytest.MonkeyPatch) -> None:
    reached: set[int] = set()
    events = iter(range(10))
    monkeypatch.setattr(driver, "record", lambda _stream: next(events))
    monkeypatch.setattr(driver, "is_reached", lambda event: event in reached)
    monkeypatch.setattr(ordering, "_held", type(ordering._held)())
    first, second = Theirs(), Theirs()
    ordering.hold([first], 5)
    ordering.hold([second], 5)
    assert [each[1] for each in ordering._held] == [(first,), (second,)]
    reached.add(0)
    ordering.hold([], 5)
    assert [each[1] for each in ordering._held] == [(second,), ()]


def test_threads_let_go_of_nothing_that_is_still_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking the driver lets other threads run, which let go of arrays, too."""
    held: Any = deque([("done", ("a",)), ("pending", ("b",))])
    others = [True]

    def is_reached(event: str) -> bool:
        if others:
            others.clear()
            ordering.hold(("c",), 7)  # of another thread
        return event == "done"

    driver = SimpleNamespace(is_reached=is_reached, record=lambda stream: f"in {stream}")
    monkeypatch.setattr(ordering, "_held", held)
    monkeypatch.setattr(ordering, "_driver", driver)
    ordering.hold(("d",), 9)
    assert sorted(held) == [("in 7", ("c",)), ("in 9", ("d",)), ("pending", ("b",))]


class Gpu:
    platform = "gpu"


class Placed(Theirs):
    """One whose memory is described."""

    shape, dtype, device = (4,), "float32", Gpu()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


class Foreign:
    """An array of a library that has the CUDA Array Interface alone."""

    def __init__(self, **fields: object) -> None:
        self.dtype = "float32"
        self.__cuda_array_interface__ = {
            "shape": (4,), "typestr": "<f4", "data": (256, False), "strides": None, "version": 3,
            **fields,
        }  # fmt: skip


def test_nothing_is_written_to_arrays_that_must_not_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "ordinal_of_pointer", lambda _address: 0)
    output = Operand("y", 1, (4,), (1,), "FLOAT", role="output")
    for array in (Placed(), Foreign(data=(256, True))):
        with pytest.raises(errors.ArgumentError, match="y: expected an array to write to, got a"):
            binding.check(output, array, None)
        assert binding.check(output._replace(role="input"), array, None) == (256, 0)
        with pytest.raises(errors.ArgumentError, match="x: expected an array to write to, got a"):
            ops.fill(array, 3.0)  # type: ignore[type-var]
    assert binding.check(output, Foreign(), None) == (256, 0)
    x, one = SimpleNamespace(**vars(Foreign(shape=(2, 4, 3)))), Foreign()
    with pytest.raises(errors.ArgumentError, match="running_mean: expected an array to write to"):
        ops.batch_norm(x, one, one, Placed(), one)  # type: ignore[arg-type, type-var]


@pytest.mark.parametrize(
    ("own", "stream", "waits"),
    [(None, 5, []), (9, 5, [(5, "in 9")]), (9, 9, []), (1, 0, []), (2, 0, [(0, "in 2")])],
)
def test_a_stream_waits_for_the_one_that_an_array_names(
    monkeypatch: pytest.MonkeyPatch, own: int | None, stream: int, waits: list[Any]
) -> None:
    done: list[Any] = []
    fake = SimpleNamespace(
        record=lambda stream: f"in {stream}",
        wait_for=lambda event, stream: done.append((stream, event)),
    )
    monkeypatch.setattr(ordering, "_driver", fake)
    ordering.wait([Foreign(stream=own), pending((2,), (1,))], stream)
    assert done == waits


def test_a_library_with_dlpack_alone_orders_the_stream() -> None:
    class Exchanged:
        def __init__(self) -> None:
            self.streams: list[int] = []

        def __dlpack__(self, *, stream: int) -> object:
            self.streams.append(stream)
            return object()

    array = Exchanged()
    ordering.wait([array], 7)
    ordering.wait([array], 0)
    assert array.streams == [7, 1]
    ordering.wait([object()], 7)  # it has nothing to be asked
