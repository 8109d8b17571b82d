"""Handles with their streams as numbers, and what else a graph can be made with."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, TypeAlias

from ... import driver, errors, handles
from ..._call import address_of
from ...choice import DeviceProperties, KernelCache
from ...driver import graphs
from ...driver.streams import stream_pointer
from .enums import knob_type
from .failures import unsupported

if TYPE_CHECKING:
    from ...plan import Computation
    from ...types import Stream


#: A handle of the front end or of this package.
HandleLike: TypeAlias = "Handle | handles.Handle"


class DeviceInfo:
    """Facts about a handle's device.

    Attributes:
        ordinal: its number.
    """

    def __init__(self, ordinal: int) -> None:
        self.ordinal = ordinal

    @property
    def device_name(self) -> str:
        """Return the name."""
        return str(driver.info(self.ordinal).name)

    @property
    def compute_capability(self) -> tuple[int, int]:
        """Return the compute capability, such as (9, 0)."""
        return graphs.attribute(self.ordinal, 75), graphs.attribute(self.ordinal, 76)

    @property
    def sm_version(self) -> int:
        """Return the compute capability as a number, such as 90."""
        major, minor = self.compute_capability
        return 10 * major + minor

    @property
    def sm_count(self) -> int:
        """Return how many multiprocessors there are."""
        return graphs.attribute(self.ordinal, 16)

    @property
    def l2_cache_bytes(self) -> int:
        """Return the bytes of the cache that all multiprocessors share."""
        return graphs.attribute(self.ordinal, 38)

    @property
    def shared_memory_per_block_optin(self) -> int:
        """Return the most bytes of shared memory that a block can ask for."""
        return graphs.attribute(self.ordinal, 97)

    @property
    def oversized_shared_memory_per_block(self) -> int:
        """Return the bytes of shared memory beyond that, where cuDNN tells; else 0."""
        told = dict(json.loads(DeviceProperties.from_device(self.ordinal).to_json()))
        return int(told.get("oversizedSharedMemoryPerBlock", 0))

    def __repr__(self) -> str:
        return f"DeviceInfo({self.ordinal}: {self.device_name})"


class Handle:
    """A handle of cuDNN: its device, and its stream as a number.

    Attributes:
        backend_handle: the cudnnHandle_t; None after `destroy_handle`.
        stream: the address of the stream.
        own: the `cudnn_cffi.Handle`.
    """

    __slots__ = ("__weakref__", "_device", "_keep", "own", "stream")

    def __init__(
        self, backend_handle: int | None, ordinal: int | None = None, stream: int | None = None
    ) -> None:
        """Wrap a cudnnHandle_t that somebody else owns.

        Args:
            backend_handle: its address.
            ordinal: the device; by default the current one.
            stream: the address of the stream that it has.
        """
        self.own: handles.Handle | None = None
        if backend_handle is not None:
            address = address_of(backend_handle, "cudnnHandle_t")
            self.own = handles.Handle.from_address(address, backend_handle, device=ordinal)
        self.stream = stream
        self._keep: object = None  # the stream itself
        self._device: DeviceInfo | None = None

    @property
    def backend_handle(self) -> int | None:
        """Return the address of the cudnnHandle_t; None after `destroy_handle`."""
        return None if self.own is None or self.own.closed else self.own.address

    @property
    def device(self) -> DeviceInfo:
        """Return the device."""
        if self._device is None:
            own = self.own
            self._device = DeviceInfo(driver.device_of() if own is None else own.device)
        return self._device

    def __repr__(self) -> str:
        address = self.backend_handle
        return f"Handle({None if address is None else hex(address)}, stream {self.stream})"


def create_handle() -> Handle:
    """Return a new handle on the current device, with the default stream.

    Raises:
        RuntimeError: there is no device.
    """
    made = Handle(None, stream=0)
    made.own = handles.Handle()
    return made


def _checked(handle: object, what: str) -> Handle:
    if not isinstance(handle, Handle):
        raise TypeError(f"{what}: expected a Handle, got a {type(handle).__name__}")
    return handle


def destroy_handle(handle: Handle) -> None:
    """Destroy a handle; doing it again does nothing."""
    own, handle.own, handle.stream = _checked(handle, "destroy_handle").own, None, None
    if own is not None:
        own.close()


def set_stream(handle: Handle, stream: Stream) -> None:
    """Set the stream that a handle puts its work into: an address, or a stream of any library."""
    if _checked(handle, "set_stream").stream == stream:
        return
    address = stream_pointer(stream)
    if handle.own is not None and handle.stream != address:
        handle.own.stream = address
    handle.stream, handle._keep = address, stream


def get_stream(handle: Handle) -> int | None:
    """Return the address of a handle's stream."""
    return _checked(handle, "get_stream").stream


