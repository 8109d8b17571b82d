# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:459263c5a41f18ccebaeca5de4abaf17
"""Functions of cudnn_gnn_ops.h, called under their C names without their out-parameters.

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
    _host,
    _stream,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
    from ..enums import DataType, GnnAggOp

_new = tuple.__new__
_outs = _call.outs
_unpack = _call.ffi.unpack

if TYPE_CHECKING:
    pass

else:
    pass
_cudnnGnnAggSimpleBackward = _call.quick("cudnnGnnAggSimpleBackward", "", None)
_cudnnGnnAggSimpleForward = _call.quick("cudnnGnnAggSimpleForward", "", None)
_cudnnGnnMhaGatBackward = _call.quick("cudnnGnnMhaGatBackward", "", None)
_cudnnGnnMhaGatForward = _call.quick("cudnnGnnMhaGatForward", "", None)
_cudnnGnnMhaGatV2Backward = _call.quick("cudnnGnnMhaGatV2Backward", "", None)
_cudnnGnnMhaGatV2Forward = _call.quick("cudnnGnnMhaGatV2Forward", "", None)


def cudnnGnnAggSimpleBackward(stream: Stream, graph: HostPointer, gradOutput: DevicePointer, outPositions: DevicePointer, gradNodeFeatures: DevicePointer, gradEdgeFeatures: DevicePointer, gradConcatFeatures: DevicePointer, nodeFeatDim: int, edgeFeatDim: int, concatFeatDim: int, dataType: DataType, aggOp: GnnAggOp) -> None:
    """Call `cudnnGnnAggSimpleBackward` (gnn agg simple backward), which writes `gradNodeFeatures`, `gradEdgeFeatures`, `gradConcatFeatures`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        gradOutput: const void*, device memory.
        outPositions: const void*, device memory.
        gradNodeFeatures: void*, device memory, written.
        gradEdgeFeatures: void*, device memory, written.
        gradConcatFeatures: void*, device memory, written.
        nodeFeatDim: int.
        edgeFeatDim: int.
        concatFeatDim: int.
        dataType: cudnnDataType_t, a `DataType`.
        aggOp: cudnnGnnAggOp_t, a `GnnAggOp`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.26.0.

    C, cudnn_gnn_ops.h: cudnnStatus_t cudnnGnnAggSimpleBackward(cudaStream_t stream, const
        cudnnGnnCscGraph_t *graph, const void *gradOutput, const void *outPositions, void
        *gradNodeFeatures, void *gradEdgeFeatures, void *gradConcatFeatures, int nodeFeatDim,
        int edgeFeatDim, int concatFeatDim, cudnnDataType_t dataType, cudnnGnnAggOp_t aggOp)
    """
    try:
        return _cudnnGnnAggSimpleBackward(stream if stream.__class__ is int else _stream(stream), graph if graph.__class__ is int else _host(graph), gradOutput if gradOutput.__class__ is int else _getters[gradOutput.__class__](gradOutput), outPositions if outPositions.__class__ is int else _getters[outPositions.__class__](outPositions), gradNodeFeatures if gradNodeFeatures.__class__ is int else _getters[gradNodeFeatures.__class__](gradNodeFeatures), gradEdgeFeatures if gradEdgeFeatures.__class__ is int else _getters[gradEdgeFeatures.__class__](gradEdgeFeatures), gradConcatFeatures if gradConcatFeatures.__class__ is int else _getters[gradConcatFeatures.__class__](gradConcatFeatures), nodeFeatDim, edgeFeatDim, concatFeatDim, dataType, aggOp)
    except _CONVERT as error:
        return _slow(cudnnGnnAggSimpleBackward, "cudnnGnnAggSimpleBackward", (stream, graph, gradOutput, outPositions, gradNodeFeatures, gradEdgeFeatures, gradConcatFeatures, nodeFeatDim, edgeFeatDim, concatFeatDim, dataType, aggOp,), error)


def cudnnGnnAggSimpleForward(stream: Stream, graph: HostPointer, nodeFeatures: DevicePointer, edgeFeatures: DevicePointer, concatFeatures: DevicePointer, output: DevicePointer, outPositions: DevicePointer, nodeFeatDim: int, edgeFeatDim: int, concatFeatDim: int, dataType: DataType, aggOp: GnnAggOp) -> None:
    """Call `cudnnGnnAggSimpleForward` (gnn agg simple forward), which writes `output`, `outPositions`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        nodeFeatures: const void*, device memory.
        edgeFeatures: const void*, device memory.
        concatFeatures: const void*, device memory.
        output: void*, device memory, written.
        outPositions: void*, device memory, written.
        nodeFeatDim: int.
        edgeFeatDim: int.
        concatFeatDim: int.
        dataType: cudnnDataType_t, a `DataType`.
        aggOp: cudnnGnnAggOp_t, a `GnnAggOp`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.26.0.

    C, cudnn_gnn_ops.h: cudnnStatus_t cudnnGnnAggSimpleForward(cudaStream_t stream, const
        cudnnGnnCscGraph_t *graph, const void *nodeFeatures, const void *edgeFeatures, const
        void *concatFeatures, void *output, void *outPositions, int nodeFeatDim, int
        edgeFeatDim, int concatFeatDim, cudnnDataType_t dataType, cudnnGnnAggOp_t aggOp)
    """
    try:
        return _cudnnGnnAggSimpleForward(stream if stream.__class__ is int else _stream(stream), graph if graph.__class__ is int else _host(graph), nodeFeatures if nodeFeatures.__class__ is int else _getters[nodeFeatures.__class__](nodeFeatures), edgeFeatures if edgeFeatures.__class__ is int else _getters[edgeFeatures.__class__](edgeFeatures), concatFeatures if concatFeatures.__class__ is int else _getters[concatFeatures.__class__](concatFeatures), output if output.__class__ is int else _getters[output.__class__](output), outPositions if outPositions.__class__ is int else _getters[outPositions.__class__](outPositions), nodeFeatDim, edgeFeatDim, concatFeatDim, dataType, aggOp)
    except _CONVERT as error:
        return _slow(cudnnGnnAggSimpleForward, "cudnnGnnAggSimpleForward", (stream, graph, nodeFeatures, edgeFeatures, concatFeatures, output, outPositions, nodeFeatDim, edgeFeatDim, concatFeatDim, dataType, aggOp,), error)


def cudnnGnnMhaGatBackward(stream: Stream, graph: HostPointer, gradOut: DevicePointer, srcFeatures: DevicePointer, dstFeatures: DevicePointer, edgeFeatures: DevicePointer, attnWeights: DevicePointer, smScores: DevicePointer, dropoutMask: DevicePointer, gradAttention: DevicePointer, gradSrcFeatures: DevicePointer, gradDstFeatures: DevicePointer, gradEdgeFeatures: DevicePointer, gradWeights: DevicePointer, gradSmScores: DevicePointer, gradWspaceFeat: DevicePointer, gradWspaceWeights: DevicePointer, dimNode: int, dimEdge: int, params: HostPointer, dataType: DataType, gradDataType: DataType, gradWeightType: DataType) -> None:
    """Call `cudnnGnnMhaGatBackward` (gnn mha gat backward), which writes `gradSrcFeatures`, `gradDstFeatures`, `gradEdgeFeatures`, `gradWeights`, `gradSmScores`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        gradOut: const void*, device memory.
        srcFeatures: const void*, device memory.
        dstFeatures: const void*, device memory.
        edgeFeatures: const void*, device memory.
        attnWeights: const void*, device memory.
        smScores: const void*, device memory.
        dropoutMask: const float*, device memory.
        gradAttention: const float*, device memory.
        gradSrcFeatures: void*, device memory, written.
        gradDstFeatures: void*, device memory, written.
        gradEdgeFeatures: void*, device memory, written.
        gradWeights: void*, device memory, written.
        gradSmScores: void*, device memory, written.
        gradWspaceFeat: void*, device memory, used as scratch space, may be None.
        gradWspaceWeights: void*, device memory, used as scratch space, may be None.
        dimNode: int.
        dimEdge: int.
        params: const cudnnGnnMhaParams_t*, a struct, or its address.
        dataType: cudnnDataType_t, a `DataType`.
        gradDataType: cudnnDataType_t, a `DataType`.
        gradWeightType: cudnnDataType_t, a `DataType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.28.0.

    C, cudnn_gnn_ops.h: cudnnStatus_t cudnnGnnMhaGatBackward(cudaStream_t stream, const
        cudnnGnnCscGraph_t *graph, const void *gradOut, const void *srcFeatures, const void
        *dstFeatures, const void *edgeFeatures, const void *attnWeights, const void *smScores,
        const float *dropoutMask, const float *gradAttention, void *gradSrcFeatures, void
        *gradDstFeatures, void *gradEdgeFeatures, void *gradWeights, void *gradSmScores, void
        *gradWspaceFeat, void *gradWspaceWeights, int dimNode, int dimEdge, const
        cudnnGnnMhaParams_t *params, cudnnDataType_t dataType, cudnnDataType_t gradDataType,
        cudnnDataType_t gradWeightType)
    """
    try:
        return _cudnnGnnMhaGatBackward(stream if stream.__class__ is int else _stream(stream), graph if graph.__class__ is int else _host(graph), gradOut if gradOut.__class__ is int else _getters[gradOut.__class__](gradOut), srcFeatures if srcFeatures.__class__ is int else _getters[srcFeatures.__class__](srcFeatures), dstFeatures if dstFeatures.__class__ is int else _getters[dstFeatures.__class__](dstFeatures), edgeFeatures if edgeFeatures.__class__ is int else _getters[edgeFeatures.__class__](edgeFeatures), attnWeights if attnWeights.__class__ is int else _getters[attnWeights.__class__](attnWeights), smScores if smScores.__class__ is int else _getters[smScores.__class__](smScores), dropoutMask if dropoutMask.__class__ is int else _getters[dropoutMask.__class__](dropoutMask), gradAttention if gradAttention.__class__ is int else _getters[gradAttention.__class__](gradAttention), gradSrcFeatures if gradSrcFeatures.__class__ is int else _getters[gradSrcFeatures.__class__](gradSrcFeatures), gradDstFeatures if gradDstFeatures.__class__ is int else _getters[gradDstFeatures.__class__](gradDstFeatures), gradEdgeFeatures if gradEdgeFeatures.__class__ is int else _getters[gradEdgeFeatures.__class__](gradEdgeFeatures), gradWeights if gradWeights.__class__ is int else _getters[gradWeights.__class__](gradWeights), gradSmScores if gradSmScores.__class__ is int else _getters[gradSmScores.__class__](gradSmScores), gradWspaceFeat if gradWspaceFeat.__class__ is int else _getters[gradWspaceFeat.__class__](gradWspaceFeat), gradWspaceWeights if gradWspaceWeights.__class__ is int else _getters[gradWspaceWeights.__class__](gradWspaceWeights), dimNode, dimEdge, params if params.__class__ is int else _host(params), dataType, gradDataType, gradWeightType)
    except _CONVERT as error:
        return _slow(cudnnGnnMhaGatBackward, "cudnnGnnMhaGatBackward", (stream, graph, gradOut, srcFeatures, dstFeatures, edgeFeatures, attnWeights, smScores, dropoutMask, gradAttention, gradSrcFeatures, gradDstFeatures, gradEdgeFeatures, gradWeights, gradSmScores, gradWspaceFeat, gradWspaceWeights, dimNode, dimEdge, params, dataType, gradDataType, gradWeightType,), error)


def cudnnGnnMhaGatForward(stream: Stream, graph: HostPointer, srcFeatures: DevicePointer, dstFeatures: DevicePointer, edgeFeatures: DevicePointer, attnWeights: DevicePointer, dropoutMask: DevicePointer, output: DevicePointer, smScores: DevicePointer, dimNode: int, dimEdge: int, params: HostPointer, dataType: DataType) -> None:
    """Call `cudnnGnnMhaGatForward` (gnn mha gat forward), which writes `output`, `smScores`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        srcFeatures: const void*, device memory.
        dstFeatures: const void*, device memory.
        edgeFeatures: const void*, device memory.
        attnWeights: const void*, device memory.
        dropoutMask: const float*, device memory.
        output: void*, device memory, written.
        smScores: void*, device memory, written.
        dimNode: int.
        dimEdge: int.
        params: const cudnnGnnMhaParams_t*, a struct, or its address.
        dataType: cudnnDataType_t, a `DataType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.28.0.

    C, cudnn_gnn_ops.h: cudnnStatus_t cudnnGnnMhaGatForward(cudaStream_t stream, const
        cudnnGnnCscGraph_t *graph, const void *srcFeatures, const void *dstFeatures, const void
        *edgeFeatures, const void *attnWeights, const float *dropoutMask, void *output, void
        *smScores, int dimNode, int dimEdge, const cudnnGnnMhaParams_t *params, cudnnDataType_t
        dataType)
    """
    try:
        return _cudnnGnnMhaGatForward(stream if stream.__class__ is int else _stream(stream), graph if graph.__class__ is int else _host(graph), srcFeatures if srcFeatures.__class__ is int else _getters[srcFeatures.__class__](srcFeatures), dstFeatures if dstFeatures.__class__ is int else _getters[dstFeatures.__class__](dstFeatures), edgeFeatures if edgeFeatures.__class__ is int else _getters[edgeFeatures.__class__](edgeFeatures), attnWeights if attnWeights.__class__ is int else _getters[attnWeights.__class__](attnWeights), dropoutMask if dropoutMask.__class__ is int else _getters[dropoutMask.__class__](dropoutMask), output if output.__class__ is int else _getters[output.__class__](output), smScores if smScores.__class__ is int else _getters[smScores.__class__](smScores), dimNode, dimEdge, params if params.__class__ is int else _host(params), dataType)
    except _CONVERT as error:
        return _slow(cudnnGnnMhaGatForward, "cudnnGnnMhaGatForward", (stream, graph, srcFeatures, dstFeatures, edgeFeatures, attnWeights, dropoutMask, output, smScores, dimNode, dimEdge, params, dataType,), error)


def cudnnGnnMhaGatV2Backward(stream: Stream, graph: HostPointer, gradOut: DevicePointer, srcFeatures: DevicePointer, dstFeatures: DevicePointer, edgeFeatures: DevicePointer, attnWeights: DevicePointer, smScores: DevicePointer, actScores: DevicePointer, dropoutMask: DevicePointer, gradAttention: DevicePointer, gradSrcFeatures: DevicePointer, gradDstFeatures: DevicePointer, gradEdgeFeatures: DevicePointer, gradWeights: DevicePointer, gradSmScores: DevicePointer, gradWspaceFeat: DevicePointer, gradWspaceWeights: DevicePointer, dimNode: int, params: HostPointer, dataType: DataType, gradType: DataType) -> None:
    """Call `cudnnGnnMhaGatV2Backward` (gnn mha gat v2backward), which writes `gradSrcFeatures`, `gradDstFeatures`, `gradEdgeFeatures`, `gradWeights`, `gradSmScores`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        gradOut: const void*, device memory.
        srcFeatures: const void*, device memory.
        dstFeatures: const void*, device memory.
        edgeFeatures: const void*, device memory.
        attnWeights: const void*, device memory.
        smScores: const void*, device memory.
        actScores: const void*, device memory.
        dropoutMask: const float*, device memory.
        gradAttention: const float*, device memory.
        gradSrcFeatures: void*, device memory, written.
        gradDstFeatures: void*, device memory, written.
        gradEdgeFeatures: void*, device memory, written.
        gradWeights: void*, device memory, written.
        gradSmScores: void*, device memory, written.
        gradWspaceFeat: void*, device memory, used as scratch space, may be None.
        gradWspaceWeights: void*, device memory, used as scratch space, may be None.
        dimNode: int.
        params: const cudnnGnnMhaParams_t*, a struct, or its address.
        dataType: cudnnDataType_t, a `DataType`.
        gradType: cudnnDataType_t, a `DataType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.28.0.

    C, cudnn_gnn_ops.h: cudnnStatus_t cudnnGnnMhaGatV2Backward(cudaStream_t stream, const
        cudnnGnnCscGraph_t *graph, const void *gradOut, const void *srcFeatures, const void
        *dstFeatures, const void *edgeFeatures, const void *attnWeights, const void *smScores,
        const void *actScores, const float *dropoutMask, const float *gradAttention, void
        *gradSrcFeatures, void *gradDstFeatures, void *gradEdgeFeatures, void *gradWeights, void
        *gradSmScores, void *gradWspaceFeat, void *gradWspaceWeights, int dimNode, const
        cudnnGnnMhaParams_t *params, cudnnDataType_t dataType, cudnnDataType_t gradType)
    """
    try:
        return _cudnnGnnMhaGatV2Backward(stream if stream.__class__ is int else _stream(stream), graph if graph.__class__ is int else _host(graph), gradOut if gradOut.__class__ is int else _getters[gradOut.__class__](gradOut), srcFeatures if srcFeatures.__class__ is int else _getters[srcFeatures.__class__](srcFeatures), dstFeatures if dstFeatures.__class__ is int else _getters[dstFeatures.__class__](dstFeatures), edgeFeatures if edgeFeatures.__class__ is int else _getters[edgeFeatures.__class__](edgeFeatures), attnWeights if attnWeights.__class__ is int else _getters[attnWeights.__class__](attnWeights), smScores if smScores.__class__ is int else _getters[smScores.__class__](smScores), actScores if actScores.__class__ is int else _getters[actScores.__class__](actScores), dropoutMask if dropoutMask.__class__ is int else _getters[dropoutMask.__class__](dropoutMask), gradAttention if gradAttention.__class__ is int else _getters[gradAttention.__class__](gradAttention), gradSrcFeatures if gradSrcFeatures.__class__ is int else _getters[gradSrcFeatures.__class__](gradSrcFeatures), gradDstFeatures if gradDstFeatures.__class__ is int else _getters[gradDstFeatures.__class__](gradDstFeatures), gradEdgeFeatures if gradEdgeFeatures.__class__ is int else _getters[gradEdgeFeatures.__class__](gradEdgeFeatures), gradWeights if gradWeights.__class__ is int else _getters[gradWeights.__class__](gradWeights), gradSmScores if gradSmScores.__class__ is int else _getters[gradSmScores.__class__](gradSmScores), gradWspaceFeat if gradWspaceFeat.__class__ is int else _getters[gradWspaceFeat.__class__](gradWspaceFeat), gradWspaceWeights if gradWspaceWeights.__class__ is int else _getters[gradWspaceWeights.__class__](gradWspaceWeights), dimNode, params if params.__class__ is int else _host(params), dataType, gradType)
    except _CONVERT as error:
        return _slow(cudnnGnnMhaGatV2Backward, "cudnnGnnMhaGatV2Backward", (stream, graph, gradOut, srcFeatures, dstFeatures, edgeFeatures, attnWeights, smScores, actScores, dropoutMask, gradAttention, gradSrcFeatures, gradDstFeatures, gradEdgeFeatures, gradWeights, gradSmScores, gradWspaceFeat, gradWspaceWeights, dimNode, params, dataType, gradType,), error)


def cudnnGnnMhaGatV2Forward(stream: Stream, graph: HostPointer, srcFeatures: DevicePointer, dstFeatures: DevicePointer, edgeFeatures: DevicePointer, attnWeights: DevicePointer, dropoutMask: DevicePointer, output: DevicePointer, smScores: DevicePointer, actScores: DevicePointer, dimNode: int, params: HostPointer, dataType: DataType) -> None:
    """Call `cudnnGnnMhaGatV2Forward` (gnn mha gat v2forward), which writes `output`, `smScores`, `actScores`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        srcFeatures: const void*, device memory.
        dstFeatures: const void*, device memory.
        edgeFeatures: const void*, device memory.
        attnWeights: const void*, device memory.
        dropoutMask: const float*, device memory.
        output: void*, device memory, written.
        smScores: void*, device memory, written.
        actScores: void*, device memory, written.
        dimNode: int.
        params: const cudnnGnnMhaParams_t*, a struct, or its address.
        dataType: cudnnDataType_t, a `DataType`.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 9.28.0.

    C, cudnn_gnn_ops.h: cudnnStatus_t cudnnGnnMhaGatV2Forward(cudaStream_t stream, const
        cudnnGnnCscGraph_t *graph, const void *srcFeatures, const void *dstFeatures, const void
        *edgeFeatures, const void *attnWeights, const float *dropoutMask, void *output, void
        *smScores, void *actScores, int dimNode, const cudnnGnnMhaParams_t *params,
        cudnnDataType_t dataType)
    """
    try:
        return _cudnnGnnMhaGatV2Forward(stream if stream.__class__ is int else _stream(stream), graph if graph.__class__ is int else _host(graph), srcFeatures if srcFeatures.__class__ is int else _getters[srcFeatures.__class__](srcFeatures), dstFeatures if dstFeatures.__class__ is int else _getters[dstFeatures.__class__](dstFeatures), edgeFeatures if edgeFeatures.__class__ is int else _getters[edgeFeatures.__class__](edgeFeatures), attnWeights if attnWeights.__class__ is int else _getters[attnWeights.__class__](attnWeights), dropoutMask if dropoutMask.__class__ is int else _getters[dropoutMask.__class__](dropoutMask), output if output.__class__ is int else _getters[output.__class__](output), smScores if smScores.__class__ is int else _getters[smScores.__class__](smScores), actScores if actScores.__class__ is int else _getters[actScores.__class__](actScores), dimNode, params if params.__class__ is int else _host(params), dataType)
    except _CONVERT as error:
        return _slow(cudnnGnnMhaGatV2Forward, "cudnnGnnMhaGatV2Forward", (stream, graph, srcFeatures, dstFeatures, edgeFeatures, attnWeights, dropoutMask, output, smScores, actScores, dimNode, params, dataType,), error)
