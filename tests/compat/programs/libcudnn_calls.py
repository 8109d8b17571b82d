"""The functions of cudnn-python-wrappers: descriptors by cuDNN, other calls by what they pass on."""

import ctypes
import inspect
import types
from decimal import Decimal
from fractions import Fraction
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import _lookup
from cudnn_cffi.compat import libcudnn, libcudnn_1
from cudnn_cffi.compat._libcudnn.base import handles
from cudnn_cffi.compat.frontend.handles import Handle

from tests.compat.fake_cupy import Recorder
from tests.refusing import raised as refused

HANDLE, STREAM = 0x5000, 0x600


# Descriptors, with ints and with numbers of ctypes

tensor = libcudnn.cudnnCreateTensorDescriptor()
assert type(tensor) is int
for wrap in (int, ctypes.c_int):
    given = [wrap(each) for each in (0, 1, 2, 3, 4, 5)]
    libcudnn.cudnnSetTensor4dDescriptor(ctypes.c_void_p(tensor), *given)
    told = libcudnn.cudnnGetTensor4dDescriptor(tensor)
    assert told == (1, 2, 3, 4, 5, 60, 20, 5, 1) and all(type(each) is int for each in told)
libcudnn.cudnnSetTensor4dDescriptorEx(tensor, 0, 2, 3, 8, 8, 192, 1, 24, 3)
assert libcudnn.cudnnGetTensor4dDescriptor(tensor) == (0, 2, 3, 8, 8, 192, 1, 24, 3)
filters = libcudnn.cudnnCreateFilterDescriptor()
libcudnn.cudnnSetFilter4dDescriptor(filters, 0, 1, 4, 3, 3, 2)
assert libcudnn.cudnnGetFilter4dDescriptor(filters) == (0, 1, 4, 3, 3, 2)
libcudnn.cudnnSetFilter4dDescriptor(filters, 0, 4, 3, 3, 3)  # version 2
assert libcudnn.cudnnGetFilter4dDescriptor(filters) == (0, 0, 4, 3, 3, 3)
conv = libcudnn.cudnnCreateConvolutionDescriptor()
libcudnn.cudnnSetConvolution2dDescriptor(conv, 1, 0, 2, 1, 1, 2, 1, 1)
assert libcudnn.cudnnGetConvolution2dDescriptor(conv) == (1, 0, 2, 1, 1, 2, 1, 1)
libcudnn.cudnnSetConvolution2dDescriptor(conv, 1, 1, 1, 1, 1, 1, 1)  # version 2
assert libcudnn.cudnnGetConvolution2dDescriptor(conv) == (1, 1, 1, 1, 1, 1, 1, 0)
error = refused(
    libcudnn.cudnnStatusNotSupported,
    *(libcudnn.cudnnSetConvolution2dDescriptor, conv, 1, 1, 1, 1, 2, 2, 1),
)
assert "upscales" in str(error)
assert libcudnn.cudnnGetConvolution2dForwardOutputDim(conv, tensor, filters) == (2, 4, 8, 8)
other = libcudnn.cudnnCreateConvolutionDescriptor()
libcudnn.cudnnSetConvolutionNdDescriptor(other, [1, 1, 1], (1, 2, 1), [1, 1, 1], 1, 0)
refused(ValueError, libcudnn.cudnnSetConvolutionNdDescriptor, other, [1], [1, 1], [1], 1, 0)
pool = libcudnn.cudnnCreatePoolingDescriptor()
libcudnn.cudnnSetPooling2dDescriptor(pool, 2, 3, 2, 1, 0, 2, 1)
assert libcudnn.cudnnGetPooling2dDescriptor(pool) == (2, 3, 2, 2, 1)

# Exceptions

