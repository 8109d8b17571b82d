"""The command `repro`: a program that shows what an engine makes of the graph of a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from ... import errata, errors
from ..._support.output import write
from ..explaining import read
from .front import repro


def main(
    file: str | None,
    erratum: str | None,
    path: str,
    *,
    knobs: Iterable[str] = (),
    data: Iterable[str] = (),
    **options: Any,
) -> int:
    """Write the program, and print what a run of it gave; return the exit status.

    It is 0 if the program was written, and 2 for an error, which is printed.

    Args:
        file: a graph as JSON, or None.
        erratum: the id of a record whose graph is taken instead, or None.
        path: the file or files to write.
        knobs: values of knobs, as "NAME=VALUE".
        data: data of inputs, as "NAME=DATA".
        options: as for `repro`.
    """
    try:
        if (file is None) == (erratum is None):
            raise errors.ArgumentError("expected FILE or --erratum ID, not both")
        done = repro(
            read(file) if file is not None else errata.get(str(erratum)),
            path,
            knobs=dict(_pairs("--knob", knobs, int)) or None,
            data=dict(_pairs("--data", data, _data)),
            **options,
        )
    except (errors.CudnnError, OSError) as error:
        print(f"repro: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
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
