"""A copy of the package with one operation more, added at the places that CONTRIBUTING.md names."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.conftest import python_path

HERE = Path(__file__).parent
OVERLAY = HERE.parents[2] / "overlay"

#: New files, and the lines that list what is in them: all that an operation needs but its test.
FILES = {
    "ops/element/squares.py": "operation.py",
    "torch/functional/squares.py": "layer.py",
    "torch/modules/squares.py": "module.py",
}
LINES = {
    "ops/__init__.py": [
        "from .element.squares import ScaledSquare as ScaledSquare",
        "from .element.squares import ScaledSquareBackward as ScaledSquareBackward",
        "from .element.squares import scaled_square as scaled_square",
        "from .element.squares import scaled_square_backward as scaled_square_backward",
    ],
    "torch/functional/__init__.py": ["from .squares import scaled_square as scaled_square"],
    "torch/modules/__init__.py": ["from .squares import ScaledSquare as ScaledSquare"],
}


def extend(folder: Path) -> dict[str, str]:
    """Make the copy in a folder, and return the environment in which children import it."""
    package = folder / "cudnn_cffi"
    shutil.copytree(
        OVERLAY / "cudnn_cffi", package, ignore=shutil.ignore_patterns("__pycache__", "*.pyi")
    )
    for name, source in FILES.items():
        shutil.copy(HERE / source, package / name)
    for name, lines in LINES.items():
        path = package / name
        text = path.read_text(encoding="utf-8")
        place = text.index("\nfrom .") + 1
        path.write_text(text[:place] + "\n".join([*lines, text[place:]]), encoding="utf-8")
    return {"PYTHONPATH": python_path(folder)}
