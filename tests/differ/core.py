"""Compare drawn cases with float64 and with PyTorch, in processes that may crash or hang."""

from __future__ import annotations

import argparse
import collections
import contextlib
import gc
import importlib
import itertools
import json
import math
import os
import queue
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from .covering import Table
from .draw import Deviation, Draw, read_line

__all__ = [
    "AUDITED",
    "LONG",
    "PARTS",
    "Found",
    "OtherRecordError",
    "Record",
    "Tally",
    "cases",
    "coverage",
    "judge",
    "main",
    "run",
    "served",
    "shrink",
]

ROOT = Path(__file__).parents[2]

#: Runs this module in a process that writes where it is when it is aborted.
COMMAND = (sys.executable, "-X", "faulthandler", "-m", __package__)

VISIBLE = "CUDA_VISIBLE_DEVICES"

#: The parts: modules of this folder with a function `run(draw)`, which returns "" or what the
#: package refused, and raises what else there is to tell.
PARTS = (
    *("modules", "functions", "graphs", "operations", "further_operations", "attention"),
    *("models", "networks"),
)

#: Parts that only an audit runs: each case takes as long as its graph has engines.
AUDITED = ("engines", "eight", "further", "chosen", "eight_chosen", "further_chosen")

#: Parts that run only where they are named: they need the memory of a large device.
LONG = ("large",)

#: The processes of an audit for each part that only it runs, where others have one: together 26.
#: They share the cases of these parts.
EACH = 3

#: The seconds between two looks at what a process does; a case that goes on may take LONGEST times
#: its patience, as a choice by time builds hundreds of plans.
LOOK, LONGEST = 1.0, 4

#: The seconds of a run from when it is ready, and those in which all of an audit has to be done.
SECONDS, AUDIT = 60.0, 480.0

#: The seconds that an audit keeps to end its processes and to count.
ENDING = 12.0

#: Maximum time of a case, of the start of a process, and of shrinking, in seconds.
PATIENCE, START, SHRINKING = 45.0, 90.0, 8.0

#: Maximum numbers of failures that look alike and are shrunk in a process, and of failed starts.
SHRUNK, STARTS = 2, 3


class Found(NamedTuple):
    """The outcome of a case.

    Attributes:
        line: what repeats it.
        outcome: "same", "skipped", "refused" or "known"; or a failure: "differs", "crash", "hang"
            or "lost".
        text: what differs, or why it was refused.
        shown: what was drawn.
        facts: of a failure, what an erratum tells; else, how often something was noted.
        seconds: how long it took since its process began the case; 0 where that went on.
    """

    line: str
    outcome: str
    text: str = ""
    shown: str = ""
    facts: Mapping[str, Any] = {}
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        return self.outcome not in ("same", "skipped", "refused", "known")

    @property
    def taken(self) -> bool:
        """Return whether something computed the case."""
        return self.outcome not in ("skipped", "refused")

    def __str__(self) -> str:
        return (
            f'{self.outcome}: nox -s differ -- --case "{self.line}"  # {self.text} [{self.shown}]'
        )


