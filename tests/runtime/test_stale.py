"""A compiled call layer that was built from other tables is never used unnoticed."""

from __future__ import annotations

import pytest

from tests.conftest import Run

OTHER = """
    import warnings
    import cudnn_cffi._specs as specs

    specs.LAYOUT = "of another build"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            from cudnn_cffi import _call
        except Exception as error:
            print(type(error).__name__, error)
        else:
            print(_call.mode(), *(w.message for w in caught))
"""


@pytest.fixture(autouse=True)
def _compiled() -> None:
    pytest.importorskip("cudnn_cffi._cudnn", reason="the call layer is not compiled here")


def test_without_a_wish_calls_go_without_it_and_that_is_said(run: Run) -> None:
    out = run(OTHER, CUDNN_CFFI_MODE="").stdout
    assert out.startswith("abi the compiled call layer was built from other tables")
    assert "nox -s build" in out


def test_who_asked_for_it_gets_an_error(run: Run) -> None:
    out = run(OTHER, CUDNN_CFFI_MODE="api").stdout
    assert out.startswith("CudnnError CUDNN_CFFI_MODE is 'api'")
    assert "nox -s build" in out
