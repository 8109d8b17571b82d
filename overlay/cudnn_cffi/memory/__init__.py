"""Device memory of our own, over cuda.core, which is imported when the first array is made."""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable, Sequence
from importlib import import_module
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from .. import arrays, errors, library
from .. import driver as _driver
from ..descriptors.configured import index, member, whole
from ..driver import streams

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    import numpy
    from numpy.typing import NDArray

    class Placing(TypedDict, total=False):
        """What `DeviceArray.empty` takes besides shape and data type."""

        layout: Any
        stream: Any
        device: int | None
        memory_resource: Any


__all__ = ["DeviceArray", "pinned_empty"]

_Out = TypeVar("_Out")

Index = int | slice | EllipsisType

#: DLPack's numbers of the types that cuda.core does not export.
_DLPACK_CODES = {
    "bfloat16": 4,
    "bool": 6,
    "float8_e4m3fn": 10,
    "float8_e5m2": 12,
    "float8_e8m0fnu": 14,
}

#: Where the type's code is in the structs that DLPack's capsules hold.
_DLPACK_PLACES = {b"dltensor": 20, b"dltensor_versioned": 52}


def _core() -> Any:
    try:
        return import_module("cuda.core")
    except ImportError as error:
        raise errors.CudnnError(
            "arrays of this package are made with cuda.core, which is not installed",
            hint=f"{library.install_cuda_core()}; or pass arrays of another library",
        ) from error


def core_stream(stream: Any, address: int | None = None) -> Any:
    """The same stream as an object of cuda.core's; the default stream for None or 0.

    Args:
        stream: of any library.
        address: where it is, if that is known.
    """
    core = _core()
    if address is None:
        address = streams.stream_pointer(stream)
    if address in (0, 1):
        return core.LEGACY_DEFAULT_STREAM
    if address == 2:
        return core.PER_THREAD_DEFAULT_STREAM
    if isinstance(stream, core.Stream):
        return stream
    return core.Stream.from_handle(address)


class _Having:
    """Has a context current for a while; it stays where none was before."""

    def __init__(self, context: int) -> None:
        self._wanted = context
        self._before = 0

    def __enter__(self) -> None:
        self._before = _driver.current_context()
        if self._before != self._wanted:
            _driver.set_context(self._wanted)

    def __exit__(self, *_: object) -> None:
        if self._before and _driver.current_context() != self._before:
            _driver.set_context(self._before)


class Memory:
    """One allocation: freed once, in the order of a stream.

    Attributes:
        stream: as it was given; `ordered` is the one in whose order it is to be used.
    """

    __slots__ = (
        "__weakref__",
        "_context",
        "_owned",
        "_place",
        "address",
        "arrays",
        "buffer",
        "device",
        "size",
        "stream",
    )

    #: What has its address, and loses it when the memory is freed.
    arrays: weakref.WeakSet[DeviceArray]

    def __init__(self, size: int, device: int, stream: Any, resource: Any = None) -> None:
        """Allocate `size` bytes on `device`, for use in `stream` from now on.

        Raises:
            AllocationError: the device has not that much left.
            ArgumentError: the stream is of another device.
        """
        self.buffer: Any = None
        self.arrays = weakref.WeakSet()
        self._owned = True
        self._context = 0
        self.address: int | None = None
        self.size = size
        self.device = device
        self.stream = stream
        self._place = streams.stream_pointer(stream)
        core = _core()
        self._context = context = _driver.usable_context(device)
        streams.check_device(self._place, context)
        with _Having(context):
            target = core.Device(device)
            # cuda.core wants this once, and makes the primary context current; but the default
            # stream is that of the context in which the memory is used.
            target.set_current()
            if _driver.current_context() != context:
                _driver.set_context(context)
            ordered = core_stream(stream, self._place)
            try:
                if resource is None:
                    self.buffer = target.allocate(max(size, 1), stream=ordered)
                else:
                    self.buffer = resource.allocate(max(size, 1), stream=ordered)
            except Exception as error:
                if "OUT_OF_MEMORY" not in str(error):
                    raise
                raise errors.AllocationError(
                    f"{size} bytes do not fit on device {_driver.info(device)}",
                    hint="free arrays, or what other processes and libraries hold on it",
                ) from error
        self.address = int(self.buffer.handle)

    @classmethod
    def borrow(cls, address: int, size: int, device: int, stream: Any, keep: Any) -> Memory:
        """Memory that `keep` owns."""
        self = cls.__new__(cls)
        self.arrays = weakref.WeakSet()
        self.buffer = keep
        self._owned = False
        self._context = 0
        self.address = address
        self.size = size
        self.device = device
        self.stream = stream
        self._place = streams.stream_pointer(stream)
        return self

    def current(self) -> _Having:
        """Has the context current in which it was allocated, or one of its device."""
        return _Having(self._context or _driver.usable_context(self.device))

    def ordered(self) -> Any:
        """The stream in whose order it is used. When that is closed, the default stream takes
        over, behind what was still to be done: it waits on the device for a `Stream`; for one of
        another library this waits for the context."""
        stream = self.stream
        if stream is not None and streams.is_closed(stream, self._place):
            with self.current():
                streams.hand_over(stream)
            self.stream, self._place = None, 0
        return self.stream

    def close(self, stream: Any = None) -> None:
        """Free it once `stream`, its own by default, has done what it has to do.

        This waits only where that is a closed stream of another library.
        """
        # What fails does so before anything is lost.
        if stream is not None:
            address = streams.stream_pointer(stream)
        elif self._owned and self.buffer is not None and not library.forked_with_handles:
            stream, address = self.ordered(), self._place
        buffer, self.buffer = self.buffer, None
        self.address = None
        for array in list(self.arrays):
            del array._pointer
        self.arrays.clear()
        if buffer is None or not self._owned or library.forked_with_handles:
            return
        with self.current():
            buffer.close(core_stream(stream, address))

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not _finalizing() and getattr(self, "buffer", None) is not None:
            self.close()


