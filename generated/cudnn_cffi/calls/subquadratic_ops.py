# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c574dedd4075665f71d2ea38108706e7
"""Functions of cudnn_subquadratic_ops.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .. import _call
from .._call import CONVERT as _CONVERT, failed as _failed, lib as _lib, slow as _slow
from .._call import (
    _getters,
    _stream,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
    from ..enums import CausalConv1dActivation, DataType

_new = tuple.__new__
_outs = _call.outs
_unpack = _call.ffi.unpack

if TYPE_CHECKING:

    class LongFFTCausalConv1dGetBufferSizesResult(NamedTuple):
        """What `cudnnLongFFTCausalConv1dGetBufferSizes` returns."""

        workspaceSizeInBytes: int
        reserveSpaceSizeInBytes: int

else:
    LongFFTCausalConv1dGetBufferSizesResult = _call.result(
        "LongFFTCausalConv1dGetBufferSizesResult",
        ("workspaceSizeInBytes", "reserveSpaceSizeInBytes", ),
        "What `cudnnLongFFTCausalConv1dGetBufferSizes` returns.",
        __name__,
    )
_cudnnB2BCausalConv1dBackward = _call.quick("cudnnB2BCausalConv1dBackward", "", None)
_cudnnB2BCausalConv1dForward = _call.quick("cudnnB2BCausalConv1dForward", "", None)
_cudnnCausalConv1dBackward = _call.quick("cudnnCausalConv1dBackward", "", None)
_cudnnCausalConv1dForward = _call.quick("cudnnCausalConv1dForward", "", None)
_cudnnCausalConv1dNwhBackward = _call.quick("cudnnCausalConv1dNwhBackward", "", None)
_cudnnCausalConv1dNwhForward = _call.quick("cudnnCausalConv1dNwhForward", "", None)
_cudnnFFTCausalConv1dBackward = _call.quick("cudnnFFTCausalConv1dBackward", "", None)
_cudnnFFTCausalConv1dForward = _call.quick("cudnnFFTCausalConv1dForward", "", None)
_cudnnLongFFTCausalConv1dBackward = _call.quick("cudnnLongFFTCausalConv1dBackward", "", None)
_cudnnLongFFTCausalConv1dForward = _call.quick("cudnnLongFFTCausalConv1dForward", "", None)
_cudnnLongFFTCausalConv1dGetBufferSizes = _call.quick("cudnnLongFFTCausalConv1dGetBufferSizes", "QQ", LongFFTCausalConv1dGetBufferSizesResult, None, None)
_cudnnSubquadraticOpsVersionCheck = _call.quick("cudnnSubquadraticOpsVersionCheck", "", None)


def cudnnB2BCausalConv1dBackward(stream: Stream, x: DevicePointer, weightsProj: DevicePointer, weightsMixer: DevicePointer, skipBias: DevicePointer, y: DevicePointer, dy: DevicePointer, dx: DevicePointer, dweightsProj: DevicePointer, dweightsMixer: DevicePointer, dskipBias: DevicePointer, batch: int, dim: int, seqLen: int, kernelSizeProj: int, kernelSizeMixer: int, dataType: DataType, dwDataType: DataType) -> None:
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

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnB2BCausalConv1dBackward(cudaStream_t stream,
        const void *x, const void *weightsProj, const void *weightsMixer, const void *skipBias,
        const void *y, const void *dy, void *dx, void *dweightsProj, void *dweightsMixer, void
        *dskipBias, int batch, int dim, int seqLen, int kernelSizeProj, int kernelSizeMixer,
        cudnnDataType_t dataType, cudnnDataType_t dwDataType)
    """
    try:
        return _cudnnB2BCausalConv1dBackward(stream if stream.__class__ is int else _stream(stream), x if x.__class__ is int else _getters[x.__class__](x), weightsProj if weightsProj.__class__ is int else _getters[weightsProj.__class__](weightsProj), weightsMixer if weightsMixer.__class__ is int else _getters[weightsMixer.__class__](weightsMixer), skipBias if skipBias.__class__ is int else _getters[skipBias.__class__](skipBias), y if y.__class__ is int else _getters[y.__class__](y), dy if dy.__class__ is int else _getters[dy.__class__](dy), dx if dx.__class__ is int else _getters[dx.__class__](dx), dweightsProj if dweightsProj.__class__ is int else _getters[dweightsProj.__class__](dweightsProj), dweightsMixer if dweightsMixer.__class__ is int else _getters[dweightsMixer.__class__](dweightsMixer), dskipBias if dskipBias.__class__ is int else _getters[dskipBias.__class__](dskipBias), batch, dim, seqLen, kernelSizeProj, kernelSizeMixer, dataType, dwDataType)
    except _CONVERT as error:
        return _slow(cudnnB2BCausalConv1dBackward, "cudnnB2BCausalConv1dBackward", (stream, x, weightsProj, weightsMixer, skipBias, y, dy, dx, dweightsProj, dweightsMixer, dskipBias, batch, dim, seqLen, kernelSizeProj, kernelSizeMixer, dataType, dwDataType,), error)


