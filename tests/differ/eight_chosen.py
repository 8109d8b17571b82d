"""Operations of 8 bits as users get them."""

from __future__ import annotations

from . import eight
from .chosen import CASES, by_each_way
from .covering import Table
from .draw import Draw

__all__ = ["TABLE", "run"]

TABLE = Table(eight.TABLE.factors | CASES, eight.TABLE.hard, mild=True)


def run(draw: Draw) -> str:
    """Build a graph of 8 bits in the way of a case."""
    return by_each_way(draw, eight.family_of(draw, TABLE))
