# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b41aa434d43f8a343793662ac1308ea0
"""Functions of cudnn_cnn.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .. import _call
from .._call import CONVERT as _CONVERT, failed as _failed, lib as _lib, slow as _slow
from .._call import (
    _array,
    _getters,
    _host,
    _memory,
    _record_values,
    _records,
    _scale,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
    from ..enums import ConvolutionBwdDataAlgo, ConvolutionBwdFilterAlgo, ConvolutionFwdAlgo, ConvolutionMode, DataType, FusedOps, FusedOpsConstParamLabel, FusedOpsVariantParamLabel, MathType, ReorderType, TensorFormat
    from ..families import ActivationDescriptor, ConvolutionDescriptor, FilterDescriptor, FusedOpsConstParamPack, FusedOpsPlan, FusedOpsVariantParamPack, Handle, TensorDescriptor, TensorTransformDescriptor
    from ..records import ConvolutionBwdDataAlgoPerf, ConvolutionBwdFilterAlgoPerf, ConvolutionFwdAlgoPerf

_new = tuple.__new__
_outs = _call.outs
_unpack = _call.ffi.unpack
_unpack_3q = _call.unpacker("3q")
_unpack_q = _call.unpacker("q")
_ConvolutionMode = _call.enum_map("ConvolutionMode")
_DataType = _call.enum_map("DataType")
_MathType = _call.enum_map("MathType")
_ReorderType = _call.enum_map("ReorderType")
_cudnnFindConvolutionBackwardDataAlgorithm = _lib.cudnnFindConvolutionBackwardDataAlgorithm
_cudnnFindConvolutionBackwardDataAlgorithmEx = _lib.cudnnFindConvolutionBackwardDataAlgorithmEx
_cudnnFindConvolutionBackwardFilterAlgorithm = _lib.cudnnFindConvolutionBackwardFilterAlgorithm
_cudnnFindConvolutionBackwardFilterAlgorithmEx = _lib.cudnnFindConvolutionBackwardFilterAlgorithmEx
_cudnnFindConvolutionForwardAlgorithm = _lib.cudnnFindConvolutionForwardAlgorithm
_cudnnFindConvolutionForwardAlgorithmEx = _lib.cudnnFindConvolutionForwardAlgorithmEx
_cudnnGetConvolutionBackwardDataAlgorithm_v7 = _lib.cudnnGetConvolutionBackwardDataAlgorithm_v7
_cudnnGetConvolutionBackwardFilterAlgorithm_v7 = _lib.cudnnGetConvolutionBackwardFilterAlgorithm_v7
_cudnnGetConvolutionForwardAlgorithm_v7 = _lib.cudnnGetConvolutionForwardAlgorithm_v7
_cudnnGetConvolutionNdDescriptor = _lib.cudnnGetConvolutionNdDescriptor
_cudnnGetConvolutionNdForwardOutputDim = _lib.cudnnGetConvolutionNdForwardOutputDim
_cudnnSetConvolutionNdDescriptor = _lib.cudnnSetConvolutionNdDescriptor

if TYPE_CHECKING:

    class GetConvolution2dDescriptorResult(NamedTuple):
        """What `cudnnGetConvolution2dDescriptor` returns."""

        pad_h: int
        pad_w: int
        u: int
        v: int
        dilation_h: int
        dilation_w: int
        mode: ConvolutionMode
        computeType: DataType

    class GetConvolution2dForwardOutputDimResult(NamedTuple):
        """What `cudnnGetConvolution2dForwardOutputDim` returns."""

        n: int
        c: int
        h: int
        w: int

    class GetConvolutionNdDescriptorResult(NamedTuple):
        """What `cudnnGetConvolutionNdDescriptor` returns."""

        arrayLength: int
        padA: tuple[int, ...]
        strideA: tuple[int, ...]
        dilationA: tuple[int, ...]
        mode: ConvolutionMode
        computeType: DataType

else:
    GetConvolution2dDescriptorResult = _call.result(
        "GetConvolution2dDescriptorResult",
        ("pad_h", "pad_w", "u", "v", "dilation_h", "dilation_w", "mode", "computeType", ),
        "What `cudnnGetConvolution2dDescriptor` returns.",
        __name__,
    )
    GetConvolution2dForwardOutputDimResult = _call.result(
        "GetConvolution2dForwardOutputDimResult",
        ("n", "c", "h", "w", ),
        "What `cudnnGetConvolution2dForwardOutputDim` returns.",
        __name__,
    )
    GetConvolutionNdDescriptorResult = _call.result(
        "GetConvolutionNdDescriptorResult",
        ("arrayLength", "padA", "strideA", "dilationA", "mode", "computeType", ),
        "What `cudnnGetConvolutionNdDescriptor` returns.",
        __name__,
    )
_cudnnCnnVersionCheck = _call.quick("cudnnCnnVersionCheck", "", None)
_cudnnConvolutionBackwardBias = _call.quick("cudnnConvolutionBackwardBias", "", None)
_cudnnConvolutionBackwardData = _call.quick("cudnnConvolutionBackwardData", "", None)
_cudnnConvolutionBackwardFilter = _call.quick("cudnnConvolutionBackwardFilter", "", None)
_cudnnConvolutionBiasActivationForward = _call.quick("cudnnConvolutionBiasActivationForward", "", None)
_cudnnConvolutionForward = _call.quick("cudnnConvolutionForward", "", None)
_cudnnCreateConvolutionDescriptor = _call.quick("cudnnCreateConvolutionDescriptor", "Q", None, None)
_cudnnCreateFusedOpsConstParamPack = _call.quick("cudnnCreateFusedOpsConstParamPack", "Q", None, None)
_cudnnCreateFusedOpsPlan = _call.quick("cudnnCreateFusedOpsPlan", "Q", None, None)
_cudnnCreateFusedOpsVariantParamPack = _call.quick("cudnnCreateFusedOpsVariantParamPack", "Q", None, None)
_cudnnDestroyConvolutionDescriptor = _call.quick("cudnnDestroyConvolutionDescriptor", "", None)
_cudnnDestroyFusedOpsConstParamPack = _call.quick("cudnnDestroyFusedOpsConstParamPack", "", None)
_cudnnDestroyFusedOpsPlan = _call.quick("cudnnDestroyFusedOpsPlan", "", None)
_cudnnDestroyFusedOpsVariantParamPack = _call.quick("cudnnDestroyFusedOpsVariantParamPack", "", None)
_cudnnFusedOpsExecute = _call.quick("cudnnFusedOpsExecute", "", None)
_cudnnGetConvolution2dDescriptor = _call.quick("cudnnGetConvolution2dDescriptor", "qqqqqqqq", GetConvolution2dDescriptorResult, None, None, None, None, None, None, _ConvolutionMode, _DataType)
_cudnnGetConvolution2dForwardOutputDim = _call.quick("cudnnGetConvolution2dForwardOutputDim", "qqqq", GetConvolution2dForwardOutputDimResult, None, None, None, None)
_cudnnGetConvolutionBackwardDataAlgorithmMaxCount = _call.quick("cudnnGetConvolutionBackwardDataAlgorithmMaxCount", "q", None, None)
_cudnnGetConvolutionBackwardDataWorkspaceSize = _call.quick("cudnnGetConvolutionBackwardDataWorkspaceSize", "Q", None, None)
_cudnnGetConvolutionBackwardFilterAlgorithmMaxCount = _call.quick("cudnnGetConvolutionBackwardFilterAlgorithmMaxCount", "q", None, None)
_cudnnGetConvolutionBackwardFilterWorkspaceSize = _call.quick("cudnnGetConvolutionBackwardFilterWorkspaceSize", "Q", None, None)
_cudnnGetConvolutionForwardAlgorithmMaxCount = _call.quick("cudnnGetConvolutionForwardAlgorithmMaxCount", "q", None, None)
_cudnnGetConvolutionForwardWorkspaceSize = _call.quick("cudnnGetConvolutionForwardWorkspaceSize", "Q", None, None)
_cudnnGetConvolutionGroupCount = _call.quick("cudnnGetConvolutionGroupCount", "q", None, None)
_cudnnGetConvolutionMathType = _call.quick("cudnnGetConvolutionMathType", "q", None, _MathType)
_cudnnGetConvolutionReorderType = _call.quick("cudnnGetConvolutionReorderType", "q", None, _ReorderType)
_cudnnGetFoldedConvBackwardDataDescriptors = _call.quick("cudnnGetFoldedConvBackwardDataDescriptors", "", None)
_cudnnGetFusedOpsConstParamPackAttribute = _call.quick("cudnnGetFusedOpsConstParamPackAttribute", "q", None, None)
_cudnnGetFusedOpsVariantParamPackAttribute = _call.quick("cudnnGetFusedOpsVariantParamPackAttribute", "", None)
_cudnnIm2Col = _call.quick("cudnnIm2Col", "", None)
_cudnnMakeFusedOpsPlan = _call.quick("cudnnMakeFusedOpsPlan", "Q", None, None)
_cudnnReorderFilterAndBias = _call.quick("cudnnReorderFilterAndBias", "", None)
_cudnnSetConvolution2dDescriptor = _call.quick("cudnnSetConvolution2dDescriptor", "", None)
_cudnnSetConvolutionGroupCount = _call.quick("cudnnSetConvolutionGroupCount", "", None)
_cudnnSetConvolutionMathType = _call.quick("cudnnSetConvolutionMathType", "", None)
_cudnnSetConvolutionReorderType = _call.quick("cudnnSetConvolutionReorderType", "", None)
_cudnnSetFusedOpsConstParamPackAttribute = _call.quick("cudnnSetFusedOpsConstParamPackAttribute", "", None)
_cudnnSetFusedOpsVariantParamPackAttribute = _call.quick("cudnnSetFusedOpsVariantParamPackAttribute", "", None)


def cudnnCnnVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnCnnVersionCheck(void)
    """
    try:
        return _cudnnCnnVersionCheck()
    except _CONVERT as error:
        return _slow(cudnnCnnVersionCheck, "cudnnCnnVersionCheck", (), error)


