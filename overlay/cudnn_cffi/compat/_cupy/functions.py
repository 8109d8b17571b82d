"""The functions of CuPy's `cupy_backends.cuda.libs.cudnn` but those of recurrent networks."""

from __future__ import annotations

from .._records import records_of
from .constants import *  # noqa: F403
from .raw import CuDNNAlgoPerf as CuDNNAlgoPerf
from .raw import CuDNNError as CuDNNError
from .raw import check_status as check_status
from .raw import getFilterNdDescriptor as getFilterNdDescriptor
from .raw import getVersion as getVersion
from .raw import raw
from .raw import setDropoutDescriptor as setDropoutDescriptor

get_build_version = getVersion

#: The functions that call one of cuDNN's; see `record_of`.
RECORDS = records_of(
    """
queryRuntimeError handle mode -> status
create -> int
destroy handle
setStream handle stream
getStream handle -> int
createTensorDescriptor -> int
destroyTensorDescriptor tensorDesc
setTensor4dDescriptor tensorDesc format dataType n c h w
setTensor4dDescriptorEx tensorDesc dataType n c h w nStride cStride hStride wStride
getTensor4dDescriptor tensorDesc -> tuple
setTensorNdDescriptor tensorDesc dataType nbDims dimA strideA
~addTensor_v3=AddTensor handle alpha@yDesc bDesc b beta@yDesc yDesc y
~setTensor handle yDesc y valuePtr@yDesc
~scaleTensor handle yDesc y alpha@yDesc
createOpTensorDescriptor -> int
destroyOpTensorDescriptor opTensorDesc
setOpTensorDescriptor opTensorDesc opTensorOp opTensorCompType opTensorNanOpt
getOpTensorDescriptor opTensorDesc -> tuple
~opTensor handle opTensorDesc alpha1@aDesc aDesc A alpha2@bDesc bDesc B beta@cDesc cDesc C
createReduceTensorDescriptor -> int
destroyReduceTensorDescriptor reduceTensorDesc
setReduceTensorDescriptor reduceTensorDesc reduceTensorOp reduceTensorCompType reduceTensorNanOpt
    reduceTensorIndices reduceTensorIndicesType
getReduceTensorDescriptor reduceTensorDesc -> tuple
getReductionIndicesSize handle reduceTensorDesc aDesc cDesc -> int
getReductionWorkspaceSize handle reduceTensorDesc aDesc cDesc -> int
~reduceTensor handle reduceTensorDesc indices indicesSizeInBytes workspace workspaceSizeInBytes
    alpha@aDesc aDesc A beta@cDesc cDesc C
createFilterDescriptor -> int
destroyFilterDescriptor filterDesc
setFilter4dDescriptor_v4=SetFilter4dDescriptor filterDesc dataType format k c h w
setFilterNdDescriptor_v4=SetFilterNdDescriptor filterDesc dataType format nbDims filterDimA
createConvolutionDescriptor -> int
destroyConvolutionDescriptor convDesc
setConvolutionMathType convDesc mathType
getConvolutionMathType convDesc -> int
setConvolutionGroupCount convDesc groupCount
getConvolutionGroupCount convDesc -> int
setConvolution2dDescriptor_v4=SetConvolution2dDescriptor convDesc pad_h pad_w u v dilation_h
    dilation_w mode 0
setConvolution2dDescriptor_v5=SetConvolution2dDescriptor convDesc pad_h pad_w u v dilation_h
    dilation_w mode computeType
setConvolutionNdDescriptor_v3=SetConvolutionNdDescriptor convDesc arrayLength padA filterStrideA
    dilationA mode dataType
findConvolutionForwardAlgorithm handle xDesc wDesc convDesc yDesc requestedAlgoCount -> dicts
~findConvolutionForwardAlgorithmEx handle xDesc x wDesc w convDesc yDesc y requestedAlgoCount
    workSpace workSpaceSizeInBytes -> times
~findConvolutionForwardAlgorithmEx_v7=FindConvolutionForwardAlgorithmEx handle xDesc x wDesc w
    convDesc yDesc y requestedAlgoCount workSpace workSpaceSizeInBytes -> perfs
getConvolutionForwardAlgorithm_v7 handle srcDesc filterDesc convDesc destDesc requestedAlgoCount
    -> perfs
getConvolutionForwardWorkspaceSize handle srcDesc filterDesc convDesc destDesc algo -> int
~convolutionForward handle alpha@destDesc srcDesc srcData filterDesc filterData convDesc algo
    workSpace workSpaceSizeInBytes beta@destDesc destDesc destData
~convolutionBackwardBias handle alpha@srcDesc srcDesc srcData beta@destDesc destDesc destData
findConvolutionBackwardFilterAlgorithm handle xDesc dyDesc convDesc dwDesc requestedAlgoCount ->
    dicts
~findConvolutionBackwardFilterAlgorithmEx handle xDesc x dyDesc dy convDesc dwDesc dw
    requestedAlgoCount workSpace workSpaceSizeInBytes -> times
~findConvolutionBackwardFilterAlgorithmEx_v7=FindConvolutionBackwardFilterAlgorithmEx handle xDesc
    x dyDesc dy convDesc dwDesc dw requestedAlgoCount workSpace workSpaceSizeInBytes -> perfs
getConvolutionBackwardFilterAlgorithm_v7 handle srcDesc diffDesc convDesc gradDesc
    requestedAlgoCount -> perfs
getConvolutionBackwardFilterWorkspaceSize handle srcDesc diffDesc convDesc filterDesc algo -> int
~convolutionBackwardFilter_v3=ConvolutionBackwardFilter handle alpha@srcDesc srcDesc srcData
    diffDesc diffData convDesc algo workSpace workSpaceSizeInBytes beta@srcDesc gradDesc gradData
findConvolutionBackwardDataAlgorithm handle wDesc dyDesc convDesc dxDesc requestedAlgoCount ->
    dicts
~findConvolutionBackwardDataAlgorithmEx handle wDesc w dyDesc dy convDesc dxDesc dx
    requestedAlgoCount workSpace workSpaceSizeInBytes -> times
~findConvolutionBackwardDataAlgorithmEx_v7=FindConvolutionBackwardDataAlgorithmEx handle wDesc w
    dyDesc dy convDesc dxDesc dx requestedAlgoCount workSpace workSpaceSizeInBytes -> perfs
getConvolutionBackwardDataAlgorithm_v7 handle filterDesc diffDesc convDesc gradDesc
    requestedAlgoCount -> perfs
getConvolutionBackwardDataWorkspaceSize handle filterDesc diffDesc convDesc gradDesc algo -> int
~convolutionBackwardData_v3=ConvolutionBackwardData handle alpha@gradDesc filterDesc filterData
    diffDesc diffData convDesc algo workSpace workSpaceSizeInBytes beta@gradDesc gradDesc gradData
getConvolutionForwardAlgorithm_v6=GetConvolutionForwardAlgorithm_v7 handle srcDesc filterDesc
    convDesc destDesc preference memoryLimitInbytes -> chosen
getConvolutionBackwardFilterAlgorithm_v6=GetConvolutionBackwardFilterAlgorithm_v7 handle srcDesc
    diffDesc convDesc filterDesc preference memoryLimitInbytes -> chosen
getConvolutionBackwardDataAlgorithm_v6=GetConvolutionBackwardDataAlgorithm_v7 handle filterDesc
    diffDesc convDesc gradDesc preference memoryLimitInbytes -> chosen
createPoolingDescriptor -> int
destroyPoolingDescriptor poolingDesc
setPooling2dDescriptor_v4=SetPooling2dDescriptor poolingDesc mode maxpoolingNanOpt windowHeight
    windowWidth verticalPadding horizontalPadding verticalStride horizontalStride
setPoolingNdDescriptor_v4=SetPoolingNdDescriptor poolingDesc mode maxpoolingNanOpt nbDims
    windowDimA paddingA strideA
~poolingForward handle poolingDesc alpha@srcDesc srcDesc srcData beta@dstDesc dstDesc dstData
~poolingBackward handle poolingDesc alpha@srcDesc srcDesc srcData srcDiffDesc srcDiffData destDesc
    destData beta@destDiffDesc destDiffDesc destDiffData
deriveBNTensorDescriptor derivedBnDesc xDesc mode
~batchNormalizationForwardTraining handle mode alpha@xDesc beta@xDesc xDesc x yDesc y
    bnScaleBiasMeanVarDesc bnScale bnBias exponentialAverageFactor resultRunningMean
    resultRunningVariance epsilon resultSaveMean resultSaveInvVariance
~batchNormalizationForwardInference handle mode alpha@xDesc beta@xDesc xDesc x yDesc y
    bnScaleBiasMeanVarDesc bnScale bnBias estimatedMean estimatedVariance epsilon
~batchNormalizationBackward handle mode alphaDataDiff@xDesc betaDataDiff@xDesc
    alphaParamDiff@xDesc betaParamDiff@xDesc xDesc x dyDesc dy dxDesc dx dBnScaleBiasDesc bnScale
    dBnScaleResult dBnBiasResult epsilon savedMean savedInvVariance
~batchNormalizationForwardTrainingEx handle mode bnOps alpha@xDesc beta@xDesc xDesc x zDesc z
    yDesc y bnScaleBiasMeanVarDesc bnScale bnBias exponentialAverageFactor resultRunningMean
    resultRunningVariance epsilon resultSaveMean resultSaveInvVariance activationDesc workSpace
    workSpaceSizeInBytes reserveSpace reserveSpaceSizeInBytes
getBatchNormalizationForwardTrainingExWorkspaceSize handle mode bnOps xDesc zDesc yDesc
    bnScaleBiasMeanVarDesc activationDesc -> int
~batchNormalizationBackwardEx handle mode bnops alphaDataDiff@xDesc betaDataDiff@xDesc
    alphaParamDiff@xDesc betaParamDiff@xDesc xDesc x yDesc y dyDesc dy dzDesc dz dxDesc dx
    dBnScaleBiasDesc bnScaleData bnBiasData dBnScaleData dBnBiasData epsilon savedMean
    savedInvVariance activationDesc workSpace workSpaceSizeInBytes reserveSpace
    reserveSpaceSizeInBytes
getBatchNormalizationBackwardExWorkspaceSize handle mode bnOps xDesc yDesc dyDesc dzDesc dxDesc
    dBnScaleBiasDesc activationDesc -> int
getBatchNormalizationTrainingExReserveSpaceSize handle mode bnOps activationDesc xDesc -> int
createActivationDescriptor -> int
destroyActivationDescriptor activationDesc
setActivationDescriptor activationDesc mode reluNanOpt reluCeiling
~activationForward_v4=ActivationForward handle activationDesc alpha@srcDesc srcDesc srcData
    beta@dstDesc dstDesc dstData
~activationBackward_v4=ActivationBackward handle activationDesc alpha@srcDesc srcDesc srcData
    srcDiffDesc srcDiffData destDesc destData beta@destDiffDesc destDiffDesc destDiffData
~softmaxForward handle algorithm mode alpha@srcDesc srcDesc srcData beta@dstDesc dstDesc dstData
~softmaxBackward handle algorithm mode alpha@srcDesc srcDesc srcData srcDiffDesc srcDiffData
    beta@destDiffDesc destDiffDesc destDiffData
createDropoutDescriptor -> int
destroyDropoutDescriptor dropoutDesc
dropoutGetStatesSize handle -> int
getDropoutReserveSpaceSize=DropoutGetReserveSpaceSize xDesc -> int
~dropoutForward handle dropoutDesc srcDesc srcData dstDesc dstData reserveSpace
    reserveSpaceSizeInBytes
~dropoutBackward handle dropoutDesc dyDesc dyData dxDesc dxData reserveSpace
    reserveSpaceSizeInBytes
createCTCLossDescriptor -> int
destroyCTCLossDescriptor ctcLossDesc
setCTCLossDescriptor ctcLossDesc dataType
getCTCLossDescriptor ctcLossDesc -> int
getCTCLossWorkspaceSize handle probsDesc gradientsDesc labels labelLengths inputLengths algo
    ctcLossDesc -> int
~CTCLoss handle probsDesc probs labels labelLengths inputLengths costs gradientsDesc gradients
    algo ctcLossDesc workspace workSpaceSizeInBytes
createRNNDataDescriptor -> int
createSpatialTransformerDescriptor -> int
destroySpatialTransformerDescriptor stDesc
setSpatialTransformerDescriptor=SetSpatialTransformerNdDescriptor stDesc samplerType dataType
    nbDims dimA
~spatialTfGridGeneratorForward handle stDesc theta grid
~spatialTfGridGeneratorBackward handle stDesc dgrid dtheta
~spatialTfSamplerForward handle stDesc alpha@xDesc xDesc x grid beta@yDesc yDesc y
~spatialTfSamplerBackward handle stDesc alpha@xDesc xDesc x beta@dxDesc dxDesc dx alphaDgrid@xDesc
    dyDesc dy grid betaDgrid@xDesc dgrid
createFusedOpsConstParamPack ops -> int
destroyFusedOpsConstParamPack constPack
setFusedOpsConstParamPackAttribute constPack paramLabel param
getFusedOpsConstParamPackAttribute constPack paramLabel param -> int
createFusedOpsVariantParamPack ops -> int
destroyFusedOpsVariantParamPack varPack
setFusedOpsVariantParamPackAttribute varPack paramLabel ptr
getFusedOpsVariantParamPackAttribute varPack paramLabel ptr -> int
createFusedOpsPlan ops -> int
destroyFusedOpsPlan plan
~makeFusedOpsPlan handle plan constPack -> int
~fusedOpsExecute handle plan varPack
""",
    "cudnn",
)
globals().update(
    (name, raw(each, f"{__package__.rpartition('.')[0]}.cupy_backends_cudnn"))
    for name, each in RECORDS.items()
)

__all__ = [
    *("CuDNNAlgoPerf", "CuDNNError", "check_status", "get_build_version", "getVersion"),
    *("getFilterNdDescriptor", "setDropoutDescriptor", *RECORDS),
    *(each for each in globals() if each.startswith("CUDNN_")),
]
