"""Prepared calls of classic functions: what cuDNN's functions get from the compiled layer."""

from __future__ import annotations

import contextlib
import ctypes
import random
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import cudnn_cffi as cudnn
import pytest
from cudnn_cffi import errors, handles, ops
from cudnn_cffi._call.layer import lib
from cudnn_cffi._call.spec import WRAPPERS, read_spec
from cudnn_cffi._operation import shortcuts
from cudnn_cffi._ways.call_sequence import Steps
from cudnn_cffi._ways.case import FREE, Case
from cudnn_cffi._ways.classic_call import (
    HANDLE,
    AnyStep,
    Classic,
    Execute,
    Fill,
    Held,
    Kernel,
    Rows,
    Scratch,
    Step,
    Zero,
)
from cudnn_cffi.kernels import launching
from cudnn_cffi.ops import Operation, Spec
from cudnn_cffi.ops.conv import chain as unfused
from cudnn_cffi.plan import Operand
from cudnn_cffi.plan.operand import Pair
from cudnn_cffi.plan.run.compiled import make_turn

from tests.fake_driver import FakeDriver
from tests.plan.conftest import Library, make_library
from tests.plan.standin import CONVOLUTION, StandIn, make_plan
from tests.threads import in_threads

_TYPES: dict[str, Any] = {
    "i": ctypes.c_int, "I": ctypes.c_uint, "q": ctypes.c_int64, "Q": ctypes.c_uint64,
    "f": ctypes.c_float, "d": ctypes.c_double,
}  # fmt: skip

X, Y = CONVOLUTION[0], CONVOLUTION[2]


