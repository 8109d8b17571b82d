"""Read from a header's comments whether an attribute has to be set.

Headers since 9.22 list the attributes of a descriptor type in its comment, each with a line of its
own, and say of many that they are required or optional.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudnn_cffi.api.model import Stated

_COMMENT = re.compile(r"/\*\*(.*?)\*/", re.S)
_MARGIN = re.compile(r"^[ \t]*\*?", re.M)
_NAME = r"CUDNN_ATTR_\w+"
_ENTRY = re.compile(rf"^( *)(?:- *)?({_NAME}(?:(?: *[/,] *| and ){_NAME})*) *:?(?:\(.*)?$", re.M)
_REQUIRED = re.compile(
    r"\brequired (?:attribute|to be|if|unless|when|only|for)|\bis required|required\.", re.I
)
_OPTIONAL = re.compile(r"\boptional\b|\bdefault value is\b", re.I)
_ONLY = re.compile(r"\b(?:if|unless|only|when|for|but)\b", re.I)


def statements(header: str) -> dict[str, Stated]:
    """Return the statements of a header about its attributes."""
    found: dict[str, set[Stated]] = {}
    for names, text in _entries(header):
        said = _said(text)
        if said is not None:
            for name in names:
                found.setdefault(name, set()).add(said)
    return {
        name: next(iter(said)) if len(said) == 1 else "conditional" for name, said in found.items()
    }


def _entries(header: str) -> Iterator[tuple[list[str], str]]:
    """Yield the attributes of each entry of a list, and its text."""
    for comment in _COMMENT.findall(header):
        text = _MARGIN.sub("", comment)
        starts = list(_ENTRY.finditer(text))
        ends = [*(each.start() for each in starts[1:]), len(text)]
        for start, end in zip(starts, ends, strict=False):
            lines = []
            for line in text[start.end() : end].split("\n")[1:]:
                indented = len(line) - len(line.lstrip())
                if line.strip() and indented <= len(start[1]):
                    break
                lines.append(line.strip())
            yield re.findall(_NAME, start[2]), " ".join(lines)


def _said(text: str) -> Stated | None:
    sentences = re.split(r"(?<=[.;]) +|(?<=\.)$", text)
    required = [each for each in sentences if _REQUIRED.search(each)]
    always = [each for each in required if not _ONLY.search(each)]
    if always:
        return "required"
    if required:
        return "conditional"
    return "optional" if _OPTIONAL.search(text) else None
