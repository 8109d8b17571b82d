"""Runs the code cells of a notebook one after the other, where no Jupyter is installed.

python scripts/run_notebook.py examples/first_steps.ipynb
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def cells(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the kind of each cell, "code" or "markdown", and its text."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        yield cell["cell_type"], "".join(cell["source"])


def steps(path: Path) -> Iterator[str]:
    """Run the code cells in one namespace; yield after each the value that it shows.

    That is the value of an expression in its last line, as HTML if it has that; "" for none.
    """
    space: dict[str, Any] = {"__name__": "__main__"}
    code = (text for kind, text in cells(path) if kind == "code")
    for number, source in enumerate(code, 1):
        name = f"{path.name}, code cell {number}"
        tree = ast.parse(source, name)
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.Expr):
            tree.body.pop()
        exec(compile(tree, name, "exec", dont_inherit=True), space)
        value = None
        if isinstance(last, ast.Expr):
            expression = ast.Expression(last.value)
            value = eval(compile(expression, name, "eval", dont_inherit=True), space)
        as_html = getattr(value, "_repr_html_", None)
        yield "" if value is None else as_html() if as_html else repr(value)


if __name__ == "__main__":
    print(len(list(steps(Path(sys.argv[1])))), "cells ran")
