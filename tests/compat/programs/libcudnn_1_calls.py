"""The functions of cudnn-python-wrappers 1.0: descriptors by cuDNN, other calls by what they pass on."""

import ctypes
import types
from typing import Any

from cudnn_cffi.compat import libcudnn, libcudnn_1
from cudnn_cffi.compat._libcudnn import convolutions, first_functions, functions, layers
from cudnn_cffi.compat._libcudnn.base import handles

from tests.refusing import raised as refused

image = libcudnn_1.cudnnCreateTensor4dDescriptor()
libcudnn_1.cudnnSetTensor4dDescriptor(image, 0, 0, 10, 3, 20, 24)
assert libcudnn_1.cudnnGetTensor4dDescriptor(image)[:5] == (0, 10, 3, 20, 24)
filters = libcudnn_1.cudnnCreateFilterDescriptor()
libcudnn_1.cudnnSetFilterDescriptor(filters, 0, 8, 3, 5, 7)
assert libcudnn_1.cudnnGetFilterDescriptor(filters) == (0, 8, 3, 5, 7)
pool = libcudnn_1.cudnnCreatePoolingDescriptor()
libcudnn_1.cudnnSetPoolingDescriptor(pool, libcudnn_1.cudnnPoolingMode["CUDNN_POOLING_AVERAGE"],
                                     3, 2, 2, 1)  # fmt: skip
assert libcudnn_1.cudnnGetPoolingDescriptor(pool) == (1, 3, 2, 2, 1)
assert libcudnn.cudnnGetPooling2dDescriptor(pool) == (1, 3, 2, 2, 1)

# Extents of each direction, by tensors and by numbers
paths = libcudnn_1.cudnnConvolutionPath
conv = libcudnn_1.cudnnCreateConvolutionDescriptor()
refused(libcudnn_1.cudnnBadParam, libcudnn_1.cudnnGetOutputTensor4dDim, conv, 0)
expected = {
    "CUDNN_CONVOLUTION_FORWARD": (10, 8, 12, 13),
    "CUDNN_CONVOLUTION_WEIGHT_GRAD": (8, 3, 5, 7),
    "CUDNN_CONVOLUTION_DATA_PATH": (10, 3, 20, 24),
}
for wrap in (int, ctypes.c_int):
    settings = [wrap(each) for each in (4, 4, 2, 2, 1, 1, 1)]
    for make, given in (
        (libcudnn_1.cudnnSetConvolutionDescriptor, (image, filters)),
        (
            libcudnn_1.cudnnSetConvolutionDescriptorEx,
            [wrap(each) for each in (10, 3, 20, 24, 8, 5, 7)],
        ),
    ):
        make(conv, *given, *settings)
        for path, extents in expected.items():
            found = libcudnn_1.cudnnGetOutputTensor4dDim(conv, wrap(paths[path]))
            assert found == extents, (path, found)
        assert libcudnn.cudnnGetConvolution2dDescriptor(conv) == (4, 4, 2, 2, 1, 1, 1, 0)
        told = libcudnn.cudnnGetConvolution2dForwardOutputDim(conv, image, filters)
        assert told == expected["CUDNN_CONVOLUTION_FORWARD"]
refused(libcudnn_1.cudnnBadParam, libcudnn_1.cudnnGetOutputTensor4dDim, conv, 9)
error = refused(
    libcudnn_1.cudnnStatusNotSupported,
    *(libcudnn_1.cudnnSetConvolutionDescriptor, conv, image, filters, 0, 0, 1, 1, 2, 2, 1),
)
assert "upscales" in str(error)
doubles = libcudnn_1.cudnnCreateTensor4dDescriptor()
libcudnn_1.cudnnSetTensor4dDescriptor(doubles, 0, 1, 10, 3, 20, 24)
libcudnn_1.cudnnSetConvolutionDescriptor(conv, doubles, filters, 4, 4, 2, 2, 1, 1, 1)
assert libcudnn.cudnnGetConvolution2dDescriptor(conv)[-1] == 1

# Arguments that calls pass on
names = ("TransformTensor", "AddTensor", "ConvolutionForward", "ConvolutionBackwardBias",
         "ConvolutionBackwardFilter", "ConvolutionBackwardData", "SoftmaxForward",
         "SoftmaxBackward", "PoolingForward", "PoolingBackward", "ActivationForward",
         "ActivationBackward")  # fmt: skip
passed: list[tuple[Any, ...]] = []


def put(name: str, function: Any) -> None:
    """Replace a function of the last version."""
    for last in (convolutions, functions, layers, vars(first_functions)["_LAST"]):
        if hasattr(last, f"cudnn{name}"):
            setattr(last, f"cudnn{name}", function)


for name in names:
    put(name, lambda *args, name=name: passed.append((name, *args)))


def get(*args: Any) -> int:
    passed.append(("Get", *args))
    return 7


