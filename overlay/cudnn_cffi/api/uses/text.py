"""Sources without their comments and strings: what is left has every character where it was."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property

_C = re.compile(
    r"//(?:\\[ \t]*\n|[^\n])*+"
    r"|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?"
    r'|(?P<raw>\b(?:u8|[uUL])?R|(?<!\w)R)"(?P<tag>[^ ()\\\t\n"]{0,16})\('
    r'|(?:\b(?:u8|[uUL]))?"(?P<text>(?:\\(?:.|\n)|[^"\\\n])*+)"?'
    r"|\b\d(?:'?[\w.])*+"  # a number: its ' opens nothing
    r"|'(?:\\.|[^'\\\n])*+'?"
)
_PYTHON = re.compile(
    r"#[^\n]*+"
    r"|(?P<quote>\"\"\"|''')(?P<long>(?:\\(?:.|\n)|(?!(?P=quote))[^\\])*+)(?:(?P=quote))?"
    r'|"(?P<text>(?:\\(?:.|\n)|[^"\\\n])*+)"?'
    r"|'(?P<other>(?:\\(?:.|\n)|[^'\\\n])*+)'?"
)

#: The words of Cython before the name of a header whose declarations follow.
EXTERN = re.compile(r"\bextern\s+from\s*$")


@dataclass(frozen=True)
class String:
    """A literal."""

    value: str  # as it is written
    start: int  # of the value
    quote: int  # where the literal starts
    end: int  # after the literal


@dataclass
class Text:
    """A source that was read."""

    path: str
    source: str
    code: str = ""  # the source with blanks for comments and for what is in strings
    strings: tuple[String, ...] = ()

    @cached_property
    def lines(self) -> list[int]:
        """Where the lines begin."""
        return [0, *(match.end() for match in re.finditer("\n", self.source))]


def decoded(source: bytes) -> str:
    """Return a source as text with plain line ends; bytes that are no UTF-8 are one character."""
    text = source.decode("utf-8-sig", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def of_c(path: str, source: bytes) -> Text:
    """Read C, C++ or CUDA."""
    text = decoded(source)
    parts: list[str] = []
    strings: list[String] = []
    endless: set[str] = set()  # raw strings that nothing closes any more
    position = 0
    while match := _C.search(text, position):
        start, end = match.span()
        if match["raw"] is not None:
            close = f'){match["tag"]}"'
            lost = close in endless or len(endless) > 99
            until = -1 if lost else text.find(close, end)
            if until < 0:  # then it is a name and a string
                endless.add(close)
                parts.append(text[position : match.end("raw")])
                position = match.end("raw")
                continue
            value, end = text[match.end() : until], until + len(close)
            strings.append(String(value, match.end(), start, end))
            parts += [text[position:start], '"', _blank(text[start + 1 : end - 1]), '"']
        elif match["text"] is not None:
            opened, closed = match.start("text"), match.end("text")
            strings.append(String(match["text"], opened, start, end))
            parts += [text[position:opened], _blank(match["text"]), text[closed:end]]
        elif text[start].isdigit():
            parts.append(text[position:end])
        else:
            parts += [text[position:start], _blank(text[start:end])]
        position = end
    parts.append(text[position:])
    return Text(path, text, "".join(parts), tuple(strings))


def of_python(path: str, source: bytes) -> Text:
    """Read Python or Cython, without understanding it."""
    text = decoded(source)
    parts: list[str] = []
    strings: list[String] = []
    position = 0
    for match in _PYTHON.finditer(text):
        group = next((name for name in ("text", "other", "long") if match[name] is not None), None)
        if group is None:
            parts += [text[position : match.start()], _blank(match[0])]
        else:
            opened, closed = match.span(group)
            strings.append(String(match[group], opened, match.start(), match.end()))
            parts += [text[position:opened], _blank(match[group]), text[closed : match.end()]]
        position = match.end()
    parts.append(text[position:])
    return Text(path, text, "".join(parts), tuple(strings))


_WORD = string.ascii_letters + string.digits + "_"


def last_word(code: str) -> str:
    """Return the word that some code ends with, "" if it ends with something else."""
    code = code.rstrip()
    word = code[len(code.rstrip(_WORD)) :]
    return "" if word[:1].isdigit() else word


_MAGIC = re.compile(r"(?m)^([ \t]*)(?:[%!?].*|\w+[ \t]*=[ \t]*[%!].*|\w.*\?)$")


def of_notebook(source: bytes) -> tuple[str, list[int]]:
    """Return the Python of a notebook's cells, and the line of the file for each of its lines."""
    text = decoded(source)
    code: list[str] = []
    for cell in json.loads(text)["cells"]:
        written = "".join(cell["source"]) if cell["cell_type"] == "code" else ""
        other = written.lstrip().startswith("%%")  # of another language, most likely
        code += ["" if other else _MAGIC.sub(r"\1pass", line) for line in written.split("\n")]
    lines, position, line = [], 0, 1
    for each in code:
        spelled = (json.dumps(each, ensure_ascii=ascii_)[1:-1] for ascii_ in (True, False))
        found = [at for one in spelled if one and (at := text.find(one, position)) >= 0]
        if found:
            line += text.count("\n", position, min(found))
            position = min(found)
        lines.append(line)
    return "\n".join(code), lines


_VISIBLE = re.compile(r"[^\n\\]|\\(?!\n)")


def _blank(text: str) -> str:
    """Blanks in the place of text; what makes a line go on stays."""
    return _VISIBLE.sub(" ", text)


def extern_blocks(read: Text, headers: Container[str]) -> list[range]:
    """Return where a Cython file declares what it says is in one of some headers."""
    found = []
    for header in read.strings:
        before = read.code[: header.quote]
        if header.value.rpartition("/")[2] not in headers or not EXTERN.search(before):
            continue
        begin = before.rfind("\n") + 1
        margin = re.match(r"[ \t]*", read.code[begin:])
        deeper = re.escape(margin[0] if margin else "")
        body = re.compile(rf"[^\n]*\n(?:{deeper}[ \t]+\S[^\n]*\n?|[ \t]*\n)*")
        if block := body.match(read.code, begin):
            found.append(range(header.end, block.end()))
    return found
