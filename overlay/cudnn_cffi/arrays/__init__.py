"""Arrays of any library: the address of their device memory, and what they hold.

`device_pointer` is on the path of every call: it learns once per type how to get the address.
`describe` says more and costs more; `check` compares it with a descriptor.
"""

from __future__ import annotations

import ctypes
import numbers
import operator
from collections.abc import Callable, Sequence
from enum import Enum
from importlib import import_module
from math import prod

from .. import driver as _driver
from .. import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    from ..descriptors import FilterDescriptor, TensorDescriptor
else:
    from .._support.results import Record as NamedTuple

__all__ = [
    "DTYPES",
    "ArrayInfo",
    "batch_of_one",
    "check",
    "check_place",
    "data_type",
    "describe",
    "device_pointer",
    "dtype_name",
    "itemsize",
    "packed_strides",
    "size_in_bytes",
    "tells_shape",
]

# Addresses ---

Getter = Callable[..., int]


class _Getters(dict[type, Getter]):
    """How to get the address from an object of a type, learnt when the type is first seen.

    `getters[type(x)](x)` is the fastest way to an address. A getter may raise AttributeError for
    memory that was freed; `device_pointer` says it better. Where there are several devices, memory
    of another one than the current one is refused.
    """

    def __missing__(self, kind: type) -> Getter:
        return _first


getters = _Getters()

#: The same, wherever the memory is.
_anywhere: dict[type, Getter] = {}


def device_pointer(array: Any, current: bool = False) -> int:
    """The address of the device memory of `array`.

    Args:
        array: an address; None for NULL; a `DeviceArray`; an array of PyTorch, CuPy, JAX, Numba
            or PyCUDA; a Buffer of cuda.core; whatever has `__cuda_array_interface__` or DLPack;
            a ctypes pointer; an object that is an address by `__index__` or `__int__`.
        current: whether it must be on the current device, as memory for a call must be.

    Raises:
        ArgumentError: it is none of these, it lies in host memory or on another device.
        ClosedError: its memory was freed.
    """
    kind = array.__class__
    try:
        if kind not in _anywhere:
            _learn(array)
        return getters[kind](array) if current else _anywhere[kind](array)
    except AttributeError:
        raise errors.ClosedError(
            f"device memory was expected, a {type(array).__name__} that was freed came"
        ) from None


def _first(array: Any) -> int:
    _learn(array)
    return getters[array.__class__](array)


def _learn(array: Any) -> None:
    """Find out how to get the address of such an object."""
    getter, device_of = _choose(array)
    kinds = {array.__class__, type(array)}  # a proxy has two
    _anywhere.update(dict.fromkeys(kinds, getter))
    if getter not in _BARE and _driver.count() > 1:
        getter = _guarded(getter, device_of)
    getters.update(dict.fromkeys(kinds, getter))


def _choose(array: Any) -> tuple[Getter, Callable[[Any], int] | None]:
    """How to get the address of such an object and, where it tells, its device."""
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
        return _refuse, None  # an address it has, but not one of device memory
    if module == "cudnn_cffi" and hasattr(array, "_memory"):
        return operator.attrgetter("_pointer"), operator.attrgetter("device")
    if module == "torch" or hasattr(array, "is_cuda"):
        return _of_torch, lambda tensor: int(tensor.get_device())
    if module == "cupy" and hasattr(array, "data"):
        return operator.attrgetter("data.ptr"), operator.attrgetter("data.device_id")
    if hasattr(array, "unsafe_buffer_pointer"):
        return _of_jax, lambda each: int(each.__dlpack_device__()[1])
    if hasattr(array, "device_ctypes_pointer"):
        return _of_numba, None
    if hasattr(array, "is_device_accessible") and hasattr(array, "handle"):
        return _of_buffer, operator.attrgetter("device_id")
    if isinstance(array, (ctypes.c_void_p, ctypes._Pointer)):
        return _of_pointer, None
    return _of_other, None


