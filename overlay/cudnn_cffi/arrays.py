"""Arrays of any library, as the address of their device memory."""

from __future__ import annotations

import ctypes
import operator
from typing import Any

from . import errors

__all__ = ["device_pointer"]


def device_pointer(array: Any) -> int:
    """The address of the device memory of `array`.

    Args:
        array: an address; None for NULL; an array with `__cuda_array_interface__`; a tensor of
            PyTorch; a ctypes pointer; an object that is an address by `__index__` or `__int__`.

    Raises:
        ArgumentError: it is none of these, or it lies in host memory.
    """
    if array is None:
        return 0
    if isinstance(array, (bool, float, str, bytes, bytearray)):
        raise _not_device(array)
    if isinstance(array, int):
        return _checked(array)
    interface = None
    if getattr(array, "is_cuda", True):
        interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return int(interface["data"][0] or 0)
    if isinstance(array, ctypes.c_void_p):
        return array.value or 0
    if hasattr(array, "__array_interface__") or hasattr(array, "is_cuda"):
        raise errors.ArgumentError(
            "device memory was expected, an array in host memory came",
            hint="copy it to the device first",
        )
    for convert in (operator.index, _by_int):
        try:
            return _checked(convert(array))
        except TypeError:
            continue
    raise _not_device(array)


def _by_int(array: Any) -> int:
    if not hasattr(type(array), "__int__"):
        raise TypeError
    return int(array)


def _checked(address: int) -> int:
    if not 0 <= address < 1 << 64:
        raise errors.ArgumentError(f"{address} is no address")
    return address


def _not_device(array: Any) -> errors.ArgumentError:
    return errors.ArgumentError(
        f"device memory was expected, a {type(array).__name__} came",
        hint="pass an array on the device or an address",
    )
