"""Conditions for pointwise operations alone."""

from __future__ import annotations

from ..needs import needs
from ..record import MAXIMUM_OF_GRID, Condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..facts import Operations, Structure

#: Maximum of elements of a row: 8 in each block of a grid.
MAXIMUM_OF_COLUMNS = 8 * MAXIMUM_OF_GRID


def _is_beyond_grid(_: None, operations: Operations) -> bool:
    """Return whether there are more matrices or columns than a grid has."""
    shapes = [each["dimensions"] for each in operations.memory]
    return any(
        len(shape) == 3 and (shape[0] > MAXIMUM_OF_GRID or shape[2] > MAXIMUM_OF_COLUMNS)
        for shape in shapes
    )


def _is_pointwise(structure: Structure) -> bool:
    return structure.distinct == {"Pointwise"}


CONDITIONS = {
    "more matrices or columns than a grid has": Condition(
        _is_pointwise,
        _is_beyond_grid,
        True,
        needs("ONE_KIND", "Pointwise.any MEMORY MATRICES BEYOND_GRID"),
    ),
}
