"""The C of the call layer, by hand and emitted, compiles without a warning."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from build_native import NATIVE, SOURCES


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(
    "source", [NATIVE / "function.c", SOURCES / "shims.c"], ids=lambda p: p.name
)
def test_no_warning(source: Path, compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    include = sysconfig.get_path("include")
    command = [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{NATIVE}",
               "-isystem", include, "-DPy_LIMITED_API=0x030B0000"]  # fmt: skip
    if source.parent != NATIVE:
        command.append("-Wno-unused-function")  # cffi puts its callers after them
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    assert not done.stderr