class _Defaults(threading.local):
    def __init__(self) -> None:
        self.by_device: dict[int, handles.Handle] = {}


_defaults = _Defaults()


def default_handle() -> handles.Handle:
    """Return this thread's handle, for graphs without one: on the default stream."""
    device = driver.device_of()
    found = _defaults.by_device.get(device)
    if found is None or found.closed:
        found = _defaults.by_device[device] = handles.Handle(device)
    return found


def to_own(handle: object) -> handles.Handle | None:
    """Return the `cudnn_cffi.Handle` of a handle; None for None.

    Raises:
        TypeError: it is no handle.
        ClosedError: it was destroyed.
    """
    if handle is None:
        return None
    if isinstance(handle, handles.Handle):
        return handle
    if not isinstance(handle, Handle):
        raise TypeError(
            f"handle: expected a Handle, got a {type(handle).__name__}; Handle(address, "
            "ordinal, stream) wraps the address of one"
        )
    if handle.own is None:
        raise errors.ClosedError("the handle was destroyed")
    return handle.own


class device_properties:
    """The properties of a device, to plan for it without having it.

    Attributes:
        own: the `cudnn_cffi.DeviceProperties`.
    """

    def __init__(self, source: int | str) -> None:
        with unsupported():
            self.own = DeviceProperties.of(source)

    def serialize(self) -> str:
        """Return the properties as JSON."""
        return self.own.to_json()


def create_device_properties(source: int | str) -> device_properties:
    """Return the properties of a device, by its number or from JSON."""
    return device_properties(source)


class kernel_cache:
    """Kernels that the plans of graphs with dynamic shapes share."""

    def __init__(self) -> None:
        self._own: KernelCache | None = None

    def of(self, computation: Computation) -> KernelCache:
        """Return the `cudnn_cffi` cache, made for graphs like the first one that uses it."""
        if self._own is None:
            self._own = KernelCache(computation)
        self._own.check(computation)
        return self._own

    def serialize(self) -> str:
        """Return the kernels as JSON.

        Raises:
            RuntimeError: no graph was built with the cache.
        """
        if self._own is None:
            raise errors.CudnnError("the kernel cache is empty: no graph was built with it")
        return self._own.to_json()

    def deserialize(self, text: str) -> None:
        """Take kernels from JSON.

        Raises:
            RuntimeError: the cache has kernels already, or was used for a graph.
        """
        if self._own is not None:
            raise errors.CudnnError(
                "deserialize: expected an empty kernel cache, got one that is in use",
                hint="create_kernel_cache() makes another one",
            )
        self._own = KernelCache.from_json(text)

    def size(self) -> int:
        """Return how many kernels there are.

        Raises:
            RuntimeError: the release does not tell; 9.27 and later do.
        """
        return self._read("entry_count")

    def revision(self) -> int:
        """Return how often the cache has changed.

        Raises:
            RuntimeError: the release does not tell.
        """
        return self._read("revision")

    def _read(self, attribute: str) -> int:
        if self._own is None:
            raise errors.CudnnError("the kernel cache is empty: no graph was built with it")
        return int(getattr(self._own.descriptor, attribute))


def create_kernel_cache() -> kernel_cache:
    """Return an empty cache of kernels."""
    return kernel_cache()


class knob:
    """A setting of an engine, and the values that it takes.

    Attributes:
        type: which setting it is.
        max_value, min_value, stride: the values.
    """

    def __init__(
        self,
        knob_type: knob_type = knob_type.NOT_SET,
        max_value: int | None = None,
        min_value: int | None = None,
        stride: int | None = None,
    ) -> None:
        self.type = knob_type
        self.max_value, self.min_value, self.stride = max_value or 0, min_value or 0, stride or 0

    def __repr__(self) -> str:
        return (
            f'{{"knob_type":{self.type.value},"max_value":{self.max_value},'
            f'"min_value":{self.min_value},"stride":{self.stride}}}'
        )
