"""Several plans that are called as one: addresses, memory between them, saving, what is refused."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from cudnn_cffi import errors, handles
from cudnn_cffi._ways.array_spec import Spec
from cudnn_cffi._ways.call_sequence import Steps
from cudnn_cffi.plan import Operand, Plan, Sequence, saving
from cudnn_cffi.plan.operand import Pair
from cudnn_cffi.plan.run.copy import Copy
from cudnn_cffi.plan.sequence import BUFFER, Part

from tests.fake_driver import FakeDriver
from tests.plan.conftest import Library
from tests.plan.standin import CONVOLUTION, StandIn, make_plan, own
from tests.threads import in_threads

X, W, Y = CONVOLUTION
SIZE = 2048 * 2
MIDDLE = X._replace(name="middle", uid=7)
FIRST = (X, W, MIDDLE._replace(role="output"))
SECOND = (MIDDLE, W._replace(views=((9, 64),)), Y)


def make(standin: StandIn, **about: Any) -> Sequence:
    """Return y = second(copied(first(x, w)), w), with two results between the parts."""
    standin.workspace_size = 1000
    first = make_plan(FIRST)
    standin.workspace_size = 3000
    second = make_plan(SECOND)
    moved = Copy(X.shape, "HALF", (X.strides, 0), ((2048, 256, 16, 1), 8))
    steps = [
        Part(first, {"x": ("x", 0), "w": ("w", 0), "middle": (BUFFER, 0)}),
        Part(moved, {"x": (BUFFER, 0), "y": (BUFFER, SIZE)}),
        Part(second, {"middle": (BUFFER, SIZE), "w": ("w", 32), "y": ("y", 0)}),
    ]
    return Sequence(steps, CONVOLUTION, buffers=2 * SIZE, **about)


def test_each_part_gets_its_addresses(standin: StandIn, arrays: Library, compiled: bool) -> None:
    plan = make(standin, text="y = x", signature="s")
    x, w, y = arrays.arrays()
    assert plan.workspace_size == 2 * SIZE + 3000
    calls: tuple[Callable[[], Any], ...] = (
        lambda: plan(x, w, y),
        lambda: plan(y=y, x=x, w=w),
        lambda: (plan.attempt if compiled else plan)(x, w, y),
        lambda: plan._run((x, w, y), {}),
    )
    for call in calls:
        assert call() is y
        first, second = standin.executions
        base = first.pointers[7]
        assert first.pointers == {1: 0x10000, 2: 0x20000, 7: base}
        assert second.pointers == {7: base + SIZE, 2: 0x20020, 9: 0x20020 + 64, 3: 0x30000}
        assert first.workspace == second.workspace == base + 2 * SIZE
        assert standin.copies == [(first.stream, base, base + SIZE + 16)]
        assert first.stream == second.stream
        standin.executions.clear()
        standin.copies.clear()
    if arrays.makes_outputs:
        assert type(plan(x, w)) is type(x)
    assert plan._is_armed == compiled
    assert [type(each) for each in plan.parts] == [Plan, Copy, Plan]
    assert make_plan().parts != ()
    assert (plan.engine, plan.knobs, plan.inputs, plan.outputs) == (None, {}, (X, W), (Y,))
    assert repr(plan).startswith("<Sequence (x, w) -> y, 3 parts, workspace ")
    assert "part 2: <Copy of HALF (1, 8, 16, 16)" in str(plan)


def test_it_goes_to_the_stream_that_is_asked_for(standin: StandIn, arrays: Library) -> None:
    plan = make(standin)
    x, w, y = arrays.arrays()
    space = own(Operand("space", 0, (1 << 20,), (1,), "UINT8"), 0x700000, dtype="uint8")
    with handles.Handle(stream=0x90) as handle:
        plan(x, w, y, handle=handle, workspace=space)
    assert {each.stream for each in standin.executions} == {0x90}
    assert standin.executions[0].pointers[7] == 0x700000
    with pytest.raises(errors.ArgumentError, match="workspace: expected 11192 bytes, got 8"):
        plan(x, w, y, workspace=own(Operand("s", 0, (8,), (1,), "UINT8"), 0x70, dtype="uint8"))


def test_what_does_not_fit_is_refused_before_anything_runs(
    standin: StandIn, arrays: Library
) -> None:
    plan = make(standin)
    x, w, y = arrays.arrays()
    bad = arrays.arrays(w={"dtype": "float32"})
    with pytest.raises(errors.ArgumentError, match="w: expected float16"):
        plan(*bad)
    inside = arrays.make(Y, 0x10000 + 512)
    with pytest.raises(errors.ArgumentError, match="y: expected memory of its own, it overla"):
        plan(x, w, inside)
    with pytest.raises(errors.NotSupportedError, match="made of one plan, this Sequence has 3"):
        plan.populate_cuda_graph(0x1234, x, w, y)
    with pytest.raises(errors.NotSupportedError, match="no execution plan"):
        plan.execution_plan  # noqa: B018
    assert not standin.executions
    assert not standin.copies
    plan.close()
    plan.close()
    assert plan.closed
    assert all(each.closed for each in plan.parts if isinstance(each, Plan))
    with pytest.raises(errors.ClosedError):
        plan(x, w, y)
    with pytest.raises(errors.ClosedError):
        plan.to_json()
    assert repr(plan) == "<Sequence (x, w) -> y, closed>"


def test_shared_plans_are_not_closed(standin: StandIn, arrays: Library) -> None:
    plan = make(standin)
    for each in plan.parts:
        if isinstance(each, Plan):
            each.share()
    for _ in range(2):
        plan(*arrays.arrays())
    with plan:
        pass
    assert plan.closed
    assert not any(each.closed for each in plan.parts)
    with pytest.raises(errors.ClosedError):
        plan(*arrays.arrays())
    alone = make_plan()
    alone.share()
    with alone:
        pass
    alone.close()
    x, w, y = arrays.arrays()
    assert alone(x, w, y) is y


def test_a_step_without_places_is_refused(standin: StandIn) -> None:
    plan = make_plan()
    for places in ({"x": ("x", 0)}, dict.fromkeys("xwy", ("z", 0))):
        with pytest.raises(errors.ArgumentError, match="places of all its operands"):
            Sequence([Part(plan, places)], CONVOLUTION)
    assert standin.alive


def test_there_and_back(standin: StandIn, arrays: Library) -> None:
    plan = make(standin, text="y = x", signature="s")
    text = plan.to_json()
    x, w, y = arrays.arrays()
    for again in (Plan.from_json(text), pickle.loads(pickle.dumps(plan)), copy.copy(plan)):
        assert type(again) is Sequence
        assert again.to_json() == text
        assert (again.operands, again.signature, again.text) == (CONVOLUTION, "s", "y = x")
        assert (again.device, again.notes) == ("Fake GPU", ())
        standin.executions.clear()
        assert again(x, w, y) is y
        assert standin.executions[1].pointers[2] == 0x20020


def test_damaged_texts_are_refused(standin: StandIn) -> None:
    plan = make(standin)
    text = plan.to_json()
    saved = json.loads(text)

    def signed(**fields: Any) -> str:
        changed = saved | fields
        return json.dumps(changed | {"digest": saving.digest(changed)})

    for wrong in (
        text[:-2] + " }",
        text.replace("Fake", "fake"),
        signed(parts=3),
        signed(buffers="many"),
        signed(parts=[{}]),
        signed(parts=[*saved["parts"][:1], {"copy": {"shape": 1}, "places": {}}]),
        signed(parts=[{**saved["parts"][0], "places": {}}]),
        signed(parts=[{**saved["parts"][0], "plan": "{}"}]),
        signed(profile={}),
    ):
        with pytest.raises(errors.ArgumentError, match=r"damaged|places|Expecting"):
            Plan.from_json(wrong)
    with pytest.raises(errors.VersionMismatchError):
        Plan.from_json(signed(release="9.0.0"))
    with pytest.raises(errors.ArgumentError, match="Other GPU"), handles.Handle() as handle:
        Plan.from_json(signed(profile={"deviceName": "Other GPU"}), handle)


def test_a_capture_keeps_it(standin: StandIn, arrays: Library, driver: FakeDriver) -> None:
    plan = make(standin)
    x, w, y = arrays.arrays()
    plan.prepare(stream=0x880)
    with handles.Handle(stream=0x880) as handle:
        plan.prepare(handle)
        driver.captures[0x880] = 7
        plan(x, w, y, handle=handle)
        driver.captures.clear()
    assert driver.retained


def test_threads_do_not_mix_their_parts(standin: StandIn, arrays: Library) -> None:
    plan = make(standin)
    x, w, y = arrays.arrays()
    plan(x, w, y)
    standin.executions.clear()
    in_threads(lambda _: [plan(x, w, y) for _ in range(20)], range(4))
    assert len(standin.executions) == 160
    pairs = zip(standin.executions[::2], standin.executions[1::2], strict=True)
    assert all(first.handle == second.handle for first, second in pairs)


class TestCopies:
    @pytest.mark.parametrize(
        ("shape", "source", "target", "kind", "calls"),
        [
            ((4, 6), (6, 1), (6, 1), "FLOAT", 1),
            ((2, 3, 4, 5), (60, 20, 5, 1), (60, 1, 15, 3), "HALF", 1),
            ((2, 3, 4, 5), (60, 20, 5, 1), (60, 1, 15, 3), "INT64", 1),
            ((2, 3, 2, 3, 2, 3), (108, 36, 18, 6, 3, 1), (1, 2, 6, 12, 36, 72), "FLOAT", 2),
        ],
    )
    def test_all_elements_are_copied(
        self, shape: Any, source: Any, target: Any, kind: str, calls: int
    ) -> None:
        """The descriptors and places of the calls together are the copy, byte by byte."""
        import numpy as np

        step = Copy(shape, kind, (source, 0), (target, 0))
        a, b, places = step._calls
        assert len(places) == calls
        size = step.itemsize
        unit = {"FLOAT": 4, "HALF": 2, "INT64": 1}[kind]

        def bytes_of(extents: Any, strides: Any, width: int, begin: int = 0) -> np.ndarray:
            found = np.full(tuple(extents), begin)
            for axis, (n, step) in enumerate(zip(extents, strides, strict=True)):
                found += (np.arange(n) * step * width).reshape(-1, *[1] * (len(extents) - axis - 1))
            return (found[..., None] + np.arange(width)).ravel()

        wanted = set(zip(bytes_of(shape, source, size), bytes_of(shape, target, size), strict=True))
        found = [
            pair
            for at, to in places
            for pair in zip(
                bytes_of(a.shape, a.strides, unit, at),
                bytes_of(b.shape, b.strides, unit, to),
                strict=True,
            )
        ]
        assert len(found) == len(wanted)
        assert set(found) == wanted

    def test_what_cannot_be_copied(self) -> None:
        for kind in ("INT4", "FP4_E2M1", "INT8x4"):
            with pytest.raises(errors.NotSupportedError, match="no function copies"):
                Copy((4, 4), kind, ((4, 1), 0), ((4, 1), 0))
        with pytest.raises(errors.NotSupportedError, match="repeated"):
            Copy((4, 4), "FLOAT", ((0, 1), 0), ((4, 1), 0))


def test_it_is_a_part_of_another_call(standin: StandIn, arrays: Library, compiled: bool) -> None:
    """Its steps are steps of that call, which the compiled layer makes."""
    specs = [Spec("float16", each.shape, each.strides, 0) for each in CONVOLUTION]
    steps = Steps({"a": specs[0], "b": specs[1]}, {"c": specs[2]})
    steps.plan(make_plan((X, Y)), {"x": "a", "y": steps.room("copy", specs[0])})
    steps.plan(make(standin), {"x": "copy", "w": "b", "y": "c"})
    call = steps.classic()
    assert call.workspace_size == 3 * SIZE + 3072
    assert call._apart == (Pair("c", "b"),), "the last part, which writes, reads no more"
    x, w, y = arrays.arrays()
    for _ in range(3):
        assert call(x, w, y) is y
        before, first, second = standin.executions
        base = before.pointers[3]
        assert before.pointers == {1: 0x10000, 3: base}
        assert first.pointers == {1: base, 2: 0x20000, 7: base + SIZE}
        assert second.pointers == {7: base + 2 * SIZE, 2: 0x20020, 9: 0x20020 + 64, 3: 0x30000}
        assert first.workspace == second.workspace == base + 3 * SIZE
        standin.executions.clear()
    if compiled:
        assert call.attempt(x, w, y) is y, "Python makes the call"


@pytest.mark.usefixtures("standin")
def test_arrays_in_the_same_memory_as_a_part_of_another_call() -> None:
    """A result may not be written before an input is read by a later part."""
    first, second = make_plan((X, Y)), make_plan((W, Y._replace(shape=W.shape, strides=W.strides)))
    operands = X, W, Y, Y._replace(name="z", uid=8, shape=W.shape, strides=W.strides)
    parts = [
        Part(first, {"x": ("x", 0), "y": ("y", 0)}),
        Part(second, {"w": ("w", 0), "y": ("z", 0)}),
    ]
    specs = [Spec("float16", each.shape, each.strides, 0) for each in operands]
    steps = Steps({"a": specs[0], "b": specs[1]}, {"c": specs[2], "d": specs[3]})
    steps.plan(Sequence(parts, operands), {"x": "a", "w": "b", "y": "c", "z": "d"})
    pairs = [("c", "a"), ("c", "b"), ("c", "d"), ("d", "b")]
    assert steps.classic()._apart == tuple([Pair(*each) for each in pairs])