def cudnnConvolutionBackwardBias(handle: Handle | int, alpha: ScalingFactor, dyDesc: TensorDescriptor | int, dy: DevicePointer, beta: ScalingFactor, dbDesc: TensorDescriptor | int, db: DevicePointer) -> None:
    """Call `cudnnConvolutionBackwardBias` (convolution backward bias), which writes `db`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha: const void*, a number, passed as float, or as double where the tensors are
            double.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory.
        beta: const void*, a number, passed as float, or as double where the tensors are double.
        dbDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        db: void*, device memory, read and written.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t handle, const void
        *alpha, const cudnnTensorDescriptor_t dyDesc, const void *dy, const void *beta, const
        cudnnTensorDescriptor_t dbDesc, void *db)
    """
    try:
        return _cudnnConvolutionBackwardBias(handle if handle.__class__ is int else handle._cudnnHandle_t, alpha if alpha.__class__ is float else _scale(alpha), dyDesc if dyDesc.__class__ is int else dyDesc._cudnnTensorDescriptor_t, dy if dy.__class__ is int else _getters[dy.__class__](dy), beta if beta.__class__ is float else _scale(beta), dbDesc if dbDesc.__class__ is int else dbDesc._cudnnTensorDescriptor_t, db if db.__class__ is int else _getters[db.__class__](db))
    except _CONVERT as error:
        return _slow(cudnnConvolutionBackwardBias, "cudnnConvolutionBackwardBias", (handle, alpha, dyDesc, dy, beta, dbDesc, db,), error)


def cudnnConvolutionBackwardData(handle: Handle | int, alpha: ScalingFactor, wDesc: FilterDescriptor | int, w: DevicePointer, dyDesc: TensorDescriptor | int, dy: DevicePointer, convDesc: ConvolutionDescriptor | int, algo: ConvolutionBwdDataAlgo, workSpace: DevicePointer, workSpaceSizeInBytes: int, beta: ScalingFactor, dxDesc: TensorDescriptor | int, dx: DevicePointer) -> None:
    """Call `cudnnConvolutionBackwardData` (convolution backward data), which writes `dx`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha: const void*, a number, passed as float, or as double where the tensors are
            double.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        algo: cudnnConvolutionBwdDataAlgo_t, a `ConvolutionBwdDataAlgo`.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.
        beta: const void*, a number, passed as float, or as double where the tensors are double.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dx: void*, device memory, read and written.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void
        *alpha, const cudnnFilterDescriptor_t wDesc, const void *w, const
        cudnnTensorDescriptor_t dyDesc, const void *dy, const cudnnConvolutionDescriptor_t
        convDesc, cudnnConvolutionBwdDataAlgo_t algo, void *workSpace, size_t
        workSpaceSizeInBytes, const void *beta, const cudnnTensorDescriptor_t dxDesc, void *dx)
    """
    try:
        return _cudnnConvolutionBackwardData(handle if handle.__class__ is int else handle._cudnnHandle_t, alpha if alpha.__class__ is float else _scale(alpha), wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, w if w.__class__ is int else _getters[w.__class__](w), dyDesc if dyDesc.__class__ is int else dyDesc._cudnnTensorDescriptor_t, dy if dy.__class__ is int else _getters[dy.__class__](dy), convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, algo, workSpace if workSpace.__class__ is int else _getters[workSpace.__class__](workSpace), workSpaceSizeInBytes, beta if beta.__class__ is float else _scale(beta), dxDesc if dxDesc.__class__ is int else dxDesc._cudnnTensorDescriptor_t, dx if dx.__class__ is int else _getters[dx.__class__](dx))
    except _CONVERT as error:
        return _slow(cudnnConvolutionBackwardData, "cudnnConvolutionBackwardData", (handle, alpha, wDesc, w, dyDesc, dy, convDesc, algo, workSpace, workSpaceSizeInBytes, beta, dxDesc, dx,), error)


def cudnnConvolutionBackwardFilter(handle: Handle | int, alpha: ScalingFactor, xDesc: TensorDescriptor | int, x: DevicePointer, dyDesc: TensorDescriptor | int, dy: DevicePointer, convDesc: ConvolutionDescriptor | int, algo: ConvolutionBwdFilterAlgo, workSpace: DevicePointer, workSpaceSizeInBytes: int, beta: ScalingFactor, dwDesc: FilterDescriptor | int, dw: DevicePointer) -> None:
    """Call `cudnnConvolutionBackwardFilter` (convolution backward filter), which writes `dw`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha: const void*, a number, passed as float, or as double where the tensors are
            double.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        algo: cudnnConvolutionBwdFilterAlgo_t, a `ConvolutionBwdFilterAlgo`.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.
        beta: const void*, a number, passed as float, or as double where the tensors are double.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dw: void*, device memory, read and written.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const
        void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x, const
        cudnnTensorDescriptor_t dyDesc, const void *dy, const cudnnConvolutionDescriptor_t
        convDesc, cudnnConvolutionBwdFilterAlgo_t algo, void *workSpace, size_t
        workSpaceSizeInBytes, const void *beta, const cudnnFilterDescriptor_t dwDesc, void *dw)
    """
    try:
        return _cudnnConvolutionBackwardFilter(handle if handle.__class__ is int else handle._cudnnHandle_t, alpha if alpha.__class__ is float else _scale(alpha), xDesc if xDesc.__class__ is int else xDesc._cudnnTensorDescriptor_t, x if x.__class__ is int else _getters[x.__class__](x), dyDesc if dyDesc.__class__ is int else dyDesc._cudnnTensorDescriptor_t, dy if dy.__class__ is int else _getters[dy.__class__](dy), convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, algo, workSpace if workSpace.__class__ is int else _getters[workSpace.__class__](workSpace), workSpaceSizeInBytes, beta if beta.__class__ is float else _scale(beta), dwDesc if dwDesc.__class__ is int else dwDesc._cudnnFilterDescriptor_t, dw if dw.__class__ is int else _getters[dw.__class__](dw))
    except _CONVERT as error:
        return _slow(cudnnConvolutionBackwardFilter, "cudnnConvolutionBackwardFilter", (handle, alpha, xDesc, x, dyDesc, dy, convDesc, algo, workSpace, workSpaceSizeInBytes, beta, dwDesc, dw,), error)


def cudnnConvolutionBiasActivationForward(handle: Handle | int, alpha1: ScalingFactor, xDesc: TensorDescriptor | int, x: DevicePointer, wDesc: FilterDescriptor | int, w: DevicePointer, convDesc: ConvolutionDescriptor | int, algo: ConvolutionFwdAlgo, workSpace: DevicePointer, workSpaceSizeInBytes: int, alpha2: ScalingFactor, zDesc: TensorDescriptor | int, z: DevicePointer, biasDesc: TensorDescriptor | int, bias: DevicePointer, activationDesc: ActivationDescriptor | int, yDesc: TensorDescriptor | int, y: DevicePointer) -> None:
    """Call `cudnnConvolutionBiasActivationForward` (convolution bias activation forward), which writes `y`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha1: const void*, a number, passed as float, or as double where the tensors are
            double.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        algo: cudnnConvolutionFwdAlgo_t, a `ConvolutionFwdAlgo`.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.
        alpha2: const void*, a number, passed as float, or as double where the tensors are
            double.
        zDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        z: const void*, device memory.
        biasDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        bias: const void*, device memory.
        activationDesc: const cudnnActivationDescriptor_t, a `ActivationDescriptor` or its
            address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, written.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnConvolutionBiasActivationForward(cudnnHandle_t handle,
        const void *alpha1, const cudnnTensorDescriptor_t xDesc, const void *x, const
        cudnnFilterDescriptor_t wDesc, const void *w, const cudnnConvolutionDescriptor_t
        convDesc, cudnnConvolutionFwdAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes,
        const void *alpha2, const cudnnTensorDescriptor_t zDesc, const void *z, const
        cudnnTensorDescriptor_t biasDesc, const void *bias, const cudnnActivationDescriptor_t
        activationDesc, const cudnnTensorDescriptor_t yDesc, void *y)
    """
    try:
        return _cudnnConvolutionBiasActivationForward(handle if handle.__class__ is int else handle._cudnnHandle_t, alpha1 if alpha1.__class__ is float else _scale(alpha1), xDesc if xDesc.__class__ is int else xDesc._cudnnTensorDescriptor_t, x if x.__class__ is int else _getters[x.__class__](x), wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, w if w.__class__ is int else _getters[w.__class__](w), convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, algo, workSpace if workSpace.__class__ is int else _getters[workSpace.__class__](workSpace), workSpaceSizeInBytes, alpha2 if alpha2.__class__ is float else _scale(alpha2), zDesc if zDesc.__class__ is int else zDesc._cudnnTensorDescriptor_t, z if z.__class__ is int else _getters[z.__class__](z), biasDesc if biasDesc.__class__ is int else biasDesc._cudnnTensorDescriptor_t, bias if bias.__class__ is int else _getters[bias.__class__](bias), activationDesc if activationDesc.__class__ is int else activationDesc._cudnnActivationDescriptor_t, yDesc if yDesc.__class__ is int else yDesc._cudnnTensorDescriptor_t, y if y.__class__ is int else _getters[y.__class__](y))
    except _CONVERT as error:
        return _slow(cudnnConvolutionBiasActivationForward, "cudnnConvolutionBiasActivationForward", (handle, alpha1, xDesc, x, wDesc, w, convDesc, algo, workSpace, workSpaceSizeInBytes, alpha2, zDesc, z, biasDesc, bias, activationDesc, yDesc, y,), error)


