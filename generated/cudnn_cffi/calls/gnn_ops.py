# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:388bc7829ec2c49c704ba29d383a1669
"""Functions of cudnn_gnn_ops.h, called under their C names without their out-parameters.

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

    from ..enums import DataType, GnnAggOp
    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
else:
    from .._support.results import NamedTuple


_cudnnGnnAggSimpleBackward = _quick(
    "cudnnGnnAggSimpleBackward",
    "",
    (_stream, None, _getters, _getters, _getters, _getters, _getters, None, None, None, None, None),
    (None,),
)


@_instead(_cudnnGnnAggSimpleBackward)
def cudnnGnnAggSimpleBackward(
    stream: Stream,
    graph: HostPointer,
    gradOutput: DevicePointer,
    outPositions: DevicePointer,
    gradNodeFeatures: DevicePointer,
    gradEdgeFeatures: DevicePointer,
    gradConcatFeatures: DevicePointer,
    nodeFeatDim: int,
    edgeFeatDim: int,
    concatFeatDim: int,
    dataType: DataType,
    aggOp: GnnAggOp,
) -> None:
    """Compute `gradNodeFeatures`, `gradEdgeFeatures` and `gradConcatFeatures`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        gradOutput: const void*, device memory, read.
        outPositions: const void*, device memory, read; positions of the extremes, for the
            backward function; None for sums and means.
        gradNodeFeatures: void*, device memory, written.
        gradEdgeFeatures: void*, device memory, written.
        gradConcatFeatures: void*, device memory, written.
        nodeFeatDim: int.
        edgeFeatDim: int.
        concatFeatDim: int.
        dataType: cudnnDataType_t, a `DataType`.
        aggOp: cudnnGnnAggOp_t, a `GnnAggOp`: `SUM`, `MEAN`, `MAX` or `MIN`; how the features of
            a node are combined.

    Returns:
        None; the function writes `gradNodeFeatures`, `gradEdgeFeatures` and
            `gradConcatFeatures`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.26.0.

    See also: `ops.aggregate_backward`

    C, cudnn_gnn_ops.h::

        cudnnStatus_t cudnnGnnAggSimpleBackward(cudaStream_t stream, const cudnnGnnCscGraph_t
            *graph, const void *gradOutput, const void *outPositions, void *gradNodeFeatures,
            void *gradEdgeFeatures, void *gradConcatFeatures, int nodeFeatDim, int edgeFeatDim,
            int concatFeatDim, cudnnDataType_t dataType, cudnnGnnAggOp_t aggOp)
    """
    return _cudnnGnnAggSimpleBackward(
        stream,
        graph,
        gradOutput,
        outPositions,
        gradNodeFeatures,
        gradEdgeFeatures,
        gradConcatFeatures,
        nodeFeatDim,
        edgeFeatDim,
        concatFeatDim,
        dataType,
        aggOp,
    )


_cudnnGnnAggSimpleForward = _quick(
    "cudnnGnnAggSimpleForward",
    "",
    (_stream, None, _getters, _getters, _getters, _getters, _getters, None, None, None, None, None),
    (None,),
)


@_instead(_cudnnGnnAggSimpleForward)
def cudnnGnnAggSimpleForward(
    stream: Stream,
    graph: HostPointer,
    nodeFeatures: DevicePointer,
    edgeFeatures: DevicePointer,
    concatFeatures: DevicePointer,
    output: DevicePointer,
    outPositions: DevicePointer,
    nodeFeatDim: int,
    edgeFeatDim: int,
    concatFeatDim: int,
    dataType: DataType,
    aggOp: GnnAggOp,
) -> None:
    """Compute `output` and `outPositions`.

    Formula: output = sum, mean, maximum or minimum of the features that lead to a node, as
        aggOp says

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        nodeFeatures: const void*, device memory, read.
        edgeFeatures: const void*, device memory, read.
        concatFeatures: const void*, device memory, read.
        output: void*, device memory, written.
        outPositions: void*, device memory, written; positions of the extremes, for the backward
            function; None for sums and means.
        nodeFeatDim: int.
        edgeFeatDim: int.
        concatFeatDim: int.
        dataType: cudnnDataType_t, a `DataType`.
        aggOp: cudnnGnnAggOp_t, a `GnnAggOp`: `SUM`, `MEAN`, `MAX` or `MIN`; how the features of
            a node are combined.

    Returns:
        None; the function writes `output` and `outPositions`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.26.0.

    See also: `ops.aggregate`

    C, cudnn_gnn_ops.h::

        cudnnStatus_t cudnnGnnAggSimpleForward(cudaStream_t stream, const cudnnGnnCscGraph_t
            *graph, const void *nodeFeatures, const void *edgeFeatures, const void
            *concatFeatures, void *output, void *outPositions, int nodeFeatDim, int edgeFeatDim,
            int concatFeatDim, cudnnDataType_t dataType, cudnnGnnAggOp_t aggOp)
    """
    return _cudnnGnnAggSimpleForward(
        stream,
        graph,
        nodeFeatures,
        edgeFeatures,
        concatFeatures,
        output,
        outPositions,
        nodeFeatDim,
        edgeFeatDim,
        concatFeatDim,
        dataType,
        aggOp,
    )


_cudnnGnnMhaGatBackward = _quick(
    "cudnnGnnMhaGatBackward",
    "",
    (
        _stream,
        None,
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


@_instead(_cudnnGnnMhaGatBackward)
def cudnnGnnMhaGatBackward(
    stream: Stream,
    graph: HostPointer,
    gradOut: DevicePointer,
    srcFeatures: DevicePointer,
    dstFeatures: DevicePointer,
    edgeFeatures: DevicePointer,
    attnWeights: DevicePointer,
    smScores: DevicePointer,
    dropoutMask: DevicePointer,
    gradAttention: DevicePointer,
    gradSrcFeatures: DevicePointer,
    gradDstFeatures: DevicePointer,
    gradEdgeFeatures: DevicePointer,
    gradWeights: DevicePointer,
    gradSmScores: DevicePointer,
    gradWspaceFeat: DevicePointer,
    gradWspaceWeights: DevicePointer,
    dimNode: int,
    dimEdge: int,
    params: HostPointer,
    dataType: DataType,
    gradDataType: DataType,
    gradWeightType: DataType,
) -> None:
    """Compute `gradSrcFeatures`, `gradDstFeatures` and `gradEdgeFeatures`, and more.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        gradOut: const void*, device memory, read.
        srcFeatures: const void*, device memory, read.
        dstFeatures: const void*, device memory, read.
        edgeFeatures: const void*, device memory, read.
        attnWeights: const void*, device memory, read.
        smScores: const void*, device memory, read.
        dropoutMask: const float*, device memory, read.
        gradAttention: const float*, device memory, read.
        gradSrcFeatures: void*, device memory, written.
        gradDstFeatures: void*, device memory, written.
        gradEdgeFeatures: void*, device memory, written.
        gradWeights: void*, device memory, written.
        gradSmScores: void*, device memory, written.
        gradWspaceFeat: void*, device memory for scratch space, or None; None, but for
            deterministic sums.
        gradWspaceWeights: void*, device memory for scratch space, or None; None, but for
            deterministic sums.
        dimNode: int.
        dimEdge: int.
        params: const cudnnGnnMhaParams_t*, a struct, or its address.
        dataType: cudnnDataType_t, a `DataType`.
        gradDataType: cudnnDataType_t, a `DataType`.
        gradWeightType: cudnnDataType_t, a `DataType`.

    Returns:
        None; the function writes `gradSrcFeatures`, `gradDstFeatures`, `gradEdgeFeatures`,
            `gradWeights` and `gradSmScores`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.28.0.

    C, cudnn_gnn_ops.h::

        cudnnStatus_t cudnnGnnMhaGatBackward(cudaStream_t stream, const cudnnGnnCscGraph_t
            *graph, const void *gradOut, const void *srcFeatures, const void *dstFeatures, const
            void *edgeFeatures, const void *attnWeights, const void *smScores, const float
            *dropoutMask, const float *gradAttention, void *gradSrcFeatures, void
            *gradDstFeatures, void *gradEdgeFeatures, void *gradWeights, void *gradSmScores,
            void *gradWspaceFeat, void *gradWspaceWeights, int dimNode, int dimEdge, const
            cudnnGnnMhaParams_t *params, cudnnDataType_t dataType, cudnnDataType_t gradDataType,
            cudnnDataType_t gradWeightType)
    """
    return _cudnnGnnMhaGatBackward(
        stream,
        graph,
        gradOut,
        srcFeatures,
        dstFeatures,
        edgeFeatures,
        attnWeights,
        smScores,
        dropoutMask,
        gradAttention,
        gradSrcFeatures,
        gradDstFeatures,
        gradEdgeFeatures,
        gradWeights,
        gradSmScores,
        gradWspaceFeat,
        gradWspaceWeights,
        dimNode,
        dimEdge,
        params,
        dataType,
        gradDataType,
        gradWeightType,
    )


_cudnnGnnMhaGatForward = _quick(
    "cudnnGnnMhaGatForward",
    "",
    (
        _stream,
        None,
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
    ),
    (None,),
)


@_instead(_cudnnGnnMhaGatForward)
def cudnnGnnMhaGatForward(
    stream: Stream,
    graph: HostPointer,
    srcFeatures: DevicePointer,
    dstFeatures: DevicePointer,
    edgeFeatures: DevicePointer,
    attnWeights: DevicePointer,
    dropoutMask: DevicePointer,
    output: DevicePointer,
    smScores: DevicePointer,
    dimNode: int,
    dimEdge: int,
    params: HostPointer,
    dataType: DataType,
) -> None:
    """Compute `output` and `smScores`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        srcFeatures: const void*, device memory, read.
        dstFeatures: const void*, device memory, read.
        edgeFeatures: const void*, device memory, read.
        attnWeights: const void*, device memory, read.
        dropoutMask: const float*, device memory, read.
        output: void*, device memory, written.
        smScores: void*, device memory, written.
        dimNode: int.
        dimEdge: int.
        params: const cudnnGnnMhaParams_t*, a struct, or its address.
        dataType: cudnnDataType_t, a `DataType`.

    Returns:
        None; the function writes `output` and `smScores`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.28.0.

    C, cudnn_gnn_ops.h::

        cudnnStatus_t cudnnGnnMhaGatForward(cudaStream_t stream, const cudnnGnnCscGraph_t
            *graph, const void *srcFeatures, const void *dstFeatures, const void *edgeFeatures,
            const void *attnWeights, const float *dropoutMask, void *output, void *smScores, int
            dimNode, int dimEdge, const cudnnGnnMhaParams_t *params, cudnnDataType_t dataType)
    """
    return _cudnnGnnMhaGatForward(
        stream,
        graph,
        srcFeatures,
        dstFeatures,
        edgeFeatures,
        attnWeights,
        dropoutMask,
        output,
        smScores,
        dimNode,
        dimEdge,
        params,
        dataType,
    )


_cudnnGnnMhaGatV2Backward = _quick(
    "cudnnGnnMhaGatV2Backward",
    "",
    (
        _stream,
        None,
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
    ),
    (None,),
)


@_instead(_cudnnGnnMhaGatV2Backward)
def cudnnGnnMhaGatV2Backward(
    stream: Stream,
    graph: HostPointer,
    gradOut: DevicePointer,
    srcFeatures: DevicePointer,
    dstFeatures: DevicePointer,
    edgeFeatures: DevicePointer,
    attnWeights: DevicePointer,
    smScores: DevicePointer,
    actScores: DevicePointer,
    dropoutMask: DevicePointer,
    gradAttention: DevicePointer,
    gradSrcFeatures: DevicePointer,
    gradDstFeatures: DevicePointer,
    gradEdgeFeatures: DevicePointer,
    gradWeights: DevicePointer,
    gradSmScores: DevicePointer,
    gradWspaceFeat: DevicePointer,
    gradWspaceWeights: DevicePointer,
    dimNode: int,
    params: HostPointer,
    dataType: DataType,
    gradType: DataType,
) -> None:
    """Compute `gradSrcFeatures`, `gradDstFeatures` and `gradEdgeFeatures`, and more.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        gradOut: const void*, device memory, read.
        srcFeatures: const void*, device memory, read.
        dstFeatures: const void*, device memory, read.
        edgeFeatures: const void*, device memory, read.
        attnWeights: const void*, device memory, read.
        smScores: const void*, device memory, read.
        actScores: const void*, device memory, read.
        dropoutMask: const float*, device memory, read.
        gradAttention: const float*, device memory, read.
        gradSrcFeatures: void*, device memory, written.
        gradDstFeatures: void*, device memory, written.
        gradEdgeFeatures: void*, device memory, written.
        gradWeights: void*, device memory, written.
        gradSmScores: void*, device memory, written.
        gradWspaceFeat: void*, device memory for scratch space, or None; None, but for
            deterministic sums.
        gradWspaceWeights: void*, device memory for scratch space, or None; None, but for
            deterministic sums.
        dimNode: int.
        params: const cudnnGnnMhaParams_t*, a struct, or its address.
        dataType: cudnnDataType_t, a `DataType`.
        gradType: cudnnDataType_t, a `DataType`.

    Returns:
        None; the function writes `gradSrcFeatures`, `gradDstFeatures`, `gradEdgeFeatures`,
            `gradWeights` and `gradSmScores`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.28.0.

    C, cudnn_gnn_ops.h::

        cudnnStatus_t cudnnGnnMhaGatV2Backward(cudaStream_t stream, const cudnnGnnCscGraph_t
            *graph, const void *gradOut, const void *srcFeatures, const void *dstFeatures, const
            void *edgeFeatures, const void *attnWeights, const void *smScores, const void
            *actScores, const float *dropoutMask, const float *gradAttention, void
            *gradSrcFeatures, void *gradDstFeatures, void *gradEdgeFeatures, void *gradWeights,
            void *gradSmScores, void *gradWspaceFeat, void *gradWspaceWeights, int dimNode,
            const cudnnGnnMhaParams_t *params, cudnnDataType_t dataType, cudnnDataType_t
            gradType)
    """
    return _cudnnGnnMhaGatV2Backward(
        stream,
        graph,
        gradOut,
        srcFeatures,
        dstFeatures,
        edgeFeatures,
        attnWeights,
        smScores,
        actScores,
        dropoutMask,
        gradAttention,
        gradSrcFeatures,
        gradDstFeatures,
        gradEdgeFeatures,
        gradWeights,
        gradSmScores,
        gradWspaceFeat,
        gradWspaceWeights,
        dimNode,
        params,
        dataType,
        gradType,
    )


_cudnnGnnMhaGatV2Forward = _quick(
    "cudnnGnnMhaGatV2Forward",
    "",
    (
        _stream,
        None,
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
    ),
    (None,),
)


@_instead(_cudnnGnnMhaGatV2Forward)
def cudnnGnnMhaGatV2Forward(
    stream: Stream,
    graph: HostPointer,
    srcFeatures: DevicePointer,
    dstFeatures: DevicePointer,
    edgeFeatures: DevicePointer,
    attnWeights: DevicePointer,
    dropoutMask: DevicePointer,
    output: DevicePointer,
    smScores: DevicePointer,
    actScores: DevicePointer,
    dimNode: int,
    params: HostPointer,
    dataType: DataType,
) -> None:
    """Compute `output`, `smScores` and `actScores`.

    Args:
        stream: cudaStream_t, a CUDA stream: an int, None, or an object with `__cuda_stream__`.
        graph: const cudnnGnnCscGraph_t*, a struct, or its address.
        srcFeatures: const void*, device memory, read.
        dstFeatures: const void*, device memory, read.
        edgeFeatures: const void*, device memory, read.
        attnWeights: const void*, device memory, read.
        dropoutMask: const float*, device memory, read.
        output: void*, device memory, written.
        smScores: void*, device memory, written.
        actScores: void*, device memory, written.
        dimNode: int.
        params: const cudnnGnnMhaParams_t*, a struct, or its address.
        dataType: cudnnDataType_t, a `DataType`.

    Returns:
        None; the function writes `output`, `smScores` and `actScores`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.28.0.

    C, cudnn_gnn_ops.h::

        cudnnStatus_t cudnnGnnMhaGatV2Forward(cudaStream_t stream, const cudnnGnnCscGraph_t
            *graph, const void *srcFeatures, const void *dstFeatures, const void *edgeFeatures,
            const void *attnWeights, const float *dropoutMask, void *output, void *smScores,
            void *actScores, int dimNode, const cudnnGnnMhaParams_t *params, cudnnDataType_t
            dataType)
    """
    return _cudnnGnnMhaGatV2Forward(
        stream,
        graph,
        srcFeatures,
        dstFeatures,
        edgeFeatures,
        attnWeights,
        dropoutMask,
        output,
        smScores,
        actScores,
        dimNode,
        params,
        dataType,
    )
