"""Collect the engine database on a GPU.

    python -m benchmarks.engines --record FILE [--seconds N] [--seed N] [--workers N] [--most N]
                                 [--only REGEX]... [FILE...]
    python -m benchmarks.engines --pack OUT FILE...

The first goes on where the record ends, without the cases that other files have of the device and
release. Builders, a process for each core but one, build the plans of all engines, and one process
times them. The second makes the database of records and databases of one device and release.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import record


def commit() -> str:
    """Return the commit that is measured; BENCHMARK_COMMIT in a copy without git."""
    given = os.environ.get("BENCHMARK_COMMIT")
    git = shutil.which("git")
    if given or git is None:
        return given or ""
    asked = subprocess.run([git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def libraries() -> list[str]:
    """Return the folders of NVIDIA's wheels: builders do not load PyTorch, which looks there."""
    return [str(path) for place in sys.path for path in Path(place).glob("nvidia/*/lib")]


def main(arguments: list[str]) -> int:
    """Run from the command line."""
    if arguments[:1] == ["--timer"]:
        from . import timer

        timer.serve(int(arguments[1]))
        return 0
    if arguments[:1] == ["--builder"]:
        from . import builder

        builder.serve(int(arguments[1]), arguments[2])
        return 0
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=__doc__)
    parser.add_argument("--record", type=Path, help="the file, which a next run continues")
    parser.add_argument("--seconds", type=float, default=300.0, help="for how long; 300")
    parser.add_argument("--seed", type=int, default=0, help="of the order and of the data; 0")
    parser.add_argument("--workers", type=int, help="builders; a core less than there are")
    parser.add_argument("--most", type=int, help="the most of these cases, from the first on")
    parser.add_argument("--pack", type=Path, help="write the database of records")
    parser.add_argument(
        "--only", action="append", help="a pattern in the names of cases; one after the other"
    )
    parser.add_argument("records", nargs="*", type=Path, help="records and databases")
    given = parser.parse_args(arguments)
    if given.pack:
        path, count = record.pack(given.records, given.pack)
        print(f"{path}: {count} cases, {path.stat().st_size} bytes")
        return 0
    if not given.record:
        parser.error("--record FILE or --pack OUT FILE... is needed")
    from .cases import cases
    from .collect import Collection, commands

    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    )
    header = {
        "schema": record.SCHEMA, "version": record.VERSION, "seed": given.seed,
        "commit": commit(), "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "row": list(record.ROW),
    }  # fmt: skip
    os.environ["CUDNN_CFFI_REPLAY"] = "0"  # each run is executed
    os.environ["CUDNN_CFFI_PLAN_CACHE"] = "0"
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    places = [*libraries(), os.environ.get("LD_LIBRARY_PATH", "")]
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, places))
    known = cases(given.seed)
    chosen = dict.fromkeys(
        place
        for only in given.only or [""]
        for place, each in enumerate(known)
        if re.search(only, each.name)
    )
    with tempfile.TemporaryDirectory(prefix="engines") as folder:
        made = commands(given.seed, Path(folder))
        collection = Collection(
            known, record.Record(given.record), header, folder=Path(folder),
            workers=given.workers or max(1, cores - 1),
            timer=made["timer"], builder=made["builder"], chosen=[*chosen][: given.most],
            others=[record.read(path) for path in given.records],
        )  # fmt: skip
        collection.run(given.seconds)
    collection.record.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