def _guarded(getter: Getter, device_of: Callable[[Any], int] | None) -> Getter:
    def get(array: Any) -> int:
        address = getter(array)
        if not address:
            return address
        device = _driver.ordinal_of_pointer(address) if device_of is None else device_of(array)
        if device is not None and device != (here := _driver.device_of()):
            raise errors.ArgumentError(
                f"memory of device {here} was expected, like the handle's or the current one; "
                f"memory of device {device} came",
                hint="copy it there, or use a handle of its device; the bare address is taken as "
                "it is, for memory that both devices can reach",
            )
        return address

    return get


def _of_none(_: Any) -> int:
    return 0


def _of_pointer(pointer: Any) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def _of_torch(tensor: Any) -> int:
    if tensor.is_cuda:
        return tensor.data_ptr() or _of_empty(tensor)
    raise _host(tensor)


def _of_empty(tensor: Any) -> int:
    if tensor.numel():
        raise errors.ClosedError("device memory was expected, a tensor whose memory was freed came")
    return 0


#: Whether the devices of JAX that were met so far are GPUs.
_jax_devices: dict[Any, bool] = {}


def _of_jax(array: Any) -> int:
    if getattr(array, "is_deleted", bool)():
        raise errors.ClosedError("device memory was expected, a deleted JAX array came")
    device = array.device
    on_gpu = _jax_devices.get(device)
    if on_gpu is None:
        platform = getattr(device, "platform", None)
        if platform is None:
            raise errors.ArgumentError(
                "memory of one device was expected, an array on several came",
                hint="pass one of array.addressable_shards",
            )
        on_gpu = _jax_devices[device] = platform != "cpu"
    if not on_gpu:
        raise _host(array)
    return int(array.unsafe_buffer_pointer())


def _of_numba(array: Any) -> int:
    return int(array.device_ctypes_pointer.value or 0)


def _of_buffer(buffer: Any) -> int:
    address = int(buffer.handle or 0)
    if not address:
        raise errors.ClosedError("device memory was expected, a closed Buffer came")
    if not buffer.is_device_accessible:
        raise _host(buffer)
    return address


def _of_other(array: Any) -> int:
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _interface_address(interface)
    if hasattr(array, "__array_interface__"):
        raise _host(array)
    if hasattr(array, "__dlpack_device__"):
        return _by_dlpack(array).address
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
    return int(address)


def _refuse(value: Any) -> int:
    raise _not_device(value)


#: Of addresses, and of what is none: nothing is asked about their device.
_BARE = (_of_none, _of_pointer, _checked, _refuse)


def _host(array: Any) -> errors.ArgumentError:
    return errors.ArgumentError(
        f"device memory was expected, a {type(array).__name__} in host memory came",
        hint="copy it to the device first",
    )


def _not_device(array: Any) -> errors.ArgumentError:
    return errors.ArgumentError(
        f"device memory was expected, a {type(array).__name__} came",
        hint="pass an array on the device or an address",
    )


# Data types ---

#: cuDNN's names of data types, by those that NumPy and ml_dtypes use.
DTYPES = {
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "float16": "HALF",
    "bfloat16": "BFLOAT16",
    "int8": "INT8",
    "uint8": "UINT8",
    "int32": "INT32",
    "uint32": "UINT32",
    "int64": "INT64",
    "bool": "BOOLEAN",
    "complex64": "COMPLEX_FP32",
    "complex128": "COMPLEX_FP64",
    "int4": "INT4",
    "uint4": "UINT4",
    "float8_e4m3fn": "FP8_E4M3",
    "float8_e5m2": "FP8_E5M2",
    "float8_e8m0fnu": "FP8_E8M0",
    "float4_e2m1fn": "FP4_E2M1",
}

_NAMES = {name: dtype for dtype, name in DTYPES.items()}

#: What else frameworks, C and Python call them.
_WORDS = {
    "float": "float32",
    "single": "float32",
    "fp32": "float32",
    "f32": "float32",
    "double": "float64",
    "fp64": "float64",
    "f64": "float64",
    "half": "float16",
    "fp16": "float16",
    "f16": "float16",
    "bf16": "bfloat16",
    "float8_e4m3": "float8_e4m3fn",
    "cfloat": "complex64",
    "cdouble": "complex128",
}

#: What Python's own types mean to NumPy and PyTorch.
_PYTHON = {float: "float64", int: "int64", bool: "bool", complex: "complex128"}

