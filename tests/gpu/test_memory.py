"""Arrays and workspaces of our own: allocation, copies, views, and the order of streams."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

from tests.conftest import Program
from tests.gpu.algorithms import with_workspace
from tests.threads import in_threads


class Busy:
    """A stream that can be given something to do; true while it has not done it."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._done = torch.cuda.Event()
        self.stream = torch.cuda.Stream()

    def occupy(self) -> None:
        with self._torch.cuda.stream(self.stream):
            self._torch.cuda._sleep(1_000_000_000)  # about half a second
        self._done.record(self.stream)

    def __bool__(self) -> bool:
        return not self._done.query()


@pytest.fixture
def busy(torch: Any) -> Iterator[Busy]:
    busy = Busy(torch)
    with torch.cuda.stream(busy.stream):
        torch.cuda._sleep(1)
    torch.cuda.synchronize()
    yield busy
    torch.cuda.synchronize()


@pytest.fixture
def data() -> np.ndarray:
    return np.random.default_rng().standard_normal((4, 3, 6, 5), dtype=np.float32)


class TestCopies:
    def test_there_and_back(self, cudnn: Any, data: np.ndarray) -> None:
        array = cudnn.DeviceArray.from_numpy(data)
        assert (array.shape, array.dtype, array.nbytes) == (data.shape, data.dtype, data.nbytes)
        assert repr(array) == "DeviceArray(4,3,6,5 float32 device 0)"
        assert np.array_equal(array.to_numpy(), data)

    def test_channels_last(self, cudnn: Any, torch: Any, data: np.ndarray) -> None:
        array = cudnn.DeviceArray.from_numpy(data, layout="NHWC")
        assert cudnn.TensorDescriptor.like(array).layout == "NHWC"
        assert np.array_equal(array.to_numpy(), data)
        assert np.array_equal(torch.from_dlpack(array).cpu().numpy(), data)

    def test_asynchronous_through_page_locked_memory(self, cudnn: Any, data: np.ndarray) -> None:
        with cudnn.Stream() as stream:
            source = cudnn.pinned_empty(data.shape)
            target = cudnn.pinned_empty(data.shape)
            source[:] = data
            target.fill(np.nan)
            array = cudnn.DeviceArray.from_numpy(source, stream=stream)
            assert array.to_numpy(target, wait=False) is target
            stream.synchronize()
            assert np.array_equal(target, data)

    def test_on_the_device(self, cudnn: Any, data: np.ndarray) -> None:
        one, other = cudnn.DeviceArray.from_numpy(data), cudnn.DeviceArray.empty(data.shape)
        other.copy_from(one)
        assert np.array_equal(other.to_numpy(), data)

    def test_an_array_without_elements(self, cudnn: Any) -> None:
        array = cudnn.DeviceArray.from_numpy(np.empty((0, 3), np.float32))
        assert array.to_numpy().shape == (0, 3)

    def test_a_wrong_shape_is_refused(self, cudnn: Any, data: np.ndarray) -> None:
        array = cudnn.DeviceArray.empty((4, 3, 6, 6))
        with pytest.raises(ValueError, match="shape"):
            array.copy_from(data)

    def test_a_graph_copies_between_arrays_of_the_device_alone(
        self, cudnn: Any, data: np.ndarray
    ) -> None:
        stream = cudnn.Stream()
        x = cudnn.DeviceArray.from_numpy(data, stream=stream)
        y = cudnn.DeviceArray.zeros(data.shape, stream=stream)
        out = cudnn.pinned_empty(data.shape)
        stream.synchronize()
        with stream.capture() as graph:
            for layout in (data, data[::-1]):
                with pytest.raises(cudnn.CudnnError, match="the stream is being captured"):
                    x.copy_from(layout)
            with pytest.raises(cudnn.CudnnError, match="the stream is being captured"):
                y.to_numpy(wait=False)
            y.copy_from(x)
            y.to_numpy(out, wait=False)
        for factor in (1, 2):
            x.copy_from(data * factor)
            graph.launch()
            stream.synchronize()
            assert np.array_equal(y.to_numpy(), data * factor)
            assert np.array_equal(out, data * factor)


