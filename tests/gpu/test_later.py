"""Timing in the background: calls, captures and threads go on, and later calls take the fastest."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from cudnn_cffi.choice.tune import later

from tests.gpu.conftest import capturing

pytestmark = pytest.mark.usefixtures("no_choices")


@pytest.fixture
def background(cudnn: Any, no_choices: None) -> Iterator[None]:
    """Choose by timing in the background, without databases."""
    assert no_choices is None  # it comes first, and sets the default
    cudnn.choice.set_default("time", when="background", most=6)
    with cudnn.choice.database.off():
        yield
        later.wait()


def by_time(cudnn: Any, warned: Any) -> list[Any]:
    """Return the choices that were timed; skip the test if other processes leave no idle moment."""
    if any("never idle" in str(each.message) for each in warned):
        pytest.skip("other processes keep the device busy")
    return [each for each in cudnn.choice.choices() if each.how == "time"]


@pytest.mark.usefixtures("background")
def test_threads_compute_while_engines_are_timed(
    cudnn: Any,
    torch: Any,
    ops: Any,
    fresh: Any,
    error_of: Any,
    caplog: pytest.LogCaptureFixture,
    recwarn: Any,
) -> None:
    """Each in its stream; a shape that all of them have is timed once, and told of."""
    caplog.set_level(logging.INFO, "cudnn_cffi.choice")
    conv, failed = ops.Convolution(padding=1), []
    filters = fresh(32, 16, 3, 3, dtype="float16", layout="NHWC")
    images = [fresh(4, 16, 20 + n, 20, dtype="float16", layout="NHWC") for n in range(4)]
    expected = [
        torch.nn.functional.conv2d(each.cpu().double(), filters.cpu().double(), padding=1)
        for each in images
    ]
    torch.cuda.synchronize()

    def compute(count: int = 20) -> None:
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(count):
                for each, right in zip(images, expected, strict=True):
                    y = conv(each, filters)
                    torch.cuda.current_stream().synchronize()
                    if not error_of(y, right) < 2e-3:
                        failed.append(each.shape)

    threads = [threading.Thread(target=compute) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    later.wait()
    compute(2)
    assert not failed
    found = by_time(cudnn, recwarn)
    assert len([each for each in found if each.operation == "convolution"]) == len(images)
    assert caplog.text.count("from now on, timed in the background") == len(images)
    with ops.record() as log:
        conv(images[0], filters)
    shape = log[0].arrays["x"]
    (chosen,) = [e for e in found if e.operation == "convolution" and e.arrays["x"] == shape]
    assert log[0].way in (chosen.algorithm, f"engine {chosen.engine}")


@pytest.mark.usefixtures("background")
@pytest.mark.parametrize("mode", ["global", "thread_local", "relaxed"])
def test_captures_of_other_streams_go_on(
    cudnn: Any, torch: Any, ops: Any, fresh: Any, error_of: Any, mode: str, recwarn: Any
) -> None:
    """A graph keeps its engine: the results of its replays are the same bits before and after."""
    x = fresh(8, 32, 33, 33, dtype="float16", layout="NHWC")
    w = fresh(64, 32, 3, 3, dtype="float16", layout="NHWC")
    right = torch.nn.functional.conv2d(x.cpu().double(), w.cpu().double(), padding=1)
    conv, side = ops.Convolution(padding=1), torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        conv(x, w)
    torch.cuda.synchronize()
    graphs = []
    while True:
        graph = torch.cuda.CUDAGraph()
        gc.collect()
        with torch.cuda.graph(graph, stream=side, capture_error_mode=mode):
            y = conv(x, w)
            time.sleep(0.002)
        graph.replay()
        torch.cuda.synchronize()
        assert error_of(y, right) < 2e-3
        graphs.append((graph, y, y.clone()))
        if not later._threads:
            break
    later.wait()
    assert by_time(cudnn, recwarn)
    assert error_of(conv(x, w), right) < 2e-3
    for graph, y, before in graphs:
        y.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(y, before)


@pytest.mark.usefixtures("background")
def test_calls_that_keep_their_bits_wait(cudnn: Any, ops: Any, fresh: Any, recwarn: Any) -> None:
    x, w = fresh(2, 16, 12, 12, dtype="float16"), fresh(16, 16, 3, 3, dtype="float16")
    with cudnn.choice(deterministic=True):
        ops.convolution(x, w)
    assert not later._threads
    assert by_time(cudnn, recwarn)


@pytest.mark.usefixtures("background")
def test_a_fused_model_is_prepared_again(
    cudnn: Any, torch: Any, fresh: Any, error_of: Any, monkeypatch: pytest.MonkeyPatch, recwarn: Any
) -> None:
    """Also one that is captured; timing ends with the model."""
    from cudnn_cffi.torch import fuse

    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(128, 128, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(128, 256, 3)
    )
    model = model.cuda().half().eval().to(memory_format=torch.channels_last)
    x = fresh(4, 128, 24, 24, dtype="float16", layout="NHWC")
    right = model.cpu().double()(x.cpu().double()).detach()
    model = model.cuda().half()
    for capture in (False, True):
        fused = fuse(model, capture=capture)
        before = fused(x)
        (first,) = fused._pipeline._programs.values()
        later.wait()
        after = fused(x)
        (second,) = fused._pipeline._programs.values()
        assert (second is first) is capture  # what was timed before is known at once
        assert error_of(before, right) < 2e-3
        assert error_of(after, right) < 2e-3
    assert len(by_time(cudnn, recwarn)) == 2
    go, work = threading.Event(), later._do

    def wait(task: Any) -> bool:
        go.wait(20)
        return work(task)

    monkeypatch.setattr(later, "_do", wait)
    fused = fuse(model)
    fused(fresh(5, 128, 24, 24, dtype="float16", layout="NHWC"))
    del fused
    gc.collect()
    go.set()
    later.wait()
    assert len(by_time(cudnn, recwarn)) == 2


def test_a_capture_asks_for_nothing(cudnn: Any, torch: Any, ops: Any, fresh: Any) -> None:
    x, w = fresh(2, 16, 12, 12), fresh(16, 16, 3, 3)
    conv, side = ops.Convolution(), torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        expected = conv(x, w, choose="heuristic")
    with cudnn.choice.database.off(), capturing(stream=side) as graph:
        y = conv(x, w, choose={"pick": "time", "when": "background"})
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(y, expected)
    assert not later._threads
