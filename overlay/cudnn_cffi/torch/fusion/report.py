"""The report of fusing: fused layers, and layers that run as they are."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from ...choice.record_table import Rows


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
