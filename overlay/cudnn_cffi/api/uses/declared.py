"""Names like cuDNN's that a program declares itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .text import last_word

if TYPE_CHECKING:
    from .c_files import Source

DEFINED = re.compile(r"[ \t]*#[ \t]*define[ \t]+\w+(?:\([^()]*\))?")
ENUM = re.compile(r"\benum\b[^;{}()]*$")

#: Words before a name that do not declare it.
NO_TYPES = re.compile(
    r"return|case|goto|else|do|throw|new|delete|sizeof|alignof|typename|struct|class|enum|union"
    r"|const|volatile|constexpr|consteval|constinit|static|extern|inline|virtual|mutable|register"
    r"|thread_local|friend|typedef|operator|and|or|not|co_return|co_await|co_yield|namespace|using"
    r"|in|template|explicit|noexcept|restrict|defined|define|if|elif|__\w+"
)
_HEADS = {"class", "struct", "union", "enum", "namespace", "typename", "using", "goto"}
_TEMPLATE = re.compile(r"[\w>*&]>[&*\s]*$")  # and no comparison
_POINTER = re.compile(r"\([^()]*\*\s*$")  # to a function: (*name)


def declared(source: Source) -> Iterator[str]:
    """Yield the names of the form of cuDNN's that a source declares or defines, in any scope.

    It tells a declaration by the text beside it, and rather takes a use for one than the reverse.
    """
    for start, name in source.names(frozenset()):
        line = source.directive(start)
        if line is not None and line.name != "define":
            continue
        head = DEFINED.match(source.code, line.start) if line is not None else None
        if (head is not None and start < head.end()) or _declares(source, start, name):
            yield name


def _declares(source: Source, start: int, name: str) -> bool:
    before, after = source.before(start), source.after(start + len(name))
    if after[:1] == "=" and after[:2] != "==":
        return True
    if before[-1:] in ("{", ",") and after[:1] in (",", "}"):
        around = next(source.around(start), None)
        return around is not None and ENUM.search(source.before(around.start)) is not None
    word = last_word(before)
    if word in _HEADS:
        return True
    if not after or after[0] not in "(;,[{):":
        return False
    if word:
        return not NO_TYPES.fullmatch(word)
    if before[-1:] in ("*", "&"):
        if after[0] == ")" and _POINTER.search(before):
            return True
        word = last_word(before.rstrip("*& \t\n"))
        return (word != "" and not NO_TYPES.fullmatch(word)) or _TEMPLATE.search(before) is not None
    if before[-1:] == ">":
        return _TEMPLATE.search(before) is not None and not before.endswith("->")
    return before[-1:] == ")" and after[0] == ";"  # decltype(x) name;
