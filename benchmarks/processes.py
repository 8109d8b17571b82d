"""Programs that benchmarks run: themselves again, and C that they compile."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def reports(module: str, count: int, batches: int) -> list[Any]:
    """Run a benchmark in `count` processes, one after another; return the JSON of each."""
    found = []
    for _ in range(count):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            command = [sys.executable, "-m", f"benchmarks.{module}", "--processes", "1"]
            done = subprocess.run(
                [*command, "--batches", str(batches), "--json", report], stdout=subprocess.DEVNULL
            )
            if done.returncode:
                sys.exit(done.returncode)
            found.append(json.loads(report.read_text()))
    return found


def compile_c(source: str, *options: str) -> ctypes.CDLL:
    """Compile C and load it; without a compiler the process ends with status 77."""
    compiler = shutil.which(os.environ.get("CC") or "cc") or shutil.which("gcc")
    if compiler is None:
        print("not run: it takes a C compiler", file=sys.stderr)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        text, target = Path(folder) / "text.c", Path(folder) / "text.so"
        text.write_text(source)
        subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", *options, text, "-o", target], check=True
        )
        return ctypes.CDLL(str(target))
