"""Values for all elements of an array, by a stand-in of the driver's functions in NumPy."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import ml_dtypes
import numpy as np
from cudnn_cffi import ops
from cudnn_cffi.choice.policy import Rule

from tests.ops.imitation import HANDLE, install

install()
VALUES = (0.0, -0.0, 0.5, -3.0, 1 / 3, 65504.0, 1e-8, 1.00390625, 3e38, np.inf, -np.inf)


def filled(value, array):
    strides = tuple(s // array.itemsize for s in array.strides)
    operation = ops.Fill(value)
    case = operation.case(ops.Spec(array.dtype.name, array.shape, strides, None))
    way = operation.classic(case, Rule(pick="heuristic"), HANDLE)
    if way.function != "cudnnSetTensor":
        way.call_with(HANDLE, 0, array.ctypes.data)
    return way.function


for dtype, width in ((np.float16, 16), (ml_dtypes.bfloat16, 16), (np.float32, 32)):
    for value in VALUES:
        x = np.full((3, 4, 5), 7, dtype)
        function = filled(value, x.transpose(2, 0, 1))
        if dtype is np.float16 and 65504 < abs(value) < np.inf:
            assert function == "cudnnSetTensor"
            continue
        assert function == f"cuMemsetD{width}Async", (dtype, value)
        wanted = np.full_like(x, np.asarray(value, np.float32).astype(dtype))
        assert x.tobytes() == wanted.tobytes(), (dtype, value)
    assert filled(1.0, np.ones((4, 8), dtype)[:, ::2]) == "cudnnSetTensor"
assert filled(1.0, np.ones(8)) == filled(1.0, np.ones(8, np.int32)) == "cudnnSetTensor"
