"""Plan thirteen graphs for an H200 on a machine without a driver, and follow the hints.

Arguments: "no-stand-in" for a package without what stands in for the driver.

The last line is JSON: why each graph is not planned ("" for one that is), the hint that a handle
gives, plans that the release does not write, whether the others are read as they were written, and
how many of the candidates of a convolution are supported.
"""

import json
import sys
from pathlib import Path
from typing import Any

import cudnn_cffi
from cudnn_cffi import CudnnError, DeviceProperties, Graph, Plan, ops
from cudnn_cffi.driver import stand_in

if "no-stand-in" in sys.argv:
    stand_in.FILE = Path("nowhere")


def convolution(data_type: str, last: bool, relu: bool) -> Graph:
    g = Graph(io_data_type=data_type)
    x = g.tensor((2, 64, 16, 16), strides=(64 * 256, 1, 16 * 64, 64) if last else None)
    w = g.tensor((64, 64, 3, 3), strides=(64 * 9, 1, 3 * 64, 64) if last else None)
    y = g.convolution(x, w, padding=1)
    g.output(g.relu(y) if relu else y)
    return g


def one(kind: str) -> Graph:
    g = Graph(io_data_type="HALF")
    y: Any
    if kind == "matrix product":
        y = g.matmul(g.tensor((1, 64, 128)), g.tensor((1, 128, 256)))
    elif kind == "layer norm":
        scale, bias = (g.tensor((1, 1024, 1, 1), data_type="FLOAT") for _ in range(2))
        y = g.layer_norm(g.tensor((256, 1024, 1, 1)), scale, bias).y
    elif kind == "attention":
        y = g.attention(*(g.tensor((2, 4, 256, 64)) for _ in range(3)))
    elif kind == "pooling":
        x = g.tensor((2, 64, 16, 16), strides=(64 * 256, 1, 16 * 64, 64))
        y = g.resample(x, "MAXPOOL", window=2)
    elif kind == "reduction":
        y = g.reduction(g.tensor((4, 32, 16, 16), "FLOAT"), "ADD", dims=(2, 3))
    else:
        y = g.relu(g.tensor((4, 32, 16, 16)))
    g.output(y)
    return g


GRAPHS = {"convolution": lambda: convolution("HALF", True, False)}
for each in ("HALF", "BFLOAT16", "FLOAT"):
    for last in (True, False):
        order = "NHWC" if last else "NCHW"
        name = f"convolution + ReLU, {each}, {order}"
        GRAPHS[name] = lambda each=each, last=last: convolution(each, last, True)
for each in ("matrix product", "layer norm", "attention", "pooling", "reduction", "ReLU"):
    GRAPHS[each] = lambda each=each: one(each)

try:
    cudnn_cffi.Handle()
    sys.exit("there is a GPU")
except CudnnError as error:
    hint = error.hint

refused: dict[str, str] = {}
unsaved: list[str] = []
again = True
for name, make in GRAPHS.items():
    try:
        plan = make().build(device="H200")
        refused[name] = ""
    except CudnnError as error:
        refused[name] = f"{type(error).__name__}: {error}"
        continue
    try:
        text = plan.to_json()
    except CudnnError:
        unsaved.append(name)
        continue
    for device in (None, DeviceProperties("H200")):
        loaded = Plan.from_json(text, device=device)
        again = again and loaded.engine == plan.engine and loaded.to_json() == text

spec = ops.Spec.like
arrays = spec((2, 64, 16, 16), "half", "NHWC"), spec((64, 64, 3, 3), "half", "NHWC")
try:
    found = ops.candidates("convolution", *arrays, padding=1, device="H200")
    supported = sum(each.supported for each in found)
    table = str(found)
except CudnnError as error:
    supported, table = 0, f"{type(error).__name__}: {error}"
print(json.dumps({
    "hint": hint, "refused": refused, "unsaved": unsaved, "again": again, "supported": supported,
    "table": table,
}))  # fmt: skip
