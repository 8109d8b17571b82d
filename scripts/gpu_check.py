"""Runs what needs a GPU, step by step, and prints a table of the outcomes last.

A step that fails does not stop the others. The exit status is 0 when all that ran passed.
"""

from __future__ import annotations

import argparse
import compileall
import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ("gpu_calls", "gpu_plans")
TESTS = ROOT / "tests" / "gpu"
MODES = ("api", "abi")

NOTHING = 5  # the exit status of pytest if no test was chosen
WRONG = 99  # that of the memory checker if it saw an error

#: The memory checker leaves PyTorch's kernels out; each array of PyTorch has memory of its own,
#: whose end is seen.
LEFT_OUT = ("--kernel-name-exclude", "kns=at6native")
APART = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}


@dataclass
class Outcome:
    """The result of one step, as the last table shows it."""

    step: str
    passed: bool
    result: str
    seconds: float


@dataclass
class Run:
    """Where one run keeps its logs, and how long a step may take."""

    out: Path
    limit: float

    def call(
        self, step: str, command: list[str], limit: float | None = None, **environment: str
    ) -> tuple[int, float, Path]:
        """Run `command`; return its status (124 after the limit), seconds and log.

        Lines that name a failed test are printed as they come.
        """
        log = self.out / f"{step.replace(' ', '-')}.log"
        print(f"== {step}: {' '.join(command)}", flush=True)
        began = time.monotonic()
        with (
            log.open("w", encoding="utf-8") as stream,
            subprocess.Popen(
                command,
                cwd=ROOT,
                env=os.environ | environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            ) as running,
        ):
            late = threading.Timer(limit or self.limit, _end, [running])
            late.start()
            assert running.stdout is not None
            for line in running.stdout:
                stream.write(line)
                if line.startswith("FAILED "):
                    print(line, end="", flush=True)
            status = running.wait()
            status = status if late.is_alive() else 124
            late.cancel()
        return status, time.monotonic() - began, log


def _end(running: subprocess.Popen[str]) -> None:
    """End a command and what it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)


def modes() -> tuple[str, ...]:
    """Return the call modes that can be tested here."""
    built = list((ROOT / "overlay" / "cudnn_cffi").glob("_cudnn.*"))
    return MODES if built else MODES[1:]


def tests(run: Run, mode: str, name: str, chosen: list[str]) -> Outcome:
    """One run of pytest; its failures are printed, its counts are the result."""
    step = f"{name} {mode}"
    report = run.out / f"{name}-{mode}.xml"
    command = [
        sys.executable, "-m", "pytest", "-q", "-rN", "-p", "no:cacheprovider", "--tb=short",
        "-o", "faulthandler_timeout=90",
        f"--times={run.out / f'{name}-{mode}.times'}", f"--junit-xml={report}", *chosen,
    ]  # fmt: skip
    status, seconds, log = run.call(step, command, CUDNN_CFFI_MODE=mode, CUDNN_CFFI_REQUIRE_GPU="1")
    # Options such as -k may leave no test for a step beside the main one.
    passed = status == 0 or (status == NOTHING and name != "tests")
    return Outcome(step, passed, _counts(report, log, status), seconds)


def all_tests(run: Run, mode: str, chosen: list[str]) -> list[Outcome]:
    """Run all tests; in several processes if pytest-xdist is installed.

    Most of the time goes into contexts and engines that cuDNN compiles, on the host. Tests of JAX
    run beside the others, in a process of their own; those that measure what other processes would
    change, such as the device's memory, after them.
    """
    has_path = any(each.startswith("tests/") for each in chosen)
    if mode != MODES[0]:  # programs of documents run once
        chosen = ["--mode-dependent", *chosen]
    if importlib.util.find_spec("xdist") is None:
        return [tests(run, mode, "tests", chosen if has_path else [str(TESTS), *chosen])]

    def marked(name: str) -> Outcome:
        files = [] if has_path else _files_with(name)
        return tests(run, mode, name, ["-m", name, *files, *chosen])

    processes = str(len(os.sched_getaffinity(0)))
    most = ["-m", "not alone and not jax and not slow", "-n", processes, "--dist", "worksteal"]
    most += [] if has_path else [str(TESTS)]
    with ThreadPoolExecutor() as pool:
        beside = pool.submit(marked, "jax")
        outcomes = [tests(run, mode, "tests", [*most, *chosen]), beside.result()]
    return [*outcomes, marked("alone")]


def _files_with(name: str) -> list[str]:
    """Return the files of tests with a marker: to collect all takes seconds."""
    return [
        str(each)
        for each in TESTS.glob("test_*.py")
        if f"mark.{name}" in each.read_text(encoding="utf-8")
    ]


def _counts(report: Path, log: Path, status: int) -> str:
    if not report.exists():
        print(_tail(log, 40))
        return f"no report, status {status}"
    cases = ElementTree.parse(report).getroot().iter("testcase")
    passed = failed = skipped = 0
    reasons: dict[str, int] = {}
    for case in cases:
        broken = case.find("failure") if case.find("failure") is not None else case.find("error")
        skip = case.find("skipped")
        if broken is not None:
            failed += 1
        elif skip is not None:
            skipped += 1
            reason = skip.get("message") or ""
            reasons[reason] = reasons.get(reason, 0) + 1
        else:
            passed += 1
    for reason, count in sorted(reasons.items()):
        print(f"skipped {count}: {reason[:160]}")
    if failed and passed + skipped < 3:
        print(_tail(log, 60))
    return f"{passed} passed, {failed} failed, {skipped} skipped" + (
        "" if status in (0, 1) else f", status {status}"
    )


def benchmark(run: Run) -> Outcome:
    """Run the benchmarks that need a GPU."""
    results = []
    failed = False
    seconds = 0.0
    for mode in modes():
        for name in BENCHMARKS:
            command = [sys.executable, "-m", f"benchmarks.{name}"]
            status, took, log = run.call(f"{name} {mode}", command, CUDNN_CFFI_MODE=mode)
            print(_tail(log, 50))
            seconds += took
            failed |= status != 0
            results.append(f"{name} {mode}: status {status}")
    return Outcome("benchmark", not failed, ", ".join(results), seconds)


def memcheck(run: Run, mode: str) -> list[Outcome]:
    """Run the short programs under CUDA's memory checker, that of kernels in the first mode."""
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not Path(tool).exists():
        return [Outcome(f"memcheck {mode}", False, "compute-sanitizer is not installed", 0.0)]
    command = [
        tool, "--tool", "memcheck", "--leak-check", "no", "--report-api-errors", "no",
        "--error-exitcode", str(WRONG),
    ]  # fmt: skip
    program = [*command, "--target-processes", "all", sys.executable, str(TESTS / "short_run.py")]
    # First that the tool sees an error where there is one.
    step = f"memcheck {mode}"
    status, seconds, _ = run.call(f"{step} overrun", [*program, "--overrun"])
    if status != WRONG:
        why = f"a write beyond the end was not seen, status {status}"
        return [Outcome(step, False, why, seconds)]
    jobs = [(step, program, {"CUDNN_CFFI_MODE": mode})]
    if mode == MODES[0]:
        kernels = [*command, *LEFT_OUT, sys.executable, "-m", "tests.gpu.short_kernels"]
        jobs.append(("memcheck kernels", kernels, APART))
    with ThreadPoolExecutor() as pool:  # most of the time is the host's
        return list(pool.map(lambda job: _watched(run, job[0], job[1], **job[2]), jobs))


