"""Pages of the operations on arrays, and the list of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING
from unittest import mock

from cudnn_cffi import errors, ops
from cudnn_cffi._operation.functions import FUNCTIONS
from cudnn_cffi._operation.launching import arguments_of
from cudnn_cffi._operation.option_errors import synonyms
from cudnn_cffi._ways.case import Case
from cudnn_cffi._ways.graph_draft import Draft
from cudnn_cffi.errata import asks as errata

from scripts.operations import FAMILIES, section

from .docstrings import Argument, arguments, entries_of, parts_of, signature_text
from .entry import Entry, Prose, listed, manuals, paragraphs
from .samples import samples

if TYPE_CHECKING:
    from cudnn_cffi.types import DTypeWord

#: The rooms of operations, as readers know them.
TITLES = {
    "conv": "Convolutions and columns",
    "window": "Pooling, sampling and aggregation",
    "element": "Elements, reductions and softmax",
    "norm": "Norms",
    "rnn": "Recurrent networks",
    "attn": "Attention",
    "loss": "Losses",
}

_FIRST = "import torch\nfrom cudnn_cffi import ops\n"


@cache
def names() -> tuple[str, ...]:
    """Return the names of all functions that compute an operation, sorted."""
    found = {
        name
        for name in dir(ops)
        if name.islower() and name[0] != "_" and callable(getattr(ops, name))
    }
    return tuple(sorted(found - {"candidates", "explain", "record"}))


@cache
def prose() -> Prose:
    """Return what links names of operations and their classes to their pages."""
    places = {name: f"{name}.md" for name in names()}
    places |= {made.cls.__name__: f"{made.cls.word}.md" for made in FUNCTIONS.values()
               if made.cls.word in places}  # fmt: skip
    places["LSTM.backward"] = "rnn_backward.md"
    return Prose(places)


@cache
def entry(name: str) -> Entry:
    """Return the content of the page of an operation."""
    function, record, text = getattr(ops, name), FUNCTIONS.get(name), prose()
    parts = parts_of(function.__doc__)
    own = parts_of(record.cls.__doc__) if record else parts
    summary, _, more = parts[""].partition("\n\n")
    by = record.by if record else parts["notes"].removeprefix("Computed by ").rstrip(".")
    ways = [text.nodes(text(by))]
    if record:
        if record.cls.graph_from is not None and not by.startswith("a graph"):
            ways.append(f"the graph first from {record.cls.graph_from >> 20} MiB on")
        ways.append(text.nodes(text(section(record.cls.__doc__, "Ways"))))
    facts = {
        "Arrays": text(" ".join(own.get("Arrays", "").split())),
        "Returns": text(" ".join(parts.get("Returns", "").split())),
        "Raises": listed(entries_of(parts.get("Raises", "")), text),
        "Computed by": "; ".join(filter(None, ways)) + ".",
        "Gradient": _gradient(name, text),
        "Edges": text(_list(own.get("Edges", ""))),
        "See also": _others(name),
    }
    picture = picture_of(name)
    return Entry(
        f"operations/{name}", f"ops.{name}", text(" ".join(summary.split())),
        paragraphs(more, text),
        signature_text(f"ops.{name}", inspect.signature(function)),
        (record.formula if record else "") or " ".join(own.get("Formula", "").split()),
        _arguments(name, parts, text), {key: each for key, each in facts.items() if each},
        example(name), picture, manuals(by),
    )  # fmt: skip


def _list(edges: str) -> str:
    """Return a list of cases and their results, which a docstring separates by semicolons."""
    return "\n".join(f"- {each}" for each in " ".join(edges.split()).split("; ") if each)


def _arguments(name: str, parts: dict[str, str], text: Prose) -> list[Argument]:
    signature = inspect.signature(getattr(ops, name))
    known = list(signature.parameters)
    meanings = entries_of(parts.get("Args", ""))
    return arguments(signature, meanings, text, lambda each: synonyms(each, known))


def _gradient(name: str, text: Prose) -> str:
    record = FUNCTIONS.get(name)
    if record is not None and record.cls.gradient:
        return ", ".join(text.code(each) for each in record.cls.gradient)
    is_of = [other for other, made in FUNCTIONS.items()
             if name in made.cls.gradient]  # fmt: skip
    if is_of:
        return f"None; it is itself the gradient of {', '.join(map(text.code, sorted(is_of)))}."
    return "None."


def _others(name: str) -> str:
    record = FUNCTIONS.get(name)
    links = ["[Operations](../guide/operations.md)", "[all operations](index.md)"]
    if record is not None:
        cls = record.cls.__name__
        links.insert(0, f"the class {{py:obj}}`ops.{cls} <cudnn_cffi.ops.{cls}>`")
    if family(name) == "rnn":
        links.append("[Recurrent networks](../guide/recurrent.md)")
    return " · ".join(links)


def family(name: str) -> str:
    """Return the room of an operation."""
    module: str = getattr(ops, name).__module__
    return module.split(".")[-2]


def example(name: str) -> str:
    """Return a program that runs the operation."""
    sample = samples("operations")[name]
    if sample.code:
        return f"{_FIRST}\n{sample.code}"
    lines = [array.code(word) for word, array in sample.arrays.items()]
    record = FUNCTIONS[name]
    gives = getattr(record.cls, "gives", ())
    several = not isinstance(gives, tuple) or len(gives) > 1
    result = "result = " if several else f"{gives[0]} = " if gives else ""
    return "\n".join([_FIRST, *lines, f"{result}ops.{name}({sample.call})"])


def call_of(name: str, **types: DTypeWord) -> tuple[ops.Operation, Case] | None:
    """Return the operation of an example and its case; None where no graph computes it.

    Args:
        types: other data types for those of its arrays.
    """
    sample, record = samples("operations")[name], FUNCTIONS.get(name)
    if sample.code or record is None or record.cls.graph is ops.Operation.graph:
        return None
    specs = {
        key: ops.Spec.like(each.shape, types.get(each.dtype, each.dtype))
        for key, each in sample.arrays.items()
    }

    def taken(*given: object, **named: object) -> inspect.BoundArguments:
        return inspect.signature(getattr(ops, name)).bind(*given, **named)

    bound = eval(f"taken({sample.call})", {"taken": taken, **specs}).arguments
    call = set(inspect.signature(record.cls.__call__).parameters)
    options = {record.renames.get(key, key): each for key, each in bound.items() if key not in call}
    arrays = (bound[each] for each in record.cls.derived_from)
    operation = record.cls.for_function({**options, **record.fixed}, *arrays)
    asked = arguments_of(
        operation, operation.run, (), {key: bound[key] for key in bound if key in call}
    )
    return operation, operation.case(
        *asked["arrays"], alpha=asked["alpha"], beta=asked["beta"], **dict(asked["call"])
    )


def picture_of(name: str) -> str:
    """Return the graph that computes the example as SVG, "" where no graph does."""
    if (found := call_of(name)) is None:
        return ""
    operation, case = found
    draft = Draft(case.inputs, case.outputs)
    try:
        with mock.patch.object(errata, "errata_of", return_value=()):  # no library is loaded here
            operation.graph(case, draft)
    except errors.NotSupportedError:
        return ""
    return draft.graph.to_svg()


def entries() -> Iterator[Entry]:
    """Yield the content of all pages."""
    return map(entry, names())


def index(made: Iterable[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """Yield the families and what belongs to them."""
    pages = list(made)
    for each in FAMILIES:
        yield TITLES[each], [page for page in pages if family(page.name) == each]
