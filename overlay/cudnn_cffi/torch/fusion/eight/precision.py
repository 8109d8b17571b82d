"""The report of 8 bits: the data type of each layer, its loss and its time."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from ....choice.record_table import Rows


class Precision(NamedTuple):
    """The data type of a layer.

    Attributes:
        name, what: of the layer, as in `Fused.report`.
        dtype: that it computes with: "int8", "float8_e4m3", or the model's.
        result: that its result has.
        error: the norm of the error of its result with 8 bits over the norm of the result, for the
            last batch of the calibration; None where that was not measured.
        cosine: of the angle between both results, or None.
        time, time_wide: microseconds with 8 bits, and in the model's data type; None where it was
            not timed. The first includes those of a step that quantizes the input.
        why: why it stays in the model's data type; "" where it does not.
    """

    name: str
    what: str
    dtype: str
    result: str
    error: float | None
    cosine: float | None
    time: float | None
    time_wide: float | None
    why: str

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name."""
        return self._asdict()


class PrecisionReport(Rows[Precision]):
    """The data type of each layer of a fused model; prints as a table, in notebooks as HTML."""

    _columns: ClassVar[tuple[str, ...]] = (
        *("name", "what", "dtype", "result", "error", "cosine", "us", "us before", "why"),
    )

    @staticmethod
    def _cells(record: Precision) -> tuple[str, ...]:
        def number(value: float | None, form: str) -> str:
            return "-" if value is None else format(value, form)

        return (
            *(record.name, record.what, record.dtype, record.result),
            *(number(record.error, ".4f"), number(record.cosine, ".6f")),
            *(number(record.time, ".1f"), number(record.time_wide, ".1f")),
            record.why[:100] or "-",
        )
