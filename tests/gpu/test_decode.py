"""Decode with pages: queries at the ends of sequences, against float64, with poison elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

np = pytest.importorskip("numpy")

from tests.gpu import attention_reference as reference  # noqa: E402
from tests.gpu import decode_cases as cases  # noqa: E402
from tests.gpu.conftest import capturing  # noqa: E402
from tests.gpu.decode_cases import LENGTHS, MOST  # noqa: E402


def host(tensor: Any) -> Any:
    return tensor.detach().cpu().double().numpy()


#: Has engines compute what kernels of the package do otherwise.
GRAPH: Any = {"via": "graph"}


class Cache:
    """Pages in random order, NaN where no key is, and the keys and values in the order of keys."""

    def __init__(
        self, torch: Any, lengths: list[int], heads: int = 2, page: int = 16, width: int = 64,
        dtype: Any = None, last: bool = False, fill: float = float("nan"),
        most: int = MOST,
    ) -> None:  # fmt: skip
        rng = np.random.default_rng(len(lengths) + page)
        self.most = most
        batch, blocks = len(lengths), -(-most // page)
        pages = batch * blocks + 3
        self.table = rng.permutation(pages)[: batch * blocks].reshape(batch, blocks)
        self.plain, self.pools = [], []
        for _ in range(2):
            values = torch.from_numpy(rng.standard_normal((batch, heads, most, width)))
            values = values.to(dtype or torch.bfloat16).double()
            shape = (pages, page, heads, width) if last else (pages, heads, page, width)
            pool = torch.full(shape, fill, dtype=torch.float64)
            pool = pool.transpose(1, 2) if last else pool
            for row, length in enumerate(lengths):
                keys = torch.arange(length)
                pages_of = torch.from_numpy(self.table[row])[keys // page]
                pool[pages_of, :, keys % page] = values[row, :, :length].transpose(0, 1)
            self.plain.append(values.numpy())
            self.pools.append(pool.to(dtype or torch.bfloat16).cuda())
        self.arrays = [
            *self.pools,
            torch.from_numpy(self.table).int().cuda(),
            torch.tensor(lengths, dtype=torch.int32, device="cuda"),
        ]


def queries(torch: Any, batch: int, heads: int, count: int, width: int = 64) -> Any:
    rng = np.random.default_rng(count)
    found = torch.from_numpy(rng.standard_normal((batch, heads, count, width)))
    return found.bfloat16().cuda()


def expected(q: Any, cache: Cache, lengths: list[int], **options: Any) -> Any:
    window, cap = options.pop("window", None), options.pop("soft_cap", None)
    options.pop("finite", None)
    if cap is not None:
        options["score"] = lambda x: cap * np.tanh(x / cap)
    return reference.forward(
        host(q), *cache.plain, right=0, left=None if window is None else window - 1,
        bottom_right=True, lengths_q=[q.shape[2]] * len(lengths), lengths_kv=lengths, **options,
    )  # fmt: skip


def check(torch: Any, q: Any, cache: Cache, lengths: list[int], **options: Any) -> None:
    from cudnn_cffi import ops

    attend: Any = ops.decode_attention
    sink = np.array(options.pop("sink")) if "sink" in options else None
    more = {} if sink is None else {"sink": torch.from_numpy(sink).float().cuda()}
    out = torch.full_like(q, float("nan"))
    stats = torch.full((*q.shape[:3], 1), float("nan"), device="cuda")
    found = attend(
        q, *cache.arrays, **options, **more, stats=True, out=(out, stats), max_length=cache.most
    )
    assert found.o is out
    alone = [
        attend(q, *cache.arrays, **options, **more, max_length=cache.most, choose=choose)
        for choose in (None, GRAPH)
    ]
    logit = {} if sink is None else {"sink": sink.reshape(1, -1, 1, 1)}
    wanted = expected(q, cache, lengths, **options, **logit)
    for result in (out, *[each.o for each in alone]):
        difference = host(result) - wanted.o
        assert not np.isnan(difference).any(), "an element was not written, or NaN leaked"
        size = np.sqrt((wanted.o**2).sum((1, 2, 3)))
        error = np.sqrt((difference**2).sum((1, 2, 3))) / np.where(size == 0, 1, size)
        assert error.max() < 8e-3, error
    seen = np.isfinite(wanted.stats)
    got = host(stats)
    assert np.abs(got[seen] - wanted.stats[seen]).max(initial=0) < 4e-3
    assert (got[~seen] == -np.inf).all()


def lengths_for(count: int) -> list[int]:
    """Return lengths of sequences that have the queries' own keys, or none."""
    return [each if each >= count else 0 for each in LENGTHS]