class Recorder:
    """Takes the place of functions of cuDNN, and notes what they get."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.status = 0
        self.double = False
        self.before: Callable[[], None] = lambda: None
        self._kept: list[Any] = []

    def bind(self, name: str, function: Any) -> None:
        self._kept.append(function)
        lib.cudnn_cffi_bind(WRAPPERS.index(name), ctypes.cast(function, ctypes.c_void_p).value)

    def take(self, name: str) -> None:
        """Note the calls of a function."""
        codes = read_spec(name).codes
        kinds = [_TYPES.get(code[0], ctypes.c_void_p) for code in codes]

        def function(*given: Any) -> int:
            self.before()
            kind = ctypes.c_double if self.double else ctypes.c_float
            read = [
                kind.from_address(value).value if code[0] in "st" else value
                for value, code in zip(given, codes, strict=True)
            ]
            self.calls.append((name, tuple(read)))
            return self.status

        self.bind(name, ctypes.CFUNCTYPE(ctypes.c_int, *kinds)(function))

    def tell_types(self) -> None:
        """Have all descriptors be of one data type."""
        pointer = ctypes.POINTER(ctypes.c_int)
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, *[pointer] * 4)

        def getter(_descriptor: int, _wanted: int, out: Any, *_: Any) -> int:
            out[0] = int(self.double)
            return 0

        for name in ("cudnnGetTensorNdDescriptor", "cudnnGetFilterNdDescriptor"):
            self.bind(name, kind(getter))


@pytest.fixture
def recorder(standin: StandIn) -> Iterator[Recorder]:
    made = Recorder()
    made.tell_types()
    yield made
    standin.unbind()


@pytest.fixture
def only_compiled(compiled: bool) -> None:
    if not compiled:
        pytest.skip("nothing was compiled")


def relu(recorder: Recorder, **changes: Any) -> Classic:
    """Return a call of cudnnActivationForward with numbers for descriptors."""
    name = "cudnnActivationForward"
    recorder.take(name)
    step = Step(name, HANDLE, 11, 0.5, 12, "x", 0.25, 13, "y")
    return Classic(name, [X, Y], [step], **changes)


def value_for(code: str, draw: random.Random) -> Any:
    """Return an argument for a code."""
    if code[0] in "fdst":
        return float(draw.randrange(-1000, 1000)) / 8
    low, high = {
        "i": (-(1 << 31), 1 << 31), "I": (0, 1 << 32), "q": (-(1 << 63), 1 << 63),
        "Q": (0, 1 << 64),
    }.get(code[0], (1, 1 << 63))  # fmt: skip
    return draw.randrange(low, high)


@pytest.mark.usefixtures("only_compiled")
@pytest.mark.parametrize("double", [False, True])
def test_each_argument_comes_as_it_was_given(
    standin: StandIn, recorder: Recorder, arrays: Library, double: bool
) -> None:
    draw, checked = random.Random(5), 0
    recorder.double = double
    x = arrays.arrays()[0]
    for name in WRAPPERS:
        spec = read_spec(name)
        if not spec.parameters or spec.parameters[0].kind != "handle" or name in (
            "cudnnSetStream", "cudnnDestroy", "cudnnBackendExecute",
        ):  # fmt: skip
            continue
        given = [value_for(each.code, draw) for each in spec.parameters]
        pointers = [i for i, each in enumerate(spec.parameters) if each.code in ("P", "p")][1:]
        steps = [Step(name, HANDLE, *given[1:])]
        if pointers:  # one is the array, another one in the workspace
            steps[0] = Step(
                name, *[HANDLE, *given[1:]][: pointers[-1]], "x", *given[pointers[-1] + 1 :]
            )
        way = Classic(name, [X], steps)
        if not way._is_armed:
            continue
        recorder.take(name)
        way._steps = ()  # the first call, of Python, only learns what arrays are like
        way.steps = ()
        way(x)
        assert way.attempt(x) == ()
        _, second = recorder.calls[-1]
        recorder.calls.clear()
        places = {each.position: i for i, each in enumerate(spec.parameters)}
        for position, got in enumerate(second):
            at = places.get(position)
            if at is None:
                assert got in (None, 0), (name, position)
            elif at == 0:
                assert got in standin.streams
            elif pointers and at == pointers[-1]:
                assert got == 0x10000
            else:
                assert got == given[at], (name, spec.parameters[at].name)
        checked += 1
    assert checked > 40


@pytest.mark.usefixtures("only_compiled")
def test_plain_calls_run_no_python(
    recorder: Recorder, arrays: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = relu(recorder)
    x, _, y = arrays.arrays()
    way(x)
    monkeypatch.setattr(Classic, "_run", lambda *_: pytest.fail("it was made in Python"))
    recorder.calls.clear()
    assert way(x, y) is way(x, y=y) is way.attempt(x, y) is y
    assert way(x) is not y
    for _, call in recorder.calls:
        assert call[1:4] == (11, 0.5, 12)
        assert call[4:7] == (0x10000, 0.25, 13)
    assert [call[7] for _, call in recorder.calls][:3] == [0x30000] * 3
    other = arrays.make(X, 0x80000)
    way(other, y)
    assert recorder.calls[-1][1][4] == 0x80000


def test_what_does_not_fit_is_refused(recorder: Recorder, arrays: Library) -> None:
    way = relu(recorder)
    x, _, y = arrays.arrays()
    way(x, y)
    recorder.calls.clear()
    for changes, error in (
        ({"dtype": "float32"}, errors.ArgumentError),
        ({"shape": (1, 8, 16, 8)}, errors.ShapeMismatchError),
        ({"strides": (2048, 256, 16, 1)}, errors.ArgumentError),
        ({"address": 0x20008}, errors.MisalignedPointerError),
        ({"address": 0}, errors.CudnnError),
    ):
        bad = arrays.make(X, **{"address": 0x50000} | changes)
        for given in ((bad, y), (x, bad)):
            with pytest.raises(error):
                way(*given)
    with pytest.raises(errors.ArgumentError, match="x: it is missing"):
        way()
    assert not recorder.calls


@pytest.mark.parametrize("name", ["own", "view"])
@pytest.mark.parametrize("changes", [(), ("x",)])
def test_read_only_inputs_that_a_call_writes(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch, name: str, changes: tuple[str, ...]
) -> None:
    library = make_library(name, monkeypatch)
    x, y = library.make(X, 0x10000), library.make(Y, 0x20000)
    call = relu(recorder, changes=changes)
    for _ in range(3):
        assert call(x, y) is y
    (x._memory if name == "own" else x).readonly = True
    recorder.calls.clear()
    for _ in range(2):
        if changes:
            with pytest.raises(errors.ArgumentError, match=r"^x: expected an array to write to"):
                call(x, y)
        else:
            assert call(x, y) is y
    assert len(recorder.calls) == (0 if changes else 2)


def test_a_status_is_told(recorder: Recorder, arrays: Library) -> None:
    way = relu(recorder)
    x, _, y = arrays.arrays()
    way(x, y)
    recorder.status = 3000
    for _ in range(2):
        with pytest.raises(errors.NotSupportedError, match="cudnnActivationForward"):
            way(x, y)
    recorder.status = 0
    assert way(x, y) is y


def test_null_is_refused(recorder: Recorder, arrays: Library) -> None:
    name = "cudnnActivationForward"
    recorder.take(name)
    way = Classic(name, [X, Y], [Step(name, HANDLE, 0, 1.0, 12, "x", 0.0, 13, "y")])
    x, _, y = arrays.arrays()
    for _ in range(2):
        with pytest.raises(errors.NullPointerError, match="activationDesc must not be NULL"):
            way(x, y)
    assert not recorder.calls


def test_steps_run_in_their_order(recorder: Recorder, arrays: Library, driver: FakeDriver) -> None:
    for name in ("cudnnSoftmaxForward", "cudnnAddTensor"):
        recorder.take(name)
    room = SimpleNamespace(address=0x1230)
    steps: list[AnyStep] = [
        Zero(Scratch(256), 64),
        Zero("y", 4096),
        Fill("y", 100, 0x3800, 2),
        Fill("y", 50, 0x3F000001, 4),
        Step("cudnnSoftmaxForward", HANDLE, 1, 0, 1.0, 21, "x", 0.0, 22, Scratch(512)),
        Step("cudnnAddTensor", HANDLE, 2.0, Held(room), Scratch(512), 3.0, 23, "y"),
    ]
    way = Classic("two", [X, Y], steps, workspace_size=1024)
    x, _, y = arrays.arrays()
    for _ in range(3):
        recorder.calls.clear()
        driver.calls.clear()
        way(x, y)
        block = handles.handle().workspace.get(1024)
        (_, soft), (_, add) = recorder.calls
        assert [each for each in driver.calls if each[0] == "fill"] == [
            ("fill", block + 256, 64),
            ("fill", 0x30000, 4096),
            ("fill", 0x30000, 200, 0x3800),
            ("fill", 0x30000, 200, 0x3F000001),
        ]
        assert (soft[5], soft[8]) == (0x10000, block + 512)
        assert add[1:] == (2.0, 0x1230, block + 512, 3.0, 23, 0x30000)
    recorder.calls.clear()
    recorder.status = 3000
    with pytest.raises(errors.NotSupportedError, match="cudnnSoftmaxForward"):
        way(x, y)
    assert [name for name, _ in recorder.calls] == ["cudnnSoftmaxForward"]  # nothing after it


@pytest.mark.parametrize("by", ["classic", "plan"])
def test_chains(
    standin: StandIn, recorder: Recorder, arrays: Library, by: str, compiled: bool
) -> None:
    for name in ("cudnnConvolutionForward", "cudnnAddTensor", "cudnnActivationForward"):
        recorder.take(name)
    x, w, y = arrays.arrays()
    bias = Operand("bias", 9, (8,), (1,), "HALF", alignment=2)
    b = arrays.make(bias, 0x40002)
    first: Any
    if by == "plan":
        first = make_plan()
    else:
        step = Step(
            "cudnnConvolutionForward", HANDLE, 1.0, 1, "x", 2, "w", 3, 0, Scratch(), 256, 0.0, 4,
            "y",
        )  # fmt: skip
        loose = [each._replace(alignment=2) for each in CONVOLUTION]
        first = Classic("cudnnConvolutionForward", loose, [step], workspace_size=256)
    specs = {e.name: Spec("float16", e.shape, e.strides) for e in (*CONVOLUTION, bias)}
    add = Classic(
        "cudnnAddTensor", [bias, Y._replace(alignment=2)],
        [Step("cudnnAddTensor", HANDLE, 1.0, 5, "bias", 1.0, 4, "y")],
    )  # fmt: skip
    after = Classic(
        "cudnnActivationForward",
        [X._replace(alignment=2), Y._replace(alignment=2)],
        [Step("cudnnActivationForward", HANDLE, 6, 1.0, 4, "x", 0.0, 4, "y")],
    )
    case = Case({name: specs[name] for name in ("x", "w", "bias")}, {"y": specs["y"]})
    way = unfused.Chain([first, add, after], case)
    assert [each.alignment for each in way.operands] == [16 if by == "plan" else 2] * 2 + [
        2, 16 if by == "plan" else 2,
    ]  # fmt: skip
    for turn in range(4):
        recorder.calls.clear()
        standin.executions.clear()
        if turn > 1 and compiled:
            assert way.attempt(x, w, b, y) is y
        else:
            assert way(x, w, b, y) is y
        *before, (_, added), (_, activated) = recorder.calls
        assert (added[3], added[6]) == (0x40002, 0x30000)
        assert (activated[4], activated[7]) == (0x30000, 0x30000)
        if by == "plan":
            (done,) = standin.executions
            assert done.pointers == {1: 0x10000, 2: 0x20000, 3: 0x30000}
        else:
            ((_, convolved),) = before
            assert (convolved[3], convolved[5], convolved[12]) == (0x10000, 0x20000, 0x30000)
            assert convolved[8] == handles.handle().workspace.get(256)
    if by == "plan":
        first.close()
        with pytest.raises(errors.ClosedError):
            way(x, w, b, y)


class Copied(ctypes.Structure):
    """The arguments of the driver for a copy of rows."""

    _fields_ = (
        ("_a", ctypes.c_size_t * 2), ("from_kind", ctypes.c_int), ("_b", ctypes.c_void_p),
        ("source", ctypes.c_uint64), ("_c", ctypes.c_void_p), ("pitch", ctypes.c_size_t),
        ("_d", ctypes.c_size_t * 2), ("to_kind", ctypes.c_int), ("_e", ctypes.c_void_p),
        ("target", ctypes.c_uint64), ("_f", ctypes.c_void_p), ("to_pitch", ctypes.c_size_t),
        ("width", ctypes.c_size_t), ("rows", ctypes.c_size_t),
    )  # fmt: skip


def copies_of(driver: FakeDriver) -> list[tuple[int, ...]]:
    """Have a driver copy rows; return where that is noted."""
    copies: list[tuple[int, ...]] = []
    fake: Any = driver

    def copy(what: int, _stream: int | None) -> int:
        one = Copied.from_address(what)
        assert one.from_kind == one.to_kind == 2
        assert not any((*one._a, one._b, one._c, *one._d, one._e, one._f))
        copies.append((one.source, one.target, one.rows, one.width, one.pitch, one.to_pitch))
        return int(fake.copy_status)

    fake.copy_status = 0
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    fake.cuMemcpy2DAsync_v2 = kind(copy)
    return copies


@pytest.fixture
def mixed(
    standin: StandIn, recorder: Recorder, driver: FakeDriver
) -> tuple[Classic, list[tuple[int, ...]], list[Any]]:
    """Return a call of a copy, two plans and a function, what is copied, and the plans."""
    copies = copies_of(driver)
    recorder.take("cudnnAddTensor")
    standin.workspace_size = 100
    first = make_plan()
    standin.workspace_size = 0
    plans = [first, make_plan([X, Y])]
    room = SimpleNamespace(address=0x12340)
    steps: list[AnyStep] = [
        Rows("x", Scratch(512), 3, 4, 8),
        Execute(first, {"x": "x", "w": Held(room), "y": Scratch(1024)}, Scratch(256)),
        Step("cudnnAddTensor", HANDLE, 2.0, 21, Scratch(512), 3.0, 23, Scratch(1024)),
        Execute(plans[1], {"x": Scratch(1024), "y": "y"}),
    ]
    return Classic("several", [X, Y], steps, workspace_size=1 << 14), copies, plans


def test_plans_and_copies_are_steps(
    mixed: Any, standin: StandIn, recorder: Recorder, arrays: Library, compiled: bool
) -> None:
    way, copies, _ = mixed
    x, _, y = arrays.arrays()
    assert way._is_armed == compiled
    for turn in range(4):
        for each in (copies, standin.executions, recorder.calls):
            each.clear()
        assert (way.attempt if turn > 1 and compiled else way)(x, y) is y
        block = handles.handle().workspace.get(1 << 14)
        assert copies == [(0x10000, block + 512, 3, 4, 8, 4)]
        ((_, added),) = recorder.calls
        assert added[1:] == (2.0, 21, block + 512, 3.0, 23, block + 1024)
        one, two = standin.executions
        assert one.pointers == {1: 0x10000, 2: 0x12340, 3: block + 1024}
        assert one.workspace == block + 256
        assert two.pointers == {1: block + 1024, 3: 0x30000}


@pytest.mark.parametrize("cluster", [1, 8])
@pytest.mark.parametrize("overlaps", [False, True])
@pytest.mark.usefixtures("standin")
def test_kernels_are_steps(
    arrays: Library, driver: FakeDriver, compiled: bool, monkeypatch: pytest.MonkeyPatch,
    cluster: int, overlaps: bool,
) -> None:  # fmt: skip
    """The driver gets blocks, attributes and the words of an argument, in the stream of a call."""
    seen: list[Any] = []
    status = 0

    def launch(config: int, kernel: int, arguments: Any, _extra: int | None) -> int:
        one = launching._Config.from_address(config)
        attributes = [(each.id, *each.value[:3]) for each in one.attributes[: one.count]]
        words = tuple((ctypes.c_uint64 * 4).from_address(arguments[0]))
        seen.append((kernel, *one.grid, *one.block, one.shared, one.stream, attributes, words))
        return status

    kind = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p),
        ctypes.c_void_p,
    )  # fmt: skip
    fake: Any = driver
    fake.cuLaunchKernelEx = kind(launch)
    monkeypatch.setattr(launching, "_may_overlap", lambda _: overlaps)
    one = launching.Launch(
        ctypes.c_void_p(0x7F0012345678), 0, (3, 70000, 5), 256, shared=90000, cluster=cluster
    )
    argument = ("x", Scratch(512), -1 & (1 << 64) - 1, "y")
    way = Classic("kernel", [X, Y], [Kernel(one, *argument)], workspace_size=1024)
    assert way._is_armed == compiled
    assert way.is_replayed
    x, _, y = arrays.arrays()
    wanted = [(6, 1, 0, 0)] * overlaps + [(4, 1, 1, cluster)] * (cluster > 1)
    for turn in range(6):
        seen.clear()
        assert (way.attempt if turn > 1 and compiled else way)(x, y) is y
        block = handles.handle().workspace.get(1024)
        ((*numbers, stream, attributes, words),) = seen
        assert numbers == [0x7F0012345678, 3, 70000, 5, 256, 1, 1, 90000]
        assert (stream or 0) == handles.handle().get_stream()
        assert sorted(attributes) == sorted(wanted)
        assert words == (0x10000, block + 512, (1 << 64) - 1, 0x30000)
    status = 719
    with pytest.raises(errors.ExecutionFailedError, match="could not be launched: the driver"):
        way(x, y)


def test_a_plan_among_steps_that_fails_or_is_closed(
    mixed: Any, standin: StandIn, recorder: Recorder, arrays: Library, driver: FakeDriver
) -> None:
    way, _, plans = mixed
    x, _, y = arrays.arrays()
    for _ in range(2):
        assert way(x, y) is y
        recorder.calls.clear()
        standin.status = 3000
        with pytest.raises(errors.NotSupportedError, match="cudnnBackendExecute"):
            way(x, y)
        standin.status = 0
        assert not recorder.calls  # nothing after it
        fake: Any = driver
        fake.copy_status = 700
        with pytest.raises(errors.CudnnError):
            way(x, y)
        fake.copy_status = 0
    plans[1].close()
    with pytest.raises(errors.ClosedError):
        way(x, y)


def test_a_plan_among_steps_has_a_device_and_a_workspace(standin: StandIn, arrays: Library) -> None:
    standin.workspace_size = 100
    plan = make_plan(handle=handles.handle())
    with pytest.raises(errors.ArgumentError, match="workspace"):
        Execute(plan, {"x": "x", "w": "w", "y": "y"})
    step = Execute(plan, {"x": "x", "w": "w", "y": "y"}, Scratch())
    way = Classic("one", CONVOLUTION, [step], workspace_size=100)
    x, w, y = arrays.arrays()
    assert way(x, w, y) is y
    assert way(x, w, y) is y
    if arrays.name not in ("own", "torch"):
        pytest.skip("all its arrays are on one device")
    for _ in range(2):
        with pytest.raises(errors.ArgumentError, match="device"):
            way(*[arrays.make(each, 0x90000, device=1) for each in CONVOLUTION])


@pytest.mark.parametrize("by", ["plan", "classic"])
def test_what_is_read_late_is_not_written_early(
    standin: StandIn, recorder: Recorder, arrays: Library, by: str, compiled: bool
) -> None:
    """A residual that was the output, too, was added after the convolution had written to it."""
    for name in ("cudnnConvolutionForward", "cudnnAddTensor"):
        recorder.take(name)
    x, w, y = arrays.arrays()
    residual = X._replace(name="residual", alignment=2)
    specs = {e.name: Spec("float16", e.shape, e.strides) for e in (*CONVOLUTION, residual)}
    first: Any = make_plan()
    if by == "classic":
        step = Step(
            "cudnnConvolutionForward", HANDLE, 1.0, 1, "x", 2, "w", 3, 0, None, 0, 0.0, 4, "y"
        )  # fmt: skip
        first = Classic("cudnnConvolutionForward", CONVOLUTION, [step])
    add = Classic(
        "cudnnAddTensor", [residual, Y._replace(alignment=2)],
        [Step("cudnnAddTensor", HANDLE, 1.0, 5, "residual", 1.0, 4, "y")],
    )  # fmt: skip
    case = Case({name: specs[name] for name in ("x", "w", "residual")}, {"y": specs["y"]})
    way = unfused.Chain([first, add], case)
    assert way._apart == tuple([Pair("y", each) for each in ("x", "w", "residual")])
    size = 2 * X.shape[0] * X.strides[0]
    for turn in range(4):
        recorder.calls.clear()
        standin.executions.clear()
        apart = arrays.make(residual, 0x30000 + size)  # right after the output
        assert way(x, w, apart, y) is y
        assert recorder.calls
        for address in (0x30000, 0x30000 + size - 16, 0x30010 - size):
            recorder.calls.clear()
            standin.executions.clear()
            wrong = arrays.make(residual, address)
            if compiled and turn:
                assert way.attempt(x, w, wrong, y) is NotImplemented
            with pytest.raises(errors.ArgumentError, match=r"^y: .* it overlaps residual"):
                way(x, w, wrong, y)
            assert not recorder.calls
            assert not standin.executions
        with pytest.raises(errors.ArgumentError, match=r"^y: .* it overlaps x"):
            way(x, w, apart, arrays.make(Y, 0x10000))


@pytest.mark.usefixtures("recorder")
def test_steps_tell_what_must_not_overlap() -> None:
    spec = Spec("float16", X.shape, X.strides)
    steps = Steps({"x": spec, "scale": spec}, {"y": spec, "mean": spec})
    steps.room("inner", 256)
    steps.zero("mean", 256)
    steps.call("cudnnActivationForward", 6, 1.0, 4, "x", 0.0, 4, "inner")
    steps.call("cudnnActivationForward", 6, 1.0, 4, "inner", 0.0, 4, "y")
    assert steps.classic()._apart == (Pair("y", "mean"), Pair("mean", "x"))
    steps.then(lambda *_: None, "a function of Python")
    late = [("y", "x"), ("y", "scale"), ("y", "mean"), ("mean", "x"), ("mean", "scale")]
    assert steps.classic()._apart == tuple([Pair(*each) for each in late])


def test_a_chain_with_a_plan_behind_a_step(
    standin: StandIn, recorder: Recorder, arrays: Library, compiled: bool
) -> None:
    recorder.take("cudnnAddTensor")
    x, w, y = arrays.arrays()
    bias = Operand("bias", 9, (8,), (1,), "HALF", alignment=2)
    add = Classic(
        "cudnnAddTensor", [bias, Y], [Step("cudnnAddTensor", HANDLE, 1.0, 5, "bias", 1.0, 4, "y")]
    )
    after = make_plan([X, Y])
    specs = {e.name: Spec("float16", e.shape, e.strides) for e in (*CONVOLUTION, bias)}
    case = Case({name: specs[name] for name in ("x", "w", "bias")}, {"y": specs["y"]})
    way = unfused.Chain([make_plan(), add, after], case)
    b = arrays.make(bias, 0x40002)
    for turn in range(4):  # none of them leaves anything out
        standin.executions.clear()
        recorder.calls.clear()
        assert (way.attempt if turn > 1 and compiled else way)(x, w, b, y) is y
        assert len(recorder.calls) == 1
        assert [each.pointers for each in standin.executions] == [
            {1: 0x10000, 2: 0x20000, 3: 0x30000},
            {1: 0x30000, 3: 0x30000},
        ]


@pytest.mark.usefixtures("only_compiled")
def test_checks_of_calls_see_the_function(recorder: Recorder, arrays: Library) -> None:
    way = relu(recorder)
    x, _, y = arrays.arrays()
    way(x, y)
    with cudnn.check_calls():
        assert way.attempt(x, y) is NotImplemented
    assert way.attempt(x, y) is y


def test_a_function_of_python_goes_on_working(arrays: Library, standin: StandIn) -> None:
    del standin
    ran: list[Any] = []
    way = Classic("f", [X, Y], lambda *given: ran.append(given), workspace_size=5)
    x, _, y = arrays.arrays()
    assert way(x, y) is y
    assert way.attempt(x, y) is NotImplemented
    ((handle, scratch, size, *addresses),) = ran
    assert isinstance(handle, handles.Handle)
    assert (scratch, size) == (handle.workspace.get(5), 5)
    assert addresses == [0x10000, 0x30000]


def test_arguments_are_counted() -> None:
    with pytest.raises(errors.ArgumentError, match="expected 8 arguments, got 2"):
        Step("cudnnActivationForward", HANDLE, 1).words({})


@pytest.mark.usefixtures("only_compiled")
def test_threads_run_it_at_the_same_time(recorder: Recorder, arrays: Library) -> None:
    way = relu(recorder)
    x, _, y = arrays.arrays()
    way(x, y)
    inside, both = [], threading.Barrier(2, timeout=20)

    def wait() -> None:
        inside.append(1)
        both.wait()

    recorder.before = wait
    in_threads(lambda _: way(x, y), range(2))
    assert len(inside) == 2
    assert not both.broken


@pytest.mark.usefixtures("only_compiled")
def test_nothing_is_left(recorder: Recorder, arrays: Library) -> None:
    way = relu(recorder)
    x, _, y = arrays.arrays()
    way(x, y)
    before = [sys.getrefcount(each) for each in (x, y, way, HANDLE)]
    for _ in range(200):
        way(x, y)
        way.attempt(x, None)
        recorder.calls.clear()
    assert [sys.getrefcount(each) for each in (x, y, way, HANDLE)] == before


def events_of(driver: FakeDriver) -> list[tuple[Any, ...]]:
    """Have C functions of a driver wait for events and record them; return where that is noted."""
    done: list[tuple[Any, ...]] = []
    address = ctypes.c_void_p
    fake: Any = driver

    def record(event: int, stream: int | None) -> int:
        done.append(("record", event, stream or 0))
        return 0

    def wait(stream: int | None, event: int, _flags: int) -> int:
        done.append(("wait", event, stream or 0))
        return 0

    fake.cuEventRecord = ctypes.CFUNCTYPE(ctypes.c_int, address, address)(record)
    fake.cuStreamWaitEvent = ctypes.CFUNCTYPE(ctypes.c_int, address, address, ctypes.c_uint)(wait)

    def current(out: Any) -> int:
        out[0] = driver.current
        return 0

    fake.cuCtxGetCurrent = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(address))(current)
    return done


def taking_turns(turn: Any, driver: FakeDriver) -> tuple[list[Any], Any]:
    """Return the handles of calls that Python made, and what such calls are made in."""
    entered: list[Any] = []

    @contextlib.contextmanager
    def around(handle: handles.Handle) -> Iterator[None]:
        entered.append(handle)
        with turn:
            yield
            turn.event, turn.stream = 77, handle.get_stream()
            turn.context, turn.ready = driver.current, 1

    return entered, around


@pytest.mark.usefixtures("only_compiled")
def test_calls_that_share_memory_take_turns(
    recorder: Recorder, arrays: Library, driver: FakeDriver
) -> None:
    if arrays.module is None:
        pytest.skip("it has no current stream")
    done = events_of(driver)
    turn = make_turn()
    entered, around = taking_turns(turn, driver)
    way = relu(recorder, around=around, turn=turn)
    x, _, y = arrays.arrays()
    assert way.attempt(x, y) is NotImplemented  # nothing is prepared yet
    way(x, y)
    assert len(entered) == 1
    assert way.attempt(x, y) is y
    assert way(x, y) is y
    assert done == [("record", 77, 0)] * 2
    arrays.module.current = 0x990
    way(x, y)
    assert done[2:] == [("wait", 77, 0x990), ("record", 77, 0x990)]
    way(x, y)
    assert done[4:] == [("record", 77, 0x990)]
    assert len(entered) == 1
    turn.ready = 0
    way(x, y)
    assert len(entered) == 2
    turn.context = 5  # an event of another context cannot be recorded here
    assert way.attempt(x, y) is NotImplemented
    with turn, turn:  # the lock may be acquired again
        assert turn.stream == 0x990
    with pytest.raises(RuntimeError, match="does not have the lock"):
        turn.__exit__()


class Dropping(Operation):
    """An operation whose calls take turns, as those that use random numbers do."""

    takes = ("x",)
    gives = ("y",)
    ways = ("classic",)
    way: Classic
    calls = 0

    def __call__(self, x: Any, *, out: Any = None, beta: float = 0.0) -> Any:
        """Compute."""
        self.calls += 1
        return self.run((x,), out, beta=beta)

    def _case(self, specs: Any, targets: Any, alpha: float, beta: float, call: Any) -> Case:
        return Case(specs, targets, alpha, beta, call)

    def find_way(self, *_: Any) -> Classic:
        return self.way


@pytest.mark.usefixtures("only_compiled")
def test_an_object_goes_on_with_its_state_and_a_function_does_not(
    recorder: Recorder, arrays: Library, driver: FakeDriver
) -> None:
    done = events_of(driver)
    turn = make_turn()
    entered, around = taking_turns(turn, driver)
    operation = Dropping()
    operation.way = relu(recorder, around=around, turn=turn)
    x, _, y = arrays.arrays()
    for _ in range(3):
        operation(x, out=y)
    count = operation.calls
    assert operation(x, out=y) is y
    assert operation.calls == count  # known: no Python ran
    assert len(entered) == 1
    assert len(done) == 3  # but each call has recorded its event
    turn.ready = 0  # as a state that begins anew
    operation(x, out=y)
    assert (operation.calls, len(entered)) == (count + 1, 2)

    made: list[Dropping] = []

    def function(x: Any, out: Any) -> Any:
        made.append(Dropping())
        made[-1].way = operation.way
        return made[-1](x, out=out)

    short = shortcuts.shortcut(function, shortcuts.make_memory())
    for count in range(1, 5):
        assert short(x, y) is y
        assert len(made) == count


@pytest.mark.parametrize("refusal", ["NOT_SUPPORTED", "BAD_PARAM"])
def test_what_is_refused_is_computed_by_what_stands_in(
    recorder: Recorder, arrays: Library, refusal: str
) -> None:
    operation = Dropping()
    operation.way = relu(recorder)
    x, _, y = arrays.arrays()
    statuses = [int(cudnn.Status[refusal]), 0, 0]
    recorder.before = lambda: setattr(recorder, "status", statuses.pop(0))
    name = "cudnnActivationForward"
    other = Classic(name, [X, Y], [Step(name, HANDLE, 21, 0.5, 12, "x", 0.25, 13, "y")])
    with pytest.raises(errors.CudnnError):
        operation(x, out=y)
    statuses.insert(0, int(cudnn.Status[refusal]))
    operation.way.instead = lambda: other
    assert operation(x, out=y) is y
    assert operation(x, out=y) is y
    assert [given[1] for _, given in recorder.calls] == [11, 11, 21, 21]
    assert operation.plans == (other,)


class Hungry:
    """A way whose workspace does not fit."""

    inputs = (X,)
    workspace_size = 1 << 40

    def __call__(self, **_: Any) -> Any:
        raise errors.AllocationError("1099511627776 bytes do not fit")


@pytest.mark.parametrize("choose", [None, "time", "IMPLICIT_GEMM", {"engine": 4}])
def test_a_workspace_that_does_not_fit_leads_to_a_way_that_takes_less(
    recorder: Recorder, arrays: Library, monkeypatch: pytest.MonkeyPatch, choose: Any
) -> None:
    monkeypatch.setattr("cudnn_cffi.driver.info", lambda _: SimpleNamespace(free=1000))
    less = relu(recorder)
    limits: list[int | None] = []

    class Own(Dropping):
        def find_way(self, _case: Any, rule: Any, *_: Any) -> Any:
            limits.append(rule.limit)
            return Hungry() if rule.limit is None else less

        def __call__(self, x: Any, *, out: Any = None, beta: float = 0.0) -> Any:
            return self.run((x,), out, choose=choose, beta=beta)

    operation = Own()
    x, _, y = arrays.arrays()
    if choose in (None, "time"):
        assert operation(x, out=y) is y
        assert limits == [None, 896], "three bits of 1000"
        assert operation.plans == (less,)
    else:
        with pytest.raises(errors.AllocationError, match="do not fit"):
            operation(x, out=y)
        assert limits == [None]


class HungryClassic(Classic):
    """A classic call whose workspace does not fit."""

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise errors.AllocationError("1099511627776 bytes do not fit")


def test_what_stands_in_may_take_less_workspace(
    recorder: Recorder, arrays: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried where a search for less finds the same again, as for halves in two streams."""
    monkeypatch.setattr("cudnn_cffi.driver.info", lambda _: SimpleNamespace(free=1 << 50))
    less, operation = relu(recorder), Dropping()
    x, _, y = arrays.arrays()
    operation.way = HungryClassic(less.function, less.operands, less.steps, workspace_size=1 << 40)
    with pytest.raises(errors.AllocationError, match="do not fit"):
        operation(x, out=y)
    operation.way.instead = lambda: less
    assert operation(x, out=y) is y
    assert operation.plans == (less,)


