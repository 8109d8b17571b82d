"""Calls of plans at random: the compiled layer and Python do the same, or refuse the same."""

from __future__ import annotations

import random
from typing import Any

import pytest
from cudnn_cffi import handles

from tests.plan.conftest import Library, driver, standin
from tests.plan.conftest import known_arrays as arrays
from tests.plan.standin import CONVOLUTION, StandIn, make_plan

__all__ = ["arrays", "driver", "standin"]  # fixtures

pytestmark = pytest.mark.attack


def _changed(draw: random.Random) -> dict[str, Any]:
    """Return fields of an array that may or may not fit."""
    changes: dict[str, Any] = {}
    while draw.random() < 0.4:
        what = draw.choice(["shape", "strides", "dtype", "address"])
        if what == "shape":
            changes["shape"] = tuple(draw.choice([1, 3, 8, 16]) for _ in range(4))
        elif what == "strides":
            changes["strides"] = tuple(draw.choice([0, 1, 8, 24, 128, 2048]) for _ in range(4))
        elif what == "dtype":
            changes["dtype"] = draw.choice(["float32", "int32", "float16"])
        else:
            changes["address"] = draw.choice([0x10000, 0x10008, 0x10010, 0x7FFF_FFFF_FFF0])
    return changes


def _outcome(standin: StandIn, call: Any) -> tuple[Any, ...]:
    standin.executions.clear()
    try:
        answer: Any = call()
    except Exception as error:
        answer = (type(error), str(error))
        assert not standin.executions or standin.status
    done = [
        (each.handle, each.stream, each.pointers, each.workspace) for each in standin.executions
    ]
    return answer, done


def test_both_ways_do_the_same(seed: int, standin: StandIn, arrays: Library) -> None:
    draw = random.Random(seed)
    made = handles.Handle(stream=0x880)
    for _ in range(60):
        standin.workspace_size = draw.choice([0, 0, 5000])
        plan = make_plan()
        plan(*arrays.arrays())
        if arrays.module is not None:
            arrays.module.current = draw.choice([0, 0, 0x990])
        for _ in range(30):
            values: list[Any] = [
                arrays.make(each, **{"address": 0x10000 * each.uid} | _changed(draw))
                for each in CONVOLUTION
            ]
            if draw.random() < 0.1:
                values[draw.randrange(3)] = draw.choice([None, 3, "x", object(), b"", 2.0])
            if values[2] is None or (arrays.name == "cupy" and len(values) < 3):
                values[2] = arrays.make(CONVOLUTION[2], 0x30000)
            named: dict[str, Any] = {}
            while len(values) > 1 and draw.random() < 0.3:
                named["xwy"[len(values) - 1]] = values.pop()
            if draw.random() < 0.1:
                named[draw.choice(["z", "handle", "x"])] = draw.choice([None, made, 3])
            if draw.random() < 0.1:
                values.append(values[0])
            standin.status = draw.choice([0] * 9 + [5000])
            compiled = _outcome(standin, lambda: plan(*values, **named))  # noqa: B023
            python = _outcome(standin, lambda: plan._run(values, named))  # noqa: B023
            assert compiled == python, (values, named)
        standin.status = 0
    made.close()
