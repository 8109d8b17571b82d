"""Plans on a GPU: numbers, streams, graphs, threads, and what is refused."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.gpu.conftest import capturing, library
from tests.threads import in_threads

SHAPE, FILTERS = (4, 16, 20, 24), (32, 16, 3, 3)


class Convolution:
    """A convolution with its plan, inputs on the device, and the float64 reference of `y`."""

    def __init__(self, cudnn: Any, torch: Any, fresh: Any, dtype: str, **options: Any) -> None:
        self.cudnn, self.torch = cudnn, torch
        self.x = fresh(*SHAPE, dtype=dtype, layout="NHWC")
        self.w = fresh(*FILTERS, dtype=dtype, layout="NHWC")
        self.tolerance = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 2e-3}[dtype]
        self.graph = graph = cudnn.Graph(compute_data_type="FLOAT")
        x, w = graph.tensor(self.x, name="x"), graph.tensor(self.w, name="w")
        graph.output(graph.convolution(x, w, padding=1), name="y")
        self.plan = graph.build(**options)

    def reference(self) -> Any:
        x, w = self.x.cpu().double(), self.w.cpu().double()
        return self.torch.nn.functional.conv2d(x, w, padding=1)

    def poisoned(self) -> Any:
        y = self.torch.full((4, 32, 20, 24), float("nan"), dtype=self.x.dtype, device="cuda")
        return y.contiguous(memory_format=self.torch.channels_last)


@pytest.fixture
def make(cudnn: Any, torch: Any, fresh: Any) -> Callable[..., Convolution]:
    return lambda dtype="float16", **options: Convolution(cudnn, torch, fresh, dtype, **options)


@pytest.fixture
def conv(make: Callable[..., Convolution]) -> Convolution:
    return make()


def as_torch(torch: Any, array: Any) -> Any:
    return array if isinstance(array, torch.Tensor) else torch.from_dlpack(array)


@pytest.fixture(params=["torch", "cupy", "own"])
def convert(request: pytest.FixtureRequest, cudnn: Any) -> Callable[[Any], Any]:
    """Return what makes an array of a library of a tensor, in the same memory."""
    if request.param == "torch":
        return lambda tensor: tensor
    if request.param == "cupy":
        return library("cupy").from_dlpack
    return cudnn.DeviceArray.from_dlpack


class TestNumbers:
    @pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
    def test_into_an_output(self, make: Any, torch: Any, error_of: Any, dtype: str) -> None:
        conv = make(dtype)
        for _ in range(3):
            y = conv.poisoned()
            assert conv.plan(conv.x, conv.w, y) is y
            torch.cuda.synchronize()
            assert error_of(y, conv.reference()) < conv.tolerance
            conv.x.normal_()

    def test_in_each_library(
        self, conv: Convolution, torch: Any, error_of: Any, convert: Any
    ) -> None:
        torch.cuda.synchronize()
        for _ in range(3):
            y = conv.poisoned()
            torch.cuda.synchronize()
            conv.plan(convert(conv.x), convert(conv.w), y=convert(y))
            torch.cuda.synchronize()
            assert error_of(y, conv.reference()) < conv.tolerance

    def test_fields_of_cupy(self, conv: Convolution) -> None:
        """The compiled layer reads what the attributes say, and the stream that CuPy says."""
        from cudnn_cffi.plan.arrays import cupy_fields
        from cudnn_cffi.plan.run.compiled import native
        from cudnn_cffi.plan.run.reading import is_learnt

        cupy = library("cupy")
        if getattr(cupy.ndarray, "__dlpack_c_exchange_api__", None) is not None:
            pytest.skip("CuPy has DLPack's exchange table")
        assert cupy_fields.find_fields(cupy.ndarray) is not None
        assert cupy_fields.current_stream() is not None
        if native is None:
            return
        tensor = conv.poisoned()
        x, w, y = (cupy.from_dlpack(each) for each in (conv.x, conv.w, tensor))
        plan = conv.plan
        plan(x, w, y)
        assert is_learnt(cupy.ndarray)
        plan.prepare()
        assert plan.attempt(x, w, y) is y
        with cupy.cuda.Stream(non_blocking=True) as stream:
            plan(x, w, y)
            assert plan.attempt(x, w, y) is y
            stream.synchronize()
        other = x.transpose(0, 2, 3, 1).copy().transpose(0, 3, 1, 2)
        assert plan.attempt(other, w, y) is y
        assert plan.attempt(x.copy(order="C"), w, y) is NotImplemented
        assert plan.attempt(x.astype("float32"), w, y) is NotImplemented
        base = other.transpose(0, 2, 3, 1)
        view = base.transpose(0, 3, 1, 2)
        assert plan.attempt(view, w, y) is y
        base.shape = (*base.shape[:2], base.shape[3], base.shape[2])
        assert plan.attempt(view, w, y) is y
        assert plan.attempt(base, w, y) is NotImplemented
        own = cupy.zeros(conv.x.numel(), dtype="float16")
        own.shape = tuple(conv.x.shape)
        assert plan.attempt(own, w, y) is NotImplemented

    def test_new_outputs(self, conv: Convolution, torch: Any, error_of: Any, convert: Any) -> None:
        torch.cuda.synchronize()
        x, w = convert(conv.x), convert(conv.w)
        made = [conv.plan(x, w) for _ in range(4)]
        torch.cuda.synchronize()
        for each in made:
            assert type(each) is type(x)
            result = as_torch(torch, each)
            assert result.stride() == conv.poisoned().stride()
            assert error_of(result, conv.reference()) < conv.tolerance
        assert len({as_torch(torch, each).data_ptr() for each in made}) == 4

    def test_a_number_by_value(self, cudnn: Any, torch: Any, fresh: Any, error_of: Any) -> None:
        x = fresh(64, 64, 64, dtype="float32")
        graph = cudnn.Graph(compute_data_type="FLOAT")
        graph.output(graph.tensor(x, name="x") * graph.scalar(2.5), name="y")
        plan = graph.build()
        for _ in range(2):
            y = plan(x)
            torch.cuda.synchronize()
            assert error_of(y, x.cpu().double() * 2.5) < 1e-6


class TestStreams:
    def test_the_current_one(self, conv: Convolution, torch: Any, error_of: Any) -> None:
        conv.plan(conv.x, conv.w)
        streams = [torch.cuda.Stream() for _ in range(3)]
        results = []
        for number, stream in enumerate(streams * 2):
            with torch.cuda.stream(stream):
                torch.cuda._sleep(20_000_000)
                x = torch.full_like(conv.x, float(number + 1))
                results.append((number, conv.plan(x, conv.w)))
        torch.cuda.synchronize()
        ones = torch.nn.functional.conv2d(
            torch.ones(SHAPE, dtype=torch.float64), conv.w.cpu().double(), padding=1
        )
        for number, y in results:
            assert error_of(y, ones * (number + 1)) < conv.tolerance

    def test_that_of_the_handle(
        self, conv: Convolution, cudnn: Any, torch: Any, error_of: Any
    ) -> None:
        stream = torch.cuda.Stream()
        with cudnn.Handle(stream=stream) as handle:
            for _ in range(2):
                y = conv.poisoned()
                torch.cuda.synchronize()
                with torch.cuda.stream(stream):
                    torch.cuda._sleep(20_000_000)
                conv.plan(conv.x, conv.w, y, handle=handle)
                assert not stream.query()
                stream.synchronize()
                assert error_of(y, conv.reference()) < conv.tolerance

    @pytest.mark.parametrize("by", ["stream", "handle"])
    def test_new_outputs_are_of_the_stream(
        self, conv: Convolution, cudnn: Any, torch: Any, error_of: Any, by: str
    ) -> None:
        """PyTorch gives memory to others in the order of the stream that it was allocated for."""
        stream = torch.cuda.Stream()
        torch.cuda.synchronize()
        with cudnn.Handle(stream=stream) as handle:
            where = {"stream": stream} if by == "stream" else {"handle": handle}
            for _ in range(3):
                y = conv.plan(conv.x, conv.w, **where)
                stream.synchronize()
                assert error_of(y, conv.reference()) < conv.tolerance
                found = [
                    each["stream"]
                    for each in torch.cuda.memory_snapshot()
                    if 0 <= y.data_ptr() - each["address"] < each["total_size"]
                ]
                assert found == [stream.cuda_stream]

    def test_the_default_handle_keeps_its_own(
        self, conv: Convolution, cudnn: Any, torch: Any
    ) -> None:
        before = cudnn.handle().get_stream()
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(3):
                conv.plan(conv.x, conv.w)
        assert cudnn.handle().get_stream() == before
        torch.cuda.synchronize()


class TestGraphs:
    def test_captured_by_torch(self, make: Any, torch: Any, error_of: Any) -> None:
        conv = make()
        y = conv.poisoned()
        conv.plan(conv.x, conv.w, y)
        torch.cuda.synchronize()
        with capturing() as graph:
            conv.plan(conv.x, conv.w, y)
            new = conv.plan(conv.x, conv.w)
        conv.plan = None
        gc.collect()
        torch.cuda.empty_cache()
        for _ in range(3):
            conv.x.normal_()
            y.fill_(float("nan"))
            graph.replay()
            torch.cuda.synchronize()
            assert error_of(y, conv.reference()) < conv.tolerance
            assert error_of(new, conv.reference()) < conv.tolerance

    def test_captured_by_cupy(self, conv: Convolution, torch: Any, error_of: Any) -> None:
        cupy = library("cupy")
        torch.cuda.synchronize()
        x, w = (cupy.from_dlpack(each) for each in (conv.x, conv.w))
        tensor = conv.poisoned()
        y = cupy.from_dlpack(tensor)
        torch.cuda.synchronize()
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            conv.plan.prepare(stream=stream)
            stream.begin_capture()
            conv.plan(x, w, y)
            graph = stream.end_capture()
        conv.plan = None
        gc.collect()
        for _ in range(3):
            conv.x.normal_()
            tensor.fill_(float("nan"))
            torch.cuda.synchronize()
            graph.launch(stream)
            stream.synchronize()
            assert error_of(tensor, conv.reference()) < conv.tolerance

    def test_it_ends_with_the_graph(self, make: Any, torch: Any) -> None:
        from cudnn_cffi.driver import keeping

        conv = make()
        y = conv.poisoned()
        conv.plan(conv.x, conv.w, y)
        with capturing() as graph:
            conv.plan(conv.x, conv.w, y)
        mine: Any = keeping._kept[-1]
        assert mine[1][0][0] is conv.plan

        def is_kept() -> bool:
            keeping.sweep()
            return any(each is mine for each in keeping._kept)

        graph.replay()
        torch.cuda.synchronize()
        assert is_kept()
        graph.reset()
        del graph
        gc.collect()
        until = time.monotonic() + 10
        while is_kept() and time.monotonic() < until:
            torch.zeros(1, device="cuda").cpu()
        assert not is_kept()

    def test_a_plan_that_is_not_ready(
        self, cudnn: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        conv = Convolution(cudnn, torch, fresh, "float16")
        plan = self._with_workspace(conv)
        y = conv.poisoned()
        *own, own_y = [cudnn.DeviceArray.from_dlpack(each) for each in (conv.x, conv.w, y)]
        torch.cuda.synchronize()
        stream = torch.cuda.Stream()
        with cudnn.Handle(stream=stream) as handle:
            with capturing(stream=stream):
                with pytest.raises(cudnn.CudnnError, match="not ready to be captured"):
                    plan(*own, own_y, handle=handle)
                with pytest.raises(cudnn.ArgumentError, match="y: it is missing"):
                    plan(*own, handle=handle)
            plan.prepare(handle)
            with capturing(stream=stream) as graph:
                plan(*own, own_y, handle=handle)
            graph.replay()
            torch.cuda.synchronize()
            assert error_of(y, conv.reference()) < conv.tolerance

    @pytest.mark.parametrize("at", ["default", "captured"])
    def test_garbage_is_collected_in_a_capture(
        self, make: Any, cudnn: Any, torch: Any, error_of: Any, at: str
    ) -> None:
        """Arrays, plans, streams and handles that end in a capture do not end it."""
        conv = make()
        y = conv.poisoned()
        conv.plan(conv.x, conv.w, y)
        own = [cudnn.DeviceArray.from_dlpack(each) for each in (conv.x, conv.w)]
        stream = torch.cuda.Stream()
        garbage: list[Any] = [
            cudnn.DeviceArray.empty(1 << 20, stream=stream if at == "captured" else None),
            self._with_workspace(conv),
            cudnn.Stream(),
        ]
        with cudnn.Handle(stream=stream if at == "captured" else None) as handle:
            conv.plan(*own, handle=handle)
            garbage += [conv.plan(*own, handle=handle) for _ in range(3)]
            torch.cuda.synchronize()
            dropped = cudnn.Handle()
            dropped.workspace.reserve(1 << 20)
            garbage += [dropped, garbage]
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                conv.plan(conv.x, conv.w, y)
                del garbage, dropped
                gc.collect()
                conv.plan(conv.x, conv.w, y)
            conv.plan.prepare(handle)
        for _ in range(2):
            y.fill_(float("nan"))
            graph.replay()
            torch.cuda.synchronize()
            assert error_of(y, conv.reference()) < conv.tolerance

    @staticmethod
    def _with_workspace(conv: Convolution) -> Any:
        """Return a plan of the same convolution that needs a workspace."""
        for each in conv.graph.candidates():
            if each.workspace:
                try:
                    plan = each.build()
                except conv.cudnn.CudnnError:
                    continue
                if plan.workspace_size:
                    return plan
        pytest.skip("no engine needs a workspace")

    def test_populate_and_update(self, cudnn: Any, torch: Any, make: Any, error_of: Any) -> None:
        if not cudnn.has("cudnnBackendPopulateCudaGraph"):
            pytest.skip("this release has no native graphs")
        try:
            conv = make(native_cuda_graph=True)
        except cudnn.CudnnError as error:
            pytest.skip(f"no engine for native graphs: {str(error)[:200]}")
        driver = ctypes.CDLL("libcuda.so.1")
        stream = torch.cuda.Stream()

        def call(name: str, *arguments: Any) -> None:
            assert getattr(driver, name)(*arguments) == 0, name

        graph = ctypes.c_void_p()
        call("cuGraphCreate", ctypes.byref(graph), 0)
        first, second = conv.poisoned(), conv.poisoned()
        torch.cuda.synchronize()
        assert conv.plan.populate_cuda_graph(graph.value, conv.x, conv.w, first) is first

        def launch() -> None:
            instance = ctypes.c_void_p()
            call("cuGraphInstantiateWithFlags", ctypes.byref(instance), graph, ctypes.c_uint64(0))
            call("cuGraphLaunch", instance, ctypes.c_void_p(stream.cuda_stream))
            stream.synchronize()
            call("cuGraphExecDestroy", instance)

        launch()
        assert error_of(first, conv.reference()) < conv.tolerance
        assert second.isnan().all()
        conv.plan.update_cuda_graph(graph.value, conv.x, conv.w, second)
        conv.x.normal_()
        torch.cuda.synchronize()
        conv.plan = None
        gc.collect()
        launch()
        assert error_of(second, conv.reference()) < conv.tolerance
        call("cuGraphDestroy", graph)


class TestThreads:
    @pytest.mark.parametrize("own", [False, True], ids=["shared", "own"])
    def test_at_the_same_time(
        self, conv: Convolution, torch: Any, error_of: Any, own: bool
    ) -> None:
        inputs = [torch.randn_like(conv.x) for _ in range(4)]
        results: list[Any] = [None] * 4
        torch.cuda.synchronize()

        def work(number: int) -> None:
            plan = copy.copy(conv.plan) if own else conv.plan
            with torch.cuda.stream(torch.cuda.Stream()) as _:
                for _ in range(200):
                    results[number] = plan(inputs[number], conv.w)
                torch.cuda.current_stream().synchronize()

        in_threads(work, range(4))
        torch.cuda.synchronize()
        for x, y in zip(inputs, results, strict=True):
            conv.x = x
            assert error_of(y, conv.reference()) < conv.tolerance


class TestSaving:
    def test_json_and_pickle(self, conv: Convolution, torch: Any, error_of: Any) -> None:
        text = conv.plan.to_json()
        for again in (type(conv.plan).from_json(text), pickle.loads(pickle.dumps(conv.plan))):
            y = again(conv.x, conv.w)
            torch.cuda.synchronize()
            assert error_of(y, conv.reference()) < conv.tolerance
            assert again.engine == conv.plan.engine
            assert again.device == torch.cuda.get_device_name()


class TestRefusals:
    def test_what_does_not_fit(self, conv: Convolution, cudnn: Any, torch: Any) -> None:
        x, w, plan = conv.x, conv.w, conv.plan
        y = conv.poisoned()
        shifted = torch.empty(x.numel() + 1, dtype=x.dtype, device="cuda")[1:]
        shifted = shifted.as_strided(x.shape, x.stride())
        wrong: list[tuple[type[Exception], str, tuple[Any, ...]]] = [
            (cudnn.ArgumentError, "x: expected float16, got float32", (x.float(), w, y)),
            (cudnn.ShapeMismatchError, "w: expected the shape", (x, w[:16], y)),
            (cudnn.ArgumentError, "y: expected strides", (x, w, y.contiguous())),
            (cudnn.MisalignedPointerError, "x: expected an address", (shifted, w, y)),
            (cudnn.ArgumentError, "w: .*in host memory", (x, w.cpu(), y)),
            (cudnn.ArgumentError, "x: expected device memory, got a NoneType", (None, w, y)),
            (cudnn.ArgumentError, "w: it is missing", (x,)),
        ]
        for before in range(2):
            for kind, message, arguments in wrong:
                with pytest.raises(kind, match=message):
                    plan(*arguments)
            if not before:
                plan(x, w, conv.poisoned())
        torch.cuda.synchronize()
        assert y.isnan().all()

    def test_another_device(self, conv: Convolution, cudnn: Any, torch: Any) -> None:
        if torch.cuda.device_count() < 2:
            pytest.skip("there is one device")
        there = [each.to("cuda:1") for each in (conv.x, conv.w)]
        with pytest.raises(cudnn.ArgumentError, match="w: expected memory of device 0"):
            conv.plan(conv.x, there[1])
        with cudnn.Handle(0) as handle, pytest.raises(cudnn.ArgumentError, match="device 0"):
            conv.plan(*there, handle=handle)

    def test_both_devices(self, conv: Convolution, cudnn: Any, torch: Any, error_of: Any) -> None:
        """A plan for each of two devices of a kind, in turns."""
        if torch.cuda.device_count() < 2:
            pytest.skip("there is one device")
        second = type(conv.plan).from_json(conv.plan.to_json(), cudnn.handle(1))
        there = [each.to("cuda:1") for each in (conv.x, conv.w)]
        for _ in range(3):
            here, other = conv.plan(conv.x, conv.w), second(*there)
        for index in range(2):
            torch.cuda.synchronize(index)
        assert (here.device.index, other.device.index) == (0, 1)
        for each in (here, other):
            assert error_of(each, conv.reference()) < conv.tolerance
