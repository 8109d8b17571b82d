"""Read arrays through the CUDA Array Interface and DLPack into one description."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .. import driver as _driver
from .. import errors, library
from .._support.arguments import join, whole
from .._support.wording import a_kind
from .dtypes import dtype_text
from .exchange import HOST, reader_of
from .info import ArrayInfo, host_error, packed_strides


def interface_address(interface: Any) -> int:
    """Return the address in a `__cuda_array_interface__`.

    Raises:
        ArgumentError: the interface is not complete.
    """
    try:
        return int(interface["data"][0] or 0)
    except (LookupError, TypeError, ValueError):
        raise _broken_interface(interface) from None


def is_fixed_interface(interface: Any) -> bool:
    """Return whether a `__cuda_array_interface__` says that the memory is read-only.

    Raises:
        ArgumentError: the interface is not complete.
    """
    try:
        return bool(interface["data"][1])
    except (LookupError, TypeError):
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

    try:
        text = interface["typestr"]
        own = dtype(text if isinstance(text, str) else "")
        shape, steps = whole(interface["shape"], "shape"), interface.get("strides")
        steps = None if steps is None else whole(steps, "strides")
        if (steps and len(steps) != len(shape)) or min(shape, default=0) < 0:
            raise ValueError
    except (errors.ArgumentError, AttributeError, LookupError, TypeError, ValueError):
        raise _broken_interface(interface) from None
    if not own.isnative:
        raise errors.ArgumentError(f"expected elements in the byte order of the device, got {text}")
    if interface.get("mask") is not None:
        raise errors.ArgumentError("expected an array without a mask, got one with a mask")
    kind = getattr(array, "dtype", None)
    kind = own if kind is None else kind
    address = interface_address(interface)
    size = own.itemsize
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
    """Describe an array by DLPack: by the table of its type, or else by cuda.core.

    Raises:
        ArgumentError: the array is in host memory; or its type has no table, or none that tells
            enough, and cuda.core is not installed.
        ClosedError: the memory was freed.
    """
    kind: type = type(array)
    read = reader_of(kind)
    if read is not None:
        try:
            return read(array)
        except errors.CudnnError:
            raise
        except (LookupError, RuntimeError, TypeError, ValueError, BufferError):
            pass
    device = array.__dlpack_device__()
    if int(device[0]) == HOST:
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
