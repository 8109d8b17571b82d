"""Whether this process can compute with cuDNN, and with which release."""

from __future__ import annotations

from .. import errors, library
from ..driver import libcuda


def is_available() -> bool:
    """Return whether libcudnn can be loaded, and this process sees a GPU; it never raises.

    `python -m cudnn_cffi doctor` says why not.
    """
    try:
        library.load()
    except errors.CudnnError:
        return False
    return libcuda.count() > 0


def version() -> str:
    """Return the release of libcudnn, such as "9.19.0"; it is loaded if it is not yet.

    `cudnnGetVersion()` returns the number.

    Raises:
        LibraryNotFoundError: there is none.
    """
    return library.load().version
