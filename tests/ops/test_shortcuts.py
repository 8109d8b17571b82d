"""Calls of operations that are known: they go straight to their plan, and no other call does."""

from __future__ import annotations

import contextlib
import copy
import ctypes
import gc
import importlib
import pickle
import sys
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import cudnn_cffi as cudnn
import pytest
from cudnn_cffi import handles, ops
from cudnn_cffi._operation import shortcuts
from cudnn_cffi._ways.case import Case
from cudnn_cffi.choice import policy
from cudnn_cffi.ops import Operation
from cudnn_cffi.plan import Operand, Plan

from tests.plan.conftest import Library
from tests.plan.standin import CONVOLUTION, StandIn, make_plan
from tests.threads import in_threads

PACKED = (1, 8, 16, 16), (2048, 256, 16, 1)


class Own(Operation):
    """An operation that is computed by a plan for the arrays that come."""

    takes = ("x", "w")
    gives = ("y",)
    optional = frozenset({"w"})

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.calls = 0

    def __call__(
        self, x: Any, w: Any = None, *, out: Any = None, alpha: float = 1.0, handle: Any = None,
        stream: Any = ..., choose: Any = None,
    ) -> Any:  # fmt: skip
        """Compute."""
        self.calls += 1
        return self.run((x, w), out, handle, stream, choose, alpha, 0.0)

    def _case(self, specs: Any, targets: Any, alpha: float, beta: float, call: Any) -> Case:
        return Case(specs, targets, alpha, beta, call)

    def find_way(self, case: Case, *_: Any) -> Plan:
        operands = [
            Operand(name, uid, each.shape, each.strides, each.data_type, each.alignment)
            for uid, (name, each) in enumerate(case.inputs.items(), 1)
        ]
        return make_plan([*operands, CONVOLUTION[2]])


@pytest.fixture
def arrays(arrays: Library, compiled: bool) -> Library:
    if not compiled:
        pytest.skip("nothing was compiled")
    return arrays


def warm(operation: Any, *given: Any, **more: Any) -> int:
    """Call an operation until it knows the call; return how often its function was called."""
    for _ in range(3):
        operation(*given, **more)
    return int(operation.calls)


def test_a_known_call_runs_no_python(standin: StandIn, arrays: Library) -> None:
    operation = Own()
    x, w, y = arrays.arrays()
    count = warm(operation, x, w)
    standin.executions.clear()
    other = arrays.make(CONVOLUTION[0], 0x90000)
    assert operation(other, w) is not y
    assert operation.calls == count <= 2
    (execution,) = standin.executions
    assert (execution.pointers[1], execution.pointers[2]) == (0x90000, 0x20000)
    assert len(operation._memory) == 1


