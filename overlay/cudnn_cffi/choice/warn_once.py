"""Warnings about what is kept, each given once."""

from __future__ import annotations

import warnings

_warned: set[str] = set()


def warn_once(text: str) -> None:
    """Warn of something that was not warned of before in this process."""
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, RuntimeWarning, stacklevel=6)
