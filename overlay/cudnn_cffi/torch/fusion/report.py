"""The report of fusing: fused layers, and layers that run as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ...choice.record_table import Rows
from .trace.words import is_own_function

if TYPE_CHECKING:
    from torch import fx

    from .kernels.slices import Whole
    from .parts import Part, Parts
    from .values import Chosen


class Ran(NamedTuple):
    """The way that a part runs.

    Attributes:
        name: of its first module, or function.
        what: what it computes.
        by: "engine 41" and the like for a plan, with "torch" for what follows it; "torch" for
            PyTorch's functions with folded weights; "kernel" for one of this package; "as it is".
        why: why it is not a plan, or not all of it; "" where there is nothing to tell.
    """

    name: str
    what: str
    by: str
    why: str

    def to_dict(self) -> dict[str, str]:
        """Return the fields by name."""
        return self._asdict()


class Report(Rows[Ran]):
    """Computation of each layer of a fused model; prints as a table, in notebooks as HTML."""

    _columns: ClassVar[tuple[str, ...]] = ("name", "what", "by", "why")

    @staticmethod
    def _cells(record: Ran) -> tuple[str, ...]:
        return record.name, record.what, record.by, record.why[:100] or "-"


def told(
    parts: Parts, chosen: Mapping[fx.Node, Chosen], wholes: Sequence[Whole],
    is_told: Callable[[Part], bool],
) -> Iterator[Ran]:  # fmt: skip
    """Yield how each part of a program is computed.

    Args:
        parts: of the model.
        chosen: the computation of each part that has weights.
        wholes: concatenations that inputs are written to.
        is_told: whether there is anything to tell of another part.
    """
    for part in parts.list:
        found = chosen.get(part.node)
        if found is not None:
            way = found.way
            rest = part.activation is not None and not way.activation
            rest = rest or (part.residual is not None and not way.residual)
            by = f"{way.text}, torch" if way.run is not None and rest else way.text
            yield Ran(part.name, part.text, by, way.why)
        elif is_told(part) and part.node not in parts.traced.constants:
            by = "kernel" if is_own_function(part.node) else "as it is"
            by = "in place" if any(part.node in each.prefixes for each in wholes) else by
            yield Ran(part.name, part.text, by, part.why)
