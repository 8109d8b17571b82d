"""Sequences of records that print as tables."""

from __future__ import annotations

import html
import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, ClassVar, Self, SupportsIndex, TypeVar, overload

    Record = TypeVar("Record")

    class _Tuple(tuple[Record, ...]):
        @overload
        def __getitem__(self, index: SupportsIndex) -> Record: ...
        @overload
        def __getitem__(self, index: slice) -> Self: ...
        def __getitem__(self, index: object) -> object: ...

else:
    Record, _Tuple = object, tuple


def format_bytes(number: int | None) -> str:
    """Return a number of bytes for people; "?" for None."""
    if number is None:
        return "?"
    if number < 10_240:
        return f"{number} B"
    return f"{number >> 10} KiB" if number < 10 << 20 else f"{number >> 20} MiB"


def format_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return lines with one column under each other, the last one as wide as it is."""
    lines = [tuple(columns), *(tuple(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def format_html(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table for notebooks."""
    head = "".join(f"<th>{html.escape(each)}</th>" for each in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Rows(_Tuple[Record]):
    """A tuple of records, which prints as a table."""

    __slots__ = ()
    _columns: ClassVar[tuple[str, ...]] = ()

    @staticmethod
    def _cells(record: Any) -> tuple[str, ...]:
        """Return the texts of a record, one for each column."""
        raise NotImplementedError

    def to_dicts(self) -> list[dict[str, object]]:
        """Return each record as a dictionary of plain values."""
        return [record.to_dict() for record in self]  # type: ignore[attr-defined]

    def to_json(self) -> str:
        """Return all records as JSON."""
        return json.dumps(self.to_dicts(), indent=1)

    if not TYPE_CHECKING:

        def __getitem__(self, index: object) -> object:
            found = tuple.__getitem__(self, index)
            return type(self)(found) if isinstance(index, slice) else found

    def __repr__(self) -> str:
        if not self:
            return f"{type(self).__name__}: empty"
        rows = ((str(i), *self._cells(record)) for i, record in enumerate(self))
        return format_table(("", *self._columns), rows)

    def _repr_html_(self) -> str:
        return format_html(self._columns, map(self._cells, self))
