"""C, C++ and CUDA sources, read as a preprocessor reads them: tokens, directives, conditions.

That needs no grammar, takes time in proportion to the text, and survives code that does not parse.
The kind of a name follows from the text beside it.
"""

from __future__ import annotations

import dataclasses
import posixpath
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter

from ..names.place import Place
from ..rules import Axis
from . import preprocessor, text
from .c_files import LOOKUPS, Block, Project, Source
from .declared import DEFINED, ENUM, NO_TYPES
from .names import LIBRARY, Uses, Wanted, library_names
from .preprocessor import Directive, Span
from .text import last_word

_INCLUDE = re.compile(r'\s*[<"]([^>"\n]+)[>"]')
_BODY = re.compile("[{;]")
_FUNCTION = re.compile(r"\s*\([^(){};]*\)\s*\{")  # with its body
_TYPEDEF = re.compile(r"\btypedef\b[^;]*$")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh", ".inl", ".ipp", ".tpp", ".inc")
_NAMESPACE = re.compile(r"\bnamespace\s+(?:\w+::)*(\w+)\s*$|\bnamespace\s*()$")


def scan(source: Source, project: Project, wanted: Wanted) -> Uses:
    """Return what a source uses."""
    return _Scanner(source, project, wanted).run()


def shims(source: Source, project: Project, wanted: Wanted) -> frozenset[str]:
    """Return the names like cuDNN's that a header of the program defines for the new release.

    Definitions that need another macro, such as one for a build without CUDA, do not count, nor
    those of a header that does not include cuDNN's.
    After `#define cudnnAddTensor_v3 cudnnAddTensor`, who uses the name uses no name of cuDNN's.
    """
    if not source.path.lower().endswith(_HEADERS):
        return frozenset()
    asked = {
        word
        for line in source.directives
        if line.name in ("if", "elif", "ifdef", "ifndef")
        for word in re.findall(r"[A-Za-z_]\w*", line.argument)
    }
    known = project.known(wanted.new)
    own = asked - known.values.keys() - known.own.keys()  # as in a build that defines none of them
    known = dataclasses.replace(known, absent=known.absent | own)
    dead = preprocessor.dead(source.directives, len(source.code), known)
    included = {
        posixpath.basename(match[1])
        for line in source.directives
        if line.name == "include" and not _inside(dead, line.start)
        if (match := _INCLUDE.match(line.argument))
    }
    if not included & wanted.headers:
        return frozenset()  # it stands for cuDNN where that is not there
    found = set()
    for start, name in source.names(frozenset()):
        if name not in wanted.names or _inside(dead, start):
            continue
        line = source.directive(start)
        if line is None:
            after = source.code[start + len(name) : start + 1_000]
            before = source.before(start)
            made = bool(_FUNCTION.match(after) and last_word(before)) or bool(
                after.lstrip().startswith(";") and _TYPEDEF.search(before)
            )
        else:
            head = DEFINED.match(source.code, line.start) if line.name == "define" else None
            made = head is not None and start < head.end()
        if made:
            found.add(name)
    return frozenset(found)


