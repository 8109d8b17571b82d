"""Find the address of the device memory of an array of any library.

`device_pointer` and `getters` are on the path of every call: they learn once for each type how to
get the address.
"""

from __future__ import annotations

import ctypes
import numbers
import operator
from collections.abc import Callable
from typing import Any

from .. import driver as _driver
from .. import errors
from .._support.wording import a_kind
from .info import OwnArray, host_error, not_device_error
from .protocols import from_dlpack, interface_address

Getter = Callable[..., int]


class _Getters(dict[type, Getter]):
    """Functions that get the address from an object, by its type; learnt when a type is first seen.

    `getters[type(x)](x)` is the fastest way to an address. A getter may raise AttributeError for
    memory that was freed, which `device_pointer` turns into a ClosedError. Where the process sees
    several devices, a getter refuses memory of a device that is not the current one.
    """

    def __missing__(self, kind: type) -> Getter:
        return _first


getters = _Getters()

#: The same for memory on any device.
_anywhere: dict[type, Getter] = {}


def device_pointer(array: object, current: bool = False) -> int:
    """Return the address of the device memory of `array`.

    Args:
        array: an address; None for NULL; a `DeviceArray`; an array of PyTorch, CuPy, JAX, Numba
            or PyCUDA; a Buffer of cuda.core; an object with `__cuda_array_interface__` or DLPack;
            a ctypes pointer; or an object with `__index__` or `__int__` that gives an address.
        current: whether to refuse memory of a device other than the current one.

    Raises:
        ArgumentError: `array` is not one of these, or its memory is on the host or another device.
        ClosedError: the memory was freed.
    """
    kind = array.__class__
    try:
        if kind not in _anywhere:
            _learn(array)
        return getters[kind](array) if current else _anywhere[kind](array)
    except AttributeError:
        raise errors.ClosedError(
            f"expected device memory, got {a_kind(array)} that was freed"
        ) from None


def _first(array: object) -> int:
    _learn(array)
    return getters[array.__class__](array)


def _learn(array: object) -> None:
    """Remember how to get the address of objects like this one."""
    getter, device_of = _choose(array)
    kinds = {array.__class__, type(array)}  # a proxy has two
    _anywhere.update(dict.fromkeys(kinds, getter))
    if getter not in _BARE and _driver.count() > 1:
        getter = _guarded(getter, device_of)
    getters.update(dict.fromkeys(kinds, getter))


def _choose(array: object) -> tuple[Getter, Callable[[Any], int] | None]:
    """Return how to get the address of such an object and, where it tells, its device."""
    module = type(array).__module__.partition(".")[0]
    if array is None:
        return _of_none, None
    if isinstance(array, (bool, float, complex, str, bytes, bytearray, memoryview)):
        return _refuse, None
    if isinstance(array, numbers.Integral):  # NumPy's too
        return _checked, None
    if isinstance(array, numbers.Number):  # and has `__int__`, which cuts it off
        return _refuse, None
    if hasattr(array, "_c_name") or hasattr(array, "__cuda_stream__"):
        return _refuse, None  # its address is not one of device memory
    if isinstance(array, OwnArray):
        return operator.attrgetter("_pointer"), operator.attrgetter("device")
    if module == "torch" or hasattr(array, "is_cuda"):
        return of_torch, lambda tensor: int(tensor.get_device())
    if module == "cupy" and hasattr(array, "data"):
        return operator.attrgetter("data.ptr"), operator.attrgetter("data.device_id")
    if hasattr(array, "unsafe_buffer_pointer"):
        return of_jax, lambda each: int(each.__dlpack_device__()[1])
    if hasattr(array, "device_ctypes_pointer"):
        return _of_numba, None
    if {"is_device_accessible", "handle"} <= set(dir(type(array))):  # a closed one would raise
        return _of_buffer, operator.attrgetter("device_id")
    if {"is_device_accessible", "ptr", "exporting_obj"} <= set(dir(type(array))):
        return _of_view, operator.attrgetter("device_id")
    if isinstance(array, (ctypes.c_void_p, ctypes._Pointer)):
        return _of_pointer, None
    return _of_other, None


