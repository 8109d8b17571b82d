"""The functions of CuPy 13's `cupy_backends.cuda.libs.cudnn`, on the cuDNN that is loaded.

Handles, descriptors and pointers are ints; so are results. Scaling factors are addresses of host
memory. Functions that compute do so in CuPy's current stream. Constants and numbers of statuses are
those of CuPy, which are those of cuDNN 8. In the place of pointers, arrays of any library and
pointers of ctypes are accepted, and numbers in the place of scaling factors.

Recurrent functions that cuDNN 9 no longer has go to those of its version 8 interface; see
docs/porting/cupy.md.
"""

from __future__ import annotations

import ctypes
from typing import Any

from .. import errors
from ._algorithms import ALL, choose
from ._calls import calls
from ._cupy import raw as _cupy_raw
from ._cupy import recurrent as _cupy_recurrent
from ._cupy import recurrent_calls as _cupy_recurrent_calls
from ._cupy.constants import *  # noqa: F403
from ._cupy.raw import follow, name, raised, raw
from ._statuses import old_number


def _perfs(found: Any) -> list[_cupy_raw.CuDNNAlgoPerf]:
    return [_cupy_raw.CuDNNAlgoPerf.of(each) for each in found]


def _times(found: Any) -> list[_cupy_raw.CuDNNAlgoPerf]:
    """Return records as cuDNN 6 had them, without determinism and math type."""
    return [
        _cupy_raw.CuDNNAlgoPerf(
            int(each.algo), old_number(each.status), each.time, each.memory, -1, -1
        )
        for each in found
    ]


def _dicts(found: Any) -> list[dict[str, Any]]:
    return [
        {name: getattr(each, name) for name in ("algo", "status", "time", "memory")}
        for each in _times(found)
    ]


CuDNNAlgoPerf = _cupy_raw.CuDNNAlgoPerf
CuDNNError = _cupy_raw.CuDNNError
check_status = _cupy_raw.check_status

# Version, handles, streams


def __getattr__(name: str) -> bool:
    """Return whether a cuDNN can be loaded, for the attribute `available`."""
    if name != "available":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return bool(calls.cudnnGetVersion())
    except errors.LibraryError:
        return False


def getVersion() -> int:
    """Return the release of the loaded cuDNN, such as 91900 for 9.19.0."""
    return int(calls.cudnnGetVersion())


get_build_version = getVersion

queryRuntimeError = raw("cudnnQueryRuntimeError", "handle mode", result=old_number)
create = raw("cudnnCreate", "")
destroy = raw("cudnnDestroy", "handle")
setStream = raw("cudnnSetStream", "handle stream")
getStream = raw("cudnnGetStream", "handle")

# Tensors

createTensorDescriptor = raw("cudnnCreateTensorDescriptor", "")
destroyTensorDescriptor = raw("cudnnDestroyTensorDescriptor", "tensorDesc")
setTensor4dDescriptor = raw("cudnnSetTensor4dDescriptor", "tensorDesc format dataType n c h w")
setTensor4dDescriptorEx = raw(
    "cudnnSetTensor4dDescriptorEx",
    "tensorDesc dataType n c h w nStride cStride hStride wStride",
)
getTensor4dDescriptor = raw("cudnnGetTensor4dDescriptor", "tensorDesc")
setTensorNdDescriptor = raw("cudnnSetTensorNdDescriptor", "tensorDesc dataType nbDims dimA strideA")
addTensor_v3 = raw("~cudnnAddTensor", "handle alpha@yDesc bDesc b beta@yDesc yDesc y")
setTensor = raw("~cudnnSetTensor", "handle yDesc y valuePtr@yDesc")
scaleTensor = raw("~cudnnScaleTensor", "handle yDesc y alpha@yDesc")

createOpTensorDescriptor = raw("cudnnCreateOpTensorDescriptor", "")
destroyOpTensorDescriptor = raw("cudnnDestroyOpTensorDescriptor", "opTensorDesc")
setOpTensorDescriptor = raw(
    "cudnnSetOpTensorDescriptor", "opTensorDesc opTensorOp opTensorCompType opTensorNanOpt"
)
getOpTensorDescriptor = raw("cudnnGetOpTensorDescriptor", "opTensorDesc")
opTensor = raw(
    "~cudnnOpTensor",
    "handle opTensorDesc alpha1@aDesc aDesc A alpha2@bDesc bDesc B beta@cDesc cDesc C",
)

