"""Plans: calls on arrays of any library, saving, and CUDA graphs."""

from __future__ import annotations

from pathlib import Path

import cudnn_cffi as cudnn
from cudnn_cffi import DeviceArray, Plan
from cudnn_cffi.types import ArrayT


def run(plan: Plan, x: ArrayT, w: ArrayT) -> ArrayT:
    return plan(x, w, handle=None, stream=...)


def both(plan: Plan, q: DeviceArray) -> DeviceArray:
    o, stats = plan(q, q, q)
    print(stats.shape)
    return o


def keep(plan: Plan, file: Path) -> Plan:
    file.write_text(plan.to_json())
    again: Plan = Plan.from_json(file.read_text())
    names: list[str] = [each.name for each in again.inputs]
    print(names, again.workspace_size, again.engine, again.knobs, again.device, again.notes)
    return again


def use(plan: Plan, x: DeviceArray) -> None:
    with cudnn.Handle() as handle:
        plan.prepare(handle)
        y: DeviceArray = plan(x, x, handle=handle)
        plan(x, x, y, stream=None, workspace=x)
        plan(x=x, w=x, y=y)
    text: str = plan(x, x)  # refused
    print(plan.workspace_sise)  # refused
    plan.prepare(handel=None)  # refused
    plan.prepare("x")  # refused
    plan(x, x, stream="default")  # refused
    plan(x, x, handle=3)  # refused
    Plan.from_json(plan)  # refused
    print(text)
