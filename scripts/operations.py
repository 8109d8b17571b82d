"""The tables of pages that are made of records and docstrings.

    python -m scripts.operations [--check]

writes them. In docs/operations.md, the row of an operation is from the docstring of its class
(Formula, Arrays, Ways), and from its record: its functions, its gradients, and what computes it;
cases of NaN and the like are from the docstring (Edges). In docs/torch.md, the row of modules is
from their docstrings, or those of their bases (PyTorch computes), and that of functions from the
docstring of their file (Second derivatives).
docs/diff.md has formats and rules, docs/porting/frontend.md names of the front end, and cupy.md and
libcudnn.md beside it those of CuPy and cudnn-python-wrappers, with what their docstrings name for
new code; also the raw functions of CuPy that pass their arguments on, except those that another row
names. With --check nothing is written, and the exit status is 1 if a table differs.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterable
from inspect import isroutine
from pathlib import Path
from types import ModuleType

from cudnn_cffi import Graph, ops
from cudnn_cffi._operation.functions import FUNCTIONS
from cudnn_cffi.api.formats import FORMATS
from cudnn_cffi.api.rules import AXES, RULES
from cudnn_cffi.compat import cupy_cudnn, frontend, libcudnn, libcudnn_1
from cudnn_cffi.compat._cupy import functions as cupy
from cudnn_cffi.compat.frontend.gone import CLASSIC, GONE
from cudnn_cffi.compat.frontend.methods.options import OPTIONS
from cudnn_cffi.compat.frontend.methods.records import ENGINES_IN_PYTHON, METHODS
from cudnn_cffi.ops import Operation

from . import pages
from .pages import ROOT

#: The rooms of operations, in the order of their rows.
FAMILIES = ("conv", "window", "element", "norm", "rnn", "attn", "loss")

TORCH = Path(ops.__file__).parents[1] / "torch"


def section(document: str | None, head: str) -> str:
    """Return what a docstring says after a word, such as "Formula"; "" if it says nothing."""
    found = re.search(rf"^ *{head}: (.*(?:\n {{8}}.*)*)", document or "", re.M)
    return " ".join(found[1].split()) if found else ""


def code(names: tuple[str, ...] | list[str]) -> str:
    """Return names as code, one after the other."""
    return ", ".join(f"`{name}`" for name in names)


def row(names: list[str], cls: type[Operation], by: str) -> str:
    """Return the row of functions that have the same class and the same ways."""
    ways = [by]
    if cls.graph_from is not None and not by.startswith("a graph"):
        ways.append(f"the graph first from {cls.graph_from >> 20} MiB on")
    ways.append(section(cls.__doc__, "Ways"))
    cells = (
        code(names), section(cls.__doc__, "Formula"), section(cls.__doc__, "Arrays"),
        code(cls.gradient) or "-", "; ".join(filter(None, ways)),
    )  # fmt: skip
    if not (cells[1] and cells[2]):
        raise ValueError(f"{cls.__name__}: expected a docstring with Formula and Arrays")
    return f"| {' | '.join(cells)} |"


def operations() -> str:
    """Return the table of operations: by families and names, gradients after what they are of."""
    groups: dict[tuple[type[Operation], str], list[str]] = {}
    for name, made in FUNCTIONS.items():
        groups.setdefault((made.cls, made.by), []).append(name)
    by_class: dict[type[Operation], list[str]] = {}
    for (cls, by), names in sorted(groups.items(), key=lambda each: each[1]):
        by_class.setdefault(cls, []).append(row(names, cls, by))
    classes = {cls.word: cls for cls in by_class}
    gradients = {word for cls in by_class for word in cls.gradient}

    def place(cls: type[Operation]) -> tuple[int, bool]:
        is_last = cls.word in gradients and not cls.gradient
        return FAMILIES.index(cls.__module__.split(".")[-2]), is_last

    lines = [
        "| function | formula | arrays | gradient by | computed by |",
        "|---|---|---|---|---|",
    ]

    def add(cls: type[Operation]) -> None:
        lines.extend(by_class.pop(cls, ()))
        for word in cls.gradient:
            if classes[word] in by_class:
                add(classes[word])

    for cls in sorted(by_class, key=place):
        add(cls)
    return "\n".join(lines)


def edges() -> str:
    """Return the table of what operations compute of NaN, infinities and the like."""
    rows = []
    for cls in sorted({made.cls for made in FUNCTIONS.values()}, key=lambda cls: cls.word):
        for each in filter(None, section(cls.__doc__, "Edges").split("; ")):
            case, _, result = each.partition(": ")
            rows.append(f"| `{cls.word}` | {case} | {result} |")
    return "\n".join(["| operation | case | result |", "|---|---|---|", *rows])


def classes() -> str:
    """Return the sentence that lists all classes."""
    names = sorted({cls.__name__ for cls in ops.OPERATIONS.values()})
    return f"The classes are {code(names)}."


def exported(room: str) -> dict[Path, list[str]]:
    """Return the names that a room of PyTorch exports, by the files that define them."""
    text = (TORCH / room / "__init__.py").read_text(encoding="utf-8")
    found: dict[Path, list[str]] = {}
    for module, name in re.findall(r"^from \.(\w[\w.]*) import (\w+) as \2$", text, re.M):
        path = (TORCH / room).joinpath(*module.split(".")).with_suffix(".py")
        found.setdefault(path, []).append(name)
    return found


def left_to_pytorch(name: str, body: list[ast.stmt]) -> str:
    """Return the cases that PyTorch computes, by the docstring of a module's class or base."""
    classes = {each.name: each for each in body if isinstance(each, ast.ClassDef)}
    found, text = classes.get(name), ""
    while found is not None and not text:
        text = section(ast.get_docstring(found, clean=False), "PyTorch computes")
        first = found.bases[0]
        found = classes.get(first.id) if isinstance(first, ast.Name) else None
    return text


