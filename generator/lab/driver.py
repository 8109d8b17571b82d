"""A stand-in for the CUDA driver's library, for machines without one.

From 9.27 on a sub-library of cuDNN's links against libcuda.so.1, and where that is missing
nothing can be finalized. What the probe does needs no function of it, only its name: the stand-in
has every function that the sub-libraries want, and each says that there is no device.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

from .. import GeneratorError

_NAME = "libcuda.so.1"
_NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE


class DriverError(GeneratorError):
    """The stand-in cannot be made here; the text says what is missing."""


def present() -> bool:
    """Return whether the driver's own library is on this machine."""
    try:
        ctypes.CDLL(_NAME)
    except OSError:
        return False
    return True


def stand_in(libraries: Path, folder: Path) -> Path:
    """Build a libcuda.so.1 in `folder` with what the libraries in the folder `libraries` want.

    Raises:
        DriverError: no C compiler or no nm, or they fail.
    """
    names: set[str] = set()
    for library in sorted(libraries.glob("lib*.so*")):
        listed = _run("nm", "-D", "--undefined-only", str(library))
        names.update(re.findall(r"\bU (cu[A-Z]\w*)", listed))
    source = folder / "driver.c"
    functions = (f"int {name}(void) {{ return {_NO_DEVICE}; }}" for name in sorted(names))
    source.write_text("\n".join(functions) + "\n", encoding="ascii")
    built = folder / _NAME
    _run("cc", "-shared", "-fPIC", f"-Wl,-soname,{_NAME}", "-o", str(built), str(source))
    return built


def _run(program: str, *arguments: str) -> str:
    if shutil.which(program) is None:
        raise DriverError(f"{program} is not installed, and there is no {_NAME} on this machine")
    done = subprocess.run((program, *arguments), capture_output=True, text=True, check=False)
    if done.returncode:
        raise DriverError(f"{program} {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout
