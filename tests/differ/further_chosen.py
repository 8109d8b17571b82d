"""Graphs of operations that few graphs have, and of further options, as users get them."""

from __future__ import annotations

from . import further
from .chosen import CASES, HARD, by_each_way
from .covering import Table
from .draw import Draw

__all__ = ["TABLE", "run"]

TABLE = Table(further.TABLE.factors | CASES, HARD)


def run(draw: Draw) -> str:
    """Build a graph in the way of a case."""
    return by_each_way(draw, further.family_of(draw, TABLE))
