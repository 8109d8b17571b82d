"""Find sentences in docstrings, comments, messages and pages that are not plain English.

    python -m scripts.english [PATH ...]

Prints FILE:LINE and the sentence, and exits with 1 if there are any. A sentence names its subject:
it does not begin with a word such as "Those" that has none, and has no word that says something
else than is meant. Headings and code in pages are left out.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

from scripts.checks import OURS as PYTHON
from scripts.pages import ROOT

#: Folders and files whose text is checked.
OURS = (
    *PYTHON, "native", "templates", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md",
)  # fmt: skip

#: Beginnings of sentences without a subject.
_BEGINNINGS = (
    r"(?:What|Whatever|Who|Whoever|Whose|Which|How|Why|Those|Such|Theirs|Others|"
    r"So many|So much|As many|As much|The most|The least|From how|Of|Nor|Not|Else|But|"
    r"That (?:of|one|the|has))\b"
)
_HEADLESS = re.compile(_BEGINNINGS)

#: Words that say something else than is meant.
_WORDS = re.compile(r"\b(?:came|behind)\b", re.I)

# Reading a file takes long: most have none of the words, wherever their lines and strings end.
_GAP = r"\W+(?:f\W+)?"
_SUSPECT = re.compile(rf"(?:\b|\\[nt]){_BEGINNINGS.replace(' ', _GAP)}|(?i:{_WORDS.pattern})")


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence of a text, and the number of its line from 0."""
    begin = 0
    for found in [*re.finditer(r"(?<=[.!?])\s+|\n\s*\n", text), None]:
        end = found.start() if found else len(text)
        part = text[begin:end]
        offset = len(part) - len(part.lstrip())
        yield text.count("\n", 0, begin + offset), " ".join(part.split())
        begin = found.end() if found else end


def is_plain(sentence: str) -> bool:
    """Return whether a sentence has none of the patterns."""
    plain = re.sub(r"`[^`]*`|^\w+: ", "", sentence)  # without code, and the name of an argument
    return plain.endswith("?") or not (_HEADLESS.match(plain) or _WORDS.search(plain))


def _python(source: str) -> Iterator[tuple[int, str]]:
    """Yield docstrings, blocks of comments and texts of errors, with their first lines."""
    tree = ast.parse(source)
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree):
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            first = node.body[0]
            yield first.lineno, ast.get_docstring(node) or ""
        elif isinstance(node, ast.Raise | ast.JoinedStr):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.lineno, part.value
    block: list[str] = []
    begin = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, text = token.start[0], re.sub(r"^#[:!]?\s?", "", token.string)
        if block and (line != last + 1 or not token.line.lstrip().startswith("#")):
            yield begin, "\n".join(block)
            block = []
        begin = begin if block else line
        block.append(text)
        last = line
    if block:
        yield begin, "\n".join(block)


def _c(source: str) -> Iterator[tuple[int, str]]:
    for found in re.finditer(r"/\*.*?\*/|//[^\n]*", source, re.S):
        text = re.sub(r"^/\*+!?<?|\*/$|^\s*\* ?|^//", "", found[0], flags=re.M)
        yield source.count("\n", 0, found.start()) + 1, text


def _page(source: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs, rows and items of a page."""
    plain = re.sub(r"```.*?```", lambda found: "\n" * found[0].count("\n"), source, flags=re.S)
    plain = re.sub(r"^#.*$", "", plain, flags=re.M)
    begin = 1
    for part in re.split(r"(?m)(^\s*$|^[ ]*[-*] |^[ ]*\d+\. |\|)", plain):
        text = part.strip("-* \t|")
        yield begin + len(part) - len(part.lstrip("\n")), text.strip()
        begin += part.count("\n")


def _template(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a template that begin docstrings and comments of emitted Python."""
    for found in re.finditer(r'^\s*(?:"""|#:? )(\w[^\n]*)', source, re.M):
        yield source.count("\n", 0, found.start(1)) + 1, found[1]


_READERS = {
    ".j2": _template,
    ".py": _python,
    ".pyi": _python,
    ".c": _c,
    ".cc": _c,
    ".h": _c,
    ".cu": _c,
    ".cuh": _c,
    ".md": _page,
}


def faults(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the sentence of each fault of a file."""
    source = path.read_text(encoding="utf-8")
    if not _SUSPECT.search(source):
        return
    for line, text in _READERS[path.suffix](source):
        for below, sentence in sentences(text):
            if not is_plain(sentence):
                yield line + below, sentence


def main() -> int:
    """Print the faults of the files that are named, or of all; return the exit status."""
    listed = subprocess.run(
        ["git", "ls-files", "--", *(sys.argv[1:] or OURS)],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    found = 0
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in _READERS and path.is_file():
            for line, sentence in sorted(set(faults(path))):
                found += 1
                print(f"{name}:{line}: {sentence}")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
