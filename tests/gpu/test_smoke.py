"""The shortest proof: a handle, a convolution and an activation through the C names."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest


def test_the_versions_belong_together(cudnn: Any, torch: Any) -> None:
    from cudnn_cffi import library

    loaded = library.load()
    print(loaded.path, loaded.version, torch.backends.cudnn.version())
    assert cudnn.cudnnGetVersion() == torch.backends.cudnn.version()


def test_a_handle_has_the_stream_that_was_set(cudnn: Any, torch: Any) -> None:
    handle = cudnn.cudnnCreate()
    stream = torch.cuda.Stream()
    cudnn.cudnnSetStream(handle, stream)
    assert cudnn.cudnnGetStream(handle) == stream.cuda_stream
    cudnn.cudnnDestroy(handle)


def test_relu_forward(cudnn: Any, torch: Any, handle: int) -> None:
    x = torch.randn(4, 8, 5, 7, device="cuda")
    y = torch.full_like(x, float("nan"))
    desc = cudnn.cudnnCreateTensorDescriptor()
    cudnn.cudnnSetTensor4dDescriptor(
        desc, cudnn.CUDNN_TENSOR_NCHW, cudnn.CUDNN_DATA_FLOAT, 4, 8, 5, 7
    )
    relu = cudnn.cudnnCreateActivationDescriptor()
    cudnn.cudnnSetActivationDescriptor(
        relu, cudnn.CUDNN_ACTIVATION_RELU, cudnn.CUDNN_NOT_PROPAGATE_NAN, 0.0
    )
    cudnn.cudnnActivationForward(handle, relu, 1.0, desc, x, 0.0, desc, y)
    cudnn.cudnnDestroyActivationDescriptor(relu)
    cudnn.cudnnDestroyTensorDescriptor(desc)
    assert torch.equal(y, x.clamp(min=0))


@pytest.mark.usefixtures("exact")
def test_convolution_forward(cudnn: Any, torch: Any, handle: int) -> None:
    x = torch.randn(2, 3, 16, 16, device="cuda", dtype=torch.float64)
    w = torch.randn(5, 3, 3, 3, device="cuda", dtype=torch.float64)
    x_desc, y_desc = cudnn.cudnnCreateTensorDescriptor(), cudnn.cudnnCreateTensorDescriptor()
    w_desc = cudnn.cudnnCreateFilterDescriptor()
    conv = cudnn.cudnnCreateConvolutionDescriptor()
    double, nchw = cudnn.CUDNN_DATA_DOUBLE, cudnn.CUDNN_TENSOR_NCHW
    cudnn.cudnnSetTensor4dDescriptor(x_desc, nchw, double, 2, 3, 16, 16)
    cudnn.cudnnSetFilter4dDescriptor(w_desc, double, nchw, 5, 3, 3, 3)
    cudnn.cudnnSetConvolution2dDescriptor(
        conv, 1, 1, 1, 1, 1, 1, cudnn.CUDNN_CROSS_CORRELATION, double
    )
    shape = cudnn.cudnnGetConvolution2dForwardOutputDim(conv, x_desc, w_desc)
    cudnn.cudnnSetTensor4dDescriptor(y_desc, nchw, double, *shape)
    y = torch.full(tuple(shape), float("nan"), device="cuda", dtype=torch.float64)
    best = cudnn.cudnnGetConvolutionForwardAlgorithm_v7(handle, x_desc, w_desc, conv, y_desc, 8)[0]
    workspace = torch.empty(best.memory, device="cuda", dtype=torch.uint8)
    cudnn.cudnnConvolutionForward(
        handle, 1.0, x_desc, x, w_desc, w, conv, best.algo, workspace, best.memory, 0.0, y_desc, y
    )
    expected = torch.nn.functional.conv2d(x.cpu(), w.cpu(), padding=1)
    assert (y.cpu() - expected).norm() / expected.norm() < 1e-12


def test_what_cuda_core_offers() -> None:
    """The overlay's arrays are built on these names."""
    import cuda.core

    print("cuda.core", cuda.core.__version__, sorted(n for n in dir(cuda.core) if n[0] != "_"))
    from cuda.core import Buffer, Device

    print(sorted(name for name in dir(Device) if name[0] != "_"))
    print(sorted(name for name in dir(Buffer) if name[0] != "_"))
    device = Device(0)
    device.set_current()
    stream = device.create_stream()
    buffer = device.allocate(1024, stream=stream)
    print(type(buffer), buffer.handle, type(buffer.handle), buffer.size)
    assert int(buffer.handle)
    assert buffer.size == 1024
    buffer.close(stream)


def test_the_first_minute(cudnn: Any) -> None:
    """`python -m cudnn_cffi try` computes, compares and times."""
    done = subprocess.run(
        [sys.executable, "-m", "cudnn_cffi", "try", "--json"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["devices"]
    assert " is right: " in found["check"]
    times = [each["time"] for each in found["engines"] if each["time"] is not None]
    assert len(times) > 1
    assert times == sorted(times)
    assert cudnn.is_available()
    assert cudnn.version() == found["release"]
