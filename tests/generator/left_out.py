"""python -m tests.generator.left_out TREE RELEASE: take an API, with all its releases, out of a tree."""

from __future__ import annotations

import sys
from pathlib import Path

from generator import tree


def leave_out(folder: Path, release: str) -> None:
    with tree.locked(folder):
        contents = tree.load(folder)
        api = contents.apis[release]
        for version in [each for each, other in contents.apis.items() if other is api]:
            del contents.releases[version], contents.apis[version]
        tree.write(folder, tree.files(contents.merged()))


if __name__ == "__main__":
    leave_out(Path(sys.argv[1]), sys.argv[2])
