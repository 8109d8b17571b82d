"""Arrays of other libraries, in and out, without a copy."""

from __future__ import annotations

import gc
import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.gpu.conftest import library

# Or JAX takes three quarters of the device's memory for itself.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


def _torch(array: np.ndarray) -> Any:
    import torch

    return torch.from_numpy(array).cuda()


def _cupy(array: np.ndarray) -> Any:
    return library("cupy").asarray(array)


def _jax(array: np.ndarray) -> Any:
    jax = library("jax")
    return jax.device_put(array, jax.devices("gpu")[0]).block_until_ready()


def _numba(array: np.ndarray) -> Any:
    return library("numba.cuda").to_device(array)


def _pycuda(array: np.ndarray) -> Any:
    autoprimaryctx = library("pycuda.autoprimaryctx")  # the context that everybody else is in
    assert autoprimaryctx.context
    return library("pycuda.gpuarray").to_gpu(array)


def _own(array: np.ndarray) -> Any:
    import cudnn_cffi as cudnn

    return cudnn.DeviceArray.from_numpy(array)


def _core_buffer(array: np.ndarray) -> Any:
    """A bare Buffer of cuda.core: it has no shape, so it goes into C names only."""
    import cudnn_cffi as cudnn

    return cudnn.DeviceArray.from_numpy(array)._as_buffer()


MAKERS = {
    "torch": _torch,
    "cupy": _cupy,
    "jax": _jax,
    "numba": _numba,
    "pycuda": _pycuda,
    "own": _own,
}
JAX = pytest.param("jax", marks=pytest.mark.jax)


def to_host(array: Any) -> np.ndarray:
    for name in ("to_numpy", "copy_to_host", "get"):
        if hasattr(array, name):
            return np.asarray(getattr(array, name)())
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


@pytest.mark.parametrize("maker", [JAX if each == "jax" else each for each in MAKERS])
def test_in_and_out(cudnn: Any, torch: Any, handle: Any, maker: str) -> None:
    data = np.random.default_rng().standard_normal((2, 3, 5, 7), dtype=np.float32)
    x, y = MAKERS[maker](data), MAKERS[maker](np.full_like(data, np.nan))
    torch.cuda.synchronize()  # each library fills its arrays in a stream of its own
    desc = cudnn.TensorDescriptor.like(x)
    assert desc.shape == (2, 3, 5, 7)
    assert cudnn.check(desc, y) != cudnn.check(desc, x)
    relu = cudnn.ActivationDescriptor.relu()
    cudnn.cudnnActivationForward(handle, relu, 1.0, desc, x, 0.0, desc, y)
    torch.cuda.synchronize()
    assert np.array_equal(to_host(y), np.maximum(data, 0))


def test_views_of_cuda_core(cudnn: Any, torch: Any, handle: Any) -> None:
    """They have DLPack's exchange table, which the compiled layer reads in C."""
    view = library("cuda.core.utils").StridedMemoryView.from_any_interface
    from cudnn_cffi.plan.run import compiled, reading

    x, w, y = (
        torch.randn(shape, device="cuda", dtype=torch.float16).contiguous(
            memory_format=torch.channels_last
        )
        for shape in ((2, 8, 6, 6), (8, 8, 3, 3), (2, 8, 6, 6))
    )
    g = cudnn.Graph()
    g.output(g.convolution(g.tensor(x), g.tensor(w), padding=1), name="y")
    plan = g.build()
    stream = torch.cuda.current_stream().cuda_stream
    views = [view(each, stream_ptr=stream or -1) for each in (x, w, y)]
    for given in views, views, [x, views[1], y], [views[0], w, y]:
        y.zero_()
        torch.cuda.synchronize()
        assert plan(*given, handle=handle) is given[2]
        torch.cuda.synchronize()
        expected = torch.nn.functional.conv2d(x.double(), w.double(), padding=1)
        assert torch.allclose(y.double(), expected, rtol=1e-2, atol=1e-1)
    if compiled.native is not None:
        assert reading.is_learnt(type(views[0]))
        assert plan.attempt(*views, handle=handle) is views[2]
        torch.cuda.synchronize()
    info = cudnn.TensorDescriptor.like(views[0])
    assert info.shape == (2, 8, 6, 6)
    with pytest.raises(cudnn.ArgumentError, match="y: no new output"):
        plan(*views[:2])


