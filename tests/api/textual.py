"""Declarations of a set of headers, read as plain text: a second opinion beside the parser's.

No compiler and no model: comments away, statements apart, regular expressions. It understands just
what cuDNN's headers since 8.5 contain, and stops where it does not understand something.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_COPY = re.compile(r"_v\d+\.h$")
_VERSION = re.compile(r"CUDNN_((\w+_)?(MAJOR|MINOR|PATCH|PATCHLEVEL)|VERSION)$")
_DEPRECATED = re.compile(r"\bCUDNN_DEPRECATED(_ENUM)?\b")


@dataclass
class Text:
    """Names with whatever tells one from another; deprecated ones apart."""

    functions: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = field(default_factory=dict)
    enumerators: dict[str, tuple[str, int]] = field(default_factory=dict)
    enums: set[str] = field(default_factory=set)
    constants: dict[str, float] = field(default_factory=dict)
    macros: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)  # formulas; "" for plain numbers
    structs: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)  # every other type name
    deprecated: set[str] = field(default_factory=set)
    header: dict[str, str] = field(default_factory=dict)  # where a function or type is declared
    includes: dict[str, set[str]] = field(default_factory=dict)


def read(folder: Path) -> Text:
    text = Text()
    bodies: dict[str, str] = {}
    for path in sorted(folder.glob("cudnn*.h")):
        if not _COPY.search(path.name):
            bodies |= _header(path.name, path.read_text(errors="replace"), text)
    for _ in range(3):  # one may be made from others, which may stand further down
        for name, body in bodies.items():
            value = _number(body, text)
            if value is not None:
                text.constants[name] = value
    return text


def _header(name: str, source: str, text: Text) -> dict[str, str]:
    """Adds what a header declares; gives the bodies of its macros."""
    source = source.replace("\r", "").replace("\\\n", " ")
    source = re.sub(
        r",(\s*)(/\*\*<.*?\*/)", r"\1\2,", source, flags=re.S
    )  # it is about what precedes
    source = _COMMENT.sub(_comment, source)
    text.includes[name] = set(re.findall(r'#\s*include\s+"(cudnn\w*\.h)"', source))
    bodies: dict[str, str] = {}
    for line in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(.*)$", source, re.M):
        bodies |= _macro(line.strip(), text)
    source = re.sub(r"^[ \t]*#.*$", "", source, flags=re.M)
    source = re.sub(r'extern\s+"C"\s*\{', "", source)
    for statement in _statements(source):
        _statement(name, statement, text)
    return bodies


def _comment(match: re.Match[str]) -> str:
    """Reduce a comment to whether it says that something is deprecated."""
    return " CUDNN_DEPRECATED " if "@deprecated" in match[0] else " "


def _macro(line: str, text: Text) -> dict[str, str]:
    match = re.match(r"(\w+)(\([^)]*\))?\s*(.*)$", line)
    assert match, line
    name, parameters, body = match.groups()
    if parameters:
        if name.startswith("CUDNN_") and not name.startswith("CUDNN_DEPRECATED"):
            text.macros[name] = "".join((parameters + body).split())
    elif _VERSION.match(name):
        text.versions[name] = "" if body.isdigit() else body
    elif name.startswith("CUDNN"):
        return {name: body}
    return {}


def _number(body: str, text: Text) -> float | None:
    """The value of an expression of numbers and of names that have one."""
    body = re.sub(r"(?<=\d)[uUlL]+\b|(?<=\d)f\b", "", body.strip())

    def known(match: re.Match[str]) -> str:
        name = match[0]
        value = text.enumerators[name][1] if name in text.enumerators else text.constants[name]
        return f"({value})"

    try:
        body = re.sub(r"\b[A-Za-z_]\w*\b", known, body)
        return eval(body, {"__builtins__": {}}) if body else None
    except (KeyError, SyntaxError, NameError, TypeError):
        return None


def _statements(source: str) -> list[str]:
    found, depth, start = [], 0, 0
    for position, character in enumerate(source):
        depth += (character == "{") - (character == "}")
        depth = max(depth, 0)  # the end of extern "C"
        if character == ";" and depth == 0:
            found.append(" ".join(source[start:position].split()))
            start = position + 1
    return found


def _statement(header: str, statement: str, text: Text) -> None:
    statement = statement.lstrip("} ")
    outer = re.sub(r"\{.*\}", "", statement)
    deprecated = bool(_DEPRECATED.search(outer))
    bare = " ".join(_DEPRECATED.sub(" ", statement).split())
    if "CUDNNWINAPI" in bare and "typedef" not in bare:
        match = re.match(r"(.*?)\s*CUDNNWINAPI\s*(\w+)\s*\((.*)\)$", bare)
        assert match, statement
        name = match[2]
        text.functions[name] = (_type(match[1]), _parameters(match[3]))
    elif match := re.match(r"typedef enum\s*\w*\s*\{(.*)\}\s*(\w+)$", bare):
        name = match[2]
        if not name.startswith("cudnn"):
            return  # CUDA's, repeated for those without its header
        text.enums.add(name)
        inner = statement[statement.index("{") + 1 : statement.rindex("}")]
        _enumerators(name, inner, text)
    elif match := re.match(r"(?:typedef )?struct\s*(\w*)\s*\{(.*)\}\s*(\w*)$", bare):
        name = match[3] or match[1]
        text.structs[name] = match[2].replace(" ", "")
    elif match := re.match(r"typedef .*\(\s*(?:CUDNNWINAPI)?\s*\*\s*(\w+)\s*\)\s*\(.*\)$", bare):
        name = match[1]
        text.types[name] = bare.replace(" ", "")
    elif match := re.match(r"typedef (.*?)(\w+)$", bare):
        name = match[2]
        text.types[name] = _type(match[1])
    else:
        assert not bare or bare.startswith(("struct ", "enum ")), f"{header}: {statement}"
        return
    text.header[name] = header
    if deprecated:
        text.deprecated.add(name)


def _enumerators(enum: str, inner: str, text: Text) -> None:
    following = 0
    for part in inner.split(","):
        if not part.strip():
            continue
        deprecated = bool(_DEPRECATED.search(part))
        name, _, expression = _DEPRECATED.sub(" ", part).partition("=")
        value = _number(expression, text) if expression.strip() else following
        assert value is not None, part
        text.enumerators[name.strip()] = (enum, int(value))
        following = int(value) + 1
        if deprecated:
            text.deprecated.add(name.strip())


def _parameters(text: str) -> tuple[tuple[str, str], ...]:
    found = []
    for part in text.split(","):
        match = re.match(r"(.*?)(\w+)\s*((?:\[\w*\])?)$", part.strip())
        if part.strip() not in ("", "void"):
            assert match, part
            found.append((_type(match[1] + "*" * bool(match[3])), match[2]))
    return tuple(found)


def _type(text: str) -> str:
    return re.sub(r"\s*\*\s*", "*", " ".join(text.replace("extern", "").split()))
