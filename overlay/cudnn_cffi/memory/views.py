"""Views of arrays in device memory: other extents, other orders of axes, and parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Self

from .. import arrays, errors
from .array_arguments import Index, all_keys, key_index, several

if TYPE_CHECKING:
    from .allocation import Memory


class Viewable(arrays.OwnArray):
    """The base of `DeviceArray` that makes views, and tells how elements lie in memory."""

    __slots__ = ()

    if TYPE_CHECKING:
        _memory: Memory

        def __init__(
            self,
            memory: Memory,
            shape: Sequence[int] = ...,
            dtype: str = ...,
            strides: Sequence[int] = ...,
            offset: int = ...,
        ) -> None: ...

    @property
    def readonly(self) -> bool:
        """Return whether it must not be written: it shares memory of an array that must not."""
        return self._memory.readonly

    @property
    def ndim(self) -> int:
        """Return the number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Return the bytes of all elements, without the gaps between them."""
        return self.size * arrays.itemsize(self.dtype_name)

    @property
    def T(self) -> Self:
        """Return a view with the axes in reverse order."""
        return self.transpose()

    @property
    def is_contiguous(self) -> bool:
        """Return whether the elements lie in row-major order without gaps."""
        packed = arrays.packed_strides(self.shape)
        return 0 in self.shape or arrays.same_strides(self.shape, self.strides, packed)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def _dense_order(self, hint: str = "") -> list[int]:
        """Return the axes in the order of memory, the innermost last.

        Raises:
            ArgumentError: there are gaps between the elements.
        """
        order = sorted(range(self.ndim), key=lambda axis: -self.strides[axis])
        shape = [self.shape[axis] for axis in order]
        strides = [self.strides[axis] for axis in order]
        if not arrays.same_strides(shape, strides, arrays.packed_strides(shape)):
            raise errors.ArgumentError(
                "expected an array without gaps, got a strided view", hint=hint
            )
        return order

    def reshape(self, *shape: int | Sequence[int]) -> Self:
        """Return a view with other extents, one of which may be -1.

        Raises:
            ArgumentError: the extents do not fit, or the elements do not lie in row-major order.
            ClosedError: the memory was freed.
        """
        extents = list(several(shape, "shape"))
        known = prod(extent for extent in extents if extent != -1)
        if extents.count(-1) == 1 and known and self.size % known == 0:
            extents[extents.index(-1)] = self.size // known
            known = self.size
        if known != self.size or any(extent < 0 for extent in extents):
            raise errors.ArgumentError(f"{self.size} elements cannot have the shape {shape}")
        if not self.is_contiguous:
            raise errors.ArgumentError("expected a contiguous array, got a strided view")
        return self._view(extents, arrays.packed_strides(extents), self._offset())

    def transpose(self, *axes: int | Sequence[int]) -> Self:
        """Return a view with the axes in another order; in reverse order where none are named.

        Raises:
            ArgumentError: `axes` does not name each axis once.
            ClosedError: the memory was freed.
        """
        named = several(axes, "axes") if axes else range(self.ndim)[::-1]
        order = [axis + self.ndim if axis < 0 else axis for axis in named]
        if sorted(order) != list(range(self.ndim)):
            raise errors.ArgumentError(f"expected each of {self.ndim} axes once, got {axes}")
        shape = [self.shape[axis] for axis in order]
        return self._view(shape, [self.strides[axis] for axis in order], self._offset())

    def __iter__(self) -> Iterator[Self]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, key: Index | tuple[Index, ...]) -> Self:
        """Return a view of a part, by ints, slices with positive steps, and `...`.

        Raises:
            IndexError: an index is out of range, there are too many, or a step is negative.
            ArgumentError: a key is not an int, a slice or `...`.
            ClosedError: the memory was freed.
        """
        keys = all_keys(key if isinstance(key, tuple) else (key,), self.ndim)
        shape, strides, first = [], [], 0
        for each, extent, step in zip(keys, self.shape, self.strides, strict=True):
            if isinstance(each, slice):
                span = range(extent)[each]
                if span.step < 0:
                    raise IndexError("expected steps of 1 or more, got a negative one")
                shape.append(len(span))
                strides.append(step * span.step)
                first += step * (span.start if len(span) else 0)
            else:
                index = key_index(each)
                if not -extent <= index < extent:
                    raise IndexError(f"expected an index below {extent}, got {index}")
                first += step * (index % extent)
        return self._view(shape, strides, self._offset() + first * arrays.itemsize(self.dtype_name))

    def _offset(self) -> int:
        return self.address - (self._memory.address or 0)

    def _view(self, shape: Sequence[int], strides: Sequence[int], offset: int) -> Self:
        return type(self)(self._memory, shape, self.dtype_name, strides, offset)
