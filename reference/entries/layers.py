"""Pages of functions and modules for PyTorch, and the lists of them.

PyTorch need not be there: `python.pages` imports the rooms with a stand-in.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from scripts.operations import exported, left_to_pytorch, section

from . import operations
from .docstrings import Argument, arguments, entries_of, parts_of, signature_text
from .entry import Entry, Prose, listed, paragraphs
from .samples import samples


class Room(NamedTuple):
    """A module of the package whose public names have pages.

    Attributes:
        name: of the module and of the folder.
        first: the lines with which examples begin.
        short: how examples call it.
    """

    name: str
    first: str
    short: str


ROOMS = (
    Room("modules", "import torch\nfrom cudnn_cffi.torch import modules\n", "modules"),
    Room("functional", "import torch\nfrom cudnn_cffi.torch import functional as F\n", "F"),
)


@cache
def names(room: str) -> dict[str, Path]:
    """Return the names of a room, with the files that they are in, sorted."""
    found = {name: path for path, own in exported(room).items() for name in own}
    found.pop("Cudnn", None)  # the base of all modules
    return dict(sorted(found.items()))


@cache
def prose(room: str) -> Prose:
    """Return what links names to their pages."""
    places = {f"ops.{name}": f"../operations/{name}.md" for name in operations.names()}
    return Prose(places | {name: f"{name}.md" for name in names(room)})


def operation_of(room: str, name: str) -> str:
    """Return the name of the operation that computes a function or module."""
    return samples(room)[name].operation or name


def example(room: Room, name: str) -> str:
    """Return a program that runs a function or module."""
    sample = samples(room.name)[name]
    if sample.code:
        return f"{room.first}\n{sample.code}"
    lines = [array.code(word) for word, array in sample.arrays.items()]
    if room.name == "modules":
        lines += [f"module = modules.{name}({sample.make}).cuda()", f"y = module({sample.call})"]
    else:
        lines.append(f"y = {room.short}.{name}({sample.call})")
    return "\n".join([room.first, *lines])


def entry(room: Room, name: str) -> Entry:
    """Return the content of the page of a function or module."""
    value = getattr(import_module(f"cudnn_cffi.torch.{room.name}"), name)
    text, parts = prose(room.name), parts_of(value.__doc__)
    base = operations.entry(operation_of(room.name, name))
    summary, _, more = parts[""].partition("\n\n")
    own = f"[`{base.title}`](../operations/{base.name}.md)"
    kind = "modules" if room.name == "modules" else "functional"
    is_theirs = inspect.isclass(value) and "__init__" not in _own_names(value)
    if is_theirs:
        signature = f"{kind}.{name}(*args, **kwargs)"
        rows = [
            Argument("*args, **kwargs", "", "", f"those of `{_counterpart(value)}` in PyTorch."),
            Argument("choose", "Choose", "None", _ATTRIBUTE),
        ]
    else:
        made = value.__init__ if inspect.isclass(value) else value
        own_parts = parts_of(made.__doc__) if inspect.isclass(value) else parts
        found = inspect.signature(made)
        told = dict.fromkeys(found.parameters, "as in PyTorch's function of the name.")
        told |= {"choose": _CHOOSE} | entries_of(own_parts.get("Args", ""))
        signature, rows = signature_text(f"{kind}.{name}", found), arguments(found, told, text)
        if inspect.isclass(value):
            rows.append(Argument("choose", "Choose", "None", _ATTRIBUTE))
    facts = {
        "Returns": text(" ".join(parts.get("Returns", "").split())),
        "Raises": listed(entries_of(parts.get("Raises", "")), text),
        "Computed by": f"{own}: {base.facts['Computed by']}",
        "Gradient": _gradient(room, name, base),
        "See also": " · ".join(
            [
                f"{{py:obj}}`{kind}.{name} <cudnn_cffi.torch.{kind}.{name}>`", own,
                "[PyTorch](../guide/torch.md)", f"[all {_TITLES[room.name]}](index.md)",
            ]
        ),
    }  # fmt: skip
    if room.name == "modules":
        tree = ast.parse(names("modules")[name].read_text(encoding="utf-8"))
        left = left_to_pytorch(name, tree.body)
        facts["PyTorch computes"] = text(left or "only what `modules` says: tensors on the CPU")
    return Entry(
        f"{room.name}/{name}", f"{kind}.{name}", text(" ".join(summary.split())),
        paragraphs(more, text), signature, base.formula, rows,
        {key: each for key, each in facts.items() if each}, example(room, name), "", base.outside,
    )  # fmt: skip


#: The meaning of `choose`, an argument of functions and an attribute of modules.
_CHOOSE = "the policy that picks the engine or algorithm; see `cudnn_cffi.choice`."
_ATTRIBUTE = f"an attribute, which is set on the module: {_CHOOSE}"

_TITLES = {"modules": "modules", "functional": "functions for PyTorch"}


def _own_names(cls: type) -> set[str]:
    """Return what our classes define of a module, not PyTorch's."""
    ours = [each for each in cls.__mro__ if each.__module__.startswith("cudnn_cffi.")]
    return {name for each in ours for name in vars(each)}


def _counterpart(cls: type) -> str:
    """Return the name of PyTorch's class that a module derives from."""
    theirs = (each for each in cls.__mro__ if each.__module__.startswith("torch"))
    return f"torch.nn.{next(theirs).__name__}"


def _gradient(room: Room, name: str, base: Entry) -> str:
    """Return what computes gradients, and second ones."""
    told = base.facts["Gradient"].replace("](", "](../operations/")
    if room.name != "functional":
        return told
    tree = ast.parse(names(room.name)[name].read_text(encoding="utf-8"))
    second = section(ast.get_docstring(tree, clean=False), "Second derivatives")
    return f"{told}\n\nSecond derivatives: {prose(room.name)(second)}."


def entries(room: Room) -> Iterator[Entry]:
    """Yield the content of all pages of a room."""
    return (entry(room, name) for name in names(room.name))


def index(made: Iterable[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """Yield the families of the operations that compute them, and the pages."""
    pages: dict[str, list[Entry]] = {}
    for each in made:
        room, _, name = each.path.partition("/")
        family = operations.family(operation_of(room, name))
        pages.setdefault(operations.TITLES[family], []).append(each)
    for title in operations.TITLES.values():
        if title in pages:
            yield title, pages[title]
