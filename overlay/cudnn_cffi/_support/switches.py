"""Environment variables that turn something on or off."""

from __future__ import annotations

import os

from .. import errors

OFF = ("0", "off", "no", "false")
ON = ("1", "on", "yes", "true")


def is_on(name: str, default: bool) -> bool:
    """Return whether an environment variable turns something on.

    Args:
        name: of the variable.
        default: what holds without it.

    Raises:
        ArgumentError: it says neither.
    """
    given = os.environ.get(name, "")
    word = given.strip().lower()
    if word and word not in (*ON, *OFF):
        raise errors.ArgumentError(f"{name}: expected 1 or 0, got {given!r}")
    return word in ON if word else default