createReduceTensorDescriptor = raw("cudnnCreateReduceTensorDescriptor", "")
destroyReduceTensorDescriptor = raw("cudnnDestroyReduceTensorDescriptor", "reduceTensorDesc")
setReduceTensorDescriptor = raw(
    "cudnnSetReduceTensorDescriptor",
    "reduceTensorDesc reduceTensorOp reduceTensorCompType reduceTensorNanOpt "
    "reduceTensorIndices reduceTensorIndicesType",
)
getReduceTensorDescriptor = raw("cudnnGetReduceTensorDescriptor", "reduceTensorDesc")
getReductionIndicesSize = raw("cudnnGetReductionIndicesSize", "handle reduceTensorDesc aDesc cDesc")
getReductionWorkspaceSize = raw(
    "cudnnGetReductionWorkspaceSize", "handle reduceTensorDesc aDesc cDesc"
)
reduceTensor = raw(
    "~cudnnReduceTensor",
    "handle reduceTensorDesc indices indicesSizeInBytes workspace workspaceSizeInBytes "
    "alpha@aDesc aDesc A beta@cDesc cDesc C",
)

# Filters

createFilterDescriptor = raw("cudnnCreateFilterDescriptor", "")
destroyFilterDescriptor = raw("cudnnDestroyFilterDescriptor", "filterDesc")
setFilter4dDescriptor_v4 = raw("cudnnSetFilter4dDescriptor", "filterDesc dataType format k c h w")
setFilterNdDescriptor_v4 = raw(
    "cudnnSetFilterNdDescriptor", "filterDesc dataType format nbDims filterDimA"
)


def getFilterNdDescriptor(wDesc: int, nbDimsRequested: int) -> tuple[Any, ...]:
    """Call `cudnnGetFilterNdDescriptor`; extents that were asked for and are not there are 0."""
    with raised():
        if nbDimsRequested < 1:
            raise errors.BadParamError(f"nbDimsRequested: {nbDimsRequested} is less than 1")
        got = calls.cudnnGetFilterNdDescriptor(wDesc, nbDimsRequested)
    missing = (0,) * (nbDimsRequested - len(got.filterDimA))
    return int(got.dataType), int(got.format), got.nbDims, (*got.filterDimA, *missing)


# Convolutions

createConvolutionDescriptor = raw("cudnnCreateConvolutionDescriptor", "")
destroyConvolutionDescriptor = raw("cudnnDestroyConvolutionDescriptor", "convDesc")
setConvolutionMathType = raw("cudnnSetConvolutionMathType", "convDesc mathType")
getConvolutionMathType = raw("cudnnGetConvolutionMathType", "convDesc")
setConvolutionGroupCount = raw("cudnnSetConvolutionGroupCount", "convDesc groupCount")
getConvolutionGroupCount = raw("cudnnGetConvolutionGroupCount", "convDesc")
setConvolution2dDescriptor_v4 = raw(
    "cudnnSetConvolution2dDescriptor",
    "convDesc pad_h pad_w u v dilation_h dilation_w mode",
    more=(CUDNN_DATA_FLOAT,),  # noqa: F405
)
setConvolution2dDescriptor_v5 = raw(
    "cudnnSetConvolution2dDescriptor",
    "convDesc pad_h pad_w u v dilation_h dilation_w mode computeType",
)
setConvolutionNdDescriptor_v3 = raw(
    "cudnnSetConvolutionNdDescriptor",
    "convDesc arrayLength padA filterStrideA dilationA mode dataType",
)

