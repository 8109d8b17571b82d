"""CUDNN_MAJOR and its like: of the loaded release, or of the pinned one."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Program


def test_of_the_library_that_is_loaded(program: Program, cudnn8_library: Path) -> None:
    program(
        "version_macros",
        cudnn8_library,
    )


def test_of_a_pinned_release() -> None:
    from cudnn_cffi import v8_9_7, v9_12_0

    assert (v8_9_7.CUDNN_MAJOR, v8_9_7.CUDNN_MINOR, v8_9_7.CUDNN_PATCHLEVEL) == (8, 9, 7)
    assert v8_9_7.CUDNN_VERSION == 8907
    assert v9_12_0.CUDNN_VERSION == 91200
