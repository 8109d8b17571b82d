"""Shapes of outputs as cuDNN computes them."""

import cudnn_cffi as cudnn
from cudnn_cffi.families import (
    ConvolutionDescriptor,
    FilterDescriptor,
    PoolingDescriptor,
    TensorDescriptor,
)

x, w, conv, pool = (
    TensorDescriptor(),
    FilterDescriptor(),
    ConvolutionDescriptor(),
    PoolingDescriptor(),
)
x.set_4d(cudnn.CUDNN_TENSOR_NCHW, cudnn.CUDNN_DATA_FLOAT, 64, 128, 112, 112)
w.set_4d(cudnn.CUDNN_DATA_FLOAT, cudnn.CUDNN_TENSOR_NCHW, 128, 128, 7, 7)
conv.set_2d(3, 3, 2, 2, 1, 1, cudnn.CUDNN_CROSS_CORRELATION, cudnn.CUDNN_DATA_FLOAT)
got = cudnn.cudnnGetConvolution2dForwardOutputDim(conv, x, w)
assert got == (64, 128, 56, 56), got
assert got._fields == ("n", "c", "h", "w"), got._fields
assert cudnn.cudnnGetConvolutionNdForwardOutputDim(conv, x, w, 4) == (64, 128, 56, 56), (
    cudnn.cudnnGetConvolutionNdForwardOutputDim(conv, x, w, 4)
)
pool.set_2d(cudnn.PoolingMode.MAX, cudnn.NanPropagation.PROPAGATE_NAN, 3, 3, 1, 1, 2, 2)
assert cudnn.cudnnGetPooling2dForwardOutputDim(pool, x) == (64, 128, 56, 56), (
    cudnn.cudnnGetPooling2dForwardOutputDim(pool, x)
)
assert x.get_size_in_bytes() == 64 * 128 * 112 * 112 * 4, x.get_size_in_bytes()