findConvolutionForwardAlgorithm = raw(
    "cudnnFindConvolutionForwardAlgorithm",
    "handle xDesc wDesc convDesc yDesc requestedAlgoCount",
    result=_dicts,
)
findConvolutionForwardAlgorithmEx = raw(
    "~cudnnFindConvolutionForwardAlgorithmEx",
    "handle xDesc x wDesc w convDesc yDesc y requestedAlgoCount workSpace workSpaceSizeInBytes",
    result=_times,
)
findConvolutionForwardAlgorithmEx_v7 = raw(
    "~cudnnFindConvolutionForwardAlgorithmEx",
    "handle xDesc x wDesc w convDesc yDesc y requestedAlgoCount workSpace workSpaceSizeInBytes",
    result=_perfs,
)
getConvolutionForwardAlgorithm_v7 = raw(
    "cudnnGetConvolutionForwardAlgorithm_v7",
    "handle srcDesc filterDesc convDesc destDesc requestedAlgoCount",
    result=_perfs,
)
getConvolutionForwardWorkspaceSize = raw(
    "cudnnGetConvolutionForwardWorkspaceSize",
    "handle srcDesc filterDesc convDesc destDesc algo",
)
convolutionForward = raw(
    "~cudnnConvolutionForward",
    "handle alpha@destDesc srcDesc srcData filterDesc filterData convDesc algo workSpace "
    "workSpaceSizeInBytes beta@destDesc destDesc destData",
)
convolutionBackwardBias = raw(
    "~cudnnConvolutionBackwardBias",
    "handle alpha@srcDesc srcDesc srcData beta@destDesc destDesc destData",
)

findConvolutionBackwardFilterAlgorithm = raw(
    "cudnnFindConvolutionBackwardFilterAlgorithm",
    "handle xDesc dyDesc convDesc dwDesc requestedAlgoCount",
    result=_dicts,
)
findConvolutionBackwardFilterAlgorithmEx = raw(
    "~cudnnFindConvolutionBackwardFilterAlgorithmEx",
    "handle xDesc x dyDesc dy convDesc dwDesc dw requestedAlgoCount workSpace workSpaceSizeInBytes",
    result=_times,
)
findConvolutionBackwardFilterAlgorithmEx_v7 = raw(
    "~cudnnFindConvolutionBackwardFilterAlgorithmEx",
    "handle xDesc x dyDesc dy convDesc dwDesc dw requestedAlgoCount workSpace workSpaceSizeInBytes",
    result=_perfs,
)
getConvolutionBackwardFilterAlgorithm_v7 = raw(
    "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
    "handle srcDesc diffDesc convDesc gradDesc requestedAlgoCount",
    result=_perfs,
)
getConvolutionBackwardFilterWorkspaceSize = raw(
    "cudnnGetConvolutionBackwardFilterWorkspaceSize",
    "handle srcDesc diffDesc convDesc filterDesc algo",
)
convolutionBackwardFilter_v3 = raw(
    "~cudnnConvolutionBackwardFilter",
    "handle alpha@srcDesc srcDesc srcData diffDesc diffData convDesc algo workSpace "
    "workSpaceSizeInBytes beta@srcDesc gradDesc gradData",
)

findConvolutionBackwardDataAlgorithm = raw(
    "cudnnFindConvolutionBackwardDataAlgorithm",
    "handle wDesc dyDesc convDesc dxDesc requestedAlgoCount",
    result=_dicts,
)
findConvolutionBackwardDataAlgorithmEx = raw(
    "~cudnnFindConvolutionBackwardDataAlgorithmEx",
    "handle wDesc w dyDesc dy convDesc dxDesc dx requestedAlgoCount workSpace workSpaceSizeInBytes",
    result=_times,
)
findConvolutionBackwardDataAlgorithmEx_v7 = raw(
    "~cudnnFindConvolutionBackwardDataAlgorithmEx",
    "handle wDesc w dyDesc dy convDesc dxDesc dx requestedAlgoCount workSpace workSpaceSizeInBytes",
    result=_perfs,
)
getConvolutionBackwardDataAlgorithm_v7 = raw(
    "cudnnGetConvolutionBackwardDataAlgorithm_v7",
    "handle filterDesc diffDesc convDesc gradDesc requestedAlgoCount",
    result=_perfs,
)
getConvolutionBackwardDataWorkspaceSize = raw(
    "cudnnGetConvolutionBackwardDataWorkspaceSize",
    "handle filterDesc diffDesc convDesc gradDesc algo",
)
convolutionBackwardData_v3 = raw(
    "~cudnnConvolutionBackwardData",
    "handle alpha@gradDesc filterDesc filterData diffDesc diffData convDesc algo workSpace "
    "workSpaceSizeInBytes beta@gradDesc gradDesc gradData",
)


