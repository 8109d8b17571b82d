"""Arrays and workspaces of our own: allocation, copies, views, and the order of streams."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest


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
        self, cudnn: Any, torch: Any, handle: Any, fresh: Any, error_of: Any
    ) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1, math="FMA_MATH")
        cases, results = [], []
        for size in (16, 24, 32, 48, 64):
            x, w = fresh(4, 16, size, size), fresh(16, 16, 3, 3)
            results.append(torch.from_dlpack(conv(x, w, handle=handle, algorithm="GEMM")))
            cases.append((x, w))
        for (x, w), y in zip(cases, results, strict=True):
            expected = torch.nn.functional.conv2d(x.cpu().double(), w.cpu().double(), padding=1)
            assert error_of(y, expected) < 1e-5
