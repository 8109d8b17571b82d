"""The extension for PyTorch beside saved plans: its file, and the call of the compiler.

Nothing here imports PyTorch, so that `python -m cudnn_cffi doctor` can tell of it too.
"""

from __future__ import annotations

import hashlib
import os
import runpy
import shlex
import shutil
import sys
import sysconfig
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from ... import errors
from ..._call.layer import get_compiled
from ..._kept import store
from ..._support.arguments import is_on
from ..._support.results import NamedTuple

#: The environment variable that turns it off.
VARIABLE = "CUDNN_CFFI_TORCH_NODES"

#: A compiler that began more seconds ago than this was killed.
COMPILING = 600


class State(NamedTuple):
    """Whether the extension is there.

    Attributes:
        word: "compiled", "compiling", "missing", "failed", "impossible" or "off".
        text: its file, or why it is not there.
    """

    word: Literal["compiled", "compiling", "missing", "failed", "impossible", "off"]
    text: str


def reason() -> str:
    """Return why there is no extension here; "" where there may be one."""
    if _is_off():
        return f"{VARIABLE} turns it off"
    if get_compiled("cudnn_cffi_node_type") is None:
        return "the call layer is not compiled"
    if sys.platform != "linux" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "it is for Linux, and for Python with its lock"
    if store.folder() is None:
        return f"{store.VARIABLE} leaves it no folder"
    if not _source().exists():
        return f"{_source()} is missing"
    if _origin() is None:
        return "PyTorch is not installed"
    return ""


def _is_off() -> bool:
    """Return whether the environment turns it off."""
    return not is_on(VARIABLE, True)


def _source() -> Path:
    """Return the source, which a wheel has with the generator, and a checkout in its own folder."""
    home = Path(__file__).parents[3]
    own = home / "cudnn_cffi_generator" / "native" / "recorder.cc"
    return own if own.exists() else home.parent / "native" / own.name


def _origin() -> str | None:
    """Return the file that an import of PyTorch runs; None where there is none."""
    found = find_spec("torch")
    return None if found is None else found.origin


def _home() -> Path:
    """Return the folder of PyTorch.

    Raises:
        CudnnError: there is no PyTorch.
    """
    origin = _origin()
    if origin is None:
        raise errors.CudnnError("PyTorch is not installed")
    return Path(origin).parent


def target() -> Path:
    """Return the file for this source, PyTorch and Python."""
    source = _source()
    torch = runpy.run_path(str(_home() / "version.py"))
    version = f"{torch['__version__']} {torch['git_version']} {sysconfig.get_config_var('SOABI')}"
    key = hashlib.sha256(version.encode())
    for name in (source.name, "kernels.h", "recorder.h", "dlpack.h"):
        key.update((source.parent / name).read_bytes())
    folder = store.folder()
    assert folder is not None
    return folder / "torch-nodes" / f"{key.hexdigest()[:32]}.so"


def _compiler() -> list[str]:
    """Return the compiler, with the arguments that `$CXX` has; nothing where there is none."""
    named = shlex.split(os.environ.get("CXX", ""))
    found = [each for each in (named[:1] or ("c++", "g++", "clang++")) if shutil.which(each)]
    return [*found[:1], *named[1:]] if found else []


def _lacking() -> str:
    """Return what is missing for a compilation; "" where all is there."""
    for what, is_there in (
        ("a C++ compiler", bool(_compiler())),
        ("PyTorch's headers", (_home() / "include" / "torch" / "csrc").exists()),
        ("Python's headers", Path(sysconfig.get_path("include"), "Python.h").exists()),
    ):
        if not is_there:
            return what
    return ""


def call_of_compiler(new: Path, *, is_new_abi: bool) -> list[str]:
    """Return the call of the compiler that makes a file.

    Args:
        new: the file.
        is_new_abi: whether PyTorch was compiled with the newer names of the C++ library.

    Raises:
        CudnnError: there is no compiler, or PyTorch or Python has no headers.
    """
    if lacking := _lacking():
        raise errors.CudnnError(f"the nodes of autograd cannot be compiled without {lacking}")
    home = _home()
    include, libraries = home / "include", home / "lib"
    has_cuda = (libraries / "libtorch_cuda.so").exists()
    cuda = ["-ltorch_cuda"] if has_cuda else ["-DRECORDER_DEVICE=kCPU"]
    return [
        *_compiler(), "-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-w",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(is_new_abi)}",
        f"-I{sysconfig.get_path('include')}", "-isystem", str(include),
        "-isystem", str(include / "torch" / "csrc" / "api" / "include"),
        str(_source()), "-o", str(new), f"-L{libraries}",
        "-ltorch_python", "-ltorch_cpu", "-lc10", *cuda,
    ]  # fmt: skip


def find_state() -> State:
    """Return whether the extension is there; it is asked of files alone.

    Raises:
        CudnnError: there is no PyTorch.
    """
    _home()
    why = reason()
    if why:
        return State("off" if _is_off() else "impossible", why)
    file = target()
    if file.exists():
        return State("compiled", str(file))
    with suppress(OSError):
        if time.time() - file.with_suffix(".lock").stat().st_mtime <= COMPILING:
            return State("compiling", str(file))
    if lacking := _lacking():
        return State("impossible", f"{lacking} is not there")
    failed = file.with_suffix(".failed")
    if failed.exists() and failed.stat().st_size:
        return State("failed", f"{failed} has the compiler's reason")
    return State("missing", "a layer that records a gradient begins to compile them")
