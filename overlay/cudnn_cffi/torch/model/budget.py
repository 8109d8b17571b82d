"""The best choice of one candidate for each layer within a budget of memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

#: Maximum number of combinations that are kept at a time.
_MOST = 4096


class Option(NamedTuple):
    """The cost of a candidate.

    Attributes:
        size: bytes.
        time: microseconds.
        place: which candidate of its layer it is.
    """

    size: int
    time: float
    place: int


#: A combination: bytes, time, and the place of its last option with those before, as (place, ...).
_State = tuple[int, float, Any]


def best(layers: Sequence[Sequence[Option]], limit: int | None = None) -> list[int] | None:
    """Return the candidate of each layer, such that the total time is least within the limit.

    It is exact as long as at most 4096 combinations of the first layers, and then of more of them,
    are not worse than another one in both size and time. Where there are more, the fastest of those
    with about the same size is kept: the result is within the limit, and may not be the best.

    Args:
        layers: the candidates of each layer.
        limit: the most bytes of all together; None for any.

    Returns: places; None where no combination is within the limit.
    """
    if limit is None:
        if not all(layers):
            return None
        return [min(each, key=lambda option: (option.time, option.size)).place for each in layers]
    states: list[_State] = [(0, 0.0, None)]
    fronts = [_front(options) for options in layers]
    least = [min((each.size for each in front), default=0) for front in fronts]
    rest = sum(least)
    for front, own in zip(fronts, least, strict=True):
        rest -= own
        room = limit - rest  # the others need at least that much
        made: list[_State] = [
            (size + option.size, time + option.time, (option.place, chain))
            for size, time, chain in states
            for option in front
            if size + option.size <= room
        ]
        states = _prune(made)
        if len(states) > _MOST:
            states = _thin(states, max(1, limit // _MOST))
        if not states:
            return None
    _, _, chain = min(states, key=lambda state: (state[1], state[0]))
    places: list[int] = []
    while chain is not None:
        place, chain = chain
        places.append(place)
    return places[::-1]


def _front(options: Sequence[Option]) -> list[Option]:
    """Return the options that no other one beats in both size and time."""
    found: list[Option] = []
    for each in sorted(options, key=lambda option: (option.size, option.time)):
        if not found or each.time < found[-1].time:
            found.append(each)
    return found


def _prune(states: list[_State]) -> list[_State]:
    states.sort(key=lambda state: (state[0], state[1]))
    kept: list[_State] = []
    for state in states:
        if not kept or state[1] < kept[-1][1]:
            kept.append(state)
    return kept


def _thin(states: list[_State], step: int) -> list[_State]:
    """Return the smallest combination, and the fastest one of each step of sizes."""
    cells: dict[int, _State] = {}
    for state in states:
        known = cells.get(state[0] // step)
        if known is None or state[1] < known[1]:
            cells[state[0] // step] = state
    return _prune([states[0], *cells.values()])
