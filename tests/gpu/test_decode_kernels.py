"""Attention over pages by kernels of the package, as operations choose them, against float64."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import errors, kernels, ops
from cudnn_cffi.driver.streams import stream_pointer
from cudnn_cffi.kernels import common, compiling, launching

from tests.gpu.decode_cases import read
from tests.gpu.test_one_query import LIKE, pools_of

#: (heads, heads of keys, width, page, queries, lengths)
CASES: list[tuple[int, int, int, int, int, list[int]]] = [
    (64, 8, 128, 16, 1, [2048]),
    (16, 2, 128, 1, 1, [1, 700, 0, 129]),
    (6, 2, 64, 64, 1, [77, 300, 4001]),
    (8, 1, 128, 128, 1, [3900]),
    (64, 8, 128, 16, 1, [8170]),
    (64, 8, 128, 16, 1, [12345]),
    (40, 8, 128, 64, 1, [20001]),
    (16, 2, 128, 64, 1, [8100, 1, 0, 7777]),
    (64, 8, 128, 16, 8, [2048]),
    (64, 8, 128, 16, 8, [8, 0, 9, 700, 1023, 8191]),
    (32, 8, 128, 1, 3, [3, 500, 0, 77]),
    (6, 2, 64, 64, 5, [5, 1000, 300, 0, 0]),
    (8, 1, 128, 128, 8, [9001, 8]),
    (8, 2, 64, 5, 7, [7, 999, 64]),
    (4, 4, 128, 16, 2, [0, 0]),
    (16, 8, 64, 16, 4, [*range(4, 150), 5000]),
    (16, 16, 128, 16, 8, [3000, 17, 0, 9000, 100, 8, 0, 2500]),
    (64, 8, 128, 16, 8, [8191]),
    (32, 8, 64, 16, 8, [33500]),
    (24, 8, 64, 64, 8, [9000, 8, 20001]),
    (64, 8, 128, 16, 8, [33500]),
    (64, 8, 128, 1, 2, [5000]),
    (32, 4, 128, 64, 8, [3001]),
    (24, 12, 64, 5, 7, [999]),
    (7, 7, 64, 128, 1, [2077]),
    (12, 3, 128, 16, 4, [129]),
]


def expected(torch: Any, q: Any, k: Any, v: Any, table: Any, lengths: list[int]) -> Any:
    _, heads, queries, width = q.shape
    found = torch.zeros(q.shape, dtype=torch.float64, device="cuda")
    for row, length in enumerate(lengths):
        if not length:
            continue
        keys, values = (read(each, table[row], length, heads) for each in (k, v))
        scores = q[row].double() @ keys.transpose(1, 2) * width**-0.5
        last = length - queries + torch.arange(queries, device="cuda")[:, None]
        hidden = torch.arange(length, device="cuda") > last
        found[row] = scores.masked_fill(hidden, float("-inf")).softmax(2) @ values
    return found


class Call:
    """Arrays of a case, with NaN where no key is, and indices that no page has after a row's."""

    def __init__(
        self, torch: Any, case: Any, dtype: str, like: str = "random", swapped: bool = False
    ) -> None:
        heads, kv_heads, width, page, self.queries, lengths = case
        self.torch, self.kind, self.page = torch, getattr(torch, dtype), page
        self.blocks = -(-max(lengths) // page) + 1
        pages = len(lengths) * self.blocks + 1
        shape = (pages, kv_heads, page, width)
        self.k, self.v = pools_of(torch, like, shape, swapped, self.kind)
        self.kept = self.k.clone(), self.v.clone()
        order = torch.randperm(pages, device="cuda")[: len(lengths) * self.blocks].int()
        self.order = order.reshape(len(lengths), self.blocks)
        self.table = self.order.clone()
        self.counts = torch.zeros(len(lengths), device="cuda", dtype=torch.int32)
        q = torch.randn(len(lengths), self.queries, heads, width, device="cuda").to(self.kind)
        self.q = q.transpose(1, 2) if swapped else q.transpose(1, 2).contiguous()
        self.o = torch.empty_like(self.q)
        self.set(lengths)

    def set(self, lengths: list[int]) -> None:
        """Change the lengths: all after them is NaN or no index of a page."""
        self.lengths = lengths
        self.counts.copy_(self.torch.tensor(lengths))
        self.table.copy_(self.order)
        for pool, kept in zip((self.k, self.v), self.kept, strict=True):
            pool.copy_(kept)
            for row, length in enumerate(lengths):
                used = -(-length // self.page)
                if rest := used * self.page - length:
                    pool[self.order[row, used - 1], :, self.page - rest :] = float("nan")
        for row, length in enumerate(lengths):
            self.table[row, -(-length // self.page) :] = 1 << 30
        self.o.fill_(float("nan"))

    def run(self, attend: Any, **more: Any) -> None:
        attend(self.q, self.k, self.v, self.table, self.counts, out=self.o, **more)

    def check(self, what: str) -> None:
        wanted = expected(self.torch, self.q, self.k, self.v, self.table, self.lengths)
        error = (self.o.double() - wanted).norm() / wanted.norm().clamp(min=1e-9)
        assert error < 2 * self.torch.finfo(self.kind).eps, what
        for row, length in enumerate(self.lengths):
            assert length or not self.o[row].any(), f"{what}: row {row} has no keys"


def poison(handle: Any, size: int) -> None:
    """Fill the memory of a handle with NaN."""
    from cudnn_cffi.driver.timing import fill_with

    if size:
        fill_with(handle.workspace.get(size), 0xFF, size, handle.get_stream())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_attention(torch: Any, handle: Any, case: Any, dtype: str) -> None:
    for like in LIKE:
        call = Call(torch, case, dtype, like, swapped=like == "far" and case[4] > 1)
        attend = ops.DecodeAttention()
        arrays = call.q, call.k, call.v, call.table, call.counts
        way: Any = attend.plan(*arrays, out=call.o, handle=handle)
        few = len(case[5]) * case[1] <= 8
        if case[4] > 1 or few:
            assert way.algorithm.startswith("kernels."), way
        first: Any = None
        for turn in range(6):  # from the fourth on it is launched as a CUDA graph
            call.o.fill_(float("nan"))
            call.run(attend)
            call.check(f"{like}, call {turn}")
            first = call.o.clone() if first is None else first
            assert torch.equal(call.o, first), f"{like}, call {turn} has other bits"
        call.o.fill_(float("nan"))
        poison(handle, way.workspace_size)
        with ops.record() as ran:
            call.run(attend, handle=handle)
        call.check(f"{like}, poisoned memory")
        if case[4] > 1 or few:
            assert [each.way for each in ran] == [way.algorithm]


@pytest.mark.parametrize("case", [CASES[2], CASES[13]], ids=str)
def test_binaries_are_kept_for_later_processes(
    torch: Any, case: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> bytes:
        raise AssertionError("it is compiled again")

    monkeypatch.setenv("CUDNN_CFFI_PLAN_CACHE", str(tmp_path))
    for compiler in (compiling._compiled, refuse):
        common.module_of.cache_clear()
        monkeypatch.setattr(compiling, "_compiled", compiler)
        call, attend = Call(torch, case, "float16"), ops.DecodeAttention()
        with ops.record() as ran:
            call.run(attend)
        assert all(each.way.startswith("kernels.") for each in ran)
        call.check("kept")
        assert list(tmp_path.rglob("*.cubin"))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("page", [1, 16, 64, 128])
@pytest.mark.parametrize(("queries", "most"), [(1, [1025]), (8, [1025]), (8, [1025, 700, 64])])
def test_two_streams_and_other_lengths(
    torch: Any, cudnn: Any, page: int, queries: int, most: list[int], dtype: str
) -> None:
    """Captures of two streams run at the same time, and again after lengths have changed."""
    calls, graphs, streams = [], [], [cudnn.Stream() for _ in range(2)]
    for stream, like in zip(streams, ("random", "huge"), strict=True):
        call = Call(torch, (64, 8, 128, page, queries, most), dtype, like)
        attend = ops.DecodeAttention()
        torch.cuda.synchronize()
        call.run(attend, stream=stream)
        with stream.capture() as graph:
            for _ in range(4):
                call.run(attend, stream=stream)
        calls.append(call)
        graphs.append(graph)
    for lengths in ([queries], [1025], [0], [17 + queries], [513]):
        changed = [*lengths, 0, 33][: len(most)]
        for call in calls:
            call.set(changed)
        torch.cuda.synchronize()
        for _ in range(3):
            for graph in graphs:
                graph.launch()
        for stream in streams:
            stream.synchronize()
        for call in calls:
            call.check(f"{changed}")


def test_the_kernel_before_it_writes_all_arrays(torch: Any) -> None:
    """It begins early, but reads nothing before what is in the stream has ended."""
    for queries in (1, 8):
        case = (64, 8, 128, 16, queries, [2048])
        one, other = (Call(torch, case, "float16", like) for like in ("random", "far"))
        attend = ops.DecodeAttention()
        names = ("q", "k", "v", "table", "counts")
        now = [torch.empty_like(getattr(one, name)) for name in names]
        found = [torch.full_like(one.o, float("nan")) for _ in range(20)]
        attend(one.q, one.k, one.v, one.table, one.counts, out=one.o)
        for turn, o in enumerate(found):
            for name, target in zip(names, now, strict=True):
                target.copy_(getattr(other if turn % 2 else one, name))
            attend(*now, out=o)
        for turn, o in enumerate(found):
            call = other if turn % 2 else one
            call.o.copy_(o)
            call.check(f"call {turn}, {queries} queries")


def test_a_length_beyond_the_page_table(torch: Any) -> None:
    """It is as one that has all pages of its row, and changes nothing of other sequences."""
    for kv_heads, queries, page, others in (
        (8, 8, 16, [40]), (8, 2, 5, [40]), (4, 8, 16, [40]), (4, 3, 5, [40]), (4, 1, 16, [40]),
        (4, 1, 5, [40]), (8, 8, 16, []), (4, 3, 5, []), (8, 1, 16, []),
    ):  # fmt: skip
        case = (8 * kv_heads, kv_heads, 128, page, queries, [500, *others])
        call = Call(torch, case, "float16")
        attend = ops.DecodeAttention()
        rest = call.k, call.v, call.table, call.counts
        way: Any = attend.plan(call.q, *rest, out=call.o)
        assert way.algorithm.startswith("kernels.")
        call.set([call.blocks * page, *others])
        for length in (call.blocks * page, call.blocks * page + 1, 1 << 20, (1 << 31) - 1):
            call.counts[0] = length
            call.o.fill_(float("nan"))
            call.run(attend)
            call.check(f"length {length}, {queries} queries, pages of {page}")
        call.set([0, *others])
        for length in (-1, -(1 << 31)):
            call.counts[0] = length
            call.o.fill_(float("nan"))
            call.run(attend)
            call.check(f"length {length}, {queries} queries, pages of {page}")


def test_a_launch_that_fails_is_an_error(torch: Any, monkeypatch: Any) -> None:
    """No engine computes in its place, also where the compiled layer launches the first call."""
    monkeypatch.setattr(launching, "_FEW", 99)  # large clusters are not asked for
    monkeypatch.setattr(kernels.Launch, "clusters", lambda _: 99)
    call = Call(torch, (8, 2, 64, 7, 1, [100]), "float16")  # of a module of its own
    for _ in range(3):
        ops.relu(call.q)
    attend = ops.DecodeAttention()
    for _ in range(3):
        with pytest.raises(errors.ExecutionFailedError, match="CUDA_ERROR_INVALID_CLUSTER_SIZE"):
            call.run(attend)
    assert call.o.isnan().all()


@pytest.mark.parametrize("choose", [None, {"via": "graph"}], ids=["kernels", "engines"])
@pytest.mark.parametrize("queries", [1, 8])
@pytest.mark.parametrize("finite", [False, True])
def test_pages_behind_two_billion_elements(
    torch: Any, queries: int, choose: Any, finite: bool
) -> None:
    """Elements are counted by 64 bits."""
    pages, length = (1 << 31) // (8 * 16 * 128) + 9, 100
    k, v = (torch.empty(pages, 8, 16, 128, device="cuda", dtype=torch.half) for _ in "kv")
    used = [pages - 1, 3, pages - 8, pages - 10, 1 << 16, pages // 2 + 5, pages - 3]
    table = torch.tensor([used], device="cuda", dtype=torch.int32)
    for pool in (k, v):
        pool[used] = torch.randn(len(used), 8, 16, 128, device="cuda").half()
    q = torch.randn(1, 64, queries, 128, device="cuda", dtype=torch.half)
    counts = torch.tensor([length], device="cuda", dtype=torch.int32)
    o = torch.full_like(q, float("nan"))
    attend = ops.DecodeAttention(finite=finite, choose=choose)
    way: Any = attend.plan(q, k, v, table, counts, out=o)
    assert (way.core is None) == (choose is None), way
    attend(q, k, v, table, counts, out=o)
    wanted = expected(torch, q, k, v, table, [length])
    error = (o.double() - wanted).norm() / wanted.norm()
    assert error < 2 * torch.finfo(torch.half).eps


#: Lets the kernel after it begin long before it writes.
LATE = """
struct Late { const int *from; int *to; long long count; };
extern "C" __global__ void write_late(const __grid_constant__ Late p) {
    let_next_begin();
    wait_for_kernel();
    for (long long end = clock64() + 20000; clock64() < end;) {}
    for (int i = threadIdx.x; i < p.count; i += blockDim.x) p.to[i] = p.from[i];
}
"""


@pytest.mark.parametrize("queries", [1, 8])
@pytest.mark.parametrize("page", [1, 16, 64])
def test_lengths_and_pages_that_are_written_late(
    torch: Any, cudnn: Any, page: int, queries: int
) -> None:
    """The kernel before it ends long after it began, and only then writes what it reads first."""
    options = "-DTYPE=0", "-DTHREADS=256"
    capability: Any = cudnn.driver.compute_capability(0)
    code = kernels.compiled(common.FOLDER / "difference.cu", capability, *options, more=LATE)
    kernel = launching.kernel_of(launching.load_module(code, 0), "write_late", 0)
    late = kernels.Launch(kernel, 0, (1, 1, 1), 256)
    for sequences, kv_heads in ((1, 8), (3, 2)) + ((3, 8),) * (queries > 1):
        most = [2000, 900, 1200][:sequences]
        call = Call(torch, (8 * kv_heads, kv_heads, 128, page, queries, most), "float16")
        k, v = call.kept
        turns = [most, [queries] * sequences, [0, 700, 64][:sequences], [n - 1 for n in most]]
        sources = []
        for turn, lengths in enumerate(turns):
            # The first row of the table, of other pages in each turn, comes after the lengths.
            table = call.order.flip(1) if turn % 2 else call.order
            counts = torch.tensor(lengths, device="cuda", dtype=torch.int32)
            sources.append(torch.cat([counts, counts.new_zeros(8 - sequences), table.flatten()]))
        now = torch.empty_like(sources[0])
        counts, table = now[:sequences], now[8:].view(call.order.shape)
        found = [torch.empty_like(call.q) for _ in turns]
        attend = ops.DecodeAttention()
        way: Any = attend.plan(call.q, k, v, table, counts, out=found[0])
        assert way.algorithm.startswith("kernels.")
        stream = cudnn.Stream()
        now.copy_(sources[0])
        torch.cuda.synchronize()
        attend(call.q, k, v, table, counts, out=found[0], stream=stream)
        stream.synchronize()  # before PyTorch's stream writes other lengths
        with stream.capture() as graph:
            for source, o in zip(sources, found, strict=True):
                words = struct.pack("3Q", source.data_ptr(), now.data_ptr(), now.numel())
                late.put(stream_pointer(stream), words, overlaps=True)
                attend(call.q, k, v, table, counts, out=o, stream=stream)
        for garbage in (-1, (1 << 31) - 1, 1 << 30, 3):
            now.fill_(garbage)
            for o in found:
                o.fill_(float("nan"))
            torch.cuda.synchronize()
            graph.launch()
            stream.synchronize()
            for turn, (lengths, o) in enumerate(zip(turns, found, strict=True)):
                own = call.order.flip(1) if turn % 2 else call.order
                wanted = expected(torch, call.q, k, v, own, lengths)
                error = (o.double() - wanted).norm() / wanted.norm().clamp(min=1e-9)
                assert error < 2 * torch.finfo(torch.half).eps, (garbage, lengths)


def test_what_kernels_leave_to_engines(torch: Any) -> None:
    """Windows, caps, statistics, low addresses and choices are computed by cuDNN."""
    call = Call(torch, (16, 8, 64, 16, 1, [100]), "float16")
    rest = call.k, call.v, call.table, call.counts
    way: Any = ops.DecodeAttention().plan(call.q, *rest)
    assert way.algorithm == "kernels.OneQuery"
    options: Any
    for options in (
        {"window": 20},
        {"soft_cap": 3.0},
        {"stats": True},
        {"choose": {"via": "graph"}},
    ):
        way = ops.DecodeAttention(**options).plan(call.q, *rest)
        assert way.core is not None, options
    many = Call(torch, (64, 8, 64, 16, 8, [2100]), "float16")
    way = ops.DecodeAttention().plan(many.q, many.k, many.v, many.table, many.counts, out=many.o)
    assert way.core is not None, "more rows of width 64 than kernels compute rightly"
    many.run(ops.DecodeAttention())
    many.check("more rows than kernels have")
    low = torch.empty(call.q.numel() + 1, device="cuda", dtype=torch.half)[1:].view(call.q.shape)
    low.copy_(call.q)
    ops.decode_attention(low, *rest, out=call.o)
    call.check("queries at a low address")
