"""Plans as JSON and in pickles: nothing is lost, and what does not fit is refused."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable
from typing import Any

import pytest
from cudnn_cffi import errors, handles
from cudnn_cffi.plan import Operand, Plan, saving

from tests.fake_driver import FakeDriver
from tests.plan.standin import CONVOLUTION, StandIn, make_plan, own


def test_there_and_back(standin: StandIn) -> None:
    standin.workspace_size = 100
    operands = (
        CONVOLUTION[0]._replace(views=((17, 64),)),
        *CONVOLUTION[1:],
        Operand("scale", 8, (1,), (1,), "FLOAT", value=0.25, by_value=True),
        Operand("sum", 9, (4,), (1,), "FLOAT", role="workspace", fill=0),
    )
    plan = make_plan(operands, notes=("A", "B"), signature="s", text="y = x")
    text = plan.to_json()
    for again in (Plan.from_json(text), pickle.loads(pickle.dumps(plan)), copy.copy(plan)):
        assert again.operands == plan.operands
        assert all(type(each) is Operand for each in again.operands)
        assert again.to_json() == text
        assert (again.workspace_size, again.engine, again.knobs, again.notes) == (
            plan.workspace_size, 7, {"STAGES": 2}, ("A", "B"),
        )  # fmt: skip
        assert (again.signature, again.text, again.device) == ("s", "y = x", "Fake GPU")
        assert again.execution_plan is not plan.execution_plan


def test_cudnn_gets_its_own_text_back(standin: StandIn) -> None:
    plan = make_plan()
    with handles.Handle() as handle:
        again = Plan.from_json(plan.to_json(), handle)
        held = standin.alive[again.execution_plan.address]
        assert standin.text.encode() in held.values()
        assert [handles.handle(0).address] in held.values()
        x, w, y = (own(each, 0x10000 * each.uid) for each in CONVOLUTION)
        assert again(x, w, y, handle=handle) is y
    assert again(x, w, y) is y
    handles.handle(0).close()
    assert again.closed  # as everything that was made with that handle


@pytest.mark.usefixtures("standin")
def test_a_device_is_described() -> None:
    with pytest.raises(errors.ArgumentError, match=r"a description of a device, got 'H200'") as one:
        Plan.from_json(make_plan().to_json(), device="H200")
    assert "DeviceProperties" in str(one.value.hint)


def signed(saved: dict[str, Any]) -> str:
    """Return a text with the right digest: it was written so."""
    return json.dumps(saved | {"digest": saving.digest(saved)})


def change(**fields: Any) -> Callable[[str], str]:
    return lambda text: signed(json.loads(text) | fields)


def without(name: str) -> Callable[[str], str]:
    def remove(text: str) -> str:
        saved = json.loads(text)
        del saved[name]
        return signed(saved)

    return remove


def operand(**fields: Any) -> Callable[[str], str]:
    def set_fields(text: str) -> str:
        saved = json.loads(text)
        saved["operands"][0] |= fields
        return signed(saved)

    return set_fields


DAMAGED = {
    "cut off": lambda text: text[: len(text) // 2],
    "empty": lambda _: "",
    "no text": lambda _: None,
    "another text": lambda _: "[1, 2]",
    "deep": lambda _: "[" * 100_000,
    "no plan": without("plan"),
    "no operands": without("operands"),
    "a plan that is no text": change(plan=3),
    "a plan that is no JSON": change(plan="{"),
    "a plan of no device": change(plan="{}"),
    "a list as the plan": change(plan="[]"),
    "operands that are none": change(operands=[3]),
    "an unknown field": operand(color=1),
    "a uid that is none": operand(uid="x"),
    "a shape that is none": operand(shape=3),
    "extents that are none": operand(shape=["a", 8, 16, 16]),
    "too few strides": operand(strides=[1]),
    "a view that is none": operand(views=[3]),
    "an alignment that is none": operand(alignment=0),
    "a role that is none": operand(role="x"),
    "an argument that is filled": operand(fill=0),
    "knobs that are none": change(knobs=[1]),
    "a knob that is none": change(knobs={"STAGES": "x"}),
    "a number as the knobs": change(knobs=7),
    "an engine that is none": change(engine="x"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_text_that_is_damaged(standin: StandIn, case: str) -> None:
    text = make_plan().to_json()
    before = len(standin.alive)
    with pytest.raises(errors.ArgumentError):
        Plan.from_json(DAMAGED[case](text))
    assert len(standin.alive) <= before


@pytest.mark.usefixtures("standin")
def test_no_damage_gets_through() -> None:
    """cuDNN would end the process for some of these texts, and take others."""
    text = make_plan().to_json()
    draw = random.Random(20)
    found = 0
    for _ in range(300):
        at = draw.randrange(len(text))
        damaged = [
            text[:at] + chr(draw.randrange(32, 127)) + text[at + 1 :],
            text[:at] + text[at + draw.randrange(1, 9) :],
            text[:at] + str(draw.randrange(10)) + text[at:],
        ]
        for each in damaged:
            try:
                same = json.loads(each) == json.loads(text)
            except ValueError:
                same = False
            if not same:
                found += 1
                with pytest.raises((errors.ArgumentError, errors.VersionMismatchError)):
                    Plan.from_json(each)
    assert found > 500


@pytest.mark.usefixtures("standin")
def test_another_schema() -> None:
    text = change(schema=99)(make_plan().to_json())
    with pytest.raises(errors.ArgumentError, match="expected schema 2, got 99"):
        Plan.from_json(text)


@pytest.mark.usefixtures("standin")
def test_another_release() -> None:
    text = change(release="9.0.0")(make_plan().to_json())
    with pytest.raises(errors.VersionMismatchError, match=r"got one of cuDNN 9\.0\.0"):
        Plan.from_json(text)


@pytest.mark.usefixtures("standin")
def test_another_cuda() -> None:
    text = make_plan().to_json()
    other = json.loads(text)["cuda"] + 1
    with pytest.raises(
        errors.VersionMismatchError, match=rf"expected one of CUDA \d+, got one of CUDA {other}"
    ):
        Plan.from_json(change(cuda=other)(text))
    assert Plan.from_json(without("cuda")(text)).engine == 7  # as older versions wrote it


def test_another_device(standin: StandIn, driver: FakeDriver) -> None:
    text = make_plan().to_json()
    standin.text = standin.text.replace("Fake GPU", "Other GPU")
    other = make_plan().to_json()
    message = r"expected one for Fake GPU \(132 multiprocessors\), got one for Other GPU"
    with pytest.raises(errors.ArgumentError, match=message):
        Plan.from_json(other)

    def one(out: Any, *_: Any, **_named: Any) -> int:
        out._obj.value = 1
        return 0

    driver.cuDeviceGetAttribute = one  # type: ignore[method-assign]
    with pytest.raises(errors.ArgumentError, match="1 multiprocessors"):
        Plan.from_json(text)


def test_what_cudnn_refuses_leaves_nothing(standin: StandIn) -> None:
    plan = make_plan()
    text = plan.to_json()
    before = set(standin.alive)
    standin.reading = 3000
    with pytest.raises(errors.NotSupportedError, match="cudnnBackendGetAttribute"):
        Plan.from_json(text)
    assert set(standin.alive) == before


def test_a_release_without_json(standin: StandIn) -> None:
    plan = make_plan()
    standin.reading = 3000
    assert plan.engine is None
    assert plan.knobs == {}
    assert repr(plan) == "<Plan (x, w) -> y, engine None, workspace 0 bytes, for an unknown device>"
    with pytest.raises(errors.NotSupportedError, match="cannot write plans as JSON"):
        plan.to_json()