def _watched(run: Run, step: str, command: list[str], **environment: str) -> Outcome:
    """Run a command under the memory checker; its summary is the result."""
    status, seconds, log = run.call(step, command, None, **environment)
    if status:
        print(_tail(log, 40))
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    last = [line for line in lines if "ERROR SUMMARY" in line or line.endswith(" kernels")]
    return Outcome(step, status == 0, ", ".join(last) or f"status {status}", seconds)


def environment() -> None:
    """Print what this machine has, for readers of the log."""
    print(sys.version)
    installed = metadata.packages_distributions()
    for name in ("torch", "cupy", "jax", "numba", "numba_cuda", "cuda"):
        versions = [
            f"{each} {metadata.version(each)}" for each in sorted({*installed.get(name, ())})
        ]
        print(f"  {', '.join(versions) or f'{name}: not installed'}")
    if shutil.which("nvidia-smi"):
        query = "--query-gpu=index,name,memory.total,driver_version"
        subprocess.run(["nvidia-smi", query, "--format=csv,noheader"], check=False)
    print(flush=True)


def _packages(*names: str) -> list[str]:
    """Return the folders of installed packages, for which some installers write no bytecode."""
    found = filter(None, map(importlib.util.find_spec, names))
    return [folder for each in found for folder in each.submodule_search_locations or ()]


def _tail(log: Path, lines: int) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def main() -> int:
    """Run the chosen steps, print a table of them and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="Other options, such as -k NAME, are passed to pytest."
    )
    parser.add_argument(
        "what", nargs="?", default="all", choices=["smoke", "tests", "bench", "memcheck", "all"]
    )
    parser.add_argument("--mode", choices=MODES, help="the call mode; default: both")
    parser.add_argument("--limit", type=float, default=300, help="seconds for each step")
    options, chosen = parser.parse_known_args()
    out = Path(os.environ.get("OUT") or ROOT / "build" / "gpu")
    out.mkdir(parents=True, exist_ok=True)
    run = Run(out, options.limit)
    environment()
    # Hundreds of processes import the package and PyTorch: their bytecode is written once.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if options.what in ("tests", "all"):
        own = [str(ROOT / folder) for folder in ("overlay", "generated", "tests", "benchmarks")]
        for folder in [*own, *_packages("numpy", "sympy", "torch", "torchgen", "torchvision")]:
            compileall.compile_dir(folder, quiet=2, workers=0)
    with tempfile.TemporaryDirectory() as plans:
        # All processes and both modes share the plans that cuDNN compiles.
        os.environ.setdefault("CUDNN_CFFI_PLAN_CACHE", plans)
        return _steps(run, options.what, [options.mode] if options.mode else MODES, chosen)


def _steps(run: Run, what: str, wanted: Sequence[str], chosen: list[str]) -> int:
    """Run the steps in the wanted modes, print their table and return the exit status."""
    outcomes: list[Outcome] = []
    missing = set(wanted) - set(modes())
    if missing:
        outcomes.append(Outcome("build", False, "the compiled call layer could not be built", 0.0))
    for mode in [each for each in wanted if each not in missing]:
        if what == "smoke":
            outcomes.append(tests(run, mode, "smoke", [str(TESTS / "test_smoke.py"), *chosen]))
        elif what in ("tests", "all"):
            outcomes += all_tests(run, mode, chosen)
    if what in ("bench", "all"):
        outcomes.append(benchmark(run))
    if what in ("memcheck", "all"):
        for mode in wanted:
            outcomes += memcheck(run, mode) if mode not in missing else []

    width = max(len(each.step) for each in outcomes)
    print(f"\n{'step':{width}}  ok   seconds  result")
    for each in outcomes:
        mark = "yes" if each.passed else "NO "
        print(f"{each.step:{width}}  {mark}  {each.seconds:7.1f}  {each.result}")
    return 0 if all(each.passed for each in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
