"""Find a release by a text such as 9.10.1, 9.10.1.4, 9.28, 91001 or latest."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence

from ..errors import CannotCompareError
from ..model import Release, version_key, version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .store import Store


def known(store: Store) -> tuple[Release, ...]:
    """All releases, oldest first.

    Raises:
        CannotCompareError: there are none.
    """
    releases = store.releases()
    if not releases:
        raise CannotCompareError(
            f"{store.folder}: no releases; generate them (python -m generator)"
        )
    return releases


def find(text: str, releases: Sequence[Release]) -> Release:
    """Return the release that `text` names.

    Raises:
        CannotCompareError: none or several; near ones are listed.
    """
    given, text = text, version_of(text)
    if text == "latest":
        return releases[-1]
    for release in releases:
        if text in (release.version, release.build):
            return release
    prefix = text + "."
    within = [release for release in releases if text and release.version.startswith(prefix)]
    if within and len({release.api for release in within}) == 1:
        return within[-1]
    if within:
        raise CannotCompareError(
            f"{text} could be {_listed(within)}, whose APIs differ: name one of them"
        )
    raise CannotCompareError(f"unknown release {given!r}: {near(text, releases)}")


def near(text: str, releases: Sequence[Release]) -> str:
    """Return a hint with the releases that were perhaps meant."""
    known = f"known are {releases[0].version} to {releases[-1].version}"
    try:
        wanted = version_key(text)
    except ValueError:
        return known
    keys = [version_key(release.version) for release in releases]
    place = bisect(keys, wanted) - 0.5

    def distance(index: int) -> tuple[bool, float]:
        return keys[index][:2] != wanted[:2], abs(index - place)

    close = sorted(range(len(keys)), key=distance)[:4]
    return f"near it are {_listed([releases[index] for index in sorted(close)])}; {known}"


def _listed(releases: Sequence[Release]) -> str:
    return ", ".join(release.version for release in releases)