def test_a_view_that_is_read_only_is_not_written(cudnn: Any, torch: Any) -> None:
    view = library("cuda.core.utils").StridedMemoryView.from_any_interface
    g = cudnn.Graph()
    g.output(g.relu(g.tensor((4, 8, 16), name="x")), name="y")
    plan = g.build()
    x, y, kept = (torch.randn(4, 8, 16, device="cuda") for _ in range(3))
    before = kept.clone()
    interface = {**kept.__cuda_array_interface__, "data": (kept.data_ptr(), True), "version": 3}
    fixed = view(SimpleNamespace(__cuda_array_interface__=interface), stream_ptr=-1)
    assert fixed.readonly
    torch.cuda.synchronize()
    for _ in range(2):
        plan(*[view(each, stream_ptr=-1) for each in (x, y)])
        with pytest.raises(cudnn.ArgumentError, match="y: expected an array to write to, got a"):
            plan(view(x, stream_ptr=-1), fixed)
    torch.cuda.synchronize()
    assert torch.equal(y, x.relu())
    assert torch.equal(kept, before)


@pytest.mark.parametrize("first", ["torch", "own"])
def test_a_plan_is_between_the_streams_of_two_libraries(cudnn: Any, torch: Any, first: str) -> None:
    """An input of CuPy is filled late in its stream, and the output is read there."""
    cupy = library("cupy")
    g = cudnn.Graph()
    x, w = (g.tensor((4, 8, 16), name=name) for name in "xw")
    g.output(x + w, name="y")
    plan = g.build()
    ones = MAKERS[first](np.ones((4, 8, 16), np.float32))
    beside, own = cupy.cuda.Stream(non_blocking=True), torch.cuda.Stream()
    there = torch.cuda.ExternalStream(beside.ptr)
    late, y = (cupy.zeros((4, 8, 16), cupy.float32) for _ in range(2))
    with beside, torch.cuda.stream(own):
        for turn in range(1, 7):  # the plan is prepared, and known to the compiled layer
            y.fill(np.nan)
            late.fill(np.nan)
            torch.cuda.synchronize()
            with torch.cuda.stream(there):
                torch.cuda._sleep(20_000_000)
            late.fill(turn)
            plan(ones, late, y)
            late.fill(np.nan)  # after the plan has read it
            assert y.get(stream=beside).tolist() == np.full((4, 8, 16), turn + 1.0).tolist()


def test_a_buffer_of_cuda_core_goes_where_memory_goes(cudnn: Any, handle: Any) -> None:
    data = np.random.default_rng().standard_normal((1, 2, 3, 4), dtype=np.float32)
    x, y = _core_buffer(data), _core_buffer(np.full_like(data, np.nan))
    desc = cudnn.TensorDescriptor.packed(data.shape)
    cudnn.ActivationDescriptor.relu().forward(handle, 1.0, desc, x, 0.0, desc, y)
    assert y.owner is not None, "the buffer keeps the array that it is made of"
    result = y.owner.to_numpy()
    assert np.array_equal(result, np.maximum(data, 0))


@pytest.mark.parametrize("maker", ["torch", "cupy", JAX, "numba"])
def test_from_another_library_without_a_copy(cudnn: Any, maker: str) -> None:
    data = np.random.default_rng().standard_normal((3, 4), dtype=np.float32)
    theirs = MAKERS[maker](data)
    ours = cudnn.DeviceArray.from_dlpack(theirs)
    from cudnn_cffi.arrays import device_pointer

    assert ours.address == device_pointer(theirs)
    assert (ours.shape, ours.dtype_name) == ((3, 4), "float32")
    assert np.array_equal(ours.to_numpy(), data)


