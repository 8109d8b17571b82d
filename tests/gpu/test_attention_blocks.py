"""Deterministic gradients of attention by blocks of keys, against float64."""

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
}
DATA = ("random", "very negative rows", "constant keys", "zeros", "first block alone")
RUNS = [(name, data) for name in CASES for data in DATA[: 5 if name in ("plain", "causal") else 2]]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi.ops.attn import by_blocks

    monkeypatch.setattr(by_blocks, "SIZE", 128)


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
def test_gradients(torch: Any, name: str, data: str) -> None:
    from cudnn_cffi import ops

    case = {"queries": 512, "keys": 512, "width": 64, "layout": "bhsd"} | CASES[name]
    dtype = "float16" if name in ("causal", "odd") else "bfloat16"
    torch.manual_seed(3)
    heads, heads_kv = 2, 1
    sizes = {"q": (heads, "queries"), "k": (heads_kv, "keys"), "v": (heads_kv, "keys")}
    q, k, v = (
        _array(torch, (1, count, case[length], case["width"]), dtype, case["layout"])
        for count, length in sizes.values()
    )
    do = _array(torch, q.shape, dtype, case["layout"])
    _change(data, q, k, v)
    causal = case.get("causal", False)
    more, known = {}, {}
    if case.get("sink"):
        more["sink"] = torch.linspace(-2, 3, heads, device="cuda")
        known["sink"] = more["sink"].double().cpu().numpy().reshape(1, heads, 1, 1)
    if case.get("alibi"):
        more["alibi"] = torch.linspace(0.001, 0.02, heads, device="cuda")
        known["slopes"] = more["alibi"].double().cpu().numpy()
    o, stats = ops.Attention(causal=causal, stats=True)(q, k, v, **more)
    made = ops.AttentionBackward(causal=causal, deterministic=True, dsink="sink" in more)
    arrays = (do, q, k, v, o, stats)
    way = made.plan(*arrays, **more)
    assert len(getattr(way, "steps", ())) >= 8, f"expected a call by blocks, got {way}"
    found = made(*arrays, **more)
    if causal:
        known |= {"right": 0, "bottom_right": causal == "bottom_right"}
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
    for _ in range(5):
        again = made(*arrays, **more)
        same = [torch.equal(a, b) for a, b in zip(bits, again[:3], strict=True)]
        assert all(same), f"other bits in a second call: {same}"


@pytest.mark.usefixtures("cudnn")
def test_the_workspace_grows_with_the_length(torch: Any) -> None:
    from cudnn_cffi import ops

    sizes = []
    for length in (512, 1024):
        arrays = [torch.zeros(1, 2, length, 64, device="cuda").half() for _ in range(5)]
        stats = torch.zeros(1, 2, length, 1, device="cuda")
        way = ops.AttentionBackward(deterministic=True).plan(*arrays, stats)
        sizes.append(way.workspace_size)
    assert sizes[1] < 2.1 * sizes[0], f"workspaces of {sizes} bytes"
