"""The graphs of decoding say what they should: in float64, by NumPy, as cuDNN would get them."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import arrays, ops
from cudnn_cffi._ways.case import Case
from cudnn_cffi._ways.graph_draft import Draft
from cudnn_cffi.diagnose.evaluate import reference
from cudnn_cffi.ops.attn.paged import last_keys
from cudnn_cffi.ops.attn.paged.last_keys import Last, apart, last_of
from cudnn_cffi.ops.attn.paged.parts_of_keys import (
    Parts,
    in_parts,
    lengths_draft,
    parts_of,
    sum_drafts,
    weights_draft,
)
from cudnn_cffi.ops.attn.paged.rows_of_groups import (
    around_ones,
    bias_draft,
    digits_of_keys,
    digits_of_places,
    digits_of_rows,
)

np = pytest.importorskip("numpy")

from tests.gpu import attention_reference  # noqa: E402

BATCH, HEADS, KV_HEADS, PAGE, BLOCKS, WIDTH = 4, 8, 2, 16, 3, 64
LENGTHS = [48, 4, 17, 31]


def from_bfloat16(data: bytes, *shape: int) -> Any:
    return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(shape)


def bias_in_float64(bias: ops.Spec, queries: int, lengths: Any = None) -> Any:
    """The bias of several queries as its graph computes it."""
    batch, _, rows, keys = bias.shape
    given = {
        "lengths": np.reshape(LENGTHS if lengths is None else lengths, (batch, 1, 1)),
        "digits_of_rows": from_bfloat16(digits_of_rows(bias, queries), batch, rows, 8),
        "digits_of_keys": from_bfloat16(digits_of_keys(keys), 1, 8, keys),
    }
    return reference(bias_draft(bias).graph, given)["bias"].reshape(bias.shape)


@pytest.mark.parametrize(
    ("queries", "keys"),
    [*((3, keys) for keys in (1, 255, 256, 257, 600, 70000)), (256, 600), (257, 600), (1000, 1500)],
)
def test_the_bias_of_several_queries(queries: int, keys: int) -> None:
    """Keys up to each query's own have a bias of 0, and later ones a large one below it."""
    lengths = [0, 1, queries, keys // 2, keys]
    bias = ops.Spec.like((len(lengths), 1, 2 * queries, keys), "bfloat16", range(4))
    found = bias_in_float64(bias, queries, lengths)
    last = (
        np.reshape(lengths, (-1, 1, 1, 1))
        - queries
        + np.arange(2 * queries).reshape(-1, 1) % queries
    )
    places = np.arange(keys)
    assert (found[np.broadcast_to(places <= last, found.shape)] == 0).all()
    assert (found[np.broadcast_to(places > last, found.shape)] <= -1e30 * (1 - 1e-6)).all()


@pytest.mark.parametrize(
    "options",
    [{}, {"window": 7}, {"soft_cap": 2.0}, {"window": 20, "soft_cap": 3.0, "scale": 0.3}],
    ids=str,
)
@pytest.mark.parametrize(("queries", "folded"), [(1, 0), (1, 1), (4, 0), (4, 1)])
def test_graphs(queries: int, folded: int, options: dict[str, Any]) -> None:
    like = ops.Spec.like
    if folded and "window" in options:
        pytest.skip("heads as rows have no window")
    pages = (BATCH * BLOCKS, KV_HEADS, PAGE, WIDTH)
    operation = ops.DecodeAttention(stats=True, **options)
    case = operation.case(
        like((BATCH, HEADS, queries, WIDTH), "half", range(4)),
        *(like(pages, "half", range(4)) for _ in "kv"),
        like((BATCH, BLOCKS), "int32", range(2)),
        like((BATCH,), "int32", range(1)),
    )
    inner = operation._inner(case, bool(folded))
    draft = Draft(inner.inputs, inner.outputs)
    operation.graph(inner, draft)
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal(shape) for shape in (case.inputs["q"].shape, pages, pages))
    table = rng.permutation(BATCH * BLOCKS).reshape(BATCH, BLOCKS)
    rows = inner.inputs["q"].shape[2]
    given = {
        "q": q.reshape(inner.inputs["q"].shape),
        "k": k,
        "v": v,
        "page_table": table.reshape(BATCH, 1, BLOCKS, 1),
        "lengths": np.reshape(LENGTHS, (BATCH, 1, 1, 1)),
        "rows": np.full((BATCH, 1, 1, 1), rows),
    }
    if "bias" in inner.inputs:
        given["bias"] = bias_in_float64(inner.inputs["bias"], queries)
    found = reference(draft.graph.lowered("9.14.0"), given)
    window, cap = options.get("window"), options.get("soft_cap")
    keys, values = (attention_reference.gather_pages(x, table, PAGE * BLOCKS) for x in (k, v))
    wanted = attention_reference.forward(
        q, keys, values, right=0, left=None if window is None else window - 1, bottom_right=True,
        lengths_q=[queries] * BATCH, lengths_kv=LENGTHS, scale=options.get("scale"),
        score=None if cap is None else lambda x: cap * np.tanh(x / cap),
    )  # fmt: skip
    assert np.abs(found["o"].reshape(wanted.o.shape) - wanted.o).max() < 1e-12
    assert np.abs(found["stats"].reshape(wanted.stats.shape) - wanted.stats).max() < 1e-12


