"""Print what a long list of calls answers, without addresses, for a comparison of the call modes."""

import ctypes
import json
import re

import cudnn_cffi as cudnn
from cudnn_cffi import _call, _tables

FUNCTIONS = set(_tables.active().functions.values())
told: list[list[str]] = []


def tell(function, *arguments):
    call = getattr(cudnn, function) if isinstance(function, str) else function
    try:
        answer = repr(call(*arguments))
    except Exception as error:
        answer = f"{type(error).__mro__[:3]} {error}"
    told.append(
        [
            getattr(function, "__name__", function),
            re.sub(r"\b0x[0-9a-f]+|\b\d{9,}\b", "address", answer),
        ]
    )


F, N = cudnn.DataType, cudnn.TensorFormat
x, y, w = cudnn.TensorDescriptor(), cudnn.TensorDescriptor(), cudnn.FilterDescriptor()
conv, act, pool = (
    cudnn.ConvolutionDescriptor(),
    cudnn.ActivationDescriptor(),
    cudnn.PoolingDescriptor(),
)
rnn, drop, lrn = cudnn.RNNDescriptor(), cudnn.DropoutDescriptor(), cudnn.LRNDescriptor()
closed = cudnn.TensorDescriptor()
closed.close()

# Scalars, named tuples, texts, sizes
tell("cudnnGetVersion"), tell("cudnnGetErrorString", 3), tell("cudnnGetErrorString", -7)
tell("cudnnGetMaxDeviceVersion"), tell("cudnnGetProperty", 0), tell("cudnnGetProperty", 99)
tell("cudnnGetTensor4dDescriptor", x)
tell("cudnnSetTensor4dDescriptor", x, N.NCHW, F.FLOAT, 8, 3, 32, 32)
tell("cudnnGetTensor4dDescriptor", x), tell("cudnnGetTensorSizeInBytes", x)
tell("cudnnSetTensor4dDescriptorEx", y, F.HALF, 1, 2, 3, 4, 24, 12, 4, 1)
tell("cudnnGetTensorNdDescriptor", y, 8), tell("cudnnGetTensorNdDescriptor", y, 2)
# Floats and doubles come back in slots of integers
tell("cudnnSetActivationDescriptor", act, 1, 0, -0.1), tell("cudnnGetActivationDescriptor", act)
tell("cudnnSetLRNDescriptor", lrn, 5, 1e-4, 0.75, 2.0), tell("cudnnGetLRNDescriptor", lrn)
# Arrays in and out
tell("cudnnSetFilterNdDescriptor", w, F.FLOAT, N.NCHW, 4, [4, 3, 3, 3])
tell("cudnnGetFilterNdDescriptor", w, 4), tell("cudnnGetFilterNdDescriptor", w, 0)
tell("cudnnGetFilterSizeInBytes", w)
tell("cudnnSetFilterNdDescriptor", w, F.FLOAT, N.NCHW, 4, (ctypes.c_int * 4)(4, 3, 3, 3))
tell("cudnnSetFilterNdDescriptor", w, F.FLOAT, N.NCHW, 4, [4, 3])
tell("cudnnSetFilterNdDescriptor", w, F.FLOAT, N.NCHW, 4, [4, 3, 3, 1 << 40])
tell("cudnnSetConvolution2dDescriptor", conv, 1, 1, 1, 1, 1, 1, 1, F.FLOAT)
tell("cudnnGetConvolution2dForwardOutputDim", conv, x, w)
tell("cudnnGetConvolutionNdForwardOutputDim", conv, x, w, 4)
tell("cudnnGetConvolutionNdDescriptor", conv, 2)
tell("cudnnSetPooling2dDescriptor", pool, 0, 0, 2, 2, 0, 0, 2, 2)
tell("cudnnGetPooling2dForwardOutputDim", pool, x)
tell("cudnnDeriveBNTensorDescriptor", y, x, 1), tell("cudnnGetTensor4dDescriptor", y)
# Backend descriptors
b = cudnn.BackendDescriptor(cudnn.BackendDescriptorType.TENSOR_DESCRIPTOR)
A, T = cudnn.BackendAttributeName, cudnn.BackendAttributeType
tell(b.set_attribute, A.TENSOR_DIMENSIONS, T.INT64, 4, [8, 3, 32, 32])
tell(b.set_attribute, A.TENSOR_DIMENSIONS, T.INT64, 4, [8, 3])
tell(b.set_attribute, A.TENSOR_DIMENSIONS, T.FLOAT, 1, [1.0])
tell(b.set_attribute, A.TENSOR_DATA_TYPE, T.DATA_TYPE, 1, F.FLOAT)
tell("cudnnBackendGetAttribute", b, A.TENSOR_DIMENSIONS, T.INT64, 8)
# Refusals before the call
for bad in (None, 0, "x", 1.5, closed, w, object, -1, 1 << 64):
    tell("cudnnGetTensor4dDescriptor", bad)
for bad in (None, "x", 1.5, [], 1 << 31, -(1 << 31) - 1, float("nan")):
    tell("cudnnSetTensor4dDescriptor", x, N.NCHW, F.FLOAT, bad, 1, 1, 1)
    tell("cudnnSetTensor4dDescriptor", 0, N.NCHW, F.FLOAT, bad, 1, 1, 1)
for bad in (None, "x", 1j):
    tell("cudnnSetActivationDescriptor", act, 1, 0, bad)
for alpha in (1, 2.5, "x", 1 << 50, ctypes.c_float(1.0)):
    tell("cudnnAddTensor", 0, alpha, x, None, 0.0, y, None)
tell("cudnnGetTensorNdDescriptor", x, -1), tell("cudnnGetTensorNdDescriptor", x, 1 << 30)
tell("cudnnSetStream", 0, None), tell("cudnnSetStream", 0, "x")
# Refusals by cuDNN
tell("cudnnSetTensor4dDescriptor", x, N.NCHW, F.FLOAT, -1, 1, 1, 1)
tell("cudnnSetTensor4dDescriptor", x, 1234, 4321, 1, 1, 1, 1)
tell("cudnnCreate")
# Names that a release lacks
from inspect import signature

from cudnn_cffi._index import CALLS

for name in CALLS:
    if name not in FUNCTIONS:
        tell(name, *[1 for _ in signature(getattr(cudnn, name)).parameters])
tell("cudnnDestroyTensorDescriptor", w), tell("cudnnDestroyTensorDescriptor", x)
tell("cudnnDestroyTensorDescriptor", x)
print(json.dumps([_call.mode(), told]))
