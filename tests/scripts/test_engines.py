"""The collection of the engine database: its order, its timing, its record, and lost children."""

from __future__ import annotations

import collections
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.engines import cases, collect, record, timer

#: A child that builds two plans of each case; engine 9 ends it.
BUILDER = """
import json, os, sys
def say(**what):
    print(json.dumps(what), flush=True)
say(ready=True)
for line in sys.stdin:
    asked = json.loads(line)
    plans = []
    for engine in (1, 9, 2):
        if engine in asked["skip"]:
            continue
        say(begins=engine)
        if engine == 9 and asked["case"] == 1:
            os._exit(3)
        plans.append({"engine": engine, "knobs": {"TILE_SIZE": engine}, "rank": engine - 1,
                      "deterministic": True, "compiled": False, "file": "/none", "build": 5})
    say(built={"signature": f"{asked['case']:024x}", "plans": plans, "refused": [7], "late": []})
"""

#: A child that times; engine 9 loses the device.
TIMER = """
import json, os, sys
def say(**what):
    print(json.dumps(what), flush=True)
say(ready={"device": "a device", "release": "9.19.0"}, library="")
for line in sys.stdin:
    asked = json.loads(line)
    say(reference="float64")
    for place in range(asked["first"], len(asked["plans"])):
        say(begins=place)
        engine = asked["plans"][place]["engine"]
        if engine == 9 and asked["case"] == 0:
            os._exit(3)
        row = {"time": 10.0 * engine, "workspace": 0, "error": 1e-4, "flags": "db"}
        if engine == 2 and asked["case"] == 3:
            row = {"time": None, "workspace": None, "error": None, "flags": "x", "refused": True}
        say(row=row, place=place)
    say(done="")
"""

HEADER = {"schema": record.SCHEMA, "version": record.VERSION, "seed": 0}


def run(tmp_path: Path, path: Path, known: list[cases.Case]) -> list[dict[str, Any]]:
    """Collect with children that are not real, and return the lines of the record."""
    kept = record.Record(path)
    collection = collect.Collection(
        known, kept, HEADER, folder=tmp_path, workers=2, say=list,
        timer=[sys.executable, "-c", TIMER], builder=[sys.executable, "-c", BUILDER],
    )  # fmt: skip
    collection.run(60)
    kept.close()
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_engines_that_end_a_process_are_recorded_and_the_rest_goes_on(tmp_path: Path) -> None:
    header, *found = run(tmp_path, tmp_path / "record", cases.cases()[:4])
    assert header["device"] == "a device"
    rows = {each["case"]: each for each in found}
    names = [each.name for each in cases.cases()[:4]]
    assert set(rows) == set(names)
    lost = rows[names[0]]
    assert [(row[0], row[3], row[6]) for row in lost["rows"]] == [
        (1, 10.0, "db"), (9, None, "dx"), (2, 20.0, "db"),
    ]  # fmt: skip
    assert lost["why"] == ["the process ended"]
    crashed = rows[names[1]]
    assert [row[0] for row in crashed["rows"]] == [1, 2]
    assert crashed["lost"] == [9]
    assert [row[0] for row in rows[names[2]]["rows"]] == [1, 9, 2]
    assert rows[names[2]]["refused"] == [7]
    assert [row[0] for row in rows[names[3]]["rows"]] == [1, 9]
    assert rows[names[3]]["refused"] == [2, 7]


def test_a_run_goes_on_where_the_record_ends(tmp_path: Path) -> None:
    path = tmp_path / "record"
    first = run(tmp_path, path, cases.cases()[:2])
    path.write_text(path.read_text() + '{"case": "cut')
    second = run(tmp_path, path, cases.cases()[:5])
    assert second[:3] == first
    assert len({each["case"] for each in second[1:]}) == len(second) - 1 == 5


def test_a_record_of_another_device_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "record"
    run(tmp_path, path, cases.cases()[:1])
    kept = record.Record(path)
    with pytest.raises(ValueError, match="device"):
        kept.begin({**HEADER, "device": "another", "release": "9.19.0"})
    kept.close()


def test_records_are_packed_with_a_hash(tmp_path: Path) -> None:
    path, target = tmp_path / "record", tmp_path / "database"
    run(tmp_path, path, cases.cases()[:4])
    assert record.pack([path, path], target) == (target, 4)
    head, knobs, *rows, end = [json.loads(line) for line in target.read_text().splitlines()]
    assert head["cases"] == len(rows) == 4
    names = [each["case"] for each in rows]
    assert names == sorted(names)
    assert [knobs["knobs"][row[1]] for row in rows[0]["rows"]] == [
        {"TILE_SIZE": row[0]} for row in rows[0]["rows"]
    ]
    assert len(end["sha256"]) == 64