class TestViews:
    @pytest.mark.parametrize("key", [1, (slice(1, 3), 2), (slice(None), slice(1, None, 2), -1)])
    def test_parts(self, cudnn: Any, torch: Any, data: np.ndarray, key: Any) -> None:
        view = cudnn.DeviceArray.from_numpy(data)[key]
        assert np.array_equal(torch.from_dlpack(view).cpu().numpy(), data[key])

    def test_reshape_and_transpose(self, cudnn: Any, torch: Any, data: np.ndarray) -> None:
        array = cudnn.DeviceArray.from_numpy(data)
        assert np.array_equal(array.reshape(12, -1).to_numpy(), data.reshape(12, -1))
        moved = array.transpose(0, 2, 3, 1)
        assert np.array_equal(torch.from_dlpack(moved).cpu().numpy(), data.transpose(0, 2, 3, 1))
        with pytest.raises(ValueError, match="contiguous"):
            moved.reshape(-1)

    def test_a_view_keeps_the_memory_and_closing_takes_it_from_all(
        self, cudnn: Any, data: np.ndarray
    ) -> None:
        view = cudnn.DeviceArray.from_numpy(data)[2]
        gc.collect()
        assert np.array_equal(view.to_numpy(), data[2])
        view.close()
        assert view.closed
        view.close()
        with pytest.raises(cudnn.CudnnError, match="freed"):
            view.to_numpy()


class TestLifetimes:
    def test_memory_comes_back(self, cudnn: Any, torch: Any) -> None:
        big = 1 << 30
        total = torch.cuda.mem_get_info()[1]
        for _ in range(2 * total // big):
            cudnn.DeviceArray.empty(big, "int8")

    def test_too_much_is_a_memory_error_that_leaves_nothing_behind(self, cudnn: Any) -> None:
        with pytest.raises(MemoryError, match=r"do not fit on device 0 \(.+ MiB free\)"):
            cudnn.DeviceArray.empty(1 << 50, "int8")
        assert cudnn.DeviceArray.zeros(3).to_numpy().tolist() == [0, 0, 0]

    def test_a_closed_stream_does_not_keep_memory(self, cudnn: Any) -> None:
        stream = cudnn.Stream()
        array = cudnn.DeviceArray.zeros(1000, stream=stream)
        stream.close()
        array.close()
        assert array.closed

    def test_nor_does_it_end_the_process_at_exit(self, program: Program) -> None:
        done = program("ended")
        assert done.stdout == "ends\n"
        assert done.stderr == ""

    def test_nor_does_one_of_another_library(self, cudnn: Any, handle: Any) -> None:
        core = pytest.importorskip("cuda.core")
        device = core.Device()
        device.set_current()
        stream = device.create_stream()
        array = cudnn.DeviceArray.zeros(1000, stream=stream)
        handle.workspace.get(1000, stream)
        stream.close()
        assert array.stream is None
        assert not array.to_numpy().any()
        array.close()
        handle.workspace.get(1000)
        assert handle.workspace.size == 1 << 20
        handle.workspace.clear()


class TestWorkspace:
    def test_it_grows_and_is_kept(self, handle: Any) -> None:
        workspace = handle.workspace
        assert workspace.get(0) == 0
        first = workspace.get(1000)
        assert first
        assert workspace.get(500) == first
        larger = workspace.get(50 << 20)
        assert workspace.get(1000) == larger
        assert workspace.size == 50 << 20
        workspace.clear()
        assert workspace.size == 0

    def test_each_stream_has_its_own(self, cudnn: Any, handle: Any) -> None:
        with cudnn.Stream() as one, cudnn.Stream() as other:
            assert handle.workspace.get(1000, one) != handle.workspace.get(1000, other)
            handle.workspace.clear()

    def test_the_limit(self, handle: Any) -> None:
        handle.workspace.limit = 1 << 20
        assert handle.workspace.get(1 << 20)
        with pytest.raises(MemoryError, match="at most 1048576 are allowed"):
            handle.workspace.get((1 << 20) + 1)

    def test_growing_while_it_is_used_does_not_disturb(
        self, cudnn: Any, torch: Any, busy: Busy, fresh: Any, error_of: Any
    ) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1, math="FMA_MATH")
        w = fresh(64, 64, 3, 3)
        cases = []
        for size in (16, 32, 64, 128):
            x = fresh(4, 64, size, size)
            cases.append((x, w, torch.full_like(x, float("nan"))))
        with cudnn.Handle(stream=busy.stream) as handle:
            algorithm, sizes = with_workspace(cudnn, handle, conv, cases)
            assert sizes[0] + (1 << 20) < sizes[-1], "the workspace does not have to grow"
            for case in cases:  # what is done once in a process is done
                conv(*case, handle=handle, algorithm=algorithm)
            torch.cuda.synchronize()
            handle.workspace.clear()
            for *_, y in cases:
                y.fill_(float("nan"))
            torch.cuda.synchronize()
            busy.occupy()
            held = []
            for case in cases:
                conv(*case, handle=handle, algorithm=algorithm)
                held.append(handle.workspace.size)
            assert busy, "a call waited for the device"
            assert held == sorted(held)
            assert held[0] < sizes[-1] <= held[-1]
            busy.stream.synchronize()
            for x, w, y in cases:
                expected = torch.nn.functional.conv2d(x.cpu().double(), w.cpu().double(), padding=1)
                assert error_of(y, expected) < 1e-4

    def test_it_is_for_the_stream_of_the_handle(self, cudnn: Any, handle: Any) -> None:
        with cudnn.Stream() as stream, handle.using(stream):
            first = handle.workspace.get(1000)
            assert handle.workspace.get(1000, stream) == first
            assert handle.workspace.get(1000, None) != first
            handle.workspace.clear()

    def test_in_a_thread_without_a_context(self, cudnn: Any) -> None:
        def work(size: int) -> None:
            with cudnn.Stream() as stream, cudnn.Handle() as handle:
                for each in (None, stream):
                    handle.stream = each
                    assert handle.workspace.get(size) == handle.workspace.get(size)
                handle.stream = None

        in_threads(work, [1000])

    @pytest.mark.alone
    def test_too_much_leaves_nothing_behind(
        self, cudnn: Any, torch: Any, handle: Any, fresh: Any, error_of: Any
    ) -> None:
        cudnn.DeviceArray.zeros(1).close()
        torch.cuda.synchronize()
        before = torch.cuda.mem_get_info()[0]
        for _ in range(10):
            with pytest.raises(MemoryError, match=r"do not fit on device 0 \(.+ MiB free\)"):
                handle.workspace.get(1 << 50)
        torch.cuda.synchronize()
        assert handle.workspace.size == 0
        assert before - torch.cuda.mem_get_info()[0] < 4 << 20
        x, w = fresh(2, 3, 8, 8), fresh(4, 3, 3, 3)
        y = torch.from_dlpack(cudnn.ConvolutionDescriptor.cross_correlation(1)(x, w, handle=handle))
        expected = torch.nn.functional.conv2d(x.cpu().double(), w.cpu().double(), padding=1)
        assert error_of(y, expected) < 2e-3

    @pytest.mark.alone
    def test_a_convolution_whose_result_does_not_fit(
        self, cudnn: Any, torch: Any, handle: Any, fresh: Any
    ) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation()
        x, w = fresh(1 << 14, 1, 8, 8), fresh(1 << 18, 1, 1, 1)
        torch.cuda.synchronize()
        before, held = torch.cuda.mem_get_info()[0], handle.workspace.size
        for _ in range(10):
            with pytest.raises(MemoryError, match="do not fit on device 0"):
                conv(x, w, handle=handle)
        torch.cuda.synchronize()
        assert handle.workspace.size == held
        assert before - torch.cuda.mem_get_info()[0] < 4 << 20