put("GetConvolutionForwardAlgorithm", get)
accumulate, overwrite = (
    libcudnn_1.cudnnAccumulateResults[f"CUDNN_RESULT_{each}"]
    for each in ("ACCUMULATE", "NO_ACCUMULATE")
)
half = ctypes.c_float(0.5)
pointer = ctypes.c_void_p(ctypes.addressof(half))
H, D = 11, 12
libcudnn_1.cudnnSetConvolutionDescriptor(conv, image, filters, 4, 4, 2, 2, 1, 1, 1)
libcudnn_1.cudnnTransformTensor4d(H, image, D, doubles, D)
libcudnn_1.cudnnAddTensor4d(H, 2, pointer, image, D, image, D)
libcudnn_1.cudnnAddTensor4d(H, 2, 0.25, image, D, image, D)
libcudnn_1.cudnnConvolutionForward(H, image, D, filters, D, conv, image, D, overwrite)
handles[H] = types.SimpleNamespace()  # made by cudnnCreate, and so with a workspace
libcudnn_1.cudnnConvolutionForward(H, image, D, filters, D, conv, image, D, accumulate)
del handles[H]
libcudnn_1.cudnnConvolutionBackwardBias(H, image, D, image, D, ctypes.c_int(accumulate))
libcudnn_1.cudnnConvolutionBackwardFilter(H, image, D, image, D, conv, filters, D, overwrite)
libcudnn_1.cudnnConvolutionBackwardData(H, filters, D, image, D, conv, image, D, accumulate)
libcudnn_1.cudnnSoftmaxForward(H, 1, 0, image, D, image, D)
libcudnn_1.cudnnSoftmaxBackward(H, 1, 0, image, D, image, D, image, D)
libcudnn_1.cudnnPoolingForward(H, pool, image, D, image, D)
libcudnn_1.cudnnPoolingBackward(H, pool, image, D, image, D, image, D, image, D)
libcudnn_1.cudnnActivationForward(H, 1, image, D, image, D)
libcudnn_1.cudnnActivationBackward(H, 1, image, D, image, D, image, D, image, D)
assert passed == [
    ("TransformTensor", H, 1.0, image, D, 0.0, doubles, D),
    ("AddTensor", H, 0.5, image, D, 1.0, image, D),
    ("AddTensor", H, 0.25, image, D, 1.0, image, D),
    ("Get", H, image, filters, conv, image, 0, 0),
    ("ConvolutionForward", H, 1.0, image, D, filters, D, conv, 7, None, 0, 0.0, image, D),
    ("Get", H, image, filters, conv, image, 1, 0),
    ("ConvolutionForward", H, 1.0, image, D, filters, D, conv, 7, None, 0, 1.0, image, D),
    ("ConvolutionBackwardBias", H, 1.0, image, D, 1.0, image, D),
    ("ConvolutionBackwardFilter", H, 1.0, image, D, image, D, conv, 0.0, filters, D),
    ("ConvolutionBackwardData", H, 1.0, filters, D, image, D, conv, 1.0, image, D),
    ("SoftmaxForward", H, 1, 0, 1.0, image, D, 0.0, image, D),
    ("SoftmaxBackward", H, 1, 0, 1.0, image, D, image, D, 0.0, image, D),
    ("PoolingForward", H, pool, 1.0, image, D, 0.0, image, D),
    ("PoolingBackward", H, pool, 1.0, image, D, image, D, image, D, 0.0, image, D),
    ("ActivationForward", H, 1, 1.0, image, D, 0.0, image, D),
    ("ActivationBackward", H, 1, 1.0, image, D, image, D, image, D, 0.0, image, D),
], passed
# The compute type is that of the data, whatever the one before was
for given, compute in ((doubles, 1), (image, 0)):
    libcudnn_1.cudnnConvolutionForward(H, given, D, filters, D, conv, given, D, overwrite)
    assert libcudnn.cudnnGetConvolution2dDescriptor(conv)[-1] == compute
refused(
    libcudnn_1.cudnnBadParam,
    *(libcudnn_1.cudnnConvolutionBackwardBias, H, image, D, image, D, 2),
)
refused(
    libcudnn_1.cudnnError,
    *(libcudnn_1.cudnnAddTensor4d, H, 2, ctypes.c_void_p(0), image, D, image, D),
)

# Exceptions: those of version 2 by the names of version 1
assert libcudnn_1.cudnnBadParam is libcudnn_1.cudnnExceptions[3]
refused(libcudnn_1.cudnnExecutionFailed, libcudnn_1.cudnnCheckStatus, 8)
for each in (libcudnn_1.cudnnDestroyTensor4dDescriptor, image), (
    libcudnn_1.cudnnDestroyFilterDescriptor, filters), (
    libcudnn_1.cudnnDestroyPoolingDescriptor, pool), (
    libcudnn_1.cudnnDestroyConvolutionDescriptor, conv):  # fmt: skip
    each[0](each[1])
refused(libcudnn_1.cudnnBadParam, libcudnn_1.cudnnGetOutputTensor4dDim, conv, 0)
print("passed")
