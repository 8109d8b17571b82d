"""Inserts the figures of records into the documents: `nox -s figures`.

    python -m scripts.figures [--check] [--strict]

A figure in a document is the text between two comments, which are invisible when rendered. The
first one has the template:

    takes <!--{gpu_plans.small.plan / gpu_plans.small.c:.2f}-->0.32<!--/--> of the time

A template may be longer than a line, so a table is one; it then begins and ends with a line break.
In braces is a figure, and after the colon its format, as in Python. A figure is a number of a
record of benchmarks/results (see benchmarks/records.py), as NAME.KEY.KEY; or the quotient of two,
or of one and a number. With `*` as a key, a figure is of several numbers, and `min`, `max`,
`median`, `count`, or `mean` (the geometric one) before it makes one of them:
{max gpu_torch_networks.*.ratio:.2f}. Quotients are those of the keys for `*` that both have.
{NAME@machine} and {NAME@date} are those of the record.

With --check nothing is written, and the exit status is 1 if a document, or the picture
docs/speed.svg, is not what the records give. --strict lists records that are older than the last
change of the files that they measured; their age is no error otherwise.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

from benchmarks import picture, records

Records = Mapping[str, Mapping[str, Any]]

#: A comment with a template, and the text that it stands for.
_FIGURE = re.compile(r"<!--((?:(?!-->).)*)-->((?:(?!<!--).)*)<!--/-->", re.S)
_END = "<!--/-->"

_REFERENCE = r"[a-z0-9_]+(?:\.(?:[a-z0-9_]+|\*))+"
_FIELD = re.compile(r"(?P<name>[a-z0-9_]+)@(?P<field>machine|date)")
_PLACEHOLDER = re.compile(
    rf"(?:(?P<function>[a-z]+) )?(?P<above>{_REFERENCE})"
    rf"(?: / (?:(?P<number>[0-9.]+)|(?P<below>{_REFERENCE})))?:(?P<format>[^:]*)"
)

FUNCTIONS: dict[str, Callable[[list[float]], float]] = {
    "min": min, "max": max, "median": statistics.median, "count": len,
    "mean": statistics.geometric_mean,
}  # fmt: skip


class FigureError(ValueError):
    """A template is wrong, or names what no record has."""


def numbers(reference: str, known: Records) -> dict[tuple[str, ...], float]:
    """Return the numbers that a reference names, by the keys that its `*` stand for.

    Raises:
        FigureError: no record, or no number of it, has that name.
    """
    name, *keys = reference.split(".")
    if name not in known:
        raise FigureError(
            f"{reference}: expected a record in benchmarks/results, found no {name}.json"
        )
    found: list[tuple[tuple[str, ...], Any]] = [((), known[name]["values"])]
    for key in keys:
        inside = [(stars, each) for stars, each in found if isinstance(each, Mapping)]
        if key == "*":
            found = [((*stars, one), each[one]) for stars, each in inside for one in each]
        else:
            found = [(stars, each[key]) for stars, each in inside if key in each]
        if not found:
            there = sorted({one for _, each in inside for one in each})
            raise FigureError(
                f"{reference}: expected a key of {name}.json, found no {key!r} "
                f"beside {', '.join(there) or 'a number'}"
            )
    if wrong := [stars for stars, each in found if isinstance(each, Mapping)]:
        raise FigureError(f"{reference}: expected a number, found an object {'.'.join(wrong[0])}")
    return dict(found)


def figure(placeholder: str, known: Records) -> str:
    """Return the text of a figure, such as "gpu_plans.small.c:.2f".

    Raises:
        FigureError: it is not of the form that this module describes, or no record has it.
    """
    if (field := _FIELD.fullmatch(placeholder)) and field["name"] in known:
        return str(known[field["name"]][field["field"]])
    match = _PLACEHOLDER.fullmatch(placeholder)
    if match is None:
        raise FigureError(f"{{{placeholder}}}: expected {{RECORD.KEY:FORMAT}}")
    values = numbers(match["above"], known)
    if match["number"]:
        values = {stars: each / float(match["number"]) for stars, each in values.items()}
    elif match["below"]:
        below = numbers(match["below"], known)
        both = values.keys() & below.keys()
        if not both:
            raise FigureError(f"{{{placeholder}}}: expected a key for * on both sides, found none")
        values = {stars: values[stars] / below[stars] for stars in values if stars in both}
    if match["function"]:
        if match["function"] not in FUNCTIONS:
            known_words = ", ".join(FUNCTIONS)
            raise FigureError(f"{{{placeholder}}}: expected one of {known_words}")
        value = FUNCTIONS[match["function"]](list(values.values()))
    elif len(values) != 1:
        raise FigureError(f"{{{placeholder}}}: expected one number, found {len(values)}")
    else:
        (value,) = values.values()
    try:
        return format(float(value), match["format"])
    except ValueError as error:
        raise FigureError(f"{{{placeholder}}}: {error}") from None


def filled(template: str, known: Records) -> str:
    """Return a template with its figures.

    Raises:
        FigureError: a figure is wrong, or the template has none.
    """
    text, count = re.subn(r"\{(.*?)\}", lambda each: figure(each[1], known), template)
    if not count:
        raise FigureError(f"expected a figure in braces, found {template.strip()!r}")
    return text


def inserted(text: str, known: Records) -> tuple[str, list[str]]:
    """Return a document with its figures, and what is wrong or was not as in the records.

    Each message begins with the line of the document.
    """
    said: list[str] = []

    def insert(match: re.Match[str]) -> str:
        template, shown = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        begins = match.start() == 0 or text[match.start() - 1] == "\n"
        if begins != template.startswith("\n") or begins != template.endswith("\n"):
            said.append(
                f"{line}: expected a comment inside a line, or a template of whole lines: "
                "a line that begins with a comment is not read as Markdown"
            )
            return match[0]
        try:
            new = filled(template, known)
        except FigureError as error:
            said.append(f"{line}: {error}")
            return match[0]
        line += template.count("\n")
        pairs = zip_longest(new.split("\n"), shown.split("\n"), fillvalue="")
        said.extend(
            f"{line + place}: expected {one!r}, found {other!r}; `nox -s figures` inserts it"
            for place, (one, other) in enumerate(pairs)
            if one != other
        )
        return f"<!--{template}-->{new}{_END}"

    made = _FIGURE.sub(insert, text)
    rest = _FIGURE.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in re.finditer(rf"{_END}|<!--[^>]*\{{{_REFERENCE}", rest):
        line = rest.count("\n", 0, match.start()) + 1
        said.append(f"{line}: expected a template before and {_END} after a figure")
    return made, said


def documents(root: Path) -> Iterator[Path]:
    """Yield the documents that may have figures."""
    yield root / "README.md"
    yield from sorted((root / "docs").rglob("*.md"))


def old(known: Records) -> Iterator[str]:
    """Yield what is said of each record that is older than a change of its subject."""
    for name, record in known.items():
        later = records.git(
            "log", "--format=%h", f"{record['commit']}..HEAD", "--", *record["subject"]
        )
        if later is None:
            yield f"{name}.json: expected a commit of this repository, found {record['commit']}"
        elif later:
            repeat = record["command"] or "no command is known"
            yield (
                f"{name}.json: expected no change of {', '.join(record['subject'])} after "
                f"{record['commit'][:8]}, found {len(later.split())}; to repeat it: {repeat}"
            )


def main(arguments: list[str] | None = None, root: Path = records.ROOT) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    parser.add_argument("--strict", action="store_true", help="report records that are old")
    chosen = parser.parse_args(arguments)
    known, problems = {}, []
    for path in sorted((root / "benchmarks" / "results").glob("*.json")):
        try:
            known[path.stem] = records.load(path)
        except records.RecordError as error:
            problems += str(error).splitlines()
    if problems:
        print("\n".join(problems))
        return 1
    made: dict[Path, str] = {}
    for path in documents(root):
        text = path.read_text(encoding="utf-8")
        new, said = inserted(text, known)
        if not chosen.check:
            said = inserted(new, known)[1]
        problems += [f"{path.relative_to(root)}:{each}" for each in said]
        if new != text:
            made[path] = new
    if "gpu_plans" in known:
        drawing = root / "docs" / "speed.svg"
        drawn = picture.svg(known["gpu_plans"]["values"])
        if not drawing.exists() or drawing.read_text(encoding="utf-8") != drawn:
            made[drawing] = drawn
            if chosen.check:
                problems.append("docs/speed.svg: expected the picture of gpu_plans.json")
    if not chosen.check:
        for path, new in made.items():
            path.write_text(new, encoding="utf-8")
            print(f"wrote {path.relative_to(root)}")
    if chosen.strict:
        problems += old(known)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
