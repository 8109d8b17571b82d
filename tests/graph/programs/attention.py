"""Finalize, and where it can be compiled build, the graphs of attention with one library.

    python attention.py finalize|build [CASE ...]

Prints a JSON object: "forward CASE", "backward CASE" or "later CASE" to the form, or to the error.
"""

from __future__ import annotations

import json
import sys

import cudnn_cffi
from cudnn_cffi import choice, errors

from tests.graph import attention_cases as cases

release = tuple(int(part) for part in cudnn_cffi.library.load().version.split("."))
action, *wanted = sys.argv[1:]
device = choice.DeviceProperties("H200") if release >= (9, 8) else None
answers = {}
for direction, names, make in (
    ("forward", cases.FORWARD, cases.forward),
    ("backward", cases.BACKWARD, cases.backward),
    ("later", cases.LATER, cases.forward),
):
    for case in names:
        name = f"{direction} {case}"
        if wanted and name not in wanted:
            continue
        if direction == "later" and release < tuple(map(int, cases.LATER[case][0].split("."))):
            continue
        more = {"padded": True} if direction == "backward" and release < (9, 16) else {}
        graph = make(case, **more)
        try:
            lowered = graph.lowered()
            if action == "build":
                graph.build(device=device)
            else:
                from cudnn_cffi.graph.finalize import make_descriptors

                make_descriptors(lowered, None).close()
            single = lowered.nodes[0].kind.startswith("sdpa")
            answers[name] = "node" if single else "composite"
        except errors.CudnnError as error:
            answers[name] = f"{type(error).__name__}: {error.message}"
print(json.dumps(answers))
