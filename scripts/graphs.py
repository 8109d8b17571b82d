"""The tables of nodes and attention in docs/graph.md, and of errors of cuDNN in docs/errata.md.

    python -m scripts.graphs [--check]

writes them, and docs/block.svg, the picture of the first graph of docs/graph.md. The row of a node
is from its record and the docstring of its method, that of an option of attention from
graph/attn/forms.py, that of an error from its record in errata/errata.json. With --check nothing is
written, and the exit status is 1 if something differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import redirect_stdout

from cudnn_cffi.errata import files, releases_of
from cudnn_cffi.errata import table as errata
from cudnn_cffi.errata.record import MEASURED, Record
from cudnn_cffi.graph import Graph
from cudnn_cffi.graph.attn import forms
from cudnn_cffi.graph.lower.replaced import Replaced
from cudnn_cffi.graph.record.operations import OPERATIONS

from . import pages
from .pages import ROOT


def proof(evidence: str) -> str:
    """Return evidence without the words that most records share; the page has them once."""
    return evidence.replace(MEASURED, "").removeprefix(": ").removesuffix(": ")


def table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table."""
    names = list(heads)
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def nodes() -> str:
    """Return the table of the operations of graphs, with their methods and first releases."""
    rows = []
    for each in filter(lambda each: each.since, OPERATIONS.values()):
        method = each.method or "operation"
        text = (getattr(Graph, method).__doc__ or "").partition("\n")[0].replace("`", "")
        rows.append((each.kind, f"`{method}`: {text}", each.since))
    return table(("operation", "method", "first release"), rows)


def attention() -> str:
    """Return the table of releases from which on each form of attention has an option.

    A form needs the same of every node, so any node will do. The gradient's composite needs all
    that the one of attention does.
    """
    graph = Graph()
    q, k, v, do = (graph.tensor((1, 1, 64, 64), name=name) for name in ("q", "k", "v", "do"))
    o, stats = graph.attention(q, k, v, stats=True)
    graph.attention_backward(do, q, k, v, o, stats)
    at, back = (
        Replaced(graph, node, node.inputs, node.outputs, (9, 10, 0)) for node in graph.nodes
    )
    parts = forms.composite_needs(at)
    rows = {
        **options(forms.node_needs(at), parts, ""),
        **options(
            forms.backward_node_needs(back), forms.backward_needs(back)[len(parts) :], "gradient: "
        ),
    }
    return table(
        ("with", "one operation since", "composite since"),
        ((what, *since) for what, since in rows.items()),
    )


def options(node: forms.Needs, parts: forms.Needs, before: str) -> dict[str, list[str]]:
    """Return the releases of each option, as one operation and as a composite; "-" for none."""
    found: dict[str, list[str]] = {}
    for place, needs in enumerate((node, parts)):
        for _, since, text in needs:
            # Without the numbers and names of the node at hand.
            what = re.sub(r"^\d+ | \(\w+\)$|,$", "", text).replace(
                "the gradient of attention", "all"
            )
            if what.startswith("widths of"):
                continue
            row = found.setdefault(before + what, ["", ""])
            row[place] = (
                "-" if since == forms.NEVER else ".".join(map(str, since)).removesuffix(".0")
            )
    return found


def records(scope: str, *, verified: bool = True) -> list[Record]:
    """Return the package's records of a scope."""
    found = files.read_package(errata.PATH)
    return [each for each in found if each.scope == scope and each.verified is verified]


def engines() -> str:
    """Return the table of engines: a row for each error of the engines of an operation."""
    rows = (
        (
            f"`{each.id}`",
            each.subjects[0],
            ", ".join(map(str, each.engines)),
            f"{each.symptom}{_limits(each)}",
            each.kind if each.avoided else f"{each.kind} (advice)",
            each.workaround or "another engine",
        )
        for each in records("engine")
    )
    return table(("id", "operation", "engines", "error", "symptom", "workaround"), rows)


def _limits(each: Record) -> str:
    return "" if releases_of(each) == "all" else f" ({releases_of(each)})"


def functions() -> str:
    """Return the table of functions under their C names, and of nodes of graphs."""
    rows = (
        (
            f"`{each.id}`",
            ", ".join(f"`{name.removesuffix(' composite')}`" for name in each.subjects),
            each.symptom.removesuffix(","),
            each.kind,
            proof(each.evidence) or "-",
            each.workaround or "-",
            releases_of(each),
        )
        for each in records("function")
    )
    heads = (
        "id",
        "function",
        "error or refused case",
        "symptom",
        "reason",
        "workaround",
        "releases",
    )
    return table(heads, rows)


def whole_graphs() -> str:
    """Return the table of graphs as a whole."""
    rows = ((f"`{each.id}`", each.symptom, each.kind, each.workaround) for each in records("graph"))
    return table(("id", "error", "symptom", "workaround"), rows)


def reported() -> str:
    """Return the table of records that others report."""
    rows = (
        (
            f"`{each.id}`",
            ", ".join(each.subjects) + "".join(f", engine {engine}" for engine in each.engines),
            each.symptom,
            each.kind,
            releases_of(each),
            ", ".join(f"{major}.{minor}" for major, minor in each.architectures) or "all",
            each.workaround or "-",
            f"{each.source}: {each.evidence}",
        )
        for scope in ("engine", "function")
        for each in records(scope, verified=False)
    )
    heads = ("id", "of", "error", "symptom", "releases", "architectures", "workaround", "source")
    return table(heads, rows)


def with_nodes(text: str) -> str:
    """Return the text of docs/graph.md with its tables."""
    text = pages.with_part(text, "the operations", nodes())
    return pages.with_part(text, "the options of attention", attention())


def with_errata(text: str) -> str:
    """Return the text of docs/errata.md with its tables."""
    text = pages.with_part(text, "the engines", engines())
    text = pages.with_part(text, "the functions", functions())
    text = pages.with_part(text, "the reported ones", reported())
    return pages.with_part(text, "the graphs", whole_graphs())


def drawing(_: str) -> str:
    """Return the picture of the graph of the first code of docs/graph.md."""
    page = (ROOT / "docs" / "graph.md").read_text(encoding="utf-8")
    names: dict[str, Graph] = {}
    with redirect_stdout(None):
        exec(page.partition("```python\n")[2].partition("```")[0], names)
    return f"{names['g'].to_svg()}\n"


if __name__ == "__main__":
    docs = ROOT / "docs"
    made = {
        docs / "graph.md": with_nodes,
        docs / "block.svg": drawing,
        docs / "errata.md": with_errata,
    }
    raise SystemExit(pages.write(__doc__, made))
