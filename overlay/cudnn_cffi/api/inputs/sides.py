"""The two sides of a comparison: each a release of the package, or a folder of headers."""

from __future__ import annotations

from pathlib import Path

import msgspec

from .. import store
from ..errors import CannotCompareError
from ..model import Api, Library, ModelError, Release
from ..records import Side
from . import releases
from .generating import generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .store import Store


class Wanted(msgspec.Struct, frozen=True):
    """One side as it was asked for."""

    text: str
    headers: bool = False  # `text` is a folder


def load(old: Wanted, new: Wanted) -> tuple[tuple[Side, Api], tuple[Side, Api]]:
    """Both sides with their APIs.

    Raises:
        CannotCompareError: one is not known or not readable, or both are the same and neither
            was asked for as the latest.
    """
    try:
        models = store() if not (old.headers and new.headers) else None
        before, after = _side(old, models), _side(new, models)
    except ModelError as error:
        raise CannotCompareError(str(error)) from error
    if old.headers == new.headers and before[0].build == after[0].build:
        same = not old.headers or Path(old.text).resolve() == Path(new.text).resolve()
        if same and "latest" not in (old.text, new.text):  # "is there a newer one" has an answer
            raise CannotCompareError(f"{before[0].label} twice: give two different releases")
    return before, after


def _side(wanted: Wanted, models: Store | None) -> tuple[Side, Api]:
    if wanted.headers:
        return _from_headers(wanted.text)
    assert models is not None
    known = releases.known(models)
    if (
        wanted.text
        and Path(wanted.text).is_dir()
        and not any(r.version == wanted.text for r in known)
    ):
        raise CannotCompareError(f"{wanted.text} is a folder: write --headers {wanted.text}")
    release = releases.find(wanted.text, known)
    return of_release(release, models.api(release.api))


def of_release(release: Release, api: Api) -> tuple[Side, Api]:
    """Return a release's side; its `Api` bears its own version and what its own files export."""
    libraries = tuple(
        Library(library.name, release.undeclared.get(library.name)) for library in api.libraries
    )
    named = msgspec.structs.replace(api, release=release.version, libraries=libraries)
    return Side(release.version, release.build, release.api, remarks=release.remarks), named


def _from_headers(folder: str) -> tuple[Side, Api]:
    if not Path(folder).is_dir():
        raise CannotCompareError(f"--headers {folder}: no such folder")
    try:
        api_from_folder = generator("pipeline").api_from_folder
    except ImportError as error:
        raise CannotCompareError(f"--headers needs the generator: {error}") from error
    try:
        api, remarks = api_from_folder(Path(folder))
    except Exception as error:
        ours = type(error).__module__.partition(".")[0] in ("generator", "cudnn_cffi_generator")
        if not ours and not isinstance(error, OSError):
            raise  # a mistake of the generator's, not of the headers'
        reason = " ".join(str(error).split())
        raise CannotCompareError(f"--headers {folder}: {reason}") from error
    side = Side(api.release, api.release, api.release, headers=folder, remarks=tuple(remarks))
    return side, api


def all_sides(models: Store) -> list[tuple[Side, Api]]:
    """All releases with their APIs, oldest first."""
    known = releases.known(models)
    apis = {name: models.api(name) for name in {release.api for release in known}}
    return [of_release(release, apis[release.api]) for release in known]
