"""The compiler of CUDA C++, NVRTC, which engines of cuDNN's call as well."""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .. import errors, library
from .._kept import store
from .._support.blocks import awaited

#: The files with what kernels share, which are before all of them.
_SHARED = [Path(__file__).parent / name for name in ("numbers.cuh", "blocks.cuh")]


def _places() -> Iterator[str]:
    """Yield where the compiler's library may be: where the loader looks, and in wheels."""
    major = library.load().cudart // 1000
    name = f"nvrtc64_{major}0_0.dll" if sys.platform == "win32" else f"libnvrtc.so.{major}"
    yield name
    for folder in sys.path:
        for inner in ("torch/lib", "nvidia/cuda_nvrtc/lib", f"nvidia/cu{major}/lib"):
            yield str(Path(folder) / inner / name)


@cache
def _nvrtc() -> ctypes.CDLL:
    """Return the compiler's library."""
    for path in _places():
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise errors.NotSupportedError(
        f"{next(_places())} was not found: it compiles kernels",
        hint="pip install nvidia-cuda-nvrtc",
    )


@cache
def can_compile() -> bool:
    """Return whether there is a compiler."""
    try:
        _nvrtc()
    except errors.CudnnError:
        return False
    return True


def compiled(
    file: Path, capability: tuple[int, int], *options: str, more: str = "", own: bool = False
) -> bytes:
    """Return the binary of a file of kernels after the shared ones; it is kept on disk.

    Args:
        file: its path; its name is in messages.
        capability: of the device.
        options: of the compiler.
        more: text after the file.
        own: whether it has instructions of this capability alone.

    Raises:
        NotSupportedError: there is no compiler, or it refuses the source.
    """
    nvrtc = _nvrtc()
    source = "\n".join([each.read_text(encoding="utf-8") for each in (*_SHARED, file)] + [more])
    # Before CUDA 13.5 a lambda is a function of the host without this option, and refused.
    default = "--device-as-default-execution-space"
    architecture = "--gpu-architecture=sm_{}{}".format(*capability) + "a" * own
    given = [each.encode() for each in (architecture, default, *options)]
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    key = "\n".join([f"{major.value}.{minor.value}", architecture, *options, file.name, source])
    path = store.place("kernels", key, ".cubin")
    known = store.read(path, "kernel", bytes)
    if known is not None:
        return known
    with awaited():
        code = _compiled(nvrtc, source, file.name, given)
        store.write(path, code)
    return code


def _compiled(nvrtc: ctypes.CDLL, source: str, name: str, given: list[bytes]) -> bytes:
    """Return what the compiler makes of a source."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
    try:
        if nvrtc.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given)):
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            text = f"{name} was not compiled: {log.value.decode()}"
            # Something slower computes in its place.
            warnings.warn(text, RuntimeWarning, stacklevel=2)
            raise errors.NotSupportedError(text)
        nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
        code = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetCUBIN(program, code)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code.raw
