"""The functions of cudnn-python-wrappers 1.0, on the cuDNN that is loaded.

That version is the one on the package index, for the first release of cuDNN. It has no scaling
factors, algorithms or workspaces, and its convolution descriptors know the extents of tensors.
Everything is computed by the functions of `compat.libcudnn`, with the best algorithm and the
workspace of the handle. These functions take all that `libcudnn` takes: arrays of any library in
the place of pointers.
"""

from __future__ import annotations

from ._libcudnn.base import cudnnCheckStatus as cudnnCheckStatus
from ._libcudnn.first import *  # noqa: F403
from ._libcudnn.first_functions import *  # noqa: F403
from ._libcudnn.functions import (
    cudnnCreateConvolutionDescriptor as cudnnCreateConvolutionDescriptor,
)
from ._libcudnn.functions import cudnnCreateFilterDescriptor as cudnnCreateFilterDescriptor
from ._libcudnn.functions import cudnnCreatePoolingDescriptor as cudnnCreatePoolingDescriptor
from ._libcudnn.functions import cudnnDestroyFilterDescriptor as cudnnDestroyFilterDescriptor
from ._libcudnn.functions import cudnnDestroyPoolingDescriptor as cudnnDestroyPoolingDescriptor
from ._libcudnn.functions import cudnnGetTensor4dDescriptor as cudnnGetTensor4dDescriptor
from ._libcudnn.functions import cudnnSetTensor4dDescriptor as cudnnSetTensor4dDescriptor
from ._libcudnn.functions import cudnnSetTensor4dDescriptorEx as cudnnSetTensor4dDescriptorEx
from ._libcudnn.layers import cudnnCreate as cudnnCreate
from ._libcudnn.layers import cudnnDestroy as cudnnDestroy
from ._libcudnn.layers import cudnnGetStream as cudnnGetStream
from ._libcudnn.layers import cudnnSetStream as cudnnSetStream
from ._libcudnn.tables import cudnnActivationMode as cudnnActivationMode
from ._libcudnn.tables import cudnnAddMode as cudnnAddMode
from ._libcudnn.tables import cudnnConvolutionMode as cudnnConvolutionMode
from ._libcudnn.tables import cudnnDataType as cudnnDataType
from ._libcudnn.tables import cudnnError as cudnnError
from ._libcudnn.tables import cudnnExceptions as cudnnExceptions
from ._libcudnn.tables import cudnnSoftmaxAlgorithm as cudnnSoftmaxAlgorithm
from ._libcudnn.tables import cudnnSoftmaxMode as cudnnSoftmaxMode
from ._libcudnn.tables import cudnnStatusLicenseError as cudnnStatusLicenseError
from ._libcudnn.tables import cudnnStatusNotSupported as cudnnStatusNotSupported
from ._libcudnn.tables import cudnnTensorFormat as cudnnTensorFormat

__all__ = sorted(each for each in globals() if each.startswith("cudnn"))
