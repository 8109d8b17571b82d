"""A page of something that computes, and what all such pages have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from cudnn_cffi.api import history, store

from generator import meanings

from ..records import ABSENT
from .docstrings import Argument

#: NVIDIA's page about graphs.
_GRAPHS = (
    "[graphs](https://docs.nvidia.com/deeplearning/cudnn/backend/latest/developer/graph-api.html)"
)


@dataclass(frozen=True)
class Entry:
    """The content of a page; texts are Markdown, but for signature, formula and example.

    Attributes:
        path: of the page, without its ending.
        title: the name with which it is called.
        summary: one sentence.
        more: what else the docstring says before its parts.
        facts: further parts by their headings.
        example: a program.
        picture: the graph that computes the example, as SVG; "" without one.
        outside: links to NVIDIA's pages.
    """

    path: str
    title: str
    summary: str
    more: str
    signature: str
    formula: str
    arguments: Sequence[Argument]
    facts: Mapping[str, str]
    example: str
    picture: str
    outside: Sequence[str]

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


class Prose:
    """Makes Markdown of docstrings: names in code marks lead to their pages.

    Args:
        places: the pages, from the folder of the page that is written, by names in code marks.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = {**_c_places(), **places}

    def __call__(self, text: str) -> str:
        """Return text in which all but code means itself."""
        pieces = re.split(r"(``[^`]+``|`[^`]+`)", text)
        return "".join(
            self.code(piece.strip("`")) if at % 2 else _escaped(piece)
            for at, piece in enumerate(pieces)
        )

    def code(self, name: str) -> str:
        """Return a name as code, with a link to its page if it has one."""
        place = self.places.get(name.removesuffix("()"))
        shown = "`" + name.replace("|", "\\|") + "`"
        return f"[{shown}]({place})" if place else shown

    def nodes(self, text: str) -> str:
        """Return Markdown with links from the nodes that a way names, such as (POINTWISE)."""
        return re.sub(r"\b[A-Z]+(?:_[A-Z]+)*\b", lambda found: node_link(found[0]), text)


def node_link(word: str) -> str:
    """Return a link to the descriptor of a kind of nodes; the word, if there is none."""
    name = owner(word)
    return f"[{word}](../descriptors/{name}.md)" if name else word


def owner(word: str) -> str:
    """Return the descriptor of a kind of nodes, such as MATMUL; "" if there is none."""
    name = f"CUDNN_BACKEND_OPERATION_{word}_DESCRIPTOR"
    return name if name in _descriptors() else ""


def paragraphs(text: str, prose: Prose) -> str:
    """Return a docstring's paragraphs as Markdown."""
    return "\n\n".join(prose(" ".join(each.split())) for each in text.split("\n\n") if each)


def listed(entries: Mapping[str, str], prose: Prose) -> str:
    """Return names and their meanings as a list."""
    return "\n".join(f"- `{name}`: {prose(meaning)}" for name, meaning in entries.items())


def manuals(text: str) -> list[str]:
    """Return links to NVIDIA's documentation of the functions and descriptors that a text names.

    Descriptors are also found by the words for their nodes, such as MATMUL. A text that names none
    is about a graph.
    """
    headers = {each.name: each.header or "" for each in _names()}
    names = [owner(word) or word for word in re.findall(r"\bcudnn[A-Z]\w+|\b[A-Z][A-Z_]+\b", text)]
    places = {name: meanings.load().manual(name, headers.get(name, "")) for name in names}
    return [f"[`{name}`]({place})" for name, place in places.items() if place] or [_GRAPHS]


def _escaped(text: str) -> str:
    return re.sub(r"([|*\\<>\[\]]|(?<!\w)_|_(?!\w))", r"\\\1", text)


@cache
def since() -> dict[str, str]:
    """Return the first release that has each name."""
    return {
        each.name: next(span.first for span in each.spans if span.state != ABSENT)
        for each in _names()
    }


@cache
def _names() -> tuple[history.History, ...]:
    return tuple(history.everything().names)


def _c_places() -> dict[str, str]:
    return {each.name: f"../names/{each.name}.md" for each in _names()}


@cache
def _descriptors() -> frozenset[str]:
    return frozenset(a.owner for api in store().apis() for a in api.attributes)
