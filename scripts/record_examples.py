"""Runs examples and writes what they print, and on which machine, into examples/outputs.json.

    python -m scripts.record_examples [NAME ...]

The site shows these outputs beside the programs. Without names it runs all that can run here; an
example, or a cell of a notebook, that needs a GPU keeps the output of an earlier run on one.
"""

from __future__ import annotations

import io
import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from .pages import ROOT
from .run_notebook import cells, steps

FOLDER = ROOT / "examples"
RECORD = FOLDER / "outputs.json"


class Run(NamedTuple):
    """A recorded run of an example.

    Attributes:
        machine: on which it ran, in words.
        source: of `fingerprint`, when it ran.
        outputs: what the program printed, or each cell; None for a cell that needs a GPU.
    """

    machine: str
    source: str
    outputs: Sequence[str | None]


def examples() -> dict[str, Path]:
    """Return the files of all examples by their names."""
    found = [*FOLDER.glob("*.py"), *FOLDER.glob("*.ipynb")]
    return {path.stem: path for path in sorted(found)}


def fingerprint(path: Path) -> str:
    """Return what changes with the code of an example, and not with a notebook's prose."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "\n\n".join(code for kind, code in cells(path) if kind == "code")
    return sha256(text.encode()).hexdigest()[:16]


def recorded(record: Path = RECORD) -> dict[str, Run]:
    """Return the recorded runs by the names of examples; of their present code only."""
    kept = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    there = examples()
    runs = {name: Run(**each) for name, each in kept.items() if name in there}
    return {name: run for name, run in runs.items() if run.source == fingerprint(there[name])}


def run(path: Path) -> Run | None:
    """Run an example; return None if it says that it needs a GPU, or a package is missing.

    Raises:
        RuntimeError: it fails for another reason.
    """
    outputs = _notebook(path) if path.suffix == ".ipynb" else _program(path)
    return Run(machine(), fingerprint(path), outputs) if outputs else None


def _program(path: Path) -> list[str | None]:
    command = [sys.executable, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    last = (done.stderr.splitlines() or [""])[-1]
    if done.returncode == 0:
        return [done.stdout]
    if "needs a GPU" in last or last.startswith(("ModuleNotFoundError", "ImportError")):
        print(f"{path.name}: {last}", file=sys.stderr)
        return []
    raise RuntimeError(f"{path.name}: {done.stderr}")


def _notebook(path: Path) -> list[str | None]:
    made: list[str | None] = []
    count = sum(kind == "code" for kind, _ in cells(path))
    running = steps(path)
    try:
        for _ in range(count):
            with redirect_stdout(io.StringIO()) as printed:
                shown = next(running)
            made.append(printed.getvalue() + shown)
    except (SystemExit, ImportError) as end:
        print(f"{path.name}: {end}", file=sys.stderr)
    return [*made, *[None] * (count - len(made))] if made else []


@cache
def machine() -> str:
    """Describe this machine and what is installed, as far as outputs depend on it."""
    from cudnn_cffi.diagnose import info

    found = info.collect()
    gpus = sorted({device.name for device in found.driver.devices})
    parts = [", ".join(gpus) or f"no GPU ({platform.machine()})"]
    parts.append(f"cuDNN {found.library.version}")
    parts.append(f"Python {platform.python_version()}")
    for name, word in (("torch", "PyTorch"), ("jax", "JAX")):
        try:
            parts.append(f"{word} {version(name).partition('+')[0]}")
        except PackageNotFoundError:
            continue
    return ", ".join(parts)


def main(names: Sequence[str]) -> None:
    """Run the examples that are named, or all, and write the record."""
    there, kept = examples(), recorded()
    for name in names or there:
        if (made := run(there[name])) is None:
            continue
        old = kept.get(name)
        if old is not None and None not in old.outputs and None in made.outputs:
            continue
        kept[name] = made
        print(f"{name}: recorded on {made.machine}")
    text = json.dumps({name: kept[name]._asdict() for name in sorted(kept)}, indent=1)
    RECORD.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
