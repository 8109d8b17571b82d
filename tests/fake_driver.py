"""A CUDA driver that does nothing but note what it is asked to do, for tests without a GPU."""

from __future__ import annotations

import ctypes
import gc
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from cudnn_cffi.driver import context, keeping, libcuda


class FakeDriver:
    """Functions of libcuda that are used. Device n has the primary context 0x1000 + n.

    Attributes:
        calls: the functions that do something in a stream, each with the stream.
        current: the context that is current.
        captures: ids of the captures that are going on, by stream.
        contexts: the context of each stream that is not of the current one.
        failing: what waiting for a context returns.
        retained: what graphs keep alive until `end_graph`, by graph.
        largest: the bytes of the largest block that can be allocated.
        relaxed: whether the thread may do what does not touch a captured stream.
        blocking: whether captured streams wait for the default stream, as it does for them.
        broken: the calls that have broken a capture, or used a stream that was destroyed.
        destroyed: the streams that were; no other one gets their address.
        unreached: events that no stream got to.
        cuStreamIsCapturing, cuMemAllocAsync, cuMemFreeAsync, cuThreadExchangeStreamCaptureMode:
            functions that C can call.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.current = 0x1000
        self.captures: dict[int, int] = {}
        self.contexts: dict[int, int] = {}
        self.failing = 0
        self.retained: dict[int, list[int]] = {}
        self._ends: dict[int, tuple[Any, Any]] = {}
        self._made = 0xC000
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))
        self.cuStreamIsCapturing = kind(self._is_capturing)
        self.largest = 1 << 40
        self.relaxed = self.blocking = False
        self.broken: list[str] = []
        self.destroyed: set[int] = set()
        self.unreached: set[int] = set()
        exchange = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int))
        self.cuThreadExchangeStreamCaptureMode = exchange(self._exchange_mode)
        address, size = ctypes.c_void_p, ctypes.c_size_t
        self.cuMemAllocAsync = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(size), size, address)(
            self._allocate
        )
        self.cuMemFreeAsync = ctypes.CFUNCTYPE(ctypes.c_int, size, address)(self._free)
        for bits, element in ((8, ctypes.c_ubyte), (16, ctypes.c_ushort), (32, ctypes.c_uint)):
            fill = ctypes.CFUNCTYPE(ctypes.c_int, size, element, size, address)
            setattr(self, f"cuMemsetD{bits}Async", fill(partial(self._fill, bits // 8)))

    def _exchange_mode(self, mode: Any) -> int:
        self.relaxed, mode[0] = mode[0] == 2, 2 if self.relaxed else 0
        return 0

    def _breaks(self, call: str, stream: int | None = None, *, broad: bool = False) -> int:
        """Return the status of a call that captures forbid, and note it; 0 where none is on.

        Args:
            call: its name.
            stream: that it is for, if it is; a captured one may not be used at all.
            broad: whether it is forbidden in each mode.
        """
        if self._is_destroyed(call, ctypes.c_void_p(stream)):
            return 709
        implicit = self.blocking and stream is not None and stream <= 1
        if self.captures and (broad or implicit or not self.relaxed or stream in self.captures):
            self.broken.append(call)
            return 906 if implicit else 900
        return 0

    def _is_destroyed(self, call: str, stream: Any) -> bool:
        found = stream.value in self.destroyed
        self.broken += [call] * found
        return found

    def _allocate(self, out: Any, size: int, stream: int | None) -> int:
        if status := self._breaks("cuMemAllocAsync", stream or 0):
            return status
        out[0] = self._made = self._made + 0x10000
        self.calls.append(("allocate", size, stream or 0))
        return 2 if size > self.largest else 0

    def _free(self, address: int, stream: int | None) -> int:
        if status := self._breaks("cuMemFreeAsync", stream or 0):
            return status
        self.calls.append(("free", address, stream or 0))
        return 0

    def _fill(self, width: int, address: int, bits: int, count: int, _stream: int | None) -> int:
        self.calls.append(("fill", address, count * width, *([bits] if bits else [])))
        return 0

    def _is_capturing(self, stream: int | None, out: Any) -> int:
        if self.blocking and self.captures and (stream or 0) <= 1:
            return 906
        out[0] = int(stream in self.captures)
        return 0

    def _new(self, out: Any) -> int:
        self._made += 0x10
        out._obj.value = self._made
        return 0

    def cuGetErrorName(self, _status: int, name: Any) -> int:
        name._obj.value = b"CUDA_ERROR_FAKE"
        return 0

    def cuCtxGetCurrent(self, out: Any) -> int:
        out._obj.value = self.current
        return 0

    def cuCtxSetCurrent(self, context: Any) -> int:
        self.current = context.value or 0
        return 0

    def cuDevicePrimaryCtxRetain(self, out: Any, device: Any) -> int:
        out._obj.value = 0x1000 + device.value
        return 0

    def cuCtxGetDevice(self, out: Any) -> int:
        out._obj.value = self.current & 0xFFF
        return 0

    def cuStreamGetCtx(self, stream: Any, out: Any) -> int:
        out._obj.value = self.contexts.get(stream.value, self.current)
        return 0

    def cuStreamGetCaptureInfo_v2(self, stream: Any, status: Any, number: Any, *_: Any) -> int:
        if not self.current:
            return 201
        if _ and _[0] is not None:
            _[0]._obj.value = 0x9000 + self.captures.get(stream.value, 0)
        number._obj.value = self.captures.get(stream.value, 0)
        status._obj.value = int(stream.value in self.captures)
        return 0

    def cuStreamCreate(self, out: Any, _flags: Any) -> int:
        return self._new(out)

    def cuStreamDestroy_v2(self, stream: Any) -> int:
        self.calls.append(("destroy", stream.value))
        status = self._breaks("cuStreamDestroy", stream.value)
        self.destroyed.add(stream.value)
        return status

    def cuEventCreate(self, out: Any, _flags: Any) -> int:
        return self._new(out)

    def cuEventRecord(self, _event: Any, stream: Any) -> int:
        self.calls.append(("record", stream.value or 0))
        return 709 if self._is_destroyed("cuEventRecord", stream) else 0

    def cuEventQuery(self, event: Any) -> int:
        return 600 if event.value in self.unreached else 0

    def cuEventSynchronize(self, event: Any) -> int:
        self.calls.append(("synchronize event", event.value))
        return 0

    def cuEventElapsedTime(self, out: Any, first: Any, last: Any) -> int:
        if self.unreached & {first.value, last.value}:
            return 600
        out._obj.value = (last.value - first.value) / 16
        return 0

    def cuEventDestroy_v2(self, _event: Any) -> int:
        return self._breaks("cuEventDestroy")

    def cuStreamWaitEvent(self, stream: Any, _event: Any, _flags: Any) -> int:
        self.calls.append(("wait", stream.value or 0))
        return 709 if self._is_destroyed("cuStreamWaitEvent", stream) else 0

    def cuStreamSynchronize(self, stream: Any) -> int:
        self.calls.append(("synchronize", stream.value or 0))
        return 0

    def cuCtxSynchronize(self) -> int:
        self.calls.append(("synchronize context", self.current))
        return self.failing or self._breaks("cuCtxSynchronize", broad=True)

    def cuPointerGetAttribute(self, out: Any, _attribute: int, _address: Any) -> int:
        out._obj.value = 0
        return 0

    def cuDeviceGetName(self, name: Any, _size: int, _device: Any) -> int:
        name.value = b"Fake GPU"
        return 0

    def cuDriverGetVersion(self, out: Any) -> int:
        out._obj.value = 13020
        return 0

    def cuMemGetInfo_v2(self, free: Any, total: Any) -> int:
        free._obj.value, total._obj.value = 3 << 20, 7 << 20
        return 0

    def cuDeviceGetAttribute(self, out: Any, attribute: Any, _device: Any) -> int:
        out._obj.value = {16: 132, 75: 9, 76: 0}[attribute.value]
        return 0

    def cuUserObjectCreate(self, out: Any, argument: Any, end: Any, *_: Any) -> int:
        self._new(out)
        self._ends[out._obj.value] = (end, argument)
        return 0

    def cuGraphRetainUserObject(self, graph: Any, made: Any, *_: Any) -> int:
        self.retained.setdefault(graph.value, []).append(made.value)
        return 0

    def end_graph(self, graph: int) -> None:
        """Do what the driver does after the last launch of a graph."""
        for made in self.retained.pop(graph):
            end, argument = self._ends.pop(made)
            end(argument)

    def ends_with_graph(self, graph: int, references: Sequence[weakref.ref[Any]]) -> None:
        """Check that objects live until the last launch of a graph, and no longer."""
        gc.collect()
        assert all(each() is not None for each in references)
        self.end_graph(graph)
        keeping.sweep()
        gc.collect()
        assert not any(each() is not None for each in references)

    def install(self, patch: Callable[..., None], devices: int = 1) -> FakeDriver:
        patch(libcuda, "_cuda", self)
        patch(libcuda, "_why", "")
        patch(libcuda, "_count", devices)
        patch(context, "_primary", {})
        return self


class ForeignStream:
    """A stream of another library that says as cuda.core does that it is closed."""

    def __init__(self, address: int = 0x4440) -> None:
        self._address: int | None = address

    def __cuda_stream__(self) -> tuple[int, int]:
        if self._address is None:
            raise RuntimeError("Stream has been closed")
        return (0, self._address)

    def close(self) -> None:
        self._address = None