class Tally:
    """The outcomes of many cases.

    Attributes:
        counts: how many have each outcome.
        reasons: how often a case was refused, or known to differ, for each reason; and how often
            something was noted.
        failures: the others.
        seconds: how long all of them took.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.counts: collections.Counter[str] = collections.Counter()
        self.reasons: collections.Counter[str] = collections.Counter()
        self.failures: list[Found] = []

    def add(self, found: Found) -> None:
        self.counts[found.outcome] += 1
        self.seconds += found.seconds
        if found.failed:
            self.failures.append(found)
        elif found.outcome in ("refused", "known"):
            kind = re.sub(r"\d[\d., ]*", "N", found.text)  # not by shapes
            self.reasons[f"{found.outcome}: {kind[:160]}"] += 1
        if not found.failed:
            self.reasons.update({f"told: {each}": n for each, n in found.facts.items()})

    def __str__(self) -> str:
        counts = ", ".join(f"{n} {outcome}" for outcome, n in self.counts.most_common())
        return f"{self.counts.total()} cases: {counts}; in {self.seconds:.0f} s of processes"


class OtherRecordError(ValueError):
    """The outcomes of a record are of another release or another device."""


class Record:
    """A file of outcomes, a line of JSON for each case; a run that was cut goes on by it.

    The first line has the seed, the release and the device. A line of a failure has what repeats it,
    what differs, and what was drawn.

    Attributes:
        seed: of all cases.
        failures: those that the file had when it was opened.
        taken: whether each case that the file had was run and not refused, by part and number.
    """

    def __init__(self, path: Path, seed: int, where: str = "") -> None:
        """Open the file, or make it; the seed of one that is there counts.

        Args:
            path: of the file.
            seed: of all cases, if the file is new.
            where: the release and the device of the run; "" to read what others recorded.

        Raises:
            OtherRecordError: its outcomes are of another release or device.
            ValueError: it is another file.
        """
        self.taken: dict[str, dict[int, bool]] = {}
        self.failures: list[Found] = []
        text = path.read_text() if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]  # a run may have been ended while it wrote a line
        self.seed = seed
        for number, line in enumerate(whole.splitlines() or text.splitlines()):
            try:
                if not number:
                    known = json.loads(line if whole else "")
                    self.seed, made = int(known["seed"]), known.get("where", "an unknown device")
                    continue
                found = Found(**json.loads(line))
                draw = read_line(found.line)
            except (ValueError, KeyError, TypeError):
                why = f"expected a record of outcomes, got {line[:80]!r} in line {number + 1}"
                raise ValueError(f"{path}: {why}") from None
            self.failures += [found] if found.failed else []
            self.taken.setdefault(draw.part, {})[draw.case] = found.taken
        if text and where not in ("", made):
            raise OtherRecordError(f"{path}: expected outcomes of {where}, got those of {made}")
        if whole != text:
            os.truncate(path, len(whole.encode()))
        self._file = path.open("a", buffering=1)
        if not text:
            self._file.write(json.dumps({"seed": seed, "where": where}) + "\n")

    def add(self, found: Found) -> None:
        """Write an outcome."""
        fields = found._asdict()
        if not found.failed:
            told = ("line", "outcome", "text", "seconds")
            fields = {each: fields[each] for each in told if fields[each]}
        self._file.write(json.dumps(fields) + "\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def judge(module: Any, draw: Draw) -> Found:
    """Run a case in this process."""
    from .judge import DiffersError, RefusedError, SkippedError
    from .known import reason

    try:
        refused = module.run(draw)
    except SkippedError as error:
        return Found(draw.line, "skipped", _first(error), draw.shown())
    except RefusedError as error:
        return Found(draw.line, "refused", _first(error), draw.shown())
    except Exception as error:
        name = "" if isinstance(error, DiffersError) else f"{type(error).__name__}: "
        text = f"{name}{_first(error)}"
        if why := reason(draw, text):
            return Found(draw.line, "known", why, draw.shown())
        return Found(draw.line, "differs", text, draw.shown())
    if draw.deviations:
        return _deviant(draw, draw.deviations[0])
    outcome = "refused" if refused else "same"
    return Found(draw.line, outcome, refused, draw.shown(), dict(draw.notes))


def _deviant(draw: Draw, each: Deviation) -> Found:
    """Return the outcome of one of several failures of a case."""
    from .known import reason

    line = Draw(draw.part, draw.seed, draw.case, {**draw.given, **each.given}).line
    if why := reason(draw, each.text):
        return Found(line, "known", why, draw.shown())
    outcome = "lost" if each.facts["kind"] == "context lost" else "differs"
    return Found(line, outcome, each.text, draw.shown(), each.facts)


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:300]


def shrink(module: Any, draw: Draw, seconds: float) -> Found:
    """Run a case again, and give each choice its simplest value where the case still differs."""
    from . import values

    end = time.monotonic() + seconds
    found = judge(module, draw)
    for name in list(draw.made):
        if not found.failed or time.monotonic() > end or values.is_lost():
            break
        if name in draw.subjects or not draw.made.get(name, (0, ""))[0]:
            continue
        simpler = Draw(draw.part, draw.seed, draw.case, draw.given | {name: 0})
        less = judge(module, simpler)
        if less.failed:
            found, draw = less, simpler
    return found


def serve(shrinking: float, alone: bool) -> None:
    """Run the cases whose lines come, and say when each begins and what was found; in a child.

    Args:
        shrinking: for how long a failure is shrunk, in seconds; not those of a case that goes on
            after one.
        alone: whether a failure of such a case is shrunk, too.
    """
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # libraries print, too

    one_by_one = threading.Lock()

    def say(**what: Any) -> None:
        with one_by_one:
            out.write(json.dumps(what) + "\n")

    values = importlib.import_module(f"{__package__}.values")  # it loads PyTorch
    sys.modules["torch"].set_num_threads(1)  # cases are many and small
    modules: dict[str, Any] = {}
    alike: collections.Counter[str] = collections.Counter()
    say(ready=True)
    threading.Thread(target=_watch, args=(say,), daemon=True).start()
    for asked in sys.stdin:
        line, done = json.loads(asked)
        draw, told = read_line(line), 0
        draw.done = done
        if draw.part not in modules:
            modules[draw.part] = importlib.import_module(f"{__package__}.{draw.part}")
            gc.collect()
            gc.freeze()  # a collection before each capture looks at what cases made, not at PyTorch
        module = modules[draw.part]

        def tell(place: int, facts: Any, draw: Draw = draw) -> None:
            nonlocal told
            for each in draw.deviations[told:]:
                say(found=_deviant(draw, each), more=True)
            told = len(draw.deviations)
            say(doing=(place, facts))

        draw.tell = tell
        say(begins=draw.line)
        found, again = judge(module, draw), None
        lost = values.is_lost()
        if found.failed and not lost and shrinking and (alone or not draw.deviations):
            kind = " ".join([draw.made[name][1] for name in sorted(draw.subjects)])
            alike[kind] += 1
            if alike[kind] <= SHRUNK:
                say(begins=draw.line)
                again = shrink(module, read_line(draw.line), shrinking)
                lost = values.is_lost()
                found = again if again.failed else found._replace(text=f"once only: {found.text}")
        elif draw.deviations:
            for each in draw.deviations[told:]:
                say(found=_deviant(draw, each), more=True)
            say(ends="lost" if lost else "differs")
        if not draw.deviations or again is not None:
            say(found=found._replace(outcome="lost") if lost else found)
        if lost:
            os._exit(0)  # what is lost cannot be cleaned up


def _waited() -> float:
    """Return for how many seconds the main thread has waited for a core; 0 where no kernel tells."""
    try:
        return int(Path("/proc/self/schedstat").read_text().split()[1]) * 1e-9
    except (OSError, IndexError):
        return 0.0


def _watch(say: Callable[..., None]) -> None:
    """Say when the main thread has got on, or waited for a core: what never ends stays in one call.

    The process ends with the one that asks.
    """
    main, before, parent = threading.main_thread().ident, None, os.getppid()
    waited = _waited()
    while True:
        time.sleep(LOOK)
        if os.getppid() != parent:
            os._exit(1)
        late, waited = _waited() - waited, _waited()
        frame, now = sys._current_frames().get(main or 0), []
        while frame is not None:
            now.append((frame.f_code, frame.f_lasti))
            frame = frame.f_back
        if now != before:
            say(moves=True)
        elif late > 0:
            say(waits=late)
        before = now


class _Child:
    """A process that serves, what it is asked, and what it says."""

    def __init__(self, gpu: str, *arguments: object) -> None:
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        env = {**os.environ, "CUDNN_CFFI_EXPLAIN": "0"}  # refusals are many
        self.process = subprocess.Popen(
            [*COMMAND, "--serve", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            cwd=ROOT,
            env=env | ({VISIBLE: gpu} if gpu else {}),
            start_new_session=True,  # an interruption is no failure of a case
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def ask(self, line: str, done: int) -> None:
        """Have it run the case of a line, of which this number of steps was done."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended, as `next` tells
            self.process.stdin.write(json.dumps((line, done)) + "\n")
            self.process.stdin.flush()

    def next(self, seconds: float) -> dict[str, Any]:
        """Return what it says next; nothing where it has ended.

        Raises:
            queue.Empty: it says nothing for so long.
        """
        line = self.lines.get(timeout=max(seconds, 0.1))
        found: dict[str, Any] = json.loads(line) if line else {}
        return found

    def last_words(self) -> str:
        """Return how it ended, and the last line that it wrote."""
        status = self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().splitlines() or [""]
        return f"the process ended with {status}: {lines[-1][:300]}"

    def place(self) -> str:
        """End it, and return the innermost calls of its threads, which Python writes then."""
        self.process.send_signal(signal.SIGABRT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        self.errors.seek(0)
        calls = re.findall(r"hread 0x\w+ .*:\n((?:  File .*\n){1,4})", self.errors.read())
        own = [each for each in calls if "in _watch" not in each]
        return "; ".join(re.sub(r'\s*File ".*?(\w+\.py)", line', r" \1", each) for each in own)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.errors.close()


def cases(
    part: str, seed: int, seconds: float, first: int = 0, most: int | None = None, **how: Any
) -> Iterator[Found]:
    """Run cases of a part from a number on, `most` at most, as `served` does."""
    numbers = itertools.islice(itertools.count(first), most)
    lines = (Draw(part, seed, case).line for case in numbers)
    return served(lines, seconds, **how)


def served(
    lines: Iterator[str], seconds: float, *, patience: float = PATIENCE, least: int = 1,
    shrinking: float = SHRINKING, alone: bool = False, until: float = math.inf, gpu: str = "",
) -> Iterator[Found]:  # fmt: skip
    """Run cases in a child, and in another one where that has ended.

    Args:
        lines: of the cases; a line is taken when its case begins.
        seconds: for how long, from when the first child is ready.
        patience: how long a case may take, in seconds in which it does not wait for a core.
        least: how many cases are run however long they take.
        shrinking: for how long a case that fails is shrunk, in seconds.
        alone: whether these are the only cases: they have all their time, and those that go on
            after a failure are shrunk, too.
        until: when a case is let go that is not done, however few there were, by time.monotonic().
        gpu: the one that CUDA_VISIBLE_DEVICES names for it; that of this process without it.
    """
    asked, starts, count, done, end, begun = next(lines, ""), 0, 0, 0, math.inf, 0.0

    def ended(outcome: str, words: str) -> Found:
        return timed(_ended(now, outcome, words, doing))

    def timed(found: Found) -> Found:
        return found._replace(seconds=round(time.monotonic() - begun, 2))

    while asked and starts < STARTS and time.monotonic() < until:
        child, now = _Child(gpu, shrinking, int(alone)), ""
        child.ask(asked, done)
        doing: dict[str, Any] = {}
        starts, done, heard = starts + 1, 0, time.monotonic()
        moved, late = heard, 0.0
        try:
            while True:
                # A case at the end of the time is let go.
                left = min(end if count >= least else math.inf, until) - time.monotonic()
                wait = patience + shrinking if now else START
                rest = moved + min(wait + late, LONGEST * wait) - time.monotonic()
                try:
                    said = child.next(rest if alone else min(rest, left))
                    if "waits" in said:
                        late += said["waits"]
                        continue
                    moved, late = time.monotonic(), 0.0
                    if "moves" in said:
                        if not now or moved < heard + LONGEST * wait:
                            continue
                        count += 1
                        yield ended("skipped", "it gets on, but takes too long")
                        break
                    heard = moved
                except queue.Empty:
                    if left <= rest and not alone:
                        return
                    quiet = time.monotonic() - moved
                    words = f"nothing was heard for {quiet:.0f} s, in{child.place()}"
                    if now:
                        count += 1
                        yield ended("hang", words)
                    break
                if "ready" in said:
                    end = min(end, heard + seconds)
                elif "begins" in said:
                    now, starts, begun = said["begins"], 0, heard
                    done, doing = 0, {}
                elif "doing" in said:
                    done, doing = said["doing"][0] + 1, said["doing"][1]
                elif "more" in said:
                    yield Found(*said["found"])
                elif "found" in said or "ends" in said:
                    now, outcome = "", said.get("ends")
                    count += 1
                    if "found" in said:
                        yield (found := timed(Found(*said["found"])))
                        outcome = found.outcome
                    if outcome == "lost":
                        break
                    if time.monotonic() >= end and count >= least:
                        return
                    asked, done = next(lines, ""), 0
                    if not asked:
                        return
                    child.ask(asked, 0)
                else:
                    words = child.last_words()
                    if now:
                        count += 1
                        yield ended("crash", words)
                    break
        finally:
            child.end()
        if time.monotonic() >= end and count >= least:
            return
        if not (starts or done):
            asked = next(lines, "")
    if asked and starts >= STARTS:
        yield Found(asked, "crash", words)


def _ended(line: str, outcome: str, words: str, doing: dict[str, Any]) -> Found:
    """Return the outcome of a case whose process ended, or says nothing any more."""
    if not doing:
        return Found(line, outcome, words)
    draw = read_line(line)
    draw.given |= doing.pop("given")
    text = f"engine {doing['engine']} {doing['knobs'] or ''}".rstrip()
    shown = " ".join(f"{name}={index}" for name, index in doing["picks"].items())
    return Found(draw.line, outcome, f"{text}: {words}", shown, {**doing, "kind": outcome})


def run(
    parts: Sequence[str],
    seed: int,
    seconds: float,
    workers: int = 1,
    record: Record | None = None,
    each: int = 1,
    until: float = math.inf,
    gpus: Sequence[str] = ("",),
) -> Tally:
    """Run cases of several parts at the same time; print failures as they come, then the counts.

    Args:
        parts: of `PARTS`, `AUDITED` and `LONG`.
        seed: of all cases.
        seconds: for how long.
        workers: how many processes each part has.
        record: of outcomes, whose cases are not run again.
        each: processes of a part of `AUDITED` for each of the workers.
        until: as for `served`.
        gpus: each for as many processes as the others.
    """
    whole, lock = Tally(), threading.Lock()
    tallies = {part: Tally() for part in parts}
    before = record.taken if record else {}
    taken = {part: dict(before.get(part, {})) for part in parts}

    def take(lines: Iterator[str]) -> str:
        with lock:
            return next(lines)

    def work(gpu: str, lines: Iterator[str]) -> None:
        own = iter(partial(take, lines), "")
        for found in served(own, seconds, until=until, gpu=gpu):
            draw = read_line(found.line)
            with lock:
                for tally in (whole, tallies[draw.part]):
                    tally.add(found)
                taken[draw.part][draw.case] = found.taken
                if record is not None:
                    record.add(found)
                if found.failed:
                    print(found, flush=True)

    audited = [part for part in parts if part in AUDITED]
    sources = [
        (_lines(zip(itertools.repeat(part), itertools.count()), seed, before), workers)
        for part in parts
        if part not in AUDITED
    ]
    if audited:
        shared = _lines(_listed(audited, seed), seed, before)
        sources.append((shared, workers * each * len(audited)))
    given = [lines for lines, count in sources for _ in range(count)]
    threads = [
        threading.Thread(target=work, args=pair, daemon=True)
        for pair in zip(itertools.cycle(gpus), given)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for part, tally in tallies.items():
        print(f"{part}: {tally}")
        for reason, count in tally.reasons.most_common():
            print(f"    {count} {reason}")
        if part in AUDITED:
            print(f"    {coverage(part, seed, taken[part])}")
    return whole


def _lines(
    cases: Iterable[tuple[str, int]], seed: int, before: Mapping[str, Mapping[int, bool]]
) -> Iterator[str]:
    """Yield the lines of cases that were not run before."""
    for part, case in cases:
        if case not in before.get(part, {}):
            yield Draw(part, seed, case).line


def _listed(parts: Sequence[str], seed: int) -> Iterator[tuple[str, int]]:
    """Yield the cases of the lists, those of long ones more often; then cases by chance."""
    counts = {part: len(_table(part).rows(seed)) for part in parts}
    places = [
        ((case + 0.5) / count, part, case)
        for part, count in counts.items()
        for case in range(count)
    ]
    for _, part, case in sorted(places):
        yield part, case
    for number in itertools.count():
        for part, count in counts.items():
            yield part, count + number


def _table(part: str) -> Table:
    found: Table = importlib.import_module(f"{__package__}.{part}").TABLE
    return found


def coverage(part: str, seed: int, taken: Mapping[int, bool]) -> str:
    """Return how much of the list is done, and how many pairs of values are in an audit's cases.

    Args:
        part: of `AUDITED`.
        seed: of the cases.
        taken: whether each case was computed and not refused, by its number.
    """
    table = _table(part)
    count, computed = len(table.rows(seed)), [case for case in taken if taken[case]]
    done = sum(case < count for case in taken)
    words = [
        f"{len(table.combined(seed, taken, size))} of {table.all_combined(size)} {name}"
        f" ({len(table.combined(seed, computed, size))} in cases with an engine)"
        for size, name in ((2, "pairs"), (3, "triples"))
    ]
    return (
        f"{done} of the {count} cases of the list, with {' and '.join(words)} of values of factors;"
        f" {len(taken) - done} cases by chance"
    )


def _where() -> str:
    """Return the release and the device of the processes that run cases."""
    done = subprocess.run(
        (*COMMAND, "--where"), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


def main(arguments: list[str]) -> int:
    """Run from the command line; return 1 if anything differs."""
    if arguments[:1] == ["--serve"]:
        serve(float(arguments[1]), bool(int(arguments[2])))
        return 0
    if arguments == ["--where"]:
        print(importlib.import_module(f"{__package__}.values").where())
        return 0
    begin = time.monotonic()
    parser = argparse.ArgumentParser(prog="nox -s differ --", description=__doc__)
    parser.add_argument(
        "--seconds", type=float, help="for how long from when it is ready; 60, an audit as it may"
    )
    parser.add_argument(
        "--within", type=float, help="the seconds in which all is done; of an audit 480"
    )
    parser.add_argument("--seed", type=int, help="of all cases; by default another each time")
    parser.add_argument(
        "--only", action="append", choices=PARTS + AUDITED + LONG, help="a part; all without it"
    )
    parser.add_argument("--workers", type=int, help="processes of each part; one for each GPU")
    parser.add_argument("--gpus", type=int, default=1, help="how many GPUs processes share; 1")
    parser.add_argument("--audit", action="store_true", help="every engine of drawn graphs, too")
    parser.add_argument(
        "--record", type=Path, help="a file of outcomes, which a next run continues"
    )
    parser.add_argument(
        "--errata", type=Path, help="run nothing, but shrink a record's failures for so long, and"
        " write them as errata"
    )  # fmt: skip
    parser.add_argument("--case", help="repeat the case of a line, and nothing else")
    given = parser.parse_args(arguments)
    if given.case:
        again = list(served(iter([given.case]), 0, patience=120.0, shrinking=0.0, alone=True))
        print(*again, sep="\n")
        return int(any(each.failed for each in again))
    if given.seed is None:
        given.seed = random.SystemRandom().randrange(10**6)
    within = given.within or (AUDIT if given.audit and not given.seconds else math.inf)
    seconds = given.seconds or (within if within < math.inf else SECONDS)
    workers = given.workers or given.gpus
    parts = given.only or (PARTS + AUDITED if given.audit else PARTS)
    record = Record(given.record, given.seed, _where()) if given.record else None
    if given.errata:
        if record is None:
            parser.error("--errata needs --record FILE")
        from .records import write

        write(given.errata, record.failures, seconds, workers)
        return 0
    seed = record.seed if record else given.seed
    print(f"seed {seed}", flush=True)
    each = EACH if given.audit else 1
    until = begin + max(within - ENDING, 0.0)
    gpus = os.environ.get(VISIBLE, ",".join(map(str, range(given.gpus)))).split(",")[: given.gpus]
    try:
        whole = run(parts, seed, seconds, workers, record, each, until, gpus)
    except KeyboardInterrupt:
        print("interrupted" + (f": the same command goes on by {given.record}" if record else ""))
        return 130
    if record:
        record.close()
    print(whole)
    return int(bool(whole.failures))
