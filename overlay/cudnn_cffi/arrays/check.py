"""Compare arrays with descriptors before a call."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

from .. import errors
from .._support.arguments import join
from .._support.wording import a_kind
from .addresses import device_pointer
from .describe import describe, tells_shape
from .dtypes import dtype_name, itemsize
from .info import ArrayInfo

if TYPE_CHECKING:

    class Described(Protocol):
        """A descriptor that says what an array has to be like."""

        @property
        def dtype(self) -> Any:
            """Return the data type, a member of `DataType`."""

        @property
        def shape(self) -> tuple[int, ...]:
            """Return the extents."""

        @property
        def strides(self) -> tuple[int, ...]:
            """Return the strides, in elements."""


def check(
    descriptor: Described,
    array: object,
    name: str = "array",
    device: int | None = None,
) -> int:
    """Compare an array with the descriptor of what is expected, and return its address.

    A bare address (an int, a ctypes pointer, an object with `__index__`) is checked for its
    alignment alone, since nothing else is known. The array may lack axes of one element, as a bias
    does. Where the descriptor is channels-last, the array's axes may be in memory order.

    Args:
        descriptor: a `TensorDescriptor` or `FilterDescriptor`, read back by
            `cudnnGetTensorNdDescriptor` or `cudnnGetFilterNdDescriptor` (cudnn_ops.h).
        array: an array of any library, or an address.
        name: what errors call the array.
        device: the ordinal of the device it has to be on; None for any.

    Returns: the address of the first element.

    Raises:
        ArgumentError: the data type, shape, strides or device differ, or the array is in host
            memory.
        MisalignedPointerError: the address is not a multiple of an element's size.
        NullPointerError: the address is 0.
        ClosedError: the memory was freed, or the descriptor is closed.
    """
    try:
        kind, shape, strides = descriptor.dtype, descriptor.shape, descriptor.strides
        name_of_kind = kind.name
    except AttributeError:
        raise errors.ArgumentError(
            f"expected a TensorDescriptor or FilterDescriptor, got {a_kind(descriptor)}"
        ) from None
    vector, _, width = name_of_kind.partition("x")
    wanted = dtype_name(kind) or (vector.lower() if width.isdigit() else "")
    if array is not None and not tells_shape(array):  # an address, of whatever kind
        address = device_pointer(array)
        if not address:
            raise errors.NullPointerError(f"{name}: expected device memory, got NULL")
        check_place(ArrayInfo(address, wanted, (), (), None), name, None)
        return address
    info = describe(array)
    check_place(info, name, device)
    if wanted and wanted != info.dtype:
        raise errors.ArgumentError(f"{name}: expected {wanted}, got {info.dtype}")
    if width.isdigit():  # libraries have an axis more for a vector, or have it elsewhere
        if prod(shape) != prod(info.shape):
            raise errors.ArgumentError(
                f"{name}: expected {prod(shape)} elements, got {prod(info.shape)}"
            )
    elif wanted:
        _check_layout(shape, strides, info, name)
    return info.address


def check_place(info: ArrayInfo, name: str, device: int | None) -> None:
    """Refuse an array on another device, or at an address where no element can be.

    Args:
        info: of the array.
        name: what errors call the array.
        device: the ordinal of the device it has to be on; None for any.

    Raises:
        ArgumentError: the array is on another device.
        MisalignedPointerError: the address is not a multiple of an element's size.
    """
    if device is not None and info.device is not None and info.device != device:
        raise errors.ArgumentError(
            f"{name}: expected memory of device {device}, got memory of device {info.device}",
            hint="copy it there, or use a handle of its device",
        )
    if info.address % itemsize(info.dtype):
        raise errors.MisalignedPointerError(
            f"{name}: expected an address that is a multiple of {itemsize(info.dtype)}, got "
            f"{info.address:#x}",
            hint="a view can begin in the middle of an element; copy it to a fresh array",
        )


def _check_layout(
    shape: tuple[int, ...], strides: tuple[int, ...], info: ArrayInfo, name: str
) -> None:
    wanted, got = _cells(shape, strides), _cells(info.shape, info.strides)
    if 0 not in info.shape and got in (wanted, sorted(wanted, key=lambda cell: -cell[1])):
        return
    if info.shape + (1,) * (len(shape) - len(info.shape)) == shape:
        raise errors.ArgumentError(
            f"{name}: expected strides {_listed(strides)}, got {_listed(info.strides)}",
            hint="describe the array as it is with TensorDescriptor.like, or make it contiguous",
        )
    raise errors.ArgumentError(
        f"{name}: expected shape {_listed(shape)}, got {_listed(info.shape)}"
    )


def _cells(shape: Sequence[int], strides: Sequence[int]) -> list[tuple[int, int]]:
    """Return extent and stride of each axis with more than one element: others mean nothing."""
    return [cell for cell in zip(shape, strides, strict=True) if cell[0] > 1]


def _listed(numbers: Sequence[int]) -> str:
    return join(numbers) or "()"
