# Written by scripts/stubs.py from the records of functions: change these.

import ctypes

from .._records import Record
from .tables import (
    cudnnConvolutionBwdDataAlgoPerf,
    cudnnConvolutionBwdFilterAlgoPerf,
    cudnnConvolutionFwdAlgoPerf,
)

RECORDS: dict[str, Record]

def cudnnGetVersion() -> int: ...
def cudnnCreateTensorDescriptor() -> int: ...
def cudnnSetTensor4dDescriptor(
    tensorDesc: object, format: object, dataType: object, n: object, c: object, h: object, w: object
) -> None: ...
def cudnnSetTensor4dDescriptorEx(
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
def cudnnGetTensor4dDescriptor(tensorDesc: object) -> tuple[int, ...]: ...
def cudnnDestroyTensorDescriptor(tensorDesc: object) -> None: ...
def cudnnTransformTensor(
    handle: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    beta: object,
    destDesc: object,
    destData: object,
) -> None: ...
def cudnnSetTensor(handle: object, srcDesc: object, srcData: object, value: object) -> None: ...
def cudnnScaleTensor(handle: object, srcDesc: object, srcData: object, alpha: object) -> None: ...
def cudnnCreateFilterDescriptor() -> int: ...
def cudnnGetFilter4dDescriptor(wDesc: object) -> tuple[int, ...]: ...
def cudnnDestroyFilterDescriptor(wDesc: object) -> None: ...
def cudnnSoftmaxForward(
    handle: object,
    algorithm: object,
    mode: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    beta: object,
    destDesc: object,
    destData: object,
) -> None: ...
def cudnnSoftmaxBackward(
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
def cudnnCreatePoolingDescriptor() -> int: ...
def cudnnSetPooling2dDescriptor(
    poolingDesc: object,
    mode: object,
    windowHeight: object,
    windowWidth: object,
    verticalPadding: object,
    horizontalPadding: object,
    verticalStride: object,
    horizontalStride: object,
) -> None: ...
def cudnnDestroyPoolingDescriptor(poolingDesc: object) -> None: ...
def cudnnPoolingForward(
    handle: object,
    poolingDesc: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    beta: object,
    destDesc: object,
    destData: object,
) -> None: ...
def cudnnPoolingBackward(
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
def cudnnCreateConvolutionDescriptor() -> int: ...
def cudnnGetConvolution2dDescriptor(convDesc: object) -> tuple[int, ...]: ...
def cudnnGetConvolution2dForwardOutputDim(
    convDesc: object, inputTensorDesc: object, wDesc: object
) -> tuple[int, ...]: ...
def cudnnDestroyConvolutionDescriptor(convDesc: object) -> None: ...
def cudnnFindConvolutionForwardAlgorithm(
    handle: object,
    xDesc: object,
    wDesc: object,
    convDesc: object,
    yDesc: object,
    requestedAlgoCount: object,
) -> list[cudnnConvolutionFwdAlgoPerf]: ...
def cudnnFindConvolutionBackwardDataAlgorithm(
    handle: object,
    wDesc: object,
    dyDesc: object,
    convDesc: object,
    dxDesc: object,
    requestedAlgoCount: object,
) -> list[cudnnConvolutionBwdDataAlgoPerf]: ...
def cudnnFindConvolutionBackwardFilterAlgorithm(
    handle: object,
    xDesc: object,
    dyDesc: object,
    convDesc: object,
    dwDesc: object,
    requestedAlgoCount: object,
) -> list[cudnnConvolutionBwdFilterAlgoPerf]: ...
def cudnnGetConvolutionForwardWorkspaceSize(
    handle: object, srcDesc: object, wDesc: object, convDesc: object, destDesc: object, algo: object
) -> ctypes.c_size_t: ...
def cudnnGetConvolutionBackwardDataWorkspaceSize(
    handle: object, wDesc: object, dyDesc: object, convDesc: object, dxDesc: object, algo: object
) -> ctypes.c_size_t: ...
def cudnnGetConvolutionBackwardFilterWorkspaceSize(
    handle: object, xDesc: object, dyDesc: object, convDesc: object, gradDesc: object, algo: object
) -> ctypes.c_size_t: ...
def cudnnConvolutionBackwardBias(
    handle: object,
    alpha: object,
    srcDesc: object,
    srcData: object,
    beta: object,
    destDesc: object,
    destData: object,
) -> None: ...
def cudnnGetConvolutionForwardAlgorithm(
    handle: object,
    srcDesc: object,
    wDesc: object,
    convDesc: object,
    destDesc: object,
    preference: object,
    memoryLimitInbytes: object,
) -> ctypes.c_int: ...
def cudnnGetConvolutionBackwardDataAlgorithm(
    handle: object,
    wDesc: object,
    dyDesc: object,
    convDesc: object,
    dxDesc: object,
    preference: object,
    memoryLimitInbytes: object,
) -> ctypes.c_int: ...
def cudnnGetConvolutionBackwardFilterAlgorithm(
    handle: object,
    xDesc: object,
    dyDesc: object,
    convDesc: object,
    dwDesc: object,
    preference: object,
    memoryLimitInbytes: object,
) -> ctypes.c_int: ...
