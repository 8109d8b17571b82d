"""The command `engines`, and the summary of a database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi.__main__ import main
from cudnn_cffi.choice.database import read
from cudnn_cffi.choice.database.summary import summarize

from benchmarks.engines import record
from scripts import engines

HEADER = {
    "schema": record.SCHEMA, "version": record.VERSION, "seed": 0, "device": "a GPU-1",
    "name": "a GPU", "compute_capability": [9, 0], "multiprocessors": 132, "release": "9.19.0",
    "commit": "0" * 40, "date": "2026-11-24",
}  # fmt: skip


def case(number: int, word: str, times: list[float]) -> dict[str, Any]:
    """Return a case whose first engine is suggested."""
    rows: list[list[Any]] = [
        [engine, {}, None if engine else 0, time, 0, 1e-4, "db", 1]
        for engine, time in enumerate(times)
    ]
    return {
        "case": f'{word} float16 {{"n":{number}}}', "kind": word, "networks": ["one"],
        "signature": f"{number:024x}", "rows": rows,
    }  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    kept = record.Record(tmp_path / "record")
    kept.begin(HEADER)
    for number, times in enumerate(([10.0, 5.0], [10.0, 9.5], [10.0, 20.0], [8.0])):
        kept.add(case(number, "convolution", times))
    kept.add(case(9, "attention", [12.0, 10.0]))
    kept.close()
    return record.pack([tmp_path / "record"], tmp_path / "database")[0]


def test_cases_with_a_choice_are_counted_by_operation(path: Path) -> None:
    attention, convolution, every = summarize(read(path))
    assert (convolution.cases, convolution.missed, convolution.worst) == (3, 1, 2.0)
    assert convolution.case == 'convolution float16 {"n":0}'
    assert convolution.mean == pytest.approx((2 * 10 / 9.5) ** (1 / 3))
    assert (attention.cases, attention.missed, attention.engines) == (1, 1, 2.0)
    assert attention.form == convolution.form == every.form == ""
    assert (every.operation, every.cases, every.missed, every.share) == ("all", 4, 2, 0.5)


def test_images_of_other_forms_are_counted_apart(tmp_path: Path) -> None:
    kept = record.Record(tmp_path / "record")
    kept.begin(HEADER)
    shapes = (
        "[2,8,9,9]",
        "[2,8,9,9,9]",
        '[2,8,9,9],"layout":"NCHW"',
        '[2,8,9,9,9],"layout":"NCHW"',
    )
    for number, shape in enumerate(shapes):
        own = case(number, "pooling", [10.0, 5.0])
        kept.add({**own, "case": f'pooling float16 {{"x":{shape}}}'})
    kept.close()
    found = summarize(read(record.pack([tmp_path / "record"], tmp_path / "database")[0]))
    forms = ["", "3-D", "3-D, channels first", "channels first", ""]
    assert [(each.form, each.cases) for each in found] == list(
        zip(forms, (1, 1, 1, 1, 4), strict=True)
    )


def test_the_command_prints_a_table_and_what_heuristics_miss(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["engines", str(path), "--missed"]) == 0
    text = capsys.readouterr().out
    assert "a GPU, cuDNN 9.19.0, 2026-11-24: 5 cases" in text
    assert 'engine 1 instead of 0: convolution float16 {"n":0}' in text
    assert main(["engines", str(path), "--json", "--missed", "--margin", "0.5"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert [each["ratio"] for each in found["missed"]] == [2.0]
    assert found["lines"][-1]["missed"] == 1


def test_the_command_refuses_a_damaged_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_text(path.read_text().replace("9.5", "9.4"))
    assert main(["engines", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"error: {path}: ")


def test_the_command_refuses_a_negative_margin(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engines", "--margin", "-1"]) == 2
    assert capsys.readouterr().err == "error: margin: expected a number from 0 on, got -1.0\n"


def test_the_page_and_the_picture_have_the_figures(path: Path) -> None:
    found = read(path)
    page = engines.page([found])
    assert "5 cases of 5 shapes" in page
    assert "In 2 of the 4 cases" in page
    assert "| `convolution` |  | float16 | 3 | 2.0 | 1 | 33% | 1.28 | 2.0 | 3 |" in page
    drawn = engines.picture(found)
    assert drawn.count("<title>") == 4
    assert "NVIDIA" not in drawn
    assert "no database yet" in engines.page([])
