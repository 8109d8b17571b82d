"""What the compiled layer learns of calls with gradients is right, and no Python runs behind it."""

from __future__ import annotations

from types import ModuleType

from tests.conftest import Program


def test_nodes(torch: ModuleType, cudnn: ModuleType, program: Program) -> None:
    if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        import pytest

        pytest.skip("this PyTorch has no table of DLPack's functions")
    assert program("nodes", cudnn.library.load().path).stdout.split()[-1] in ("known", "right")
