"""The compiler of kernels, where it is installed."""

from __future__ import annotations

from typing import Any

import pytest

#: A thread compiles while the interpreter ends.
ENDING = """
import threading
from cudnn_cffi._kept import store
from cudnn_cffi._support import blocks
from cudnn_cffi.kernels import compiling
from cudnn_cffi.kernels.common import FOLDER
store.read = lambda *_: None
store.write = lambda _, code: print("compiled", len(code) > 1000, flush=True)
given = FOLDER / "elements.cu", (9, 0), "-DTYPE=0", "-DACTIVATION=RELU", "-DBY=NEITHER", "-DTHREADS=256"
threading.Thread(target=lambda: compiling.compiled(*given), daemon=True).start()
while not blocks.running:
    pass
"""


def test_the_end_of_the_interpreter_waits_for_the_compiler(cudnn: Any, run: Any) -> None:
    """Without that, NVRTC's objects end while a thread uses them, which crashes the process."""
    from cudnn_cffi.kernels import compiling

    if not compiling.can_compile():
        pytest.skip("NVRTC is not installed")
    done = run(ENDING, cudnn.library.load().path)
    assert done.stdout.split() == ["compiled", "True"]


@pytest.mark.parametrize("capability", [(7, 5), (8, 0), (9, 0), (10, 0)])
def test_norms_of_groups_compile_for_devices_without_clusters(capability: tuple[int, int]) -> None:
    from cudnn_cffi.kernels import common, compiling

    if not compiling.can_compile():
        pytest.skip("NVRTC is not installed")
    file = common.FOLDER.parent / "torch" / "fusion" / "kernels" / "groups.cu"
    options = "-DTYPE=1", "-DACTIVATION=0", "-DVECTOR=8"
    code = compiling.compiled(file, capability, *options, own=capability == (9, 0))
    assert (b"normalize_kept" in code) == (capability >= (9, 0))