_SIZES = {
    "float32": 4,
    "float64": 8,
    "float16": 2,
    "bfloat16": 2,
    "int32": 4,
    "uint32": 4,
    "int64": 8,
    "complex64": 8,
    "complex128": 16,
}


def dtype_name(dtype: Any) -> str:
    """The name that NumPy or ml_dtypes has for a data type, "" where they have none.

    Args:
        dtype: a member of cuDNN's `DataType`; a dtype of NumPy, PyTorch or whoever else; its name
            in upper or lower case, or a word that frameworks use, such as "half", "bf16" or "float"
            for C's; Python's `float`, `int`, `bool` and `complex`, which are 64, 64, 8 and 128 bits
            wide as in NumPy.
    """
    if isinstance(dtype, type) and dtype in _PYTHON:
        return _PYTHON[dtype]
    name = getattr(dtype, "name", None)
    if isinstance(name, str) and name in _NAMES:
        return _NAMES[name]
    if not isinstance(name, str):
        name = getattr(dtype, "__name__", None) or str(dtype)
    name = name.removeprefix("torch.").removeprefix("numpy.")
    if name in DTYPES:
        return name
    name = name.lower().removeprefix("cudnn_data_")
    if name in _WORDS:
        return _WORDS[name]
    return name if name in DTYPES else _NAMES.get(name.upper(), "")


def data_type(dtype: Any) -> Any:
    """The member of the loaded release's `DataType` for a data type of any library.

    Args:
        dtype: a member or its number, or what `dtype_name` takes.

    Raises:
        ArgumentError: the loaded cuDNN has no such data type.
    """
    from .._tables import active, find_member

    cls = active().enum("DataType")
    if isinstance(dtype, numbers.Integral) and not isinstance(dtype, bool):
        # Another release's members are as good, another enum's are not.
        if not isinstance(dtype, Enum) or type(dtype).__name__ == cls.__name__:
            return cls(int(dtype))
    else:
        found = find_member(cls, DTYPES.get(dtype_name(dtype), str(dtype)))
        if found is not None:
            return found
    words = [_NAMES[each.name] for each in cls if each.name in _NAMES]
    raise errors.ArgumentError(
        f"a data type was expected, {dtype!r} came, which this cuDNN does not have",
        hint=f"it has {', '.join(words)}; by cuDNN's names {', '.join(each.name for each in cls)}",
    )


def itemsize(dtype: str) -> int:
    """Bytes of one element, by the name of its data type; those of a byte where it is packed."""
    return _SIZES.get(dtype, 1)


def numpy_dtype(name: str) -> Any:
    """The dtype of NumPy, or of ml_dtypes where NumPy has none."""
    import numpy

    try:
        return numpy.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError as error:
        raise errors.ArgumentError(
            f"NumPy alone has no {name}", hint="pip install ml_dtypes"
        ) from error
    return numpy.dtype(getattr(ml_dtypes, name))


# What an array is ---


class ArrayInfo(NamedTuple):
    """What there is to know of an array before a call.

    Attributes:
        address: of its first element.
        dtype: as NumPy or ml_dtypes names it; the library's own name where they have none.
        shape: extents.
        strides: in elements.
        device: the ordinal; None where it cannot be told.
    """

    address: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: int | None


def packed_strides(shape: Sequence[int], layout: str = "NCHW") -> tuple[int, ...]:
    """Strides in elements of an array without gaps; with "NHWC" the second axis is innermost."""
    axes = list(range(len(shape)))
    if layout == "NHWC" and len(axes) > 2:
        axes = [0, *axes[2:], 1]
    strides = [1] * len(axes)
    step = 1
    for axis in reversed(axes):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def batch_of_one(info: ArrayInfo) -> ArrayInfo:
    """The same array with an axis of one element in front."""
    step = max([1, *map(operator.mul, info.shape, info.strides)])
    return ArrayInfo(info.address, info.dtype, (1, *info.shape), (step, *info.strides), info.device)