class DeviceArray:
    """An array in device memory: what cuDNN's functions and other array libraries take.

    Memory is allocated, copied and freed in the order of a stream, the default one unless another
    is named; nothing waits for the device but `to_numpy` and `synchronize`, copies from pageable
    host memory, which CUDA makes so, and the use or the end of an array in the order of another
    library's stream that was closed before. It is freed by `close`, at the end of a `with`
    block, or when nothing refers to the array or a view of it any more. Views share it: closing
    one closes all.

    Attributes:
        shape: extents.
        strides: in elements.
        dtype_name: the data type as NumPy or ml_dtypes names it.
        device: the ordinal of the device.
        stream: the stream in whose order it was allocated and will be freed; the default one, which
            goes on behind it, once it was closed.
    """

    __slots__ = ("__weakref__", "_memory", "_pointer", "dtype_name", "shape", "strides")

    def __init__(
        self,
        memory: Memory,
        shape: Sequence[int] = (),
        dtype: str = "",
        strides: Sequence[int] = (),
        offset: int = 0,
    ) -> None:
        if not isinstance(memory, Memory):
            raise errors.ArgumentError(
                f"a DeviceArray is not made of a {type(memory).__name__} by its constructor",
                hint="use DeviceArray.from_numpy(array), from_dlpack(array), empty(shape, dtype) "
                "or zeros(shape, dtype)",
            )
        if memory.address is None:
            raise errors.ClosedError("the DeviceArray was freed")
        self._memory = memory
        self._pointer = memory.address + offset
        memory.arrays.add(self)
        self.shape = tuple(shape)
        self.strides = tuple(strides)
        self.dtype_name = dtype

    # Making ---

    @classmethod
    def empty(
        cls,
        shape: Sequence[int] | int,
        dtype: Any = "float32",
        *,
        layout: Any = "NCHW",
        stream: Any = None,
        device: int | None = None,
        memory_resource: Any = None,
    ) -> Self:
        """An array whose elements are not set.

        Args:
            shape: extents, or one; for layout "NHWC" in the order N, C, H, W all the same.
            dtype: a data type of any library, or its name; also bfloat16 and the float8 types.
            layout: a `TensorFormat` or its name: "NCHW" for row-major, "NHWC" to have the second
                axis innermost in memory.
            stream: in whose order the memory is allocated and freed.
            device: an ordinal; the stream's or the current device by default.
            memory_resource: of cuda.core; the device's own by default.

        Raises:
            AllocationError: the device has not that much memory left.
            ArgumentError: shape, data type, layout, device or stream are none, or the stream is of
                another device.
            ClosedError: the stream is closed.
        """
        shape, name = _extents(shape), _dtype_name(dtype)
        layout = _layout_name(layout)
        size = arrays.itemsize(name)
        for extent in shape:
            size *= extent
        memory = Memory(size, _device(device, stream), stream, memory_resource)
        return cls(memory, shape, name, arrays.packed_strides(shape, layout))

    @classmethod
    def zeros(
        cls, shape: Sequence[int] | int, dtype: Any = "float32", **options: Unpack[Placing]
    ) -> Self:
        """An array of zeros; options as for `empty`."""
        self = cls.empty(shape, dtype, **options)
        self.fill_bytes(0)
        return self

    @classmethod
    def from_numpy(
        cls, array: Any, *, stream: Any = None, device: int | None = None, layout: Any = "NCHW"
    ) -> Self:
        """A copy of an array in host memory.

        From pageable memory the copy has left `array` when this returns. From page-locked memory
        (`pinned_empty`) it may be still going on: do not change `array` before the stream is done.
        """
        import numpy

        array = numpy.asarray(array)
        self = cls.empty(array.shape, array.dtype.name, stream=stream, device=device, layout=layout)
        self.copy_from(array)
        return self

    @classmethod
    def from_dlpack(cls, array: Any, *, stream: Any = None) -> Self:
        """The memory of an array of another library, without a copy.

        Its library is told `stream`, and has that stream wait for what it still does to the array.
        Where it has only the CUDA Array Interface, `stream` waits, on the device, for the stream
        that the interface names. Nothing is freed by us; the other array lives as long as the
        result.

        Args:
            stream: in whose order the result is used.

        Raises:
            ArgumentError: it is no array in device memory.
            ClosedError: its memory was freed, or the stream is closed.
        """
        address = streams.stream_pointer(stream)
        if hasattr(array, "__dlpack_device__"):
            if int(array.__dlpack_device__()[0]) == 1:
                raise errors.ArgumentError(
                    f"device memory was expected, a {type(array).__name__} in host memory came",
                    hint="DeviceArray.from_numpy copies it to the device",
                )
            # The exchange orders the streams; the capsule is not needed as `array` is kept.
            array.__dlpack__(stream=address or 1)
        info = arrays.describe(array)
        size = arrays.itemsize(info.dtype)
        for extent in info.shape:
            size *= extent
        device = info.device if info.device is not None else _driver.device_of()
        if not hasattr(array, "__dlpack_device__"):
            interface = getattr(array, "__cuda_array_interface__", None) or {}
            _wait(address, int(interface.get("stream") or address), device)
        memory = Memory.borrow(info.address, size, device, stream, array)
        return cls(memory, info.shape, info.dtype, info.strides)

    # What it is ---

    @property
    def device(self) -> int:
        return self._memory.device

    @property
    def stream(self) -> Any:
        return self._memory.ordered()

    @property
    def address(self) -> int:
        """Of the first element.

        Raises:
            ClosedError: the memory was freed.
        """
        return arrays.device_pointer(self)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The dtype of NumPy, or of ml_dtypes where NumPy has none."""
        found: numpy.dtype[Any] = arrays.numpy_dtype(self.dtype_name)
        return found

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, gaps between them not counted."""
        return self.size * arrays.itemsize(self.dtype_name)

    @property
    def T(self) -> Self:
        """The same elements with the axes in reverse order."""
        return self.transpose()

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        return arrays._same_steps(self.shape, self.strides, arrays.packed_strides(self.shape))

    @property
    def closed(self) -> bool:
        return self._memory.address is None

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        shape = ",".join(map(str, self.shape))
        if self.closed:
            return f"DeviceArray({shape} {self.dtype_name} closed)"
        return f"DeviceArray({shape} {self.dtype_name} device {self.device})"

    # Copies ---

    def _span(self) -> int:
        """Bytes from the first to behind the last element, where there are no gaps; else -1."""
        order = sorted(range(self.ndim), key=lambda axis: -self.strides[axis])
        shape = [self.shape[axis] for axis in order]
        strides = [self.strides[axis] for axis in order]
        if not arrays._same_steps(shape, strides, arrays.packed_strides(shape)):
            return -1
        return self.nbytes

    def _as_buffer(self, size: int | None = None) -> Any:
        size = self.nbytes if size is None else size
        return _core().Buffer.from_handle(self.address, size, owner=self)

    def copy_from(self, array: Any, *, stream: Any = None) -> None:
        """Copy elements to here, without a conversion.

        Args:
            array: a NumPy array of the same shape and data type, what NumPy makes one of, or a
                `DeviceArray` of the same strides too; `ready_in` has the stream wait for its own.
            stream: in whose order the copy is made; the array's own by default.

        Raises:
            ArgumentError: shape, data type or strides are others, or there are gaps.
            ClosedError: one of the arrays, or the stream, is closed.
        """
        stream = self.stream if stream is None else stream
        if self._span() < 0:
            raise errors.ArgumentError("an array without gaps was expected, a strided view came")
        if isinstance(array, DeviceArray):
            if (array.shape, array.strides, array.dtype_name) != (
                self.shape, self.strides, self.dtype_name,
            ):  # fmt: skip
                raise errors.ArgumentError(f"{self!r} was expected, {array!r} came")
            source = array._as_buffer()
        else:
            import numpy

            array = numpy.asarray(array, None if hasattr(array, "dtype") else self.dtype)
            if array.dtype != self.dtype:
                raise errors.ArgumentError(
                    f"{self.dtype_name} was expected, {array.dtype} came",
                    hint="convert it first with its astype",
                )
            if array.shape != self.shape:
                raise errors.ArgumentError(f"shape {self.shape} was expected, {array.shape} came")
            order = sorted(range(self.ndim), key=lambda axis: -self.strides[axis])
            array = numpy.ascontiguousarray(array.transpose(order))
            source = _core().Buffer.from_handle(array.ctypes.data, array.nbytes, owner=array)
        if not self.nbytes:
            return
        with self._memory.current():
            self._as_buffer().copy_from(source, stream=core_stream(stream))

    @overload
    def to_numpy(
        self, out: None = None, *, stream: Any = None, wait: bool = True
    ) -> NDArray[Any]: ...

    @overload
    def to_numpy(self, out: _Out, *, stream: Any = None, wait: bool = True) -> _Out: ...

    def to_numpy(self, out: Any = None, *, stream: Any = None, wait: bool = True) -> Any:
        """The elements as a NumPy array in host memory.

        Args:
            out: a C-contiguous array of the same shape and type to copy into; with
                `pinned_empty` and `wait=False` the copy goes on while Python does.
            stream: in whose order the copy is made; the array's own by default.
            wait: whether to wait for it. Without waiting, `out` is not filled before the stream
                has got there, and has to be kept until then.

        Raises:
            ArgumentError: there are gaps between the elements, or `out` does not fit.
            ClosedError: the array or the stream is closed.
        """
        import numpy

        stream = self.stream if stream is None else stream
        dense = self._span()
        if dense < 0:
            raise errors.ArgumentError(
                "an array without gaps was expected, a strided view came",
                hint="copy the array that it is a view of, and take the view in NumPy",
            )
        order = sorted(range(self.ndim), key=lambda axis: -self.strides[axis])
        inside = [self.shape[axis] for axis in order]
        if out is None:
            memory = numpy.empty(inside, self.dtype)
            result = memory.transpose([order.index(axis) for axis in range(self.ndim)])
        else:
            if not isinstance(out, numpy.ndarray):
                raise errors.ArgumentError(
                    f"out: a NumPy array was expected, a {type(out).__name__} came"
                )
            if out.shape != self.shape or out.dtype != self.dtype or not out.flags.c_contiguous:
                raise errors.ArgumentError(
                    f"out: a C-contiguous array {self.shape} of {self.dtype_name} was expected, "
                    f"{out.shape} of {out.dtype} came"
                )
            if not out.flags.writeable:
                raise errors.ArgumentError(
                    "out: an array to write to was expected, a read-only one came"
                )
            if not self.is_contiguous:
                raise errors.ArgumentError("out: it is taken for arrays in row-major order only")
            memory = result = out
        if self.nbytes:
            host = _core().Buffer.from_handle(memory.ctypes.data, memory.nbytes, owner=memory)
            with self._memory.current():
                self._as_buffer().copy_to(host, stream=core_stream(stream))
            if wait:
                self.synchronize(stream)
        return result

    def fill_bytes(self, value: int, *, stream: Any = None) -> None:
        """Set every byte to `value`; 255 makes NaNs of all floating-point elements."""
        if self._span() < 0:
            raise errors.ArgumentError("an array without gaps was expected, a strided view came")
        if self.nbytes:
            with self._memory.current():
                ordered = core_stream(self.stream if stream is None else stream)
                self._as_buffer().fill(value, stream=ordered)

    def synchronize(self, stream: Any = None) -> None:
        """Wait until all that was put into the array's stream, or the one given, is done."""
        with self._memory.current():
            _driver.synchronize(streams.stream_pointer(self.stream if stream is None else stream))

    def ready_in(self, stream: Any) -> Self:
        """Have `stream` wait, on the device, for what the array's own stream has yet to do."""
        _wait(streams.stream_pointer(stream), streams.stream_pointer(self.stream), self.device)
        return self

    # Views ---

    def reshape(self, *shape: int | Sequence[int]) -> Self:
        """The same elements in other extents, one of which may be -1; never a copy.

        Raises:
            ArgumentError: the extents do not fit, or the elements do not lie in row-major order.
        """
        extents = list(_several(shape, "shape"))
        known = 1
        for extent in extents:
            known *= extent if extent != -1 else 1
        if extents.count(-1) == 1 and known and self.size % known == 0:
            extents[extents.index(-1)] = self.size // known
            known = self.size
        if known != self.size or any(extent < 0 for extent in extents):
            raise errors.ArgumentError(f"{self.size} elements cannot have the shape {shape}")
        if not self.is_contiguous:
            raise errors.ArgumentError("a contiguous array was expected, a strided view came")
        return self._view(extents, arrays.packed_strides(extents), self._offset())

    def transpose(self, *axes: int | Sequence[int]) -> Self:
        """The same elements with the axes in another order; reversed where none are named.

        Raises:
            ArgumentError: it is not each axis once.
        """
        named = _several(axes, "axes") if axes else range(self.ndim)[::-1]
        order = [axis + self.ndim if axis < 0 else axis for axis in named]
        if sorted(order) != list(range(self.ndim)):
            raise errors.ArgumentError(f"each of {self.ndim} axes once was expected, {axes} came")
        shape = [self.shape[axis] for axis in order]
        return self._view(shape, [self.strides[axis] for axis in order], self._offset())

    def __getitem__(self, key: Index | tuple[Index, ...]) -> Self:
        """A part, by ints, slices and `...`; never a copy.

        Raises:
            IndexError: an index is out of range, or there are too many.
            ArgumentError: it is none of these.
        """
        keys = _all_keys(key if isinstance(key, tuple) else (key,), self.ndim)
        shape, strides, first = [], [], 0
        for each, extent, step in zip(keys, self.shape, self.strides, strict=True):
            if isinstance(each, slice):
                span = range(extent)[each]
                if span.step < 0:
                    raise IndexError("steps of 1 or more were expected, a negative one came")
                shape.append(len(span))
                strides.append(step * span.step)
                first += step * (span.start if len(span) else 0)
            else:
                first += step * range(extent)[_index(each)]
        return self._view(shape, strides, self._offset() + first * arrays.itemsize(self.dtype_name))

    def _offset(self) -> int:
        return self.address - (self._memory.address or 0)

    def _view(self, shape: Sequence[int], strides: Sequence[int], offset: int) -> Self:
        return type(self)(self._memory, shape, self.dtype_name, strides, offset)

    # For other libraries ---

    def __array__(self, *_: Any, **__: Any) -> Any:
        """NumPy would otherwise make an array of views.

        Raises:
            ArgumentError: always.
        """
        raise errors.ArgumentError(
            "an array in host memory was expected, a DeviceArray came",
            hint="to_numpy() copies it to the host",
        )

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.dtype.isbuiltin != 1:
            raise AttributeError(
                f"the CUDA Array Interface has no {self.dtype_name}: exchange it by DLPack"
            )
        size = arrays.itemsize(self.dtype_name)
        contiguous = self.is_contiguous
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address, False),
            "strides": None if contiguous else tuple(step * size for step in self.strides),
            "stream": streams.stream_pointer(self.stream) or 1,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, self.device)

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        """A capsule for another library; `stream`, the consumer's, waits for ours on the device."""
        StridedMemoryView = import_module("cuda.core.utils").StridedMemoryView
        if stream != -1:
            self.ready_in(stream or 1)
        last = sum(
            (extent - 1) * step for extent, step in zip(self.shape, self.strides, strict=True)
        )
        size = arrays.itemsize(self.dtype_name)
        reach = (last + 1) * size if self.size else 0
        code = _DLPACK_CODES.get(self.dtype_name)
        dtype = self.dtype if code is None else arrays.numpy_dtype(f"int{8 * size}")
        view = StridedMemoryView.from_buffer(
            self._as_buffer(reach), self.shape, self.strides, dtype=dtype
        )
        capsule = view.__dlpack__(stream=-1, **options)
        if code is not None:
            _retype(capsule, code)
        return capsule

    # The end ---

    def close(self, stream: Any = None) -> None:
        """Free the memory once the stream, its own by default, has done what it has to do.

        This waits only where its own is a closed stream of another library. Closing again does
        nothing.

        Raises:
            ArgumentError: `stream` is none.
            ClosedError: `stream` is closed.
        """
        self._memory.close(stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a DeviceArray cannot be pickled: copy it to the host with to_numpy")


def _retype(capsule: Any, code: int) -> None:
    """Write the code of a type into a capsule that holds integers of the same size."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype = ctypes.c_void_p
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype = ctypes.c_char_p
    name_of.argtypes = [ctypes.py_object]
    name = name_of(capsule)
    ctypes.c_uint8.from_address(pointer_of(capsule, name) + _DLPACK_PLACES[name]).value = code


def _device(device: int | None, stream: Any) -> int:
    if device is not None:
        return _driver.ordinal(device)
    address = streams.stream_pointer(stream)
    if address > 2:
        return _driver.device_of(_driver.context_of_stream(address))
    return _driver.device_of()


def _wait(stream: int, other: int, device: int) -> None:
    """Have one stream wait, on the device, for what another one has to do."""
    if (stream or 1) != (other or 1):  # both are the default stream
        with _Having(_driver.usable_context(device)):
            _driver.wait_for(_driver.record(other), stream)


def _extents(shape: Any) -> tuple[int, ...]:
    try:
        extents: tuple[int, ...] = (index(shape),)
    except TypeError:
        extents = whole(shape, "shape")
    if any(extent < 0 for extent in extents):
        raise errors.ArgumentError(f"extents of 0 or more were expected, {extents} came")
    return extents


def _layout_name(layout: Any) -> str:
    if layout not in ("NCHW", "NHWC"):
        named = str(member("TensorFormat", layout))
        if named not in ("NCHW", "NHWC"):
            raise errors.ArgumentError(f'layout: "NCHW" or "NHWC" was expected, {named} came')
        return named
    return str(layout)


def _dtype_name(dtype: Any) -> str:
    name = arrays.dtype_name(dtype)
    if not name:
        raise errors.ArgumentError(
            f"a data type was expected, {dtype!r} came", hint=f"one of {', '.join(arrays.DTYPES)}"
        )
    return name


def _several(values: tuple[Any, ...], name: str) -> tuple[int, ...]:
    """Ints that were given one by one or as a sequence."""
    if len(values) == 1:
        try:
            index(values[0])
        except TypeError:
            return whole(values[0], name)
    return whole(values, name)


def _all_keys(keys: tuple[Any, ...], count: int) -> list[Any]:
    """A key for each of `count` axes: what `...` stands for, and the rest, are whole axes."""
    dots = [place for place, each in enumerate(keys) if each is ...]
    given = len(keys) - len(dots)
    if len(dots) > 1 or given > count:
        raise IndexError(f"{count} axes, {given} indices and {len(dots)} times ...")
    before = dots[0] if dots else len(keys)
    return [*keys[:before], *[slice(None)] * (count - given), *keys[before + 1 :]]


def _index(key: Any) -> int:
    if not isinstance(key, bool):
        try:
            return index(key)
        except TypeError:
            pass
    raise errors.ArgumentError(f"an int, a slice or ... was expected, {key!r} came")


def pinned_empty(shape: Sequence[int] | int, dtype: Any = "float32") -> NDArray[Any]:
    """A NumPy array in page-locked host memory, for copies that do not hold Python up.

    Its elements are not set.

    Args:
        shape: extents, or one.
        dtype: a data type of any library, or its name; also bfloat16 and the float8 types.

    Raises:
        ArgumentError: shape or data type are none.
        AllocationError: that much host memory cannot be page-locked.
    """
    import numpy

    extents, name = _extents(shape), _dtype_name(dtype)
    kind = arrays.numpy_dtype(name)
    size = kind.itemsize
    for extent in extents:
        size *= extent
    device = _driver.device_of()
    with _Having(context := _driver.usable_context(device)):
        core = _core()
        core.Device(device).set_current()
        if _driver.current_context() != context:
            _driver.set_context(context)
        try:
            buffer = core.LegacyPinnedMemoryResource().allocate(max(size, 1))
        except Exception as error:
            if "OUT_OF_MEMORY" not in str(error):
                raise
            raise errors.AllocationError(
                f"{size} bytes of host memory cannot be page-locked"
            ) from error
    found: NDArray[Any] = numpy.from_dlpack(buffer).view(numpy.uint8)[:size].view(kind)
    return found.reshape(extents)
