"""The report of fusing: fused layers, and layers that run as they are."""

from __future__ import annotations

from typing import ClassVar

from ...choice.record_table import Rows
from .program import Ran


class Report(Rows[Ran]):
    """Computation of each layer of a fused model; prints as a table, in notebooks as HTML."""

    _columns: ClassVar[tuple[str, ...]] = ("name", "what", "by", "why")

    @staticmethod
    def _cells(record: Ran) -> tuple[str, ...]:
        return record.name, record.what, record.by, record.why[:100] or "-"