def test_databases_are_packed_with_records(tmp_path: Path) -> None:
    """The cases of a database come back as they were, and a record adds others."""
    known = cases.cases()
    run(tmp_path, tmp_path / "first", known[:2])
    record.pack([tmp_path / "first"], tmp_path / "database")
    run(tmp_path, tmp_path / "second", known[1:4])
    packed = record.pack([tmp_path / "database", tmp_path / "second"], tmp_path / "both")
    assert packed == (tmp_path / "both", 4)
    (_, first), (_, second), (_, both) = (
        record.read(tmp_path / name) for name in ("first", "second", "both")
    )
    found = {each["case"]: each for each in both}
    assert [found[each["case"]] for each in first] == first
    others = [each for each in second if each["case"] != known[1].name]
    assert [found[each["case"]] for each in others] == others


def test_cases_of_other_files_are_left_out(tmp_path: Path) -> None:
    """Only of the same device and release; others say nothing."""
    known = cases.cases()[:4]
    about = {"device": "a device", "release": "9.19.0"}
    for head, done in (
        (about, 1),
        ({**about, "device": "another"}, 4),
        ({**about, "release": "9.18.0"}, 4),
    ):
        kept = record.Record(tmp_path / str(head))
        others = [(head, [{"case": each.name} for each in known if each is not known[2]])]
        collection = collect.Collection(
            known, kept, HEADER, folder=tmp_path, workers=2, say=list, others=others,
            timer=[sys.executable, "-c", TIMER], builder=[sys.executable, "-c", BUILDER],
        )  # fmt: skip
        collection.run(60)
        kept.close()
        assert len(kept.done) == done


def test_cases_whose_first_suggestion_was_not_timed_are_left_out(tmp_path: Path) -> None:
    path, target = tmp_path / "record", tmp_path / "database"
    run(tmp_path, path, cases.cases()[:4])
    head, *lines = map(json.loads, path.read_text().splitlines())
    rank = record.ROW.index("rank")
    for row in lines[0]["rows"]:
        row[rank] = None if row[rank] == 0 else row[rank]
    path.write_text("".join(f"{json.dumps(each)}\n" for each in (head, *lines)))
    assert record.pack([path], target) == (target, 3)
    assert lines[0]["case"] not in target.read_text()


def test_each_beginning_of_the_cases_has_its_share_of_every_kind() -> None:
    known = cases.cases()
    assert len({each.name for each in known}) == len(known) > 3000
    for field in ("kind", "dtype"):
        whole = collections.Counter(getattr(each, field) for each in known)
        beginning = collections.Counter(getattr(each, field) for each in known[:800])
        for kind, count in whole.items():
            assert abs(beginning[kind] - 800 * count / len(known)) < 0.08 * 800, kind
    shapes = {
        json.dumps([each.kind, each.figures]) for each in known if "layout" not in each.figures
    }
    assert len(shapes) == len(cases.shapes()) > 2000
    assert cases.cases() == known != cases.cases(seed=1)


class FakeClock:
    """A device whose runs take given times, and count."""

    def __init__(self, *times: float) -> None:
        self.times = list(times)
        self.runs = 0

    def between(self, work: Callable[[], object]) -> float:
        work()
        return self.sample()

    def sample(self) -> float:
        self.runs += 1
        return self.times[min(self.runs, len(self.times)) - 1]


@pytest.mark.parametrize(
    ("times", "best", "median", "once", "runs"),
    [
        ((100.0,), None, 100.0, False, 1 + timer.LEAST),
        ((100.0,), 90.0, 100.0, False, 1 + timer.LEAST),
        ((1000.0,), 90.0, 1000.0, True, 1),
        ((150.0, 20.0), 25.0, 150.0, True, 1),
        ((10.0, 10.0, 20.0, 30.0, 40.0), None, 40.0, False, 1 + timer.MOST),
        ((6000.0, 5000.0, 5500.0, 6000.0), None, 5500.0, False, 1 + timer.LEAST),
    ],
)
def test_plans_are_timed_a_few_times_and_slow_ones_once(
    times: tuple[float, ...], best: float | None, median: float, once: bool, runs: int
) -> None:
    clock = FakeClock(*times)
    found = timer.measure(clock, lambda: None, lambda clock, _: clock, best)  # type: ignore[arg-type,return-value]
    assert found == (median, once)
    assert clock.runs == runs
