# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a38c12e5a44568f9c2b1da4adcdc2998
"""Functions of cudnn_cnn_train.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .. import _call
from .._call import CONVERT as _CONVERT, failed as _failed, lib as _lib, slow as _slow

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream

_new = tuple.__new__
_unpack = _call.ffi.unpack
_cudnnCnnTrainVersionCheck = _lib.cudnnCnnTrainVersionCheck


def cudnnCnnTrainVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises: a `cudnn_cffi.errors.CudnnError` by the status; `ArgumentError` for an argument of a
        wrong type, a closed object or a forbidden NULL.

    Since 8.5.0 or earlier, removed in 9.0.0.

    C, cudnn_cnn_train.h: cudnnStatus_t cudnnCnnTrainVersionCheck(void)
    """
    try:
        status = _cudnnCnnTrainVersionCheck()
    except _CONVERT as error:
        return _slow(cudnnCnnTrainVersionCheck, "cudnnCnnTrainVersionCheck", (), error)
    if status:
        return _failed(cudnnCnnTrainVersionCheck, "cudnnCnnTrainVersionCheck", status, ())
    return None
