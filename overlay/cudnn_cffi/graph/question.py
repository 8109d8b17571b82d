"""A graph that was refused, as its error keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from typing import TypeAlias

    from ..choice import DeviceProperties
    from .methods.operations import Operations

    Device: TypeAlias = DeviceProperties | str


class GraphQuestion(NamedTuple):
    """A graph that `build` refused.

    Attributes:
        graph: the graph.
        device: the ordinal of the device, or the properties of one; None for the current device.
        split: whether several plans were tried.
        options: of `build`.
    """

    graph: Operations
    device: Device | int | None
    split: bool
    options: dict[str, Any]
