"""Libraries without which cuDNN ends the process, or cannot plan."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from functools import cache

from .. import errors
from ..driver import libcuda, stand_in
from . import Library, load, sublibraries
from .elf import ElfError
from .elf import read as read_elf

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


def link_driver(loaded: Library) -> None:
    """Load a library with the driver's name before a sub-library that links against it is opened.

    cuDNN 9.27 and later open one with the first backend descriptor; where that fails once, it
    fails for good, and cuDNN prints it.
    """
    if libcuda.why_absent() and _links(loaded):  # to read the files takes 17 ms
        stand_in.load()


@cache
def provide_driver() -> None:
    """Have plans for described devices built without a driver, whose library engines look for.

    Raises:
        SublibraryError: a sub-library links against it, and nothing can stand in for it.
    """
    loaded = load()
    if _ENGINES not in loaded.parts:
        return
    stand_in.load()
    if (why := stand_in.why_not()) and _links(loaded):
        raise errors.SublibraryError(
            f"cuDNN {loaded.version} cannot finalize descriptors: {why}",
            library=str(loaded.path),
            version=loaded.version,
            hint="cuDNN 9.8.0 to 9.26.0 can, and plan some graphs; see docs/without-a-gpu.md",
        )


def _links(loaded: Library) -> bool:
    for part in sublibraries.siblings(loaded.path).values():
        with suppress(OSError, ElfError):
            if "libcuda.so.1" in read_elf(part).needed:
                return True
    return False
