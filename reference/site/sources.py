"""Files of the repository that the pages are made of, for their links to source and editor."""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import unwrap
from pathlib import Path
from typing import Any

from cudnn_cffi import ops
from cudnn_cffi.graph.methods.operations import Operations

from ..entries import layers

_ROOT = Path(__file__).resolve().parents[2]

#: Pages that are filled in, by their folder or name: the template.
_TEMPLATES = {
    "names": "name",
    "releases": "release",
    "descriptors": "descriptor",
    "matrix": "matrix",
    "names/index": "names",
    "releases/index": "releases",
    "descriptors/index": "descriptors",
    "operations/index": "entries",
    "nodes/index": "entries",
    "modules/index": "entries",
    "functional/index": "entries",
    "upgrade/8-to-9": "upgrade",
}


def source_of(page: str) -> str:
    """Return the path of the file that a page is made of; "" for a list that Sphinx makes."""
    folder, _, name = page.partition("/")
    for place in (f"docs/{name}.md" if folder == "guide" else "", f"reference/guide/{page}.md"):
        if place and (_ROOT / place).exists():
            return place
    if template := _TEMPLATES.get(page):
        return f"reference/templates/{template}.md"
    if page == "examples/index":
        return "reference/entries/programs.py"
    if made := _MADE.get(folder):
        return made(name)
    return f"reference/templates/{_TEMPLATES[folder]}.md" if folder in _TEMPLATES else ""


def _operation(name: str) -> str:
    made = ops.OPERATIONS.get(name) or getattr(ops, name)
    return _path(sys.modules[made.__module__].__file__)


def _node(name: str) -> str:
    method: Any = unwrap(getattr(Operations, name))
    return _path(method.__code__.co_filename)


def _module(name: str) -> str:
    return _path(layers.names("modules")[name])


def _function(name: str) -> str:
    return _path(layers.names("functional")[name])


def _example(name: str) -> str:
    return next((_path(path) for path in (_ROOT / "examples").glob(f"{name}.*")), "")


#: Pages of what computes, by their folder: what finds the file.
_MADE: dict[str, Callable[[str], str]] = {
    "operations": _operation,
    "nodes": _node,
    "modules": _module,
    "functional": _function,
    "examples": _example,
    "python": lambda _: "reference/python.py",
}


def _path(file: Any) -> str:
    return Path(file).resolve().relative_to(_ROOT).as_posix()


def link_source(
    app: Any, page: str, _template: str, context: dict[str, Any], _tree: object
) -> None:
    """Give a page the addresses of its source and of its editor (for "html-page-context")."""
    project, source = app.config.html_context["project_address"], source_of(page)
    if project and source:
        context["source_address"] = f"{project}/blob/main/{source}"
        context["edit_address"] = f"{project}/edit/main/{source}"
