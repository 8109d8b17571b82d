"""Run a case with this package, as its Python file does: poisoned memory, one execution."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ... import driver, errors, library
from ..._support.output import write
from ..._support.results import NamedTuple
from ...driver import libcuda, timing
from ...handles import handle as own_handle
from ...plan import Plan
from ...plan.operand import Number, encode, span
from ...plan.run.addresses import launch
from ..evaluate import NoReferenceError
from . import data, judge
from .case import Case, without_errata

#: Exit statuses.
SAME, DIFFERS, COULD_NOT_RUN = range(3)

#: The byte that outputs and the workspace are filled with before; it makes NaN of floats.
POISON = 0xFF


class Outcome(NamedTuple):
    """The outcome of a run.

    Attributes:
        status: 0 for results as expected, 1 for others or a failure, 2 if it could not run.
        text: the details.
        worst: by output the indices of the elements that are the furthest off.
    """

    status: int
    text: str
    worst: Mapping[str, tuple[int, ...]] = {}


def run(text: str, *, as_json: bool = False) -> int:
    """Run the case of a Python file, print the outcome, and return the exit status.

    Args:
        text: the case as JSON.
        as_json: whether to print JSON.
    """
    outcome = of_text(text)
    write(f"{json.dumps(outcome._asdict()) if as_json else outcome.text}\n")
    return outcome.status


def of_text(text: str) -> Outcome:
    """Return the outcome of a case in this process."""
    try:
        case = Case.from_json(text)
        library.load()
    except errors.CudnnError as error:
        return _not_run(f"{type(error).__name__}: {error}")
    if problem := driver.why_unusable():
        return _not_run(problem)
    with without_errata(case.without):
        return _outcome(case)


def _outcome(case: Case) -> Outcome:
    try:
        inputs = case.inputs()
        for name, memory in inputs.items():
            found = f"{data.checksum(memory):#018x}"
            if found != case.checksums[name]:
                return _not_run(
                    f"{name}: the checksum of its elements is {found}, "
                    f"expected {case.checksums[name]}"
                )
        plan = _build(case)
    except errors.CudnnError as error:
        return _not_run(f"{type(error).__name__}: {error}")
    try:
        results = _executed(case, plan, inputs)
    except errors.AllocationError as error:
        return _not_run(f"{type(error).__name__}: {error}")
    except errors.CudnnError as error:
        return Outcome(DIFFERS, f"DIFFERS: it fails: {type(error).__name__}: {error}")
    return _compared(case, inputs, results)


def _build(case: Case) -> Plan:
    return case.graph.candidates(engine=case.engine, knobs=case.knobs)[0].build()


def _not_run(reason: str) -> Outcome:
    return Outcome(COULD_NOT_RUN, f"COULD NOT RUN: {reason}")


def _compared(case: Case, inputs: Mapping[str, Any], results: Mapping[str, Any]) -> Outcome:
    exact: dict[str, Any] = {}
    with suppress(NoReferenceError):
        exact = case.exact(inputs)
    kept = {each.name: each for each in case.operands}
    lines = [f"{name}: checksum {each}" for name, each in case.checksums.items()]
    worst, same = {}, True
    for each in case.expected:
        told = judge.compare(each, results[each.name], kept[each.name], exact.get(each.name))
        same = same and told.same
        worst[each.name] = told.worst
        lines.append(told.text)
    if not case.expected:
        lines.append("SAME: it ran; no result is expected")
    return Outcome(SAME if same else DIFFERS, "\n".join(lines), worst)


def _executed(case: Case, plan: Plan, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the elements of the outputs of one execution, as float64."""
    handle = own_handle()
    given = case.numbers()
    with handle._current():
        workspace = _allocate(plan.workspace_size)
        addresses, numbers = {}, []
        for each in plan.operands:
            if not each.is_argument:
                continue
            if each.by_value:
                numbers.append(Number(encode(each, _whole(each.data_type, given[each.name]))))
                addresses[each.name] = numbers[-1].address
                continue
            # An address that is a multiple of no more than the graph says.
            low = each.alignment if each.alignment < 16 else 0
            addresses[each.name] = _allocate(span(each)) + low
            if each.name in inputs:
                timing.copy_in(addresses[each.name], data.to_device(inputs[each.name], each))
        driver.synchronize_context()
        launch(plan, handle, list(addresses.values()), workspace)
        driver.synchronize_context()
        found = {}
        for each in plan.operands:
            if each.role == "output":
                copied = timing.copy_out(addresses[each.name], span(each))
                found[each.name] = data.seen(data.from_device(copied, each), each)
        return found


def _whole(data_type: str, value: float) -> float | int:
    return value if data_type in ("FLOAT", "DOUBLE", "HALF", "BFLOAT16") else int(value)


def _allocate(size: int) -> int:
    """Return the address of poisoned memory, which is there until the process ends."""
    address, whole = ctypes.c_uint64(), ctypes.c_size_t(size + 16)
    libcuda.call("cuMemAlloc_v2", ctypes.byref(address), whole)
    libcuda.call("cuMemsetD8_v2", address, ctypes.c_ubyte(POISON), whole)
    return address.value
