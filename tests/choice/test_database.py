"""Databases of engines: what is read, what is refused, and what is chosen by them."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from cudnn_cffi import errors
from cudnn_cffi.choice import database

Program = Callable[..., subprocess.CompletedProcess[str]]

HEADER = {
    "schema": "cudnn_cffi.engines", "version": 1, "device": "a GPU-1", "name": "a GPU",
    "compute_capability": [9, 0], "multiprocessors": 132, "release": "9.19.0", "commit": "0" * 40,
    "date": "2026-11-24", "cases": 1,
}  # fmt: skip

#: Engines of a case: heuristics suggest the third, and then the first.
ROWS: list[Any] = [
    [7, 0, 1, 10.0, 64, 1e-4, "db", 3],
    [5, 1, None, 9.0, 0, 1e-4, "bc", 800],
    [8, 0, 0, 12.0, 0, 1e-4, "db", 3],
    [9, 0, None, 1.0, 0, None, "dbw", 3],
    [3, 0, None, None, None, None, "dx", 3],
]
CASE = {
    "case": "convolution float16 {}", "kind": "convolution", "signature": "a" * 24,
    "networks": ["one"], "rows": ROWS, "refused": [1],
}  # fmt: skip
KNOBS = {"knobs": [{}, {"TILE_SIZE": 3}]}


def write(path: Path, *documents: dict[str, Any]) -> Path:
    body = "".join(json.dumps(each) + "\n" for each in documents)
    digest = hashlib.sha256(body.encode()).hexdigest()
    path.write_text(body + json.dumps({"sha256": digest}) + "\n", encoding="utf-8")
    return path


def test_rows_are_sorted_and_the_loss_of_heuristics_is_known(tmp_path: Path) -> None:
    found = database.read(write(tmp_path / "one", HEADER, KNOBS, CASE))
    assert (found.device, found.release, found.compute_capability) == ("a GPU-1", "9.19.0", (9, 0))
    (case,) = found.cases.values()
    assert [each.engine for each in case.rows] == [5, 7, 8, 9, 3]
    assert case.best == case.rows[0]
    assert case.best.knobs == {"TILE_SIZE": 3}
    assert not case.best.is_deterministic
    assert case.rows[1].is_deterministic
    assert case.suggested is not None
    assert case.suggested.engine == 8
    assert case.loss == pytest.approx(1 / 3)
    assert found.missed() == (1, 1)
    assert found.missed(0.5) == (0, 1)
    assert case.faster == ()


def test_engines_beside_which_the_suggested_one_is_slow(tmp_path: Path) -> None:
    """They are as exact and as deterministic, and need little workspace."""
    rows = [
        [8, 0, 0, 40.0, 1 << 26, 1e-4, "db", 3],
        [1, 0, None, 2.0, 0, 1e-4, "d", 3],
        [2, 0, None, 3.0, 0, 1e-3, "db", 3],
        [3, 0, None, 4.0, 1 << 27, 1e-4, "db", 3],
        [4, 0, None, 5.0, 0, None, "db", 3],
        [5, 0, None, 6.0, 1 << 26, 1.4e-4, "db", 3],
        [6, 0, 1, 13.0, 0, 1e-4, "db", 3],
        [7, 0, None, 13.4, 0, 1e-4, "db", 3],
        [9, 0, None, 1.0, 0, 1e-4, "dbw", 3],
    ]
    (case,) = database.read(
        write(tmp_path / "one", HEADER, KNOBS, {**CASE, "rows": rows})
    ).cases.values()
    assert [each.engine for each in case.faster] == [5, 6]


def test_cases_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    other = {**CASE, "signature": "b" * 24, "rows": [[1, 2]]}
    path = write(tmp_path / "two", {**HEADER, "cases": 2}, KNOBS, CASE, other)
    found = database.read(path, lazily=True)
    assert list(found.cases) == ["a" * 24, "b" * 24]
    assert found.cases["a" * 24].best == database.read(
        write(tmp_path / "one", HEADER, KNOBS, CASE)
    ).cases["a" * 24].best  # fmt: skip
    with pytest.raises(errors.DatabaseError, match=r"two: line 4: .*row of 8 values"):
        found.cases["b" * 24]
    assert "c" * 24 not in found.cases
    path.write_text(path.read_text().replace("10.0", "11.0"))
    with pytest.raises(errors.DatabaseError, match="hash"):
        database.read(path, lazily=True)


def row(**changed: Any) -> dict[str, Any]:
    names = ("engine", "knobs", "rank", "time", "workspace", "error", "flags", "build")
    return {**CASE, "rows": [[changed.get(n, v) for n, v in zip(names, ROWS[0], strict=True)]]}


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ([{**HEADER, "schema": "another"}, KNOBS, CASE], 'line 1: "schema"'),
        ([{**HEADER, "device": 3}, KNOBS, CASE], 'line 1: "device": expected str, got 3'),
        ([{**HEADER, "cases": 2}, KNOBS, CASE], "expected 2 cases, got 1"),
        ([HEADER, {"knobs": [{"NO_KNOB": 1}]}, CASE], "line 2: there is no knob 'NO_KNOB'"),
        ([HEADER, {"knobs": [{"TILE_SIZE": "1"}]}, CASE], "line 2: expected whole numbers"),
        ([HEADER, KNOBS, {**CASE, "rows": []}], "line 3: .*matches nothing"),
        ([HEADER, KNOBS, {**CASE, "signature": "abc"}], "line 3: .*signature"),
        ([{**HEADER, "cases": 2}, KNOBS, CASE, CASE], "line 4: .*twice"),
        ([HEADER, KNOBS, row(engine=-1)], "line 3: .*index of an engine, got -1"),
        ([HEADER, KNOBS, row(knobs=2)], "line 3: .*place of knobs, got 2"),
        ([HEADER, KNOBS, row(flags="q")], "line 3: .*flags"),
        ([HEADER, KNOBS, row(time="fast")], "line 3: .*number or null, got 'fast'"),
        ([HEADER, KNOBS, row(time=10**400)], "line 3: .*number or null"),
        ([HEADER, KNOBS, row(error=float("inf"))], "line 3: .*number or null, got inf"),
        ([HEADER, KNOBS, {**CASE, "refused": 3}], 'line 3: "refused": expected list, got 3'),
        ([HEADER, KNOBS, {**CASE, "rows": [[1, 2]]}], "line 3: .*row of 8 values"),
    ],
)
def test_a_damaged_file_names_its_line(
    tmp_path: Path, documents: list[dict[str, Any]], words: str
) -> None:
    with pytest.raises(errors.DatabaseError, match=words):
        database.read(write(tmp_path / "bad", *documents))


def test_a_planted_database_changes_the_choice_without_timing(
    program: Program, describing: list[Path], no_driver: dict[str, str], tmp_path: Path
) -> None:
    program("recorded", describing[-1], tmp_path, CUDNN_CFFI_PLAN_CACHE="0", **no_driver)


def test_cases_of_networks_are_graphs(
    program: Program, describing: list[Path], no_driver: dict[str, str]
) -> None:
    program("cases", describing[-1], CUDNN_CFFI_PLAN_CACHE="0", **no_driver)


def test_blocks_without_databases_end_in_any_order() -> None:
    assert database.table.is_on()
    first, second = database.off(), database.off()
    with second:
        with first:
            pass
        assert not database.table.is_on()
    assert database.table.is_on()


def test_the_package_has_no_damaged_database() -> None:
    for each in database.databases():
        assert database.table.file_of(each.device, each.release).name in each.path
        assert len(each.cases) >= 300


def test_a_compiler_has_to_be_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a choice limits how much is tried, others take 1.25 times as long before one is asked."""
    asked = []
    build: Any = import_module("cudnn_cffi.choice.build")

    def build_known(_: object, engine: int, *__: object, **___: object) -> tuple[int, str]:
        asked.append(engine)
        return engine, "plan"

    monkeypatch.setattr(build, "_build_known", build_known)
    compiled = database.Timed(72, {}, 0, 10.0, 0, 0.0, "dbc", 400.0)
    for time, quick, wanted in ((12.0, False, 72), (12.0, True, 62), (13.0, True, 72)):
        rows = compiled, compiled._replace(engine=62, time=time, flags="db")
        found: Any = build._by_record(object(), rows, {}, Mock(), quick=quick)
        assert found[0] == asked.pop() == wanted
    found = build._by_record(object(), (compiled,), {}, Mock(), quick=True)
    assert found[0] == 72
