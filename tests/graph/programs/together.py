"""Print what a graph of operations that no engine combines is refused with, as JSON."""

import json
from typing import Any

from cudnn_cffi import CudnnError
from cudnn_cffi.graph import Graph

g = Graph("pair", io_data_type="HALF")
x, w = g.tensor((1, 512, 1024), name="x"), g.tensor((1, 1024, 256), name="w")
gamma, beta = (g.tensor((1, 1, 1024), "FLOAT", name=name) for name in ("gamma", "beta"))
normal = g.layer_norm(x, gamma, beta, phase="inference").y
g.output(g.matmul(normal, w), name="y")

answer: dict[str, Any] = {}
try:
    g.computation(device="H200")
except CudnnError as error:
    answer = {"kind": type(error).__name__, "message": error.message, "hint": error.hint}
print(json.dumps(answer))