class TestToAnotherLibrary:
    @pytest.fixture
    def array(self, cudnn: Any) -> Any:
        data = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        return cudnn.DeviceArray.from_numpy(data)

    def test_torch(self, torch: Any, array: Any) -> None:
        theirs = torch.from_dlpack(array)
        assert theirs.data_ptr() == array.address
        assert np.array_equal(theirs.cpu().numpy(), array.to_numpy())
        assert torch.as_tensor(array, device="cuda").data_ptr() == array.address

    def test_cupy(self, array: Any) -> None:
        cupy = library("cupy")
        assert cupy.from_dlpack(array).data.ptr == array.address
        assert cupy.asarray(array).data.ptr == array.address

    @pytest.mark.jax
    def test_jax(self, array: Any) -> None:
        jax = library("jax")
        theirs = jax.dlpack.from_dlpack(array)
        assert np.array_equal(np.asarray(theirs), array.to_numpy())
        assert theirs.unsafe_buffer_pointer() == array.address

    def test_numba(self, array: Any) -> None:
        cuda = library("numba.cuda")
        theirs = cuda.as_cuda_array(array)
        assert theirs.device_ctypes_pointer.value == array.address
        assert np.array_equal(theirs.copy_to_host(), array.to_numpy())

    def test_a_strided_view(self, torch: Any, array: Any) -> None:
        view = array[:, 1:, ::2]
        theirs = torch.from_dlpack(view)
        assert tuple(theirs.stride()) == view.strides == (12, 4, 2)
        assert theirs.data_ptr() == view.address == array.address + 16
        expected = np.arange(24, dtype=np.float32).reshape(2, 3, 4)[:, 1:, ::2]
        assert np.array_equal(theirs.cpu().numpy(), expected)
        interface = torch.as_tensor(view, device="cuda")
        assert np.array_equal(interface.cpu().numpy(), expected)

    def test_one_without_elements(self, cudnn: Any, torch: Any) -> None:
        array = cudnn.DeviceArray.zeros((2, 0, 3), "float32").transpose()
        assert library("cupy").asarray(array).shape == (3, 0, 2)
        assert torch.from_dlpack(array).shape == (3, 0, 2)

    def test_it_outlives_the_array(self, cudnn: Any, torch: Any) -> None:
        theirs = torch.from_dlpack(cudnn.DeviceArray.from_numpy(np.ones(1000, np.float32)))
        cudnn.DeviceArray.zeros(1000)
        assert float(theirs.sum()) == 1000


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float16", "int8"])
def test_types_that_numpy_alone_does_not_have(cudnn: Any, dtype: str) -> None:
    from cudnn_cffi.arrays import numpy_dtype

    data = np.linspace(-4, 4, 33).astype(numpy_dtype(dtype))
    array = cudnn.DeviceArray.from_numpy(data)
    assert array.dtype_name == dtype
    back = array.to_numpy()
    assert back.dtype == data.dtype
    assert back.tobytes() == data.tobytes()


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "bool"])
def test_they_go_out_by_dlpack(cudnn: Any, torch: Any, dtype: str) -> None:
    array = cudnn.DeviceArray.zeros((2, 8), dtype)
    theirs = torch.from_dlpack(array)
    assert theirs.dtype == getattr(torch, dtype)
    assert theirs.data_ptr() == array.address
    assert cudnn.DeviceArray.from_dlpack(theirs).dtype_name == dtype


def test_the_interface_has_no_bfloat16(cudnn: Any) -> None:
    assert not hasattr(cudnn.DeviceArray.zeros(8, "bfloat16"), "__cuda_array_interface__")


@pytest.mark.parametrize("maker", ["torch", "cupy", "numba", "cuda.core", "pycuda"])
def test_streams_of_other_libraries(cudnn: Any, torch: Any, maker: str) -> None:
    if maker == "torch":
        stream = torch.cuda.Stream()
        address = stream.cuda_stream
    elif maker == "cupy":
        stream = library("cupy").cuda.Stream(non_blocking=True)
        address = stream.ptr
    elif maker == "cuda.core":
        device = library("cuda.core").Device()
        device.set_current()
        stream = device.create_stream()
        address = int(stream.handle)
    elif maker == "pycuda":
        assert library("pycuda.autoprimaryctx").context
        stream = library("pycuda.driver").Stream()
        address = stream.handle
    else:
        stream = library("numba.cuda").stream()
        address = stream.__cuda_stream__()[1]
    with cudnn.Handle(stream=stream) as handle:
        assert handle.get_stream() == address
        assert handle.stream is stream
        x = cudnn.DeviceArray.from_numpy(np.array([[-1, 2]], np.float32), stream=stream)
        y = cudnn.ActivationDescriptor.relu()(x, handle=handle)
        assert y.to_numpy().tolist() == [[0, 2]]


class Told:
    """An array that tells the stream of its work, by the CUDA Array Interface or DLPack alone."""

    def __init__(self, tensor: Any, stream: Any, protocol: str) -> None:
        self.dtype = np.dtype("float32")
        if protocol == "interface":
            self.__cuda_array_interface__ = {
                "shape": tuple(tensor.shape),
                "typestr": "<f4",
                "data": (tensor.data_ptr(), False),
                "version": 3,
                "stream": stream.cuda_stream,
            }
        else:
            self.__dlpack_device__ = tensor.__dlpack_device__
            self.__dlpack__ = self._give
        self._tensor, self._stream = tensor, stream

    def _give(self, *, stream: int | None = None, **more: Any) -> Any:
        import torch

        with torch.cuda.stream(self._stream):
            return self._tensor.__dlpack__(stream=stream, **more)


