"""Conditions that files declare."""

from __future__ import annotations

import itertools
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import arrays
from cudnn_cffi.errata import facts, judging, scope
from cudnn_cffi.errata.conditions import addresses
from cudnn_cffi.errata.definitions import Graph


class Made:
    """Stands for a descriptor, of which cuDNN tells members by names that were set."""

    def __init__(self, **values: Any) -> None:
        self._values = values

    def __getattr__(self, name: str) -> SimpleNamespace:
        if name not in ("data_type", "mode") or name not in self._values:
            raise AttributeError(name)
        return SimpleNamespace(name=self._values[name])


def tensor(*shape: int, data_type: str = "HALF", layout: str = "NHWC", alignment: int = 16) -> Made:
    strides = arrays.packed_strides(shape, layout)
    return Made(dimensions=shape, strides=strides, data_type=data_type, byte_alignment=alignment)


CONVOLUTION = Made(
    x=tensor(8, 12, 6, 6),
    w=tensor(16, 12, 3, 3),
    y=tensor(8, 16, 4, 4, data_type="FLOAT", alignment=4),
    conv_desc=Made(mode="CROSS_CORRELATION", spatial_dims=2),
)
RELU = Made(pw_descriptor=Made(mode="RELU_FWD"), xdesc=tensor(8, 16, 4, 4))


STRUCTURE = facts.Structure(["ConvolutionForward", "Pointwise"])


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ({}, True),
        ({"alone": True}, False),
        ({"alone": False}, True),
        ({"operations": ["ConvolutionForward", "Pointwise RELU_FWD"]}, True),
        ({"operations": ["ConvolutionForward", "Pointwise"]}, True),
        ({"operations": ["ConvolutionForward", "Pointwise ADD"]}, False),
        ({"operations": ["ConvolutionForward"]}, False),
        ({"with": ["Pointwise RELU_FWD"], "without": ["Matmul"]}, True),
        ({"without": ["Pointwise"]}, False),
        ({"options": {"spatial_dims": 2, "mode": ["CROSS_CORRELATION"]}}, True),
        ({"options": {"spatial_dims": {"from": 3}}}, False),
        (
            {"tensors": {"x": {"data_type": ["HALF", "BFLOAT16"], "layout": "NHWC", "rank": 4}}},
            True,
        ),
        ({"tensors": {"x": {"layout": "NCHW"}}}, False),
        ({"tensors": {"x": {"shape": [-1, {"modulo": 8, "is_not": 0}, 6, {"to": 6}]}}}, True),
        ({"tensors": {"x": {"shape": [-1, {"modulo": 4, "is_not": 0}, -1, -1]}}}, False),
        ({"tensors": {"x": {"shape": [-1, 12, 6]}}}, False),
        ({"tensors": {"y": {"alignment": {"below": 16}}}}, True),
        ({"tensors": {"x": {"alignment": {"below": 16}}}}, False),
        ({"tensors": {"any": {"data_type": "FLOAT"}}}, True),
        ({"tensors": {"any": {"data_type": "DOUBLE"}}}, False),
        ({"tensors": {"z": {"rank": 4}}}, False),
    ],
)
def test_conditions_of_engines(where: dict[str, Any], holds: bool) -> None:
    assert scope.problem(where, "engine") == ""
    made: Any = CONVOLUTION, RELU
    condition = scope.of_engine(where, "ConvolutionForward")
    graph = Graph(made, {(Made, Made): STRUCTURE})
    found = any(judging.holds(each, "ConvolutionForward", graph) for each in condition.either)
    if condition.applies is not None:
        found = found and condition.applies(CONVOLUTION, graph)
    assert found is holds


def test_members_that_are_0_are_words() -> None:
    class Operator(IntEnum):
        ADD = 0

    options = Made(operator=Operator.ADD)
    graph = Graph((Made(desc=options),), {(Made,): facts.Structure(["Reduction"])})
    assert judging._is_fact(graph, 0, "desc", "SUM")
    assert not judging._is_fact(graph, 0, "desc", "FLIPPED")


EXTENTS = 1, 3, 5, 35, 37, 38, 6143, 6144, 12287, 12288


