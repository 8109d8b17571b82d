"""Operations on arrays: options, words, and the types of results."""

from __future__ import annotations

from cudnn_cffi import DeviceArray, ops
from cudnn_cffi.types import ArrayT


def block(x: ArrayT, w: ArrayT, b: ArrayT | None = None) -> ArrayT:
    y = ops.convolution(x, w, b, padding="same", activation="relu", choose="time")
    y = ops.max_pool(y, 2, stride=2, deterministic=True)
    return ops.softmax(y, axis=1)


x = DeviceArray.zeros((8, 64, 56, 56), "half", layout="NHWC")
w = DeviceArray.zeros((64, 64, 3, 3), "half", layout="NHWC")
y: DeviceArray = block(x, w)
dx: DeviceArray = ops.convolution_backward_data(y, w, x.shape, padding=1)
conv = ops.Convolution(padding=1, activation="relu")
z: DeviceArray = conv(x, w, out=y)
s = DeviceArray.zeros((64,), "float32")
n = ops.layer_norm(x, s, s, epsilon=1e-5)
r: DeviceArray = ops.add(x, y, alpha=0.5)
with ops.record() as log:
    print(dx, z, n, r, [each.operation for each in log])

ops.convolution(x, w, pading=1)  # refused
ops.convolution(x, w, activation="rleu")  # refused
ops.convolution(x, w, padding="sane")  # refused
ops.max_pool(x, "2")  # refused
ops.convolution(x, w, choose="tiem")  # refused
ops.max_pool(x, 2, chose="time")  # refused
ops.layer_norm(x, s, s, epsilom=1e-3)  # refused
ops.batch_norm(x, s, s, mode="spatail")  # refused
ops.Convolution(padding=1, activation="rleu")  # refused
ops.convolution(3, w)  # refused
text: str = ops.convolution(x, w)  # refused
