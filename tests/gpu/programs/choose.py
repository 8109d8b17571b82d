"""Tune or build one convolution, and say which engine runs it and whether heuristics were asked."""

import json
import sys
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi.choice.engine.engines import Engines

asked: list[Any] = []
ask = Engines.ask


def noting(self, mode, *given, **named):
    asked.append(mode)
    return ask(self, mode, *given, **named)


Engines.ask = noting
graph = cudnn.Graph(io_data_type="HALF", compute_data_type="FLOAT")
x = graph.tensor((8, 64, 28, 28), layout="NHWC", name="x")
w = graph.tensor((64, 64, 3, 3), layout="NHWC", name="w")
graph.output(graph.convolution(x, w, padding=1), name="y")
if sys.argv[1] == "tune":
    plan = graph.autotune(cudnn.handle()).best
elif sys.argv[1] == "autotune":
    plan = graph.build(choose="autotune")
else:
    plan = graph.build()
print(json.dumps({"engine": plan.engine, "knobs": plan.knobs, "asked": asked}))
