# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:39066db10e37dd87a60c7d075534f8bb
"""Functions of cudnn_cnn_infer.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .._call import instead as _instead, quick as _quick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
else:
    from .._support.results import NamedTuple


_cudnnCnnInferVersionCheck = _quick("cudnnCnnInferVersionCheck", "", (), (None,))


@_instead(_cudnnCnnInferVersionCheck)
def cudnnCnnInferVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; use `cudnnCnnVersionCheck`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnCnnInferVersionCheck

    C, cudnn_cnn_infer.h::

        cudnnStatus_t cudnnCnnInferVersionCheck(void)
    """
    return _cudnnCnnInferVersionCheck()
