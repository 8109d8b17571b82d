"""A wrong argument is refused before anything is launched, and nothing is harmed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.gpu.algorithms import with_workspace


@pytest.fixture
def desc(cudnn: Any) -> Any:
    return cudnn.TensorDescriptor.packed((2, 3, 4, 5))


@pytest.fixture
def relu(cudnn: Any) -> Any:
    return cudnn.ActivationDescriptor.relu()


@pytest.fixture(autouse=True)
def _the_device_still_works(cudnn: Any, torch: Any, handle: Any) -> Iterator[None]:
    yield
    if not handle.closed:
        x = torch.randn(1, 2, 3, 4, device="cuda")
        y = torch.from_dlpack(cudnn.ActivationDescriptor.relu()(x, handle=handle))
        assert torch.equal(y, x.clamp(min=0))


class TestTheCNames:
    def test_host_memory(
        self, cudnn: Any, torch: Any, handle: Any, relu: Any, desc: Any, fresh: Any
    ) -> None:
        y = fresh(2, 3, 4, 5)
        for x in (np.ones((2, 3, 4, 5), np.float32), torch.ones(2, 3, 4, 5), [1.0], b"1234"):
            with pytest.raises(cudnn.CudnnError, match="expected device memory"):
                cudnn.cudnnActivationForward(handle, relu, 1.0, desc, x, 0.0, desc, y)

    def test_freed_memory(self, cudnn: Any, handle: Any, relu: Any, desc: Any, fresh: Any) -> None:
        x, y = cudnn.DeviceArray.zeros((2, 3, 4, 5)), fresh(2, 3, 4, 5)
        x.close()
        with pytest.raises(cudnn.CudnnError, match="freed"):
            cudnn.cudnnActivationForward(handle, relu, 1.0, desc, x, 0.0, desc, y)
        buffer = cudnn.DeviceArray.zeros((2, 3, 4, 5))._memory.buffer
        buffer.close()
        with pytest.raises(cudnn.CudnnError, match="closed Buffer"):
            cudnn.cudnnActivationForward(handle, relu, 1.0, desc, buffer, 0.0, desc, y)

    def test_closed_objects(
        self, cudnn: Any, handle: Any, relu: Any, desc: Any, fresh: Any
    ) -> None:
        x = fresh(2, 3, 4, 5)
        closed = desc.copied()
        closed.close()
        with pytest.raises(cudnn.CudnnError, match=r"xDesc.*closed"):
            cudnn.cudnnActivationForward(handle, relu, 1.0, closed, x, 0.0, desc, x)
        gone = cudnn.Handle()
        gone.close()
        with pytest.raises(cudnn.CudnnError, match=r"handle.*closed"):
            cudnn.cudnnActivationForward(gone, relu, 1.0, desc, x, 0.0, desc, x)

    def test_what_only_cudnn_can_know_is_an_exception_with_its_words(
        self, cudnn: Any, handle: Any, relu: Any, desc: Any, fresh: Any
    ) -> None:
        x = fresh(2, 3, 4, 5)
        other = cudnn.TensorDescriptor.packed((2, 3, 4, 6))
        with pytest.raises(cudnn.CudnnError) as caught:
            cudnn.cudnnActivationForward(handle, relu, 1.0, desc, x, 0.0, other, x)
        assert caught.value.status
        assert "xDesc=Tensor(2,3,4,5 float32 NCHW)" in str(caught.value)

    @pytest.mark.parametrize("given", ["none", "half"])
    def test_too_small_a_workspace(
        self, cudnn: Any, torch: Any, handle: Any, fresh: Any, given: str
    ) -> None:
        x, w = fresh(4, 64, 56, 56), fresh(64, 64, 3, 3)
        y = torch.full_like(x, 3.0)
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1, math="FMA_MATH")
        algorithm, (size,) = with_workspace(cudnn, handle, conv, [(x, w, y)])
        x_desc, w_desc = cudnn.TensorDescriptor.like(x), cudnn.FilterDescriptor.like(w)
        y_desc, algo = cudnn.TensorDescriptor.like(y), cudnn.ConvolutionFwdAlgo[algorithm]
        small = 0 if given == "none" else size // 2
        with pytest.raises(cudnn.CudnnError) as caught:
            cudnn.cudnnConvolutionForward(
                handle, 1.0, x_desc, x, w_desc, w, conv, algo,
                handle.workspace.get(small), small, 0.0, y_desc, y,
            )  # fmt: skip
        assert caught.value.status
        torch.cuda.synchronize()
        assert bool((y == 3).all()), "nothing was launched"


class TestCheckedCNames:
    def test_arrays_are_held_against_their_descriptors(
        self, cudnn: Any, handle: Any, relu: Any, desc: Any, fresh: Any, poisoned: Any
    ) -> None:
        x, y = fresh(2, 3, 4, 5), poisoned(2, 3, 4, 5)
        with cudnn.check_calls():
            cudnn.cudnnActivationForward(handle, relu, 1.0, desc, x, 0.0, desc, y)
            assert (y == x.clamp(min=0)).all()
            for wrong, words in (
                (fresh(2, 3, 4, 6), "y: expected shape 2,3,4,5, got 2,3,4,6"),
                (fresh(2, 3, 4, 5, dtype="float16"), "y: expected float32, got float16"),
                (fresh(2, 3, 4, 5, layout="NHWC"), "y: expected strides 60,20,5,1"),
                (fresh(2, 3, 4, 10)[..., ::2], "y: expected strides 60,20,5,1"),
                (y.data_ptr() + 2, "y: expected an address that is a multiple of 4"),
            ):
                with pytest.raises(cudnn.CudnnError, match=words):
                    cudnn.cudnnActivationForward(handle, relu, 1.0, desc, x, 0.0, desc, wrong)

    def test_descriptors_and_streams_are_no_memory(
        self, cudnn: Any, handle: Any, relu: Any, desc: Any, fresh: Any
    ) -> None:
        for wrong in (desc, relu, handle, cudnn.Stream()):
            with pytest.raises(cudnn.CudnnError, match="expected device memory"):
                cudnn.cudnnActivationForward(
                    handle, relu, 1.0, desc, fresh(2, 3, 4, 5), 0.0, desc, wrong
                )


class TestCheckedCalls:
    def test_wrong_data_type(self, handle: Any, relu: Any, fresh: Any) -> None:
        with pytest.raises(ValueError, match="out: expected float32, like x, got float16"):
            relu(fresh(2, 3, 4, 5), fresh(2, 3, 4, 5, dtype="float16"), handle=handle)

    def test_wrong_shape(self, cudnn: Any, handle: Any, relu: Any, fresh: Any) -> None:
        with pytest.raises(ValueError, match="out: expected shape 2,3,4,5, got 2,3,4,6"):
            relu(fresh(2, 3, 4, 5), fresh(2, 3, 4, 6), handle=handle)
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
        with pytest.raises(ValueError, match="x: expected 4 channels, got 3"):
            conv(fresh(1, 3, 8, 8), fresh(8, 4, 3, 3), handle=handle)

    def test_a_filter_with_gaps(self, cudnn: Any, handle: Any, fresh: Any) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
        with pytest.raises(ValueError, match="without gaps"):
            conv(fresh(1, 4, 8, 8), fresh(8, 4, 3, 6)[:, :, :, ::2], handle=handle)

    def test_an_address_between_elements(self, cudnn: Any, handle: Any, relu: Any) -> None:
        whole = cudnn.DeviceArray.zeros(1000)
        crooked = whole._view((2, 3, 4, 5), (60, 20, 5, 1), 2)
        with pytest.raises(cudnn.CudnnError, match="multiple of 4"):
            relu(crooked, handle=handle)

    def test_against_a_descriptor(self, cudnn: Any, desc: Any, fresh: Any) -> None:
        assert cudnn.check(desc, x := fresh(2, 3, 4, 5)) == x.data_ptr()
        for wrong, words in (
            (fresh(2, 3, 4, 6), "expected shape 2,3,4,5, got 2,3,4,6"),
            (fresh(2, 3, 4, 5, dtype="float64"), "expected float32, got float64"),
            (fresh(2, 3, 4, 5, layout="NHWC"), "expected strides 60,20,5,1"),
            (fresh(2, 3, 4, 10)[..., ::2], "expected strides 60,20,5,1"),
            (np.ones((2, 3, 4, 5), np.float32), "host memory"),
        ):
            with pytest.raises(cudnn.CudnnError, match=words):
                cudnn.check(desc, wrong, "x")

    def test_no_device_memory_left(self, cudnn: Any, handle: Any) -> None:
        with pytest.raises(MemoryError):
            cudnn.DeviceArray.empty((1 << 15, 1 << 15, 64, 64), stream=handle.stream)

    def test_a_closed_stream(
        self, cudnn: Any, torch: Any, handle: Any, relu: Any, fresh: Any
    ) -> None:
        stream = cudnn.Stream()
        handle.stream = stream
        x = fresh(2, 3, 4, 5)
        stream.close()
        conv = cudnn.ConvolutionDescriptor.cross_correlation()
        calls: tuple[Callable[[], object], ...] = (
            lambda: relu(x, x, handle=handle),
            lambda: conv(x, fresh(3, 3, 1, 1), x, handle=handle),
            lambda: handle.workspace.get(1000),
        )
        for call in calls:
            with pytest.raises(cudnn.CudnnError, match="closed") as caught:
                call()
            assert "set handle.stream" in caught.value.hint
        handle.stream = torch.cuda.current_stream()
        with pytest.raises(cudnn.CudnnError, match="closed"):
            handle.stream = stream
        with pytest.raises(cudnn.CudnnError, match="closed"):
            cudnn.cudnnSetStream(handle, stream)
        with pytest.raises(cudnn.CudnnError, match="expected a CUDA stream"):
            handle.stream = "a stream"
