"""The call layer in use: the compiled one, or the one that `abi` makes in Python."""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from typing import TYPE_CHECKING, Any

from .. import _specs, errors
from .._specs import LAYOUT

if TYPE_CHECKING:
    from _cffi_backend import FFI

    from .abi import Library


def _choose() -> tuple[FFI, Library, str]:
    wanted = os.environ.get("CUDNN_CFFI_MODE", "")
    if wanted not in ("", "api", "abi"):
        raise errors.CudnnError(f"CUDNN_CFFI_MODE is {wanted!r}; it may be 'api' or 'abi'")
    if wanted != "abi":
        try:
            _expect_own_file()
            from .._cudnn import ffi, lib
        except ImportError as error:
            if wanted == "api":
                raise errors.CudnnError(
                    f"CUDNN_CFFI_MODE is 'api', but the compiled call layer is missing: {error}",
                    hint="install cudnn-cffi again where there is a C compiler; in a checkout "
                    "build it with `nox -s build`",
                ) from error
        else:
            if ffi.string(lib.cudnn_cffi_layout()).decode() == LAYOUT:
                return ffi, lib, "api"
            if wanted == "api":
                raise errors.CudnnError(
                    "CUDNN_CFFI_MODE is 'api', but the compiled call layer was built from other "
                    "tables",
                    hint=_rebuild(),
                )
            warnings.warn(
                "the compiled call layer was built from other tables and is not used, so calls "
                f"are slower; {_rebuild()}",
                RuntimeWarning,
                stacklevel=2,
            )
    from .abi import ffi, lib

    return ffi, lib, "abi"


def _expect_own_file() -> None:
    """Raise an ImportError if Python has no lock and the layer was compiled for others only."""
    if "t" in getattr(sys, "abiflags", ""):
        from pathlib import Path

        own = Path(errors.__file__).with_name(f"_cudnn{EXTENSION_SUFFIXES[0]}")
        if not own.exists():
            raise ImportError(f"{own} is missing, and files for other Pythons do not fit")


def _rebuild() -> str:
    """Return how to compile a layer that fits."""
    generated = sys.modules.get(f"{__name__.partition('.')[0]}._user_tables")
    if generated is not None and _specs.__file__.startswith(generated.HOME):
        return "compile it with `python -m cudnn_cffi generate`, where there is a C compiler"
    return "build it again with `nox -s build`"


ffi, lib, _mode = _choose()


def mode() -> str:
    """Return how calls are made: "api" through the compiled layer, "abi" without it."""
    return _mode


def get_compiled(name: str) -> Callable[..., Any] | None:
    """Return a function of the compiled layer that takes objects; None in ABI mode.

    It is None for one that a layer lacks which was compiled before a change of native/, too.
    """
    make = getattr(lib, name, None) if _mode == "api" else None
    if make is None:
        return None
    function: Callable[..., object] = ctypes.cast(make(), ctypes.py_object).value
    return function
