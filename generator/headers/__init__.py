"""Where header files come from: a package index, a folder, what is installed.

    fetch("9.28.0")         the headers of a release, from wheels on a package index
    from_folder("include")  those in a folder
    installed()             those on this machine
    cuda_headers()          what they include of CUDA's

Every failure is a `HeaderError`; what goes wrong without stopping anything is logged under
"generator.headers". A `Registry` does several things over one connection.
"""

from __future__ import annotations

import os

from .local import cuda_from_folder, from_folder, installed, installed_cuda
from .records import (
    PAGES,
    Available,
    Build,
    CudaHeaders,
    HeaderError,
    HeaderSet,
    Progress,
    Wheel,
)
from .registry import Registry
from .releases import resolve

__all__ = [
    "PAGES",
    "Available",
    "Build",
    "CudaHeaders",
    "HeaderError",
    "HeaderSet",
    "Progress",
    "Registry",
    "Wheel",
    "available",
    "cuda_headers",
    "fetch",
    "from_folder",
    "installed",
    "resolve",
]


def available(*, refresh: bool = False, progress: Progress | None = None) -> tuple[Available, ...]:
    """Every release on the package indexes, oldest first; see `Registry.available`."""
    with Registry(progress=progress) as registry:
        return registry.available(refresh=refresh)


def fetch(
    release: str | Available, *, refresh: bool = False, progress: Progress | None = None
) -> HeaderSet:
    """Return the headers of one release from the package indexes; see `Registry.fetch`."""
    with Registry(progress=progress) as registry:
        return registry.fetch(release, refresh=refresh)


def cuda_headers(
    *,
    progress: Progress | None = None,
    folder: str | os.PathLike[str] | None = None,
    installed: bool = False,
) -> CudaHeaders:
    """Return what cuDNN's headers include of CUDA's.

    Args:
        progress: told how far the download is.
        folder: take them from there; an include folder or the root of a toolkit.
        installed: take those on this machine. By default they come from the package indexes.

    Raises:
        HeaderError: they cannot be had.
    """
    if folder is not None:
        return cuda_from_folder(folder)
    if installed:
        return installed_cuda()
    with Registry(progress=progress) as registry:
        return registry.cuda_headers()
