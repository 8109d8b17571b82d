"""Place results that one plan computes for another; memory of dead ones is used again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

#: Alignment of each buffer, in bytes.
GRAIN = 256


def arranged(
    buffers: dict[int, int], used: Sequence[Iterable[tuple[int, object]]]
) -> tuple[dict[int, int], int]:
    """Return where each buffer begins, and the size of all: dead ones are used again."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for number, places in enumerate(used):
        for uid, _ in places:
            if uid in buffers:
                first.setdefault(uid, number)
                last[uid] = number
    offsets: dict[int, int] = {}
    total = 0
    for uid in sorted(first, key=lambda each: (first[each], -buffers[each])):
        size = -(-buffers[uid] // GRAIN) * GRAIN
        at = 0
        for begin, end in sorted(_busy(uid, offsets, buffers, first, last)):
            if at + size <= begin:
                break
            at = max(at, end)
        offsets[uid] = at
        total = max(total, at + size)
    return offsets, total


def _busy(
    uid: int,
    offsets: dict[int, int],
    buffers: dict[int, int],
    first: dict[int, int],
    last: dict[int, int],
) -> Iterator[tuple[int, int]]:
    """Yield the places of buffers that are needed at the same time as another one."""
    for other, at in offsets.items():
        if first[other] <= last[uid] and first[uid] <= last[other]:
            yield at, at + -(-buffers[other] // GRAIN) * GRAIN
