"""Calls of plans: what cuDNN gets, in which stream, and what is refused before it gets anything."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import struct
import sys
import threading
import weakref
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import errors, handles
from cudnn_cffi._ways.classic_call import Classic, Zero
from cudnn_cffi.arrays import libraries
from cudnn_cffi.driver import captures
from cudnn_cffi.driver.streams import Stream
from cudnn_cffi.plan import Computation, Operand, Plan
from cudnn_cffi.plan.arrays import cupy_fields
from cudnn_cffi.plan.run import addresses as addressing
from cudnn_cffi.plan.run import reading

from tests.fake_driver import FakeDriver
from tests.plan.conftest import KNOWN, UNKNOWN, Library, make_library
from tests.plan.standin import CONVOLUTION, StandIn, fake_cupy, fake_torch, make_plan, own
from tests.threads import in_threads


def pointers(*arrays: Any) -> dict[int, int]:
    from cudnn_cffi.arrays import device_pointer

    return {uid: device_pointer(array) for uid, array in enumerate(arrays, 1)}


#: Functions that C may call until other plans are made.
_kept: list[Any] = []


def of_two_devices(out: Any, _attribute: int, _address: Any) -> int:
    """Be the driver's cuPointerGetAttribute: what is at 0x60000 is of device 1."""
    out._obj.value = int(_address.value == 0x60000)
    return 0


def test_it_gives_cudnn_the_addresses(standin: StandIn, arrays: Library) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    calls: tuple[Callable[[], Any], ...] = (
        lambda: plan(x, w, y),
        lambda: plan(x, w, y=y),
        lambda: plan(y=y, w=w, x=x),
        lambda: plan(x, w, y, handle=None),
    )
    for call in calls:
        for _ in range(3):  # the compiled layer learns from the first one
            assert call() is y
            assert standin.executions.pop().pointers == pointers(x, w, y)
    other = arrays.make(CONVOLUTION[0], 0x80000)
    plan(other, w, y)
    assert standin.executions.pop().pointers == pointers(other, w, y)
    assert not standin.executions


def test_the_compiled_layer_makes_plain_calls(
    standin: StandIn, arrays: Library, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        pytest.skip("nothing was compiled")
    plan = make_plan()
    x, w, y = arrays.arrays()
    plan(x, w, y)
    if arrays.module is not None:
        plan(x, w)  # how the library makes new arrays is learnt with the first one
    standin.executions.clear()
    monkeypatch.setattr(Plan, "_run", lambda *_: pytest.fail("it was made in Python"))
    with handles.Handle() as handle:
        assert plan(x, w, y) is plan(x, y=y, w=w) is plan(x, w, y, handle=handle) is y
    if arrays.module is not None:
        assert plan(x, w) is not y
    assert len(standin.executions) == (3 if arrays.module is None else 4)


@pytest.mark.usefixtures("standin")
def test_steps_in_a_thread_without_a_context_are_left_to_python(
    arrays: Library, driver: FakeDriver, compiled: bool
) -> None:
    """The driver's own functions need a context, and Python makes the handle's current."""
    pointer = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_void_p))
    current: list[int] = []

    def get(out: Any) -> int:
        out[0] = driver.current
        return 0

    def fill(*_: Any) -> int:
        current.append(driver.current)
        return 0 if driver.current else 201

    fake: Any = driver
    fake.cuCtxGetCurrent = pointer(get)
    _kept.append(fake.cuCtxGetCurrent)
    size, address = ctypes.c_size_t, ctypes.c_void_p
    fake.cuMemsetD8Async = ctypes.CFUNCTYPE(ctypes.c_int, size, ctypes.c_ubyte, size, address)(fill)
    way, plan = Classic("cuMemsetD8Async", CONVOLUTION, [Zero("y", 64)]), make_plan()
    given = arrays.arrays()
    with handles.Handle() as handle:
        for each in (way, plan):
            each(*given, handle=handle)
            assert each.attempt(*given, handle=handle) is (given[2] if compiled else NotImplemented)
        driver.current = 0
        assert way.attempt(*given, handle=handle) is NotImplemented
        assert way(*given, handle=handle) is given[2]
        assert driver.current == 0x1000, "it stays"
        assert way.attempt(*given, handle=handle) is (given[2] if compiled else NotImplemented)
        driver.current = 0
        if compiled:  # cuDNN has the context of CUDA's runtime
            assert plan.attempt(*given, handle=handle) is given[2]
        driver.current = 0x1000
    assert set(current) == {0x1000}


def test_attempts(standin: StandIn, arrays: Library, compiled: bool) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    plan(x, w, y)
    standin.executions.clear()
    expected = y if compiled else NotImplemented
    assert plan.attempt(x, w, y) is plan.attempt(x, y=y, w=w) is expected
    assert len(standin.executions) == (2 if compiled else 0)
    standin.executions.clear()
    bad = arrays.arrays(w={"dtype": "float32"})
    for given in ((x,), (x, w, y, y), (3, w, y), bad, (None, w, y)):
        assert plan.attempt(*given) is NotImplemented
    assert plan.attempt(x, w, z=y) is NotImplemented
    assert plan.attempt(x, w, y, stream="none") is NotImplemented
    plan.close()
    assert plan.attempt(x, w, y) is NotImplemented
    assert standin.executions == []


