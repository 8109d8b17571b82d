"""Thresholds between ways to compute the same, with the device that they were measured on.

They hold for devices of the same architecture with as many multiprocessors. Other devices take the
plain way, unless a choice by time finds a faster one.
"""

from __future__ import annotations

from functools import cache

from .. import driver, errors
from .._support.results import NamedTuple


class Machine(NamedTuple):
    """The device and the release of a measurement."""

    name: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    release: str


class Reductions(NamedTuple):
    """Sums and maxima by functions that are faster at them than `cudnnReduceTensor`.

    Attributes:
        contiguous_per_block: maximum of contiguous elements that one block of the device adds up
            for a result.
        strided_per_block: the same of elements that are not contiguous.
        single_per_block: the same where all elements make one result.
        window_extent: maximum extent of a window.
        windows: number of windows that occupy the device.
        strided_sums: number of sums of elements that are not contiguous that occupy it.
        window_contiguous: maximum of contiguous elements of a window.
        window_strided: the same of elements that are not contiguous.
        window_minimum: elements from which a window is worth another step after it.
        windows_maximum: windows of contiguous elements beyond which more occupy it no better.
        parts_per_block: maximum of parts of a sum that one block adds up after windows.
        columns: sums of elements that are not contiguous from which windows of a column are faster.
        single_by_reduce: elements from which `cudnnReduceTensor` is faster at one sum of float32.
        copied_along_last: elements from which arrays are copied faster along the last axis.
        sums: number of sums from which one call is not slower than `cudnnReduceTensor`.
    """

    contiguous_per_block: int
    strided_per_block: int
    single_per_block: int
    window_extent: int
    windows: int
    strided_sums: int
    window_contiguous: int
    window_strided: int
    window_minimum: int
    windows_maximum: int
    parts_per_block: int
    columns: int
    single_by_reduce: int
    copied_along_last: int
    sums: int


#: The machine that all thresholds of this module were measured on.
MACHINE = Machine("NVIDIA H200", (9, 0), 132, "9.19.0")

REDUCTIONS = Reductions(
    contiguous_per_block=8192,
    strided_per_block=2048,
    single_per_block=8192,
    window_extent=256,
    windows=1024,
    strided_sums=16384,
    window_contiguous=512,
    window_strided=64,
    window_minimum=32,
    windows_maximum=49152,
    parts_per_block=3072,
    columns=32768,
    single_by_reduce=1 << 20,
    copied_along_last=1 << 16,
    sums=32,
)

#: Sequences times heads of keys, and keys of a page, from which an engine does not divide the keys
#: of one query over pages; other knobs than cuDNN suggests take 2 percent less time then.
DECODED, DECODED_PAGE = 256, 16

#: Sequences times heads of keys, and keys of a sequence, up to which a kernel is faster at one
#: query over pages than engines.
FEW_DECODED, FEW_DECODED_KEYS = 8, 4096

#: Bytes of an array from which compiled engines are worth their compilation.
COMPILED_BYTES = 8 << 20

#: Bytes of copies from which a call on copies is so slow that each call looks for a better way.
COPIED_BYTES = 8 << 20

#: The engine of convolutions that calls cuBLASLt, which has no note of that in this release.
CUBLAS_ENGINE = 39

#: Elements of a sum of a product and a residual from which on that engine is the fastest.
CUBLAS_ELEMENTS = 1 << 24


@cache
def holds(device: int | None) -> bool:
    """Return whether the thresholds hold for a device; they do for one that cannot be asked."""
    capability = None if device is None else driver.compute_capability(device)
    if device is None or capability is None:
        return True
    try:
        found = driver.attribute(device, driver.MULTIPROCESSORS)
    except errors.CudnnError:
        return True
    return capability == MACHINE.compute_capability and found == MACHINE.multiprocessors
