"""Standard output of the commands: what cannot be written is one line and exit status 2.

A traceback would end with 1, which says that there are findings.
"""

from __future__ import annotations

import contextlib
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class UnwritableError(Exception):
    """Standard output takes nothing more; without a text when its reader has seen enough."""


def write(text: str) -> None:
    """Write and flushes; UnwritableError where that fails."""
    if sys.stdout is None:  # it was closed before Python started
        raise UnwritableError("it is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise UnwritableError from error
    except OSError as error:
        raise UnwritableError(error.strerror or str(error)) from error


def status_of(command: Callable[[], int]) -> int:
    """Return the exit status of a command that prints: 2 where that could not be written."""
    try:
        try:
            return command()
        finally:
            # Output of others: argparse's help and messages of imported frameworks.
            if sys.stdout is not None:
                write("")
    except UnwritableError as error:
        _drop()
        if str(error):
            with contextlib.suppress(OSError):
                print(f"error: standard output: cannot be written: {error}", file=sys.stderr)
        return 2


def _drop() -> None:
    """Discard buffered output, which Python would try to write again at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nothing, sys.stdout.fileno())
        finally:
            os.close(nothing)
