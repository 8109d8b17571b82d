"""The command `repro`: a program that shows what an engine makes of the graph of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ... import errata, errors
from ..._support.output import write
from ..explaining import device_of, read
from .front import repro


def main(
    file: str | None,
    erratum: str | None,
    path: str,
    *,
    knobs: Iterable[str] = (),
    data: Iterable[str] = (),
    device: str | None = None,
    **options: Any,
) -> int:
    """Write the program, and print what a run of it gave; return the exit status.

    Args:
        file: a graph as JSON, or None.
        erratum: the id of a record whose graph is taken instead, or None.
        path: the file or files to write.
        knobs: values of knobs, as "NAME=VALUE".
        data: data of inputs, as "NAME=DATA".
        device: the name of a known device, or a file with properties of one.
        options: as for `repro`.
    """
    if (file is None) == (erratum is None):
        got = "neither" if file is None else "both"
        raise errors.ArgumentError(f"expected FILE or --erratum ID, got {got}")
    done = repro(
        read(file) if file is not None else errata.get(str(erratum)),
        path,
        knobs=dict(_pairs("--knob", knobs, int)) or None,
        data=dict(_pairs("--data", data, _data)),
        device=device_of(device),
        **options,
    )
    write(f"{done}\n")
    return 0


def _pairs(option: str, texts: Iterable[str], of: Any) -> Iterator[tuple[str, Any]]:
    for each in texts:
        name, found, value = each.partition("=")
        try:
            if not found:
                raise ValueError
            yield name, of(value)
        except ValueError:
            raise errors.ArgumentError(f"{option}: expected NAME=VALUE, got {each!r}") from None


def _data(text: str) -> str | float | list[float]:
    """Return a kind of data, a number, or a list of numbers."""
    if "," in text:
        return [float(each) for each in text.split(",")]
    try:
        return float(text)
    except ValueError:
        return text
