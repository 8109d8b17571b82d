"""Parse and compare version numbers."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=256)
def version_key(version: str) -> tuple[int, ...]:
    """Sorts "9.9.0" before "9.10.0"."""
    return tuple(int(part) for part in version.split("."))


def version_of(release: str | int) -> str:
    """Return "9.1.0" for that, for "v9.1.0", and for 90100, as cudnnGetVersion gives it.

    Other text, such as "9.1", "9.1.0.70" or "latest", is returned as it is.
    """
    text = str(release).strip().removeprefix("v")
    return version_name(int(text)) if text.isdecimal() and 4 <= len(text) <= 6 else text


def version_number(version: str) -> int:
    """Return what cudnnGetVersion returns for `version`; the formula changed with 9.0."""
    major, minor, patch = (*version_key(version), 0, 0)[:3]
    return major * (1000 if major < 9 else 10000) + minor * 100 + patch


def version_name(number: int) -> str:
    """Return the version that cudnnGetVersion means by `number`."""
    thousand = 1000 if number < 10000 else 10000
    return f"{number // thousand}.{number % thousand // 100}.{number % 100}"
