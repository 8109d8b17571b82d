"""Programs of cases on a GPU: the Python file and the compiled C file run, and agree."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import errata, library
from cudnn_cffi.diagnose.info import collect
from cudnn_cffi.diagnose.repro import front, running
from cudnn_cffi.diagnose.repro.case import Case

from tests.compilers import c_compiler
from tests.conftest import python_path

Run = Callable[[Path], "subprocess.CompletedProcess[str]"]


def convolution(cudnn: Any) -> Any:
    g = cudnn.Graph(io_data_type="HALF")
    x = g.tensor((4, 32, 14, 14), layout="NHWC", name="x")
    w = g.tensor((48, 32, 3, 3), layout="NHWC", name="w")
    b = g.tensor((1, 48, 1, 1), name="b")
    g.output(g.relu(g.convolution(x, w, padding=1) + b), name="y")
    return g


def attention(cudnn: Any) -> Any:
    g = cudnn.Graph(io_data_type="HALF")
    q, k, v = (g.tensor((2, 4, 128, 64), name=name) for name in "qkv")
    g.output(g.attention(q, k, v, scale=0.125), name="o")
    return g


def matmul(cudnn: Any) -> Any:
    g = cudnn.Graph(io_data_type="BFLOAT16")
    a, b = g.tensor((3, 64, 96), name="a"), g.tensor((3, 96, 128), name="b")
    g.output(g.matmul(a, b) * 0.5, name="c", data_type="FLOAT")
    return g


def norm(cudnn: Any) -> Any:
    g = cudnn.Graph(io_data_type="FLOAT")
    x = g.tensor((64, 256, 1, 1), name="x")
    scale, bias = (g.tensor((1, 256, 1, 1), name=name) for name in ("scale", "bias"))
    made = g.norm_forward("LAYER_NORM", "TRAINING", x, scale=scale, bias=bias, epsilon=1e-5)
    for name in ("y", "mean", "inv_variance"):
        g.output(getattr(made, name), name=f"{name}_out", data_type="FLOAT")
    return g


def pooling(cudnn: Any) -> Any:
    g = cudnn.Graph(io_data_type="FLOAT")
    x = g.tensor((2, 8, 16, 16), layout="NHWC", name="x")
    g.output(g.resample(x, "MAXPOOL", window=2, stride=2), name="y")
    return g


def truth(cudnn: Any) -> Any:
    g = cudnn.Graph(io_data_type="BOOLEAN")
    a, b = (g.tensor((4, 8, 13, 11), name=name) for name in "ab")
    g.output(g.logical_and(a, b), name="y")
    return g


GRAPHS = {each.__name__: each for each in (convolution, attention, matmul, norm, pooling, truth)}

DATA = {
    "convolution": {"x": "one_huge", "b": "integers"},
    "attention": {"v": "negative_rows"},
    "matmul": {"a": "cancelling"},
    "norm": {"scale": "positive"},
    "pooling": {"x": "extremes"},
    "truth": {"a": "normal", "b": "integers"},
}


def _folders(part: str) -> Iterator[Path]:
    """Yield the folders of headers or libraries of cuDNN and CUDA, those of pip first."""
    nvidia = [Path(each) / "nvidia" for each in {*sys.path, sysconfig.get_path("purelib")}]
    for folder in nvidia:
        for package in ("cudnn", "cu13", "cuda_runtime"):
            yield folder / package / part
    for home in (Path("/usr/local/cuda"), *sorted(Path("/usr/local").glob("cuda-*")), Path("/usr")):
        yield from (home / part, home / part / "x86_64-linux-gnu")
        if part == "lib":
            yield home / "lib64"


def _folder_of(pattern: str, part: str) -> Path:
    for folder in _folders(part):
        if any(folder.glob(pattern)):
            return folder
    reason = f"no {pattern} to compile with"
    if os.environ.get("CUDNN_CFFI_REQUIRE_GPU") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def run_c(cudnn: Any, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a function that compiles a C file, links it with the loaded libcudnn, and runs it."""
    compiler = c_compiler()
    include = [f"-I{_folder_of(name, 'include')}" for name in ("cudnn.h", "crt/host_defines.h")]
    cudart = sorted(_folder_of("libcudart.so*", "lib").glob("libcudart.so*"))[0]
    found = cudnn.load().path
    folders = [str(found.parent), str(cudart.parent)]
    options = [str(found), str(cudart), *(f"-Wl,-rpath,{each}" for each in folders), "-lm"]
    folder = tmp_path_factory.mktemp("compiled")

    def call(source: Path) -> subprocess.CompletedProcess[str]:
        made = folder / f"{source.parent.name}-{source.stem}"
        words = [compiler, "-O1", str(source), "-o", str(made), *include, *options]
        words += ["-Wl,--allow-shlib-undefined"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        # As this process finds CUDA's libraries, cuDNN has to find them there.
        paths = [*folders, os.environ.get("LD_LIBRARY_PATH", "")]
        paths += [str(each) for each in _folders("lib") if each.is_dir()]
        environment = dict(os.environ) | {"LD_LIBRARY_PATH": ":".join(filter(None, paths))}
        return subprocess.run(
            [made], capture_output=True, text=True, check=False, env=environment, timeout=300
        )

    return call


def run_python(path: Path) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ) | {"PYTHONPATH": python_path()}
    environment["CUDNN_CFFI_LIBRARY"] = str(library.load().path)
    return subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=False, env=environment,
        timeout=300,
    )  # fmt: skip


