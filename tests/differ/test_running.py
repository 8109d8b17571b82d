"""Cases are drawn by their seed, repeated by their line, and outlive what they do to a process."""

from __future__ import annotations

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
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from cudnn_cffi import Graph, choice, errata
from cudnn_cffi.diagnose.repro.front import _data_of
from cudnn_cffi.errata import table

from tests.differ import core, records
from tests.differ.core import Found, Record, Tally, cases, judge, main, served, shrink
from tests.differ.draw import Draw, read_line
from tests.differ.engines import SHOWN, values_of
from tests.differ.judge import DiffersError
from tests.differ.known import Known
from tests.differ.planted import SEVERAL, SLOW, STEPS
from tests.errata.states import put_back


def picked(draw: Draw) -> dict[str, tuple[int, str]]:
    for number in range(20):
        draw.pick(f"n{number}", range(10), simple=0.3)
    return draw.made


def test_the_same_seed_draws_the_same() -> None:
    assert picked(Draw("graphs", 5, 7)) == picked(Draw("graphs", 5, 7))
    assert picked(Draw("graphs", 5, 7)) != picked(Draw("graphs", 5, 8))
    assert picked(Draw("graphs", 5, 7)) != picked(Draw("graphs", 6, 7))
    # In every process, and with every release of Python.
    assert [Draw("graphs", 5, 7).pick(name, range(1000)) for name in "abc"] == [49, 545, 378]


def test_parts_leave_the_choices_of_the_process() -> None:
    """Other tests run in it, too."""
    of_pytorch = {"modules", "functions"}  # PyTorch's own tests, which need other packages
    for part in {*core.PARTS, *core.AUDITED, *core.LONG} - of_pytorch:
        importlib.import_module(f"tests.differ.{part}")
    assert choice.default_policy() == choice.Policy()


def test_choices_do_not_depend_on_each_other() -> None:
    first, second = Draw("graphs", 5, 7), Draw("graphs", 5, 7)
    second.pick("another", "xyz")
    second.chance("numbers").random()
    assert first.pick("one", range(1000)) == second.pick("one", range(1000))


def test_a_line_repeats() -> None:
    draw = Draw("graphs", 5, 7, {"n3": 0, "n1": 4})
    again = read_line(draw.line)
    assert draw.line == "graphs:seed=5:case=7:n1=4:n3=0"
    assert picked(again) == picked(draw)
    assert again.made["n3"] == (0, "0")
    assert again.made["n1"] == (4, "4")
    with pytest.raises(ValueError, match="PART:seed=N:case=N"):
        read_line("graphs:case=7")


def test_shrinking_keeps_what_matters() -> None:
    class Part:
        @staticmethod
        def run(draw: Draw) -> str:
            picked(draw)
            assert not (draw.made["n3"][0] and draw.made["n5"][0]), "y: wrong"
            return ""

    cases = (Draw("graphs", 1, number) for number in range(100))
    draw = next(each for each in cases if picked(each)["n3"][0] and each.made["n5"][0])
    found = shrink(Part, read_line(draw.line), 60)
    assert found.outcome == "differs"
    assert found.shown == f"n3={draw.made['n3'][1]} n5={draw.made['n5'][1]}"
    repeated = read_line(found.line)
    with pytest.raises(AssertionError):
        Part.run(repeated)


def test_each_outcome() -> None:
    """Crashes, hangs and lost devices are failures, and the cases after them run."""
    found: dict[int, Found] = {}
    for each in cases("planted", 3, 40, patience=5):
        found[read_line(each.line).case] = each
        if each.outcome == "hang":
            break
    outcomes = [found[case].outcome for case in sorted(found)]
    assert outcomes == [
        *("same", "differs", "refused", "crash", "skipped", "lost", "differs", "refused", "hang"),
    ]
    assert found[1].text.startswith("y: ")
    assert "-6" in found[3].text
    assert ", in planted.py" in found[8].text
    assert found[6].text == "KeyError: 'x'"
    tally = Tally()
    for each in found.values():
        tally.add(each)
    assert [each.outcome for each in tally.failures] == [
        "differs",
        "crash",
        "lost",
        "differs",
        "hang",
    ]
    assert tally.reasons.total() == 2
    assert str(tally).startswith("9 cases: ")


@pytest.mark.parametrize("longest", [4, 1])
def test_a_slow_case_is_no_hang(monkeypatch: pytest.MonkeyPatch, longest: int) -> None:
    """A process that gets on is waited for, but not for ever."""
    monkeypatch.setattr(core, "LONGEST", longest)
    line = Draw("planted", 3, SLOW).line
    (found,) = served(iter([line]), 60, patience=4, shrinking=0.0, alone=True)
    assert found.outcome == ("same" if longest > 1 else "skipped")


