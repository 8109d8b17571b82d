"""Names that a release does not have, and when they were added or removed."""

from __future__ import annotations

from .._index import RELEASES
from .enums import ELSEWHERE
from .tables import tables


def elsewhere(name: str, release: str) -> str:
    """Return when `name` was added or removed, as in "added in 9.0.0", for a release without it.

    "" where no known release has it, or that one does.
    """
    known = list(RELEASES)
    index = known.index(release)
    having = [i for i, other in enumerate(known) if name in tables(other).all_names()]
    if index in having:
        return ""
    older = [each for each in having if each < index]
    newer = [each for each in having if each > index]
    if older:
        again = f", added again in {known[newer[0]]}" if newer else ""
        return f"removed in {known[older[-1] + 1]}{again}"
    return f"added in {known[newer[0]]}" if newer else ""


ELSEWHERE.append(elsewhere)
