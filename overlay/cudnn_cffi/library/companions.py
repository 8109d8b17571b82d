"""Libraries without which cuDNN ends the process, or cannot plan."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

from .. import errors
from ..driver import stand_in
from . import elf, load, sublibraries

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


@cache
def provide_driver() -> None:
    """Have descriptors finalized, and plans for described devices built, without a driver.

    Engines of cuDNN 9 that are compiled look for the driver's library, and from 9.27 on a
    sub-library links against it, without which no descriptor is finalized.

    Raises:
        SublibraryError: one links against it, it is not there, and nothing can stand in for it.
    """
    loaded = load()
    if _ENGINES not in loaded.parts:
        return
    stand_in.load()
    if (why := stand_in.why_not()) and needs_driver(loaded.path):
        raise errors.SublibraryError(
            f"cuDNN {loaded.version} cannot finalize descriptors: {why}",
            library=str(loaded.path),
            version=loaded.version,
            hint="releases up to 9.26 can; docs/without-a-gpu.md lists what works without a driver",
        )


def needs_driver(library: Path) -> bool:
    """Return whether a sub-library beside `library` links against the driver's library."""
    for part in sublibraries.siblings(library).values():
        with suppress(OSError, elf.ElfError):
            if "libcuda.so.1" in elf.read(part).needed:
                return True
    return False
