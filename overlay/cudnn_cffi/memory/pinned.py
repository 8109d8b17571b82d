"""Page-locked host memory, from which and to which the device copies by itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from .. import arrays, errors
from .. import driver as _driver
from .allocation import allocating, import_core
from .array_arguments import extents_of, known_dtype

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..types import DType


def pinned_empty(shape: Sequence[int] | int, dtype: DType = "float32") -> NDArray[Any]:
    """Allocate a NumPy array in page-locked host memory, without setting its elements.

    Copies between such memory and the device go on while Python does other things.

    Args:
        shape: the extents, or one extent.
        dtype: a data type of any library, or its name; also bfloat16 and the float8 types.

    Raises:
        ArgumentError: the shape or the data type is not one.
        AllocationError: that much host memory cannot be page-locked.
        CudnnError: cuda.core is not installed.
    """
    import numpy

    extents, name = extents_of(shape), known_dtype(dtype)
    kind = arrays.numpy_dtype(name)
    size = prod(extents) * kind.itemsize
    device = _driver.device_of()

    def full() -> errors.AllocationError:
        return errors.AllocationError(f"{size} bytes of host memory cannot be page-locked")

    with allocating(device, _driver.usable_context(device), full):
        buffer = import_core().LegacyPinnedMemoryResource().allocate(max(size, 1))
    array: NDArray[Any] = numpy.from_dlpack(buffer).view(numpy.uint8)[:size].view(kind)
    return array.reshape(extents)
