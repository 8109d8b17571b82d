"""Texts of errors: their lines, and how long they search for an answer."""

from __future__ import annotations

import os
from _thread import _local
from collections.abc import Iterator


class quiet:  # noqa: N801  it is used like a function
    """Stop texts of errors from searching in a `with` block, for code that reads many."""

    __slots__ = ()

    def __enter__(self) -> None:
        _quiet.depth += 1

    def __exit__(self, *_: object) -> None:
        _quiet.depth -= 1


class _Quiet(_local):
    """The number of such blocks that this thread is in."""

    depth = 0


_quiet = _Quiet()


def first_line(error: BaseException) -> str:
    """Return the first line of the text of an error, for which nothing is searched."""
    with quiet():
        return str(error).partition("\n")[0]


def seconds_of_texts() -> float:
    """Return how long the text of a `NoPlanError` searches for the nearest graph; 0 for not."""
    if _quiet.depth:
        return 0.0
    try:
        return max(0.0, float(os.environ.get("CUDNN_CFFI_EXPLAIN", "2")))
    except ValueError:
        return 0.0


#: Maximum width of a line, in characters.
WIDTH = 100


def filled(items: Iterator[str]) -> Iterator[str]:
    """Yield lines of items; an item is never broken, for it may be searched for or copied."""
    line = ""
    for item in items:
        if line and len(line) + 1 + len(item) > WIDTH - 2:
            yield f"  {line}"
            line = ""
        line = f"{line} {item}" if line else item
    if line:
        yield f"  {line}"


#: CUDA's words for a stream whose capture has failed already.
_INVALIDATED = "previous error during capture"


def hint_of_text(text: str) -> str:
    """Return what to try after an error with this text of cuDNN's, or ""."""
    if _INVALIDATED not in text:
        return ""
    return (
        "the capture of the stream failed before this call: at a call of this thread that captures "
        "forbid, or, in the global mode, of any thread; capture in the mode thread_local"
    )