def _paged(batch: int, queries: int, blocks: int, page: int) -> tuple[ops.DecodeAttention, Case]:
    """Return an operation, and a call of it with keys and values in pages."""
    like, operation = ops.Spec.like, ops.DecodeAttention()
    pages = (batch * blocks, KV_HEADS, page, WIDTH)
    return operation, operation.case(
        like((batch, HEADS, queries, WIDTH), "half", range(4)),
        *(like(pages, "half", range(4)) for _ in "kv"),
        like((batch, blocks), "int32", range(2)),
        like((batch,), "int32", range(1)),
    )


@pytest.mark.parametrize(("length", "queries"), [(23, 2), (32, 3), (9, 3), (0, 3)])
def test_parts_of_keys(length: int, queries: int) -> None:
    """The graphs of parts and their sum are the attention of the whole sequence."""
    batch, blocks, page = 1, 8, 4
    lengths = [length]
    operation, case = _paged(batch, queries, blocks, page)
    parts = Parts(4, 2 * page)
    inner = in_parts(operation._inner(case, True), parts)
    assert inner is not None
    count = batch * parts.number
    assert inner.inputs["page_table"].shape == (count, 2)
    draft = lengths_draft(case.inputs["lengths"], parts)
    given = {
        "lengths": np.reshape(lengths, (1, 1, 1)),
        "ones": np.reshape([0, 1, 1, 1, 0, 0, 0, 0], (1, 1, 8)),
        "begins": from_bfloat16(digits_of_places([0, 8, 16, 24]), 1, 8, 4),
    }
    found = reference(draft.graph, given)
    left, own = found["left"].reshape(count), found["own"].reshape(count)
    assert left.tolist() == [length - begin for begin in (0, 8, 16, 24)]
    assert own.tolist() == [min(max(each, 0), 8) for each in left]
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal(case.inputs[name].shape) for name in "qkv")
    table = rng.permutation(batch * blocks).reshape(batch, blocks)
    rows = inner.inputs["q"].shape[2]
    draft = Draft(inner.inputs, inner.outputs)
    operation.graph(inner, draft)
    given = {
        "q": np.repeat(q.reshape(batch, KV_HEADS, rows, WIDTH), parts.number, 0),
        "k": k, "v": v,
        "page_table": table.reshape(count, 1, 2, 1),
        "lengths": own.reshape(count, 1, 1, 1),
        "rows": np.full((count, 1, 1, 1), rows),
        "bias": bias_in_float64(inner.inputs["bias"], queries, left),
    }  # fmt: skip
    found = reference(draft.graph.lowered("9.14.0"), given)
    is_empty = (own == 0).reshape(-1, 1, 1, 1)
    sums = np.where(is_empty, -np.inf, found["stats"])
    draft = weights_draft(inner.outputs["stats"])
    sums = reference(draft.graph, {"sums": sums})["weights"].reshape(1, parts.number, -1, 1)
    weights = np.exp(sums - sums.max(1, keepdims=True))
    values_of = {"results": np.where(is_empty, 0, found["o"])}
    values_of["weights"] = weights / weights.sum(1, keepdims=True)
    for draft in sum_drafts(inner.outputs["o"]):
        given = {name: values_of[name].reshape(each.shape) for name, each in draft.inputs.items()}
        values_of |= reference(draft.graph, given)
    o = values_of["sum"]
    keys, values = (attention_reference.gather_pages(x, table, page * blocks) for x in (k, v))
    wanted = attention_reference.forward(
        q, keys, values, right=0, bottom_right=True, lengths_q=[queries] * batch,
        lengths_kv=lengths,
    )  # fmt: skip
    assert np.abs(o.reshape(wanted.o.shape) - wanted.o).max() < 1e-12


def test_which_sequence_has_parts() -> None:
    assert parts_of(8, 512, 16) == (16, 512)
    assert parts_of(64, 512, 16) is None  # 2 parts do not pay
    assert parts_of(16, 512, 16) == (8, 1024)
    assert parts_of(8, 500, 16) == (4, 2000)
    assert parts_of(8, 511, 16) is None  # no equal parts
    assert parts_of(8, 16, 64) == (4, 256)
    assert parts_of(1, 1 << 18, 64) == (128, 1 << 17)
    assert parts_of(1, 1 << 19, 64) is None  # float32 does not tell all places apart


