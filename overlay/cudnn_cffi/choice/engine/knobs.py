"""Knobs of engines: their ranges, checks of values, and walks through the space that they span."""

from __future__ import annotations

import math
import random

from ... import errors
from ..._support.arguments import mapping
from ..._support.results import NamedTuple
from ...backend import KnobChoiceDescriptor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ...backend import EngineCfgDescriptor, EngineDescriptor, KnobChoiceDescriptor


class Knob(NamedTuple):
    """A knob of an engine: its name and the values that it takes."""

    name: str
    minimum: int
    maximum: int
    stride: int

    @property
    def values(self) -> range:
        """Return the values that there are; few combinations with other knobs are supported."""
        return range(self.minimum, self.maximum + 1, max(self.stride, 1))

    def __str__(self) -> str:
        return f"{self.name} {self.bounds}"

    @property
    def bounds(self) -> str:
        """Return the least and the greatest value, and the steps between them, as text."""
        step = f" in steps of {self.stride}" if self.stride > 1 else ""
        return f"{self.minimum} to {self.maximum}{step}"


def read_knobs(engine: EngineDescriptor) -> tuple[Knob, ...]:
    """Return the knobs of an engine's descriptor."""
    return tuple(
        [
            Knob(info.type.name, info.minimum_value, info.maximum_value, info.stride)
            for info in engine.knob_info
        ]
    )


def read_choices(config: EngineCfgDescriptor) -> dict[str, int]:
    """Return the values of the knobs in an engine's configuration, by name."""
    return {each.knob_type.name: each.knob_value for each in config.knob_choices}


def to_choices(values: Mapping[str, int]) -> list[KnobChoiceDescriptor]:
    """Return a descriptor for each knob's value."""
    return [
        KnobChoiceDescriptor(knob_type=name, knob_value=value) for name, value in values.items()
    ]


def named_values(knobs: Mapping[Any, int] | None) -> Mapping[Any, int]:
    """Return values of knobs, none for None.

    Raises:
        ArgumentError: they are no mapping.
    """
    return mapping(knobs, "knobs", "values by the names of knobs")


def check_knobs(engine: int, knobs: Sequence[Knob], values: Mapping[Any, int]) -> dict[str, int]:
    """Return values by the names of knobs, checked.

    Raises:
        ArgumentError: the engine has no such knob, or a value is not in its range.
    """
    known = {knob.name: knob for knob in knobs}
    ranges = "; ".join(map(str, knobs)) or "it has no knobs"
    checked = {}
    for key, value in values.items():
        name = str(getattr(key, "name", key)).upper()
        name = name.removeprefix("CUDNN_KNOB_TYPE_")
        if name not in known:
            raise errors.ArgumentError(f"engine {engine} has no knob {key!r}", hint=ranges)
        # Heuristics give -1 where a knob does not matter, whatever its range.
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if not is_number or (value != -1 and value not in known[name].values):
            raise errors.ArgumentError(
                f"engine {engine}: {name}: expected {known[name].bounds}, got {value!r}",
                hint=ranges,
            )
        checked[name] = int(value)
    return checked


def walk(
    knobs: Sequence[Knob], vary: Mapping[str, Sequence[int]], seed: int
) -> Iterator[dict[str, int]]:
    """Yield all combinations of values, in an order that the seed decides.

    Args:
        knobs: those of the engine.
        vary: the values to try of each knob.
        seed: of the random numbers; the same seed gives the same order.
    """
    names = [knob.name for knob in knobs if knob.name in vary]
    lists = [vary[name] for name in names]
    size = math.prod(map(len, lists))
    # (start + i * step) mod size goes through all numbers, if step and size are coprime.
    chance = random.Random(seed)
    start, step = chance.randrange(size), chance.randrange(1, size + 1)
    while math.gcd(step, size) != 1:
        step += 1
    for i in range(size):
        number = (start + i * step) % size
        chosen = {}
        for name, values in zip(reversed(names), reversed(lists), strict=True):
            number, index = divmod(number, len(values))
            chosen[name] = values[index]
        yield {name: chosen[name] for name in names}
