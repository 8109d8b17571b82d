"""New arrays for outputs, in the library of the inputs; those of our own take the shortest way."""

from __future__ import annotations

import operator
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Self, overload

from ... import arrays, errors
from ... import driver as _driver
from ..._support import fork
from ...driver import captures, graphs
from ...handles import Handle
from ...memory import DeviceArray, Memory
from ..operand import Operand, span

if TYPE_CHECKING:
    import numpy

    from ...types import Array
    from ...types import Stream as StreamLike

#: Data types with two elements in a byte.
PAIRS = ("FP4_E2M1", "INT4", "UINT4")


#: Number of views of a block that are noted before dead ones are removed.
_MOST_VIEWS = 64

#: Allocates bytes in a stream while a context is current, else returns 0.
Allocate = Callable[[int, int, int], int]

#: Frees an address in a stream while a context is current and the stream is not captured, else
#: returns False.
Free = Callable[[int, int, int], bool]


class Pending(DeviceArray):
    """An output that is not computed yet, and will be an array of JAX, which cannot be written."""

    __slots__ = ()


def settle(output: object) -> object:
    """Return a pending output as an array of JAX, whose stream waits for it; others as they are."""
    if type(output) is not Pending:
        return output
    order = sorted(range(output.ndim), key=lambda axis: -output.strides[axis])
    straight = order == list(range(output.ndim))
    # JAX needs C order, and copies anything else after this point.
    plain = output if straight else output.transpose(*order)
    made = sys.modules["jax"].dlpack.from_dlpack(plain)
    return made if straight else made.transpose([order.index(axis) for axis in range(len(order))])


def scratch_of(size: int) -> Operand:
    """Return a workspace as an output that an array library makes."""
    return Operand("workspace", 0, (size,), (1,), "UINT8", role="output")


