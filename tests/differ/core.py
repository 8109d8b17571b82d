"""Running drawn cases in child processes that may crash, hang, or lose the device."""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import os
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .draw import Draw, read_line

__all__ = ["PARTS", "Found", "Tally", "judge", "main", "run", "shrink"]

ROOT = Path(__file__).parents[2]

#: The parts: modules of this folder, each with a function `run(draw)`.
PARTS = ("modules", "functions", "graphs", "operations", "attention")

#: How long a case may take, and the start of a process, in seconds.
PATIENCE, START = 20.0, 90.0


class Found(NamedTuple):
    """What became of a case: "same", "skipped", "refused", "known", "differs", "crash" or "hang"."""

    line: str
    outcome: str
    text: str = ""
    shown: str = ""


class Tally:
    """What became of all cases.

    Attributes:
        counts: by outcome.
        refusals: how often each reason was given.
        failures: the cases that differ, crashed or hung.
    """

    def __init__(self) -> None:
        self.counts: collections.Counter[str] = collections.Counter()
        self.refusals: collections.Counter[str] = collections.Counter()
        self.failures: list[Found] = []

    def add(self, found: Found) -> None:
        self.counts[found.outcome] += 1
        if found.outcome in ("refused", "known"):
            self.refusals[f"{found.outcome}: {found.text[:160]}"] += 1
        elif found.outcome not in ("same", "skipped"):
            self.failures.append(found)

    def __str__(self) -> str:
        total = sum(self.counts.values())
        return f"{total} cases: " + ", ".join(f"{n} {what}" for what, n in self.counts.most_common())


def judge(module: Any, draw: Draw) -> Found:
    """Run a case in this process."""
    from .judge import Differs, Refused, Skipped
    from .known import reason

    try:
        refused = module.run(draw)
    except Skipped as error:
        return Found(draw.line, "skipped", str(error), draw.shown())
    except Refused as error:
        return Found(draw.line, "refused", _first(error), draw.shown())
    except Exception as error:  # noqa: BLE001: whatever else a case raises is what it found
        text = str(error) if isinstance(error, Differs) else f"{type(error).__name__}: {_first(error)}"
        if why := reason(draw, text):
            return Found(draw.line, "known", why, draw.shown())
        return Found(draw.line, "differs", text, draw.shown())
    return Found(draw.line, "refused" if refused else "same", refused or "", draw.shown())


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:300]


def shrink(module: Any, draw: Draw, seconds: float) -> Found:
    """Give each choice its simplest value, where the case then still differs."""
    end = time.monotonic() + seconds
    best, kept = judge(module, draw), draw
    for name in list(draw.made):
        if time.monotonic() > end or best.outcome != "differs":
            break
        if name in kept.subjects or not kept.made.get(name, (0, ""))[0]:
            continue
        simpler = Draw(draw.part, draw.seed, draw.case, kept.given | {name: 0})
        found = judge(module, simpler)
        if found.outcome == "differs":
            best, kept = found, simpler
    return best


def is_lost() -> bool:
    """Return whether the device can be used no more in this process."""
    import torch

    if not torch.cuda.is_available():
        return False
    try:
        torch.cuda.synchronize()
        torch.zeros(1, device="cuda").add_(1).item()
    except RuntimeError:
        return True
    return False


def serve(part: str, seed: int, first: int, step: int, given: str | None) -> None:
    """Run cases one after another and print a line before and after each; the child's side."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print goes elsewhere
    module = importlib.import_module(f"{__package__}.{part}")
    _say(out, ready=True)
    seen: collections.Counter[str] = collections.Counter()
    case = first
    while True:
        draw = read_line(given) if given else Draw(part, seed, case)
        _say(out, begins=draw.line)
        found = judge(module, draw)
        lost = is_lost()
        kind = "".join(draw.made[name][1] for name in sorted(draw.subjects)) + found.text[:20]
        seen[kind] += 1
        if found.outcome == "differs" and not lost and not given and seen[kind] < 3:
            _say(out, begins=draw.line)
            again = shrink(module, draw, 10)
            lost = is_lost()
            if again.outcome == "differs" and not lost:
                found = again
            elif not lost:
                found = found._replace(text=f"{found.text} (not the second time)")
        if lost:
            found = found._replace(outcome="lost", text=f"the device is lost: {found.text}")
        _say(out, found=list(found))
        if lost or given:
            os._exit(0)
        case += step


def _say(out: Any, **what: Any) -> None:
    out.write(json.dumps(what) + "\n")


class _Child:
    """A process that runs cases, and the lines that it prints."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", __package__ or "", "--serve", *arguments]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.errors, text=True, cwd=ROOT
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def next(self, seconds: float) -> dict[str, Any] | None:
        """Return what it says next, or None where it ended.

        Raises:
            queue.Empty: it said nothing for so long.
        """
        line = self.lines.get(timeout=max(seconds, 0.0))
        return None if line is None else json.loads(line)

    def last_words(self) -> str:
        """Return how it ended, and the last line that it wrote."""
        status = self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read()[-2000:].split("\n")
        return f"the process ended with {status}: {(lines[-2:] or [''])[0][:300]}"

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.errors.close()