class _Scanner:
    def __init__(self, source: Source, project: Project, wanted: Wanted) -> None:
        self.source = source
        self.code = source.code
        self.project = project
        self.wanted = wanted
        self.uses = Uses()
        length = len(self.code)
        self.dead: dict[Axis, list[Span]] = {
            "abi": preprocessor.dead(source.directives, length, project.known(wanted.old)),
            "source": preprocessor.dead(source.directives, length, project.known(wanted.new)),
        }
        self.hidden: dict[str, list[Span]] = defaultdict(list)  # where a name is the program's own
        self.namespaces: dict[int, str | None] = {}  # of blocks, by where they begin

    def run(self) -> Uses:
        for line in self.source.directives:
            if line.name in ("include", "import", "include_next"):
                self._include(line)
        hits = [hit for hit in self.source.names(self.wanted.members) if self._is_hit(*hit)]
        for start, name in hits:
            self._declares(start, name)
        for start, name in hits:
            self._use(start, name)
        for start, name in self.source.names(frozenset()):
            if self.wanted.unknown(name) and self._is_unknown(start, name):
                self._add(f"unknown {name}", start, name)
        for literal in self.source.strings:
            self._string(literal)
        self._pasted()
        self._arithmetic()
        return self.uses

    def _axes(self, position: int) -> tuple[Axis, ...]:
        """Return what a change can break there: nothing where both versions switch it off."""
        return tuple(axis for axis, spans in self.dead.items() if not _inside(spans, position))

    def _include(self, line: Directive) -> None:
        match = _INCLUDE.match(line.argument)
        if match is None:
            return
        if "source" in self._axes(line.start):
            self.project.includes[self.source.path].append(match[1])
        name = posixpath.basename(match[1])
        if name in self.wanted.headers and not self._own(line, match[1]):
            self._add(f"include {name}", line.body + match.end(1) - len(name), name)

    def _own(self, line: Directive, name: str) -> bool:
        quoted = line.argument.lstrip().startswith('"')
        return quoted and self.project.has(self.source.path, name)

    # Names

    def _is_hit(self, start: int, name: str) -> bool:
        wanted = self.wanted
        if not (name in wanted.names or name in wanted.tags or name in wanted.members):
            return False
        line = self.source.directive(start)
        return line is None or self._in_directive(line, start, name)

    def _in_directive(self, line: Directive, start: int, name: str) -> bool:
        """Return whether a directive uses a name, and does not only test or define it."""
        if line.name == "define":
            head = DEFINED.match(self.code, line.start)
            pasted = self.source.after(start + len(name)).startswith("##")
            return head is not None and start >= head.end() and not pasted
        if line.name in ("if", "elif"):
            asked = re.search(r"\bdefined\s*\(?\s*$", self.source.before(start))
            return asked is None
        return False

    def _use(self, start: int, name: str) -> None:
        before = self.source.before(start)
        if not before.endswith("::"):
            if _inside(self.hidden.get(name, ()), start):
                return
        elif (last_word(before[:-2]), name) in self.project.own:
            return
        if name in self.project.shims:
            return
        known = self.wanted.tags.get(name, name)
        if known in self.wanted.names:
            self._add(known, start, known)
        elif before.endswith((".", "->")):
            self._add(f"member {name}", start, name)

    def _is_unknown(self, start: int, name: str) -> bool:
        """Return whether a name must be one of cuDNN's: nothing of the program declares it."""
        line = self.source.directive(start)
        if line is not None and line.name != "define":
            return False
        before, after = self.source.before(start), self.source.after(start + len(name))
        if before.endswith((".", "->", "#")) or after.startswith("##"):
            return False
        scope = last_word(before.removesuffix("::")) if before.endswith("::") else ""
        if scope and not NO_TYPES.fullmatch(scope):
            return False
        called = after[:1] == "("
        if called if name.startswith("CUDNN_") else not (called or name.endswith("_t")):
            return False  # a macro of the program's, or a variable
        return not self.project.makes(name)

    def _declares(self, start: int, name: str) -> None:
        """Note where a name is not cuDNN's because the program declares one like it."""
        before, after = self.source.before(start), self.source.after(start + len(name))
        assigned = after[:1] == "=" and after[:2] != "=="
        word = last_word(before)
        if word in ("class", "struct", "union", "enum") and after[:1] in ("{", ":"):
            self._declares_in_namespace(start, name)
            return
        if before[-1:] in ("{", ","):
            around = next(self.source.around(start), None)
            if around is not None and ENUM.search(self.source.before(around.start)):
                self._declares_in_namespace(around.start - 1, name)
                return
        if not word:
            word = last_word(before.rstrip("*& \t\n")) if before[-1:] in ("*", "&") else ""
            if not (word and (assigned or after[:1] == "(")):
                return
        if NO_TYPES.fullmatch(word) and not (word == "using" and assigned):
            return
        if self.source.directive(start):
            return
        if after[:1] == "(":
            self._declares_in_namespace(start, name)
        elif after[:1] and after[:1] in "=;,[{):":
            self._hide(name, start, self._scope(start, after[0]))

    def _declares_in_namespace(self, start: int, name: str) -> None:
        blocks = list(self.source.around(start))
        if not blocks or any(self._namespace(block) is None for block in blocks):
            return  # in no block, in a function, or extern "C"
        self._hide(name, blocks[0].start, blocks[0].end)
        if space := self._namespace(blocks[0]):
            self.project.own.add((space, name))

    def _namespace(self, block: Block) -> str | None:
        """Return the name of a namespace, "" for one without a name; None for another block."""
        if block.start not in self.namespaces:
            match = _NAMESPACE.search(self.source.before(block.start))
            self.namespaces[block.start] = None if match is None else match[1] or ""
        return self.namespaces[block.start]

    def _hide(self, name: str, start: int, end: int) -> None:
        spans = self.hidden[name]
        if not spans or start >= spans[-1][1]:
            spans.append((start, end))
        elif end > spans[-1][1]:
            spans[-1] = (min(start, spans[-1][0]), end)

    def _scope(self, start: int, after: str) -> int:
        """Where the scope of a variable ends; that of a parameter is the function's body."""
        if after in "),":
            opened = _BODY.search(self.code, start, start + 2000)
            if opened is not None and opened[0] == "{":
                index = bisect_right(self.source.opens, opened.start()) - 1
                return self.source.blocks[index].end
            return start + 1
        return next((block.end for block in self.source.around(start)), len(self.code))

    # Strings

    def _string(self, literal: text.String) -> None:
        """Note a string that names a library, or a symbol that is looked up."""
        line = self.source.directive(literal.start)
        if line is not None and line.name != "define":
            return
        library = LIBRARY.fullmatch(literal.value)
        if library is not None:
            for name in library_names(library):
                self._add(f"library {name}", literal.start + library.start(1), library[1])
        elif literal.value in self.wanted.names and self._is_looked_up(literal):
            self._add(literal.value, literal.start, literal.value)
        elif self.wanted.unknown(literal.value) and self._is_looked_up(literal):
            self._add(f"unknown {literal.value}", literal.start, literal.value)

    def _is_looked_up(self, literal: text.String) -> bool:
        code, depth = self.code, 0
        lowest = max(0, literal.quote - 400)
        for match in reversed(list(re.finditer("[(){};]", code[lowest : literal.quote]))):
            if match[0] == ")":
                depth += 1
            elif match[0] == "(" and depth:
                depth -= 1
            elif match[0] == "(":
                called = last_word(_without_arguments(code[lowest : lowest + match.start()]))
                return bool(LOOKUPS.fullmatch(called)) or called in self.project.loaders
            elif not depth:  # in a table of names, where the file looks such names up
                return match[0] == "{" and bool(self._looks_up)
        return False

    @cached_property
    def _looks_up(self) -> bool:
        """Return whether the file looks symbols up by something that is no literal."""
        calls = re.finditer(r"\b(?:dlv?sym|GetProcAddress\w*)\s*\([^;\"]*\)", self.code)
        return next(calls, None) is not None

    # Names that are put together, and versions that are taken apart

    def _pasted(self) -> None:
        pastes = self.project.by_macro
        for macro, start, arguments in self.source.calls(frozenset(pastes)):
            line = self.source.directive(start)
            if line is not None and line.name == "define":
                made = preprocessor.definition(line.argument)
                if made is None or made[0] == macro:
                    continue
            for paste in pastes[macro]:
                name = paste.name(arguments)
                if name in self.wanted.names:
                    self.project.resolved.add(paste.origin or paste)
                    self._add(name, start, name)

    def _arithmetic(self) -> None:
        for start, what in self.source.divisions(frozenset(self.project.versions)):
            self._add("arithmetic CUDNN_VERSION", start, what)

    def _add(self, key: str, start: int, what: str) -> None:
        axes = self._axes(start)
        if axes:
            line = bisect_right(self.source.lines, start)
            column = start - self.source.lines[line - 1] + 1
            place = Place(self.source.path, line, column, what, self.source.language)
            self.uses.add(key, place, axes)


def _without_arguments(code: str) -> str:
    """Code without the template arguments that it ends with."""
    end = len(code.rstrip())
    depth = 0
    while end and (depth or code[end - 1] == ">"):
        end -= 1
        depth += (code[end] == ">") - (code[end] == "<")
    return code[:end]


def _inside(spans: Sequence[Span], position: int) -> bool:
    """Return whether one of the spans, which are in order and apart, has a position in it."""
    index = bisect_right(spans, position, key=itemgetter(0)) - 1
    return index >= 0 and position < spans[index][1]
