"""The kernel of attention of one query, against float64."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import errors, kernels

from tests.gpu.decode_cases import read

LIKE = ("random", "constant", "far", "negative", "huge")


def pools_of(torch: Any, like: str, shape: tuple[int, ...], swapped: bool, dtype: Any) -> list[Any]:
    """Pages of keys and values; with `swapped` a page has all heads of a key side by side."""
    pages, heads, page, width = shape
    order = (pages, page, heads, width) if swapped else shape
    made = []
    for _ in "kv":
        x = torch.randn(order, device="cuda")
        if like == "constant":
            x = torch.full(order, -3.0, device="cuda")
        elif like == "far":  # a few keys have all of the weight
            x = x * 8
        elif like == "negative":
            x = x - 50
        elif like == "huge":  # scores of hundreds
            x = x * 100
        x = x.to(dtype)
        made.append(x.transpose(1, 2) if swapped else x)
    return made


def expected(torch: Any, q: Any, k: Any, v: Any, table: Any, lengths: Any, scale: float) -> Any:
    sequences, heads, width = q.shape
    found = torch.zeros(sequences, heads, width, dtype=torch.float64, device="cuda")
    for row, length in enumerate(lengths):
        if not length:
            continue
        keys, values = (read(each, table[row], length, heads) for each in (k, v))
        weights = (torch.einsum("hd,hnd->hn", q[row].double(), keys) * scale).softmax(1)
        found[row] = torch.einsum("hn,hnd->hd", weights, values)
    return found


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(
    ("heads", "kv_heads", "width", "page", "lengths"),
    [
        (64, 8, 128, 16, [2048]), (32, 8, 128, 16, [1, 700, 0, 129]), (6, 2, 64, 1, [77, 300]),
        (5, 1, 128, 64, [1000, 64]), (8, 8, 64, 128, [383, 128, 4000]), (8, 1, 128, 16, [9000]),
        (4, 4, 128, 5, [123, 124]),
    ],
)  # fmt: skip
def test_attention(
    torch: Any, heads: int, kv_heads: int, width: int, page: int, lengths: list[int], dtype: str
) -> None:
    """Pages in any order, NaN where no key is, indices that no page has after those of a row."""
    kind, sequences = getattr(torch, dtype), len(lengths)
    blocks = -(-max(lengths) // page) + 1
    call = kernels.OneQuery(sequences, heads, kv_heads, width, page, blocks, dtype, scale=0.11)
    stream = torch.cuda.current_stream()
    counts = torch.tensor(lengths, device="cuda", dtype=torch.int32)
    for like in LIKE:
        pages = sequences * blocks + 1
        k, v = pools_of(torch, like, (pages, kv_heads, page, width), like == "far", kind)
        table = torch.randperm(pages, device="cuda")[: sequences * blocks].int()
        table = table.reshape(sequences, blocks).contiguous()
        for row, length in enumerate(lengths):
            used = -(-length // page)
            if rest := used * page - length:
                for each in (k, v):
                    each[table[row, used - 1], :, page - rest :] = float("nan")
            table[row, used:] = 1 << 30
        q = torch.randn(sequences, heads, width, device="cuda").to(kind)
        wanted = expected(torch, q, k, v, table, lengths, 0.11)
        first: Any = None
        for early in (False, True):
            o = torch.full((sequences + 1, heads, width), float("nan"), device="cuda", dtype=kind)
            call(q, k, v, table, counts, o[:sequences], early=early, stream=stream)
            assert o[sequences].isnan().all(), "wrote beside the result"
            error = (o[:sequences].double() - wanted).norm() / wanted.norm().clamp(min=1e-9)
            assert error < 2 * torch.finfo(kind).eps, like
            assert first is None or torch.equal(o[:sequences], first), "other bits"
            first = o[:sequences]
        assert not first[counts == 0].any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(
    ("heads", "kv_heads", "width", "page", "lengths"),
    [
        (32, 8, 128, 16, [2048]), (16, 2, 128, 16, [1, 129, 0, 1024]), (6, 2, 64, 1, [77, 300]),
        (8, 8, 64, 5, [123, 4000]),
    ],
)  # fmt: skip
def test_rotation(
    torch: Any, heads: int, kv_heads: int, width: int, page: int, lengths: list[int], dtype: str
) -> None:
    """Queries are rotated, and keys and values put into pages, as a Rotation before it does."""
    kind, sequences = getattr(torch, dtype), len(lengths)
    blocks = -(-max(lengths) // page)
    extents = heads, kv_heads, width
    call = kernels.OneQuery(sequences, *extents, page, blocks, dtype, rotates=True)
    rotation = kernels.Rotation(sequences, *extents, dtype)
    stream = torch.cuda.current_stream()
    counts = torch.tensor(lengths, device="cuda", dtype=torch.int32)
    pages = sequences * blocks
    k, v = pools_of(torch, "random", (pages, kv_heads, page, width), False, kind)
    table = torch.randperm(pages, device="cuda").int().reshape(sequences, blocks)
    x = torch.randn(sequences, heads + 2 * kv_heads, width, device="cuda").to(kind)
    angles = torch.rand(sequences, width // 2, device="cuda") * 1000
    turns = torch.cat([angles.cos(), angles.sin()], 1)
    kept = [each.clone() for each in (k, v)]
    has_keys = counts > 0
    last = (counts - 1).clamp(min=0)
    own = table.gather(1, (last // page).long()[:, None])[:, 0]
    places = own * (kv_heads * page * width) + last % page * width
    q = torch.empty(sequences, heads, width, device="cuda", dtype=kind)
    rotation(x, turns, places.int(), q, *kept, stream=stream)
    for mine, before in zip(kept, (k, v), strict=True):  # a sequence without keys gets none
        mine[own[~has_keys].long()] = before[own[~has_keys].long()]
    wanted = expected(torch, q, kept[0], kept[1], table, lengths, width**-0.5)
    for row in has_keys.nonzero()[:, 0].tolist():
        for each in (k, v):
            each[own[row], :, lengths[row] % page - 1] = float("nan")
    for early in (False, True):
        o = torch.full_like(q, float("nan"))
        arguments = x, k, v, table, counts, o
        call(*arguments, turns=turns, early=early, stream=stream)
        assert torch.equal(v, kept[1])
        assert torch.allclose(
            k.double(), kept[0].double(), rtol=2 * torch.finfo(kind).eps, atol=1e-3
        )
        error = (o.double() - wanted).norm() / wanted.norm()
        assert error < 3 * torch.finfo(kind).eps
    with pytest.raises(errors.ArgumentError, match="turns: expected an array"):
        call(*arguments)


class Newest:
    """Pairs of a rotation, which writes the newest keys, and attention, captured in a stream."""

    def __init__(
        self, torch: Any, cudnn: Any, page: int, most: list[int], dtype: str, like: str
    ) -> None:
        kind, self.torch, self.page, self.most = getattr(torch, dtype), torch, page, most
        sequences, extents = len(most), (64, 8, 128)
        blocks = -(-max(most) // page)
        attend = kernels.OneQuery(sequences, *extents, page, blocks, dtype)
        self.rotation = kernels.Rotation(sequences, *extents, dtype)
        self.pages = sequences * blocks
        # A page more takes the keys of sequences that have none.
        pools = pools_of(torch, like, (self.pages + 1, 8, page, 128), False, kind)
        self.pools, self.kept = pools, [each.clone() for each in pools]
        order = torch.randperm(self.pages, device="cuda").int()
        self.table = order.reshape(sequences, blocks)
        self.counts, self.places = (
            torch.zeros(sequences, device="cuda", dtype=torch.int32) for _ in range(2)
        )
        self.xs = torch.randn(6, sequences, 80, 128, device="cuda").to(kind)
        angles = torch.rand(sequences, 64, device="cuda")
        self.turns = torch.cat([angles.cos(), angles.sin()], 1)
        self.q = torch.empty(sequences, 64, 128, device="cuda", dtype=kind)
        self.found = [torch.empty_like(self.q) for _ in self.xs]
        self.stream = cudnn.Stream()
        torch.cuda.synchronize()
        with self.stream.capture() as self.graph:
            for x, o in zip(self.xs, self.found, strict=True):
                self.rotate(x, early=True, stream=self.stream)
                given = self.q, *self.pools, self.table, self.counts, o
                attend(*given, early=True, stream=self.stream)

    def rotate(self, x: Any, **options: Any) -> None:
        self.rotation(x, self.turns, self.places, self.q, *self.pools, **options)

    def set(self, lengths: list[int]) -> None:
        """Change lengths: the newest keys, and all after them, are NaN."""
        self.lengths = lengths
        for pool, kept in zip(self.pools, self.kept, strict=True):
            pool.copy_(kept)
        for row, length in enumerate(lengths):
            page, place = self.pages, 0
            if length:
                page, place = (
                    int(self.table[row, (length - 1) // self.page]),
                    (length - 1) % self.page,
                )
                for pool in self.pools:
                    pool[page, :, place:] = float("nan")
            self.places[row] = page * (8 * self.page * 128) + place * 128
        self.counts.copy_(self.torch.tensor(lengths))
        self.q.fill_(float("nan"))
        for each in self.found:
            each.fill_(float("nan"))

    def check(self) -> None:
        for x, o in zip(self.xs, self.found, strict=True):
            self.rotate(x)
            k, v = self.pools
            wanted = expected(self.torch, self.q, k, v, self.table, self.lengths, 128**-0.5)
            error = (o.double() - wanted).norm() / wanted.norm().clamp(min=1e-9)
            assert error < 2 * self.torch.finfo(o.dtype).eps, self.lengths
            assert not o[self.counts == 0].any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(
    ("page", "most", "likes"),
    [
        (16, [2048], ("random", "negative")), (16, [33, 1], ("huge", "constant")),
        (1, [700, 5], ("negative", "far")), (64, [5000, 16], ("far", "huge")),
        (128, [1, 700, 129, 1024], ("random", "huge")),
    ],
)  # fmt: skip
def test_the_kernel_before_it_writes_the_newest_keys(
    torch: Any, cudnn: Any, page: int, most: list[int], likes: tuple[str, str], dtype: str
) -> None:
    """No row that the kernel before it writes is read too early, in two streams at a time."""
    both = [Newest(torch, cudnn, page, most, dtype, like) for like in likes]
    changes = [(n, 0, 1, n // 2 | 1, n - 1) for n in most]
    for turn in range(5):
        for each in both:
            each.set([own[turn * (row % 2 == 0)] for row, own in enumerate(changes)])
        torch.cuda.synchronize()
        for _ in range(3):
            for each in both:
                each.graph.launch()
        for each in both:
            each.stream.synchronize()
            each.check()


def test_scores_that_are_infinite(torch: Any) -> None:
    """A row whose scores are all -inf, and one with a NaN, is NaN; the others are not."""
    call = kernels.OneQuery(1, 4, 1, 64, 16, 40)
    k, v = (torch.randn(40, 1, 16, 64, device="cuda", dtype=torch.half) for _ in "kv")
    k[..., 0] = float("-inf")
    q = torch.zeros(1, 4, 64, device="cuda", dtype=torch.half)
    q[0, 0, 0], q[0, 1, 1], q[0, 2, 1] = 1, float("nan"), 1
    q[0, 2:, 0] = 0  # 0 times -inf is NaN
    k[..., 1] = 1
    table = torch.arange(40, device="cuda", dtype=torch.int32)[None]
    o = torch.zeros_like(q)
    call(q, k, v, table, torch.tensor([640], device="cuda", dtype=torch.int32), o)
    torch.cuda.synchronize()
    assert o.isnan().all()


def test_a_length_beyond_the_page_table(torch: Any) -> None:
    """It is as one that has all pages of its row; one below 0 is as none."""
    call = kernels.OneQuery(2, 8, 2, 64, 16, 8, scale=0.11)
    k, v = pools_of(torch, "random", (16, 2, 16, 64), False, torch.half)
    table = torch.randperm(16, device="cuda").int().reshape(2, 8)
    q = torch.randn(2, 8, 64, device="cuda", dtype=torch.half)
    for length in (128, 129, 1 << 20, (1 << 31) - 1, -1, -(1 << 31)):
        counts = torch.tensor([length, 40], device="cuda", dtype=torch.int32)
        wanted = expected(torch, q, k, v, table, [max(0, min(length, 128)), 40], 0.11)
        for early in (False, True):
            o = torch.full_like(q, float("nan"))
            call(q, k, v, table, counts, o, early=early)
            error = (o.double() - wanted).norm() / wanted.norm()
            assert error < 2 * torch.finfo(torch.half).eps, (length, early)


def test_a_graph_for_all_lengths(torch: Any, cudnn: Any) -> None:
    """A capture reads lengths, tables and queries as they are when it is launched."""
    call = kernels.OneQuery(2, 32, 8, 128, 16, 64)
    k, v = pools_of(torch, "random", (128, 8, 16, 128), False, torch.half)
    table = torch.randperm(128, device="cuda").int().reshape(2, 64)
    counts = torch.zeros(2, device="cuda", dtype=torch.int32)
    q, o = (torch.zeros(2, 32, 128, device="cuda", dtype=torch.half) for _ in "qo")
    stream = cudnn.Stream()
    with stream.capture() as graph:
        for _ in range(3):
            call(q, k, v, table, counts, o, early=True, stream=stream)
    for lengths in ([1, 1024], [0, 17], [500, 128]):
        counts.copy_(torch.tensor(lengths))
        q.normal_()
        torch.cuda.synchronize()
        graph.launch()
        stream.synchronize()
        wanted = expected(torch, q, k, v, table, lengths, 128**-0.5)
        assert (o.double() - wanted).norm() / wanted.norm() < 2e-3


def test_what_is_refused(torch: Any) -> None:
    for options in (
        {"width": 96}, {"heads": 9}, {"heads": 144}, {"dtype": "float32"}, {"scale": -1.0},
        {"page": 0},
    ):  # fmt: skip
        given: dict[str, Any] = {
            "sequences": 1, "heads": 16, "kv_heads": 8, "width": 64, "page": 16, "pages": 4,
        }  # fmt: skip
        with pytest.raises(errors.ArgumentError, match="expected"):
            kernels.OneQuery(**{**given, **options})
    call = kernels.OneQuery(1, 16, 8, 64, 16, 4)
    kind = {"device": "cuda", "dtype": torch.half}
    k = torch.zeros(4, 8, 16, 64, **kind)
    q = torch.zeros(1, 16, 64, **kind)
    table = torch.zeros(1, 4, device="cuda", dtype=torch.int32)
    counts = torch.zeros(1, device="cuda", dtype=torch.int32)
    for place, wrong in (
        (0, q[:, :8]), (1, k.float()), (2, k[:, :4]), (2, k.transpose(1, 2).contiguous()),
        (2, k.cpu()), (3, table.long()), (4, counts.cpu()), (5, q[0]),
    ):  # fmt: skip
        arguments: list[Any] = [q, k, k, table, counts, q.clone()]
        arguments[place] = wrong
        with pytest.raises(errors.CudnnError, match="expected"):
            call(*arguments)
