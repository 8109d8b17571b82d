"""Differences that are documented, and stay."""

from __future__ import annotations

import re
from typing import NamedTuple

from .draw import Draw

__all__ = ["KNOWN", "reason"]


class Known(NamedTuple):
    """A difference.

    Attributes:
        part: whose cases have it, as a pattern.
        choices: what they picked, as a pattern of `Draw.shown`.
        text: what differs, as a pattern.
        why: the reason, and where the documentation says so.
    """

    part: str
    choices: str
    text: str
    why: str


KNOWN = (
    Known(
        "functions|modules|operations",
        r"=[Cc]onv.*=(minus_)?(infinity|nan|extremes)",
        r": -?inf, exact nan|: nan, exact -?inf",
        "infinity times the zeros of the padding: cuDNN leaves these products out",
    ),
    Known(
        "functions",
        r"function=layer_norm ",
        r"gradient0.*, exact -?0, other 0$",
        "the gradient of a norm over one element is zero, up to rounding",
    ),
)


def reason(draw: Draw, text: str) -> str:
    """Return why a case may differ as the text says; "" if it may not."""
    for each in KNOWN:
        if (
            re.fullmatch(each.part, draw.part)
            and re.search(each.choices, draw.shown())
            and re.search(each.text, text)
        ):
            return each.why
    return ""