def cudnnConvolutionForward(handle: Handle | int, alpha: ScalingFactor, xDesc: TensorDescriptor | int, x: DevicePointer, wDesc: FilterDescriptor | int, w: DevicePointer, convDesc: ConvolutionDescriptor | int, algo: ConvolutionFwdAlgo, workSpace: DevicePointer, workSpaceSizeInBytes: int, beta: ScalingFactor, yDesc: TensorDescriptor | int, y: DevicePointer) -> None:
    """Call `cudnnConvolutionForward` (convolution forward), which writes `y`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        alpha: const void*, a number, passed as float, or as double where the tensors are
            double.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        algo: cudnnConvolutionFwdAlgo_t, a `ConvolutionFwdAlgo`.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.
        beta: const void*, a number, passed as float, or as double where the tensors are double.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, read and written.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void
        *alpha, const cudnnTensorDescriptor_t xDesc, const void *x, const
        cudnnFilterDescriptor_t wDesc, const void *w, const cudnnConvolutionDescriptor_t
        convDesc, cudnnConvolutionFwdAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes,
        const void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
    """
    try:
        return _cudnnConvolutionForward(handle if handle.__class__ is int else handle._cudnnHandle_t, alpha if alpha.__class__ is float else _scale(alpha), xDesc if xDesc.__class__ is int else xDesc._cudnnTensorDescriptor_t, x if x.__class__ is int else _getters[x.__class__](x), wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, w if w.__class__ is int else _getters[w.__class__](w), convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, algo, workSpace if workSpace.__class__ is int else _getters[workSpace.__class__](workSpace), workSpaceSizeInBytes, beta if beta.__class__ is float else _scale(beta), yDesc if yDesc.__class__ is int else yDesc._cudnnTensorDescriptor_t, y if y.__class__ is int else _getters[y.__class__](y))
    except _CONVERT as error:
        return _slow(cudnnConvolutionForward, "cudnnConvolutionForward", (handle, alpha, xDesc, x, wDesc, w, convDesc, algo, workSpace, workSpaceSizeInBytes, beta, yDesc, y,), error)


def cudnnCreateConvolutionDescriptor() -> int:
    """Make a cudnnConvolutionDescriptor_t; whoever made it destroys it.

    Returns:
        int, the caller's to destroy.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t
        *convDesc)
    """
    try:
        return _cudnnCreateConvolutionDescriptor()
    except _CONVERT as error:
        return _slow(cudnnCreateConvolutionDescriptor, "cudnnCreateConvolutionDescriptor", (), error)


def cudnnCreateFusedOpsConstParamPack(ops: FusedOps) -> int:
    """Make a cudnnFusedOpsConstParamPack_t; whoever made it destroys it.

    Args:
        ops: cudnnFusedOps_t, a `FusedOps`.

    Returns:
        int, the caller's to destroy.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t
        cudnnCreateFusedOpsConstParamPack(cudnnFusedOpsConstParamPack_t *constPack,
        cudnnFusedOps_t ops)
    """
    try:
        return _cudnnCreateFusedOpsConstParamPack(ops)
    except _CONVERT as error:
        return _slow(cudnnCreateFusedOpsConstParamPack, "cudnnCreateFusedOpsConstParamPack", (ops,), error)


def cudnnCreateFusedOpsPlan(ops: FusedOps) -> int:
    """Make a cudnnFusedOpsPlan_t; whoever made it destroys it.

    Args:
        ops: cudnnFusedOps_t, a `FusedOps`.

    Returns:
        int, the caller's to destroy.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnCreateFusedOpsPlan(cudnnFusedOpsPlan_t *plan,
        cudnnFusedOps_t ops)
    """
    try:
        return _cudnnCreateFusedOpsPlan(ops)
    except _CONVERT as error:
        return _slow(cudnnCreateFusedOpsPlan, "cudnnCreateFusedOpsPlan", (ops,), error)


def cudnnCreateFusedOpsVariantParamPack(ops: FusedOps) -> int:
    """Make a cudnnFusedOpsVariantParamPack_t; whoever made it destroys it.

    Args:
        ops: cudnnFusedOps_t, a `FusedOps`.

    Returns:
        int, the caller's to destroy.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t
        cudnnCreateFusedOpsVariantParamPack(cudnnFusedOpsVariantParamPack_t *varPack,
        cudnnFusedOps_t ops)
    """
    try:
        return _cudnnCreateFusedOpsVariantParamPack(ops)
    except _CONVERT as error:
        return _slow(cudnnCreateFusedOpsVariantParamPack, "cudnnCreateFusedOpsVariantParamPack", (ops,), error)


def cudnnDestroyConvolutionDescriptor(convDesc: ConvolutionDescriptor | int) -> None:
    """Destroy a cudnnConvolutionDescriptor_t.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            invalid afterwards.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t
        convDesc)
    """
    try:
        return _cudnnDestroyConvolutionDescriptor(convDesc if convDesc.__class__ is int else convDesc._detach('cudnnConvolutionDescriptor_t'))
    except _CONVERT as error:
        return _slow(cudnnDestroyConvolutionDescriptor, "cudnnDestroyConvolutionDescriptor", (convDesc,), error)


def cudnnDestroyFusedOpsConstParamPack(constPack: FusedOpsConstParamPack | int) -> None:
    """Destroy a cudnnFusedOpsConstParamPack_t.

    Args:
        constPack: cudnnFusedOpsConstParamPack_t, a `FusedOpsConstParamPack` or its address,
            invalid afterwards.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t
        cudnnDestroyFusedOpsConstParamPack(cudnnFusedOpsConstParamPack_t constPack)
    """
    try:
        return _cudnnDestroyFusedOpsConstParamPack(constPack if constPack.__class__ is int else constPack._detach('cudnnFusedOpsConstParamPack_t'))
    except _CONVERT as error:
        return _slow(cudnnDestroyFusedOpsConstParamPack, "cudnnDestroyFusedOpsConstParamPack", (constPack,), error)


def cudnnDestroyFusedOpsPlan(plan: FusedOpsPlan | int) -> None:
    """Destroy a cudnnFusedOpsPlan_t.

    Args:
        plan: cudnnFusedOpsPlan_t, a `FusedOpsPlan` or its address, invalid afterwards.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnDestroyFusedOpsPlan(cudnnFusedOpsPlan_t plan)
    """
    try:
        return _cudnnDestroyFusedOpsPlan(plan if plan.__class__ is int else plan._detach('cudnnFusedOpsPlan_t'))
    except _CONVERT as error:
        return _slow(cudnnDestroyFusedOpsPlan, "cudnnDestroyFusedOpsPlan", (plan,), error)


def cudnnDestroyFusedOpsVariantParamPack(varPack: FusedOpsVariantParamPack | int) -> None:
    """Destroy a cudnnFusedOpsVariantParamPack_t.

    Args:
        varPack: cudnnFusedOpsVariantParamPack_t, a `FusedOpsVariantParamPack` or its address,
            invalid afterwards.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t
        cudnnDestroyFusedOpsVariantParamPack(cudnnFusedOpsVariantParamPack_t varPack)
    """
    try:
        return _cudnnDestroyFusedOpsVariantParamPack(varPack if varPack.__class__ is int else varPack._detach('cudnnFusedOpsVariantParamPack_t'))
    except _CONVERT as error:
        return _slow(cudnnDestroyFusedOpsVariantParamPack, "cudnnDestroyFusedOpsVariantParamPack", (varPack,), error)


def cudnnFindConvolutionBackwardDataAlgorithm(handle: Handle | int, wDesc: FilterDescriptor | int, dyDesc: TensorDescriptor | int, convDesc: ConvolutionDescriptor | int, dxDesc: TensorDescriptor | int, requestedAlgoCount: int = 16) -> list[ConvolutionBwdDataAlgoPerf]:
    """Call `cudnnFindConvolutionBackwardDataAlgorithm` (find convolution backward data algorithm) and return what it answers.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        requestedAlgoCount: const int.

    Returns:
        list[ConvolutionBwdDataAlgoPerf], as many as there are, at most `requestedAlgoCount`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithm(cudnnHandle_t
        handle, const cudnnFilterDescriptor_t wDesc, const cudnnTensorDescriptor_t dyDesc, const
        cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t dxDesc, const int
        requestedAlgoCount, int *returnedAlgoCount, cudnnConvolutionBwdDataAlgoPerf_t
        *perfResults)
    """
    try:
        perfResults_ = _records('cudnnConvolutionBwdDataAlgoPerf_t', requestedAlgoCount, 'requestedAlgoCount')
        _out = _outs.pop()
        status = _cudnnFindConvolutionBackwardDataAlgorithm(handle if handle.__class__ is int else handle._cudnnHandle_t, wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, dyDesc if dyDesc.__class__ is int else dyDesc._cudnnTensorDescriptor_t, convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, dxDesc if dxDesc.__class__ is int else dxDesc._cudnnTensorDescriptor_t, requestedAlgoCount, perfResults_, _out[0])
    except _CONVERT as error:
        return _slow(cudnnFindConvolutionBackwardDataAlgorithm, "cudnnFindConvolutionBackwardDataAlgorithm", (handle, wDesc, dyDesc, convDesc, dxDesc, requestedAlgoCount,), error)
    if status:
        return _failed(cudnnFindConvolutionBackwardDataAlgorithm, "cudnnFindConvolutionBackwardDataAlgorithm", status, (handle, wDesc, dyDesc, convDesc, dxDesc, requestedAlgoCount,))
    r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(perfResults_, 'cudnnConvolutionBwdDataAlgoPerf_t', min(r[0], requestedAlgoCount))


