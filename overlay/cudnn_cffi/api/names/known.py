"""All names that cuDNN ever had, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from .. import store
from ..diff import things
from ..inputs.sides import all_sides
from ..model import Api, ModelError, version_key
from ..records import Side
from .earlier import EARLIER

#: Names that the headers define for themselves; no table has them.
QUIET = frozenset({"CUDNN_DEPRECATED", "CUDNN_DEPRECATED_ENUM", "CUDNN_WARN_DEPRECATED"})


def exported(api: Api) -> frozenset[str] | None:
    """Return what libcudnn exports and no header declares; None where nobody read the file."""
    read = (each.undeclared for each in api.libraries if each.name == "libcudnn")
    names = next(read, None)
    return None if names is None else frozenset(names)


class Known:
    """The names of some releases, and of those before 8.5."""

    def __init__(self, sides: Sequence[tuple[Side, Api]]) -> None:
        """Read the names of releases that are in order, oldest first."""
        self._versions = [side.version for side, _ in sides]
        self._spans: dict[str, tuple[int, int]] = {}  # the first and the last release
        by_api = {side.api: frozenset(things(api)) for side, api in sides}
        for index, (side, api) in enumerate(sides):
            for name in by_api[side.api] | (exported(api) or frozenset()):
                self._spans[name] = self._spans.get(name, (index, index))[0], index
        self.names = frozenset(self._spans) | EARLIER.keys()

    def fate(self, name: str, release: str) -> str | None:
        """Return why a release lacks a name, as far as that is known."""
        if name in EARLIER:
            return EARLIER[name]
        if name not in self._spans:
            return None
        first, last = self._spans[name]
        if version_key(release) < version_key(self._versions[first]):
            return f"added in {self._versions[first]}"
        later = self._versions[last + 1 :]
        return f"removed in {later[0]}" if later else None


@cache
def known() -> Known | None:
    """Return the names of all releases that this package knows; None if it knows none."""
    try:
        return Known(all_sides(store()))
    except ModelError:
        return None
