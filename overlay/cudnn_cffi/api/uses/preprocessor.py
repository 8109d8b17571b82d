"""Find the lines of a C source that a compiler never sees, as far as cuDNN's version decides it.

Conditions are evaluated with the numbers of one release. All else that they depend on is unknown:
then both branches are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from ...versions import version_key, version_number

if TYPE_CHECKING:
    from ..model import Api
    from .text import Text

#: The macros by which programs ask for the version.
_VERSION = re.compile(r"CUDNN_(?:VERSION|MAJOR|MINOR|PATCHLEVEL)")
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:\\[ \t]*\n|[^\n])*+)", re.M)
_FILES = re.compile(r"#[ \t]*(?:include|import)|__has_include")
_HAS_INCLUDE = re.compile(r'__has_include\s*\(\s*[<"]([^>"\n]*)[>"]\s*\)')
_DEFINITION = re.compile(r"\s*(\w+)(\(([^()]*)\))?(.*)", re.S)
_TOKEN = re.compile(
    r"(?P<number>0[xX][\da-fA-F']+|0[bB][01']+|\d[\d']*)(?:[uUlLzZ]*)(?![\w.])"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<operator>&&|\|\||[=!<>]=|<<|>>|[-+*/%<>!~&|^?:(),])|(?P<other>\S)"
)
_PRECEDENCE = {
    operator: level
    for level, operators in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"), 1
    )
    for operator in operators.split()
}
_DEEPEST = 40  # parentheses and macros inside each other
_LONGEST = 4_000  # tokens in all, macros expanded
_CHAIN = 4  # conditions on macros that conditions define, and so on

Span = tuple[int, int]


@dataclass(frozen=True)
class Directive:
    """A line that begins with #, with those that continue it."""

    name: str
    argument: str
    start: int
    body: int  # where the argument starts
    end: int


def directives(text: Text) -> list[Directive]:
    """Return the directives of a source, in order; file names in them are not blanked."""
    return [
        Directive(
            match[1],
            (text.source if _FILES.search(match[0]) else text.code)[slice(*match.span(2))],
            match.start(),
            match.start(2),
            match.end(),
        )
        for match in _DIRECTIVE.finditer(text.code)
    ]


@dataclass(frozen=True)
class Definition:
    """A macro of the program's own: its parameters, None for one without, and its expansion."""

    parameters: tuple[str, ...] | None
    body: str


def definition(argument: str) -> tuple[str, Definition] | None:
    """Return the name and the macro that `#define argument` makes."""
    match = _DEFINITION.match(argument)
    if match is None:
        return None
    named = match[3] is not None
    parameters = tuple(name.strip() for name in match[3].split(",")) if named else None
    return match[1], Definition(parameters, match[4].replace("\\\n", " ").strip())


def asks_version(definition: Definition) -> bool:
    """Return whether a macro depends on the version; others may come from the command line."""
    return _VERSION.search(definition.body) is not None


@dataclass(frozen=True)
class Macros:
    """The preprocessor's knowledge when a program is compiled with one release."""

    values: Mapping[str, int]  # cuDNN's own
    absent: frozenset[str]  # cuDNN's in another release, not in this one
    headers: Mapping[str, bool]  # cuDNN's, and whether this release has them
    own: Mapping[str, Definition] = field(default_factory=dict)  # the program's
    unset: frozenset[str] = frozenset()  # the program's, which it defines for other releases only

    def defined(self, name: str) -> bool | None:
        """Return whether a macro is defined; None if that is not known."""
        if name in self.values or name in self.own:
            return True
        return False if name in self.absent or name in self.unset else None


def macros(api: Api, other: Api) -> Macros:
    """Return the macros of `api`; those that only `other` has are known to be missing."""
    values, elsewhere = _values(api), _values(other)
    ours = {header.name for header in api.headers}
    return Macros(
        values=values,
        absent=frozenset(elsewhere.keys() - values.keys()),
        headers={header.name: header.name in ours for header in (*api.headers, *other.headers)},
    )


def _values(api: Api) -> dict[str, int]:
    major, minor, patch = (*version_key(api.release), 0, 0)[:3]
    parts = {"MAJOR": major, "MINOR": minor, "PATCHLEVEL": patch, "PATCH": patch}
    return {
        **{constant.name: int(constant.value) for constant in api.constants},
        **{flag.name: flag.value for flags in api.flags for flag in flags.members},
        **{each.name: parts.get(each.name.rpartition("_")[2], 0) for each in api.versions},
        "CUDNN_MAJOR": major,
        "CUDNN_MINOR": minor,
        "CUDNN_PATCHLEVEL": patch,
        "CUDNN_VERSION": version_number(api.release),
    }


