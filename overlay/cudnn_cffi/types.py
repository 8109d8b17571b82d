"""The types in the signatures of functions and methods.

They are for readers and type checkers; nothing tests arguments against them at run time. Modules
import them under `TYPE_CHECKING`. A program that reads the signatures itself passes `namespace()`,
since importing all that they name would make every import slow::

    hints = typing.get_type_hints(cudnn_cffi.cudnnGetStream, localns=cudnn_cffi.types.namespace())
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import (
    TYPE_CHECKING,
    Literal,
    Protocol,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    runtime_checkable,
)

if TYPE_CHECKING:
    from .enum_words import DataTypeLike
    from .enums import TensorFormat

__all__ = [
    "Array",
    "ArrayT",
    "Bytes",
    "CallStream",
    "Callback",
    "DType",
    "DTypeWord",
    "DevicePointer",
    "HostPointer",
    "Layout",
    "LayoutWord",
    "PlainLayout",
    "ScalingFactor",
    "Stream",
    "SupportsClose",
    "SupportsCudaArrayInterface",
    "SupportsCudaStream",
    "SupportsDLPack",
    "SupportsItemSize",
    "namespace",
]


@runtime_checkable
class SupportsCudaArrayInterface(Protocol):
    """An array in device memory, by the CUDA Array Interface: CuPy, Numba, PyCUDA, PyTorch."""

    @property
    def __cuda_array_interface__(self) -> Mapping[str, object]: ...


@runtime_checkable
class SupportsDLPack(Protocol):
    """An array that can be exchanged by DLPack: CuPy, JAX, PyTorch and many others."""

    def __dlpack__(self) -> object: ...


@runtime_checkable
class SupportsCudaStream(Protocol):
    """A stream of cuda.core, or of any library that follows its protocol."""

    def __cuda_stream__(self) -> tuple[int, int]: ...


class _StreamOfTorch(Protocol):
    @property
    def cuda_stream(self) -> int: ...


class _StreamOfCuPy(Protocol):
    @property
    def ptr(self) -> int: ...


class _StreamOfNumba(Protocol):
    @property
    def handle(self) -> object: ...


class SupportsClose(Protocol):
    """An object that gives back what it holds."""

    def close(self) -> object:
        """Give it back; closing again does nothing."""


class SupportsItemSize(Protocol):
    """A data type of NumPy, ml_dtypes, PyTorch or JAX."""

    @property
    def itemsize(self) -> int:
        """Return the bytes of one element."""


#: An array of any library in device memory.
Array: TypeAlias = SupportsDLPack | SupportsCudaArrayInterface

#: The type of the arrays of a call: results have the type that the arguments have.
ArrayT = TypeVar("ArrayT", bound=Array)

#: Device memory: an address, an array that lies there, or None for NULL.
DevicePointer: TypeAlias = int | SupportsIndex | SupportsCudaArrayInterface | SupportsDLPack | None

#: Host memory: an address, a cffi or ctypes pointer, an object with a buffer, or None for NULL.
HostPointer: TypeAlias = object

#: alpha or beta: a number, or memory with one float or double in it.
ScalingFactor: TypeAlias = object

#: A CUDA stream: its address, None for the default stream, or an object that holds one.
Stream: TypeAlias = (
    int
    | SupportsIndex
    | SupportsCudaStream
    | _StreamOfTorch
    | _StreamOfCuPy
    | _StreamOfNumba
    | None
)

#: The stream of one call: as `Stream`, or `...` for the one in which the arrays are used.
CallStream: TypeAlias = Stream | types.EllipsisType

#: A function that cuDNN calls: any callable, the address of a C function, or None for none.
Callback: TypeAlias = Callable[..., object] | SupportsIndex | None

#: A number of bytes, a text such as "64 MiB", or -1 for no limit.
Bytes: TypeAlias = SupportsIndex | str

#: The names of data types: those of NumPy and ml_dtypes, and of frameworks.
DTypeWord: TypeAlias = Literal[
    "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "uint32", "int64",
    "bool", "complex64", "complex128", "int4", "uint4", "float8_e4m3fn", "float8_e5m2",
    "float8_e8m0fnu", "float4_e2m1fn",
    "float", "single", "fp32", "f32", "double", "fp64", "f64", "half", "fp16", "f16", "bf16",
    "cfloat", "cdouble", "float8_e4m3",
]  # fmt: skip

#: A data type: its name, a member of cuDNN's `DataType` or its name, a dtype of any array library,
#: or one of Python's types `float`, `int`, `bool` and `complex`.
DType: TypeAlias = "DTypeWord | DataTypeLike | type[object] | SupportsItemSize"

#: The layouts that `TensorFormat` has, by its names and those of frameworks.
LayoutWord: TypeAlias = Literal[
    "NCHW", "NHWC", "NCHW_VECT_C", "channels_first", "channels_last", "nchw", "nhwc"
]

#: The layouts of arrays whose elements are not packed.
PlainLayout: TypeAlias = Literal["NCHW", "NHWC"]

#: A layout of an array: a name, or a member of `TensorFormat`.
Layout: TypeAlias = "LayoutWord | TensorFormat"


#: Other names of annotations.
_OF_TYPING = ("Any", "Callable", "Iterable", "Iterator", "Mapping", "Sequence")


class _Namespace(dict[str, object]):
    """Names in annotations, and what they stand for; names of cuDNN are looked up when needed."""

    def __missing__(self, name: str) -> object:
        if not name[:1].isupper():
            raise KeyError(name)
        try:
            value: object = getattr(sys.modules[__package__], name)
        except AttributeError:
            raise KeyError(name) from None
        self[name] = value
        return value


def namespace() -> dict[str, object]:
    """Return the names in annotations of this package, for `typing.get_type_hints`.

    It is passed as `localns`. Enums and structs are those of the loaded release, so the library is
    loaded when the first of them is looked up.
    """
    of_typing = {name: getattr(typing, name) for name in _OF_TYPING}
    return _Namespace(of_typing, **{name: globals()[name] for name in __all__})
