"""The record of a mutation, and the headers with all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from generator.headers.records import HeaderSet

#: A person adds the lines of the generator's message to facts.toml: below [confirmed], or below
#: [parameters].
CONFIRMED, STATED = "confirmed", "parameters"

#: The release of the mutated headers.
VERSION = "9.99.0"


class Mutation(NamedTuple):
    """A change of the newest release's headers, and what is to become of it.

    `found` is by default "func-added NAME", if C is added that is not left out.
    """

    id: str
    add: str = ""  # C at the end of `header`
    #: Patterns with what takes the place of what they match; each matches once, in one header.
    edit: tuple[tuple[str, str], ...] = ()
    header: str = "cudnn_ops.h"
    name: str = ""  # by default that of the first function in `add`
    roles: str | None = None  # of the function's parameters
    facts: str = ""  # CONFIRMED or STATED
    named: str = ""  # the beginning of a remark, where something is left out or an address
    body: str | None = None  # of the function in the stub library
    also: str = ""  # other C in the stub library
    call: str = ""  # an expression in the namespace of the package
    gives: object = None  # its value
    found: frozenset[str] | set[str] | None = None  # "rule name" of each finding of the diff
    program: str = ""  # C, or Python, that depends on it; by default C that uses the name

    @property
    def subject(self) -> str:
        """The name that programs depend on."""
        declared = re.search(r"(cudnn\w+) ?\(", self.add)
        return self.name or (declared[1] if declared else "")

    @property
    def findings(self) -> frozenset[str]:
        """The findings of the diff."""
        if self.found is not None:
            return frozenset(self.found)
        return frozenset({f"func-added {self.subject}"})

    @property
    def source(self) -> tuple[str, str]:
        """A program that depends on it and on no other, after the ending of its file's name."""
        if self.program.startswith("import"):
            return "py", self.program
        use = self.program or f"int use(void) {{ return sizeof({self.subject}); }}"
        return "c", f"#include <cudnn.h>\n{use}\n"


def mutated(newest: HeaderSet, mutations: Iterable[Mutation]) -> HeaderSet:
    """Return the headers of the newest release with mutations, as those of a next release."""
    files = {name: data.decode() for name, data in newest.files.items()}
    major, minor, patch = newest.version.split(".")
    for name, text in files.items():
        for part, old, new in (("MINOR", minor, "99"), ("PATCH(?:LEVEL)?", patch, "0")):
            text = re.sub(rf"(#define CUDNN_(?:[A-Z]+_)?{part}) {old}\b", rf"\1 {new}", text)
        files[name] = text
    for mutation in mutations:
        if mutation.add:
            text = files.get(mutation.header, "")
            head, end, tail = text.rpartition("#if defined(__cplusplus)")  # of the last brace
            files[mutation.header] = f"{head}{mutation.add}\n{end}{tail}"
        for pattern, new in mutation.edit:
            counts = {name: len(re.findall(pattern, text)) for name, text in files.items()}
            assert sum(counts.values()) == 1, f"{mutation.id}: {pattern!r} matches {counts}"
            where = next(name for name, count in counts.items() if count)
            files[where] = re.sub(pattern, new, files[where])
    encoded = {name: text.encode() for name, text in sorted(files.items())}
    assert major == "9"
    return HeaderSet(version=VERSION, build=VERSION, files=encoded, origin="mutations")
