"""Facts in the documentation comments of headers: directions, releases, deprecation."""

from __future__ import annotations

import re
from collections.abc import Mapping

import clang.cindex as cx
import msgspec
from cudnn_cffi.api import model

_PARAM = re.compile(r"@param\[(in|out|in\s*,\s*out)\]\s+(\w+)")
_SINCE = re.compile(r"@since\s+cuDNN\s+(\d+(?:\.\d+)+)")
_DEPRECATED = re.compile(r"@deprecated\b(.*?)(?=@|\*/|\Z)", re.S)
_SUCCESSOR = re.compile(r"\bUse\s+((?:cudnn|CUDNN_)\w+)", re.I)
TRAILING = re.compile(rb"\s*,?[^\S\n]*(/\*[*!]<.*?\*/)", re.S)

#: Other advice of the headers, in our words: the first entry whose words all occur.
_ADVICE = (
    (("use", "graph api", "sdpa"), "the graph API's SDPA operations"),
    (("use", "graph api"), "the graph API"),
    (("use", "pointwise operations"), "the graph API's pointwise operations"),
    (("use", "rnn data descriptors"), "cudnnRNNDataDescriptor_t"),
    (("include", "cudnn_graph.h"), "cudnn_graph.h"),
)

_Direction: dict[str, model.Direction] = {"in": "in", "out": "out", "in,out": "inout"}


class Comment(msgspec.Struct, frozen=True):
    """The facts in a documentation comment; its sentences are not ours to keep."""

    directions: Mapping[str, model.Direction]
    since: str | None
    deprecated: bool
    successor: str | None  # a name of C's, or words from `_ADVICE`


NO_COMMENT = Comment({}, None, False, None)


def read_comment(cursor: cx.Cursor, text: str | None = None) -> Comment:
    """Return the facts in the comment of a declaration, or in `text`."""
    text = text or cursor.raw_comment
    if not text or "@" not in text:
        return NO_COMMENT
    since = _SINCE.search(text)
    deprecated = _DEPRECATED.search(text)
    return Comment(
        {name: _Direction[how.replace(" ", "")] for how, name in _PARAM.findall(text)},
        since[1] if since else None,
        deprecated is not None,
        _recommended(deprecated[1]) if deprecated else None,
    )


def _recommended(note: str) -> str | None:
    """Return what a deprecation note says to use instead; its sentence is not ours to keep."""
    named = _SUCCESSOR.search(note)
    if named:
        return named[1]
    note = " ".join(note.replace("*", " ").lower().split())
    return next((ours for words, ours in _ADVICE if all(word in note for word in words)), None)
