"""Enums, constants and structs as this Python has them, judged by a C compiler for its machine."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from generator.headers import HeaderError, Registry
from tests.conftest import REQUIRE

COMPILER = shlex.split(os.environ.get("CC") or "cc")

if shutil.which(COMPILER[0]) is None:
    pytest.skip(f"there is no {COMPILER[0]}", allow_module_level=True)


def claims(release: ModuleType) -> Iterator[str]:
    """Yield a line of C for each name of a release, which compiles where Python's value is true."""
    for name in dir(release):
        value = getattr(release, name)
        if name.startswith("CUDNN_") and isinstance(value, int):
            yield f'_Static_assert({name} == {int(value)}, "{name}");'
        if not (name.startswith("cudnn") and isinstance(value, type)):
            continue
        if issubclass(value, (ctypes.Structure, ctypes.Union)):
            kind = ctypes.sizeof(value), ctypes.alignment(value)
            yield f'_Static_assert(sizeof({name}) == {kind[0]}, "size of {name}");'
            yield f'_Static_assert(_Alignof({name}) == {kind[1]}, "alignment of {name}");'
            for field, *_ in value._fields_:
                place, member = getattr(value, field), field.removeprefix("_")
                size = f"sizeof((({name} *)0)->{member})"
                yield f'_Static_assert(offsetof({name}, {member}) == {place.offset}, "{member}");'
                yield f'_Static_assert({size} == {place.size}, "size of {member}");'
        elif issubclass(value, int):
            yield f'_Static_assert(sizeof({name}) == {ctypes.sizeof(ctypes.c_int)}, "{name}");'


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
def test_layouts(version: str, tmp_path: Path) -> None:
    release = import_module(f"cudnn_cffi.v{version.replace('.', '_')}")
    lines = list(claims(release))
    assert sum("offsetof" in line for line in lines) > 30
    assert len(lines) > 800
    assert judged(lines, version, tmp_path) == ""
    wrong = [line.replace(" == ", " == 1 + ") for line in lines]
    assert judged(wrong, version, tmp_path).count("error:") == len(lines), "each can fail"