def cudnnFindConvolutionBackwardDataAlgorithmEx(handle: Handle | int, wDesc: FilterDescriptor | int, w: DevicePointer, dyDesc: TensorDescriptor | int, dy: DevicePointer, convDesc: ConvolutionDescriptor | int, dxDesc: TensorDescriptor | int, dx: DevicePointer, requestedAlgoCount: int, workSpace: DevicePointer, workSpaceSizeInBytes: int) -> list[ConvolutionBwdDataAlgoPerf]:
    """Call `cudnnFindConvolutionBackwardDataAlgorithmEx` (find convolution backward data algorithm ex), which writes `dx`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dy: const void*, device memory.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dx: void*, device memory, written.
        requestedAlgoCount: const int.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.

    Returns:
        list[ConvolutionBwdDataAlgoPerf], as many as there are, at most `requestedAlgoCount`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(cudnnHandle_t
        handle, const cudnnFilterDescriptor_t wDesc, const void *w, const
        cudnnTensorDescriptor_t dyDesc, const void *dy, const cudnnConvolutionDescriptor_t
        convDesc, const cudnnTensorDescriptor_t dxDesc, void *dx, const int requestedAlgoCount,
        int *returnedAlgoCount, cudnnConvolutionBwdDataAlgoPerf_t *perfResults, void *workSpace,
        size_t workSpaceSizeInBytes)
    """
    try:
        perfResults_ = _records('cudnnConvolutionBwdDataAlgoPerf_t', requestedAlgoCount, 'requestedAlgoCount')
        _out = _outs.pop()
        status = _cudnnFindConvolutionBackwardDataAlgorithmEx(handle if handle.__class__ is int else handle._cudnnHandle_t, wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, w if w.__class__ is int else _getters[w.__class__](w), dyDesc if dyDesc.__class__ is int else dyDesc._cudnnTensorDescriptor_t, dy if dy.__class__ is int else _getters[dy.__class__](dy), convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, dxDesc if dxDesc.__class__ is int else dxDesc._cudnnTensorDescriptor_t, dx if dx.__class__ is int else _getters[dx.__class__](dx), requestedAlgoCount, perfResults_, workSpace if workSpace.__class__ is int else _getters[workSpace.__class__](workSpace), workSpaceSizeInBytes, _out[0])
    except _CONVERT as error:
        return _slow(cudnnFindConvolutionBackwardDataAlgorithmEx, "cudnnFindConvolutionBackwardDataAlgorithmEx", (handle, wDesc, w, dyDesc, dy, convDesc, dxDesc, dx, requestedAlgoCount, workSpace, workSpaceSizeInBytes,), error)
    if status:
        return _failed(cudnnFindConvolutionBackwardDataAlgorithmEx, "cudnnFindConvolutionBackwardDataAlgorithmEx", status, (handle, wDesc, w, dyDesc, dy, convDesc, dxDesc, dx, requestedAlgoCount, workSpace, workSpaceSizeInBytes,))
    r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(perfResults_, 'cudnnConvolutionBwdDataAlgoPerf_t', min(r[0], requestedAlgoCount))


def cudnnFindConvolutionBackwardFilterAlgorithm(handle: Handle | int, xDesc: TensorDescriptor | int, dyDesc: TensorDescriptor | int, convDesc: ConvolutionDescriptor | int, dwDesc: FilterDescriptor | int, requestedAlgoCount: int = 16) -> list[ConvolutionBwdFilterAlgoPerf]:
    """Call `cudnnFindConvolutionBackwardFilterAlgorithm` (find convolution backward filter algorithm) and return what it answers.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        requestedAlgoCount: const int.

    Returns:
        list[ConvolutionBwdFilterAlgoPerf], as many as there are, at most `requestedAlgoCount`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithm(cudnnHandle_t
        handle, const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t dyDesc, const
        cudnnConvolutionDescriptor_t convDesc, const cudnnFilterDescriptor_t dwDesc, const int
        requestedAlgoCount, int *returnedAlgoCount, cudnnConvolutionBwdFilterAlgoPerf_t
        *perfResults)
    """
    try:
        perfResults_ = _records('cudnnConvolutionBwdFilterAlgoPerf_t', requestedAlgoCount, 'requestedAlgoCount')
        _out = _outs.pop()
        status = _cudnnFindConvolutionBackwardFilterAlgorithm(handle if handle.__class__ is int else handle._cudnnHandle_t, xDesc if xDesc.__class__ is int else xDesc._cudnnTensorDescriptor_t, dyDesc if dyDesc.__class__ is int else dyDesc._cudnnTensorDescriptor_t, convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, dwDesc if dwDesc.__class__ is int else dwDesc._cudnnFilterDescriptor_t, requestedAlgoCount, perfResults_, _out[0])
    except _CONVERT as error:
        return _slow(cudnnFindConvolutionBackwardFilterAlgorithm, "cudnnFindConvolutionBackwardFilterAlgorithm", (handle, xDesc, dyDesc, convDesc, dwDesc, requestedAlgoCount,), error)
    if status:
        return _failed(cudnnFindConvolutionBackwardFilterAlgorithm, "cudnnFindConvolutionBackwardFilterAlgorithm", status, (handle, xDesc, dyDesc, convDesc, dwDesc, requestedAlgoCount,))
    r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(perfResults_, 'cudnnConvolutionBwdFilterAlgoPerf_t', min(r[0], requestedAlgoCount))


def cudnnFindConvolutionBackwardFilterAlgorithmEx(handle: Handle | int, xDesc: TensorDescriptor | int, x: DevicePointer, dyDesc: TensorDescriptor | int, y: DevicePointer, convDesc: ConvolutionDescriptor | int, dwDesc: FilterDescriptor | int, dw: DevicePointer, requestedAlgoCount: int, workSpace: DevicePointer, workSpaceSizeInBytes: int) -> list[ConvolutionBwdFilterAlgoPerf]:
    """Call `cudnnFindConvolutionBackwardFilterAlgorithmEx` (find convolution backward filter algorithm ex), which writes `dw`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: const void*, device memory.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        dwDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dw: void*, device memory, written.
        requestedAlgoCount: const int.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.

    Returns:
        list[ConvolutionBwdFilterAlgoPerf], as many as there are, at most `requestedAlgoCount`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(cudnnHandle_t
        handle, const cudnnTensorDescriptor_t xDesc, const void *x, const
        cudnnTensorDescriptor_t dyDesc, const void *y, const cudnnConvolutionDescriptor_t
        convDesc, const cudnnFilterDescriptor_t dwDesc, void *dw, const int requestedAlgoCount,
        int *returnedAlgoCount, cudnnConvolutionBwdFilterAlgoPerf_t *perfResults, void
        *workSpace, size_t workSpaceSizeInBytes)
    """
    try:
        perfResults_ = _records('cudnnConvolutionBwdFilterAlgoPerf_t', requestedAlgoCount, 'requestedAlgoCount')
        _out = _outs.pop()
        status = _cudnnFindConvolutionBackwardFilterAlgorithmEx(handle if handle.__class__ is int else handle._cudnnHandle_t, xDesc if xDesc.__class__ is int else xDesc._cudnnTensorDescriptor_t, x if x.__class__ is int else _getters[x.__class__](x), dyDesc if dyDesc.__class__ is int else dyDesc._cudnnTensorDescriptor_t, y if y.__class__ is int else _getters[y.__class__](y), convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, dwDesc if dwDesc.__class__ is int else dwDesc._cudnnFilterDescriptor_t, dw if dw.__class__ is int else _getters[dw.__class__](dw), requestedAlgoCount, perfResults_, workSpace if workSpace.__class__ is int else _getters[workSpace.__class__](workSpace), workSpaceSizeInBytes, _out[0])
    except _CONVERT as error:
        return _slow(cudnnFindConvolutionBackwardFilterAlgorithmEx, "cudnnFindConvolutionBackwardFilterAlgorithmEx", (handle, xDesc, x, dyDesc, y, convDesc, dwDesc, dw, requestedAlgoCount, workSpace, workSpaceSizeInBytes,), error)
    if status:
        return _failed(cudnnFindConvolutionBackwardFilterAlgorithmEx, "cudnnFindConvolutionBackwardFilterAlgorithmEx", status, (handle, xDesc, x, dyDesc, y, convDesc, dwDesc, dw, requestedAlgoCount, workSpace, workSpaceSizeInBytes,))
    r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(perfResults_, 'cudnnConvolutionBwdFilterAlgoPerf_t', min(r[0], requestedAlgoCount))


def cudnnFindConvolutionForwardAlgorithm(handle: Handle | int, xDesc: TensorDescriptor | int, wDesc: FilterDescriptor | int, convDesc: ConvolutionDescriptor | int, yDesc: TensorDescriptor | int, requestedAlgoCount: int = 16) -> list[ConvolutionFwdAlgoPerf]:
    """Call `cudnnFindConvolutionForwardAlgorithm` (find convolution forward algorithm) and return what it answers.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        requestedAlgoCount: const int.

    Returns:
        list[ConvolutionFwdAlgoPerf], as many as there are, at most `requestedAlgoCount`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(cudnnHandle_t handle,
        const cudnnTensorDescriptor_t xDesc, const cudnnFilterDescriptor_t wDesc, const
        cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t yDesc, const int
        requestedAlgoCount, int *returnedAlgoCount, cudnnConvolutionFwdAlgoPerf_t *perfResults)
    """
    try:
        perfResults_ = _records('cudnnConvolutionFwdAlgoPerf_t', requestedAlgoCount, 'requestedAlgoCount')
        _out = _outs.pop()
        status = _cudnnFindConvolutionForwardAlgorithm(handle if handle.__class__ is int else handle._cudnnHandle_t, xDesc if xDesc.__class__ is int else xDesc._cudnnTensorDescriptor_t, wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, yDesc if yDesc.__class__ is int else yDesc._cudnnTensorDescriptor_t, requestedAlgoCount, perfResults_, _out[0])
    except _CONVERT as error:
        return _slow(cudnnFindConvolutionForwardAlgorithm, "cudnnFindConvolutionForwardAlgorithm", (handle, xDesc, wDesc, convDesc, yDesc, requestedAlgoCount,), error)
    if status:
        return _failed(cudnnFindConvolutionForwardAlgorithm, "cudnnFindConvolutionForwardAlgorithm", status, (handle, xDesc, wDesc, convDesc, yDesc, requestedAlgoCount,))
    r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(perfResults_, 'cudnnConvolutionFwdAlgoPerf_t', min(r[0], requestedAlgoCount))


