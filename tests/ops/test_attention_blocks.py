"""The blocks of keys of attention's gradients, and the memory that they take."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi.ops.attn.by_blocks import blocks_of

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