def test_a_plan_that_is_older_than_numpy(
    standin: StandIn, arrays: Library, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiled layer knows the dtypes of arrays from the first call on."""
    with monkeypatch.context() as without:
        without.delitem(sys.modules, "numpy")
        plan = make_plan()
    x, w, y = arrays.arrays()
    plan(x, w, y)
    assert plan.attempt(x, w, y) is (y if compiled else NotImplemented)
    assert len(standin.executions) == (2 if compiled else 1)


def test_an_interrupt_ends_a_call_that_the_compiled_layer_makes(
    standin: StandIn, arrays: Library, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no reason to make the call in another way."""
    if not compiled:
        pytest.skip("nothing was compiled")
    plan = make_plan()
    x, w, y = arrays.arrays()
    plan(x, w, y)
    standin.executions.clear()
    address = type(plan)._stream_address
    raised: list[type[BaseException]] = [KeyboardInterrupt, SystemExit, ValueError]

    def interrupt(self: Any, stream: Any) -> int:
        if raised:
            raise raised.pop(0)
        return address(self, stream)

    monkeypatch.setattr(type(plan), "_stream_address", interrupt)
    for kind in (KeyboardInterrupt, SystemExit):
        with pytest.raises(kind):
            plan(x, w, y, stream=0)
    assert standin.executions == []
    assert plan(x, w, y, stream=0) is y
    assert raised == []


def test_packs_are_not_left_over(standin: StandIn, arrays: Library) -> None:
    plan = make_plan()
    _, w, y = arrays.arrays()
    others = [arrays.make(CONVOLUTION[0], 0x90000 + 0x1000 * n) for n in range(20)]
    for each in others * 3:
        plan(each, w, y)
    assert len(standin.alive) <= 17  # the plan, and the last packs
    with plan._lock():
        pass
    gc.disable()
    try:
        del plan
        assert standin.alive == {}  # with the last reference
    finally:
        gc.enable()


WRONG: dict[str, tuple[str, dict[str, Any], type[errors.CudnnError], str]] = {
    "a type": ("w", {"dtype": "float32"}, errors.ArgumentError, "w: expected float16, got float32"),
    "a shape": (
        *("x", {"shape": (1, 8, 16, 8)}, errors.ShapeMismatchError),
        r"x: expected the shape \(1, 8, 16, 16\), got \(1, 8, 16, 8\)",
    ),
    "an axis too few": (
        *("x", {"shape": (8, 16, 16), "strides": (1, 128, 8)}, errors.ShapeMismatchError),
        r"x: expected the shape \(1, 8, 16, 16\), got \(8, 16, 16\)\n  hint: also axes",
    ),
    "strides": (
        *("y", {"strides": (2048, 256, 16, 1)}, errors.ArgumentError),
        r"y: expected strides of \(2048, 1, 128, 8\) elements, got \(2048, 256, 16, 1\)",
    ),
    "an address": (
        *("w", {"address": 0x20008}, errors.MisalignedPointerError),
        "w: expected an address that is a multiple of 16, got 0x20008",
    ),
    "a device": (
        *("w", {"device": 1, "address": 0x60000}, errors.ArgumentError),
        "w: expected memory of device 0, got of device 1",
    ),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("calls_before", [0, 1])
def test_an_operand_that_does_not_fit(
    standin: StandIn, arrays: Library, driver: FakeDriver, case: str, calls_before: int
) -> None:
    name, changes, kind, message = WRONG[case]
    if case == "a device" and arrays.name == "cupy":
        driver.cuPointerGetAttribute = of_two_devices  # type: ignore[method-assign]
    plan = make_plan()
    if calls_before:
        plan(*arrays.arrays())
    standin.executions.clear()
    bad = arrays.arrays(**{name: changes})
    with pytest.raises(kind, match=message):
        plan(*bad)
    assert standin.executions == []
    assert plan(*arrays.arrays()) is not None


def test_an_array_that_has_changed(standin: StandIn, arrays: Library) -> None:
    """The compiled layer forgets the facts about an array when the array changes."""
    plan = make_plan()
    x, w, y = arrays.arrays()
    for _ in range(4):
        plan(x, w, y)
    if arrays.name == "cupy":
        x.shape, x.strides = (1, 16, 8, 16), (4096, 2, 512, 32)
        with pytest.raises(errors.ShapeMismatchError, match="x: expected the shape"):
            plan(x, w, y)
    if arrays.name == "own":
        view = x.transpose(0, 1, 3, 2)
        with pytest.raises(errors.ArgumentError, match="x: expected strides"):
            plan(view, w, y)
    for _ in range(50):  # at the address of one that was freed
        plan(arrays.make(CONVOLUTION[0], 0x10000), w, y)
        other = arrays.make(CONVOLUTION[0], 0x10000, strides=(2048, 256, 16, 1))
        with pytest.raises(errors.ArgumentError, match="x: expected strides"):
            plan(other, w, y)
        del other
    for number in range(40):  # more than there are packs
        plan(arrays.make(CONVOLUTION[0], 0x10000 * (4 + number % 19)), w, y)
        assert standin.executions.pop().pointers[1] == 0x10000 * (4 + number % 19)


@pytest.mark.skipif("cupy in C" not in KNOWN, reason="its fields are not read there")
def test_where_cupy_has_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found where an array has them; where one is missing or twice there, none are."""
    for name in ("cupy", "cupy in C"):
        module, backends = fake_cupy(name)
        monkeypatch.setitem(sys.modules, "cupy", module)
        monkeypatch.setitem(sys.modules, "cupy_backends", ModuleType("cupy_backends"))
        monkeypatch.setitem(sys.modules, "cupy_backends.cuda", backends)
        cupy_fields.current_stream.cache_clear()
        cupy_fields.find_fields.cache_clear()
        found, capsule = cupy_fields.find_fields(module.ndarray), cupy_fields.current_stream()
        if name == "cupy":
            assert found is None
            assert capsule is None
    assert found is not None
    assert found[:-1] == (24, 56, 88, 104, 40, 28)
    assert found.memory is module.ndarray.data_type
    assert "intptr_t (void)" in repr(capsule)

    class Derived(module.ndarray):  # type: ignore[name-defined, misc]
        __slots__ = ()

    assert cupy_fields.find_fields(Derived) is None
    monkeypatch.setattr(module.ndarray, "strides", (2, 2))
    cupy_fields.find_fields.cache_clear()
    assert cupy_fields.find_fields(module.ndarray) is None
    cupy_fields.find_fields.cache_clear()


def test_other_strides_of_axes_with_one_element(standin: StandIn, arrays: Library) -> None:
    plan = make_plan()
    good, other = arrays.arrays(), arrays.arrays(x={"strides": (1, 1, 128, 8)})
    for _ in range(2):
        plan(*good)
        plan(*other)
    assert len(standin.executions) == 4


def test_calls_leave_no_references(standin: StandIn, arrays: Library) -> None:
    """Neither those that execute, nor those that are refused in C or in Python."""
    plan = make_plan()
    x, w, y = arrays.arrays()
    bad = arrays.arrays(w={"dtype": "float32"})[1]

    def call(*given: Any, **named: Any) -> None:
        with contextlib.suppress(errors.CudnnError):
            plan(*given, **named)
        plan.attempt(*given, **named)
        standin.executions.clear()

    def calls() -> None:
        call(x, w, y)
        call(x, y=y, w=w)
        call(x, bad, y)
        call(x, w, 3)
        call(x, None, y)
        call(x, w, y, z=3)
        call(x, w, y, y)
        if arrays.module is not None:
            call(x, w)

    kept = [plan, x, w, y, bad, x.shape, y.shape, None, NotImplemented, *plan.operands]
    for _ in range(20):
        calls()
    gc.collect()
    before = [sys.getrefcount(each) for each in kept]
    for _ in range(50):
        calls()
    gc.collect()
    after = [sys.getrefcount(each) for each in kept]
    # Counts of None by Python itself may differ by a few; a leak is one in each call.
    assert [b for a, b in zip(before, after, strict=True) if b - a >= 50] == []


NO_ARRAYS: dict[str, tuple[Callable[[Any], Any], type[errors.CudnnError], str]] = {
    "an int": (
        lambda _: 4096,
        errors.ArgumentError,
        "x: expected device memory, got an int\n  hint: pass an array: an address does not",
    ),
    "None": (
        lambda _: None,
        errors.ArgumentError,
        "x: expected device memory, got a NoneType\n  hint: only outputs may be left out",
    ),
    "host memory": (lambda _: __import__("numpy").zeros(3), errors.ArgumentError, "x: .* in host"),
    "a str": (lambda _: "x", errors.ArgumentError, "x: expected device memory, got a str"),
    "a closed array": (lambda array: array.close() or array, errors.ClosedError, "x: .* freed"),
    "no array": (lambda _: object(), errors.ArgumentError, "x: expected device memory"),
}


@pytest.mark.parametrize("case", NO_ARRAYS)
@pytest.mark.parametrize("calls_before", [0, 1])
def test_what_is_no_array_in_device_memory(standin: StandIn, case: str, calls_before: int) -> None:
    change, kind, message = NO_ARRAYS[case]
    plan = make_plan()
    x, w, y = (own(each, 0x10000 * each.uid) for each in CONVOLUTION)
    for _ in range(calls_before):
        plan(x, w, y)
    standin.executions.clear()
    with pytest.raises(kind, match=message):
        plan(change(x), w, y)
    assert standin.executions == []


def test_tensors_without_memory(standin: StandIn, arrays: Library) -> None:
    if arrays.name == "own":
        pytest.skip("its own arrays always have memory, or are closed")
    plan = make_plan()
    plan(*arrays.arrays())
    standin.executions.clear()
    with pytest.raises(errors.CudnnError, match=r"x: expected device memory, got an? .*freed"):
        plan(*arrays.arrays(x={"address": 0}))
    assert standin.executions == []


ARGUMENTS: dict[str, tuple[Callable[[Plan, Any, Any, Any], Any], str]] = {
    "missing": (lambda p, x, _w, _y: p(x), "w: it is missing"),
    "too many": (lambda p, x, w, y: p(x, w, y, y), "expected 3 operands, got 4"),
    "unknown": (lambda p, x, w, y: p(x, w, z=y), "no operand 'z'\n  hint: one of x, w, y"),
    "twice": (lambda p, x, w, _y: p(x, w, w=w), "w: given twice"),
    "no handle": (lambda p, x, w, y: p(x, w, y, handle=3), "handle: expected a Handle"),
    "no stream": (lambda p, x, w, y: p(x, w, y, stream="s"), "expected a CUDA stream"),
    "a workspace": (
        lambda p, x, w, y: p(x, w, y, workspace=3),
        "workspace: expected device memory",
    ),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_wrong_arguments(standin: StandIn, arrays: Library, case: str) -> None:
    call, message = ARGUMENTS[case]
    plan = make_plan()
    x, w, y = arrays.arrays()
    for _ in range(2):
        with pytest.raises(errors.ArgumentError, match=message):
            call(plan, x, w, y)
        assert standin.executions == []
        plan(x, w, y)
        standin.executions.clear()


def test_what_is_closed(standin: StandIn, arrays: Library) -> None:
    x, w, y = arrays.arrays()
    plan = make_plan()
    handle = handles.Handle()
    for _ in range(2):
        plan(x, w, y, handle=handle)
    handle.close()
    with pytest.raises(errors.ClosedError, match="the Handle is closed"):
        plan(x, w, y, handle=handle)
    plan(x, w, y)
    plan.close()
    plan.close()
    with pytest.raises(errors.ClosedError, match="the Plan is closed"):
        plan(x, w, y)
    for use in (plan.to_json, plan.prepare, lambda: plan.execution_plan):
        with pytest.raises(errors.ClosedError, match="the Plan is closed"):
            use()
    assert plan.closed
    assert "closed" in repr(plan)
    other = make_plan()
    other(x, w, y)
    other.execution_plan.close()
    with pytest.raises(errors.ClosedError, match="the Plan is closed"):
        other(x, w, y)
    assert len(standin.executions) == 4


def test_a_closed_stream(standin: StandIn, arrays: Library) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    stream = Stream()
    with handles.Handle(stream=stream) as handle:
        for _ in range(2):
            plan(x, w, y, handle=handle)
            assert standin.executions.pop().stream == stream.address
        stream.close()
        with pytest.raises(errors.ClosedError, match="stream"):
            plan(x, w, y, handle=handle)
    assert standin.executions == []


@pytest.mark.usefixtures("standin")
def test_plans_are_made_with_the_threads_own_handle() -> None:
    """A plan that is shared by all who compute the same does not end with the handle of one of
    them."""
    given = handles.Handle(0)
    computation = Computation(None, CONVOLUTION, handle=given)
    own = computation.owner
    assert own is handles.handle(0)
    given.close()
    assert computation.owner is own
    assert not own.closed
    assert Computation(None, CONVOLUTION, handle=own).owner is own
    elsewhere = handles.Handle(0)
    elsewhere._context = 0x77  # that of another context's memory
    assert Computation(None, CONVOLUTION, handle=elsewhere).owner is elsewhere
    assert Computation(None, CONVOLUTION, device=object()).owner is None
    elsewhere._context = own._context


def test_a_handle_of_another_device(standin: StandIn, arrays: Library) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    plan(x, w, y)
    handle = handles.Handle.from_address(0x500000, device=0)
    handle.device = 1
    standin.streams[0x500000] = 0
    with pytest.raises(errors.ArgumentError, match="expected memory of device 1, got of device 0"):
        plan(x, w, y, handle=handle)
    assert len(standin.executions) == 1


def test_a_plan_of_another_device(standin: StandIn, arrays: Library, driver: FakeDriver) -> None:
    """One that was made with a handle runs on its device."""
    there = {"device": 1, "address": 0x60000}
    driver.cuPointerGetAttribute = of_two_devices  # type: ignore[method-assign]
    with handles.Handle() as handle:
        plan = make_plan(handle=handle)
        for _ in range(2):
            with pytest.raises(errors.ArgumentError, match="x: expected memory of device 0"):
                plan(*arrays.arrays(x=there))
            assert standin.executions == []
            plan(*arrays.arrays())
            standin.executions.clear()
        handle.device = 1
        with pytest.raises(errors.ArgumentError, match="handle: expected one of device 0"):
            plan(*arrays.arrays(), handle=handle)


def test_a_status_is_the_error_of_the_execution(standin: StandIn, arrays: Library) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    plan(x, w, y)
    for _ in range(2):
        standin.status = 5000
        with pytest.raises(errors.ExecutionFailedError, match="cudnnBackendExecute") as caught:
            plan(x, w, y)
        assert caught.value.status == 5000
        standin.status = 0
        assert plan(x, w, y) is y


@pytest.mark.parametrize("name", ["own", *UNKNOWN])
def test_read_only_arrays(
    name: str, standin: StandIn, monkeypatch: pytest.MonkeyPatch, compiled: bool
) -> None:
    """They are read, and refused where they would be written, also where a call is known."""
    standin.workspace_size = 512
    plan, library = make_plan(), make_library(name, monkeypatch)
    x, w, y = library.arrays()
    fixed_y = library.make(CONVOLUTION[2], address=0x40000)
    room, fixed_room = (
        library.make(Operand("s", 9, (512,), (1,), "UINT8"), address=at, dtype="uint8")
        for at in (0xA0000, 0xB0000)
    )
    for _ in range(3):
        assert plan(x, w, y, workspace=room) is y
    for each in w, fixed_y, fixed_room:
        (each._memory if name == "own" else each).readonly = True
    for _ in range(2):
        assert plan(x, w, y, workspace=room) is y
        if compiled:
            assert plan.attempt(x, w, y, workspace=room) is y, "Python was asked"
        assert standin.executions.pop().pointers == {1: 0x10000, 2: 0x20000, 3: 0x30000}
        for output, space, words in (
            (fixed_y, room, "y: expected an array to write to, got a read-only"),
            (y, fixed_room, "workspace: expected an array to write to, got a read-only"),
        ):
            standin.executions.clear()
            if compiled:
                assert plan.attempt(x, w, output, workspace=space) is NotImplemented
            with pytest.raises(errors.ArgumentError, match=f"^{words}"):
                plan(x, w, output, workspace=space)
            assert not standin.executions


class TestStreams:
    def test_that_of_the_handle(self, standin: StandIn, arrays: Library) -> None:
        plan = make_plan()
        x, w, y = arrays.arrays()
        if arrays.module is not None:
            arrays.module.current = 0x990
        with handles.Handle(stream=0x880) as handle:
            for _ in range(3):
                plan(x, w, y, handle=handle)
                done = standin.executions.pop()
                assert (done.handle, done.stream) == (handle.address, 0x880)

    def test_the_current_one_of_the_library(self, standin: StandIn, arrays: Library) -> None:
        plan = make_plan()
        x, w, y = arrays.arrays()
        default = handles.handle(stream=0x770)
        for current in (0x990, 0x770, 0, 0x990):
            if arrays.module is not None:
                arrays.module.current = current
            for _ in range(2):
                plan(x, w, y)
                done = standin.executions.pop()
                assert done.stream == (current if arrays.module is not None else 0x770)
            assert standin.streams[default.address] == 0x770

    @pytest.mark.parametrize("other", ["torch", "cupy", "cupy in C"])
    def test_those_of_two_libraries(
        self, standin: StandIn, driver: FakeDriver, arrays: Library, other: str, compiled: bool,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        if other == "cupy in C" and other not in KNOWN:
            pytest.skip("its fields are read where Python has its lock only")
        beside = make_library(other, monkeypatch)
        if beside.name == arrays.name:
            pytest.skip("it is the same library")
        plan = make_plan()
        x, w, y = arrays.arrays()
        w = beside.make(CONVOLUTION[1], address=0x20000)
        own = 0 if arrays.module is None else 0x990
        for current in (own, 0x770, own):
            beside.module.current = current
            if arrays.module is not None:
                arrays.module.current = own
            for _ in range(3):
                driver.calls.clear()
                plan(x, w, y)
                assert standin.executions.pop().stream == own
                before, after = (
                    [("record", current), ("wait", own)],
                    [("record", own), ("wait", current)],
                )
                orders = [each for each in driver.calls if each[0] in ("record", "wait")]
                assert orders == ([] if current == own else before + after)
            if compiled:
                assert (plan.attempt(x, w, y) is NotImplemented) == (current != own)
            plan(x, w, y, stream=0x660)
            assert standin.executions.pop().stream == 0x660

    def test_those_of_three_libraries(
        self, standin: StandIn, driver: FakeDriver, compiled: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        torch, cupy = (make_library(name, monkeypatch) for name in ("torch", "cupy"))
        plan = make_plan()
        x = own(CONVOLUTION[0], address=0x10000)
        w = torch.make(CONVOLUTION[1], address=0x20000)
        y = cupy.make(CONVOLUTION[2], address=0x30000)
        for current in ((0x770, 0x880), (0, 0x880), (0x770, 0)):
            torch.module.current, cupy.module.current = current
            others = [each for each in current if each]
            for _ in range(3):
                driver.calls.clear()
                plan(x, w, y)
                assert standin.executions.pop().stream == 0
                orders = [each for each in driver.calls if each[0] in ("record", "wait")]
                assert orders == [
                    *(step for each in others for step in (("record", each), ("wait", 0))),
                    *(step for each in others for step in (("record", 0), ("wait", each))),
                ]
            if compiled:
                assert plan.attempt(x, w, y) is NotImplemented

    @pytest.mark.parametrize("other", ["own", "torch", "cupy"])
    def test_that_of_a_descriptor_that_is_called(
        self, standin: StandIn, driver: FakeDriver, arrays: Library, other: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        """The rule is that of plans."""
        import cudnn_cffi as cudnn
        from cudnn_cffi._lookup import calls

        del standin
        beside = make_library(other, monkeypatch)
        if beside.name == arrays.name and arrays.module is not None:
            pytest.skip("it is the same library")

        def run(handle: Any, *_: Any) -> None:
            driver.calls.append(("run", handle.get_stream()))

        for name in ("cudnnActivationForward", "cudnnConvolutionForward"):
            monkeypatch.setattr(calls, name, run)
        monkeypatch.setattr(calls, "cudnnGetConvolutionForwardWorkspaceSize", lambda *_: 0)
        relu = cudnn.ActivationDescriptor.relu()
        conv = cudnn.ConvolutionDescriptor.cross_correlation(padding=1, compute="float32")
        x, w, y = arrays.arrays()
        late, w = beside.make(CONVOLUTION[2], 0x40000), beside.make(CONVOLUTION[1], 0x20000)
        own = 0 if arrays.module is None else 0x990
        if arrays.module is not None:
            arrays.module.current = own
        if beside.module is not None:
            beside.module.current = 0x770
        others = [0x770] if beside.module is not None else []
        before = [step for each in others for step in (("record", each), ("wait", own))]
        after = [step for each in others for step in (("record", own), ("wait", each))]
        with handles.Handle(stream=0x550) as handle:
            calls_of: list[tuple[Any, bool, int]] = [
                (lambda: relu(x, y), False, own),
                (lambda: relu(x, late), True, own),
                (lambda: conv(x, w, y, algorithm=0), True, own),
                (lambda: conv(x, w, y, algorithm=0, handle=handle), False, 0x550),
            ]
            for call, is_beside, stream in calls_of:
                for _ in range(2):
                    driver.calls.clear()
                    call()
                    orders = [e for e in driver.calls if e[0] in ("record", "wait", "run")]
                    ran = [("run", stream)]
                    assert orders == (before + ran + after if is_beside else ran)

    def test_it_is_set_only_where_it_is_another(self, standin: StandIn, arrays: Library) -> None:
        plan = make_plan()
        x, w, y = arrays.arrays()
        if arrays.module is not None:
            arrays.module.current = 0x990
        plan(x, w, y)
        before = standin.stream_sets
        for _ in range(5):
            plan(x, w, y)
        assert standin.stream_sets == before

    def test_one_that_is_named(self, standin: StandIn, arrays: Library) -> None:
        plan = make_plan()
        x, w, y = arrays.arrays()
        for _ in range(2):
            plan(x, w, y, stream=0x660)
            assert standin.executions.pop().stream == 0x660
            plan(x, w, y)
            assert standin.executions.pop().stream == 0
        with handles.Handle(stream=0x550) as handle:
            plan(x, w, y, stream=0x550, handle=handle)
            with pytest.raises(errors.ArgumentError, match="it is not the stream of the handle"):
                plan(x, w, y, stream=0x660, handle=handle)


class TestOutputs:
    def test_of_another_stream(self, standin: StandIn, arrays: Library, compiled: bool) -> None:
        """Memory that a library allocates in its current stream may still be read there, and is
        used again."""
        if arrays.module is None:
            pytest.skip("its memory is of the handle's stream")
        plan = make_plan()
        x, w, _ = arrays.arrays()
        for current, stream in ((0x990, 0x660), (0x990, 0), (0, 0x660), (0x660, 0x660)):
            arrays.module.current = current
            for _ in range(3):
                arrays.module.made_in.clear()
                plan(x, w, stream=stream)
                assert standin.executions.pop().stream == stream
                assert arrays.module.made_in == [stream]
                assert arrays.module.current == current
                with handles.Handle(stream=stream) as handle:
                    plan(x, w, handle=handle)
                    assert standin.executions.pop().stream == stream
                    assert arrays.module.made_in == [stream] * 2
            if compiled:
                answer = plan.attempt(x, w, stream=stream)
                assert (answer is NotImplemented) == (current != stream)

    def test_they_are_made_in_the_library(self, standin: StandIn, arrays: Library) -> None:
        plan = make_plan()
        x, w, y = arrays.arrays()
        if not arrays.makes_outputs:
            for _ in range(2):
                with pytest.raises(errors.ArgumentError, match="y: no new output of the type HALF"):
                    plan(x, w)
                assert plan(x, w, y) is y  # the compiled layer learns
            return
        made = [plan(x, w), plan(x, w, None), plan(x, w, y=None)]
        for each, done in zip(made, standin.executions, strict=True):
            assert type(each) is type(x)
            assert tuple(each.shape) == CONVOLUTION[2].shape
            strides = each.stride() if arrays.name == "torch" else each.strides
            size = 2 if arrays.name == "cupy" else 1
            assert tuple(strides) == tuple(size * step for step in CONVOLUTION[2].strides)
            assert done.pointers == pointers(x, w, each)
        assert len({done.pointers[3] for done in standin.executions}) == 3

    def test_they_are_freed_in_their_stream(
        self, standin: StandIn, driver: FakeDriver, compiled: bool
    ) -> None:
        if not compiled:
            pytest.skip("nothing was compiled")
        plan = make_plan()
        x, w, y = (own(each, 0x10000 * each.uid) for each in CONVOLUTION)
        plan(x, w, y)
        plan(x, w)  # how they are made is learnt with this one
        stream = Stream()
        with handles.Handle(stream=stream) as handle:
            for use, at in (({}, 0), ({"handle": handle}, stream.address)):
                driver.calls.clear()
                made: Any = plan(x, w, **use)
                address = made.address
                assert driver.calls == [("allocate", 4096, at)]
                assert standin.executions[-1].pointers[3] == address
                view = made[:, 2:]
                del made
                assert len(driver.calls) == 1
                del view
                assert driver.calls[1:] == [("free", address, at)]
                driver.calls.clear()
                made = plan(x, w, **use)
                address = made.address
                views = [made[:, n % 8 :] for n in range(100)]
                made.close()
                made.close()
                assert made.closed
                assert all(each.closed for each in views)
                with pytest.raises(errors.ClosedError):
                    _ = views[-1].address
                with pytest.raises(errors.ClosedError):
                    plan(made, w, y)
                assert driver.calls == [("allocate", 4096, at), ("free", address, at)]
            made = plan(x, w, handle=handle)
            address = made.address
            stream.close()
            driver.calls.clear()
            del made  # the default stream waits for the one that is closed
            assert driver.calls == [("wait", 0), ("free", address, 0)]
        driver.largest = 100
        again = plan(x, w)  # in the slow way, which would tell why
        assert type(again) is type(x)

    @pytest.mark.usefixtures("standin")
    def test_several_are_a_tuple(
        self,
    ) -> None:
        second = Operand("z", 4, (4,), (1,), "HALF", role="output")
        plan = make_plan((*CONVOLUTION, second))
        x, w, y = (own(each, 0x10000 * each.uid) for each in CONVOLUTION)
        z = own(second, 0x90000)
        for _ in range(2):
            results: Any = plan(x, w, y, z)
            assert results == (y, z)
            made, other = plan(x, w, z=z)
            assert other is z
            assert made is not y


class TestWorkspaces:
    def test_it_is_the_handles(self, standin: StandIn, arrays: Library) -> None:
        standin.workspace_size = 1000
        plan = make_plan()
        assert plan.workspace_size == 1000
        x, w, y = arrays.arrays()
        for _ in range(3):
            plan(x, w, y)
            block = handles.handle().workspace.get(1000)
            assert standin.executions.pop().workspace == block != 0
        handles.handle().workspace.clear()
        plan(x, w, y)
        again = standin.executions.pop().workspace
        assert again == handles.handle().workspace.get(1000) != block
        larger = handles.handle().workspace.get(5 << 20)
        plan(x, w, y)
        assert standin.executions.pop().workspace == larger

    def test_pytorch_allocates_it_where_nothing_else_does(
        self, standin: StandIn, arrays: Library, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("cudnn_cffi.plan.run.launcher.has_core", lambda: False)
        if arrays.name != "torch":
            pytest.skip("only PyTorch lends it")
        standin.workspace_size = 1000
        plan = make_plan()
        x, w, y = arrays.arrays()
        plan(x, w, y)
        found = {standin.executions.pop().workspace}
        if isinstance(plan.attempt(x, w, y), type(y)):  # in C, too
            found.add(standin.executions.pop().workspace)
        assert arrays.module.made == len(found)
        assert all(0xE0000 < each <= 0xE0000 + 0x1000 * arrays.module.made for each in found)
        assert plan.attempt(x, w, y, stream=0) is NotImplemented  # it would be of another stream

    def test_it_is_of_the_stream(self, standin: StandIn, arrays: Library) -> None:
        if arrays.module is None:
            pytest.skip("it has no current stream")
        standin.workspace_size = 1000
        plan = make_plan()
        x, w, y = arrays.arrays()
        found = []
        for current in (0x990, 0xAA0, 0x990, 0xAA0):
            arrays.module.current = current
            plan(x, w, y)
            found.append(standin.executions.pop().workspace)
        assert found[0] == found[2] != found[1] == found[3]

    def test_one_in_the_memory_of_an_array(self, standin: StandIn, arrays: Library) -> None:
        standin.workspace_size = 1000
        plan = make_plan()
        x, w, y = arrays.arrays()
        block = Operand("block", 9, (500,), (1,), "HALF")
        # x and y have 4,096 bytes, w has 1,152.
        fine = (0x10000 - 1008, 0x11000, 0x20480, 0xA0000)
        for _ in range(3):
            for at, name in ((0x10000 - 992, "x"), (0x20470, "w"), (0x30800, "y"), (0x30FF0, "y")):
                with pytest.raises(errors.ArgumentError, match=f"workspace: .* overlaps {name}"):
                    plan(x, w, y, workspace=arrays.make(block, at))
            assert not standin.executions
            for at in fine:
                plan(x, w, y, workspace=arrays.make(block, at))
                assert standin.executions.pop().workspace == at

    def test_one_that_is_given(self, standin: StandIn, arrays: Library) -> None:
        standin.workspace_size = 1000
        plan = make_plan()
        x, w, y = arrays.arrays()
        block = Operand("block", 9, (500,), (1,), "HALF")
        plan(x, w, y, workspace=arrays.make(block, 0xA0000))
        assert standin.executions.pop().workspace == 0xA0000
        small = Operand("block", 9, (499,), (1,), "HALF")
        with pytest.raises(errors.ArgumentError, match=r"workspace: expected 1000 bytes, got 998"):
            plan(x, w, y, workspace=arrays.make(small, 0xA0000))
        # The memory between its elements is not the workspace's.
        for shape, strides in (((500,), (2,)), ((5, 100), (101, 1)), ((5, 100), (0, 1))):
            gaps = Operand("block", 9, shape, strides, "HALF")
            with pytest.raises(errors.ArgumentError, match=r"workspace: expected 1000 bytes"):
                plan(x, w, y, workspace=arrays.make(gaps, 0xA0000))
        turned = Operand("block", 9, (5, 100), (1, 5), "HALF")
        plan(x, w, y, workspace=arrays.make(turned, 0xA0000))
        rows = [
            Operand("block", 9, (size,), (step,), "INT8")
            for size, step in ((1000, 1), (999, 1), (1000, 2))
        ]
        plan(x, w, y, workspace=own(rows[0], 0xA0000, dtype="int8"))
        assert standin.executions.pop().workspace == 0xA0000
        for short in rows[1:]:
            with pytest.raises(errors.ArgumentError, match=r"workspace: expected 1000 bytes"):
                plan(x, w, y, workspace=own(short, 0xA0000, dtype="int8"))
        standin.executions.clear()
        with pytest.raises(errors.ArgumentError, match="workspace: expected memory of device 0"):
            plan(x, w, y, workspace=own(block, 0xA0000, device=1))
        with pytest.raises(errors.MisalignedPointerError, match="workspace: expected an address"):
            plan(x, w, y, workspace=arrays.make(block, 0xA0008))
        assert standin.executions == []

    def test_memory_of_the_plans_own(self, standin: StandIn, arrays: Library) -> None:
        standin.workspace_size = 1000
        hidden = (
            Operand("sum", 8, (3, 5), (5, 1), "FLOAT", role="workspace"),
            Operand("more", 9, (2,), (1,), "FLOAT", role="workspace"),
        )
        plan = make_plan((*CONVOLUTION, *hidden))
        assert plan.workspace_size == 1024 + 256 + 8
        x, w, y = arrays.arrays()
        for _ in range(2):
            plan(x, w, y)
            done = standin.executions.pop()
            assert done.pointers[8] == done.workspace + 1024
            assert done.pointers[9] == done.workspace + 1280

    def test_memory_that_is_set_to_zero(
        self, standin: StandIn, arrays: Library, driver: FakeDriver
    ) -> None:
        hidden = Operand("sum", 8, (3, 5), (5, 1), "FLOAT", role="workspace", fill=0)
        plan = make_plan((*CONVOLUTION, hidden))
        for _ in range(2):
            plan(*arrays.arrays())
            done = standin.executions.pop()
            assert driver.calls.pop() == ("fill", done.pointers[8], 60)
        with pytest.raises(errors.NotSupportedError, match="set to zero"):
            plan.populate_cuda_graph(0x1230, *arrays.arrays())


def test_views_of_arguments(standin: StandIn, arrays: Library) -> None:
    """The pack has the tensors that the plan knows of."""
    first = CONVOLUTION[0]._replace(views=((11, 16), (12, 32)))
    for tensors, expected in (
        ("", {1: 0, 11: 16, 12: 32}),
        # It names no offsets of ragged tensors, so what has no views is there in any case.
        ('"operationGraph":{"tensors":[{"name":"11"},{"name":"2"}]},', {11: 16}),
    ):
        standin.text = "{" + tensors + '"engine":{"engineId":7}}'
        plan = make_plan((first, *CONVOLUTION[1:]))
        x, w, y = arrays.arrays()
        for _ in range(2):
            plan(x, w, y)
            found = standin.executions.pop().pointers
            others = pointers(x, w, y)
            base = others.pop(1)
            assert found == others | {uid: base + offset for uid, offset in expected.items()}


class TestNumbers:
    def test_that_stay(self, standin: StandIn, arrays: Library) -> None:
        scale = Operand("scale", 4, (1, 1, 1, 1), (1, 1, 1, 1), "FLOAT", value=2.5, by_value=True)
        plan = make_plan((scale, *CONVOLUTION))
        for _ in range(2):
            plan(*arrays.arrays())
            address = standin.executions.pop().pointers[4]
            assert ctypes.c_float.from_address(address).value == 2.5

    def test_that_are_arguments(self, standin: StandIn, arrays: Library) -> None:
        seen = []
        scale = Operand("scale", 4, (1, 1, 1, 1), (1, 1, 1, 1), "FLOAT", by_value=True)
        plan = make_plan((*CONVOLUTION[:2], scale, CONVOLUTION[2]))
        x, w, y = arrays.arrays()
        find = int(__import__("cudnn_cffi").BackendAttributeName["VARIANT_PACK_DATA_POINTERS"])
        standin.before = lambda: seen.append(
            [
                ctypes.c_float.from_address(held[find][2]).value
                for held in standin.alive.values()
                if find in held
            ][-1]
        )
        for value in (0.5, 3, 0.25):
            plan(x, w, value, y)
        assert seen == [0.5, 3.0, 0.25]
        for wrong in ("a", None, [1], x):
            with pytest.raises(
                errors.ArgumentError, match="scale: expected a number of the type FLOAT"
            ):
                plan(x, w, wrong, y)

    @pytest.mark.parametrize(
        ("kind", "value", "data"),
        [
            ("FLOAT", 0.1, struct.pack("=f", 0.1)),
            ("DOUBLE", 0.1, struct.pack("=d", 0.1)),
            ("HALF", -0.5, struct.pack("=e", -0.5)),
            ("BFLOAT16", 1.0, b"\x80\x3f"),
            ("BFLOAT16", 1.00390625, b"\x80\x3f"),  # halfway: to even
            ("BFLOAT16", 1.01171875, b"\x82\x3f"),
            ("BFLOAT16", float("inf"), b"\x80\x7f"),
            ("INT32", -3, struct.pack("=i", -3)),
            ("INT64", 1 << 40, struct.pack("=q", 1 << 40)),
            ("BOOLEAN", True, b"\1"),
        ],
    )
    def test_as_they_lie_in_memory(self, kind: str, value: Any, data: bytes) -> None:
        from cudnn_cffi.plan.operand import encode

        operand = Operand("a", 1, (1,), (1,), kind, by_value=True)
        assert encode(operand, value) == data

    @pytest.mark.parametrize(
        ("kind", "value"),
        [("INT32", 1 << 31), ("INT32", 0.5), ("HALF", 1e9), ("FLOAT", "1"), ("FLOAT", 1 << 2000),
         ("BFLOAT16", 1e39), ("FP8_E4M3", 1.0)],
    )  # fmt: skip
    def test_that_are_refused(self, kind: str, value: Any) -> None:
        from cudnn_cffi.plan.operand import encode

        with pytest.raises(errors.ArgumentError, match="a: "):
            encode(Operand("a", 1, (1,), (1,), kind, by_value=True), value)


@pytest.mark.usefixtures("standin")
def test_names_that_are_made_while_it_runs(
    arrays: Library, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are other objects than the names of the operands, and no reason for the slow way."""
    if not compiled:
        pytest.skip("nothing was compiled")
    operands = [each._replace(name=f"name of {each.name}") for each in CONVOLUTION]
    plan = make_plan(operands)
    given = arrays.arrays()
    plan(*given)
    monkeypatch.setattr(type(plan), "_run", lambda *_: pytest.fail("the slow way"))
    named = {f"name of {key}": each for key, each in zip("xwy", given, strict=True)}
    assert plan(**named) is given[2]
    long = "".join(["hand", "le"])
    assert plan(*given, **{long: handles.handle()}) is given[2]


class TestGraphs:
    @pytest.mark.usefixtures("standin")
    def test_a_capture_keeps_the_plan(self, arrays: Library, driver: FakeDriver) -> None:
        plan = make_plan()
        x, w, y = arrays.arrays()
        with handles.Handle(stream=0x880) as handle:
            plan(x, w, y, handle=handle)
            driver.captures[0x880] = 7
            for _ in range(2):
                plan(x, w, y, handle=handle)
            driver.captures.clear()
        assert len(driver.retained[0x9007]) == 2
        reference = weakref.ref(plan)
        del plan
        gc.collect()
        assert reference() is not None
        driver.end_graph(0x9007)
        make_plan()(x, w, y)  # lets go of what has ended
        gc.collect()
        assert reference() is None

    @pytest.mark.usefixtures("standin")
    def test_a_capture_keeps_arrays(self, arrays: Library, driver: FakeDriver) -> None:
        """PyTorch's alone may be the graph's own memory, which is used again in the graph."""
        plan = make_plan()
        with handles.Handle(stream=0x880) as handle:
            given = arrays.arrays()
            plan(*given, handle=handle)
            driver.captures[0x880] = 7
            plan(*given, handle=handle)
            driver.captures.clear()
        references = [weakref.ref(each) for each in given]
        del given
        gc.collect()
        kept = arrays.name != "torch"
        assert [each() is not None for each in references] == [kept] * 3
        driver.end_graph(0x9007)
        plan.prepare()  # lets go of what has ended
        gc.collect()
        assert [each() for each in references] == [None] * 3

    def test_nothing_breaks_a_capture(
        self, standin: StandIn, arrays: Library, driver: FakeDriver
    ) -> None:
        """cuDNN breaks none, either, though it loads kernels in the first execution."""
        standin.before = lambda: driver._breaks("cuLibraryLoadData", 0)
        standin.creating = lambda: driver._breaks("cuMemAlloc", 0)
        plan, other, unused = make_plan(), make_plan(), make_plan()
        x, w, y = arrays.arrays()
        with handles.Handle(stream=0x880) as handle:
            plan.prepare(handle)
            made = plan(x, w, None if arrays.makes_outputs else y, handle=handle)
            plan(x, w, y, handle=handle)
            dropped = handles.Handle(stream=0x990)
            lost = dropped.address
            driver.captures[0x880] = 7
            other(x, w, y, handle=handle)
            if arrays.module is not None:
                arrays.module.current = 0x880  # a handle of its own is made for it
                plan(x, w, y)
                assert standin.executions[-1].handle != handle.address
                arrays.module.current = 0
            del made, unused, dropped
            gc.collect()
            driver.captures.clear()
            assert driver.broken == []
            plan.prepare(handle)
            assert lost not in standin.streams
            assert not captures._later

    @pytest.mark.usefixtures("standin")
    def test_prepare_lets_go_of_what_has_ended(self, arrays: Library, driver: FakeDriver) -> None:
        plan = make_plan()
        x, w, y = arrays.arrays()
        with handles.Handle(stream=0x880) as handle:
            driver.captures[0x880] = 7
            plan(x, w, y, handle=handle)
            driver.captures.clear()
            reference = weakref.ref(plan)
            other = make_plan()
            del plan
            driver.end_graph(0x9007)
            other.prepare(handle)
            gc.collect()
            assert reference() is None

    def test_a_plan_that_is_not_ready(
        self, standin: StandIn, arrays: Library, driver: FakeDriver
    ) -> None:
        standin.workspace_size = 1000
        plan = make_plan()
        x, w, y = arrays.arrays()
        with handles.Handle(stream=0x880) as handle:
            driver.captures[0x880] = 7
            if arrays.name == "torch":
                arrays.module.current = 0x880
                plan(x, w, y, handle=handle)
                assert arrays.module.made == 1
                arrays.module.current = 0
            with pytest.raises(errors.CudnnError, match=r"not ready to be captured.*\n.*prepare"):
                plan(x, w, y, handle=handle)
            del driver.captures[0x880]
            plan.prepare(handle)
            driver.captures[0x880] = 8
            plan(x, w, y, handle=handle)
            captured = standin.executions[-1].workspace
            del driver.captures[0x880]
            plan(x, w, y, handle=handle)
            assert standin.executions[-1].workspace != captured
            driver.captures[0x880] = 8
            plan(x, w, y, handle=handle)
            assert standin.executions[-1].workspace == captured

    @pytest.mark.usefixtures("standin")
    def test_new_outputs_while_a_stream_is_captured(
        self, arrays: Library, driver: FakeDriver
    ) -> None:
        plan = make_plan()
        x, w, y = arrays.arrays()
        with handles.Handle(stream=0x880) as handle:
            plan(x, w, y, handle=handle)
            driver.captures[0x880] = 7
            if arrays.name == "torch":
                arrays.module.current = 0x880
                assert plan(x, w, handle=handle) is not None
            else:
                with pytest.raises(errors.ArgumentError, match=r"y: .*captured"):
                    plan(x, w, handle=handle)

    def test_populate_and_update(
        self, standin: StandIn, arrays: Library, driver: FakeDriver
    ) -> None:
        standin.workspace_size = 1000
        plan = make_plan()
        x, w, y = arrays.arrays()
        assert plan.populate_cuda_graph(0x1230, x, w, y) is y
        assert plan.update_cuda_graph(0x1230, x, w, y=y) is y
        first, second = standin.executions
        assert (first.function, second.function) == ("populate", "update")
        assert first.graph == second.graph == 0x1230
        assert first.pointers == pointers(x, w, y)
        assert first.workspace != second.workspace
        assert len(driver.retained[0x1230]) == 2
        for wrong in (0, None, "graph", -1):
            with pytest.raises(
                errors.ArgumentError, match="graph: expected the address of a cudaGraph_t"
            ):
                plan.populate_cuda_graph(wrong, x, w, y)


class TestThreads:
    def test_one_waits_for_the_other(self, standin: StandIn, arrays: Library) -> None:
        plan = make_plan()
        x, w, y = arrays.arrays()
        plan(x, w, y)
        inside = 0
        most = 0

        def execute() -> None:
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            threading.Event().wait(0.002)
            inside -= 1

        standin.before = execute

        def work(number: int) -> None:
            mine = arrays.make(CONVOLUTION[2], 0x100000 + 0x10000 * number)
            for _ in range(5):
                assert plan(x, w, mine) is mine

        in_threads(work, range(4))
        assert most == 1
        assert len(standin.executions) == 21
        of_threads = {done.handle for done in standin.executions}
        assert len(of_threads) >= 2  # a thread that has ended leaves its handle to another
        standin.before = lambda: None

    def test_the_handle_of_an_ended_thread_is_another_ones(
        self, standin: StandIn, arrays: Library
    ) -> None:
        plan = make_plan()
        x, w, y = arrays.arrays()
        plan(x, w, y)
        for _ in range(3):
            in_threads(lambda count: [plan(x, w, y) for _ in range(count)], [2])
        own, *others = [done.handle for done in standin.executions]
        assert len(others) == 6
        assert set(others) == {others[0]} != {own}

    def test_closing_waits_for_a_call(self, standin: StandIn, arrays: Library) -> None:
        plan = make_plan()
        x, w, y = arrays.arrays()
        plan(x, w, y)
        started, go_on = threading.Event(), threading.Event()

        def execute() -> None:
            started.set()
            go_on.wait(10)

        standin.before = execute
        caller = threading.Thread(target=lambda: plan(x, w, y))
        closer = threading.Thread(target=plan.close)
        caller.start()
        assert started.wait(10)
        closer.start()
        closer.join(0.05)
        assert closer.is_alive()
        assert not plan.closed
        go_on.set()
        caller.join(10)
        closer.join(10)
        assert plan.closed
        assert len(standin.executions) == 2
        standin.before = lambda: None

    @pytest.mark.usefixtures("standin")
    def test_a_call_within_a_call(self, arrays: Library) -> None:
        """As when a finalizer calls the plan while this thread has the lock."""
        plan = make_plan()
        x, w, y = arrays.arrays()
        plan(x, w, y)
        with plan._lock():
            assert plan(x, w, y) is y


class TestOperands:
    @pytest.mark.parametrize(
        ("operands", "message"),
        [
            ((CONVOLUTION[0], CONVOLUTION[0]), "several operands have the name 'x'"),
            ((CONVOLUTION[0], CONVOLUTION[1]._replace(uid=1)), "several operands have the uid 1"),
            ((CONVOLUTION[0]._replace(role="both"),), "the role 'both'"),
            ((CONVOLUTION[0]._replace(strides=(1,)),), "4 extents, 1 strides"),
            ((CONVOLUTION[0]._replace(alignment=12),), "a power of two"),
            ((CONVOLUTION[0]._replace(value=1.0),), "only a number"),
            ((CONVOLUTION[0]._replace(views=((1, 0),)),), "several operands have the uid 1"),
            ((CONVOLUTION[0]._replace(views=((9, -2),)),), "begins before the array"),
            (("x",), "expected an Operand, got a str"),
        ],
    )
    @pytest.mark.usefixtures("standin")
    def test_that_contradict_themselves(self, operands: Any, message: str) -> None:
        with pytest.raises(errors.ArgumentError, match=message):
            make_plan(operands)

    @pytest.mark.usefixtures("standin")
    @pytest.mark.parametrize("name", ["handle", "stream", "workspace"])
    def test_named_as_an_option(self, name: str) -> None:
        """A keyword of each call is no operand's."""
        with pytest.raises(errors.ArgumentError, match=f"an operand is called '{name}'"):
            make_plan((CONVOLUTION[0]._replace(name=name), *CONVOLUTION[1:]))


def test_types_that_some_libraries_lack(standin: StandIn, arrays: Library) -> None:
    """Eight bits may come as bytes, and pairs of four bits as one."""
    eight = tuple(each._replace(data_type="FP8_E4M3") for each in CONVOLUTION)
    as_bytes = arrays.arrays(**{name: {"dtype": "uint8"} for name in "xwy"})
    for _ in range(2):
        make_plan(eight)(*as_bytes)
    four = Operand("x", 1, (4, 6), (6, 1), "FP4_E2M1")
    output = Operand("y", 2, (6, 4), (1, 6), "FP4_E2M1", role="output")
    plan = make_plan((four, output))
    x = arrays.make(Operand("x", 1, (4, 3), (3, 1), ""), 0x10000, dtype="uint8")
    y = arrays.make(Operand("y", 1, (3, 4), (1, 3), ""), 0x20000, dtype="uint8")
    plan(x, y)
    assert len(standin.executions) == 3


def test_what_it_says_of_itself(standin: StandIn) -> None:
    standin.workspace_size = 48
    plan = make_plan(notes=("TENSOR_CORE",), text="y = conv(x, w)", signature="abc")
    assert plan.engine == 7
    assert plan.knobs == {"STAGES": 2}
    assert plan.device == "Fake GPU"
    assert (plan.notes, plan.text, plan.signature) == (("TENSOR_CORE",), "y = conv(x, w)", "abc")
    assert [each.name for each in plan.inputs] == ["x", "w"]
    assert [each.name for each in plan.outputs] == ["y"]
    assert repr(plan) == "<Plan (x, w) -> y, engine 7, workspace 48 bytes, for Fake GPU>"
    chosen = make_plan(engine=3, knobs={"SPLIT_K": 4})
    assert (chosen.engine, chosen.knobs) == (3, {"SPLIT_K": 4})


@pytest.mark.parametrize("status", [0, 3000])
def test_a_launcher_keeps_the_handle_that_it_executes_with(
    standin: StandIn, compiled: bool, status: int
) -> None:
    """Another thread may teach it another one meanwhile."""
    plan = make_plan()
    launch = addressing.launcher(plan, lambda *_, **__: "slow", [(15, 0, False, False, False)] * 3)
    if not compiled:
        assert launch is None
        return
    given, handle = object(), handles.Handle()
    address, ended = handle.address, weakref.ref(handle)
    addresses = 0x10000, 0x20000, 0x30000
    launch._learn(given, handle, (1, 2, 3), (0, 1, 2), addresses, False)
    del handle
    seen: list[bool] = []

    def teach() -> None:
        launch._learn(None, handles.handle(), (), (), (), False)
        seen.append(ended() is None or address not in standin.streams)

    standin.before, standin.status = teach, status
    pack = {1: 0x10000, 2: 0x20000, 3: 0x30000}
    if status:
        with pytest.raises(errors.CudnnError):
            launch(pack, None, given)
    else:
        assert launch(pack, None, given) is None
    assert seen == [False]
    assert ended() is None
    standin.before = lambda: None


@pytest.mark.usefixtures("standin")
def test_the_end_of_a_key_may_call_the_launcher(compiled: bool) -> None:
    """The launcher forgets a call while it learns another one."""
    if not compiled:
        pytest.skip("nothing was compiled")
    launch: Any = addressing.launcher(
        make_plan(), lambda *_, **__: "slow", [(0, 0, False, False, False)] * 3
    )
    handle, pack = handles.Handle(), {7: 0x10000, 8: 0x20000, 9: 0x30000}
    seen: list[Any] = []

    class Key:
        def __hash__(self) -> int:
            return 5

        def __del__(self) -> None:
            launch._learn(None, handle, (1, 8, 9), (0, 1, 2), tuple(pack.values()), True)
            seen.append(launch(pack, None, None))

    launch._learn(None, handle, (Key(), 8, 9), (0, 1, 2), tuple(pack.values()), True)
    launch._learn(None, handle, (7, 8, 9), (0, 1, 2), tuple(pack.values()), True)
    assert seen == ["slow"]
    assert launch({1: 0x10000, 8: 0x20000, 9: 0x30000}, None, None) is None, "it was learnt last"
    with pytest.raises(ValueError, match="no such operand"):
        launch._learn(None, handle, (7,), (3,), (0x10000,), True)
    assert launch({1: 0x10000, 8: 0x20000, 9: 0x30000}, None, None) is None


@pytest.mark.usefixtures("compiled")
def test_keywords_that_are_no_strings(standin: StandIn, arrays: Library) -> None:
    plan: Any = make_plan()
    named: Any = {1: 2}
    with pytest.raises(TypeError, match="keywords must be strings"):
        plan(*arrays.arrays(), **named)
    assert not standin.executions


def test_the_current_stream_of_cupy_is_that_of_the_arrays_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another device may be the current one, and has a current stream of its own."""
    cupy: Any = ModuleType("cupy")
    cupy.cuda = ModuleType("cupy.cuda")
    streams = {-1: 0x70, 0: 0x70, 1: 0x71}
    cupy.cuda.get_current_stream = lambda device=-1: SimpleNamespace(ptr=streams[device])
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    assert [libraries.current_stream("cupy", device) for device in (0, 1)] == [0x70, 0x71]
    cupy.cuda.get_current_stream = lambda: SimpleNamespace(ptr=0x72)  # of an old release
    assert libraries.current_stream("cupy", 1) == 0x72


@pytest.mark.usefixtures("standin")
def test_tensors_are_asked_for_their_numbers_where_private_memory_is_not_read(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tensor whose memory has other numbers is left to Python, which refuses it."""
    torch = fake_torch()
    monkeypatch.setitem(sys.modules, "torch", torch)

    class Asked(torch.Tensor):  # type: ignore[misc, name-defined]
        is_negative = False

        def is_neg(self) -> bool:
            return self.is_negative

    Asked.__name__, Asked.__module__ = "Tensor", "torch"
    monkeypatch.setattr(reading, "READ_PRIVATE", False)
    plan = make_plan()
    x, w, y = (Asked(each, 0x10000 * each.uid) for each in CONVOLUTION)
    assert plan(x, w, y) is y
    if not compiled:
        return
    assert plan.attempt(x, w, y) is y
    w.is_negative = True
    assert plan.attempt(x, w, y) is NotImplemented
    w.is_negative = False
    assert plan.attempt(x, w, y) is y


def test_owners_are_released(standin: StandIn, arrays: Library) -> None:
    if arrays.name != "owner":
        pytest.skip("its table has no owners")
    plan = make_plan()
    given = arrays.arrays()
    bad = arrays.arrays(x={"shape": (1, 8, 16, 15)})
    for _ in range(3):
        plan(*given)
        with pytest.raises(errors.CudnnError, match=r"x: expected the shape"):
            plan(*bad)
    assert arrays.make.owners == {}
    assert len(standin.executions) == 3


@pytest.mark.usefixtures("standin")
@pytest.mark.parametrize("table", [None, 3, b"x", ctypes.pythonapi])
def test_what_is_no_table_is_not_read(table: object) -> None:
    """An attribute of that name is not enough."""

    class Odd:
        __dlpack_c_exchange_api__ = table
        __cuda_array_interface__ = {  # noqa: RUF012
            "shape": CONVOLUTION[0].shape,
            "strides": tuple(2 * step for step in CONVOLUTION[0].strides),
            "typestr": "<f2",
            "data": (0x10000, False),
            "version": 3,
        }

    plan = make_plan()
    x, (_, w, y) = Odd(), [own(each, 0x10000 * each.uid) for each in CONVOLUTION]
    for _ in range(2):
        assert plan(x, w, y) is y
    assert not reading.is_learnt(Odd)


BITS = (
    Operand("m", 1, (4, 5, 5), (25, 5, 1), "BOOLEAN"),
    Operand("y", 2, (4, 5, 5), (25, 5, 1), "BOOLEAN", role="output"),
)


@pytest.mark.parametrize("calls_before", [0, 3])
def test_truth_values_are_bits(standin: StandIn, arrays: Library, calls_before: int) -> None:
    """Arrays of bool, with a byte for each, are refused before anything runs."""
    plan = make_plan(BITS)
    packed = {"dtype": "uint8", "shape": (13,), "strides": (1,)}
    m, y = (arrays.make(each, 0x10000 * each.uid, **packed) for each in BITS)
    for _ in range(calls_before):
        assert plan(m, y) is y
    before = len(standin.executions)
    for given in (
        (arrays.make(BITS[0], 0x10000, dtype="bool"), y),
        (m, arrays.make(BITS[1], 0x20000, dtype="bool")),
    ):
        with pytest.raises(errors.ArgumentError, match=r"packed bits \(8 .*, got an array of bool"):
            plan(*given)
    assert len(standin.executions) == before
    if arrays.makes_outputs:
        made = plan(m)
        assert tuple(made.shape) == (13,)
        assert "uint8" in str(getattr(made, "dtype_name", made.dtype))
