"""Read arrays through the CUDA Array Interface and DLPack into one description."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .. import driver as _driver
from .. import errors, library
from .._support.arguments import join
from .._support.results import NamedTuple
from .._support.wording import a_kind
from .dtypes import dtype_text

#: DLPack's number of host memory.
_DLPACK_HOST = 1


class ArrayInfo(NamedTuple):
    """An array as a call has to know it.

    Attributes:
        address: of the first element.
        dtype: as NumPy or ml_dtypes names it; the library's own name where they have none.
        shape: the extents.
        strides: in elements.
        device: the ordinal of the device; None where it cannot be told.
    """

    address: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: int | None


class OwnArray:
    """The base of this package's arrays, which know everything about themselves.

    Attributes:
        address: of the first element; raises ClosedError when the memory was freed.
        device: the ordinal of the device.
        dtype_name, shape, strides: as in `ArrayInfo`.
        _pointer: the address as a plain attribute, absent when the memory was freed.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        _pointer: int
        dtype_name: str
        shape: tuple[int, ...]
        strides: tuple[int, ...]

        @property
        def address(self) -> int:
            """Return the address of the first element."""

        @property
        def device(self) -> int:
            """Return the ordinal of the device."""


def packed_strides(shape: Sequence[int], layout: str = "NCHW") -> tuple[int, ...]:
    """Return the strides, in elements, of an array without gaps.

    Args:
        shape: the extents; the second axis is the channels.
        layout: "NCHW" for row-major; "NHWC" for channels innermost.
    """
    axes = list(range(len(shape)))
    if layout == "NHWC" and len(axes) > 2:
        axes = [0, *axes[2:], 1]
    return ordered_strides(shape, axes)


def ordered_strides(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in elements, of an array without gaps.

    Args:
        shape: the extents.
        order: the axes in the order of memory, the innermost last.
    """
    strides, step = [1] * len(shape), 1
    for axis in reversed(order):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def last_offset(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Return the offset of the last element of an array from its first one, in elements."""
    return sum((extent - 1) * step for extent, step in zip(shape, strides, strict=True))


def same_strides(shape: Sequence[int], left: Sequence[int], right: Sequence[int]) -> bool:
    """Return whether strides mean the same; that of an axis with one element means nothing."""
    return all(a == b for extent, a, b in zip(shape, left, right, strict=True) if extent > 1)


def batch_of_one(info: ArrayInfo) -> ArrayInfo:
    """Return the same array with an axis of one element in front."""
    step = max([1, *map(operator.mul, info.shape, info.strides)])
    return ArrayInfo(info.address, info.dtype, (1, *info.shape), (step, *info.strides), info.device)


def host_error(array: object) -> errors.ArgumentError:
    """Return the error for an array in host memory."""
    return errors.ArgumentError(
        f"expected device memory, got {a_kind(array)} in host memory",
        hint="copy it to the device first",
    )


def not_device_error(array: object) -> errors.ArgumentError:
    """Return the error for a value that is not device memory at all."""
    return errors.ArgumentError(
        f"expected device memory, got {a_kind(array)}",
        hint="pass an array on the device or an address",
    )


def interface_address(interface: Any) -> int:
    """Return the address in a `__cuda_array_interface__`.

    Raises:
        ArgumentError: the interface is not complete.
    """
    try:
        return int(interface["data"][0] or 0)
    except (LookupError, TypeError, ValueError):
        raise _broken_interface(interface) from None


def _broken_interface(interface: object) -> errors.ArgumentError:
    return errors.ArgumentError(
        "expected a __cuda_array_interface__ with shape, typestr and data, the pair of an "
        f"address and whether it is read-only, got {interface!r}"
    )


def from_interface(array: object, interface: dict[str, Any]) -> ArrayInfo:
    """Describe an array by its `__cuda_array_interface__`.

    Raises:
        ArgumentError: the interface is not complete, or describes elements or strides that cuDNN
            cannot address.
        ClosedError: the memory was freed.
    """
    from numpy import dtype

    if not isinstance(interface, dict) or not {"shape", "typestr"} <= interface.keys():
        raise _broken_interface(interface)
    if interface["typestr"][0] == ">":
        raise errors.ArgumentError(
            f"expected elements in the byte order of the device, got {interface['typestr']}"
        )
    kind = getattr(array, "dtype", None)
    kind = dtype(interface["typestr"]) if kind is None else kind
    shape = tuple(interface["shape"])
    address = interface_address(interface)
    steps = interface.get("strides")
    size = dtype(interface["typestr"]).itemsize
    if steps is not None and any(
        step % size for extent, step in zip(shape, steps, strict=True) if extent > 1
    ):
        raise errors.ArgumentError(
            f"expected strides of whole elements of {size} bytes, got {join(steps) or '()'} bytes"
        )
    strides = packed_strides(shape) if steps is None else tuple(step // size for step in steps)
    if not address and 0 not in shape:
        raise errors.ClosedError("expected device memory, got an array that was freed")
    device = _driver.ordinal_of_pointer(address)
    return ArrayInfo(address, dtype_text(kind), shape, strides, device)


def from_dlpack(array: Any) -> ArrayInfo:
    """Describe an array by DLPack, which cuda.core reads.

    Raises:
        ArgumentError: the array is in host memory, or cuda.core is not installed.
    """
    device = array.__dlpack_device__()
    if int(device[0]) == _DLPACK_HOST:
        raise host_error(array)
    try:
        StridedMemoryView = import_module("cuda.core.utils").StridedMemoryView
    except ImportError as error:
        raise errors.ArgumentError(
            f"{a_kind(array)} has DLPack only, which takes cuda.core to read",
            hint=library.install_cuda_core(),
        ) from error
    view = StridedMemoryView.from_dlpack(array, stream_ptr=-1)
    shape = tuple(view.shape)
    return ArrayInfo(
        int(view.ptr),
        dtype_text(view.dtype),
        shape,
        tuple(view.strides) if view.strides is not None else packed_strides(shape),
        int(view.device_id),
    )
