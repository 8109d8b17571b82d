"""Gradients of attention in two streams: the handle, stream and memory that each half gets."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, cast

import pytest
from cudnn_cffi import errors, handles
from cudnn_cffi._ways.array_spec import Spec
from cudnn_cffi._ways.case import Case
from cudnn_cffi._ways.classic_call import Change, Classic, Execute
from cudnn_cffi.driver.streams import Stream
from cudnn_cffi.memory import DeviceArray
from cudnn_cffi.ops.attn import same_bits
from cudnn_cffi.plan import Operand
from cudnn_cffi.plan.run.compiled import native

from tests.fake_driver import FakeDriver
from tests.plan import test_replaying
from tests.plan.conftest import Library
from tests.plan.standin import CONVOLUTION, StandIn, make_plan, own
from tests.plan.test_replaying import PRIVATE, REFUSED, Graphs, execute

HEAD = 64 * 8 * 2  # bytes

graphs = test_replaying.graphs


@pytest.fixture
def driver(driver: FakeDriver) -> FakeDriver:
    """Have C call the functions of events, too."""
    address, changed = ctypes.c_void_p, cast("Any", driver)
    for name, *kinds in (("cuEventRecord",), ("cuStreamWaitEvent", ctypes.c_uint)):
        function = getattr(driver, name)
        prototype = ctypes.CFUNCTYPE(ctypes.c_int, address, address, *kinds)
        setattr(
            changed,
            name,
            prototype(lambda *given, f=function: f(*map(address, given[:2]), *given[2:])),
        )
    return driver


def _way(standin: StandIn) -> tuple[Classic, list[DeviceArray]]:
    """Gradients of five heads, one at a time, and their arrays."""
    names = ("q", "k", "v", "o", "do", "dq", "dk", "dv")
    specs = {name: Spec.like((1, 5, 64, 8), "float16") for name in names}
    specs = {"stats": Spec.like((1, 5, 64, 1), "float32"), **specs}
    gives = {name: specs[name] for name in ("dq", "dk", "dv")}
    case = Case({name: each for name, each in specs.items() if name not in gives}, gives)

    def operands(case: Case) -> list[Operand]:
        arrays = enumerate({**case.inputs, **case.outputs}.items(), 1)
        return [
            Operand(
                name, uid, each.shape, each.strides, "FLOAT" if name == "stats" else "HALF",
                role="output" if name in gives else "input",
            )
            for uid, (name, each) in arrays
        ]  # fmt: skip

    standin.workspace_size = 1000
    way = same_bits._by_heads(case, (1, 1), make_plan(operands(same_bits._of_heads(case, (1, 1)))))
    arrays = [own(each, each.uid << 20, dtype=specs[each.name].dtype) for each in operands(case)]
    return way, arrays


def test_half_of_the_calls_go_to_a_second_stream(
    standin: StandIn, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    way, arrays = _way(standin)
    stream, by_python = Stream(), list[bool]()
    run = Classic._run

    def watched(self: Classic, *given: Any) -> object:
        by_python.append(self.is_steps)
        return run(self, *given)

    monkeypatch.setattr(Classic, "_run", watched)
    for turn in range(3):  # the compiled layer learns from the first one
        standin.executions.clear()
        driver.calls.clear()
        by_python.clear()
        way(*arrays, stream=stream)
        assert turn == 0 or by_python == [True] * (native is None)
        other_half, own_half = standin.executions[:2], standin.executions[2:]
        assert {each.stream for each in own_half} == {stream.address}
        (other,) = {each.stream for each in other_half}
        assert other != stream.address
        for half in (own_half, other_half):
            assert len({(each.handle, each.workspace) for each in half}) == 1
        assert other_half[0].handle != own_half[0].handle
        assert own_half[0].workspace >= other_half[0].workspace + 1000
        for half, heads in ((own_half, (0, 2, 4)), (other_half, (1, 3))):
            for each, head in zip(half, heads, strict=True):
                assert each.pointers[1] == (1 << 20) + head * 64 * 4  # statistics
                wanted = {uid: (uid << 20) + head * HEAD for uid in range(2, 10)}
                assert {uid: each.pointers[uid] for uid in wanted} == wanted
        waits = [each for each in driver.calls if each[0] in ("record", "wait")]
        assert waits == [
            ("record", stream.address), ("wait", other), ("record", other), ("wait", stream.address)
        ]  # fmt: skip


def test_a_capture_that_comes_first_has_one_stream(standin: StandIn, driver: FakeDriver) -> None:
    way, arrays = _way(standin)
    handle = handles.Handle(stream=Stream())
    driver.captures[handle.get_stream()] = 7
    assert handles.beside(handle) is handle
    del driver.captures[handle.get_stream()]
    other = handles.beside(handle)
    assert other is not handle
    assert handles.beside(handle) is other
    driver.captures[other.get_stream()] = 8  # of another stream that it takes part in
    assert handles.beside(handle) is handle
    driver.captures[handle.get_stream()] = 8  # of its own
    assert handles.beside(handle) is other
    driver.captures.clear()
    way(*arrays, handle=handle)
    assert {each.handle for each in standin.executions} == {handle.address, other.address}


@pytest.mark.usefixtures("standin")
def test_captures_use_the_stream_that_other_calls_of_the_thread_needed(driver: FakeDriver) -> None:
    own = handles.handle()
    other = handles.beside(own)
    captured = handles.Handle(stream=Stream())
    driver.captures[captured.get_stream()] = 7
    assert handles.beside(captured) is other


def test_it_can_be_computed_in_one_stream(standin: StandIn) -> None:
    way, arrays = _way(standin)
    assert way.instead is not None
    way.instead()(*arrays)
    heads = [each.pointers[2] - (2 << 20) for each in standin.executions]
    assert heads == [head * HEAD for head in range(5)]
    assert len({(each.handle, each.workspace) for each in standin.executions}) == 1


def test_each_stream_is_launched_as_a_graph(
    standin: StandIn, driver: FakeDriver, arrays: Library, graphs: Graphs
) -> None:
    x, w, y = CONVOLUTION
    z = y._replace(name="z", uid=4)
    names = {"x": "x", "w": "w"}
    halves = [Execute(make_plan((x, w, each)), {**names, each.name: each.name}) for each in (z, y)]
    steps = [Change.FORK, halves[0], Change.BACK, halves[1], Change.JOIN]
    way = Classic("cudnnBackendExecute", (x, w, y, z), steps)
    given = [*arrays.arrays(), arrays.make(z, 0x80000)]
    execute(way, 4, *given)
    streams = [each.stream for each in standin.executions]
    other, calls = streams[0], len(streams) // 2
    assert other
    # The last call is captured, and does not run.
    assert streams == [other, 0] * (calls - 1) + [PRIVATE] * 2
    assert set(standin.streams.values()) == {0, other}
    assert graphs.captured == 2
    assert not graphs.streams
    graphs.launches.clear()
    driver.calls.clear()
    execute(way, 5, *given)
    one, two = sorted(graphs.executables)
    assert graphs.launches == [(one, other), (two, 0)] * 5
    waits = [each for each in driver.calls if each[0] in ("record", "wait")]
    assert waits == [("record", 0), ("wait", other), ("record", other), ("wait", 0)] * 5
    assert len(standin.executions) == 2 * calls
    # Calls whose graphs cannot be launched are executed.
    graphs.status = REFUSED
    execute(way, 1, *given)
    assert [each.stream for each in standin.executions[2 * calls :]] == [other, 0]
    assert not graphs.executables
    graphs.status, graphs.instantiating = 0, 1
    execute(way, 40, *given)
    assert not graphs.executables
    assert not graphs.graphs
    graphs.instantiating = 0
    other_arrays = [*arrays.arrays(), arrays.make(z, 0x90000)]
    execute(way, 60, *other_arrays)
    assert len(graphs.executables) == 2
    graphs.launches.clear()
    standin.executions.clear()
    # The handle of the second stream has ended, and cuDNN may give its address to another one.
    ended = handles.beside(handles.handle())
    ended.stream = None
    ended.close()
    execute(way, 1, *other_arrays)
    assert not graphs.launches
    assert len(standin.executions) == 2
    assert standin.executions[0].stream not in (0, PRIVATE)


def test_a_step_that_fails_leaves_no_stream_alone(
    standin: StandIn, driver: FakeDriver, arrays: Library
) -> None:
    x, w, y = CONVOLUTION
    step = Execute(make_plan(), {each.name: each.name for each in (x, w, y)})
    way = Classic("cudnnBackendExecute", (x, w, y), [Change.FORK, step, Change.BACK, Change.JOIN])
    given = arrays.arrays()
    for turn in range(3):
        driver.calls.clear()
        standin.status = 2000 if turn else 0
        if turn:
            with pytest.raises(errors.CudnnError):
                way(*given)
        else:
            way(*given)
        waits = [each for each in driver.calls if each[0] in ("record", "wait")]
        other = standin.executions[-1].stream
        assert waits == [("record", 0), ("wait", other), ("record", other), ("wait", 0)]


@pytest.fixture(autouse=True)
def others(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    from weakref import WeakKeyDictionary

    del standin  # which ends after them

    made: WeakKeyDictionary[handles.Handle, handles.Handle] = WeakKeyDictionary()
    monkeypatch.setattr(handles.pool, "_beside", made)
    yield
    for each in list(made.values()):
        if not each.closed:
            each.stream = None  # the stream ends with its driver
            each.close()
