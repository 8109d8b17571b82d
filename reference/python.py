"""Pages of the Python reference: what each has; Sphinx fills in the docstrings."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

import cudnn_cffi
from cudnn_cffi.__main__ import main as command_line
from cudnn_cffi._front import resolve as _resolve

from . import stand_in


@dataclass(frozen=True)
class _Page:
    """A page: its path and title, and the modules whose public names it has."""

    name: str
    title: str
    modules: tuple[str, ...]


_PAGES = (
    _Page("ops", "Operations", ("ops",)),
    _Page("graph", "Graphs", ("graph",)),
    _Page("plan", "Plans", ("plan",)),
    _Page("choice", "Choice", ("choice", "choice.database")),
    _Page("torch", "PyTorch", ("torch",)),
    _Page("torch-functional", "PyTorch: functions", ("torch.functional",)),
    _Page("torch-modules", "PyTorch: modules", ("torch.modules",)),
    _Page("descriptors", "Descriptors of the backend", ("backend",)),
    _Page("frontend", "Names of NVIDIA's front end", ("compat.frontend",)),
    _Page("cupy", "Names of cupy.cudnn", ("compat.cupy_cudnn",)),
    _Page("cupy-backends", "Names of cupy_backends", ("compat.cupy_backends_cudnn",)),
    _Page("libcudnn", "Names of libcudnn", ("compat.libcudnn", "compat.libcudnn_1")),
    _Page("types", "Types of arguments", ("types",)),
    _Page("api", "Models and diff", ("api", "api.model", "api.history", "api.diff", "api.report")),
)


def pages() -> Iterator[tuple[str, str]]:
    """Yield paths and texts."""
    stand_in.install()
    own = {
        "objects": ("Handles, descriptors, memory", _objects()),
        "errors": ("Errors", _errors()),
    }
    for name, (title, names) in own.items():
        yield f"python/{name}.md", _text(title, "", _directives("cudnn_cffi", names))
    for page in _PAGES:
        blocks: list[str] = []
        shown: set[int] = set()
        for module in (f"cudnn_cffi.{each}" for each in page.modules):
            if len(page.modules) > 1:
                blocks.append(f"## {module}")
            # A name of an earlier module has its entry there.
            loaded = import_module(module)
            here = [name for name in public(module) if id(getattr(loaded, name)) not in shown]
            shown |= {id(getattr(loaded, name)) for name in here}
            blocks += [_text_of(loaded), *_directives(module, here)]
        first = f"`cudnn_cffi.{page.modules[0]}`"
        yield f"python/{page.name}.md", _text(page.title, first, blocks)
    yield "python/commands.md", _text("Command line", "", list(_commands()))
    entries = "\n".join([*own, *(page.name for page in _PAGES), "commands"])
    yield (
        "python/index.md",
        "# Python reference\n\nThe classes and functions of the package beside the functions under "
        "their C names,\nwhich are among [all names](../names/index.md).\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n",
    )


def public(module: str) -> list[str]:
    """Return the public classes and functions of a module, sorted."""
    loaded = import_module(module)
    names = getattr(loaded, "__all__", None) or [n for n in dir(loaded) if n[0] != "_"]
    if module == "cudnn_cffi.graph":  # descriptors have a page of their own
        names = [name for name in names if not name.endswith("Descriptor")]
    if module.startswith("cudnn_cffi.api."):  # these import each other's
        names = [n for n in names if getattr(getattr(loaded, n), "__module__", "") == module]
    return sorted({name for name in names if _kind(getattr(loaded, name))})


@cache
def documented() -> dict[int, str]:
    """Return the names under which classes and functions have an entry, by their id."""
    found = {id(getattr(cudnn_cffi, n)): f"cudnn_cffi.{n}" for n in [*_errors(), *_objects()]}
    for module in (f"cudnn_cffi.{each}" for page in _PAGES for each in page.modules):
        for name in public(module):
            found.setdefault(id(getattr(import_module(module), name)), f"{module}.{name}")
    return found


def _objects() -> list[str]:
    skipped = {"Graph", "Plan", "DeviceProperties"}  # these are on other pages
    front = [n for n, place in _resolve.OVERLAY.items() if place != "errors" and n not in skipped]
    emitted = [
        name
        for name in dir(cudnn_cffi)
        if not name.startswith(("_", "cudnn", "CUDNN")) and _is_object(getattr(cudnn_cffi, name))
    ]
    return sorted({*front, *emitted} - skipped)


def _is_object(value: Any) -> bool:
    return isinstance(value, type) and not issubclass(value, (Enum, BaseException))


def _errors() -> list[str]:
    return [name for name, place in _resolve.OVERLAY.items() if place == "errors"]


def _text(title: str, first: str, blocks: Iterable[str]) -> str:
    return "\n\n".join(filter(None, [f"# {title}", first, *blocks])) + "\n"


def _text_of(module: Any) -> str:
    """Return the first paragraph of a module's docstring, as reStructuredText says it."""
    return (module.__doc__ or "").strip().partition("\n\n")[0]


def _kind(value: Any) -> str:
    """Return which directive documents a value, "" for what is no class or function of ours."""
    if not getattr(value, "__module__", "").startswith("cudnn_cffi"):
        return ""
    if isinstance(value, type):
        return "autoexception" if issubclass(value, BaseException) else "autoclass"
    return "autofunction" if callable(value) else ""


def _directives(module: str, names: Iterable[str]) -> list[str]:
    loaded = import_module(module)
    return [
        f"```{{eval-rst}}\n.. {_kind(getattr(loaded, name))}:: {module}.{name}\n```"
        for name in names
    ]


def _commands() -> Iterator[str]:
    """Yield the help of each command."""
    text = _help()
    yield f"```text\n{text}\n```"
    listed = text.partition("\ncommands:")[2]
    for name in re.findall(r"^    (\w+)", listed, re.M):
        yield f"## {name}"
        yield f"```text\n{_help(name)}\n```"


def _help(*command: str) -> str:
    text, before = io.StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "88"  # argparse reads it
    try:
        with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
            command_line([*command, "--help"])
    finally:
        os.environ.pop("COLUMNS") if before is None else os.environ.update(COLUMNS=before)
    return text.getvalue().strip()
