"""Needs of other platforms, as far as Linux on x86-64 can tell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from generator.headers import HeaderError, Registry
from generator.verify.assertions import EmittedTree

ROOT = Path(__file__).parents[2]
CROSS = "aarch64-linux-gnu-gcc"
OBJDUMP = "x86_64-w64-mingw32-objdump"

#: The path in a wheel of the DLL that programs load.
FRONT_DLL = re.compile(r"/cudnn64_\d+\.dll$")

needs_cross_compiler = pytest.mark.skipif(
    shutil.which(CROSS) is None, reason=f"there is no {CROSS}"
)


@pytest.mark.skipif(sys.platform == "win32", reason="it stands in for Windows")
def test_windows(program: Any, tmp_path: Path) -> None:
    """Modules, but for those of PyTorch, import without POSIX; DLLs are looked for by their names."""
    folder = "nvidia/cudnn/bin"
    run_as_on_windows(program, tmp_path, f"{folder}/cudnn64_9.dll", f"{folder}/cudnn_ops64_9.dll")


def run_as_on_windows(program: Any, folder: Path, *dlls: str) -> None:
    environment = dict.fromkeys(("PATH", "CUDNN_PATH", "CUDA_PATH", "CUDA_HOME"), "")
    done = program("on_windows", None, folder, *dlls, **environment)
    assert done.stdout == "as on Windows\n"


@pytest.mark.network
@pytest.mark.skipif(shutil.which(OBJDUMP) is None, reason=f"there is no {OBJDUMP}")
@pytest.mark.parametrize("version", ["8.9.7", "9.0.0", "9.28.0"])
def test_wheels_for_windows(program: Any, tmp_path: Path, version: str) -> None:
    """Their headers are those of Linux, their DLLs are found, and the first exports all functions."""
    paths: list[str] = []

    def is_wanted(path: str) -> bool:
        paths.append(path)
        return path.endswith(".h") or FRONT_DLL.search(path) is not None

    try:
        with Registry() as registry:
            headers = registry.fetch(version).files
            (release,) = registry.resolve(version)
            wheel = next(each for each in release.wheels if "win_amd64" in each.file)
            members = registry._members(wheel, is_wanted)
    except HeaderError as error:
        pytest.skip(f"the wheel for Windows cannot be had: {error}")
    (front,) = (path for path in members if not path.endswith(".h"))
    files = {Path(path).name: members[path].replace(b"\r\n", b"\n") for path in members}
    assert {name: files.get(name) for name in headers} == headers
    dll = tmp_path / "front.dll"
    dll.write_bytes(members[front])
    said = subprocess.run([OBJDUMP, "-p", dll], capture_output=True, text=True, check=True).stdout
    exported = set(re.findall(r"\] (cudnn\w+)$", said, re.M))
    functions = set(EmittedTree(ROOT / "generated").table(version).functions)
    assert functions - exported == set()
    others = [path for path in paths if path.endswith(".dll") and path != front]
    assert len(others) >= 6
    run_as_on_windows(program, tmp_path / "site", front, *others)


@needs_cross_compiler
def test_the_call_layer_compiles_for_aarch64(tmp_path: Path) -> None:
    """Without a warning; the headers of this Python serve, as the types have the same sizes."""
    from cffi import FFI

    sources = ROOT / "generated" / "cudnn_cffi" / "_native"
    ffi = FFI()
    ffi.cdef((sources / "cdef.h").read_text().partition("\n")[2])
    shims = (sources / "shims.c").read_text()
    ffi.set_source("cudnn_cffi._cudnn", shims, py_limited_api=True)
    ffi.emit_c_code(str(tmp_path / "_cudnn.c"))
    files = [tmp_path / "_cudnn.c", *sorted((ROOT / "native").glob("*.c"))]
    options = ["-O2", "-fPIC", "-shared", "-Wall", "-Werror", "-DPy_LIMITED_API=0x030B0000"]
    options += [f"-I{sysconfig.get_path('include')}", f"-I{ROOT / 'native'}"]
    built = tmp_path / "_cudnn.abi3.so"
    command = [CROSS, *options, "-o", str(built), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    assert built.read_bytes()[18:20] == b"\xb7\0", "the number of that machine"


@pytest.mark.parametrize("compiler", [CROSS, "x86_64-w64-mingw32-gcc"])
def test_tables_are_true_for_other_machines(compiler: str) -> None:
    """Sizes, offsets, values and types of three releases, by a compiler for aarch64 and Windows."""
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    releases = "8.9.7", "9.12.0", "9.28.0"
    try:
        with Registry() as registry:
            for release in releases:
                registry.fetch(release)
            registry.cuda_headers()
    except HeaderError as error:
        pytest.skip(f"the headers of a release cannot be had: {error}")
    command = [sys.executable, "-m", "generator", "verify", "--no-libraries"]
    done = subprocess.run(
        [*command, *releases],
        env=os.environ | {"CC": compiler},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(" 0 wrong\n")
