"""A way that fails when it runs: what may take its place, and who is told."""

from __future__ import annotations

import ctypes
import warnings
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from cudnn_cffi import errors, handles
from cudnn_cffi._kept import store
from cudnn_cffi._operation import launching as launching_of_calls
from cudnn_cffi._ways import timing
from cudnn_cffi._ways.case import Case
from cudnn_cffi._ways.classic_call import HANDLE, Classic, Kernel, Step
from cudnn_cffi.choice import policy as policies
from cudnn_cffi.kernels import launching
from cudnn_cffi.ops import Operation
from cudnn_cffi.plan import Plan

from tests.fake_driver import FakeDriver
from tests.ops.test_classic_calls import Recorder
from tests.ops.test_classic_calls import recorder as recorder
from tests.plan.conftest import Library, make_library
from tests.plan.standin import CONVOLUTION, StandIn, make_plan, own

if TYPE_CHECKING:
    from cudnn_cffi._ways.signatures import Array

X, W, Y = CONVOLUTION


class _Own(Operation):
    """An operation whose first way is given, and whose other way is a plan.

    Attributes:
        asked: by what its ways were asked for.
    """

    word = "own"
    takes, gives = ("x", "w"), ("y",)

    def __init__(self, way: Any) -> None:
        super().__init__()
        self.way = way
        self.asked: list[Any] = []

    def __call__(self, x: Any, w: Any, out: Any) -> Any:
        """Compute."""
        return self.run((x, w), out, None, ..., None, 1.0, 0.0)

    def _case(self, specs: Any, targets: Any, alpha: float, beta: float, call: Any) -> Case:
        return Case(specs, targets, alpha, beta, call)

    def _order(self, *_: Any) -> tuple[str, ...]:
        return "classic", "graph"

    def find_way(self, _case: Case, rule: Any, *_: Any) -> Classic | Plan:
        self.asked.append(rule.via)
        return make_plan() if rule.via == "graph" else self.way