error = refused(
    libcudnn.cudnnStatusBadParam, libcudnn.cudnnSetTensor4dDescriptor, tensor, 0, 0, -1, 3, 4, 5
)
assert isinstance(error, libcudnn.cudnnError) and error.status == 3
assert str(error).startswith("CUDNN_STATUS_BAD_PARAM: cudnnSetTensor4dDescriptor")
refused(TypeError, libcudnn.cudnnSetTensor4dDescriptor, tensor, 0, 0, "1", 3, 4, 5)
refused(ctypes.ArgumentError, libcudnn.cudnnSetTensor4dDescriptor, tensor, 0, 0, 1.5, 3, 4, 5)
refused(TypeError, libcudnn.cudnnSetTensor4dDescriptor, tensor, 0, 0, 1, 3, 4)
refused(libcudnn.cudnnStatusBadParam, libcudnn.cudnnGetTensor4dDescriptor, 0)
for status, cls in libcudnn.cudnnExceptions.items():
    error = refused(cls, libcudnn.cudnnCheckStatus, status)
    assert error.status == status and type(error) is cls and cls().status == status
    assert str(error).startswith("CUDNN_STATUS_")
assert refused(libcudnn.cudnnError, libcudnn.cudnnCheckStatus, 77).status == 77
libcudnn.cudnnCheckStatus(0)
bad = cudnn.Status.BAD_PARAM
assert refused(libcudnn.cudnnStatusBadParam, libcudnn.cudnnCheckStatus, bad).status == 3

# Dictionaries: where this release has a name, it has the number

for name, numbers in vars(libcudnn).items():
    if isinstance(numbers, dict) and name.startswith("cudnn") and name != "cudnnExceptions":
        for c_name, number in numbers.items():
            if cudnn.has(c_name) and not c_name.endswith("_COUNT"):
                assert getattr(cudnn, c_name) == number, c_name

# Arguments that calls pass on

record = Recorder(
    *("cudnnTransformTensor", "cudnnAddTensor", "cudnnSetTensor", "cudnnScaleTensor"),
    *("cudnnConvolutionForward", "cudnnConvolutionBackwardData", "cudnnConvolutionBackwardBias"),
    *("cudnnConvolutionBackwardFilter", "cudnnSoftmaxForward", "cudnnSoftmaxBackward"),
    *("cudnnPoolingForward", "cudnnPoolingBackward", "cudnnActivationForward"),
    *("cudnnActivationBackward", "cudnnSetStream", "cudnnGetStream", "cudnnDestroy"),
    *("cudnnGetConvolutionForwardWorkspaceSize", "cudnnGetConvolutionBackwardDataWorkspaceSize"),
    "cudnnGetConvolutionBackwardFilterWorkspaceSize",
)
x, y = ctypes.c_void_p(0x10000), ctypes.c_void_p(0x20000)
addresses = {"srcDesc": 1, "destDesc": 2}


def check(function: Any, c_name: str, given: dict[str, Any], expected: dict[str, Any]) -> None:
    """Call with arguments by name, which is by position too, and compare what C gets."""
    for call in (lambda: function(*given.values()), lambda: function(**given)):
        record.calls.clear()
        call()
        got = record.take(c_name)
        wrong = {name: got[name] for name in expected if got[name] != expected[name]}
        assert not wrong, (c_name, wrong)


def plain(function: Any, c_name: str, replaced: dict[str, str]) -> None:
    """Check a function whose arguments go to C in their order."""
    names = list(inspect.signature(function).parameters)
    given = {name: place + 1.5 for place, name in enumerate(names)}
    for place, name in enumerate(names):
        if name not in ("alpha", "beta", "value"):
            given[name] = ctypes.c_void_p(0x1000 * (place + 1)) if "Data" in name else place + 1
    c_names = list(inspect.signature(getattr(cudnn, c_name)).parameters)
    expected = {c: given[own] for own, c in zip(names, c_names, strict=True)}
    assert not replaced
    check(function, c_name, given, expected)


for name in (
    *("cudnnTransformTensor", "cudnnSetTensor", "cudnnScaleTensor", "cudnnSoftmaxForward"),
    *("cudnnSoftmaxBackward", "cudnnPoolingForward", "cudnnPoolingBackward"),
    *("cudnnConvolutionBackwardBias", "cudnnSetStream"),
):
    plain(getattr(libcudnn, name), name, {})

for stream in (STREAM, ctypes.c_void_p(STREAM)):
    libcudnn.cudnnSetStream(HANDLE, stream)
    assert record.take("cudnnSetStream")["streamId"] == STREAM
libcudnn.cudnnSetStream(HANDLE, ctypes.c_void_p(None))
assert record.take("cudnnSetStream")["streamId"] == 0

