"""Run the checks of sources, documents and emitted files, as many at once as there are cores.

    python -m scripts.checks [--only lint|types|emitted]

Prints each command, its seconds, and the output of each that fails; exits with 1 if any fails.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from .pages import ROOT

#: Folders and files of Python.
OURS = (
    "overlay",
    "generator",
    "tests",
    "benchmarks",
    "reference",
    "scripts",
    "examples",
    "noxfile.py",
    "build_native.py",
    "hatch_build.py",
)


def _files(pattern: str) -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / ".github").glob(pattern))


def _schema(name: str, files: list[str]) -> list[str]:
    return ["check-jsonschema", "--builtin-schema", f"vendor.github-{name}", *files]


def _module(words: str) -> list[str]:
    return ["python", "-m", *words.split()]


def commands() -> dict[str, list[list[str]]]:
    """Return the commands of each kind; the slowest begins first."""
    present = [path for path in OURS if (ROOT / path).exists()]
    emitters = ("engines", "operations", "c_names", "graphs", "stubs", "objects", "needs")
    return {
        "types": [["mypy"]],
        "emitted": [
            _module("generator check"),
            _module("cudnn_cffi changelog --check"),
            _module("cudnn_cffi timeline docs/timeline.svg --check"),
        ],
        "lint": [
            *(_module(f"scripts.{name} --check") for name in (*emitters, "figures", "rooms")),
            _module("scripts.english"),
            _module("scripts.words"),
            ["ruff", "check", "--quiet", *present],
            ["ruff", "format", "--check", "--quiet", *present],
            ["zizmor", "--offline", "--quiet", "--min-severity", "medium", ".github"],
            _schema("workflows", _files("workflows/*.yml")),
            _schema("issue-forms", _files("ISSUE_TEMPLATE/[!c]*")),  # config.yml is no form
        ],
    }


def run(command: list[str]) -> tuple[list[str], float, subprocess.CompletedProcess[str]]:
    """Run a command in the root of the project, by the Python that runs this script."""
    began = time.monotonic()
    program = Path(sys.executable).with_name(command[0])
    first = sys.executable if command[0] == "python" else str(program)
    # mypy takes half of the time with two processes, which its older releases do not know.
    done = subprocess.run(
        [first, *command[1:]], cwd=ROOT, env=os.environ | {"MYPY_NUM_WORKERS": "2"},
        check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return command, time.monotonic() - began, done


def main() -> int:
    """Run the checks; return the exit status."""
    kinds = commands()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=kinds, help="the kind of checks to run")
    only = parser.parse_args().only
    chosen = [each for kind, group in kinds.items() if only in (None, kind) for each in group]
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for each in as_completed(pool.submit(run, command) for command in chosen):
            command, seconds, done = each.result()
            print(f"{seconds:6.1f} s  {shlex.join(command)}", flush=True)
            if done.returncode:
                failed += 1
                print(f"{done.stdout}exit status {done.returncode}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
