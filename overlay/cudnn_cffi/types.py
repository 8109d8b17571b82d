"""What may be passed where: the types in the signatures of the wrappers.

They are for readers and type checkers; nothing tests arguments against them at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, SupportsIndex, TypeAlias, runtime_checkable

__all__ = [
    "Callback",
    "DevicePointer",
    "HostPointer",
    "ScalingFactor",
    "Stream",
    "SupportsCudaArrayInterface",
    "SupportsCudaStream",
    "SupportsDLPack",
]


@runtime_checkable
class SupportsCudaArrayInterface(Protocol):
    """An array in device memory, by the CUDA Array Interface: CuPy, Numba, PyCUDA, PyTorch."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


@runtime_checkable
class SupportsDLPack(Protocol):
    """An array that can be exchanged by DLPack."""

    def __dlpack__(self, *, stream: int | None = ...) -> Any: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...


@runtime_checkable
class SupportsCudaStream(Protocol):
    """A stream of cuda.core, or of any library that follows its protocol."""

    def __cuda_stream__(self) -> tuple[int, int]: ...


#: Device memory: an address, an array that lies there, or None for NULL.
DevicePointer: TypeAlias = int | SupportsIndex | SupportsCudaArrayInterface | SupportsDLPack | None

#: Host memory: an address, a cffi or ctypes pointer, an object with a buffer, or None for NULL.
HostPointer: TypeAlias = Any

#: alpha or beta: a number, or memory with one float or double in it.
ScalingFactor: TypeAlias = Any

#: A CUDA stream: its address, None for the default stream, or an object that holds one.
Stream: TypeAlias = int | SupportsIndex | SupportsCudaStream | Any | None

#: A function that cuDNN calls: any callable, the address of a C function, or None for none.
Callback: TypeAlias = Callable[..., object] | int | Any | None
