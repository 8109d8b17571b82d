"""Operations and nodes that compute the same as a C function: generator/meanings/computed.toml.

    python -m scripts.c_names [--check]

writes it. Operations: those whose record names the function first, else those of
reference/instead.toml; then others that call it. Nodes of graphs: those that compute operations
which need no other function, else the descriptors of reference/instead.toml. With --check nothing
is written, and the exit status is 1 if the file differs. `python -m generator emit` reads it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from cudnn_cffi import ops
from cudnn_cffi._operation.functions import FUNCTIONS
from cudnn_cffi.api import store
from cudnn_cffi.api.model import Function
from cudnn_cffi.graph.record.operations import OPERATIONS

from generator.meanings import COMPUTED

from .pages import ROOT, write

_INSTEAD = ROOT / "reference" / "instead.toml"


def table() -> dict[str, dict[str, list[str]]]:
    """Return the names of operations and of methods of `Graph` by C function."""
    known = {function.name: function for api in store().apis() for function in api.functions}
    found = {}
    for name, function in sorted(known.items()):
        own = {word: nodes for word, nodes in _computed_by(name) if _c_names(word)[0] == name}
        nodes = _methods(nodes for word, nodes in own.items() if len(_c_names(word)) == 1)
        operations = list(own)
        if " " in (function.successor or ""):
            operations = operations or _operations_instead(function)
            nodes = nodes or _nodes_instead(function)
        operations += [word for word, _ in _computed_by(name) if word not in operations]
        told = {"ops": operations, "graph": nodes}
        if any(told.values()):
            found[name] = {key: names for key, names in told.items() if names}
    return found


def text() -> str:
    """Return the text of the file."""
    lines = ["# Written by scripts/c_names.py; do not edit."]
    for name, told in table().items():
        lines += ["", f"[{name}]"]
        for key, names in told.items():
            quoted = ", ".join(f'"{each}"' for each in names)
            lines.append(f"{key} = [{quoted}]")
    return "\n".join([*lines, ""])


def _c_names(word: str) -> list[str]:
    """Return the functions that compute an operation, the main one first."""
    return re.findall(r"`(cudnn\w+)`", FUNCTIONS[word].by)


def _computed_by(name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the operations that a function computes, and the nodes that compute them instead."""
    users = {word: _c_names(word) for word in FUNCTIONS if name in _c_names(word)}
    for word in sorted(users, key=lambda each: (users[each].index(name), len(users[each]))):
        graph = re.search(r"a graph \(([A-Z_, ]+)\)", FUNCTIONS[word].by)
        yield word, graph[1].split(", ") if graph else []


def _methods(nodes: Iterable[Iterable[str]]) -> list[str]:
    """Return the methods of `Graph` that add nodes, by the words of their C names."""
    by_descriptor = {each.descriptor: each for each in OPERATIONS.values() if each.descriptor}
    records = [by_descriptor[f"OPERATION_{node}"] for each in nodes for node in each]
    return list(dict.fromkeys(record.method for record in records if record.method))


def _instead(function: Function) -> dict[str, Any]:
    """Return the first entry of the replacements that is about the function; {} without one."""
    entries: list[dict[str, Any]] = tomllib.loads(_INSTEAD.read_text(encoding="utf-8"))["entry"]
    return next((e for e in entries if re.search(e["pattern"], function.name)), {})


def _operations_instead(function: Function) -> list[str]:
    used = re.findall(r"\bops\.([a-z]\w*)", str(_instead(function).get("python", "")))
    return [name for name in dict.fromkeys(used) if hasattr(ops, name)]


def _nodes_instead(function: Function) -> list[str]:
    """Return the methods for the descriptors that replace the function, forward or backward."""
    descriptors = _instead(function).get("operations", {})
    words = re.findall(r"CUDNN_BACKEND_OPERATION_(\w+?)_DESCRIPTOR", " ".join(descriptors))
    backward = [word for word in words if re.search("BWD|BACKWARD", word)]
    if "Backward" in function.name:
        return _methods([backward or words])
    if "Forward" in function.name:
        return _methods([[word for word in words if word not in backward]])
    return _methods([words])


if __name__ == "__main__":
    sys.exit(write(__doc__ or "", {COMPUTED: lambda _: text()}))
