"""`python -m cudnn_cffi try` and `is_available`, without a GPU and without a library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Program


def run(library: str | Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"CUDNN_CFFI_LIBRARY": str(library)}
    command = [sys.executable, "-m", "cudnn_cffi", "try", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True)


@pytest.mark.skipif(Path("/dev/nvidia0").exists(), reason="there is a GPU")
def test_without_a_gpu(cudnn_library: Path) -> None:
    done = run(cudnn_library)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("cuDNN 9.")
    assert str(cudnn_library) in lines[0]
    assert lines[1].startswith("GPU: none (")
    assert len(lines) <= 60
    assert max(map(len, lines)) < 200
    found = json.loads(run(cudnn_library, "--json").stdout)
    assert found["devices"] == []
    assert found["check"] == ""
    assert bool(found["engines"]) != bool(found["problem"])  # plans need cuBLAS
    for each in found["engines"]:
        assert any(each["name"] in line for line in lines)
    assert "classic functions need a GPU" not in done.stdout, "that is no reason for the graphs"
    if found["problem"]:
        assert f"  {found['problem']}" in lines
        assert any("doctor` says what to install" in line for line in lines)


def test_engines_are_a_table() -> None:
    from cudnn_cffi.diagnose.tour import Engine, Tour, to_text

    engine = Engine("CONVOLUTION_X", 2 << 20, deterministic=True, math="TENSOR_OP", time=12.34)
    other = Engine("CONVOLUTION_Y", None, deterministic=None, math="", time=None)
    made = Tour("9.19.0", "/x/libcudnn.so.9", "compiled", ("H",), "", "right", (engine, other), 7)
    lines = to_text(made).splitlines()
    assert "GPU: H" in lines
    (head,) = (place for place, line in enumerate(lines) if line.split()[:1] == ["name"])
    assert lines[head + 1].split() == ["CONVOLUTION_X", "12.3", "2048", "KiB", "yes", "TENSOR_OP"]
    assert lines[head + 2].split() == ["CONVOLUTION_Y", "-", "?", "?", "-"]
    assert not any("without a GPU" in line for line in lines)


def test_the_documentation_is_where_the_metadata_say(monkeypatch: pytest.MonkeyPatch) -> None:
    from email.message import Message

    from cudnn_cffi.diagnose import tour

    told = Message()
    monkeypatch.setattr(tour, "metadata", lambda _: told)
    assert tour.documents() == "docs/tutorial.md of the repository"
    told["Project-URL"] = "Source, https://example.org/source"
    told["Project-URL"] = "Documentation, https://example.org/site"
    assert tour.documents() == "https://example.org/site"


def test_without_a_library(tmp_path: Path) -> None:
    done = run(tmp_path / "none.so")
    assert done.returncode == 1
    assert done.stdout.startswith("libcudnn cannot be loaded: ")
    assert "hint: name the file, or the folder it is in" in done.stdout


def test_availability(cudnn_library: Path, program: Program) -> None:
    script = "available"
    assert program(script, cudnn_library).stdout.split()[1].startswith("9.")
    done = program(script, Path("/none/libcudnn.so"), check=False)
    assert done.stdout.split() == ["False", "LibraryNotFoundError"]


def test_the_reference_is_a_convolution() -> None:
    """One tap at the centre gives the image; one above it, the rows before."""
    from cudnn_cffi.diagnose import tour

    x = [[[float(8 * c + 6 * i + j) for j in range(6)] for i in range(6)] for c in range(2)]
    w = [[[[0.0] * 3 for _ in range(3)] for _ in range(2)] for _ in range(2)]
    w[0][1][1][1], w[1][0][0][1] = 1.0, 2.0
    y = tour._convolve(x, w)
    assert y[0] == x[1]
    assert y[1] == [[0.0] * 6, *[[2 * each for each in row] for row in x[0][:5]]]


@pytest.mark.skipif(Path("/dev/nvidia0").exists(), reason="there is a GPU")
@pytest.mark.parametrize(
    "name", ["convolution", "convolution_c_names", "two_threads", "llama_decode"]
)
def test_examples_say_that_they_need_a_gpu(name: str, cudnn_library: Path) -> None:
    pytest.importorskip("numpy")
    env = os.environ | {"CUDNN_CFFI_LIBRARY": str(cudnn_library)}
    path = Path(__file__).parents[2] / "examples" / f"{name}.py"
    done = subprocess.run([sys.executable, str(path)], env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "needs a GPU" in line
