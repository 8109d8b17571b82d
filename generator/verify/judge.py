"""Check each release of a tree: compile its claims, compare names, list errors."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from cudnn_cffi.api import model

from .. import GeneratorError
from ..headers import CudaHeaders, HeaderError, HeaderSet
from .assertions import Assertion, EmittedTree, assertions
from .compiler import Compiler, CompilerError
from .declared import Declared, declared

#: Kinds that are counted, in the order of the report.
KINDS = (
    "version",
    "enums",
    "enumerators",
    "constants",
    "records",
    "fields",
    "functions",
    "arguments",
    "macros",
    "attributes",
    "declared",
    "exported",
)


class VerifyError(GeneratorError):
    """Nothing was checked, because something that the check needs is missing."""


@dataclass(frozen=True)
class Wrong:
    """Something emitted that is not as it really is."""

    kind: str
    name: str
    expected: str  # what the tables say
    actual: str  # what the compiler or the library says

    def __str__(self) -> str:
        witness = "library" if self.kind == "exported" else "headers"
        return f"{self.name}: the tables say {self.expected}, the {witness} {self.actual}"


@dataclass
class Verdict:
    """The result for one release."""

    release: model.Release
    counts: Counter[str] = field(default_factory=Counter)  # of things checked, by kind
    checks: int = 0  # a thing may need several
    wrong: list[Wrong] = field(default_factory=list)
    undeclared: tuple[str, ...] = ()  # functions that the library exports and no header declares
    notes: list[str] = field(default_factory=list)


FetchHeaders = Callable[[str], HeaderSet]
FetchSymbols = Callable[[str], frozenset[str]]
Step = Callable[[str], None]


def verify(
    folder: Path,
    versions: Sequence[str],
    headers: FetchHeaders,
    cuda: CudaHeaders,
    symbols: FetchSymbols | None = None,
    step: Step = lambda _: None,
) -> Iterator[Verdict]:
    """Check the releases of the tree at `folder`, in the order of the tree.

    Args:
        folder: the generated tree.
        versions: which releases of it; all where empty.
        headers: gives the headers of a release.
        cuda: what those include.
        symbols: gives what the library of a release exports; None to leave libraries out.
        step: told what is being done.

    Raises:
        VerifyError: there is no such release in the tree, or no compiler that works.
    """
    tree = EmittedTree(folder)
    chosen = _chosen(tree.store.releases(), versions, folder)
    try:
        compiler = Compiler.find()
    except CompilerError as error:
        raise VerifyError(str(error)) from error
    with tempfile.TemporaryDirectory(prefix="cudnn-cffi-verify-") as text:
        work = Path(text).resolve()
        _write(work / "cuda", cuda.files)
        judges = [
            _Judge(tree, release, compiler, work, headers, symbols, step) for release in chosen
        ]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            yield from pool.map(_Judge.verdict, judges)


def _chosen(
    releases: Sequence[model.Release], versions: Sequence[str], folder: Path
) -> list[model.Release]:
    known = {release.version: release for release in releases}
    missing = [version for version in versions if version not in known]
    if missing or not known:
        there = ", ".join(list(known)[-5:]) or "none"
        raise VerifyError(
            f"{folder}: expected {', '.join(missing) or 'releases'} there, but the tree has "
            f"{len(known)} releases, {there} the newest; generate it first"
        )
    return [release for version, release in known.items() if not versions or version in versions]


def _write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@dataclass
class _Judge:
    """Checks one release."""

    tree: EmittedTree
    release: model.Release
    compiler: Compiler
    folder: Path  # of all judges; `cuda` in it has CUDA's headers
    headers: FetchHeaders
    symbols: FetchSymbols | None
    step: Step

    def __post_init__(self) -> None:
        self.work = self.folder / self.release.version
        self.include = self.work / "include"
        self.compiler = self.compiler.including(self.include, self.folder / "cuda")
        self.result = Verdict(self.release)

    def verdict(self) -> Verdict:
        self.step(f"checking {self.release.version}")
        found = self.headers(self.release.version)
        if self.release.headers not in ("", found.digest):
            self.result.notes.append("these headers are not the very ones it was generated from")
        _write(self.include, found.files)
        prelude = _prelude(found.files)
        try:
            self._compile(prelude)
            self._compare(prelude)
        except CompilerError as error:
            raise VerifyError(f"{self.release.version}: {error}") from error
        if self.symbols is not None:
            self._exports(self.symbols)
        return self.result

    def _compile(self, prelude: str) -> None:
        claims = list(assertions(self.tree, self.release))
        self.result.counts.update(kind for kind, _ in {(c.kind, c.subject) for c in claims})
        self.result.checks += len(claims)
        text = prelude + "".join(claim.test + "\n" for claim in claims)
        first = prelude.count("\n") + 1
        wrong = self.compiler.wrong_lines(text, self.work)
        if not wrong:
            return
        found = [claim for i, claim in enumerate(claims) if first + i in wrong]
        if not found:
            raise CompilerError("the headers themselves do not compile")
        self._report(found, prelude)

    def _report(self, claims: Sequence[Assertion], prelude: str) -> None:
        expressions = [claim.actual for claim in claims if claim.actual is not None]
        values = self.compiler.values(prelude, expressions, self.work)
        prototypes = self._declared(prelude).prototypes
        for claim in claims:
            if claim.actual is not None:
                actual = f"have {values.get(claim.actual, 'no such thing')}"
            else:
                actual = f"have {prototypes.get(claim.name.partition(',')[0], 'another')}"
            self.result.wrong.append(Wrong(claim.kind, claim.name, claim.expected, actual))

    def _declared(self, prelude: str) -> Declared:
        text = self.compiler.preprocessed(prelude, self.work)
        return declared(text, self.include.as_posix())

    def _compare(self, prelude: str) -> None:
        """Names that the headers have and the tables lack."""
        found, table = self._declared(prelude), self.tree.table(self.release.version)
        types = {row[0] for row in (*table.enums.values(), *table.records.values())}
        known_macros = {*table.values, *table.enumerators, *table.versions}
        self._lacking("a function", found.functions, table.functions)
        # Members of an enum without a name are constants.
        self._lacking("an enumerator", found.enumerators, {**table.enumerators, **table.values})
        self._lacking("a type", found.types, types)
        self._count("declared", len(found.macros))
        others = [name for name in found.macros if name not in known_macros]
        if others:
            self._miss("a constant", self.compiler.values(prelude, others, self.work))

    def _lacking(self, what: str, declared: Iterable[str], known: Iterable[str]) -> None:
        names, there = list(declared), set(known)
        self._count("declared", len(names))
        self._miss(what, [name for name in names if name not in there])

    def _count(self, kind: str, things: int) -> None:
        self.result.counts[kind] += things
        self.result.checks += things

    def _miss(self, what: str, names: Iterable[str]) -> None:
        for name in names:
            self.result.wrong.append(Wrong("declared", name, "nothing", f"declare {what}"))

    def _exports(self, symbols: FetchSymbols) -> None:
        try:
            exported = symbols(self.release.version)
        except HeaderError as error:
            self.result.notes.append(f"not compared with its library: {error}")
            return
        functions = self.tree.table(self.release.version).functions
        self._count("exported", len(functions))
        for name in sorted(functions.keys() - exported):
            self.result.wrong.append(Wrong("exported", name, "a function", "does not export it"))
        self.result.undeclared = tuple(sorted(exported - functions.keys()))


def _prelude(headers: Iterable[str]) -> str:
    names = sorted(headers, key=lambda name: (name != "cudnn.h", name))
    lines = ["#include <stddef.h>", "#include <stdint.h>", "#include <cuda_runtime_api.h>"]
    lines += [f"#include <{name}>" for name in names]
    lines += [
        "#if defined CUDNN_VERSION && CUDNN_VERSION >= 1000",
        "#define VERSION_OR(other) CUDNN_VERSION",
        "#else",
    ]
    lines += ["#define VERSION_OR(other) (other)", "#endif", ""]
    return "\n".join(lines)
