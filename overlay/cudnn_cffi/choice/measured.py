"""Thresholds between ways to compute the same, with the device that they were measured on.

They hold for devices of the same architecture with as many multiprocessors. Other devices take the
plain way, unless a choice by time finds a faster one.
"""

from __future__ import annotations

from functools import cache

from .. import driver, errors, library
from .._support.results import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..plan import Computation


class Machine(NamedTuple):
    """The device and the release of a measurement."""

    name: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    release: str

    def is_like(self, compute_capability: tuple[int, int], multiprocessors: int) -> bool:
        """Return whether a device is of the same architecture and has as many multiprocessors."""
        own = self.compute_capability, self.multiprocessors
        return own == (compute_capability, multiprocessors)


#: The machine that all thresholds of this module were measured on.
MACHINE = Machine("NVIDIA H200", (9, 0), 132, "9.19.0")

#: Elements from which arrays are copied faster along the last axis than along the second.
COPIED_ALONG_LAST = 1 << 16

#: Sequences times heads of keys, and keys of a page, from which an engine does not divide the keys
#: of one query over pages; other knobs than cuDNN suggests take 2 percent less time then.
DECODED, DECODED_PAGE = 256, 16

#: Sequences times heads of keys, and keys of a sequence, up to which a kernel is faster at one
#: query over pages than engines; and the keys where pages have fewer keys than `DECODED_PAGE`.
#: Engines take longer than a kernel for shorter lengths.
FEW_DECODED, FEW_DECODED_KEYS, SMALL_PAGED_KEYS = 8, 8192, 4096

#: Sequences, heads of keys and width, of which kernels for several queries are faster at one query
#: with more keys than that, up to these, in pages of `DECODED_PAGE` or more.
LONG_DECODED, LONG_DECODED_KEYS = (1, 8, 128), 32_768

#: Elements of rows, and of all rows, of 16 bits for which other knobs of norms than cuDNN suggests
#: take 4 to 24 percent less time.
NORMED, NORMED_ELEMENTS = frozenset({768, 1024, 2048, 4096}), 1 << 26

#: Bytes of an array from which compiled engines are worth their compilation.
COMPILED_BYTES = 8 << 20

#: Bytes of copies from which a call on copies is so slow that each call looks for a better way.
COPIED_BYTES = 8 << 20

#: The engine of convolutions that calls cuBLASLt, which has no note of that in this release.
CUBLAS_ENGINE = 39

#: The engine of convolutions that converts numbers of 16 bits to float32 and results back, which
#: takes 2.7 times as long as others that heuristics put after it for results with gaps.
CONVERTING_ENGINE = 67

#: Elements of a sum of a product and a residual from which on that engine is the fastest.
CUBLAS_ELEMENTS = 1 << 24

#: Columns of products, and the least number of pixels, for which that engine is slower than the
#: next one.
NARROW_COLUMNS, NARROW_PIXELS = range(97, 129), 1 << 17


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
    return MACHINE.is_like(capability, found)


def has_engines_of(computation: Computation) -> bool:
    """Return whether numbers of engines hold for a computation: by its device and the release.

    A device that is described need not be there.
    """
    if library.load().version != MACHINE.release:
        return False
    device = computation.device
    if device is not None:
        return MACHINE.is_like(device.compute_capability, device.multiprocessors)
    assert computation.handle is not None
    return holds(computation.handle.device)
