"""Name data types: cuDNN's names, those of NumPy and ml_dtypes, and the words of frameworks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .. import errors
from .._support.results import NamedTuple

if TYPE_CHECKING:
    import numpy

    from ..types import DTypeWord


class DataTypeName(NamedTuple):
    """A data type by its names.

    Attributes:
        name: as NumPy or ml_dtypes call it.
        member: as cuDNN's `DataType` calls it.
        size: bytes of an element; 1 where several elements share a byte.
        words: what else frameworks, C and Python call it.
    """

    name: DTypeWord
    member: str
    size: int
    words: tuple[str, ...] = ()


_TYPES = (
    DataTypeName("float32", "FLOAT", 4, ("float", "single", "fp32", "f32")),
    DataTypeName("float64", "DOUBLE", 8, ("double", "fp64", "f64")),
    DataTypeName("float16", "HALF", 2, ("half", "fp16", "f16")),
    DataTypeName("bfloat16", "BFLOAT16", 2, ("bf16",)),
    DataTypeName("int8", "INT8", 1),
    DataTypeName("uint8", "UINT8", 1),
    DataTypeName("int32", "INT32", 4),
    DataTypeName("uint32", "UINT32", 4),
    DataTypeName("int64", "INT64", 8),
    DataTypeName("bool", "BOOLEAN", 1),
    DataTypeName("complex64", "COMPLEX_FP32", 8, ("cfloat",)),
    DataTypeName("complex128", "COMPLEX_FP64", 16, ("cdouble",)),
    DataTypeName("int4", "INT4", 1),
    DataTypeName("uint4", "UINT4", 1),
    DataTypeName("float8_e4m3fn", "FP8_E4M3", 1, ("float8_e4m3",)),
    DataTypeName("float8_e5m2", "FP8_E5M2", 1),
    DataTypeName("float8_e8m0fnu", "FP8_E8M0", 1),
    DataTypeName("float4_e2m1fn", "FP4_E2M1", 1),
)

#: cuDNN's names of data types, by those that NumPy and ml_dtypes use; and the other way round.
DTYPES: dict[str, str] = {each.name: each.member for each in _TYPES}
NAMES = {each.member: each.name for each in _TYPES}

#: DLPack's code and number of bits of each data type that is one element in arrays, too.
DLPACK = {
    "FLOAT": (2, 32),
    "DOUBLE": (2, 64),
    "HALF": (2, 16),
    "BFLOAT16": (4, 16),
    "INT8": (0, 8),
    "UINT8": (1, 8),
    "INT32": (0, 32),
    "UINT32": (1, 32),
    "INT64": (0, 64),
    "BOOLEAN": (6, 8),
    "COMPLEX_FP32": (5, 64),
    "COMPLEX_FP64": (5, 128),
    "FP8_E4M3": (10, 8),
    "FP8_E5M2": (12, 8),
    "FP8_E8M0": (14, 8),
}

_SIZES: dict[str, int] = {each.name: each.size for each in _TYPES}
_WORDS = {word: each.name for each in _TYPES for word in (each.name, *each.words)}

#: Words that a dtype has for another data type: that of ml_dtypes has infinities.
_OTHERS = ("float8_e4m3",)

#: Types of NumPy and PyTorch for Python's own types.
_PYTHON: dict[object, DTypeWord] = {
    float: "float64",
    int: "int64",
    bool: "bool",
    complex: "complex128",
}


def dtype_name(dtype: object) -> DTypeWord | Literal[""]:
    """Return the name that NumPy or ml_dtypes has for a data type; "" where they have none.

    Args:
        dtype: a member of cuDNN's `DataType`; a dtype of any array library; its name in upper or
            lower case; a word that frameworks use, such as "half", "bf16", or "float" for C's
            float; or one of Python's types `float`, `int`, `bool` and `complex`, which are 64, 64,
            8 and 128 bits wide as in NumPy.
    """
    if type(dtype) is str and dtype in NAMES:
        return NAMES[dtype]
    if isinstance(dtype, type) and dtype in _PYTHON:
        return _PYTHON[dtype]
    name = getattr(dtype, "name", None)
    if isinstance(name, str) and name in NAMES:
        return NAMES[name]
    if not isinstance(name, str):
        name = getattr(dtype, "__name__", None) or str(dtype)
    if name in _OTHERS and not isinstance(dtype, str):
        return ""
    name = name.removeprefix("torch.").removeprefix("numpy.")
    name = name.lower().removeprefix("cudnn_data_")
    found = _WORDS.get(name)
    return NAMES.get(name.upper(), "") if found is None else found


def dtype_text(dtype: object) -> str:
    """Return the name of a data type for people: `dtype_name`, or the name its library has."""
    return dtype_name(dtype) or str(getattr(dtype, "name", dtype))


def itemsize(dtype: str) -> int:
    """Return the bytes of one element, by the name of the data type; 1 where elements are packed.

    Names that are not in `DTYPES` count as one byte.
    """
    return _SIZES.get(dtype, 1)


def numpy_dtype(name: str) -> numpy.dtype[numpy.generic]:
    """Return the dtype of NumPy, or of ml_dtypes where NumPy has none.

    Raises:
        ArgumentError: NumPy has no such data type and ml_dtypes is not installed.
    """
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
