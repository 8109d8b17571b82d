"""The nearest supported graph of graphs that are refused: found, built, and told."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Program, Run
from tests.explain.refusals import REFUSALS

#: The release that most refusals are those of.
RELEASE = "9.19.0"

#: The share of refusals for which a change has to be found in 5 s each; benchmarks/results/explain.json
#: has the measured one. Most of the others are operations that no release computes by themselves.
WANTED = 0.9


@pytest.fixture(scope="module")
def libraries(cudnn_libraries: list[Path]) -> dict[str, Path]:
    """Return the libraries of the releases that refuse something here."""
    from cudnn_cffi.library import sublibraries

    found = {sublibraries.version_in(each): each for each in cudnn_libraries}
    wanted = {each.release for each in REFUSALS} & found.keys()
    if not wanted:
        pytest.skip("no cuDNN of the releases of the refusals")
    return {release: found[release] for release in wanted}


@pytest.fixture(scope="module")
def library(libraries: dict[str, Path]) -> Path:
    return libraries.get(RELEASE) or pytest.skip(f"no cuDNN {RELEASE}")


def explained(
    program: Program, libraries: dict[str, Path], places: dict[str, str], numbers: list[int]
) -> list[dict[str, Any]]:
    found = []
    for release, library in libraries.items():
        own = [number for number in numbers if REFUSALS[number].release == release]
        for first in range(0, len(own), 4):  # a child has two minutes
            part = ",".join(map(str, own[first : first + 4]))
            lines = program("explain", library, part, **places).stdout.splitlines()
            found += [json.loads(line) for line in lines]
    found.sort(key=lambda each: numbers.index(each["number"]))
    assert [each["number"] for each in found] == numbers
    return found


def share(found: list[dict[str, Any]]) -> float:
    """Return the share of refusals for which a change was found that builds."""
    assert not any(each["as it is"] for each in found), "each is refused"
    return sum(bool(each["builds"]) for each in found) / len(found)


def numbers_of(libraries: dict[str, Path]) -> list[int]:
    return [number for number, each in enumerate(REFUSALS) if each.release in libraries]


def test_a_sample_of_refusals(
    program: Program, libraries: dict[str, Path], places: dict[str, str]
) -> None:
    numbers = random.Random(2).sample(numbers_of(libraries), 20)
    found = explained(program, libraries, places, sorted(numbers))
    assert share(found) >= WANTED, found


@pytest.mark.slow
def test_all_refusals(program: Program, libraries: dict[str, Path], places: dict[str, str]) -> None:
    """Print what benchmarks/results/explain.json has, which `pytest -rP` shows."""
    found = explained(program, libraries, places, numbers_of(libraries))
    wrong = [each for each in found if not each["builds"]]
    public = [each for each in found if REFUSALS[each["number"]].source]
    answered, public_answered = (sum(each["builds"] for each in part) for part in (found, public))
    values = {
        "refusals": len(found),
        "answered": answered,
        "percent": round(100 * answered / len(found), 1),
        "public": len(public),
        "public_answered": public_answered,
    }
    print(json.dumps(values, indent=1))
    assert share(found) >= WANTED, wrong
    assert share(public) >= WANTED, wrong


def test_operations_that_no_release_computes_alone(
    program: Program, library: Path, places: dict[str, str]
) -> None:
    numbers = [
        number
        for number, each in enumerate(REFUSALS)
        if each.options.get("name") in ("rng", "signal", "rope")
        or each.options.get("mode") == "MUL"
    ]
    found = explained(program, {RELEASE: library}, places, numbers)
    for each, advice in zip(found, ("reduction MUL", "signal", "rng", "rope_forward"), strict=True):
        assert not each["builds"]
        text = f"; engines take {advice} in larger graphs only, if at all; instead, "
        assert text in each["sentence"], each


def test_the_table_has_300_refusals_of_35_threads_8_devices_and_2_releases() -> None:
    assert len(REFUSALS) >= 300
    assert len({each.source for each in REFUSALS if each.source}) >= 35
    assert len({each.device for each in REFUSALS}) >= 8
    assert {each.release for each in REFUSALS} == {"9.12.0", RELEASE}


def test_errors_and_calls(program: Program, library: Path, places: dict[str, str]) -> None:
    assert program("errors", library, **places).stdout.strip() == "explained"


def test_a_library_that_does_not_answer_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi import DeviceProperties, errors
    from cudnn_cffi._explain import elsewhere

    monkeypatch.setattr(elsewhere, "_LONGEST", 0.001)
    device = DeviceProperties("H200")
    with pytest.raises(errors.NotSupportedError, match="no answer within"):
        elsewhere._in_child("libcudnn.so.9", "{}", device)


#: A locale whose encoding is ASCII, for Python as well.
ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


def test_another_library_gets_any_name(run: Run, library: Path, places: dict[str, str]) -> None:
    code = """
        import os
        from cudnn_cffi import DeviceProperties, Graph
        from cudnn_cffi._explain import elsewhere
        g = Graph(name="gr\\xfc\\xdfe")
        g.output(g.relu(g.tensor((2, 64, 8, 8), "float16", name="\\u03b1")), name="\\u03b2")
        library = os.environ["CUDNN_CFFI_LIBRARY"]
        built = elsewhere._in_child(library, g.to_json(), DeviceProperties("H200"))
        assert built.release == "9.19.0", built
    """
    run(code, library, **places, **ASCII)


class TestTheCommand:
    def run(
        self, library: Path, places: dict[str, str], *arguments: str
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cudnn_cffi", "explain", *arguments]
        env = {**os.environ, **places, "CUDNN_CFFI_LIBRARY": str(library)}
        return subprocess.run(command, env=env, capture_output=True, text=True)

    def test_graphs_of_this_package(
        self, library: Path, places: dict[str, str], tmp_path: Path
    ) -> None:
        from cudnn_cffi.graph import Graph

        double = next(each for each in REFUSALS if each.source == "tensorflow/tensorflow#57748")
        file = tmp_path / "graph.json"
        file.write_text(double.make(Graph).to_json())
        done = self.run(library, places, str(file), "--device", "H200", "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["is_found"]
        assert found["change"]
        Graph.from_json(json.dumps(found["graph"]))
        text = self.run(library, places, str(file), "--device", "H200").stdout
        assert text.splitlines()[0] == found["sentence"].splitlines()[0]

    def test_graphs_of_the_front_end(
        self, library: Path, places: dict[str, str], tmp_path: Path
    ) -> None:
        file = tmp_path / "graph.json"
        for text in (json.dumps(ORIGINAL), own_text()):
            file.write_text(text)
            done = self.run(library, places, str(file), "--device", "H200")
            assert done.returncode == 0, done.stderr
            assert done.stdout.startswith("with computation in INT32, cuDNN 9.19.0 builds it")

    def test_bad_input(self, library: Path, places: dict[str, str], tmp_path: Path) -> None:
        file = tmp_path / "graph.json"
        own = json.loads(own_graph())
        own["tensors"][1]["strides"].append(1)
        torn = json.dumps(own)
        own = json.loads(own_graph())
        own["nodes"][0]["outputs"] = {}
        scaled = {**ORIGINAL, "nodes": [{**ORIGINAL["nodes"][0], "tag": "NONE_SUCH"}]}
        for content, words in (
            (None, "expected a file with a graph as JSON, got "),
            ("{", "expected JSON in "),
            ("[" * 100_000, "expected JSON in "),
            (torn, "tensor w: expected 4 strides, got 5"),
            (json.dumps(own), "node convolution_forward: it has no result"),
            ('{"a": 1}', "error: this is no JSON of a graph"),
            ('{"json_version": "7"}', "json_version: expected 1.0 or 2.0, got '7'"),
            ('{"json_version": "1.0"}', "the JSON is not a graph of the front end: KeyError"),
            (json.dumps(scaled), "NONE_SUCH of the front end's JSON is not read"),
        ):
            if content is not None:
                file.write_text(content)
            done = self.run(library, places, str(file), "--device", "H200")
            assert done.returncode == 2, done.stdout
            assert words in done.stderr
            assert "Traceback" not in done.stderr
        file.write_text(json.dumps(ORIGINAL))
        for arguments, words in (
            (("--device", "H9000"), "there are no properties of a device 'H9000'"),
            (("--device", "H200", "--seconds", "-1"), "expected a number from 0 on, got -1.0"),
        ):
            done = self.run(library, places, str(file), *arguments)
            assert done.returncode == 2
            assert words in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"split": "no"}, "split: expected True or False, got 'no'"),
        ({"determinstic": True}, "there is no filter 'determinstic'"),
        ({"deterministic": "no"}, "deterministic: expected True or False"),
        ({"libraries": "libcudnn.so"}, "libraries: expected a list of files"),
        ({"libraries": ["none/libcudnn.so"]}, "libraries: there is no file none/libcudnn.so"),
    ],
)
def test_wrong_arguments_are_no_refusals(options: dict[str, Any], said: str) -> None:
    """A search would find no graph that is supported with them."""
    from cudnn_cffi import errors, explain

    with pytest.raises(errors.ArgumentError, match=said):
        explain(own_graph(), device="H200", **options)


def own_graph() -> str:
    """Return a convolution as this package writes it."""
    from cudnn_cffi.graph import Graph

    graph = Graph(io_data_type="HALF")
    x, w = graph.tensor((2, 8, 6, 6), name="x"), graph.tensor((8, 8, 3, 3), name="w")
    graph.output(graph.convolution(x, w), name="y")
    return graph.to_json()


#: A convolution as the front end of NVIDIA writes it.
ORIGINAL: dict[str, Any] = {
    "json_version": "1.0",
    "context": {
        "io_data_type": "INT8",
        "intermediate_data_type": "FLOAT",
        "compute_data_type": "FLOAT",
    },
    "nodes": [
        {
            "tag": "CONV_FPROP",
            "name": "0",
            "inputs": {"X": "x", "W": "w"},
            "outputs": {"Y": "0::Y"},
            "math_mode": "CROSS_CORRELATION",
            "pre_padding": [1, 1],
            "post_padding": [1, 1],
            "stride": [1, 1],
            "dilation": [1, 1],
        }
    ],
    "tensors": {
        name: {
            "name": name,
            "uid": uid,
            "data_type": "INT8",
            "dim": dim,
            "stride": stride,
            "is_virtual": False,
            "is_pass_by_value": False,
        }
        for uid, (name, dim, stride) in enumerate(
            (
                ("x", [4, 32, 14, 14], [6272, 1, 448, 32]),
                ("w", [64, 32, 3, 3], [288, 1, 96, 32]),
                ("0::Y", [4, 64, 14, 14], [12544, 1, 896, 64]),
            ),
            1,
        )
    },
}


def own_text() -> str:
    """Return the same graph as this package's front end writes it."""
    import cudnn_cffi.compat.frontend as cudnn

    kind = cudnn.data_type
    g = cudnn.pygraph(
        io_data_type=kind.INT8, intermediate_data_type=kind.FLOAT, compute_data_type=kind.FLOAT
    )
    x = g.tensor(name="x", dim=[4, 32, 14, 14], stride=[6272, 1, 448, 32])
    w = g.tensor(name="w", dim=[64, 32, 3, 3], stride=[288, 1, 96, 32])
    y = g.conv_fprop(x, w, padding=[1, 1], stride=[1, 1], dilation=[1, 1])
    y.set_output(True)
    return repr(g)


@pytest.mark.parametrize("page", ["troubleshooting", "without-a-gpu"])
def test_the_code_of_pages_that_plan_runs(
    page: str, program: Program, library: Path, places: dict[str, str]
) -> None:
    done = program("gpu/pages", library, page, **places)
    assert done.stdout.endswith("1 blocks\n")
    assert page != "troubleshooting" or f"with computation in INT32, cuDNN {RELEASE}" in done.stdout
