"""Kernels that are loaded, and their launches."""

from __future__ import annotations

import ctypes
import warnings
from functools import cache

from .. import driver, errors
from ..driver import captures, libcuda
from ..driver.context import in_context, primary_context

#: Memory of a block, in bytes, that a kernel has without asking for it.
_PLENTY = 48 << 10

#: Numbers of the driver: attributes of a kernel, for memory and large clusters, and of a launch.
_SHARED_MEMORY, _LARGE = 8, 14
_CLUSTER, _OVERLAP = 4, 6

#: The driver's answers to a binary of a newer compiler.
_NO_BINARY = (
    "CUDA_ERROR_INVALID_IMAGE",
    "CUDA_ERROR_NO_BINARY_FOR_GPU",
    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
)

#: Blocks of a cluster that a kernel has without asking for it.
_FEW = 8


def load_module(code: bytes, ordinal: int) -> ctypes.c_void_p:
    """Load a binary on a device, for good.

    Raises:
        NotSupportedError: the driver is older than the compiler, and takes no such binary.
    """
    module = ctypes.c_void_p()
    with in_context(primary_context(ordinal)), captures.relaxed():
        try:
            libcuda.call("cuModuleLoadData", ctypes.byref(module), code)
        except errors.CudnnError as error:
            if not error.message.endswith(_NO_BINARY):
                raise
            text = f"a kernel was not loaded: {error.message}"
            warnings.warn(text, RuntimeWarning, stacklevel=2)  # something slower computes instead
            raise errors.NotSupportedError(text, function=error.function) from None
    return module


def kernel_of(
    module: ctypes.c_void_p, name: str, ordinal: int, shared: int = 0, cluster: int = 1
) -> ctypes.c_void_p:
    """Return a kernel of a module.

    Args:
        module: of `load_module`.
        name: as the source has it.
        ordinal: the device.
        shared: the most memory of a block, in bytes, that it is launched with.
        cluster: the most blocks of a cluster, likewise.
    """
    found = ctypes.c_void_p()
    with in_context(primary_context(ordinal)), captures.relaxed():
        libcuda.call("cuModuleGetFunction", ctypes.byref(found), module, name.encode())
        if shared > _PLENTY:
            libcuda.call("cuFuncSetAttribute", found, _SHARED_MEMORY, shared)
        if cluster > _FEW:
            libcuda.call("cuFuncSetAttribute", found, _LARGE, 1)
    return found


@cache
def _may_overlap(ordinal: int) -> bool:
    """Return whether kernels of a device begin before others end: those of Hopper, and newer."""
    return (driver.compute_capability(ordinal) or (0, 0)) >= (9, 0)


class _Attribute(ctypes.Structure):
    _fields_ = (("id", ctypes.c_int), ("gap", ctypes.c_int), ("value", ctypes.c_uint * 16))


class _Config(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(_Attribute)),
        ("count", ctypes.c_uint),
    )


class Launch:
    """A kernel, its blocks and their memory."""

    def __init__(
        self, kernel: ctypes.c_void_p, ordinal: int, grid: tuple[int, int, int], threads: int,
        *, shared: int = 0, cluster: int = 1,
    ) -> None:  # fmt: skip
        """Describe a launch.

        Args:
            kernel: of `kernel_of`.
            ordinal: its device.
            grid: the numbers of blocks.
            threads: of a block.
            shared: memory of a block, in bytes.
            cluster: blocks along the last axis that read each other's memory.
        """
        self._kernel, self._ordinal = kernel, ordinal
        self._grid, self._block = (ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(threads, 1, 1)
        self._shared = shared
        attributes = (_Attribute * 2)()
        attributes[0].id, attributes[0].value[:1] = _OVERLAP, [1]
        attributes[1].id, attributes[1].value[:3] = _CLUSTER, [1, 1, cluster]
        first, own = ctypes.pointer(attributes[0]), ctypes.pointer(attributes[1])
        self._count = 1 if cluster > 1 else 0
        self._numbers = *grid, threads, shared, cluster
        self._attributes = own, first  # which keep the array

    @property
    def ordinal(self) -> int:
        """Return the ordinal of its device."""
        return self._ordinal

    def clusters(self) -> int:
        """Return how many clusters compute at the same time; 0 if the device takes none."""
        config = _Config(
            self._grid, self._block, self._shared, None, self._attributes[0], self._count
        )
        found = ctypes.c_int()
        with in_context(primary_context(self._ordinal)), captures.relaxed():
            ask = libcuda.load().cuOccupancyMaxActiveClusters
            status = ask(ctypes.byref(found), self._kernel, ctypes.byref(config))
        return 0 if status else found.value

    def words(self, overlaps: bool) -> tuple[int, ...]:
        """Return the launch as the compiled layer takes it, before the kernel's argument."""
        columns, rows, layers, threads, shared, cluster = self._numbers
        both = columns | rows << 32, layers | threads << 32, shared | cluster << 32
        overlaps = overlaps and _may_overlap(self._ordinal)
        return self._kernel.value or 0, *both, int(overlaps)

    def put(self, stream: int, *arguments: bytes, overlaps: bool = False) -> None:
        """Put it into a stream.

        Args:
            stream: the address of a stream of the device.
            arguments: the bytes of each argument of the kernel.
            overlaps: whether it begins while the kernel before it ends, which has to allow it;
                devices older than Hopper do not know of it.

        Raises:
            ExecutionFailedError: the driver refuses it.
        """
        overlaps = overlaps and _may_overlap(self._ordinal)
        config = _Config(
            self._grid, self._block, self._shared, stream,
            self._attributes[overlaps], self._count + overlaps,
        )  # fmt: skip
        held = [ctypes.create_string_buffer(each, len(each)) for each in arguments]
        given = (ctypes.c_void_p * len(held))(*map(ctypes.addressof, held))
        launch = libcuda.load().cuLaunchKernelEx
        if launch(ctypes.byref(config), self._kernel, given, None):
            # Another device's context is current, or none in a new thread.
            with in_context(primary_context(self._ordinal)):
                if status := launch(ctypes.byref(config), self._kernel, given, None):
                    name = libcuda.error_name(status)
                    raise errors.ExecutionFailedError(
                        f"a kernel could not be launched: the driver answers {name}"
                    )
