"""Graphs of integers that engines round, and of truth values, are refused."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import ops
from cudnn_cffi._ways.case import Case, Unfit
from cudnn_cffi._ways.classic_call import Classic, Zero, operands_of
from cudnn_cffi._ways.graph_draft import Draft
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.ops import Operation

like = ops.Spec.like

OPERATIONS: dict[str, tuple[Operation, int]] = {
    "relu": (ops.Activation("relu"), 1),
    "identity": (ops.Activation("identity"), 1),
    "add": (ops.TensorOperation("add"), 2),
    "mean": (ops.Pooling("average"), 1),
    "maximum": (ops.Pooling("max"), 1),
    "sum": (ops.Reduction("add", 1), 1),
    "copy": (ops.Transform(), 1),
    "to float64": (ops.Transform(dtype="float64"), 1),
    "to int64": (ops.Transform(dtype="int64"), 1),
    "to bool": (ops.Transform(dtype="bool"), 1),
}


def draft(operation: Operation, *arrays: Any, **call: Any) -> None:
    case = operation.case(*arrays, **call)
    operation.graph(case, Draft(case.inputs, case.outputs))


@pytest.mark.parametrize("kind", ["int32", "int64", "bool"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_what_is_rounded(name: str, kind: str) -> None:
    operation, count = OPERATIONS[name]
    why = "BOOLEAN" if kind == "bool" else "round|BOOLEAN"
    with pytest.raises(Unfit, match=why):
        draft(operation, *[like((2, 8, 4, 4), kind)] * count)


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_float32_holds(name: str) -> None:
    operation, count = OPERATIONS[name]
    arrays = [like((2, 8, 4, 4), "int8")] * count
    if name == "to bool":
        with pytest.raises(Unfit, match="BOOLEAN"):
            draft(operation, *arrays)
    else:
        draft(operation, *arrays)


def test_conversions_to_float64_are_scaled_in_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph converts alone, and cuDNN's function multiplies and adds what it wrote."""
    operation, x = ops.Transform(dtype="float64"), like((2, 8, 4, 4), "float32")
    draft(operation, x)
    inner = []

    def find(case: Case, **_: Any) -> Classic:
        inner.append(case)
        return Classic("convert", operands_of(case.inputs, case.outputs), [Zero("y", 8)])

    monkeypatch.setattr(operation, "find_way", find)
    for scaled in ({"alpha": 0.1}, {"beta": 0.5}):
        with pytest.raises(Unfit, match="in float32"):
            draft(operation, x, **scaled)
        case = operation.case(x, **scaled)
        steps: Any = operation.classic(case, Rule(), None).steps
        assert inner[-1].is_plain
        assert inner[-1].outputs["y"].dtype == "float64"
        assert steps[-1].arguments[1] == case.alpha
        assert steps[-1].arguments[4] == case.beta
        assert steps[-1].arguments[3] == steps[0].where


def test_conversions_that_round_once() -> None:
    x, wide = like((2, 8, 4, 4), "int32"), like((2, 8, 4, 4), "float32")
    draft(ops.Transform(dtype="float32"), x)
    draft(ops.Transform(dtype="int32"), wide)
    with pytest.raises(Unfit, match="round int32"):
        draft(ops.Transform(dtype="int32"), wide, out=x, beta=1.0)
