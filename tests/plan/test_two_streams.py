"""Gradients of attention in two streams: the handle, stream and memory that each half gets."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import handles
from cudnn_cffi._ways.array_spec import Spec
from cudnn_cffi._ways.case import Case
from cudnn_cffi._ways.classic_call import Classic
from cudnn_cffi.driver.streams import Stream
from cudnn_cffi.memory import DeviceArray
from cudnn_cffi.ops.attn import same_bits
from cudnn_cffi.plan import Operand
from cudnn_cffi.plan.run.compiled import native

from tests.fake_driver import FakeDriver
from tests.plan.standin import StandIn, make_plan, own

HEAD = 64 * 8 * 2  # bytes


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
        assert turn == 0 or by_python == [False] + [True, True] * (native is None)
        own_half, other_half = standin.executions[:3], standin.executions[3:]
        assert {each.stream for each in own_half} == {stream.address}
        (other,) = {each.stream for each in other_half}
        assert other != stream.address
        for half in (own_half, other_half):
            assert len({(each.handle, each.workspace) for each in half}) == 1
        assert other_half[0].handle != own_half[0].handle
        assert other_half[0].workspace >= own_half[0].workspace + 1000
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


@pytest.fixture(autouse=True)
def others(monkeypatch: pytest.MonkeyPatch) -> None:
    from weakref import WeakKeyDictionary

    monkeypatch.setattr(handles.pool, "_beside", WeakKeyDictionary())
