"""The command line: python -m generator, or nox -s generate in a checkout."""

from __future__ import annotations

import contextlib
import itertools
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click
from cudnn_cffi.api.inputs.generating import needed
from cudnn_cffi.api.model import ModelError, version_of

from . import GeneratorError, tree
from .headers import (
    PAGES,
    CudaHeaders,
    HeaderError,
    HeaderSet,
    Registry,
    cuda_from_folder,
    from_folder,
    installed,
    installed_cuda,
)

if TYPE_CHECKING:
    from .pipeline import Report

Folder = click.Path(file_okay=False, path_type=Path)

out_option = click.option(
    "--out",
    type=Folder,
    default=tree.HOME,
    show_default="the checkout's generated/",
    help="The generated tree to make or to add to.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """cuDNN headers in, Python bindings out."""


@main.command()
@click.argument("releases", nargs=-1)
@click.option(
    "--headers", type=Folder, help="Take the headers from this folder, not from the package index."
)
@click.option("--installed", "from_machine", is_flag=True, help="Take this machine's, of CUDA too.")
@click.option("--version", help="The release in --headers, where the files do not say.")
@click.option("--cuda-headers", type=Folder, help="CUDA's headers, instead of the index's wheels.")
@click.option("--refresh", is_flag=True, help="Ask the index again, and fetch anew.")
@out_option
def generate(
    releases: tuple[str, ...],
    headers: Path | None,
    from_machine: bool,
    version: str | None,
    cuda_headers: Path | None,
    refresh: bool,
    out: Path,
) -> None:
    """Generate the bindings of RELEASES: 9.28.0, 92800, 9.28, latest, all, or several."""
    if not releases and headers is None and not from_machine:
        raise click.UsageError("name a release, such as 9.28.0, latest or all; or give --headers")
    if headers is not None and releases:
        raise click.UsageError("with --headers the release is in the headers; name none")
    from . import pipeline

    with _errors(), _progress() as (step, bar), Registry(progress=bar) as registry:
        cuda = _cuda(registry, cuda_headers, from_machine)
        given = [from_folder(headers, version)] if headers is not None else []
        given += [installed()] if from_machine else []
        wanted = _resolve(registry, releases, refresh)
        sets = itertools.chain(given, _fetched(registry, wanted, refresh, step))
        report = pipeline.generate(sets, cuda, out, step)
    _tell_notes(report)
    click.echo(
        f"generated {_listed(report.generated)}; the tree has {report.releases} releases with "
        f"{report.apis} distinct APIs; {report.changed} files changed in "
        f"{click.format_filename(out)}"
    )


def _resolve(registry: Registry, specs: tuple[str, ...], refresh: bool) -> list[str]:
    """Versions that specs mean. A full one needs no listing of the index."""
    found: dict[str, None] = {}
    for spec in map(version_of, specs):
        if spec.count(".") >= 2:
            found[spec] = None
        else:
            for each in registry.resolve(spec, refresh=refresh):
                found[each.version] = None
    return list(found)


def _cuda(registry: Registry, folder: Path | None, from_machine: bool = False) -> CudaHeaders:
    """Return CUDA's headers: of a folder, else of the machine if it has them, else the index's."""
    if folder is not None:
        return cuda_from_folder(folder)
    with contextlib.suppress(HeaderError):
        if from_machine:
            return installed_cuda()
    return registry.cuda_headers()


def _fetched(
    registry: Registry, releases: list[str], refresh: bool, step: Step
) -> Iterator[HeaderSet]:
    for done, release in enumerate(releases, 1):
        step(f"fetching {release}", done, len(releases))
        yield registry.fetch(release, refresh=refresh)


def _tell_notes(report: Report) -> None:
    for line in report.notes:
        click.echo(f"note: {line}", err=True)


def _listed(names: list[str]) -> str:
    if len(names) <= 4:
        return ", ".join(names) or "nothing"
    return f"{len(names)} releases, {names[0]} to {names[-1]}"


@main.command("list")
@click.option("--refresh", is_flag=True, help="Ask the index again.")
@out_option
def list_(refresh: bool, out: Path) -> None:
    """List the releases there are, those generated, and which share an API."""
    from cudnn_cffi.api.model import version_key
    from rich.console import Console
    from rich.table import Table

    with _errors():
        contents = tree.load(out)
        merged = contents.merged().releases if contents.releases else ()
        generated = {release.version: release for release in merged}
        available = {}
        with Registry() as registry:
            try:
                available = {a.version: a for a in registry.available(refresh=refresh)}
            except HeaderError as error:
                click.echo(f"note: only what is generated: {error}", err=True)
    table = Table("release", "build", "CUDA", "generated", "API", box=None)
    for version in sorted({*available, *generated}, key=version_key, reverse=True):
        release, wheels = generated.get(version), available.get(version)
        api = "" if release is None else release.api
        table.add_row(
            version,
            wheels.build if wheels else release.build if release else "",
            ", ".join(f"cu{cuda}" for cuda in wheels.platforms) if wheels else "",
            "yes" if release else "",
            api if api != version else "its own",
        )
    Console().print(table)


@main.command()
@click.argument("releases", nargs=-1)
@click.option(
    "--whole",
    is_flag=True,
    help="Read also the files of engines and heuristics, half of each wheel.",
)
@out_option
def exports(releases: tuple[str, ...], whole: bool, out: Path) -> None:
    """Record what libraries of RELEASES export without declaring it; by default of all.

    All libraries of a release are fetched, several hundred megabytes each, and kept nowhere.
    Libraries that served engines alone have so far exported no function of cuDNN's.
    """
    from . import pipeline

    with _errors(), _progress() as (step, bar), Registry(progress=bar) as registry:
        versions = [version_of(release) for release in releases]
        report = pipeline.record_exports(
            out,
            versions,
            lambda release: registry.exports(
                release.build,
                lambda library: whole or not re.search("engines|heuristic", library),
            ),
            step,
        )
    where = click.format_filename(out)
    click.echo(f"recorded {_listed(report.generated)}; {report.changed} files changed in {where}")


@main.command()
@out_option
def wheels(out: Path) -> None:
    """Record the platforms and CUDA versions of the wheels on the package index."""
    from . import pipeline

    with _errors(), _progress() as (step, bar), Registry(progress=bar) as registry:
        listed = {each.version: each.platforms for each in registry.available(refresh=True)}
        report = pipeline.record_wheels(out, listed, step)
    click.echo(f"the wheels of {len(report.generated)} releases; {report.changed} files changed")


@main.command()
@click.option(
    "--trust-models",
    is_flag=True,
    help="Take the models as they are, also where the manifest has other hashes: after a merge.",
)
@out_option
def emit(trust_models: bool, out: Path) -> None:
    """Emit everything anew from the models in the tree, without headers or network."""
    from . import pipeline

    with _errors(), _progress() as (step, _):
        report = pipeline.reemit(out, step, trust_models=trust_models)
    where = click.format_filename(out)
    click.echo(f"{report.releases} releases emitted; {report.changed} files changed in {where}")


@main.command()
@out_option
def check(out: Path) -> None:
    """Say whether the tree is exactly what its models give."""
    from . import pipeline

    with _errors():
        found = pipeline.check(out)
    for line in found:
        click.echo(line)
    if found:
        click.echo(f"{len(found)} things are not as emitted; run: python -m generator emit")
        sys.exit(1)
    click.echo("the generated tree is what its models give")


@main.command()
@click.argument("releases", nargs=-1)
@click.option("--headers", type=Folder, help="The headers of one release, instead of the index's.")
@click.option("--cuda-headers", type=Folder, help="CUDA's headers, instead of the index's wheels.")
@click.option(
    "--libraries/--no-libraries",
    default=True,
    show_default=True,
    help="Compare with what the real libraries export.",
)
@out_option
def verify(
    releases: tuple[str, ...],
    headers: Path | None,
    cuda_headers: Path | None,
    libraries: bool,
    out: Path,
) -> None:
    """Check the tables of RELEASES, by default all in the tree, with a C compiler.

    It needs the real headers, which are fetched or in the cache, and gcc or clang.
    """
    from .verify.report import collect, show

    with _errors(), _progress() as (step, bar), Registry(progress=bar) as registry:
        given = None if headers is None else from_folder(headers, *releases[:1])
        cuda = _cuda(registry, cuda_headers)
        versions = tuple(map(version_of, releases))
        verdicts = collect(out, versions, given, cuda, libraries, step)
    if show(verdicts):
        sys.exit(1)


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    """Print errors that a person can act on as one line, without a traceback."""
    try:
        yield
    except (GeneratorError, ModelError) as error:
        raise click.ClickException(str(error)) from error
    except ModuleNotFoundError as error:
        # Most are imported where they are needed, so that one may be missed late.
        raise click.ClickException(f"{error}; {needed(__package__ == 'generator')}") from error


Bar = Callable[[int, int, str], None]


class Step(Protocol):
    """Messages about each step."""

    def __call__(self, text: str, done: int | None = None, total: int | None = None) -> None:
        """Show what is being done, and with which release of how many if that is known."""


@contextlib.contextmanager
def _progress() -> Iterator[tuple[Step, Bar]]:
    """Yield a line for the step at hand and a bar for downloads; silent if nobody watches."""
    if not sys.stderr.isatty():
        yield (lambda *_: None), (lambda *_: None)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TransferSpeedColumn,
    )
    from rich.text import Text

    class Amount(ProgressColumn):
        """Shows progress as "part of whole", in the unit of the task; as a rate for bytes."""

        bytes, rate = DownloadColumn(), TransferSpeedColumn()

        def render(self, task: Task) -> Text:
            if task.fields["unit"] == "bytes":
                amount = self.bytes.render(task)
                return amount + " " + self.rate.render(task) if task.speed else amount
            if not task.total:
                return Text()
            return Text(f"{task.completed:.0f} of {task.total:.0f} {task.fields['unit']}")

    columns = (TextColumn("{task.description}"), BarColumn(), Amount())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        steps = progress.add_task("starting", total=None, unit="releases")
        tasks: dict[str, int] = {}

        def step(text: str, done: int | None = None, total: int | None = None) -> None:
            progress.update(steps, description=text, completed=done, total=total)

        def bar(done: int, total: int, label: str) -> None:
            if label not in tasks:
                unit = "pages" if label == PAGES else "bytes"
                tasks[label] = progress.add_task(label, total=total or None, unit=unit)
            progress.update(tasks[label], completed=done)  # type: ignore[arg-type]
            if total and done >= total:
                progress.remove_task(tasks.pop(label))  # type: ignore[arg-type]

        yield step, bar


if __name__ == "__main__":
    main(prog_name="python -m generator")
