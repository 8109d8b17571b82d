"""python -m tests.generator.left_out TREE RELEASE: take a release out of a generated tree."""

from __future__ import annotations

import sys
from pathlib import Path

from generator import tree


def leave_out(folder: Path, release: str) -> None:
    with tree.locked(folder):
        contents = tree.load(folder)
        del contents.releases[release], contents.apis[release]
        tree.write(folder, tree.files(contents.merged()))


if __name__ == "__main__":
    leave_out(Path(sys.argv[1]), sys.argv[2])
