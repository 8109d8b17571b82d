"""Convolutions and products of 8 bits as users get them."""

from __future__ import annotations

from .chosen import by_each_way
from .draw import Draw
from .eight import TABLE as TABLE
from .eight import family_of

__all__ = ["run"]


def run(draw: Draw) -> str:
    """Build a graph of 8 bits in each way."""
    return by_each_way(draw, family_of(draw))