def getConvolutionForwardAlgorithm_v6(
    handle: int, srcDesc: int, filterDesc: int, convDesc: int, destDesc: int, preference: int,
    memoryLimitInbytes: int,
) -> int:  # fmt: skip
    """Return the best algorithm by `cudnnGetConvolutionForwardAlgorithm_v7`."""
    with raised():
        get = calls.cudnnGetConvolutionForwardAlgorithm_v7
        found = get(handle, srcDesc, filterDesc, convDesc, destDesc, ALL)
        return choose(found, preference, memoryLimitInbytes)


def getConvolutionBackwardFilterAlgorithm_v6(
    handle: int, srcDesc: int, diffDesc: int, convDesc: int, filterDesc: int, preference: int,
    memoryLimitInbytes: int,
) -> int:  # fmt: skip
    """Return the best algorithm by `cudnnGetConvolutionBackwardFilterAlgorithm_v7`."""
    with raised():
        get = calls.cudnnGetConvolutionBackwardFilterAlgorithm_v7
        found = get(handle, srcDesc, diffDesc, convDesc, filterDesc, ALL)
        return choose(found, preference, memoryLimitInbytes)


def getConvolutionBackwardDataAlgorithm_v6(
    handle: int, filterDesc: int, diffDesc: int, convDesc: int, gradDesc: int, preference: int,
    memoryLimitInbytes: int,
) -> int:  # fmt: skip
    """Return the best algorithm by `cudnnGetConvolutionBackwardDataAlgorithm_v7`."""
    with raised():
        get = calls.cudnnGetConvolutionBackwardDataAlgorithm_v7
        found = get(handle, filterDesc, diffDesc, convDesc, gradDesc, ALL)
        return choose(found, preference, memoryLimitInbytes)


# Pooling

createPoolingDescriptor = raw("cudnnCreatePoolingDescriptor", "")
destroyPoolingDescriptor = raw("cudnnDestroyPoolingDescriptor", "poolingDesc")
setPooling2dDescriptor_v4 = raw(
    "cudnnSetPooling2dDescriptor",
    "poolingDesc mode maxpoolingNanOpt windowHeight windowWidth verticalPadding "
    "horizontalPadding verticalStride horizontalStride",
)
setPoolingNdDescriptor_v4 = raw(
    "cudnnSetPoolingNdDescriptor",
    "poolingDesc mode maxpoolingNanOpt nbDims windowDimA paddingA strideA",
)
poolingForward = raw(
    "~cudnnPoolingForward",
    "handle poolingDesc alpha@srcDesc srcDesc srcData beta@dstDesc dstDesc dstData",
)
poolingBackward = raw(
    "~cudnnPoolingBackward",
    "handle poolingDesc alpha@srcDesc srcDesc srcData srcDiffDesc srcDiffData destDesc destData "
    "beta@destDiffDesc destDiffDesc destDiffData",
)

# Batch normalization