def cudnnB2BCausalConv1dForward(stream: Stream, x: DevicePointer, weightsProj: DevicePointer, weightsMixer: DevicePointer, skipBias: DevicePointer, y: DevicePointer, yGated: DevicePointer, batch: int, dim: int, seqLen: int, kernelSizeProj: int, kernelSizeMixer: int, dataType: DataType) -> None:
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

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnB2BCausalConv1dForward(cudaStream_t stream,
        const void *x, const void *weightsProj, const void *weightsMixer, const void *skipBias,
        void *y, void *yGated, int batch, int dim, int seqLen, int kernelSizeProj, int
        kernelSizeMixer, cudnnDataType_t dataType)
    """
    try:
        return _cudnnB2BCausalConv1dForward(stream if stream.__class__ is int else _stream(stream), x if x.__class__ is int else _getters[x.__class__](x), weightsProj if weightsProj.__class__ is int else _getters[weightsProj.__class__](weightsProj), weightsMixer if weightsMixer.__class__ is int else _getters[weightsMixer.__class__](weightsMixer), skipBias if skipBias.__class__ is int else _getters[skipBias.__class__](skipBias), y if y.__class__ is int else _getters[y.__class__](y), yGated if yGated.__class__ is int else _getters[yGated.__class__](yGated), batch, dim, seqLen, kernelSizeProj, kernelSizeMixer, dataType)
    except _CONVERT as error:
        return _slow(cudnnB2BCausalConv1dForward, "cudnnB2BCausalConv1dForward", (stream, x, weightsProj, weightsMixer, skipBias, y, yGated, batch, dim, seqLen, kernelSizeProj, kernelSizeMixer, dataType,), error)


def cudnnCausalConv1dBackward(stream: Stream, x: DevicePointer, weight: DevicePointer, bias: DevicePointer, dy: DevicePointer, dx: DevicePointer, dweight: DevicePointer, dbias: DevicePointer, batch: int, dim: int, seqLen: int, kernelSize: int, dataType: DataType, dwDataType: DataType, activation: CausalConv1dActivation) -> None:
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

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnCausalConv1dBackward(cudaStream_t stream,
        const void *x, const void *weight, const void *bias, const void *dy, void *dx, void
        *dweight, void *dbias, int batch, int dim, int seqLen, int kernelSize, cudnnDataType_t
        dataType, cudnnDataType_t dwDataType, cudnnCausalConv1dActivation_t activation)
    """
    try:
        return _cudnnCausalConv1dBackward(stream if stream.__class__ is int else _stream(stream), x if x.__class__ is int else _getters[x.__class__](x), weight if weight.__class__ is int else _getters[weight.__class__](weight), bias if bias.__class__ is int else _getters[bias.__class__](bias), dy if dy.__class__ is int else _getters[dy.__class__](dy), dx if dx.__class__ is int else _getters[dx.__class__](dx), dweight if dweight.__class__ is int else _getters[dweight.__class__](dweight), dbias if dbias.__class__ is int else _getters[dbias.__class__](dbias), batch, dim, seqLen, kernelSize, dataType, dwDataType, activation)
    except _CONVERT as error:
        return _slow(cudnnCausalConv1dBackward, "cudnnCausalConv1dBackward", (stream, x, weight, bias, dy, dx, dweight, dbias, batch, dim, seqLen, kernelSize, dataType, dwDataType, activation,), error)


