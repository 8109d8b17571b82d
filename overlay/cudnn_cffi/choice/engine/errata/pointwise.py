"""Errata of engines for pointwise operations alone."""

from __future__ import annotations

from .record import MAXIMUM_OF_GRID, engines, in_memory, kinds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .... import backend

#: Maximum of elements of a row: 8 in each block of a grid.
MAXIMUM_OF_COLUMNS = 8 * MAXIMUM_OF_GRID


def _is_beyond_grid(
    _: backend.OperationPointwiseDescriptor, operations: Sequence[backend.OperationDescriptor]
) -> bool:
    """Return whether pointwise operations alone have more matrices or columns than a grid has."""
    if {*kinds_of(operations)} != {"Pointwise"}:
        return False
    shapes = [each.dimensions for each in in_memory(operations)]
    return any(
        len(shape) == 3 and (shape[0] > MAXIMUM_OF_GRID or shape[2] > MAXIMUM_OF_COLUMNS)
        for shape in shapes
    )


ERRATA = engines(
    "Pointwise",
    [1],
    _is_beyond_grid,
    f"it cannot be launched for more than {MAXIMUM_OF_GRID:,} matrices, or rows of more than "
    f"{MAXIMUM_OF_COLUMNS:,} elements",
    workaround="merge axes, or cut them, so that fewer matrices or shorter rows are left",
)
