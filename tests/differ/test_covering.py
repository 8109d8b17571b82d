"""All pairs of factors are in an audit's cases, and its graphs are what they should be."""

from __future__ import annotations

import itertools
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from cudnn_cffi import Graph, errors  # noqa: E402

from tests.differ import core, executing, families, graphs, large  # noqa: E402
from tests.differ.covering import Table, covering  # noqa: E402
from tests.differ.draw import Draw  # noqa: E402
from tests.differ.judge import SkippedError  # noqa: E402
from tests.differ.test_judging import found_among  # noqa: E402


@pytest.fixture(autouse=True)
def on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(executing, "device", lambda: "cpu")


def test_all_pairs_are_covered_beside_what_is_not_hard() -> None:
    factors = {"a": ("1", "2", "3"), "b": ("x", "y"), "c": ("p", "q", "r", "s"), "d": ("0", "9")}
    hard = {"a": {"3"}, "d": {"9"}}
    rows = covering(factors, hard, 1)
    assert len(rows) < 3 * 2 * 4 * 2 / 2
    for one, other in itertools.combinations(factors, 2):
        for values in itertools.product(factors[one], factors[other]):
            beside = [each for each in factors if each not in (one, other)]
            assert any(
                (row[one], row[other]) == values
                and all(row[each] not in hard.get(each, ()) for each in beside)
                for row in rows
            ), (one, other, values)


def test_the_rows_of_an_audit() -> None:
    rows = families.TABLE.rows(3)
    assert len(rows) >= 300
    assert {row["family"] for row in rows} == set(families.FAMILIES)
    code = "import tests.differ.families as f; print(f.TABLE.rows(3))"
    for seed in "1", "2":  # in each process
        made = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            cwd=core.ROOT, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert made.stdout.strip() == str(rows)


def test_a_case_by_chance_has_one_hard_value_at_most_where_a_table_is_mild() -> None:
    factors = {"a": ("1", "2", "3"), "b": ("x", "y"), "c": ("p", "q")}
    hard = {"a": {"2", "3"}, "b": {"y"}}
    counts = {}
    for mild in (False, True):
        table = Table(factors, hard, mild)
        rows = [table.row_of(Draw("", 1, case)) for case in range(50, 150)]
        counts[mild] = [sum(row[name] in hard[name] for name in hard) for row in rows]
    assert max(counts[False]) == 2
    assert max(counts[True]) == 1
    assert min(counts[True]) == 0
    assert counts[True].count(1) == sum(map(bool, counts[False]))


def test_a_run_says_how_many_pairs_its_cases_have() -> None:
    count, every = len(families.TABLE.rows(3)), families.TABLE.all_combined(2)
    whole = core.coverage("engines", 3, dict.fromkeys(range(count), True))
    assert whole.startswith(
        f"{count} of the {count} cases of the list, with {every} of {every} pairs ({every} in cases"
        f" with an engine) and "
    )
    assert whole.endswith(" of values of factors; 0 cases by chance")
    half = core.coverage("engines", 3, {case: case < 9 for case in (*range(count), count + 4)})
    assert f"with {every} of {every} pairs" in half
    assert half.endswith("; 1 cases by chance")
    for size, name in (2, "pairs"), (3, "triples"):
        few = 9 * math.comb(len(families.FACTORS), size)
        found = re.search(rf"(\d+) of (\d+) {name} \((\d+) ", half)
        assert found is not None
        drawn, of, computed = map(int, found.groups())
        assert few / 2 < computed <= few
        assert drawn <= of == families.TABLE.all_combined(size)
        later = families.TABLE.combined(3, [count + 1], size)  # by chance
        assert len(later) == math.comb(len(families.FACTORS), size)


def made_of(case: int, turn: int = 0) -> Any:
    draw = Draw("engines", 3, case)
    return graphs.make(draw, Graph("drawn"), families.family_of(draw), turn)


