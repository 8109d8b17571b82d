"""Compiles the call layer: the emitted shims and native/, as a cffi module with the stable ABI.

Python without its lock has no stable ABI: there the module is for the Python that compiles it.

Run by the wheel's build hook and by `nox -s build`. Nothing of NVIDIA's is needed: the shims get
cuDNN's functions as addresses at run time.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
SOURCES = ROOT / "generated" / "cudnn_cffi" / "_native"
NATIVE = ROOT / "native"
TARGET = ROOT / "overlay" / "cudnn_cffi"

STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")
_SUFFIX = ".abi3.so" if os.name == "posix" else ".pyd"

#: The file name of the module for this Python.
NAME = f"_cudnn{_SUFFIX if STABLE else sysconfig.get_config_var('EXT_SUFFIX')}"


def build(target: Path = TARGET, sources: Path = SOURCES) -> Path:
    """Compile into `target` and return the path of the module."""
    prefer_setuptools()
    from cffi import FFI

    # Functions begin at lines of the cache, so that a change of one does not slow another down.
    unix = ("-O2", "-fvisibility=hidden", "-fno-plt", "-g0", "-falign-functions=64")
    options = [] if sys.platform == "win32" else list(unix)
    link = [] if sys.platform in ("win32", "darwin") else ["-s"]
    if can_optimize_across_files():  # of native/: a call takes 2 to 3 % less time
        options.append("-flto=auto")
        link += ["-flto=auto", "-O2", "-falign-functions=64"]
    ffi = FFI()
    declarations = (sources / "cdef.h").read_text(encoding="utf-8")
    ffi.cdef(declarations.partition("\n")[2])
    ffi.set_source(
        "cudnn_cffi._cudnn",
        (sources / "shims.c").read_text(encoding="utf-8"),
        sources=[str(path) for path in sorted(NATIVE.glob("*.c"))],
        include_dirs=[str(NATIVE)],
        extra_compile_args=options,
        extra_link_args=link,
        py_limited_api=STABLE,
        define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
    )
    with tempfile.TemporaryDirectory() as folder:
        built = Path(ffi.compile(tmpdir=folder))
        # A running interpreter may have the old one mapped, so it is replaced, not overwritten.
        temporary = target / f".{NAME}.new"
        shutil.copyfile(built, temporary)
        temporary.replace(target / NAME)
    return target / NAME


def compiler() -> str:
    """Return the command of the C compiler that extensions of this Python are built with."""
    return os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"


def can_optimize_across_files() -> bool:
    """Return whether the compiler is a gcc that is installed with what `-flto` runs."""
    if "gcc" not in compiler():
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text("int probe(void) { return 0; }\n", encoding="utf-8")
        options = ["-shared", "-fPIC", "-O2", "-flto=auto", "-o", str(source.with_suffix(".so"))]
        command = [*shlex.split(compiler()), *options, str(source)]
        try:
            return subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            return False


def prefer_setuptools() -> None:
    """Forget a distutils of Python's own, which knows no stable ABI: cffi imports setuptools'."""
    if "setuptools" not in sys.modules:
        for name in [each for each in sys.modules if each.partition(".")[0] == "distutils"]:
            del sys.modules[name]


def build_stand_in() -> Path:
    """Compile what stands in for the CUDA driver's library on Linux, and return its path."""
    built = TARGET / "driver" / "libcuda-stand-in.so"
    options = ["-shared", "-fPIC", "-O2", "-nostdlib", "-s", "-Wl,-soname,libcuda.so.1"]
    temporary = built.with_name(f".{built.name}.new")
    command = [*shlex.split(compiler()), *options, "-o", str(temporary)]
    subprocess.run([*command, str(NATIVE / "stand_in" / "libcuda.c")], check=True)
    temporary.replace(built)
    return built


if __name__ == "__main__":
    print(build())
    if sys.platform == "linux":
        print(build_stand_in())
