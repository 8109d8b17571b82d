"""Arrays of our own as far as they go without a device: views, closing, what others are told.

The memory is borrowed from NumPy: nothing here reads it through CUDA.
"""

from __future__ import annotations

import gc
import sys
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import arrays, errors, pinned_empty
from cudnn_cffi._support import fork
from cudnn_cffi.arrays import device_pointer
from cudnn_cffi.driver import captures, record
from cudnn_cffi.driver.streams import Stream
from cudnn_cffi.handles.workspace import Workspace
from cudnn_cffi.memory import DeviceArray, Memory
from cudnn_cffi.memory.allocation import import_core
from hypothesis import given
from hypothesis import strategies as st

from tests.fake_driver import FakeDriver, ForeignStream


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    return FakeDriver().install(monkeypatch.setattr)


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch, driver: FakeDriver) -> Any:
    """Functions of cuda.core that are used. `log` has each allocation and each end of one, with the
    stream and the context that was current."""
    log: list[tuple[Any, ...]] = []
    addresses = iter(range(0x700000, 0x800000, 0x1000))

    class Buffer:
        def __init__(self, size: int) -> None:
            self.size, self.handle = size, next(addresses)

        def close(self, stream: int) -> None:
            assert not driver._breaks("cuMemFreeAsync", stream)
            log.append(("free", self.size, stream, driver.current))

    class Device:
        def __init__(self, ordinal: int) -> None:
            self.ordinal = ordinal

        def set_current(self) -> None:
            driver.current = 0x1000 + self.ordinal

        def allocate(self, size: int, *, stream: int) -> Buffer:
            if size > 1 << 40:
                raise RuntimeError("CUDA_ERROR_OUT_OF_MEMORY: out of memory")
            assert not driver._breaks("cuMemAllocAsync", stream)
            log.append(("allocate", size, stream, driver.current))
            return Buffer(size)

        def sync(self) -> None:
            pytest.fail("it waits for the device")

    class CoreStream:
        from_handle = staticmethod(int)

    fake = SimpleNamespace(
        Device=Device,
        Stream=CoreStream,
        LEGACY_DEFAULT_STREAM=1,
        PER_THREAD_DEFAULT_STREAM=2,
        log=log,
    )
    monkeypatch.setitem(sys.modules, "cuda.core", fake)
    return fake


