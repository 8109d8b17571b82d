"""Get header files and exported names: from wheels, a folder, or an installed cuDNN.

    Registry().fetch("9.28.0")  the headers of a release, from wheels on a package index
    from_folder("include")      those in a folder
    installed()                 those on this machine
    Registry().cuda_headers()   what they include of CUDA's; also cuda_from_folder, installed_cuda

Every failure is a `HeaderError`; what goes wrong without stopping anything is logged under
"generator.headers". A `Registry` does several things over one connection.
"""

from __future__ import annotations

from .local import cuda_from_folder as cuda_from_folder
from .local import from_folder as from_folder
from .local import installed as installed
from .local import installed_cuda as installed_cuda
from .records import PAGES as PAGES
from .records import Available as Available
from .records import Build as Build
from .records import CudaHeaders as CudaHeaders
from .records import HeaderError as HeaderError
from .records import HeaderSet as HeaderSet
from .records import Progress as Progress
from .records import Wheel as Wheel
from .releases import resolve as resolve
from .web.registry import Registry as Registry
