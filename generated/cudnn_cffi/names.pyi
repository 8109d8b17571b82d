# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:f2a07d91655f2a487833b06f1c2e35c1
"""Every public name that was emitted, for type checkers and editors."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import deprecated as _removed

from . import (
    ActivationDescriptor as _ActivationDescriptor,
    AlgorithmDescriptor as _AlgorithmDescriptor,
    AttnDescriptor as _AttnDescriptor,
    BackendDescriptor as _BackendDescriptor,
    CTCLossDescriptor as _CTCLossDescriptor,
    ConvolutionDescriptor as _ConvolutionDescriptor,
    DropoutDescriptor as _DropoutDescriptor,
    FilterDescriptor as _FilterDescriptor,
    FusedOpsConstParamPack as _FusedOpsConstParamPack,
    FusedOpsPlan as _FusedOpsPlan,
    FusedOpsVariantParamPack as _FusedOpsVariantParamPack,
    Handle as _Handle,
    LRNDescriptor as _LRNDescriptor,
    OpTensorDescriptor as _OpTensorDescriptor,
    PersistentRNNPlan as _PersistentRNNPlan,
    PoolingDescriptor as _PoolingDescriptor,
    RNNDataDescriptor as _RNNDataDescriptor,
    RNNDescriptor as _RNNDescriptor,
    ReduceTensorDescriptor as _ReduceTensorDescriptor,
    SeqDataDescriptor as _SeqDataDescriptor,
    SpatialTransformerDescriptor as _SpatialTransformerDescriptor,
    TensorDescriptor as _TensorDescriptor,
    TensorTransformDescriptor as _TensorTransformDescriptor,
)
from .calls import (
    adv as _adv,
    adv_infer as _adv_infer,
    adv_train as _adv_train,
    cnn as _cnn,
    cnn_infer as _cnn_infer,
    cnn_train as _cnn_train,
    gnn_ops as _gnn_ops,
    graph as _graph,
    ops as _ops,
    ops_infer as _ops_infer,
    ops_train as _ops_train,
    subquadratic_ops as _subquadratic_ops,
)
from .enums import *
from .records import *
from .types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
from .calls.adv import (
    cudnnAdvVersionCheck as cudnnAdvVersionCheck,
    cudnnBuildRNNDynamic as cudnnBuildRNNDynamic,
    cudnnCTCLoss as cudnnCTCLoss,
    cudnnCTCLoss_v8 as cudnnCTCLoss_v8,
    cudnnCreateAttnDescriptor as cudnnCreateAttnDescriptor,
    cudnnCreateCTCLossDescriptor as cudnnCreateCTCLossDescriptor,
    cudnnCreateRNNDataDescriptor as cudnnCreateRNNDataDescriptor,
    cudnnCreateRNNDescriptor as cudnnCreateRNNDescriptor,
    cudnnCreateSeqDataDescriptor as cudnnCreateSeqDataDescriptor,
    cudnnDestroyAttnDescriptor as cudnnDestroyAttnDescriptor,
    cudnnDestroyCTCLossDescriptor as cudnnDestroyCTCLossDescriptor,
    cudnnDestroyRNNDataDescriptor as cudnnDestroyRNNDataDescriptor,
    cudnnDestroyRNNDescriptor as cudnnDestroyRNNDescriptor,
    cudnnDestroySeqDataDescriptor as cudnnDestroySeqDataDescriptor,
    cudnnGetAttnDescriptor as cudnnGetAttnDescriptor,
    cudnnGetCTCLossDescriptor as cudnnGetCTCLossDescriptor,
    cudnnGetCTCLossDescriptorEx as cudnnGetCTCLossDescriptorEx,
    cudnnGetCTCLossDescriptor_v8 as cudnnGetCTCLossDescriptor_v8,
    cudnnGetCTCLossDescriptor_v9 as cudnnGetCTCLossDescriptor_v9,
    cudnnGetCTCLossWorkspaceSize as cudnnGetCTCLossWorkspaceSize,
    cudnnGetCTCLossWorkspaceSize_v8 as cudnnGetCTCLossWorkspaceSize_v8,
    cudnnGetMultiHeadAttnBuffers as cudnnGetMultiHeadAttnBuffers,
    cudnnGetMultiHeadAttnWeights as cudnnGetMultiHeadAttnWeights,
    cudnnGetRNNDataDescriptor as cudnnGetRNNDataDescriptor,
    cudnnGetRNNDescriptor_v8 as cudnnGetRNNDescriptor_v8,
    cudnnGetRNNTempSpaceSizes as cudnnGetRNNTempSpaceSizes,
    cudnnGetRNNWeightParams as cudnnGetRNNWeightParams,
    cudnnGetRNNWeightSpaceSize as cudnnGetRNNWeightSpaceSize,
    cudnnGetSeqDataDescriptor as cudnnGetSeqDataDescriptor,
    cudnnMultiHeadAttnBackwardData as cudnnMultiHeadAttnBackwardData,
    cudnnMultiHeadAttnBackwardWeights as cudnnMultiHeadAttnBackwardWeights,
    cudnnMultiHeadAttnForward as cudnnMultiHeadAttnForward,
    cudnnRNNBackwardData_v8 as cudnnRNNBackwardData_v8,
    cudnnRNNBackwardWeights_v8 as cudnnRNNBackwardWeights_v8,
    cudnnRNNForward as cudnnRNNForward,
    cudnnRNNGetClip_v8 as cudnnRNNGetClip_v8,
    cudnnRNNGetClip_v9 as cudnnRNNGetClip_v9,
    cudnnRNNSetClip_v8 as cudnnRNNSetClip_v8,
    cudnnRNNSetClip_v9 as cudnnRNNSetClip_v9,
    cudnnSetAttnDescriptor as cudnnSetAttnDescriptor,
    cudnnSetCTCLossDescriptor as cudnnSetCTCLossDescriptor,
    cudnnSetCTCLossDescriptorEx as cudnnSetCTCLossDescriptorEx,
    cudnnSetCTCLossDescriptor_v8 as cudnnSetCTCLossDescriptor_v8,
    cudnnSetCTCLossDescriptor_v9 as cudnnSetCTCLossDescriptor_v9,
    cudnnSetRNNDataDescriptor as cudnnSetRNNDataDescriptor,
    cudnnSetRNNDescriptor_v8 as cudnnSetRNNDescriptor_v8,
    cudnnSetSeqDataDescriptor as cudnnSetSeqDataDescriptor,
)
from .calls.cnn import (
    cudnnCnnVersionCheck as cudnnCnnVersionCheck,
    cudnnConvolutionBackwardBias as cudnnConvolutionBackwardBias,
    cudnnConvolutionBackwardData as cudnnConvolutionBackwardData,
    cudnnConvolutionBackwardFilter as cudnnConvolutionBackwardFilter,
    cudnnConvolutionBiasActivationForward as cudnnConvolutionBiasActivationForward,
    cudnnConvolutionForward as cudnnConvolutionForward,
    cudnnCreateConvolutionDescriptor as cudnnCreateConvolutionDescriptor,
    cudnnCreateFusedOpsConstParamPack as cudnnCreateFusedOpsConstParamPack,
    cudnnCreateFusedOpsPlan as cudnnCreateFusedOpsPlan,
    cudnnCreateFusedOpsVariantParamPack as cudnnCreateFusedOpsVariantParamPack,
    cudnnDestroyConvolutionDescriptor as cudnnDestroyConvolutionDescriptor,
    cudnnDestroyFusedOpsConstParamPack as cudnnDestroyFusedOpsConstParamPack,
    cudnnDestroyFusedOpsPlan as cudnnDestroyFusedOpsPlan,
    cudnnDestroyFusedOpsVariantParamPack as cudnnDestroyFusedOpsVariantParamPack,
    cudnnFindConvolutionBackwardDataAlgorithm as cudnnFindConvolutionBackwardDataAlgorithm,
    cudnnFindConvolutionBackwardDataAlgorithmEx as cudnnFindConvolutionBackwardDataAlgorithmEx,
    cudnnFindConvolutionBackwardFilterAlgorithm as cudnnFindConvolutionBackwardFilterAlgorithm,
    cudnnFindConvolutionBackwardFilterAlgorithmEx as cudnnFindConvolutionBackwardFilterAlgorithmEx,
    cudnnFindConvolutionForwardAlgorithm as cudnnFindConvolutionForwardAlgorithm,
    cudnnFindConvolutionForwardAlgorithmEx as cudnnFindConvolutionForwardAlgorithmEx,
    cudnnFusedOpsExecute as cudnnFusedOpsExecute,
    cudnnGetConvolution2dDescriptor as cudnnGetConvolution2dDescriptor,
    cudnnGetConvolution2dForwardOutputDim as cudnnGetConvolution2dForwardOutputDim,
    cudnnGetConvolutionBackwardDataAlgorithmMaxCount as cudnnGetConvolutionBackwardDataAlgorithmMaxCount,
    cudnnGetConvolutionBackwardDataAlgorithm_v7 as cudnnGetConvolutionBackwardDataAlgorithm_v7,
    cudnnGetConvolutionBackwardDataWorkspaceSize as cudnnGetConvolutionBackwardDataWorkspaceSize,
    cudnnGetConvolutionBackwardFilterAlgorithmMaxCount as cudnnGetConvolutionBackwardFilterAlgorithmMaxCount,
    cudnnGetConvolutionBackwardFilterAlgorithm_v7 as cudnnGetConvolutionBackwardFilterAlgorithm_v7,
    cudnnGetConvolutionBackwardFilterWorkspaceSize as cudnnGetConvolutionBackwardFilterWorkspaceSize,
    cudnnGetConvolutionForwardAlgorithmMaxCount as cudnnGetConvolutionForwardAlgorithmMaxCount,
    cudnnGetConvolutionForwardAlgorithm_v7 as cudnnGetConvolutionForwardAlgorithm_v7,
    cudnnGetConvolutionForwardWorkspaceSize as cudnnGetConvolutionForwardWorkspaceSize,
    cudnnGetConvolutionGroupCount as cudnnGetConvolutionGroupCount,
    cudnnGetConvolutionMathType as cudnnGetConvolutionMathType,
    cudnnGetConvolutionNdDescriptor as cudnnGetConvolutionNdDescriptor,
    cudnnGetConvolutionNdForwardOutputDim as cudnnGetConvolutionNdForwardOutputDim,
    cudnnGetConvolutionReorderType as cudnnGetConvolutionReorderType,
    cudnnGetFoldedConvBackwardDataDescriptors as cudnnGetFoldedConvBackwardDataDescriptors,
    cudnnGetFusedOpsConstParamPackAttribute as cudnnGetFusedOpsConstParamPackAttribute,
    cudnnGetFusedOpsVariantParamPackAttribute as cudnnGetFusedOpsVariantParamPackAttribute,
    cudnnIm2Col as cudnnIm2Col,
    cudnnMakeFusedOpsPlan as cudnnMakeFusedOpsPlan,
    cudnnReorderFilterAndBias as cudnnReorderFilterAndBias,
    cudnnSetConvolution2dDescriptor as cudnnSetConvolution2dDescriptor,
    cudnnSetConvolutionGroupCount as cudnnSetConvolutionGroupCount,
    cudnnSetConvolutionMathType as cudnnSetConvolutionMathType,
    cudnnSetConvolutionNdDescriptor as cudnnSetConvolutionNdDescriptor,
    cudnnSetConvolutionReorderType as cudnnSetConvolutionReorderType,
    cudnnSetFusedOpsConstParamPackAttribute as cudnnSetFusedOpsConstParamPackAttribute,
    cudnnSetFusedOpsVariantParamPackAttribute as cudnnSetFusedOpsVariantParamPackAttribute,
)
from .calls.gnn_ops import (
    cudnnGnnAggSimpleBackward as cudnnGnnAggSimpleBackward,
    cudnnGnnAggSimpleForward as cudnnGnnAggSimpleForward,
    cudnnGnnMhaGatBackward as cudnnGnnMhaGatBackward,
    cudnnGnnMhaGatForward as cudnnGnnMhaGatForward,
    cudnnGnnMhaGatV2Backward as cudnnGnnMhaGatV2Backward,
    cudnnGnnMhaGatV2Forward as cudnnGnnMhaGatV2Forward,
)
from .calls.graph import (
    cudnnBackendCreateDescriptor as cudnnBackendCreateDescriptor,
    cudnnBackendDestroyDescriptor as cudnnBackendDestroyDescriptor,
    cudnnBackendExecute as cudnnBackendExecute,
    cudnnBackendFinalize as cudnnBackendFinalize,
    cudnnBackendGetAttribute as cudnnBackendGetAttribute,
    cudnnBackendInitialize as cudnnBackendInitialize,
    cudnnBackendPopulateCudaGraph as cudnnBackendPopulateCudaGraph,
    cudnnBackendSetAttribute as cudnnBackendSetAttribute,
    cudnnBackendUpdateCudaGraph as cudnnBackendUpdateCudaGraph,
    cudnnCreate as cudnnCreate,
    cudnnDestroy as cudnnDestroy,
    cudnnGetCallback as cudnnGetCallback,
    cudnnGetCudartVersion as cudnnGetCudartVersion,
    cudnnGetErrorString as cudnnGetErrorString,
    cudnnGetExecutionPlanWorkspaceSize as cudnnGetExecutionPlanWorkspaceSize,
    cudnnGetLastErrorString as cudnnGetLastErrorString,
    cudnnGetMaxDeviceVersion as cudnnGetMaxDeviceVersion,
    cudnnGetProperty as cudnnGetProperty,
    cudnnGetStream as cudnnGetStream,
    cudnnGetVersion as cudnnGetVersion,
    cudnnGraphVersionCheck as cudnnGraphVersionCheck,
    cudnnQueryRuntimeError as cudnnQueryRuntimeError,
    cudnnSetCallback as cudnnSetCallback,
    cudnnSetStream as cudnnSetStream,
)
from .calls.ops import (
    cudnnActivationBackward as cudnnActivationBackward,
    cudnnActivationForward as cudnnActivationForward,
    cudnnAddTensor as cudnnAddTensor,
    cudnnBatchNormalizationBackward as cudnnBatchNormalizationBackward,
    cudnnBatchNormalizationBackwardEx as cudnnBatchNormalizationBackwardEx,
    cudnnBatchNormalizationForwardInference as cudnnBatchNormalizationForwardInference,
    cudnnBatchNormalizationForwardTraining as cudnnBatchNormalizationForwardTraining,
    cudnnBatchNormalizationForwardTrainingEx as cudnnBatchNormalizationForwardTrainingEx,
    cudnnCreateActivationDescriptor as cudnnCreateActivationDescriptor,
    cudnnCreateDropoutDescriptor as cudnnCreateDropoutDescriptor,
    cudnnCreateFilterDescriptor as cudnnCreateFilterDescriptor,
    cudnnCreateLRNDescriptor as cudnnCreateLRNDescriptor,
    cudnnCreateOpTensorDescriptor as cudnnCreateOpTensorDescriptor,
    cudnnCreatePoolingDescriptor as cudnnCreatePoolingDescriptor,
    cudnnCreateReduceTensorDescriptor as cudnnCreateReduceTensorDescriptor,
    cudnnCreateSpatialTransformerDescriptor as cudnnCreateSpatialTransformerDescriptor,
    cudnnCreateTensorDescriptor as cudnnCreateTensorDescriptor,
    cudnnCreateTensorTransformDescriptor as cudnnCreateTensorTransformDescriptor,
    cudnnDeriveBNTensorDescriptor as cudnnDeriveBNTensorDescriptor,
    cudnnDeriveNormTensorDescriptor as cudnnDeriveNormTensorDescriptor,
    cudnnDestroyActivationDescriptor as cudnnDestroyActivationDescriptor,
    cudnnDestroyDropoutDescriptor as cudnnDestroyDropoutDescriptor,
    cudnnDestroyFilterDescriptor as cudnnDestroyFilterDescriptor,
    cudnnDestroyLRNDescriptor as cudnnDestroyLRNDescriptor,
    cudnnDestroyOpTensorDescriptor as cudnnDestroyOpTensorDescriptor,
    cudnnDestroyPoolingDescriptor as cudnnDestroyPoolingDescriptor,
    cudnnDestroyReduceTensorDescriptor as cudnnDestroyReduceTensorDescriptor,
    cudnnDestroySpatialTransformerDescriptor as cudnnDestroySpatialTransformerDescriptor,
    cudnnDestroyTensorDescriptor as cudnnDestroyTensorDescriptor,
    cudnnDestroyTensorTransformDescriptor as cudnnDestroyTensorTransformDescriptor,
    cudnnDivisiveNormalizationBackward as cudnnDivisiveNormalizationBackward,
    cudnnDivisiveNormalizationForward as cudnnDivisiveNormalizationForward,
    cudnnDropoutBackward as cudnnDropoutBackward,
    cudnnDropoutForward as cudnnDropoutForward,
    cudnnDropoutGetReserveSpaceSize as cudnnDropoutGetReserveSpaceSize,
    cudnnDropoutGetStatesSize as cudnnDropoutGetStatesSize,
    cudnnGetActivationDescriptor as cudnnGetActivationDescriptor,
    cudnnGetActivationDescriptorSwishBeta as cudnnGetActivationDescriptorSwishBeta,
    cudnnGetBatchNormalizationBackwardExWorkspaceSize as cudnnGetBatchNormalizationBackwardExWorkspaceSize,
    cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize as cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize,
    cudnnGetBatchNormalizationTrainingExReserveSpaceSize as cudnnGetBatchNormalizationTrainingExReserveSpaceSize,
    cudnnGetDropoutDescriptor as cudnnGetDropoutDescriptor,
    cudnnGetFilter4dDescriptor as cudnnGetFilter4dDescriptor,
    cudnnGetFilterNdDescriptor as cudnnGetFilterNdDescriptor,
    cudnnGetFilterSizeInBytes as cudnnGetFilterSizeInBytes,
    cudnnGetLRNDescriptor as cudnnGetLRNDescriptor,
    cudnnGetNormalizationBackwardWorkspaceSize as cudnnGetNormalizationBackwardWorkspaceSize,
    cudnnGetNormalizationForwardTrainingWorkspaceSize as cudnnGetNormalizationForwardTrainingWorkspaceSize,
    cudnnGetNormalizationTrainingReserveSpaceSize as cudnnGetNormalizationTrainingReserveSpaceSize,
    cudnnGetOpTensorDescriptor as cudnnGetOpTensorDescriptor,
    cudnnGetPooling2dDescriptor as cudnnGetPooling2dDescriptor,
    cudnnGetPooling2dForwardOutputDim as cudnnGetPooling2dForwardOutputDim,
    cudnnGetPoolingNdDescriptor as cudnnGetPoolingNdDescriptor,
    cudnnGetPoolingNdForwardOutputDim as cudnnGetPoolingNdForwardOutputDim,
    cudnnGetReduceTensorDescriptor as cudnnGetReduceTensorDescriptor,
    cudnnGetReductionIndicesSize as cudnnGetReductionIndicesSize,
    cudnnGetReductionWorkspaceSize as cudnnGetReductionWorkspaceSize,
    cudnnGetTensor4dDescriptor as cudnnGetTensor4dDescriptor,
    cudnnGetTensorNdDescriptor as cudnnGetTensorNdDescriptor,
    cudnnGetTensorSizeInBytes as cudnnGetTensorSizeInBytes,
    cudnnGetTensorTransformDescriptor as cudnnGetTensorTransformDescriptor,
    cudnnInitTransformDest as cudnnInitTransformDest,
    cudnnLRNCrossChannelBackward as cudnnLRNCrossChannelBackward,
    cudnnLRNCrossChannelForward as cudnnLRNCrossChannelForward,
    cudnnNormalizationBackward as cudnnNormalizationBackward,
    cudnnNormalizationForwardInference as cudnnNormalizationForwardInference,
    cudnnNormalizationForwardTraining as cudnnNormalizationForwardTraining,
    cudnnOpTensor as cudnnOpTensor,
    cudnnOpsVersionCheck as cudnnOpsVersionCheck,
    cudnnPoolingBackward as cudnnPoolingBackward,
    cudnnPoolingForward as cudnnPoolingForward,
    cudnnReduceTensor as cudnnReduceTensor,
    cudnnRestoreDropoutDescriptor as cudnnRestoreDropoutDescriptor,
    cudnnScaleTensor as cudnnScaleTensor,
    cudnnSetActivationDescriptor as cudnnSetActivationDescriptor,
    cudnnSetActivationDescriptorSwishBeta as cudnnSetActivationDescriptorSwishBeta,
    cudnnSetDropoutDescriptor as cudnnSetDropoutDescriptor,
    cudnnSetFilter4dDescriptor as cudnnSetFilter4dDescriptor,
    cudnnSetFilterNdDescriptor as cudnnSetFilterNdDescriptor,
    cudnnSetLRNDescriptor as cudnnSetLRNDescriptor,
    cudnnSetOpTensorDescriptor as cudnnSetOpTensorDescriptor,
    cudnnSetPooling2dDescriptor as cudnnSetPooling2dDescriptor,
    cudnnSetPoolingNdDescriptor as cudnnSetPoolingNdDescriptor,
    cudnnSetReduceTensorDescriptor as cudnnSetReduceTensorDescriptor,
    cudnnSetSpatialTransformerNdDescriptor as cudnnSetSpatialTransformerNdDescriptor,
    cudnnSetTensor as cudnnSetTensor,
    cudnnSetTensor4dDescriptor as cudnnSetTensor4dDescriptor,
    cudnnSetTensor4dDescriptorEx as cudnnSetTensor4dDescriptorEx,
    cudnnSetTensorNdDescriptor as cudnnSetTensorNdDescriptor,
    cudnnSetTensorNdDescriptorEx as cudnnSetTensorNdDescriptorEx,
    cudnnSetTensorTransformDescriptor as cudnnSetTensorTransformDescriptor,
    cudnnSoftmaxBackward as cudnnSoftmaxBackward,
    cudnnSoftmaxForward as cudnnSoftmaxForward,
    cudnnSpatialTfGridGeneratorBackward as cudnnSpatialTfGridGeneratorBackward,
    cudnnSpatialTfGridGeneratorForward as cudnnSpatialTfGridGeneratorForward,
    cudnnSpatialTfSamplerBackward as cudnnSpatialTfSamplerBackward,
    cudnnSpatialTfSamplerForward as cudnnSpatialTfSamplerForward,
    cudnnTransformFilter as cudnnTransformFilter,
    cudnnTransformTensor as cudnnTransformTensor,
    cudnnTransformTensorEx as cudnnTransformTensorEx,
)
from .calls.subquadratic_ops import (
    cudnnB2BCausalConv1dBackward as cudnnB2BCausalConv1dBackward,
    cudnnB2BCausalConv1dForward as cudnnB2BCausalConv1dForward,
    cudnnCausalConv1dBackward as cudnnCausalConv1dBackward,
    cudnnCausalConv1dForward as cudnnCausalConv1dForward,
    cudnnCausalConv1dNwhBackward as cudnnCausalConv1dNwhBackward,
    cudnnCausalConv1dNwhForward as cudnnCausalConv1dNwhForward,
    cudnnFFTCausalConv1dBackward as cudnnFFTCausalConv1dBackward,
    cudnnFFTCausalConv1dForward as cudnnFFTCausalConv1dForward,
    cudnnLongFFTCausalConv1dBackward as cudnnLongFFTCausalConv1dBackward,
    cudnnLongFFTCausalConv1dForward as cudnnLongFFTCausalConv1dForward,
    cudnnLongFFTCausalConv1dGetBufferSizes as cudnnLongFFTCausalConv1dGetBufferSizes,
    cudnnSubquadraticOpsVersionCheck as cudnnSubquadraticOpsVersionCheck,
)
from .families import (
    ActivationDescriptor as ActivationDescriptor,
    AlgorithmDescriptor as AlgorithmDescriptor,
    AttnDescriptor as AttnDescriptor,
    BackendDescriptor as BackendDescriptor,
    CTCLossDescriptor as CTCLossDescriptor,
    ConvolutionDescriptor as ConvolutionDescriptor,
    DropoutDescriptor as DropoutDescriptor,
    FilterDescriptor as FilterDescriptor,
    FusedOpsConstParamPack as FusedOpsConstParamPack,
    FusedOpsPlan as FusedOpsPlan,
    FusedOpsVariantParamPack as FusedOpsVariantParamPack,
    Handle as Handle,
    LRNDescriptor as LRNDescriptor,
    OpTensorDescriptor as OpTensorDescriptor,
    PersistentRNNPlan as PersistentRNNPlan,
    PoolingDescriptor as PoolingDescriptor,
    RNNDataDescriptor as RNNDataDescriptor,
    RNNDescriptor as RNNDescriptor,
    ReduceTensorDescriptor as ReduceTensorDescriptor,
    SeqDataDescriptor as SeqDataDescriptor,
    SpatialTransformerDescriptor as SpatialTransformerDescriptor,
    TensorDescriptor as TensorDescriptor,
    TensorTransformDescriptor as TensorTransformDescriptor,
)

cudnnActivationDescriptor_t = _ActivationDescriptor
cudnnAlgorithmDescriptor_t = _AlgorithmDescriptor
cudnnAttnDescriptor_t = _AttnDescriptor
cudnnBackendDescriptor_t = _BackendDescriptor
cudnnCTCLossDescriptor_t = _CTCLossDescriptor
cudnnConvolutionDescriptor_t = _ConvolutionDescriptor
cudnnDropoutDescriptor_t = _DropoutDescriptor
cudnnFilterDescriptor_t = _FilterDescriptor
cudnnFusedOpsConstParamPack_t = _FusedOpsConstParamPack
cudnnFusedOpsPlan_t = _FusedOpsPlan
cudnnFusedOpsVariantParamPack_t = _FusedOpsVariantParamPack
cudnnHandle_t = _Handle
cudnnLRNDescriptor_t = _LRNDescriptor
cudnnOpTensorDescriptor_t = _OpTensorDescriptor
cudnnPersistentRNNPlan_t = _PersistentRNNPlan
cudnnPoolingDescriptor_t = _PoolingDescriptor
cudnnRNNDataDescriptor_t = _RNNDataDescriptor
cudnnRNNDescriptor_t = _RNNDescriptor
cudnnReduceTensorDescriptor_t = _ReduceTensorDescriptor
cudnnSeqDataDescriptor_t = _SeqDataDescriptor
cudnnSpatialTransformerDescriptor_t = _SpatialTransformerDescriptor
cudnnTensorDescriptor_t = _TensorDescriptor
cudnnTensorTransformDescriptor_t = _TensorTransformDescriptor

@_removed("removed in 9.0.0; use cudnnAdvVersionCheck")
def cudnnAdvInferVersionCheck() -> None: ...
@_removed("removed in 9.0.0; use cudnnBuildRNNDynamic")
def cudnnCreatePersistentRNNPlan(
    rnnDesc: RNNDescriptor | int,
    minibatch: int,
    dataType: DataType,
) -> int: ...
@_removed("removed in 9.0.0")
def cudnnDestroyPersistentRNNPlan(plan: PersistentRNNPlan | int) -> None: ...
@_removed("removed in 9.0.0")
def cudnnFindRNNForwardInferenceAlgorithmEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    hyDesc: TensorDescriptor | int | None,
    hy: DevicePointer,
    cyDesc: TensorDescriptor | int | None,
    cy: DevicePointer,
    findIntensity: float,
    requestedAlgoCount: int,
    perfResults: Sequence[int] | HostPointer,
    workspace: DevicePointer,
    workSpaceSizeInBytes: int,
) -> int: ...
@_removed("removed in 9.0.0; use cudnnGetRNNDescriptor_v8")
def cudnnGetRNNBiasMode(rnnDesc: RNNDescriptor | int) -> RNNBiasMode: ...
@_removed("removed in 9.0.0; use cudnnGetRNNDescriptor_v8")
def cudnnGetRNNDescriptor_v6(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> _adv_infer.GetRNNDescriptor_v6Result: ...
@_removed("removed in 9.0.0")
def cudnnGetRNNForwardInferenceAlgorithmMaxCount(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> int: ...
@_removed("removed in 9.0.0; use cudnnGetRNNWeightParams")
def cudnnGetRNNLinLayerBiasParams(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    pseudoLayer: int,
    xDesc: TensorDescriptor | int,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    linLayerID: int,
    linLayerBiasDesc: FilterDescriptor | int,
) -> int: ...
@_removed("removed in 9.0.0; use cudnnGetRNNWeightParams")
def cudnnGetRNNLinLayerMatrixParams(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    pseudoLayer: int,
    xDesc: TensorDescriptor | int,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    linLayerID: int,
    linLayerMatDesc: FilterDescriptor | int,
) -> int: ...
@_removed("removed in 9.0.0; use cudnnGetRNNDescriptor_v8")
def cudnnGetRNNMatrixMathType(rnnDesc: RNNDescriptor | int) -> MathType: ...
@_removed("removed in 9.0.0; use cudnnGetRNNDescriptor_v8")
def cudnnGetRNNPaddingMode(rnnDesc: RNNDescriptor | int) -> RNNPaddedIO: ...
@_removed("removed in 9.0.0; use cudnnGetRNNWeightSpaceSize")
def cudnnGetRNNParamsSize(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    xDesc: TensorDescriptor | int,
    dataType: DataType,
) -> int: ...
@_removed("removed in 9.0.0; use cudnnGetRNNDescriptor_v8")
def cudnnGetRNNProjectionLayers(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> _adv_infer.GetRNNProjectionLayersResult: ...
@_removed("removed in 9.0.0; use cudnnGetRNNTempSpaceSizes")
def cudnnGetRNNTrainingReserveSize(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
) -> int: ...
@_removed("removed in 9.0.0; use cudnnGetRNNTempSpaceSizes")
def cudnnGetRNNWorkspaceSize(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
) -> int: ...
@_removed("removed in 9.0.0; use cudnnRNNForward")
def cudnnRNNForwardInference(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    hyDesc: TensorDescriptor | int | None,
    hy: DevicePointer,
    cyDesc: TensorDescriptor | int | None,
    cy: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnRNNForward")
def cudnnRNNForwardInferenceEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    xDesc: RNNDataDescriptor | int,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    yDesc: RNNDataDescriptor | int,
    y: DevicePointer,
    hyDesc: TensorDescriptor | int | None,
    hy: DevicePointer,
    cyDesc: TensorDescriptor | int | None,
    cy: DevicePointer,
    kDesc: RNNDataDescriptor | int | None,
    keys: DevicePointer,
    cDesc: RNNDataDescriptor | int | None,
    cAttn: DevicePointer,
    iDesc: RNNDataDescriptor | int | None,
    iAttn: DevicePointer,
    qDesc: RNNDataDescriptor | int | None,
    queries: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnRNNGetClip_v9")
def cudnnRNNGetClip(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> _adv_infer.RNNGetClipResult: ...
@_removed("removed in 9.0.0; use cudnnRNNSetClip_v9")
def cudnnRNNSetClip(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    clipMode: RNNClipMode,
    clipNanOpt: NanPropagation,
    lclip: float,
    rclip: float,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnBuildRNNDynamic")
def cudnnSetPersistentRNNPlan(
    rnnDesc: RNNDescriptor | int,
    plan: PersistentRNNPlan | int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
def cudnnSetRNNAlgorithmDescriptor(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    algoDesc: AlgorithmDescriptor | int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
def cudnnSetRNNBiasMode(rnnDesc: RNNDescriptor | int, biasMode: RNNBiasMode) -> None: ...
@_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
def cudnnSetRNNDescriptor_v6(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    hiddenSize: int,
    numLayers: int,
    dropoutDesc: DropoutDescriptor | int | None,
    inputMode: RNNInputMode,
    direction: DirectionMode,
    cellMode: RNNMode,
    algo: RNNAlgo,
    mathPrec: DataType,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
def cudnnSetRNNMatrixMathType(rnnDesc: RNNDescriptor | int, mType: MathType) -> None: ...
@_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
def cudnnSetRNNPaddingMode(
    rnnDesc: RNNDescriptor | int,
    paddingMode: RNNPaddedIO | int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
def cudnnSetRNNProjectionLayers(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    recProjSize: int,
    outProjSize: int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnAdvVersionCheck")
def cudnnAdvTrainVersionCheck() -> None: ...
@_removed("removed in 9.0.0")
def cudnnFindRNNBackwardDataAlgorithmEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    dyDesc: Sequence[int] | HostPointer,
    dy: DevicePointer,
    dhyDesc: TensorDescriptor | int | None,
    dhy: DevicePointer,
    dcyDesc: TensorDescriptor | int | None,
    dcy: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    dxDesc: Sequence[int] | HostPointer,
    dx: DevicePointer,
    dhxDesc: TensorDescriptor | int | None,
    dhx: DevicePointer,
    dcxDesc: TensorDescriptor | int | None,
    dcx: DevicePointer,
    findIntensity: float,
    requestedAlgoCount: int,
    perfResults: Sequence[int] | HostPointer,
    workspace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> int: ...
@_removed("removed in 9.0.0")
def cudnnFindRNNBackwardWeightsAlgorithmEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    findIntensity: float,
    requestedAlgoCount: int,
    perfResults: Sequence[int] | HostPointer,
    workspace: DevicePointer,
    workSpaceSizeInBytes: int,
    dwDesc: FilterDescriptor | int,
    dw: DevicePointer,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> int: ...
@_removed("removed in 9.0.0")
def cudnnFindRNNForwardTrainingAlgorithmEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    hyDesc: TensorDescriptor | int | None,
    hy: DevicePointer,
    cyDesc: TensorDescriptor | int | None,
    cy: DevicePointer,
    findIntensity: float,
    requestedAlgoCount: int,
    perfResults: Sequence[int] | HostPointer,
    workspace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> int: ...
@_removed("removed in 9.0.0")
def cudnnGetRNNBackwardDataAlgorithmMaxCount(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> int: ...
@_removed("removed in 9.0.0")
def cudnnGetRNNBackwardWeightsAlgorithmMaxCount(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> int: ...
@_removed("removed in 9.0.0")
def cudnnGetRNNForwardTrainingAlgorithmMaxCount(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
) -> int: ...
@_removed("removed in 9.0.0; use cudnnRNNBackwardData_v8")
def cudnnRNNBackwardData(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    dyDesc: Sequence[int] | HostPointer,
    dy: DevicePointer,
    dhyDesc: TensorDescriptor | int | None,
    dhy: DevicePointer,
    dcyDesc: TensorDescriptor | int | None,
    dcy: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    dxDesc: Sequence[int] | HostPointer,
    dx: DevicePointer,
    dhxDesc: TensorDescriptor | int | None,
    dhx: DevicePointer,
    dcxDesc: TensorDescriptor | int | None,
    dcx: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnRNNBackwardData_v8")
def cudnnRNNBackwardDataEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    yDesc: RNNDataDescriptor | int,
    y: DevicePointer,
    dyDesc: RNNDataDescriptor | int,
    dy: DevicePointer,
    dcDesc: RNNDataDescriptor | int | None,
    dcAttn: DevicePointer,
    dhyDesc: TensorDescriptor | int | None,
    dhy: DevicePointer,
    dcyDesc: TensorDescriptor | int | None,
    dcy: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    dxDesc: RNNDataDescriptor | int,
    dx: DevicePointer,
    dhxDesc: TensorDescriptor | int | None,
    dhx: DevicePointer,
    dcxDesc: TensorDescriptor | int | None,
    dcx: DevicePointer,
    dkDesc: RNNDataDescriptor | int | None,
    dkeys: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnRNNBackwardWeights_v8")
def cudnnRNNBackwardWeights(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    dwDesc: FilterDescriptor | int,
    dw: DevicePointer,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnRNNBackwardWeights_v8")
def cudnnRNNBackwardWeightsEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    xDesc: RNNDataDescriptor | int,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    yDesc: RNNDataDescriptor | int,
    y: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    dwDesc: FilterDescriptor | int,
    dw: DevicePointer,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnRNNForward")
def cudnnRNNForwardTraining(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    seqLength: int,
    xDesc: Sequence[int] | HostPointer,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    yDesc: Sequence[int] | HostPointer,
    y: DevicePointer,
    hyDesc: TensorDescriptor | int | None,
    hy: DevicePointer,
    cyDesc: TensorDescriptor | int | None,
    cy: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnRNNForward")
def cudnnRNNForwardTrainingEx(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    xDesc: RNNDataDescriptor | int,
    x: DevicePointer,
    hxDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    cxDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    wDesc: FilterDescriptor | int,
    w: DevicePointer,
    yDesc: RNNDataDescriptor | int,
    y: DevicePointer,
    hyDesc: TensorDescriptor | int | None,
    hy: DevicePointer,
    cyDesc: TensorDescriptor | int | None,
    cy: DevicePointer,
    kDesc: RNNDataDescriptor | int | None,
    keys: DevicePointer,
    cDesc: RNNDataDescriptor | int | None,
    cAttn: DevicePointer,
    iDesc: RNNDataDescriptor | int | None,
    iAttn: DevicePointer,
    qDesc: RNNDataDescriptor | int | None,
    queries: DevicePointer,
    workSpace: DevicePointer,
    workSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnCnnVersionCheck")
def cudnnCnnInferVersionCheck() -> None: ...
@_removed("removed in 9.0.0; use cudnnCnnVersionCheck")
def cudnnCnnTrainVersionCheck() -> None: ...
@_removed("removed in 9.0.0")
def cudnnCopyAlgorithmDescriptor(
    src: AlgorithmDescriptor | int,
    dest: AlgorithmDescriptor | int,
) -> None: ...
@_removed("removed in 9.0.0")
def cudnnCreateAlgorithmDescriptor() -> int: ...
@_removed("removed in 9.0.0")
def cudnnCreateAlgorithmPerformance(numberToCreate: int) -> tuple[int, ...]: ...
@_removed("removed in 9.0.0")
def cudnnDestroyAlgorithmDescriptor(algoDesc: AlgorithmDescriptor | int) -> None: ...
@_removed("removed in 9.0.0")
def cudnnDestroyAlgorithmPerformance(
    algoPerf: Sequence[int] | HostPointer,
    numberToDestroy: int,
) -> None: ...
@_removed("removed in 9.0.0")
def cudnnGetAlgorithmDescriptor(algoDesc: AlgorithmDescriptor | int) -> Algorithm: ...
@_removed("removed in 9.0.0")
def cudnnGetAlgorithmPerformance(
    algoPerf: HostPointer,
) -> _ops_infer.GetAlgorithmPerformanceResult: ...
@_removed("removed in 9.0.0")
def cudnnGetAlgorithmSpaceSize(
    handle: Handle | int,
    algoDesc: AlgorithmDescriptor | int,
) -> int: ...
@_removed("removed in 9.0.0; use cudnnOpsVersionCheck")
def cudnnOpsInferVersionCheck() -> None: ...
@_removed("removed in 9.0.0")
def cudnnRestoreAlgorithm(
    handle: Handle | int,
    algoSpace: HostPointer,
    algoSpaceSizeInBytes: int,
    algoDesc: AlgorithmDescriptor | int,
) -> None: ...
@_removed("removed in 9.0.0")
def cudnnSaveAlgorithm(
    handle: Handle | int,
    algoDesc: AlgorithmDescriptor | int,
    algoSpace: HostPointer,
    algoSpaceSizeInBytes: int,
) -> None: ...
@_removed("removed in 9.0.0")
def cudnnSetAlgorithmDescriptor(
    algoDesc: AlgorithmDescriptor | int,
    algorithm: HostPointer,
) -> None: ...
@_removed("removed in 9.0.0")
def cudnnSetAlgorithmPerformance(
    algoPerf: HostPointer,
    algoDesc: AlgorithmDescriptor | int,
    status: Status,
    time: float,
    memory: int,
) -> None: ...
@_removed("removed in 9.0.0; use cudnnOpsVersionCheck")
def cudnnOpsTrainVersionCheck() -> None: ...
