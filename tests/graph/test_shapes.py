"""Graphs for other extents: what follows of them, which share kernels, and what cuDNN is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cudnn_cffi import errors
from cudnn_cffi.driver import libcuda
from cudnn_cffi.graph import Graph, finalize
from cudnn_cffi.library import sublibraries

from tests.conftest import Program


def layers(batch: int, size: int) -> Graph:
    g = Graph(io_data_type="HALF", dynamic_shapes=True)
    x = g.tensor((batch, 8, size, size), layout="NHWC", name="x")
    w = g.tensor((16, 8, 3, 3), layout="NHWC", name="w")
    y = g.relu(g.convolution(x, w, padding=1, stride=2) + g.tensor((1, 16, 1, 1), name="b"))
    g.output(y, name="y")
    g.output(g.reduction(y, "MAX", dims=(2, 3)), name="most")
    return g


def test_results_follow() -> None:
    assert layers(2, 20).at(x=(3, 8, 31, 31)) == layers(3, 31)
    assert layers(2, 20).at() == layers(2, 20)
    graph = layers(2, 20)
    graph.at(x=(3, 8, 31, 31))
    assert graph == layers(2, 20)


def test_what_does_not_follow() -> None:
    graph = layers(2, 20)
    with pytest.raises(errors.GraphError, match="no input 'z'"):
        graph.at(z=(1, 2))
    with pytest.raises(errors.GraphError, match="no input 'y'"):
        graph.at(y=(1, 2))
    with pytest.raises(errors.ShapeMismatchError, match="expected 4 axes"):
        graph.at(x=(2, 8, 20))
    with pytest.raises(errors.ShapeMismatchError):
        graph.at(x=(2, 9, 20, 20))
    with pytest.raises(errors.ArgumentError):
        graph.at(x=(2, 8, -1, 20))
    g = Graph()
    x = g.tensor((4, 6), strides=(8, 1), name="x")
    g.output(g.reshape(g.relu(x), (24, 1)), name="y")
    with pytest.raises(errors.GraphError, match="gaps"):
        g.at(x=(5, 6))
    g = Graph()
    g.output(g.reshape(g.tensor((4, 6), name="x"), (24, 1)), name="y")
    with pytest.raises(errors.GraphError, match="option"):
        g.at(x=(5, 6))


def test_signatures_are_those_of_before() -> None:
    """Saved choices are found by them."""
    graph, other = Graph(), Graph(override_shapes=True)
    for each in (graph, other):
        each.output(each.relu(each.tensor((2, 3))))
    assert "override" not in repr(graph.key)
    assert graph.signature != other.signature
    assert Graph.from_json(other.to_json()).override_shapes


def test_views_of_changed_arrays_change() -> None:
    def lowered(rows: int) -> Graph:
        g = Graph(io_data_type="HALF", override_shapes=True)
        x = g.tensor((2, rows, rows), name="x")
        columns = g.view(x, x.shape, (rows * rows, 1, rows))
        g.output(x @ x @ columns, name="y")
        return g.lowered("9.21.0")

    old, new = lowered(64), lowered(40)
    changed = finalize.changes(old, new)
    assert set(changed.values()) == {((2, 40, 40), (1600, 40, 1)), ((2, 40, 40), (1600, 1, 40))}
    assert len(changed) == 4
    read = {each.uid for node in new.nodes for each in node.inputs.values() if not each.is_virtual}
    assert read < changed.keys()
    assert not finalize.changes(old, old)


@pytest.mark.skipif(not libcuda.why_absent(), reason="there is an NVIDIA driver")
def test_plans(
    cudnn_libraries: list[Path], program: Program, places: dict[str, str], tmp_path: Path
) -> None:
    for library in cudnn_libraries:
        release = tuple(map(int, sublibraries.version_in(library).split(".")))
        if release < (9, 12):
            continue
        done = program("shapes", library, CUDNN_CFFI_PLAN_CACHE=str(tmp_path), **places)
        found = json.loads(done.stdout.splitlines()[-1])
        assert found["shapes"] == [[2, 40, 64], [2, 64, 32], [2, 40, 32]]
        assert found["same"]
        assert found["engines"]
        assert found["kinds"] == 1
        assert found["attention"] == 2
        assert "kernel_cache" in found["refused"]
        if release >= (9, 21):
            rows = [[[2, 40, 64], [2560, 64, 1]], [[2, 40, 32], [1280, 32, 1]]]
            assert found["overrides"] == rows
            assert found["descriptor"]
            assert found["frontend"] == ["taken", *["ValueError"] * 3]
        else:
            assert "added in 9.21.0" in found["lacking"]
            assert found["frontend"] == ["cudnnGraphNotSupportedError"] * 4
        if release >= (9, 18):  # cuDNN reads the length of the vector that we lay out
            assert "override_shapes.size()" in found["pack"]
