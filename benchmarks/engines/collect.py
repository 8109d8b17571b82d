"""Run a collection: builders in parallel, one process that times, and the record of both.

Engines may crash, hang or lose the device. So they run in children, which say what they begin
with; where one ends, its engine is recorded, and another child goes on.
"""

from __future__ import annotations

import collections
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from .cases import Case
from .record import ROW, Record

ROOT = Path(__file__).parents[2]

#: Maximum time without a word of a child, and of its start, in seconds.
PATIENCE, START = 45.0, 120.0

#: Maximum number of cases that are built and not timed yet.
AHEAD = 64

#: Maximum number of children that end at their start, and of engines of a case that end one.
STARTS, ENDS = 3, 4

Say = Callable[[str], object]


class Child:
    """A process that answers lines of JSON with lines of JSON.

    Attributes:
        job: what it works on; None if it waits.
        heard: when it said something last.
    """

    def __init__(
        self, command: Sequence[str], said: queue.Queue[tuple[Child, dict[str, Any] | None]],
        environment: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            text=True, cwd=ROOT, env=environment,
        )  # fmt: skip
        self.job: Any = None
        self.ready = False
        self.begins: Any = None
        self.heard = time.monotonic()
        threading.Thread(target=self._read, args=(said,), daemon=True).start()

    def _read(self, said: queue.Queue[tuple[Child, dict[str, Any] | None]]) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with suppress(ValueError):
                said.put((self, json.loads(line)))
        said.put((self, None))

    def ask(self, **what: Any) -> None:
        """Give it a job; one that has ended is noticed by what it says."""
        self.heard = time.monotonic()
        self.begins = None
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(json.dumps(what) + "\n")
            self.process.stdin.flush()

    @property
    def is_silent(self) -> bool:
        """Return whether it has been silent for too long."""
        if self.ready and self.job is None:
            return False
        return time.monotonic() - self.heard > (PATIENCE if self.ready else START)

    def end(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.wait()

    def last_words(self) -> str:
        """Return how it ended, and the last line that it wrote."""
        self.errors.seek(0)
        lines = self.errors.read().splitlines() or [""]
        return f"a process ended with {self.process.returncode}: {lines[-1][:300]}"


class Work:
    """A case between its building and its record."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.skip: list[int] = []
        self.found: dict[str, Any] = {}
        self.rows: list[dict[str, Any]] = []
        self.reference = ""
        self.begun = 0.0


class Collection:
    """Builds and times cases until the time is up.

    Attributes:
        counts: how many cases were done, by kind.
    """

    def __init__(
        self, known: Sequence[Case], record: Record, header: Mapping[str, Any], *,
        timer: Sequence[str], builder: Sequence[str], folder: Path, workers: int,
        chosen: Sequence[int] | None = None, say: Say = print,
        others: Sequence[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]] = (),
    ) -> None:  # fmt: skip
        """Prepare.

        Args:
            known: all cases; a job names one by its place.
            record: of what was done before, and gets the rest.
            header: what its first line has besides what the device says.
            timer, builder: the commands of children.
            folder: for plans.
            workers: how many builders.
            chosen: the places of the cases to do; all without it.
            others: first lines and cases of other files: those of the same device and release
                are done.
            say: gets lines about the progress.
        """
        self.known, self.record, self.header, self.say = known, record, header, say
        self.commands = {"timer": list(timer), "builder": list(builder)}
        self.folder, self.workers = folder, workers
        self.said: queue.Queue[tuple[Child, dict[str, Any] | None]] = queue.Queue()
        self.others = others
        self.waiting = collections.deque(
            number
            for number in (range(len(known)) if chosen is None else chosen)
            if known[number].name not in record.done
        )
        self.again: collections.deque[Work] = collections.deque()
        self.built: collections.deque[Work] = collections.deque()
        self.counts: collections.Counter[str] = collections.Counter()
        self.rows = self.plans_lost = 0
        self.timer: Child | None = None
        self.builders: list[Child] = []
        self.starts = self.builder_starts = 0
        self.environment = dict(os.environ)

    def run(self, seconds: float) -> None:
        """Collect for `seconds`, counted from when the device is ready at the latest.

        Raises:
            RuntimeError: children end again and again.
        """
        begin = time.monotonic()
        told = begin
        self._start_timer()
        try:
            while time.monotonic() - begin < seconds and not self._is_done():
                with suppress(queue.Empty):
                    child, line = self.said.get(timeout=0.25)
                    self._hear(child, line)
                for child in [each for each in (self.timer, *self.builders) if each]:
                    if child.is_silent:
                        child.end()  # its thread says so
                self._give()
                if time.monotonic() - told > 10:
                    told = time.monotonic()
                    self.say(self.progress(told - begin))
        finally:
            for each in (self.timer, *self.builders):
                if each is not None:
                    each.end()
        self.say(self.progress(time.monotonic() - begin))

    def progress(self, seconds: float) -> str:
        """Return what was done, in a line."""
        counts = ", ".join(f"{kind} {n}" for kind, n in sorted(self.counts.items()))
        return (
            f"{seconds:.0f} s: {len(self.record.done)} of {len(self.known)} cases, "
            f"{self.rows} rows now, {len(self.built)} built ahead, {self.plans_lost} lost; {counts}"
        )

    def _is_done(self) -> bool:
        busy = any(each.job is not None for each in (self.timer, *self.builders) if each)
        return not (self.waiting or self.again or self.built or busy)

    def _start_timer(self) -> None:
        self.starts += 1
        if self.starts > STARTS:
            raise RuntimeError("the process that times ends at its start, again and again")
        self.timer = Child(self.commands["timer"], self.said)

    def _builder(self) -> Child:
        return Child(self.commands["builder"], self.said, self.environment)

    def _give(self) -> None:
        """Give jobs to children that wait."""
        timer = self.timer
        if timer is not None and timer.ready and timer.job is None and self.built:
            work = self.built.popleft()
            timer.job, work.begun = work, work.begun or time.monotonic()
            right = [row["time"] for row in work.rows if row["time"] and "w" not in row["flags"]]
            timer.ask(
                case=work.number, plans=work.found["plans"], first=len(work.rows),
                best=min(right, default=None),
            )  # fmt: skip
        for each in self.builders:
            if each.ready and each.job is None and len(self.built) < AHEAD:
                if self.again:
                    each.job = self.again.popleft()
                elif self.waiting:
                    each.job = Work(self.waiting.popleft())
                else:
                    continue
                each.ask(case=each.job.number, skip=each.job.skip)

    def _hear(self, child: Child, line: dict[str, Any] | None) -> None:
        child.heard = time.monotonic()
        if line is None:
            self._bury(child)
        elif "ready" in line:
            child.ready = True
            if child is self.timer:
                self.starts = 0
                self.record.begin({**self.header, **line["ready"]})
                if not self.builders:
                    self._leave_out(line["ready"])
                    self.environment["CUDNN_CFFI_LIBRARY"] = line["library"]
                    self.builders = [self._builder() for _ in range(self.workers)]
        elif "begins" in line:
            child.begins = line["begins"]
        elif "reference" in line:
            child.job.reference = line["reference"]
        elif "row" in line:
            child.begins = None
            child.job.rows.append(line["row"])
        elif "built" in line:
            work, child.job = child.job, None
            work.found = line["built"]
            if work.found["plans"]:
                self.built.append(work)
            else:
                self._finish(work)
        elif "done" in line:
            work, child.job = child.job, None
            self._finish(work, line["done"])

    def _leave_out(self, about: Mapping[str, Any]) -> None:
        """Forget the cases that other files have of the device and release."""
        done = {
            case["case"]
            for head, cases in self.others
            if all(head[name] == about[name] for name in ("device", "release"))
            for case in cases
        }
        self.waiting = collections.deque(
            number for number in self.waiting if self.known[number].name not in done
        )

    def _bury(self, child: Child) -> None:
        """Note what ended a child, and start another one."""
        with suppress(subprocess.TimeoutExpired):
            child.process.wait(2)  # for its own status
        child.end()
        self.say(child.last_words())
        work = child.job
        if child is self.timer:
            if work is not None:
                if child.begins is not None and len(work.rows) == child.begins:
                    self.plans_lost += 1
                    about = work.found["plans"][child.begins]
                    flags = "d" * about["deterministic"] + "c" * about["compiled"] + "x"
                    row = {"time": None, "workspace": None, "error": None, "flags": flags}
                    work.rows.append({**row, "why": "the process ended"})
                    lost = sum("x" in row["flags"] for row in work.rows)
                else:
                    lost = ENDS  # before any plan, so that the case itself does it
                if lost < ENDS and len(work.rows) < len(work.found["plans"]):
                    self.built.appendleft(work)
                else:
                    self._finish(work, "the process ended")
            self._start_timer()
        elif child in self.builders:
            self.builders.remove(child)
            if work is not None:
                self.plans_lost += 1
                work.skip.append(-1 if child.begins is None else child.begins)
                if child.begins is None or len(work.skip) >= ENDS:
                    work.found = {"plans": [], "error": "the process ended"}
                    self._finish(work)
                else:
                    self.again.append(work)
            self.builder_starts += not child.ready
            if self.builder_starts > STARTS * self.workers:
                raise RuntimeError("processes that build end at their start, again and again")
            self.builders.append(self._builder())

    def _finish(self, work: Work, why: str = "") -> None:
        """Write what was found of a case."""
        case = self.known[work.number]
        plans = work.found.get("plans", [])
        both = [{**about, **row} for about, row in zip(plans, work.rows, strict=False)]
        rows = [[each.get(name) for name in ROW] for each in both if "refused" not in each]
        timed = {row[0] for row in rows}
        refused = {each["engine"] for each in both if "refused" in each} - timed
        refused.update(work.found.get("refused", []))
        for each in plans:
            if each["file"]:
                Path(each["file"]).unlink(missing_ok=True)
        self.rows += len(rows)
        self.counts[case.kind] += 1
        whys = sorted({row["why"] for row in work.rows if "why" in row})
        line = {
            "case": case.name, "kind": case.kind, "networks": list(case.networks),
            "signature": work.found.get("signature", ""), "reference": work.reference,
            "rows": rows, "refused": sorted(refused),
            "late": work.found.get("late", []), "lost": [e for e in work.skip if e >= 0],
            "seconds": round(time.monotonic() - work.begun, 2) if work.begun else 0,
            "why": [text for text in (work.found.get("error", ""), why, *whys) if text],
        }  # fmt: skip
        empty: tuple[Any, ...] = ([], "", 0)
        self.record.add({name: value for name, value in line.items() if value not in empty})


def commands(seed: int, folder: Path) -> dict[str, list[str]]:
    """Return the commands of both kinds of children."""
    base = [sys.executable, "-m", "benchmarks.engines"]
    return {
        "timer": [*base, "--timer", str(seed)],
        "builder": [*base, "--builder", str(seed), str(folder)],
    }