@pytest.fixture
def library(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> Library:
    """Return arrays of a library that the compiled layer knows by an earlier call."""
    monkeypatch.setattr(store, "_warned", set())
    monkeypatch.setattr(launching_of_calls, "_is_usable", lambda _: True)
    found = make_library("own", monkeypatch)
    make_plan()(*found.arrays())
    standin.executions.clear()
    return found


@pytest.fixture
def kernel(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> tuple[Classic, list[int]]:
    """Return the call of a kernel, and the driver's answer to its launch."""
    answer = [0]
    kind = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)
    fake: Any = driver
    fake.cuLaunchKernelEx = kind(lambda *_: answer[0])
    monkeypatch.setattr(launching, "_may_overlap", lambda _: False)
    launch = launching.Launch(ctypes.c_void_p(0x7000), 0, (1, 1, 16), 32, cluster=16)
    step = Kernel(launch, "x", "w", "y")
    return Classic("kernels.Own", [X, W, Y], [step], algorithm="kernels.Own"), answer


@pytest.mark.parametrize("status", [1, 912])
def test_a_kernel_that_is_not_launched_is_an_error(
    standin: StandIn, library: Library, kernel: Any, status: int
) -> None:
    """Engines compute nothing in its place, in the first call and in later ones."""
    way, answer = kernel
    operation, given = _Own(way), library.arrays()
    answer[0] = status
    for calls in (1, 2):
        with pytest.raises(errors.ExecutionFailedError, match="a kernel could not be launched"):
            operation(*given)
        assert operation.asked == [None] * calls
    answer[0] = 0
    assert operation(*given) is given[2]
    answer[0] = status
    for _ in range(3):
        with pytest.raises(errors.ExecutionFailedError, match="a kernel could not be launched"):
            operation(*given)
    assert operation.asked == [None] * 3
    assert not standin.executions


@pytest.mark.usefixtures("library")
def test_a_kernel_that_is_not_launched_is_not_timed(
    kernel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no way that cuDNN refuses, which others win over."""
    way, answer = kernel
    handle, at = handles.handle(), iter(range(0x10000, 0x90000, 0x10000))

    def memory(*_: Any) -> Any:
        return SimpleNamespace(address=next(at), size=0x10000, close=lambda *_: None)

    def empty(_: str, operand: Any, *_more: Any) -> Any:
        return own(operand, next(at))

    def sample(_: Any, run: Any) -> Any:
        run()

    for name, value in (
        ("Memory", memory), ("empty", empty), ("fill_with", lambda *_: None),
        ("Clock", lambda *_, **__: memory()), ("Sampler", sample),
    ):  # fmt: skip
        monkeypatch.setattr(timing, name, value)
    monkeypatch.setattr("cudnn_cffi.driver.synchronize_context", lambda: None)
    answer[0] = 912
    with pytest.raises(errors.ExecutionFailedError, match="a kernel could not be launched"):
        timing.time_way(way, handle)
    with pytest.raises(errors.ExecutionFailedError, match="a kernel could not be launched"):
        timing.measure([way], handle, 0)


class _Engines(_Own):
    """An operation that plans of several engines compute, of which some fail when executed."""

    def __init__(
        self, standin: StandIn, failing: dict[int, int], shares: tuple[str, ...] = ()
    ) -> None:
        super().__init__(None)
        self.standin, self.failing, self.shares = standin, failing, shares

    def _order(self, *_: Any) -> tuple[str, ...]:
        return ("graph",)

    def find_way(self, _case: Case, rule: Any, *_: Any) -> Plan:
        left = [each for each in (7, 9, 11) if each not in (rule.exclude or ())]
        self.asked.append((rule.via, left))
        if not left:
            raise errors.NoPlanError("no engine is left")
        self.standin.status = self.failing.get(left[0], 0)
        return make_plan((X, W, Y._replace(shares=self.shares)), engine=left[0])


@pytest.mark.parametrize("status", [3000, 4000, 5000])
def test_the_next_engine_computes_what_the_first_fails_at(
    standin: StandIn, library: Library, status: int
) -> None:
    """Its plan is used from then on; that an engine failed is told, and a refusal is not."""
    operation, given = _Engines(standin, {7: status, 9: status}), library.arrays()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(3):
            assert operation(*given) is given[2]
    assert [left for _, left in operation.asked] == [[7, 9, 11], [9, 11], [11]]
    assert [str(each.message).count("engine 11") for each in told] == [1] * (status != 3000)
    assert len(standin.executions) == 5


def test_errors_of_all_engines_are_told(standin: StandIn, library: Library) -> None:
    operation = _Engines(standin, dict.fromkeys((7, 9, 11), 5000))
    with pytest.raises(errors.NotSupportedError, match="no engine is left") as raised:
        operation(*library.arrays())
    assert str(raised.value).count("EXECUTION_FAILED") >= 3


@pytest.mark.parametrize("choose", [{"engine": 7}, None])
def test_no_other_engine_where_one_is_asked_for_or_may_have_begun(
    standin: StandIn, library: Library, choose: Any
) -> None:
    """A kernel may have written over the input that the output is."""
    shares = () if choose else ("x",)
    operation, given = _Engines(standin, {7: 5000}, shares), library.arrays()
    operation.policy = policies.to_policy(choose)
    with pytest.raises((errors.NotSupportedError, errors.ExecutionFailedError)):
        operation(*given)
    assert len(operation.asked) == 1


class _Spending(_Engines):
    spends = ("w",)


@pytest.mark.parametrize("is_fixed", [False, True])
def test_what_a_call_may_write_over_is_not_read_only(standin: StandIn, is_fixed: bool) -> None:
    """The reserve of gradients is such an input."""
    x, w, y = (own(each, 0x10000 * each.uid) for each in CONVOLUTION)
    w._memory.readonly = is_fixed
    if not is_fixed:
        assert _Spending(standin, {})(x, w, y) is y
        return
    with pytest.raises(errors.ArgumentError, match="w: expected an array to write to, got a read-"):
        _Spending(standin, {})(x, w, y)
    assert _Engines(standin, {})(x, w, y) is y


def test_reserves_may_be_written_over() -> None:
    from cudnn_cffi import ops

    several = ops.RNNBackwardData, ops.MultiHeadAttentionBackward
    assert [each.spends for each in several] == [("reserve",)] * 2


def test_what_cudnn_could_not_launch_is_told(
    standin: StandIn, library: Library, recorder: Recorder
) -> None:
    """Another way computes it, with one warning."""
    name = "cudnnActivationForward"
    recorder.take(name)
    way = Classic(name, [X, W, Y], [Step(name, HANDLE, 11, 0.5, 12, "x", 0.25, 13, "y")])
    operation, given = _Own(way), library.arrays()
    recorder.status = 5000
    with pytest.warns(RuntimeWarning, match=f"^own: {name} .*: computed by <Plan.* instead$"):
        assert operation(*given) is given[2]
    assert operation.asked == [None, "graph"]
    assert len(standin.executions) == 1
    operation, recorder.status = _Own(way), 3000
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a refusal is not told
        assert operation(*given) is given[2]
    assert operation.asked == [None, "graph"]


class _Either(Operation):
    """An operation with two optional inputs of the same shape."""

    gives = ("y",)

    def __init__(self) -> None:
        super().__init__()
        self.found: list[list[str]] = []

    def __call__(self, x: Array, a: Array | None = None, b: Array | None = None) -> Any:
        """Compute."""
        return self.run((x, a, b))

    def _case(self, specs: Any, targets: Any, alpha: float, beta: float, call: Any) -> Case:
        return Case(specs, targets, alpha, beta, call)

    def find_way(self, case: Case, *_: Any) -> Plan:
        self.found.append(list(case.inputs))
        return make_plan([X, W._replace(name=[*case.inputs][1]), Y])


def test_the_last_call_is_not_taken_for_other_inputs(standin: StandIn, library: Library) -> None:
    operation = _Either()
    assert operation.takes == ("x", "a", "b")
    assert operation.optional == {"a", "b"}
    x, w, _ = library.arrays()
    for _ in range(3):
        operation.run((x, w, None))
    assert operation.found == [["x", "a"]]
    operation.run((x, None, w))
    operation.run((x, w, None))
    assert operation.found == [["x", "a"], ["x", "b"]]
    assert len(standin.executions) == 5
