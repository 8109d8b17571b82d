"""Batch normalization of CuPy's `cupy.cudnn`."""

from __future__ import annotations

import warnings
from typing import Any

from ...errata.record import ALIGNMENT
from .._words import CODES
from . import functions as cudnn
from .descriptors import (
    Descriptor,
    Ndarray,
    Pointer,
    contiguous,
    create_uninitialized_tensor_descriptor,
    cupy,
    extents,
    get_data_type,
    get_handle,
    kept,
    nd_tensor,
    rows,
)

_NCHW = cudnn.CUDNN_TENSOR_NCHW
_PERSISTENT = cudnn.CUDNN_BATCHNORM_SPATIAL_PERSISTENT
_OPS = cudnn.CUDNN_BATCHNORM_OPS_BN

#: NumPy's codes of data types, by cuDNN's numbers.
_CODES = {number: code for code, number in CODES.items()}


def _describe(
    x: Ndarray, is_for_conv2d: bool, mode: int, layout: int
) -> tuple[Descriptor, Descriptor, str]:
    """Return descriptors of an array and of its parameters, and the type of these."""
    data_type = get_data_type(x.dtype)
    if not is_for_conv2d:
        desc = rows(x, first=False)
    elif x.ndim == 4:
        desc = kept(_four_axes, data_type, layout, x.shape)
    else:
        desc = nd_tensor(x)
    derived, code = kept(_derive, desc, mode)
    return desc, derived, code


def _four_axes(data_type: int, layout: int, shape: tuple[int, ...]) -> Descriptor:
    desc = create_uninitialized_tensor_descriptor()
    cudnn.setTensor4dDescriptor(desc.value, layout, data_type, *extents(shape, layout))
    return desc


def _derive(desc: Descriptor, mode: int) -> tuple[Descriptor, str]:
    derived = create_uninitialized_tensor_descriptor()
    cudnn.deriveBNTensorDescriptor(derived.value, desc.value, mode)
    return derived, _CODES[cudnn.getTensor4dDescriptor(derived.value)[0]]


def _aligned(images: Ndarray) -> Ndarray:
    """Return images in C order at an address that cuDNN's kernels can read by vectors."""
    images = contiguous(images)
    return images.copy(order="C") if images.data.ptr % ALIGNMENT else images


def _typed(array: Ndarray, code: str) -> Ndarray:
    """Return an array in C order with elements of a type."""
    return contiguous(array) if array.dtype.char == code else array.astype(code)


def _warn_of_overflow(handle: int, mode: int, debug: bool) -> None:
    if not debug or mode != _PERSISTENT:
        return
    status = cudnn.queryRuntimeError(handle, cudnn.CUDNN_ERRQUERY_BLOCKING)
    if status != cudnn.CUDNN_STATUS_SUCCESS:
        warnings.warn(
            f"A numerical overflow might have happened in cuDNN batch normalization "
            f"(status:{status})",
            stacklevel=3,
        )


