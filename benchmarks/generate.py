"""Time generation: one release, all of them, emission alone; beside ctypeslib2, in one run.

    python -m benchmarks.generate [--release 9.28.0] [--rounds N] [--clang2py PATH] [--markdown]
                                  [--record]

Every number is a whole process with the headers in the cache (the first run puts them there), the
median of its rounds; contestants take turns. ctypeslib2 takes part where clang2py is found: it
brings another version of libclang's Python module, so install it in an environment of its own.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cudnn_cffi.api.inputs.store import Store

from benchmarks import records
from generator import tree
from generator.headers import CudaHeaders, HeaderSet, Registry

ROOT = Path(__file__).resolve().parent.parent

#: Processes that are timed write bytecode once, beside the checkout.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


@dataclass
class Cost:
    """Times of some rounds of one task."""

    name: str
    key: str  # in a record
    target: str = ""
    limit: float | None = None  # seconds
    seconds: list[float] = field(default_factory=list)
    megabytes: float = 0.0  # the most that a round had in memory

    @property
    def median(self) -> float:
        """Return the median of the rounds in seconds."""
        return statistics.median(self.seconds)

    def run(self, command: Sequence[str]) -> None:
        """One round; it must succeed."""
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds.append(time.perf_counter() - start)
        if process.returncode:
            raise SystemExit(f"failed with {process.returncode}: {' '.join(command)}")
        self.megabytes = max(self.megabytes, usage.ru_maxrss / 1024)


def generator(*arguments: object) -> list[str]:
    """Return the command line that runs the generator."""
    return [sys.executable, "-m", "generator", *map(str, arguments)]


def fetch(release: str) -> tuple[HeaderSet, CudaHeaders]:
    """Return the headers of a release and those of CUDA, from the cache if they are there."""
    with Registry() as registry:
        return registry.fetch(release), registry.cuda_headers()


def write(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files below a folder and return the folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


#: The part of C's library that the headers need, which ctypeslib2 would take from a compiler.
C_HEADERS = {
    "stddef.h": b"typedef __SIZE_TYPE__ size_t;\ntypedef __WCHAR_TYPE__ wchar_t;\n"
    b"typedef __PTRDIFF_TYPE__ ptrdiff_t;\n#define NULL ((void *)0)\n",
    "stdint.h": b"typedef __INT8_TYPE__ int8_t;\ntypedef __UINT8_TYPE__ uint8_t;\n"
    b"typedef __INT16_TYPE__ int16_t;\ntypedef __UINT16_TYPE__ uint16_t;\n"
    b"typedef __INT32_TYPE__ int32_t;\ntypedef __UINT32_TYPE__ uint32_t;\n"
    b"typedef __INT64_TYPE__ int64_t;\ntypedef __UINT64_TYPE__ uint64_t;\n"
    b"typedef __INTPTR_TYPE__ intptr_t;\ntypedef __UINTPTR_TYPE__ uintptr_t;\n",
    "limits.h": b"#define INT_MAX __INT_MAX__\n",
    "features.h": b"",
    "string.h": b"#include <stddef.h>\n",
    "time.h": b"typedef long clock_t;\n",
    "stdlib.h": b"#include <stddef.h>\n",
}


def clang2py(program: str, work: Path, headers: HeaderSet, cuda: CudaHeaders) -> list[list[str]]:
    """ctypeslib2's commands for the same headers: all functions, enums, structs and macros.

    The first one as its users do it, with the host's C library and a compiler's headers; the
    second one with as little of C's library as the generator makes do with.
    """
    ours = [write(work / "cudnn", headers.files), write(work / "cuda", cuda.files)]
    compiler = subprocess.run(
        ["cc", "-print-file-name=include"], capture_output=True, text=True, check=True
    ).stdout.strip()
    commands = []
    for option, last in (("", Path(compiler)), ("-nostdinc ", write(work / "c", C_HEADERS))):
        includes = " ".join(f"-I{folder}" for folder in (*ours, last))
        options = ["-q", "-i", "-k", "cdefstum", f"--clang-args={option}{includes}"]
        source, out = str(ours[0] / "cudnn.h"), str(work / "ctypeslib2.py")
        commands.append([program, *options, source, "-o", out])
    return commands


def importing(release: str, rounds: int) -> float:
    """Seconds to import the module of a release, with bytecode, more than the interpreter takes."""
    module = f"cudnn_cffi.v{release.replace('.', '_')}"
    path = os.pathsep.join([str(ROOT / "overlay"), str(tree.HOME)])
    environment = {**ENVIRONMENT, "PYTHONPATH": path}

    def once(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)
        return time.perf_counter() - start

    once(f"import {module}")
    pairs = [(once(f"import {module}"), once("pass")) for _ in range(rounds)]
    return statistics.median(with_it - without for with_it, without in pairs)


_THEIRS = (
    "ctypeslib2, same headers",
    "ctypeslib2, hardly any C library",
)


def in_turns(rounds: int, steps: Sequence[Callable[[], None]]) -> None:
    """Run every step once a round, so that a change of the machine's speed meets all of them."""
    for _ in range(rounds):
        for step in steps:
            step()