def case_of(path: Path) -> str:
    """Return the case of a Python file as JSON."""
    return path.read_text().split('r"""')[1].split('"""')[0]


def compared(text: str) -> list[str]:
    """Return the lines that tell checksums and verdicts, without what Python alone adds."""
    kept = ("checksum", "maximum error", "NaN", "sums of")
    return [line for line in text.splitlines() if any(word in line for word in kept)]


@pytest.fixture(scope="module", autouse=True)
def told_once() -> Iterator[None]:
    """Have a child tell the environment once, not for each file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cudnn_cffi.diagnose.repro.front.collect", cache(collect))
        yield


@pytest.mark.parametrize(("name", "data"), DATA.items())
def test_both_programs_run_and_agree(
    cudnn: Any, run_c: Run, name: str, data: dict[str, str], tmp_path: Path
) -> None:
    """The Python file runs here, without its process, but for one."""
    done = cudnn.repro(GRAPHS[name](cudnn), tmp_path / "out", data=data, seed=len(data))
    c, here = run_c(done.files[1]), running.of_text(case_of(done.files[0]))
    assert here.status == c.returncode == done.status == 0, f"{done}\n{here}\n{c.stdout}{c.stderr}"
    assert compared(here.text) == compared(c.stdout)
    assert done.text.count("SAME: ") == c.stdout.count("SAME: ") > 0
    assert "SAME: " in done.files[1].read_text()
    if name == "convolution":
        python = run_python(done.files[0])
        assert (python.returncode, python.stdout.strip()) == (0, here.text), python.stderr


@pytest.mark.parametrize("name", ["norm"])  # of three outputs
def test_a_planted_expectation_is_told(cudnn: Any, run_c: Run, name: str, tmp_path: Path) -> None:
    (path,) = cudnn.repro(GRAPHS[name](cudnn), tmp_path / "out.py").files
    case = Case.from_json(case_of(path))
    first, *others = case.expected
    values = [*first.values[:-1], first.values[-1] + first.largest]
    planted = case._replace(expected=(first._replace(values=values), *others))
    for file, run in ((tmp_path / "planted.py", run_python), (tmp_path / "planted.c", run_c)):
        file.write_text(front._text(file, planted, "A planted expectation"))
        done = run(file)
        assert done.returncode == 1, done.stdout + done.stderr
        assert f"DIFFERS: {first.name}: maximum error" in done.stdout
        assert "; 1 of " in done.stdout


@pytest.mark.parametrize("name", ["matmul-odd-rows", "matmul-gaps-after"])
def test_a_known_error_is_shown_by_both(cudnn: Any, run_c: Run, name: str, tmp_path: Path) -> None:
    done = cudnn.repro(errata.get(name), tmp_path / "out")
    python, c = run_python(done.files[0]), run_c(done.files[1])
    assert python.returncode == c.returncode == done.status == 1, (
        f"{done}\n{python.stdout}{python.stderr}\n{c.stdout}{c.stderr}"
    )
    assert "DIFFERS: " in c.stdout
    assert "DIFFERS: " in done.files[1].read_text()
    assert [line.split(":")[0] for line in compared(python.stdout)] == [
        line.split(":")[0] for line in compared(c.stdout)
    ]


def test_a_plan_of_an_operation_is_written(cudnn: Any, run_c: Run, tmp_path: Path) -> None:
    x, w = (cudnn.DeviceArray.zeros(shape, "float16") for shape in ((2, 8, 9, 9), (16, 8, 3, 3)))
    plan = cudnn.ops.Convolution(1).plan(x, w)
    if type(plan) is not cudnn.Plan:
        pytest.skip(f"no single engine computes it here: {plan}")
    done = cudnn.repro(plan, tmp_path / "out.c")
    assert (done.engine, done.knobs, done.status) == (plan.engine, plan.knobs, 0), done
    assert run_c(done.files[0]).returncode == 0


def test_an_engine_that_refuses_the_graph_could_not_run(
    cudnn: Any, run_c: Run, tmp_path: Path
) -> None:
    done = cudnn.repro(matmul(cudnn), tmp_path / "out", engine=9999)
    python, c = run_python(done.files[0]), run_c(done.files[1])
    assert python.returncode == c.returncode == done.status == 2, f"{done}\n{c.stdout}"
    assert python.stdout.startswith("COULD NOT RUN: ")
    assert "COULD NOT RUN: the engine" in c.stdout
