"""Small things about libclang's cursors and types."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import clang.cindex as cx
from cudnn_cffi.api import model

from .comments import Comment

_VERSION_MACRO = re.compile(r"(CUDNN_(?:\w+_)?)(?:MAJOR|MINOR|PATCH(?:LEVEL)?)|CUDNN_VERSION")

#: Types of numbers that are not negative.
UNSIGNED = (
    cx.TypeKind.UCHAR,
    cx.TypeKind.USHORT,
    cx.TypeKind.UINT,
    cx.TypeKind.ULONG,
    cx.TypeKind.ULONGLONG,
)


def tokens(cursor: cx.Cursor) -> list[cx.Token]:
    """Return the tokens of a declaration or macro, without comments."""
    return [token for token in cursor.get_tokens() if token.kind != cx.TokenKind.COMMENT]


def function_like(tokens: list[cx.Token]) -> bool:
    """Return whether `(` follows the name at once, as in macros of functions only."""
    if len(tokens) < 2 or tokens[1].spelling != "(":
        return False
    return bool(tokens[0].extent.end.offset == tokens[1].extent.start.offset)


def deprecation(comment: Comment, *cursors: cx.Cursor | None) -> dict[str, Any]:
    """Return the fields of an entity about its deprecation: whether, how, in favour of what."""
    marked = cx.AvailabilityKind.DEPRECATED
    warns = any(cursor is not None and cursor.availability == marked for cursor in cursors)
    deprecated = comment.deprecated or warns
    return {
        "deprecated": deprecated,
        "quiet": deprecated and not warns,
        "successor": comment.successor,
    }


def version_macros(macros: dict[str, tuple[str, cx.Cursor]]) -> dict[str, model.VersionMacro]:
    """Take the macros with the version out of all, which are given with their headers.

    A library has three with its own; CUDNN_ROW_MAJOR alone is none of a version.
    """
    named = [match for name in macros if (match := _VERSION_MACRO.fullmatch(name))]
    parts = Counter(match[1] for match in named)
    found = {}
    for name, before in (match.group(0, 1) for match in named):
        if before in ("CUDNN_", None) or parts[before] == 3:
            header, cursor = macros.pop(name)
            words = " ".join(token.spelling for token in tokens(cursor)[1:])
            formula = re.sub(r"^\( (.*) \)$", r"\1", words) if " " in words else ""
            found[name] = model.VersionMacro(name, header, formula)
    return found


def unused(name: str, function: cx.Cursor) -> str:
    """Return a name for a parameter without one."""
    while name in [argument.spelling for argument in function.get_arguments()]:
        name += "_"
    return name


def nameless(cursor: cx.Cursor) -> bool:
    """Return whether an enum, struct or union has no tag."""
    return bool(cursor.is_anonymous()) or not cursor.spelling or "(unnamed" in cursor.spelling


def spell(kind: cx.Type) -> str:
    """Return a type as C spells it."""
    return str(kind.spelling).replace("( *", "(*")
