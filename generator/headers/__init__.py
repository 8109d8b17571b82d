"""Where header files come from: a package index, a folder, what is installed.

    Registry().fetch("9.28.0")  the headers of a release, from wheels on a package index
    from_folder("include")      those in a folder
    installed()                 those on this machine
    cuda_headers()              what they include of CUDA's

Every failure is a `HeaderError`; what goes wrong without stopping anything is logged under
"generator.headers". A `Registry` does several things over one connection.
"""

from __future__ import annotations

import os

from .local import cuda_from_folder, installed_cuda
from .local import from_folder as from_folder
from .local import installed as installed
from .records import PAGES as PAGES
from .records import Available as Available
from .records import Build as Build
from .records import CudaHeaders as CudaHeaders
from .records import HeaderError as HeaderError
from .records import HeaderSet as HeaderSet
from .records import Progress as Progress
from .records import Wheel as Wheel
from .registry import Registry as Registry
from .releases import resolve as resolve


def cuda_headers(
    *,
    folder: str | os.PathLike[str] | None = None,
    installed: bool = False,
) -> CudaHeaders:
    """Return what cuDNN's headers include of CUDA's.

    Args:
        folder: take them from there; an include folder or the root of a toolkit.
        installed: take those on this machine. By default they come from the package indexes.

    Raises:
        HeaderError: they cannot be had.
    """
    if folder is not None:
        return cuda_from_folder(folder)
    if installed:
        return installed_cuda()
    with Registry() as registry:
        return registry.cuda_headers()