@pytest.mark.parametrize("fact", scope._SHAPES)
def test_facts_of_shapes_are_what_files_declare(fact: str) -> None:
    """A declaration is a fact, without a function that is asked."""
    shape = scope._SHAPES[fact]
    condition = scope.of_engine({"tensors": {"x": {"shape": shape}}}, "ConvolutionForward")
    assert condition.applies is None
    found = 0
    for extents in itertools.product((1, 16), EXTENTS, EXTENTS, EXTENTS):
        graph = Graph(
            (Made(x=tensor(*extents)),), {(Made,): facts.Structure(["ConvolutionForward"])}
        )
        wanted = all(
            each == -1 or scope.fits(each, n) for each, n in zip(shape, extents, strict=True)
        )
        assert judging.holds(condition.either[0], "ConvolutionForward", graph) is wanted, extents
        found += wanted
    assert found > 0
    others = Graph((Made(x=tensor(8, 3, 3)),), {(Made,): facts.Structure(["ConvolutionForward"])})
    assert not judging.holds(condition.either[0], "ConvolutionForward", others)


@pytest.mark.parametrize(
    ("constraint", "values", "holds"),
    [
        (68, {"SPLIT": 68}, True),
        (68, {"SPLIT": 67}, False),
        (68, {"OTHER": 68}, False),
        (68, {}, False),
        ([1, 2], {"SPLIT": 2}, True),
        ([1, 2], {"SPLIT": 3}, False),
        ({"above": 2}, {"SPLIT": 3, "OTHER": 1}, True),
        ({"above": 2}, {"SPLIT": 2}, False),
        ({"none_of": [1, 2, 4]}, {"SPLIT": 3}, True),
        ({"none_of": [1, 2, 4]}, {"SPLIT": 4}, False),
        ({"none_of": [4], "from": 3}, {"SPLIT": 2}, False),
        ({"above": 2, "modulo": 2, "is_not": 0}, {"SPLIT": 4}, False),
        ({"above": 2, "modulo": 2, "is_not": 0}, {"SPLIT": 5}, True),
        *(({"from": 2, "to": 4}, {"SPLIT": each}, each in (2, 3, 4)) for each in range(6)),
        *(({"above": 2, "below": 4}, {"SPLIT": each}, each == 3) for each in range(6)),
    ],
)
def test_conditions_of_knobs(constraint: Any, values: dict[str, int], holds: bool) -> None:
    assert scope.problem_of_number(constraint) == ""
    assert scope.fits_knobs({"SPLIT": constraint}, values) is holds
    name, allowed = scope.values_of({"SPLIT": constraint})  # as the compiled layer asks
    assert (name in values and values[name] in allowed) is holds


@pytest.mark.parametrize(
    ("of_call", "holds"),
    [
        ({"alignment": {"below": 16}}, True),
        ({"alignment": {"above": 4}}, False),
        ({"mode": ["ELU", "RELU"], "width": 2}, True),
        ({"mode": "RELU"}, False),
        ({"count": 1}, False),
    ],
)
def test_conditions_of_functions(of_call: dict[str, Any], holds: bool) -> None:
    where = {"facts": of_call}
    assert scope.problem(where, "function") == ""
    assert scope.of_function(where)({"alignment": 4, "mode": "ELU", "width": 2}) is holds


@pytest.mark.parametrize("kind", ["HALF", "BFLOAT16", "FP8_E4M3", "FP8_E5M2"])
def test_attention_reads_narrow_arrays_at_multiples_of_16_bytes(kind: str) -> None:
    """Its statistics and scales, of FLOAT, may lie anywhere."""
    common: dict[str, Any] = {"role": "input", "views": (), "is_argument": True, "by_value": False}
    operations: Any = SimpleNamespace(structure=SimpleNamespace(kinds=["SDPAFwd"]))

    def told(queries: int, scale: int) -> str:
        q = SimpleNamespace(
            name="q", data_type=kind, shape=(2, 4, 64, 128), alignment=queries, **common
        )
        one = SimpleNamespace(
            name="scale_o", data_type="FLOAT", shape=(1, 1, 1, 1), alignment=scale, **common
        )
        computation: Any = SimpleNamespace(operands=(q, one))
        return addresses.CONDITIONS["attention at a low address"](computation, operations)

    assert told(16, 4) == ""
    assert told(4, 16).startswith("q: ")
