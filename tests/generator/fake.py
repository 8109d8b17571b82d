"""Packages of header sets of a few lines, and libraries that say what they are called with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from cudnn_cffi.api import model

from generator import pipeline, tree
from generator.classify import CType, Facts
from generator.headers.records import HeaderSet
from tests.compilers import c_library
from tests.generator.small import CUDA, Trusting

ROOT = Path(__file__).resolve().parents[2]

_TEXT = """
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
"""


def assemble(
    folder: Path, sets: Iterable[HeaderSet], *, native: bool = False, facts: Facts | None = None
) -> Path:
    """The package as it is in a wheel, in `folder`: the overlay and a tree of these releases."""
    out = folder / "tree"
    pipeline.generate(sets, CUDA, out, facts=facts or Trusting.load())
    return put_together(folder, out, native=native)


def put_together(folder: Path, out: Path, *, native: bool = False) -> Path:
    """The package of the overlay and the tree `out`, in a folder for PYTHONPATH."""
    package = folder / "site" / "cudnn_cffi"
    shutil.copytree(
        ROOT / "overlay/cudnn_cffi",
        package,
        ignore=shutil.ignore_patterns("*.so", "__pycache__", "*.new"),
    )
    shutil.copytree(out / "cudnn_cffi", package, dirs_exist_ok=True)
    if native:
        # In a child: setuptools changes modules of the process that it compiles in.
        code = "import sys, pathlib as p, build_native as b; b.build(*map(p.Path, sys.argv[1:]))"
        command = [sys.executable, "-c", code, str(package), str(package / "_native")]
        subprocess.run(command, cwd=ROOT, check=True)
    return package.parent


def library(folder: Path, api: model.Api, version: int, leave_out: Iterable[str] = ()) -> Path:
    """A libcudnn with the functions of `api`; each prints its name and what it got.

    A number that is to be written is 100 and the place of its parameter; other memory is left
    alone. A status that says what went wrong is the first number in the environment's FAIL.
    """
    known = {*(o.name for o in api.opaques), *(c.name for c in api.callbacks)}
    enums = {enum.name for enum in api.enums}
    lines = [_TEXT, "extern char *getenv(const char *); extern int atoi(const char *);"]
    lines.append('static int status(void) { char *f = getenv("FAIL"); return f ? atoi(f) : 0; }')
    absent = {*leave_out, "cudnnGetVersion", "cudnnGetErrorString", "cudnnGetCudartVersion"}
    for function in api.functions:
        if function.name not in absent:
            lines.append(_function(function, known, enums))
    if "cudnnGetVersion" not in leave_out:
        lines.append(f"size_t cudnnGetVersion(void) {{ return {version}; }}")
    lines.append("size_t cudnnGetCudartVersion(void) { return 12000; }")
    lines.append("const char *cudnnGetErrorString(int s)")
    lines.append('{ static char t[64]; snprintf(t, 64, "status %d", s); return t; }')
    name = f"libcudnn.so.{api.release.partition('.')[0]}"
    return c_library(folder / name, "\n".join(lines) + "\n")


def _function(function: model.Function, opaques: set[str], enums: set[str]) -> str:
    """One function of the library."""
    taken, body = [], [f'printf("{function.name}");']
    for place, parameter in enumerate(function.parameters):
        kind, name = CType.of(parameter.type), f"a{place}"
        base = "int" if kind.base in enums else kind.base
        if not kind.value or kind.base in opaques:
            taken.append(f"void *{name}")
            number = parameter.kind in ("scalar", "enum", "handle", "descriptor")
            if parameter.direction == "out" and number and kind.pointers == 1:
                written = "uintptr_t" if kind.base in opaques else base
                body.append(f"*({written} *){name} = {100 + place};")
            else:
                body.append(f'printf(" %llu", (unsigned long long)(uintptr_t){name});')
        else:
            taken.append(f"{base} {name}")
            form, cast = ("%g", "double") if base in ("float", "double") else ("%lld", "long long")
            body.append(f'printf(" {form}", ({cast}){name});')
    result = "int" if function.result in enums else function.result
    body += ['printf("\\n");', "fflush(stdout);"]
    body += [] if result == "void" else ["return status();"] if result == "int" else ["return 7;"]
    return f"{result} {function.name}({', '.join(taken) or 'void'}) {{ {' '.join(body)} }}"


def run(
    site: Path, code: str, library: Path | None = None, mode: str = "abi", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `code` with the package in `site` and nothing of the checkout's."""
    kept = {n: v for n, v in os.environ.items() if n not in ("CUDNN_CFFI_LIBRARY", "PYTHONPATH")}
    if library is not None:
        kept["CUDNN_CFFI_LIBRARY"] = str(library)
    # The checkout is an editable installation, which is found after PYTHONPATH.
    kept.update(PYTHONPATH=str(site), CUDNN_CFFI_MODE=mode, **environment)
    return subprocess.run(
        [sys.executable, "-c", code],
        env=kept,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=site,
    )


def api(site_or_tree: Path, version: str) -> model.Api:
    """The model of a release in the tree beside an assembled package."""
    return tree.load(site_or_tree).apis[version]
