# Written by scripts/stubs.py from the records of functions: change these.

from .._records import Record

RECORDS: dict[str, Record]

def cudnnTransformTensor4d(
    handle: object, srcDesc: object, srcData: object, destDesc: object, destData: object
) -> None: ...
def cudnnSetFilterDescriptor(
    filterDesc: object, dataType: object, k: object, c: object, h: object, w: object
) -> None: ...
def cudnnSoftmaxForward(
    handle: object,
    algorithm: object,
    mode: object,
    srcDesc: object,
    srcData: object,
    destDesc: object,
    destData: object,
) -> None: ...
def cudnnSoftmaxBackward(
    handle: object,
    algorithm: object,
    mode: object,
    srcDesc: object,
    srcData: object,
    srcDiffDesc: object,
    srcDiffData: object,
    destDiffDesc: object,
    destDiffData: object,
) -> None: ...
def cudnnSetPoolingDescriptor(
    poolingDesc: object,
    mode: object,
    windowHeight: object,
    windowWidth: object,
    verticalStride: object,
    horizontalStride: object,
) -> None: ...
def cudnnGetPoolingDescriptor(poolingDesc: object) -> tuple[int, ...]: ...
def cudnnPoolingForward(
    handle: object,
    poolingDesc: object,
    srcDesc: object,
    srcData: object,
    destDesc: object,
    destData: object,
) -> None: ...
def cudnnPoolingBackward(
    handle: object,
    poolingDesc: object,
    srcDesc: object,
    srcData: object,
    srcDiffDesc: object,
    srcDiffData: object,
    destDesc: object,
    destData: object,
    destDiffDesc: object,
    destDiffData: object,
) -> None: ...
def cudnnActivationForward(
    handle: object,
    mode: object,
    srcDesc: object,
    srcData: object,
    destDesc: object,
    destData: object,
) -> None: ...
def cudnnActivationBackward(
    handle: object,
    mode: object,
    srcDesc: object,
    srcData: object,
    srcDiffDesc: object,
    srcDiffData: object,
    destDesc: object,
    destData: object,
    destDiffDesc: object,
    destDiffData: object,
) -> None: ...