class TestNothingWaits:
    """A call returns while the stream that it went to has yet to get there."""

    @pytest.fixture
    def on_busy(self, cudnn: Any, busy: Busy) -> Iterator[Any]:
        with cudnn.Handle(stream=busy.stream) as handle:
            yield handle

    def test_a_convolution_into_a_new_array(
        self, cudnn: Any, torch: Any, busy: Busy, on_busy: Any, fresh: Any, error_of: Any
    ) -> None:
        x, w = fresh(4, 64, 56, 56), fresh(64, 64, 3, 3)
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1, math="FMA_MATH")
        conv(x, w, handle=on_busy)
        on_busy.workspace.clear()
        torch.cuda.synchronize()
        busy.occupy()
        y = conv(x, w, handle=on_busy)
        assert busy, "the call waited for the device"
        busy.stream.synchronize()
        expected = torch.nn.functional.conv2d(x.cpu().double(), w.cpu().double(), padding=1)
        assert error_of(torch.from_dlpack(y), expected) < 1e-4

    @pytest.mark.parametrize(
        "what",
        [
            "allocate and free",
            "workspace",
            "into page-locked memory",
            "from page-locked memory",
            "on the device",
            "fill",
            "another stream",
            "streams of a handle",
        ],
    )
    def test_what_else_goes_to_a_stream(
        self, cudnn: Any, torch: Any, busy: Busy, on_busy: Any, what: str
    ) -> None:
        size = 1 << 20
        host = cudnn.pinned_empty(size)
        host.fill(1)
        array = cudnn.DeviceArray.from_numpy(host, stream=busy.stream)
        other = cudnn.DeviceArray.empty(size, stream=busy.stream)

        def work() -> None:
            if what == "allocate and free":
                cudnn.DeviceArray.empty(size, stream=busy.stream).close()
            elif what == "workspace":
                on_busy.workspace.get(1 << 20)
                on_busy.workspace.get(1 << 24)
                on_busy.workspace.clear()
            elif what == "into page-locked memory":
                array.to_numpy(host, wait=False)
            elif what == "from page-locked memory":
                array.copy_from(host)
            elif what == "on the device":
                other.copy_from(array)
            elif what == "fill":
                other.fill_bytes(0)
            elif what == "another stream":
                with cudnn.Stream() as stream:
                    cudnn.DeviceArray.empty(size, stream=stream).close()
            else:
                with cudnn.Stream() as stream, on_busy.using(stream):
                    assert on_busy.stream is stream

        work()
        torch.cuda.synchronize()
        busy.occupy()
        work()
        assert busy, "the device was waited for"

    def test_a_copy_to_the_host_comes_when_the_stream_gets_there(
        self, cudnn: Any, torch: Any, busy: Busy
    ) -> None:
        array = cudnn.DeviceArray.zeros(1000, stream=busy.stream)
        target = cudnn.pinned_empty(1000)
        array.to_numpy(target, wait=False)
        target.fill(np.nan)
        torch.cuda.synchronize()
        target.fill(np.nan)
        busy.occupy()
        array.to_numpy(target, wait=False)
        assert np.isnan(target).all()
        assert busy
        busy.stream.synchronize()
        assert not target.any()

    def test_closing_a_stream_and_what_is_in_its_order(
        self, cudnn: Any, torch: Any, data: np.ndarray
    ) -> None:
        relu = cudnn.ActivationDescriptor.relu()
        handle = cudnn.Handle()
        for cycles in (0, 1_000_000_000):  # the first time for what is done once in a process
            stream = cudnn.Stream()
            source = cudnn.DeviceArray.from_numpy(data, stream=stream)
            unused = cudnn.DeviceArray.empty(data.shape, stream=stream)
            handle.stream = stream
            relu(source, handle=handle).close()
            stream.synchronize()
            there = torch.cuda.Event()
            external = torch.cuda.ExternalStream(stream.address)
            with torch.cuda.stream(external):
                torch.cuda._sleep(cycles)
            result = relu(source, handle=handle)
            there.record(external)
            handle.stream = None
            stream.close()
            unused.close()
            still = result.__cuda_array_interface__["stream"]
            done = there.query()
            assert done is False or not cycles, "the device was waited for"
            assert still == 1
            assert np.array_equal(result.to_numpy(), np.maximum(data, 0))
            assert torch.equal(
                torch.from_dlpack(result).cpu(), torch.from_numpy(np.maximum(data, 0))
            )
        handle.close()


