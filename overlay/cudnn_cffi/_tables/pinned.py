"""Releases that a program names by their modules: the loaded library must have the same API."""

from __future__ import annotations

from .. import library
from .._index import RELEASES
from .selection import check_pinned

#: Releases that were named before a library was loaded.
_early: set[str] = set()


def check(release: str) -> None:
    """Refuse a loaded library whose API is another one than that of a release.

    Raises:
        UnsupportedVersionError: the APIs differ.
    """
    loaded = library.current()
    if loaded is None:
        _early.add(release)
    else:
        check_pinned(release, loaded.version, RELEASES)


def check_all(version: str) -> None:
    """Refuse a library of `version` where it does not fit a release that was named before."""
    for release in sorted(_early):
        check_pinned(release, version, RELEASES)
