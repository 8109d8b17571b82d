"""Calls that describe and check their arguments refuse wrong ones before cuDNN sees them.

The handle is borrowed and does not exist: whatever got through would end the process.
"""

from __future__ import annotations

import copy
import pickle
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.fake_driver import FakeDriver


class Device:
    """An array on a device that is not there, by the CUDA Array Interface."""

    def __init__(
        self, *shape: int, kind: str = "<f4", strides: Any = None, address: int = 0x7000
    ) -> None:
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": shape,
            "typestr": kind,
            "strides": strides,
            "version": 3,
        }


def apart(*shape: int, **more: Any) -> Device:
    """An array in other memory."""
    return Device(*shape, address=0x700000, **more)


def last(n: int, c: int, h: int, w: int, *, kind: str = "<f4", make: Any = Device) -> Device:
    """An array whose channels are last in memory, with the strides that PyTorch gives it."""
    size = np.dtype(kind).itemsize
    steps = (c * h * w * size, size, w * c * size, c * size)
    return make(n, c, h, w, kind=kind, strides=steps)


@pytest.fixture
def handle(cudnn: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A handle that is not there, but has a stream."""
    from cudnn_cffi.driver import streams

    stream = [0]
    monkeypatch.setattr(cudnn.Handle, "get_stream", lambda _: stream[0])
    monkeypatch.setattr(
        cudnn.Handle, "set_stream", lambda _, address: stream.__setitem__(0, address)
    )
    monkeypatch.setattr(streams, "check_device", lambda *_: None)
    with cudnn.Handle.from_address(0x1234) as handle:
        yield handle


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The arguments of the calls that would have gone to the device."""
    from cudnn_cffi import _lookup, memory
    from cudnn_cffi.descriptors import convolution

    calls: list[tuple[Any, ...]] = []
    for name in ("cudnnActivationForward", "cudnnPoolingForward", "cudnnConvolutionForward"):
        monkeypatch.setattr(_lookup.calls, name, lambda *values: calls.append(values))
    monkeypatch.setattr(convolution, "_first_choice", lambda *_: (1, 0))

    def empty(shape: Any, dtype: str, *, layout: str, **_: Any) -> Device:
        kind = np.dtype(dtype).str
        return last(*shape, kind=kind) if layout == "NHWC" else Device(*shape, kind=kind)

    monkeypatch.setattr(memory.DeviceArray, "empty", staticmethod(empty))
    return calls


class Closing:
    """A stream of some library, until it is closed."""

    def __init__(self, address: int) -> None:
        self._address = address
        self.closed = False

    def __cuda_stream__(self) -> tuple[int, int]:
        from cudnn_cffi import errors

        if self.closed:
            raise errors.ClosedError("the Stream is closed")
        return (0, self._address)


X = (2, 4, 8, 8)


class TestOneInputAndOneOutput:
    @pytest.mark.parametrize(
        ("x", "out", "words"),
        [
            (np.ones(X, "f4"), Device(*X), "x: .*host memory"),
            (Device(*X), np.ones(X, "f4"), "out: .*host memory"),
            (Device(*X, address=0), Device(*X), "x: .*freed"),
            (0x7000, Device(*X), "x: expected device memory, got an int\n.*does not tell"),
            ("x", Device(*X), "x: expected device memory, got a str\n  hint: pass an array$"),
            (
                Device(*X, address=0x7001),
                apart(*X),
                "x: expected an address that is a multiple of 4",
            ),
            (Device(*X), Device(*X, kind="<f8"), "out: expected float32, like x, got float64"),
            (Device(*X), Device(2, 4, 8, 9), "out: expected shape 2,4,8,8, got 2,4,8,9"),
            (Device(2, 0, 8, 8), Device(*X), "extents of 1 or more"),
            (Device(*X, kind="<c8"), Device(*X, kind="<c8"), "COMPLEX|BAD_PARAM|data type"),
        ],
    )
    def test_activation(self, cudnn: Any, handle: Any, x: Any, out: Any, words: str) -> None:
        relu = cudnn.ActivationDescriptor.relu()
        with pytest.raises(cudnn.CudnnError, match=words):
            relu(x, out, handle=handle)

    def test_pooling_knows_what_comes_out(self, cudnn: Any, handle: Any) -> None:
        pool = cudnn.PoolingDescriptor.max(2)
        with pytest.raises(ValueError, match="out: expected shape 2,4,4,4, got 2,4,8,8"):
            pool(Device(*X), Device(*X), handle=handle)

    @pytest.mark.parametrize("name", ["activation", "convolution"])
    def test_a_graph_keeps_arrays(
        self, cudnn: Any, handle: Any, launched: Any, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        driver = FakeDriver().install(monkeypatch.setattr)
        handle.stream = 0x880
        x, w, y = Device(*X), Device(4, 4, 1, 1, address=0x9000), apart(*X)
        relu, conv = cudnn.ActivationDescriptor.relu(), cudnn.ConvolutionDescriptor
        call = relu if name == "activation" else conv.cross_correlation()
        given = (x, y) if name == "activation" else (x, w, y)
        call(*given, handle=handle)
        driver.captures[0x880] = 7
        call(*given, handle=handle)
        driver.captures.clear()
        references = [weakref.ref(each) for each in given]
        launched.clear()
        del x, w, y, given
        driver.ends_with_graph(0x9007, references)

    def test_closed_ones(self, cudnn: Any, handle: Any) -> None:
        relu = cudnn.ActivationDescriptor.relu()
        relu.close()
        with pytest.raises(cudnn.CudnnError, match=r"activationDesc.*closed"):
            relu(Device(*X), Device(*X), handle=handle)
        handle.close()
        with pytest.raises(cudnn.CudnnError, match=r"handle.*closed"):
            cudnn.ActivationDescriptor.tanh()(Device(*X), Device(*X), handle=handle)

    @pytest.mark.parametrize("given", [0x1234, "0", Device(*X)])
    def test_what_is_no_handle(self, cudnn: Any, given: Any) -> None:
        from cudnn_cffi._support.wording import a_kind

        relu = cudnn.ActivationDescriptor.relu()
        words = f"handle: expected a Handle, got {a_kind(given)}"
        with pytest.raises(TypeError, match=words):
            relu(Device(*X), Device(*X), handle=given)
        with pytest.raises(TypeError, match=words):
            cudnn.ConvolutionDescriptor.cross_correlation()(Device(*X), None, handle=given)


class TestBeforeAnythingIsLaunched:
    def test_nothing_is_blended_with_an_output_that_was_not_there(
        self, cudnn: Any, handle: Any, launched: list[Any]
    ) -> None:
        words = "out: expected an array, as beta is 1.0, got None"
        for call in (cudnn.ActivationDescriptor.relu(), cudnn.PoolingDescriptor.max(2)):
            with pytest.raises(ValueError, match=words):
                call(Device(*X), handle=handle, beta=1.0)
        conv = cudnn.ConvolutionDescriptor.cross_correlation()
        with pytest.raises(ValueError, match=words):
            conv(Device(*X), Device(6, 4, 3, 3), handle=handle, beta=1.0)
        assert not launched
        for call in (cudnn.ActivationDescriptor.relu(), cudnn.PoolingDescriptor.max(2)):
            call(Device(*X), handle=handle)
        conv(Device(*X), Device(6, 4, 3, 3), handle=handle)
        assert len(launched) == 3

    def test_a_stream_that_was_closed_is_not_used(
        self, cudnn: Any, handle: Any, launched: list[Any]
    ) -> None:
        stream = Closing(0xC000)
        handle.stream = stream
        relu = cudnn.ActivationDescriptor.relu()
        pool = cudnn.PoolingDescriptor.max(1)
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
        calls: tuple[Callable[[], Any], ...] = (
            lambda: relu(Device(*X), Device(*X), handle=handle),
            lambda: pool(Device(*X), apart(*X), handle=handle),
            lambda: conv(Device(*X), Device(4, 4, 3, 3), apart(*X), handle=handle),
        )
        for call in calls:
            call()
        stream.closed = True
        for call in calls:
            with pytest.raises(cudnn.CudnnError, match="closed"):
                call()
        assert len(launched) == 3

    def test_an_output_in_the_memory_of_an_input(
        self, cudnn: Any, handle: Any, launched: list[Any]
    ) -> None:
        """An activation may have it, as cuDNN's documentation says; a window needs neighbours."""
        relu, pool = cudnn.ActivationDescriptor.relu(), cudnn.PoolingDescriptor.max(1)
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
        x, w, late = Device(*X), Device(4, 4, 3, 3, address=0x100000), Device(*X, address=0x7010)
        calls: tuple[tuple[Callable[[], Any], str], ...] = (
            (lambda: pool(x, x, handle=handle), "x"),
            (lambda: conv(x, w, x, handle=handle), "x"),
            (lambda: conv(x, w, Device(*X, address=0x100000), handle=handle), "w"),
            (lambda: relu(x, late, handle=handle), "x"),
            (lambda: relu(x, last(*X), handle=handle), "x"),
        )
        for call, other in calls:
            with pytest.raises(cudnn.ArgumentError, match=f"^out: .* it overlaps {other}\\b"):
                call()
        assert not launched
        relu(x, x, handle=handle)
        relu(x, Device(*X, address=0x7000 + 2 * 4 * 8 * 8 * 4), handle=handle)
        assert len(launched) == 2


class TestLayoutsThatStridesDoNotTell:
    """With one channel, or with one element in each, the strides fit both layouts."""

    @pytest.mark.parametrize(
        ("x", "w", "out", "layout"),
        [
            (last(2, 16, 5, 7), last(8, 16, 1, 1), None, "NHWC"),
            (last(2, 16, 5, 7), Device(8, 16, 1, 1), None, "NHWC"),
            (Device(2, 16, 5, 7), last(8, 16, 1, 1), None, "NCHW"),
            (last(2, 16, 1, 1), last(8, 16, 3, 3), None, "NHWC"),
            (last(2, 1, 5, 7), last(8, 1, 3, 3), last(2, 8, 5, 7, make=apart), "NHWC"),
            (last(2, 1, 5, 7), last(8, 1, 3, 3), apart(2, 8, 5, 7), "NCHW"),
            (last(2, 1, 5, 7), last(8, 1, 3, 3), None, "NCHW"),
            (last(2, 3, 5, 7), last(8, 3, 3, 3), last(2, 8, 5, 7, make=apart), "NHWC"),
        ],
    )
    def test_are_those_of_the_other_arrays(
        self, cudnn: Any, handle: Any, launched: list[Any], x: Any, w: Any, out: Any, layout: str
    ) -> None:
        extent = w.__cuda_array_interface__["shape"][-1]
        conv = cudnn.ConvolutionDescriptor.cross_correlation(extent // 2)
        conv(x, w, out, handle=handle)
        _, _, x_desc, _, w_desc, _, _, _, _, _, _, y_desc, _ = launched[0]
        assert w_desc.layout == layout
        for desc in (x_desc, y_desc):
            expected = cudnn.TensorDescriptor.packed(desc.shape, layout=layout)
            assert desc.strides == expected.strides

    def test_of_a_pooling_too(self, cudnn: Any, handle: Any, launched: list[Any]) -> None:
        cudnn.PoolingDescriptor.max(8)(last(*X), last(2, 4, 1, 1, make=apart), handle=handle)
        _, _, _, _, _, _, y_desc, _ = launched[0]
        assert y_desc.strides == (4, 1, 4, 4)


class TestComputeType:
    def test_is_that_of_the_input_unless_one_was_named(
        self, cudnn: Any, handle: Any, launched: list[Any]
    ) -> None:
        x, w = Device(*X, kind="<f8"), Device(6, 4, 3, 3, kind="<f8")
        conv = cudnn.ConvolutionDescriptor.cross_correlation((1, 1), math="FMA_MATH")
        for each in (conv, conv.copied(), copy.copy(conv), pickle.loads(pickle.dumps(conv))):
            each(x, w, handle=handle)
            used = launched.pop()[6]
            assert (used.compute, used.math) == (
                cudnn.DataType.DOUBLE,
                cudnn.MathType.FMA_MATH,
            )
            assert used.padding == (1, 1)
            assert each.compute is cudnn.DataType.FLOAT
            assert each == conv
        conv(Device(*X), Device(6, 4, 3, 3), handle=handle)
        assert launched.pop()[6] is conv
        half = Device(*X, kind="<f2"), Device(6, 4, 3, 3, kind="<f2")
        conv(*half, handle=handle)
        assert launched.pop()[6] is conv

    @pytest.mark.parametrize("compute", ["float32", "float64", "float16"])
    def test_is_what_was_named(
        self, cudnn: Any, handle: Any, launched: list[Any], compute: str
    ) -> None:
        x, w = Device(*X, kind="<f8"), Device(6, 4, 3, 3, kind="<f8")
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1, compute=compute)
        for each in (conv, conv.copied(), pickle.loads(pickle.dumps(conv))):
            each(x, w, handle=handle)
            assert launched.pop()[6] is each

    def test_is_what_the_c_name_sets(self, cudnn: Any, handle: Any, launched: list[Any]) -> None:
        x, w = Device(*X, kind="<f8"), Device(6, 4, 3, 3, kind="<f8")
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
        cudnn.cudnnSetConvolution2dDescriptor(
            conv, 1, 1, 1, 1, 1, 1, cudnn.CUDNN_CROSS_CORRELATION, cudnn.CUDNN_DATA_HALF
        )
        conv(x, w, handle=handle)
        assert launched.pop()[6] is conv
        assert conv.copied().compute is cudnn.DataType.HALF


class TestConvolution:
    @pytest.mark.parametrize(
        ("x", "w", "out", "words"),
        [
            (Device(*X), Device(6, 3, 3, 3), None, "x: expected 3 channels, got 4"),
            (Device(*X), Device(6, 4, 3, 3, kind="<f2"), None, "w: expected float32"),
            (Device(*X), np.ones((6, 4, 3, 3), "f4"), None, "w: .*host memory"),
            (Device(*X), Device(6, 4, 9, 9), None, "cudnnGetConvolutionNdForwardOutputDim"),
            (
                Device(*X),
                Device(6, 4, 3, 3, strides=(288, 72, 24, 8)),
                None,
                "expected a filter without gaps",
            ),
            (Device(*X), Device(6, 4, 3, 3), Device(2, 6, 8, 8), "out: expected shape 2,6,6,6"),
        ],
    )
    def test_what_does_not_go_together(
        self, cudnn: Any, handle: Any, x: Any, w: Any, out: Any, words: str
    ) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation()
        with pytest.raises(cudnn.CudnnError, match=words):
            conv(x, w, out, handle=handle)

    def test_an_algorithm_that_is_none(self, cudnn: Any, handle: Any) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
        with pytest.raises(ValueError, match="expected a ConvolutionFwdAlgo, got 'FASTEST'"):
            conv(Device(*X), Device(4, 4, 3, 3), Device(*X), handle=handle, algorithm="FASTEST")


@pytest.mark.usefixtures("launched")
def test_nothing_is_written_to_arrays_that_must_not_change(cudnn: Any, handle: Any) -> None:
    def fixed(*shape: int) -> Device:
        array = Device(*shape)
        array.__cuda_array_interface__["data"] = (0x7000, True)
        return array

    x = fixed(1, 4, 8, 8)
    conv = cudnn.ConvolutionDescriptor.cross_correlation(padding=1)
    for out, call in (
        (fixed(1, 4, 8, 8), partial(conv, x, fixed(4, 4, 3, 3))),
        (fixed(1, 4, 4, 4), partial(cudnn.PoolingDescriptor.max(2), x)),
        (fixed(1, 4, 8, 8), partial(cudnn.ActivationDescriptor.relu(), x)),
    ):
        with pytest.raises(cudnn.ArgumentError, match="out: expected an array to write to, got a"):
            call(out, handle=handle)


def test_kept_descriptors_are_not_those_that_are_handed_out(
    cudnn: Any, handle: Any, launched: list[Any]
) -> None:
    relu = cudnn.ActivationDescriptor.relu()
    relu(Device(*X), Device(*X), handle=handle)
    relu(Device(*X, address=0x8000), Device(*X), handle=handle)
    (*_, one, address, _, y, _), (*_, other, moved, _, _, _) = launched
    assert one is other
    assert (address, moved) == (0x7000, 0x8000)
    assert y == one
    assert cudnn.TensorDescriptor.like(Device(*X)) is not one
    relu(last(*X), last(*X), handle=handle)
    turned = launched[-1][3]
    assert turned is not one
    assert turned.layout == "NHWC"


def test_no_more_than_so_many_are_kept(
    cudnn: Any, handle: Any, launched: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi._support.recent import Recent
    from cudnn_cffi.descriptors._core import operands

    relu = cudnn.ActivationDescriptor.relu()
    conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
    pool = cudnn.PoolingDescriptor.max(1)
    kept: Any = Recent(10)
    monkeypatch.setattr(operands, "kept", kept)
    for size in range(1, 50):
        x = Device(1, size, 3, 4)
        relu(x, x, handle=handle)
        assert launched[-1][3].shape == (1, size, 3, 4)
        pool(x, apart(1, size, 3, 4), handle=handle)
        assert launched[-1][3].shape == (1, size, 3, 4)
        conv(x, Device(2, size, 3, 3), handle=handle)
        assert launched[-1][2].shape == (1, size, 3, 4)
    assert len(kept) == 10


class TestDropout:
    """The state is freed after the calls that use it, and nothing goes on with its address."""

    @pytest.fixture
    def freed(self, cudnn: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
        """The streams in whose order memory was freed."""
        from cudnn_cffi import _lookup, memory

        found: list[Any] = []

        class Memory:
            address = 0x9000

            def __init__(self, size: int, device: int, stream: Any) -> None:
                self.made_in = size, device, stream

            def close(self, stream: Any = None) -> None:
                found.append(stream)

        monkeypatch.setattr(memory, "Memory", Memory)
        monkeypatch.setattr(_lookup.calls, "cudnnDropoutGetStatesSize", lambda _: 100)
        monkeypatch.setattr(cudnn.DropoutDescriptor, "set", lambda *_: None)
        return found

    def test_in_the_stream_that_the_handle_has_by_then(
        self, cudnn: Any, handle: Any, freed: list[Any]
    ) -> None:
        handle.stream = 0xA000
        dropout = cudnn.DropoutDescriptor.with_state(handle, 0.5)
        handle.stream = 0xB000
        dropout.close()
        dropout.close()
        assert freed == [0xB000]

    def test_with_the_handle(self, cudnn: Any, handle: Any, freed: list[Any]) -> None:
        dropout = cudnn.DropoutDescriptor.with_state(handle, 0.5)
        handle.stream = 0xB000
        handle.close()
        assert dropout.closed
        assert freed == [0xB000]

    def test_where_that_stream_was_closed(self, cudnn: Any, handle: Any, freed: list[Any]) -> None:
        dropout = cudnn.DropoutDescriptor.with_state(handle, 0.5)
        handle.stream = stream = Closing(0xC000)
        stream.closed = True
        dropout.close()
        assert freed == [0]  # the default one, after the work of the closed one

    def test_what_was_given_is_not_freed(self, cudnn: Any, handle: Any, freed: list[Any]) -> None:
        cudnn.DropoutDescriptor.with_state(handle, 0.5, states=Device(100, kind="|u1")).close()
        cudnn.DropoutDescriptor.with_state(handle, 0.5, states=0x7000).close()
        assert not freed

    @pytest.mark.usefixtures("freed")
    @pytest.mark.parametrize("states", [Device(99, kind="|u1"), Device(24), Device(0)])
    def test_too_little_memory(self, cudnn: Any, handle: Any, states: Any) -> None:
        with pytest.raises(ValueError, match=r"states: expected 100 bytes, got [0-9]+"):
            cudnn.DropoutDescriptor.with_state(handle, 0.5, states=states)

    @pytest.mark.parametrize("rate", ["0.5", None, -0.1, 1.5, float("nan")])
    def test_what_is_no_probability(self, cudnn: Any, handle: Any, rate: Any) -> None:
        with pytest.raises(cudnn.CudnnError, match=f"rate: expected .*, got {rate!r}"):
            cudnn.DropoutDescriptor.with_state(handle, rate)

    def test_what_is_no_handle_or_seed(self, cudnn: Any, handle: Any) -> None:
        with pytest.raises(TypeError, match="handle: expected a Handle, got a NoneType"):
            cudnn.DropoutDescriptor.with_state(None, 0.5)
        with pytest.raises(TypeError, match=r"seed: expected a whole number, got 1\.5"):
            cudnn.DropoutDescriptor.with_state(handle, 0.5, 1.5)


class TestWithoutABatch:
    """One example of C, H, W, which has an axis less than N, C, H, W."""

    def test_is_refused_unless_it_is_said(
        self, cudnn: Any, handle: Any, launched: list[Any]
    ) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
        pool = cudnn.PoolingDescriptor.max(2)
        for call, operands in (
            (conv, (Device(4, 8, 8), Device(6, 4, 3, 3))),
            (pool, (Device(4, 8, 8),)),
        ):
            match = "x: expected 4 axes, N, C and 2"
            with pytest.raises(cudnn.ArgumentError, match=match) as caught:
                call(*operands, handle=handle)
            assert "batch=False" in caught.value.hint
        assert not launched
        with pytest.raises(ValueError, match="x: expected 3 axes, as there is no batch, got 4"):
            pool(Device(*X), handle=handle, batch=False)

    def test_a_batch_of_one_is_put_in_front(
        self, cudnn: Any, handle: Any, launched: list[Any]
    ) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
        out = apart(6, 8, 8)
        x, w = Device(4, 8, 8), Device(6, 4, 3, 3)
        assert conv(x, w, out, handle=handle, batch=False) is out
        assert (launched[0][2].shape, launched[0][-2].shape) == ((1, 4, 8, 8), (1, 6, 8, 8))
        out = apart(4, 4, 4)
        assert cudnn.PoolingDescriptor.max(2)(x, out, handle=handle, batch=False) is out
        assert (launched[1][3].shape, launched[1][-2].shape) == ((1, 4, 8, 8), (1, 4, 4, 4))
        with pytest.raises(ValueError, match="out: expected shape 1,6,8,8"):
            conv(x, w, Device(1, 6, 8, 8), handle=handle, batch=False)

    @pytest.mark.usefixtures("launched")
    def test_what_comes_out_has_none(
        self, cudnn: Any, handle: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Device, "__getitem__", lambda self, key: (self, key), raising=False)
        w = Device(6, 4, 3, 3)
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
        made, key = conv(Device(4, 8, 8), w, handle=handle, batch=False)
        assert (made.__cuda_array_interface__["shape"], key) == ((1, 6, 8, 8), 0)
        pool = cudnn.PoolingDescriptor.max(2)
        made, key = pool(Device(4, 8, 8), handle=handle, batch=False)
        assert (made.__cuda_array_interface__["shape"], key) == ((1, 4, 4, 4), 0)

    def test_sequences_may_have_an_axis_less(
        self, cudnn: Any, handle: Any, launched: list[Any]
    ) -> None:
        pool = cudnn.PoolingDescriptor.max((2, 1))
        pool(Device(2, 4, 8), apart(2, 4, 4), handle=handle, batch=True)
        conv = cudnn.ConvolutionDescriptor.cross_correlation((1, 0))
        conv(Device(2, 4, 8), Device(6, 4, 3), apart(2, 6, 8), handle=handle)
        assert launched[0][3].shape == (2, 4, 8, 1)
        assert launched[1][2].shape == (2, 4, 8, 1)

    def test_a_descriptor_like_one(self, cudnn: Any) -> None:
        like = cudnn.TensorDescriptor.like
        assert like(Device(3, 8, 9), batch=False).shape == (1, 3, 8, 9)
        assert like(Device(3, 8, 9)).shape == (3, 8, 9, 1)
        last = like(Device(8, 9, 3), layout="NHWC", batch=False)
        assert (last.shape, last.layout) == ((1, 3, 8, 9), "NHWC")