class TestOrder:
    def test_freed_memory_is_used_by_what_comes_before(
        self, cudnn: Any, torch: Any, busy: Busy
    ) -> None:
        size = 1 << 24
        other = torch.cuda.Stream()
        source = cudnn.DeviceArray.empty(size, "uint8", stream=busy.stream)
        target = cudnn.DeviceArray.zeros(size, "uint8", stream=busy.stream)
        source.fill_bytes(1)
        torch.cuda.synchronize()
        busy.occupy()
        target.copy_from(source)
        source.close()
        later = [cudnn.DeviceArray.empty(size, "uint8", stream=other) for _ in range(4)]
        for each in later:
            each.fill_bytes(255)
        assert busy
        assert (target.to_numpy() == 1).all()
        assert all((each.to_numpy() == 255).all() for each in later)

    def test_a_consumer_by_dlpack_waits_on_the_device(
        self, cudnn: Any, torch: Any, busy: Busy
    ) -> None:
        array = cudnn.DeviceArray.zeros(1000, "uint8", stream=busy.stream)
        torch.from_dlpack(array).clone()
        torch.cuda.synchronize()
        busy.occupy()
        array.fill_bytes(7)
        theirs = torch.from_dlpack(array).clone()
        assert busy
        assert bool((theirs == 7).all())

    def test_so_do_we(self, cudnn: Any, torch: Any, busy: Busy) -> None:
        stream = torch.cuda.Stream()
        theirs = torch.zeros(1000, dtype=torch.uint8, device="cuda")
        theirs.fill_(1)
        torch.cuda.synchronize()
        busy.occupy()
        with torch.cuda.stream(busy.stream):
            theirs.fill_(7)
            array = cudnn.DeviceArray.from_dlpack(theirs, stream=stream)
        assert busy
        assert (array.to_numpy() == 7).all()

    def test_so_do_we_where_there_is_only_the_interface(
        self, cudnn: Any, torch: Any, busy: Busy
    ) -> None:
        theirs = torch.zeros(1000, dtype=torch.uint8, device="cuda")

        class Interface:
            __cuda_array_interface__: ClassVar = {
                **theirs.__cuda_array_interface__, "stream": busy.stream.cuda_stream,
            }  # fmt: skip

        theirs.fill_(1)
        torch.cuda.synchronize()
        busy.occupy()
        with torch.cuda.stream(busy.stream):
            theirs.fill_(7)
        array = cudnn.DeviceArray.from_dlpack(Interface(), stream=torch.cuda.Stream())
        assert busy
        assert (array.to_numpy() == 7).all()
