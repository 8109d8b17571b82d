"""Places in memory of what steps need."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from cudnn_cffi.plan.intermediates import GRAIN, Block, arranged, pack


@pytest.mark.parametrize("seed", range(20))
def test_blocks_that_are_needed_at_once_lie_apart(seed: int) -> None:
    draw = random.Random(seed)
    blocks = {}
    for key in range(draw.randint(1, 30)):
        first = draw.randint(0, 20)
        size = draw.choice((1, GRAIN, GRAIN + 1, draw.randint(1, 100_000)))
        blocks[key] = Block(size, first, first + draw.choice((0, 1, 2, 9)))
    places, total = pack(blocks)
    assert places.keys() == blocks.keys()
    assert not any(begin % GRAIN for begin in places.values())
    assert total == max(places[k] + -(-b.size // GRAIN) * GRAIN for k, b in blocks.items())
    for (one, a), (other, b) in combinations(blocks.items(), 2):
        if a.first <= b.last and b.first <= a.last:
            low, high = sorted((places[k], places[k] + blocks[k].size) for k in (one, other))
            assert low[1] <= high[0]


def test_memory_of_dead_buffers_is_used_again() -> None:
    used = [[(1, None)], [(1, None), (2, None)], [(2, None), (3, None)], [(3, None)]]
    places, total = arranged({1: 1000, 2: 500, 3: 1000, 4: 1 << 30}, used)
    assert places == {1: 0, 3: 0, 2: 1024}
    assert total == 1024 + 512
    assert pack({}) == ({}, 0)