@lru_cache(4096)
def storage(operand: Operand) -> tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the data types that an operand's arrays may have, their shape and strides.

    Types that array libraries lack may come as bytes. Where two elements share a byte, so do they
    in the array, along the axis whose stride is 1. Bits are bytes in one axis.
    """
    if operand.is_bits:
        return ("uint8", "int8"), (span(operand),), (1,)
    name = arrays.dtype_name(operand.data_type) or operand.data_type
    if operand.data_type not in PAIRS:
        eight = operand.data_type.startswith("FP8")
        return ((name, "uint8") if eight else (name,)), operand.shape, operand.strides
    axes = [axis for axis, step in enumerate(operand.strides) if step == 1]
    halved = next((axis for axis in axes if operand.shape[axis] > 1), -1)
    shape = tuple(
        -(-extent // 2) if axis == halved else extent for axis, extent in enumerate(operand.shape)
    )
    strides = tuple(
        step if step == 1 else -(-step // 2) for axis, step in enumerate(operand.strides)
    )
    return (name, f"{name}_x2", "uint8", "int8"), shape, strides


@overload
def empty(
    library: Literal["own"], operand: Operand, device: int, stream: StreamLike
) -> DeviceArray: ...
@overload
def empty(library: str, operand: Operand, device: int, stream: StreamLike) -> Array: ...
def empty(library: str, operand: Operand, device: int, stream: StreamLike) -> Array:
    """Return a new array for an output, which is not initialized.

    Args:
        library: what `library_of` returns.
        operand: the output.
        device: the ordinal of the device.
        stream: the stream in whose order a DeviceArray is allocated.

    Raises:
        AllocationError: the device does not have that much memory left.
        ArgumentError: the library has no such data type, or no arrays that can be written.
    """
    names, shape, strides = storage(operand)
    if library == "torch":
        options = torch_options(names, device)
        if options is not None:
            return sys.modules["torch"].empty_strided(shape, strides, **options)
    elif library == "cupy":
        maker = cupy_maker(operand, device)
        if maker is not None:
            return maker()
    elif library in ("own", "jax"):
        memory = Memory(span(operand), device, stream)
        made = Pending if library == "jax" else DeviceArray
        return made(memory, shape, names[0], strides)
    raise errors.ArgumentError(
        f"{operand.name}: no new output of the type {operand.data_type} is made in this library",
        hint=f"pass {operand.name}, an array in device memory to write to",
    )


def torch_options(names: Sequence[str], device: int) -> dict[str, object] | None:
    """Return what PyTorch makes tensors with; None where it has none of the data types."""
    torch = sys.modules["torch"]
    for name in names:
        dtype = getattr(torch, name, None)
        if dtype is not None:
            return {"dtype": dtype, "device": torch.device("cuda", device)}
    return None


def torch_maker() -> Callable[..., Array] | None:
    """Return PyTorch's short way to a new tensor on the current device; None where it has none.

    Code that PyTorch itself compiles makes tensors so, by shape, strides and data type. It is the
    same memory as that of `torch.empty_strided`, in a third of the time.
    """
    guards = sys.modules.get("torch._C._dynamo.guards")
    return getattr(guards, "_empty_strided_cuda", None)


def _dtype_of(name: str) -> numpy.dtype[numpy.generic] | None:
    """Return the dtype of NumPy, or of ml_dtypes; None where neither has one of that name."""
    try:
        return arrays.numpy_dtype(name)
    except (errors.ArgumentError, TypeError, AttributeError):
        return None


def cupy_maker(operand: Operand, device: int) -> Callable[[], Array] | None:
    """Return what makes a new array of CuPy for an operand; None where it has no such data type."""
    cupy = sys.modules["cupy"]
    names, shape, strides = storage(operand)
    dtypes = [each for each in map(_dtype_of, names) if each is not None]
    if not dtypes:
        return None
    dtype = dtypes[0]
    steps = tuple(step * dtype.itemsize for step in strides)
    size = max(span(operand), 1)
    new, allocate = cupy.ndarray, cupy.cuda.alloc

    def make() -> Array:
        return new(shape, dtype, allocate(size), steps)

    def make_there() -> Array:
        with cupy.cuda.Device(device):
            return make()

    return make if _driver.count() < 2 else make_there


class _Arrays(list[weakref.ref[DeviceArray]]):
    """The arrays that have an address, as in a WeakSet, which takes longer to make."""

    __slots__ = ()

    def add(self, array: DeviceArray) -> None:
        if len(self) > _MOST_VIEWS:
            self[:] = [each for each in super().__iter__() if each() is not None]
        self.append(weakref.ref(array))

    def __iter__(self) -> Iterator[DeviceArray]:  # type: ignore[override]
        return (array for each in super().__iter__() if (array := each()) is not None)


class Block(Memory):
    """Memory from the driver's pool, which the compiled layer allocates and frees."""

    __slots__ = ("_free",)

    _free: Free

    @classmethod
    def make(
        cls,
        address: int,
        size: int,
        device: int,
        stream: StreamLike,
        at: int,
        context: int,
        free: Free,
    ) -> Self:
        """Own memory that was allocated in the order of the stream at `at`."""
        self = cls.__new__(cls)
        self.arrays = _Arrays()  # type: ignore[assignment]
        self.address = self.buffer = address
        self.size = size
        self.device = device
        self.readonly = False
        self.stream = stream
        self._stream_address = at
        self._context = context
        self._owned = True
        self._free = free
        return self

    def _free_buffer(self, buffer: int, _: object, address: int) -> None:
        self._free(buffer, address, _driver.current_context())

    def __del__(  # type: ignore[override]
        self, _finalizing: Callable[[], bool] = sys.is_finalizing
    ) -> None:
        # Nothing refers to it, so no array does.
        if _finalizing() or (address := getattr(self, "buffer", None)) is None:
            return
        plain = self.stream is None and not fork.lost
        if not (plain and self._free(address, 0, self._context)):
            self.close()


def own_maker(
    operand: Operand, device: int, allocate: Allocate, free: Free
) -> Callable[[Handle], Array]:
    """Return what makes a new DeviceArray for an operand, in the stream of a handle."""
    names, shape, strides = storage(operand)
    name, size = names[0], max(span(operand), 1)
    graphs.keep_pool(device)
    context_of, stream_of = operator.attrgetter("_context"), operator.attrgetter("_stream")

    def make(handle: Handle) -> Array:
        captures.sweep()
        at, context = handle.get_stream(), context_of(handle)
        stream = handle.stream if at or stream_of(handle) is not None else None
        address = allocate(size, at, context)
        if not address:  # it says why, or finds a way
            return empty("own", operand, device, stream)
        block = Block.make(address, size, device, stream, at, context, free)
        return DeviceArray(block, shape, name, strides)

    return make