class Padded(Own):
    """An operation with an option that is a tuple."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.seen: list[str] = []

    def __call__(self, x: Any, w: Any = None, *, padding: Any = (1, 1)) -> Any:  # type: ignore[override]
        """Compute."""
        self.calls += 1
        self.seen.append(repr(padding))
        return self.run((x, w), None, None, ..., None, 1.0, 0.0)


@pytest.mark.usefixtures("standin")
def test_tuples_of_equal_numbers_of_other_types(arrays: Library) -> None:
    operation = Padded()
    x, w, _ = arrays.arrays()
    count = warm(operation, x, w, padding=(1, (0.0, "a")))
    operation(x, w, padding=(1, (0.0, "".join(["a"]))))
    assert operation.calls == count, "it is known"
    for padding in ((True, (0.0, "a")), (1.0, (0.0, "a")), (1, (-0.0, "a")), (1, (0, "a")), (1,)):
        operation(x, w, padding=padding)
        assert operation.seen[-1] == repr(padding)


def test_outputs_that_are_given(standin: StandIn, arrays: Library) -> None:
    operation = Own()
    x, w, y = arrays.arrays()
    count = warm(operation, x, w, out=y)
    assert operation(x, w, out=y) is y
    assert operation.calls == count
    assert operation(x, w, out=(y,)) is y  # a tuple is looked at by the function
    assert operation.calls == count + 1
    assert standin.executions[-1].pointers[3] == 0x30000


def test_minus_zero_is_another_number(standin: StandIn, arrays: Library) -> None:
    operation = Own()
    x, w, _ = arrays.arrays()
    count = warm(operation, x, w, alpha=0.0)
    operation(x, w, alpha=0.0)
    assert operation.calls == count
    standin.executions.clear()
    operation(x, w, alpha=-0.0)
    assert operation.calls == count + 1
    assert len(standin.executions) == 1


def test_each_layout_has_its_plan(standin: StandIn, arrays: Library) -> None:
    operation = Own()
    x, w, _ = arrays.arrays()
    other = arrays.make(CONVOLUTION[0], 0x90000, shape=PACKED[0], strides=PACKED[1])
    warm(operation, x, w)
    count = warm(operation, other, w)
    standin.executions.clear()
    for each in (x, other) * 3:
        operation(each, w)
    assert operation.calls == count
    plans = [each.plan for each in standin.executions]
    assert len(set(plans)) == 2
    assert plans[:2] == plans[2:4]


def test_arrays_that_are_arranged_go_to_the_last_plan(
    standin: StandIn, arrays: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inputs with gaps come again and again in some networks; only the first one is looked up."""
    operation = Own()
    x, w, _ = arrays.arrays()
    gaps = arrays.make(CONVOLUTION[0], 0x90000, shape=PACKED[0], strides=PACKED[1])
    operation.arrange = lambda given: tuple(x if each is gaps else each for each in given)
    operation(gaps, w)
    looked_up: list[Any] = []
    base: Any = importlib.import_module("cudnn_cffi._operation.operation")
    look_up = base.look_up_and_run

    def noted(*given: Any) -> Any:
        looked_up.append(given)
        return look_up(*given)

    monkeypatch.setattr(base, "look_up_and_run", noted)
    standin.executions.clear()
    for _ in range(4):
        operation(gaps, w)
    assert not looked_up
    assert [each.pointers[1] for each in standin.executions] == [0x10000] * 4
    operation(gaps, w, alpha=2.0)
    assert len(looked_up) == 1


def test_arrays_that_are_aligned_go_to_the_plan_that_wants_it(
    standin: StandIn, arrays: Library
) -> None:
    operation = Own()
    x, w, _ = arrays.arrays()
    loose = arrays.make(CONVOLUTION[0], 0x90004)
    warm(operation, x, w)
    count = warm(operation, loose, w)
    standin.executions.clear()
    operation(x, w)
    operation(loose, w)
    assert operation.calls == count
    assert len({each.plan for each in standin.executions}) == 2


def test_what_is_left_out_is_another_call(standin: StandIn, arrays: Library) -> None:
    operation = Own()
    x, w, _ = arrays.arrays()
    warm(operation, x, w)
    count = warm(operation, x)
    standin.executions.clear()
    operation(x)
    operation(x, w)
    operation(x, None)
    assert operation.calls == count + 1  # None that is given was not known
    assert [2 in each.pointers for each in standin.executions] == [False, True, False]
    assert [len(each.pointers) for each in standin.executions] == [2, 3, 2]


def test_the_same_array_twice_is_another_call(standin: StandIn, arrays: Library) -> None:
    operation = Own()
    x, w = (arrays.make(CONVOLUTION[0], address) for address in (0x10000, 0x20000))
    warm(operation, x, x)
    standin.executions.clear()
    operation(x, w)
    operation(w, x)
    operation(x, x)
    pairs = [(each.pointers[1], each.pointers[2]) for each in standin.executions]
    assert pairs == [(0x10000, 0x20000), (0x20000, 0x10000), (0x10000, 0x10000)]
    count = operation.calls
    operation(w, w)
    operation(w, x)
    assert operation.calls == count


@pytest.mark.usefixtures("standin")
def test_numbers_have_to_be_the_same(arrays: Library) -> None:
    operation = Own()
    x, w, _ = arrays.arrays()
    warm(operation, x, w, alpha=2.0)
    count = operation.calls
    operation(x, w, alpha=float("2"))
    assert operation.calls == count
    for alpha in (3.0, True, 2):
        operation(x, w, alpha=alpha)
        count += 1
        assert operation.calls == count
    count = warm(operation, x, w, alpha=0.0)
    operation(x, w, alpha=-0.0)
    assert operation.calls == count + 1


