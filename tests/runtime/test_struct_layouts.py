"""Enums, constants and structs as this Python has them, judged by a C compiler for its machine."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from generator.headers import HeaderError, Registry
from tests.conftest import REQUIRE, Program

COMPILER = shlex.split(os.environ.get("CC") or "cc")

if shutil.which(COMPILER[0]) is None:
    pytest.skip(f"there is no {COMPILER[0]}", allow_module_level=True)


def judged(lines: list[str], version: str, folder: Path) -> str:
    """Return what the compiler says of the lines after the headers of a release."""
    try:
        with Registry() as registry:
            files = {**registry.cuda_headers().files, **registry.fetch(version).files}
    except HeaderError as error:
        pytest.skip(f"the headers of {version} cannot be had: {error}")
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    names = ("stddef.h", "cuda_runtime_api.h", "cudnn.h")
    text = "\n".join([*(f"#include <{name}>" for name in names), *lines])
    (folder / "claims.c").write_text(text)
    command = [*COMPILER, "-std=gnu11", "-isystem", ".", "-fsyntax-only", "claims.c"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.returncode == 0) is ("error:" not in done.stderr), done.stderr
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("version", (os.environ.get(REQUIRE) or "9.12.0 8.9.7").split())
def test_layouts(version: str, tmp_path: Path, program: Program) -> None:
    lines = program("struct_claims", None, version).stdout.splitlines()
    assert sum("offsetof" in line for line in lines) > 30
    assert len(lines) > 800
    assert judged(lines, version, tmp_path) == ""
    wrong = [line.replace(" == ", " == 1 + ") for line in lines]
    assert judged(wrong, version, tmp_path).count("error:") == len(lines), "each can fail"
