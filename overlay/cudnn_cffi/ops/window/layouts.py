"""Layouts of images that are pooled."""

from __future__ import annotations

from ... import arrays
from ..._ways.array_spec import Spec
from ...errata.record import ALIGNMENT, MAXIMUM_OF_GRID


def are_alike(one: Spec, other: Spec) -> bool:
    """Return whether two arrays of one shape have the same strides."""
    return arrays.same_strides(one.shape, one.strides, other.strides)


def packed_in(spec: Spec, layout: str) -> Spec:
    """Return an array without gaps in a layout, of the shape and type of another one."""
    strides = arrays.packed_strides(spec.shape, layout)
    return spec._replace(strides=strides, alignment=ALIGNMENT)


def folded(seen: dict[str, Spec]) -> dict[str, Spec]:
    """Return images with some channels as images of their own, so that none has too many.

    Windows have elements of one channel alone. Arrays that lie otherwise are returned as they are.
    """
    images, channels = seen["x"].shape[:2]
    few = next(n for n in range(MAXIMUM_OF_GRID, 0, -1) if images * channels % n == 0)
    found = {}
    for name, each in seen.items():
        if not each.is_in_c_order:
            return seen
        shape = images * channels // few, few, *each.shape[2:]
        found[name] = each._replace(shape=shape, strides=arrays.packed_strides(shape))
    return found