def cases(
    part: str, seed: int, seconds: float, first: int = 0, step: int = 1, given: str | None = None
) -> Iterator[Found]:
    """Run cases of a part for some time, and yield what became of each."""
    end = time.monotonic() + seconds
    case, fails, words = first, 0, ""
    while True:
        child = _Child(part, str(seed), str(case), str(step), *([given] if given else []))
        now: str | None = None
        try:
            while True:
                # The start of a process is not the time of its cases.
                wait = START if now is None else PATIENCE
                try:
                    said = child.next(wait if given else min(wait, max(end - time.monotonic(), 1)))
                except queue.Empty:
                    if time.monotonic() >= end and not given:
                        return
                    if now is not None:
                        yield Found(now, "hang", f"nothing for {wait:.0f} s")
                    break
                if said is None:
                    if now is not None:
                        yield Found(now, "crash", child.last_words())
                    else:
                        fails, words = fails + 1, child.last_words()
                    break
                if "ready" in said:
                    end = max(end, time.monotonic() + min(seconds, 5.0))
                elif "begins" in said:
                    now, case = said["begins"], read_line(said["begins"]).case
                else:
                    fails = 0
                    yield Found(*said["found"])
                    now = None
                    if time.monotonic() >= end:
                        return
        finally:
            child.end()
        if given:
            return
        if fails > 2:
            yield Found(f"{part}:seed={seed}:case={case}", "crash", words)
            return
        case += step


def run(
    parts: tuple[str, ...], seed: int, seconds: float, workers: int = 1, shown: Any = print
) -> Tally:
    """Run cases of some parts at the same time; print failures as they come, and return the sum."""
    tally, lock = Tally(), threading.Lock()
    each = {part: Tally() for part in parts}

    def work(part: str, first: int) -> None:
        for found in cases(part, seed, seconds, first, workers):
            with lock:
                tally.add(found)
                each[part].add(found)
                if tally.failures and tally.failures[-1] is found:
                    shown(describe(found))

    threads = [
        threading.Thread(target=work, args=(part, first))
        for part in parts
        for first in range(workers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for part, sums in each.items():
        shown(f"{part}: {sums}")
        for reason, count in sums.refusals.most_common(25):
            shown(f"    {count} {reason}")
    return tally


def describe(found: Found) -> str:
    return f'{found.outcome}: nox -s differ -- --case "{found.line}"  # {found.text} [{found.shown}]'


def main(arguments: list[str]) -> int:
    """Run from the command line; return 1 if anything differs."""
    if arguments[:1] == ["--serve"]:
        part, seed, first, step, *given = arguments[1:]
        serve(part, int(seed), int(first), int(step), given[0] if given else None)
        return 0
    parser = argparse.ArgumentParser(prog="nox -s differ --", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long, for all parts")
    parser.add_argument("--seed", type=int, default=None, help="of all cases; else another each time")
    parser.add_argument("--only", choices=PARTS, action="append", help="a part; more than once")
    parser.add_argument("--workers", type=int, default=1, help="processes for each part")
    parser.add_argument("--case", help="repeat the case of a line")
    given = parser.parse_args(arguments)
    if given.case:
        part = read_line(given.case).part
        found = next(iter(cases(part, 0, 300.0, given=given.case)), None)
        print(describe(found) if found else "no process could be started")
        return int(found is None or found.outcome not in ("same", "skipped", "refused", "known"))
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}")
    tally = run(tuple(given.only or PARTS), seed, given.seconds, given.workers)
    print(tally)
    return int(bool(tally.failures))
