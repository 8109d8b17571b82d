"""Calls that are launched as CUDA graphs: the same numbers as without, in streams and threads."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.gpu.conftest import capturing
from tests.threads import in_threads

#: Number of engines of each kind of convolution that are tried.
MANY = 12


@pytest.fixture
def replay(cudnn: Any) -> Iterator[Callable[[int], None]]:
    """Set after how many calls on the same addresses one is captured."""
    from cudnn_cffi.driver import graphs
    from cudnn_cffi.plan.run import arming, compiled

    native: Any = compiled.native
    if native is None:
        pytest.skip("nothing was compiled")
    cudnn.Graph()
    addresses = tuple(graphs.function_address(name) for name in arming.REPLAYING)

    def set_after(calls: int) -> None:
        assert native._replay(functions=addresses, after=calls, **arming.REPLAYS)

    # Nothing is captured while plans that other tests began to build are built by threads.
    end = time.monotonic() + 20
    while _builds() and time.monotonic() < end:
        time.sleep(0.05)
    set_after(2)
    yield set_after
    set_after(arming.REPLAY_AFTER)


def _builds() -> bool:
    """Whether another thread is in a function of the package."""
    here = threading.get_ident()
    frames = [each for thread, each in sys._current_frames().items() if thread != here]
    return any("cudnn_cffi" in each.f_code.co_filename for each in frames)


def check(
    torch: Any, replay: Callable[[int], None], plan: Any, inputs: list[Any], outputs: list[Any]
) -> int:
    """Compare calls that are replayed with others, on other contents each time.

    Returns: how many graphs the plan has then.
    """
    expected = [torch.empty_like(each) for each in outputs]
    again = [torch.empty_like(each) for each in outputs]
    for _ in range(7):
        for each in inputs:
            each.normal_()
        for each in outputs:
            each.fill_(float("nan"))
        plan(*inputs, *outputs)
        replay(0)
        plan(*inputs, *expected)
        plan(*inputs, *again)
        replay(2)
        for one, other, third in zip(outputs, expected, again, strict=True):
            if torch.equal(other, third):
                assert torch.equal(one, other)
            else:  # sums in any order
                size = float(other.float().norm()) or 1.0
                assert float((one.float() - other.float()).norm()) < 1e-2 * size
    return int(plan._graphs())


def convolution(cudnn: Any, x: Any, w: Any) -> Any:
    graph = cudnn.Graph(compute_data_type="FLOAT")
    made = graph.convolution(graph.tensor(x, name="x"), graph.tensor(w, name="w"), padding=1)
    graph.output(made, name="y")
    return graph


@pytest.mark.parametrize(
    ("dtype", "layout"), [("float16", "NHWC"), ("bfloat16", "NHWC"), ("float32", "NCHW")]
)
def test_engines(cudnn: Any, torch: Any, fresh: Any, replay: Any, dtype: str, layout: str) -> None:
    x = fresh(8, 16, 28, 28, dtype=dtype, layout=layout)
    w = fresh(16, 16, 3, 3, dtype=dtype, layout=layout)
    y = torch.empty_like(x)
    tried: dict[int, int] = {}
    modes = ("A", "FALLBACK")
    for each in convolution(cudnn, x, w).candidates(modes=modes, every_engine=True):
        if each.engine in tried or len(tried) == MANY:
            continue
        try:
            plan = each.build()
        except cudnn.CudnnError:  # what heuristics suggest need not be built
            continue
        tried[each.engine] = check(torch, replay, plan, [x, w], [y])
        plan.close()
    assert sum(tried.values()) >= len(tried) / 2, tried


def test_matmul_and_attention(cudnn: Any, torch: Any, fresh: Any, replay: Any) -> None:
    a, b = fresh(4, 128, 64, dtype="float16"), fresh(4, 64, 96, dtype="float16")
    graph = cudnn.Graph(compute_data_type="FLOAT")
    made = graph.relu(graph.matmul(graph.tensor(a, name="a"), graph.tensor(b, name="b")))
    graph.output(made, name="c")
    c = torch.empty(4, 128, 96, dtype=torch.float16, device="cuda")
    assert check(torch, replay, graph.build(), [a, b], [c])
    q, k, v = (fresh(2, 4, 128, 64, dtype="float16") for _ in range(3))
    graph = cudnn.Graph(compute_data_type="FLOAT")
    names = [graph.tensor(each, name=name) for each, name in zip((q, k, v), "qkv", strict=True)]
    graph.output(graph.attention(*names), name="o")
    check(torch, replay, graph.build(), [q, k, v], [torch.empty_like(q)])


def test_operations(cudnn: Any, torch: Any, fresh: Any, replay: Any) -> None:
    x, filters = fresh(8, 16, 12, 12), fresh(16, 16, 3, 3)
    functions: list[Callable[[Any], Any]] = [
        cudnn.ops.relu,
        cudnn.ops.softmax,
        lambda x: cudnn.ops.max_pool(x, 2),
        lambda x: cudnn.ops.reduce(x, axes=(0, 2, 3)),
        lambda x: cudnn.ops.convolution(x, filters, padding=1),
    ]
    for function in functions:
        for _ in range(6):
            x.normal_()
            replay(2)
            found = function(x)
            found = found[0] if isinstance(found, tuple) else found
            found = found.clone()
            replay(0)
            expected = function(x)
            expected = expected[0] if isinstance(expected, tuple) else expected
            torch.testing.assert_close(found, expected)


def test_streams_and_threads(cudnn: Any, torch: Any, fresh: Any, replay: Any) -> None:
    x = fresh(4, 16, 20, 20, dtype="float16", layout="NHWC")
    w = fresh(16, 16, 3, 3, dtype="float16", layout="NHWC")
    plan = convolution(cudnn, x, w).build()
    replay(0)
    expected = plan(x, w).clone()
    replay(2)
    torch.cuda.synchronize()

    def work(calls: int) -> None:
        for _ in range(3):
            with torch.cuda.stream(torch.cuda.Stream()):
                mine = torch.empty_like(expected)
                for _ in range(calls):
                    mine.zero_()
                    plan(x, w, mine)
                    assert torch.equal(mine, expected)

    in_threads(work, [25] * 4)
    work(50)  # other threads may have put captures off
    assert plan._graphs()


def test_a_capture_behind_replays(cudnn: Any, torch: Any, fresh: Any, replay: Any) -> None:
    x = fresh(4, 16, 20, 20, dtype="float16", layout="NHWC")
    w = fresh(16, 16, 3, 3, dtype="float16", layout="NHWC")
    replay(3)
    plan = convolution(cudnn, x, w).build()
    y = plan(x, w)
    for _ in range(6):
        plan(x, w, y)
    assert plan._graphs()
    expected = y.clone()
    torch.cuda.synchronize()
    with capturing() as captured:
        plan(x, w, y)
    y.zero_()
    captured.replay()
    torch.cuda.synchronize()
    assert torch.equal(y, expected)
    y.zero_()
    plan(x, w, y)
    assert torch.equal(y, expected)


def test_others_may_wait_for_the_device(cudnn: Any, torch: Any, fresh: Any, replay: Any) -> None:
    x = fresh(4, 16, 20, 20, dtype="float16", layout="NHWC")
    w = fresh(16, 16, 3, 3, dtype="float16", layout="NHWC")
    replay(2)
    plan = convolution(cudnn, x, w).build()
    outputs = [plan(x, w) for _ in range(40)]  # more than have graphs at a time
    expected = outputs[0].clone()
    wrong: list[str] = []
    done = threading.Event()

    def wait() -> None:
        try:
            while not done.is_set():
                torch.cuda._sleep(20_000)
                torch.cuda.synchronize()
        except RuntimeError as error:
            wrong.append(str(error))

    threads = [threading.Thread(target=wait) for _ in range(3)]
    for each in threads:
        each.start()
    try:
        for _ in range(5):
            for y in outputs:
                for _ in range(80):  # enough for the capture to pay
                    plan(x, w, y)
    finally:
        done.set()
        for each in threads:
            each.join()
    assert not wrong
    for y in outputs:
        for _ in range(80):
            plan(x, w, y)
    assert plan._graphs() > 8
    for y in outputs:
        assert torch.equal(y, expected)


def test_a_recording_says_what_was_replayed(fresh: Any, replay: Any) -> None:
    from cudnn_cffi import ops

    x, out = fresh(4, 16, 20, 20, dtype="float16"), fresh(4, 16, 20, 20, dtype="float16")
    replay(2)
    with ops.record() as found:
        for _ in range(6):
            ops.relu(x, out=out)
    assert [each.replayed for each in found][::5] == [False, True]
    assert repr(found).splitlines()[-1].split()[-1] == "replayed"
    replay(0)
    with ops.record() as found:
        ops.relu(x, out=out)
    assert not found[0].replayed


def test_a_handle_ends(cudnn: Any, torch: Any, fresh: Any, replay: Any) -> None:
    x = fresh(4, 16, 20, 20, dtype="float16", layout="NHWC")
    w = fresh(16, 16, 3, 3, dtype="float16", layout="NHWC")
    replay(3)
    plan = convolution(cudnn, x, w).build()
    y = plan(x, w)
    expected = y.clone()
    for _ in range(80):  # enough for the capture to pay
        plan(x, w, y)
    with cudnn.Handle():
        pass
    for _ in range(40):
        y.zero_()
        plan(x, w, y)
        assert torch.equal(y, expected)
    assert plan._graphs()
