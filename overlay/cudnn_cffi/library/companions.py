"""Libraries without which cuDNN ends the process."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from functools import cache

from .. import errors
from . import load, sublibraries

_ENGINES = "libcudnn_engines_precompiled"


@cache
def require_cublas() -> None:
    """Refuse to go on where cuBLAS is missing, which some engines and heuristics look for.

    They end the process where they do not find it: those of releases whose engines are in a
    sub-library of their own.

    Raises:
        SublibraryError: it is not found where cuDNN and the loader look for it.
    """
    loaded = load()
    cuda = loaded.cudart // 1000
    if sys.platform == "win32" or not cuda or _ENGINES not in loaded.parts:
        return
    name = f"libcublasLt.so.{cuda}"
    with suppress(OSError):
        ctypes.CDLL(name, os.RTLD_NOLOAD | os.RTLD_LOCAL | os.RTLD_LAZY)
        return
    if any((folder / name).is_file() for folder in sublibraries.search_folders(loaded.path)):
        return
    try:
        ctypes.CDLL(name, os.RTLD_LOCAL | os.RTLD_LAZY)
    except OSError as error:
        raise errors.SublibraryError(
            f"{name} was not found, without which engines of cuDNN end the process: {error}",
            library=str(loaded.path),
            version=loaded.version,
            hint=f"pip install nvidia-cublas{'-cu12' if cuda == 12 else ''}, or add the folder of "
            "cuBLAS to LD_LIBRARY_PATH before Python starts",
        ) from None