libcudnn.cudnnAddTensor(HANDLE, 1.0, tensor, x, 0.5, tensor, y)
first = record.take("cudnnAddTensor")
libcudnn.cudnnAddTensor(HANDLE, 2, 1.0, tensor, x, 0.5, tensor, y)  # with a mode, as version 2
assert record.take("cudnnAddTensor") == first and (first["alpha"], first["beta"]) == (1.0, 0.5)
refused(TypeError, libcudnn.cudnnAddTensor, HANDLE, 1.0, tensor, x, 0.5, tensor)

for mode, name in enumerate(("SIGMOID", "RELU", "TANH")):
    libcudnn.cudnnActivationForward(HANDLE, mode, 1.0, tensor, x, 0.0, tensor, y)
    got = record.take("cudnnActivationForward")
    assert got["activationDesc"].mode.name == name and (got["x"], got["y"]) == (x, y)
libcudnn.cudnnActivationBackward(HANDLE, ctypes.c_int(4), 1.0, 1, x, 2, y, 3, x, 0.0, 4, y)
got = record.take("cudnnActivationBackward")
assert got["activationDesc"].mode.name == "ELU"
assert (got["yDesc"], got["dyDesc"], got["xDesc"], got["dxDesc"]) == (1, 2, 3, 4)
error = refused(
    libcudnn.cudnnStatusBadParam,
    *(libcudnn.cudnnActivationForward, HANDLE, 3, 1.0, tensor, x, 0.0, tensor, y),
)
assert "ceiling" in str(error)

# Algorithms by preference


def perf(algo: int, memory: int, status: int = 0) -> Any:
    return types.SimpleNamespace(algo=algo, memory=memory, status=status, time=1.5)


listed = [perf(5, 100, 9), perf(1, 4096), perf(6, 64), perf(0, 0)]
for c_name, function in (
    ("cudnnGetConvolutionForwardAlgorithm_v7", libcudnn.cudnnGetConvolutionForwardAlgorithm),
    (
        "cudnnGetConvolutionBackwardDataAlgorithm_v7",
        libcudnn.cudnnGetConvolutionBackwardDataAlgorithm,
    ),
    (
        "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
        libcudnn.cudnnGetConvolutionBackwardFilterAlgorithm,
    ),
):
    asked: list[Any] = []
    setattr(_lookup.calls, c_name, lambda *args, asked=asked: asked.append(args) or listed)
    for preference, limit, algo in ((0, 0, 0), (1, 0, 1), (2, 64, 6), (2, 63, 0), (2, 1 << 20, 1)):
        got = function(HANDLE, 1, 2, 3, 4, ctypes.c_int(preference), limit)
        assert type(got) is ctypes.c_int and got.value == algo
        assert asked[-1][:5] == (HANDLE, 1, 2, 3, 4)
    refused(libcudnn.cudnnStatusBadParam, function, HANDLE, 1, 2, 3, 4, 3, 0)
    setattr(_lookup.calls, c_name, lambda *args: [perf(1, 9)])
    refused(libcudnn.cudnnStatusNotSupported, function, HANDLE, 1, 2, 3, 4, 0, 0)
    setattr(_lookup.calls, c_name, lambda *args: listed)

for c_name in (
    "cudnnFindConvolutionForwardAlgorithm", "cudnnFindConvolutionBackwardDataAlgorithm",
    "cudnnFindConvolutionBackwardFilterAlgorithm",
):  # fmt: skip
    setattr(_lookup.calls, c_name, lambda *args: listed)
    found = getattr(libcudnn, c_name)(HANDLE, 1, 2, 3, 4, 8)
    assert [each.algo for each in found] == [5, 1, 6, 0] and isinstance(found[0], ctypes.Structure)
    assert repr(found[1]) == "(algo=1, status=0, time=1.500000, memory=4096)"

# Convolutions: a workspace that is given is used; without one, that of the handle