def cudnnCausalConv1dForward(stream: Stream, x: DevicePointer, weight: DevicePointer, bias: DevicePointer, y: DevicePointer, batch: int, dim: int, seqLen: int, kernelSize: int, dataType: DataType, activation: CausalConv1dActivation) -> None:
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

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnCausalConv1dForward(cudaStream_t stream,
        const void *x, const void *weight, const void *bias, void *y, int batch, int dim, int
        seqLen, int kernelSize, cudnnDataType_t dataType, cudnnCausalConv1dActivation_t
        activation)
    """
    try:
        return _cudnnCausalConv1dForward(stream if stream.__class__ is int else _stream(stream), x if x.__class__ is int else _getters[x.__class__](x), weight if weight.__class__ is int else _getters[weight.__class__](weight), bias if bias.__class__ is int else _getters[bias.__class__](bias), y if y.__class__ is int else _getters[y.__class__](y), batch, dim, seqLen, kernelSize, dataType, activation)
    except _CONVERT as error:
        return _slow(cudnnCausalConv1dForward, "cudnnCausalConv1dForward", (stream, x, weight, bias, y, batch, dim, seqLen, kernelSize, dataType, activation,), error)


def cudnnCausalConv1dNwhBackward(stream: Stream, x: DevicePointer, weight: DevicePointer, bias: DevicePointer, dy: DevicePointer, dx: DevicePointer, dweight: DevicePointer, dbias: DevicePointer, batch: int, dim: int, seqLen: int, kernelSize: int, dataType: DataType, dwDataType: DataType, activation: CausalConv1dActivation) -> None:
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

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnCausalConv1dNwhBackward(cudaStream_t stream,
        const void *x, const void *weight, const void *bias, const void *dy, void *dx, void
        *dweight, void *dbias, int batch, int dim, int seqLen, int kernelSize, cudnnDataType_t
        dataType, cudnnDataType_t dwDataType, cudnnCausalConv1dActivation_t activation)
    """
    try:
        return _cudnnCausalConv1dNwhBackward(stream if stream.__class__ is int else _stream(stream), x if x.__class__ is int else _getters[x.__class__](x), weight if weight.__class__ is int else _getters[weight.__class__](weight), bias if bias.__class__ is int else _getters[bias.__class__](bias), dy if dy.__class__ is int else _getters[dy.__class__](dy), dx if dx.__class__ is int else _getters[dx.__class__](dx), dweight if dweight.__class__ is int else _getters[dweight.__class__](dweight), dbias if dbias.__class__ is int else _getters[dbias.__class__](dbias), batch, dim, seqLen, kernelSize, dataType, dwDataType, activation)
    except _CONVERT as error:
        return _slow(cudnnCausalConv1dNwhBackward, "cudnnCausalConv1dNwhBackward", (stream, x, weight, bias, dy, dx, dweight, dbias, batch, dim, seqLen, kernelSize, dataType, dwDataType, activation,), error)


