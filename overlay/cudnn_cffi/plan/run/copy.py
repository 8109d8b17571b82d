"""Copies of strided elements: what no engine of graphs does, by `cudnnTransformTensor`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property

from ... import arrays, errors
from ..._lookup import calls
from ...descriptors import TensorDescriptor
from .call_steps import HANDLE, Place, Step
from .launcher import Launch

#: Maximum number of dimensions that are copied at once; each element of further ones is a call.
_RANK = 5

#: Data types that are copied as they are. Other types are copied as bytes, since a factor of one is
#: not applied to all types without rounding, and some are unknown to classic functions.
_OWN = ("FLOAT", "DOUBLE", "HALF", "BFLOAT16", "INT8")

_BYTES = "INT8"


class Copy:
    """A part of a `Sequence`: it copies elements to another place, where they have other strides.

    Attributes:
        shape: the extents of what is copied.
        data_type: the name of the elements' type.
        source, target: in elements: the strides, and the offset of the first one.
    """

    #: The same attributes as `Plan`, so that callers need not distinguish.
    workspace_size = 0
    engine = None
    knobs: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()
    closed = False

    def __init__(
        self,
        shape: Sequence[int],
        data_type: str,
        source: tuple[Sequence[int], int],
        target: tuple[Sequence[int], int],
    ) -> None:
        """Describe a copy.

        Raises:
            NotSupportedError: several elements share a byte, or the same element is read or written
                several times.
        """
        self.shape = tuple(shape)
        self.data_type = data_type
        self.source = (tuple(source[0]), source[1])
        self.target = (tuple(target[0]), target[1])
        name = arrays.dtype_name(data_type)
        if not name or data_type in ("INT4", "UINT4", "FP4_E2M1"):
            raise errors.NotSupportedError(f"no function copies elements of the type {data_type}")
        self.itemsize = arrays.itemsize(name)
        for strides, _ in (self.source, self.target):
            if any(step == 0 < extent - 1 for extent, step in zip(shape, strides, strict=True)):
                raise errors.NotSupportedError("no function copies repeated elements")

    def placed(self, launch: Launch, found: Mapping[str, int]) -> Launch:
        """Return an execution of this in the place of another one, as a plan does."""
        return launch._replace(found=dict(found))

    def _execute(self, launch: Launch) -> None:
        """Copy by cuDNN; the handle's context is current."""
        a, b, places = self._calls
        x = launch.found["x"] + self.source[1] * self.itemsize
        y = launch.found["y"] + self.target[1] * self.itemsize
        for there, here in places:
            calls.cudnnTransformTensor(launch.handle, 1.0, a, x + there, 0.0, b, y + here)

    def steps(self, source: Place, target: Place) -> list[Step]:
        """Return the calls as steps.

        Args:
            source, target: placeholders for the addresses at an offset in bytes from x, and from y.
        """
        a, b, places = self._calls
        x, y = (offset * self.itemsize for _, offset in (self.source, self.target))
        return [
            Step(
                "cudnnTransformTensor", HANDLE, 1.0, a, source(x + there), 0.0, b, target(y + here)
            )
            for there, here in places
        ]

    @cached_property
    def _calls(self) -> tuple[TensorDescriptor, TensorDescriptor, list[tuple[int, int]]]:
        """Return both descriptors, and the offset of each call from the first element, in bytes."""
        kind, size = self.data_type, self.itemsize
        axes = _joined(self.shape, self.source[0], self.target[0])
        if kind not in _OWN:
            axes = [(n, a * size, b * size) for n, a, b in axes]
            axes = _joined(*zip(*axes, (size, 1, 1), strict=True))
            kind, size = _BYTES, 1
        outer, inner = [], list(axes)
        while len(inner) > _RANK:
            outer.append(min(inner))
            inner.remove(outer[-1])
        while len(inner) < 4:
            n, a, b = inner[0]
            inner.insert(0, (1, n * a, n * b))
        shape, source, target = zip(*inner, strict=True)
        places = [
            (
                sum(at * a for at, (_, a, _) in zip(index, outer, strict=True)) * size,
                sum(at * b for at, (_, _, b) in zip(index, outer, strict=True)) * size,
            )
            for index in itertools.product(*[range(n) for n, _, _ in outer])
        ]
        return (
            TensorDescriptor.strided(shape, source, arrays.data_type(kind)),
            TensorDescriptor.strided(shape, target, arrays.data_type(kind)),
            places,
        )

    def close(self) -> None:
        """Do nothing: it has no plan."""

    def to_dict(self) -> dict[str, object]:
        """Return all of it as plain values."""
        return {
            "shape": self.shape,
            "data_type": self.data_type,
            "source": self.source,
            "target": self.target,
        }

    def __repr__(self) -> str:
        return f"<Copy of {self.data_type} {self.shape}, {self.source[0]} to {self.target[0]}>"


def _joined(
    shape: Sequence[int], source: Sequence[int], target: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Return (extent, stride, stride) of as few dimensions as possible, the largest steps first."""
    axes = [each for each in zip(shape, source, target, strict=True) if each[0] > 1]
    axes.sort(key=lambda each: (each[2], each[1]), reverse=True)
    joined: list[tuple[int, int, int]] = []
    for n, a, b in axes:
        if joined:
            outer, outer_a, outer_b = joined[-1]
            if outer_a == n * a and outer_b == n * b:
                joined[-1] = (outer * n, a, b)
                continue
        joined.append((n, a, b))
    return joined or [(1, 1, 1)]