@pytest.mark.parametrize("beta", [0.0, 2.0])
@pytest.mark.parametrize("in_place", [False, True])
def test_a_step_that_is_refused_after_another_one_has_changed_nothing(
    recorder: Recorder, arrays: Library, beta: float, in_place: bool
) -> None:
    """The first call runs on other memory, where a way that stands in needs the old numbers."""
    if arrays.name == "own":
        pytest.importorskip("cuda.core")
    first, second = "cudnnActivationForward", "cudnnSoftmaxForward"
    recorder.take(second)
    operation = Dropping()
    activate = Step(first, HANDLE, 11, 0.5, 12, "x", beta, 13, "y")
    relu(recorder)
    operation.way = Classic(
        "two", [X, Y], [activate, Step(second, HANDLE, 1, 0, 1.0, 21, "y", 0.0, 22, "y")]
    )
    operation.way.instead = lambda: Classic("other", [X, Y], [activate])
    x, _, y = arrays.arrays()
    y = arrays.make(Y, 0x10000) if in_place else y
    at = 0x10000 if in_place else 0x30000
    refused = int(cudnn.Status.NOT_SUPPORTED)
    recorder.before = lambda: setattr(
        recorder, "status", refused if len(recorder.calls) == 1 else 0
    )
    assert operation(x, out=y, beta=beta) is y
    places = [(name, given[-1]) for name, given in recorder.calls]
    assert [name for name, _ in places] == [first, second, first]
    assert (places[0][1] == at) == (beta == 0.0 and not in_place)
    assert places[0][1] % 256 == at % 256
    assert places[2][1] == at


