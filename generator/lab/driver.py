"""The package's stand-in for the CUDA driver's library, for processes of the lab.

From 9.27 on a sub-library of cuDNN's links against libcuda.so.1, and where that is missing
nothing can be finalized.
"""

from __future__ import annotations

from pathlib import Path

from cudnn_cffi.driver import libcuda, stand_in

from .. import GeneratorError


class DriverError(GeneratorError):
    """Nothing can stand in here; the text says why."""


def present() -> bool:
    """Return whether the driver's own library is on this machine."""
    return not libcuda.why_absent()


def link(folder: Path) -> Path:
    """Put the stand-in into `folder`, under the name that cuDNN opens, and return its path.

    Raises:
        DriverError: it was not built.
    """
    if why := stand_in.why_not():
        raise DriverError(why)
    linked = folder / "libcuda.so.1"
    linked.symlink_to(stand_in.FILE)
    return linked
