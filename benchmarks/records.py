"""Records of benchmark runs, from which `scripts/figures.py` inserts numbers into the documents.

A record is benchmarks/results/NAME.json, an object with these fields:

- `command`: the command line that repeats the run; null if its script was not kept.
- `machine`: the GPU, if one was used, and the processor.
- `cudnn`, `pytorch`, `python`, `driver`: versions; null if not used, or not known.
- `date`: the day of the run, as YYYY-MM-DD.
- `commit`: the commit that was measured; of transcribed figures, the one that put them there.
- `source`: "measured", or where the figures were transcribed from, and what else is known of them.
- `subject`: files and folders; if one of them changes after `commit`, the record is old.
- `values`: objects in objects, at last numbers. Keys are words of `[a-z0-9_]`.

A benchmark calls `parser` for its options, and `finish` with its results.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"

#: Each field, with the types that it may have.
FIELDS: dict[str, tuple[type, ...]] = {
    "command": (str, type(None)),
    "machine": (str,),
    "cudnn": (str, type(None)),
    "pytorch": (str, type(None)),
    "python": (str, type(None)),
    "driver": (str, type(None)),
    "date": (str,),
    "commit": (str,),
    "source": (str,),
    "subject": (list,),
    "values": (dict,),
}

#: Patterns of fields that are texts.
FORMS = {"date": r"\d{4}-\d\d-\d\d", "commit": r"[0-9a-f]{8,40}"}


class RecordError(ValueError):
    """A file in benchmarks/results is not a record."""


def load(path: Path) -> dict[str, Any]:
    """Return the record in a file.

    Raises:
        RecordError: the file is not JSON, lacks a field, or a field has a wrong form.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RecordError(f"{path.name}: expected JSON, found {error}") from None
    if problems := list(_problems(record)):
        raise RecordError("\n".join(f"{path.name}: {each}" for each in problems))
    return dict(record)


def _problems(record: Any) -> list[str]:
    if not isinstance(record, dict):
        return [f"expected an object, found {type(record).__name__}"]
    found = [
        f"expected the fields {', '.join(FIELDS)}; found no {name}"
        for name in FIELDS
        if name not in record
    ]
    found += [f"expected no field {name}" for name in record if name not in FIELDS]
    for name, types in FIELDS.items():
        if name not in record:
            continue
        value = record[name]
        if not isinstance(value, types):
            words = " or ".join("null" if each is type(None) else each.__name__ for each in types)
            found.append(f"{name}: expected {words}, found {value!r}")
        elif name in FORMS and not re.fullmatch(FORMS[name], str(value)):
            found.append(f"{name}: expected the form {FORMS[name]}, found {value!r}")
    subject = record.get("subject")
    if isinstance(subject, list):
        if not subject:
            found.append("subject: expected files or folders, found an empty list")
        found += [
            f"subject: expected a path of the checkout, found {each!r}"
            for each in subject
            if not (isinstance(each, str) and (ROOT / each).exists())
        ]
    if isinstance(record.get("values"), dict):
        found += _wrong_values("values", record["values"])
    return found


def _wrong_values(place: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        found = [] if value else [f"{place}: expected numbers, found an empty object"]
        for name, each in value.items():
            if not re.fullmatch(r"[a-z0-9_]+", name):
                found.append(f"{place}: expected a key of [a-z0-9_], found {name!r}")
            found += _wrong_values(f"{place}.{name}", each)
        return found
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return [f"{place}: expected a number, found {value!r}"]
    return []


def key(text: str) -> str:
    """Return a text as a key: its words of letters and digits in lower case, joined by `_`."""
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))


def parser(document: str | None) -> argparse.ArgumentParser:
    """Return a parser with the first line of a docstring, `--json` and `--record`."""
    made = argparse.ArgumentParser(description=(document or "").partition("\n")[0])
    made.add_argument("--json", type=Path, help="write the results to this file")
    made.add_argument(
        "--record",
        action="store_true",
        help="write a record to benchmarks/results; `nox -s figures` puts it into the documents",
    )
    return made


def finish(
    options: argparse.Namespace,
    name: str,
    values: Mapping[str, Any],
    subject: Sequence[str],
    machine: str | None = None,
) -> None:
    """Write the results as the options say; see `parser` and `write`."""
    if options.json:
        options.json.write_text(json.dumps(values, indent=1), encoding="utf-8")
    if options.record and values:
        write(name, values, subject, machine)


def write(
    name: str, values: Mapping[str, Any], subject: Sequence[str], machine: str | None = None
) -> Path:
    """Write the record of this run; return its path.

    Args:
        name: of the record; the file is benchmarks/results/NAME.json.
        values: the results, in mappings; texts become keys by `key`.
        subject: files and folders of the checkout whose changes make the record old.
        machine: the name of the GPU.

    Raises:
        SystemExit: the commit is not known, or files of the subject are not as in the commit.
        RecordError: `values` has no numbers, or `subject` names what is not there.
    """
    record = {
        "command": _command(),
        "machine": ", ".join(filter(None, (machine, _processor()))),
        "cudnn": _cudnn(),
        "pytorch": _version("torch") if machine else None,
        "python": platform.python_version(),
        "driver": _driver() if machine else None,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": _commit(subject),
        "source": "measured",
        "subject": list(subject),
        "values": _keyed(values),
    }
    if problems := _problems(record):
        raise RecordError("\n".join(f"{name}: {each}" for each in problems))
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {path}")
    return path


def _keyed(values: Any) -> Any:
    if isinstance(values, Mapping):
        return {key(name): _keyed(each) for name, each in values.items()}
    return float(f"{values:.5g}") if isinstance(values, float) else values


def _command() -> str:
    name = f"benchmarks.{Path(sys.argv[0]).stem}"
    settings = [
        f"{each}={os.environ[each]}"
        for each in ("CUDNN_CFFI_REPLAY", "CUDNN_CFFI_MODE")
        if each in os.environ
    ]
    return " ".join([*settings, "python -m", name, *sys.argv[1:]])


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"model name\s*: (.*)", text)
    return f"{os.cpu_count()} x {found[1] if found else platform.machine()}"


def _cudnn() -> str | None:
    """Return the release of cuDNN that a benchmark calls, in this process or in those it starts."""
    if "cudnn_cffi" not in sys.modules:
        return None
    from cudnn_cffi import errors, library

    try:
        return str(library.load().version)
    except errors.CudnnError:
        return None


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _driver() -> str | None:
    if shutil.which("nvidia-smi") is None:
        return None
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    return done.stdout.split()[0] if done.stdout.split() else None


def _commit(subject: Sequence[str]) -> str:
    """Return the commit of the checkout; of a copy without git, that of BENCHMARK_COMMIT."""
    if given := os.environ.get("BENCHMARK_COMMIT"):
        return given
    done = git("rev-parse", "HEAD")
    if done is None:
        raise SystemExit(
            "--record: expected a checkout with git, or the commit in BENCHMARK_COMMIT"
        )
    if changed := git("status", "--porcelain", "--", *subject):
        raise SystemExit(f"--record: commit these first, which are measured:\n{changed}")
    return done


def git(*arguments: str) -> str | None:
    """Return what git prints in the checkout; None if it fails."""
    if shutil.which("git") is None:
        return None
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else None
