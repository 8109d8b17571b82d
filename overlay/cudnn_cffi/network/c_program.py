"""The C program that runs the file of a network."""

from __future__ import annotations

from pathlib import Path

from .._support import files

_PROGRAM = Path(__file__).with_name("program.c")


def write_program(path: Path, name: str) -> None:
    """Write the C program beside the file of a network.

    Args:
        path: of the program.
        name: of the network's file, for the comment at its beginning.
    """
    text = _PROGRAM.read_text(encoding="utf-8").replace("NETWORK", name.replace("*/", "* /"))
    files.replace(path, text.encode(), mode=0o666)
