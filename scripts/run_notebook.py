"""Runs the code cells of a notebook one after the other, where no Jupyter is installed.

python scripts/run_notebook.py examples/first_steps.ipynb
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def cells(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the kind of each cell, "code" or "markdown", and its text."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        yield cell["cell_type"], "".join(cell["source"])


def steps(path: Path) -> Iterator[int]:
    """Run the code cells in one namespace; yield the number of each, from 1, after it has run."""
    space: dict[str, Any] = {"__name__": "__main__"}
    code = (text for kind, text in cells(path) if kind == "code")
    for number, source in enumerate(code, 1):
        exec(compile(source, f"{path.name}, code cell {number}", "exec"), space)
        yield number


if __name__ == "__main__":
    print(len(list(steps(Path(sys.argv[1])))), "cells ran")
