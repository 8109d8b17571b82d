"""Forking: free before the first handle, refused with a reason after it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

CHILD = """
    import os

    def in_child(work):
        reader, writer = os.pipe()
        pid = os.fork()
        if not pid:
            try:
                text = work()
            except BaseException as error:
                text = f"{type(error).__name__}: {error}"
            os.write(writer, text.encode())
            os._exit(0)
        os.close(writer)
        text = os.fdopen(reader).read()
        assert os.waitpid(pid, 0)[1] == 0
        return text

    import cudnn_cffi as cudnn

    desc = cudnn.TensorDescriptor()
"""


def test_a_child_calls_as_long_as_there_was_no_handle(run: Run, cudnn_library: Path) -> None:
    done = run(
        CHILD
        + """
    def work():
        mine = cudnn.TensorDescriptor()
        mine.set_4d(cudnn.CUDNN_TENSOR_NCHW, cudnn.CUDNN_DATA_FLOAT, 1, 2, 3, 4)
        return str(mine.get_4d().w)

    print(in_child(work))
        """,
        cudnn_library,
    )
    assert done.stdout == "4\n"


def test_a_child_of_a_process_with_handles_is_told(run: Run, cudnn_library: Path) -> None:
    """Without a GPU there is no handle; that one was made is all that the check goes by."""
    done = run(
        CHILD
        + """
    from cudnn_cffi import _call

    _call._made_handle(1)

    def work():
        global desc
        del desc  # its finalizer must be quiet
        return str(cudnn.cudnnGetVersion())

    print(in_child(work))
    print(cudnn.cudnnGetVersion() > 0)
        """,
        cudnn_library,
    )
    assert "ForkedError" in done.stdout
    assert "spawn" in done.stdout
    assert done.stdout.endswith("True\n")
    assert not done.stderr


def test_handles_are_counted_once_whoever_made_them(run: Run, cudnn_library: Path) -> None:
    """The overlay's handles do not take the place of those that were made under the C name."""
    done = run(
        CHILD
        + """
    from cudnn_cffi import _call, handles

    _call._made_handle(1)
    assert cudnn.Handle is handles.Handle
    print(in_child(lambda: str(cudnn.cudnnGetVersion())))
        """,
        cudnn_library,
    )
    assert "ForkedError" in done.stdout
