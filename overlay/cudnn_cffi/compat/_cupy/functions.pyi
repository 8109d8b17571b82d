# Written by scripts/stubs.py from the records of functions: change these.

from .._records import Record
from .constants import *
from .raw import CuDNNAlgoPerf as CuDNNAlgoPerf
from .raw import CuDNNError as CuDNNError
from .raw import check_status as check_status
from .raw import getFilterNdDescriptor as getFilterNdDescriptor
from .raw import getVersion as getVersion
from .raw import setDropoutDescriptor as setDropoutDescriptor

RECORDS: dict[str, Record]

def queryRuntimeError(handle: object, mode: object) -> int: ...
def create() -> int: ...
def destroy(handle: object) -> None: ...
def setStream(handle: object, stream: object) -> None: ...
def getStream(handle: object) -> int: ...
def createTensorDescriptor() -> int: ...
def destroyTensorDescriptor(tensorDesc: object) -> None: ...
def setTensor4dDescriptor(
    tensorDesc: object, format: object, dataType: object, n: object, c: object, h: object, w: object
) -> None: ...
def setTensor4dDescriptorEx(
    tensorDesc: object,
    dataType: object,
    n: object,
    c: object,
    h: object,
    w: object,
    nStride: object,
    cStride: object,
    hStride: object,
    wStride: object,
) -> None: ...
def getTensor4dDescriptor(tensorDesc: object) -> tuple[int, ...]: ...
def setTensorNdDescriptor(
    tensorDesc: object, dataType: object, nbDims: object, dimA: object, strideA: object
) -> None: ...
def addTensor_v3(
    handle: object, alpha: object, bDesc: object, b: object, beta: object, yDesc: object, y: object
) -> None: ...
def setTensor(handle: object, yDesc: object, y: object, valuePtr: object) -> None: ...
def scaleTensor(handle: object, yDesc: object, y: object, alpha: object) -> None: ...
def createOpTensorDescriptor() -> int: ...
def destroyOpTensorDescriptor(opTensorDesc: object) -> None: ...
def setOpTensorDescriptor(
    opTensorDesc: object, opTensorOp: object, opTensorCompType: object, opTensorNanOpt: object
) -> None: ...
def getOpTensorDescriptor(opTensorDesc: object) -> tuple[int, ...]: ...
def opTensor(
    handle: object,
    opTensorDesc: object,
    alpha1: object,
    aDesc: object,
    A: object,
    alpha2: object,
    bDesc: object,
    B: object,
    beta: object,
    cDesc: object,
    C: object,
) -> None: ...
def createReduceTensorDescriptor() -> int: ...
def destroyReduceTensorDescriptor(reduceTensorDesc: object) -> None: ...
def setReduceTensorDescriptor(
    reduceTensorDesc: object,
    reduceTensorOp: object,
    reduceTensorCompType: object,
    reduceTensorNanOpt: object,
    reduceTensorIndices: object,
    reduceTensorIndicesType: object,
) -> None: ...
def getReduceTensorDescriptor(reduceTensorDesc: object) -> tuple[int, ...]: ...
def getReductionIndicesSize(
    handle: object, reduceTensorDesc: object, aDesc: object, cDesc: object
) -> int: ...
def getReductionWorkspaceSize(
    handle: object, reduceTensorDesc: object, aDesc: object, cDesc: object
) -> int: ...
def reduceTensor(
    handle: object,
    reduceTensorDesc: object,
    indices: object,
    indicesSizeInBytes: object,
    workspace: object,
    workspaceSizeInBytes: object,
    alpha: object,
    aDesc: object,
    A: object,
    beta: object,
    cDesc: object,
    C: object,
) -> None: ...
def createFilterDescriptor() -> int: ...
def destroyFilterDescriptor(filterDesc: object) -> None: ...
def setFilter4dDescriptor_v4(
    filterDesc: object, dataType: object, format: object, k: object, c: object, h: object, w: object
) -> None: ...
def setFilterNdDescriptor_v4(
    filterDesc: object, dataType: object, format: object, nbDims: object, filterDimA: object
) -> None: ...
def createConvolutionDescriptor() -> int: ...
def destroyConvolutionDescriptor(convDesc: object) -> None: ...
def setConvolutionMathType(convDesc: object, mathType: object) -> None: ...
def getConvolutionMathType(convDesc: object) -> int: ...
def setConvolutionGroupCount(convDesc: object, groupCount: object) -> None: ...
def getConvolutionGroupCount(convDesc: object) -> int: ...
def setConvolution2dDescriptor_v4(
    convDesc: object,
    pad_h: object,
    pad_w: object,
    u: object,
    v: object,
    dilation_h: object,
    dilation_w: object,
    mode: object,
) -> None: ...
def setConvolution2dDescriptor_v5(
    convDesc: object,
    pad_h: object,
    pad_w: object,
    u: object,
    v: object,
    dilation_h: object,
    dilation_w: object,
    mode: object,
    computeType: object,
) -> None: ...
def setConvolutionNdDescriptor_v3(
    convDesc: object,
    arrayLength: object,
    padA: object,
    filterStrideA: object,
    dilationA: object,
    mode: object,
    dataType: object,
) -> None: ...
def findConvolutionForwardAlgorithm(
    handle: object,
    xDesc: object,
    wDesc: object,
    convDesc: object,
    yDesc: object,
    requestedAlgoCount: object,
) -> list[dict[str, object]]: ...
def findConvolutionForwardAlgorithmEx(
    handle: object,
    xDesc: object,
    x: object,
    wDesc: object,
    w: object,
    convDesc: object,
    yDesc: object,
    y: object,
    requestedAlgoCount: object,
    workSpace: object,
    workSpaceSizeInBytes: object,
) -> list[CuDNNAlgoPerf]: ...
def findConvolutionForwardAlgorithmEx_v7(
    handle: object,
    xDesc: object,
    x: object,
    wDesc: object,
    w: object,
    convDesc: object,
    yDesc: object,
    y: object,
    requestedAlgoCount: object,
    workSpace: object,
    workSpaceSizeInBytes: object,
) -> list[CuDNNAlgoPerf]: ...
def getConvolutionForwardAlgorithm_v7(
    handle: object,
    srcDesc: object,
    filterDesc: object,
    convDesc: object,
    destDesc: object,
    requestedAlgoCount: object,
) -> list[CuDNNAlgoPerf]: ...
def getConvolutionForwardWorkspaceSize(
    handle: object,
    srcDesc: object,
    filterDesc: object,
    convDesc: object,
    destDesc: object,
    algo: object,
) -> int: ...
def convolutionForward(
    handle: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    filterDesc: object,
    filterData: object,
    convDesc: object,
    algo: object,
    workSpace: object,
    workSpaceSizeInBytes: object,
    beta: object,
    destDesc: object,
    destData: object,
) -> None: ...
def convolutionBackwardBias(
    handle: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    beta: object,
    destDesc: object,
    destData: object,
) -> None: ...
def findConvolutionBackwardFilterAlgorithm(
    handle: object,
    xDesc: object,
    dyDesc: object,
    convDesc: object,
    dwDesc: object,
    requestedAlgoCount: object,
) -> list[dict[str, object]]: ...
def findConvolutionBackwardFilterAlgorithmEx(
    handle: object,
    xDesc: object,
    x: object,
    dyDesc: object,
    dy: object,
    convDesc: object,
    dwDesc: object,
    dw: object,
    requestedAlgoCount: object,
    workSpace: object,
    workSpaceSizeInBytes: object,
) -> list[CuDNNAlgoPerf]: ...
def findConvolutionBackwardFilterAlgorithmEx_v7(
    handle: object,
    xDesc: object,
    x: object,
    dyDesc: object,
    dy: object,
    convDesc: object,
    dwDesc: object,
    dw: object,
    requestedAlgoCount: object,
    workSpace: object,
    workSpaceSizeInBytes: object,
) -> list[CuDNNAlgoPerf]: ...
def getConvolutionBackwardFilterAlgorithm_v7(
    handle: object,
    srcDesc: object,
    diffDesc: object,
    convDesc: object,
    gradDesc: object,
    requestedAlgoCount: object,
) -> list[CuDNNAlgoPerf]: ...
def getConvolutionBackwardFilterWorkspaceSize(
    handle: object,
    srcDesc: object,
    diffDesc: object,
    convDesc: object,
    filterDesc: object,
    algo: object,
) -> int: ...
def convolutionBackwardFilter_v3(
    handle: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    diffDesc: object,
    diffData: object,
    convDesc: object,
    algo: object,
    workSpace: object,
    workSpaceSizeInBytes: object,
    beta: object,
    gradDesc: object,
    gradData: object,
) -> None: ...
def findConvolutionBackwardDataAlgorithm(
    handle: object,
    wDesc: object,
    dyDesc: object,
    convDesc: object,
    dxDesc: object,
    requestedAlgoCount: object,
) -> list[dict[str, object]]: ...
def findConvolutionBackwardDataAlgorithmEx(
    handle: object,
    wDesc: object,
    w: object,
    dyDesc: object,
    dy: object,
    convDesc: object,
    dxDesc: object,
    dx: object,
    requestedAlgoCount: object,
    workSpace: object,
    workSpaceSizeInBytes: object,
) -> list[CuDNNAlgoPerf]: ...
def findConvolutionBackwardDataAlgorithmEx_v7(
    handle: object,
    wDesc: object,
    w: object,
    dyDesc: object,
    dy: object,
    convDesc: object,
    dxDesc: object,
    dx: object,
    requestedAlgoCount: object,
    workSpace: object,
    workSpaceSizeInBytes: object,
) -> list[CuDNNAlgoPerf]: ...
def getConvolutionBackwardDataAlgorithm_v7(
    handle: object,
    filterDesc: object,
    diffDesc: object,
    convDesc: object,
    gradDesc: object,
    requestedAlgoCount: object,
) -> list[CuDNNAlgoPerf]: ...
def getConvolutionBackwardDataWorkspaceSize(
    handle: object,
    filterDesc: object,
    diffDesc: object,
    convDesc: object,
    gradDesc: object,
    algo: object,
) -> int: ...
def convolutionBackwardData_v3(
    handle: object,
    alpha: object,
    filterDesc: object,
    filterData: object,
    diffDesc: object,
    diffData: object,
    convDesc: object,
    algo: object,
    workSpace: object,
    workSpaceSizeInBytes: object,
    beta: object,
    gradDesc: object,
    gradData: object,
) -> None: ...
def getConvolutionForwardAlgorithm_v6(
    handle: object,
    srcDesc: object,
    filterDesc: object,
    convDesc: object,
    destDesc: object,
    preference: object,
    memoryLimitInbytes: object,
) -> int: ...
def getConvolutionBackwardFilterAlgorithm_v6(
    handle: object,
    srcDesc: object,
    diffDesc: object,
    convDesc: object,
    filterDesc: object,
    preference: object,
    memoryLimitInbytes: object,
) -> int: ...
def getConvolutionBackwardDataAlgorithm_v6(
    handle: object,
    filterDesc: object,
    diffDesc: object,
    convDesc: object,
    gradDesc: object,
    preference: object,
    memoryLimitInbytes: object,
) -> int: ...
def createPoolingDescriptor() -> int: ...
def destroyPoolingDescriptor(poolingDesc: object) -> None: ...
def setPooling2dDescriptor_v4(
    poolingDesc: object,
    mode: object,
    maxpoolingNanOpt: object,
    windowHeight: object,
    windowWidth: object,
    verticalPadding: object,
    horizontalPadding: object,
    verticalStride: object,
    horizontalStride: object,
) -> None: ...
def setPoolingNdDescriptor_v4(
    poolingDesc: object,
    mode: object,
    maxpoolingNanOpt: object,
    nbDims: object,
    windowDimA: object,
    paddingA: object,
    strideA: object,
) -> None: ...
def poolingForward(
    handle: object,
    poolingDesc: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    beta: object,
    dstDesc: object,
    dstData: object,
) -> None: ...
def poolingBackward(
    handle: object,
    poolingDesc: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    srcDiffDesc: object,
    srcDiffData: object,
    destDesc: object,
    destData: object,
    beta: object,
    destDiffDesc: object,
    destDiffData: object,
) -> None: ...
def deriveBNTensorDescriptor(derivedBnDesc: object, xDesc: object, mode: object) -> None: ...
def batchNormalizationForwardTraining(
    handle: object,
    mode: object,
    alpha: object,
    beta: object,
    xDesc: object,
    x: object,
    yDesc: object,
    y: object,
    bnScaleBiasMeanVarDesc: object,
    bnScale: object,
    bnBias: object,
    exponentialAverageFactor: object,
    resultRunningMean: object,
    resultRunningVariance: object,
    epsilon: object,
    resultSaveMean: object,
    resultSaveInvVariance: object,
) -> None: ...
def batchNormalizationForwardInference(
    handle: object,
    mode: object,
    alpha: object,
    beta: object,
    xDesc: object,
    x: object,
    yDesc: object,
    y: object,
    bnScaleBiasMeanVarDesc: object,
    bnScale: object,
    bnBias: object,
    estimatedMean: object,
    estimatedVariance: object,
    epsilon: object,
) -> None: ...
def batchNormalizationBackward(
    handle: object,
    mode: object,
    alphaDataDiff: object,
    betaDataDiff: object,
    alphaParamDiff: object,
    betaParamDiff: object,
    xDesc: object,
    x: object,
    dyDesc: object,
    dy: object,
    dxDesc: object,
    dx: object,
    dBnScaleBiasDesc: object,
    bnScale: object,
    dBnScaleResult: object,
    dBnBiasResult: object,
    epsilon: object,
    savedMean: object,
    savedInvVariance: object,
) -> None: ...
def batchNormalizationForwardTrainingEx(
    handle: object,
    mode: object,
    bnOps: object,
    alpha: object,
    beta: object,
    xDesc: object,
    x: object,
    zDesc: object,
    z: object,
    yDesc: object,
    y: object,
    bnScaleBiasMeanVarDesc: object,
    bnScale: object,
    bnBias: object,
    exponentialAverageFactor: object,
    resultRunningMean: object,
    resultRunningVariance: object,
    epsilon: object,
    resultSaveMean: object,
    resultSaveInvVariance: object,
    activationDesc: object,
    workSpace: object,
    workSpaceSizeInBytes: object,
    reserveSpace: object,
    reserveSpaceSizeInBytes: object,
) -> None: ...
def getBatchNormalizationForwardTrainingExWorkspaceSize(
    handle: object,
    mode: object,
    bnOps: object,
    xDesc: object,
    zDesc: object,
    yDesc: object,
    bnScaleBiasMeanVarDesc: object,
    activationDesc: object,
) -> int: ...
def batchNormalizationBackwardEx(
    handle: object,
    mode: object,
    bnops: object,
    alphaDataDiff: object,
    betaDataDiff: object,
    alphaParamDiff: object,
    betaParamDiff: object,
    xDesc: object,
    x: object,
    yDesc: object,
    y: object,
    dyDesc: object,
    dy: object,
    dzDesc: object,
    dz: object,
    dxDesc: object,
    dx: object,
    dBnScaleBiasDesc: object,
    bnScaleData: object,
    bnBiasData: object,
    dBnScaleData: object,
    dBnBiasData: object,
    epsilon: object,
    savedMean: object,
    savedInvVariance: object,
    activationDesc: object,
    workSpace: object,
    workSpaceSizeInBytes: object,
    reserveSpace: object,
    reserveSpaceSizeInBytes: object,
) -> None: ...
def getBatchNormalizationBackwardExWorkspaceSize(
    handle: object,
    mode: object,
    bnOps: object,
    xDesc: object,
    yDesc: object,
    dyDesc: object,
    dzDesc: object,
    dxDesc: object,
    dBnScaleBiasDesc: object,
    activationDesc: object,
) -> int: ...
def getBatchNormalizationTrainingExReserveSpaceSize(
    handle: object, mode: object, bnOps: object, activationDesc: object, xDesc: object
) -> int: ...
def createActivationDescriptor() -> int: ...
def destroyActivationDescriptor(activationDesc: object) -> None: ...
def setActivationDescriptor(
    activationDesc: object, mode: object, reluNanOpt: object, reluCeiling: object
) -> None: ...
def activationForward_v4(
    handle: object,
    activationDesc: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    beta: object,
    dstDesc: object,
    dstData: object,
) -> None: ...
def activationBackward_v4(
    handle: object,
    activationDesc: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    srcDiffDesc: object,
    srcDiffData: object,
    destDesc: object,
    destData: object,
    beta: object,
    destDiffDesc: object,
    destDiffData: object,
) -> None: ...
def softmaxForward(
    handle: object,
    algorithm: object,
    mode: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    beta: object,
    dstDesc: object,
    dstData: object,
) -> None: ...
def softmaxBackward(
    handle: object,
    algorithm: object,
    mode: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    srcDiffDesc: object,
    srcDiffData: object,
    beta: object,
    destDiffDesc: object,
    destDiffData: object,
) -> None: ...
def createDropoutDescriptor() -> int: ...
def destroyDropoutDescriptor(dropoutDesc: object) -> None: ...
def dropoutGetStatesSize(handle: object) -> int: ...
def getDropoutReserveSpaceSize(xDesc: object) -> int: ...
def dropoutForward(
    handle: object,
    dropoutDesc: object,
    srcDesc: object,
    srcData: object,
    dstDesc: object,
    dstData: object,
    reserveSpace: object,
    reserveSpaceSizeInBytes: object,
) -> None: ...
def dropoutBackward(
    handle: object,
    dropoutDesc: object,
    dyDesc: object,
    dyData: object,
    dxDesc: object,
    dxData: object,
    reserveSpace: object,
    reserveSpaceSizeInBytes: object,
) -> None: ...
def createCTCLossDescriptor() -> int: ...
def destroyCTCLossDescriptor(ctcLossDesc: object) -> None: ...
def setCTCLossDescriptor(ctcLossDesc: object, dataType: object) -> None: ...
def getCTCLossDescriptor(ctcLossDesc: object) -> int: ...
def getCTCLossWorkspaceSize(
    handle: object,
    probsDesc: object,
    gradientsDesc: object,
    labels: object,
    labelLengths: object,
    inputLengths: object,
    algo: object,
    ctcLossDesc: object,
) -> int: ...
def CTCLoss(
    handle: object,
    probsDesc: object,
    probs: object,
    labels: object,
    labelLengths: object,
    inputLengths: object,
    costs: object,
    gradientsDesc: object,
    gradients: object,
    algo: object,
    ctcLossDesc: object,
    workspace: object,
    workSpaceSizeInBytes: object,
) -> None: ...
def createRNNDataDescriptor() -> int: ...
def createSpatialTransformerDescriptor() -> int: ...
def destroySpatialTransformerDescriptor(stDesc: object) -> None: ...
def setSpatialTransformerDescriptor(
    stDesc: object, samplerType: object, dataType: object, nbDims: object, dimA: object
) -> None: ...
def spatialTfGridGeneratorForward(
    handle: object, stDesc: object, theta: object, grid: object
) -> None: ...
def spatialTfGridGeneratorBackward(
    handle: object, stDesc: object, dgrid: object, dtheta: object
) -> None: ...
def spatialTfSamplerForward(
    handle: object,
    stDesc: object,
    alpha: object,
    xDesc: object,
    x: object,
    grid: object,
    beta: object,
    yDesc: object,
    y: object,
) -> None: ...
def spatialTfSamplerBackward(
    handle: object,
    stDesc: object,
    alpha: object,
    xDesc: object,
    x: object,
    beta: object,
    dxDesc: object,
    dx: object,
    alphaDgrid: object,
    dyDesc: object,
    dy: object,
    grid: object,
    betaDgrid: object,
    dgrid: object,
) -> None: ...
def createFusedOpsConstParamPack(ops: object) -> int: ...
def destroyFusedOpsConstParamPack(constPack: object) -> None: ...
def setFusedOpsConstParamPackAttribute(
    constPack: object, paramLabel: object, param: object
) -> None: ...
def getFusedOpsConstParamPackAttribute(
    constPack: object, paramLabel: object, param: object
) -> int: ...
def createFusedOpsVariantParamPack(ops: object) -> int: ...
def destroyFusedOpsVariantParamPack(varPack: object) -> None: ...
def setFusedOpsVariantParamPackAttribute(
    varPack: object, paramLabel: object, ptr: object
) -> None: ...
def getFusedOpsVariantParamPackAttribute(
    varPack: object, paramLabel: object, ptr: object
) -> int: ...
def createFusedOpsPlan(ops: object) -> int: ...
def destroyFusedOpsPlan(plan: object) -> None: ...
def makeFusedOpsPlan(handle: object, plan: object, constPack: object) -> int: ...
def fusedOpsExecute(handle: object, plan: object, varPack: object) -> None: ...

get_build_version = getVersion
