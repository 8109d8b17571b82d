"""C, C++ and CUDA sources, parsed by tree-sitter.

Candidates are found in the text, and the syntax tree says what each of them is. That is quick, for
a file has few names of cuDNN's among many others, and survives code that does not parse.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from importlib import import_module
from itertools import accumulate
from typing import Any

from ..errors import CannotCompareError
from ..report import Language, Place
from .names import VERSION_NUMBERS, Uses, Wanted

_MODULES = {"C": "tree_sitter_c", "C++": "tree_sitter_cpp", "CUDA": "tree_sitter_cuda"}
_NOT_CODE = {"comment", "string_content", "string_literal", "raw_string_literal"} | {
    "raw_string_content",
    "raw_string_delimiter",
    "char_literal",
    "character",
    "escape_sequence",
}
_AROUND_A_VALUE = {"call_expression", "parenthesized_expression", "cast_expression"}
_MEMBERS = {"field_identifier", "field_designator"}
_LOOKUPS = re.compile(
    rb"dlv?sym|GetProcAddress\w*|(\w*_)?(dl|load)_?(open|sym(bol)?)|LoadLibrary\w*"
)
_QUOTES = re.compile(r'^(u8|[uUL])?"|"$')
_LIBRARY = re.compile(r"(libcudnn\w*)\.so(\.\d+)?")


@cache
def _parser(language: str) -> Any:
    try:
        tree_sitter = import_module("tree_sitter")
        grammar = import_module(_MODULES[language])
    except ImportError as error:
        raise CannotCompareError(
            f"--uses needs {error.name} to read {language}: pip install "
            "tree-sitter tree-sitter-c tree-sitter-cpp tree-sitter-cuda"
        ) from error
    return tree_sitter.Parser(tree_sitter.Language(grammar.language()))


def scan(path: str, source: bytes, language: Language, wanted: Wanted) -> Uses:
    """What a source file uses."""
    return _Scanner(path, source, language, wanted).run()


@cache
def _candidates(members: frozenset[str]) -> re.Pattern[bytes]:
    names = "|".join(["(?:lib)?(?:cudnn|CUDNN)\\w*(?:\\.h)?", *map(re.escape, sorted(members))])
    return re.compile(rf"\b(?:{names})\b".encode())


class _Scanner:
    def __init__(self, path: str, source: bytes, language: Language, wanted: Wanted) -> None:
        self.path = path
        self.source = source
        self.language = language
        self.wanted = wanted
        self.uses = Uses()
        self.lines = [0, *accumulate(len(line) for line in source.splitlines(keepends=True))]
        self.macros: dict[int, Any] = {}  # trees of macro bodies, by where they start

    def run(self) -> Uses:
        root = _parser(self.language).parse(self.source).root_node
        for match in _candidates(self.wanted.members).finditer(self.source):
            self._candidate(root, match.start(), match[0].decode())
        return self.uses

    def _candidate(self, root: Any, start: int, text: str) -> None:
        end = start + len(text)
        node = root.descendant_for_byte_range(start, end)
        if node.type == "preproc_arg":  # the grammar leaves a macro's body as it is
            node = self._in_macro(node, start, end)
        if _is_dead(node):
            return
        included = _parent_of(node, "preproc_include")
        if included is not None:
            if text in self.wanted.headers:
                self._add(f"include {text}", start, text)
        elif node.type in _NOT_CODE:
            self._string(node, start, text)
        else:
            name = text.removesuffix(".h")
            name = self.wanted.tags.get(name, name)
            if name in self.wanted.names:
                self._add(name, start, name)
                if name in VERSION_NUMBERS and _is_divided(node):
                    self._add(f"arithmetic {name}", start, name)
            elif name in self.wanted.members and node.type in _MEMBERS:
                self._add(f"member {name}", start, name)

    def _in_macro(self, node: Any, start: int, end: int) -> Any:
        base = node.start_byte
        if base not in self.macros:
            body = self.source[base : node.end_byte].replace(b"\\\n", b"  ")
            self.macros[base] = _parser(self.language).parse(body.replace(b"\\\r\n", b"   "))
        return self.macros[base].root_node.descendant_for_byte_range(start - base, end - base)

    def _string(self, node: Any, start: int, text: str) -> None:
        """A string is a use where it is what a function of the loader is asked for."""
        literal = _parent_of(node, "string_literal") or node
        call = _parent_of(literal, "call_expression")
        if call is None or literal.type == "comment" or literal.parent.type != "argument_list":
            return
        function = call.child_by_field_name("function")
        called = function.text.split(b"::")[-1].split(b".")[-1] if function else b""
        content = _QUOTES.sub("", literal.text.decode(errors="replace"))
        if not _LOOKUPS.fullmatch(called):
            return
        if content in self.wanted.names:
            self._add(content, start, content)
        elif _LIBRARY.fullmatch(content):
            self._add(f"library {content}", start, text)

    def _add(self, key: str, start: int, text: str) -> None:
        line = bisect_right(self.lines, start)
        before = self.source[self.lines[line - 1] : start]
        column = len(before.decode(errors="replace")) + 1
        self.uses.add(key, Place(self.path, line, column, text, self.language))


def _parent_of(node: Any, type: str) -> Any:
    """The nearest node of `type` from `node` up; None where there is none."""
    while node is not None and node.type != type:
        node = node.parent
    return node


def _is_divided(node: Any) -> bool:
    """Whether its value, perhaps called, cast or in brackets, is an operand of / or %."""
    while node.parent is not None and node.parent.type in _AROUND_A_VALUE:
        node = node.parent
    parent = node.parent
    if parent is None or parent.type != "binary_expression":
        return False
    operator = parent.child_by_field_name("operator")
    return operator is not None and operator.type in ("/", "%")


def _is_dead(node: Any) -> bool:
    """Whether it is in a part that `#if 0` switches off."""
    while node is not None:
        parent = node.parent
        if parent is not None and parent.type == "preproc_if":
            condition = parent.child_by_field_name("condition")
            other = parent.child_by_field_name("alternative")
            if condition is not None and condition.text == b"0" and node != other:
                return True
        node = parent
    return False