@pytest.mark.usefixtures("standin")
def test_choices_decide(arrays: Library) -> None:
    operation = Own()
    x, w, _ = arrays.arrays()
    count = warm(operation, x, w)
    with cudnn.choice("small"):
        operation(x, w)
        assert operation.calls == count + 1
        operation(x, w)
        assert operation.calls == count + 1
    operation(x, w)
    assert operation.calls == count + 1
    cudnn.choice.set_default("none")
    try:
        operation(x, w)
        assert operation.calls == count + 2
    finally:
        cudnn.choice.set_default()
    operation(x, w)  # another object is in force than before
    assert operation.calls == count + 3
    operation.clear()
    assert len(operation._memory) == 0
    operation(x, w)
    assert operation.calls == count + 4


@pytest.mark.usefixtures("standin")
def test_a_recording_sees_every_call(arrays: Library) -> None:
    operation = Own()
    x, w, _ = arrays.arrays()
    warm(operation, x, w)
    with ops.record() as seen:
        operation(x, w)
        operation(x, w)
    assert len(seen) == 2


def test_handles_and_streams(standin: StandIn, arrays: Library) -> None:
    operation = Own()
    x, w, y = arrays.arrays()
    with handles.Handle() as handle, handles.Handle() as bounded:
        bounded.workspace.limit = 0
        count = warm(operation, x, w, out=y, handle=handle)
        operation(x, w, out=y, handle=handle)
        assert operation.calls == count
        assert standin.executions[-1].handle == handle.address
        operation(x, w, out=y, handle=bounded)
        operation(x, w, out=y, handle=bounded)
        assert operation.calls == count + 2
    count = warm(operation, x, w, out=y, stream=0x77)
    operation(x, w, out=y, stream=0x77)
    operation(x, w, out=y, stream=0x99)
    assert [each.stream for each in standin.executions[-2:]] == [0x77, 0x99]
    assert operation.calls == count


def test_a_call_may_be_forgotten_while_it_is_looked_up(standin: StandIn, arrays: Library) -> None:
    """Asking a handle for its limit runs code of Python, and so can other threads."""
    operation = Own()
    x, w, y = arrays.arrays()
    cleared: list[int] = []

    class Forgetting(handles.Workspace):
        """Has what is known forgotten while it is asked."""

        @property
        def limit(self) -> Any:
            cleared.append(len(operation._memory))
            operation._memory.clear()
            return None

        @limit.setter
        def limit(self, value: Any) -> None:
            pass

    with handles.Handle() as handle:
        warm(operation, x, w, out=y, handle=handle)
        handle._workspace = Forgetting(handle)
        standin.executions.clear()
        for count in (1, 2, 3):
            assert operation(x, w, out=y, handle=handle) is y
            assert len(standin.executions) == count
            assert standin.executions[-1].handle == handle.address
    assert cleared[0] == 1  # it was known until then


@pytest.mark.usefixtures("standin")
def test_a_limit_of_a_workspace_is_that_of_its_handle(arrays: Library) -> None:
    operation = Own()
    x, w, y = arrays.arrays()
    with handles.Handle() as bounded:
        bounded.workspace.limit = 0
        operation(x, w, handle=bounded)
    assert len(operation.plans) == 1
    operation(x, w)  # not by what was found for a handle with so little memory
    assert len(operation.plans) == 2
    for limit, out in enumerate((None, y, (y,)), 1 << 20):
        warm(operation, x, w, out=out)
        count = len(operation.plans)
        own = handles.handle()
        own.workspace.limit = limit
        try:  # not by what was found before
            operation(x, w, out=out)
            assert len(operation.plans) == count + 1
            operation(x, w, out=out, handle=own)
        finally:
            own.workspace.limit = None
        assert len(operation.plans) == count + 1


