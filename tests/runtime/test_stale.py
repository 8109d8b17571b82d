"""A compiled call layer that was built from other tables is never used unnoticed."""

from __future__ import annotations

import pytest
from cudnn_cffi._call import layer

from tests.conftest import Program


@pytest.fixture(autouse=True)
def _compiled() -> None:
    pytest.importorskip("cudnn_cffi._cudnn", reason="the call layer is not compiled here")


def test_without_a_wish_calls_go_without_it_and_that_is_said(program: Program) -> None:
    out = program("stale_layer", CUDNN_CFFI_MODE="").stdout
    assert out.startswith("abi the compiled call layer was built from other tables")
    assert "nox -s build" in out


def test_what_it_lacks_is_done_without_it() -> None:
    assert layer.get_compiled("cudnn_cffi_facts") or layer.mode() == "abi"
    assert layer.get_compiled("cudnn_cffi_of_another_time") is None


def test_who_asked_for_it_gets_an_error(program: Program) -> None:
    out = program("stale_layer", CUDNN_CFFI_MODE="api").stdout
    assert out.startswith("CudnnError CUDNN_CFFI_MODE is 'api'")
    assert "nox -s build" in out
