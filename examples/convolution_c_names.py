"""A forward convolution through the C names, with arrays of this package or another library.

64 images of 128 channels, 112 by 112; 128 filters, 7 by 7. Every call is cuDNN's own, in cuDNN's
order of arguments, without its out-parameters: what C writes through a pointer is returned.

    python examples/convolution_c_names.py [cudnn_cffi | torch | cupy | pycuda]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import cudnn_cffi as cudnn
import numpy as np

N, C, H, W = 64, 128, 112, 112
K, R, S = 128, 7, 7
PAD = 3


def arrays(
    library: str,
) -> tuple[Callable[[Any], Any], Callable[[Any, Any], Any], Callable[[Any], Any]]:
    """Make device memory of a NumPy array, an empty array, and NumPy's array again."""
    if library == "cudnn_cffi":
        array = cudnn.DeviceArray
        return array.from_numpy, array.empty, array.to_numpy
    if library == "torch":
        import torch

        return (
            lambda a: torch.from_numpy(a).cuda(),
            lambda shape, kind: torch.empty(shape, dtype=getattr(torch, kind), device="cuda"),
            lambda a: a.cpu().numpy(),
        )
    if library == "cupy":
        import cupy

        return cupy.asarray, cupy.empty, cupy.asnumpy
    if library != "pycuda":
        sys.exit(f"expected cudnn_cffi, torch, cupy or pycuda, got {library}")
    import pycuda.autoinit as _  # noqa: F401
    from pycuda import gpuarray

    return gpuarray.to_gpu, gpuarray.empty, lambda a: a.get()


def main(library: str) -> None:
    """Convolve on the device and compare with the same sum on the host."""
    to_device, empty, to_host = arrays(library)
    rng = np.random.default_rng()
    x_host = rng.standard_normal((N, C, H, W), dtype=np.float32)
    w_host = rng.standard_normal((K, C, R, S), dtype=np.float32)
    x, w = to_device(x_host), to_device(w_host)

    handle = cudnn.cudnnCreate()

    x_desc = cudnn.cudnnCreateTensorDescriptor()
    cudnn.cudnnSetTensor4dDescriptor(
        x_desc, cudnn.CUDNN_TENSOR_NCHW, cudnn.CUDNN_DATA_FLOAT, N, C, H, W
    )
    w_desc = cudnn.cudnnCreateFilterDescriptor()
    cudnn.cudnnSetFilter4dDescriptor(
        w_desc, cudnn.CUDNN_DATA_FLOAT, cudnn.CUDNN_TENSOR_NCHW, K, C, R, S
    )
    conv_desc = cudnn.cudnnCreateConvolutionDescriptor()
    cudnn.cudnnSetConvolution2dDescriptor(
        conv_desc, PAD, PAD, 1, 1, 1, 1, cudnn.CUDNN_CROSS_CORRELATION, cudnn.CUDNN_DATA_FLOAT
    )

    shape = cudnn.cudnnGetConvolution2dForwardOutputDim(conv_desc, x_desc, w_desc)
    print("the result has the shape", tuple(shape))
    y_desc = cudnn.cudnnCreateTensorDescriptor()
    cudnn.cudnnSetTensor4dDescriptor(
        y_desc, cudnn.CUDNN_TENSOR_NCHW, cudnn.CUDNN_DATA_FLOAT, *shape
    )
    y = empty(tuple(shape), "float32")

    found = cudnn.cudnnGetConvolutionForwardAlgorithm_v7(
        handle, x_desc, w_desc, conv_desc, y_desc, 8
    )
    best = next(each for each in found if each.status == cudnn.CUDNN_STATUS_SUCCESS)
    size = cudnn.cudnnGetConvolutionForwardWorkspaceSize(
        handle, x_desc, w_desc, conv_desc, y_desc, best.algo
    )
    print("algorithm", best.algo.name, "with a workspace of", size, "bytes")
    workspace = empty((max(size, 1),), "uint8")

    cudnn.cudnnConvolutionForward(
        handle, 1.0, x_desc, x, w_desc, w, conv_desc, best.algo, workspace, size, 0.0, y_desc, y
    )

    check(x_host, w_host, to_host(y))
    cudnn.cudnnDestroyTensorDescriptor(x_desc)
    cudnn.cudnnDestroyTensorDescriptor(y_desc)
    cudnn.cudnnDestroyFilterDescriptor(w_desc)
    cudnn.cudnnDestroyConvolutionDescriptor(conv_desc)
    cudnn.cudnnDestroy(handle)


def check(x: np.ndarray, w: np.ndarray, y: np.ndarray) -> None:
    """Compare some elements with sums in float64."""
    rng = np.random.default_rng()
    padded = np.pad(x[:4], ((0, 0), (0, 0), (PAD, PAD), (PAD, PAD))).astype(np.float64)
    error = norm = 0.0
    for _ in range(200):
        n, k, i, j = (int(rng.integers(top)) for top in (4, K, H, W))
        wanted = float(np.sum(padded[n, :, i : i + R, j : j + S] * w[k]))
        error += (wanted - float(y[n, k, i, j])) ** 2
        norm += wanted**2
    relative = (error / norm) ** 0.5
    print(f"relative error of 200 elements: {relative:.1e}")
    assert relative < 2e-3


if __name__ == "__main__":
    if not cudnn.is_available():
        sys.exit("this example needs a GPU: `python -m cudnn_cffi doctor` says what is missing")
    main(sys.argv[1] if len(sys.argv) > 1 else "cudnn_cffi")
