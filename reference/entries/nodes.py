"""Pages of the methods that add nodes to graphs, and the list of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from functools import cache

from cudnn_cffi.graph import OPERATIONS, Graph
from cudnn_cffi.graph.methods.operations import Operations
from cudnn_cffi.graph.record.formulas import FORMULAS
from cudnn_cffi.graph.record.types import Settings

from .docstrings import arguments, entries_of, parts_of, signature_text
from .entry import Entry, Prose, listed, manuals, paragraphs, since
from .samples import Array, Sample, samples

#: Methods that add no node, or any node.
_OTHERS = {"output", "workspace", "view", "operation", "add_generic"}

#: Arguments that methods of one line do not explain.
_PLAIN = {
    "x": "the input.",
    "a": "a tensor or a number; extents of 1 are repeated.",
    "b": "a tensor or a number; extents of 1 are repeated.",
    "dy": "the gradient of the result.",
}

#: The nodes of attention, which are composites where the release lacks them.
_ATTENTION = {"attention": "sdpa_forward", "attention_backward": "sdpa_backward"}


@cache
def names() -> tuple[str, ...]:
    """Return the names of the methods, sorted."""
    return tuple(sorted(n for n in vars(Operations) if n[0] != "_" and n not in _OTHERS))


@cache
def prose() -> Prose:
    """Return what links names of methods to their pages."""
    return Prose({name: f"{name}.md" for name in names()})


def sample(name: str) -> Sample:
    """Return the example of a method: of tensors of one shape where the file has none."""
    found = samples("nodes").get(name)
    if found is not None:
        return found
    parameters = list(inspect.signature(getattr(Graph, name)).parameters.values())[1:]
    needed = [
        each.name for each in parameters
        if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD
    ]  # fmt: skip
    arrays = {each: Array((8, 64, 56, 56), "float32") for each in needed}
    return Sample(arrays, ", ".join(needed), "")


def example(name: str) -> str:
    """Return a program that adds the node; it needs no GPU."""
    own = sample(name)
    lines = ["import cudnn_cffi as cudnn", "", "g = cudnn.Graph()"]
    for word, each in own.arrays.items():
        kind = "" if each.dtype == "float32" else f'"{each.dtype}", '
        lines.append(f'{word} = g.tensor({each.shape}, {kind}name="{word}")')
    call = f"g.{name}(\n    {own.call}\n)" if "\n" in own.call else f"g.{name}({own.call})"
    if own.outputs.startswith("."):
        lines.append(f"result = {call}")
        words = own.outputs.replace(".", "").split()
        lines += [f'g.output(result.{word}, name="{word}")' for word in words]
    elif own.outputs:
        lines.append(f"{own.outputs} = {call}")
        lines += [f'g.output({word}, name="{word}")' for word in own.outputs.split(", ")]
    else:
        lines.append(f'g.output({call}, name="y")')
    return "\n".join(lines)


def graph(name: str) -> Graph:
    """Return the graph of the example."""
    space: dict[str, Graph] = {}
    exec(example(name), space)
    return space["g"]


def entry(name: str) -> Entry:
    """Return the content of the page of a method."""
    method, text, made = getattr(Graph, name), prose(), graph(name)
    parts = parts_of(method.__doc__)
    summary, _, more = parts[""].partition("\n\n")
    meanings = {**_PLAIN, "settings": _settings(), **entries_of(parts.get("Args", ""))}
    if meanings["settings"].startswith("see `Settings`"):
        rest = meanings["settings"].removeprefix("see `Settings`").lstrip(".; ")
        meanings["settings"] = f"{_settings()} {rest}".strip()
    signature = inspect.signature(method)
    if name.endswith("_backward"):
        as_before = f"as for `{name.removesuffix('_backward')}`."
        meanings = dict.fromkeys(signature.parameters, as_before) | meanings
    owners = _owners(made)
    facts = {
        "Returns": text(" ".join(parts.get("Returns", "").split())),
        "Raises": listed(entries_of(parts.get("Raises", "")), text),
        "Computed by": "\n".join(f"- {each}" for each in owners.values())
        or "Other nodes: no release has this one; see {py:obj}`lowered "
        "<cudnn_cffi.graph.Graph.lowered>`.",
        "Gradient": _gradient(name, text),
        "See also": "[Graphs](../guide/graph.md) · {py:obj}`Graph <cudnn_cffi.graph.Graph>` · "
        "[all nodes](index.md)",
    }
    return Entry(
        f"nodes/{name}", f"Graph.{name}", text(" ".join(summary.split())),
        paragraphs(more, text), signature_text(f"g.{name}", signature), FORMULAS[name],
        arguments(signature, meanings, text), {key: each for key, each in facts.items() if each},
        example(name), made.to_svg(),
        manuals(" ".join(owners)),
    )  # fmt: skip


def _settings() -> str:
    keys = parts_of(Settings.__doc__)[""].partition("Keys:\n")[2]
    told = entries_of(inspect.cleandoc(keys))
    return "; ".join(f"`{name}`: {meaning.rstrip('.')}" for name, meaning in told.items()) + "."


def _owners(made: Graph) -> dict[str, str]:
    """Return links to the descriptors of the example's nodes, by their C names."""
    found: dict[str, str] = {}
    for node in made.nodes:
        record = OPERATIONS[_ATTENTION.get(node.kind, node.kind)]
        if not record.descriptor:
            continue
        owner = f"CUDNN_BACKEND_{record.descriptor}_DESCRIPTOR"
        line = f"[`{owner}`](../descriptors/{owner}.md), since {since()[owner]}"
        mode = node.options.get("mode")
        if node.kind == "pointwise" and mode is not None:
            c_name = f"CUDNN_POINTWISE_{getattr(mode, 'name', mode)}"
            line = f"{line}, as [`{c_name}`](../names/{c_name}.md)"
        if node.kind in _ATTENTION:
            line += "; before that, and for what it does not take, other nodes"
        found[f"{owner} {mode or ''}"] = line
    return found


def _gradient(name: str, text: Prose) -> str:
    known: dict[str, tuple[str, ...]] = {
        "convolution": ("convolution_backward_data", "convolution_backward_filter"),
        "convolution_transpose": ("convolution", "convolution_backward_filter"),
    }
    if name.endswith("_norm") or name == "norm_forward":
        known[name] = ("norm_backward",)
    words = known.get(name, (f"{name}_backward",))
    if all(word in names() for word in words):
        return ", ".join(map(text.code, words))
    if "_backward" in name or name == "bn_bwd_weights":
        return "None; it is itself a gradient."
    return "No method of its own."


def entries() -> Iterator[Entry]:
    """Yield the content of all pages."""
    return map(entry, names())


def index(made: Iterable[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """Yield the families and what belongs to them."""
    pages: dict[str, list[Entry]] = {}
    for each in made:
        pages.setdefault(_family(each.name), []).append(each)
    for title in _TITLES.values():
        yield title, pages[title]


#: Titles of the modules that have the methods.
_TITLES = {
    "linear": "Convolutions, products, reductions",
    "resampling": "Pooling",
    "norms": "Norms",
    "attention": "Attention",
    "special": "Softmax, random numbers, language models",
    "shapes": "Moving data",
    "pointwise": "Elements",
}


def _family(name: str) -> str:
    module = getattr(Graph, name).__module__.rpartition(".")[2]
    return _TITLES.get(module, _TITLES["pointwise"])
