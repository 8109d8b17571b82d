"""The functions of cudnn-python-wrappers, on the cuDNN that is loaded.

The names, arguments and results are those of its last version, for cuDNN 6: handles and descriptors
are ints, memory is a `ctypes.c_void_p`, scaling factors are floats, algorithms are
returned as `ctypes.c_int`, sizes as `ctypes.c_size_t`. Calls with the shorter argument lists of
version 2 work too. In the place of pointers, arrays of any library are accepted.

Functions that cuDNN removed are computed by others; docs/porting/libcudnn.md lists them.
"""

from __future__ import annotations

from ._libcudnn.base import cudnnCheckStatus as cudnnCheckStatus
from ._libcudnn.convolutions import *  # noqa: F403
from ._libcudnn.functions import *  # noqa: F403
from ._libcudnn.layers import *  # noqa: F403
from ._libcudnn.tables import *  # noqa: F403

__all__ = sorted(each for each in globals() if each.startswith("cudnn"))