@pytest.mark.parametrize("protocol", ["interface", "dlpack"])
def test_work_in_the_stream_that_an_array_tells(cudnn: Any, torch: Any, protocol: str) -> None:
    stream = torch.cuda.Stream()
    x = torch.zeros(1 << 20, device="cuda")
    y = cudnn.DeviceArray.zeros(x.shape, "float32")
    torch.cuda._sleep(1000)  # compiled before
    cudnn.ops.relu(x, out=y)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        x.fill_(3.0)
    cudnn.ops.relu(Told(x, stream, protocol), out=y)
    assert (y.to_numpy() == 3.0).all()
    torch.cuda.synchronize()


@pytest.mark.parametrize("library_of_w", ["torch", "cupy", "own"])
def test_a_descriptor_that_is_called_follows_the_streams_of_its_arrays(
    cudnn: Any, torch: Any, library_of_w: str
) -> None:
    """They are filled late in current streams, and change at once after the call."""
    cupy = library("cupy")
    own, beside = torch.cuda.Stream(), cupy.cuda.Stream(non_blocking=True)
    there = torch.cuda.ExternalStream(beside.ptr)
    relu = cudnn.ActivationDescriptor.relu()
    conv = cudnn.ConvolutionDescriptor.cross_correlation()
    x, y = torch.zeros(4, 8, 64, 64, device="cuda"), torch.zeros(4, 8, 64, 64, device="cuda")
    w = MAKERS[library_of_w](np.ones((8, 8, 1, 1), np.float32))
    with torch.cuda.stream(there):
        torch.cuda._sleep(1000)
    relu(x), relu(x, y), conv(x, w, y)
    torch.cuda.synchronize()
    with torch.cuda.stream(own), beside:
        for turn in range(1, 4):
            x.fill_(torch.nan)
            y.fill_(torch.nan)
            torch.cuda.synchronize()
            torch.cuda._sleep(20_000_000)
            x.fill_(turn)
            made = relu(x)
            relu(x, y)
            x.fill_(torch.nan)
            assert (y == turn).all()
            assert (made.to_numpy() == turn).all()
            x.fill_(turn)
            if library_of_w == "cupy":
                w.fill(np.nan)
                torch.cuda.synchronize()
                with torch.cuda.stream(there):
                    torch.cuda._sleep(20_000_000)
                w.fill(1)
            conv(x, w, y)
            if library_of_w == "cupy":
                w.fill(np.nan)
            assert (y == 8 * turn).all()
            if library_of_w == "cupy":
                w.fill(1)


def read_only(array: Any) -> Any:
    """Return an array with the memory of another one that says that it must not be written."""
    interface = array.__cuda_array_interface__
    pair = interface["data"][0], True
    return SimpleNamespace(__cuda_array_interface__={**interface, "data": pair, "version": 3})


@pytest.mark.parametrize("maker", [JAX, "torch"])
def test_a_shared_array_that_is_read_only(cudnn: Any, torch: Any, maker: str) -> None:
    theirs = MAKERS[maker](np.ones((4, 8), np.float32))
    torch.cuda.synchronize()
    fixed = cudnn.DeviceArray.from_dlpack(theirs if maker == "jax" else read_only(theirs))
    assert fixed.readonly
    assert not cudnn.DeviceArray.zeros(3).readonly
    x = cudnn.DeviceArray.from_numpy(np.full((4, 8), -2, np.float32))
    for _ in range(3):  # also where a call is known
        assert (cudnn.ops.relu(x).to_numpy() == 0).all()
        assert (cudnn.ops.relu(fixed).to_numpy() == 1).all()
        calls: tuple[Any, ...] = (
            lambda: cudnn.ops.relu(x, out=fixed),
            lambda: cudnn.ops.fill(fixed, 3.0),
            lambda: cudnn.ActivationDescriptor.relu()(x, fixed),
            lambda: fixed.copy_from(x),
            lambda: fixed[1:].fill_bytes(255),
        )
        for call in calls:
            with pytest.raises(cudnn.ArgumentError, match="expected an array to write to"):
                call()
    assert torch.from_dlpack(fixed).tolist() == [[1] * 8] * 4
    with pytest.raises(BufferError, match="read-only"):
        fixed.__dlpack__(stream=1)
    assert (to_host(theirs) == 1).all()


