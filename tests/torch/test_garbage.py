"""Python looks for no cycles of objects while a model is prepared, and does afterwards."""

from __future__ import annotations

import gc
import os
import threading
from types import ModuleType
from typing import Any

import pytest


def test_a_model_is_traced_without_collections(torch: ModuleType) -> None:
    from cudnn_cffi.torch import fuse

    seen: list[bool] = []

    class Noting(torch.nn.Module):  # type: ignore[name-defined,misc]
        def forward(self, x: Any) -> Any:
            seen.append(gc.isenabled())
            if len(seen) > 1:
                raise ValueError("no longer")
            return x * 2

    fuse(Noting())(torch.ones(2))
    assert seen == [False]
    assert gc.isenabled()
    with pytest.raises(ValueError, match="no longer"):
        fuse(Noting())(torch.ones(2))
    assert gc.isenabled()


def test_blocks_in_several_threads_and_children(torch: ModuleType) -> None:
    from cudnn_cffi.driver.captures import without_collections, without_finalizers

    entered, left = threading.Event(), threading.Event()

    def other() -> None:
        with without_collections:
            entered.set()
            left.wait()

    thread = threading.Thread(target=other)
    with without_collections:
        thread.start()
        entered.wait()
        with without_collections:
            assert not gc.isenabled()
    assert not gc.isenabled(), "the other thread is in a block"
    child = os.fork()
    if not child:
        os._exit(0 if gc.isenabled() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with without_finalizers():
        left.set()
        thread.join()
        assert not gc.isenabled(), "a capture forbids what finalizers do"
    assert gc.isenabled()
    gc.disable()
    try:
        with without_collections:
            pass
        assert not gc.isenabled(), "it was off before"
    finally:
        gc.enable()
