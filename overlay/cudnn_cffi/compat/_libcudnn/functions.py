"""The functions of cudnn-python-wrappers that call one of cuDNN's as it is."""

from __future__ import annotations

from .._calls import calls
from .._records import records_of
from .base import made

#: See `record_of`; the number is cuDNN's for not propagating NaN.
RECORDS = records_of("""
cudnnGetVersion -> int: Return the release of the loaded cuDNN, such as 91900 for 9.19.0. New code:
    `cudnn.version()`.
cudnnCreateTensorDescriptor -> int: Create a tensor descriptor, and return its address. New code:
    `cudnn.TensorDescriptor.like`.
cudnnSetTensor4dDescriptor tensorDesc format dataType n c h w: Set a tensor descriptor to a
    contiguous tensor. New code: `cudnn.TensorDescriptor.packed`.
cudnnSetTensor4dDescriptorEx tensorDesc dataType n c h w nStride cStride hStride wStride: Set a
    tensor descriptor to a tensor with strides. New code: `cudnn.TensorDescriptor.strided`.
cudnnGetTensor4dDescriptor tensorDesc -> tuple: Return data type, n, c, h, w and the four strides of
    a tensor descriptor. New code: `TensorDescriptor.shape`, `strides`, `dtype`.
cudnnDestroyTensorDescriptor tensorDesc: Destroy a tensor descriptor. New code: the last reference.
cudnnTransformTensor handle alpha srcDesc srcData beta destDesc destData: Copy a tensor into another
    layout: dest = alpha * src + beta * dest. New code: `ops.transform`.
cudnnSetTensor handle srcDesc srcData value: Set all elements of a tensor to a value. New code:
    `ops.fill`.
cudnnScaleTensor handle srcDesc srcData alpha: Multiply all elements of a tensor by a number. New
    code: `ops.scale`.
cudnnCreateFilterDescriptor -> int: Create a filter descriptor, and return its address. New code:
    `cudnn.FilterDescriptor.like`.
cudnnGetFilter4dDescriptor wDesc -> tuple: Return data type, format, k, c, h and w of a filter
    descriptor. New code: `FilterDescriptor.shape`, `dtype`, `layout`.
cudnnDestroyFilterDescriptor wDesc: Destroy a filter descriptor. New code: the last reference.
cudnnSoftmaxForward handle algorithm mode alpha srcDesc srcData beta destDesc destData: Compute the
    softmax. New code: `ops.softmax`, `ops.log_softmax`.
cudnnSoftmaxBackward handle algorithm mode alpha srcDesc srcData srcDiffDesc srcDiffData beta
    destDiffDesc destDiffData: Compute the gradient of the softmax; `src` is its result. New code:
    `ops.softmax_backward`.
cudnnCreatePoolingDescriptor -> int: Create a pooling descriptor, and return its address. New code:
    `cudnn.PoolingDescriptor.max`, `average`.
cudnnSetPooling2dDescriptor poolingDesc mode 0 windowHeight windowWidth verticalPadding
    horizontalPadding verticalStride horizontalStride: Set a pooling descriptor; NaN is not
    propagated. New code: `cudnn.PoolingDescriptor.max`, `average`.
cudnnDestroyPoolingDescriptor poolingDesc: Destroy a pooling descriptor. New code: the last
    reference.
cudnnPoolingForward handle poolingDesc alpha srcDesc srcData beta destDesc destData: Pool. New code:
    `ops.max_pool`, `ops.average_pool`.
cudnnPoolingBackward handle poolingDesc alpha srcDesc srcData srcDiffDesc srcDiffData destDesc
    destData beta destDiffDesc destDiffData: Compute the gradient of a pooling; `src` is its result
    and `dest` its input. New code: `ops.pooling_backward`.
cudnnCreateConvolutionDescriptor -> int: Create a convolution descriptor, and return its address.
    New code: `cudnn.ConvolutionDescriptor.cross_correlation`.
cudnnGetConvolution2dDescriptor convDesc -> tuple: Return padding, stride and dilation (two numbers
    each), mode and compute type. New code: `ConvolutionDescriptor.padding`, `stride`, ...
cudnnGetConvolution2dForwardOutputDim convDesc inputTensorDesc wDesc -> tuple: Return n, c, h and w
    of a convolution's result. New code: `ConvolutionDescriptor.output_shape`.
cudnnDestroyConvolutionDescriptor convDesc: Destroy a convolution descriptor. New code: the last
    reference.
cudnnFindConvolutionForwardAlgorithm handle xDesc wDesc convDesc yDesc requestedAlgoCount -> fwd:
    Return how long each algorithm takes, the fastest first. New code:
    `ops.candidates(..., time=True)`.
cudnnFindConvolutionBackwardDataAlgorithm handle wDesc dyDesc convDesc dxDesc requestedAlgoCount ->
    data: Return how long each algorithm takes, the fastest first. New code:
    `ops.candidates(..., time=True)`.
cudnnFindConvolutionBackwardFilterAlgorithm handle xDesc dyDesc convDesc dwDesc requestedAlgoCount
    -> filter: Return how long each algorithm takes, the fastest first. New code:
    `ops.candidates(..., time=True)`.
cudnnGetConvolutionForwardWorkspaceSize handle srcDesc wDesc convDesc destDesc algo -> size: Return
    the bytes of workspace that an algorithm needs. New code:
    `ops.Convolution(...).plan(...).workspace_size`.
cudnnGetConvolutionBackwardDataWorkspaceSize handle wDesc dyDesc convDesc dxDesc algo -> size:
    Return the bytes of workspace that an algorithm needs. New code:
    `ops.Convolution(...).plan(...).workspace_size`.
cudnnGetConvolutionBackwardFilterWorkspaceSize handle xDesc dyDesc convDesc gradDesc algo -> size:
    Return the bytes of workspace that an algorithm needs. New code:
    `ops.Convolution(...).plan(...).workspace_size`.
cudnnConvolutionBackwardBias handle alpha srcDesc srcData beta destDesc destData: Compute the
    gradient for the bias of a convolution. New code: `ops.convolution_backward_bias`.
cudnnGetConvolutionForwardAlgorithm=cudnnGetConvolutionForwardAlgorithm_v7 handle srcDesc wDesc
    convDesc destDesc preference memoryLimitInbytes -> chosen: Return the best algorithm by
    `cudnnGetConvolutionForwardAlgorithm_v7`. New code: `cudnn.choice(forward=...)`.
cudnnGetConvolutionBackwardDataAlgorithm=cudnnGetConvolutionBackwardDataAlgorithm_v7 handle wDesc
    dyDesc convDesc dxDesc preference memoryLimitInbytes -> chosen: Return the best algorithm by
    `cudnnGetConvolutionBackwardDataAlgorithm_v7`. New code: `cudnn.choice(data=...)`.
cudnnGetConvolutionBackwardFilterAlgorithm=cudnnGetConvolutionBackwardFilterAlgorithm_v7 handle
    xDesc dyDesc convDesc dwDesc preference memoryLimitInbytes -> chosen: Return the best algorithm
    by `cudnnGetConvolutionBackwardFilterAlgorithm_v7`. New code: `cudnn.choice(filter=...)`.
""")

globals().update({name: made(record, calls, __name__) for name, record in RECORDS.items()})

__all__ = [*RECORDS]
