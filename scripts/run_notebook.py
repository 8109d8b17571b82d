"""Runs the code cells of a notebook one after the other, where no Jupyter is installed.

python scripts/run_notebook.py examples/first_steps.ipynb
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def run(path: Path) -> int:
    """Run the cells in one namespace; returns how many there were."""
    cells = json.loads(path.read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    space: dict[str, Any] = {"__name__": "__main__"}
    for number, source in enumerate(code, 1):
        exec(compile(source, f"{path.name}, code cell {number}", "exec"), space)
    return len(code)


if __name__ == "__main__":
    print(run(Path(sys.argv[1])), "cells ran")
