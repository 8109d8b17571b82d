"""Calls that the compiled layer learns of layers are right, and run without Python."""

from __future__ import annotations

import shutil
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
@pytest.mark.parametrize("name", ["nodes", "views", "bits", "recorded"])
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
