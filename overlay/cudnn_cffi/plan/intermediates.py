"""Place what steps need in memory; what is not needed any more is used again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

KeyT = TypeVar("KeyT")

#: Alignment of each block, in bytes.
GRAIN = 256


class Block(NamedTuple):
    """Memory that steps need: its size in bytes, and the first and the last one of them."""

    size: int
    first: int
    last: int


def pack(blocks: Mapping[KeyT, Block]) -> tuple[dict[KeyT, int], int]:
    """Return where each block begins, and the size of all; blocks share what is free again."""
    places: dict[KeyT, int] = {}
    put: list[tuple[int, int, Block]] = []  # from and to in memory
    for key, block in sorted(blocks.items(), key=lambda each: -each[1].size):
        size, begin = -(-block.size // GRAIN) * GRAIN, 0
        for low, high, other in sorted(put):
            is_there = other.first <= block.last and block.first <= other.last
            if is_there and low < begin + size and begin < high:
                begin = high
        places[key] = begin
        put.append((begin, begin + size, block))
    return places, max([high for _, high, _ in put], default=0)


def arranged(
    buffers: Mapping[int, int], used: Sequence[Iterable[tuple[int, object]]]
) -> tuple[dict[int, int], int]:
    """Return where each buffer begins, and the size of all, by what each step uses."""
    steps: dict[int, list[int]] = {}
    for number, places in enumerate(used):
        for uid, _ in places:
            if uid in buffers:
                steps.setdefault(uid, []).append(number)
    return pack({uid: Block(buffers[uid], each[0], each[-1]) for uid, each in steps.items()})