deriveBNTensorDescriptor = raw("cudnnDeriveBNTensorDescriptor", "derivedBnDesc xDesc mode")
batchNormalizationForwardTraining = raw(
    "~cudnnBatchNormalizationForwardTraining",
    "handle mode alpha@xDesc beta@xDesc xDesc x yDesc y bnScaleBiasMeanVarDesc bnScale bnBias "
    "exponentialAverageFactor resultRunningMean resultRunningVariance epsilon resultSaveMean "
    "resultSaveInvVariance",
)
batchNormalizationForwardInference = raw(
    "~cudnnBatchNormalizationForwardInference",
    "handle mode alpha@xDesc beta@xDesc xDesc x yDesc y bnScaleBiasMeanVarDesc bnScale bnBias "
    "estimatedMean estimatedVariance epsilon",
)
batchNormalizationBackward = raw(
    "~cudnnBatchNormalizationBackward",
    "handle mode alphaDataDiff@xDesc betaDataDiff@xDesc alphaParamDiff@xDesc betaParamDiff@xDesc "
    "xDesc x dyDesc dy dxDesc dx dBnScaleBiasDesc bnScale dBnScaleResult dBnBiasResult epsilon "
    "savedMean savedInvVariance",
)
batchNormalizationForwardTrainingEx = raw(
    "~cudnnBatchNormalizationForwardTrainingEx",
    "handle mode bnOps alpha@xDesc beta@xDesc xDesc x zDesc z yDesc y bnScaleBiasMeanVarDesc "
    "bnScale bnBias exponentialAverageFactor resultRunningMean resultRunningVariance epsilon "
    "resultSaveMean resultSaveInvVariance activationDesc workSpace workSpaceSizeInBytes "
    "reserveSpace reserveSpaceSizeInBytes",
)
getBatchNormalizationForwardTrainingExWorkspaceSize = raw(
    "cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize",
    "handle mode bnOps xDesc zDesc yDesc bnScaleBiasMeanVarDesc activationDesc",
)
batchNormalizationBackwardEx = raw(
    "~cudnnBatchNormalizationBackwardEx",
    "handle mode bnops alphaDataDiff@xDesc betaDataDiff@xDesc alphaParamDiff@xDesc "
    "betaParamDiff@xDesc xDesc x yDesc y dyDesc dy dzDesc dz dxDesc dx dBnScaleBiasDesc "
    "bnScaleData bnBiasData dBnScaleData dBnBiasData epsilon savedMean savedInvVariance "
    "activationDesc workSpace workSpaceSizeInBytes reserveSpace reserveSpaceSizeInBytes",
)
getBatchNormalizationBackwardExWorkspaceSize = raw(
    "cudnnGetBatchNormalizationBackwardExWorkspaceSize",
    "handle mode bnOps xDesc yDesc dyDesc dzDesc dxDesc dBnScaleBiasDesc activationDesc",
)
getBatchNormalizationTrainingExReserveSpaceSize = raw(
    "cudnnGetBatchNormalizationTrainingExReserveSpaceSize",
    "handle mode bnOps activationDesc xDesc",
)

# Activation and softmax

createActivationDescriptor = raw("cudnnCreateActivationDescriptor", "")
destroyActivationDescriptor = raw("cudnnDestroyActivationDescriptor", "activationDesc")
setActivationDescriptor = raw(
    "cudnnSetActivationDescriptor", "activationDesc mode reluNanOpt reluCeiling"
)
activationForward_v4 = raw(
    "~cudnnActivationForward",
    "handle activationDesc alpha@srcDesc srcDesc srcData beta@dstDesc dstDesc dstData",
)
activationBackward_v4 = raw(
    "~cudnnActivationBackward",
    "handle activationDesc alpha@srcDesc srcDesc srcData srcDiffDesc srcDiffData destDesc "
    "destData beta@destDiffDesc destDiffDesc destDiffData",
)
softmaxForward = raw(
    "~cudnnSoftmaxForward",
    "handle algorithm mode alpha@srcDesc srcDesc srcData beta@dstDesc dstDesc dstData",
)
softmaxBackward = raw(
    "~cudnnSoftmaxBackward",
    "handle algorithm mode alpha@srcDesc srcDesc srcData srcDiffDesc srcDiffData "
    "beta@destDiffDesc destDiffDesc destDiffData",
)

# Dropout

createDropoutDescriptor = raw("cudnnCreateDropoutDescriptor", "")
destroyDropoutDescriptor = raw("cudnnDestroyDropoutDescriptor", "dropoutDesc")
dropoutGetStatesSize = raw("cudnnDropoutGetStatesSize", "handle")
getDropoutReserveSpaceSize = raw("cudnnDropoutGetReserveSpaceSize", "xDesc")
dropoutForward = raw(
    "~cudnnDropoutForward",
    "handle dropoutDesc srcDesc srcData dstDesc dstData reserveSpace reserveSpaceSizeInBytes",
)
dropoutBackward = raw(
    "~cudnnDropoutBackward",
    "handle dropoutDesc dyDesc dyData dxDesc dxData reserveSpace reserveSpaceSizeInBytes",
)


