"""The commands of the installed package: python -m cudnn_cffi generate, and generated --remove."""

from __future__ import annotations

import itertools
from pathlib import Path

import click
from cudnn_cffi import _user_tables
from cudnn_cffi.api.model import replace, version_of

from . import user
from .__main__ import Folder, _cuda, _errors, _fetched, _progress, _resolve, _tell_notes
from .headers import HeaderError, HeaderSet, Registry, exports, from_folder
from .pipeline import Report


@click.command()
@click.argument("releases", nargs=-1)
@click.option("--headers", type=Folder, help="Take the headers from this folder.")
@click.option("--version", help="The release in --headers, where the files do not say.")
@click.option("--library", is_flag=True, help="Generate the release of the libcudnn that is found.")
@click.option("--cuda-headers", type=Folder, help="CUDA's headers, instead of the index's wheels.")
@click.option("--refresh", is_flag=True, help="Ask the index again, and fetch anew.")
@click.help_option("-h", "--help")
def generate(
    releases: tuple[str, ...],
    headers: Path | None,
    version: str | None,
    library: bool,
    cuda_headers: Path | None,
    refresh: bool,
) -> None:
    """Make tables of RELEASES that the package lacks, in your data folder: 9.29.0 or latest.

    Later imports find them there. Without a RELEASE, those that were generated for another version
    of the package are made for this one.
    """
    if headers is not None and (releases or library):
        raise click.UsageError("with --headers the release is in the headers; name none")
    if not releases and headers is None and not library:
        with _errors(), _progress() as (step, _):
            _tell(user.carry_over(step))
        return
    with _errors(), _progress() as (step, bar), Registry(progress=bar) as registry:
        given = [from_folder(headers, version)] if headers is not None else []
        if library:
            loaded, beside = _loaded()
            releases = (*releases, *(() if beside else (loaded,)))
            given += [beside] if beside else []
        wanted = _resolve(registry, releases, refresh)
        user.refuse_shipped([*wanted, *(each.version for each in given)])
        cuda = _cuda(registry, cuda_headers, library)
        sets = itertools.chain(given, _fetched(registry, wanted, refresh, step))
        report = user.generate(sets, cuda, step)
    _tell(report)


def _loaded() -> tuple[str, HeaderSet | None]:
    """Return the release of the library that calls would use, and the headers of its own wheel."""
    from cudnn_cffi import library
    from cudnn_cffi.errors import CudnnError

    try:
        loaded = library.load()
    except CudnnError as error:
        raise click.ClickException(str(error)) from error
    try:
        beside = from_folder(loaded.path.parent.parent)
    except HeaderError:
        return loaded.version, None
    if beside.version != loaded.version:
        return loaded.version, None
    found = exports.in_folder(loaded.path.parent)
    return loaded.version, replace(beside, libraries=tuple(found), exports=found)


@click.command()
@click.argument("release")
def remove(release: str) -> None:
    """Take RELEASE out of the tables in your data folder."""
    release = version_of(release)
    with _errors(), _progress() as (step, _):
        user.remove(release, step)
    click.echo(f"removed {release}")


def _tell(report: Report) -> None:
    _tell_notes(report)
    if not report.generated:
        click.echo("nothing to generate: name a release, such as 9.29.0 or latest")
        return
    where = click.format_filename(_user_tables.HOME)
    click.echo(f"generated {', '.join(report.generated)}; imports find it in {where}")
