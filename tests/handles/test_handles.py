"""Handles and streams as far as they go without a GPU: failures, forks, what belongs to whom."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from cudnn_cffi import driver as _driver
from cudnn_cffi import errors
from cudnn_cffi.driver import context
from cudnn_cffi.driver.streams import (
    Event,
    Stream,
    event_pointer,
    is_closed,
    stream_pointer,
)
from cudnn_cffi.handles import limit_of
from cudnn_cffi.memory import Memory

from tests.fake_driver import FakeDriver, ForeignStream


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDriver]:
    yield FakeDriver().install(monkeypatch.setattr)
    # Streams and events in cycles are destroyed while the fake driver is there.
    gc.collect()


without_gpu = pytest.mark.skipif(bool(_driver.count()), reason="there is a GPU")


@without_gpu
class TestWithoutADevice:
    def test_the_error_says_what_is_missing(self, cudnn: Any) -> None:
        with pytest.raises(cudnn.CudnnError, match="cudnnCreate") as caught:
            cudnn.Handle()
        assert caught.value.arguments["driver"]
        assert "driver=" in str(caught.value)
        with pytest.raises(cudnn.CudnnError):
            cudnn.handle()

    def test_nothing_is_left_of_it(self, cudnn: Any) -> None:
        from cudnn_cffi.handles import handles

        before = dict(handles._live)
        for _ in range(100):
            with pytest.raises(cudnn.CudnnError):
                cudnn.Handle()
        assert handles._live == before

    @pytest.mark.parametrize(
        "make", [Stream, lambda: Stream(1)], ids=["a stream", "a stream of a device"]
    )
    def test_streams_say_it_too(self, cudnn: Any, make: Any) -> None:
        with pytest.raises(cudnn.CudnnError, match="driver"):
            make()

    def test_arrays_say_it_too(self, cudnn: Any) -> None:
        pytest.importorskip("cuda.core")
        with pytest.raises(cudnn.CudnnError, match="driver"):
            cudnn.DeviceArray.empty((2, 3))


class TestStreamPointers:
    def test_taken(self) -> None:
        class Protocol:
            def __cuda_stream__(self) -> tuple[int, int]:
                return (0, 0x77)

        class Torch:
            cuda_stream = 0x78

        class CuPy:
            ptr = 0x79

        class PyCuda:
            handle = 0x7A

        assert stream_pointer(None) == 0
        assert stream_pointer(5) == 5
        found = [stream_pointer(each()) for each in (Protocol, Torch, CuPy, PyCuda)]
        assert found == [0x77, 0x78, 0x79, 0x7A]

    @pytest.mark.parametrize("stream", [True, 1.5, "stream", b"", object(), -1, 1 << 64])
    def test_refused(self, cudnn: Any, stream: Any) -> None:
        with pytest.raises(cudnn.CudnnError, match="expected a CUDA stream"):
            stream_pointer(stream)

    def test_objects_of_cudnn_are_none(self, cudnn: Any) -> None:
        for each in (cudnn.TensorDescriptor(), cudnn.Handle.from_address(0x1234)):
            with pytest.raises(cudnn.CudnnError, match="expected a CUDA stream"):
                stream_pointer(each)


class TestForeignStreams:
    def test_a_closed_one(self) -> None:
        stream = ForeignStream()
        assert not is_closed(stream, 0x4440)
        stream.close()
        with pytest.raises(
            errors.ClosedError, match="the ForeignStream cannot be used: Stream has been closed"
        ) as caught:
            stream_pointer(stream)
        assert "default stream" in caught.value.hint
        assert is_closed(stream, 0x4440)

    def test_a_closed_one_of_cuda_core(self) -> None:
        pytest.importorskip("cuda.core")
        from cuda.core import Stream as CoreStream

        stream = CoreStream.from_handle(0x4440)
        assert stream_pointer(stream) == 0x4440
        stream.close()
        with pytest.raises(errors.ClosedError):
            stream_pointer(stream)

    def test_one_whose_attribute_fails(self) -> None:
        class Failing:
            @property
            def __cuda_stream__(self) -> Any:
                raise RuntimeError("gone")

        with pytest.raises(errors.ClosedError, match="gone"):
            stream_pointer(Failing())

    def test_one_that_has_no_address_any_more(self) -> None:
        class Numba:
            handle: int | None = 0x4440

        stream = Numba()
        assert not is_closed(stream, 0x4440)
        stream.handle = None
        assert is_closed(stream, 0x4440)


def test_devices_are_asked_for_while_others_are_found(driver: FakeDriver) -> None:
    class Slow(int):
        """Another thread finds a device while this one is compared."""

        def __eq__(self, _: object) -> bool:
            context._primary[len(context._primary)] = 0x1001
            return False

        __hash__ = int.__hash__

    context._primary[0] = Slow(0x1000)
    driver.current = 0x1001
    assert _driver.device_of_context(0x1001) == 1


@pytest.mark.usefixtures("driver")
class TestOurStreams:
    def test_closing_does_not_wait_and_destroys_once(self, driver: FakeDriver) -> None:
        stream = Stream()
        address = stream.address
        stream.close()
        stream.close()
        del stream
        gc.collect()
        assert driver.calls == [("record", address), ("destroy", address)]

    def test_destroyed_with_the_last_reference(self, driver: FakeDriver) -> None:
        stream = Stream()
        address = stream.address
        del stream
        assert driver.calls == [("destroy", address)]

    def test_copies_are_refused(self, driver: FakeDriver) -> None:
        for each in (Stream(), Event()):
            for copy_of in (copy.copy, copy.deepcopy, pickle.dumps):
                with pytest.raises(TypeError, match=r"an? \w+ cannot be copied or pickled: "):
                    copy_of(each)
            each.close()
        gc.collect()
        assert [name for name, _ in driver.calls].count("destroy") == 1

    def test_a_borrowed_one_is_not_destroyed(self, driver: FakeDriver) -> None:
        with Stream.from_address(0x77):
            pass
        assert driver.calls == [("record", 0x77)]

    def test_a_borrowed_one_keeps_its_owner_and_is_closed_with_it(self, driver: FakeDriver) -> None:
        stream = Stream()
        address = stream.address
        borrowed, other = [Stream.from_address(address) for _ in range(2)]
        other.close()
        assert not stream.closed
        del stream
        assert ("destroy", address) not in driver.calls
        assert driver.calls == [("record", address)]
        del borrowed
        assert driver.calls[1:] == [("destroy", address)]
        stream = Stream()
        borrowed = Stream.from_address(stream.address)
        stream.close()
        assert borrowed.closed
        driver.calls.clear()
        borrowed._hand_over()
        assert driver.calls == [("wait", 0)]

    def test_a_closed_one_says_what_to_do(self) -> None:
        stream = Stream()
        stream.close()
        with pytest.raises(errors.ClosedError, match="closed") as caught:
            stream_pointer(stream)
        assert "default stream" in caught.value.hint

    @pytest.mark.parametrize("device", ["x", "cuda:0", 1.5, True, object()])
    def test_what_is_no_device(self, cudnn: Any, device: Any) -> None:
        for make in (Stream, cudnn.Handle, cudnn.handle):
            with pytest.raises(errors.ArgumentError, match="expected an ordinal"):
                make(device)
        with pytest.raises(errors.ArgumentError, match="there is no device 5"):
            Stream(5)

    def test_a_stream_is_no_device(self, cudnn: Any) -> None:
        with pytest.raises(errors.ArgumentError, match="got a Stream") as caught:
            cudnn.Handle(Stream())
        assert "stream=" in caught.value.hint


@pytest.mark.usefixtures("driver")
class TestEvents:
    def test_recorded_and_waited_for(self, driver: FakeDriver) -> None:
        first, second = Stream(), Stream()
        event = first.record()
        second.wait(event)
        second.wait(first)
        event.synchronize()
        assert driver.calls == [
            ("record", first.address),
            ("wait", second.address),
            ("record", first.address),
            ("wait", second.address),
            ("synchronize event", event.address),
        ]

    def test_the_time_between_two(self, driver: FakeDriver) -> None:
        start, end = Event().record(), Event().record(0)
        wanted = (end.address - start.address) / 16
        assert end - start == start.elapsed_time(end) == wanted
        assert end.done
        driver.unreached.add(end.address)
        assert not end.done
        with pytest.raises(errors.CudnnError, match="cuEventElapsedTime"):
            end - start

    def test_what_has_no_time(self) -> None:
        untimed = Stream().record(timing=False)
        assert not untimed.timing
        with pytest.raises(errors.ArgumentError, match="timing=True"):
            Event().elapsed_time(untimed)
        with pytest.raises(errors.ArgumentError, match="end: expected an Event, got an int"):
            Event().elapsed_time(5)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            Event() - 5  # type: ignore[operator]

    def test_a_closed_one(self) -> None:
        event = Event()
        with event:
            assert f"{event.address:#x}" in repr(event)
        event.close()
        assert event.closed
        assert repr(event) == "Event(closed)"
        with pytest.raises(errors.ClosedError, match="the Event is closed"):
            Stream().wait(event)

    @pytest.mark.parametrize("device", ["x", 1.5, True])
    def test_what_is_no_device(self, device: Any) -> None:
        with pytest.raises(errors.ArgumentError, match="expected an ordinal"):
            Event(device)

    def test_events_of_other_libraries(self, driver: FakeDriver) -> None:
        class Address:
            value = 0x55

        kinds = {
            name: type("Event", (), {attribute: value})
            for name, attribute, value in (
                ("torch", "cuda_event", 0x55), ("cupy", "ptr", 0x55), ("numba", "handle", Address()),
            )
        }  # fmt: skip
        for kind in kinds.values():
            assert event_pointer(kind()) == 0x55
            Stream().wait(kind())
        assert [each[0] for each in driver.calls if each[0] == "wait"] == ["wait"] * 3
        unrecorded = type("Event", (), {"cuda_event": 0})()
        with pytest.raises(errors.ArgumentError, match="expected a recorded event"):
            Stream().wait(unrecorded)
        for neither in ("x", 1.5, object()):
            with pytest.raises(errors.ArgumentError, match="expected a CUDA stream"):
                Stream().wait(neither)

    def test_those_of_cuda_core(self) -> None:
        """Its builder of graphs is a stream that is captured."""
        core = pytest.importorskip("cuda.core")
        assert "handle" in dir(core.Event)
        builder = pytest.importorskip("cuda.core.graph").GraphBuilder
        assert "__cuda_stream__" in dir(builder)


@pytest.fixture
def made(
    cudnn: Any,
    monkeypatch: pytest.MonkeyPatch,
    driver: FakeDriver,  # noqa: ARG001  handles are made as where there is one
) -> Iterator[dict[str, list[int]]]:
    """Handles are made and destroyed by name only; what was destroyed, and streams that were set."""
    from cudnn_cffi import _lookup
    from cudnn_cffi.handles import origins, pool

    noted: dict[str, list[int]] = {"destroyed": [], "streams": []}
    numbers = iter(range(0x9000, 0x9100))
    now: dict[int, int] = {}

    def set_stream(handle: Any, stream: int) -> None:
        noted["streams"].append(stream)
        now[handle.address] = stream

    monkeypatch.setattr(_lookup.calls, "cudnnCreate", lambda: next(numbers))
    monkeypatch.setattr(cudnn.Handle, "_destroy", staticmethod(noted["destroyed"].append))
    monkeypatch.setattr(cudnn.Handle, "get_stream", lambda handle: now.get(handle.address, 0))
    monkeypatch.setattr(cudnn.Handle, "set_stream", set_stream)
    monkeypatch.setattr(pool, "_held", pool.OfThread())
    monkeypatch.setattr(origins, "idle", {})
    yield noted
    gc.collect()
    origins.by_address.clear()


@pytest.mark.usefixtures("made")
class TestTheStreamOfAHandle:
    def test_it_is_set_only_where_it_is_another_one(self, cudnn: Any, made: Any) -> None:
        with Stream() as one, Stream() as other, cudnn.Handle(stream=one) as handle:
            for stream in (one, one, one.address, other, other, None, None, one):
                handle.stream = stream
            assert made["streams"] == [one.address, other.address, 0, one.address]
            assert handle.stream is one

    def test_a_closed_one_is_refused_and_replaced(self, cudnn: Any, made: Any) -> None:
        handle = cudnn.Handle(stream=(stream := Stream()))
        address = stream.address
        stream.close()
        with pytest.raises(
            errors.ClosedError, match="the stream of the Handle is closed"
        ) as caught:
            handle.stream  # noqa: B018
        assert "set handle.stream" in caught.value.hint
        # Another stream can be where the closed one was.
        handle.stream = another = Stream.from_address(address)
        assert made["streams"] == [address, address]
        assert handle.stream is another

    def test_using_recovers_from_one(self, cudnn: Any) -> None:
        handle = cudnn.Handle(stream=(stream := Stream()))
        stream.close()
        with Stream() as other:
            with handle.using(other):
                assert handle.stream is other
            assert handle.stream is None
        with Stream() as before:
            handle.stream = before
            with Stream() as other, handle.using(other):
                before.close()
            assert handle.stream is None

    def test_a_closed_foreign_one_is_refused_and_replaced(self, cudnn: Any, made: Any) -> None:
        handle = cudnn.Handle(stream=(stream := ForeignStream()))
        stream.close()
        with pytest.raises(errors.ClosedError, match="the stream of the Handle is closed"):
            handle.stream  # noqa: B018
        handle.stream = None
        assert handle.stream is None
        assert made["streams"] == [0x4440, 0]

    def test_using_recovers_from_a_foreign_one(self, cudnn: Any) -> None:
        handle = cudnn.Handle(stream=(before := ForeignStream()))
        with handle.using(ForeignStream(0x5550)):
            before.close()
        assert handle.stream is None

    def test_the_default_stream_goes_on_behind_a_closed_one(
        self, cudnn: Any, driver: FakeDriver
    ) -> None:
        with Stream() as stream:
            handle = cudnn.Handle(stream=stream)
        handle.stream = None
        assert driver.calls[2:] == [("wait", 0)]
        handle.stream = None
        with Stream() as stream, handle.using(stream):
            stream.close()
        assert driver.calls[5:] == [("wait", 0)]
        with Stream() as stream:
            handle.stream = stream
        with Stream() as other:
            handle.stream = other
            assert driver.calls[8:] == [], "another stream than the default one"
            with handle.using(None):
                other.close()
        assert driver.calls[-1] == ("wait", 0)

    def test_using_leaves_a_handle_closed_that_is_closed_in_the_block(self, cudnn: Any) -> None:
        handle = cudnn.Handle()
        with Stream() as stream, handle.using(stream):
            handle.close()
        assert handle.closed

    def test_what_its_calls_use_is_freed_behind_them(self, cudnn: Any, driver: FakeDriver) -> None:
        handle = cudnn.Handle()
        assert handle._order() == 0
        with Stream() as stream:
            handle.stream = stream
            assert handle._order() == (address := stream.address)
        assert handle._order() == 0
        assert driver.calls == [("record", address), ("destroy", address), ("wait", 0)]
        handle.set_stream(0x5550)
        assert handle._order() == 0x5550

    def test_behind_a_closed_foreign_one_too(self, cudnn: Any, driver: FakeDriver) -> None:
        handle = cudnn.Handle(stream=(stream := ForeignStream()))
        assert handle._order() == 0x4440
        stream.close()
        assert handle._order() == 0
        assert driver.calls == [("synchronize context", 0x1000)]

    def test_what_c_code_has_set(self, cudnn: Any) -> None:
        handle = cudnn.Handle(stream=(stream := Stream()))
        handle.set_stream(0x5550)
        stream.close()
        found = handle.stream
        assert (found.address, found.device) == (0x5550, 0)
        assert handle.stream is found
        with Stream() as other, handle.using(other):
            pass
        assert handle.stream is found
        handle.set_stream(0)
        assert handle.stream is None

    @pytest.mark.parametrize("set_by", ["C code", "address"])
    def test_one_of_ours_is_known_by_its_address(self, cudnn: Any, set_by: str) -> None:
        handle, stream = cudnn.Handle(), Stream()
        if set_by == "C code":
            handle.set_stream(stream.address)
        else:
            handle.stream = stream.address
        assert handle.stream is stream
        stream.close()
        with pytest.raises(errors.ClosedError):
            handle.stream  # noqa: B018
        assert handle._order() == 0

    def test_one_of_another_device_is_refused_before_a_handle_is_made(
        self, cudnn: Any, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from cudnn_cffi import _lookup

        driver.install(monkeypatch.setattr, devices=2)
        driver.contexts[0x7777] = 0x1001
        monkeypatch.setattr(_lookup.calls, "cudnnCreate", lambda: pytest.fail("made"))
        with pytest.raises(errors.ArgumentError, match="expected a stream of device 0"):
            cudnn.Handle(device=0, stream=0x7777)


@pytest.mark.usefixtures("driver")
def test_a_handle_that_cannot_be_made_tells_of_driver_and_device(
    cudnn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi import _lookup

    def fail() -> int:
        raise errors.NotInitializedError(
            "no", function="cudnnCreate", status=1001, status_name="CUDNN_STATUS_NOT_INITIALIZED"
        )

    monkeypatch.setattr(_lookup.calls, "cudnnCreate", fail)
    with pytest.raises(errors.NotInitializedError) as caught:
        cudnn.Handle()
    assert caught.value.arguments == {
        "device": "0 (Fake GPU, 3 of 7 MiB free)",
        "driver": "for CUDA 13.2",
    }
    assert "device=0 (Fake GPU, 3 of 7 MiB free)" in str(caught.value)
    assert caught.value.status == 1001


@pytest.mark.usefixtures("made")
class TestLastReferences:
    def test_it_is_destroyed_once(self, cudnn: Any, made: Any) -> None:
        for end in (lambda handle: handle.close(), lambda _: None):
            handle = cudnn.Handle()
            end(handle)
            del handle
        assert made["destroyed"] == [0x9000, 0x9001]

    def test_given_away_it_is_not_destroyed_again(self, cudnn: Any, made: Any) -> None:
        handle = cudnn.Handle()
        assert handle._detach("cudnnHandle_t") == 0x9000
        del handle
        assert not made["destroyed"]

    def test_a_child_keeps_it_alive(self, cudnn: Any, made: Any) -> None:
        handle = cudnn.Handle()
        child = Child(handle, made["destroyed"])
        del handle
        gc.collect()
        assert not made["destroyed"]
        assert not child.handle.closed
        del child
        assert made["destroyed"] == ["child", 0x9000]

    def test_children_first_in_a_cycle_of_references(self, cudnn: Any, made: Any) -> None:
        handle = cudnn.Handle()
        children = [Child(handle, made["destroyed"]) for _ in range(2)]
        for child in children:
            child.others = children
        del handle, child, children
        gc.collect()
        assert made["destroyed"] == ["child", "child", 0x9000]

    def test_closed_by_its_c_name_children_are_first_too(self, cudnn: Any, made: Any) -> None:
        handle = cudnn.Handle()
        child = Child(handle, made["destroyed"])
        handle._detach("cudnnHandle_t")
        assert made["destroyed"] == ["child"]
        del child

    def test_destroyed_in_its_own_context(
        self, cudnn: Any, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen = []
        destroy = staticmethod(lambda _: seen.append(driver.current))
        monkeypatch.setattr(cudnn.Handle, "_destroy", destroy)
        driver.current = 0x2000
        handle = cudnn.Handle()
        driver.current = 0x1000
        del handle
        assert (seen, driver.current) == ([0x2000], 0x1000)


class Child:
    def __init__(self, handle: Any, log: list[Any]) -> None:
        self.handle, self.log = handle, log
        self.others: list[Child] = []
        handle.adopt(self)

    def close(self) -> None:
        if self.log is not None:
            assert not self.handle.closed
            self.log.append("child")
            self.log = None  # type: ignore[assignment]

    def __del__(self) -> None:
        self.close()


@pytest.mark.usefixtures("made")
class TestHandlesOfThreads:
    @staticmethod
    def of_a_thread(cudnn: Any) -> Any:
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(cudnn.handle()))
        thread.start()
        thread.join()
        del thread
        return found.pop()

    def test_one_that_is_still_in_use_has_no_second_owner(self, cudnn: Any) -> None:
        kept = self.of_a_thread(cudnn)
        other = self.of_a_thread(cudnn)
        assert kept.address != other.address
        assert not kept.closed

    def test_one_that_nobody_uses_is_taken_over_on_the_default_stream(
        self, cudnn: Any, made: Any
    ) -> None:
        handle = self.of_a_thread(cudnn)
        address = handle.address
        with Stream() as stream:
            handle.stream = stream
            del handle
            found = self.of_a_thread(cudnn)
        assert found.address == address
        assert found.stream is None
        assert not made["destroyed"]
        found.close()
        assert made["destroyed"] == [address]
        assert self.of_a_thread(cudnn).address != address

    def test_its_child_counts_as_a_user(self, cudnn: Any) -> None:
        child = Child(self.of_a_thread(cudnn), [])
        assert self.of_a_thread(cudnn).address != child.handle.address

    def test_a_thread_in_another_context_gets_another_one(
        self, cudnn: Any, driver: FakeDriver
    ) -> None:
        address = self.of_a_thread(cudnn).address
        driver.current = 0x2000
        other = self.of_a_thread(cudnn)
        assert other.address != address
        driver.current = 0x1000
        assert self.of_a_thread(cudnn).address == address

    def test_what_graphs_were_captured_with_stays(self, cudnn: Any) -> None:
        handle = self.of_a_thread(cudnn)
        workspace = handle.workspace
        workspace._captured[0x5550, 7] = block = Memory.borrow(0x7000, 10, 0, None, object())
        del handle
        found = self.of_a_thread(cudnn)
        address = found.address
        workspace.close()
        assert found.workspace._captured == {(0x5550, 7): block}
        assert block.address == 0x7000
        del found
        found = self.of_a_thread(cudnn)
        assert found.address == address
        found.close()
        assert block.address is None

    def test_its_workspace_is_another_one(self, cudnn: Any) -> None:
        handle = self.of_a_thread(cudnn)
        address, workspace = handle.address, handle.workspace
        workspace.limit = 1
        assert repr(workspace).endswith("bytes, limit 1>")
        with pytest.raises(TypeError, match="a Workspace cannot be copied or pickled"):
            copy.copy(workspace)
        del handle
        found = self.of_a_thread(cudnn)
        assert found.address == address
        assert found.workspace is not workspace
        assert found.workspace.limit is None
        with pytest.raises(errors.ClosedError):
            workspace.get(1)

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    def test_it_is_not_lost_where_its_workspace_cannot_be_freed(
        self, cudnn: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from cudnn_cffi.handles.workspace import Workspace

        def fail(_: Any) -> None:
            raise errors.CudnnError("cannot be freed")

        monkeypatch.setattr(Workspace, "clear", fail)
        handle = self.of_a_thread(cudnn)
        address, _ = handle.address, handle.workspace
        del handle
        assert self.of_a_thread(cudnn).address == address


class TestForeignHandles:
    def test_a_borrowed_one_is_never_destroyed(
        self, cudnn: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            cudnn.Handle, "_destroy", staticmethod(lambda address: pytest.fail(hex(address)))
        )
        with cudnn.Handle.from_address(0x1234) as handle:
            assert handle.address == 0x1234
            assert repr(handle) == "Handle(0x1234 device 0)"
        assert handle.closed
        assert repr(handle) == "Handle(closed)"

    @pytest.mark.parametrize("address", [0, None, 1.5, True, "x"])
    def test_what_is_no_address(self, cudnn: Any, address: Any) -> None:
        with pytest.raises(cudnn.CudnnError):
            cudnn.Handle.from_address(address)

    def test_a_closed_one_is_refused(self, cudnn: Any) -> None:
        handle = cudnn.Handle.from_address(0x1234)
        handle.close()
        handle.close()
        with pytest.raises(cudnn.CudnnError, match=r"cudnnGetStream: handle: .*closed"):
            cudnn.cudnnGetStream(handle)
        with pytest.raises(cudnn.CudnnError, match="closed"):
            handle.address  # noqa: B018

    def test_children_die_first_and_the_last_one_first_of_all(self, cudnn: Any) -> None:
        order = []

        class Child:
            def __init__(self, name: str, handle: Any) -> None:
                self.name = name
                self.handle = handle
                handle.adopt(self)

            def close(self) -> None:
                assert not self.handle.closed
                order.append(self.name)

        handle = cudnn.Handle.from_address(0x1234)
        kept = [Child("one", handle), Child("two", handle)]
        Child("gone", handle)
        handle.close()
        assert order == ["two", "one"]
        assert len(kept) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="takes fork")
def test_a_handle_does_not_survive_a_fork(cudnn: Any, program: Any) -> None:
    done = program("forked_handle", cudnn.load().path)
    assert done.stdout == "0 False\n", done.stdout + done.stderr


class TestSeveralDevices:
    """A handle's changes of context if there are several, with a driver that only notes."""

    @pytest.fixture
    def contexts(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """The current context, last, and those before it. Device n has the context 0x1000 + n."""
        noted = [0x1000]
        monkeypatch.setattr(_driver, "count", lambda: 2)
        for name, function in {
            "current_context": lambda: noted[-1],
            "set_context": noted.append,
            "primary_context": lambda device: 0x1000 + device,
            "is_primary": lambda context: context in (0x1000, 0x1001),
            "device_of": lambda context=0: (context or noted[-1]) & 0xFFF,
        }.items():
            monkeypatch.setattr(_driver, name, function)
            monkeypatch.setattr(context, name, function)
        return noted

    def test_its_context_is_current_for_the_time_of_a_call(
        self, cudnn: Any, contexts: list[int]
    ) -> None:
        from cudnn_cffi import _call

        def call(handle: Any) -> tuple[int, int]:
            return contexts[-1], handle._cudnnHandle_t

        def through(handle: Any) -> tuple[int, ...]:
            try:
                return call(handle)
            except _call.CONVERT as error:
                return _call.slow(call, "cudnnGetStream", (handle,), error)

        zero = cudnn.Handle.from_address(0x1234)
        one = cudnn.Handle.from_address(0x5678, device=1)
        assert (zero.device, one.device) == (0, 1)
        assert (zero.address, one.address) == (0x1234, 0x5678)
        assert through(zero) == (0x1000, 0x1234)
        assert contexts == [0x1000]
        assert through(one) == (0x1001, 0x5678)
        assert contexts == [0x1000, 0x1001, 0x1000]

    def test_a_thread_without_a_context_keeps_that_of_the_first_device(
        self, cudnn: Any, contexts: list[int]
    ) -> None:
        """As after a call of the CUDA runtime; another device's would change the current device."""
        zero = cudnn.Handle.from_address(0x1234)
        one = cudnn.Handle.from_address(0x5678, device=1)
        contexts.append(0x5000)  # a context of somebody's own, on device 0
        own = cudnn.Handle.from_address(0x9ABC)
        for handle, left in ((one, 0), (own, 0), (zero, 0x1000)):
            contexts.append(0)
            with handle._current():
                assert contexts[-1] == handle._context
            assert contexts[-1] == left, handle

    def test_the_context_comes_back_after_a_failure(self, cudnn: Any, contexts: list[int]) -> None:
        from cudnn_cffi import _call

        one = cudnn.Handle.from_address(0x5678, device=1)

        def fail(_: Any) -> None:
            raise KeyError("from the call itself")

        with pytest.raises(KeyError):
            _call.slow(fail, "cudnnGetStream", (one,), TypeError())
        assert contexts == [0x1000, 0x1001, 0x1000]

    def test_it_is_a_handle_all_the_same(self, cudnn: Any, contexts: list[int]) -> None:
        class Own(cudnn.Handle):  # type: ignore[misc]
            __slots__ = ()

        own = Own.from_address(0x1234, device=1)
        assert isinstance(own, Own)
        assert type(own).__name__ == "Own"
        assert repr(own) == "Handle(0x1234 device 1)"
        own.close()
        assert own.closed
        assert contexts == [0x1000, 0x1001, 0x1000], "closing leaves the context that was"
        with pytest.raises(cudnn.CudnnError, match="the Own is closed"):
            cudnn.cudnnGetStream(own)

    def test_each_device_has_a_handle_of_its_own_in_a_thread(
        self, cudnn: Any, contexts: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from cudnn_cffi import _lookup
        from cudnn_cffi.handles import origins, pool

        made = iter(range(0x9000, 0x9100))
        monkeypatch.setattr(_lookup.calls, "cudnnCreate", lambda: next(made))
        monkeypatch.setattr(cudnn.Handle, "_destroy", staticmethod(lambda _: None))
        monkeypatch.setattr(origins, "idle", {})  # other threads get none of these
        monkeypatch.setattr(pool, "_held", pool.OfThread())
        zero, one = cudnn.handle(0), cudnn.handle(1)
        assert zero is not one
        assert cudnn.handle(0) is zero
        assert cudnn.handle() is zero
        contexts.append(0x1001)
        assert cudnn.handle() is one
        monkeypatch.setattr(_driver, "context_of_stream", lambda _: 0x1000)
        monkeypatch.setattr(type(one), "get_stream", lambda _: 0)
        with pytest.raises(cudnn.CudnnError, match="expected a stream of device 1"):
            one.stream = 0x7777


class TestBackendDescriptors:
    """The target of an attribute; nothing looks at a handle before a descriptor is finalized."""

    @pytest.fixture
    def plan(self, cudnn: Any) -> Any:
        with cudnn.BackendDescriptor(cudnn.CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) as plan:
            yield plan

    @pytest.fixture
    def refer(self, cudnn: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
        from importlib import import_module

        graph = import_module(cudnn.cudnnBackendSetAttribute.__module__)
        monkeypatch.setattr(graph, "_cudnnBackendSetAttribute", lambda *_: 0)

        def refer(plan: Any, *objects: Any) -> None:
            kind = "HANDLE" if isinstance(objects[0], cudnn.Handle) else "BACKEND_DESCRIPTOR"
            kind = cudnn.BackendAttributeType[kind]
            name = cudnn.CUDNN_ATTR_EXECUTION_PLAN_HANDLE
            plan.set_attribute(name, kind, len(objects), objects)

        return refer

    def test_a_plan_keeps_its_handle_and_is_closed_before_it(
        self, cudnn: Any, plan: Any, refer: Any
    ) -> None:
        handle = cudnn.Handle.from_address(0x1234)
        for _ in range(3):
            refer(plan, handle)
        seen = weakref.ref(handle)
        del handle
        gc.collect()
        survivor: Any = seen()
        survivor.close()
        del survivor
        assert plan.closed
        gc.collect()
        assert seen() is None

    def test_a_closed_plan_lets_go(self, cudnn: Any, plan: Any, refer: Any) -> None:
        handle = cudnn.Handle.from_address(0x1234)
        refer(plan, handle)
        plan.close()
        seen = weakref.ref(handle)
        del handle
        gc.collect()
        assert seen() is None

    def test_descriptors_keep_descriptors(self, cudnn: Any, plan: Any, refer: Any) -> None:
        config = cudnn.BackendDescriptor(cudnn.CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)
        refer(plan, config)
        seen = weakref.ref(config)
        del config
        gc.collect()
        survivor: Any = seen()
        assert not survivor.closed
        del survivor
        plan.close()
        gc.collect()
        assert seen() is None

    def test_a_borrowed_one_keeps_what_it_was_given_too(
        self, cudnn: Any, plan: Any, refer: Any
    ) -> None:
        owner = type("Owner", (), {})()
        lent = cudnn.BackendDescriptor.from_address(plan.address, owner)
        refer(lent, cudnn.Handle.from_address(0x1234))
        seen = weakref.ref(owner)
        del owner
        gc.collect()
        assert seen() is not None


@pytest.mark.parametrize("given", [{}, object, "x", 3])
def test_the_limit_of_no_handle_is_refused(given: Any) -> None:
    with pytest.raises(errors.ArgumentError, match="handle: expected a Handle, got"):
        limit_of(given, 0)