def table(heads: str, groups: dict[tuple[Path, str], list[str]]) -> str:
    """Return a table whose rows have names, and the text that they have in common."""
    rows = [f"| {code(names)} | {text or '-'} |" for (_, text), names in groups.items()]
    return "\n".join([heads, "|---|---|", *rows])


def modules() -> str:
    """Return the table of modules: a row for each text in a file."""
    groups: dict[tuple[Path, str], list[str]] = {}
    for path, names in exported("modules").items():
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for name in names:
            if name != "Cudnn":
                groups.setdefault((path, left_to_pytorch(name, body)), []).append(name)
    return table("| modules | PyTorch computes |", groups)


def functions() -> str:
    """Return the table of functions: a row for each text in a folder."""
    groups: dict[tuple[Path, str], list[str]] = {}
    for path, names in exported("functional").items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        text = section(ast.get_docstring(tree, clean=False), "Second derivatives")
        if not text:
            raise ValueError(f"{path.name}: expected a docstring with Second derivatives")
        groups.setdefault((path.parent, text), []).extend(names)
    return table("| functions | second derivatives |", groups)


def rules() -> str:
    """Return the table of rules: severities on each axis, what happened, what to do."""
    heads = ("rule", *AXES, "what happened", "what to do")
    rows = [
        (f"`{each.id}`", *(getattr(each, axis) or "" for axis in AXES), each.reason, each.advice)
        for each in RULES.values()
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ("---",) * len(heads), *rows))


def formats() -> str:
    """Return the table of formats: the first sentences of their modules."""
    rows = []
    for name in FORMATS:
        module = importlib.import_module(f"cudnn_cffi.api.formats.{name}")
        text = " ".join((module.__doc__ or "").partition("\n\n")[0].split()).rstrip(".")
        text = re.sub(r"docs/([\w-]+\.json)", r"[\1](\1)", text)
        rows.append(f"| `{name}` | {text} |")
    return "\n".join(["| format | |", "|---|---|", *rows])


def gone() -> str:
    """Return the table of the front end's names that are not here, and the C names of some."""
    rows = [f"| `{name}` | `{CLASSIC[name]}` |" for name in sorted(CLASSIC)]
    rest = code(sorted(GONE - set(CLASSIC)))
    return "\n".join(["| names | instead |", "|---|---|", *rows, f"| {rest} | the front end |"])


