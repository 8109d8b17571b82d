"""The key of a graph: two graphs that differ in anything that cuDNN gets do not share it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import OPERATIONS, Graph, finalize
from cudnn_cffi.graph.record.key import kind_of
from cudnn_cffi.graph.record.operation import Option

from tests.graph.operations import CASES

#: Other values of fields of tensors, by their names; others get `others_of` their own.
TENSORS: dict[str, list[Any]] = {
    "alignment": [4, 32],
    "by_value": [True, False],
    "constant": [True, False],
    "data_type": ["HALF", "FLOAT", "BFLOAT16", "DOUBLE", "INT32"],
    "offset": [8],
    "ragged_multiplier": [2],
    "reordering_mode": ["F16x16", "INT8x32", "F8_128x4"],
    "stored_as": ["HALF", "BFLOAT16"],
    "value": [0.5, 0.0, -0.0, "nan", "inf", "-inf"],
    "vectorization": [[4, 1], [32, 1]],
    "virtual": [True, False],
    "workspace": [True, False],
}


def others_of(value: Any) -> list[Any]:
    """Return values near one."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value + 1, value + 0.5 if isinstance(value, float) else value + 2]
    if isinstance(value, list) and all(type(each) is int for each in value):
        return [[*value[:i], value[i] + 1, *value[i + 1 :]] for i in range(len(value))]
    return []


def values_of(setting: Option) -> list[Any]:
    """Return values of an option that may not be set."""
    numbers = [0.25, 0.5, math.pi]
    known: dict[str, list[Any]] = {"number": numbers, "float": numbers, "int": [1, 2, 3]}
    return known.get(setting.type, [False, True] if setting.type == "bool" else [*setting.words])


def changed(base: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the records of graphs that differ in one place, also such that there cannot be."""
    for place, tensor in enumerate(base["tensors"]):
        for field in sorted({*tensor, *TENSORS} - {"uid", "name"}):
            for value in TENSORS.get(field) or others_of(tensor[field]):
                tensors = [*base["tensors"]]
                tensors[place] = tensor | {field: value}
                yield base | {"tensors": tensors}
    for place, node in enumerate(base["nodes"]):
        options = node.get("options", {})
        found = [(name, value) for name in options for value in others_of(options[name])]
        for name, setting in OPERATIONS[node["kind"]].settings.items():
            found += [(name, value) for value in values_of(setting)]
        found += [("compute_data_type", value) for value in ("FLOAT", "DOUBLE", "HALF")]
        for name, value in found:
            nodes = [*base["nodes"]]
            nodes[place] = node | {"options": options | {name: value}}
            yield base | {"nodes": nodes}
    for field in ("io_data_type", "intermediate_data_type", "compute_data_type"):
        for value in ("FLOAT", "DOUBLE", "HALF", "BFLOAT16"):
            yield base | {field: value}
    yield base | {"dynamic_shapes": True}
    yield base | {"override_shapes": True}


def meaning(graph: Graph) -> Any:
    """Return what cuDNN gets, and what a call needs; None where it gets nothing."""
    try:
        lowered = graph.lowered("9.19.0")
    except errors.CudnnError:
        return None
    settings = lowered.dynamic_shapes, lowered.override_shapes
    types = [each.options.get("compute_data_type") for each in lowered.nodes]
    operands = [each._replace(name="") for each in finalize.operands(lowered, graph)]
    return repr((lowered.key, lowered.compute_data_type, settings, types, operands))


def kinds_of(name: str) -> frozenset[tuple[str, str]]:
    graph = Graph(name, **CASES[name].settings)
    CASES[name].build(graph)
    return frozenset((each.kind, str(each.options.get("mode"))) for each in graph.nodes)


#: A case for each set of operations.
NAMES = sorted({kinds_of(name): name for name in reversed(CASES)}.values())


@pytest.mark.parametrize("name", NAMES)
def test_graphs_that_differ_have_other_keys(name: str) -> None:
    graph = Graph(name, **CASES[name].settings)
    CASES[name].build(graph)
    base = json.loads(graph.to_json())
    known = {graph.signature: meaning(graph)}
    count = 0
    for record in changed(base):
        try:
            other = Graph.from_json(json.dumps(record))
        except errors.CudnnError:
            continue
        count += 1
        signature = other.signature
        found = meaning(other)
        assert known.setdefault(signature, found) == found, record
    assert count > 20


def scored(function: Callable[[Graph, Any, Any], Any], value: Any) -> str:
    """Return the signature of attention with a function of its scores and of a value."""
    graph = Graph(io_data_type="HALF")
    q, k, v = (graph.tensor((1, 2, 128, 64), name=name) for name in "qkv")
    score = lambda g, x: function(g, x, value)  # noqa: E731
    graph.output(graph.attention(q, k, v, scale=1.0, score=score), name="o")
    return graph.signature


def bent(graph: Graph, x: Any, options: dict[str, Any]) -> Any:
    return graph.pointwise("RELU_FWD", x, **options)


def shifted(graph: Graph, x: Any, number: float) -> Any:
    return graph.relu(x + number)


def turned(graph: Graph, x: Any, number: float) -> Any:
    return graph.relu(number - x)


def test_functions_of_scores_that_differ() -> None:
    options: list[dict[str, Any]] = [
        {}, {"data_type": "HALF"}, {"data_type": "BFLOAT16"}, {"compute_data_type": "HALF"},
        {"nan_propagation": "PROPAGATE_NAN"}, {"slope": 0.5}, {"upper_clip": 1.0}, {"alpha1": 0.5},
    ]  # fmt: skip
    found = [scored(bent, each) for each in options]
    found += [scored(shifted, each) for each in (0.0, -0.0, 1.0, -1.0, math.nan, math.inf)]
    found.append(scored(turned, 1.0))
    assert len({*found}) == len(found)


def test_graphs_of_one_kind_differ_in_extents_above_one() -> None:
    """Their plans share kernels."""

    def kind(rows: int) -> object:
        g = Graph(io_data_type="HALF", dynamic_shapes=True)
        g.output(g.relu(g.tensor((2, rows, 64))))
        return kind_of(g.key)

    assert kind(2) == kind(3) == kind(300)
    assert kind(1) != kind(2)
