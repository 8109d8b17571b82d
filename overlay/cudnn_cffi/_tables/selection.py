"""Select the tables for the release that the loaded library reports.

`releases` is always the mapping of each known release to the name of its API tables; several
releases share the tables of the first one that had that API.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping

from .._support.results import NamedTuple
from ..errors import UnsupportedVersionError
from ..versions import version_key


class TablesWarning(UserWarning):
    """The tables in use were made for another release than the one that is loaded."""


class Selection(NamedTuple):
    """The tables that were chosen, and why.

    `release` is the known release that stands for the loaded one; it differs from `loaded` only
    where that is not `exact`.
    """

    loaded: str
    release: str
    tables: str
    exact: bool

    def __str__(self) -> str:
        if self.exact:
            return f"{self.release}"
        return f"{self.release}, the nearest to {self.loaded}"


def select(version: str, releases: Mapping[str, str]) -> Selection:
    """Return the tables for a library that reports `version`.

    A release with no tables of its own gets those of the nearest older one of its major, with one
    `TablesWarning`: values that changed since then would be wrong.

    Raises:
        UnsupportedVersionError: no release of that major, or none as old, is known.
    """
    selection = _nearest(version, releases)
    if not selection.exact:
        _warn(selection)
    return selection


def check_pinned(pinned: str, loaded: str, releases: Mapping[str, str]) -> Selection:
    """Return the tables for a program that names the release `pinned` and runs with `loaded`.

    Releases with the same API stand for each other. A `loaded` that is not known is treated as
    in `select`, for what is compared then are the tables that it would get.

    Raises:
        UnsupportedVersionError: the APIs differ, or one of the releases has no tables.
    """
    if pinned not in releases:
        raise UnsupportedVersionError(
            f"there are no tables for cuDNN {pinned}", version=loaded, hint=_generate(pinned)
        )
    selection = _nearest(loaded, releases)
    if selection.tables != releases[pinned]:
        same = [name for name, tables in releases.items() if tables == releases[pinned]]
        raise UnsupportedVersionError(
            f"this program is pinned to cuDNN {pinned}, but the loaded library is {loaded}, "
            "whose API differs",
            version=loaded,
            tables=pinned,
            hint=f"load cuDNN {_listed(same)}, or use the tables that fit with "
            "`import cudnn_cffi as cudnn`",
        )
    if not selection.exact:
        _warn(selection)
    return Selection(loaded, pinned, selection.tables, selection.exact)


def _nearest(version: str, releases: Mapping[str, str]) -> Selection:
    if version in releases:
        return Selection(version, version, releases[version], True)
    wanted = version_key(version)
    family = sorted(
        (name for name in releases if version_key(name)[0] == wanted[0]), key=version_key
    )
    older = [name for name in family if version_key(name) < wanted]
    if not older:
        known = (
            f"the oldest known of cuDNN {wanted[0]} is {family[0]}"
            if family
            else f"known are the majors {_listed(_majors(releases))}"
        )
        raise UnsupportedVersionError(
            f"there are no tables for cuDNN {version}: {known}",
            version=version,
            hint=_generate(version),
        )
    return Selection(version, older[-1], releases[older[-1]], False)


def _warn(selection: Selection) -> None:
    warnings.warn(
        f"cuDNN {selection.loaded} has no tables of its own, so those of {selection.release} are "
        "used: newer names are missing, and a value that changed is wrong; to end this, "
        f"{_generate(selection.loaded)}",
        TablesWarning,
        stacklevel=3,
    )


def _generate(version: str) -> str:
    return f"make tables with `python -m cudnn_cffi generate {version}`"


def _majors(releases: Iterable[str]) -> list[str]:
    return [str(major) for major in sorted({version_key(name)[0] for name in releases})]


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