def test_a_room_for_an_array_with_gaps_holds_all_that_it_spans() -> None:
    spec = Spec("float32", (2, 3, 4), (24, 8, 2))
    steps = Steps({"x": spec}, {"y": spec})
    steps.room("gaps", spec)
    steps.room("next", 4)
    steps.room("last", 4)
    assert steps._places["next"] >= 4 * (24 + 16 + 6 + 1)
    assert steps.classic(workspace_size=1).workspace_size == 1
    assert steps._size > steps._places["last"]


def test_parts_of_arrays_are_behind_their_addresses(
    standin: StandIn, arrays: Library, compiled: bool
) -> None:
    x, w, y = arrays.arrays()
    specs = {each.name: Spec("float16", each.shape, each.strides) for each in CONVOLUTION}
    given = {name: specs[name] for name in "xw"}, {"y": specs["y"]}
    inner = Steps(*given)
    inner.part("part", "x", 64)
    inner.part("part of it", "part", 32)
    for name in ("x", "part", "part of it"):
        inner.plan(make_plan(), {"x": name, "w": "w", "y": "y"})
    outer = Steps(*given)
    outer.room("room", 256)
    outer.part("end", "y", 128)
    for names in ({"x": "end", "y": "room"}, {"x": "x", "y": "end"}):
        outer.way(inner.classic(), {"w": "w", **names})
    way = outer.classic()
    assert way._apart == (Pair("y", "x"), Pair("y", "w"))
    assert [each.alignment for each in way.operands] == [16, 16, 16]
    for turn in range(4):
        standin.executions.clear()
        assert (way.attempt if turn > 1 and compiled else way)(x, w, y) is y
        found = [each.pointers for each in standin.executions]
        assert [each[1] for each in found[:3]] == [0x30080, 0x300C0, 0x300E0]
        assert [each[1] for each in found[3:]] == [0x10000, 0x10040, 0x10060]
        assert [each[3] for each in found[3:]] == [0x30080] * 3