@pytest.mark.parametrize("page", [1, 4, 6])
@pytest.mark.parametrize("queries", [2, 5])
def test_the_last_keys(page: int, queries: int) -> None:
    """The graphs of the keys that all queries see, of the last ones, and of their sum."""
    blocks = 48 // page
    lengths = [0, queries, queries + 1, 24, 25, 29, 47, 48]
    batch = len(lengths)
    operation, case = _paged(batch, queries, blocks, page)
    last = Last(max(-(-(queries + page - 1) // page), 2), page, queries)
    both = apart(operation._inner(case, True), last)
    assert both is not None
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal(case.inputs[name].shape) for name in "qkv")
    table = rng.permutation(batch * blocks).reshape(batch, blocks)
    given: dict[str, Any] = {
        "lengths": np.reshape(lengths, (batch, 1, 1)), "table": table.reshape(batch, 1, blocks),
        "places": [[around_ones(place) for place in range(last.pages)]] * batch,
        "blocks": from_bfloat16(digits_of_keys(blocks), 1, 8, blocks),
    }  # fmt: skip
    specs = case.inputs
    drafts = [
        last_keys.lengths_draft(specs["lengths"], last),
        *last_keys.pages_drafts(specs["page_table"], last),
    ]
    for draft in drafts:
        taken = {n: np.reshape(given[n], each.shape) for n, each in draft.inputs.items()}
        given |= reference(draft.graph, taken)
    seen = [max(length - queries, 0) // page * page for length in lengths]
    assert given["seen"].ravel().tolist() == seen
    assert given["last"].ravel().tolist() == np.subtract(lengths, seen).tolist()
    found = given["pages"].reshape(batch, last.pages)
    for row, first in enumerate(seen):
        own = table[row, first // page :][: last.pages]
        assert found[row].tolist() == [*own, *[0] * (last.pages - len(own))]
    rows = both[0].inputs["q"].shape
    results = {}
    for word, inner, pages_of in zip(("seen", "last"), both, (table, found), strict=True):
        draft = Draft(inner.inputs, inner.outputs)
        operation.graph(inner, draft)
        own = given[word].reshape(batch, 1, 1, 1)
        more: dict[str, Any] = {
            "q": q.reshape(rows), "k": k, "v": v, "lengths": own,
            "page_table": pages_of.reshape(batch, 1, -1, 1),
            "rows": np.full((batch, 1, 1, 1), rows[2]),
        }  # fmt: skip
        if word == "last":
            more["bias"] = bias_in_float64(inner.inputs["bias"], queries, own)
        made = reference(draft.graph.lowered("9.14.0"), more)
        results[f"result_of_{word}"] = np.where(own == 0, 0, made["o"])
        results[f"sums_of_{word}"] = np.where(own == 0, -np.inf, made["stats"])
    outputs = both[0].outputs
    for draft in last_keys.sum_drafts(outputs["o"], outputs["stats"], outputs["o"]):
        results |= reference(draft.graph, {n: results[n] for n in draft.inputs})
    keys, values = (attention_reference.gather_pages(x, table, page * blocks) for x in (k, v))
    wanted = attention_reference.forward(
        q, keys, values, right=0, bottom_right=True, lengths_q=[queries] * batch,
        lengths_kv=lengths,
    )  # fmt: skip
    assert np.abs(results["o"].reshape(wanted.o.shape) - wanted.o).max() < 1e-12


def test_which_last_pages() -> None:
    def pool(pages: int, page: int) -> ops.Spec:
        return ops.Spec.like((pages, 8, page, 64), "half", range(4))

    assert last_of(8, 512, pool(512, 16)) == (2, 16, 8)
    assert last_of(8, 512, pool(512, 1)) == (8, 1, 8)
    assert last_of(2, 512, pool(512, 64)) == (2, 64, 2)
    assert last_of(8, 31, pool(512, 16)) is None  # too few pages
    assert last_of(8, 512, pool((1 << 24) + 1, 16)) is None
    assert last_of(2, 1 << 16, pool(512, 64)) is not None
    assert last_of(2, (1 << 16) + 1, pool(512, 64)) is None  # float32 would find other pages


def test_digits_are_exact_in_bfloat16() -> None:
    """Places of pages less those of the last ones, of which there may be as many as queries."""
    for place in (0, 1, 255, 256, 257, 511, 777, 4095):
        ours = from_bfloat16(arrays.encode_numbers(around_ones(place), "bfloat16"), 8)
        theirs = from_bfloat16(digits_of_keys(5000), 8, 5000)
        assert (ours @ theirs == place - np.arange(5000)).all()
