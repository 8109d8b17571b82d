"""Shapes that change: attention in buckets, kernels that plans share, calls while one is compiled."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import choice, errors, ops
from cudnn_cffi.choice.engine.kernel_cache import KernelCache
from cudnn_cffi.choice.store import background
from cudnn_cffi.graph import Graph
from cudnn_cffi.ops.attn import buckets

from tests.gpu.conftest import capturing

#: Two lengths of each bucket, one that fills its bucket, and one query.
LENGTHS = (100, 65, 128, 126, 200, 17, 1, 191)

#: Options, whether there is a bias, heads of keys and of values, and further keys.
KINDS: dict[str, tuple[dict[str, Any], bool, tuple[int, int], int]] = {
    "plain": ({}, False, (4, 4), 0),
    "causal": ({"causal": True}, False, (4, 4), 0),
    "bias": ({}, True, (4, 4), 0),
    "grouped": ({"scale": 0.3}, False, (2, 2), 7),
    "unlike": ({}, False, (4, 2), 0),
}


@pytest.fixture(autouse=True)
def one_exact_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "EXACT", 1)


def arrays_of(torch: Any, kind: str, length: int, layout: str, dtype: str, like: str) -> list[Any]:
    """Queries, keys, values, and a bias or None."""
    _, biased, heads, further = KINDS[kind]

    def make(heads: int, count: int) -> Any:
        shape = (2, heads, count, 64) if layout == "bhsd" else (2, count, heads, 64)
        x = torch.randn(shape, device="cuda")
        if like == "extreme":  # scores far apart, constant vectors and zeros
            x = x * 30
            x[..., :1, :] = 0
            x[0] = x[0].sign() * 8
        x = x.to(getattr(torch, dtype))
        return x if layout == "bhsd" else x.transpose(1, 2)

    keys = length + further
    given = [make(4, length), *[make(each, keys) for each in heads]]
    bias = None
    if biased:
        bias = torch.randn(1, 4, length, keys, device="cuda").to(getattr(torch, dtype))
        bias[..., keys // 2] = -1e4
    return [*given, bias]


def expected(torch: Any, kind: str, q: Any, k: Any, v: Any, bias: Any) -> tuple[Any, Any]:
    """The result and the statistics in float64; gradients flow to the arrays."""
    options = KINDS[kind][0]
    q, k, v = (each.double() for each in (q, k, v))
    k, v = (each.repeat_interleave(q.shape[1] // each.shape[1], 1) for each in (k, v))
    scores = q @ k.transpose(2, 3) * options.get("scale", 1 / 8)
    if bias is not None:
        scores = scores + bias.double()
    if options.get("causal"):
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device="cuda").tril()
        scores = scores.masked_fill(~seen, float("-inf"))
    return scores.softmax(-1) @ v, scores.logsumexp(-1, keepdim=True)


def poison(torch: Any) -> None:
    """Leaves NaN in the memory that PyTorch gives next."""
    for size in (1 << 16, 1 << 20, 1 << 22, 1 << 24):
        torch.full((size,), float("nan"), device="cuda")


def far(result: Any, reference: Any) -> float:
    assert not result.isnan().any()
    return float((result.double() - reference).norm() / reference.norm().clamp(min=1e-9))


@pytest.mark.parametrize("layout", ["bhsd", "bshd"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("like", ["random", "extreme"])
def test_attention(torch: Any, kind: str, layout: str, like: str) -> None:
    dtype = "bfloat16" if like == "extreme" else "float16"
    operation = ops.Attention(stats=True, **KINDS[kind][0])
    ways = {}
    for length in LENGTHS:
        q, k, v, bias = arrays_of(torch, kind, length, layout, dtype, like)
        more = {} if bias is None else {"bias": bias}
        o, stats = expected(torch, kind, q, k, v, bias)
        for _ in range(2):  # the second call may be another path
            poison(torch)
            with ops.record() as calls:
                got = operation(q, k, v, **more)
            assert far(got.o, o) < (2e-2 if like == "extreme" else 2e-3), length
            assert torch.allclose(got.stats.double(), stats, rtol=1e-3, atol=2e-2), length
            ways[length] = calls[0].way
    assert " for " not in ways[100]  # the first length
    assert " for " not in ways[1] or kind == "grouped"
    if kind == "bias" and layout == "bhsd":  # heads are examples, and have a bias of their own
        assert not any(" for " in each for each in ways.values())
    elif kind != "grouped":
        assert " for " not in ways[128]  # it fills its bucket
        assert ways[65].endswith("for 128 queries and 128 keys")
        assert ways[200].endswith("for 256 queries and 256 keys")


def test_lengths_that_are_given(torch: Any) -> None:
    """With lengths on the device, arrays of each length have their own engine."""
    operation = ops.Attention()
    for length in (90, 70, 80):
        q, k, v, _ = arrays_of(torch, "plain", length, "bhsd", "float16", "random")
        for kind in (torch.int32, torch.int64):
            own = torch.tensor([length, length // 2], device="cuda", dtype=kind)
            o = operation(q, k, v, seq_len_q=own, seq_len_kv=own).o
            for at, n in enumerate(own.tolist()):
                cut = [x[at : at + 1, :, :n] for x in (q, k, v)]
                want = expected(torch, "plain", cut[0], cut[1], cut[2], None)
                assert far(o[at : at + 1, :, :n], want[0]) < 2e-3
                assert not o[at, :, n:].any()


@pytest.mark.parametrize("layout", ["bhsd", "bshd"])
@pytest.mark.parametrize("kind", ["plain", "causal"])
def test_gradients(torch: Any, kind: str, layout: str) -> None:
    operation = ops.Attention(stats=True, **KINDS[kind][0])
    for length in (100, 90, 72):
        q, k, v, _ = arrays_of(torch, kind, length, layout, "float16", "random")
        leaves = [each.detach().double().requires_grad_() for each in (q, k, v)]
        wanted, _ = expected(torch, kind, leaves[0], leaves[1], leaves[2], None)
        do = torch.randn_like(q)
        wanted.backward(do.double())
        got = operation(q, k, v)
        poison(torch)
        with ops.record() as calls:
            found = operation.backward(do, q, k, v, got.o, got.stats)
        assert (" for " in calls[0].way) == (length != 100)
        for name, leaf in zip("qkv", leaves, strict=True):
            assert far(getattr(found, name), leaf.grad) < 5e-3, (name, length)


@pytest.mark.parametrize("layout", ["bhsd", "bshd"])
@pytest.mark.parametrize("kind", ["plain", "causal", "grouped"])
@pytest.mark.parametrize("length", [65, 100, 129, 1])
def test_nothing_beside_the_arrays(torch: Any, kind: str, layout: str, length: int) -> None:
    """Rows after the arrays, and a head of NaN, change nothing, and nothing is written there."""
    operation = ops.Attention(stats=True, **KINDS[kind][0])
    operation(*arrays_of(torch, kind, 40, layout, "float16", "random")[:3])
    axis = 2 if layout == "bhsd" else 1

    def within(x: Any) -> Any:
        """The array as the begin of rows that have NaN after it."""
        x = x if layout == "bhsd" else x.transpose(1, 2)
        wide = torch.nn.functional.pad(x, (0, 0) * (3 - axis) + (0, 70), value=float("nan"))
        cut = wide.narrow(axis, 0, x.shape[axis])
        return cut if layout == "bhsd" else cut.transpose(1, 2)

    plain = arrays_of(torch, kind, length, layout, "float16", "random")[:3]
    plain[1][-1, -1], plain[2][-1, -1] = float("nan"), float("nan")
    given = [within(each) for each in plain]
    out = within(torch.zeros_like(plain[0]))
    whole = out._base if out._base is not None else out
    before = whole.isnan().sum()
    with ops.record() as calls:
        got = operation(*given, out=(out, None))
    wanted, stats = expected(torch, kind, plain[0], plain[1], plain[2], None)
    group = plain[0].shape[1] // plain[1].shape[1]
    assert length == 1 or " for " in calls[0].way
    assert far(out[0], wanted[0]) < 2e-3
    assert far(out[-1, :-group], wanted[-1, :-group]) < 2e-3
    assert bool(out[-1, -group:].isnan().all())
    assert torch.allclose(got.stats[0].double(), stats[0], rtol=1e-3, atol=2e-2)
    assert int(whole.isnan().sum() - before) == group * length * 64, "wrote beside the result"


@pytest.mark.parametrize("layout", ["bhsd", "bshd"])
def test_gradients_beside_the_arrays(torch: Any, layout: str) -> None:
    """Gradients of an example do not depend on another one of NaN, and fill their arrays."""
    operation = ops.Attention(stats=True, causal=True)
    for length in (40, 70, 127):
        q, k, v, _ = arrays_of(torch, "causal", length, layout, "bfloat16", "random")
        do = torch.randn_like(q)
        got = operation(q, k, v)
        clean = operation.backward(do, q, k, v, got.o, got.stats)
        k[1], v[1] = float("nan"), float("nan")
        got = operation(q, k, v)
        poison(torch)
        found = operation.backward(do, q, k, v, got.o, got.stats)
        for name in "qkv":
            one, other = getattr(clean, name), getattr(found, name)
            assert far(other[0], one[0].double()) < 1e-2, (name, length)
            assert bool(other[1].isnan().any())


@pytest.mark.parametrize("rule", [{"deterministic": True}, {"exact": True}], ids=str)
def test_bits_are_kept(torch: Any, rule: Any) -> None:
    """Each length has its own engine where bits must not depend on other calls."""
    operation = ops.Attention(choose=rule)
    for length in (40, 50):
        q, k, v, _ = arrays_of(torch, "plain", length, "bhsd", "float16", "random")
        with ops.record() as calls:
            operation(q, k, v)
        assert " for " not in calls[0].way


def test_pytorch(torch: Any) -> None:
    from cudnn_cffi.torch import functional

    for length in (33, 47, 50):
        given = arrays_of(torch, "plain", length, "bshd", "float16", "random")[:3]
        leaves = [each.detach().double().requires_grad_() for each in given]
        own = [each.detach().requires_grad_() for each in given]
        with ops.record() as calls:
            o = functional.scaled_dot_product_attention(own[0], own[1], own[2], scale=0.126)
        assert (" for 64 queries" in calls[0].way) == (length != 33)
        wanted, _ = expected(torch, "plain", leaves[0] * (0.126 * 8), leaves[1], leaves[2], None)
        assert far(o, wanted) < 2e-3
        do = torch.randn_like(o)
        o.backward(do)
        wanted.backward(do.double())
        for one, other in zip(own, leaves, strict=True):
            assert far(one.grad, other.grad) < 5e-3


def test_a_capture(torch: Any) -> None:
    """A call in a bucket can be captured, and reads new contents when it is launched."""
    operation = ops.Attention()
    for length in (60, 52):
        q, k, v, _ = arrays_of(torch, "plain", length, "bhsd", "float16", "random")
        operation(q, k, v)
    with capturing() as graph:
        o = operation(q, k, v).o
    q.copy_(torch.randn_like(q))
    graph.replay()
    assert far(o, expected(torch, "plain", q, k, v, None)[0]) < 2e-3


@pytest.mark.alone  # others use the device's memory
def test_nothing_is_made_for_more_lengths(torch: Any) -> None:
    """Plans are those of buckets, and memory of the device does not grow."""
    operation = ops.Attention()
    q, k, v, _ = arrays_of(torch, "plain", 512, "bhsd", "float16", "random")
    made, free = [], []
    for length in (500, *range(460, 300, -1)):
        operation(*[each[:, :, :length].contiguous() for each in (q, k, v)])
        made.append(choice.plans.info().entries)
        torch.cuda.synchronize()
        free.append(torch.cuda.mem_get_info()[0])
    assert made[-1] - made[0] <= 4 + 3  # buckets of 512 to 320; lengths that fill them
    assert free[60] - free[-1] <= 32 << 20


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_classic_functions_compute_meanwhile(torch: Any, dtype: str) -> None:
    kind = getattr(torch, dtype)
    x, w = (
        torch.randn(s, device="cuda").to(kind).to(memory_format=torch.channels_last)
        for s in ((2, 32, 23, 23), (32, 32, 3, 3))
    )
    wanted = torch.nn.functional.conv2d(x.double(), w.double(), padding=1).relu()
    with choice.no_cache(), ops.record() as calls:  # nothing can be kept, so nothing is begun
        ops.Convolution(padding=1, activation="relu", choose={"exact": False})(x, w)
    assert calls[0].via == "graph"
    choice.plans.clear()
    operation = ops.Convolution(padding=1, activation="relu", choose={"exact": False})
    ways = []
    for _ in range(3):
        with ops.record() as calls:
            y = operation(x, w)
        ways.append(calls[0].via)
        assert far(y, wanted) < 2e-3
        if len(ways) == 2:
            background.wait()
    assert ways[-1] == "graph"
    rules: list[Any] = [{}, {"exact": True}]
    for rule in rules:
        exact = ops.Convolution(padding=1, activation="relu", choose=rule)
        with ops.record() as calls:
            exact(x[:1], w)
        assert calls[0].via == "graph"


def product(torch: Any, m: int, n: int, k: int) -> tuple[Graph, dict[str, Any], Any]:
    g = Graph(io_data_type="HALF", dynamic_shapes=True)
    a, b = g.tensor((3, m, k), name="a"), g.tensor((3, k, n), name="b")
    g.output(g.relu(a @ b), name="y")
    given = {
        "a": torch.randn(3, m, k, device="cuda").half(),
        "b": torch.randn(3, k, n, device="cuda").half(),
    }
    return g, given, (given["a"].double() @ given["b"].double()).relu()


def test_products_share_kernels(torch: Any) -> None:
    choice.plans.clear()
    plans = []
    for shape in ((64, 128, 256), (40, 128, 256), (64, 64, 1000), (200, 72, 8)):
        g, given, wanted = product(torch, *shape)
        plans.append(g.build())
        assert far(plans[-1](**given), wanted) < 2e-3
    assert len(choice.plans.kernels) == 1
    assert len({plan.engine for plan in plans}) == 1
    other = plans[0].at(a=(3, 17, 256))
    a = torch.randn(3, 17, 256, device="cuda").half()
    b = torch.randn(3, 256, 128, device="cuda").half()
    assert far(other(a, b), (a.double() @ b.double()).relu()) < 2e-3
    assert plans[0].at(a=(3, 17, 256)) is other
    with pytest.raises(errors.ShapeMismatchError):
        plans[0].at(a=(3, 17, 255))
    with pytest.raises(errors.GraphError, match="no input"):
        plans[0].at(c=(3, 17, 256))
    with pytest.raises(errors.ShapeMismatchError, match="expected the shape"):
        other(*given.values())


def test_convolutions_share_kernels(torch: Any) -> None:
    choice.plans.clear()
    for count, channels, size in ((2, 32, 20), (3, 32, 31), (2, 64, 9)):
        g = Graph(io_data_type="HALF", dynamic_shapes=True)
        x = g.tensor((count, channels, size, size), layout="NHWC", name="x")
        w = g.tensor((32, channels, 3, 3), layout="NHWC", name="w")
        g.output(g.relu(g.convolution(x, w, padding=1)), name="y")
        given = [
            torch.randn(s, device="cuda").half().to(memory_format=torch.channels_last)
            for s in ((count, channels, size, size), (32, channels, 3, 3))
        ]
        wanted = torch.nn.functional.conv2d(*[e.double() for e in given], padding=1).relu()
        assert far(g.build()(*given), wanted) < 2e-3


def test_attention_shares_no_kernels(torch: Any) -> None:
    """CuDNN would take a kernel for another length, which computes wrong numbers (9.19)."""
    cache = None
    for length in (64, 100):
        g = Graph(io_data_type="HALF", dynamic_shapes=True)
        q, k, v = (g.tensor((2, 4, length, 64), name=name) for name in "qkv")
        g.output(g.attention(q, k, v, form="composite"), name="o")
        given = arrays_of(torch, "plain", length, "bhsd", "float16", "random")
        o = g.build()(*given[:3])
        assert far(o, expected(torch, "plain", *given)[0]) < 2e-3
        cache = cache or KernelCache(g.computation())
    with pytest.raises(errors.ArgumentError, match="kernel_cache"):
        g.build(kernel_cache=cache)


@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize("ragged", [False, True])
def test_checked(torch: Any, ragged: bool, gradients: bool) -> None:
    """Lengths and offsets beyond arrays are refused, and nothing is written."""
    torch.manual_seed(0)
    shape, lengths = ((150, 4, 64) if ragged else (2, 4, 128, 64)), [20, 128]
    q, k, v, do = (torch.randn(shape, device="cuda").half() for _ in range(4))
    whole = torch.tensor(lengths, device="cuda", dtype=torch.int32)
    offsets = torch.tensor([0, 20, 148], device="cuda", dtype=torch.int32) * 256
    given = {"seq_len_q": whole, "seq_len_kv": whole}
    more: dict[str, Any] = {"checked": True}
    if ragged:
        given |= dict.fromkeys(("offsets_q", "offsets_k", "offsets_v"), offsets)
        more |= {"max_q_length": 128, "max_kv_length": 128}
    forward = ops.Attention(stats=True, **more)
    o, stats = forward(q, k, v, **given)
    plain = ops.Attention(stats=True, **{**more, "checked": None})(q, k, v, **given)
    assert torch.equal(o, plain.o)
    outs = [torch.full_like(q, 7.0) for _ in range(3)]

    def call(given: Any) -> Any:
        if not gradients:
            return forward(q, k, v, **given, out=(outs[0], stats))
        return ops.AttentionBackward(**more)(do, q, k, v, o, stats, **given, out=tuple(outs))

    wrong: list[Any] = [
        ({"seq_len_q": whole + 1}, "seq_len_q: expected 0 to 128, got 129 at 1"),
        ({"seq_len_kv": whole - 21}, "seq_len_kv: expected 0 to 128, got -1 at 0"),
    ]
    if ragged:
        wrong.append(({"offsets_k": offsets + 768}, "offsets_k: expected 128 vectors of k from"))
    for changed, says in wrong:
        with pytest.raises(errors.ArgumentError, match=says):
            call({**given, **changed})
        assert all(bool((each == 7).all()) for each in outs)
    call(given)
    assert not (outs[0] == 7).all()
