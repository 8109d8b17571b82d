"""`repro` and the command: files that are written, and bad input."""

from __future__ import annotations

import ast
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import cudnn_cffi
import numpy as np
import pytest
from cudnn_cffi import Graph, driver, errors
from cudnn_cffi.__main__ import main
from cudnn_cffi.diagnose.repro import case, front, repro

from tests.conftest import Program

pytestmark = pytest.mark.usefixtures("cudnn")


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a GPU, tests/gpu has the same."""
    monkeypatch.setattr(driver, "count", lambda: 0)
    monkeypatch.setattr(driver, "why_unusable", lambda: "the GPU is not looked for")


def graph(**options: Any) -> Graph:
    g = Graph(io_data_type="HALF", **options)
    a, b = g.tensor((2, 64, 16), name="a"), g.tensor((2, 16, 8), name="b")
    g.output(g.matmul(a, b), name="c", data_type="FLOAT")
    return g


def test_both_files_tell_the_case(tmp_path: Path) -> None:
    done = repro(
        graph(), tmp_path / "out", engine=2, knobs={"tile_size": 3}, seed=9, data={"b": "extremes"},
        note="Note of a report: */ and \"\"\" and \\.",
    )  # fmt: skip
    assert cudnn_cffi.repro is repro
    assert done.files == (tmp_path / "out.py", tmp_path / "out.c")
    assert (done.engine, done.knobs, done.status) == (2, {"TILE_SIZE": 3}, 2)
    assert done.text == "not run: the GPU is not looked for"
    python, c = (each.read_text() for each in done.files)
    told = ast.get_docstring(ast.parse(python)) or ""
    for text in (told, c):
        assert f"Engine 2 of cuDNN {cudnn_cffi.load().version}, knobs: TILE_SIZE=3" in text
        assert "Note of a report" in text
        assert "c: float[2,64,8] = matmul(a=a, b=b)" in text
        assert "Inputs, by seed 9:" in text
        assert "a: normal: sums of four uniform numbers" in text
        assert "b: extremes: 0, -0, 1" in text
        assert "Expected, by NumPy, node by node in float64:" in text
        assert "not run: the GPU is not looked for" in text
        assert "Environment:" in text
        assert "package: " in text
        assert "driver: " in text
    assert c.index("*/") > c.index("driver: ")


def test_the_python_file_runs(tmp_path: Path) -> None:
    (path,) = repro(graph(), tmp_path / "out.py", engine=2).files
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stdout.startswith("COULD NOT RUN: ")
    without = subprocess.run(
        [sys.executable, "-I", path], capture_output=True, text=True, check=False
    )
    if "No module named" in without.stdout:
        assert (without.returncode, without.stdout[:14]) == (2, "COULD NOT RUN:")


def test_a_record_brings_engine_and_data(tmp_path: Path) -> None:
    record = cudnn_cffi.errata.get("convolution-tanh-nan")
    (path,) = repro(record, tmp_path / "out.c").files
    text = path.read_text()
    assert f"engine_index = {record.engines[0]};" in text
    assert "CONSTANT, 8.0, NULL" in text


def test_a_graph_that_ends_the_process_is_written(tmp_path: Path) -> None:
    done = repro(cudnn_cffi.errata.get("graph-convolution-and-product"), tmp_path / "out")
    assert done.engine == 0
    assert all(each.exists() for each in done.files)


def indices() -> Graph:
    g = graph()
    length = g.tensor((2, 1, 1), "INT32", name="m")
    a = g.tensor((2, 64, 16), name="x")
    g.output(g.matmul(a, g.tensors[2], m=length), name="d", data_type="FLOAT")
    return g


@pytest.mark.parametrize(
    ("given", "options", "error", "said"),
    [
        (graph, {"path": "out.txt"}, errors.ArgumentError, "ends in .py or .c, got out.txt"),
        (graph, {"engine": "2"}, errors.ArgumentError, "engine: expected an index, got '2'"),
        (graph, {"engine": -1}, errors.ArgumentError, "engine: expected an index, got -1"),
        (graph, {"knobs": {"NO": 1}}, errors.ArgumentError, "got 'NO': 1"),
        (graph, {"knobs": {"TILE_SIZE": "1"}}, errors.ArgumentError, "got 'TILE_SIZE': '1'"),
        (
            graph,
            {"engine": 1, "device": "H2"},
            errors.ArgumentError,
            "no properties of a device 'H2'",
        ),
        (graph, {"seed": 1.5}, errors.ArgumentError, "seed: expected an int, got 1.5"),
        (graph, {"data": {"x": 1}}, errors.ArgumentError, "data: there is no input 'x'"),
        (graph, {"data": {"a": "odd"}}, errors.ArgumentError, "data of a: there is no kind 'odd'"),
        (
            graph,
            {"data": {"a": [1, 2]}},
            errors.ArgumentError,
            "or 2048 elements, at most 32768; got 2",
        ),
        (graph, {"data": {"a": object()}}, errors.ArgumentError, "data of a: expected numbers"),
        (graph, {"tolerance": {"a": 1}}, errors.ArgumentError, "tolerance: there is no output 'a'"),
        (graph, {"tolerance": -1}, errors.ArgumentError, "tolerance: expected a number from 0 on"),
        (graph, {"tolerance": "x"}, errors.ArgumentError, "tolerance: expected a number from 0 on"),
        (indices, {}, errors.ArgumentError, "data of m: expected its elements, since it is INT32"),
        *(
            (indices, {"data": {"m": [1, value]}}, errors.ArgumentError, f"got {value:.1f}")
            for value in (1.5, 1 << 31)
        ),
        (indices, {"data": {"m": float("nan")}}, errors.ArgumentError, "whole numbers from -2147"),
        (lambda: "{}", {}, errors.GraphError, "this is no JSON of a graph"),
        (lambda: 3, {}, errors.ArgumentError, "subject: expected a Graph, its JSON"),
        (
            lambda: next(e for e in cudnn_cffi.errata.records() if "graph" not in e.shows),
            {},
            errors.ArgumentError,
            "no graph shows the erratum",
        ),
        (
            lambda: cudnn_cffi.errata.get("log-softmax-rounded"),  # a call of a function does
            {},
            errors.ArgumentError,
            "no graph shows the erratum",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_bad_input(
    given: Any, options: dict[str, Any], error: type[Exception], said: str, tmp_path: Path
) -> None:
    subject = given()
    path = tmp_path / options.pop("path", "out")
    with pytest.raises(error) as caught:
        repro(subject, path, **{"engine": 0, **options})
    assert said in str(caught.value).replace(f"{tmp_path}/", "")
    assert not list(tmp_path.iterdir())


def test_a_plan_of_another_process_has_no_graph() -> None:
    with pytest.raises(errors.ArgumentError, match="is not known to this process"):
        front._graph_of("0" * 64)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "graph.json"
    saved.write_text(graph().to_json())
    out = str(tmp_path / "out.c")
    arguments = ["repro", str(saved), "--engine", "2", "--knob", "TILE_SIZE=4", "--data", "a=zeros"]
    assert main([*arguments, "--data", "b=1.5", "--seed", "3", "-o", out]) == 0
    printed = capsys.readouterr().out
    assert printed == f"{out}\nnot run: the GPU is not looked for\n"
    text = Path(out).read_text()
    assert "engine_index = 2;" in text
    assert "CUDNN_KNOB_TYPE_TILE_SIZE" in text
    assert "ZEROS, 0, NULL" in text
    assert "CONSTANT, 1.5, NULL" in text
    assert main(["repro", "--erratum", "matmul-odd-rows", "-o", str(tmp_path / "odd")]) == 0
    assert (tmp_path / "odd.py").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "error: expected FILE or --erratum ID, got neither"),
        (["a.json", "--erratum", "matmul-odd-rows"], "expected FILE or --erratum ID, got both"),
        (["nowhere.json"], "error: expected a file with a graph as JSON, got nowhere.json"),
        (["--erratum", "nope"], "error: there is no erratum 'nope'"),
        (["--erratum", "matmul-odd-rows", "--knob", "A"], "--knob: expected NAME=VALUE, got 'A'"),
        (["--erratum", "matmul-odd-rows", "--knob", "A=b"], "--knob: expected NAME=VALUE"),
        (["--erratum", "matmul-odd-rows", "--data", "a=1,x"], "--data: expected NAME=VALUE"),
        (["--erratum", "matmul-odd-rows", "-o", "/nowhere/out.c"], "No such file or directory"),
    ],
    ids=str,
)
def test_bad_input_of_the_command(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = [] if "-o" in arguments else ["-o", str(tmp_path / "out")]
    assert main(["repro", *arguments, *output]) == 2
    assert said in capsys.readouterr().err


def test_a_graph_of_the_front_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from cudnn_cffi.compat import frontend

    g = frontend.pygraph(io_data_type=frontend.data_type.HALF)
    a = g.tensor(name="a", dim=[2, 64, 16], stride=[1024, 16, 1])
    b = g.tensor(name="b", dim=[2, 16, 8], stride=[128, 8, 1])
    g.matmul(a, b).set_output(True).set_data_type(frontend.data_type.FLOAT)
    saved = tmp_path / "graph.json"
    saved.write_text(repr(g))
    assert main(["repro", str(saved), "--engine", "1", "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out.c").exists(), capsys.readouterr().err


def test_plans_and_candidates(
    program: Program, cudnn_library: Path, places: dict[str, str], tmp_path: Path
) -> None:
    done = program("subjects", cudnn_library, tmp_path, **places)
    assert done.stdout == "4 files of one case\n"


def test_each_record_with_a_graph_has_a_program() -> None:
    """Its engine and values of knobs are numbers, and its data are elements of its inputs."""
    records = cudnn_cffi.errata.records()
    shown = [each for each in records if each.has_graph]
    for record in shown:
        graph, engine, knobs, data = front._parts(record)
        front._checked(0 if engine is None else engine, knobs)
        sizes = {each.name: math.prod(each.shape) for each in graph.tensors.values()}
        for name, each in data.items():
            assert np.size(each) in (1, sizes[name]), record.id
            assert np.size(each) <= 1 or sizes[name] <= case._MOST_GIVEN, record.id