def _guarded(getter: Getter, device_of: Callable[[Any], int] | None) -> Getter:
    def get(array: object) -> int:
        address = getter(array)
        if not address:
            return address
        device = _driver.ordinal_of_pointer(address) if device_of is None else device_of(array)
        if device is not None and device != (here := _driver.device_of()):
            raise errors.ArgumentError(
                f"expected memory of device {here}, like the handle's or the current one, got "
                f"memory of device {device}",
                hint="copy it there, or use a handle of its device; the bare address is taken as "
                "it is, for memory that both devices can reach",
            )
        return address

    return get


def _of_none(_: object) -> int:
    return 0


def _of_pointer(pointer: Any) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def of_torch(tensor: Any) -> int:
    """Return the address of a tensor of PyTorch.

    Raises:
        ArgumentError: the tensor is in host memory.
        ClosedError: its memory was freed.
    """
    if tensor.is_cuda:
        return tensor.data_ptr() or _of_empty(tensor)
    raise host_error(tensor)


def _of_empty(tensor: Any) -> int:
    if tensor.numel():
        raise errors.ClosedError("expected device memory, got a tensor whose memory was freed")
    return 0


#: Whether a device of JAX is a GPU, for those that were met so far.
_jax_devices: dict[Any, bool] = {}


def of_jax(array: Any) -> int:
    """Return the address of an array of JAX.

    Raises:
        ArgumentError: the array is in host memory, or on several devices, or is traced.
        ClosedError: it was deleted.
    """
    try:
        is_deleted = getattr(array, "is_deleted", bool)()
    except TypeError as error:  # what JAX traces has a shape and a type, and no elements
        raise errors.ArgumentError(
            "expected device memory, got an array that JAX traces",
            hint="call this outside of jax.jit and jax.vmap, or use cudnn_cffi.jax inside of them",
        ) from error
    if is_deleted:
        raise errors.ClosedError("expected device memory, got a deleted JAX array")
    device = array.device
    on_gpu = _jax_devices.get(device)
    if on_gpu is None:
        platform = getattr(device, "platform", None)
        if platform is None:
            raise errors.ArgumentError(
                "expected memory of one device, got an array on several",
                hint="pass one of array.addressable_shards",
            )
        on_gpu = _jax_devices[device] = platform != "cpu"
    if not on_gpu:
        raise host_error(array)
    return int(array.unsafe_buffer_pointer())


def _of_numba(array: Any) -> int:
    return int(array.device_ctypes_pointer.value or 0)


def _of_buffer(buffer: Any) -> int:
    address = int(buffer.handle or 0)
    if not address:
        raise errors.ClosedError("expected device memory, got a closed Buffer")
    if not buffer.is_device_accessible:
        raise host_error(buffer)
    return address


def _of_view(view: Any) -> int:
    """Return the address of a StridedMemoryView of cuda.core."""
    if not view.is_device_accessible:
        raise host_error(view)
    address = int(view.ptr)
    if not address and 0 not in view.shape:
        raise errors.ClosedError("expected device memory, got a view of memory that was freed")
    return address


def _of_other(array: Any) -> int:
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return interface_address(interface)
    if hasattr(array, "__array_interface__"):
        raise host_error(array)
    if hasattr(array, "__dlpack_device__"):
        return from_dlpack(array).address
    for convert in (operator.index, _by_int):
        try:
            return _checked(convert(array))
        except TypeError:
            continue
    raise not_device_error(array)


def _by_int(array: Any) -> int:
    if not hasattr(type(array), "__int__"):
        raise TypeError
    return int(array)


def _checked(address: int) -> int:
    if not 0 <= address < 1 << 64:
        raise errors.ArgumentError(f"expected an address of 64 bits, got {address}")
    return int(address)


def _refuse(value: object) -> int:
    raise not_device_error(value)


#: Getters of values that do not tell their device.
_BARE = (_of_none, _of_pointer, _checked, _refuse)
