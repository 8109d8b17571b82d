"""Graphs of operations that few graphs have, and of further options, as users get them."""

from __future__ import annotations

from .chosen import by_each_way
from .draw import Draw
from .further import TABLE as TABLE
from .further import family_of

__all__ = ["run"]


def run(draw: Draw) -> str:
    """Build a graph in each way."""
    return by_each_way(draw, family_of(draw))