def cudnnCausalConv1dNwhForward(stream: Stream, x: DevicePointer, weight: DevicePointer, bias: DevicePointer, y: DevicePointer, batch: int, dim: int, seqLen: int, kernelSize: int, dataType: DataType, activation: CausalConv1dActivation) -> None:
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

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnCausalConv1dNwhForward(cudaStream_t stream,
        const void *x, const void *weight, const void *bias, void *y, int batch, int dim, int
        seqLen, int kernelSize, cudnnDataType_t dataType, cudnnCausalConv1dActivation_t
        activation)
    """
    try:
        return _cudnnCausalConv1dNwhForward(stream if stream.__class__ is int else _stream(stream), x if x.__class__ is int else _getters[x.__class__](x), weight if weight.__class__ is int else _getters[weight.__class__](weight), bias if bias.__class__ is int else _getters[bias.__class__](bias), y if y.__class__ is int else _getters[y.__class__](y), batch, dim, seqLen, kernelSize, dataType, activation)
    except _CONVERT as error:
        return _slow(cudnnCausalConv1dNwhForward, "cudnnCausalConv1dNwhForward", (stream, x, weight, bias, y, batch, dim, seqLen, kernelSize, dataType, activation,), error)


def cudnnFFTCausalConv1dBackward(stream: Stream, x: DevicePointer, weight: DevicePointer, dy: DevicePointer, dx: DevicePointer, dweight: DevicePointer, batch: int, dim: int, seqLen: int, kernelSize: int, dataType: DataType) -> None:
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

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnFFTCausalConv1dBackward(cudaStream_t stream,
        const void *x, const void *weight, const void *dy, void *dx, void *dweight, int batch,
        int dim, int seqLen, int kernelSize, cudnnDataType_t dataType)
    """
    try:
        return _cudnnFFTCausalConv1dBackward(stream if stream.__class__ is int else _stream(stream), x if x.__class__ is int else _getters[x.__class__](x), weight if weight.__class__ is int else _getters[weight.__class__](weight), dy if dy.__class__ is int else _getters[dy.__class__](dy), dx if dx.__class__ is int else _getters[dx.__class__](dx), dweight if dweight.__class__ is int else _getters[dweight.__class__](dweight), batch, dim, seqLen, kernelSize, dataType)
    except _CONVERT as error:
        return _slow(cudnnFFTCausalConv1dBackward, "cudnnFFTCausalConv1dBackward", (stream, x, weight, dy, dx, dweight, batch, dim, seqLen, kernelSize, dataType,), error)


def cudnnFFTCausalConv1dForward(stream: Stream, x: DevicePointer, weight: DevicePointer, y: DevicePointer, batch: int, dim: int, seqLen: int, kernelSize: int, dataType: DataType) -> None:
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

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnFFTCausalConv1dForward(cudaStream_t stream,
        const void *x, const void *weight, void *y, int batch, int dim, int seqLen, int
        kernelSize, cudnnDataType_t dataType)
    """
    try:
        return _cudnnFFTCausalConv1dForward(stream if stream.__class__ is int else _stream(stream), x if x.__class__ is int else _getters[x.__class__](x), weight if weight.__class__ is int else _getters[weight.__class__](weight), y if y.__class__ is int else _getters[y.__class__](y), batch, dim, seqLen, kernelSize, dataType)
    except _CONVERT as error:
        return _slow(cudnnFFTCausalConv1dForward, "cudnnFFTCausalConv1dForward", (stream, x, weight, y, batch, dim, seqLen, kernelSize, dataType,), error)


def cudnnLongFFTCausalConv1dBackward(stream: Stream, dy: DevicePointer, dx: DevicePointer, dweight: DevicePointer, batch: int, dim: int, seqLen: int, kernelSize: int, dataType: DataType, workspace: DevicePointer, workspaceSizeInBytes: int, reserveSpace: DevicePointer, reserveSpaceSizeInBytes: int) -> None:
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

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnLongFFTCausalConv1dBackward(cudaStream_t
        stream, const void *dy, void *dx, void *dweight, int batch, int dim, int seqLen, int
        kernelSize, cudnnDataType_t dataType, void *workspace, size_t workspaceSizeInBytes, void
        *reserveSpace, size_t reserveSpaceSizeInBytes)
    """
    try:
        return _cudnnLongFFTCausalConv1dBackward(stream if stream.__class__ is int else _stream(stream), dy if dy.__class__ is int else _getters[dy.__class__](dy), dx if dx.__class__ is int else _getters[dx.__class__](dx), dweight if dweight.__class__ is int else _getters[dweight.__class__](dweight), batch, dim, seqLen, kernelSize, dataType, workspace if workspace.__class__ is int else _getters[workspace.__class__](workspace), workspaceSizeInBytes, reserveSpace if reserveSpace.__class__ is int else _getters[reserveSpace.__class__](reserveSpace), reserveSpaceSizeInBytes)
    except _CONVERT as error:
        return _slow(cudnnLongFFTCausalConv1dBackward, "cudnnLongFFTCausalConv1dBackward", (stream, dy, dx, dweight, batch, dim, seqLen, kernelSize, dataType, workspace, workspaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,), error)