def cudnnFindConvolutionForwardAlgorithmEx(handle: Handle | int, xDesc: TensorDescriptor | int, x: DevicePointer, wDesc: FilterDescriptor | int, w: DevicePointer, convDesc: ConvolutionDescriptor | int, yDesc: TensorDescriptor | int, y: DevicePointer, requestedAlgoCount: int, workSpace: DevicePointer, workSpaceSizeInBytes: int) -> list[ConvolutionFwdAlgoPerf]:
    """Call `cudnnFindConvolutionForwardAlgorithmEx` (find convolution forward algorithm ex), which writes `y`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        w: const void*, device memory.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        y: void*, device memory, written.
        requestedAlgoCount: const int.
        workSpace: void*, device memory, used as scratch space, at least `workSpaceSizeInBytes`
            bytes, may be None.
        workSpaceSizeInBytes: size_t.

    Returns:
        list[ConvolutionFwdAlgoPerf], as many as there are, at most `requestedAlgoCount`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(cudnnHandle_t handle,
        const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnFilterDescriptor_t wDesc,
        const void *w, const cudnnConvolutionDescriptor_t convDesc, const
        cudnnTensorDescriptor_t yDesc, void *y, const int requestedAlgoCount, int
        *returnedAlgoCount, cudnnConvolutionFwdAlgoPerf_t *perfResults, void *workSpace, size_t
        workSpaceSizeInBytes)
    """
    try:
        perfResults_ = _records('cudnnConvolutionFwdAlgoPerf_t', requestedAlgoCount, 'requestedAlgoCount')
        _out = _outs.pop()
        status = _cudnnFindConvolutionForwardAlgorithmEx(handle if handle.__class__ is int else handle._cudnnHandle_t, xDesc if xDesc.__class__ is int else xDesc._cudnnTensorDescriptor_t, x if x.__class__ is int else _getters[x.__class__](x), wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, w if w.__class__ is int else _getters[w.__class__](w), convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, yDesc if yDesc.__class__ is int else yDesc._cudnnTensorDescriptor_t, y if y.__class__ is int else _getters[y.__class__](y), requestedAlgoCount, perfResults_, workSpace if workSpace.__class__ is int else _getters[workSpace.__class__](workSpace), workSpaceSizeInBytes, _out[0])
    except _CONVERT as error:
        return _slow(cudnnFindConvolutionForwardAlgorithmEx, "cudnnFindConvolutionForwardAlgorithmEx", (handle, xDesc, x, wDesc, w, convDesc, yDesc, y, requestedAlgoCount, workSpace, workSpaceSizeInBytes,), error)
    if status:
        return _failed(cudnnFindConvolutionForwardAlgorithmEx, "cudnnFindConvolutionForwardAlgorithmEx", status, (handle, xDesc, x, wDesc, w, convDesc, yDesc, y, requestedAlgoCount, workSpace, workSpaceSizeInBytes,))
    r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(perfResults_, 'cudnnConvolutionFwdAlgoPerf_t', min(r[0], requestedAlgoCount))


def cudnnFusedOpsExecute(handle: Handle | int, plan: FusedOpsPlan | int, varPack: FusedOpsVariantParamPack | int) -> None:
    """Call `cudnnFusedOpsExecute` (fused ops execute).

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        plan: const cudnnFusedOpsPlan_t, a `FusedOpsPlan` or its address.
        varPack: cudnnFusedOpsVariantParamPack_t, a `FusedOpsVariantParamPack` or its address.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnFusedOpsExecute(cudnnHandle_t handle, const
        cudnnFusedOpsPlan_t plan, cudnnFusedOpsVariantParamPack_t varPack)
    """
    try:
        return _cudnnFusedOpsExecute(handle if handle.__class__ is int else handle._cudnnHandle_t, plan if plan.__class__ is int else plan._cudnnFusedOpsPlan_t, varPack if varPack.__class__ is int else varPack._cudnnFusedOpsVariantParamPack_t)
    except _CONVERT as error:
        return _slow(cudnnFusedOpsExecute, "cudnnFusedOpsExecute", (handle, plan, varPack,), error)


def cudnnGetConvolution2dDescriptor(convDesc: ConvolutionDescriptor | int) -> GetConvolution2dDescriptorResult:
    """Read `pad_h`, `pad_w`, `u`, `v`, `dilation_h`, `dilation_w`, `mode`, `computeType`.

    Args:
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.

    Returns:
        pad_h: int.
        pad_w: int.
        u: int.
        v: int.
        dilation_h: int.
        dilation_w: int.
        mode: ConvolutionMode.
        computeType: DataType.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolution2dDescriptor(const
        cudnnConvolutionDescriptor_t convDesc, int *pad_h, int *pad_w, int *u, int *v, int
        *dilation_h, int *dilation_w, cudnnConvolutionMode_t *mode, cudnnDataType_t
        *computeType)
    """
    try:
        return _cudnnGetConvolution2dDescriptor(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t)
    except _CONVERT as error:
        return _slow(cudnnGetConvolution2dDescriptor, "cudnnGetConvolution2dDescriptor", (convDesc,), error)


def cudnnGetConvolution2dForwardOutputDim(convDesc: ConvolutionDescriptor | int, inputTensorDesc: TensorDescriptor | int, filterDesc: FilterDescriptor | int) -> GetConvolution2dForwardOutputDimResult:
    """Read `n`, `c`, `h`, `w`.

    Args:
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        inputTensorDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.

    Returns:
        n: int.
        c: int.
        h: int.
        w: int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(const
        cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t inputTensorDesc,
        const cudnnFilterDescriptor_t filterDesc, int *n, int *c, int *h, int *w)
    """
    try:
        return _cudnnGetConvolution2dForwardOutputDim(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, inputTensorDesc if inputTensorDesc.__class__ is int else inputTensorDesc._cudnnTensorDescriptor_t, filterDesc if filterDesc.__class__ is int else filterDesc._cudnnFilterDescriptor_t)
    except _CONVERT as error:
        return _slow(cudnnGetConvolution2dForwardOutputDim, "cudnnGetConvolution2dForwardOutputDim", (convDesc, inputTensorDesc, filterDesc,), error)


def cudnnGetConvolutionBackwardDataAlgorithmMaxCount(handle: Handle | int) -> int:
    """Read `count`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithmMaxCount(cudnnHandle_t
        handle, int *count)
    """
    try:
        return _cudnnGetConvolutionBackwardDataAlgorithmMaxCount(handle if handle.__class__ is int else handle._cudnnHandle_t)
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionBackwardDataAlgorithmMaxCount, "cudnnGetConvolutionBackwardDataAlgorithmMaxCount", (handle,), error)


def cudnnGetConvolutionBackwardDataAlgorithm_v7(handle: Handle | int, filterDesc: FilterDescriptor | int, diffDesc: TensorDescriptor | int, convDesc: ConvolutionDescriptor | int, gradDesc: TensorDescriptor | int, requestedAlgoCount: int = 16) -> list[ConvolutionBwdDataAlgoPerf]:
    """Read `perfResults`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        diffDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        gradDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        requestedAlgoCount: const int.

    Returns:
        list[ConvolutionBwdDataAlgoPerf], as many as there are, at most `requestedAlgoCount`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t
        handle, const cudnnFilterDescriptor_t filterDesc, const cudnnTensorDescriptor_t
        diffDesc, const cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t
        gradDesc, const int requestedAlgoCount, int *returnedAlgoCount,
        cudnnConvolutionBwdDataAlgoPerf_t *perfResults)
    """
    try:
        perfResults_ = _records('cudnnConvolutionBwdDataAlgoPerf_t', requestedAlgoCount, 'requestedAlgoCount')
        _out = _outs.pop()
        status = _cudnnGetConvolutionBackwardDataAlgorithm_v7(handle if handle.__class__ is int else handle._cudnnHandle_t, filterDesc if filterDesc.__class__ is int else filterDesc._cudnnFilterDescriptor_t, diffDesc if diffDesc.__class__ is int else diffDesc._cudnnTensorDescriptor_t, convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, gradDesc if gradDesc.__class__ is int else gradDesc._cudnnTensorDescriptor_t, requestedAlgoCount, perfResults_, _out[0])
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionBackwardDataAlgorithm_v7, "cudnnGetConvolutionBackwardDataAlgorithm_v7", (handle, filterDesc, diffDesc, convDesc, gradDesc, requestedAlgoCount,), error)
    if status:
        return _failed(cudnnGetConvolutionBackwardDataAlgorithm_v7, "cudnnGetConvolutionBackwardDataAlgorithm_v7", status, (handle, filterDesc, diffDesc, convDesc, gradDesc, requestedAlgoCount,))
    r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(perfResults_, 'cudnnConvolutionBwdDataAlgoPerf_t', min(r[0], requestedAlgoCount))


def cudnnGetConvolutionBackwardDataWorkspaceSize(handle: Handle | int, wDesc: FilterDescriptor | int, dyDesc: TensorDescriptor | int, convDesc: ConvolutionDescriptor | int, dxDesc: TensorDescriptor | int, algo: ConvolutionBwdDataAlgo) -> int:
    """Read `sizeInBytes`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        dxDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        algo: cudnnConvolutionBwdDataAlgo_t, a `ConvolutionBwdDataAlgo`.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t
        handle, const cudnnFilterDescriptor_t wDesc, const cudnnTensorDescriptor_t dyDesc, const
        cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t dxDesc,
        cudnnConvolutionBwdDataAlgo_t algo, size_t *sizeInBytes)
    """
    try:
        return _cudnnGetConvolutionBackwardDataWorkspaceSize(handle if handle.__class__ is int else handle._cudnnHandle_t, wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, dyDesc if dyDesc.__class__ is int else dyDesc._cudnnTensorDescriptor_t, convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, dxDesc if dxDesc.__class__ is int else dxDesc._cudnnTensorDescriptor_t, algo)
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionBackwardDataWorkspaceSize, "cudnnGetConvolutionBackwardDataWorkspaceSize", (handle, wDesc, dyDesc, convDesc, dxDesc, algo,), error)


def cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(handle: Handle | int) -> int:
    """Read `count`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t
        cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(cudnnHandle_t handle, int *count)
    """
    try:
        return _cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(handle if handle.__class__ is int else handle._cudnnHandle_t)
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionBackwardFilterAlgorithmMaxCount, "cudnnGetConvolutionBackwardFilterAlgorithmMaxCount", (handle,), error)


def cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle: Handle | int, srcDesc: TensorDescriptor | int, diffDesc: TensorDescriptor | int, convDesc: ConvolutionDescriptor | int, gradDesc: FilterDescriptor | int, requestedAlgoCount: int = 16) -> list[ConvolutionBwdFilterAlgoPerf]:
    """Read `perfResults`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        srcDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        diffDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        gradDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        requestedAlgoCount: const int.

    Returns:
        list[ConvolutionBwdFilterAlgoPerf], as many as there are, at most `requestedAlgoCount`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t
        handle, const cudnnTensorDescriptor_t srcDesc, const cudnnTensorDescriptor_t diffDesc,
        const cudnnConvolutionDescriptor_t convDesc, const cudnnFilterDescriptor_t gradDesc,
        const int requestedAlgoCount, int *returnedAlgoCount,
        cudnnConvolutionBwdFilterAlgoPerf_t *perfResults)
    """
    try:
        perfResults_ = _records('cudnnConvolutionBwdFilterAlgoPerf_t', requestedAlgoCount, 'requestedAlgoCount')
        _out = _outs.pop()
        status = _cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle if handle.__class__ is int else handle._cudnnHandle_t, srcDesc if srcDesc.__class__ is int else srcDesc._cudnnTensorDescriptor_t, diffDesc if diffDesc.__class__ is int else diffDesc._cudnnTensorDescriptor_t, convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, gradDesc if gradDesc.__class__ is int else gradDesc._cudnnFilterDescriptor_t, requestedAlgoCount, perfResults_, _out[0])
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionBackwardFilterAlgorithm_v7, "cudnnGetConvolutionBackwardFilterAlgorithm_v7", (handle, srcDesc, diffDesc, convDesc, gradDesc, requestedAlgoCount,), error)
    if status:
        return _failed(cudnnGetConvolutionBackwardFilterAlgorithm_v7, "cudnnGetConvolutionBackwardFilterAlgorithm_v7", status, (handle, srcDesc, diffDesc, convDesc, gradDesc, requestedAlgoCount,))
    r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(perfResults_, 'cudnnConvolutionBwdFilterAlgoPerf_t', min(r[0], requestedAlgoCount))


def cudnnGetConvolutionBackwardFilterWorkspaceSize(handle: Handle | int, xDesc: TensorDescriptor | int, dyDesc: TensorDescriptor | int, convDesc: ConvolutionDescriptor | int, gradDesc: FilterDescriptor | int, algo: ConvolutionBwdFilterAlgo) -> int:
    """Read `sizeInBytes`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        dyDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        gradDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        algo: cudnnConvolutionBwdFilterAlgo_t, a `ConvolutionBwdFilterAlgo`.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t
        handle, const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t dyDesc, const
        cudnnConvolutionDescriptor_t convDesc, const cudnnFilterDescriptor_t gradDesc,
        cudnnConvolutionBwdFilterAlgo_t algo, size_t *sizeInBytes)
    """
    try:
        return _cudnnGetConvolutionBackwardFilterWorkspaceSize(handle if handle.__class__ is int else handle._cudnnHandle_t, xDesc if xDesc.__class__ is int else xDesc._cudnnTensorDescriptor_t, dyDesc if dyDesc.__class__ is int else dyDesc._cudnnTensorDescriptor_t, convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, gradDesc if gradDesc.__class__ is int else gradDesc._cudnnFilterDescriptor_t, algo)
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionBackwardFilterWorkspaceSize, "cudnnGetConvolutionBackwardFilterWorkspaceSize", (handle, xDesc, dyDesc, convDesc, gradDesc, algo,), error)


def cudnnGetConvolutionForwardAlgorithmMaxCount(handle: Handle | int) -> int:
    """Read `count`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionForwardAlgorithmMaxCount(cudnnHandle_t
        handle, int *count)
    """
    try:
        return _cudnnGetConvolutionForwardAlgorithmMaxCount(handle if handle.__class__ is int else handle._cudnnHandle_t)
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionForwardAlgorithmMaxCount, "cudnnGetConvolutionForwardAlgorithmMaxCount", (handle,), error)


def cudnnGetConvolutionForwardAlgorithm_v7(handle: Handle | int, srcDesc: TensorDescriptor | int, filterDesc: FilterDescriptor | int, convDesc: ConvolutionDescriptor | int, destDesc: TensorDescriptor | int, requestedAlgoCount: int = 16) -> list[ConvolutionFwdAlgoPerf]:
    """Read `perfResults`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        srcDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        destDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        requestedAlgoCount: const int.

    Returns:
        list[ConvolutionFwdAlgoPerf], as many as there are, at most `requestedAlgoCount`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle,
        const cudnnTensorDescriptor_t srcDesc, const cudnnFilterDescriptor_t filterDesc, const
        cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t destDesc, const int
        requestedAlgoCount, int *returnedAlgoCount, cudnnConvolutionFwdAlgoPerf_t *perfResults)
    """
    try:
        perfResults_ = _records('cudnnConvolutionFwdAlgoPerf_t', requestedAlgoCount, 'requestedAlgoCount')
        _out = _outs.pop()
        status = _cudnnGetConvolutionForwardAlgorithm_v7(handle if handle.__class__ is int else handle._cudnnHandle_t, srcDesc if srcDesc.__class__ is int else srcDesc._cudnnTensorDescriptor_t, filterDesc if filterDesc.__class__ is int else filterDesc._cudnnFilterDescriptor_t, convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, destDesc if destDesc.__class__ is int else destDesc._cudnnTensorDescriptor_t, requestedAlgoCount, perfResults_, _out[0])
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionForwardAlgorithm_v7, "cudnnGetConvolutionForwardAlgorithm_v7", (handle, srcDesc, filterDesc, convDesc, destDesc, requestedAlgoCount,), error)
    if status:
        return _failed(cudnnGetConvolutionForwardAlgorithm_v7, "cudnnGetConvolutionForwardAlgorithm_v7", status, (handle, srcDesc, filterDesc, convDesc, destDesc, requestedAlgoCount,))
    r = _unpack_q(_out[1])
    _outs.append(_out)
    return _record_values(perfResults_, 'cudnnConvolutionFwdAlgoPerf_t', min(r[0], requestedAlgoCount))


def cudnnGetConvolutionForwardWorkspaceSize(handle: Handle | int, xDesc: TensorDescriptor | int, wDesc: FilterDescriptor | int, convDesc: ConvolutionDescriptor | int, yDesc: TensorDescriptor | int, algo: ConvolutionFwdAlgo) -> int:
    """Read `sizeInBytes`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        yDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        algo: cudnnConvolutionFwdAlgo_t, a `ConvolutionFwdAlgo`.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t handle,
        const cudnnTensorDescriptor_t xDesc, const cudnnFilterDescriptor_t wDesc, const
        cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t yDesc,
        cudnnConvolutionFwdAlgo_t algo, size_t *sizeInBytes)
    """
    try:
        return _cudnnGetConvolutionForwardWorkspaceSize(handle if handle.__class__ is int else handle._cudnnHandle_t, xDesc if xDesc.__class__ is int else xDesc._cudnnTensorDescriptor_t, wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, yDesc if yDesc.__class__ is int else yDesc._cudnnTensorDescriptor_t, algo)
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionForwardWorkspaceSize, "cudnnGetConvolutionForwardWorkspaceSize", (handle, xDesc, wDesc, convDesc, yDesc, algo,), error)


def cudnnGetConvolutionGroupCount(convDesc: ConvolutionDescriptor | int) -> int:
    """Read `groupCount`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t
        convDesc, int *groupCount)
    """
    try:
        return _cudnnGetConvolutionGroupCount(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t)
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionGroupCount, "cudnnGetConvolutionGroupCount", (convDesc,), error)


def cudnnGetConvolutionMathType(convDesc: ConvolutionDescriptor | int) -> MathType:
    """Read `mathType`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.

    Returns:
        MathType.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionMathType(cudnnConvolutionDescriptor_t
        convDesc, cudnnMathType_t *mathType)
    """
    try:
        return _cudnnGetConvolutionMathType(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t)
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionMathType, "cudnnGetConvolutionMathType", (convDesc,), error)


def cudnnGetConvolutionNdDescriptor(convDesc: ConvolutionDescriptor | int, arrayLengthRequested: int = 6) -> GetConvolutionNdDescriptorResult:
    """Read `arrayLength`, `padA`, `strideA`, `dilationA`, `mode`, `computeType`.

    Args:
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        arrayLengthRequested: int.

    Returns:
        arrayLength: int.
        padA: tuple[int, ...], as many as there are, at most `arrayLengthRequested`.
        strideA: tuple[int, ...], as many as there are, at most `arrayLengthRequested`.
        dilationA: tuple[int, ...], as many as there are, at most `arrayLengthRequested`.
        mode: ConvolutionMode.
        computeType: DataType.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionNdDescriptor(const
        cudnnConvolutionDescriptor_t convDesc, int arrayLengthRequested, int *arrayLength, int
        padA[], int strideA[], int dilationA[], cudnnConvolutionMode_t *mode, cudnnDataType_t
        *computeType)
    """
    try:
        padA_ = _memory("int", arrayLengthRequested, 'arrayLengthRequested')
        strideA_ = _memory("int", arrayLengthRequested, 'arrayLengthRequested')
        dilationA_ = _memory("int", arrayLengthRequested, 'arrayLengthRequested')
        _out = _outs.pop()
        status = _cudnnGetConvolutionNdDescriptor(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, arrayLengthRequested, padA_, strideA_, dilationA_, _out[0])
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionNdDescriptor, "cudnnGetConvolutionNdDescriptor", (convDesc, arrayLengthRequested,), error)
    if status:
        return _failed(cudnnGetConvolutionNdDescriptor, "cudnnGetConvolutionNdDescriptor", status, (convDesc, arrayLengthRequested,))
    r = _unpack_3q(_out[1])
    _outs.append(_out)
    return _new(GetConvolutionNdDescriptorResult, (r[0], tuple(_unpack(padA_, min(r[0], arrayLengthRequested))), tuple(_unpack(strideA_, min(r[0], arrayLengthRequested))), tuple(_unpack(dilationA_, min(r[0], arrayLengthRequested))), _ConvolutionMode[r[1]], _DataType[r[2]]))


