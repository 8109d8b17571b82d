"""The functions that real libraries export."""

from __future__ import annotations

from ..headers import HeaderError, Registry
from ..headers.exports import FRONT


def exported(release: str) -> frozenset[str]:
    """Return the functions of cuDNN's that libcudnn of a release exports.

    Only that library is fetched from its wheel, about 0.1 MB; its symbols are kept in the cache.

    Raises:
        HeaderError: it cannot be had.
    """
    with Registry() as registry:
        found = registry.exports(release, FRONT.__eq__)
    if FRONT not in found:
        raise HeaderError(f"{release}: its wheel has no libcudnn.so")
    return frozenset(found[FRONT])
