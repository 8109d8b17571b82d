"""The rooms of the package, lowest layer first, and the map of them in docs/design.md.

    python -m scripts.rooms [--check]

writes the map: a room, a module beside the rooms and a sub-room have the first sentence of their
docstrings there, a file of native/ that of its first comment. With --check nothing is written, and
the exit status is 1 if the map differs. `tests/test_rooms.py` checks imports by the same layers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from . import pages
from .pages import ROOT

PAGE = ROOT / "docs" / "design.md"

#: Rooms and modules at the top of the package, lowest layer first. A module imports from its own
#: room and from layers before its own, also inside functions and for type checkers.
LAYERS = (
    ("_error_texts",),
    ("_version", "errors", "versions", "types"),
    ("_stamp",),
    ("_user_tables",),
    ("_support",),
    ("_kept",),
    ("_history", "_index", "_specs", "_attributes"),
    ("driver",),
    ("library",),
    ("_tables",),
    ("_advice",),
    ("arrays",),
    ("_object",),
    ("_call",),
    ("calls",),
    ("families",),
    ("_lookup",),
    ("memory",),
    ("handles",),
    ("kernels",),
    ("descriptors",),
    ("_backend",),
    ("backend",),
    ("logs",),
    ("plan",),
    ("errata",),
    ("choice",),
    ("graph",),
    ("network",),
    ("_ways",),
    ("_operation",),
    ("_explain",),
    ("ops",),
    ("compat",),
    ("diagnose", "api"),
    ("_settings",),
    ("torch", "jax"),
    ("_front",),
    ("__init__", "__main__"),
    ("_pyinstaller",),
)

#: Rooms and modules of the generator, in the order in which data passes through them.
STEPS = (
    "headers", "read", "classify", "attributes", "lower", "meanings", "emit", "models", "tree",
    "swap", "pipeline", "__main__", "__init__", "user", "user_commands", "lab", "schema", "verify",
)  # fmt: skip

_OVERLAY, _GENERATOR = "overlay/cudnn_cffi", "generator"


def _file(half: str, name: str) -> tuple[str, Path] | None:
    """Return the path of a room or module as the map has it, and the file with its docstring."""
    room = ROOT / half / name / "__init__.py"
    if room.exists():
        return f"{half}/{name}/", room
    module = ROOT / half / f"{name}.py"
    return (f"{half}/{name}.py", module) if module.exists() else None


def _sub_rooms(name: str, room: Path) -> Iterator[tuple[str, Path]]:
    for each in sorted(room.parent.rglob("*/__init__.py")):
        yield f"{name}{each.parent.relative_to(room.parent).as_posix()}/", each


def summary(path: Path) -> str:
    """Return the first sentence of a module's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    found = re.match(r"(.+?)\.(?=\s|$)", " ".join(text.split()))
    if found is None:
        raise ValueError(f"{path.relative_to(ROOT)}: no docstring with a sentence")
    return found[1]


def table(half: str) -> str:
    """Return the map of one half: of the overlay by layers, of the generator by steps."""
    names = [name for layer in LAYERS for name in layer] if half == _OVERLAY else STEPS
    lines = ["| room | its subject |", "|---|---|"]
    for name in names:
        found = _file(half, name)
        if found is None:
            continue  # emitted
        lines += [
            f"| `{path}` | {summary(file)} |"
            for path, file in (found, *(_sub_rooms(*found) if found[0][-1] == "/" else ()))
        ]
    return "\n".join(lines)


def native() -> str:
    """Return the map of the C of the call layer."""
    lines = ["| file | its subject |", "|---|---|"]
    for path in sorted((ROOT / "native").glob("*.c")):
        found = re.match(r"/\*\s*(.+?)\.(?=\s)", path.read_text(encoding="utf-8"), re.S)
        if found is None:
            raise ValueError(
                f"{path.relative_to(ROOT)}: no comment with a sentence at its beginning"
            )
        text = re.sub(r"; see \w+\.h$", "", " ".join(found[1].split()))
        lines.append(f"| `native/{path.name}` | {text} |")
    return "\n".join(lines)


def with_maps(text: str) -> str:
    """Return the text of docs/design.md with its maps as they are to be."""
    for half in (_OVERLAY, _GENERATOR):
        text = pages.with_part(text, f"the map of {half}", table(half))
    return pages.with_part(text, "the map of native", native())


if __name__ == "__main__":
    raise SystemExit(pages.write(__doc__, {PAGE: with_maps}))
