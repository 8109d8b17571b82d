"""Executions that the compiled layer repeats: what it captures, what it launches, and when not."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cudnn_cffi import handles, logs
from cudnn_cffi.plan import Operand, runner

from tests.plan.conftest import Library
from tests.plan.standin import CONVOLUTION, StandIn, make_plan

_P, _I, _U = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint
_KERNEL, _MEMSET = 0, 2

#: The private stream that is captured, and what launches return where they fail.
PRIVATE, REFUSED = 0x9990, 719


class _KernelNode(ctypes.Structure):
    _fields_ = (
        ("function", _P), ("size", _U * 6), ("shared", _U), ("parameters", _P), ("extra", _P),
        ("kernel", _P), ("context", _P),
    )  # fmt: skip


class _Attribute(ctypes.Structure):
    _fields_ = (("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint64 * 8))


class _Launch(ctypes.Structure):
    _fields_ = (
        ("size", _U * 6), ("shared", _U), ("stream", _P), ("attributes", ctypes.POINTER(_Attribute)),
        ("count", _U),
    )  # fmt: skip


class Graphs:
    """The driver's functions that repetitions use.

    Attributes:
        nodes: the types of the nodes of what is captured.
        attributes: of each kernel: the number of an attribute, and its first word.
        edges: how many nodes follow each node.
        launches: the function, stream, size and attributes of each launch.
        alive: graphs that were not destroyed.
        streams: streams that were not destroyed.
        status: what launches return.
    """

    def __init__(self) -> None:
        self.nodes = [_KERNEL]
        self.attributes: dict[int, int] = {}
        self.edges: list[int] | None = None
        self.launches: list[Any] = []
        self.alive: set[int] = set()
        self.streams: set[int] = set()
        self.captured: list[int] = []
        self.status = 0
        self._graph = 0x4000
        many = ctypes.POINTER(ctypes.c_size_t)
        self._functions = [
            ctypes.CFUNCTYPE(_I, *kinds)(getattr(self, name))
            for name, *kinds in (
                ("create_stream", ctypes.POINTER(_P), _U),
                ("destroy_stream", _P),
                ("begin", _P, _I),
                ("end", _P, ctypes.POINTER(_P)),
                ("exchange", _P),
                ("get_nodes", _P, _P, many),
                ("get_roots", _P, ctypes.POINTER(_P), many),
                ("get_dependents", _P, ctypes.POINTER(_P), many),
                ("get_type", _P, ctypes.POINTER(_I)),
                ("get_kernel", _P, ctypes.POINTER(_KernelNode)),
                ("get_attribute", _P, _I, ctypes.POINTER(ctypes.c_uint64)),
                ("destroy", _P),
                ("launch", ctypes.POINTER(_Launch), _P, _P, _P),
            )
        ]
        self.addresses = tuple(ctypes.cast(each, _P).value or 0 for each in self._functions)

    def create_stream(self, out: Any, flags: int) -> int:
        assert flags == 1  # it does not wait for the default stream
        out[0] = PRIVATE
        self.streams.add(PRIVATE)
        return 0

    def destroy_stream(self, stream: int) -> int:
        self.streams.remove(stream)
        return 0

    def begin(self, stream: int, mode: int) -> int:
        assert (stream, mode) == (PRIVATE, 2)
        return 0

    def end(self, stream: int, out: Any) -> int:
        assert stream == PRIVATE
        self._graph += 0x100
        self.alive.add(self._graph)
        self.captured.append(self._graph)
        out[0] = self._graph
        return 0

    def exchange(self, _mode: int) -> int:
        return 0

    def get_nodes(self, graph: int, _out: int, count: Any) -> int:
        assert graph in self.alive
        count[0] = len(self.nodes)
        return 0

    def get_roots(self, graph: int, out: Any, count: Any) -> int:
        count[0] = 1
        if out:
            out[0] = graph + 1
        return 0

    def _index(self, node: int) -> int:
        return node % 0x100 - 1

    def get_dependents(self, node: int, out: Any, count: Any) -> int:
        index = self._index(node)
        count[0] = int(index + 1 < len(self.nodes)) if self.edges is None else self.edges[index]
        if out and count[0]:
            out[0] = node + 1
        return 0

    def get_type(self, node: int, out: Any) -> int:
        out[0] = self.nodes[self._index(node)]
        return 0

    def get_kernel(self, node: int, out: Any) -> int:
        index = self._index(node)
        out[0].function = 0x100 + index if index % 2 == 0 else None
        out[0].kernel = 0x200 + index
        out[0].size[:] = [2, 3, 4, 32, 1, 1]
        out[0].shared = 1024
        out[0].parameters = 0xABC000 + node
        return 0

    def get_attribute(self, _node: int, number: int, out: Any) -> int:
        if number not in self.attributes:
            return 1
        out[1 if number == 1 else 0] = self.attributes[number]
        return 0

    def destroy(self, graph: int) -> int:
        self.alive.discard(graph)  # that of a plan of another test may end in this one
        return 0

    def launch(self, config: Any, function: int, parameters: int, extra: int | None) -> int:
        one = config[0]
        assert (list(one.size), one.shared, extra) == ([2, 3, 4, 32, 1, 1], 1024, None)
        assert parameters & ~0xFF == 0xABC000 + self.captured[-1]
        found = {one.attributes[i].id: one.attributes[i].value[0] for i in range(one.count)}
        if not self.status:
            self.launches.append((function, one.stream or 0, found))
        return self.status


#: Plans may end later than their tests.
_kept: list[Graphs] = []


@pytest.fixture
def graphs(
    standin: StandIn, arrays: Library, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Graphs]:
    if not compiled:
        pytest.skip("nothing was compiled")
    make_plan()(*arrays.arrays())  # the compiled layer learns how such arrays are read
    standin.executions.clear()
    made = Graphs()
    _kept.append(made)
    native: Any = runner._native
    repeat = native._repeat
    monkeypatch.setattr(runner.Runner, "_repeat", lambda *_: repeat(made.addresses, 3))
    yield made
    repeat((), 0)


def execute(plan: Any, times: int, *arrays: Any, **named: Any) -> None:
    for _ in range(times):
        plan(*arrays, **named)


def test_what_was_executed_often_is_launched(
    standin: StandIn, arrays: Library, graphs: Graphs
) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    execute(plan, 3, x, w, y)
    streams = [each.stream for each in standin.executions]
    assert streams == [0, 0, 0, PRIVATE]  # the last one is captured and does not run
    assert not graphs.streams
    assert set(standin.streams.values()) == {0}
    assert graphs.launches == []
    for _ in range(5):
        assert plan(x, w, y) is plan(x, y=y, w=w) is y
    assert graphs.launches == [(0x100, 0, {})] * 10
    assert len(standin.executions) == 4
    other = arrays.make(CONVOLUTION[0], 0x80000)
    plan(other, w, y)
    assert standin.executions[4].pointers[1] == 0x80000
    plan(x, w, y)
    assert len(graphs.launches) == 11
    assert len(graphs.alive) == 1
    del plan
    assert not graphs.alive


def test_kernels_are_launched_in_their_order(arrays: Library, graphs: Graphs) -> None:
    graphs.nodes = [_KERNEL] * 3
    graphs.attributes = {2: 1, 4: 2, 5: 1, 8: 3}  # a stream's priority is the stream's
    plan = make_plan()
    execute(plan, 4, *arrays.arrays())
    own = {2: 1, 4: 2, 5: 1}
    assert graphs.launches == [(0x100, 0, own), (0x201, 0, own), (0x102, 0, own)]


def _as(**changes: Any) -> Callable[[Graphs], None]:
    return lambda graphs: graphs.__dict__.update(changes)


@pytest.mark.parametrize(
    "change",
    [
        _as(nodes=[_KERNEL, _MEMSET]),
        _as(nodes=[]),
        _as(nodes=[_KERNEL] * 7),
        _as(nodes=[_KERNEL] * 3, edges=[2, 0, 0]),
        _as(attributes={1: 4096}),
        _as(attributes={10: 1}),
        _as(attributes={11: 2}),
    ],
)
def test_other_work_is_executed(
    standin: StandIn, arrays: Library, graphs: Graphs, change: Callable[[Graphs], None]
) -> None:
    change(graphs)
    plan = make_plan()
    execute(plan, 12, *arrays.arrays())
    assert [each.stream for each in standin.executions].count(PRIVATE) == 1  # it is tried once
    assert len(standin.executions) == 13
    assert not graphs.launches
    assert not graphs.alive
    assert not graphs.streams


def test_what_cannot_be_launched_is_executed(
    standin: StandIn, arrays: Library, graphs: Graphs
) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    execute(plan, 4, x, w, y)
    assert len(graphs.launches) == 1
    graphs.status = REFUSED
    plan(x, w, y)
    assert standin.executions[-1].pointers == {1: 0x10000, 2: 0x20000, 3: 0x30000}
    assert len(standin.executions) == 5
    assert not graphs.alive


def test_what_cudnn_refuses_in_a_capture_is_executed(
    standin: StandIn, arrays: Library, graphs: Graphs
) -> None:
    def refuse_captures() -> None:
        standin.status = 3000 if PRIVATE in standin.streams.values() else 0

    plan = make_plan()
    standin.before = refuse_captures
    execute(plan, 8, *arrays.arrays())
    assert len(standin.executions) == 9
    assert not graphs.launches
    assert not graphs.alive
    assert set(standin.streams.values()) == {0}


def test_a_given_handle_is_executed_with(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    plan = make_plan()
    with handles.Handle() as handle:
        execute(plan, 9, *arrays.arrays(), handle=handle)
    assert len(standin.executions) == 9
    assert not graphs.captured


def test_a_handle_ends(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    execute(plan, 4, x, w, y)
    assert len(graphs.launches) == 1
    with handles.Handle():
        plan(x, w, y)
    assert len(graphs.launches) == 2
    count = len(standin.executions)
    execute(plan, 3, x, w, y)  # any could have been the one that it was captured with
    assert len(graphs.launches) == 2
    assert len(standin.executions) == count + 3


def test_streams_have_their_own(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    if arrays.module is None:
        pytest.skip("it has no current stream")
    plan = make_plan()
    x, w, y = arrays.arrays()
    execute(plan, 4, x, w, y)
    assert [stream for _, stream, _ in graphs.launches] == [0]
    arrays.module.current = 0x7700
    execute(plan, 2, x, w, y)
    assert [each.stream for each in standin.executions[-2:]] == [0x7700] * 2
    execute(plan, 15, x, w, y)
    launches = [stream for _, stream, _ in graphs.launches]
    assert 0x7700 in launches
    arrays.module.current = 0x8800  # the same handle, in another stream
    graphs.launches.clear()
    execute(plan, 3, x, w, y)
    assert [stream for _, stream, _ in graphs.launches] == [0x8800] * 3


def test_numbers_are_read_each_time(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    scale = Operand("scale", 9, (1, 1, 1, 1), (1, 1, 1, 1), "FLOAT", by_value=True)
    plan = make_plan((*CONVOLUTION[:2], scale, CONVOLUTION[2]))
    x, w, y = arrays.arrays()
    execute(plan, 9, x, w, 0.5, y)
    assert len(standin.executions) == 9
    assert not graphs.captured


def test_it_can_be_turned_off(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    execute(plan, 4, x, w, y)
    native: Any = runner._native
    native._repeat((), 0)
    execute(plan, 9, x, w, y)
    assert len(graphs.launches) == 1
    assert len(standin.executions) == 13


def test_a_log_has_each_execution(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    execute(plan, 4, x, w, y)
    count = len(standin.executions)
    with logs.log("INFO"):
        execute(plan, 3, x, w, y)
        assert len(standin.executions) == count + 3
    with logs.log("ERROR"):
        execute(plan, 2, x, w, y)  # in which nothing tells of executions
    execute(plan, 2, x, w, y)
    assert len(standin.executions) == count + 3
    assert len(graphs.launches) == 5
