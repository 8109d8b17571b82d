"""`cudnn_cffi.compat.libcudnn` as programs for cudnn-python-wrappers use it, with ctypes pointers."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def lib() -> Any:
    from cudnn_cffi.compat import libcudnn

    return libcudnn


@pytest.fixture
def context(lib: Any, torch: Any) -> Iterator[int]:
    """A handle on the stream of PyTorch, whose tensors stand for PyCUDA's arrays."""
    handle = lib.cudnnCreate()
    lib.cudnnSetStream(handle, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    yield handle
    lib.cudnnDestroy(handle)


def pointer(tensor: Any) -> Any:
    return ctypes.c_void_p(int(tensor.data_ptr()))


def described(lib: Any, tensor: Any) -> int:
    kinds = {"torch.float32": "FLOAT", "torch.float64": "DOUBLE", "torch.float16": "HALF"}
    desc = lib.cudnnCreateTensorDescriptor()
    lib.cudnnSetTensor4dDescriptor(
        desc, lib.cudnnTensorFormat["CUDNN_TENSOR_NCHW"],
        lib.cudnnDataType[f"CUDNN_DATA_{kinds[str(tensor.dtype)]}"], *tensor.shape,
    )  # fmt: skip
    return int(desc)


def convolution(lib: Any, x: Any, w: Any, short: bool) -> Any:
    """Describe a convolution with padding 1, by the arguments of version 2 or of the last one."""
    nchw = lib.cudnnTensorFormat["CUDNN_TENSOR_NCHW"]
    kind = lib.cudnnGetTensor4dDescriptor(described(lib, x))[0]
    filters = lib.cudnnCreateFilterDescriptor()
    mode = lib.cudnnConvolutionMode["CUDNN_CROSS_CORRELATION"]
    conv = lib.cudnnCreateConvolutionDescriptor()
    if short:
        lib.cudnnSetFilter4dDescriptor(filters, kind, *w.shape)
        lib.cudnnSetConvolution2dDescriptor(conv, 1, 1, 1, 1, 1, 1, mode)
    else:
        lib.cudnnSetFilter4dDescriptor(filters, kind, nchw, *w.shape)
        compute = 1 if kind == 1 else 0
        lib.cudnnSetConvolution2dDescriptor(conv, 1, 1, 1, 1, 1, 1, mode, compute)
    return filters, conv


@pytest.mark.parametrize("short", [False, True], ids=["last", "version 2"])
def test_the_example_of_its_page(
    lib: Any, context: int, fresh: Any, error_of: Any, torch: Any, short: bool
) -> None:
    """The convolution of its README: descriptors, extents, algorithm, workspace, call, end."""
    x, w = fresh(10, 8, 20, 20), fresh(12, 8, 5, 5)
    x_desc = described(lib, x)
    filters, conv = convolution(lib, x, w, short)
    extents = lib.cudnnGetConvolution2dForwardOutputDim(conv, x_desc, filters)
    expected = torch.nn.functional.conv2d(x.cpu().double(), w.cpu().double(), padding=1)
    assert extents == tuple(expected.shape)
    y = torch.full(extents, 2.0, device="cuda")
    y_desc = described(lib, y)
    prefer = lib.cudnnConvolutionFwdPreference["CUDNN_CONVOLUTION_FWD_PREFER_FASTEST"]
    algo = lib.cudnnGetConvolutionForwardAlgorithm(
        context, x_desc, filters, conv, y_desc, prefer, 0
    )
    assert type(algo) is ctypes.c_int
    size = lib.cudnnGetConvolutionForwardWorkspaceSize(context, x_desc, filters, conv, y_desc, algo)
    assert type(size) is ctypes.c_size_t
    work = torch.empty(max(size.value, 1), dtype=torch.uint8, device="cuda")
    space = (None, 0) if short else (pointer(work), size.value)
    lib.cudnnConvolutionForward(
        context, 1.0, x_desc, pointer(x), filters, pointer(w), conv, algo, *space, 0.5,
        y_desc, pointer(y),
    )  # fmt: skip
    assert error_of(y, expected + 1.0) < 3e-3
    for desc in (x_desc, y_desc):
        lib.cudnnDestroyTensorDescriptor(desc)
    lib.cudnnDestroyFilterDescriptor(filters)
    lib.cudnnDestroyConvolutionDescriptor(conv)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("short", [False, True], ids=["last", "version 2"])
def test_gradients_of_a_convolution(
    lib: Any, context: int, fresh: Any, error_of: Any, torch: Any, dtype: str, short: bool
) -> None:
    if short and dtype == "float64":
        pytest.skip("version 2 has no argument for the compute type")
    x, w, dy = (
        fresh(*shape, dtype=dtype) for shape in ((2, 8, 9, 9), (16, 8, 3, 3), (2, 16, 9, 9))
    )
    xs, ws = (each.cpu().double().requires_grad_() for each in (x, w))
    torch.nn.functional.conv2d(xs, ws, padding=1).backward(dy.cpu().double())
    x_desc, y_desc = described(lib, x), described(lib, dy)
    filters, conv = convolution(lib, x, w, short)
    dx, dw = torch.full_like(x, float("nan")), torch.full_like(w, float("nan"))
    data: tuple[Any, ...] = ()
    gradient: tuple[Any, ...] = ()
    if not short:
        limit = lib.cudnnConvolutionBwdDataPreference[
            "CUDNN_CONVOLUTION_BWD_DATA_SPECIFY_WORKSPACE_LIMIT"
        ]
        algo = lib.cudnnGetConvolutionBackwardDataAlgorithm(
            context, filters, y_desc, conv, x_desc, limit, 1 << 24
        )
        size = lib.cudnnGetConvolutionBackwardDataWorkspaceSize(
            context, filters, y_desc, conv, x_desc, algo
        ).value
        assert size <= 1 << 24
        first = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
        data = (algo, pointer(first), size)
        algo = lib.cudnnGetConvolutionBackwardFilterAlgorithm(
            context, x_desc, y_desc, conv, filters, limit, 1 << 24
        )
        size = lib.cudnnGetConvolutionBackwardFilterWorkspaceSize(
            context, x_desc, y_desc, conv, filters, algo
        ).value
        second = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
        gradient = (algo, pointer(second), size)
    lib.cudnnConvolutionBackwardData(
        context, 1.0, filters, pointer(w), y_desc, pointer(dy), conv, *data, 0.0, x_desc,
        pointer(dx),
    )  # fmt: skip
    lib.cudnnConvolutionBackwardFilter(
        context, 1.0, x_desc, pointer(x), y_desc, pointer(dy), conv, *gradient, 0.0, filters,
        pointer(dw),
    )  # fmt: skip
    limit = {"float32": 3e-3, "float64": 1e-12, "float16": 4e-3}[dtype]
    assert error_of(dx, xs.grad) < limit
    assert error_of(dw, ws.grad) < limit
    bias = torch.full((1, 16, 1, 1), float("nan"), dtype=dy.dtype, device="cuda")
    lib.cudnnConvolutionBackwardBias(
        context, 1.0, y_desc, pointer(dy), 0.0, described(lib, bias), pointer(bias)
    )
    assert error_of(bias, dy.cpu().double().sum((0, 2, 3), keepdim=True)) < limit


def test_algorithms_are_found(lib: Any, context: int, fresh: Any) -> None:
    x, w, y = fresh(4, 8, 12, 12), fresh(8, 8, 3, 3), fresh(4, 8, 12, 12)
    x_desc, y_desc = described(lib, x), described(lib, y)
    filters, conv = convolution(lib, x, w, False)
    forward = lib.cudnnFindConvolutionForwardAlgorithm(context, x_desc, filters, conv, y_desc, 4)
    data = lib.cudnnFindConvolutionBackwardDataAlgorithm(context, filters, y_desc, conv, x_desc, 4)
    gradient = lib.cudnnFindConvolutionBackwardFilterAlgorithm(
        context, x_desc, y_desc, conv, filters, 4
    )
    for found in (forward, data, gradient):
        assert 1 <= len(found) <= 4
        best = found[0]
        assert best.status == 0
        assert best.time > 0
        assert best.memory >= 0
        assert str(best).startswith(f"(algo={best.algo}, status=0, time=")
    nothing = lib.cudnnConvolutionFwdPreference["CUDNN_CONVOLUTION_FWD_NO_WORKSPACE"]
    algo = lib.cudnnGetConvolutionForwardAlgorithm(
        context, x_desc, filters, conv, y_desc, nothing, 0
    )
    size = lib.cudnnGetConvolutionForwardWorkspaceSize(context, x_desc, filters, conv, y_desc, algo)
    assert size.value == 0
    with pytest.raises(lib.cudnnStatusBadParam):
        lib.cudnnGetConvolutionForwardAlgorithm(context, x_desc, filters, conv, y_desc, 9, 0)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_elementwise(
    lib: Any, context: int, fresh: Any, error_of: Any, torch: Any, dtype: str
) -> None:
    limit = {"float32": 1e-6, "float64": 1e-13, "float16": 2e-3}[dtype]
    x, b = fresh(2, 3, 4, 5, dtype=dtype), fresh(1, 3, 1, 1, dtype=dtype)
    x_desc, b_desc = described(lib, x), described(lib, b)
    y = x.clone()
    lib.cudnnAddTensor(context, 2.0, b_desc, pointer(b), 0.5, x_desc, pointer(y))
    wanted = 2 * b.cpu().double() + 0.5 * x.cpu().double()
    assert error_of(y, wanted) < limit
    mode = lib.cudnnAddMode["CUDNN_ADD_SAME_C"]
    y = x.clone()
    lib.cudnnAddTensor(context, mode, 2.0, b_desc, pointer(b), 0.5, x_desc, pointer(y))
    assert error_of(y, wanted) < limit
    lib.cudnnScaleTensor(context, x_desc, pointer(y), 0.25)
    assert error_of(y, wanted / 4) < limit
    lib.cudnnSetTensor(context, x_desc, pointer(y), 1.5)
    assert error_of(y, torch.full((2, 3, 4, 5), 1.5, dtype=torch.float64)) == 0
    last = torch.full((2, 3, 4, 5), float("nan"), dtype=x.dtype, device="cuda")
    last = last.contiguous(memory_format=torch.channels_last)
    desc = lib.cudnnCreateTensorDescriptor()
    kind = lib.cudnnGetTensor4dDescriptor(x_desc)[0]
    lib.cudnnSetTensor4dDescriptorEx(desc, kind, *last.shape, *last.stride())
    lib.cudnnTransformTensor(context, 2.0, x_desc, pointer(x), 0.0, desc, pointer(last))
    assert error_of(last, 2 * x.cpu().double()) < limit


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", ["SIGMOID", "RELU", "TANH", "ELU"])
def test_activation(
    lib: Any, context: int, fresh: Any, error_of: Any, torch: Any, dtype: str, name: str
) -> None:
    x, dy = fresh(2, 3, 4, 5, dtype=dtype), fresh(2, 3, 4, 5, dtype=dtype)
    xs = x.cpu().double().requires_grad_()
    functions = {
        "SIGMOID": torch.sigmoid, "RELU": torch.relu, "TANH": torch.tanh,
        "ELU": torch.nn.functional.elu,
    }  # fmt: skip
    expected = functions[name](xs)
    expected.backward(dy.cpu().double())
    desc, mode = described(lib, x), lib.cudnnActivationMode[f"CUDNN_ACTIVATION_{name}"]
    y, dx = torch.full_like(x, float("nan")), torch.full_like(x, float("nan"))
    lib.cudnnActivationForward(context, mode, 1.0, desc, pointer(x), 0.0, desc, pointer(y))
    limit = {"float32": 2e-6, "float64": 1e-12, "float16": 3e-3}[dtype]
    assert error_of(y, expected.detach()) < limit
    lib.cudnnActivationBackward(
        context, ctypes.c_int(mode), 1.0, desc, pointer(y), desc, pointer(dy), desc, pointer(x),
        0.0, desc, pointer(dx),
    )  # fmt: skip
    assert error_of(dx, xs.grad) < limit


@pytest.mark.parametrize("mode", ["INSTANCE", "CHANNEL"])
def test_softmax(lib: Any, context: int, fresh: Any, error_of: Any, torch: Any, mode: str) -> None:
    x, dy = fresh(2, 6, 3, 4), fresh(2, 6, 3, 4)
    xs = x.cpu().double().requires_grad_()
    if mode == "CHANNEL":
        expected = torch.softmax(xs, 1)
    else:
        expected = torch.softmax(xs.reshape(2, -1), 1).reshape(xs.shape)
    expected.backward(dy.cpu().double())
    desc = described(lib, x)
    how = (
        lib.cudnnSoftmaxAlgorithm["CUDNN_SOFTMAX_ACCURATE"],
        lib.cudnnSoftmaxMode[f"CUDNN_SOFTMAX_MODE_{mode}"],
    )
    y, dx = torch.full_like(x, float("nan")), torch.full_like(x, float("nan"))
    lib.cudnnSoftmaxForward(context, *how, 1.0, desc, pointer(x), 0.0, desc, pointer(y))
    assert error_of(y, expected.detach()) < 1e-5
    lib.cudnnSoftmaxBackward(
        context, *how, 1.0, desc, pointer(y), desc, pointer(dy), 0.0, desc, pointer(dx)
    )
    assert error_of(dx, xs.grad) < 1e-5


@pytest.mark.parametrize("name", ["MAX", "AVERAGE_COUNT_INCLUDE_PADDING"])
def test_pooling(lib: Any, context: int, fresh: Any, error_of: Any, torch: Any, name: str) -> None:
    x, dy = fresh(2, 3, 8, 8), fresh(2, 3, 4, 4)
    xs = x.cpu().double().requires_grad_()
    functional = torch.nn.functional
    expected = (functional.max_pool2d if name == "MAX" else functional.avg_pool2d)(xs, 3, 2, 1)
    expected.backward(dy.cpu().double())
    pool = lib.cudnnCreatePoolingDescriptor()
    mode = lib.cudnnPoolingMode[f"CUDNN_POOLING_{name}"]
    lib.cudnnSetPooling2dDescriptor(pool, mode, 3, 3, 1, 1, 2, 2)
    assert lib.cudnnGetPooling2dDescriptor(pool) == (mode, 3, 3, 2, 2)
    x_desc, y_desc = described(lib, x), described(lib, dy)
    y, dx = torch.full_like(dy, float("nan")), torch.full_like(x, float("nan"))
    lib.cudnnPoolingForward(context, pool, 1.0, x_desc, pointer(x), 0.0, y_desc, pointer(y))
    assert error_of(y, expected.detach()) < 1e-6
    lib.cudnnPoolingBackward(
        context, pool, 1.0, y_desc, pointer(y), y_desc, pointer(dy), x_desc, pointer(x), 0.0,
        x_desc, pointer(dx),
    )  # fmt: skip
    assert error_of(dx, xs.grad) < 1e-6
    lib.cudnnDestroyPoolingDescriptor(pool)


def test_handles_and_streams(lib: Any, torch: Any) -> None:
    handle = lib.cudnnCreate()
    assert type(handle) is int
    assert lib.cudnnGetStream(handle) is None
    stream = torch.cuda.Stream()
    lib.cudnnSetStream(handle, stream.cuda_stream)
    assert lib.cudnnGetStream(ctypes.c_void_p(handle)) == stream.cuda_stream
    assert lib.cudnnGetVersion() // 10000 >= 8 or lib.cudnnGetVersion() // 1000 >= 8
    lib.cudnnDestroy(ctypes.c_void_p(handle))


def test_arrays_of_numpy_are_refused(lib: Any, context: int, fresh: Any) -> None:
    x = fresh(1, 1, 2, 2)
    desc = described(lib, x)
    with pytest.raises(TypeError, match=r"host|device"):
        lib.cudnnScaleTensor(context, desc, np.ones((1, 1, 2, 2), "f"), 2.0)


@pytest.fixture
def first() -> Any:
    from cudnn_cffi.compat import libcudnn_1

    return libcudnn_1


def described_by_first(first: Any, tensor: Any) -> int:
    desc = first.cudnnCreateTensor4dDescriptor()
    kind = first.cudnnDataType[
        "CUDNN_DATA_DOUBLE" if "64" in str(tensor.dtype) else "CUDNN_DATA_FLOAT"
    ]
    nchw = first.cudnnTensorFormat["CUDNN_TENSOR_NCHW"]
    first.cudnnSetTensor4dDescriptor(desc, nchw, kind, *tensor.shape)
    return int(desc)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("accumulate", [False, True], ids=["overwrite", "accumulate"])
def test_convolutions_of_version_1(
    first: Any, context: int, torch: Any, dtype: str, accumulate: bool
) -> None:
    """The example of its page, and the gradients."""
    kind = getattr(torch, dtype)
    x, w = (torch.randn(*s, device="cuda", dtype=kind) for s in ((10, 6, 20, 20), (8, 6, 5, 5)))
    x_desc = described_by_first(first, x)
    filters = first.cudnnCreateFilterDescriptor()
    first.cudnnSetFilterDescriptor(filters, int(dtype == "float64"), *w.shape)
    conv = first.cudnnCreateConvolutionDescriptor()
    mode = first.cudnnConvolutionMode["CUDNN_CROSS_CORRELATION"]
    first.cudnnSetConvolutionDescriptor(conv, x_desc, filters, 4, 4, 1, 1, 1, 1, mode)
    extents = first.cudnnGetOutputTensor4dDim(
        conv, first.cudnnConvolutionPath["CUDNN_CONVOLUTION_FORWARD"]
    )
    x64, w64 = (each.double().requires_grad_() for each in (x, w))
    y64 = torch.nn.functional.conv2d(x64, w64, padding=4)
    assert extents == tuple(y64.shape)
    dy = torch.randn(extents, device="cuda", dtype=kind)
    y64.backward(dy.double())
    number = first.cudnnAccumulateResults[
        "CUDNN_RESULT_ACCUMULATE" if accumulate else "CUDNN_RESULT_NO_ACCUMULATE"
    ]
    y, dx, dw = (torch.full_like(each, 2.0) for each in (dy, x, w))
    db = torch.full((1, 8, 1, 1), 2.0, device="cuda", dtype=kind)
    y_desc, db_desc = described_by_first(first, y), described_by_first(first, db)
    first.cudnnConvolutionForward(
        context, x_desc, pointer(x), filters, pointer(w), conv, y_desc, pointer(y), number
    )
    first.cudnnConvolutionBackwardData(
        context, filters, pointer(w), y_desc, pointer(dy), conv, x_desc, pointer(dx), number
    )
    first.cudnnConvolutionBackwardFilter(
        context, x_desc, pointer(x), y_desc, pointer(dy), conv, filters, pointer(dw), number
    )
    first.cudnnConvolutionBackwardBias(context, y_desc, pointer(dy), db_desc, pointer(db), number)
    torch.cuda.synchronize()
    bias = dy.double().sum((0, 2, 3)).reshape(1, 8, 1, 1)
    for found, wanted in ((y, y64.detach()), (dx, x64.grad), (dw, w64.grad), (db, bias)):
        wanted = wanted + 2.0 if accumulate else wanted
        difference = (found.double() - wanted).norm() / wanted.norm()
        assert float(difference) < (1e-3 if dtype == "float32" else 1e-10)


def test_the_rest_of_version_1(first: Any, context: int, torch: Any) -> None:
    x = torch.randn(4, 3, 8, 8, device="cuda")
    x64 = x.double().requires_grad_()
    desc = described_by_first(first, x)

    def compare(found: Any, wanted: Any) -> None:
        torch.cuda.synchronize()
        assert float((found.double() - wanted).abs().max()) < 1e-5

    y, dy = torch.empty_like(x), torch.randn_like(x)
    dx = torch.empty_like(x)
    channel = first.cudnnSoftmaxMode["CUDNN_SOFTMAX_MODE_CHANNEL"]
    accurate = first.cudnnSoftmaxAlgorithm["CUDNN_SOFTMAX_ACCURATE"]
    softmax = x64.softmax(1)
    (gradient,) = torch.autograd.grad(softmax, x64, dy.double())
    first.cudnnSoftmaxForward(context, accurate, channel, desc, pointer(x), desc, pointer(y))
    compare(y, softmax.detach())
    first.cudnnSoftmaxBackward(
        context, accurate, channel, desc, pointer(y), desc, pointer(dy), desc, pointer(dx)
    )
    compare(dx, gradient)
    tanh = first.cudnnActivationMode["CUDNN_ACTIVATION_TANH"]
    bent = x64.tanh()
    (gradient,) = torch.autograd.grad(bent, x64, dy.double())
    first.cudnnActivationForward(context, tanh, desc, pointer(x), desc, pointer(y))
    compare(y, bent.detach())
    first.cudnnActivationBackward(
        context, tanh, desc, pointer(y), desc, pointer(dy), desc, pointer(x), desc, pointer(dx)
    )
    compare(dx, gradient)
    pool = first.cudnnCreatePoolingDescriptor()
    first.cudnnSetPoolingDescriptor(
        pool, first.cudnnPoolingMode["CUDNN_POOLING_AVERAGE"], 2, 2, 2, 2
    )
    pooled = torch.nn.functional.avg_pool2d(x64, 2)
    small, slope = torch.empty(4, 3, 4, 4, device="cuda"), torch.randn(4, 3, 4, 4, device="cuda")
    small_desc = described_by_first(first, small)
    first.cudnnPoolingForward(context, pool, desc, pointer(x), small_desc, pointer(small))
    compare(small, pooled.detach())
    (gradient,) = torch.autograd.grad(pooled, x64, slope.double())
    first.cudnnPoolingBackward(
        context, pool, small_desc, pointer(small), small_desc, pointer(slope), desc, pointer(x),
        desc, pointer(dx),
    )  # fmt: skip
    compare(dx, gradient)
    bias = torch.randn(1, 3, 1, 1, device="cuda")
    half = ctypes.c_float(0.5)
    y.copy_(x)
    mode = first.cudnnAddMode["CUDNN_ADD_SAME_C"]
    first.cudnnAddTensor4d(
        context, mode, ctypes.c_void_p(ctypes.addressof(half)), described_by_first(first, bias),
        pointer(bias), desc, pointer(y),
    )  # fmt: skip
    compare(y, x.double() + 0.5 * bias.double())
    first.cudnnTransformTensor4d(context, desc, pointer(x), desc, pointer(y))
    compare(y, x.double())
