"""Arrays of the package, streams, handles and page-locked memory."""

from __future__ import annotations

import cudnn_cffi as cudnn
import numpy as np
from cudnn_cffi import DeviceArray
from cudnn_cffi.types import Array, ArrayT, DType


def pick(one: ArrayT, other: ArrayT, first: bool) -> ArrayT:
    return one if first else other


def make(shape: tuple[int, ...], dtype: DType = "float16") -> DeviceArray:
    return DeviceArray.zeros(shape, dtype, layout="NHWC")


x: DeviceArray = make((2, 8, 4, 4), "bfloat16")
y: DeviceArray = DeviceArray.empty((2, 8), float, stream=None, device=0)
both: DeviceArray = pick(x, y, True)
anything: Array = both
half: DeviceArray = DeviceArray.from_numpy(np.ones((2, 3), np.float16))
numbers = x.reshape(2, -1).transpose(1, 0).to_numpy()
print(numbers.shape, half[0, 1:].shape, x.nbytes, anything)
pinned = cudnn.pinned_empty((3,), "float32")
with cudnn.Stream() as stream, cudnn.Handle(stream=stream) as handle:
    handle.workspace.reserve(1 << 20)
    handle.set_stream(stream)
    x.copy_from(numbers, stream=stream)
    print(pinned.dtype, handle.workspace.size)

DeviceArray.zeros((1, 2), layuot="NHWC")  # refused
DeviceArray.zeros((1, 2), layout="NHCW")  # refused
DeviceArray.empty((1, 2), "flaot32")  # refused
DeviceArray.empty("1, 2")  # refused
DeviceArray.empty((1, 2), stream="default")  # refused
cudnn.Handle(straem=None)  # refused
text: str = x.to_numpy()  # refused
x.reshpae(2, -1)  # refused
pick(x, 3, True)  # refused
