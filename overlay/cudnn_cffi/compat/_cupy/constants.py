"""The constants of CuPy's `cupy_backends.cuda.libs.cudnn`: ints, whatever cuDNN is loaded."""

from __future__ import annotations

from .._words import CONSTANTS

#: Minimum epsilon of batch normalization.
CUDNN_BN_MIN_EPSILON = 0.0

globals().update(CONSTANTS)

__all__ = ["CUDNN_BN_MIN_EPSILON", *CONSTANTS]