def describe(array: Any) -> ArrayInfo:
    """Address, data type, shape, strides and device of an array in device memory.

    Raises:
        ArgumentError: it is no array, or lies in host memory.
        ClosedError: its memory was freed.
    """
    module = type(array).__module__.partition(".")[0]
    if module == "cudnn_cffi" and hasattr(array, "_memory"):
        return ArrayInfo(array.address, array.dtype_name, array.shape, array.strides, array.device)
    if hasattr(array, "is_cuda") and hasattr(array, "data_ptr"):
        return ArrayInfo(
            _of_torch(array),
            dtype_name(array.dtype) or str(array.dtype),
            tuple(array.shape),
            tuple(array.stride()),
            array.get_device(),
        )
    if hasattr(array, "unsafe_buffer_pointer"):
        shape = tuple(array.shape)
        return ArrayInfo(
            _of_jax(array),
            dtype_name(array.dtype) or str(array.dtype),
            shape,
            packed_strides(shape),
            int(array.__dlpack_device__()[1]),
        )
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _by_interface(array, interface)
    if isinstance(array, (int, float, str, bytes)) or array is None:
        raise _not_device(array)
    if hasattr(array, "__dlpack_device__"):
        return _by_dlpack(array)
    if hasattr(array, "__array_interface__"):
        raise _host(array)
    raise _not_device(array)


def _interface_address(interface: Any) -> int:
    try:
        return int(interface["data"][0] or 0)
    except (LookupError, TypeError, ValueError):
        raise _broken_interface(interface) from None


def _broken_interface(interface: Any) -> errors.ArgumentError:
    return errors.ArgumentError(
        "a __cuda_array_interface__ with shape, typestr and data, the pair of an address and "
        f"whether it is read-only, was expected, {interface!r} came"
    )


