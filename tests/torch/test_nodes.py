"""Calls that the compiled layer learns of layers are right, and run without Python."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import Program, start


@pytest.fixture(scope="session")
def extension(tmp_path_factory: pytest.TempPathFactory, torch: ModuleType) -> dict[str, str]:
    """Compile the extension for tensors on the CPU; return what has processes use it."""
    from cudnn_cffi._call.layer import mode

    assert torch
    compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), "")
    if mode() != "api" or not compiler:
        pytest.skip("no compiled call layer, or no C++ compiler")
    folder = {"CUDNN_CFFI_PLAN_CACHE": str(tmp_path_factory.mktemp("nodes"))}
    text = "from cudnn_cffi.torch import compile_nodes; print(compile_nodes())"
    start(["-c", text], None, True, {**folder, "CXX": f"{compiler} -DRECORDER_DEVICE=kCPU"})
    return folder


@pytest.mark.parametrize("way", ["functions", "extension"])
@pytest.mark.parametrize("name", ["nodes", "views", "bits", "recorded", "fronts", "covered"])
def test_nodes(
    name: str, way: str, torch: ModuleType, request: pytest.FixtureRequest, program: Program
) -> None:
    if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        pytest.skip("this PyTorch has no table of DLPack's functions")
    path = request.getfixturevalue("cudnn").library.load().path
    environment = {"CUDNN_CFFI_TORCH_NODES": "0"}
    if way == "extension":
        environment = request.getfixturevalue("extension")
    found = program(name, path, way, **environment)
    assert found.stdout.split()[-1] in ("known", "right")


def test_the_state_of_the_extension(
    torch: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi._call.layer import mode
    from cudnn_cffi.choice.store import extension

    assert torch
    monkeypatch.setenv("CUDNN_CFFI_PLAN_CACHE", str(tmp_path))
    if mode() != "api" or extension.reason():
        assert extension.find_state() == ("impossible", extension.reason())
        return
    monkeypatch.setenv("CXX", sys.executable)  # is there, and is not called
    file = extension.target()
    file.parent.mkdir()
    assert extension.find_state().word == "missing"
    file.with_suffix(".failed").write_text("error: no such thing")
    assert extension.find_state() == (
        "failed", f"{file.with_suffix('.failed')} has the compiler's reason"
    )  # fmt: skip
    file.with_suffix(".lock").touch()
    assert extension.find_state().word == "compiling"
    os.utime(file.with_suffix(".lock"), (1, 1))  # its writer is gone
    assert extension.find_state().word == "failed"
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert extension.find_state() == ("impossible", "a C++ compiler is not there")
    file.touch()
    assert extension.find_state() == ("compiled", str(file))
    monkeypatch.setenv("CUDNN_CFFI_TORCH_NODES", "0")
    assert extension.find_state().word == "off"