def test_the_gradient_of_a_dropout_takes_no_turns(
    recorder: Recorder, standin: StandIn, arrays: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    del standin
    if arrays.name != "own":
        pytest.skip("the arrays do not matter")
    names = ("cudnnDropoutGetStatesSize", "cudnnRestoreDropoutDescriptor", "cudnnDropoutBackward")
    for name in names:
        recorder.take(name)
    state = SimpleNamespace(
        address=0x4000, size=64, current=contextlib.nullcontext, ordered=lambda: None
    )
    monkeypatch.setattr("cudnn_cffi.ops.element.random_state.Memory", lambda *_: state)
    operation = ops.DropoutBackward(0.25, 9)
    dy = arrays.make(X, 0x10000)
    count = operation._reserve(Spec.of(dy, "dy")).shape[0]
    reserve = arrays.make(
        Operand("r", 1, (count,), (1,), "UINT8"), 0x20000, dtype="uint8"
    )  # fmt: skip
    dx = arrays.make(Y, 0x30000)
    way = operation.classic(operation.case(dy, reserve, out=dx), FREE, handles.handle())
    for _ in range(3):
        way(dy, reserve, dx)
    assert (way._around, way._turn_of_calls) == (None, None)
    calls = [(name, given) for name, given in recorder.calls if name != names[0]]
    assert [name for name, _ in calls] == [names[1], *[names[2]] * 3]
    _, _, rate, states, _, seed = calls[0][1]
    assert (rate, states, seed) == (0.25, 0x4000, 9)
    assert calls[1][1][1] == calls[0][1][0]  # the descriptor that was restored
    assert calls[1][1][3:7] == (0x10000, calls[1][1][2], 0x30000, 0x20000)


@pytest.mark.usefixtures("recorder")
def test_arrays_without_elements_need_no_memory(arrays: Library) -> None:
    x = X._replace(shape=(0, *X.shape[1:]))
    y = Y._replace(shape=(0, *Y.shape[1:]))
    way = Classic("", [x, y], [])
    for _ in range(3):
        given = arrays.make(x, address=0), arrays.make(y, address=0)
        assert way(*given) is given[1]
        made = way(given[0])
        assert tuple(made.shape) == y.shape


def test_several_plans_in_one_are_executed_in_python() -> None:
    """They are no step of the compiled layer, which executes one descriptor."""
    for descriptor in (None, object()):
        plan = SimpleNamespace(_is_armed=True, _plan=descriptor, _takes=(), workspace_size=0)
        assert (Execute(plan, {}).words({}) is None) == (descriptor is None)
