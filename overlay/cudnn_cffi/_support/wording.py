"""Words of messages."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def a(noun: str) -> str:
    """Return a noun after its article: "an int", "a float"."""
    return f"{'an' if noun[:1] in 'AEIOUaeiou' else 'a'} {noun}"


def a_kind(value: Any) -> str:
    """Return the name of a value's class after its article."""
    return a(type(value).__name__)