def setDropoutDescriptor(
    dropoutDesc: int, handle: int, dropout: float, states: Any, stateSizeInBytes: int, seed: int
) -> None:
    """Call `cudnnSetDropoutDescriptor`, in CuPy's current stream; without states they stay."""
    with raised():
        follow(handle)
        calls.cudnnSetDropoutDescriptor(
            dropoutDesc, handle, dropout, states, stateSizeInBytes, seed
        )


# CTC loss

createCTCLossDescriptor = raw("cudnnCreateCTCLossDescriptor", "")
destroyCTCLossDescriptor = raw("cudnnDestroyCTCLossDescriptor", "ctcLossDesc")
setCTCLossDescriptor = raw("cudnnSetCTCLossDescriptor", "ctcLossDesc dataType")
getCTCLossDescriptor = raw("cudnnGetCTCLossDescriptor", "ctcLossDesc")
getCTCLossWorkspaceSize = raw(
    "cudnnGetCTCLossWorkspaceSize",
    "handle probsDesc gradientsDesc labels labelLengths inputLengths algo ctcLossDesc",
)
CTCLoss = raw(
    "~cudnnCTCLoss",
    "handle probsDesc probs labels labelLengths inputLengths costs gradientsDesc gradients algo "
    "ctcLossDesc workspace workSpaceSizeInBytes",
)

# Recurrent networks

createRNNDescriptor = _cupy_recurrent.createRNNDescriptor
destroyRNNDescriptor = _cupy_recurrent.destroyRNNDescriptor
setRNNDescriptor_v5 = _cupy_recurrent.setRNNDescriptor_v5
setRNNDescriptor_v6 = _cupy_recurrent.setRNNDescriptor_v6
setRNNPaddingMode = _cupy_recurrent.setRNNPaddingMode
getRNNPaddingMode = _cupy_recurrent.getRNNPaddingMode
getRNNDataDescriptor = _cupy_recurrent.getRNNDataDescriptor
getRNNWorkspaceSize = _cupy_recurrent.getRNNWorkspaceSize
getRNNTrainingReserveSize = _cupy_recurrent.getRNNTrainingReserveSize
getRNNParamsSize = _cupy_recurrent.getRNNParamsSize
getRNNLinLayerMatrixParams = _cupy_recurrent.getRNNLinLayerMatrixParams
getRNNLinLayerBiasParams = _cupy_recurrent.getRNNLinLayerBiasParams
RNNForwardInference = _cupy_recurrent_calls.RNNForwardInference
RNNForwardTraining = _cupy_recurrent_calls.RNNForwardTraining
RNNBackwardData = _cupy_recurrent_calls.RNNBackwardData
RNNBackwardWeights = _cupy_recurrent_calls.RNNBackwardWeights
RNNForwardInferenceEx = _cupy_recurrent_calls.RNNForwardInferenceEx
RNNForwardTrainingEx = _cupy_recurrent_calls.RNNForwardTrainingEx
RNNBackwardDataEx = _cupy_recurrent_calls.RNNBackwardDataEx
RNNBackwardWeightsEx = _cupy_recurrent_calls.RNNBackwardWeightsEx
createRNNDataDescriptor = raw("cudnnCreateRNNDataDescriptor", "")


def destroyRNNDataDescriptor(RNNDataDesc: int) -> None:
    """Call `cudnnDestroyRNNDataDescriptor`."""
    _cupy_recurrent.known_data.pop(RNNDataDesc, None)
    with raised():
        if RNNDataDesc:
            calls.cudnnDestroyRNNDataDescriptor(RNNDataDesc)


#: The fill after the ends of sequences, whatever their type.
_ZEROS = (ctypes.c_char * 8)()


