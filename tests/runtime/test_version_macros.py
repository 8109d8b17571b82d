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


def test_of_the_libraries_of_a_release() -> None:
    from cudnn_cffi import v8_9_7, v9_28_1

    assert (v8_9_7.CUDNN_OPS_INFER_MAJOR, v8_9_7.CUDNN_CNN_TRAIN_PATCH) == (8, 7)
    assert (v9_28_1.CUDNN_OPS_MAJOR, v9_28_1.CUDNN_GRAPH_MINOR, v9_28_1.CUDNN_ADV_PATCH) == (
        9,
        28,
        1,
    )
    assert "CUDNN_CNN_PATCH" in dir(v9_28_1)
    assert not hasattr(v9_28_1, "CUDNN_OPS_INFER_MAJOR")
    assert not hasattr(v8_9_7, "CUDNN_GRAPH_MAJOR")