def _by_interface(array: Any, interface: dict[str, Any]) -> ArrayInfo:
    from numpy import dtype

    if not isinstance(interface, dict) or not {"shape", "typestr"} <= interface.keys():
        raise _broken_interface(interface)
    if interface["typestr"][0] == ">":
        raise errors.ArgumentError(
            f"elements in the byte order of the device were expected, {interface['typestr']} came"
        )
    kind = getattr(array, "dtype", None)
    kind = dtype(interface["typestr"]) if kind is None else kind
    shape = tuple(interface["shape"])
    address = _interface_address(interface)
    steps = interface.get("strides")
    size = dtype(interface["typestr"]).itemsize
    if steps is not None and any(
        step % size for extent, step in zip(shape, steps, strict=True) if extent > 1
    ):
        raise errors.ArgumentError(
            f"strides of whole elements of {size} bytes were expected, {_text(steps)} bytes came"
        )
    strides = packed_strides(shape) if steps is None else tuple(step // size for step in steps)
    if not address and 0 not in shape:
        raise errors.ClosedError("device memory was expected, an array that was freed came")
    return ArrayInfo(
        address,
        dtype_name(kind) or str(kind),
        shape,
        strides,
        _driver.ordinal_of_pointer(address),
    )


_DLPACK_HOST = (1,)


def _by_dlpack(array: Any) -> ArrayInfo:
    device = array.__dlpack_device__()
    if int(device[0]) in _DLPACK_HOST:
        raise _host(array)
    try:
        StridedMemoryView = import_module("cuda.core.utils").StridedMemoryView
    except ImportError as error:
        from ..library import install_cuda_core

        raise errors.ArgumentError(
            f"a {type(array).__name__} has DLPack only, which takes cuda.core to read",
            hint=install_cuda_core(),
        ) from error
    view = StridedMemoryView.from_dlpack(array, stream_ptr=-1)
    shape = tuple(view.shape)
    return ArrayInfo(
        int(view.ptr),
        dtype_name(view.dtype) or str(view.dtype),
        shape,
        tuple(view.strides) if view.strides is not None else packed_strides(shape),
        int(view.device_id),
    )


# Against a descriptor ---


def check(
    descriptor: TensorDescriptor | FilterDescriptor,
    array: Any,
    name: str = "array",
    device: int | None = None,
) -> int:
    """The address of `array`, which is refused where it is not what `descriptor` says.

    Of an address (an int, a ctypes pointer, an object that is one by `__index__`) only the
    alignment is looked at, for no more is known. Axes of one element may be left out, as of a bias;
    where the descriptor is channels-last, the array's axes may be in memory order.

    Args:
        descriptor: of the tensor or filter that is expected.
        array: what came.
        name: what to call it in an error.
        device: where it has to be; anywhere if None.

    Raises:
        ArgumentError: data type, shape, strides or device are not those that were expected, or it
            is in host memory.
        MisalignedPointerError: its address is no multiple of an element's size.
        NullPointerError: an address that is 0.
        ClosedError: its memory was freed, or the descriptor is closed.
    """
    try:
        kind, shape, strides = descriptor.dtype, descriptor.shape, descriptor.strides
    except AttributeError:
        raise errors.ArgumentError(
            f"a TensorDescriptor or FilterDescriptor was expected, a {type(descriptor).__name__} "
            "came"
        ) from None
    vector, _, width = kind.name.partition("x")
    wanted = dtype_name(kind) or (vector.lower() if width.isdigit() else "")
    if array is not None and not tells_shape(array):  # an address, of whatever kind
        address = device_pointer(array)
        if not address:
            raise errors.NullPointerError(f"{name}: device memory was expected, NULL came")
        check_place(ArrayInfo(address, wanted, (), (), None), name, None)
        return address
    info = describe(array)
    check_place(info, name, device)
    if wanted and wanted != info.dtype:
        raise errors.ArgumentError(f"{name}: {wanted} was expected, {info.dtype} came")
    if width.isdigit():  # libraries have an axis more for a vector, or have it elsewhere
        if prod(shape) != prod(info.shape):
            raise errors.ArgumentError(
                f"{name}: {prod(shape)} elements were expected, {prod(info.shape)} came"
            )
    elif wanted:
        _check_layout(shape, strides, info, name)
    return info.address


def tells_shape(array: Any) -> bool:
    """Whether `describe` has something to go by: an address and a bare allocation have nothing."""
    return any(hasattr(array, name) for name in _TELLING)


#: The interface last: PyTorch's raises where a gradient is wanted.
_TELLING = ("is_cuda", "unsafe_buffer_pointer", "__dlpack_device__", "__cuda_array_interface__")


def size_in_bytes(array: Any) -> int:
    """How much memory an array spans. Raises as `describe` does."""
    info = describe(array)
    if 0 in info.shape:
        return 0
    steps = zip(info.shape, info.strides, strict=True)
    return (sum((extent - 1) * abs(step) for extent, step in steps) + 1) * itemsize(info.dtype)


def check_place(info: ArrayInfo, name: str, device: int | None) -> None:
    """Refuse an array on another device, or at an address where no element can be."""
    if device is not None and info.device is not None and info.device != device:
        raise errors.ArgumentError(
            f"{name}: memory of device {device} was expected, memory of device {info.device} came",
            hint="copy it there, or use a handle of its device",
        )
    if info.address % itemsize(info.dtype):
        raise errors.MisalignedPointerError(
            f"{name}: an address that is a multiple of {itemsize(info.dtype)} was expected, "
            f"{info.address:#x} came",
            hint="a view can begin in the middle of an element; copy it to a fresh array",
        )


def _check_layout(
    shape: tuple[int, ...], strides: tuple[int, ...], info: ArrayInfo, name: str
) -> None:
    wanted, came = _cells(shape, strides), _cells(info.shape, info.strides)
    if 0 not in info.shape and came in (wanted, sorted(wanted, key=lambda cell: -cell[1])):
        return
    if info.shape + (1,) * (len(shape) - len(info.shape)) == shape:
        raise errors.ArgumentError(
            f"{name}: strides {_text(strides)} were expected, {_text(info.strides)} came",
            hint="describe the array as it is with TensorDescriptor.like, or make it contiguous",
        )
    raise errors.ArgumentError(
        f"{name}: shape {_text(shape)} was expected, {_text(info.shape)} came"
    )


def _cells(shape: Sequence[int], strides: Sequence[int]) -> list[tuple[int, int]]:
    """Extent and stride of each axis that has more than one element: the others mean nothing."""
    return [cell for cell in zip(shape, strides, strict=True) if cell[0] > 1]


def _same_steps(shape: Sequence[int], left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether strides mean the same: that of an axis with one element means nothing."""
    return all(a == b for extent, a, b in zip(shape, left, right, strict=True) if extent > 1)


def _text(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers)) or "()"
