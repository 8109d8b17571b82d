"""Programs that benchmarks run: themselves again, and C that they compile."""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def add_options(parser: argparse.ArgumentParser, processes: int) -> None:
    """Add the options of a benchmark that runs in several processes, for `reports`."""
    parser.add_argument("--processes", type=int, default=processes)
    parser.add_argument("--batches", type=int, default=60)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)


def reports(module: str, count: int, batches: int) -> list[Any]:
    """Run a benchmark in `count` processes, one after another; return the JSON of each."""
    found = []
    for _ in range(count):
        command = [sys.executable, "-m", f"benchmarks.{module}", "--child", "--batches"]
        done = subprocess.run([*command, str(batches)], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(done.returncode)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return found


def compile_c(source: str, *options: str) -> ctypes.CDLL:
    """Compile C and load it; without a compiler the process ends with status 77."""
    compiler = shutil.which(os.environ.get("CC") or "cc") or shutil.which("gcc")
    if compiler is None:
        print("not run: it takes a C compiler", file=sys.stderr)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        text, target = Path(folder) / "text.c", Path(folder) / "text.so"
        text.write_text(source, encoding="utf-8")
        subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", *options, text, "-o", target], check=True
        )
        return ctypes.CDLL(str(target))
