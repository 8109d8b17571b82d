"""The types in the signatures of functions and methods.

They are for readers and type checkers; nothing tests arguments against them at run time. A program
that reads the signatures itself passes `namespace()`, since importing all that they name would make
every import slow::

    hints = typing.get_type_hints(cudnn_cffi.cudnnGetStream, localns=cudnn_cffi.types.namespace())
"""

from __future__ import annotations

import sys
import typing
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
    "namespace",
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


#: Other names of annotations.
_OF_TYPING = ("Any", "Callable", "Iterable", "Iterator", "Mapping", "Sequence")


class _Namespace(dict[str, Any]):
    """Names in annotations, and what they stand for; names of cuDNN are looked up when needed."""

    def __missing__(self, name: str) -> Any:
        if not name[:1].isupper():
            raise KeyError(name)
        try:
            value = self[name] = getattr(sys.modules[__package__], name)
        except AttributeError:
            raise KeyError(name) from None
        return value


def namespace() -> dict[str, Any]:
    """Return the names in annotations of this package, for `typing.get_type_hints`.

    It is passed as `localns`. Enums and structs are those of the loaded release, so the library is
    loaded when the first of them is looked up.
    """
    of_typing = {name: getattr(typing, name) for name in _OF_TYPING}
    return _Namespace(of_typing, **{name: globals()[name] for name in __all__})
