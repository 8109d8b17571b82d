"""Layouts of images whose channels kernels read side by side, and norms of what they read."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from ....autograd.layouts import formatted
from ....autograd.switches import autocast_type
from ..compiled import NARROW, can_compile


class Norm(NamedTuple):
    """A batch norm of what a kernel reads, in place of a gate.

    Attributes:
        tensors: mean, variance, weight and bias, of which only the variance must be there.
        epsilon: is added to the variance.
    """

    tensors: tuple[Tensor | None, ...]
    epsilon: float


def row_of(x: Tensor) -> int:
    """Return the stride of rows of channels; 0 where they are no equal steps apart.

    It is 0 for arrays of other than 4 or 5 axes, too, which PyTorch makes none of with channels
    last.
    """
    if x.dim() not in (4, 5) or x.numel() == 0 or x.stride(1) != 1:
        return 0
    row = step = x.shape[1]
    found = 0
    for axis in range(x.dim() - 1, 1, -1):
        if x.shape[axis] == 1:
            continue
        if not found:
            found = row = x.stride(axis)
            step = row
        if x.stride(axis) != step:
            return 0
        step *= x.shape[axis]
    return int(row)


def is_dense(x: Tensor) -> bool:
    """Return whether images lie one after the other, as their rows do."""
    row = row_of(x)
    pixels = x[0, 0].numel() if row else 0
    return bool(row) and (x.shape[0] == 1 or x.stride(0) == row * pixels)


def as_rows(x: Tensor) -> Tensor:
    """Return images whose rows of channels are equal steps of 16 bytes or more apart."""
    fits = is_dense(x) and row_of(x) * x.element_size() % 16 == 0
    return x if fits else formatted(x, True)


def takes(x: Tensor, *others: Tensor | None) -> bool:
    """Return whether kernels take x, and others of the same type beside it."""
    if not _is_on_device(x) or x.dtype not in NARROW or not row_of(x):
        return False
    if autocast_type(x.device.type) is not None:
        return False  # which gives some results another type
    return all(
        each is None or (each.dtype == x.dtype and each.device == x.device) for each in others
    )


def _is_on_device(x: Tensor) -> bool:
    return bool(x.is_cuda) and can_compile()


def vector_of(count: int, *places: int) -> int:
    """Return how many numbers are read at once: all of these are multiples of it, or of its bytes.

    Args:
        count: of numbers that are read so.
        places: strides in elements.
    """
    return next(each for each in (8, 4, 2, 1) if not any(n % each for n in (count, *places)))


def aligned_vector(vector: int, *tensors: Tensor | None) -> int:
    """Return how many numbers are read at once of tensors that begin anywhere."""
    for each in tensors:
        while each is not None and vector > 1 and each.data_ptr() % (each.element_size() * vector):
            vector //= 2
    return vector


def address_of(tensor: Tensor | None) -> int:
    """Return where a tensor begins; 0 for none."""
    return 0 if tensor is None else tensor.data_ptr()