def cudnnGetConvolutionNdForwardOutputDim(convDesc: ConvolutionDescriptor | int, inputTensorDesc: TensorDescriptor | int, filterDesc: FilterDescriptor | int, nbDims: int) -> tuple[int, ...]:
    """Read `tensorOuputDimA`.

    Args:
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        inputTensorDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        nbDims: int.

    Returns:
        tuple[int, ...], `nbDims` elements.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(const
        cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t inputTensorDesc,
        const cudnnFilterDescriptor_t filterDesc, int nbDims, int tensorOuputDimA[])
    """
    try:
        tensorOuputDimA_ = _memory("int", nbDims, 'nbDims')
        status = _cudnnGetConvolutionNdForwardOutputDim(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, inputTensorDesc if inputTensorDesc.__class__ is int else inputTensorDesc._cudnnTensorDescriptor_t, filterDesc if filterDesc.__class__ is int else filterDesc._cudnnFilterDescriptor_t, nbDims, tensorOuputDimA_)
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionNdForwardOutputDim, "cudnnGetConvolutionNdForwardOutputDim", (convDesc, inputTensorDesc, filterDesc, nbDims,), error)
    if status:
        return _failed(cudnnGetConvolutionNdForwardOutputDim, "cudnnGetConvolutionNdForwardOutputDim", status, (convDesc, inputTensorDesc, filterDesc, nbDims,))
    return tuple(_unpack(tensorOuputDimA_, nbDims))


def cudnnGetConvolutionReorderType(convDesc: ConvolutionDescriptor | int) -> ReorderType:
    """Read `reorderType`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.

    Returns:
        ReorderType.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetConvolutionReorderType(cudnnConvolutionDescriptor_t
        convDesc, cudnnReorderType_t *reorderType)
    """
    try:
        return _cudnnGetConvolutionReorderType(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t)
    except _CONVERT as error:
        return _slow(cudnnGetConvolutionReorderType, "cudnnGetConvolutionReorderType", (convDesc,), error)


def cudnnGetFoldedConvBackwardDataDescriptors(handle: Handle | int, filterDesc: FilterDescriptor | int, diffDesc: TensorDescriptor | int, convDesc: ConvolutionDescriptor | int, gradDesc: TensorDescriptor | int, transformFormat: TensorFormat, foldedFilterDesc: FilterDescriptor | int, paddedDiffDesc: TensorDescriptor | int, foldedConvDesc: ConvolutionDescriptor | int, foldedGradDesc: TensorDescriptor | int, filterFoldTransDesc: TensorTransformDescriptor | int, diffPadTransDesc: TensorTransformDescriptor | int, gradFoldTransDesc: TensorTransformDescriptor | int, gradUnfoldTransDesc: TensorTransformDescriptor | int) -> None:
    """Call `cudnnGetFoldedConvBackwardDataDescriptors` (get folded conv backward data descriptors).

    Args:
        handle: const cudnnHandle_t, a `Handle` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        diffDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        gradDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        transformFormat: const cudnnTensorFormat_t, a `TensorFormat`.
        foldedFilterDesc: cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        paddedDiffDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        foldedConvDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        foldedGradDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        filterFoldTransDesc: cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or
            its address.
        diffPadTransDesc: cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or its
            address.
        gradFoldTransDesc: cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or
            its address.
        gradUnfoldTransDesc: cudnnTensorTransformDescriptor_t, a `TensorTransformDescriptor` or
            its address.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetFoldedConvBackwardDataDescriptors(const cudnnHandle_t
        handle, const cudnnFilterDescriptor_t filterDesc, const cudnnTensorDescriptor_t
        diffDesc, const cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t
        gradDesc, const cudnnTensorFormat_t transformFormat, cudnnFilterDescriptor_t
        foldedFilterDesc, cudnnTensorDescriptor_t paddedDiffDesc, cudnnConvolutionDescriptor_t
        foldedConvDesc, cudnnTensorDescriptor_t foldedGradDesc, cudnnTensorTransformDescriptor_t
        filterFoldTransDesc, cudnnTensorTransformDescriptor_t diffPadTransDesc,
        cudnnTensorTransformDescriptor_t gradFoldTransDesc, cudnnTensorTransformDescriptor_t
        gradUnfoldTransDesc)
    """
    try:
        return _cudnnGetFoldedConvBackwardDataDescriptors(handle if handle.__class__ is int else handle._cudnnHandle_t, filterDesc if filterDesc.__class__ is int else filterDesc._cudnnFilterDescriptor_t, diffDesc if diffDesc.__class__ is int else diffDesc._cudnnTensorDescriptor_t, convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, gradDesc if gradDesc.__class__ is int else gradDesc._cudnnTensorDescriptor_t, transformFormat, foldedFilterDesc if foldedFilterDesc.__class__ is int else foldedFilterDesc._cudnnFilterDescriptor_t, paddedDiffDesc if paddedDiffDesc.__class__ is int else paddedDiffDesc._cudnnTensorDescriptor_t, foldedConvDesc if foldedConvDesc.__class__ is int else foldedConvDesc._cudnnConvolutionDescriptor_t, foldedGradDesc if foldedGradDesc.__class__ is int else foldedGradDesc._cudnnTensorDescriptor_t, filterFoldTransDesc if filterFoldTransDesc.__class__ is int else filterFoldTransDesc._cudnnTensorTransformDescriptor_t, diffPadTransDesc if diffPadTransDesc.__class__ is int else diffPadTransDesc._cudnnTensorTransformDescriptor_t, gradFoldTransDesc if gradFoldTransDesc.__class__ is int else gradFoldTransDesc._cudnnTensorTransformDescriptor_t, gradUnfoldTransDesc if gradUnfoldTransDesc.__class__ is int else gradUnfoldTransDesc._cudnnTensorTransformDescriptor_t)
    except _CONVERT as error:
        return _slow(cudnnGetFoldedConvBackwardDataDescriptors, "cudnnGetFoldedConvBackwardDataDescriptors", (handle, filterDesc, diffDesc, convDesc, gradDesc, transformFormat, foldedFilterDesc, paddedDiffDesc, foldedConvDesc, foldedGradDesc, filterFoldTransDesc, diffPadTransDesc, gradFoldTransDesc, gradUnfoldTransDesc,), error)


def cudnnGetFusedOpsConstParamPackAttribute(constPack: FusedOpsConstParamPack | int, paramLabel: FusedOpsConstParamLabel, param: HostPointer) -> int:
    """Read `isNULL`.

    Args:
        constPack: const cudnnFusedOpsConstParamPack_t, a `FusedOpsConstParamPack` or its
            address.
        paramLabel: cudnnFusedOpsConstParamLabel_t, a `FusedOpsConstParamLabel`.
        param: void*, host memory.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetFusedOpsConstParamPackAttribute(const
        cudnnFusedOpsConstParamPack_t constPack, cudnnFusedOpsConstParamLabel_t paramLabel, void
        *param, int *isNULL)
    """
    try:
        return _cudnnGetFusedOpsConstParamPackAttribute(constPack if constPack.__class__ is int else constPack._cudnnFusedOpsConstParamPack_t, paramLabel, param if param.__class__ is int else _host(param))
    except _CONVERT as error:
        return _slow(cudnnGetFusedOpsConstParamPackAttribute, "cudnnGetFusedOpsConstParamPackAttribute", (constPack, paramLabel, param,), error)


def cudnnGetFusedOpsVariantParamPackAttribute(varPack: FusedOpsVariantParamPack | int, paramLabel: FusedOpsVariantParamLabel, ptr: HostPointer) -> None:
    """Call `cudnnGetFusedOpsVariantParamPackAttribute` (get fused ops variant param pack attribute).

    Args:
        varPack: const cudnnFusedOpsVariantParamPack_t, a `FusedOpsVariantParamPack` or its
            address.
        paramLabel: cudnnFusedOpsVariantParamLabel_t, a `FusedOpsVariantParamLabel`.
        ptr: void*, host memory.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnGetFusedOpsVariantParamPackAttribute(const
        cudnnFusedOpsVariantParamPack_t varPack, cudnnFusedOpsVariantParamLabel_t paramLabel,
        void *ptr)
    """
    try:
        return _cudnnGetFusedOpsVariantParamPackAttribute(varPack if varPack.__class__ is int else varPack._cudnnFusedOpsVariantParamPack_t, paramLabel, ptr if ptr.__class__ is int else _host(ptr))
    except _CONVERT as error:
        return _slow(cudnnGetFusedOpsVariantParamPackAttribute, "cudnnGetFusedOpsVariantParamPackAttribute", (varPack, paramLabel, ptr,), error)


def cudnnIm2Col(handle: Handle | int, xDesc: TensorDescriptor | int, x: DevicePointer, wDesc: FilterDescriptor | int, convDesc: ConvolutionDescriptor | int, colBuffer: DevicePointer) -> None:
    """Call `cudnnIm2Col` (im 2col), which writes `colBuffer`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        xDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        x: const void*, device memory.
        wDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        convDesc: const cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address.
        colBuffer: void*, device memory, written.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnIm2Col(cudnnHandle_t handle, const
        cudnnTensorDescriptor_t xDesc, const void *x, const cudnnFilterDescriptor_t wDesc, const
        cudnnConvolutionDescriptor_t convDesc, void *colBuffer)
    """
    try:
        return _cudnnIm2Col(handle if handle.__class__ is int else handle._cudnnHandle_t, xDesc if xDesc.__class__ is int else xDesc._cudnnTensorDescriptor_t, x if x.__class__ is int else _getters[x.__class__](x), wDesc if wDesc.__class__ is int else wDesc._cudnnFilterDescriptor_t, convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, colBuffer if colBuffer.__class__ is int else _getters[colBuffer.__class__](colBuffer))
    except _CONVERT as error:
        return _slow(cudnnIm2Col, "cudnnIm2Col", (handle, xDesc, x, wDesc, convDesc, colBuffer,), error)