def _train(
    x: Ndarray, gamma: Ndarray, beta: Ndarray, running_mean: Ndarray, running_var: Ndarray,
    mean: Ndarray | None, inv_std: Ndarray | None, eps: float, decay: float, is_for_conv2d: bool,
    cudnn_mode: int, debug: bool, d_layout: int,
) -> tuple[Pointer | None, Ndarray, Ndarray, Ndarray]:  # fmt: skip
    """Return reserve space or None, the result, mean, and the inverse of the deviation."""
    if (mean is None) != (inv_std is None):
        raise ValueError("Both mean and inv_std must be None if one is.")
    x = _aligned(x)
    y = cupy().empty(x.shape, x.dtype)
    handle = get_handle()
    desc, derived, code = _describe(x, is_for_conv2d, cudnn_mode, d_layout)
    averages = _typed(running_mean, code), _typed(running_var, code)
    gamma, beta = _typed(gamma, code), _typed(beta, code)
    if mean is None or inv_std is None:
        mean, inv_std = cupy().empty(gamma.shape, code), cupy().empty(gamma.shape, code)
    statistics = _typed(mean, code), _typed(inv_std, code)
    workspace = reserve = None
    if (
        cudnn_mode == _PERSISTENT
        and x.dtype.char == "e"
        and d_layout == cudnn.CUDNN_TENSOR_NHWC
        and x.shape[3] % 4 == 0
    ):
        # With these, cuDNN has a faster kernel.
        workspace = cupy().cuda.alloc(
            cudnn.getBatchNormalizationForwardTrainingExWorkspaceSize(
                handle, cudnn_mode, _OPS, desc.value, desc.value, desc.value, derived.value, 0
            )
        )
        reserve = cupy().cuda.alloc(
            cudnn.getBatchNormalizationTrainingExReserveSpaceSize(
                handle, cudnn_mode, _OPS, 0, desc.value
            )
        )
    cudnn.batchNormalizationForwardTrainingEx(
        handle, cudnn_mode, _OPS, 1.0, 0.0, desc.value, x.data.ptr, desc.value, 0, desc.value,
        y.data.ptr, derived.value, gamma.data.ptr, beta.data.ptr, 1.0 - decay,
        averages[0].data.ptr, averages[1].data.ptr, eps, statistics[0].data.ptr,
        statistics[1].data.ptr, 0,
        *_memory(workspace), *_memory(reserve),
    )  # fmt: skip
    _warn_of_overflow(handle, cudnn_mode, debug)
    pairs = zip((running_mean, running_var, mean, inv_std), (*averages, *statistics), strict=True)
    for own, written in pairs:
        if own is not written:  # it has another type, or gaps
            own[...] = written
    return reserve, y, mean, inv_std


def _memory(pointer: Pointer | None) -> tuple[int, int]:
    """Return the address and the bytes of memory; 0 for none."""
    return (0, 0) if pointer is None else (pointer.ptr, pointer.mem.size)


def batch_normalization_forward_training(
    x: Ndarray, gamma: Ndarray, beta: Ndarray, running_mean: Ndarray, running_var: Ndarray,
    mean: Ndarray | None, inv_std: Ndarray | None, eps: float, decay: float, is_for_conv2d: bool,
    cudnn_mode: int, debug: bool, d_layout: int = _NCHW,
) -> Any | tuple[Any, Any, Any]:  # fmt: skip
    """Normalize by the statistics of `x`, and update the running ones in place.

    Args:
        x: (n, c, ...) with `is_for_conv2d`, else (..., c).
        gamma, beta: scale and bias.
        running_mean, running_var: they become decay * old + (1 - decay) * that of `x`.
        mean, inv_std: arrays for the statistics of `x`; None for new ones.
        eps: is added to the variance.
        cudnn_mode: a CUDNN_BATCHNORM.
        debug: whether to warn of an overflow in the persistent mode, which waits for the device.
        d_layout: which axes `x` has with `is_for_conv2d`.

    Returns: the result; with `mean` None also mean and inverse of the standard deviation.

    New code: `ops.batch_norm`.
    """
    reserve, y, mean_, inv_std_ = _train(
        x, gamma, beta, running_mean, running_var, mean, inv_std, eps, decay, is_for_conv2d,
        cudnn_mode, debug, d_layout,
    )  # fmt: skip
    if reserve is not None:
        cupy_warning = getattr(cupy(), "_util").PerformanceWarning  # noqa: B009
        warnings.warn(
            "Could be faster by calling batch_normalization_forward_training_ex() instead of "
            "batch_normalization_forward_training().",
            cupy_warning,
            stacklevel=2,
        )
    return (y, mean_, inv_std_) if mean is None else y


