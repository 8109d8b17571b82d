"""Run what chooses on graphs whose row-major images are computed; one engine would not end."""

import json
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import cudnn_cffi as cudnn
import torch

from tests.gpu import graph_arrays

signal.alarm(60)  # ends the process

shown = cudnn.errata.get("convolution-computed-rows-hang").shows["graph"]
for data_type in ("HALF", "BFLOAT16"):

    def graph(data_type: str = data_type) -> cudnn.Graph:
        text = json.dumps(shown).replace('"HALF"', f'"{data_type}"')
        return cudnn.Graph.from_json(text)

    kind = getattr(torch, graph_arrays.TYPES[data_type])
    torch.manual_seed(0)
    x = torch.randn((16, 16, 16, 32), device="cuda").to(kind)
    w = torch.randn((8, 16, 3, 3), device="cuda").to(kind)
    wanted = torch.nn.functional.conv2d(x.double().relu().cpu(), w.double().cpu(), padding=1)
    engines = {each.engine for each in graph().candidates(every_engine=True)}
    assert 4 not in engines, "the engine is a candidate"
    with cudnn.errata.off("convolution-computed-rows-hang"):
        assert 4 in {each.engine for each in graph().candidates(every_engine=True)}, "it never was"
    for options in ({}, {"choose": "time"}, {"deterministic": True}):
        plan = graph().build(**options)
        y = graph_arrays.computed(torch, plan, x=x, w=w)
        error = graph_arrays.error_of(torch, y.cpu(), wanted)
        assert error < 1e-2, f"{data_type} {options}: {plan} is {error} off"
    print("right", data_type)
