"""Figures in documents are those of records."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import picture, records
from scripts import figures

ROOT = Path(__file__).parents[2]

Write = Callable[..., Path]

RECORD = {
    "command": "python -m benchmarks.one --record",
    "machine": "a GPU",
    "cudnn": "9.19.0",
    "pytorch": None,
    "python": "3.12.1",
    "driver": None,
    "date": "2026-11-23",
    "commit": "0123abcd",
    "source": "measured",
    "subject": ["benchmarks"],
    "values": {
        "c": 4.0,
        "plan": 1.25,
        "nets": {"one": {"ours": 1, "torch": 4}, "two": {"ours": 3}},
    },
}

PAGE = """\
# A page

It takes <!--{one.plan / one.c:.2f}-->0.31<!--/--> of the time.

<!--
| | µs |
| --- | ---: |
| C | {one.c:.1f} |
-->
| | µs |
| --- | ---: |
| C | 4.0 |
<!--/-->
"""


@pytest.fixture
def page(tmp_path: Path) -> Write:
    """Return what makes a checkout of a page and a record, whose fields may be changed."""

    def write(text: str = PAGE, **changed: Any) -> Path:
        results = tmp_path / "benchmarks" / "results"
        results.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "README.md").write_text(text, encoding="utf-8")
        record = {**RECORD, **changed}
        kept = {name: each for name, each in record.items() if each is not ...}
        (results / "one.json").write_text(json.dumps(kept), encoding="utf-8")
        return tmp_path

    return write


def test_the_documents_have_the_figures_of_their_records(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert figures.main(["--check"]) == 0, capsys.readouterr().out


def test_a_page_with_its_figures_is_left_as_it_is(page: Write) -> None:
    root = page()
    assert figures.main(["--check"], root) == 0
    assert figures.main([], root) == 0
    assert (root / "README.md").read_text(encoding="utf-8") == PAGE


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ("0.31<!", "0.32<!", 3, "expected '0.31', found '0.32'"),
        ("| C | 4.0 |", "| C | 4.1 |", 12, "expected '| C | 4.0 |', found '| C | 4.1 |'"),
        ("| C | 4.0 |\n", "", 12, "expected '| C | 4.0 |', found ''"),
    ],
)
def test_a_changed_number_is_reported_and_mended(
    page: Write, capsys: pytest.CaptureFixture[str], old: str, new: str, line: int, expected: str
) -> None:
    changed = PAGE.replace(old, new)
    assert changed != PAGE
    root = page(changed)
    assert figures.main(["--check"], root) == 1
    assert f"README.md:{line}: {expected}; `nox -s figures` inserts it" in capsys.readouterr().out
    assert (root / "README.md").read_text(encoding="utf-8") == changed
    assert figures.main([], root) == 0
    assert (root / "README.md").read_text(encoding="utf-8") == PAGE


def test_a_new_record_changes_the_page(page: Write) -> None:
    root = page(values={"c": 5.0, "plan": 1.0})
    assert figures.main(["--check"], root) == 1
    assert figures.main([], root) == 0
    text = (root / "README.md").read_text(encoding="utf-8")
    assert "-->0.20<!--/-->" in text
    assert text.endswith("| C | 5.0 |\n<!--/-->\n")


@pytest.mark.parametrize(
    ("placeholder", "text"),
    [
        ("one.c:.0f", "4"),
        ("one.plan:+.2f", "+1.25"),
        ("one.c / 1000:.3f", "0.004"),
        ("min one.nets.*.ours:.0f", "1"),
        ("max one.nets.*.ours:.0f", "3"),
        ("median one.nets.*.ours:.1f", "2.0"),
        ("count one.nets.*.ours:.0f", "2"),
        ("mean one.nets.*.ours:.2f", "1.73"),
        ("max one.nets.*.ours / one.nets.*.torch:.2f", "0.25"),  # two has no time of torch
        ("one@machine", "a GPU"),
        ("one@date", "2026-11-23"),
    ],
)
def test_a_figure(placeholder: str, text: str) -> None:
    assert figures.figure(placeholder, {"one": RECORD}) == text


@pytest.mark.parametrize(
    ("placeholder", "message"),
    [
        ("two.c:.1f", "expected a record in benchmarks/results, found no two.json"),
        ("one.d:.1f", "expected a key of one.json, found no 'd' beside c, nets, plan"),
        ("one.c.d:.1f", "found no 'd' beside a number"),
        ("one.nets:.1f", "expected a number, found an object"),
        ("one.nets.*.ours:.1f", "expected one number, found 2"),
        ("sum one.nets.*.ours:.1f", "expected one of min, max, median, count, mean"),
        ("min one.nets.*.ours / one.c:.1f", "expected a key for * on both sides, found none"),
        ("one.c", "expected {RECORD.KEY:FORMAT}"),
        ("two@date", "expected {RECORD.KEY:FORMAT}"),
        ("one@source", "expected {RECORD.KEY:FORMAT}"),
        ("one.c:.1q", "Unknown format code 'q'"),
    ],
)
def test_a_figure_that_no_record_has(
    page: Write, capsys: pytest.CaptureFixture[str], placeholder: str, message: str
) -> None:
    root = page(f"takes <!--{{{placeholder}}}-->4.0<!--/--> µs\n")
    for arguments in ["--check"], []:
        assert figures.main(arguments, root) == 1
        said = capsys.readouterr().out
        assert said.startswith("README.md:1: ")
        assert message in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("takes <!--{one.c:.1f}-->4.0 µs\n", "1: expected a template before and <!--/--> after"),
        ("takes 4.0<!--/--> µs\n", "1: expected a template before and <!--/--> after"),
        ("takes <!--c-->4.0<!--/--> µs\n", "1: expected a figure in braces, found 'c'"),
        ("takes\n<!--{one.c:.1f}-->4.0<!--/--> µs\n", "2: expected a comment inside a line"),
        ("takes <!--\n{one.c:.1f}\n-->\n4.0\n<!--/-->\n", "1: expected a comment inside a line"),
    ],
)
def test_comments_that_make_no_figure(
    page: Write, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    assert figures.main(["--check"], page(text)) == 1
    assert message in capsys.readouterr().out


@pytest.mark.parametrize("name", records.FIELDS)
def test_a_record_without_a_field_is_reported(
    page: Write, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert figures.main(["--check"], page(**{name: ...})) == 1
    said = capsys.readouterr().out
    assert said.startswith("one.json: expected the fields command, machine,")
    assert f"found no {name}\n" in said


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("machine", None, "machine: expected str, found None"),
        ("command", 3, "command: expected str or null, found 3"),
        ("date", "23.11.2026", r"date: expected the form \d{4}-\d\d-\d\d, found '23.11.2026'"),
        ("commit", "main", "commit: expected the form [0-9a-f]{8,40}, found 'main'"),
        ("subject", [], "subject: expected files or folders, found an empty list"),
        ("subject", ["gone.py"], "subject: expected a path of the checkout, found 'gone.py'"),
        ("values", {}, "values: expected numbers, found an empty object"),
        ("values", {"c": "4"}, "values.c: expected a number, found '4'"),
        ("values", {"c": True}, "values.c: expected a number, found True"),
        ("values", {"c": float("nan")}, "values.c: expected a number, found nan"),
        ("values", {"a b": 4}, "values: expected a key of [a-z0-9_], found 'a b'"),
        ("more", 1, "expected no field more"),
    ],
)
def test_a_malformed_record_is_reported(
    page: Write, capsys: pytest.CaptureFixture[str], name: str, value: Any, message: str
) -> None:
    assert figures.main(["--check"], page(**{name: value})) == 1
    assert f"one.json: {message}" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_file_that_is_no_record_is_reported(
    page: Write, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    root = page()
    (root / "benchmarks" / "results" / "one.json").write_text(text, encoding="utf-8")
    assert figures.main(["--check"], root) == 1
    assert capsys.readouterr().out.startswith("one.json: expected ")


def test_only_strict_reports_records_that_are_older_than_their_subject(
    page: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = page()

    def git(*arguments: str) -> None:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments]
        subprocess.run(command, cwd=root, check=True, capture_output=True)

    monkeypatch.setattr(records, "ROOT", root)
    (root / "subject.py").touch()
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    commit = records.git("rev-parse", "HEAD") or ""
    page(commit=commit, subject=["subject.py"])
    git("commit", "-qam", "two")  # the record is committed after what it measured
    assert figures.main(["--check", "--strict"], root) == 0
    (root / "subject.py").write_text("pass")
    git("commit", "-qam", "three")
    assert figures.main(["--check"], root) == 0
    capsys.readouterr()
    assert figures.main(["--check", "--strict"], root) == 1
    assert (
        f"one.json: expected no change of subject.py after {commit[:8]}, found 1; to repeat it: "
        in (capsys.readouterr().out)
    )
    page(subject=["subject.py"])
    assert figures.main(["--check", "--strict"], root) == 1
    assert "one.json: expected a commit of this repository, found 0123abcd" in (
        capsys.readouterr().out
    )


def test_a_benchmark_writes_a_record(monkeypatch: pytest.MonkeyPatch, page: Write) -> None:
    monkeypatch.setattr(records, "RESULTS", page() / "benchmarks" / "results")
    monkeypatch.setenv("BENCHMARK_COMMIT", "89abcdef")
    monkeypatch.delenv("CUDNN_CFFI_MODE", raising=False)  # it would be part of the command
    monkeypatch.setattr("sys.argv", ["benchmarks/one.py", "--record"])
    values = {"C": 1.23456789, "plan(x, w)": {"PyTorch, new": 2}, "PLAN": 5}
    path = records.write("one", values, ["benchmarks"], "a GPU")
    made = records.load(path)
    assert made["values"] == {"c": 1.2346, "plan_x_w": {"pytorch_new": 2}, "plan": 5}
    assert made["command"] == "python -m benchmarks.one --record"
    assert (made["commit"], made["source"]) == ("89abcdef", "measured")
    assert made["machine"].startswith("a GPU, ")
    with pytest.raises(records.RecordError, match="expected a path of the checkout, found 'gone'"):
        records.write("one", values, ["gone"])


def test_the_commit_of_a_record_has_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BENCHMARK_COMMIT", raising=False)
    said = {"rev-parse": None, "status": ""}
    monkeypatch.setattr(records, "git", lambda command, *_: said[command])
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    with pytest.raises(SystemExit, match="expected a checkout with git, or the commit in BENCH"):
        records.write("one", {"c": 1}, ["benchmarks"])
    said |= {"rev-parse": "89abcdef", "status": " M benchmarks/calls.py"}
    with pytest.raises(SystemExit, match=r"commit these first, .*\n M benchmarks/calls.py"):
        records.write("one", {"c": 1}, ["benchmarks"])
    assert not list(tmp_path.iterdir())


def test_the_picture_of_speed_is_that_of_its_record(
    page: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    record = records.load(records.RESULTS / "gpu_plans.json")
    drawn = picture.svg(record["values"])
    assert (ROOT / "docs" / "speed.svg").read_text(encoding="utf-8") == drawn
    root = page()
    results = root / "benchmarks" / "results"
    (results / "gpu_plans.json").write_text(json.dumps(record), encoding="utf-8")
    assert figures.main(["--check"], root) == 1
    assert "docs/speed.svg: expected the picture of gpu_plans.json" in capsys.readouterr().out
    assert figures.main([], root) == 0
    assert (root / "docs" / "speed.svg").read_text(encoding="utf-8") == drawn