def new_code(module: ModuleType, names: Iterable[str]) -> str:
    """Return a table of names of another package, with what their docstrings name for new code.

    Raises:
        ValueError: a docstring names nothing.
    """
    rows: dict[str, list[str]] = {}
    for name in sorted(names):
        document = " ".join((getattr(module, name).__doc__ or "").split())
        _, mark, new = document.partition("New code: ")
        if not mark:
            raise ValueError(f"{name}: expected a docstring with New code")
        rows.setdefault(re.sub(r"(?<!\.)\.$", "", new), []).append(name)
    lines = [f"| {code(names)} | {new} |" for new, names in rows.items()]
    return "\n".join(["| names | in new code |", "|---|---|", *lines])


def with_cupy(text: str) -> str:
    """Return the text of docs/porting/cupy.md with its tables.

    Functions without a difference pass their arguments on, and no other row names them.
    """
    text = pages.with_part(
        text, "the names of cupy.cudnn", new_code(cupy_cudnn, cupy_cudnn.__all__)
    )
    return with_others(text, "the raw functions", cupy.RECORDS)


def with_libcudnn(text: str) -> str:
    """Return the text of docs/porting/libcudnn.md with its tables of functions."""
    functions = [name for name in libcudnn.__all__ if isroutine(getattr(libcudnn, name))]
    text = pages.with_part(text, "the functions", new_code(libcudnn, functions))
    return with_others(text, "the names of version 1", libcudnn_1.__all__)


def with_others(text: str, part: str, names: Iterable[str]) -> str:
    """Return the text of a page with a row of the names that no row after it has."""
    section = pages.with_part(text, part, "").partition(f"<!-- {part} -->")[2]
    rows = re.findall(r"^\| (`.*?) \|", section, re.M)
    named = {each for cell in rows for each in re.findall(r"`(\w+)`", cell)}
    rest = code([each for each in names if each not in named])
    return pages.with_part(text, part, f"| names | difference |\n|---|---|\n| {rest} | none |")


def with_operations(text: str) -> str:
    """Return the text of docs/operations.md with its tables and its list of classes."""
    text = pages.with_part(text, "the operations", operations())
    text = pages.with_part(text, "the edges", edges())
    return pages.with_part(text, "the classes", classes())


def with_torch(text: str) -> str:
    """Return the text of docs/torch.md with its tables of modules and functions."""
    text = pages.with_part(text, "the modules", modules())
    return pages.with_part(text, "the functions", functions())


def with_rules(text: str) -> str:
    """Return the text of docs/diff.md with its tables of formats and rules."""
    text = pages.with_part(text, "the formats", formats())
    return pages.with_part(text, "the rules", rules())


def with_frontend(text: str) -> str:
    """Return the text of docs/porting/frontend.md with its lists of names."""
    attention = {
        each.name for one in METHODS.values() if not one.operation for each in one.arguments
    }
    same = code(sorted(name for name in METHODS if hasattr(Graph, name)))
    text = pages.with_part(text, "the methods with the same names", f"{same}.")
    tensor = frontend.pygraph().tensor(dim=[1], stride=[1])
    members = code(sorted(name for name in dir(tensor) if name[0] != "_"))
    text = pages.with_part(text, "the members of tensors", f"{members}.")
    text = pages.with_part(text, "the engines in Python", f"{code(ENGINES_IN_PYTHON)}.")
    options = code(sorted(OPTIONS | attention))
    text = pages.with_part(text, "the options of attention", f"{options}.")
    return pages.with_part(text, "the names that are gone", gone())


if __name__ == "__main__":
    docs = ROOT / "docs"
    made = {
        docs / "operations.md": with_operations,
        docs / "torch.md": with_torch,
        docs / "diff.md": with_rules,
        docs / "porting" / "frontend.md": with_frontend,
        docs / "porting" / "cupy.md": with_cupy,
        docs / "porting" / "libcudnn.md": with_libcudnn,
    }
    raise SystemExit(pages.write(__doc__, made))
