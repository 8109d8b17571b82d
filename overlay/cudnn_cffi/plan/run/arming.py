"""Tell the compiled layer how to execute a plan."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ... import _call, arrays, errors
from ... import driver as _driver
from ..._call.spec import WRAPPERS
from ..._lookup import families
from ..._tables import active
from ...driver import graphs
from ...driver.streams import Stream
from ...driver.timing import FILLING
from ...handles import Handle
from ...memory import DeviceArray, Memory
from ..arrays.outputs import storage
from ..arrays.slot_offsets import find_offset
from ..operand import Operand

if TYPE_CHECKING:
    from .compiled import Base

_FUNCTIONS = (
    *("cudnnBackendExecute", "cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute"),
    *("cudnnBackendFinalize", "cudnnBackendDestroyDescriptor", "cudnnGetStream"),
    *("cudnnSetStream", "cudnnDestroy", "cudnnSetCallback", "cudnnGetCallback"),
    *("cudnnCreate", "cudnnGetErrorString"),
)

#: Calls on the same addresses before a CUDA graph is captured.
REPLAY_AFTER = 3

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
    "launch_kernel": "cuLaunchKernelEx",
    **dict(zip(("set_bytes", "set_halves", "set_words"), FILLING.values(), strict=True)),
}

#: The driver's functions that replay calls, in the order in which the compiled layer has them.
REPLAYING = (
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
    (Memory, "readonly"),
    (families.Handle, "_cudnnHandle_t"),
    (Handle, "_context"),
    (Handle, "device"),
    (Handle, "_stream"),
    (Handle, "_workspace"),
    (Stream, "_address"),
    (families.BackendDescriptor, "_cudnnBackendDescriptor_t"),
)


def set_up(plan: Base) -> None:
    """Tell the compiled layer what is the same for all plans of a process."""
    _call.bind()
    tables = active()
    plan._set_up_all(
        members=_members(),
        functions=_functions(),
        numbers=tuple([int(tables.enum(enum)[name]) for enum, name in _NUMBERS]),
        handle=Handle,
        stream=Stream,
        several_devices=_driver.count() > 1,
        **{name: graphs.function_address(each) for name, each in _DRIVER.items()},
    )
    plan._replay(
        functions=tuple([graphs.function_address(name) for name in REPLAYING]),
        after=_calls_before_replays(),
        **REPLAYS,
    )


@cache
def _members() -> tuple[tuple[object, int], ...]:
    """Return the slots, each with its place in objects."""
    return tuple([(cls.__dict__[name], find_offset(cls, name)) for cls, name in _SLOTS])


@cache
def _functions() -> tuple[int, ...]:
    """Return the numbers of cuDNN's functions in the compiled layer."""
    return tuple([WRAPPERS.index(name) for name in _FUNCTIONS])


def dtype_of(operand: Operand) -> object:
    """Return the dtype of NumPy that an argument has, if NumPy is loaded.

    Without it, arrays that tell one are read in Python.
    """
    if "numpy" not in sys.modules or operand.by_value or operand.data_type not in arrays.DLPACK:
        return None
    try:
        return arrays.numpy_dtype(storage(operand)[0][0])
    except (ImportError, AttributeError, TypeError, errors.ArgumentError):
        return None


def argument_of(
    operand: Operand, written: Collection[str], sizes: Mapping[str, int]
) -> Mapping[str, object]:
    """Return what the compiled layer checks of an argument of a call.

    Args:
        operand: the argument.
        written: the names of those that a call writes.
        sizes: the bytes of each, by its name.
    """
    names: tuple[str, ...] = ("",)
    shape: tuple[int, ...] = ()
    strides, code, bits = shape, -1, 8  # no array is known to fit
    if not operand.by_value and operand.data_type in arrays.DLPACK:
        names, shape, strides = storage(operand)
        code, bits = arrays.DLPACK["UINT8" if operand.is_bits else operand.data_type]
    return {
        "name": operand.name,
        "type_name": names[0],
        "dtype": dtype_of(operand),
        "shape": shape,
        "strides": strides,
        "code": code,
        "bits": bits,
        "size": bits // 8,
        "is_output": operand.role == "output",
        "is_written": operand.name in written,
        "alignment": 1 if code < 0 else operand.alignment,
        "span": 0 if operand.by_value else sizes[operand.name],
    }


def _calls_before_replays() -> int:
    """Return the number that CUDNN_CFFI_REPLAY has, or `REPLAY_AFTER`.

    Raises:
        ArgumentError: it is none.
    """
    value = os.environ.get("CUDNN_CFFI_REPLAY") or str(REPLAY_AFTER)
    if not value.isdecimal():
        raise errors.ArgumentError(
            f"CUDNN_CFFI_REPLAY: expected a number of calls, or 0 for never, got {value!r}"
        )
    return min(int(value), _MOST_CALLS)
