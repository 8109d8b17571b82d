"""Graphs: tensors, operations, and the plans that are built of them."""

from __future__ import annotations

import cudnn_cffi as cudnn
from cudnn_cffi import DeviceArray
from cudnn_cffi.graph import Tensor


def attention(g: cudnn.Graph, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    o: Tensor = g.attention(q, k, v, causal=True, scale=0.125)
    return o


x = DeviceArray.zeros((8, 64, 56, 56), "half", layout="NHWC")
w = DeviceArray.zeros((64, 64, 3, 3), "half", layout="NHWC")
g = cudnn.Graph()
a = g.tensor(x)
b: Tensor = g.tensor((64, 64, 3, 3), "half", layout="NHWC", name="w")
c: Tensor = g.relu(g.convolution(a, b, padding=1) + 1.0)
g.output(c, name="y")
plan: cudnn.Plan = g.build(workspace_limit=1 << 24, deterministic=True)
y: DeviceArray = plan(x, w)
print(y.shape, plan.engine, plan.knobs, [each.name for each in plan.operands])

g.convolution(a, b, pading=1)  # refused
g.tensor((1, 2, 3, 4), "hafl")  # refused
g.tensor((1, 2, 3, 4), "half", layuot="NHWC")  # refused
g.rleu(a)  # refused
g.reduce(a, mode="aplus")  # refused
g.attention(a, a, a, casual=True)  # refused
g.build(deterministik=True)  # refused
g.build(choose="autotnue")  # refused
