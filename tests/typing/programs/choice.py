"""Policies: for a call, an operation, a scope and the process; saved choices."""

from __future__ import annotations

import cudnn_cffi as cudnn
from cudnn_cffi import DeviceArray, ops
from cudnn_cffi.choice import Engine, Policy, Rule, scope, set_default


def convolve(x: DeviceArray, w: DeviceArray) -> None:
    with cudnn.choice("deterministic", tf32=False), scope(forward="time", most=4):
        ops.convolution(x, w, choose="FFT")
    with cudnn.choice({"engine": 3, "knobs": {"TILE_SIZE": 1}, "via": "graph"}):
        ops.convolution(x, w, choose=Engine(3))
    ops.convolution(x, w, choose=Policy(forward=Rule(pick="time", workspace_limit=1 << 20)))
    ops.convolution(x, w, choose={"forward": cudnn.ConvolutionFwdAlgo.WINOGRAD, "tf32": True})
    ops.convolution(x, w, choose="heuristic")


old: Policy = set_default("time", workspace_limit="64 MiB", filter={"exclude": [3, 4]})
set_default(old)
rule: Rule = Policy.of("deterministic").forward
print(rule.deterministic, cudnn.choice.default_policy(), len(cudnn.choice.choices()))
cudnn.choice.save("choices.json")
cudnn.choice.load("choices.json")

set_default("tiem")  # refused
set_default("time", workspace="64 MiB")  # refused
cudnn.choice("determinstic")  # refused
cudnn.choice(forward="tiem")  # refused
Policy.of("time", via="grpah")  # refused
Policy.of({"engin": 3})  # refused
Policy.of(tf32="no")  # refused
Rule(pick="tiem")  # refused
