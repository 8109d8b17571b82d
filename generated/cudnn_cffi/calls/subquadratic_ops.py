# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1e8fab716f5553cc117675d8e71e083c
"""Functions of cudnn_subquadratic_ops.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .._call import getters as _getters, instead as _instead, quick as _quick, stream as _stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..enums import CausalConv1dActivation, DataType
    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
else:
    from .._support.results import NamedTuple


class LongFFTCausalConv1dGetBufferSizesResult(NamedTuple):
    """Results of `cudnnLongFFTCausalConv1dGetBufferSizes`."""

    workspaceSizeInBytes: int
    reserveSpaceSizeInBytes: int


_cudnnB2BCausalConv1dBackward = _quick(
    "cudnnB2BCausalConv1dBackward",
    "",
    (
        _stream,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    ),
    (None,),
)


@_instead(_cudnnB2BCausalConv1dBackward)
def cudnnB2BCausalConv1dBackward(
    stream: Stream,
    x: DevicePointer,
    weightsProj: DevicePointer,
    weightsMixer: DevicePointer,
    skipBias: DevicePointer,
    y: DevicePointer,
    dy: DevicePointer,
    dx: DevicePointer,
    dweightsProj: DevicePointer,
    dweightsMixer: DevicePointer,
    dskipBias: DevicePointer,
    batch: int,
    dim: int,
    seqLen: int,
    kernelSizeProj: int,
    kernelSizeMixer: int,
    dataType: DataType,
    dwDataType: DataType,
) -> None:
    """Compute `dx`, `dweightsProj`, `dweightsMixer` and `dskipBias`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory, read.
        weightsProj: const void*, device memory, read.
        weightsMixer: const void*, device memory, read.
        skipBias: const void*, device memory, read.
        y: const void*, device memory, read.
        dy: const void*, device memory, read.
        dx: void*, device memory, written.
        dweightsProj: void*, device memory, read and written.
        dweightsMixer: void*, device memory, read and written.
        dskipBias: void*, device memory, read and written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSizeProj: int.
        kernelSizeMixer: int.
        dataType: cudnnDataType_t, a `DataType`; of all arrays but gradients for weights.
        dwDataType: cudnnDataType_t, a `DataType`; of the gradients for weights and biases.

    Returns:
        None; the function writes `dx`, `dweightsProj`, `dweightsMixer` and `dskipBias`, in
            place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.24.0.

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnB2BCausalConv1dBackward(cudaStream_t stream, const void *x, const
            void *weightsProj, const void *weightsMixer, const void *skipBias, const void *y,
            const void *dy, void *dx, void *dweightsProj, void *dweightsMixer, void *dskipBias,
            int batch, int dim, int seqLen, int kernelSizeProj, int kernelSizeMixer,
            cudnnDataType_t dataType, cudnnDataType_t dwDataType)
    """
    return _cudnnB2BCausalConv1dBackward(
        stream,
        x,
        weightsProj,
        weightsMixer,
        skipBias,
        y,
        dy,
        dx,
        dweightsProj,
        dweightsMixer,
        dskipBias,
        batch,
        dim,
        seqLen,
        kernelSizeProj,
        kernelSizeMixer,
        dataType,
        dwDataType,
    )


_cudnnB2BCausalConv1dForward = _quick(
    "cudnnB2BCausalConv1dForward",
    "",
    (
        _stream,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        None,
        None,
        None,
        None,
        None,
        None,
    ),
    (None,),
)


@_instead(_cudnnB2BCausalConv1dForward)
def cudnnB2BCausalConv1dForward(
    stream: Stream,
    x: DevicePointer,
    weightsProj: DevicePointer,
    weightsMixer: DevicePointer,
    skipBias: DevicePointer,
    y: DevicePointer,
    yGated: DevicePointer,
    batch: int,
    dim: int,
    seqLen: int,
    kernelSizeProj: int,
    kernelSizeMixer: int,
    dataType: DataType,
) -> None:
    """Compute `y` and `yGated` from `x`, `weightsProj`, `weightsMixer` and `skipBias`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory, read.
        weightsProj: const void*, device memory, read.
        weightsMixer: const void*, device memory, read.
        skipBias: const void*, device memory, read.
        y: void*, device memory, written.
        yGated: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSizeProj: int.
        kernelSizeMixer: int.
        dataType: cudnnDataType_t, a `DataType`.

    Returns:
        None; the function writes `y` and `yGated`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.24.0.

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnB2BCausalConv1dForward(cudaStream_t stream, const void *x, const void
            *weightsProj, const void *weightsMixer, const void *skipBias, void *y, void *yGated,
            int batch, int dim, int seqLen, int kernelSizeProj, int kernelSizeMixer,
            cudnnDataType_t dataType)
    """
    return _cudnnB2BCausalConv1dForward(
        stream,
        x,
        weightsProj,
        weightsMixer,
        skipBias,
        y,
        yGated,
        batch,
        dim,
        seqLen,
        kernelSizeProj,
        kernelSizeMixer,
        dataType,
    )


_cudnnCausalConv1dBackward = _quick(
    "cudnnCausalConv1dBackward",
    "",
    (
        _stream,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    ),
    (None,),
)


@_instead(_cudnnCausalConv1dBackward)
def cudnnCausalConv1dBackward(
    stream: Stream,
    x: DevicePointer,
    weight: DevicePointer,
    bias: DevicePointer,
    dy: DevicePointer,
    dx: DevicePointer,
    dweight: DevicePointer,
    dbias: DevicePointer,
    batch: int,
    dim: int,
    seqLen: int,
    kernelSize: int,
    dataType: DataType,
    dwDataType: DataType,
    activation: CausalConv1dActivation,
) -> None:
    """Compute `dx`, `dweight` and `dbias` from `x`, `weight`, `bias` and `dy`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory, read.
        weight: const void*, device memory, read.
        bias: const void*, device memory, read.
        dy: const void*, device memory, read.
        dx: void*, device memory, written.
        dweight: void*, device memory, read and written.
        dbias: void*, device memory, read and written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`; of all arrays but gradients for weights.
        dwDataType: cudnnDataType_t, a `DataType`; of the gradients for weights and biases.
        activation: cudnnCausalConv1dActivation_t, a `CausalConv1dActivation`: `IDENTITY` or
            `SILU`; the function f; SiLU is x / (1 + exp(-x)).

    Returns:
        None; the function writes `dx`, `dweight` and `dbias`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.22.0.

    See also: `ops.causal_convolution_backward`

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnCausalConv1dBackward(cudaStream_t stream, const void *x, const void
            *weight, const void *bias, const void *dy, void *dx, void *dweight, void *dbias, int
            batch, int dim, int seqLen, int kernelSize, cudnnDataType_t dataType,
            cudnnDataType_t dwDataType, cudnnCausalConv1dActivation_t activation)
    """
    return _cudnnCausalConv1dBackward(
        stream,
        x,
        weight,
        bias,
        dy,
        dx,
        dweight,
        dbias,
        batch,
        dim,
        seqLen,
        kernelSize,
        dataType,
        dwDataType,
        activation,
    )


_cudnnCausalConv1dForward = _quick(
    "cudnnCausalConv1dForward",
    "",
    (_stream, _getters, _getters, _getters, _getters, None, None, None, None, None, None),
    (None,),
)


@_instead(_cudnnCausalConv1dForward)
def cudnnCausalConv1dForward(
    stream: Stream,
    x: DevicePointer,
    weight: DevicePointer,
    bias: DevicePointer,
    y: DevicePointer,
    batch: int,
    dim: int,
    seqLen: int,
    kernelSize: int,
    dataType: DataType,
    activation: CausalConv1dActivation,
) -> None:
    """Compute `y` from `x`, `weight` and `bias`.

    Formula: y[n, c, t] = f(bias[c] + sum over k of weight[c, k] x[n, c, t - kernelSize + 1 +
        k])

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory, read.
        weight: const void*, device memory, read.
        bias: const void*, device memory, read.
        y: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.
        activation: cudnnCausalConv1dActivation_t, a `CausalConv1dActivation`: `IDENTITY` or
            `SILU`; the function f; SiLU is x / (1 + exp(-x)).

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.22.0.

    See also: `ops.causal_convolution`

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnCausalConv1dForward(cudaStream_t stream, const void *x, const void
            *weight, const void *bias, void *y, int batch, int dim, int seqLen, int kernelSize,
            cudnnDataType_t dataType, cudnnCausalConv1dActivation_t activation)
    """
    return _cudnnCausalConv1dForward(
        stream,
        x,
        weight,
        bias,
        y,
        batch,
        dim,
        seqLen,
        kernelSize,
        dataType,
        activation,
    )


_cudnnCausalConv1dNwhBackward = _quick(
    "cudnnCausalConv1dNwhBackward",
    "",
    (
        _stream,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    ),
    (None,),
)


@_instead(_cudnnCausalConv1dNwhBackward)
def cudnnCausalConv1dNwhBackward(
    stream: Stream,
    x: DevicePointer,
    weight: DevicePointer,
    bias: DevicePointer,
    dy: DevicePointer,
    dx: DevicePointer,
    dweight: DevicePointer,
    dbias: DevicePointer,
    batch: int,
    dim: int,
    seqLen: int,
    kernelSize: int,
    dataType: DataType,
    dwDataType: DataType,
    activation: CausalConv1dActivation,
) -> None:
    """Compute `dx`, `dweight` and `dbias` from `x`, `weight`, `bias` and `dy`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory, read.
        weight: const void*, device memory, read.
        bias: const void*, device memory, read.
        dy: const void*, device memory, read.
        dx: void*, device memory, written.
        dweight: void*, device memory, read and written.
        dbias: void*, device memory, read and written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`; of all arrays but gradients for weights.
        dwDataType: cudnnDataType_t, a `DataType`; of the gradients for weights and biases.
        activation: cudnnCausalConv1dActivation_t, a `CausalConv1dActivation`: `IDENTITY` or
            `SILU`; the function f; SiLU is x / (1 + exp(-x)).

    Returns:
        None; the function writes `dx`, `dweight` and `dbias`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.24.0.

    See also: `ops.causal_convolution_backward`

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnCausalConv1dNwhBackward(cudaStream_t stream, const void *x, const
            void *weight, const void *bias, const void *dy, void *dx, void *dweight, void
            *dbias, int batch, int dim, int seqLen, int kernelSize, cudnnDataType_t dataType,
            cudnnDataType_t dwDataType, cudnnCausalConv1dActivation_t activation)
    """
    return _cudnnCausalConv1dNwhBackward(
        stream,
        x,
        weight,
        bias,
        dy,
        dx,
        dweight,
        dbias,
        batch,
        dim,
        seqLen,
        kernelSize,
        dataType,
        dwDataType,
        activation,
    )


_cudnnCausalConv1dNwhForward = _quick(
    "cudnnCausalConv1dNwhForward",
    "",
    (_stream, _getters, _getters, _getters, _getters, None, None, None, None, None, None),
    (None,),
)


@_instead(_cudnnCausalConv1dNwhForward)
def cudnnCausalConv1dNwhForward(
    stream: Stream,
    x: DevicePointer,
    weight: DevicePointer,
    bias: DevicePointer,
    y: DevicePointer,
    batch: int,
    dim: int,
    seqLen: int,
    kernelSize: int,
    dataType: DataType,
    activation: CausalConv1dActivation,
) -> None:
    """Compute `y` from `x`, `weight` and `bias`.

    Formula: y[n, c, t] = f(bias[c] + sum over k of weight[c, k] x[n, c, t - kernelSize + 1 +
        k])

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory, read.
        weight: const void*, device memory, read.
        bias: const void*, device memory, read.
        y: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.
        activation: cudnnCausalConv1dActivation_t, a `CausalConv1dActivation`: `IDENTITY` or
            `SILU`; the function f; SiLU is x / (1 + exp(-x)).

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.24.0.

    See also: `ops.causal_convolution`

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnCausalConv1dNwhForward(cudaStream_t stream, const void *x, const void
            *weight, const void *bias, void *y, int batch, int dim, int seqLen, int kernelSize,
            cudnnDataType_t dataType, cudnnCausalConv1dActivation_t activation)
    """
    return _cudnnCausalConv1dNwhForward(
        stream,
        x,
        weight,
        bias,
        y,
        batch,
        dim,
        seqLen,
        kernelSize,
        dataType,
        activation,
    )


_cudnnFFTCausalConv1dBackward = _quick(
    "cudnnFFTCausalConv1dBackward",
    "",
    (_stream, _getters, _getters, _getters, _getters, _getters, None, None, None, None, None),
    (None,),
)


@_instead(_cudnnFFTCausalConv1dBackward)
def cudnnFFTCausalConv1dBackward(
    stream: Stream,
    x: DevicePointer,
    weight: DevicePointer,
    dy: DevicePointer,
    dx: DevicePointer,
    dweight: DevicePointer,
    batch: int,
    dim: int,
    seqLen: int,
    kernelSize: int,
    dataType: DataType,
) -> None:
    """Compute `dx` and `dweight` from `x`, `weight` and `dy`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory, read.
        weight: const void*, device memory, read.
        dy: const void*, device memory, read.
        dx: void*, device memory, written.
        dweight: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.

    Returns:
        None; the function writes `dx` and `dweight`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.26.0.

    See also: `ops.fft_causal_convolution_backward`

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnFFTCausalConv1dBackward(cudaStream_t stream, const void *x, const
            void *weight, const void *dy, void *dx, void *dweight, int batch, int dim, int
            seqLen, int kernelSize, cudnnDataType_t dataType)
    """
    return _cudnnFFTCausalConv1dBackward(
        stream,
        x,
        weight,
        dy,
        dx,
        dweight,
        batch,
        dim,
        seqLen,
        kernelSize,
        dataType,
    )


_cudnnFFTCausalConv1dForward = _quick(
    "cudnnFFTCausalConv1dForward",
    "",
    (_stream, _getters, _getters, _getters, None, None, None, None, None),
    (None,),
)


@_instead(_cudnnFFTCausalConv1dForward)
def cudnnFFTCausalConv1dForward(
    stream: Stream,
    x: DevicePointer,
    weight: DevicePointer,
    y: DevicePointer,
    batch: int,
    dim: int,
    seqLen: int,
    kernelSize: int,
    dataType: DataType,
) -> None:
    """Compute `y` from `x` and `weight`.

    Formula: y[n, c, t] = sum over k of weight[c, k] x[n, c, t - kernelSize + 1 + k], by Fourier
        transforms

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory, read.
        weight: const void*, device memory, read.
        y: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.26.0.

    See also: `ops.fft_causal_convolution`

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnFFTCausalConv1dForward(cudaStream_t stream, const void *x, const void
            *weight, void *y, int batch, int dim, int seqLen, int kernelSize, cudnnDataType_t
            dataType)
    """
    return _cudnnFFTCausalConv1dForward(
        stream,
        x,
        weight,
        y,
        batch,
        dim,
        seqLen,
        kernelSize,
        dataType,
    )


_cudnnLongFFTCausalConv1dBackward = _quick(
    "cudnnLongFFTCausalConv1dBackward",
    "",
    (
        _stream,
        _getters,
        _getters,
        _getters,
        None,
        None,
        None,
        None,
        None,
        _getters,
        None,
        _getters,
        None,
    ),
    (None,),
)


@_instead(_cudnnLongFFTCausalConv1dBackward)
def cudnnLongFFTCausalConv1dBackward(
    stream: Stream,
    dy: DevicePointer,
    dx: DevicePointer,
    dweight: DevicePointer,
    batch: int,
    dim: int,
    seqLen: int,
    kernelSize: int,
    dataType: DataType,
    workspace: DevicePointer,
    workspaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `dx` and `dweight` from `dy`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        dy: const void*, device memory, read.
        dx: void*, device memory, written.
        dweight: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.
        workspace: void*, device memory for scratch space, at least `workspaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnLongFFTCausalConv1dGetBufferSizes` tells, and may use it for later work on the
            stream.
        workspaceSizeInBytes: size_t, how many bytes `workspace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read, or None; as `cudnnLongFFTCausalConv1dForward`
            left it.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `dx` and `dweight`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.26.0.

    See also: `ops.fft_causal_convolution_backward`

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnLongFFTCausalConv1dBackward(cudaStream_t stream, const void *dy, void
            *dx, void *dweight, int batch, int dim, int seqLen, int kernelSize, cudnnDataType_t
            dataType, void *workspace, size_t workspaceSizeInBytes, void *reserveSpace, size_t
            reserveSpaceSizeInBytes)
    """
    return _cudnnLongFFTCausalConv1dBackward(
        stream,
        dy,
        dx,
        dweight,
        batch,
        dim,
        seqLen,
        kernelSize,
        dataType,
        workspace,
        workspaceSizeInBytes,
        reserveSpace,
        reserveSpaceSizeInBytes,
    )


