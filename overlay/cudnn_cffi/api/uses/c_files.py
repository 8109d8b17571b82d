"""Sources of C, C++ and CUDA: their blocks, calls and macros, and facts that they share."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

from ..names.place import Language
from . import preprocessor, text
from .names import VERSION_NUMBERS, Wanted
from .preprocessor import Definition, Directive, Macros
from .text import last_word

_INCLUDES = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.M)
#: Functions that look up a symbol, or load a library.
LOOKUPS = re.compile(r"dlv?sym|GetProcAddress\w*|(\w*_)?(dl|load)_?(open|sym(bol)?)|LoadLibrary\w*")
_LOOKUP_CALL = re.compile(rf"\b(?:{LOOKUPS.pattern})\s*\(")
_PASTED = re.compile(r"\b\w+(?:\s*##\s*\w+)+")
_SPELLED = re.compile(r'"((?:cudnn|CUDNN)\w*)"\s*#\s*(\w+)')
_VERSION = r"(?:\bCUDNN_VERSION\b|\bcudnnGetVersion\s*\(\s*\))"
_KEPT = r"\b(\w+)\s*[=({{][^;=\n]{{0,60}}?(?:{})"
_KEPT_VERSION = re.compile(_KEPT.format(_VERSION))
_CALL = re.compile(r"\b(\w+)\s*\(")
_BRACKETS = re.compile("[(),{}]")
_HEAD = re.compile(r"(?:(\w+)|(\w+)\s*=\s*\[[^\[\]]*\])\s*\(([^(){};]*)\)[^(){};=]*$")
_MOST = 50  # names of variables or functions that are followed in one file
_HANDED_ON = 8  # times that an argument is, from one macro to another
_DEEPEST = 16  # brackets inside each other in the arguments of a macro


@dataclass
class Block:
    """The text between two braces."""

    start: int
    end: int
    outer: int  # the block around it, -1 for none
    function: tuple[str, str] | None = None  # the function whose body it is, and its parameters


@dataclass
class Source(text.Text):
    """A source that was read, with its directives."""

    language: Language = "C"
    _names: dict[frozenset[str], list[tuple[int, str]]] = field(default_factory=dict)
    _macro_calls: dict[frozenset[str], list[tuple[str, int, list[str]]]] = field(
        default_factory=dict
    )
    _divisions: dict[frozenset[str], list[tuple[int, str]]] = field(default_factory=dict)

    @cached_property
    def directives(self) -> list[Directive]:
        """The preprocessor's directives."""
        return preprocessor.directives(self)

    @cached_property
    def _starts(self) -> list[int]:
        return [line.start for line in self.directives]

    def directive(self, position: int) -> Directive | None:
        """Return the directive in which a position lies."""
        index = bisect_right(self._starts, position) - 1
        line = self.directives[index] if index >= 0 else None
        return line if line is not None and position < line.end else None

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks, in the order in which they open."""
        found: list[Block] = []
        open_: list[int] = []
        for match in re.finditer("[{}]", self.code):
            if match[0] == "{":
                found.append(Block(match.start(), len(self.code), open_[-1] if open_ else -1))
                open_.append(len(found) - 1)
            elif open_:
                found[open_.pop()].end = match.start()
        return found

    @cached_property
    def opens(self) -> list[int]:
        """Where the blocks begin."""
        return [block.start for block in self.blocks]

    def around(self, position: int) -> Iterator[Block]:
        """Yield the blocks around a position, the innermost first; very deep ones are left out."""
        index = bisect_right(self.opens, position) - 1
        for _ in range(64):
            if index < 0:
                return
            block = self.blocks[index]
            if position < block.end:
                yield block
            index = block.outer

    def before(self, position: int, length: int = 200) -> str:
        """Return the code before a position."""
        return self.code[max(0, position - length) : position].rstrip(" \t\n\\")

    def names(self, members: frozenset[str]) -> list[tuple[int, str]]:
        """Return what may be names of cuDNN's, or of members of structs, and where they begin."""
        if members not in self._names:
            found = _candidates(members).finditer(self.code)
            self._names[members] = [(match.start(), match[0]) for match in found]
        return self._names[members]

    def calls(self, macros: frozenset[str]) -> list[tuple[str, int, list[str]]]:
        """Return calls of macros, with where they begin and their arguments."""
        if macros not in self._macro_calls:
            self._macro_calls[macros] = [*_calls(self.code, macros)] if macros else []
        return self._macro_calls[macros]

    def divisions(self, functions: frozenset[str]) -> list[tuple[int, str]]:
        """Return where a version is taken apart by the formula of releases before 9.0.

        Args:
            functions: of the program, which return the version.
        """
        if functions not in self._divisions:
            self._divisions[functions] = [*_divisions(self.code, functions)]
        return self._divisions[functions]

    def after(self, position: int) -> str:
        """Return the code after a position."""
        return self.code[position : position + 200].lstrip(" \t\n\\")