@pytest.mark.parametrize("page", cases.PAGES)
@pytest.mark.parametrize("count", cases.COUNTS)
@pytest.mark.parametrize("finite", [False, True])
def test_pages_and_queries(torch: Any, page: int, count: int, finite: bool) -> None:
    if finite and count == 1:
        pytest.skip("one query has the same engine")
    cache = Cache(torch, LENGTHS, page=page, fill=1e4 if finite else float("nan"))
    lengths = lengths_for(count)
    cache.arrays[3].copy_(torch.tensor(lengths))
    check(torch, queries(torch, len(lengths), 8, count), cache, lengths, finite=finite)


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("options", cases.MASKS, ids=lambda each: "+".join(each))
def test_masks(torch: Any, count: int, options: dict[str, Any]) -> None:
    for finite in (False, True):
        cache = Cache(torch, lengths_for(count), fill=1e4 if finite else float("nan"))
        check(
            torch, queries(torch, len(LENGTHS), 8, count), cache, lengths_for(count),
            finite=finite, **options,
        )  # fmt: skip


@pytest.mark.parametrize("options", cases.SHARED, ids=str)
def test_keys_that_several_blocks_share(torch: Any, options: dict[str, Any]) -> None:
    lengths = [4000, 0, 1, 1025]
    cache = Cache(torch, lengths, most=4000)
    check(torch, queries(torch, 4, 8, 1), cache, lengths, **options)


@pytest.mark.parametrize("options", cases.MANY, ids=str)
def test_many_sequences(torch: Any, options: dict[str, Any]) -> None:
    """Keys are not divided where there are as many sequences, by other knobs than suggested."""
    from cudnn_cffi import ops

    lengths = [*LENGTHS, *range(1, 119)]
    cache = Cache(torch, lengths)
    q = queries(torch, len(lengths), 8, 1)
    if not options:
        way: Any = ops.DecodeAttention(max_length=MOST).plan(q, *cache.arrays)
        assert way.core.knobs["KERNEL_CFG"] == 34
    check(torch, q, cache, lengths, **options)


@pytest.mark.parametrize("count", [2, 8])
@pytest.mark.parametrize("finite", [False, True])
def test_parts_of_keys(torch: Any, count: int, finite: bool) -> None:
    """Keys of one sequence are computed in parts, some of which have none."""
    from cudnn_cffi import ops

    for length in (cases.IN_PARTS, 4095, 1500, 260, 9, 0):
        cache = Cache(torch, [length], most=cases.IN_PARTS, fill=1e4 if finite else float("nan"))
        q = queries(torch, 1, 8, count)
        way: Any = ops.DecodeAttention(finite=finite, max_length=cases.IN_PARTS).plan(
            q, *cache.arrays, choose=GRAPH
        )
        assert way.detail == " for 16 parts of keys"
        check(torch, q, cache, [length], finite=finite)


@pytest.mark.parametrize("page", cases.PAGES[:3])
@pytest.mark.parametrize("count", [2, 8])
@pytest.mark.parametrize("finite", [False, True])
def test_the_last_keys(torch: Any, page: int, count: int, finite: bool) -> None:
    """A plan without a mask computes all pages but the last, also where there are no others."""
    from cudnn_cffi import ops

    most = cases.APART
    lengths = [0, count, count + 1, page + count - 1, page + count, 511, 512, 513, 2047, most]
    cache = Cache(torch, lengths, page=page, most=most, fill=1e4 if finite else float("nan"))
    q = queries(torch, len(lengths), 8, count)
    other = q.transpose(1, 2).contiguous().transpose(1, 2)
    attend = ops.DecodeAttention(finite=finite, max_length=most, choose=GRAPH)
    for each in (q, other):
        way: Any = attend.plan(each, *cache.arrays)
        assert "another for the last" in way.detail
    check(torch, q, cache, lengths, finite=finite)
    check(torch, other, cache, lengths, finite=finite, soft_cap=3.0)
    graph, out = torch.cuda.CUDAGraph(), torch.empty_like(q)
    wanted = attend(q, *cache.arrays, out=out).o.clone()
    out.fill_(float("nan"))
    with capturing(graph):
        attend(q, *cache.arrays, out=out)
    graph.replay()
    assert torch.equal(out, wanted)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("heads", cases.GROUPS)
def test_groups(torch: Any, count: int, heads: tuple[int, int]) -> None:
    lengths = lengths_for(count)
    cache = Cache(torch, lengths, heads=heads[1], width=128)
    check(torch, queries(torch, len(lengths), heads[0], count, 128), cache, lengths)


def test_layouts(torch: Any) -> None:
    """Heads after keys in the pages, and after queries in the queries."""
    for count in (1, 4):
        lengths = lengths_for(count)
        cache = Cache(torch, lengths, last=True)
        q = queries(torch, len(lengths), 8, count)
        q = q.transpose(1, 2).contiguous().transpose(1, 2)
        check(torch, q, cache, lengths)


def test_rows_of_groups(torch: Any) -> None:
    """Several queries of a group are rows of one product, also in another layout."""
    from cudnn_cffi import ops

    cache = Cache(torch, [100, 7])
    q = queries(torch, 2, 8, 4)
    other = q.transpose(1, 2).contiguous().transpose(1, 2)
    attend: Any = ops.DecodeAttention(choose=GRAPH)
    ways = [attend.plan(x, *cache.arrays) for x in (q, other)]
    for way in ways:
        names = [each.name for each in way.core.operands]
        assert "bias" in names, f"{names}"
    assert len(ways[1].steps) == len(ways[0].steps) + 2, "copies of queries and results"


