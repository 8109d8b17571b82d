"""Questions of plans to array libraries: the current stream, and new arrays for outputs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ... import arrays, errors
from ... import driver as _driver
from ...memory import DeviceArray, Memory
from ..operand import Operand, span

if TYPE_CHECKING:
    from ...types import Stream as StreamLike

#: Data types of which two elements share a byte, and what their arrays hold instead.
PAIRS = ("FP4_E2M1", "INT4", "UINT4")


class Pending(DeviceArray):
    """An output that is not computed yet, and will be an array of JAX."""

    __slots__ = ()


def is_immutable(array: object) -> bool:
    """Return whether an array is one of JAX."""
    return hasattr(array, "unsafe_buffer_pointer")


def library_of(array: object) -> str:
    """Return the library of an array: "torch", "cupy", "jax", "own" for a DeviceArray, or ""."""
    if isinstance(array, arrays.OwnArray):
        return "own"
    module = type(array).__module__.partition(".")[0]
    if module == "cupy":
        return "cupy"
    if module == "torch" or hasattr(array, "is_cuda"):
        return "torch"
    return "jax" if is_immutable(array) else ""


def current_stream(library: str, device: int) -> int | None:
    """Return the current stream of a library on a device; None where it has none."""
    if library == "torch":
        return int(sys.modules["torch"].cuda.current_stream(device).cuda_stream)
    if library == "cupy":
        current = sys.modules["cupy"].cuda.get_current_stream
        try:
            return int(current(device).ptr)
        except TypeError:  # CuPy before 10 has one for all devices
            return int(current().ptr)
    return None


def allocating_in(library: str, device: int, stream: int) -> AbstractContextManager[object]:
    """Have a library's new arrays be of a stream, for a `with` block.

    PyTorch and CuPy use memory again in the order of the stream that was current when they made the
    array: it may still be read there.

    Args:
        library: what `library_of` returns.
        device: the ordinal of the device.
        stream: the address of the stream.
    """
    if library not in ("torch", "cupy") or current_stream(library, device) == stream:
        return nullcontext()
    cuda = sys.modules[library].cuda
    if library == "torch":
        made = cuda.ExternalStream(stream, device=device) if stream else cuda.default_stream(device)
        return cuda.stream(made)  # type: ignore[no-any-return]
    return cuda.ExternalStream(stream, device) if stream else cuda.Stream.null  # type: ignore[no-any-return]


@cache
def cupy_stream() -> Callable[[], int]:
    """Return the function that returns the address of CuPy's current stream on this device."""
    cuda = sys.modules["cupy"].cuda
    return lambda: int(cuda.get_current_stream().ptr)


@cache
def has_core() -> bool:
    """Return whether cuda.core is installed, which allocates memory for this package."""
    try:
        return find_spec("cuda.core") is not None
    except ImportError:
        return False


def scratch_of(size: int) -> Operand:
    """Return a workspace of so many bytes as an output that an array library makes."""
    return Operand("workspace", 0, (size,), (1,), "UINT8", role="output")


@cache
def storage(operand: Operand) -> tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the data types that an operand's arrays may have, their shape and strides.

    Types that array libraries lack may come as bytes. Where two elements share a byte, so do they
    in the array, along the axis whose stride is 1.
    """
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


def empty(library: str, operand: Operand, device: int, stream: StreamLike) -> Any:
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


def torch_maker() -> Callable[..., Any] | None:
    """Return PyTorch's short way to a new tensor on the current device; None where it has none.

    Code that PyTorch itself compiles makes tensors so, by shape, strides and data type. It is the
    same memory as that of `torch.empty_strided`, in a third of the time.
    """
    guards = sys.modules.get("torch._C._dynamo.guards")
    return getattr(guards, "_empty_strided_cuda", None)


def _dtype_of(name: str) -> Any:
    """Return the dtype of NumPy, or of ml_dtypes; None where neither has one of that name."""
    try:
        return arrays.numpy_dtype(name)
    except (errors.ArgumentError, TypeError, AttributeError):
        return None


def cupy_maker(operand: Operand, device: int) -> Callable[[], Any] | None:
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

    def make() -> Any:
        return new(shape, dtype, allocate(size), steps)

    def make_there() -> Any:
        with cupy.cuda.Device(device):
            return make()

    return make if _driver.count() < 2 else make_there