def cudnnLongFFTCausalConv1dForward(stream: Stream, x: DevicePointer, weight: DevicePointer, y: DevicePointer, batch: int, dim: int, seqLen: int, kernelSize: int, dataType: DataType, workspace: DevicePointer, workspaceSizeInBytes: int, reserveSpace: DevicePointer, reserveSpaceSizeInBytes: int) -> None:
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

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnLongFFTCausalConv1dForward(cudaStream_t
        stream, const void *x, const void *weight, void *y, int batch, int dim, int seqLen, int
        kernelSize, cudnnDataType_t dataType, void *workspace, size_t workspaceSizeInBytes, void
        *reserveSpace, size_t reserveSpaceSizeInBytes)
    """
    try:
        return _cudnnLongFFTCausalConv1dForward(stream if stream.__class__ is int else _stream(stream), x if x.__class__ is int else _getters[x.__class__](x), weight if weight.__class__ is int else _getters[weight.__class__](weight), y if y.__class__ is int else _getters[y.__class__](y), batch, dim, seqLen, kernelSize, dataType, workspace if workspace.__class__ is int else _getters[workspace.__class__](workspace), workspaceSizeInBytes, reserveSpace if reserveSpace.__class__ is int else _getters[reserveSpace.__class__](reserveSpace), reserveSpaceSizeInBytes)
    except _CONVERT as error:
        return _slow(cudnnLongFFTCausalConv1dForward, "cudnnLongFFTCausalConv1dForward", (stream, x, weight, y, batch, dim, seqLen, kernelSize, dataType, workspace, workspaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,), error)


def cudnnLongFFTCausalConv1dGetBufferSizes(batch: int, dim: int, seqLen: int, kernelSize: int, dataType: DataType) -> LongFFTCausalConv1dGetBufferSizesResult:
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

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnLongFFTCausalConv1dGetBufferSizes(int batch,
        int dim, int seqLen, int kernelSize, cudnnDataType_t dataType, size_t
        *workspaceSizeInBytes, size_t *reserveSpaceSizeInBytes)
    """
    try:
        return _cudnnLongFFTCausalConv1dGetBufferSizes(batch, dim, seqLen, kernelSize, dataType)
    except _CONVERT as error:
        return _slow(cudnnLongFFTCausalConv1dGetBufferSizes, "cudnnLongFFTCausalConv1dGetBufferSizes", (batch, dim, seqLen, kernelSize, dataType,), error)


def cudnnSubquadraticOpsVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.22.0.

    C, cudnn_subquadratic_ops.h: cudnnStatus_t cudnnSubquadraticOpsVersionCheck(void)
    """
    try:
        return _cudnnSubquadraticOpsVersionCheck()
    except _CONVERT as error:
        return _slow(cudnnSubquadraticOpsVersionCheck, "cudnnSubquadraticOpsVersionCheck", (), error)