def measure(release: str, rounds: int, peer: str | None, work: Path) -> list[Cost]:
    """Return what each way of generating costs."""
    headers, cuda = fetch(release)
    versions = [r.version for r in Store(tree.HOME / "cudnn_cffi" / "api").releases()]
    one = Cost(f"one release ({release}), new tree", "one_release_new_tree", "<= 1.0 s", 1.0)
    into = Cost(f"one release into a tree of {len(versions)}", "one_release_into_the_tree")
    again = Cost("emit all from their models", "emit_all", "<= 5 s", 5.0)
    theirs = Cost(_THEIRS[0], "ctypeslib2_same_headers")
    bare = Cost(_THEIRS[1], "ctypeslib2_hardly_any_c_library")
    some = Cost(f"{len(versions) // 2} releases, new tree", "half_the_releases_new_tree")
    every = Cost(f"{len(versions)} releases, new tree", "all_releases_new_tree", "<= 25 s", 25.0)
    checkout = Path(shutil.copytree(tree.HOME, work / "checkout"))

    def fresh() -> Path:
        shutil.rmtree(work / "new", ignore_errors=True)
        return work / "new"

    steps = [
        lambda: one.run(generator("generate", release, "--out", fresh())),
        lambda: into.run(generator("generate", release, "--out", checkout)),
        lambda: again.run(generator("emit", "--out", checkout)),
    ]
    if peer is not None:
        usual, little = clang2py(peer, work, headers, cuda)
        steps += [lambda: theirs.run(usual), lambda: bare.run(little)]
    steps[0]()  # headers into the cache, bytecode onto the disk
    one.seconds.clear()
    in_turns(rounds, steps)
    in_turns(
        max(1, rounds // 3),
        [
            lambda: some.run(generator("generate", *versions[::2], "--out", fresh())),
            lambda: every.run(generator("generate", *versions, "--out", fresh())),
        ],
    )
    return [one, *([theirs, bare] if peer is not None else []), into, again, some, every]


def report(costs: Sequence[Cost], import_seconds: float, markdown: bool) -> None:
    """Print the table of costs."""
    base = costs[0].median
    rows = [("what", "s", "ratio", "MB", "target", "")]
    for cost in costs:
        met = "" if cost.limit is None else "met" if cost.median <= cost.limit else "MISSED"
        ratio = f"{cost.median / base:.2f}"
        rows.append(
            (cost.name, f"{cost.median:.2f}", ratio, f"{cost.megabytes:.0f}", cost.target, met)
        )
    met = "met" if import_seconds <= 0.010 else "MISSED"
    rows.append(
        ("import of the release's module", f"{import_seconds:.4f}", "", "", "<= 0.010 s", met)
    )
    ours = [cost for cost in costs if cost.name not in _THEIRS]
    most = max(cost.megabytes for cost in ours)
    rows.append(
        ("peak memory", "", "", f"{most:.0f}", "<= 300 MB", "met" if most <= 300 else "MISSED")
    )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for place, row in enumerate(rows):
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        print("| " + " | ".join(cells) + " |" if markdown else "  ".join(cells).rstrip())
        if markdown and not place:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    for cost in costs:
        if cost.name in _THEIRS:
            print(f"{cost.median / base:.1f} times as fast as {cost.name} (target: 2)")
    count = releases(costs[-1])
    print(
        f"each further release costs {each_further(costs):.3f} s; "
        f"on average {costs[-1].median / count:.3f} s"
    )


def releases(cost: Cost) -> int:
    """Return the number of releases that a cost of several is of."""
    return int(cost.name.split()[0])


def each_further(costs: Sequence[Cost]) -> float:
    """Return the seconds for each further release."""
    few, all_ = costs[-2:]
    return (all_.median - few.median) / (releases(all_) - releases(few))


def main() -> None:
    """Measure and print the table."""
    parser = records.parser(__doc__)
    parser.add_argument("--release", default="9.28.0")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clang2py", default=shutil.which("clang2py"), help="ctypeslib2's program")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cudnn-cffi-bench-") as folder:
        ENVIRONMENT["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        costs = measure(options.release, options.rounds, options.clang2py, Path(folder))
        import_seconds = importing(options.release, 4 * options.rounds)
    report(costs, import_seconds, options.markdown)
    values: dict[str, object] = {
        cost.key: {"seconds": cost.median, "megabytes": cost.megabytes} for cost in costs
    }
    values["releases"] = releases(costs[-1])
    values["each_further_release"] = each_further(costs)
    records.finish(options, "generate", values, ["generator", "templates"])


if __name__ == "__main__":
    main()
