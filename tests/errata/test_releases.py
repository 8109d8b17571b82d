"""Records and their graphs with real libraries, for a GPU that is not there; and the command."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cudnn_cffi import errata
from cudnn_cffi._call.layer import mode

from tests.conftest import SHARES, start
from tests.errata.conftest import release_of

Run = Callable[..., subprocess.CompletedProcess[str]]


@SHARES
def test_graphs_show_records(
    program: Run, describing: list[Path], no_driver: dict[str, str], tmp_path: Path, share: int
) -> None:
    for library in describing:
        path = tmp_path / f"{library.parent.name}.json"
        done = program("shown", library, path, share, CUDNN_CFFI_PLAN_CACHE="0", **no_driver)
        _, shown, took = done.stdout.split()
        assert int(shown) >= 50 // share
        assert int(took) >= 10 // share or release_of(library) < (9, 19), "engines take graphs"


@pytest.mark.skipif(mode() == "abi", reason="all conditions are asked in Python")
def test_the_first_ask_for_errata_takes_few_calls(
    program: Run, describing: list[Path], no_driver: dict[str, str]
) -> None:
    """`benchmarks.graphs` measures the time."""
    done = program("first_ask", describing[-1], **no_driver)
    graphs, each, together = map(int, done.stdout.split())
    assert graphs >= 100
    assert each <= 60
    assert together <= 120


@SHARES
def test_errata_by_engine_are_those_of_all_records(
    program: Run, describing: list[Path], no_driver: dict[str, str], share: int
) -> None:
    """Also of a sum that is kept where a graph has other operations between; see `tests.differ`."""
    done = program("indexed", describing[-1], share, **no_driver)
    asked, found = map(int, done.stdout.split())
    assert asked >= 300 // share
    assert found >= 150 // share


@SHARES
def test_facts_decide_as_conditions_do_for_any_graph(
    program: Run, describing: list[Path], no_driver: dict[str, str], tmp_path: Path, share: int
) -> None:
    """Also of records that users add: for other operations than the package's conditions have."""
    for library in describing:
        done = program("mutated", library, tmp_path / "own.json", share, **no_driver)
        held, none = map(int, done.stdout.split())
        assert held >= 3000 // share
        assert none >= 100_000 // share


@pytest.fixture
def command(
    describing: list[Path], no_driver: dict[str, str]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    def call(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        given = ["-m", "cudnn_cffi", "errata", *arguments]
        return start(given, describing[-1], check, no_driver)

    return call


def test_the_command_lists_records(command: Run) -> None:
    text = command().stdout
    assert "matmul-odd-rows: wrong numbers; Matmul, engine 2\n" in text
    assert text.endswith(
        f"{len(errata.records())} records, {len(errata.records(on=True))} avoided\n"
    )
    rows = json.loads(command("--json", "--of", "Matmul", "--kind", "NaN").stdout)
    assert {each["id"] for each in rows} == {
        each.id for each in errata.records(subject="Matmul", kind="NaN")
    }
    assert all(each["on"] for each in rows)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        (
            "convolution-mixed-layouts",
            ["engine 7: left out: no GPU here, so no numbers were computed"],
        ),
        ("graph-several-norms", ["avoided: no GPU here", "on an H200, the graph is refused"]),
        ("graph-low-address", ["no engine is asked for the graph"]),
        (
            "layer-norm-gradient-tiles-slow",
            ["engine 4 takes the graph with KERNEL_CFG=0, TILE_ROWS=1; it is left out of choices"],
        ),
        ("log-softmax-rounded", ["not checked: the condition holds for the call that shows it"]),
    ],
)
def test_a_check_without_a_gpu_says_what_it_could_do(
    command: Run, name: str, texts: list[str]
) -> None:
    lines = command("--check", name).stdout.splitlines()
    assert len(lines) == len(errata.get(name).engines or (None,))
    for text in texts:
        assert text in lines[0], lines


def test_a_check_needs_a_record(command: Run) -> None:
    done = command("--check", "matmul-odd", check=False)
    assert done.returncode == 2
    assert "there is no erratum 'matmul-odd'" in done.stderr
    assert "matmul-odd-rows" in done.stderr
