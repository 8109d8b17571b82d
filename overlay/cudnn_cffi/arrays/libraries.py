"""Array libraries: which one an array is of, and its current stream."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from .info import OwnArray

if TYPE_CHECKING:
    from typing import TypeGuard


class Immutable(Protocol):
    """An array of JAX."""

    def __dlpack__(self, *, stream: int) -> object: ...
    def block_until_ready(self) -> object:
        """Wait on the host until it is computed."""


def is_immutable(array: object) -> TypeGuard[Immutable]:
    """Return whether an array is one of JAX."""
    return hasattr(array, "unsafe_buffer_pointer")


def library_of(array: object) -> str:
    """Return the library of an array: "torch", "cupy", "jax", "own" for a DeviceArray, or ""."""
    if isinstance(array, OwnArray):
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
        own = sys.modules["torch"]._C  # noqa: SLF001  `torch.cuda` takes microseconds
        return int(own._cuda_getCurrentRawStream(device))  # noqa: SLF001
    if library == "cupy":
        current = sys.modules["cupy"].cuda.get_current_stream
        try:
            return int(current(device).ptr)
        except TypeError:  # CuPy before 10 has one for all devices
            return int(current().ptr)
    return None


def allocating_in(library: str, device: int, stream: int) -> AbstractContextManager[object]:
    """Put a library's new arrays into a stream, for a `with` block.

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
        return cuda.stream(made)
    return cuda.ExternalStream(stream, device) if stream else cuda.Stream.null


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
