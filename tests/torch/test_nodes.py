"""Calls that the compiled layer learns of layers are right, and run without Python."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.conftest import Program


@pytest.mark.parametrize("name", ["nodes", "views", "bits"])
def test_nodes(
    name: str, torch: ModuleType, request: pytest.FixtureRequest, program: Program
) -> None:
    if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        pytest.skip("this PyTorch has no table of DLPack's functions")
    path = request.getfixturevalue("cudnn").library.load().path
    assert program(name, path).stdout.split()[-1] in ("known", "right")