own: Any = types.SimpleNamespace(
    workspace=types.SimpleNamespace(get=lambda size, stream: 0xABC000 + size),
    get_stream=lambda: STREAM,
    closed=[],
    close=lambda: own.closed.append(True),
)
handles[HANDLE] = own
for c_name, size in (
    ("cudnnConvolutionForward", "cudnnGetConvolutionForwardWorkspaceSize"),
    ("cudnnConvolutionBackwardData", "cudnnGetConvolutionBackwardDataWorkspaceSize"),
    ("cudnnConvolutionBackwardFilter", "cudnnGetConvolutionBackwardFilterWorkspaceSize"),
):
    record.results[size] = 768
    function = getattr(libcudnn, c_name)
    start = (HANDLE, 1.0, 1, x, 2, y, 3)
    function(*start, 1, x, 512, 0.5, 4, y)
    got = record.take(c_name)
    assert (got["workSpace"], got["workSpaceSizeInBytes"], got["algo"]) == (x, 512, 1)
    assert (got["alpha"], got["beta"]) == (1.0, 0.5)
    function(*start, ctypes.c_int(1), None, 0, 0.5, 4, y)
    got = record.take(c_name)
    assert (got["workSpace"], got["workSpaceSizeInBytes"]) == (0xABC300, 768)
    function(0x6000, *start[1:], 1, None, 0, 0.5, 4, y)  # a handle of somebody else
    got = record.take(c_name)
    assert (got["workSpace"], got["workSpaceSizeInBytes"]) == (None, 0)
    if c_name != "cudnnConvolutionForward":
        function(*start, 0.25, 4, y)  # version 2
        got = record.take(c_name)
        assert (got["algo"].value, got["beta"], got["workSpaceSizeInBytes"]) == (1, 0.25, 768)
        function(0x6000, *start[1:], 0.25, 4, y)  # whose handle has no workspace
        got = record.take(c_name)
        assert (got["algo"].value, got["beta"], got["workSpaceSizeInBytes"]) == (0, 0.25, 0)
    answer = getattr(libcudnn, size)(HANDLE, 1, 2, 3, 4, 0)
    assert type(answer) is ctypes.c_size_t and answer.value == 768
record.results["cudnnGetStream"] = 0
assert libcudnn.cudnnGetStream(HANDLE) is None
record.results["cudnnGetStream"] = STREAM
assert libcudnn.cudnnGetStream(HANDLE) == STREAM
libcudnn.cudnnDestroy(ctypes.c_void_p(HANDLE))
assert own.closed == [True] and not handles
record.calls.clear()
libcudnn.cudnnDestroy(0x6000)
assert record.take("cudnnDestroy")["handle"] == 0x6000

for kind, desc in (
    ("Tensor", tensor), ("Filter", filters), ("Convolution", conv), ("Convolution", other),
    ("Pooling", pool),
):  # fmt: skip
    getattr(libcudnn, f"cudnnDestroy{kind}Descriptor")(desc)
for name in ("cudnnDestroy", "cudnnDestroyTensorDescriptor"):
    for nothing in (None, 0):
        assert getattr(libcudnn, name)(nothing) is None
refused(libcudnn.cudnnStatusNotInitialized, libcudnn.cudnnCreate)

# An address is an integer, or an object's of the C type: nothing else is converted to a number.


class Number:
    """Converts itself, as descriptors and many numbers do."""

    value = 1

    def __int__(self) -> int:
        return 1


kinds = ("", "TensorDescriptor", "FilterDescriptor", "ConvolutionDescriptor", "PoolingDescriptor")
relu = cudnn.ActivationDescriptor.relu()
wrong = (
    relu,
    1.5,
    Decimal("1"),
    Fraction(1),
    "1",
    b"1",
    Number(),
    ctypes.c_float(1.0),
    [1],
    1 << 64,
    -1,
)
for kind in kinds:
    for each in wrong:
        refused(ctypes.ArgumentError, getattr(libcudnn, f"cudnnDestroy{kind}"), each)
for each in wrong[:8]:
    refused(
        ctypes.ArgumentError, libcudnn.cudnnSetConvolution2dDescriptor, 1, 0, 0, 1, 1, each, 1, 1
    )
    refused(ctypes.ArgumentError, libcudnn_1.cudnnGetOutputTensor4dDim, each, 0)
    refused(ctypes.ArgumentError, libcudnn_1.cudnnDestroyConvolutionDescriptor, each)
    refused(TypeError, Handle, each)
assert relu.mode == cudnn.ActivationMode.RELU, "the descriptor is alive"
own = cudnn.TensorDescriptor()
libcudnn.cudnnDestroyTensorDescriptor(own)
assert own.closed, "an object of the C type is destroyed as the C name does"
print("passed")
