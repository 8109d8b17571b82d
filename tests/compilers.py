"""Compilers, and the shared libraries that tests make of a few lines; tests skip without one."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest


def c_compiler() -> str:
    """Return a compiler of C: CC, if that is set and there."""
    return _first("C compiler", os.environ.get("CC") or "cc", "cc", "gcc", "clang")


def cpp_compiler() -> str:
    """Return a compiler of C++."""
    return _first("C++ compiler", "g++", "clang++")


def _first(what: str, *names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"there is no {what}")
    return found


def c_library(path: Path, text: str, *options: str) -> Path:
    """Make a shared library of C at a path, and return that."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_name(f"{path.name}.c")
    source.write_text(text, encoding="utf-8")
    command = [c_compiler(), "-w", "-shared", "-fPIC", "-o", path, source, *options]
    subprocess.run(command, check=True)
    return path


def cpp_library(path: Path, source: Path, *options: str) -> ctypes.CDLL:
    """Make a shared library of C++20 at a path, and load it."""
    command = [cpp_compiler(), "-std=c++20", "-O1", "-shared", "-fPIC", "-pthread"]
    subprocess.run([*command, *options, source, "-o", path], check=True)
    return ctypes.CDLL(str(path))
