"""The user's own tree: the releases of the installed package and those that it lacks.

It is a whole emitted half of the package in the user's data folder, which comes before the one
that was installed. The models of the user's releases are kept in it apart, so that a later version
of the package can emit them again.
"""

from __future__ import annotations

import re
import runpy
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from cudnn_cffi import _user_tables
from cudnn_cffi.api import model
from cudnn_cffi.api.inputs.store import Store

from . import RESOURCES, GeneratorError, emit, pipeline, swap, tree
from .headers import CudaHeaders, HeaderSet

Step = Callable[[str], None]


class UserTreeError(GeneratorError):
    """The user's tree cannot be made as it was asked for."""


def generate(sets: Iterable[HeaderSet], cuda: CudaHeaders, step: Step) -> pipeline.Report:
    """Add releases to the user's tree; on any exception it is as it was.

    Releases that were generated for other versions of the package are taken over from their models.
    """
    _home()  # before anything is fetched
    # Its user can teach the generator nothing: one parameter must not keep all others away.
    report, parsed = pipeline.read(sets, cuda, step, strict=False)
    return _add(parsed, report, step)


def _add(
    parsed: Iterable[tuple[HeaderSet, model.Api]], report: pipeline.Report, step: Step
) -> pipeline.Report:
    shipped, home = _shipped(), _home()
    with tree.locked(home):
        own, notes = _own(home, shipped)
        for headers, api in parsed:
            pipeline.add(own, headers, api)
        report.notes += notes
        report.generated = sorted({*report.generated, *own.releases}, key=model.version_key)
        if own.releases:
            _write(own, shipped, home, report, step)
    return report


def carry_over(step: Step) -> pipeline.Report:
    """Emit the releases that the user has anew, also those of other versions of the package."""
    if not _home().parent.is_dir():
        return pipeline.Report()
    return _add([], pipeline.Report(), step)


def remove(release: str, step: Step) -> pipeline.Report:
    """Take a release out of the user's tree, and with the last one the tree.

    Raises:
        UserTreeError: it is not in it.
    """
    report, shipped, home = pipeline.Report(), _shipped(), _home()
    with tree.locked(home):
        own = tree.of_store(Store(home / _user_tables.OWN))
        if own.releases.pop(release, None) is None:
            raise UserTreeError(f"{release} is not among the releases in {home}")
        own.apis.pop(release)
        _write(own, shipped, home, report, step)
    return report


def refuse_shipped(releases: Iterable[str]) -> None:
    """Refuse releases that the package has.

    Raises:
        UserTreeError: it has one of them.
    """
    shipped = _shipped().releases
    if there := [release for release in releases if release in shipped]:
        raise UserTreeError(
            f"the package has tables of cuDNN {', '.join(there)}: there is nothing to generate"
        )


def _home() -> Path:
    """Return the folder of the tree.

    Raises:
        UserTreeError: the user has no home.
    """
    if not _user_tables.ROOT:
        raise UserTreeError(_user_tables.NO_ROOT)
    return Path(_user_tables.HOME)


def _shipped() -> tree.Contents:
    return tree.of_store(Store(Path(_user_tables.shipped(), "api")))


def _own(home: Path, shipped: tree.Contents) -> tuple[tree.Contents, list[str]]:
    """Return the user's releases, also those of other versions of the package, and notes."""
    found, notes = tree.Contents(), []
    others = sorted(path for path in home.parent.iterdir() if path != home and path.name[0] != ".")
    for folder in [*others, home]:  # what this version made is the last word
        try:
            here = tree.of_store(Store(folder / _user_tables.OWN))
        except model.ModelError as error:
            notes.append(f"left out, to be generated again: {error}")
            continue
        for version in here.releases.keys() - shipped.releases.keys():
            found.releases[version] = here.releases[version]
            found.apis[version] = here.apis[version]
    return found, notes


def _write(
    own: tree.Contents, shipped: tree.Contents, home: Path, report: pipeline.Report, step: Step
) -> None:
    both = tree.Contents(
        {**shipped.releases, **own.releases},
        {**shipped.apis, **own.apis},
    )
    step(f"emitting {len(both.releases)} releases")
    merged = both.merged()
    wanted = tree.files(merged)
    wanted |= _compiled(wanted, home, report, step)
    records = []
    for version in sorted(own.releases, key=model.version_key):
        release = own.releases[version]
        records.append(model.replace(release, api=version))
        encoded = model.encode(model.replace(own.apis[version], release=version))
        wanted[f"{_user_tables.OWN}/{version}.json"] = encoded
    wanted[f"{_user_tables.OWN}/releases.json"] = model.encode_releases(records)
    try:
        swap.replace(home, wanted)
    except OSError as error:
        raise UserTreeError(f"{home} cannot be written: {error.strerror or error}") from error
    report.releases, report.apis = len(both.releases), len(merged.apis)
    report.changed = len(wanted)


def _compiled(
    wanted: emit.Files, home: Path, report: pipeline.Report, step: Step
) -> dict[str, bytes]:
    """Return the compiled call layer by its path; none where the package's fits or none can be.

    The result is told in the notes of the report.
    """
    layout = _layout(wanted[f"{emit.PACKAGE}/_specs.py"])
    if layout == _layout(Path(_user_tables.shipped(), "_specs.py").read_bytes()):
        report.notes.append("the call layer is that of the package")
        return {}
    builder, kept = runpy.run_path(str(RESOURCES / "build_native.py")), {}
    specs = home / emit.PACKAGE / "_specs.py"
    if specs.exists() and layout == _layout(specs.read_bytes()):  # one for each kind of Python
        found = (home / emit.PACKAGE).glob("_cudnn.*")
        kept = {f"{emit.PACKAGE}/{path.name}": path.read_bytes() for path in found}
    if f"{emit.PACKAGE}/{builder['NAME']}" in kept:
        return kept
    step("compiling the call layer")
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder, "sources")
        sources.mkdir()
        for name in ("cdef.h", "shims.c"):
            (sources / name).write_bytes(wanted[f"{emit.PACKAGE}/_native/{name}"])
        try:
            built: Path = builder["build"](Path(folder), sources)
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            report.notes.append(
                "the call layer has other functions now and could not be compiled, so calls are "
                f"made in ABI mode, which is slower; with a C compiler, generate again: {reason}"
            )
            return kept
        report.notes.append("the call layer was compiled")
        return {**kept, f"{emit.PACKAGE}/{built.name}": built.read_bytes()}


def _layout(specs: bytes) -> bytes:
    found = re.search(rb'^LAYOUT = "(\w+)"', specs, re.M)
    return found[1] if found else b""