def setRNNDataDescriptor(
    RNNDataDesc: int, dataType: int, layout: int, maxSeqLength: int, batchSize: int,
    vectorSize: int, seqLengthArray: Any, paddingFill: Any,
) -> None:  # fmt: skip
    """Call `cudnnSetRNNDataDescriptor`; lengths and fill are at addresses of host memory."""
    _cupy_recurrent.known_data.pop(RNNDataDesc, None)
    fill = paddingFill or _ZEROS
    if type(fill) is int:
        fill = (ctypes.c_char * 8).from_address(fill)
    with raised():
        calls.cudnnSetRNNDataDescriptor(
            RNNDataDesc, dataType, layout, maxSeqLength, batchSize, vectorSize, seqLengthArray, fill
        )


createPersistentRNNPlan = _cupy_recurrent.createPersistentRNNPlan
setPersistentRNNPlan = _cupy_recurrent.setPersistentRNNPlan
destroyPersistentRNNPlan = _cupy_recurrent.destroyPersistentRNNPlan


# Spatial transformer

createSpatialTransformerDescriptor = raw("cudnnCreateSpatialTransformerDescriptor", "")
destroySpatialTransformerDescriptor = raw("cudnnDestroySpatialTransformerDescriptor", "stDesc")
setSpatialTransformerDescriptor = raw(
    "cudnnSetSpatialTransformerNdDescriptor", "stDesc samplerType dataType nbDims dimA"
)
spatialTfGridGeneratorForward = raw(
    "~cudnnSpatialTfGridGeneratorForward", "handle stDesc theta grid"
)
spatialTfGridGeneratorBackward = raw(
    "~cudnnSpatialTfGridGeneratorBackward", "handle stDesc dgrid dtheta"
)
spatialTfSamplerForward = raw(
    "~cudnnSpatialTfSamplerForward",
    "handle stDesc alpha@xDesc xDesc x grid beta@yDesc yDesc y",
)
spatialTfSamplerBackward = raw(
    "~cudnnSpatialTfSamplerBackward",
    "handle stDesc alpha@xDesc xDesc x beta@dxDesc dxDesc dx alphaDgrid@xDesc dyDesc dy grid "
    "betaDgrid@xDesc dgrid",
)

# Fused operations

createFusedOpsConstParamPack = raw("cudnnCreateFusedOpsConstParamPack", "ops")
destroyFusedOpsConstParamPack = raw("cudnnDestroyFusedOpsConstParamPack", "constPack")
setFusedOpsConstParamPackAttribute = raw(
    "cudnnSetFusedOpsConstParamPackAttribute", "constPack paramLabel param"
)
getFusedOpsConstParamPackAttribute = raw(
    "cudnnGetFusedOpsConstParamPackAttribute", "constPack paramLabel param"
)
createFusedOpsVariantParamPack = raw("cudnnCreateFusedOpsVariantParamPack", "ops")
destroyFusedOpsVariantParamPack = raw("cudnnDestroyFusedOpsVariantParamPack", "varPack")
setFusedOpsVariantParamPackAttribute = raw(
    "cudnnSetFusedOpsVariantParamPackAttribute", "varPack paramLabel ptr"
)
getFusedOpsVariantParamPackAttribute = raw(
    "cudnnGetFusedOpsVariantParamPackAttribute", "varPack paramLabel ptr"
)
createFusedOpsPlan = raw("cudnnCreateFusedOpsPlan", "ops")
destroyFusedOpsPlan = raw("cudnnDestroyFusedOpsPlan", "plan")
makeFusedOpsPlan = raw("~cudnnMakeFusedOpsPlan", "handle plan constPack")
fusedOpsExecute = raw("~cudnnFusedOpsExecute", "handle plan varPack")

name(globals(), __name__)

_HELPERS = {"calls", "choose", "follow", "name", "old_number", "raised", "raw", "without"}

#: Constants, functions and classes of CuPy's, without what this module imports.
__all__ = [
    each
    for each, value in sorted(globals().items())
    if each.startswith("CUDNN_")
    or (
        each[0] != "_"
        and callable(value)
        and str(getattr(value, "__module__", "")).startswith(str(__package__))
        and each not in _HELPERS
    )
]