@pytest.mark.usefixtures("standin")
def test_only_a_limit_that_changes_has_calls_decide_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be set before there is a policy, whatever the environment says of that."""
    before = policy.state()
    with handles.Handle() as handle:
        assert handle.workspace.limit is None
        assert policy.state() == before
        assert policy.state()[1] is before[1]
        handle.workspace.limit = 0
        assert policy.state()[1] is not before[1]
        assert "limit" in vars(handle.workspace), "calls read it without code of Python"
        monkeypatch.setattr(policy, "_process", [])
        monkeypatch.setenv(policy.VARIABLE, "no such word")
        handle.workspace.limit = 1
        assert handle.workspace.limit == 1
        assert not policy._process


def test_what_does_not_fit_is_told_by_the_function(standin: StandIn, arrays: Library) -> None:
    operation = Own()
    x, w, _ = arrays.arrays()
    warm(operation, x, w)
    standin.executions.clear()
    for given in ((3, w), (x, "w")):
        with pytest.raises(cudnn.CudnnError):
            operation(*given)
    call: Any = operation
    with pytest.raises(TypeError):
        call()
    with pytest.raises(TypeError):
        call(x, w, bad=1)
    assert not standin.executions
    standin.status = 3
    with pytest.raises(cudnn.CudnnError):
        operation(x, w)
    standin.status = 0
    operation(x, w)


class Pair(NamedTuple):
    """The result of a function."""

    first: Any
    second: Any


def covered(function: Callable[..., Any]) -> Any:
    return shortcuts.shortcut(function, shortcuts.make_memory())


@pytest.mark.usefixtures("standin")
def test_functions(arrays: Library) -> None:
    operation, calls = Own(), []
    x, w, _ = arrays.arrays()

    def function(x: Any, w: Any, option: Any = (1, 2), **more: Any) -> Pair:
        """Compute."""
        calls.append(option)
        return Pair(operation(x, w, **more), None)

    short = covered(function)
    for _ in range(3):
        answer = short(x, w, (1, 1))
        assert type(answer) is Pair
        assert answer.second is None
    assert len(calls) <= 2
    count = len(calls)
    answer = short(x, w, (1, 1))
    assert type(answer) is Pair
    assert type(answer.first) is type(x)
    assert len(calls) == count
    short(x, w, (1, 3))
    short(x, w, option=(1, 1))
    short(x, w, [1, 1])
    short(x, w, [1, 1])  # a list can change
    assert len(calls) == count + 4

    class Shape(tuple[int, ...]):
        """A tuple such as PyTorch's shapes."""

    class Strange(tuple[int, ...]):
        """A tuple that is compared in another way."""

        def __eq__(self, other: object) -> bool:
            return pytest.fail("it was compared")

        __hash__ = None  # type: ignore[assignment]

    for _ in range(4):
        short(x, w, Shape((1, 3)))
    assert len(calls) <= count + 6
    short(x, w, Shape((1, 4)))
    count = len(calls)
    for _ in range(2):
        short(x, w, Strange((1, 4)))
    assert len(calls) == count + 2
    assert short.__doc__ == "Compute."
    assert short.__wrapped__ is function


def test_a_function_of_two_operations_is_not_known(standin: StandIn, arrays: Library) -> None:
    operation, calls = Own(), []
    x, w, _ = arrays.arrays()

    def function(x: Any, w: Any) -> Any:
        calls.append(1)
        operation(x, w)
        return operation(x, w)

    short = covered(function)
    for count in range(1, 6):
        standin.executions.clear()
        short(x, w)
        assert len(calls) == count
        assert len(standin.executions) == 2


@pytest.mark.parametrize("has_memory", [True, False])
def test_a_shortcut_whose_function_has_ended(has_memory: bool) -> None:
    """The garbage collector takes functions from shortcuts that something may still call."""
    if shortcuts._types is None:
        pytest.skip("nothing was compiled")
    found: list[Any] = []

    class Late:
        __slots__ = ()

        def __del__(self) -> None:
            try:
                short(1)
            except RuntimeError as error:
                found.append(error)

    short = shortcuts._types[0](lambda _: None, shortcuts.make_memory() if has_memory else None)
    clear = ctypes.pythonapi.PyType_GetSlot
    clear.restype, clear.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_int]
    kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object)
    kind(clear(type(short), 51))(short)  # Py_tp_clear
    Late()
    assert "garbage collector" in str(found[0])


