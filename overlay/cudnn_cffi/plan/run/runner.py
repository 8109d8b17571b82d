"""Run a plan: by the compiled layer if the call fits, else by the method `_run`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ... import _call, arrays, errors, handles
from ... import driver as _driver
from ..._call.spec import WRAPPERS
from ..._lookup import families
from ..._support import fork
from ..._tables import active
from ...driver import graphs
from ...driver.streams import Stream, stream_pointer
from ...driver.timing import FILLING
from ...handles import Handle
from ...memory import DeviceArray, Memory
from ..arrays.libraries import allocating_in, library_of
from ..arrays.outputs import (
    Allocate,
    Free,
    cupy_maker,
    empty,
    own_maker,
    scratch_of,
    storage,
    torch_maker,
    torch_options,
)
from ..arrays.slot_offsets import find_offset
from ..operand import Number, Operand, encode, span
from ..placing import following
from .call_steps import FROM_NOTHING, FROM_WORKSPACE, AnyStep, are_replayed, packed
from .compiled import Base, Locked, Maker, Turn, count_replays, make_turn, native
from .reading import is_learnt, learn_type

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ...families import BackendDescriptor
    from ...types import Stream as StreamLike

__all__ = ["WORKSPACE", "Runner", "count_replays", "make_turn"]

#: Stands for the workspace among names of operands.
WORKSPACE = "\0"

#: DLPack's code and the bits of each data type that is one element in arrays, too.
_DLPACK = {
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

_FUNCTIONS = (
    *("cudnnBackendExecute", "cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute"),
    *("cudnnBackendFinalize", "cudnnBackendDestroyDescriptor", "cudnnGetStream"),
    *("cudnnSetStream", "cudnnDestroy", "cudnnSetCallback", "cudnnGetCallback"),
    *("cudnnCreate", "cudnnGetErrorString"),
)

#: Calls on the same addresses before a CUDA graph is captured.
_REPLAY_AFTER = 3

#: Maximum number of CUDA graphs of a process. Each takes up to 114 KiB of device memory and 23 KiB
#: of host memory (measured on an H200).
MOST_GRAPHS = 2048

#: Settings of all replays in a process: the maximum number of graphs; and Python's library,
#: and parts of paths of packages, whose threads wait for locks and messages: the driver refuses a
#: thread that waits for the device during a capture.
REPLAYS: dict[str, int | str | tuple[str, ...]] = {
    "graphs": MOST_GRAPHS,
    "library": str(Path(os.__file__).parent),
    "waiters": tuple(
        [f"{os.sep}{each}{os.sep}" for each in ("execnet", "ipykernel", "compile_worker")]
    ),
}

#: Upper bound for call counts, so that the C layer's products do not overflow.
_MOST_CALLS = 1 << 16

#: The driver's functions that calls use, by the names that the compiled layer has for them.
_DRIVER = {
    "current_context": "cuCtxGetCurrent",
    "is_capturing": "cuStreamIsCapturing",
    "allocate": "cuMemAllocAsync",
    "free": "cuMemFreeAsync",
    "exchange_mode": "cuThreadExchangeStreamCaptureMode",
    "wait_for_event": "cuStreamWaitEvent",
    "record_event": "cuEventRecord",
    "copy_memory": "cuMemcpy2DAsync_v2",
}

#: The driver's functions that replay calls, in the order in which the compiled layer has them.
_REPLAYING = (
    *("cuStreamCreate", "cuStreamDestroy_v2", "cuStreamBeginCapture_v2", "cuStreamEndCapture"),
    *("cuThreadExchangeStreamCaptureMode", "cuGraphInstantiateWithFlags", "cuGraphDestroy"),
    *("cuGraphLaunch", "cuGraphExecDestroy", "cuGraphGetNodes", "cuGraphNodeGetType"),
    "cuGraphMemcpyNodeGetParams",
)

_NUMBERS = (
    ("BackendDescriptorType", "VARIANT_PACK_DESCRIPTOR"),
    ("BackendAttributeName", "VARIANT_PACK_UNIQUE_IDS"),
    ("BackendAttributeName", "VARIANT_PACK_DATA_POINTERS"),
    ("BackendAttributeName", "VARIANT_PACK_WORKSPACE"),
    ("BackendAttributeType", "INT64"),
    ("BackendAttributeType", "VOID_PTR"),
    ("Severity", "INFO"),
)

_SLOTS: tuple[tuple[type, str], ...] = (
    (DeviceArray, "_pointer"),
    (DeviceArray, "shape"),
    (DeviceArray, "strides"),
    (DeviceArray, "dtype_name"),
    (DeviceArray, "_memory"),
    (Memory, "device"),
    (Memory, "size"),
    (Memory, "address"),
    (Memory, "stream"),
    (families.Handle, "_cudnnHandle_t"),
    (Handle, "_context"),
    (Handle, "device"),
    (Handle, "_stream"),
    (Handle, "_workspace"),
    (Stream, "_address"),
    (families.BackendDescriptor, "_cudnnBackendDescriptor_t"),
)


class Runner(Base):
    """The base of plans and classic calls: a lock, constants, and what the compiled layer knows.

    The compiled layer learns a type of arrays from the first call with it, which `_run` executes.
    """

    operands: tuple[Operand, ...]
    workspace_size: int
    _ordinal: int | None  # of the only device that it runs on, if that is known
    _takes: tuple[Operand, ...]
    _places: dict[int, int]
    _numbers: dict[int, Number]
    _packed: tuple[tuple[int, str, int], ...]
    _plan: BackendDescriptor | None  # None if nothing follows the steps
    _steps: Sequence[AnyStep] | None  # what runs first; None for what only Python can do
    #: What has calls in several streams follow each other.
    _turn_of_calls: Turn | None = None

    #: Whether calls that come again may be launched as CUDA graphs.
    replays = True
    #: Outputs, each with an operand that is read after the step that writes the output first.
    _apart: tuple[tuple[str, str], ...] = ()

    def _set_up(self) -> None:
        self._own_lock = fork.lock() if native is None else None
        self._numbers = {
            each.uid: Number(encode(each, each.value))
            for each in self.operands
            if each.value is not None
        }
        self._packed = tuple(self._list_packed())
        self._is_armed = native is not None and self._arm_compiled()
        self._taught: set[tuple[type, int]] = set()

    def _list_packed(self) -> Iterator[tuple[int, str, int]]:
        """Yield what is in the variant pack: unique id, whose address it is, and an offset.

        The address is that of an argument, by its name, or of the workspace; or "" for none.
        """
        known = self._known_uids() if any(each.views for each in self.operands) else None
        for each in self.operands:
            if each.value is not None:
                yield each.uid, "", self._numbers[each.uid].address
            elif each.role == "workspace":
                yield each.uid, WORKSPACE, self._places[each.uid]
            elif each.is_read:
                # An input may be read through its views alone. The plan's text names no offsets of
                # ragged tensors, so what it does not name is left out only where there are views.
                for uid, offset in ((each.uid, 0), *each.views):
                    if known is None or uid in known or not each.views:
                        yield uid, each.name, offset

    def _known_uids(self) -> set[int] | None:
        """Return the unique ids that cuDNN knows of; None where nothing tells."""
        return None

    def _lock(self) -> AbstractContextManager[object]:
        return self._own_lock or Locked(self._acquire, self._release)

    @property
    def ordinal(self) -> int | None:
        """Return the ordinal of the only device that it runs on; None if that is not known."""
        return self._ordinal

    @property
    def is_replayed(self) -> bool:
        """Return whether a call does the same each time on the same addresses."""
        steps = self._steps
        return (
            self.replays
            and self._turn_of_calls is None
            and steps is not None
            and are_replayed(steps)
        )

    def _arm_compiled(self) -> bool:
        """Tell the compiled layer what to check; return whether it can execute this."""
        steps = self._steps
        if steps is None:
            return False
        sources = {each.name: place for place, each in enumerate(self._takes)}
        words = packed(steps, sources)
        if words is None:
            return False
        _call.bind()
        tables = active()
        setters = dict(zip(("set_bytes", "set_halves", "set_words"), FILLING.values(), strict=True))
        self._set_up_all(
            members=tuple([(cls.__dict__[name], find_offset(cls, name)) for cls, name in _SLOTS]),
            functions=tuple([WRAPPERS.index(name) for name in _FUNCTIONS]),
            numbers=tuple([int(tables.enum(enum)[name]) for enum, name in _NUMBERS]),
            handle=Handle,
            stream=Stream,
            several_devices=_driver.count() > 1,
            **{name: graphs.function_address(each) for name, each in (_DRIVER | setters).items()},
        )
        self._replay(
            functions=tuple([graphs.function_address(name) for name in _REPLAYING]),
            after=_calls_until("CUDNN_CFFI_REPLAY", _REPLAY_AFTER),
            **REPLAYS,
        )
        pack = [
            (uid, sources.get(name, FROM_WORKSPACE if name else FROM_NOTHING), offset)
            for uid, name, offset in self._packed
        ]
        arguments: list[Mapping[str, object]] = []
        for each in self._takes:
            names: tuple[str, ...] = ("",)
            shape: tuple[int, ...] = ()
            strides, dtype, code, bits = shape, None, -1, 8  # no array is known to fit
            if not each.by_value and each.data_type in _DLPACK:
                names, shape, strides = storage(each)
                code, bits = _DLPACK[each.data_type]
                try:
                    dtype = arrays.numpy_dtype(names[0])
                except (ImportError, AttributeError, TypeError, errors.ArgumentError):
                    dtype = None  # then arrays that tell a dtype of NumPy's are read in Python
            arguments.append(
                {
                    "name": each.name,
                    "type_name": names[0],
                    "dtype": dtype,
                    "shape": shape,
                    "strides": strides,
                    "code": code,
                    "bits": bits,
                    "size": bits // 8,
                    "is_output": each.role == "output",
                    "alignment": 1 if code < 0 else each.alignment,
                }
            )
        is_armed = bool(
            self._arm(
                descriptor=self._plan,
                device=-1 if self._ordinal is None else self._ordinal,
                workspace_size=self.workspace_size,
                packed=() if self._plan is None else tuple(pack),
                arguments=tuple(arguments),
                steps=words,
                turn=self._turn_of_calls,
                replays=self.is_replayed,
            )
        )
        if is_armed and self._apart:
            spans = [span(each) for each in self._takes]
            pairs = [(sources[one], sources[other]) for one, other in self._apart]
            self._keep_apart(tuple([(*pair, *[spans[each] for each in pair]) for pair in pairs]))
        return is_armed

    def _default(self, device: int) -> Handle:
        return handles.handle(device)

    def _following(self, device: int) -> Handle:
        return following(device)

    def _lends_scratch(self, library: str) -> bool:
        """Return whether the workspace is allocated by the library of the operands."""
        raise NotImplementedError

    def _stream_address(self, stream: StreamLike) -> int:
        return stream_pointer(stream)

    def _learn(self, bound: Mapping[str, object], handle: Handle) -> None:
        """Have the compiled layer know the types of these arrays, which were found to fit."""
        if not self._is_armed:
            return
        for each in self._takes:
            array = bound[each.name]
            kind = type(array)
            learn_type(array)
            makes = each.role == "input" and is_learnt(kind)
            if makes and (kind, handle.device) not in self._taught:
                self._taught.add((kind, handle.device))
                library = library_of(array)
                outputs = [one for one in self._takes if one.role == "output"]
                memory = self._allocate, self._free
                if self.workspace_size and self._lends_scratch(library):
                    outputs.append(scratch_of(self.workspace_size))
                makers = [_maker(library, one, handle.device, memory) for one in outputs]
                self._teach(kind, handle.device, tuple(makers))
        stream = handle.stream
        if type(stream).__module__.partition(".")[0] in ("torch", "cupy"):
            self._learn_stream(type(stream))

    def _make_output(self, library: str, operand: Operand, handle: Handle) -> object:
        """Return a new array for an output, in the library of the inputs."""
        if library == "own" and native is not None:
            return own_maker(operand, handle.device, self._allocate, self._free)(handle)
        with allocating_in(library, handle.device, handle.get_stream()):
            return empty(library, operand, handle.device, handle.stream)

    def _run(self, given: Sequence[object], named: Mapping[str, object]) -> object:
        raise NotImplementedError


def _calls_until(variable: str, default: int) -> int:
    """Return the number that an environment variable has.

    Raises:
        ArgumentError: it is none.
    """
    value = os.environ.get(variable) or str(default)
    if not value.isdecimal():
        raise errors.ArgumentError(
            f"{variable}: expected a number of calls, or 0 for never, got {value!r}"
        )
    return min(int(value), _MOST_CALLS)


def _maker(library: str, operand: Operand, device: int, memory: tuple[Allocate, Free]) -> Maker:
    """Return what makes an output: a callable, arguments or None for the handle, keywords."""
    names, shape, strides = storage(operand)
    if library == "torch":
        options = torch_options(names, device)
        short = torch_maker()
        if options is not None and short is not None:
            return short, (shape, strides, options["dtype"]), None
        if options is not None:
            return sys.modules["torch"].empty_strided, (shape, strides), options
    if library == "cupy":
        maker = cupy_maker(operand, device)
        if maker is not None:
            return maker, (), None
    if library == "own":
        return own_maker(operand, device, *memory), None, None
    return (lambda: empty(library, operand, device, None)), (), None