def dead(lines: Iterable[Directive], length: int, macros: Macros) -> list[Span]:
    """Return the spans that conditions switch off for certain."""
    spans: list[Span] = []
    since: int | None = None  # where what is switched off began
    for line, read, follows in _states(lines, macros):
        if since is not None and read is not False:
            spans.append((since, line.start))
            since = None
        if since is None and follows is False:
            since = line.end
    if since is not None:
        spans.append((since, length))
    return spans


def _states(
    lines: Iterable[Directive], macros: Macros
) -> Iterator[tuple[Directive, bool | None, bool | None]]:
    """Each directive, whether a compiler reads it, and whether it reads what follows.

    None stands for what depends on something that is not known.
    """
    open_: list[tuple[bool | None, bool | None]] = []  # what is around, and whether one was taken
    now: bool | None = True
    for line in lines:
        read = now
        if line.name in ("if", "ifdef", "ifndef"):
            known = _truth(line, macros)
            open_.append((now, known))
            now = _both(now, known)
        elif line.name in ("elif", "else", "elifdef", "elifndef") and open_:
            read, taken = open_[-1]
            known = False if taken else _truth(line, macros)
            if known is not False:
                open_[-1] = (read, known)
                known = None if taken is None else known
            now = _both(read, known)
        elif line.name == "endif" and open_:
            read, _ = open_.pop()
            now = read
        yield line, read, now


def _both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def with_flags(files: Iterable[Sequence[Directive]], macros: Macros) -> Macros:
    """Return the macros with those that the program sets for some releases and not for others.

    Each `#define` of these is in a condition that the release decides, and no constant (`#if 0`);
    a guard against being included twice is no condition.
    """
    bodies = [_without_guard(lines) for lines in files]
    nothing = Macros({}, frozenset(), {})
    for _ in range(_CHAIN):
        found: dict[str, list[Definition] | None] = {}
        for lines in bodies:
            pairs = zip(_states(lines, macros), _states(lines, nothing), strict=True)
            for (line, read, _), (_, always, _) in pairs:
                made = definition(line.argument) if line.name in ("define", "undef") else None
                if made is None or made[0] in macros.own:
                    continue
                if line.name == "undef" or read is None or always is not None:
                    found[made[0]] = None
                elif (known := found.setdefault(made[0], [])) is not None and read:
                    known.append(made[1])
        own = {n: d[0] for n, d in found.items() if d and len(set(d)) == 1}
        unset = macros.unset | {name for name, made in found.items() if made == []}
        if not own and unset == macros.unset:
            break
        macros = replace(macros, own={**macros.own, **own}, unset=unset)
    return macros


def _without_guard(lines: Sequence[Directive]) -> Sequence[Directive]:
    """Leave out what is around a whole file and decides nothing in it.

    That is what a file has against being included twice, and conditions that end in
    `#else`, `#error`: where they do not hold, nothing compiles.
    """
    if len(lines) > 1 and (lines[0].name, lines[1].name) == ("ifndef", "define"):
        same = lines[0].argument.split() == lines[1].argument.split()[:1]
        return lines[2:] if same else lines
    while [line.name for line in lines[-3:]] == ["else", "error", "endif"]:
        depths = accumulate(
            (line.name in ("if", "ifdef", "ifndef")) - (line.name == "endif") for line in lines
        )
        if 0 in list(depths)[:-1]:
            break
        lines = lines[1:-3]
    return lines


def _truth(line: Directive, macros: Macros) -> bool | None:
    if line.name == "else":
        return True
    if line.name in ("if", "elif"):
        value = evaluate(line.argument, macros)
        return None if value is None else value != 0
    word = line.argument.split(maxsplit=1)
    known = macros.defined(word[0]) if word else None
    if known is None:
        return None
    return known == (line.name in ("ifdef", "elifdef"))


def evaluate(text: str, macros: Macros) -> int | None:
    """Return the value of a condition; None where something in it is not known."""

    def has(match: re.Match[str]) -> str:
        known = macros.headers.get(match[1].rpartition("/")[2])
        return "unknown" if known is None else str(int(known))

    try:
        return _Evaluator(_tokens(_HAS_INCLUDE.sub(has, text)), macros, _Budget()).whole()
    except _UnknownError:
        return None


class _UnknownError(Exception):
    """It is no expression, or none that is worth the time."""


class _Budget:
    def __init__(self) -> None:
        self.tokens = _LONGEST
        self.depth = 0


def _tokens(text: str) -> list[str]:
    found = []
    for match in _TOKEN.finditer(text.replace("\\\n", " ")):
        if match["other"]:
            raise _UnknownError
        found.append(match["number"] or match["name"] or match["operator"])
    return found