def borrowed(host: np.ndarray, stream: Any = None) -> DeviceArray:
    memory = Memory.borrow(host.ctypes.data, host.nbytes, 0, stream, host)
    strides = [step // host.itemsize for step in host.strides]
    return DeviceArray(memory, host.shape, host.dtype.name, strides)


@pytest.fixture
def host() -> np.ndarray:
    return np.zeros((4, 5, 6, 7), np.float32)


def same(view: DeviceArray, wanted: np.ndarray) -> None:
    assert view.shape == wanted.shape
    assert view.size == wanted.size
    assert view.nbytes == wanted.nbytes
    if wanted.size:
        assert view.address == wanted.ctypes.data
        for extent, ours, theirs in zip(view.shape, view.strides, wanted.strides, strict=True):
            assert extent == 1 or ours * wanted.itemsize == theirs


parts = st.one_of(
    st.integers(-4, 3),
    st.slices(4).filter(lambda each: each.step is None or each.step > 0),
)


class TestViews:
    @given(st.lists(parts, min_size=1, max_size=4).map(tuple))
    def test_parts_lie_where_numpy_has_them(self, key: Any) -> None:
        host = np.zeros((4, 5, 6, 7), np.float32)
        same(borrowed(host)[key], host[(*key, ...)])

    @given(st.lists(parts, max_size=3), st.integers(0, 3))
    def test_axes_left_out(self, keys: list[Any], place: int) -> None:
        host = np.zeros((4, 5, 6, 7), np.float32)
        key = (*keys[:place], ..., *keys[place:])
        try:
            wanted = host[key]
        except IndexError:
            with pytest.raises(IndexError):
                borrowed(host)[key]
        else:
            same(borrowed(host)[key], wanted)

    @given(st.permutations(range(4)))
    def test_axes_in_another_order(self, axes: list[int]) -> None:
        host = np.zeros((4, 5, 6, 7), np.int8)
        same(borrowed(host).transpose(*axes), host.transpose(axes))
        same(borrowed(host).transpose(axes), host.transpose(axes))
        same(borrowed(host).transpose(*[axis - 4 for axis in axes]), host.transpose(axes))
        same(borrowed(host).T, host.T)

    def test_numbers_of_numpy(self, host: np.ndarray) -> None:
        array: Any = borrowed(host)
        same(array.reshape(np.int64(840)), host.reshape(840))
        same(array.reshape(np.array([20, 42])), host.reshape(20, 42))
        same(array.transpose(np.array([3, 2, 1, 0])), host.T)
        same(array[np.int64(2), ..., np.int8(-1)], host[2, ..., -1])

    def test_views_of_views(self, host: np.ndarray) -> None:
        view = borrowed(host)[1:].transpose(1, 0, 3, 2)[::2, 1]
        same(view, host[1:].transpose(1, 0, 3, 2)[::2, 1])

    @pytest.mark.parametrize("shape", [(840,), (4, -1), (-1, 42), (20, 6, 7), (4, 5, 6, 7, 1)])
    def test_other_extents(self, host: np.ndarray, shape: tuple[int, ...]) -> None:
        same(borrowed(host).reshape(*shape), host.reshape(shape))
        same(borrowed(host).reshape(shape), host.reshape(shape))

    @pytest.mark.parametrize("shape", [(841,), (-1, -1), (0, -1), (11, -1), (-2, -420)])
    def test_extents_that_do_not_fit(self, host: np.ndarray, shape: tuple[int, ...]) -> None:
        with pytest.raises(ValueError, match="840 elements cannot have the shape"):
            borrowed(host).reshape(*shape)

    def test_what_would_take_a_copy_is_refused(self, host: np.ndarray) -> None:
        with pytest.raises(ValueError, match="contiguous"):
            borrowed(host)[:, ::2].reshape(-1)
        with pytest.raises(ValueError, match="each of 4 axes once"):
            borrowed(host).transpose(0, 1, 1, 2)

    @pytest.mark.parametrize("key", [4, (0, 0, 0, 0, 0), (slice(None, None, -1),), -5])
    def test_indices_that_are_none(self, host: np.ndarray, key: Any) -> None:
        with pytest.raises(IndexError):
            borrowed(host)[key]

    @pytest.mark.parametrize("key", [1.5, "x", None, True, (0, [1])], ids=repr)
    def test_what_is_no_index(self, host: np.ndarray, key: Any) -> None:
        with pytest.raises(errors.ArgumentError, match="an int, a slice or"):
            borrowed(host)[key]

    def test_what_is_no_extent_or_axis(self, host: np.ndarray) -> None:
        array: Any = borrowed(host)
        for call, wrong in ((array.reshape, 1.5), (array.reshape, "x"), (array.transpose, 0.5)):
            with pytest.raises(errors.ArgumentError, match="whole numbers"):
                call(wrong)


class TestClosing:
    def test_all_views_are_closed_with_the_memory(self, host: np.ndarray) -> None:
        array = borrowed(host)
        views = [array[1], array.reshape(-1), array.transpose()]
        views[1].close()
        array.close()
        for each in (array, *views):
            assert each.closed
            assert "closed" in repr(each)
            with pytest.raises(errors.ClosedError, match="freed"):
                device_pointer(each)
            with pytest.raises(errors.ClosedError):
                each.address  # noqa: B018
        with pytest.raises(errors.ClosedError):
            array[0]

    def test_what_is_borrowed_is_kept_as_long_as_it_is_used(self) -> None:
        host = np.ones(10, np.float32)
        array = borrowed(host)
        assert array._memory.buffer is host
        array.close()
        assert array._memory.buffer is None

    def test_in_a_block(self, host: np.ndarray) -> None:
        with borrowed(host) as array:
            assert not array.closed
        assert array.closed


class TestForOthers:
    def test_the_interface(self, host: np.ndarray) -> None:
        found = borrowed(host)[:, 1:].__cuda_array_interface__
        wanted = host[:, 1:]
        assert found["data"] == (wanted.ctypes.data, False)
        assert found["shape"] == wanted.shape
        assert found["strides"] == wanted.strides
        assert found["typestr"] == "<f4"
        assert (found["version"], found["stream"]) == (3, 1)
        assert borrowed(host).__cuda_array_interface__["strides"] is None
        # CuPy refuses such without memory, whose strides tell of elements.
        none = borrowed(host)[:, 1:1].transpose()
        assert none.is_contiguous is np.asarray(host[:, 1:1].T).flags.c_contiguous
        assert none.__cuda_array_interface__["strides"] is None

    def test_what_the_interface_has_no_name_for(self) -> None:
        pytest.importorskip("ml_dtypes")
        host = np.zeros(4, np.int16)
        memory = Memory.borrow(host.ctypes.data, host.nbytes, 0, None, host)
        array = DeviceArray(memory, (4,), "bfloat16", (1,))
        assert not hasattr(array, "__cuda_array_interface__")
        assert array.dtype.name == "bfloat16"

    def test_numpy_makes_no_array_of_views(self, host: np.ndarray) -> None:
        with pytest.raises(
            errors.ArgumentError, match="expected an array in host memory"
        ) as caught:
            np.asarray(borrowed(host))
        assert "to_numpy" in caught.value.hint
        with pytest.raises(errors.ArgumentError):
            DeviceArray.from_numpy(borrowed(host))

    def test_dlpack_says_where_it_is(self, host: np.ndarray) -> None:
        assert borrowed(host).__dlpack_device__() == (2, 0)

    def test_it_cannot_be_pickled(self, host: np.ndarray) -> None:
        import pickle

        with pytest.raises(TypeError, match="to_numpy"):
            pickle.dumps(borrowed(host))


def test_a_descriptor_is_read_off_it(cudnn: Any, host: np.ndarray) -> None:
    array = borrowed(host)
    assert repr(cudnn.TensorDescriptor.like(array)) == "Tensor(4,5,6,7 float32 NCHW)"
    assert repr(cudnn.TensorDescriptor.like(array.transpose(0, 3, 1, 2))) == (
        "Tensor(4,7,5,6 float32 NHWC)"
    )
    assert cudnn.check(cudnn.TensorDescriptor.packed((4, 5, 6, 7)), array) == host.ctypes.data


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (((2, -1),), "extents of 0 or more"),
        (((2, 3), "float12"), "expected a data type"),
        (((2, 3), "INT8x4"), "expected a data type"),
        (((2.7, 3),), "shape: expected a sequence of whole numbers"),
        ((2.7,), "shape: expected a sequence of whole numbers"),
        (("23",), "shape: expected a sequence of whole numbers"),
        ((None,), "shape: expected a sequence of whole numbers"),
    ],
)
def test_arrays_that_cannot_be(arguments: Any, words: str) -> None:
    for make in (DeviceArray.empty, pinned_empty):
        with pytest.raises(errors.ArgumentError, match=words):
            make(*arguments)


