"""Pooling, activation, softmax, CTC loss and dropout of CuPy's `cupy.cudnn`.

And descriptors of operations that only functions under C names take.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from ..._support.recent import Recent
from . import functions as cudnn
from .descriptors import (
    Descriptor,
    DType,
    Ndarray,
    contiguous,
    create_activation_descriptor,
    create_dropout_descriptor,
    create_pooling_descriptor,
    create_tensor_descriptor,
    cupy,
    get_data_type,
    get_handle,
    kept,
    nchw,
    nd_tensor,
    rows,
    set_dropout_descriptor,
)

_NO_NAN = cudnn.CUDNN_NOT_PROPAGATE_NAN


def _like(array: Ndarray) -> Ndarray:
    """Return a new array in C order of the shape and type of another."""
    return cupy().empty(array.shape, array.dtype)


def pooling_forward(
    x: Ndarray, y: Ndarray, ksize: Sequence[int], stride: Sequence[int], pad: Sequence[int],
    mode: int,
) -> Any:  # fmt: skip
    """Pool `x` into `y`, and return `y`. New code: `ops.max_pool`, `ops.average_pool`."""
    x = contiguous(x)
    if not y.flags.c_contiguous:
        raise ValueError("pooling_forward supports c-contiguous y only")
    x_desc, y_desc = nd_tensor(x), nd_tensor(y)
    pool = kept(create_pooling_descriptor, tuple(ksize), tuple(stride), tuple(pad), mode)
    cudnn.poolingForward(
        get_handle(), pool.value, 1.0, x_desc.value, x.data.ptr, 0.0, y_desc.value, y.data.ptr
    )
    return y


def pooling_backward(
    x: Ndarray, y: Ndarray, gy: Ndarray, ksize: Sequence[int], stride: Sequence[int],
    pad: Sequence[int], mode: int,
) -> Any:  # fmt: skip
    """Return the gradient of a pooling for `x`. New code: `ops.pooling_backward`."""
    gx = _like(x)
    x, y, gy = contiguous(x), contiguous(y), contiguous(gy)
    x_desc, y_desc = nd_tensor(x), nd_tensor(y)
    pool = kept(create_pooling_descriptor, tuple(ksize), tuple(stride), tuple(pad), mode)
    cudnn.poolingBackward(
        get_handle(), pool.value, 1.0, y_desc.value, y.data.ptr, y_desc.value, gy.data.ptr,
        x_desc.value, x.data.ptr, 0.0, x_desc.value, gx.data.ptr,
    )  # fmt: skip
    return gx


def activation_forward(x: Ndarray, mode: int, coef: float = 0.0) -> Any:
    """Return an activation function of each element. New code: `ops.relu`, `ops.tanh`, ..."""
    x = contiguous(x)
    y = _like(x)
    desc, act = rows(x), kept(create_activation_descriptor, mode, _NO_NAN, coef)
    cudnn.activationForward_v4(
        get_handle(), act.value, 1.0, desc.value, x.data.ptr, 0.0, desc.value, y.data.ptr
    )
    return y


def activation_backward(x: Ndarray, y: Ndarray, gy: Ndarray, mode: int, coef: float = 0.0) -> Any:
    """Return the gradient of an activation function for its argument `x`; `y` is its result.

    New code: `ops.activation_backward`.
    """
    gx = _like(x)
    x, y, gy = contiguous(x), contiguous(y), contiguous(gy)
    desc, act = rows(y), kept(create_activation_descriptor, mode, _NO_NAN, coef)
    cudnn.activationBackward_v4(
        get_handle(), act.value, 1.0, desc.value, y.data.ptr, desc.value, gy.data.ptr,
        desc.value, x.data.ptr, 0.0, desc.value, gx.data.ptr,
    )  # fmt: skip
    return gx


def _along(array: Ndarray, axis: int) -> tuple[Descriptor, int]:
    """Describe an array for a softmax along an axis, and return the mode."""
    axis += array.ndim if axis < 0 else 0
    left, right = math.prod(array.shape[:axis]), math.prod(array.shape[axis + 1 :])
    center = array.shape[axis]
    desc = kept(nchw, get_data_type(array.dtype), left, center, right, 1)
    if center == 1 and right == 1:
        return desc, cudnn.CUDNN_SOFTMAX_MODE_INSTANCE
    return desc, cudnn.CUDNN_SOFTMAX_MODE_CHANNEL


def softmax_forward(x: Ndarray, axis: int, algorithm: int) -> Any:
    """Return the softmax along an axis. New code: `ops.softmax`, `ops.log_softmax`."""
    x = contiguous(x)
    y = _like(x)
    desc, mode = _along(x, axis)
    cudnn.softmaxForward(
        get_handle(), algorithm, mode, 1.0, desc.value, x.data.ptr, 0.0, desc.value, y.data.ptr
    )
    return y


def softmax_backward(y: Ndarray, gy: Ndarray, axis: int, algorithm: int) -> Any:
    """Return the gradient of a softmax for its argument; `y` is its result.

    New code: `ops.softmax_backward`.
    """
    gx = _like(y)
    y, gy = contiguous(y), contiguous(gy)
    desc, mode = _along(y, axis)
    cudnn.softmaxBackward(
        get_handle(), algorithm, mode, 1.0, desc.value, y.data.ptr, desc.value, gy.data.ptr,
        0.0, desc.value, gx.data.ptr,
    )  # fmt: skip
    return gx


def add_tensor(
    handle: int, alpha: object, biasDesc: int, biasData: int, beta: object, srcDestDesc: int,
    srcDestData: int,
) -> None:  # fmt: skip
    """Add a bias; factors are addresses of host memory, or numbers.

    New code: `ops.add(y, bias, out=y)`.
    """
    cudnn.addTensor_v3(handle, alpha, biasDesc, biasData, beta, srcDestDesc, srcDestData)


def _in_c_order(numbers: Any) -> Any:
    """Return an array of integers as int32 in C order: cuDNN looks at the address alone."""
    import numpy as np

    made = np.ascontiguousarray(numbers)
    if made.dtype.kind not in "iu":
        raise TypeError(f"expected integers, got {made.dtype}")
    return made.astype(np.int32, copy=False)


def ctc_loss(
    probs: Ndarray, labels: Any, label_length: Any, input_length: Any, algo: int
) -> tuple[Any, Any]:
    """Return the loss of each sequence, and the gradients for `probs`.

    Args:
        probs: (time, batch, symbols).
        labels, label_length, input_length: arrays of NumPy, of any integers.
        algo: a CUDNN_CTC_LOSS_ALGO.

    New code: `ops.ctc_loss`, also with labels in device memory.
    """
    handle = get_handle()
    desc = Descriptor(cudnn.createCTCLossDescriptor(), cudnn.destroyCTCLossDescriptor)
    cudnn.setCTCLossDescriptor(desc.value, get_data_type(probs.dtype))
    gradients = _like(probs)
    loss = cupy().empty((probs.shape[1],), "f")
    probs_desc = create_tensor_descriptor(probs)
    labels, label_length = _in_c_order(labels), _in_c_order(label_length)
    input_length = _in_c_order(input_length)
    given = labels.ctypes.data, label_length.ctypes.data, input_length.ctypes.data
    size = cudnn.getCTCLossWorkspaceSize(
        handle, probs_desc.value, probs_desc.value, *given, algo, desc.value
    )
    workspace = cupy().empty((size,), "b")
    cudnn.CTCLoss(
        handle, probs_desc.value, probs.data.ptr, *given, loss.data.ptr, probs_desc.value,
        gradients.data.ptr, algo, desc.value, workspace.data.ptr, size,
    )  # fmt: skip
    return loss, gradients


def create_dropout_states(handle: int) -> Any:
    """Return an array for the states of a dropout; deprecated in favor of `DropoutStates`.

    New code: `ops.Dropout(rate, seed)`.
    """
    warnings.warn(
        "create_dropout_states is deprecated.Please use DropoutStates class instead.",
        DeprecationWarning,
        stacklevel=2,
    )
    return cupy().empty((cudnn.dropoutGetStatesSize(handle),), "b")


class DropoutStates:
    """The random numbers of a dropout.

    Args:
        handle: the address of a handle; None for that of this thread.
        seed: of the random numbers.

    New code: `ops.Dropout(rate, seed)`.
    """

    def __init__(self, handle: int | None, seed: int) -> None:
        own = get_handle() if handle is None else handle
        #: State that calls of networks with this dropout share; it is freed before the dropout.
        self._calls: dict[object, Any] = Recent(64)
        size = cudnn.dropoutGetStatesSize(own)
        self._states = cupy().cuda.alloc(size)
        self._desc = create_dropout_descriptor(own, 0.0, self._states.ptr, size, seed)

    def set_dropout_ratio(self, dropout_ratio: float) -> None:
        """Set the probability with which an element becomes zero."""
        set_dropout_descriptor(self._desc, get_handle(), dropout_ratio)

    def forward(
        self, handle: int | None, x: Ndarray, dropout_ratio: float
    ) -> tuple[Ndarray, Ndarray]:
        """Return the reserve space that `backward` needs, and `x` with elements dropped."""
        own = get_handle() if handle is None else handle
        set_dropout_descriptor(self._desc, own, dropout_ratio)
        x = contiguous(x)
        y = _like(x)
        desc = rows(x)
        reserve = cupy().empty((cudnn.getDropoutReserveSpaceSize(desc.value),), "b")
        cudnn.dropoutForward(
            own, self._desc.value, desc.value, x.data.ptr, desc.value, y.data.ptr,
            reserve.data.ptr, reserve.size,
        )  # fmt: skip
        return reserve, y

    def backward(
        self, handle: int | None, dy: Ndarray, dropout_ratio: float, reserve_space: Ndarray
    ) -> Ndarray:
        """Return the gradient for `x` of the forward call that made `reserve_space`."""
        own = get_handle() if handle is None else handle
        set_dropout_descriptor(self._desc, own, dropout_ratio)
        dy = contiguous(dy)
        dx = _like(dy)
        desc = rows(dy)
        cudnn.dropoutBackward(
            own, self._desc.value, desc.value, dy.data.ptr, desc.value, dx.data.ptr,
            reserve_space.data.ptr, reserve_space.size,
        )  # fmt: skip
        return dx


def create_spatial_transformer_descriptor(
    sampler_type: int, dtype: DType, nb_dims: int, dim_A: object
) -> Descriptor:
    """Describe a spatial transformer; `dim_A` is host memory, as an address, or a sequence.

    New code: `ops.affine_grid`, `ops.grid_sample`.
    """
    desc = Descriptor(
        cudnn.createSpatialTransformerDescriptor(), cudnn.destroySpatialTransformerDescriptor
    )
    cudnn.setSpatialTransformerDescriptor(
        desc.value, sampler_type, get_data_type(dtype), nb_dims, dim_A
    )
    return desc


def create_op_tensor_descriptor(op_type: int, dtype: DType) -> Descriptor:
    """Describe an operation on two tensors. New code: `ops.tensor_operation`."""
    desc = Descriptor(cudnn.createOpTensorDescriptor(), cudnn.destroyOpTensorDescriptor)
    cudnn.setOpTensorDescriptor(
        desc.value, op_type, get_data_type(dtype), cudnn.CUDNN_NOT_PROPAGATE_NAN
    )
    return desc


def create_reduce_tensor_descriptor(reduce_type: int, dtype: DType) -> Descriptor:
    """Describe a reduction; minimum and maximum also find positions. New code: `ops.reduce`."""
    desc = Descriptor(cudnn.createReduceTensorDescriptor(), cudnn.destroyReduceTensorDescriptor)
    extreme = reduce_type in (cudnn.CUDNN_REDUCE_TENSOR_MIN, cudnn.CUDNN_REDUCE_TENSOR_MAX)
    cudnn.setReduceTensorDescriptor(
        desc.value, reduce_type, get_data_type(dtype), cudnn.CUDNN_NOT_PROPAGATE_NAN,
        cudnn.CUDNN_REDUCE_TENSOR_FLATTENED_INDICES if extreme
        else cudnn.CUDNN_REDUCE_TENSOR_NO_INDICES,
        cudnn.CUDNN_32BIT_INDICES,
    )  # fmt: skip
    return desc
