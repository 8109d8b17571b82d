"""The functions of CuPy 13's `cupy_backends.cuda.libs.cudnn`, on the cuDNN that is loaded.

Handles, descriptors and pointers are ints; so are results. Scaling factors are addresses of host
memory. Functions that compute do so in CuPy's current stream. Constants and numbers of statuses are
those of CuPy, which are those of cuDNN 8. In the place of pointers, arrays of any library and
pointers of ctypes are accepted, and numbers in the place of scaling factors.

Recurrent functions that cuDNN 9 no longer has go to those of its version 8 interface; see
docs/porting/cupy.md.
"""

from __future__ import annotations

from .. import errors
from ._calls import calls
from ._cupy import functions, recurrent, recurrent_calls
from ._cupy.functions import *  # noqa: F403
from ._cupy.recurrent import *  # noqa: F403
from ._cupy.recurrent_calls import *  # noqa: F403

__all__ = sorted([*functions.__all__, *recurrent.__all__, *recurrent_calls.__all__])


def __getattr__(name: str) -> bool:
    """Return whether a cuDNN can be loaded, for the attribute `available`."""
    if name != "available":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return bool(calls.cudnnGetVersion())
    except errors.LibraryError:
        return False
