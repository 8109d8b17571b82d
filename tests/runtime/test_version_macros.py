"""CUDNN_MAJOR and its like: of the loaded release, or of the pinned one."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Run


def test_of_the_library_that_is_loaded(run: Run, cudnn8_library: Path) -> None:
    run(
        """
        import cudnn_cffi as cudnn
        from cudnn_cffi import errors

        assert cudnn.CUDNN_VERSION == cudnn.cudnnGetVersion()
        version = (cudnn.CUDNN_MAJOR, cudnn.CUDNN_MINOR, cudnn.CUDNN_PATCHLEVEL)
        assert version[0] == 8
        assert "CUDNN_VERSION" in dir(cudnn)
        assert cudnn.has("CUDNN_VERSION")
        try:
            cudnn.cudnnSetTensor4dDescriptor(cudnn.TensorDescriptor(), 0, 0, -1, 1, 1, 1)
        except errors.BadParamError as error:
            assert error.tables == "{}.{}.{}".format(*version), error.tables
        """,
        cudnn8_library,
    )


def test_of_a_pinned_release() -> None:
    from cudnn_cffi import v8_9_7, v9_12_0

    assert (v8_9_7.CUDNN_MAJOR, v8_9_7.CUDNN_MINOR, v8_9_7.CUDNN_PATCHLEVEL) == (8, 9, 7)
    assert v8_9_7.CUDNN_VERSION == 8907
    assert v9_12_0.CUDNN_VERSION == 91200
