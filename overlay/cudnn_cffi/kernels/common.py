"""Modules and operands of the kernels that are launched with arrays of any library."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_void_p
from functools import cache
from pathlib import Path

from .. import arrays, driver, errors
from .compiling import compiled
from .launching import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..types import Array

#: The sources of kernels.
FOLDER = Path(__file__).parent

#: The numbers of data types in kernels.
TYPES = {"float16": 0, "bfloat16": 1, "float32": 2, "float64": 3}


def type_option(dtype: str) -> str:
    """Return the option of the compiler for a data type.

    Raises:
        ArgumentError: it is not float16 or bfloat16.
    """
    if dtype not in ("float16", "bfloat16"):
        raise errors.ArgumentError(f"dtype: expected float16 or bfloat16, got {dtype}")
    return f"-DTYPE={TYPES[dtype]}"


@cache
def module_of(
    file: str, ordinal: int, *options: str, least: tuple[int, int] = (8, 0), own: bool = False,
) -> c_void_p:  # fmt: skip
    """Return the module of a file of kernels on a device.

    Args:
        file: its name.
        ordinal: the device.
        options: of the compiler.
        least: the capability that it needs.
        own: as for `compiled`.

    Raises:
        NotSupportedError: the device has less than the least capability, or there is no compiler.
    """
    capability = driver.compute_capability(ordinal) or (0, 0)
    if capability < least:
        raise errors.NotSupportedError(
            f"{file}: expected a device of capability {least} or more, got {capability}"
        )
    code = compiled(FOLDER / file, capability, "-DEXACT", *options, own=own)
    return load_module(code, ordinal)


def refuse_overlaps(
    names: Sequence[str], addresses: Sequence[int], sizes: Sequence[int], same: str = ""
) -> None:
    """Refuse an output in the memory of another array; all are in C order.

    Args:
        names: of the arrays; the last one is the output.
        addresses: as many; 0 where there is none.
        sizes: their bytes.
        same: the name of the array that the output may be.

    Raises:
        ArgumentError: they overlap.
    """
    for name, other, size in zip(names[:-1], addresses, sizes, strict=False):
        distance = addresses[-1] - other
        is_same = name == same and not distance
        if other and not is_same and arrays.are_near(distance, sizes[-1], size):
            raise arrays.overlap(names[-1], name)


def address_of(name: str, array: Array, dtype: str, shape: tuple[int, ...], ordinal: int) -> int:
    """Return the address of an array in C order.

    Raises:
        ArgumentError: it is something else.
    """
    info = arrays.describe(array)
    if (
        info.dtype != dtype
        or info.shape != shape
        or not arrays.same_strides(shape, info.strides, arrays.packed_strides(shape))
    ):
        raise errors.ArgumentError(
            f"{name}: expected {shape} of {dtype} in C order without gaps, got {info.shape} of "
            f"{info.dtype} with strides of {info.strides} elements"
        )
    if info.device not in (None, ordinal):
        raise errors.ArgumentError(
            f"{name}: expected memory of device {ordinal}, got of device {info.device}"
        )
    if info.address % 16:
        raise errors.ArgumentError(f"{name}: expected an address that is a multiple of 16 bytes")
    return info.address
