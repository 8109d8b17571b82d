"""The functions of cudnn-python-wrappers 1.0, on the cuDNN that is loaded.

That version is the one on the package index, for the first release of cuDNN. It has no scaling
factors, algorithms or workspaces, and its convolution descriptors know the extents of tensors.
Everything is computed by the functions of `compat.libcudnn`, with the best algorithm and the
workspace of the handle. These functions take all that `libcudnn` takes: arrays of any library in
the place of pointers.
"""

from __future__ import annotations

from ._libcudnn.base import (  # noqa: F401
    cudnnCheckStatus,
)
from ._libcudnn.first import *  # noqa: F403
from ._libcudnn.first_functions import *  # noqa: F403
from ._libcudnn.functions import (  # noqa: F401
    cudnnCreateConvolutionDescriptor,
    cudnnCreateFilterDescriptor,
    cudnnCreatePoolingDescriptor,
    cudnnDestroyFilterDescriptor,
    cudnnDestroyPoolingDescriptor,
    cudnnGetTensor4dDescriptor,
    cudnnSetTensor4dDescriptor,
    cudnnSetTensor4dDescriptorEx,
)
from ._libcudnn.layers import (  # noqa: F401
    cudnnCreate,
    cudnnDestroy,
    cudnnGetStream,
    cudnnSetStream,
)
from ._libcudnn.tables import (  # noqa: F401
    cudnnActivationMode,
    cudnnAddMode,
    cudnnConvolutionMode,
    cudnnDataType,
    cudnnError,
    cudnnExceptions,
    cudnnSoftmaxAlgorithm,
    cudnnSoftmaxMode,
    cudnnStatusLicenseError,
    cudnnStatusNotSupported,
    cudnnTensorFormat,
)

__all__ = sorted(each for each in globals() if each.startswith("cudnn"))
