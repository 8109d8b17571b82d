"""Deterministic gradients of attention by heads and by blocks of keys, against float64."""

from __future__ import annotations

from typing import Any

import pytest

np = pytest.importorskip("numpy")

from tests.gpu import attention_reference as reference  # noqa: E402

TOLERANCES = {"float16": 5e-3, "bfloat16": 3e-2}
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"causal": True},
    "bottom right": {"causal": "bottom_right", "keys": 680},
    "more queries": {"causal": True, "queries": 560},
    "last block of 64": {"keys": 576, "causal": True, "queries": 576},
    "odd": {"keys": 531, "queries": 259},
    "sink": {"sink": True},
    "sink, causal": {"sink": True, "causal": True},
    "alibi": {"alibi": True, "causal": True},
    "width 128, vectors of all heads": {"width": 128, "layout": "bshd", "causal": True},
    "heads and keys": {"heads": (1, 4, 2), "causal": True},
    "heads": {"heads": (2, 4, 2), "together": 1024, "steps": 4, "layout": "bshd", "causal": True},
    "examples": {"heads": (4, 2, 1), "together": 2048, "steps": 2},
    "heads, window": {"heads": (1, 4, 2), "steps": 2, "window": (40, 0)},
    "heads, window, bottom right": {
        "heads": (1, 4, 4), "steps": 4, "window": (40, 5), "diagonal": "bottom_right", "keys": 680,
    },
    "heads, bias": {"heads": (2, 4, 2), "steps": 4, "bias": (1, 4)},
    "heads, bias of all": {"heads": (2, 4, 2), "steps": 4, "bias": (2, 1), "causal": True},
}  # fmt: skip
DATA = ("random", "very negative rows", "constant keys", "zeros", "first block alone")
RUNS = [(name, data) for name in CASES for data in DATA[: 5 if name in ("plain", "causal") else 2]]


def _small(monkeypatch: pytest.MonkeyPatch, together: int = 1) -> None:
    from cudnn_cffi.ops.attn import same_bits

    for name, value in (("SIZE", 128), ("TOGETHER", together), ("FEW", 0)):
        monkeypatch.setattr(same_bits, name, value)


def _array(torch: Any, shape: tuple[int, ...], dtype: str, layout: str) -> Any:
    made = torch.randn(shape, device="cuda")
    if layout == "bshd":
        made = made.transpose(1, 2).contiguous().transpose(1, 2)
    return made.to(getattr(torch, dtype))


def _change(data: str, q: Any, k: Any, v: Any) -> None:
    if data == "very negative rows":  # the logarithm of their sums is below -88
        k[..., 0] = 30.0
        q[..., ::3, 0] = -80.0
    elif data == "constant keys":
        k.fill_(0.5)
        v[..., 1::2, :] = -v[..., ::2, :][..., : v[..., 1::2, :].shape[-2], :]
    elif data == "zeros":
        q.zero_()
        v.zero_()
    elif data == "first block alone":  # scores of the other blocks are far below
        k[..., 128:, :] = 0.0
        q[..., 0] = 8.0
        k[..., 128:, 0] = -60.0


@pytest.mark.usefixtures("cudnn")
@pytest.mark.parametrize(("name", "data"), RUNS)
def test_gradients(torch: Any, monkeypatch: pytest.MonkeyPatch, name: str, data: str) -> None:
    from cudnn_cffi import ops
    from cudnn_cffi._ways.classic_call import Change

    case: dict[str, Any] = {"queries": 512, "keys": 512, "width": 64, "layout": "bhsd"} | CASES[
        name
    ]
    _small(monkeypatch, case.get("together", 1))
    dtype = "float16" if name in ("causal", "odd") else "bfloat16"
    torch.manual_seed(3)
    batch, heads, heads_kv = case.get("heads", (1, 2, 1))
    sizes = {"q": (heads, "queries"), "k": (heads_kv, "keys"), "v": (heads_kv, "keys")}
    q, k, v = (
        _array(torch, (batch, count, case[length], case["width"]), dtype, case["layout"])
        for count, length in sizes.values()
    )
    do = _array(torch, q.shape, dtype, case["layout"])
    _change(data, q, k, v)
    causal = case.get("causal", False)
    masks = {key: case[key] for key in ("causal", "window", "diagonal") if key in case}
    more, known = {}, {}
    if case.get("sink"):
        more["sink"] = torch.linspace(-2, 3, heads, device="cuda")
        known["sink"] = more["sink"].double().cpu().numpy().reshape(1, heads, 1, 1)
    if case.get("alibi"):
        more["alibi"] = torch.linspace(0.001, 0.02, heads, device="cuda")
        known["slopes"] = more["alibi"].double().cpu().numpy()
    if "bias" in case:
        more["bias"] = _array(torch, (*case["bias"], 512, 512), dtype, "bhsd")
        known["bias"] = more["bias"].double().cpu().numpy()
    o, stats = ops.Attention(**masks, stats=True)(q, k, v, **more)
    made = ops.AttentionBackward(**masks, deterministic=True, dsink="sink" in more)
    arrays = (do, q, k, v, o, stats)
    way: Any = made.plan(*arrays, **more)
    count = sum(not isinstance(each, Change) for each in way.steps)
    assert count == case["steps"] if "steps" in case else count >= 8, f"got {count} steps, {way}"
    found = made(*arrays, **more)
    if causal:
        known |= {"right": 0, "bottom_right": causal == "bottom_right"}
    if "window" in case:
        known |= dict(zip(("left", "right"), case["window"], strict=True))
        known["bottom_right"] = case.get("diagonal") == "bottom_right"
    host = [each.double().cpu().numpy() for each in (q, k, v, do)]
    wanted = reference.backward(*host, **known)
    terms = reference.sizes_of_terms(*host, **known)
    for which, got in zip(("q", "k", "v"), found[:3], strict=True):
        right = getattr(wanted, which)
        size = max(np.linalg.norm(right), 0.1 * terms.get(f"d{which}", 0.0), 1e-6)
        error = np.linalg.norm(got.double().cpu().numpy() - right) / size
        assert error < TOLERANCES[dtype], f"d{which} of {data}: {error:.1e}"
    if "sink" in more:
        assert wanted.sink is not None
        right = wanted.sink.reshape(-1)
        error = np.abs(found.sink.double().cpu().numpy() - right).max()
        assert error < 0.03 * max(np.abs(right).max(), 0.1), f"dsink of {data}: {error:.1e}"
    bits = [each.clone() for each in found[:3]]
    names = "do", "q", "k", "v", "o", "stats", "dq", "dk", "dv"
    named = dict(zip(names, (*arrays, *found[:3]), strict=True)) | more
    named["dsink"] = getattr(found, "sink", None)
    given = [named[each.name].reshape(each.shape) for each in way.operands]
    space = torch.empty(way.workspace_size, dtype=torch.uint8, device="cuda")
    for turn in range(20):
        for each in found[:3]:
            each.fill_(float("nan"))
        space.fill_((255, 77)[turn % 2])
        way(*given, workspace=space)
        same = [torch.equal(a, b) for a, b in zip(bits, found[:3], strict=True)]
        assert all(same), f"other bits in another call: {same}"


