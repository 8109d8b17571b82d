"""The commands: their help, their output, and what ends them with a line and exit status 2.

A traceback would end with 1, which says that there are findings.
"""

from __future__ import annotations

import contextlib
import os
import sys

from ..errors import CudnnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001


def add_command(
    commands: Commands,
    name: str,
    text: str,
    function: Callable[[argparse.Namespace], int],
    **options: Any,
) -> argparse.ArgumentParser:
    """Add a command whose text is in the list of commands, and at the head of its own help."""
    about = f"{text[0].upper()}{text[1:]}."
    command = commands.add_parser(name, help=text, description=about, **options)
    command.set_defaults(func=function)
    return command


class UnwritableError(Exception):
    """Standard output takes nothing more; without a text when its reader has seen enough."""


def write(text: str) -> None:
    """Write and flush; UnwritableError where that fails.

    A terminal whose encoding lacks a character gets its escape.
    """
    if sys.stdout is None:  # it was closed before Python started
        raise UnwritableError("it is closed")
    try:
        try:
            sys.stdout.write(text)
        except UnicodeEncodeError as error:
            code = getattr(sys.stdout, "encoding", None) or error.encoding  # not "charmap", for all
            sys.stdout.write(text.encode(code, "backslashreplace").decode(code))
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise UnwritableError from error
    except OSError as error:
        raise UnwritableError(error.strerror or str(error)) from error


def status_of(command: Callable[[], int]) -> int:
    """Return the exit status of a command: 2 for what is refused, or cannot be written.

    Ctrl-C ends it as it ends others, but without a traceback.
    """
    try:
        try:
            return command()
        finally:
            # Output of others: argparse's help and messages of imported frameworks.
            if sys.stdout is not None:
                write("")
    except KeyboardInterrupt:
        sys.tracebacklimit = 0
        raise KeyboardInterrupt from None
    except CudnnError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        name = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        print(f"error: {name}{error.strerror or error}", file=sys.stderr)
        return 2
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
