"""A library takes the driver's place on a machine without one, so that cuDNN can plan.

cuDNN opens `libcuda.so.1` by its name, and takes any library of that name which the process has
already. Only building plans for a described device works with the stand-in: it says of all else
that there is no device.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

from . import libcuda

#: It is built with the call layer, from native/stand_in.
FILE = Path(__file__).with_name("libcuda-stand-in.so")

#: Files of machines with a GPU: the driver is there, and only the loader's path lacks its library.
_SIGNS = (Path("/dev/nvidiactl"), Path("/usr/lib/wsl/lib/libcuda.so.1"))


def why_not() -> str:
    """Return why nothing can stand in for the driver's library; "" if it is there, or FILE can."""
    absent = libcuda.why_absent()
    if not absent:
        return ""
    for each in _SIGNS:
        if each.exists():
            return f"{absent}, though there is {each}: put the driver's folder on LD_LIBRARY_PATH"
    if sys.platform != "linux":
        return absent
    if not FILE.is_file():
        return f"{absent}, and nothing stands in for it: install cudnn_cffi with a C compiler"
    return ""


def load() -> None:
    """Load FILE if there is no driver's library, and nothing that speaks against it."""
    if libcuda.why_absent() and not why_not():
        ctypes.CDLL(str(FILE))