@pytest.mark.parametrize("kind", ["plan", "operation", "descriptor", "convolution", "copy"])
def test_arrays_in_a_graph_live_as_long_as_the_graph(cudnn: Any, kind: str) -> None:
    shape, stream = (4, 8, 64, 64), cudnn.Stream()
    data = np.random.default_rng(3).standard_normal(shape, dtype=np.float32)
    x, y = cudnn.DeviceArray.from_numpy(data), cudnn.DeviceArray.zeros(shape)
    g = cudnn.Graph()
    g.output(g.relu(g.tensor(shape, name="x")), name="y")
    plan, handle = g.build(), cudnn.Handle(stream=stream)
    relu = cudnn.ActivationDescriptor.relu()
    conv = cudnn.ConvolutionDescriptor.cross_correlation(groups=8, math="FMA_MATH")
    ones = cudnn.DeviceArray.from_numpy(np.ones((8, 1, 1, 1), np.float32))
    calls: dict[str, Any] = {
        "plan": lambda x, y, _: plan(x, y, stream=stream),
        "operation": lambda x, y, _: cudnn.ops.relu(x, out=y, stream=stream),
        "descriptor": lambda x, y, _: relu(x, y, handle=handle),
        "convolution": lambda x, y, w: conv(x, w, y, handle=handle),
        "copy": lambda x, y, _: y.copy_from(x, stream=stream),
    }
    call = calls.pop(kind)
    call(x, y, ones)
    y.fill_bytes(255)
    y.synchronize()
    with stream.capture() as graph:
        call(x, y, ones)
    view = y.__cuda_array_interface__
    taken = (x, y, ones) if kind == "convolution" else (x, y)
    addresses = {each.address for each in taken}
    del x, y, ones, taken
    gc.collect()
    others = [cudnn.DeviceArray.zeros(shape) for _ in range(6)]
    others += [cudnn.DeviceArray.zeros((8, 1, 1, 1)) for _ in range(6)]
    others[-1].synchronize()
    assert not addresses & {each.address for each in others}
    graph.launch()
    stream.synchronize()
    seen = cudnn.DeviceArray.from_dlpack(SimpleNamespace(__cuda_array_interface__=view)).to_numpy()
    expected = data if kind in ("convolution", "copy") else np.maximum(data, 0)
    assert np.allclose(seen, expected, rtol=1e-6, atol=0)
    assert not any(each.to_numpy().any() for each in others)
    graph.close()


def test_arrays_in_reverse_are_refused(cudnn: Any) -> None:
    cupy = library("cupy")
    x = cupy.arange(48, dtype="float32").reshape(1, 2, 4, 6)
    for axis in (1, 2, 3):
        with pytest.raises(cudnn.ArgumentError, match="x: expected strides of 0 or more"):
            cudnn.ops.softmax(cupy.flip(x, axis))
    assert cudnn.ops.softmax(cupy.flip(x, 0)).shape == x.shape  # of one element


@pytest.mark.jax
def test_arrays_of_jax_are_not_written(cudnn: Any) -> None:
    x, one, zero = (_jax(np.full(8, each, np.float32)) for each in (-2.0, 1.0, 0.0))
    images = _jax(np.ones((4, 8, 3, 3), np.float32))
    calls: tuple[Any, ...] = (
        lambda: cudnn.ops.relu(x, out=zero),
        lambda: cudnn.ops.fill(zero, 3.0),
        lambda: cudnn.ops.batch_norm(images, one, zero, zero, one),
    )
    for call in calls:
        with pytest.raises(cudnn.ArgumentError, match="expected an array to write to"):
            call()
    assert (np.asarray(zero) == 0).all()


def test_our_stream_in_other_libraries(cudnn: Any, torch: Any) -> None:
    with cudnn.Stream() as stream:
        theirs = torch.cuda.ExternalStream(stream.address)
        with torch.cuda.stream(theirs):
            x = torch.ones(1000, device="cuda").sum()
        stream.synchronize()
        assert float(x) == 1000
        import cuda.core

        assert int(cuda.core.Device().create_stream(stream).handle) == stream.address