def read(path: str, source: bytes, language: Language) -> Source:
    """Read one file."""
    plain = text.of_c(path, source)
    return Source(path, plain.source, plain.code, plain.strings, language)


@dataclass(frozen=True)
class Paste:
    """A function-like macro that puts a name together."""

    macro: str
    parts: tuple[str | int, ...]  # of the name; a number is the parameter that stands there
    place: str
    origin: Paste | None = None  # the one that pastes, where this one hands arguments on to it

    def name(self, arguments: Sequence[str]) -> str:
        """Return the name that a call makes; "" if it has too few arguments."""
        if max(part for part in self.parts if isinstance(part, int)) >= len(arguments):
            return ""
        return "".join(arguments[p] if isinstance(p, int) else p for p in self.parts)

    def handed(self, macro: str, parameters: Sequence[str], arguments: Sequence[str]) -> Paste:
        """Return this one as a call in `macro` makes it; it may have no parameter left."""
        parts = (arguments[p] if isinstance(p, int) else p for p in self.parts)
        placed = tuple(_parameter(part, parameters) for part in parts)
        return Paste(macro, placed, self.place, self.origin or self)


class Project:
    """Facts that the files of a scan share."""

    def __init__(self) -> None:
        self.includes: dict[str, list[str]] = {}  # file -> what it includes, as written
        self._definitions: dict[str, set[Definition]] = defaultdict(set)
        self._directives: list[list[Directive]] = []  # of files that define macros in conditions
        self._known: dict[int, Macros] = {}
        self._targets: dict[tuple[str, str], list[str]] = {}  # what an include in a file may mean
        self.loaders: set[str] = set()  # functions that look up a symbol by their argument
        self.versions: set[str] = set()  # functions that return the library's version
        self.own: set[tuple[str, str]] = set()  # a namespace, and a name that it declares itself
        self.own_headers: set[tuple[str, str]] = set()  # a file, and an include of the program's
        self.declared: set[str] = set()  # names like cuDNN's that some file declares, anywhere
        self.shims: frozenset[str] = frozenset()  # names of cuDNN's that its headers define
        self.pastes: list[Paste] = []
        self.resolved: set[Paste] = set()
        self._callers: list[tuple[str, Definition]] = []  # macros with parameters

    def copied(self) -> Project:
        """Return a copy, to which a scan adds what it finds."""
        self.by_macro  # noqa: B018 - found once for all copies
        made = copy(self)
        made.includes = {path: list(included) for path, included in self.includes.items()}
        made._known, made.resolved, made.own = {}, set(self.resolved), set(self.own)
        made.own_headers = set(self.own_headers)
        return made

    def pass_over(self, path: str, source: bytes) -> None:
        """Learn what a file without any name of cuDNN's includes."""
        found = [match.decode(errors="replace") for match in _INCLUDES.findall(source)]
        if found:
            self.includes[path] = found

    def learn(self, source: Source) -> None:
        """Collect what a source includes and defines."""
        self.includes[source.path] = []
        kinds = {line.name for line in source.directives}
        if "define" in kinds and kinds & {"if", "ifdef", "ifndef"}:
            self._directives.append(source.directives)
        for line in source.directives:
            if line.name == "define" and (made := preprocessor.definition(line.argument)):
                self._define(source, line, *made)
        for match in _LOOKUP_CALL.finditer(source.code):
            self._loader(source, match)
        asks = any(name in source.code for name in VERSION_NUMBERS)
        for match in re.finditer(_VERSION, source.code) if asks else ():
            before = source.before(match.start())
            if re.search(r"\breturn\b[^;{}]*$", before):
                self.versions |= {name for name, _ in _functions(source, match.start())}
        for match in _KEPT_VERSION.finditer(source.code) if asks else ():
            around = {name for name, _ in _functions(source, match.end())}
            returned = re.compile(rf"\breturn\s+{re.escape(match[1])}\s*;")
            if around and (later := returned.search(source.code, match.end(), match.end() + 1_000)):
                self.versions |= around & {name for name, _ in _functions(source, later.start())}

    def _define(self, source: Source, line: Directive, name: str, made: Definition) -> None:
        if preprocessor.asks_version(made):
            self._definitions[name].add(made)
        if not made.parameters:
            return
        self._callers.append((name, made))
        body = source.source[line.start : line.end]
        pasted = [(m.start(), re.split(r"\s*##\s*", m[0])) for m in _PASTED.finditer(body)]
        spelled = [(m.start(), [m[1], m[2]]) for m in _SPELLED.finditer(body)]
        for start, words in (*pasted, *spelled):
            parts = tuple(_parameter(word, made.parameters) for word in words)
            if any(isinstance(part, int) for part in parts):
                at = bisect_right(source.lines, line.start + start)
                self.pastes.append(Paste(name, parts, f"{source.path}:{at}"))

    def _loader(self, source: Source, call: re.Match[str]) -> None:
        """Learn which functions hand their parameter on to dlsym: they are loaders too."""
        arguments = source.code[call.end() : call.end() + 200]
        words = set(re.findall(r"\w+", arguments.partition(";")[0]))
        for name, parameters in _functions(source, call.start()):
            last = {last_word(each.partition("=")[0]) for each in parameters.split(",")}
            if last & words - {""}:
                self.loaders.add(name)

    def has(self, path: str, name: str) -> bool:
        """Return whether an include in quotes means a file of the program, and note that."""
        if (path, name) not in self.own_headers:
            folder, tail = posixpath.split(name)
            inside = folder.lstrip("./") and any(
                f"/{other}".endswith(f"/{folder.lstrip('./')}/{tail}") for other in self.includes
            )
            if not inside and not Path(path).parent.joinpath(name).is_file():
                return False
            self.own_headers.add((path, name))
        return True

    def makes(self, name: str) -> bool:
        """Return whether the program declares a name, or may put it together by a macro."""
        if name in self.declared:
            return True
        return any(
            name.startswith(str(first) if isinstance(first := paste.parts[0], str) else "")
            and name.endswith(str(last) if isinstance(last := paste.parts[-1], str) else "")
            and not (isinstance(first, int) and isinstance(last, int))
            for paste in self.pastes
        )

    @cached_property
    def _own(self) -> dict[str, Definition]:
        """Macros about the version that mean one thing in all files."""
        return {name: next(iter(d)) for name, d in self._definitions.items() if len(d) == 1}

    @cached_property
    def by_macro(self) -> dict[str, list[Paste]]:
        """The macros that put names together, and those that hand their arguments on to one."""
        found: dict[str, list[Paste]] = defaultdict(list)
        for paste in self.pastes:
            found[paste.macro].append(paste)
        fresh = set(found)
        for _ in range(_HANDED_ON):
            called, fresh = fresh, set()
            for name, made in self._callers:
                if name in found:
                    continue
                handed = {
                    paste.handed(name, made.parameters or (), arguments)
                    for macro, _, arguments in _calls(made.body, called)
                    for paste in found[macro]
                    if paste.name(arguments)
                }
                if kept := [p for p in handed if any(isinstance(part, int) for part in p.parts)]:
                    found[name] = kept
                    fresh.add(name)
        return dict(found)

    def known(self, macros: Macros) -> Macros:
        """Return the macros of a release with those of the program; all files must be learnt."""
        if id(macros) not in self._known:
            made = preprocessor.with_flags(self._directives, replace(macros, own=self._own))
            self._known[id(macros)] = made
        return self._known[id(macros)]

    def headers(self, wanted: frozenset[str]) -> dict[str, set[str]]:
        """For each file, cuDNN's headers that it reaches."""
        ends: dict[str, list[str]] = defaultdict(list)
        for path in self.includes:
            ends[_file_of(path)].append(path)
        reached: dict[str, set[str]] = {path: set() for path in self.includes}
        includers: dict[str, set[str]] = defaultdict(set)
        for path, included in self.includes.items():
            for name in included:
                base = _file_of(name)
                if base in wanted and (path, name) not in self.own_headers:
                    reached[path].add(base)
                    continue
                if (targets := self._targets.get((path, name))) is None:
                    targets = self._targets[path, name] = _resolved(path, name, ends.get(base, ()))
                for target in targets:
                    includers[target].add(path)
        changed = [path for path, found in reached.items() if found]
        while changed:
            path = changed.pop()
            for includer in includers[path]:
                if not reached[path] <= reached[includer]:
                    reached[includer] |= reached[path]
                    changed.append(includer)
        return reached

    def warnings(self, wanted: Wanted) -> Iterator[str]:
        """Yield what was put together by a macro and could not be followed."""
        counts: dict[tuple[str, str], int] = {}
        for paste in sorted(set(self.pastes) - self.resolved, key=lambda paste: paste.place):
            first, last = paste.parts[0], paste.parts[-1]
            if not isinstance(first, str) or not first.startswith(("cudnn", "CUDNN")):
                continue  # which may have nothing to do with cuDNN
            ends = first, last if isinstance(last, str) else ""
            if ends not in counts:
                names = [n for n in wanted.names if n.startswith(ends[0]) and n.endswith(ends[1])]
                counts[ends] = len(names)
            if counts[ends]:
                yield (
                    f"{paste.place}: {paste.macro} pastes names that begin with {first}: "
                    f"which of cuDNN's {counts[ends]} cannot be seen, so none is counted"
                )


