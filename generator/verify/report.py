"""The report of a check of emitted tables: one line a release, then what is wrong, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..headers import CudaHeaders, HeaderSet, Registry
from .judge import KINDS, Verdict, verify

_WIDTH = 170
_SHOWN = 100  # wrong things; more are counted


def collect(
    folder: Path,
    releases: Sequence[str],
    given: HeaderSet | None,
    cuda: CudaHeaders,
    libraries: bool,
    step: Callable[[str], None],
) -> list[Verdict]:
    """Return the verdicts on releases of a tree, by the given headers or the package index's."""
    from .symbols import exported

    def fetch(version: str) -> HeaderSet:
        if given is not None:
            return given
        with Registry() as registry:  # one for each thread
            return registry.fetch(version)

    versions = releases if given is None else (given.version,)
    return list(verify(folder, versions, fetch, cuda, exported if libraries else None, step))


def show(verdicts: Sequence[Verdict], console: Console | None = None) -> int:
    """Print the report; returns how many things are wrong."""
    console = console or Console()
    console.width = max(console.width, _WIDTH)  # a line that a terminal breaks still says all
    kinds = [kind for kind in KINDS if kind != "version"]
    table = Table("release", "API", box=None)
    for heading in (*kinds, "undeclared", "checks", "wrong"):
        table.add_column(heading, justify="right")
    for verdict in verdicts:
        release = verdict.release
        table.add_row(
            release.version,
            release.api if release.api != release.version else "its own",
            *(str(verdict.counts[kind] or "") for kind in kinds),
            str(len(verdict.undeclared) or ""),
            str(verdict.checks),
            str(len(verdict.wrong)),
        )
    console.print(table)
    _show_undeclared(verdicts, console)
    for verdict in verdicts:
        for note in verdict.notes:
            console.print(f"note: {verdict.release.version}: {escape(note)}", soft_wrap=True)
    wrong = [(verdict.release.version, each) for verdict in verdicts for each in verdict.wrong]
    for version, each in wrong[:_SHOWN]:
        console.print(f"{version}: {escape(str(each))}", soft_wrap=True)
    checks = sum(verdict.checks for verdict in verdicts)
    console.print(f"{len(verdicts)} releases, {checks} checks, {len(wrong)} wrong")
    return len(wrong)


def _show_undeclared(verdicts: Sequence[Verdict], console: Console) -> None:
    """Functions that libraries export without declaring them, with the releases that do."""
    where: dict[str, list[str]] = {}
    for verdict in verdicts:
        for name in verdict.undeclared:
            where.setdefault(name, []).append(verdict.release.version)
    if where:
        console.print("exported by libraries, declared by no header:")
    for name, versions in sorted(where.items()):
        span = versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"
        console.print(f"  {name}: {span} ({len(versions)} releases)", highlight=False)
