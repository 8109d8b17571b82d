"""Calls that the compiled layer launches as CUDA graphs: what it captures, and when it does not."""

from __future__ import annotations

import ctypes
import itertools
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import errors, handles, logs
from cudnn_cffi.plan import Operand, Sequence
from cudnn_cffi.plan.run import addresses, arming, compiled, launcher
from cudnn_cffi.plan.run.call_steps import HANDLE, Execute, Rows, Scratch, Step, Zero, are_replayed
from cudnn_cffi.plan.sequence import Part

from tests.conftest import Program
from tests.plan.conftest import Library
from tests.plan.standin import CONVOLUTION, StandIn, make_plan
from tests.threads import in_threads

_P, _I, _U = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint

#: The private stream that is captured, and what launches return where they fail.
PRIVATE, REFUSED = 0x9990, 719

_KERNEL, _COPY, _MEMORY, _HOST, _EMPTY, _ALLOCATION = 0, 1, 2, 3, 5, 10
_ON_HOST, _ON_DEVICE = 1, 2

X, W, Y = CONVOLUTION

HAS_LOCK = pytest.mark.skipif(
    bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    reason="without Python's lock nothing is captured while there are other threads",
)


class Graphs:
    """The driver's functions that replays use.

    Attributes:
        launches: the executable graph and the stream of each launch.
        graphs, executables: those that were not destroyed.
        streams: streams that were not destroyed.
        status, instantiating: what launches and instantiations return.
        captured: how many graphs were.
        nodes: the types of the nodes of what is captured.
        kinds: of the memory that a copy reads and writes.
    """

    def __init__(self) -> None:
        self.launches: list[tuple[int, int]] = []
        self.graphs: set[int] = set()
        self.executables: set[int] = set()
        self.streams: list[int] = []
        self.status = self.instantiating = self.captured = 0
        self.nodes, self.kinds = [_KERNEL], (_ON_DEVICE, _ON_DEVICE)
        self._numbers, self.most = itertools.count(0x4000, 0x100), 1 << 20
        self.connect()

    def connect(self) -> None:
        """Make C functions of the methods."""
        out = ctypes.POINTER(_P)
        self._functions = [
            ctypes.CFUNCTYPE(_I, *kinds)(getattr(self, name))
            for name, *kinds in (
                ("create_stream", out, _U),
                ("destroy_stream", _P),
                ("begin", _P, _I),
                ("end", _P, out),
                ("exchange", _P),
                ("instantiate", out, _P, ctypes.c_uint64),
                ("destroy_graph", _P),
                ("launch", _P, _P),
                ("destroy", _P),
                ("get_nodes", _P, ctypes.POINTER(_P), ctypes.POINTER(ctypes.c_size_t)),
                ("get_type", _P, ctypes.POINTER(_I)),
                ("get_copy", _P, _P),
            )
        ]
        self.addresses = tuple(ctypes.cast(each, _P).value or 0 for each in self._functions)

    def set_up(self, addresses: tuple[int, ...] = ()) -> None:
        """Have calls be captured at the third one, with these functions."""
        native: Any = compiled.native
        settings = arming.REPLAYS | {"graphs": self.most}
        native._replay(functions=addresses or self.addresses, after=3, **settings)

    def create_stream(self, out: Any, flags: int) -> int:
        assert flags == 1  # it does not wait for the default stream
        out[0] = PRIVATE
        self.streams.append(PRIVATE)
        return 0

    def destroy_stream(self, stream: int) -> int:
        self.streams.remove(stream)
        return 0

    def begin(self, stream: int, mode: int) -> int:
        assert (stream, mode) == (PRIVATE, 2)
        return 0

    def end(self, _stream: int, out: Any) -> int:
        made = next(self._numbers)
        self.captured += 1
        self.graphs.add(made)
        out[0] = made
        return 0

    def exchange(self, _mode: int) -> int:
        return 0

    def instantiate(self, out: Any, graph: int, flags: int) -> int:
        assert graph in self.graphs
        assert flags == 0
        if not self.instantiating:
            out[0] = graph + 1
            self.executables.add(graph + 1)
        return self.instantiating

    def destroy_graph(self, graph: int) -> int:
        self.graphs.remove(graph)
        return 0

    def launch(self, executable: int, stream: int | None) -> int:
        assert executable in self.executables
        if not self.status:
            self.launches.append((executable, stream or 0))
        return self.status

    def destroy(self, executable: int) -> int:
        self.executables.discard(executable)
        return 0

    def get_nodes(self, graph: int, out: Any, count: Any) -> int:
        assert graph in self.graphs
        count[0] = len(self.nodes)
        for place in range(len(self.nodes) if out else 0):
            out[place] = 1 + place
        return 0

    def get_type(self, node: int, out: Any) -> int:
        out[0] = self.nodes[node - 1]
        return 0

    def get_copy(self, node: int, out: int) -> int:
        assert self.nodes[node - 1] == _COPY
        for offset, kind in zip((32, 120), self.kinds, strict=True):  # of CUDA_MEMCPY3D
            _I.from_address(out + offset).value = kind
        return 0