def told(monkeypatch: pytest.MonkeyPatch, *said: dict[str, Any]) -> list[float]:
    """Have processes say this and no more, and time stand still; return how long each is waited for."""
    given: list[float] = []

    class Child:
        def __init__(self, *_: object) -> None:
            self.said = iter(said)

        def ask(self, *_: object) -> None:
            pass

        def next(self, seconds: float) -> dict[str, Any]:
            given.append(seconds)
            try:
                return next(self.said)
            except StopIteration:
                raise queue.Empty from None

        def place(self) -> str:
            return ""

        def end(self) -> None:
            pass

    monkeypatch.setattr(core, "_Child", Child)
    monkeypatch.setattr(core, "time", SimpleNamespace(monotonic=lambda: 100.0))
    return given


@pytest.mark.parametrize(
    ("waited", "seconds"), [((), 5), ((30.0,), 20), ((3.0, 4.0), 12), ((3.0, None), 5)]
)
def test_a_process_that_waits_for_a_core_has_more_patience(
    monkeypatch: pytest.MonkeyPatch, waited: tuple[float | None, ...], seconds: float
) -> None:
    """Processes of an audit outnumber the cores; what compiles for long is no hang."""
    said = [{"waits": each} if each else {"moves": True} for each in waited]
    given = told(monkeypatch, {"ready": True}, {"begins": "planted:seed=3:case=0"}, *said)
    (found,) = served(iter(["planted:seed=3:case=0"]), 60, patience=5, shrinking=0.0, alone=True)
    assert found.outcome == "hang"
    assert given[-1] == seconds


