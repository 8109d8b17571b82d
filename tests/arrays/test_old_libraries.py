"""Arrays of PyCUDA and CUDAMat, imitated by what their users can read of them."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import arrays, errors
from cudnn_cffi.descriptors import TensorDescriptor
from cudnn_cffi.plan.run import reading

from tests.plan.standin import CONVOLUTION, StandIn, make_plan

PAGE = Path(__file__).parents[2] / "docs" / "porting" / "libcudnn.md"


class DeviceAllocation:
    """Memory of PyCUDA, whose address is told by `int`."""

    def __init__(self, address: int) -> None:
        self.address = address

    def __int__(self) -> int:
        return self.address

    def as_buffer(self, size: int, offset: int = 0) -> memoryview:
        raise NotImplementedError


class GPUArray:
    """An array of PyCUDA: strides are in bytes, and the interface is a property."""

    def __init__(self, address: int, shape: Any, dtype: Any, strides: Any = None) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.strides = strides or np.empty(shape, dtype).strides
        self.gpudata = DeviceAllocation(address)
        self.size, self.nbytes = int(np.prod(shape)), int(np.prod(shape)) * self.dtype.itemsize

    @property
    def ptr(self) -> int:
        return int(self.gpudata)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
            "data": (self.ptr, False),
            "stream": None,
            "version": 3,
        }


class Matrix(ctypes.Structure):
    """The structure that a matrix of CUDAMat points to."""

    _fields_ = (
        ("data_host", ctypes.POINTER(ctypes.c_float)),
        ("data_device", ctypes.POINTER(ctypes.c_float)),
        ("on_device", ctypes.c_int),
        ("on_host", ctypes.c_int),
        ("size", ctypes.c_int * 2),
        ("is_trans", ctypes.c_int),
        ("owns_data", ctypes.c_int),
    )


class CUDAMatrix:
    """A matrix of CUDAMat."""

    def __init__(self, address: int, rows: int, columns: int) -> None:
        data = ctypes.cast(address, ctypes.POINTER(ctypes.c_float))
        self.mat = Matrix(None, data, 1, 0, (rows, columns), 0, 1)
        self.p_mat = ctypes.pointer(self.mat)

    @property
    def shape(self) -> tuple[int, int]:
        return self.mat.size[0], self.mat.size[1]


def test_an_array_of_pycuda() -> None:
    x = GPUArray(0x7000, (2, 3, 4, 5), "float32")
    assert arrays.describe(x)[:4] == (0x7000, "float32", (2, 3, 4, 5), (60, 20, 5, 1))
    for each in (x, x.gpudata, x.ptr, ctypes.c_void_p(int(x.gpudata))):
        assert arrays.device_pointer(each) == 0x7000
    with pytest.raises(
        errors.ArgumentError, match="expected device memory, got a DeviceAllocation"
    ):
        arrays.describe(x.gpudata)
    with pytest.raises(errors.ClosedError):
        arrays.describe(GPUArray(0, (2, 3), "float32"))


@pytest.mark.usefixtures("cudnn")
def test_a_descriptor_of_an_array_of_pycuda() -> None:
    desc = TensorDescriptor.like(GPUArray(0x7000, (2, 3, 4, 5), "float16"))
    assert (desc.shape, desc.dtype.name) == ((2, 3, 4, 5), "HALF")


def test_a_plan_with_arrays_of_pycuda(standin: StandIn) -> None:
    plan = make_plan()
    x, w, y = (
        GPUArray(each.uid << 16, each.shape, "float16", tuple(2 * step for step in each.strides))
        for each in CONVOLUTION
    )
    for _ in range(2):
        assert plan(x, w, y) is y
        assert standin.executions.pop().pointers == {1: 0x10000, 2: 0x20000, 3: 0x30000}
    with pytest.raises(errors.ArgumentError, match="y: no new output"):
        plan(x, w)
    assert not reading.is_learnt(GPUArray)


def test_a_matrix_of_cudamat() -> None:
    m = CUDAMatrix(0x7000, 3, 5)
    assert arrays.device_pointer(m.p_mat.contents.data_device) == 0x7000
    with pytest.raises(errors.ArgumentError, match="expected device memory, got a CUDAMatrix"):
        arrays.device_pointer(m)


def test_the_page_makes_an_array_of_a_matrix_of_cudamat() -> None:
    (code,) = re.findall(r"```python\n(from types import.*?)```", PAGE.read_text("utf-8"), re.S)
    space: dict[str, Any] = {"ctypes": ctypes}
    exec(code, space)
    made = space["as_array"](CUDAMatrix(0x7000, 3, 5))
    assert isinstance(made, SimpleNamespace)
    # The rows of a matrix in column-major order are side by side.
    assert arrays.describe(made)[:4] == (0x7000, "float32", (5, 3), (3, 1))
