"""Layers that may have 8 bits, and what the calibration finds of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..products import Matrix

if TYPE_CHECKING:
    from ..parts import Part


class Layer(NamedTuple):
    """The ranges of a layer's values, and its loss.

    Attributes:
        x, y: the numbers of its input and of its result that become the largest of 8 bits.
        error: the norm of its result's error over the norm of the result.
        cosine: of the angle between its results with 8 bits and without.
    """

    x: float
    y: float
    error: float
    cosine: float


def may_narrow(part: Part) -> bool:
    """Return whether a part is a convolution or a product whose weights can be quantized."""
    if part.kind == "product":
        layer = part.layer
        return isinstance(layer, Matrix) and not layer.others and not layer.last
    return part.kind == "convolution" and part.conv.weight.dim() == 4