class _Evaluator:
    """Climbs precedences. None is a value that is not known: `0 && x` is 0 all the same."""

    def __init__(self, tokens: Sequence[str], macros: Macros, budget: _Budget) -> None:
        self.tokens = tokens
        self.macros = macros
        self.budget = budget
        self.position = 0
        budget.tokens -= len(tokens)
        if budget.tokens < 0:
            raise _UnknownError

    def whole(self) -> int | None:
        value = self._expression()
        if self._peek():
            raise _UnknownError
        return value

    def _peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def _take(self, expected: str = "") -> str:
        token = self._peek()
        if not token or (expected and token != expected):
            raise _UnknownError
        self.position += 1
        return token

    def _expression(self) -> int | None:
        self.budget.depth += 1
        if self.budget.depth > _DEEPEST:
            raise _UnknownError
        condition = self._binary(1)
        if self._peek() == "?":
            self._take()
            yes = self._expression()
            self._take(":")
            no = self._expression()
            condition = None if condition is None else yes if condition else no
        self.budget.depth -= 1
        return condition

    def _binary(self, level: int) -> int | None:
        left = self._unary()
        while _PRECEDENCE.get(self._peek(), 0) >= level:
            operator = self._take()
            left = _combined(operator, left, self._binary(_PRECEDENCE[operator] + 1))
        return left

    def _unary(self) -> int | None:
        signs = []
        while self._peek() in ("!", "-", "+", "~"):
            signs.append(self._take())
        value = self._primary()
        for sign in reversed(signs):
            if value is not None:
                value = {"!": int(not value), "-": -value, "+": value, "~": ~value}[sign]
        return value

    def _primary(self) -> int | None:
        token = self._take()
        if token == "(":
            value = self._expression()
            self._take(")")
            return value
        if token[0].isdigit():
            return _number(token)
        if not (token[0].isalpha() or token[0] == "_"):
            raise _UnknownError
        if token == "defined":
            bracket = self._peek() == "(" and self._take()
            known = self.macros.defined(self._take())
            if bracket:
                self._take(")")
            return None if known is None else int(known)
        arguments = self._arguments() if self._peek() == "(" else None
        return self._value_of_name(token, arguments)

    def _arguments(self) -> list[list[str]]:
        self._take("(")
        arguments: list[list[str]] = [[]]
        depth = 0
        while (token := self._take()) != ")" or depth:
            depth += (token == "(") - (token == ")")
            if token == "," and not depth:
                arguments.append([])
            else:
                arguments[-1].append(token)
        return arguments

    def _value_of_name(self, name: str, arguments: list[list[str]] | None) -> int | None:
        if name in ("true", "false"):
            return int(name == "true")
        if name in self.macros.unset and arguments is None:
            return 0
        if name in self.macros.own:
            return self._expanded(self.macros.own[name], arguments)
        return self.macros.values.get(name) if arguments is None else None

    def _expanded(self, macro: Definition, arguments: list[list[str]] | None) -> int | None:
        given: dict[str, list[str]] = {}
        if macro.parameters is not None:
            if arguments is None or len(arguments) != len(macro.parameters):
                raise _UnknownError
            given = dict(zip(macro.parameters, arguments, strict=True))
        elif arguments is not None:
            raise _UnknownError
        tokens: list[str] = []
        for token in _tokens(macro.body):
            tokens += given.get(token, [token])
            if len(tokens) > self.budget.tokens:
                raise _UnknownError
        self.budget.depth += 1
        value = _Evaluator(tokens, self.macros, self.budget).whole()
        self.budget.depth -= 1
        return value


def _number(token: str) -> int:
    digits = token.replace("'", "")
    if len(digits) > 80:
        raise _UnknownError
    try:
        octal = digits[0] == "0" and digits.isdigit()
        return int(digits, 8) if octal else int(digits, 0)
    except ValueError as error:
        raise _UnknownError from error


def _combined(operator: str, left: int | None, right: int | None) -> int | None:
    if operator in ("&&", "||"):
        decisive = operator == "||"
        if any(side is not None and bool(side) == decisive for side in (left, right)):
            return int(decisive)
        return None if left is None or right is None else int(not decisive)
    if left is None or right is None:
        return None
    if operator in ("/", "%"):
        if right == 0:
            raise _UnknownError
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - right * quotient
    if operator in ("<<", ">>"):
        if not 0 <= right < 64:
            raise _UnknownError
        return _wrapped(left << right if operator == "<<" else left >> right)
    return _wrapped(_OPERATIONS[operator](left, right))


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}


def _wrapped(value: int) -> int:
    """Return a number as the preprocessor has it, in 64 bits."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)
