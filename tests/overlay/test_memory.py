"""Arrays of our own as far as they go without a device: views, closing, what others are told.

The memory is borrowed from NumPy: nothing here reads it through CUDA.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cudnn_cffi import errors
from cudnn_cffi.arrays import device_pointer
from cudnn_cffi.memory import DeviceArray, Memory
from hypothesis import given
from hypothesis import strategies as st


def borrowed(host: np.ndarray) -> DeviceArray:
    memory = Memory.borrow(host.ctypes.data, host.nbytes, 0, None, host)
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

    @given(st.permutations(range(4)))
    def test_axes_in_another_order(self, axes: list[int]) -> None:
        host = np.zeros((4, 5, 6, 7), np.int8)
        same(borrowed(host).transpose(*axes), host.transpose(axes))

    def test_views_of_views(self, host: np.ndarray) -> None:
        view = borrowed(host)[1:].transpose(1, 0, 3, 2)[::2, 1]
        same(view, host[1:].transpose(1, 0, 3, 2)[::2, 1])

    @pytest.mark.parametrize("shape", [(840,), (4, -1), (-1, 42), (20, 6, 7), (4, 5, 6, 7, 1)])
    def test_other_extents(self, host: np.ndarray, shape: tuple[int, ...]) -> None:
        same(borrowed(host).reshape(*shape), host.reshape(shape))
        same(borrowed(host).reshape(shape), host.reshape(shape))  # type: ignore[arg-type]

    @pytest.mark.parametrize("shape", [(841,), (-1, -1), (0, -1), (11, -1)])
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

    def test_what_the_interface_has_no_name_for(self) -> None:
        pytest.importorskip("ml_dtypes")
        host = np.zeros(4, np.int16)
        memory = Memory.borrow(host.ctypes.data, host.nbytes, 0, None, host)
        array = DeviceArray(memory, (4,), "bfloat16", (1,))
        assert not hasattr(array, "__cuda_array_interface__")
        assert array.dtype.name == "bfloat16"

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
        (((2, 3), "float12"), "a data type was expected"),
        (((2, 3), "INT8x4"), "a data type was expected"),
    ],
)
def test_arrays_that_cannot_be(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        DeviceArray.empty(*arguments)


def test_layouts(cudnn: Any) -> None:
    with pytest.raises(ValueError, match='"NCHW" or "NHWC" was expected'):
        cudnn.DeviceArray.empty((1, 2, 3, 4), layout="CHWN")


def test_from_dlpack_refuses_host_memory(cudnn: Any) -> None:
    with pytest.raises(TypeError, match="from_numpy"):
        cudnn.DeviceArray.from_dlpack(np.ones(3))
