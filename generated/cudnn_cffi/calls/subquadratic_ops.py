# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:da437796f9a3df0bfc8b99c5bbb1e05c
"""Functions of cudnn_subquadratic_ops.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .. import _call
from .._call import _getters, _stream, instead as _instead, quick as _quick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..enums import CausalConv1dActivation, DataType
    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
else:
    from .._support.results import Named as NamedTuple


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
    """Call `cudnnB2BCausalConv1dBackward` (b2b causal conv 1d backward), which writes `dx`, `dweightsProj`, `dweightsMixer`, `dskipBias`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory.
        weightsProj: const void*, device memory.
        weightsMixer: const void*, device memory.
        skipBias: const void*, device memory.
        y: const void*, device memory.
        dy: const void*, device memory.
        dx: void*, device memory, written.
        dweightsProj: void*, device memory, read and written.
        dweightsMixer: void*, device memory, read and written.
        dskipBias: void*, device memory, read and written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSizeProj: int.
        kernelSizeMixer: int.
        dataType: cudnnDataType_t, a `DataType`.
        dwDataType: cudnnDataType_t, a `DataType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

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
    """Call `cudnnB2BCausalConv1dForward` (b2b causal conv 1d forward), which writes `y`, `yGated`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory.
        weightsProj: const void*, device memory.
        weightsMixer: const void*, device memory.
        skipBias: const void*, device memory.
        y: void*, device memory, written.
        yGated: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSizeProj: int.
        kernelSizeMixer: int.
        dataType: cudnnDataType_t, a `DataType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

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
    """Call `cudnnCausalConv1dBackward` (causal conv 1d backward), which writes `dx`, `dweight`, `dbias`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory.
        weight: const void*, device memory.
        bias: const void*, device memory.
        dy: const void*, device memory.
        dx: void*, device memory, written.
        dweight: void*, device memory, read and written.
        dbias: void*, device memory, read and written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.
        dwDataType: cudnnDataType_t, a `DataType`.
        activation: cudnnCausalConv1dActivation_t, a `CausalConv1dActivation`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.22.0.

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
    """Call `cudnnCausalConv1dForward` (causal conv 1d forward), which writes `y`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory.
        weight: const void*, device memory.
        bias: const void*, device memory.
        y: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.
        activation: cudnnCausalConv1dActivation_t, a `CausalConv1dActivation`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.22.0.

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
    """Call `cudnnCausalConv1dNwhBackward` (causal conv 1d nwh backward), which writes `dx`, `dweight`, `dbias`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory.
        weight: const void*, device memory.
        bias: const void*, device memory.
        dy: const void*, device memory.
        dx: void*, device memory, written.
        dweight: void*, device memory, read and written.
        dbias: void*, device memory, read and written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.
        dwDataType: cudnnDataType_t, a `DataType`.
        activation: cudnnCausalConv1dActivation_t, a `CausalConv1dActivation`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.24.0.

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
    """Call `cudnnCausalConv1dNwhForward` (causal conv 1d nwh forward), which writes `y`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory.
        weight: const void*, device memory.
        bias: const void*, device memory.
        y: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.
        activation: cudnnCausalConv1dActivation_t, a `CausalConv1dActivation`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.24.0.

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
    """Call `cudnnFFTCausalConv1dBackward` (fft causal conv 1d backward), which writes `dx`, `dweight`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory.
        weight: const void*, device memory.
        dy: const void*, device memory.
        dx: void*, device memory, written.
        dweight: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.26.0.

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
    """Call `cudnnFFTCausalConv1dForward` (fft causal conv 1d forward), which writes `y`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory.
        weight: const void*, device memory.
        y: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.26.0.

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
    """Call `cudnnLongFFTCausalConv1dBackward` (long fft causal conv 1d backward), which writes `dx`, `dweight`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        dy: const void*, device memory.
        dx: void*, device memory, written.
        dweight: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.
        workspace: void*, device memory, used as scratch space, at least `workspaceSizeInBytes`
            bytes, may be None.
        workspaceSizeInBytes: size_t.
        reserveSpace: void*, device memory kept for the backward calls, at least
            `reserveSpaceSizeInBytes` bytes, may be None.
        reserveSpaceSizeInBytes: size_t.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.26.0.

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
    """Call `cudnnLongFFTCausalConv1dForward` (long fft causal conv 1d forward), which writes `y`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        x: const void*, device memory.
        weight: const void*, device memory.
        y: void*, device memory, written.
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.
        workspace: void*, device memory, used as scratch space, at least `workspaceSizeInBytes`
            bytes, may be None.
        workspaceSizeInBytes: size_t.
        reserveSpace: void*, device memory kept for the backward calls, at least
            `reserveSpaceSizeInBytes` bytes, written, may be None.
        reserveSpaceSizeInBytes: size_t.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.26.0.

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
    """Call `cudnnLongFFTCausalConv1dGetBufferSizes` (long fft causal conv 1d get buffer sizes) and return what it answers.

    Args:
        batch: int.
        dim: int.
        seqLen: int.
        kernelSize: int.
        dataType: cudnnDataType_t, a `DataType`.

    Returns:
        workspaceSizeInBytes: int.
        reserveSpaceSizeInBytes: int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.26.0.

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

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.22.0.

    C, cudnn_subquadratic_ops.h::

        cudnnStatus_t cudnnSubquadraticOpsVersionCheck(void)
    """
    return _cudnnSubquadraticOpsVersionCheck()
