"""Differences that are documented, and stay."""

from __future__ import annotations

import re
from typing import NamedTuple

from .draw import Draw

__all__ = ["KNOWN", "reason"]


class Known(NamedTuple):
    """A difference.

    Attributes:
        part: whose cases have it.
        choices: what they picked, as a pattern of `Draw.shown`.
        text: what differs, as a pattern.
        why: the reason, and where the documentation says so.
    """

    part: str
    choices: str
    text: str
    why: str


KNOWN: tuple[Known, ...] = ()


def reason(draw: Draw, text: str) -> str:
    """Return why a case may differ as the text says; "" if it may not."""
    for each in KNOWN:
        if (
            each.part == draw.part
            and re.search(each.choices, draw.shown())
            and re.search(each.text, text)
        ):
            return each.why
    return ""