def test_waiting_for_a_core_is_seen() -> None:
    """Two processes on one core."""
    program = "import time\nend = time.monotonic() + 1\nwhile time.monotonic() < end: pass\n"
    program += "from tests.differ.core import _waited\nprint(_waited())"
    core_of = f"import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n{program}"
    if not Path("/proc/self/schedstat").exists():
        assert core._waited() == 0.0
        return
    both = [
        subprocess.Popen([sys.executable, "-c", core_of], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    waited = [float(each.communicate()[0]) for each in both]
    assert max(waited) > 0


def test_a_case_goes_on_after_what_breaks_the_process() -> None:
    """Each step is done once; of one that ends the process, what it was doing is told."""
    first = next(n for n in range(SEVERAL, 200) if Draw("planted", 3, n).pick("cause", "01") == "1")
    wanted = [(each, place) for place, each in enumerate(STEPS) if each != "same"]
    found = list(served(iter([Draw("planted", 3, first).line]), 60, patience=5))
    assert [(each.outcome, each.facts["engine"]) for each in found] == wanted
    assert all(read_line(each.line).given == {"engine": each.facts["engine"] + 1} for each in found)
    assert found[1].text.startswith("engine 2: the process ended with -6")
    assert found[1].facts["kind"] == "crash"
    assert found[-1].text.startswith("step 9: ")


def test_failures_become_the_records_of_their_smallest_cases(tmp_path: Path) -> None:
    number = next(
        n
        for n in range(SEVERAL, 200)
        if Draw("planted", 3, n).pick("cause", "01") == "1"
        and Draw("planted", 3, n).pick("other", range(9))
    )
    record = Record(tmp_path / "audit.jsonl", 3)
    for each in itertools.islice(cases("planted", 3, 60, number, patience=5), 5):
        record.add(each)
    record.close()
    failures = Record(tmp_path / "audit.jsonl", 3).failures
    alike = records.groups(failures)
    assert [len(each) for each in alike] == [1] * len(failures)
    for (found,) in alike:
        less = records.shrunk(found, time.monotonic() + 60)
        given = read_line(less.line).given
        assert given == {"engine": found.facts["engine"] + 1, "other": 0}
        assert less.facts["picks"] == {"cause": 1, "engine": given["engine"]}


def test_a_record_outlives_a_run_that_ends_while_it_writes(tmp_path: Path) -> None:
    path, lines = tmp_path / "audit.jsonl", [Draw("planted", 3, case).line for case in range(3)]
    record = Record(path, 3)
    for line in lines:
        record.add(Found(line, "same"))
    record.close()
    whole = path.read_text()
    for cut in (1, 2, 20):
        path.write_text(whole[:-cut])
        again = Record(path, 5)
        assert (again.seed, again.taken) == (3, {"planted": {0: True, 1: True}})
        again.add(Found(lines[2], "same"))
        again.close()
        assert path.read_text() == whole
    for text, number in (("a line", 1), (whole + "a line\n" + whole, 5), (whole[:11], 1)):
        path.write_text(text)
        with pytest.raises(ValueError, match=rf"expected a record .* in line {number}$"):
            Record(path, 3)
        assert path.read_text() == text


#: Runs a case, then one that takes long; prints the process of the cases, and each that is begun.
INTERRUPTED = """
import signal, sys
from tests.differ import core
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background has it ignored
core.PARTS, lines, begin, ask = ("planted",), core._lines, core._Child.__init__, core._Child.ask
core._lines = lambda _, *given: lines([("planted", 0), ("planted", int(sys.argv[1]))], *given)
core._Child.__init__ = lambda self, *given: (begin(self, *given), print(self.process.pid, flush=True))[0]
core._Child.ask = lambda *given: (ask(*given), print(given[1], flush=True))[0]
sys.exit(core.main(["--only", "planted", "--seed", "3", "--record", sys.argv[2]]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_goes_on_by_its_record(tmp_path: Path, how: int) -> None:
    """The case that is running is no failure, and no process is left."""

    def lives(process: int) -> bool:
        try:
            return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    path = tmp_path / "audit.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(SLOW), str(path)], cwd=core.ROOT,
        start_new_session=True, stdout=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip
        assert running.stdout is not None
        running.stdout.readline()  # the seed
        child = int(running.stdout.readline())
        for _ in range(2):  # the first case is in the record when the second begins
            running.stdout.readline()
        os.killpg(running.pid, how)
        assert running.wait(60) == (130 if how == signal.SIGINT else -how)
    end = time.monotonic() + 60
    while lives(child) and time.monotonic() < end:
        time.sleep(0.1)
    assert not lives(child)
    record = Record(path, 5)
    assert (record.seed, record.taken, record.failures) == (3, {"planted": {0: True}}, [])


def test_a_record_is_an_erratum(tmp_path: Path) -> None:
    graph = Graph("drawn")
    x = graph.tensor((4, 8), "HALF", name="x")
    w = graph.tensor((8, 8), "HALF", name="w")
    graph.output(graph.pointwise("RELU_FWD", graph.matmul(x, w)))
    facts = {
        "engine": 5, "knobs": {"TILE_SIZE": 2}, "graph": json.loads(graph.to_json()),
        "picks": {}, "data": {"x_data": "denormal"}, "kind": "NaN",
        "values": {"x": [[1.5, "nan", "-inf", *[0.0] * 5]] * 4, "w": 2.0},
    }  # fmt: skip
    found = Found("engines:seed=3:case=1:engine=6", "differs", "engine 5: y: nan", "", facts)
    row = records.erratum([found, found], 7, "cuDNN 9", ["Matmul", "Pointwise RELU_FWD"])
    assert row["id"] == "audit-7-matmul-5"
    assert row["symptom"] == "engine 5: y: nan (data: x denormal; 2 graphs of the audit)"
    lost = found._replace(outcome="lost")
    assert records.erratum([lost], 8, "cuDNN 9", ["Matmul"])["kind"] == "context lost"
    document = {"schema": "cudnn_cffi.errata", "version": 1, "records": [row]}
    (tmp_path / "errata.json").write_text(json.dumps(document))
    before = table.state()
    try:
        (record,) = errata.load(tmp_path / "errata.json")
        assert (record.subjects, record.engines, record.kind) == (("Matmul",), (5,), "NaN")
        assert record.where == {"with": ["Pointwise RELU_FWD"]}
        assert Graph.from_json(json.dumps(record.shows["graph"])) == graph
        # A program that shows it, and its check, compute with these numbers.
        data = _data_of(record, graph)
        assert data["w"] == 2.0
        assert data["x"][3].tolist()[2:4] == [-math.inf, 0.0]
        assert math.isnan(data["x"][0, 1])
    finally:
        put_back(before)


def test_inputs_of_a_record() -> None:
    few, many = torch.tensor([[1.0, math.inf], [math.nan, -0.0]]), torch.ones(SHOWN + 1)
    assert str(values_of({"x": few})) == "{'x': [[1.0, 'inf'], ['nan', -0.0]]}"
    assert values_of({"x": few, "y": many, "z": many * math.nan}) == {"y": 1.0, "z": "nan"}


def test_a_case_is_run_however_little_time_there_is() -> None:
    (found,) = cases("planted", 3, 0)
    assert found.outcome == "same"
    lines = [Draw("planted", 3, case).line for case in range(3)]
    assert [read_line(each.line).case for each in served(iter(lines), 60)] == [0, 1, 2]


def test_nothing_goes_on_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    given = told(monkeypatch)
    assert not list(cases("planted", 3, 60, until=100.0))
    assert not given
    assert not list(cases("planted", 3, 60, until=107.0))  # no process is ready by then
    assert given == [7.0]


def test_an_audit_ends_within_its_time(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.differ.core.PARTS", ("planted",))
    monkeypatch.setattr("tests.differ.core.AUDITED", ("engines",))
    ends, run = [], core.run

    def noted(*given: Any) -> Any:
        ends.append(given[6])
        return run(*given)

    monkeypatch.setattr(core, "run", noted)
    begin = time.monotonic()
    main(["--audit", "--seed", "3", "--within", str(core.ENDING)])
    assert begin <= ends[0] <= time.monotonic()  # to end and to count needs all of it
    assert re.search(r"\d+ of the \d{3} cases of the list, with \d+ of", capfd.readouterr().out)


def test_processes_share_several_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str, float, float]] = []

    def served(lines: Any, seconds: float, until: float, gpu: str) -> list[Found]:
        seen.append((next(lines), gpu, seconds, until))
        return []

    monkeypatch.setattr(core, "served", served)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,5,7")
    parts = "graphs", "models"
    main(
        [*("--only", parts[0], "--only", parts[1]), "--seed", "3", "--gpus", "2", "--workers", "3"]
    )
    wanted = {Draw(part, 3, case).line for part in parts for case in range(3)}
    assert {each[0] for each in seen} == wanted
    assert sorted(each[1] for each in seen) == ["2"] * 3 + ["5"] * 3
    assert {each[2:] for each in seen} == {(60.0, float("inf"))}


def test_processes_share_the_lists_of_an_audit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All of the lists are run once, in the order of how much of each is done; then the rest."""
    counts = {"engines": 64, "further": 13, "eight": 0}
    order: list[tuple[str, int]] = []

    def served(lines: Any, *_: Any, **__: Any) -> Iterator[Found]:
        for line in lines:
            if len(order) >= 200:
                return
            draw = read_line(line)
            order.append((draw.part, draw.case))
            yield Found(line, "same")

    tables = {part: SimpleNamespace(rows=lambda _, n=n: range(n)) for part, n in counts.items()}
    monkeypatch.setattr(core, "served", served)
    monkeypatch.setattr(core, "_table", tables.__getitem__)
    monkeypatch.setattr(core, "coverage", lambda *_: "")
    record = Record(tmp_path / "audit.jsonl", 3)
    core.run(list(counts), 3, 60.0, 2, record, each=3)
    record.close()
    assert len(order) == len(set(order)) >= 200
    listed = [each for each in order if each[1] < counts[each[0]]]
    assert len(listed) == sum(counts.values())
    assert {*order[: len(listed)]} == {*listed}
    half = [part for part, _ in order[: len(listed) // 2]]
    assert 5 <= half.count("further") <= 8
    # A next run goes on with those that are not there.
    done = {*order}
    order.clear()
    core.run(list(counts), 3, 60.0, 2, Record(tmp_path / "audit.jsonl", 3), each=3)
    assert order
    assert not done & {*order}


def test_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    seed = random.randrange(1000)
    assert main(["--case", f"planted:seed={seed}:case=1:other=4"]) == 1
    line = f'differs: nox -s differ -- --case "planted:seed={seed}:case=1:other=4"  # y: 4 '
    assert line in capfd.readouterr().out
    assert main(["--case", f"planted:seed={seed}:case=0"]) == 0
    assert main(["--case", f"planted:seed={seed}:case=3"]) == 1


def test_reasons_are_counted_by_kind() -> None:
    tally = Tally()
    for shape in ("(2, 3)", "(4, 5)"):
        tally.add(Found("graphs:seed=1:case=1", "refused", f"x: {shape} has no elements"))
    assert tally.reasons == {"refused: x: (N) has no elements": 2}
    assert not tally.failures


def test_known_differences_are_no_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    class Part:
        @staticmethod
        def run(draw: Draw) -> str:
            draw.pick("data", ("plain", "nan"))
            raise DiffersError("y0: 1 of 4 are wrong")

    entry = Known("planted|graphs", "data=nan", "^y0: ", "it is documented")
    monkeypatch.setattr("tests.differ.known.KNOWN", (entry,))
    assert judge(Part, Draw("planted", 1, 1, {"data": 1})).outcome == "known"
    assert judge(Part, Draw("planted", 1, 1, {"data": 0})).outcome == "differs"
    assert judge(Part, Draw("modules", 1, 1, {"data": 1})).outcome == "differs"


def test_a_part_that_cannot_start() -> None:
    (found,) = cases("nothing", 1, 5)
    assert found.outcome == "crash"
    assert "nothing" in found.text
