"""An array in device memory of this package's own."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar, overload

from .. import arrays, errors
from .. import driver as _driver
from .._support.constructors import list_makers
from .._support.wording import a_kind
from ..driver import captures, keeping, streams
from .allocation import Memory, core_stream, import_core, wait_for
from .array_arguments import device_for, extents_of, known_dtype
from .views import Viewable

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    import numpy
    from numpy.typing import ArrayLike, NDArray

    from ..types import Array, DType, Layout
    from ..types import Stream as StreamLike

    class Placing(TypedDict, total=False):
        """The keyword arguments of `DeviceArray.empty`."""

        layout: Layout
        stream: StreamLike
        device: int | None
        memory_resource: object


_Out = TypeVar("_Out")

#: Data types that cuda.core does not export by DLPack.
_NOT_IN_CORE = ("bfloat16", "bool", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu")


@list_makers
class DeviceArray(Viewable):
    """An array in device memory, for cuDNN's functions and for other array libraries.

    Memory is allocated, copied and freed in the order of a stream: the default stream unless the
    caller names another. The memory is freed by `close`, at the end of a `with` block, or with the
    last reference to the array and its views. Views share the memory: closing one closes all.

    Only these wait for the device: `to_numpy`; `synchronize`; copies from pageable host memory,
    which CUDA makes synchronous; and using or freeing an array whose stream is of another library
    and was closed before.

    Attributes:
        shape: the extents.
        strides: in elements.
        dtype_name: the data type as NumPy or ml_dtypes names it.
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
                f"a DeviceArray is not made of {a_kind(memory)} by its constructor",
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

    @classmethod
    def empty(
        cls,
        shape: Sequence[int] | int,
        dtype: DType = "float32",
        *,
        layout: Layout = "NCHW",
        stream: StreamLike = None,
        device: int | None = None,
        memory_resource: object = None,
    ) -> Self:
        """Allocate an array without setting its elements.

        Args:
            shape: the extents, or one extent; in the order N, C, H, W for layout "NHWC" too.
            dtype: a data type of any library, or its name; also bfloat16 and the float8 types.
            layout: a `TensorFormat` or its name: "NCHW" for row-major, "NHWC" to have the second
                axis innermost in memory.
            stream: the stream, of any library, that allocates the memory, and frees it later;
                None for the default stream.
            device: an ordinal; by default the device of the stream, or the current one.
            memory_resource: a memory resource of cuda.core; the device's own by default.

        Raises:
            AllocationError: the device does not have that much memory left.
            ArgumentError: an argument is not what it should be, or the stream is of another device.
            ClosedError: the stream is closed.
            CudnnError: cuda.core is not installed.
        """
        shape, name = extents_of(shape), known_dtype(dtype)
        plain = arrays.plain_layout(layout)
        size = prod(shape) * arrays.itemsize(name)
        memory = Memory(size, device_for(device, stream), stream, memory_resource)
        return cls(memory, shape, name, arrays.packed_strides(shape, plain))

    @classmethod
    def zeros(
        cls, shape: Sequence[int] | int, dtype: DType = "float32", **options: Unpack[Placing]
    ) -> Self:
        """Allocate an array of zeros.

        Args:
            shape, dtype: as for `empty`.
            options: the keyword arguments of `empty`.

        Raises:
            AllocationError, ArgumentError, ClosedError, CudnnError: as `empty` does.
        """
        self = cls.empty(shape, dtype, **options)
        self.fill_bytes(0)
        return self

    @classmethod
    def from_numpy(
        cls,
        array: ArrayLike,
        *,
        stream: StreamLike = None,
        device: int | None = None,
        layout: Layout = "NCHW",
    ) -> Self:
        """Copy an array in host memory to the device.

        If `array` is in page-locked memory (`pinned_empty`), the copy may still be going on when
        this returns: do not change `array` before the stream has done it. From other memory the
        data has left `array` by then.

        Args:
            array: a NumPy array, or what NumPy makes one of.
            stream, device, layout: as for `empty`.

        Raises:
            AllocationError, ArgumentError, ClosedError, CudnnError: as `empty` does.
        """
        import numpy

        source: NDArray[Any] = numpy.asarray(array)
        kind: Any = source.dtype.name
        self = cls.empty(source.shape, kind, stream=stream, device=device, layout=layout)
        self.copy_from(source)
        return self

    @classmethod
    def from_dlpack(cls, array: Array, *, stream: StreamLike = None) -> Self:
        """Share the memory of an array of another library, without a copy.

        The other library has `stream` wait, on the device, for its own work on the array. Where the
        array has the CUDA Array Interface only, `stream` waits for the stream that the interface
        names. The memory is never freed from here; the result keeps `array` alive. It is read-only
        if `array` is, as arrays of JAX are.

        Args:
            array: an array in device memory, with DLPack or the CUDA Array Interface.
            stream: the stream, of any library, that will use the result; None for the default
                stream.

        Raises:
            ArgumentError: `array` is not an array in device memory.
            ClosedError: the memory was freed, or the stream is closed.
        """
        address, readonly = streams.stream_pointer(stream), arrays.is_fixed(array)
        if hasattr(array, "__dlpack_device__"):
            if int(array.__dlpack_device__()[0]) == 1:
                raise errors.ArgumentError(
                    f"expected device memory, got {a_kind(array)} in host memory",
                    hint="DeviceArray.from_numpy copies it to the device",
                )
            # The exchange orders the streams; the capsule is not kept, as `array` is.
            readonly |= arrays.is_read_only(arrays.export(array, address or 1))
        info = arrays.describe(array)
        size = prod(info.shape) * arrays.itemsize(info.dtype)
        device = info.device if info.device is not None else _driver.device_of()
        if not hasattr(array, "__dlpack_device__"):
            other = (getattr(array, "__cuda_array_interface__", None) or {}).get("stream")
            wait_for(address, address if other is None else int(other), device)
        memory = Memory.borrow(info.address, size, device, stream, array, readonly)
        return cls(memory, info.shape, info.dtype, info.strides)

    @property
    def device(self) -> int:
        """Return the ordinal of the device."""
        return self._memory.device

    @property
    def stream(self) -> StreamLike:
        """Return the stream in whose order the memory was allocated and will be freed.

        Once that stream is closed, this is None: the default stream takes its place and waits for
        the work that the closed stream has left.
        """
        return self._memory.ordered()

    @property
    def address(self) -> int:
        """Return the address of the first element.

        Raises:
            ClosedError: the memory was freed.
        """
        return arrays.device_pointer(self)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """Return the dtype of NumPy, or of ml_dtypes where NumPy has none.

        Raises:
            ArgumentError: NumPy has no such data type and ml_dtypes is not installed.
        """
        return arrays.numpy_dtype(self.dtype_name)

    @property
    def closed(self) -> bool:
        """Return whether the memory was freed."""
        return self._memory.address is None

    def __repr__(self) -> str:
        shape = ",".join(map(str, self.shape))
        if self.closed:
            return f"DeviceArray({shape} {self.dtype_name} closed)"
        return f"DeviceArray({shape} {self.dtype_name} device {self.device})"

    def _as_buffer(self, size: int | None = None) -> Any:
        size = self.nbytes if size is None else size
        return import_core().Buffer.from_handle(self.address, size, owner=self)

    def copy_from(self, array: ArrayLike, *, stream: StreamLike = None) -> None:
        """Copy the elements of another array into this one, without a conversion.

        Args:
            array: a NumPy array of the same shape and data type, or what NumPy makes one of; or a
                `DeviceArray` of the same shape, data type and strides. The copy does not wait for
                that array's own stream: call its `ready_in(stream)` first.
            stream: the stream, of any library, that makes the copy; by default this array's own.

        Raises:
            ArgumentError: shape, data type or strides differ, there are gaps between elements, or
                this array is read-only.
            ClosedError: one of the arrays, or the stream, is closed.
            CudnnError: the array is on the host, and the stream is captured.
        """
        arrays.check_writable(self, "copy_from")
        stream = self.stream if stream is None else stream
        order = self._dense_order()
        if isinstance(array, DeviceArray):
            if (array.shape, array.strides, array.dtype_name) != (
                self.shape, self.strides, self.dtype_name,
            ):  # fmt: skip
                raise errors.ArgumentError(f"expected {self!r}, got {array!r}")
            source = array._as_buffer()
        else:
            import numpy

            array = numpy.asarray(array, None if hasattr(array, "dtype") else self.dtype)
            if array.dtype != self.dtype:
                raise errors.ArgumentError(
                    f"expected {self.dtype_name}, got {array.dtype}",
                    hint="convert it first with its astype",
                )
            if array.shape != self.shape:
                raise errors.ArgumentError(f"expected shape {self.shape}, got {array.shape}")
            self._refuse_capture(stream)
            array = numpy.ascontiguousarray(array.transpose(order))
            source = import_core().Buffer.from_handle(array.ctypes.data, array.nbytes, owner=array)
        if self.nbytes:
            with self._memory.current():
                self._as_buffer().copy_from(source, stream=core_stream(stream))
                keeping.keep_captured(streams.stream_pointer(stream), self, array)

    @overload
    def to_numpy(
        self, out: None = None, *, stream: StreamLike = None, wait: bool = True
    ) -> NDArray[Any]: ...

    @overload
    def to_numpy(self, out: _Out, *, stream: StreamLike = None, wait: bool = True) -> _Out: ...

    def to_numpy(self, out: object = None, *, stream: StreamLike = None, wait: bool = True) -> Any:
        """Copy the elements to a NumPy array in host memory.

        Args:
            out: a C-contiguous array of the same shape and data type to copy into; by default a new
                one. One of `pinned_empty`, with `wait=False`, is filled while Python goes on.
            stream: the stream, of any library, that makes the copy; by default the array's own.
            wait: whether to wait for the copy. Without waiting, the result is filled when the
                stream has made the copy, and the caller has to keep it until then.

        Returns: `out`, or the new array.

        Raises:
            ArgumentError: there are gaps between the elements, or `out` does not fit.
            ClosedError: the array or the stream is closed.
            CudnnError: the stream is captured, unless `out` is given and `wait` is False.
        """
        import numpy

        stream = self.stream if stream is None else stream
        hint = "copy the array that it is a view of, and take the view in NumPy"
        order = self._dense_order(hint)
        inside = [self.shape[axis] for axis in order]
        if out is None:
            memory = numpy.empty(inside, self.dtype)
            result = memory.transpose([order.index(axis) for axis in range(self.ndim)])
        else:
            if not isinstance(out, numpy.ndarray):
                raise errors.ArgumentError(f"out: expected a NumPy array, got {a_kind(out)}")
            if out.shape != self.shape or out.dtype != self.dtype or not out.flags.c_contiguous:
                raise errors.ArgumentError(
                    f"out: expected a C-contiguous array {self.shape} of {self.dtype_name}, "
                    f"got {out.shape} of {out.dtype}"
                )
            if not out.flags.writeable:
                raise errors.ArgumentError("out: expected a writable array, got a read-only one")
            if not self.is_contiguous:
                raise errors.ArgumentError("out: it is taken for arrays in row-major order only")
            memory = result = out
        if out is None or wait:
            self._refuse_capture(stream)
        if self.nbytes:
            host = import_core().Buffer.from_handle(memory.ctypes.data, memory.nbytes, owner=memory)
            with self._memory.current():
                self._as_buffer().copy_to(host, stream=core_stream(stream))
                keeping.keep_captured(streams.stream_pointer(stream), self, memory)
            if wait:
                self.synchronize(stream)
        return result

    def _refuse_capture(self, stream: StreamLike) -> None:
        """Refuse a captured stream, whose graph would use memory of the host whenever it runs.

        Raises:
            CudnnError: the stream is captured.
        """
        with self._memory.current():
            if captures.is_captured(streams.stream_pointer(stream)):
                raise errors.CudnnError(
                    "the stream is being captured, and its graph would use memory of the host that "
                    "is gone or changed when it is launched",
                    hint="copy before the capture, or from one DeviceArray to another",
                )

    def fill_bytes(self, value: int, *, stream: StreamLike = None) -> None:
        """Set every byte to `value`; 255 makes NaNs of all floating-point elements.

        Args:
            value: 0 to 255.
            stream: the stream, of any library, that does it; by default the array's own.

        Raises:
            ArgumentError: there are gaps between the elements, or the array is read-only.
            ClosedError: the array or the stream is closed.
        """
        arrays.check_writable(self, "fill_bytes")
        self._dense_order()
        if self.nbytes:
            with self._memory.current():
                stream = self.stream if stream is None else stream
                self._as_buffer().fill(value, stream=core_stream(stream))
                keeping.keep_captured(streams.stream_pointer(stream), self)

    def synchronize(self, stream: StreamLike = None) -> None:
        """Wait until all work in `stream`, by default the array's own, is done.

        Raises:
            ClosedError: the stream is closed.
        """
        with self._memory.current():
            _driver.synchronize(streams.stream_pointer(self.stream if stream is None else stream))

    def ready_in(self, stream: StreamLike) -> Self:
        """Make `stream` wait, on the device, for the work that is in the array's own stream now.

        Returns: this array.

        Raises:
            ArgumentError: `stream` is not a stream.
            ClosedError: `stream` is closed.
        """
        wait_for(streams.stream_pointer(stream), streams.stream_pointer(self.stream), self.device)
        return self

    def __array__(self, *_: object, **__: object) -> NoReturn:
        """Refuse a conversion without a copy: NumPy would otherwise make an array of views.

        Raises:
            ArgumentError: always.
        """
        raise errors.ArgumentError(
            "expected an array in host memory, got a DeviceArray",
            hint="to_numpy() copies it to the host",
        )

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        """Describe the array for libraries that take the CUDA Array Interface, version 3.

        Raises:
            AttributeError: NumPy itself lacks the data type; use DLPack.
            ClosedError: the memory was freed.
        """
        if self.dtype.isbuiltin != 1:
            raise AttributeError(
                f"the CUDA Array Interface has no {self.dtype_name}: exchange it by DLPack"
            )
        size = arrays.itemsize(self.dtype_name)
        contiguous = self.is_contiguous
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address, self.readonly),
            "strides": None if contiguous else tuple(step * size for step in self.strides),
            "stream": streams.stream_pointer(self.stream) or 1,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's number of CUDA memory and the ordinal of the device."""
        return (2, self.device)

    def __dlpack__(self, *, stream: int | None = None, **options: object) -> object:
        """Return a capsule with the array for another library, without a copy.

        Args:
            stream: the consumer's; it waits, on the device, for the work in the array's own stream.
                -1 for no wait.
            options: of the array API's `__dlpack__`, such as `max_version`.

        Raises:
            BufferError: the array is read-only, which capsules before DLPack 1 do not tell.
        """
        newest = options.get("max_version")
        if self.readonly and not (isinstance(newest, tuple) and newest >= (1,)):
            raise BufferError("the array is read-only, which takes DLPack 1 to tell")
        if options.get("dl_device") == self.__dlpack_device__():
            del options["dl_device"]
        if stream != -1:
            self.ready_in(stream or 1)
        size = arrays.itemsize(self.dtype_name)
        reach = (arrays.last_offset(self.shape, self.strides) + 1) * size if self.size else 0
        is_known = self.dtype_name not in _NOT_IN_CORE
        dtype = self.dtype if is_known else arrays.numpy_dtype(f"int{8 * size}")
        buffer = self._as_buffer(reach)
        view = import_module("cuda.core.utils").StridedMemoryView.from_buffer(
            buffer, self.shape, self.strides, dtype=dtype
        )
        capsule = view.__dlpack__(stream=-1, **options)
        if not is_known:
            code, _ = arrays.DLPACK[arrays.DTYPES[self.dtype_name]]
            arrays.structs_of(capsule)[0].code = code
        if self.readonly:
            arrays.structs_of(capsule)[1].flags |= arrays.READ_ONLY
        return capsule

    def close(self, stream: StreamLike = None) -> None:
        """Free the memory after the work of a stream; do nothing if it is freed already.

        This call waits only if the array's own stream is a closed one of another library.

        Args:
            stream: a stream of any library; by default the array's own.

        Raises:
            ArgumentError: `stream` is not a stream.
            ClosedError: `stream` is closed.
        """
        self._memory.close(stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a DeviceArray cannot be copied or pickled: to_numpy copies it to the host")