@pytest.mark.usefixtures("cudnn")
def test_the_workspace_grows_with_the_length(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi import ops

    _small(monkeypatch)
    sizes = []
    for length in (512, 1024):
        arrays = [torch.zeros(1, 2, length, 64, device="cuda").half() for _ in range(5)]
        stats = torch.zeros(1, 2, length, 1, device="cuda")
        way = ops.AttentionBackward(deterministic=True).plan(*arrays, stats)
        sizes.append(way.workspace_size)
    assert sizes[1] < 2.1 * sizes[0], f"workspaces of {sizes} bytes"


def _heads(torch: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[Any]]:
    """Gradients of five times two heads in two streams, and their arrays."""
    from cudnn_cffi import ops

    _small(monkeypatch, 2 * 4096)
    arrays = [torch.randn(1, 10, 4096, 64, device="cuda").bfloat16() for _ in range(4)]
    o, stats = ops.Attention(causal=True, stats=True)(*arrays[1:])
    arrays += [o, stats]
    return ops.AttentionBackward(causal=True, deterministic=True), arrays


@pytest.mark.usefixtures("cudnn")
@pytest.mark.parametrize("warm", [True, False])
def test_captured(torch: Any, monkeypatch: pytest.MonkeyPatch, warm: bool) -> None:
    from cudnn_cffi.handles import pool
    from cudnn_cffi.plan.run import streams

    two_streams = list[bool]()

    def beside(given: Any) -> Any:
        two_streams.append(pool.beside(given) is not given)
        return pool.beside(given)

    monkeypatch.setattr(streams, "beside", beside)
    made, arrays = _heads(torch, monkeypatch)
    wanted = made(*arrays)[:3]
    found = [torch.full_like(each, float("nan")) for each in wanted]
    if warm:
        pool.beside(pool.handle())  # which calls of the compiled layer may have asked for before
    else:
        pool._beside.clear()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made(*arrays, out=tuple(found))
    assert bool(pool._beside) is warm, "a handle is made before captures, or not at all"
    assert two_streams[-1] is warm
    for _ in range(20):
        for each in found:
            each.fill_(float("nan"))
        graph.replay()
        assert all(map(torch.equal, wanted, found)), "a replay gave other bits"


@pytest.mark.usefixtures("cudnn")
def test_the_second_stream_waits_and_is_waited_for(
    torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, arrays = _heads(torch, monkeypatch)
    wanted = made(*arrays)[:3]
    found = [torch.empty_like(each) for each in wanted]
    later = [torch.zeros_like(each) for each in arrays]
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(5):
                torch.cuda._sleep(20_000_000)
                for mine, each in zip(later, arrays, strict=True):
                    mine.copy_(each)
                made(*later, out=tuple(found))
                copies = [each.clone() for each in found]
                for each in (*later, *found):
                    each.zero_()
                assert all(map(torch.equal, wanted, copies)), f"other bits in {stream}"


@pytest.mark.usefixtures("cudnn")
def test_threads(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures import ThreadPoolExecutor

    made, arrays = _heads(torch, monkeypatch)
    wanted = made(*arrays)[:3]
    torch.cuda.synchronize()

    def work(_: int) -> bool:
        with torch.cuda.stream(torch.cuda.Stream()):
            found = [made(*arrays)[:3] for _ in range(5)]
            return all(all(map(torch.equal, wanted, each)) for each in found)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8))), "a thread got other bits"
