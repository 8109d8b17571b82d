"""Declarations of headers, read off a preprocessor's output: a second opinion on the parser's.

Far from a parser of C, and meant to be: it only collects names, so that one which the tables lack
is noticed. Whether the names mean what the tables say is for the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

_MARKER = re.compile(r'^#(?:line)? \d+ "([^"\n]*)"[^\n]*$', re.M)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_DEFINE = re.compile(r"^#define (\w+)(\([^)\n]*\))?[ \t]*(.*)$", re.M)
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
_ENUM = re.compile(r"\benum\b[^{};()]*\{([^{}]*)\}")
_FUNCTION = re.compile(r"\b(cudnn\w+)\s*\((?!\*)")
_TYPE = re.compile(r"\}\s*(cudnn\w+)\s*;")


@dataclass(frozen=True)
class Declared:
    """Names, in the order in which they come."""

    functions: tuple[str, ...]
    enumerators: tuple[str, ...]
    types: tuple[str, ...]  # enums, structs and unions with a body
    macros: dict[str, str]  # object-like ones with a body
    prototypes: dict[str, str]  # the text of each function's declaration


def declared(preprocessed: str, folder: str) -> Declared:
    """Return the names that the files directly in `folder` declare."""
    text = "".join(_parts(preprocessed, PurePath(folder)))
    macros = {
        name: body
        for name, parameters, body in _DEFINE.findall(text)
        if body and not parameters and "__attribute__" not in body
    }
    code = re.sub(r"^#.*$", "", text, flags=re.M)
    code = _ATTRIBUTE.sub(" ", _STRING.sub('""', code))
    enumerators = []
    for body in _ENUM.findall(code):
        enumerators += [name for item in body.split(",") for name in re.findall(r"^\s*(\w+)", item)]
    prototypes: dict[str, str] = {}
    for statement in re.sub(r"\{[^{}]*\}", " ", code).split(";"):
        found = _FUNCTION.search(statement)
        if found and not re.search(r"\b(typedef|static)\b", statement):
            prototypes.setdefault(found[1], " ".join(statement.split()))
    return Declared(
        tuple(prototypes), tuple(enumerators), tuple(_TYPE.findall(code)), macros, prototypes
    )


def _parts(preprocessed: str, folder: PurePath) -> Iterator[str]:
    """Yield the pieces of the text that come from files in `folder`."""
    pieces = _MARKER.split(preprocessed)
    for name, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if PurePath(name).parent == folder:
            yield piece
