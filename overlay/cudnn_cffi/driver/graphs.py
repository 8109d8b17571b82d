"""Functions of the driver that plans need: captured streams, graphs, and properties of devices."""

from __future__ import annotations

import ctypes

from .. import errors
from .._support.results import NamedTuple
from . import captures
from . import libcuda as _libcuda
from .events import capture_info, last_reference

_ACTIVE = 1
_THREAD_LOCAL = 1
_NO_SYNC = 1
_MOVE = 1
_RELEASE_THRESHOLD = 4

#: Addresses of functions, each with the library that it is of.
_addresses: dict[str, tuple[object, int]] = {}


class Launchable(NamedTuple):
    """A cudaGraphExec_t, which is destroyed with the last reference to `life`."""

    address: int
    life: object


#: The number of the attribute of a device that tells how many multiprocessors it has.
MULTIPROCESSORS = 16


def attribute(device: int, number: int) -> int:
    """Return an attribute of a device, by its CUdevice_attribute."""
    value = ctypes.c_int()
    _libcuda.call(
        "cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(number), ctypes.c_int(device)
    )
    return value.value


def function_address(name: str) -> int:
    """Return the address of a function of the driver; 0 where there is none."""
    cuda = _libcuda.load()
    known = _addresses.get(name)
    if known is not None and known[0] is cuda:
        return known[1]
    try:
        found = ctypes.cast(getattr(cuda, name), ctypes.c_void_p).value or 0
    except (AttributeError, ctypes.ArgumentError, TypeError):
        return 0
    _addresses[name] = cuda, found
    return found


def capturing_graph(stream: int) -> int:
    """Return the graph that a stream is being captured into; 0 where it is not captured."""
    if stream in (0, 1) or not _libcuda.count():  # the default stream cannot be captured
        return 0
    status, _, graph = capture_info(stream)
    return graph if status == _ACTIVE else 0


def retain(graph: int, argument: object, end: object) -> None:
    """Call a C function with `argument` when the last graph made of `graph` has ended.

    It runs on a thread of the driver, where no function of CUDA may be called.
    """
    made = ctypes.c_void_p()
    _libcuda.call(
        "cuUserObjectCreate",
        ctypes.byref(made), argument, end, ctypes.c_uint(1), ctypes.c_uint(_NO_SYNC),
    )  # fmt: skip
    try:
        _libcuda.call(
            "cuGraphRetainUserObject",
            ctypes.c_void_p(graph), made, ctypes.c_uint(1), ctypes.c_uint(_MOVE),
        )  # fmt: skip
    except BaseException:
        _libcuda.call("cuUserObjectRelease", made, ctypes.c_uint(1))
        raise


def begin_capture(stream: int) -> None:
    """Begin the capture of a stream; other threads may do what they like meanwhile."""
    mode = ctypes.c_int(_THREAD_LOCAL)
    _libcuda.call("cuStreamBeginCapture_v2", ctypes.c_void_p(stream), mode)


def end_capture(stream: int) -> Launchable:
    """End the capture of a stream, and return its graph.

    Raises:
        CudnnError: the capture failed.
    """
    graph, made = ctypes.c_void_p(), ctypes.c_void_p()
    _libcuda.call("cuStreamEndCapture", ctypes.c_void_p(stream), ctypes.byref(graph))
    try:
        _libcuda.call(
            "cuGraphInstantiateWithFlags", ctypes.byref(made), graph, ctypes.c_ulonglong(0)
        )
    finally:
        _libcuda.call("cuGraphDestroy", graph)
    address = made.value or 0
    return Launchable(address, last_reference(address, _destroy))


def _destroy(graph: int) -> None:
    with captures.relaxed():
        _libcuda.load().cuGraphExecDestroy(ctypes.c_void_p(graph))


def launch(graph: Launchable, stream: int) -> None:
    """Put a graph into a stream."""
    _libcuda.call("cuGraphLaunch", ctypes.c_void_p(graph.address), ctypes.c_void_p(stream))


def keep_pool(device: int) -> None:
    """Let the driver keep freed memory of a device's pool, unless the caller has set this."""
    pool, keep = ctypes.c_void_p(), ctypes.c_uint64()
    try:
        _libcuda.call("cuDeviceGetMemPool", ctypes.byref(pool), ctypes.c_int(device))
        _libcuda.call("cuMemPoolGetAttribute", pool, _RELEASE_THRESHOLD, ctypes.byref(keep))
        if not keep.value:
            keep.value = (1 << 64) - 1
            _libcuda.call("cuMemPoolSetAttribute", pool, _RELEASE_THRESHOLD, ctypes.byref(keep))
    except (errors.CudnnError, AttributeError):  # a device without pools
        pass