class TestCudaCore:
    """Streams, events and graphs of cuda.core."""

    @pytest.fixture
    def device(self, torch: Any) -> Any:
        device = library("cuda.core").Device(torch.cuda.current_device())
        device.set_current()
        return device

    def test_streams_and_events(self, cudnn: Any, torch: Any, device: Any, fresh: Any) -> None:
        """While a stream waits for a slow kernel, what waits for its event is not done."""
        x = fresh(4, 4, 8, 8)
        y, z = torch.full_like(x, float("nan")), torch.full_like(x, float("nan"))
        first, second = device.create_stream(), cudnn.Stream()
        with cudnn.Handle(stream=first) as handle, cudnn.Handle(stream=second) as other:
            relu = cudnn.ActivationDescriptor.relu()
            relu(x, y, handle=handle)
            relu(x, z, handle=other)
            torch.cuda.synchronize()
            y.fill_(float("nan"))
            torch.cuda.synchronize()
            with torch.cuda.stream(torch.cuda.ExternalStream(int(first.handle))):
                torch.cuda._sleep(100_000_000)
            relu(x, y, handle=handle)
            event = first.record()
            second.wait(event)
            relu(y, z, handle=other)
            mine = second.record()
            assert not mine.done
            mine.synchronize()
            assert event.is_done
            assert mine.done
        assert torch.equal(z, x.clamp(min=0))

    def test_events_of_ours_in_their_streams(self, cudnn: Any, torch: Any, device: Any) -> None:
        stream = device.create_stream()
        start = cudnn.Event().record(stream)
        with torch.cuda.stream(torch.cuda.ExternalStream(int(stream.handle))):
            torch.cuda._sleep(20_000_000)
        end = cudnn.Event().record(stream)
        with pytest.raises(cudnn.CudnnError, match="cuEventElapsedTime"):
            end - start  # the kernel takes some 10 ms
        end.synchronize()
        assert 1 < end - start < 1000

    def test_events_of_pytorch_and_cupy(self, cudnn: Any, torch: Any) -> None:
        cupy = library("cupy")
        slow = torch.cuda.Stream()
        for event in (torch.cuda.Event(), cupy.cuda.Event(disable_timing=True)):
            with torch.cuda.stream(slow):
                torch.cuda._sleep(100_000_000)
            if isinstance(event, torch.cuda.Event):
                event.record(slow)
            else:
                event.record(cupy.cuda.ExternalStream(slow.cuda_stream))
            with cudnn.Stream() as mine:
                mine.wait(event)
                end = mine.record(timing=False)
                assert not end.done
                end.synchronize()
            assert slow.query()

    def test_a_graph_builder_captures(
        self, torch: Any, device: Any, fresh: Any, error_of: Any
    ) -> None:
        from cudnn_cffi import ops

        x, w = fresh(2, 16, 10, 10), fresh(8, 16, 3, 3)
        y = torch.full((2, 8, 8, 8), float("nan"), device="cuda")
        convolution = ops.Convolution(activation="relu")
        convolution(x, w, out=y)
        torch.cuda.synchronize()
        builder = device.create_stream().create_graph_builder().begin_building()
        convolution(x, w, out=y, stream=builder)
        graph = builder.end_building().complete()
        x.copy_(torch.randn_like(x))
        y.fill_(float("nan"))
        torch.cuda.synchronize()
        graph.launch(device.default_stream)
        torch.cuda.synchronize()
        wanted = torch.nn.functional.conv2d(x.double(), w.double()).relu()
        assert error_of(y, wanted.cpu()) < 2e-3

    def test_a_graph_definition_takes_a_plan(
        self, cudnn: Any, torch: Any, device: Any, fresh: Any
    ) -> None:
        if not cudnn.has("cudnnBackendPopulateCudaGraph"):
            pytest.skip("this release has no cudnnBackendPopulateCudaGraph")
        g = cudnn.Graph(io_data_type="FLOAT")
        g.output(g.relu(g.tensor((4, 32, 64), name="x")), name="y")
        plan = g.build(native_cuda_graph=True)
        x = fresh(4, 32, 64)
        y = torch.full_like(x, float("nan"))
        definition = library("cuda.core.graph").GraphDefinition()
        plan.populate_cuda_graph(definition, x, y)
        graph = definition.instantiate()
        for _ in range(2):
            x.copy_(torch.randn_like(x))
            y.fill_(float("nan"))
            torch.cuda.synchronize()
            graph.launch(device.default_stream)
            torch.cuda.synchronize()
            assert torch.equal(y, x.clamp(min=0))