@cache
def _file_of(path: str) -> str:
    return posixpath.basename(path)


def _resolved(path: str, name: str, known: list[str] | tuple[str, ...]) -> list[str]:
    """Return the files that an include may mean: the one beside it, else all whose path ends so."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    if beside in known:
        return [beside]
    tail = "/" + "/".join(part for part in name.split("/") if part not in (".", ".."))
    return [other for other in known if f"/{other}".endswith(tail)]


def _parameter(word: str, parameters: Sequence[str]) -> str | int:
    """Return the index of a parameter; a word that is none as it is."""
    word = "..." if word == "__VA_ARGS__" else word
    return parameters.index(word) if word in parameters else word


def _calls(code: str, names: Container[str]) -> Iterator[tuple[str, int, list[str]]]:
    """Yield calls of macros, with where they begin and their arguments."""
    for match in _CALL.finditer(code):
        if match[1] in names and (arguments := _arguments(code, match.end())) is not None:
            yield match[1], match.start(), arguments


def _arguments(code: str, start: int) -> list[str] | None:
    """Return the arguments of a call as text; None if its end is not found."""
    found, depth = [], 0
    for match in _BRACKETS.finditer(code, start, start + 4_000):
        if match[0] in "({":
            depth += 1
            if depth > _DEEPEST:
                return None
        elif match[0] == "," and not depth:
            found.append(code[start : match.start()].strip(" \t\n\\"))
            start = match.end()
        elif match[0] in ")}":
            if not depth:
                return [*found, code[start : match.start()].strip(" \t\n\\")]
            depth -= 1
    return None


def _functions(source: Source, position: int) -> Iterator[tuple[str, str]]:
    """Yield the functions around a position, with their parameters."""
    for block in source.around(position):
        if block.function is None:
            match = _HEAD.search(source.before(block.start, 160))
            name = (match[1] or match[2] or "") if match else ""
            control = name in ("", "if", "for", "while", "switch", "catch")
            block.function = ("", "") if match is None or control else (name, match[3])
        if block.function[0]:
            yield block.function


def _divisions(code: str, functions: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield each place where a version is divided by 1000 or made with it, with its text."""
    if not any(name in code for name in (*VERSION_NUMBERS, "CUDNN_MAJOR", *functions)):
        return
    if re.search(r"[/%*]\s*10000\b", code):
        return  # it knows that there are two ways
    names = [_VERSION, *(rf"\b{re.escape(name)}\s*\(\s*\)" for name in sorted(functions)[:_MOST])]
    keeps = re.finditer(_KEPT.format("|".join(names)), code)
    kept = {match[1] for match in keeps} - {"if", "while", "return", "switch"}
    names += [rf"\b{re.escape(name)}\b" for name in sorted(kept)[:_MOST]]
    fresh = re.compile(_KEPT.format("|".join(names)))
    taken = rf"(?:{'|'.join(names)})[\s)]{{0,20}}[/%]\s*\(?\s*1000\b"
    made = (
        r"\bCUDNN_MAJOR\s*\)?\s*\*\s*1000\b"
        r"|\bCUDNN_VERSION\b[^;\n]{0,60}[<>=]=?[^;\n]{0,60}\*\s*1000\b"
    )
    for pattern in (taken, made):
        for match in re.finditer(pattern, code):
            name = _FIRST.match(match[0])
            if name is None or name[0] not in kept or _kept_at(code, match.start(), name[0], fresh):
                yield match.start(), " ".join(match[0].split())


_FIRST = re.compile(r"\w+")


def _kept_at(code: str, position: int, name: str, fresh: re.Pattern[str]) -> bool:
    """Return whether a variable was given the version last, and nothing else after that."""
    given = re.compile(rf"\b{re.escape(name)}\s*=(?!=)|&\s*{re.escape(name)}\b")
    last = next(reversed([*given.finditer(code, 0, position)]), None)
    return last is None or (
        (match := fresh.match(code, last.start())) is not None and match[1] == name
    )


@cache
def _candidates(members: frozenset[str]) -> re.Pattern[str]:
    names = "|".join(["(?:cudnn|CUDNN)\\w*", *map(re.escape, sorted(members))])
    return re.compile(rf"\b(?:{names})\b")
