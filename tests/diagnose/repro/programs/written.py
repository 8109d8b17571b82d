"""Write C programs of graphs for the library that is found, and print the plans of some.

    written.py FOLDER PLANNED NAME...

writes FOLDER/NAME.c. A line of JSON for each has its name, and the error if it was refused; for the
first PLANNED graphs that an engine takes also cuDNN's JSON of the plan, for an H200.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import errata
from cudnn_cffi.diagnose.repro import c_program
from cudnn_cffi.diagnose.repro.case import make, without_errata
from cudnn_cffi.diagnose.repro.data import INDICES
from cudnn_cffi.graph.finalize import operands
from cudnn_cffi.plan.run.call_steps import WORKSPACE

from tests.graph.operations import CASES

_, folder, planned, *names = sys.argv
left = int(planned)


def graph_of(name: str) -> Any:
    if name in CASES:
        graph = cudnn.Graph(**dict(CASES[name].settings))
        CASES[name].build(graph)
        return graph
    return cudnn.Graph.from_json(json.dumps(errata.get(name).shows["graph"]))


for name in names:
    told: dict[str, Any] = {"name": name}
    try:
        with without_errata():
            graph = graph_of(name)
            candidate = plan = None
            if left:
                found = graph.candidates(device="H200", every_engine=True)
                for candidate in found[:1]:
                    try:
                        plan = candidate.build()
                    except cudnn.CudnnError as error:
                        told["unplanned"] = str(error)
            given = {
                each.name: 1
                for each in operands(graph.lowered(), graph)
                if each.role == "input" and each.is_argument and each.data_type in INDICES
            }
            engine, knobs = (candidate.engine, candidate.knobs) if candidate else (0, {})
            case = make(graph, engine, knobs, 0, given, None, cudnn.load().version)
            text = c_program.text(case, f"{name}\n*/ ends no comment")
        Path(folder, f"{name}.c").write_text(text, encoding="utf-8")
        if plan is not None:
            told["plan"], left = json.loads(plan._text), left - 1
            told["packed"] = [
                [uid, 0 if each == "" or each is WORKSPACE else offset]
                for uid, each, offset in plan._packed
            ]
    except cudnn.CudnnError as error:
        told["error"] = f"{type(error).__name__}: {error}"
    print(json.dumps(told))