_cudnnLongFFTCausalConv1dForward = _quick(
    "cudnnLongFFTCausalConv1dForward",
    "",
    (
        _stream,
        _getters,
        _getters,
        _getters,
        None,
        None,
        None,
        None,
        None,
        _getters,
        None,
        _getters,
        None,
    ),
    (None,),
)


@_instead(_cudnnLongFFTCausalConv1dForward)
def cudnnLongFFTCausalConv1dForward(
    stream: Stream,
    x: DevicePointer,
    weight: DevicePointer,
    y: DevicePointer,
    batch: int,
    dim: int,
    seqLen: int,
    kernelSize: int,
    dataType: DataType,
    workspace: DevicePointer,
    workspaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None:
    """Compute `y` from `x` and `weight`.

    Formula: y[n, c, t] = sum over k of weight[c, k] x[n, c, t - kernelSize + 1 + k], by Fourier
        transforms

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory, read.
        weight: const void*, device memory, read.
        y: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.
        workspace: void*, device memory for scratch space, at least `workspaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnLongFFTCausalConv1dGetBufferSizes` tells, and may use it for later work on the
            stream.
        workspaceSizeInBytes: size_t, how many bytes `workspace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, written, or None; the caller allocates it, of the
            size that `cudnnLongFFTCausalConv1dGetBufferSizes` tells, and keeps it unchanged for
            `cudnnLongFFTCausalConv1dBackward`.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.

    Returns:
        None; the function writes `y`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.26.0.

    See also: `ops.fft_causal_convolution`

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnLongFFTCausalConv1dForward(cudaStream_t stream, const void *x, const
            void *weight, void *y, int batch, int dim, int seqLen, int kernelSize,
            cudnnDataType_t dataType, void *workspace, size_t workspaceSizeInBytes, void
            *reserveSpace, size_t reserveSpaceSizeInBytes)
    """
    return _cudnnLongFFTCausalConv1dForward(
        stream,
        x,
        weight,
        y,
        batch,
        dim,
        seqLen,
        kernelSize,
        dataType,
        workspace,
        workspaceSizeInBytes,
        reserveSpace,
        reserveSpaceSizeInBytes,
    )


_cudnnLongFFTCausalConv1dGetBufferSizes = _quick(
    "cudnnLongFFTCausalConv1dGetBufferSizes",
    "QQ",
    (None, None, None, None, None),
    (LongFFTCausalConv1dGetBufferSizesResult, None, None),
)


@_instead(_cudnnLongFFTCausalConv1dGetBufferSizes)
def cudnnLongFFTCausalConv1dGetBufferSizes(
    batch: int,
    dim: int,
    seqLen: int,
    kernelSize: int,
    dataType: DataType,
) -> LongFFTCausalConv1dGetBufferSizesResult:
    """Return `workspaceSizeInBytes` and `reserveSpaceSizeInBytes`.

    Args:
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.

    Returns:
        workspaceSizeInBytes: int, in bytes; of the workspace of
            `cudnnLongFFTCausalConv1dForward` and `cudnnLongFFTCausalConv1dBackward`.
        reserveSpaceSizeInBytes: int, in bytes; of the reserve space of
            `cudnnLongFFTCausalConv1dForward` and `cudnnLongFFTCausalConv1dBackward`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.26.0.

    See also: `ops.fft_causal_convolution`

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnLongFFTCausalConv1dGetBufferSizes(int batch, int dim, int seqLen, int
            kernelSize, cudnnDataType_t dataType, size_t *workspaceSizeInBytes, size_t
            *reserveSpaceSizeInBytes)
    """
    return _cudnnLongFFTCausalConv1dGetBufferSizes(batch, dim, seqLen, kernelSize, dataType)


_cudnnSubquadraticOpsVersionCheck = _quick("cudnnSubquadraticOpsVersionCheck", "", (), (None,))


@_instead(_cudnnSubquadraticOpsVersionCheck)
def cudnnSubquadraticOpsVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.22.0.

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnSubquadraticOpsVersionCheck(void)
    """
    return _cudnnSubquadraticOpsVersionCheck()
