"""The heads and blocks of keys that attention's gradients are divided into."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import ops
from cudnn_cffi._ways.case import Case
from cudnn_cffi.ops.attn import same_bits
from cudnn_cffi.ops.attn.same_bits import blocks_of

from tests.gpu.attention_reference import seen


@pytest.mark.parametrize(
    ("queries", "keys", "bands"),
    [
        (40, 40, {}),
        (7, 50, {}),
        (40, 40, {"right": 0}),
        (45, 41, {"right": 0}),
        (30, 51, {"right": 0, "bottom_right": True}),
        (40, 40, {"right": 0, "bottom_right": True}),
        (16, 48, {"right": 0, "bottom_right": True}),
    ],
)
def test_blocks_have_the_mask_of_the_whole(queries: int, keys: int, bands: Any) -> None:
    np = pytest.importorskip("numpy")
    whole = seen(
        (1, 1, queries, keys),
        None,
        bands.get("right"),
        bands.get("bottom_right", False),
        None,
        None,
    )[0, 0]
    found = np.zeros_like(whole)
    for block in blocks_of(queries, keys, 16, bands):
        rows, columns = np.arange(queries - block.begin), np.arange(block.keys)
        mask = columns[None] <= rows[:, None] if block.causal else np.ones((len(rows), block.keys))
        found[block.begin :, block.first : block.first + block.keys] += mask.astype(bool)
    assert (found == whole).all()
    begins = [block.begin for block in blocks_of(queries, keys, 16, bands)]
    assert begins == sorted(begins, reverse=True)  # what one leaves unwritten stays zero
    assert begins[-1] == 0  # the sink's gradient needs all queries


@pytest.mark.parametrize(
    ("queries", "keys", "bands"),
    [
        (40, 40, {"left": 3}),
        (40, 40, {"left": 3, "right": 0}),
        (40, 40, {"right": 2}),
        (40, 60, {"right": 0}),  # some keys are seen by no query
    ],
)
def test_other_masks_have_no_blocks(queries: int, keys: int, bands: Any) -> None:
    assert blocks_of(queries, keys, 16, bands) == ()


@pytest.mark.parametrize("by_tokens", [False, True])
@pytest.mark.parametrize(
    ("shape", "kv", "together"),
    [
        ((1, 16, 8192, 64), (16, 16), (1, 4)),
        ((1, 64, 8192, 64), (8, 8), (1, 8)),  # the heads of a group stay together
        ((1, 12, 16384, 64), (6, 2), (1, 6)),
        ((8, 16, 1024, 64), (16, 16), (2, 16)),
        ((6, 4, 4096, 64), (2, 4), (2, 4)),
        ((3, 5, 8000, 64), (5, 5), (1, 1)),
        ((1, 16, 8191, 64), (16, 16), (1, 16)),  # statistics of a head begin at odd places
    ],
)
def test_calls_have_each_head_once(
    shape: Any, kv: tuple[int, int], together: Any, by_tokens: bool
) -> None:
    np = pytest.importorskip("numpy")

    def spec(heads: int) -> ops.Spec:
        batch, _, rows, width = shape
        if by_tokens:
            steps = (rows * heads * width, width, heads * width, 1)
        else:
            steps = (heads * rows * width, rows * width, width, 1)
        return ops.Spec("float16", (batch, heads, rows, width), steps)

    q, k, v = spec(shape[1]), spec(kv[0]), spec(kv[1])
    stats = ops.Spec.like((*shape[:3], 1), "float32")
    bias = ops.Spec.like((1, shape[1], shape[2], shape[2]), "float16")
    inputs = {"q": q, "do": q, "o": q, "k": k, "v": v, "stats": stats, "bias": bias}
    case = Case(inputs, {"dq": q, "dk": k, "dv": v})
    found = same_bits._together(case)
    assert found == together
    part = same_bits._of_heads(case, found)
    for name in ("q", "k", "v"):
        whole, own = case.inputs[name], part.inputs[name]
        begins = [each // 2 for each in same_bits._places(whole, found, q)]
        each, all_of = (
            np.add.outer(np.arange(s.shape[0]) * s.strides[0], np.arange(s.shape[1]) * s.strides[1])
            for s in (own, whole)
        )
        seen = np.sort(np.concatenate([(each + begin).ravel() for begin in begins]))
        assert (seen == np.sort(all_of.ravel())).all(), f"heads of {name}"