def cudnnMakeFusedOpsPlan(handle: Handle | int, plan: FusedOpsPlan | int, constPack: FusedOpsConstParamPack | int) -> int:
    """Call `cudnnMakeFusedOpsPlan` (make fused ops plan) and return what it answers.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        plan: cudnnFusedOpsPlan_t, a `FusedOpsPlan` or its address, changed.
        constPack: const cudnnFusedOpsConstParamPack_t, a `FusedOpsConstParamPack` or its
            address.

    Returns:
        int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnMakeFusedOpsPlan(cudnnHandle_t handle,
        cudnnFusedOpsPlan_t plan, const cudnnFusedOpsConstParamPack_t constPack, size_t
        *workspaceSizeInBytes)
    """
    try:
        return _cudnnMakeFusedOpsPlan(handle if handle.__class__ is int else handle._cudnnHandle_t, plan if plan.__class__ is int else plan._cudnnFusedOpsPlan_t, constPack if constPack.__class__ is int else constPack._cudnnFusedOpsConstParamPack_t)
    except _CONVERT as error:
        return _slow(cudnnMakeFusedOpsPlan, "cudnnMakeFusedOpsPlan", (handle, plan, constPack,), error)


def cudnnReorderFilterAndBias(handle: Handle | int, filterDesc: FilterDescriptor | int, reorderType: ReorderType, filterData: DevicePointer, reorderedFilterData: DevicePointer, reorderBias: int, biasData: DevicePointer, reorderedBiasData: DevicePointer) -> None:
    """Call `cudnnReorderFilterAndBias` (reorder filter and bias), which writes `reorderedFilterData`, `reorderedBiasData`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        filterDesc: const cudnnFilterDescriptor_t, a `FilterDescriptor` or its address.
        reorderType: cudnnReorderType_t, a `ReorderType`.
        filterData: const void*, device memory.
        reorderedFilterData: void*, device memory, written.
        reorderBias: int.
        biasData: const void*, device memory.
        reorderedBiasData: void*, device memory, written.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnReorderFilterAndBias(cudnnHandle_t handle, const
        cudnnFilterDescriptor_t filterDesc, cudnnReorderType_t reorderType, const void
        *filterData, void *reorderedFilterData, int reorderBias, const void *biasData, void
        *reorderedBiasData)
    """
    try:
        return _cudnnReorderFilterAndBias(handle if handle.__class__ is int else handle._cudnnHandle_t, filterDesc if filterDesc.__class__ is int else filterDesc._cudnnFilterDescriptor_t, reorderType, filterData if filterData.__class__ is int else _getters[filterData.__class__](filterData), reorderedFilterData if reorderedFilterData.__class__ is int else _getters[reorderedFilterData.__class__](reorderedFilterData), reorderBias, biasData if biasData.__class__ is int else _getters[biasData.__class__](biasData), reorderedBiasData if reorderedBiasData.__class__ is int else _getters[reorderedBiasData.__class__](reorderedBiasData))
    except _CONVERT as error:
        return _slow(cudnnReorderFilterAndBias, "cudnnReorderFilterAndBias", (handle, filterDesc, reorderType, filterData, reorderedFilterData, reorderBias, biasData, reorderedBiasData,), error)


def cudnnSetConvolution2dDescriptor(convDesc: ConvolutionDescriptor | int, pad_h: int, pad_w: int, u: int, v: int, dilation_h: int, dilation_w: int, mode: ConvolutionMode, computeType: DataType) -> None:
    """Call `cudnnSetConvolution2dDescriptor`, which changes `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            changed.
        pad_h: int.
        pad_w: int.
        u: int.
        v: int.
        dilation_h: int.
        dilation_w: int.
        mode: cudnnConvolutionMode_t, a `ConvolutionMode`.
        computeType: cudnnDataType_t, a `DataType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t
        convDesc, int pad_h, int pad_w, int u, int v, int dilation_h, int dilation_w,
        cudnnConvolutionMode_t mode, cudnnDataType_t computeType)
    """
    try:
        return _cudnnSetConvolution2dDescriptor(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, pad_h, pad_w, u, v, dilation_h, dilation_w, mode, computeType)
    except _CONVERT as error:
        return _slow(cudnnSetConvolution2dDescriptor, "cudnnSetConvolution2dDescriptor", (convDesc, pad_h, pad_w, u, v, dilation_h, dilation_w, mode, computeType,), error)


def cudnnSetConvolutionGroupCount(convDesc: ConvolutionDescriptor | int, groupCount: int) -> None:
    """Call `cudnnSetConvolutionGroupCount`, which changes `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            changed.
        groupCount: int.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t
        convDesc, int groupCount)
    """
    try:
        return _cudnnSetConvolutionGroupCount(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, groupCount)
    except _CONVERT as error:
        return _slow(cudnnSetConvolutionGroupCount, "cudnnSetConvolutionGroupCount", (convDesc, groupCount,), error)


def cudnnSetConvolutionMathType(convDesc: ConvolutionDescriptor | int, mathType: MathType) -> None:
    """Call `cudnnSetConvolutionMathType`, which changes `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            changed.
        mathType: cudnnMathType_t, a `MathType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t
        convDesc, cudnnMathType_t mathType)
    """
    try:
        return _cudnnSetConvolutionMathType(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, mathType)
    except _CONVERT as error:
        return _slow(cudnnSetConvolutionMathType, "cudnnSetConvolutionMathType", (convDesc, mathType,), error)


def cudnnSetConvolutionNdDescriptor(convDesc: ConvolutionDescriptor | int, arrayLength: int, padA: Sequence[int] | HostPointer, filterStrideA: Sequence[int] | HostPointer, dilationA: Sequence[int] | HostPointer, mode: ConvolutionMode, computeType: DataType) -> None:
    """Call `cudnnSetConvolutionNdDescriptor`, which changes `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            changed.
        arrayLength: int.
        padA: const int[], a sequence of numbers, at least `arrayLength` elements.
        filterStrideA: const int[], a sequence of numbers, at least `arrayLength` elements.
        dilationA: const int[], a sequence of numbers, at least `arrayLength` elements.
        mode: cudnnConvolutionMode_t, a `ConvolutionMode`.
        computeType: cudnnDataType_t, a `DataType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t
        convDesc, int arrayLength, const int padA[], const int filterStrideA[], const int
        dilationA[], cudnnConvolutionMode_t mode, cudnnDataType_t computeType)
    """
    try:
        status = _cudnnSetConvolutionNdDescriptor(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, arrayLength, _array(padA, "int", arrayLength, 'padA'), _array(filterStrideA, "int", arrayLength, 'filterStrideA'), _array(dilationA, "int", arrayLength, 'dilationA'), mode, computeType)
    except _CONVERT as error:
        return _slow(cudnnSetConvolutionNdDescriptor, "cudnnSetConvolutionNdDescriptor", (convDesc, arrayLength, padA, filterStrideA, dilationA, mode, computeType,), error)
    if status:
        return _failed(cudnnSetConvolutionNdDescriptor, "cudnnSetConvolutionNdDescriptor", status, (convDesc, arrayLength, padA, filterStrideA, dilationA, mode, computeType,))
    return None


def cudnnSetConvolutionReorderType(convDesc: ConvolutionDescriptor | int, reorderType: ReorderType) -> None:
    """Call `cudnnSetConvolutionReorderType`, which changes `convDesc`.

    Args:
        convDesc: cudnnConvolutionDescriptor_t, a `ConvolutionDescriptor` or its address,
            changed.
        reorderType: cudnnReorderType_t, a `ReorderType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t cudnnSetConvolutionReorderType(cudnnConvolutionDescriptor_t
        convDesc, cudnnReorderType_t reorderType)
    """
    try:
        return _cudnnSetConvolutionReorderType(convDesc if convDesc.__class__ is int else convDesc._cudnnConvolutionDescriptor_t, reorderType)
    except _CONVERT as error:
        return _slow(cudnnSetConvolutionReorderType, "cudnnSetConvolutionReorderType", (convDesc, reorderType,), error)


def cudnnSetFusedOpsConstParamPackAttribute(constPack: FusedOpsConstParamPack | int, paramLabel: FusedOpsConstParamLabel, param: HostPointer | None) -> None:
    """Call `cudnnSetFusedOpsConstParamPackAttribute`, which changes `constPack`.

    Args:
        constPack: cudnnFusedOpsConstParamPack_t, a `FusedOpsConstParamPack` or its address,
            changed.
        paramLabel: cudnnFusedOpsConstParamLabel_t, a `FusedOpsConstParamLabel`, may be None.
        param: const void*, host memory, may be None.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t
        cudnnSetFusedOpsConstParamPackAttribute(cudnnFusedOpsConstParamPack_t constPack,
        cudnnFusedOpsConstParamLabel_t paramLabel, const void *param)
    """
    try:
        return _cudnnSetFusedOpsConstParamPackAttribute(constPack if constPack.__class__ is int else constPack._cudnnFusedOpsConstParamPack_t, paramLabel, param if param.__class__ is int else _host(param))
    except _CONVERT as error:
        return _slow(cudnnSetFusedOpsConstParamPackAttribute, "cudnnSetFusedOpsConstParamPackAttribute", (constPack, paramLabel, param,), error)


def cudnnSetFusedOpsVariantParamPackAttribute(varPack: FusedOpsVariantParamPack | int, paramLabel: FusedOpsVariantParamLabel, ptr: HostPointer | None) -> None:
    """Call `cudnnSetFusedOpsVariantParamPackAttribute`, which changes `varPack`.

    Args:
        varPack: cudnnFusedOpsVariantParamPack_t, a `FusedOpsVariantParamPack` or its address,
            changed.
        paramLabel: cudnnFusedOpsVariantParamLabel_t, a `FusedOpsVariantParamLabel`, may be
            None.
        ptr: void*, host memory, may be None.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    C, cudnn_cnn.h: cudnnStatus_t
        cudnnSetFusedOpsVariantParamPackAttribute(cudnnFusedOpsVariantParamPack_t varPack,
        cudnnFusedOpsVariantParamLabel_t paramLabel, void *ptr)
    """
    try:
        return _cudnnSetFusedOpsVariantParamPackAttribute(varPack if varPack.__class__ is int else varPack._cudnnFusedOpsVariantParamPack_t, paramLabel, ptr if ptr.__class__ is int else _host(ptr))
    except _CONVERT as error:
        return _slow(cudnnSetFusedOpsVariantParamPackAttribute, "cudnnSetFusedOpsVariantParamPackAttribute", (varPack, paramLabel, ptr,), error)
