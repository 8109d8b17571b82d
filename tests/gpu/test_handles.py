"""Handles: devices, streams, threads, graphs, and who dies first."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import driver as _driver

from tests.gpu.algorithms import with_workspace
from tests.gpu.conftest import capturing, library
from tests.threads import in_threads


class TestLife:
    def test_closed_at_the_end_of_the_block(self, cudnn: Any) -> None:
        with cudnn.Handle() as handle:
            assert handle.device == 0
            assert repr(handle).startswith("Handle(0x")
        assert handle.closed
        handle.close()
        with pytest.raises(cudnn.CudnnError, match="closed"):
            cudnn.cudnnGetStream(handle)

    def test_collected_with_its_last_reference(self, cudnn: Any) -> None:
        handle = cudnn.Handle()
        reference = weakref.ref(handle)
        del handle
        gc.collect()
        assert reference() is None

    @pytest.mark.alone
    def test_many_one_after_the_other_leave_no_memory_behind(self, cudnn: Any, torch: Any) -> None:
        for _ in range(3):
            cudnn.Handle().close()
        before = torch.cuda.mem_get_info()[0]
        for _ in range(20):
            cudnn.Handle().close()
        assert before - torch.cuda.mem_get_info()[0] < 8 << 20

    def test_a_foreign_one_is_used_and_left_alone(self, cudnn: Any, torch: Any, fresh: Any) -> None:
        address = cudnn.cudnnCreate()
        foreign = cudnn.Handle.from_address(address)
        x = fresh(1, 2, 3, 4)
        y = torch.from_dlpack(cudnn.ActivationDescriptor.relu()(x, handle=foreign))
        torch.cuda.synchronize()
        assert torch.equal(y, x.clamp(min=0))
        foreign.close()
        cudnn.cudnnGetStream(address)
        cudnn.cudnnDestroy(address)

    def test_a_child_keeps_it_alive(self, cudnn: Any, torch: Any) -> None:
        handle = cudnn.Handle()
        reference = weakref.ref(handle)
        dropout = cudnn.DropoutDescriptor.with_state(handle, 0.5)
        del handle
        gc.collect()
        assert reference() is not None
        assert dropout.rate == 0.5
        del dropout
        gc.collect()
        assert reference() is None
        torch.cuda.synchronize()

    def test_a_child_dies_first_in_a_cycle_of_references(self, cudnn: Any, torch: Any) -> None:
        order = []
        handle = cudnn.Handle()
        dropout = cudnn.DropoutDescriptor.with_state(handle, 0.5)
        cycle: list[Any] = [dropout]
        cycle.append(cycle)
        with pytest.MonkeyPatch.context() as patch:
            for cls in (cudnn.Handle, cudnn.DropoutDescriptor):
                end = cls._destroy

                def noted(each: int, cls: Any = cls, end: Any = end) -> None:
                    order.append(cls.__name__)
                    end(each)

                patch.setattr(cls, "_destroy", staticmethod(noted))
            del handle, dropout, cycle
            gc.collect()
        assert order == ["DropoutDescriptor", "Handle"]
        torch.cuda.synchronize()

    def test_an_owned_one_can_be_destroyed_by_its_c_name(self, cudnn: Any) -> None:
        handle = cudnn.Handle()
        cudnn.cudnnDestroy(handle)
        assert handle.closed


class TestStreams:
    def test_it_is_what_c_code_says_it_is(self, cudnn: Any, torch: Any, handle: Any) -> None:
        stream = torch.cuda.Stream()
        handle.stream = stream
        assert handle.stream is stream
        with cudnn.Stream() as other:
            cudnn.cudnnSetStream(handle, other)
            assert handle.stream.address == other.address
            handle.stream = None
        assert handle.get_stream() == 0

    def test_a_closed_one_is_refused_and_replaced(
        self, cudnn: Any, torch: Any, handle: Any, fresh: Any
    ) -> None:
        with cudnn.Stream() as stream:
            handle.stream = stream
        with pytest.raises(cudnn.CudnnError, match="the stream of the Handle is closed"):
            handle.stream  # noqa: B018
        with handle.using(torch.cuda.current_stream()):
            x = fresh(1, 2, 3, 4)
            y = torch.from_dlpack(cudnn.ActivationDescriptor.relu()(x, handle=handle))
            assert torch.equal(y, x.clamp(min=0))
        assert handle.stream is None

    def test_for_a_block(self, cudnn: Any, handle: Any) -> None:
        before = handle.get_stream()
        with cudnn.Stream() as stream:
            with handle.using(stream):
                assert handle.get_stream() == stream.address
            assert handle.get_stream() == before

    def test_calls_go_to_it(self, cudnn: Any, torch: Any, fresh: Any) -> None:
        """While the stream waits for a slow kernel, the result cannot be there."""
        stream = torch.cuda.Stream()
        x = fresh(4, 4, 4, 4)
        y = torch.zeros_like(x)
        torch.cuda.synchronize()
        with cudnn.Handle(stream=stream) as handle:
            relu = cudnn.ActivationDescriptor.relu()
            relu(x, y, handle=handle)
            torch.cuda.synchronize()
            y.zero_()
            torch.cuda.synchronize()
            with torch.cuda.stream(stream):
                torch.cuda._sleep(200_000_000)
            relu(x, y, handle=handle)
            assert not stream.query(), "the call waited for the device"
            stream.synchronize()
            assert torch.equal(y, x.clamp(min=0))


class TestThreads:
    def test_each_has_its_own_handle_and_keeps_it(self, cudnn: Any) -> None:
        mine = cudnn.handle()
        assert cudnn.handle() is mine

        def of_a_thread(found: list[Any]) -> Any:
            thread = threading.Thread(target=lambda: found.append(cudnn.handle()))
            thread.start()
            thread.join()
            return found.pop()

        kept = of_a_thread([])
        address = (other := of_a_thread([])).address
        assert len({mine.address, kept.address, address}) == 3, "one in use is not taken over"
        del other
        assert of_a_thread([]).address == address, "one that nobody uses is taken over"

    def test_two_threads_with_two_streams(self, cudnn: Any, torch: Any, error_of: Any) -> None:
        results: dict[int, list[Any]] = {0: [], 1: []}

        def work(number: int) -> None:
            stream = torch.cuda.Stream()
            handle = cudnn.handle(stream=stream)
            conv = cudnn.ConvolutionDescriptor.cross_correlation(1, math="FMA_MATH")
            with torch.cuda.stream(stream):
                for _ in range(20):
                    x = torch.randn(4, 8, 20, 20, device="cuda")
                    w = torch.randn(8, 8, 3, 3, device="cuda")
                    y = torch.full_like(x, float("nan"))
                    conv(x, w, y, handle=handle)
                    results[number].append((x, w, y))
            stream.synchronize()

        in_threads(work, (0, 1))
        for x, w, y in (*results[0], *results[1]):
            expected = torch.nn.functional.conv2d(x.cpu().double(), w.cpu().double(), padding=1)
            assert error_of(y, expected) < 2e-6


class TestGraphs:
    def test_captured_calls_are_replayed(
        self, cudnn: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        x, w = fresh(2, 8, 16, 16), fresh(8, 8, 3, 3)
        y = torch.empty_like(x)
        z = torch.empty_like(x)
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1, math="FMA_MATH")
        relu = cudnn.ActivationDescriptor.relu()
        stream = torch.cuda.Stream()
        torch.cuda.synchronize()
        with cudnn.Handle(stream=stream) as handle:
            for _ in range(2):  # makes the workspace as large as it has to be
                relu(conv(x, w, y, handle=handle), z, handle=handle)
            torch.cuda.synchronize()
            with capturing(stream=stream) as graph:
                relu(conv(x, w, y, handle=handle), z, handle=handle)
            for _ in range(3):
                x.copy_(torch.randn_like(x))
                z.fill_(float("nan"))
                torch.cuda.synchronize()
                graph.replay()
                torch.cuda.synchronize()
                expected = torch.nn.functional.conv2d(
                    x.cpu().double(), w.cpu().double(), padding=1
                ).clamp(min=0)
                assert error_of(z, expected) < 2e-6
            del graph

    def test_a_workspace_does_not_grow_in_a_capture(self, cudnn: Any, torch: Any) -> None:
        stream = torch.cuda.Stream()
        with cudnn.Handle(stream=stream) as handle:
            kept = handle.workspace.get(1 << 20, stream)
            x = torch.zeros(4, device="cuda")
            with capturing(stream=stream):
                x += 1
                assert handle.workspace.get(1 << 20, stream) == kept
                with pytest.raises(cudnn.CudnnError, match="captured"):
                    handle.workspace.get(1 << 24, stream)
            # Memory that the graph uses is its own, and stays where it is.
            assert handle.workspace.get(1 << 20, stream) != kept
            assert handle.workspace.get(1 << 24, stream) != kept
            assert handle.workspace.size == (1 << 20) + (1 << 24)

    def test_graphs_and_calls_at_the_same_time(
        self, cudnn: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        """Each has a workspace of its own, so they may run side by side."""
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1, math="FMA_MATH")
        w = fresh(64, 64, 3, 3)
        cases = []
        for _ in range(3):
            x = fresh(8, 64, 56, 56)
            cases.append((x, w, torch.full_like(x, float("nan"))))
        streams = [torch.cuda.Stream() for _ in cases]
        torch.cuda.synchronize()
        with cudnn.Handle(stream=streams[0]) as handle:
            algorithm, sizes = with_workspace(cudnn, handle, conv, cases)
            graphs = []
            for case in cases[1:]:
                conv(*case, handle=handle, algorithm=algorithm)
                torch.cuda.synchronize()
                with capturing(stream=streams[0]) as graph:
                    conv(*case, handle=handle, algorithm=algorithm)
                graphs.append(graph)
            conv(*cases[0], handle=handle, algorithm=algorithm)
            assert handle.workspace.size >= sum(sizes)
            for *_, y in cases:
                y.fill_(float("nan"))
            torch.cuda.synchronize()
            for _ in range(20):
                for graph, stream in zip(graphs, streams[1:], strict=True):
                    with torch.cuda.stream(stream):
                        graph.replay()
                conv(*cases[0], handle=handle, algorithm=algorithm)
            torch.cuda.synchronize()
            for x, _, y in cases:
                expected = torch.nn.functional.conv2d(x.cpu().double(), w.cpu().double(), padding=1)
                assert error_of(y, expected) < 1e-4
            del graphs, graph


def test_what_a_descriptor_refers_to_lives_as_long(cudnn: Any) -> None:
    handle = cudnn.Handle()
    graph = cudnn.BackendDescriptor(cudnn.CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)
    graph.set_attribute(cudnn.CUDNN_ATTR_OPERATIONGRAPH_HANDLE, cudnn.CUDNN_TYPE_HANDLE, 1, handle)
    seen = weakref.ref(handle)
    del handle
    gc.collect()
    alive = seen()
    assert alive is not None
    alive.close()
    assert graph.closed


class TestSeveralDevices:
    @pytest.fixture(autouse=True)
    def _two(self, torch: Any) -> Iterator[None]:
        if torch.cuda.device_count() < 2:
            pytest.skip("takes two devices")
        yield
        torch.cuda.set_device(1)  # a library may have left another one than PyTorch knows of
        torch.cuda.set_device(0)
        assert _driver.device_of() == 0

    def test_memory_of_another_device_is_refused(self, cudnn: Any, torch: Any, fresh: Any) -> None:
        x = fresh(1, 2, 3, 4).to("cuda:1")
        desc = cudnn.TensorDescriptor.like(x)
        relu = cudnn.ActivationDescriptor.relu()
        with cudnn.Handle(device=0) as handle:
            with pytest.raises(cudnn.CudnnError, match="expected memory of device 0"):
                cudnn.cudnnActivationForward(handle, relu, 1.0, desc, x, 0.0, desc, x)
            with pytest.raises(cudnn.CudnnError, match="expected memory of device 0"):
                relu(x, handle=handle)
        with cudnn.Handle(device=1) as handle:
            cudnn.cudnnActivationForward(handle, relu, 1.0, desc, x, 0.0, desc, x)
        torch.cuda.synchronize(1)
        assert float(x.min()) >= 0

    @pytest.mark.parametrize(
        "maker", ["own", "cupy", "numba", pytest.param("jax", marks=pytest.mark.jax), "interface"]
    )
    def test_memory_of_another_device_in_any_library(
        self, cudnn: Any, torch: Any, fresh: Any, maker: str
    ) -> None:
        there, here = torch.randn(1, 2, 3, 4, device="cuda:1"), fresh(1, 2, 3, 4)
        kept = there.clone()
        relu, desc = cudnn.ActivationDescriptor.relu(), cudnn.TensorDescriptor.like(there)
        if maker == "own":
            array = cudnn.DeviceArray.zeros(there.shape, device=1)
        elif maker == "cupy":
            array = library("cupy").from_dlpack(there)
        elif maker == "numba":
            cuda = library("numba.cuda")
            with cuda.gpus[1]:
                array = cuda.as_cuda_array(there)
        elif maker == "jax":
            jax = library("jax")
            with torch.cuda.device(1):  # PyTorch lends what is of the current device
                array = jax.dlpack.from_dlpack(there)
        else:
            array = SimpleNamespace(__cuda_array_interface__=there.__cuda_array_interface__)
        with cudnn.Handle(device=0) as handle:
            with pytest.raises(cudnn.CudnnError, match="expected memory of device 0"):
                cudnn.cudnnActivationForward(handle, relu, 1.0, desc, here, 0.0, desc, array)
            states = torch.empty(1 << 24, dtype=torch.uint8, device="cuda:1")
            with pytest.raises(cudnn.CudnnError, match="expected memory of device 0"):
                cudnn.DropoutDescriptor.with_state(handle, 0.5, states=states)
        torch.cuda.synchronize(1)
        assert torch.equal(there, kept)

    def test_a_stream_of_another_device_is_refused(self, cudnn: Any, torch: Any) -> None:
        stream = torch.cuda.Stream(device=1)
        with (
            cudnn.Handle(device=0) as handle,
            pytest.raises(cudnn.CudnnError, match="expected a stream of device 0"),
        ):
            handle.stream = stream
        with cudnn.Handle(device=0) as handle:
            uses: tuple[Callable[[], object], ...] = (
                lambda: handle.using(stream).__enter__(),
                lambda: handle.workspace.get(1000, stream),
                lambda: cudnn.DeviceArray.empty(5, device=0, stream=stream),
                lambda: cudnn.Handle(device=0, stream=stream),
            )
            for use in uses:
                with pytest.raises(cudnn.CudnnError, match="expected a stream of device 0"):
                    use()
            assert handle.stream is None
        with cudnn.Handle(stream=stream) as handle:
            assert handle.device == 1

    def test_calls_make_their_device_current(self, cudnn: Any, torch: Any) -> None:
        relu = cudnn.ActivationDescriptor.relu()
        with cudnn.Handle(device=0) as zero, cudnn.Handle(device=1) as one:
            for handle in (zero, one, zero, one):
                x = torch.randn(2, 3, 4, 5, device=f"cuda:{handle.device}")
                expected = x.clamp(min=0)
                torch.cuda.synchronize(handle.device)
                relu(x, x, handle=handle)
                torch.cuda.synchronize(handle.device)
                assert torch.equal(x, expected)
        assert cudnn.handle(0) is not cudnn.handle(1)


def test_a_device_that_is_not_there_is_refused(cudnn: Any, torch: Any) -> None:
    number = torch.cuda.device_count()
    with pytest.raises(ValueError, match=f"no device {number}"):
        cudnn.Handle(device=number)


def test_no_visible_device_is_said_by_name() -> None:
    code = """
        import cudnn_cffi as cudnn
        try:
            cudnn.Handle()
        except cudnn.CudnnError as error:
            print(type(error).__name__, error.arguments["driver"])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("NotInitializedError"), done.stdout + done.stderr
    assert "device" in done.stdout.lower()
