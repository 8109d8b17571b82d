"""Docstrings and signatures as parts of pages."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

#: Heads of a docstring's parts that begin a line.
_HEADS = (
    "Args",
    "Returns",
    "Raises",
    "Example",
    "Attributes",
    "Formula",
    "Arrays",
    "Ways",
    "Edges",
)
_HEAD = re.compile(rf"^({'|'.join(_HEADS)}|PyTorch computes|Second derivatives):(:?)[ \n]?", re.M)

#: Marks before the names of open arguments.
_MARKS: dict[object, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}

#: The columns of a signature.
_WIDTH = 88


@dataclass(frozen=True)
class Argument:
    """A row of a table of arguments; texts are Markdown.

    Attributes:
        words: what other packages call it, and this one explains in the error.
    """

    name: str
    type: str
    default: str
    meaning: str
    words: str = ""


def parts_of(document: str | None) -> dict[str, str]:
    """Return the parts of a docstring by their heads; what is before the first has the head ""."""
    text = inspect.cleandoc(document or "")
    found: dict[str, str] = {}
    marks = list(_HEAD.finditer(text))
    found[""] = text[: marks[0].start() if marks else None].strip()
    for mark, after in zip(marks, [*marks[1:], None], strict=False):
        body = text[mark.end() : after.start() if after else None]
        kept = re.match(r"(?:.*\n?)(?:(?:[ \t].*|)\n?)*", body)
        assert kept is not None
        found[mark[1]] = inspect.cleandoc("\n" + kept[0]).strip()
        rest = body[kept.end() :].strip()
        if rest:  # a paragraph after the parts
            found["notes"] = f"{found.get('notes', '')}\n\n{rest}".strip()
    return found


def entries_of(text: str) -> dict[str, str]:
    """Return the text of each name in a part such as Args, also if several share a colon."""
    found: dict[str, str] = {}
    for names, rest in re.findall(r"^([\w`*][\w`*, ]*):(.*(?:\n(?: .*)?)*)", text, re.M):
        for name in names.split(","):
            found[name.strip(" `*")] = " ".join(rest.split())
    return found


def arguments(
    signature: inspect.Signature,
    meanings: Mapping[str, str],
    prose: Callable[[str], str],
    words: Callable[[str], Iterable[str]] = lambda _: (),
) -> list[Argument]:
    """Return the rows of a table of a signature's arguments, but for self."""
    rows = []
    for each in signature.parameters.values():
        if each.name == "self":
            continue
        mark = _MARKS.get(each.kind, "")
        rows.append(
            Argument(
                f"{mark}{each.name}",
                type_text(each.annotation),
                "" if each.default is each.empty else literal(each.default),
                prose(meanings.get(each.name, "")),
                ", ".join(f"`{word}`" for word in words(each.name)),
            )
        )
    return rows


def type_text(annotation: object) -> str:
    """Return an annotation as it was written; "" for none."""
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\bUnpack\[(\w+)\]", r"\1", text)


def literal(value: object) -> str:
    """Return a default as Python has it."""
    return "..." if value is ... else getattr(value, "__name__", "") or repr(value)


def signature_text(name: str, signature: inspect.Signature) -> str:
    """Return a call with all arguments and their defaults, without types."""
    words, kind = [], None
    for each in signature.parameters.values():
        if each.name == "self":
            continue
        if each.kind is each.KEYWORD_ONLY and kind not in (each.KEYWORD_ONLY, each.VAR_POSITIONAL):
            words.append("*")
        mark = _MARKS.get(each.kind, "")
        default = "" if each.default is each.empty else f"={literal(each.default)}"
        words.append(f"{mark}{each.name}{default}")
        kind = each.kind
    line = f"{name}({', '.join(words)})"
    if len(line) <= _WIDTH:
        return line
    lines, current = [], "   "
    for word in words:
        if len(current) + len(word) + 2 > _WIDTH:
            lines.append(current)
            current = "   "
        current += f" {word},"
    return "\n".join([f"{name}(", *lines, current, ")"])
