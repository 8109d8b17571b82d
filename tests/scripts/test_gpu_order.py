"""The order of the GPU's tests, as xdist hands them to its processes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from tests.gpu.conftest import FOLDER, KNOWN, seconds, spread, starts_processes

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
    long = [f"tests/gpu/{name}{index}" for name in KNOWN for index in range(3)]
    short = [f"tests/gpu/test_short.py::test[{index}]" for index in range(rest)]
    items: Any = [Item(name) for name in (*short[:99], *long, *short[99:])]
    ordered: list[Any] = spread(items, count)
    assert sorted(ordered) == sorted(items)
    sums: dict[bool, list[float]] = {}
    for names in slices([each.nodeid for each in ordered], count):
        share: Any = [Item(name) for name in names]
        times = [seconds(each) for each in share]
        assert times == sorted(times, reverse=True)
        kinds = {starts_processes(each) for each in share if seconds(each)}
        assert len(kinds) == 1 or count == 1, "some processes have all tests that start others"
        sums.setdefault(kinds.pop(), []).append(sum(times))
    assert len(sums) == min(count, 2)
    for each in sums.values():
        assert max(each) - min(each) <= max(KNOWN.values())


def test_the_longest_tests_exist() -> None:
    for name in KNOWN:
        file, _, test = name.partition("::")
        test = test.rpartition("::")[2].partition("[")[0]
        assert f"def {test}" in (FOLDER / file).read_text(encoding="utf-8")
