"""The choice of an algorithm by a preference, as cuDNN had it up to version 7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import errors

#: More algorithms than any release has.
ALL = 16


def choose(found: Sequence[Any], preference: int, limit: int) -> int:
    """Return the first algorithm that needs no more workspace than a preference allows.

    Args:
        found: records of algorithms, the best first.
        preference: 0 for no workspace, 1 for any, 2 for at most `limit` bytes.

    Raises:
        BadParamError: it is another preference.
        NotSupportedError: no algorithm works.
    """
    if preference not in (0, 1, 2):
        raise errors.BadParamError(f"preference: expected 0, 1 or 2, got {preference!r}")
    most = (0, None, limit)[preference]
    for each in found:
        if each.status == 0 and (most is None or each.memory <= most):
            return int(each.algo)
    raise errors.NotSupportedError(
        "no algorithm computes this convolution" + ("" if most is None else f" with {most} bytes")
    )