@pytest.mark.parametrize("count", [1, 4])
def test_very_negative_scores(torch: Any, count: int) -> None:
    lengths = lengths_for(count)
    cache = Cache(torch, lengths)
    q = queries(torch, len(lengths), 8, count)
    q[..., 0] = 1
    for pool, plain in zip(cache.pools[:1], cache.plain, strict=False):
        pool[..., 0] = torch.where(pool[..., 0].isnan(), pool[..., 0], -4e4)
        plain[..., 0] = float(torch.tensor(-4e4).bfloat16())
    from cudnn_cffi import ops

    wanted = expected(q, cache, lengths).o
    for choose in (None, GRAPH):
        o = ops.decode_attention(q, *cache.arrays, max_length=MOST, choose=choose).o
        # Scores of -5000 have steps of 2^-11 in float32.
        assert np.abs(host(o) - wanted).max() < 3e-2


def test_pages_shared_by_sequences(torch: Any) -> None:
    lengths = [MOST, 100, 48]
    cache = Cache(torch, lengths)
    cache.arrays[2][1:] = cache.arrays[2][0]
    for plain in cache.plain:
        plain[1:] = plain[0]
    check(torch, queries(torch, 3, 8, 1), cache, lengths)


@pytest.mark.parametrize("count", [1, 5])
def test_float16(torch: Any, count: int) -> None:
    lengths = lengths_for(count)
    cache = Cache(torch, lengths, dtype=torch.float16)
    check(torch, queries(torch, len(lengths), 8, count).half(), cache, lengths)


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("choose", [None, GRAPH])
def test_one_capture_for_all_lengths(torch: Any, count: int, choose: Any) -> None:
    from cudnn_cffi import ops

    cache = Cache(torch, [MOST] * 4)
    q, now = queries(torch, 4, 8, count), cache.arrays[3]
    out = torch.empty_like(q)
    attention = ops.DecodeAttention(max_length=MOST, choose=choose)
    attention(q, *cache.arrays, out=out)
    with capturing() as graph:
        attention(q, *cache.arrays, out=out)
    for lengths in ([4, 5, 6, 7], [0, 16, 17, MOST], [MOST, count, 64, 300]):
        now.copy_(torch.tensor(lengths))
        out.fill_(float("nan"))
        graph.replay()
        wanted = expected(q, cache, lengths).o
        assert np.linalg.norm(host(out) - wanted) < 8e-3 * np.linalg.norm(wanted)


@pytest.mark.parametrize("count", [1, 4, 16])
def test_fp8(torch: Any, count: int) -> None:
    from cudnn_cffi import errors, ops

    lengths, eight = [0, 17, MOST], torch.float8_e4m3fn
    cache = Cache(torch, lengths, width=128, dtype=eight, fill=100.0)
    q = queries(torch, 3, 16, count, 128).to(eight)
    one = torch.ones(1, device="cuda")
    scales = {"descale_q": one / 2, "descale_k": one, "descale_v": 2 * one}
    o = ops.decode_attention(q, *cache.arrays, **scales, max_length=MOST, finite=True).o
    wanted = expected(q.float() / 2, cache, lengths).o * 2
    error = np.linalg.norm(host(o.float()) - wanted) / np.linalg.norm(wanted)
    assert error < 0.06
    assert not host(o.float())[0].any()
    with pytest.raises(errors.NotSupportedError, match="finite"):
        ops.decode_attention(q, *cache.arrays, **scales, max_length=MOST)


def test_checked(torch: Any) -> None:
    from cudnn_cffi import errors, ops
    from cudnn_cffi.torch import functional

    cache = Cache(torch, [20, 40])
    q = queries(torch, 2, 8, 1)
    k, v, table, lengths = cache.arrays
    attention = ops.DecodeAttention(max_length=64, checked=True)
    right = attention(q, k, v, table, lengths).o
    table[0, 2:] = 10**6  # after the length: nothing reads it
    out = torch.full_like(q, 7.0)
    attention(q, k, v, table, lengths, out=out)
    assert torch.equal(out, right)
    for wrong, at in (({"lengths": 65}, "at 1"), ({"lengths": -1}, "at 1")):
        out.fill_(7.0)
        with pytest.raises(errors.ArgumentError, match=f"lengths: expected 0, or 1 to 64.*{at}"):
            attention(q, k, v, table, lengths.new_tensor([20, wrong["lengths"]]), out=out)
        assert bool((out == 7).all())
    for page in (k.shape[0], -1):
        bad = table.clone()
        bad[1, 2] = page
        with pytest.raises(errors.ArgumentError, match=rf"page_table.*got {page} at \(1, 2\)"):
            attention(q, k, v, bad, lengths, out=out)
        with pytest.raises(errors.ArgumentError, match=rf"page_table.*got {page} at \(1, 2\)"):
            functional.decode_attention(q, k, v, bad, lengths, checked=True)
        assert bool((out == 7).all())