def stop_replays() -> None:
    native: Any = compiled.native
    native._replay(functions=(), after=0, **arming.REPLAYS)


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
    monkeypatch.setattr(launcher.Launcher, "_replay", lambda *_, **__: made.set_up())
    yield made
    stop_replays()


def make() -> Sequence:
    """Return a plan of two parts."""
    middle = Y._replace(name="middle", uid=7)
    first = make_plan((X, W, middle))
    second = make_plan((middle._replace(role="input"), Y))
    steps = [
        Part(first, {"x": ("x", 0), "w": ("w", 0), "middle": ("\0", 0)}),
        Part(second, {"middle": ("\0", 0), "y": ("y", 0)}),
    ]
    return Sequence(steps, CONVOLUTION, buffers=4096)


def execute(plan: Any, times: int, *arrays: Any, **named: Any) -> None:
    for _ in range(times):
        plan(*arrays, **named)


def test_what_came_often_is_launched_as_a_graph(
    standin: StandIn, arrays: Library, graphs: Graphs
) -> None:
    plan = make()
    x, w, y = arrays.arrays()
    execute(plan, 4, x, w, y)  # the first one goes by Python, as the workspace is new
    streams = [each.stream for each in standin.executions]
    assert streams == [0] * 8 + [PRIVATE] * 2  # the last ones are captured and do not run
    assert not graphs.streams
    assert not graphs.graphs
    assert set(standin.streams.values()) == {0}
    assert graphs.launches == []
    for _ in range(5):
        assert plan(x, w, y) is plan(x, y=y, w=w) is y
    (executable,) = graphs.executables
    assert graphs.launches == [(executable, 0)] * 10
    assert len(standin.executions) == 10
    other = arrays.make(X, 0x80000)
    plan(other, w, y)
    assert standin.executions[10].pointers[1] == 0x80000
    plan(x, w, y)
    assert len(graphs.launches) == 11
    for place in range(16):  # the first one is forgotten then
        plan(arrays.make(X, 0x90000 + 0x10000 * place), w, y)
    assert not graphs.executables
    execute(plan, 12, x, w, y)
    assert len(graphs.executables) == 1
    del plan
    assert not graphs.executables


@pytest.mark.parametrize("on_host", [False, True])
def test_calls_by_addresses_alone(
    standin: StandIn, arrays: Library, graphs: Graphs, on_host: bool
) -> None:
    """A launcher's calls are launched as graphs, but not where they read a number of the host."""
    plan, given = make_plan(), {1: 0x1000, 2: 0x2000, 3: 0x3000}
    execute(plan, 1, *arrays.arrays())
    operands = [(15, 0, each, False, False) for each in (False, on_host, False)]
    launch = addresses.launcher(plan, lambda *_, **__: "slow", operands)
    launch._learn(None, handles.handle(), (1, 2, 3), (0, 1, 2), tuple(given.values()), False)
    standin.executions.clear()
    for _ in range(3):
        assert launch(given, None) is None
    assert len(standin.executions) == 3 + (not on_host)  # the last one is captured
    for _ in range(4):
        launch(given)
    assert len(graphs.launches) == (0 if on_host else 4)
    launch({**given, 1: 0x4000})
    assert standin.executions[-1].pointers[1] == 0x4000


