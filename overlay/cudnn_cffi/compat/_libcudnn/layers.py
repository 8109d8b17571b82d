"""The functions of cudnn-python-wrappers with arguments that cuDNN's lack."""

from __future__ import annotations

import ctypes

from ... import errors
from ...descriptors import ActivationDescriptor
from ...handles import Handle
from .._calls import calls
from .base import handles, raises, to_address, to_int
from .tables import cudnnActivationMode, cudnnNanPropagation, cudnnTensorFormat

__all__ = [
    "cudnnActivationBackward",
    "cudnnActivationForward",
    "cudnnAddTensor",
    "cudnnCreate",
    "cudnnDestroy",
    "cudnnGetPooling2dDescriptor",
    "cudnnGetStream",
    "cudnnSetFilter4dDescriptor",
    "cudnnSetStream",
]


@raises
def cudnnCreate() -> int:
    """Create a handle on the current device, and return its address. New code: `cudnn.Handle()`."""
    handle = Handle()
    handles[handle.address] = handle
    return handle.address


@raises
def cudnnDestroy(handle: object) -> None:
    """Destroy a handle. New code: `Handle.close`, or the end of a `with` block."""
    address = to_address(handle, "cudnnHandle_t")
    own = handles.pop(address, None)
    if own is not None:
        own.close()
    elif address:
        calls.cudnnDestroy(handle)


@raises
def cudnnSetStream(handle: object, id: object) -> None:
    """Set the stream of a handle, of any library or as an address. New code: `Handle.stream`."""
    pointer = isinstance(id, ctypes.c_void_p)
    calls.cudnnSetStream(handle, to_int(id) if pointer else id)


@raises
def cudnnGetStream(handle: object) -> int | None:
    """Return the address of a handle's stream; None for the default stream.

    New code: `Handle.stream`.
    """
    return int(calls.cudnnGetStream(handle)) or None


@raises
def cudnnAddTensor(
    handle: object, alpha: object, biasDesc: object, biasData: object, beta: object,
    srcDestDesc: object, srcDestData: object, last: object = None,
) -> None:  # fmt: skip
    """Add a bias: srcDest = alpha * bias + beta * srcDest.

    Version 2 has a mode after the handle, and so an argument more; it follows from the descriptors.

    New code: `ops.add`.
    """
    args = (alpha, biasDesc, biasData, beta, srcDestDesc, srcDestData, last)
    calls.cudnnAddTensor(handle, *(args[:6] if last is None else args[1:]))


@raises
def cudnnSetFilter4dDescriptor(
    wDesc: object,
    dataType: object,
    format: object,
    k: object,
    c: object,
    h: object,
    w: object = None,
) -> None:
    """Set a filter descriptor; without a format, as in version 2, the format is NCHW.

    New code: `cudnn.FilterDescriptor.packed`.
    """
    if w is None:
        format, k, c, h, w = cudnnTensorFormat["CUDNN_TENSOR_NCHW"], format, k, c, h
    calls.cudnnSetFilter4dDescriptor(wDesc, dataType, format, k, c, h, w)


@raises
def cudnnGetPooling2dDescriptor(poolingDesc: object) -> tuple[int, ...]:
    """Return mode, window and stride (two numbers each) of a pooling descriptor.

    New code: `PoolingDescriptor.window`, `padding`, ...
    """
    mode, _, high, wide, _, _, down, right = calls.cudnnGetPooling2dDescriptor(poolingDesc)
    return int(mode), high, wide, down, right


def _activation(mode: object) -> ActivationDescriptor:
    number = to_int(mode)
    if number == cudnnActivationMode["CUDNN_ACTIVATION_CLIPPED_RELU"]:
        raise errors.BadParamError(
            "a clipped ReLU needs its ceiling, which this function has no argument for",
            hint="cudnn_cffi.ActivationDescriptor.clipped_relu(ceiling)",
        )
    descriptor = ActivationDescriptor()
    elu = number == cudnnActivationMode["CUDNN_ACTIVATION_ELU"]
    calls.cudnnSetActivationDescriptor(
        descriptor, number, cudnnNanPropagation["CUDNN_NOT_PROPAGATE_NAN"], 1.0 if elu else 0.0
    )
    return descriptor


@raises
def cudnnActivationForward(
    handle: object, mode: object, alpha: float, srcDesc: object, srcData: object, beta: float,
    destDesc: object, destData: object,
) -> None:  # fmt: skip
    """Apply an activation function; the alpha of ELU is 1.

    New code: `ops.relu`, `ops.clipped_relu`, ...
    """
    calls.cudnnActivationForward(
        handle, _activation(mode), alpha, srcDesc, srcData, beta, destDesc, destData
    )


@raises
def cudnnActivationBackward(
    handle: object, mode: object, alpha: float, srcDesc: object, srcData: object, srcDiffDesc:
    object, srcDiffData: object, destDesc: object, destData: object, beta: float, destDiffDesc:
    object, destDiffData: object,
) -> None:  # fmt: skip
    """Compute the gradient of an activation; `src` is its result and `dest` its input.

    New code: `ops.activation_backward`.
    """
    calls.cudnnActivationBackward(
        handle, _activation(mode), alpha, srcDesc, srcData, srcDiffDesc, srcDiffData,
        destDesc, destData, beta, destDiffDesc, destDiffData,
    )  # fmt: skip