@pytest.mark.usefixtures("standin")
def test_a_function_that_makes_arrays_is_not_known(arrays: Library) -> None:
    operation, calls = Own(), []
    x, w, _ = arrays.arrays()

    def function(_: Any, w: Any) -> Any:
        calls.append(1)
        return operation(arrays.make(CONVOLUTION[0], 0x90000), w)

    short = covered(function)
    for count in range(1, 6):
        short(x, w)
        assert len(calls) == count


@pytest.mark.usefixtures("standin")
def test_nothing_is_left(arrays: Library) -> None:
    operation = Own()
    x, w, y = arrays.arrays()
    warm(operation, x, w, out=y)
    gc.collect()  # what other tests left has references to None
    before = [sys.getrefcount(each) for each in (x, w, y, None, operation._memory)]
    for _ in range(100):
        operation(x, w, out=y)
    after = [sys.getrefcount(each) for each in (x, w, y, None, operation._memory)]
    assert all(abs(a - b) < 50 for a, b in zip(before, after, strict=True))
    assert after[:3] == before[:3]
    memory = weakref.ref(operation)
    plan = weakref.ref(operation.plans[0])
    del operation
    gc.collect()
    assert memory() is None
    assert plan() is None


@pytest.mark.usefixtures("standin")
def test_more_calls_than_are_remembered(arrays: Library) -> None:
    operation = Own()
    x, w, _ = arrays.arrays()
    for number in range(200):
        operation(x, w, alpha=float(number))
    assert len(operation._memory) == 128
    count = operation.calls
    operation(x, w, alpha=199.0)
    assert operation.calls == count


def test_threads(standin: StandIn, arrays: Library) -> None:
    operation = Own()
    made = [arrays.make(CONVOLUTION[0], 0x10000 * each) for each in range(1, 5)]
    w = arrays.make(CONVOLUTION[1], 0x90000)

    def work(number: int) -> None:
        for turn in range(100):
            operation(made[number], w, alpha=float(turn % 7))
            if turn % 40 == 39 and number == 0:
                operation.clear()

    in_threads(work, range(4))
    assert len(standin.executions) == 400


def test_functions_of_the_room_are_found_by_name() -> None:
    for function in (ops.relu, ops.convolution, ops.batch_norm, ops.log_softmax):
        assert pickle.loads(pickle.dumps(function)) is function
        assert function.__doc__
    assert ops.convolution is sys.modules["cudnn_cffi.ops.conv.forward"].convolution


class Loose(Own):
    """An operation whose plan takes only the first array."""

    def find_way(self, case: Case, *_: Any) -> Plan:
        return super().find_way(case._replace(inputs={"x": case.inputs["x"]}))


def test_arrays_that_the_plan_does_not_take_are_compared(standin: StandIn, arrays: Library) -> None:
    operation = Loose()
    x, w, _ = arrays.arrays()
    count = warm(operation, x, w)
    if arrays.name != "torch":
        assert count == 3  # of other libraries not all is known
        return
    assert count <= 2
    standin.executions.clear()
    operation(x, arrays.make(CONVOLUTION[1], 0x70000))
    assert operation.calls == count
    for changes in ({"shape": (8, 8, 3, 1)}, {"dtype": "float32"}, {"is_cuda": False}):
        other = arrays.make(CONVOLUTION[1], 0x70000, **changes)
        with contextlib.suppress(cudnn.CudnnError):
            operation(x, other)
        count += 1
        assert operation.calls == count


@pytest.mark.usefixtures("standin")
def test_scopes_do_not_crowd_out_other_calls(arrays: Library) -> None:
    operation = Own()
    x, w, _ = arrays.arrays()
    warm(operation, x, w)
    for _ in range(300):
        with cudnn.choice("small"):
            operation(x, w)
    assert len(operation._memory) <= 3
    count = operation.calls
    operation(x, w)
    assert operation.calls == count


def test_copies_remember_nothing() -> None:
    operation = ops.Softmax("last")
    for other in (copy.deepcopy(operation), pickle.loads(pickle.dumps(operation))):
        assert other.options == operation.options
        assert other.plans == ()
