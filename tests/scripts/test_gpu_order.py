"""The order of the GPU's tests, as xdist hands them to its processes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from tests.gpu.conftest import FOLDER, LONG, seconds, spread

stealing = pytest.importorskip("xdist.scheduler.worksteal")


class Item(NamedTuple):
    nodeid: str


class Config:
    def __init__(self, count: int) -> None:
        self.count = count

    def getvalue(self, _: str) -> list[str]:
        return [f"{self.count}*popen"]


class Node:
    """A process, and what it was told to run."""

    shutting_down = False
    gateway = SimpleNamespace(id="gw")

    def __init__(self) -> None:
        self.sent: list[int] = []

    def send_runtest_some(self, indices: list[int]) -> None:
        self.sent += indices


def slices(names: list[str], count: int) -> list[list[str]]:
    """Return what xdist sends to each process first."""
    made: Any = stealing.WorkStealingScheduling(Config(count))
    nodes = [Node() for _ in range(count)]
    for node in nodes:
        made.add_node(node)
        made.node2collection[node] = names
    made.schedule()
    return [[names[index] for index in node.sent] for node in nodes]


@pytest.mark.parametrize("count", [1, 2, 7, 16])
@pytest.mark.parametrize("rest", [300, 311, 6549])
def test_each_process_begins_with_its_longest_tests(count: int, rest: int) -> None:
    long = [f"tests/gpu/{name}{index}" for name in LONG for index in range(3)]
    short = [f"tests/gpu/test_short.py::test[{index}]" for index in range(rest)]
    items: Any = [Item(name) for name in (*short[:99], *long, *short[99:])]
    ordered: list[Any] = spread(items, count)
    assert sorted(ordered) == sorted(items)
    sums = []
    for names in slices([each.nodeid for each in ordered], count):
        times = [seconds(Item(name)) for name in names]  # type: ignore[arg-type]
        assert times == sorted(times, reverse=True)
        sums.append(sum(times))
    assert max(sums) - min(sums) <= max(LONG.values())


def test_the_longest_tests_exist() -> None:
    for name in LONG:
        file, _, test = name.partition("::")
        assert f"def {test.partition('[')[0]}" in (FOLDER / file).read_text(encoding="utf-8")
