"""Describe an array of any library: its address, data type, shape, strides and device."""

from __future__ import annotations

from typing import Any

from .. import errors
from .addresses import of_jax, of_torch
from .dtypes import dtype_text, itemsize
from .exchange import export, is_read_only
from .info import ArrayInfo, OwnArray, host_error, not_device_error, packed_strides
from .protocols import from_dlpack, from_interface, is_fixed_interface


def describe(array: Any) -> ArrayInfo:
    """Return the address, data type, shape, strides and device of an array in device memory.

    Raises:
        ArgumentError: `array` is not an array, or is in host memory.
        ClosedError: the memory was freed.
    """
    if isinstance(array, OwnArray):
        return ArrayInfo(array.address, array.dtype_name, array.shape, array.strides, array.device)
    if hasattr(array, "is_cuda") and hasattr(array, "data_ptr"):
        _check_memory(array)
        return ArrayInfo(
            of_torch(array),
            dtype_text(array.dtype),
            tuple(array.shape),
            tuple(array.stride()),
            array.get_device(),
        )
    if hasattr(array, "unsafe_buffer_pointer"):
        shape = tuple(array.shape)
        return ArrayInfo(
            of_jax(array),
            dtype_text(array.dtype),
            shape,
            packed_strides(shape),
            int(array.__dlpack_device__()[1]),
        )
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _ascending(from_interface(array, interface))
    if isinstance(array, (int, float, str, bytes)) or array is None:
        hint = "pass an array: an address does not tell its shape, strides and data type"
        raise not_device_error(array, hint if isinstance(array, int) else "pass an array")
    if hasattr(array, "__dlpack_device__"):
        return _ascending(from_dlpack(array))
    if hasattr(array, "__array_interface__"):
        raise host_error(array)
    raise not_device_error(array, "pass an array")


def _ascending(info: ArrayInfo) -> ArrayInfo:
    """Refuse strides below 0: descriptors take them, and some functions compute wrong numbers."""
    if min(info.strides, default=0) >= 0:
        return info
    steps = [stride for stride, extent in zip(info.strides, info.shape, strict=True) if extent > 1]
    if 0 not in info.shape and min(steps, default=0) < 0:
        raise errors.ArgumentError(
            f"expected strides of 0 or more, got {info.strides} elements", hint="copy it"
        )
    return info._replace(strides=tuple([abs(stride) for stride in info.strides]))


def _check_memory(tensor: object) -> None:
    """Refuse a tensor of PyTorch whose memory has other numbers: negated or conjugated ones."""
    for test, name in (("is_neg", "negative"), ("is_conj", "conjugate")):
        has = getattr(tensor, test, None)
        if has is not None and has():
            raise errors.ArgumentError(
                "expected a tensor whose memory has its elements, got one that has its "
                f"{name} bit set",
                hint=f"pass tensor.resolve_{test.removeprefix('is_')}()",
            )


def is_fixed(array: Any) -> bool:
    """Return whether the memory of an array must not change: one of JAX, or one that says so."""
    if isinstance(array, OwnArray):
        return array.readonly
    if hasattr(array, "is_cuda"):
        return False
    if hasattr(array, "unsafe_buffer_pointer"):
        return True
    says = getattr(array, "readonly", None)
    if isinstance(says, bool):
        return says
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return is_fixed_interface(interface)
    try:
        return hasattr(array, "__dlpack__") and is_read_only(export(array, -1))
    except Exception:  # any library raises its own; the call that reads the array raises it again
        return False


def check_writable(array: Any, name: str) -> None:
    """Refuse an array whose memory must not change.

    Raises:
        ArgumentError: it is one; the message begins with its name.
    """
    if is_fixed(array):
        raise errors.ArgumentError(
            f"{name}: expected an array to write to, got a read-only {type(array).__name__}",
            hint="leave the output out, and a new array is returned; or copy it",
        )


def tells_shape(array: object) -> bool:
    """Return whether `describe` can tell the shape; an address or an allocation has none."""
    return any(hasattr(array, name) for name in _TELLING)


#: The interface last: PyTorch's raises for tensors that require a gradient.
_TELLING = ("is_cuda", "unsafe_buffer_pointer", "__dlpack_device__", "__cuda_array_interface__")


def size_in_bytes(array: object) -> int:
    """Return how many bytes lie side by side from the first element of an array on.

    They are those of all elements, in whatever order of axes, if there are no gaps. Bytes in gaps
    are not the array's: it ends before the first one.

    Raises:
        ArgumentError, ClosedError: as `describe` does.
    """
    info = describe(array)
    if 0 in info.shape:
        return 0
    count = 1
    for step, extent in sorted(zip(info.strides, info.shape, strict=True)):
        if extent > 1:
            if step != count:
                break
            count *= extent
    return count * itemsize(info.dtype)
