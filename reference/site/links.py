"""Links from names in the text to their pages."""

from __future__ import annotations

import ast
import re
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from ..python import documented


class LinkNames(SphinxPostTransform):
    """Make a link of each literal that is a name with a page of its own."""

    default_priority = 500

    def run(self, **_: object) -> None:
        """Change the document."""
        known = _pages(str(self.app.srcdir))
        here = self.env.docname
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext().removesuffix("()")
            name = name.partition(".so")[0] if name.startswith("lib") else name
            if name not in known or f"names/{name}" == here or _linked(literal):
                continue
            target = self.app.builder.get_relative_uri(here, f"names/{name}")
            link = nodes.reference("", "", internal=True, refuri=target)
            literal.replace_self(link)
            link += literal


def _linked(node: nodes.Node | None) -> bool:
    while node is not None:
        if isinstance(node, (nodes.reference, nodes.title)):
            return True
        node = node.parent
    return False


@cache
def _pages(source: str) -> frozenset[str]:
    return frozenset(path.stem for path in Path(source, "names").glob("*.md"))


def link_types(_app: Any, document: nodes.document) -> None:
    """Have each type in a signature link to what its name means there (for "doctree-read").

    Two modules have a class `Candidates`, and Sphinx looks for a name, not for what it means.
    """
    by_id = documented()
    for node in list(document.findall(addnodes.pending_xref)):
        if node.get("refdomain") != "py" or node.get("reftype") != "class":
            continue
        meant = _meant(node.get("py:module"), node.get("py:class"), node["reftarget"])
        if name := by_id.get(id(meant)):
            node["reftarget"], node["refspecific"] = name, False
        else:
            node.replace_self(node.children)


def _meant(module: str | None, class_name: str | None, target: str) -> Any:
    """Return what a type's name stands for, None where that is not known."""
    home, _, name = target.rpartition(".")
    if home:
        return getattr(sys.modules.get(home), name, None)
    owner = getattr(sys.modules.get(module or ""), (class_name or "").partition(".")[0], None)
    for place in dict.fromkeys([getattr(owner, "__module__", None), module]):
        if place in sys.modules:
            found = getattr(sys.modules[place], name, None) or _imported(place).get(name)
            if found is not None:
                return found
    return None


@cache
def _imported(module: str) -> dict[str, Any]:
    """Return what a module imports of this package for type checkers alone."""
    file = sys.modules[module].__file__
    tree = ast.parse(Path(file).read_text(encoding="utf-8")) if file else ast.Module([], [])
    package = getattr(sys.modules[module], "__package__", "") or ""
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.level or node.module == "cudnn_cffi"):
            home = resolve_name("." * node.level + (node.module or ""), package)
            with suppress(ImportError):
                for alias in node.names:
                    value = getattr(import_module(home), alias.name, None)
                    found[alias.asname or alias.name] = value
    return found


#: A row of an operation's record in the docstring of its class.
_ROW = re.compile(r"^(Formula|Arrays|Ways|Edges): ")


def spread_record(*given: Any) -> None:
    """Make a paragraph of each row of an operation's record, whose lines are indented in code."""
    lines: list[str] = given[-1]  # of "autodoc-process-docstring"
    made: list[str] = []
    in_row = False
    for line in lines:
        if _ROW.match(line):
            made += ["", line]
            in_row = True
        elif in_row and line.startswith(" "):
            made[-1] += f" {line.strip()}"
        else:
            made += [""] if in_row and line else []
            made.append(line)
            in_row = False
    lines[:] = [*made, ""]
