"""The overlay on a real libcudnn; none of this needs a GPU."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def cudnn(request: pytest.FixtureRequest) -> ModuleType:
    """The package, with the library that the environment names or else the newest one."""
    import cudnn_cffi
    from cudnn_cffi import library as loader

    if not os.environ.get("CUDNN_CFFI_LIBRARY") and loader.current() is None:
        library: Path = request.getfixturevalue("cudnn_library")
        cudnn_cffi.load(library)
    return cudnn_cffi
