"""Memory that a caller's CUDA graph of a fused model reads lives as long as the graph."""

from __future__ import annotations

import copy
import gc
import time
import weakref
from typing import Any

import pytest


@pytest.mark.parametrize("training", [False, True])
def test_what_a_graph_reads(torch: Any, training: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi.driver import keeping
    from cudnn_cffi.torch import fuse
    from cudnn_cffi.torch.fusion.pipeline import Pipeline

    nn, found = torch.nn, list[Any]()
    make = Pipeline._program

    def program(*given: Any) -> Any:
        made = make(*given)
        found.append(weakref.ref(made))
        return made

    monkeypatch.setattr(Pipeline, "_program", program)
    model = nn.Sequential(nn.Conv2d(8, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 8, 1))
    model = model.cuda().train(training)
    fused: Any = fuse(model, training=training)  # type: ignore[call-overload]
    x = torch.randn(2, 8, 12, 12, device="cuda")
    with torch.no_grad():
        fused(x)
        exact = copy.deepcopy(model).double()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = fused(x)
        if training:
            found[:] = map(weakref.ref, fused._pipelines.values())
        kept = found[-1]
        model[3] = nn.Conv2d(16, 8, 1).cuda()  # what it was is freed, unless the graph has it
        fused(x)
        for _ in range(3):
            gc.collect()
            junk = [torch.full((1 << n,), torch.nan, device="cuda") for n in range(6, 18)]
            del junk
            y.fill_(torch.nan)
            graph.replay()
            torch.testing.assert_close(y.double(), exact(x.double()), rtol=1e-2, atol=1e-2)
        assert kept() is not None
    del y
    graph.reset()
    del graph
    torch.cuda.synchronize()
    until = time.monotonic() + 20
    while kept() is not None and time.monotonic() < until:
        time.sleep(0.01)
        keeping.sweep()
        gc.collect()
    assert kept() is None