@pytest.mark.usefixtures("core")
class TestAllocation:
    @pytest.mark.parametrize("shape", [5, np.int64(5), (np.int32(5),), [5]], ids=repr)
    def test_extents(self, shape: Any) -> None:
        assert DeviceArray.empty(shape).shape == (5,)

    @pytest.mark.parametrize("device", ["cuda:0", 1.5, True], ids=repr)
    def test_what_is_no_device(self, device: Any) -> None:
        with pytest.raises(errors.ArgumentError, match="expected an ordinal"):
            DeviceArray.empty(5, device=device)

    def test_in_the_context_that_is_current(self, core: Any, driver: FakeDriver) -> None:
        """Or the default stream would be that of another context than the handle's."""
        driver.current = 0x2000
        array = DeviceArray.empty(5)
        driver.current = 0x1000
        array.close()
        assert core.log == [("allocate", 20, 1, 0x2000), ("free", 20, 1, 0x2000)]
        assert driver.current == 0x1000

    def test_too_much(self, driver: FakeDriver) -> None:
        with pytest.raises(
            MemoryError, match=r"do not fit on device 0 \(Fake GPU, 3 of 7 MiB free"
        ):
            DeviceArray.empty(1 << 50)
        assert not driver.calls

    def test_a_stream_of_another_device(
        self, core: Any, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        driver.install(monkeypatch.setattr, devices=2)
        driver.contexts[0x7777] = 0x1001
        with pytest.raises(errors.ArgumentError, match="expected a stream of device 0"):
            DeviceArray.empty(5, device=0, stream=0x7777)
        assert not core.log

    def test_freed_in_the_order_of_its_stream_or_of_another(self, core: Any) -> None:
        with Stream() as one, Stream() as other:
            DeviceArray.empty(1, "int8", stream=one)
            DeviceArray.empty(2, "int8", stream=one).close()
            DeviceArray.empty(3, "int8", stream=one).close(other)
            wanted = [(1, one.address), (2, one.address), (3, other.address)]
            assert [each[1:3] for each in core.log if each[0] == "free"] == wanted

    def test_a_stream_that_cannot_be_leaves_the_array_as_it_is(self) -> None:
        array = DeviceArray.empty(5)
        with Stream() as stream:
            pass
        for wrong in (stream, "x"):
            with pytest.raises(errors.ArgumentError):
                array.close(wrong)
        assert not array.closed


@pytest.mark.usefixtures("core")
class TestAClosedStream:
    """Work in its order continues in the default stream, after it, and nobody waits."""

    def test_the_array_is_there_all_the_same(self, driver: FakeDriver, host: np.ndarray) -> None:
        with Stream() as stream:
            array = borrowed(host, stream)
            address = stream.address
        interface = array.__cuda_array_interface__
        assert interface["stream"] == 1
        assert array.stream is None
        array.ready_in(None)
        array.synchronize()
        assert driver.calls == [
            ("record", address), ("destroy", address), ("wait", 0), ("synchronize", 0),
        ]  # fmt: skip

    def test_freeing_does_not_wait(self, core: Any, driver: FakeDriver) -> None:
        with Stream() as stream:
            array = DeviceArray.empty(5, stream=stream)
            address = stream.address
        array.close()
        assert core.log[-1] == ("free", 20, 1, 0x1000)
        assert driver.calls == [("record", address), ("destroy", address), ("wait", 0)]

    def test_a_foreign_one_is_waited_for_once(
        self, core: Any, driver: FakeDriver, host: np.ndarray
    ) -> None:
        stream = ForeignStream()
        arrays = DeviceArray.empty(5, stream=stream), borrowed(host, stream)
        interface = arrays[0].__cuda_array_interface__
        assert (interface["stream"], driver.calls) == (0x4440, [])
        stream.close()
        for array in arrays:
            assert array.stream is None
            assert array.__cuda_array_interface__["stream"] == 1
            array.close()
        assert core.log[1:] == [("free", 20, 1, 0x1000)]
        assert driver.calls == [("synchronize context", 0x1000)] * 2

    @pytest.mark.parametrize("end", ["close", "del"])
    def test_freed_behind_a_foreign_one(self, core: Any, driver: FakeDriver, end: str) -> None:
        for place, stream in enumerate((ForeignStream(), ForeignStream())):
            driver.current = 0x2000
            array = DeviceArray.empty(5, stream=stream)
            driver.current = 0x1000
            if place:
                stream._address = 0x5550  # another one by now
            else:
                stream.close()
            core.log.clear()
            driver.calls.clear()
            if end == "close":
                array.close()
            del array
            assert core.log == [("free", 20, 1, 0x2000)]
            assert driver.calls == [("synchronize context", 0x2000)]

    def test_what_is_borrowed_is_let_go_without_waiting(
        self, driver: FakeDriver, host: np.ndarray
    ) -> None:
        stream = ForeignStream()
        array = borrowed(host, stream)
        stream.close()
        array.close()
        assert not driver.calls

    def test_where_waiting_fails_nothing_is_lost(self, core: Any, driver: FakeDriver) -> None:
        stream = ForeignStream()
        array = DeviceArray.empty(5, stream=stream)
        stream.close()
        driver.failing = 900
        with pytest.raises(errors.CudnnError, match="cuCtxSynchronize"):
            array.close()
        assert not array.closed
        driver.failing = 0
        array.close()
        assert core.log[-1] == ("free", 20, 1, 0x1000)

    def test_garbage_that_has_both(self, core: Any, driver: FakeDriver) -> None:
        stream = Stream()
        address = stream.address
        cycle: list[Any] = [stream, DeviceArray.empty(5, stream=stream)]
        cycle.append(cycle)
        del stream, cycle
        gc.collect()
        assert core.log[-1][:3] == ("free", 20, address)
        assert driver.calls == [("destroy", address)]


def test_nothing_is_freed_at_the_end_of_the_interpreter(program: Any) -> None:
    """The stream is gone by then, and so may be builtin functions."""
    assert program("late_memory").stdout.split() == ["ended"]


@pytest.mark.usefixtures("core")
class TestCaptures:
    """Nothing of ours breaks a capture, whenever the garbage collector runs."""

    @pytest.mark.parametrize("blocking", [False, True])
    @pytest.mark.parametrize("at", [None, 0x5550])
    def test_garbage(
        self,
        core: Any,
        driver: FakeDriver,
        at: int | None,
        blocking: bool,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        driver.blocking = blocking
        monkeypatch.setattr(captures, "current_streams", lambda: iter([0x5550]))
        array = DeviceArray.empty(5, stream=at)
        foreign = ForeignStream()
        closed = DeviceArray.empty(6, stream=foreign)
        foreign.close()
        event = record(0x6660)
        cycle: list[Any] = [array, closed, Stream(), event]
        cycle.append(cycle)
        view = array.reshape(5, 1)
        driver.captures[0x5550] = 7
        array.close()
        assert view.closed
        del array, closed, cycle, event
        gc.collect()
        assert driver.broken == []
        driver.captures.clear()
        captures.sweep()
        freed = sorted(each[1:3] for each in core.log if each[0] == "free")
        assert freed == [(20, at or 1), (24, 1)]
        assert not captures._later

    @pytest.mark.usefixtures("core")
    def test_another_stream_is_captured(self, driver: FakeDriver) -> None:
        driver.captures[0x5550] = 7
        array = DeviceArray.empty(5, stream=0x6660)
        array.close()
        assert driver.broken == []
        assert not captures._later

    def test_memory_of_the_host_is_not_captured(self, driver: FakeDriver) -> None:
        array = DeviceArray.empty((2, 3), stream=0x5550)
        driver.captures[0x5550] = 7
        for call in (
            lambda: array.copy_from(np.ones((2, 3), np.float32)),
            array.to_numpy,
            lambda: array.to_numpy(wait=False),
            lambda: array.to_numpy(np.empty((2, 3), np.float32)),
        ):
            with pytest.raises(errors.CudnnError, match="the stream is being captured, and its gr"):
                call()
        driver.captures.clear()

    @pytest.mark.parametrize("call", ["copy_from", "fill_bytes", "to_numpy"])
    def test_a_graph_keeps_what_it_copies(
        self, core: Any, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch, call: str
    ) -> None:
        def nothing(*_: Any, **__: Any) -> None: ...

        buffer = SimpleNamespace(copy_from=nothing, copy_to=nothing, fill=nothing)
        core.Buffer = SimpleNamespace(from_handle=nothing)
        monkeypatch.setattr(DeviceArray, "_as_buffer", lambda *_: buffer)
        array = DeviceArray.empty(5, stream=0x5550)
        others: dict[str, Any] = {
            "copy_from": (DeviceArray.empty(5), {}),
            "fill_bytes": (0, {}),
            "to_numpy": (np.empty(5, np.float32), {"wait": False}),
        }
        other, options = others.pop(call)
        driver.captures[0x5550] = 7
        getattr(array, call)(other, **options)
        driver.captures.clear()
        references = [weakref.ref(each) for each in (array, other) if not isinstance(each, int)]
        del array, other, others
        driver.ends_with_graph(0x9007, references)

    def test_it_waits_for_all_captures_of_its_stream(self, core: Any, driver: FakeDriver) -> None:
        array = DeviceArray.empty(5, stream=0x5550)
        for number in (7, 8):
            driver.captures[0x5550] = number
            array.close()
            captures.sweep()
            assert len(captures._later) == 1
        driver.captures.clear()
        DeviceArray.empty(6)
        assert ("free", 20, 0x5550, 0x1000) in core.log
        assert driver.broken == []


class TestFork:
    """In a child of a process that has used CUDA nothing works, and errors say why."""

    @pytest.mark.usefixtures("core")
    def test_what_uses_cuda(self, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
        array, stream = DeviceArray.empty(5), Stream()
        event = stream.record()
        calls: dict[str, Any] = {
            "allocate": lambda: DeviceArray.empty(5),
            "copy back": array.to_numpy,
            "copy": lambda: array.copy_from(np.zeros(5, np.float32)),
            "export": lambda: array.__dlpack__(stream=-1),
            "stream": Stream,
            "wait": stream.synchronize,
            "record": stream.record,
            "event": event.synchronize,
        }
        driver.calls.clear()
        monkeypatch.setattr(fork, "lost", True)
        for name, call in calls.items():
            with pytest.raises(errors.ForkedError, match="does not survive a fork"):
                call()
            assert not driver.calls, name
        with stream:
            pass
        array.close()
        assert not driver.calls


class TestCopies:
    def test_no_silent_conversion(self, host: np.ndarray) -> None:
        array = borrowed(host)
        for wrong in (host.astype(np.float64), host.astype(">f4"), np.zeros(host.shape, np.int32)):
            with pytest.raises(errors.ArgumentError, match=r"expected float32, got \S+") as caught:
                array.copy_from(wrong)
            assert "astype" in caught.value.hint

    def test_where_to_copy(self, host: np.ndarray) -> None:
        fixed = host.copy()
        fixed.flags.writeable = False
        for wrong, words in (
            (fixed, "read-only"),
            (host.astype(np.float64), "C-contiguous array"),
            (host.tolist(), "expected a NumPy array, got a list"),
        ):
            with pytest.raises(errors.ArgumentError, match=words):
                borrowed(host).to_numpy(wrong)


class Producer:
    """An array of another library that is read-only, by one of the ways to say so."""

    def __init__(self, says: str, is_fixed: bool) -> None:
        self._says, self._host = says, np.zeros(4, np.float32)
        self._host.flags.writeable = not (is_fixed and says == "DLPack")
        self.__cuda_array_interface__ = {
            "data": (0x7000, is_fixed and says == "interface"), "shape": (4,), "typestr": "<f4",
            "version": 3, "stream": None,
        }  # fmt: skip
        if says == "attribute":
            self.readonly = is_fixed
        if says in ("DLPack", "old DLPack"):
            self.__dlpack_device__ = lambda: (2, 0)
            self.__dlpack__ = self._give if says == "DLPack" else self._give_old

    def _give(self, *, stream: int, max_version: tuple[int, int] | None = None) -> Any:
        assert stream in (1, -1)
        return self._host.__dlpack__(max_version=max_version)

    def _give_old(self, *, stream: int) -> Any:
        assert stream == 1
        return self._host.__dlpack__()


class TestReadOnly:
    @pytest.mark.usefixtures("core", "driver")
    @pytest.mark.parametrize("is_fixed", [True, False])
    @pytest.mark.parametrize("says", ["interface", "attribute", "DLPack"])
    def test_whose_memory_is_shared(self, says: str, is_fixed: bool) -> None:
        array = DeviceArray.from_dlpack(Producer(says, is_fixed))
        told = array[1:].__cuda_array_interface__
        again: DeviceArray = DeviceArray.from_dlpack(SimpleNamespace(__cuda_array_interface__=told))
        for each in (array, array[1:], array.reshape(2, 2).T, again):
            assert each.readonly == is_fixed
            assert each.__cuda_array_interface__["data"] == (each.address, is_fixed)
            if not is_fixed:
                continue
            words = "{}: expected an array to write to, got a read-only DeviceArray"
            with pytest.raises(errors.ArgumentError, match=words.format("copy_from")):
                each.copy_from(np.ones(each.shape, np.float32))
            with pytest.raises(errors.ArgumentError, match=words.format("fill_bytes")):
                each.fill_bytes(0)

    @pytest.mark.usefixtures("driver")
    def test_older_capsules_do_not_say_so(self) -> None:
        assert not DeviceArray.from_dlpack(Producer("old DLPack", True)).readonly

    def test_dlpack_alone_as_an_output(self) -> None:
        for is_fixed in (True, False):
            array = Producer("DLPack", is_fixed)
            del array.__cuda_array_interface__
            assert arrays.is_fixed(array) == is_fixed

    def test_capsules_of_ours(self, host: np.ndarray) -> None:
        pytest.importorskip("cuda.core")
        memory = Memory.borrow(host.ctypes.data, host.nbytes, 0, None, host, readonly=True)
        array = DeviceArray(memory, host.shape, "float32", [210, 42, 7, 1])
        for old in ({}, {"max_version": None}, {"max_version": (0, 8)}):
            with pytest.raises(BufferError, match="read-only"):
                array.__dlpack__(stream=-1, **old)


class TestWhoWaitsForWhom:
    class Interface:
        """An array of another library that has only the interface."""

        def __init__(self, stream: int | None) -> None:
            self.__cuda_array_interface__ = {
                "data": (0x7000, False), "shape": (4,), "typestr": "<f4", "version": 3,
                "stream": stream,
            }  # fmt: skip

    def test_a_producer_is_told_the_consumers_stream(self, driver: FakeDriver) -> None:
        told = []

        class Producer(self.Interface):  # type: ignore[name-defined, misc]
            def __dlpack_device__(self) -> tuple[int, int]:
                return (2, 0)

            def __dlpack__(self, *, stream: int | None = None) -> object:
                told.append(stream)
                return object()

        DeviceArray.from_dlpack(Producer(0x99), stream=0x55)
        DeviceArray.from_dlpack(Producer(0x99))
        assert told == [0x55, 1]
        assert not driver.calls, "the producer orders the streams"

    @pytest.mark.parametrize("stream", [0x55, None])
    def test_the_consumers_stream_waits_for_that_of_the_interface(
        self, driver: FakeDriver, stream: int | None
    ) -> None:
        array = DeviceArray.from_dlpack(self.Interface(0x99), stream=stream)
        assert array.stream == stream
        assert driver.calls == [("record", 0x99), ("wait", stream or 0)]

    @pytest.mark.parametrize(("ours", "theirs"), [(0x55, None), (0x55, 0x55), (None, 1), (1, 1)])
    def test_nobody_waits_for_itself(
        self, driver: FakeDriver, ours: int | None, theirs: int | None
    ) -> None:
        DeviceArray.from_dlpack(self.Interface(theirs), stream=ours)
        assert not driver.calls

    @pytest.fixture
    def _exported(self, core: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """Capsules that are none, since cuda.core makes them with a driver only."""
        core.Buffer = SimpleNamespace(from_handle=lambda *_, **__: None)
        view = SimpleNamespace(__dlpack__=lambda **_: "a capsule")
        views = SimpleNamespace(from_buffer=lambda *_, **__: view)
        utils = SimpleNamespace(StridedMemoryView=views)
        monkeypatch.setitem(sys.modules, "cuda.core.utils", utils)

    @pytest.mark.usefixtures("_exported")
    @pytest.mark.parametrize(("told", "waits"), [(0x66, 0x66), (None, 1), (1, 1), (2, 2)])
    def test_the_consumer_of_ours_waits(
        self, driver: FakeDriver, host: np.ndarray, told: int | None, waits: int
    ) -> None:
        assert borrowed(host, 0x55).__dlpack__(stream=told) == "a capsule"
        assert driver.calls == [("record", 0x55), ("wait", waits)]

    @pytest.mark.usefixtures("_exported")
    @pytest.mark.parametrize("told", [-1, 0x55])
    def test_a_consumer_that_has_no_need_to(
        self, driver: FakeDriver, host: np.ndarray, told: int
    ) -> None:
        borrowed(host, 0x55).__dlpack__(stream=told)
        assert not driver.calls


class TestWorkspace:
    @pytest.fixture
    def handle(self, cudnn: Any, core: Any, monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ARG002
        now = [0]
        monkeypatch.setattr(cudnn.Handle, "get_stream", lambda _: now[-1])
        monkeypatch.setattr(cudnn.Handle, "set_stream", lambda _, stream: now.append(stream))
        with cudnn.Handle.from_address(0x1234) as handle:
            yield handle

    @pytest.fixture
    def workspace(self, handle: Any) -> Workspace:
        return handle.workspace

    def test_it_is_for_the_stream_of_the_handle(self, handle: Any, core: Any) -> None:
        handle.stream = 0x5550
        first = handle.workspace.get(1000)
        assert core.log == [("allocate", 1 << 20, 0x5550, 0x1000)]
        assert handle.workspace.get(1000, 0x5550) == first
        assert handle.workspace.get(1000, None) != first
        handle.workspace.get(1 << 21)
        assert core.log[-2:] == [
            ("free", 1 << 20, 0x5550, 0x1000), ("allocate", 2 << 20, 0x5550, 0x1000),
        ]  # fmt: skip

    def test_its_limit_is_a_number_of_bytes(self, workspace: Workspace) -> None:
        for wrong in (-1, 1.5, "64 MiB"):
            with pytest.raises(errors.ArgumentError, match=f"^limit: expected .*, got {wrong!r}"):
                workspace.limit = wrong  # type: ignore[assignment]
        assert workspace.limit is None
        workspace.limit = np.int64(64)  # type: ignore[assignment]
        assert type(workspace.limit) is int

    def test_a_graph_has_its_block_for_itself(
        self, workspace: Workspace, driver: FakeDriver
    ) -> None:
        eager = workspace.get(1000, 0x5550)
        driver.captures[0x5550] = 7
        assert workspace.get(1000, 0x5550) == eager
        assert workspace.get(2000, 0x5550) == eager
        del driver.captures[0x5550]
        after = workspace.get(1000, 0x5550)
        assert after != eager
        driver.captures[0x5550] = 8
        assert workspace.get(1000, 0x5550) == after
        with pytest.raises(errors.CudnnError, match="captured, 1048576 are there"):
            workspace.get(1 << 21, 0x5550)
        del driver.captures[0x5550]
        assert workspace.get(1000, 0x5550) not in (eager, after)
        workspace.clear()
        assert workspace.size == 2 << 20
        workspace.close()
        assert workspace.size == 0

    def test_a_second_capture_has_to_be_prepared_too(
        self, workspace: Workspace, driver: FakeDriver
    ) -> None:
        workspace.get(1000, 0x5550)
        driver.captures[0x5550] = 7
        workspace.get(1000, 0x5550)
        driver.captures[0x5550] = 8
        for ask in (workspace.get, workspace.reserve):
            with pytest.raises(errors.CudnnError, match="captured, 0 are there") as caught:
                ask(1000, 0x5550)
            assert "reserve" in caught.value.hint
        del driver.captures[0x5550]
        workspace.reserve(1000, 0x5550)
        driver.captures[0x5550] = 8
        assert workspace.get(1000, 0x5550)

    @pytest.mark.parametrize("stream", [None, 0, 1])
    def test_a_thread_without_a_context(
        self, workspace: Workspace, driver: FakeDriver, stream: Any
    ) -> None:
        driver.current = 0
        assert workspace.get(1000, stream)
        driver.current = 0
        assert workspace.get(1000, stream)

    def test_a_thread_without_a_context_in_a_stream(
        self, handle: Any, workspace: Workspace, driver: FakeDriver
    ) -> None:
        """The context of device 0 stays current, as the runtime's would; see `Handle._current`."""
        handle.stream = 0x5550
        driver.current = 0
        assert workspace.get(1000)
        assert driver.current == 0x1000

    def test_blocks_of_closed_streams_go(
        self, workspace: Workspace, core: Any, driver: FakeDriver
    ) -> None:
        with Stream() as stream:
            address, first = stream.address, workspace.get(1000, stream)
        # Another stream is where it was, whose work does not run after that of the closed one.
        driver.destroyed.clear()
        assert workspace.get(1000, Stream.from_address(address)) != first
        assert workspace.size == 1 << 20
        assert ("wait", 0) in driver.calls
        with Stream() as stream:
            workspace.get(1000, stream)
        workspace.get(1000)
        assert len(workspace._blocks) == 2
        assert [each[0] for each in core.log].count("free") == 2

    @pytest.mark.parametrize("asked", [None, 0x8880, "same"])
    def test_blocks_of_closed_foreign_streams_go(
        self, workspace: Workspace, core: Any, driver: FakeDriver, asked: Any
    ) -> None:
        stream = ForeignStream()
        first = workspace.get(1000, stream)
        assert workspace.get(1000, stream) == first
        stream.close()
        assert workspace.get(1000, ForeignStream() if asked == "same" else asked) != first
        assert core.log[1] == ("free", 1 << 20, 1, 0x1000)
        assert driver.calls == [("synchronize context", 0x1000)]
        assert workspace.size == 1 << 20

    def test_a_graph_gets_no_block_of_a_closed_stream(
        self, workspace: Workspace, driver: FakeDriver
    ) -> None:
        with Stream() as stream:
            address, _ = stream.address, workspace.get(1000, stream)
        driver.destroyed.clear()
        another = Stream._borrowed(address, 0)
        driver.captures[address] = 7
        with pytest.raises(errors.CudnnError, match="captured, 0 are there"):
            workspace.get(1000, another)
        driver.captures.clear()
        kept = workspace.get(1000, another)
        driver.captures[address] = 7
        assert workspace.get(1000, another) == kept

    def test_streams_that_are_used_nowhere_else_go(
        self, handle: Any, workspace: Workspace, core: Any, driver: FakeDriver
    ) -> None:
        addresses = []
        kept = Stream()
        lent = kept.address
        workspace.get(1000, kept)
        for _ in range(3):
            with handle.using(Stream()):
                addresses.append(handle.stream.address)
                workspace.get(1000)
        workspace.get(1000, None)
        assert list(workspace._blocks) == [lent, 0]
        # Each in the order of its stream, which is there until then.
        freed = [each[2] for each in core.log if each[0] == "free"]
        assert freed == addresses
        assert driver.calls == [("destroy", address) for address in addresses]
        # Borrowed memory, or memory known by its address, may be used by others.
        workspace.get(1000, Stream.from_address(0x5550))
        workspace.get(1000, 0x6660)
        workspace.get(1 << 21, None)
        assert list(workspace._blocks) == [lent, 0x5550, 0x6660, 0]

    def test_the_limit(self, workspace: Workspace) -> None:
        workspace.limit = 1000
        assert workspace.get(1000)
        assert workspace.size == 1000
        with pytest.raises(MemoryError, match="at most 1000 are allowed"):
            workspace.get(1001)

    def test_too_much_leaves_nothing_behind(self, workspace: Workspace) -> None:
        with pytest.raises(MemoryError, match="do not fit on device 0"):
            workspace.get(1 << 50)
        assert workspace.size == 0
        assert workspace.get(1000)

    def test_after_the_handle(self, handle: Any, workspace: Workspace) -> None:
        handle.close()
        for stream in ((), (None,)):
            with pytest.raises(errors.ClosedError, match="the Handle of the workspace is closed"):
                workspace.get(1000, *stream)

    def test_it_does_not_keep_the_handle(self, cudnn: Any, handle: Any) -> None:
        del handle
        other = cudnn.Handle.from_address(0x5678)
        workspace = other.workspace
        del other
        assert workspace._handle() is None


def test_layouts(cudnn: Any) -> None:
    with pytest.raises(ValueError, match="expected a TensorFormat, got 'CHWN'"):
        cudnn.DeviceArray.empty((1, 2, 3, 4), layout="CHWN")
    with pytest.raises(ValueError, match="expected NCHW or NHWC, got NCHW_VECT_C"):
        cudnn.DeviceArray.empty((1, 2, 3, 4), layout="NCHW_VECT_C")


def test_from_dlpack_refuses_host_memory(cudnn: Any) -> None:
    with pytest.raises(TypeError, match="from_numpy"):
        cudnn.DeviceArray.from_dlpack(np.ones(3))


def test_threads_that_import_cuda_core_at_once_get_all_of_it(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "cuda" / "core"
    (package / "real").mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import time\nfrom cuda.core import real\nglobals().update(vars(real))\n"
        "half = True\ntime.sleep(0.3)\nDevice = 1\n"
    )
    (package / "real" / "__init__.py").write_text("")
    for name in [name for name in sys.modules if name.partition(".")[0] == "cuda"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))

    def device() -> Any:
        return import_core().Device

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(device)
        while not hasattr(sys.modules.get("cuda.core"), "half"):
            time.sleep(0.001)
        found = [each.result() for each in [first, *(pool.submit(device) for _ in range(3))]]
    # Monkeypatch would put back what it deleted.
    for name in [name for name in sys.modules if name.partition(".")[0] == "cuda"]:
        del sys.modules[name]
    assert found == [1, 1, 1, 1]
