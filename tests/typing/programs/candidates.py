"""Engines of a computation: listed, timed and forced."""

from __future__ import annotations

import cudnn_cffi as cudnn
from cudnn_cffi import DeviceArray, ops


def look(g: cudnn.Graph) -> cudnn.Plan:
    found = g.candidates(modes=["A", "FALLBACK"], every_engine=True, deterministic=True)
    rows: list[tuple[int, dict[str, int]]] = [(each.engine, each.knobs) for each in found]
    timed = g.autotune(seconds=1.0, cold=True, most=5, workspace_limit="64 MiB")
    times: list[float] = [each.median for each in timed]
    plan: cudnn.Plan = timed.best
    print(rows, times, plan, found.refusals, g.candidates(device="H200"))
    g.build(choose=lambda found: found[0])
    return g.build(choose=found[0])


def compare(x: DeviceArray, w: DeviceArray) -> None:
    rows = ops.candidates("convolution", x, w, padding=1, time=True)
    ops.convolution(x, w, padding=1, choose=rows[0].choose)


def wrong(g: cudnn.Graph, x: DeviceArray) -> None:
    g.candidates(modes=["Z"])  # refused
    g.candidates(every_engin=True)  # refused
    g.candidates(determinstic=True)  # refused
    g.autotune(second=1.0)  # refused
    g.autotune(most="all")  # refused
    g.build(choose="autotnue")  # refused
    g.build(engine="1")  # refused
    print(g.candidates()[0].enigne)  # refused
