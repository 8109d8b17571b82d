"""Device memory of weights, which streams may read until it is freed."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

from .. import driver, errors
from .._support import fork
from ..driver import captures, libcuda


class Weights:
    """An allocation that no stream orders: freeing it waits for all work of its context.

    Attributes:
        address: of the first byte; None when it was freed.
        size: in bytes.
    """

    __slots__ = ("_context", "address", "size")

    address: int | None

    def __init__(self, size: int, context: int) -> None:
        """Allocate in a context.

        Raises:
            AllocationError: the device does not have that much memory left.
        """
        self.address, self.size, self._context = None, size, context
        found = ctypes.c_uint64()
        try:
            with driver.in_context(context), captures.relaxed():
                libcuda.call("cuMemAlloc_v2", ctypes.byref(found), ctypes.c_size_t(max(size, 1)))
        except errors.AllocationError as error:
            raise error.replace(
                message=f"{size} bytes of weights do not fit on the device",
                hint="free arrays, or what other processes and libraries hold on it",
            ) from None
        self.address = found.value

    def write(self, offset: int, data: bytes) -> None:
        """Copy bytes to an offset; for any thread."""
        with driver.in_context(self._context):
            libcuda.call(
                "cuMemcpyHtoD_v2", ctypes.c_uint64((self.address or 0) + offset), data,
                ctypes.c_size_t(len(data)),
            )  # fmt: skip

    def settle(self) -> None:
        """Wait until all streams see what was written."""
        with driver.in_context(self._context):
            driver.synchronize(0)

    def close(self) -> None:
        """Free it, once; after the capture where a stream is captured."""
        address, self.address = self.address, None
        if address is not None and not fork.is_lost():
            _free(address, self._context)

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not _finalizing():
            self.close()


def _free(address: int, context: int) -> None:
    with driver.in_context(context):
        if captures.is_any_captured():
            captures.later(lambda: _free(address, context))
            return
        driver.synchronize_context()
        libcuda.call("cuMemFree_v2", ctypes.c_uint64(address))