def batch_normalization_forward_training_ex(
    x: Ndarray, gamma: Ndarray, beta: Ndarray, running_mean: Ndarray, running_var: Ndarray,
    mean: Ndarray | None, inv_std: Ndarray | None, eps: float, decay: float, is_for_conv2d: bool,
    cudnn_mode: int, debug: bool, d_layout: int = _NCHW,
) -> tuple[Pointer | None, *tuple[Any, ...]]:  # fmt: skip
    """Normalize as `batch_normalization_forward_training`, and return reserve space first.

    New code: `ops.batch_norm`.
    """
    reserve, y, mean_, inv_std_ = _train(
        x, gamma, beta, running_mean, running_var, mean, inv_std, eps, decay, is_for_conv2d,
        cudnn_mode, debug, d_layout,
    )  # fmt: skip
    return (reserve, y, mean_, inv_std_) if mean is None else (reserve, y)


def batch_normalization_forward_inference(
    x: Ndarray, gamma: Ndarray, beta: Ndarray, mean: Ndarray, var: Ndarray, eps: float,
    is_for_conv2d: bool, cudnn_mode: int, d_layout: int = _NCHW,
) -> Any:  # fmt: skip
    """Return `x` normalized by given statistics. New code: `ops.batch_norm_inference`."""
    x = _aligned(x)
    y = cupy().empty(x.shape, x.dtype)
    handle = get_handle()
    desc, derived, code = _describe(x, is_for_conv2d, cudnn_mode, d_layout)
    gamma, beta, mean, var = (_typed(each, code) for each in (gamma, beta, mean, var))
    cudnn.batchNormalizationForwardInference(
        handle, cudnn_mode, 1.0, 0.0, desc.value, x.data.ptr, desc.value, y.data.ptr,
        derived.value, gamma.data.ptr, beta.data.ptr, mean.data.ptr, var.data.ptr, eps,
    )  # fmt: skip
    return y


def batch_normalization_backward(
    x: Ndarray, gamma: Ndarray, gy: Ndarray, mean: Ndarray, inv_std: Ndarray, eps: float,
    is_for_conv2d: bool, cudnn_mode: int, debug: bool, d_layout: int = _NCHW, *,
    reserve_space: Pointer | None = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Return the gradients for `x`, `gamma` and beta.

    Args:
        mean, inv_std: the statistics of the training call.
        reserve_space: of `batch_normalization_forward_training_ex`.

    New code: `ops.batch_norm_backward`.
    """
    x, gy = _aligned(x), _aligned(gy)
    gx = cupy().empty(x.shape, x.dtype)
    handle = get_handle()
    desc, derived, code = _describe(x, is_for_conv2d, cudnn_mode, d_layout)
    cast = gamma.dtype.char != code
    gamma, mean, inv_std = (_typed(each, code) for each in (gamma, mean, inv_std))
    ggamma, gbeta = cupy().empty(gamma.shape, code), cupy().empty(gamma.shape, code)
    size = cudnn.getBatchNormalizationBackwardExWorkspaceSize(
        handle, cudnn_mode, _OPS, desc.value, desc.value, desc.value, desc.value, desc.value,
        derived.value, 0,
    )  # fmt: skip
    workspace = cupy().cuda.alloc(size)
    cudnn.batchNormalizationBackwardEx(
        handle, cudnn_mode, _OPS, 1.0, 0.0, 1.0, 0.0, desc.value, x.data.ptr, desc.value, 0,
        desc.value, gy.data.ptr, desc.value, 0, desc.value, gx.data.ptr, derived.value,
        gamma.data.ptr, 0, ggamma.data.ptr, gbeta.data.ptr, eps, mean.data.ptr, inv_std.data.ptr,
        0, workspace.ptr if size else 0, size, *_memory(reserve_space),
    )  # fmt: skip
    _warn_of_overflow(handle, cudnn_mode, debug)
    if cast:
        ggamma, gbeta = ggamma.astype(x.dtype), gbeta.astype(x.dtype)
    return gx, ggamma, gbeta