def drawn_graphs(seen: set[str]) -> Iterator[Any]:
    """Yield graphs of all families, whose names are in `seen` then."""
    for case, row in enumerate(families.TABLE.rows(3)):
        if row["family"] in seen and row["x_repeats"] == "False" and row["x_gap"] == "0":
            continue
        if row["extents"] == "large" or (row["family"] in seen and case > 120):
            continue
        try:
            made, larger = made_of(case), made_of(case, 1)
        except (errors.CudnnError, errors.ArgumentError, SkippedError):
            continue
        seen.add(row["family"])
        assert made.graph.to_json() != larger.graph.to_json()
        yield made


def test_graphs_of_all_families_are_right_and_wrong_ones_are_found() -> None:
    """By a stand-in that computes them, in all layouts and addresses, and of two sizes."""
    seen: set[str] = set()
    _, wrong, found = found_among(drawn_graphs(seen))
    assert seen == set(families.FAMILIES)
    assert found > 0.9 * wrong > 20, (found, wrong)


def test_each_case_has_its_factors() -> None:
    rows = families.TABLE.rows(3)
    for case in (*range(0, 60), len(rows) + 1):
        draw = Draw("engines", 3, case)
        family = families.family_of(draw)
        try:
            graphs.make(draw, Graph("drawn"), family)
        except (errors.CudnnError, errors.ArgumentError, SkippedError):
            continue
        picked = {name: text for name, (_, text) in draw.made.items()}
        row = rows[case] if case < len(rows) else {}
        assert all(picked.get(name, value) == value for name, value in row.items())
        assert picked["family"] in families.FAMILIES


class Examples:
    """A plan of a large graph whose examples are those of a small one; the last element is wrong."""

    engine = 1

    def __init__(self, graph: Any, small: Any, is_wrong: bool) -> None:
        self.made, self.is_wrong = small, is_wrong
        self.operands = [
            SimpleNamespace(
                **{"name": each.name, "shape": each.shape, "strides": each.strides},
                **{"role": role, "is_argument": True, "data_type": each.data_type},
            )
            for each in graph.tensors.values()
            if (role := each.role) in ("input", "output")
        ]

    def __call__(self, **arrays: Any) -> None:
        times = max(each.shape[0] for each in arrays.values()) // large.BATCH
        found = self.made.evaluate()
        for name, index in self.made.outputs:
            y = arrays[name]
            if found[index].shape[0] == large.BATCH:
                y.unflatten(0, (-1, large.BATCH)).copy_(found[index])
            else:
                y.copy_(large._whole(self.made, index, times))
            if self.is_wrong:
                y[(-1,) * y.ndim] += 1e4


@pytest.mark.parametrize("is_wrong", [False, True])
def test_large_graphs(monkeypatch: pytest.MonkeyPatch, is_wrong: bool) -> None:
    """One element of many is found, in results of each example and in sums of all."""
    made: list[Any] = []

    def make(*arguments: Any, **more: Any) -> Any:
        made.append(graphs.make(*arguments, **more))
        return made[-1]

    def candidates(graph: Any, **_: Any) -> list[Any]:
        shapes = [each.shape for each in graph.tensors.values()]
        assert max(map(math.prod, shapes)) > large.SIZE or max(shapes)[0] > large.MANY
        plan = Examples(graph, made[-1], is_wrong)
        return [SimpleNamespace(engine=1, build=lambda: plan)]

    monkeypatch.setattr(large, "make", make)
    monkeypatch.setattr(large, "device", lambda: "cpu")
    monkeypatch.setattr(large, "SIZE", 1 << 15)
    monkeypatch.setattr(large, "_check_memory", lambda _: None)
    monkeypatch.setattr(large, "MANY", 1 << 9)
    monkeypatch.setattr(Graph, "candidates", candidates)
    monkeypatch.setattr(Graph, "build", lambda graph: candidates(graph)[0].build())
    outcomes = []
    for case in range(2 * len(large.FAMILY)):
        found = core.judge(large, Draw("large", 5, case))
        outcomes.append(found.outcome)
        assert found.outcome in (("differs", "refused") if is_wrong else ("same", "refused")), found
    assert outcomes.count("refused") < 5