def test_captures_that_are_worth_little_come_later(arrays: Library, graphs: Graphs) -> None:
    plan = make()
    others = [arrays.make(X, 0x80000 + 0x10000 * place) for place in range(16)]
    x, w, y = arrays.arrays()
    plan(x, w, y)
    for turn, (calls, last) in enumerate([(3, 3), (12, 12), (48, 48), (48, 48 + 70), (3, 3)]):
        x = arrays.make(X, 0x180000 + 0x10000 * turn)
        captured = graphs.captured
        execute(plan, calls - 1, x, w, y)
        assert graphs.captured == captured, turn
        execute(plan, 1 + last - calls, x, w, y)
        assert graphs.captured == captured + 1, turn
        for each in others:  # it is forgotten
            plan(each, w, y)


def test_what_cannot_be_launched_is_run(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    plan = make()
    x, w, y = arrays.arrays()
    execute(plan, 5, x, w, y)
    assert len(graphs.launches) == 1
    graphs.status = REFUSED
    count = len(standin.executions)
    plan(x, w, y)
    assert len(standin.executions) == count + 2
    assert not graphs.executables
    assert [each.stream for each in standin.executions[-2:]] == [0, 0]


@pytest.mark.parametrize("refuses", ["cudnn", "driver"])
def test_what_cannot_be_captured_is_tried_once(
    standin: StandIn, arrays: Library, graphs: Graphs, refuses: str
) -> None:
    def refuse_captures() -> None:
        standin.status = 3000 if PRIVATE in standin.streams.values() else 0

    plan = make()
    if refuses == "cudnn":
        standin.before = refuse_captures
    else:
        graphs.instantiating = 801
    execute(plan, 12, *arrays.arrays())
    assert [each.stream for each in standin.executions].count(0) == 24
    assert [each.stream for each in standin.executions].count(PRIVATE) == (
        1 if refuses == "cudnn" else 2
    )
    assert not graphs.launches
    assert not graphs.graphs
    assert not graphs.executables
    assert not graphs.streams
    assert set(standin.streams.values()) == {0}


def test_a_given_handle_is_used(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    plan = make()
    with handles.Handle() as handle:
        execute(plan, 9, *arrays.arrays(), handle=handle)
    assert len(standin.executions) == 18
    assert not graphs.launches


def test_other_handles_may_end(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    """A program may open a handle for each request."""
    plan = make()
    x, w, y = arrays.arrays()
    execute(plan, 5, x, w, y)
    count = len(standin.executions)
    for _ in range(20):
        with handles.Handle():
            plan(x, w, y)
        plan(x, w, y)
    assert len(graphs.launches) == 41
    assert graphs.captured == 1
    assert len(standin.executions) == count


def test_the_handle_of_a_capture_ends(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    """cuDNN may give the address of the handle that has ended to the next one."""
    plan = make_plan()
    x, w, y = arrays.arrays()
    execute(plan, 2, x, w, y)
    for turn in range(4):
        launches = len(graphs.launches)
        execute(plan, 2, x, w, y)
        assert len(graphs.launches) == launches + 1, turn  # the capture comes no later each time
        address = standin.next_handle = standin.executions[-1].handle
        handles.handle().close()
        count = len(standin.executions)
        execute(plan, 2, x, w, y)
        assert len(graphs.launches) == launches + 1, "launched with a handle that has ended"
        assert [each.handle for each in standin.executions[count:]] == [address] * 2


@HAS_LOCK
def test_the_interpreter_ends_while_a_daemon_captures(
    program: Program, cudnn_library: Path, compiled: bool
) -> None:
    """The thread would wait for Python's lock for ever, with the lock of the plan."""
    if not compiled:
        pytest.skip("nothing was compiled")
    done = program("ending", cudnn_library)
    assert done.stdout == "captured 1\nended\n"


@pytest.mark.usefixtures("standin", "graphs")
def test_launches_are_counted(arrays: Library) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    before = compiled.count_replays()
    execute(plan, 3, x, w, y)
    assert compiled.count_replays() == before
    execute(plan, 2, x, w, y)
    assert compiled.count_replays() == before + 2
    in_threads(lambda count: execute(plan, count, x, w, y), [5])
    assert compiled.count_replays() == before + 2, "another thread's are not counted"


def test_a_closed_part_is_told(arrays: Library, graphs: Graphs) -> None:
    plan = make()
    x, w, y = arrays.arrays()
    execute(plan, 6, x, w, y)
    assert graphs.launches
    graphs.launches.clear()
    plan.parts[1].close()
    with pytest.raises(errors.ClosedError):
        plan(x, w, y)
    assert not graphs.launches


def test_each_thread_has_its_own(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    plan = make()
    x, w, y = arrays.arrays()
    execute(plan, 6, x, w, y)
    launches = len(graphs.launches)
    before = len(standin.executions)
    in_threads(lambda count: execute(plan, count, x, w, y), [1])
    assert len(graphs.launches) == launches
    assert len(standin.executions) == before + 2
    assert standin.executions[-1].handle != standin.executions[0].handle


def test_streams_share_it_where_the_handle_is_the_same(
    standin: StandIn, arrays: Library, graphs: Graphs
) -> None:
    if arrays.module is None:
        pytest.skip("it has no current stream")
    plan = make()
    x, w, y = arrays.arrays()
    for stream in (0, 0x7700, 0x8800):
        arrays.module.current = stream
        graphs.launches.clear()
        standin.executions.clear()
        execute(plan, 6, x, w, y)
        assert {each.stream for each in standin.executions} <= {stream, PRIVATE}
        assert {each for _, each in graphs.launches} == {stream}


@pytest.mark.parametrize(
    ("value", "wanted"), [(None, 3), ("", 3), ("0", 0), ("7", 7), ("3000000000", 1 << 16)]
)
def test_the_variable(
    monkeypatch: pytest.MonkeyPatch, standin: StandIn, compiled: bool, value: Any, wanted: int
) -> None:
    del standin
    if not compiled:
        pytest.skip("nothing was compiled")
    found: list[int] = []
    monkeypatch.setattr(launcher.Launcher, "_replay", lambda _, after, **__: found.append(after))
    if value is not None:
        monkeypatch.setenv("CUDNN_CFFI_REPLAY", value)
    make_plan()
    assert found == [wanted]
    monkeypatch.setenv("CUDNN_CFFI_REPLAY", "x")
    with pytest.raises(errors.ArgumentError, match=r"CUDNN_CFFI_REPLAY.*got 'x'"):
        make_plan()


def test_what_is_replayed() -> None:
    plan: Any = SimpleNamespace(workspace_size=0, replays=True)
    other: Any = SimpleNamespace(workspace_size=0, replays=False)
    softmax = Step("cudnnSoftmaxForward", HANDLE)
    execution, copy, zero = Execute(plan, {}), Rows("x", "y", 1, 1, 1), Zero(Scratch(), 4)
    assert are_replayed([softmax, execution, copy, zero])
    assert are_replayed([execution])
    assert are_replayed([])
    assert not are_replayed([softmax, Step("cudnnDropoutForward", HANDLE)])
    assert not are_replayed([execution, Execute(other, {})])


def test_a_plan_that_cannot_be_captured_is_executed(
    standin: StandIn, arrays: Library, graphs: Graphs
) -> None:
    plan = make_plan(replays=False)
    x, w, y = arrays.arrays()
    execute(plan, 9, x, w, y)
    assert len(standin.executions) == 9
    assert not graphs.captured


def test_a_plan_is_launched_as_a_graph(standin: StandIn, arrays: Library, graphs: Graphs) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    execute(plan, 3, x, w, y)
    assert [each.stream for each in standin.executions] == [0, 0, 0, PRIVATE]
    assert set(standin.streams.values()) == {0}
    for _ in range(5):
        assert plan(x, w, y) is plan(x, y=y, w=w) is y
    (executable,) = graphs.executables
    assert graphs.launches == [(executable, 0)] * 10
    assert len(standin.executions) == 4
    others = [arrays.make(X, 0x80000 + 0x10000 * place) for place in range(15)]
    for each in others * 4:  # sixteen are known
        plan(each, w, y)
    plan(x, w, y)
    native: Any = plan
    assert graphs.captured == len(graphs.executables) == native._graphs() == 16
    assert len(graphs.launches) == 26
    assert standin.executions[4].pointers[1] == 0x80000
    plan.close()
    assert not graphs.executables
    with pytest.raises(errors.ClosedError):
        plan(x, w, y)
    assert len(graphs.launches) == 26


@pytest.mark.parametrize(
    ("nodes", "kinds", "fits"),
    [
        ([_MEMORY, _KERNEL, _KERNEL], (0, 0), True),
        ([_EMPTY, _KERNEL, _COPY], (_ON_DEVICE, _ON_DEVICE), True),
        ([_COPY, _KERNEL], (_ON_HOST, _ON_DEVICE), False),
        ([_KERNEL, _COPY], (_ON_DEVICE, _ON_HOST), False),
        ([_KERNEL, _HOST], (0, 0), False),
        ([_ALLOCATION, _KERNEL], (0, 0), False),
        ([], (0, 0), False),
        ([_KERNEL] * 2049, (0, 0), False),
    ],
)
def test_what_graphs_may_have(
    standin: StandIn, arrays: Library, graphs: Graphs, nodes: list[int], kinds: Any, fits: bool
) -> None:
    graphs.nodes, graphs.kinds = nodes, kinds
    plan = make_plan()
    execute(plan, 9, *arrays.arrays())
    assert graphs.captured == 1  # it is tried once
    assert len(standin.executions) == (4 if fits else 10)
    assert len(graphs.launches) == (6 if fits else 0)
    assert not graphs.graphs
    assert not graphs.streams


def test_captures_in_vain_come_later(arrays: Library, graphs: Graphs) -> None:
    graphs.nodes = [_HOST]
    plan = make_plan()
    _, w, y = arrays.arrays()
    for place, calls in enumerate((3, 12, 48)):
        x = arrays.make(X, 0x100000 + 0x1000 * place)
        execute(plan, calls - 1, x, w, y)
        assert graphs.captured == place
        execute(plan, calls, x, w, y)
        assert graphs.captured == place + 1


def test_addresses_that_change_are_not_looked_at(
    standin: StandIn, arrays: Library, graphs: Graphs
) -> None:
    plan = make_plan()
    _, w, y = arrays.arrays()
    for place in range(300):
        plan(arrays.make(X, 0x100000 + 0x1000 * place), w, y)
    x = arrays.make(X, 0x900000)
    execute(plan, 20, x, w, y)
    assert len(standin.executions) == 320
    assert graphs.captured == 0
    execute(plan, 256, x, w, y)
    assert graphs.captured == 1
    assert graphs.launches


@pytest.mark.usefixtures("standin")
def test_pauses_become_longer_where_addresses_go_on_changing(
    arrays: Library, graphs: Graphs
) -> None:
    plan = make_plan()
    _, w, y = arrays.arrays()
    others = (arrays.make(X, 0x100000 + 0x1000 * place) for place in range(1 << 20))
    looked = 1  # the first call goes by Python
    for pause in (256, 1024, 4096, 4096):
        for _ in range(looked + 256):  # each is looked at, and then none is
            plan(next(others), w, y)
        x = next(others)
        execute(plan, pause, x, w, y)
        assert graphs.captured == 0
        looked = 0
    execute(plan, 4, x, w, y)
    assert graphs.captured == 1


@pytest.mark.usefixtures("standin")
def test_a_process_has_a_bounded_number_of_graphs(arrays: Library, graphs: Graphs) -> None:
    x, w, y = arrays.arrays()
    graphs.most = 0
    plan = make_plan()
    execute(plan, 9, x, w, y)
    assert (graphs.captured, graphs.launches) == (0, [])
    graphs.most = 1 << 20  # as if others had ended
    other = make_plan()
    both: tuple[Any, ...] = (plan, other)
    for each in both:
        execute(each, 5, x, w, y)
        assert each._graphs() == 1
    assert graphs.captured == 2


def test_graphs_that_are_not_launched_any_more_make_room(
    standin: StandIn, arrays: Library, graphs: Graphs
) -> None:
    x, w, y = arrays.arrays()
    graphs.most = 4
    plans = [make_plan() for _ in range(5)]
    for each in plans[:4]:
        execute(each, 5, x, w, y)
    first, *others = sorted(graphs.executables)
    for each in plans[1:4]:
        each(x, w, y)
    # Calls in vain, one for each possible graph, during which three are launched.
    execute(plans[4], 3, x, w, y)
    for _ in range(2):
        for each in plans[1:]:
            each(x, w, y)
    assert graphs.captured == 4
    count = len(standin.executions)
    execute(plans[4], 1, x, w, y)
    assert len(standin.executions) == count + 2  # it is executed, then captured
    assert graphs.captured == 5
    assert len(graphs.executables) == 4
    assert first not in graphs.executables
    assert graphs.executables >= set(others)
    launches = len(graphs.launches)
    execute(plans[4], 3, x, w, y)
    assert len(graphs.launches) == launches + 3
    # A call whose graph made room is executed, and captured again after more repeats than before.
    count = len(standin.executions)
    execute(plans[0], 12, x, w, y)
    assert len(standin.executions) == count + 12
    for _ in range(6):
        execute(plans[0], 1, x, w, y)
        execute(plans[4], 1, x, w, y)
    oldest: Any = plans[0]
    assert oldest._graphs() == 1
    assert len(graphs.executables) == 4
    del plans, each, oldest
    assert not graphs.executables


@pytest.mark.usefixtures("standin")
def test_graphs_that_are_launched_in_turn_stay(arrays: Library, graphs: Graphs) -> None:
    """Also where there is none left for a few of those that come in turn."""
    x, w, y = arrays.arrays()
    graphs.most = 4
    plans = [make_plan() for _ in range(7)]
    for _ in range(50):
        for each in plans:
            each(x, w, y)
    assert graphs.captured == len(graphs.executables) == 4


@HAS_LOCK
@pytest.mark.usefixtures("standin")
def test_other_threads_run_while_a_graph_is_made(
    arrays: Library, graphs: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The driver may wait there, for what another thread has to launch.
    graphs._numbers = itertools.count(900_000, 0x100)
    sleep = ctypes.cast(ctypes.CDLL(None).usleep, _P).value or 0  # it waits for microseconds
    addresses = (*graphs.addresses[:6], sleep, *graphs.addresses[7:])  # as a graph is destroyed
    monkeypatch.setattr(launcher.Launcher, "_replay", lambda *_, **__: graphs.set_up(addresses))
    times: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            times.append(time.monotonic())

    plan = make_plan()
    other = threading.Thread(target=tick)
    other.start()
    execute(plan, 4, *arrays.arrays())
    end = time.monotonic()
    done.set()
    other.join()
    assert graphs.captured == 1
    assert any(end - 0.85 < each < end - 0.05 for each in times)


def nap(done: threading.Event) -> None:
    """Wait outside of Python's library, as for a device."""
    while not done.is_set():
        time.sleep(0.001)


def call_given(done: threading.Event) -> None:
    """Wait in a C function that Python's library calls."""
    gate = threading.Lock()
    gate.acquire()
    thread = threading.Thread(target=gate.acquire)
    thread.start()
    done.wait()
    gate.release()
    thread.join()


def _engine_run_backward(done: threading.Event) -> None:
    """Wait in a function with the name of PyTorch's, for threads of autograd that compute."""
    while not done.is_set():
        time.sleep(0.001)


@HAS_LOCK
@pytest.mark.parametrize(
    ("work", "where", "captured"),
    [(nap, {"nap"}, 0), (call_given, {"run", "wait"}, 0), (threading.Event.wait, {"wait"}, 1),
     (lambda done: done.wait(), {"wait"}, 1), (_engine_run_backward, {"_engine_run_backward"}, 1)],
)  # fmt: skip
def test_nothing_is_captured_while_a_thread_may_wait_for_the_device(
    standin: StandIn, arrays: Library, graphs: Graphs, work: Any, where: set[str], captured: int
) -> None:
    """The driver would refuse the thread, if it is between Python's lock and the driver."""
    plan, operands = make_plan(), arrays.arrays()
    done, before = threading.Event(), set(sys._current_frames())
    other = threading.Thread(target=work, args=(done,))
    other.start()
    while not where <= {
        frame.f_code.co_name
        for thread, frame in sys._current_frames().items()
        if thread not in before
    }:
        assert other.is_alive()
    execute(plan, 10, *operands)
    assert graphs.captured == captured
    assert len(standin.executions) + len(graphs.launches) == 10 + captured
    done.set()
    other.join()
    execute(plan, 12, *operands)  # four times as many calls as at first
    assert graphs.captured == 1


@HAS_LOCK
@pytest.mark.usefixtures("standin")
def test_threads_make_room_for_each_other(arrays: Library, graphs: Graphs) -> None:
    graphs.most = 3
    turn = threading.Semaphore()  # those that wait are in Python's library

    def work(_: int) -> None:
        for turns in range(500):  # none is captured while another thread makes plans
            if turns >= 6 and graphs.captured > 3:
                break
            plans = [make_plan() for _ in range(3)]
            for plan in plans:
                with turn:
                    execute(plan, 60, *arrays.arrays())

    in_threads(work, range(4))
    assert graphs.captured > 3
    assert not graphs.executables


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
    stop_replays()
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
