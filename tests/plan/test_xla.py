"""Plans that XLA executes: the handler in C is called as XLA calls it, on a stand-in for cuDNN."""

from __future__ import annotations

import ctypes
import itertools
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from cudnn_cffi._ways.classic_call import Classic, Kernel
from cudnn_cffi.driver import graphs
from cudnn_cffi.kernels import launching
from cudnn_cffi.plan import Operand, Plan
from cudnn_cffi.plan.operand import Number
from cudnn_cffi.plan.run import launcher
from cudnn_cffi.plan.run import xla as xla_of_plans
from cudnn_cffi.plan.run.compiled import native

from tests.fake_driver import FakeDriver
from tests.plan.standin import CONVOLUTION, StandIn, make_plan
from tests.plan.test_replaying import PRIVATE, Graphs, stop_replays
from tests.threads import in_threads

pytestmark = pytest.mark.skipif(native is None, reason="the call layer is not compiled")

_P, _I, _L, _Z = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_size_t


class Buffer(ctypes.Structure):
    _fields_ = (
        ("size", _Z), ("extension", _P), ("type", _I), ("data", _P), ("rank", _L), ("extents", _P),
    )  # fmt: skip


class Buffers(ctypes.Structure):
    _fields_ = (("size", _Z), ("extension", _P), ("count", _L), ("types", _P), ("item", _P))


class Scalar(ctypes.Structure):
    _fields_ = (("type", _I), ("value", _P))


class Attributes(ctypes.Structure):
    _fields_ = (
        ("size", _Z), ("extension", _P), ("count", _L), ("types", _P), ("names", _P), ("value", _P),
    )  # fmt: skip


class Error(ctypes.Structure):
    _fields_ = (("size", _Z), ("extension", _P), ("message", ctypes.c_char_p), ("code", _I))


class ToStream(ctypes.Structure):
    _fields_ = (("size", _Z), ("extension", _P), ("context", _P), ("stream", _P))


class Version(ctypes.Structure):
    _fields_ = (("size", _Z), ("extension", _P), ("major", _I), ("minor", _I))


class Metadata(ctypes.Structure):
    _fields_ = (("size", _Z), ("version", Version), ("traits", ctypes.c_uint32))


class Asking(ctypes.Structure):
    _fields_ = (("size", _Z), ("type", _I), ("next", _P), ("metadata", ctypes.POINTER(Metadata)))


_CREATE = ctypes.CFUNCTYPE(_P, ctypes.POINTER(Error))
_STREAM = ctypes.CFUNCTYPE(_P, ctypes.POINTER(ToStream))


class Api(ctypes.Structure):
    _fields_ = (
        ("size", _Z), ("extension", _P), ("version", Version), ("internal", _P),
        ("create", _CREATE), ("message", _P), ("destroy", _P), ("register", _P), ("stream", _STREAM),
    )  # fmt: skip


class Frame(ctypes.Structure):
    _fields_ = (
        ("size", _Z), ("extension", _P), ("api", ctypes.POINTER(Api)), ("context", _P),
        ("stage", _I), ("inputs", Buffers), ("results", Buffers), ("attributes", Attributes),
    )  # fmt: skip


_contexts = itertools.count(0x8000, 0x100)


class FakeXLA:
    """XLA as a handler sees it.

    Attributes:
        messages: of the errors.
        device: the device of all contexts.
        stream: the stream that handlers get.
        context: of all streams; handles of another one are not used.
        current: the context that is current.
        pushed: the contexts that were made current, and None for each end.
        asked: the devices for which Python was asked for a plan.
        extend: what Python does then.
    """

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.context = self.current = next(_contexts)
        self.device, self.stream = 0, 0x101
        self.pushed: list[int | None] = []
        self.asked: list[tuple[int, int]] = []
        self.extend: Callable[[int, int], None] = lambda *_: None
        ints = ctypes.POINTER(_I)
        pointers = ctypes.POINTER(_P)
        self._driver = (
            ctypes.CFUNCTYPE(_I, _P, pointers)(self._context_of),
            ctypes.CFUNCTYPE(_I, pointers)(self._get_current),
            ctypes.CFUNCTYPE(_I, _P)(self._push),
            ctypes.CFUNCTYPE(_I, pointers)(self._pop),
            ctypes.CFUNCTYPE(_I, ints)(self._device),
        )
        addresses = tuple([int(ctypes.cast(each, _P).value or 0) for each in self._driver])
        with pytest.MonkeyPatch.context() as patch:
            found = iter(addresses)
            patch.setattr(graphs, "function_address", lambda _: next(found))
            self.handlers = xla_of_plans.set_up(self._extend, 0, 3)
        self.api = Api(create=_CREATE(self._create), stream=_STREAM(self._get_stream))

    def _extend(self, key: int, device: int) -> None:
        self.asked.append((key, device))
        self.extend(key, device)

    def _context_of(self, _stream: int, out: Any) -> int:
        out[0] = self.context
        return 0

    def _get_current(self, out: Any) -> int:
        out[0] = self.current
        return 0

    def _push(self, context: int) -> int:
        self.pushed.append(context)
        return 0

    def _pop(self, _: Any) -> int:
        self.pushed.append(None)
        return 0

    def _device(self, out: Any) -> int:
        out[0] = self.device
        return 0

    def _create(self, error: Any) -> int:
        self.messages.append(error[0].message.decode())
        return 1

    def _get_stream(self, out: Any) -> int | None:
        out[0].stream = self.stream
        return None

    def call(
        self, key: int, inputs: Sequence[int], results: Sequence[int], handler: int = 0,
        is_apart: bool = False,
    ) -> str:  # fmt: skip
        """Call a handler with buffers at addresses; return the message of its error, or "".

        With `is_apart` it runs in a thread without a state of Python's, as those of XLA are.
        """
        before = len(self.messages)
        kept: list[Any] = []
        lists = []
        for addresses in (inputs, results):
            buffers = [Buffer(data=each) for each in addresses]
            array = (_P * len(buffers))(*[ctypes.addressof(each) for each in buffers])
            kept += [buffers, array]
            lists.append(Buffers(count=len(buffers), item=ctypes.addressof(array)))
        number = _L(key)
        scalar = Scalar(type=5, value=ctypes.addressof(number))
        values, types = (_P * 1)(ctypes.addressof(scalar)), (_I * 1)(3)
        attributes = Attributes(
            count=1, types=ctypes.addressof(types), value=ctypes.addressof(values)
        )
        frame = Frame(
            api=ctypes.pointer(self.api), stage=3, inputs=lists[0], results=lists[1],
            attributes=attributes,
        )  # fmt: skip
        address, failed = self.handlers[handler], _P()
        if is_apart:
            libc, thread = ctypes.CDLL(None), ctypes.c_ulong()
            given = ctypes.byref(thread), None, _P(address), ctypes.byref(frame)
            assert libc.pthread_create(*given) == 0
            assert libc.pthread_join(thread, ctypes.byref(failed)) == 0
        else:
            kind = ctypes.CFUNCTYPE(_P, ctypes.POINTER(Frame))
            failed.value = kind(address)(ctypes.byref(frame))
        assert bool(failed) == (len(self.messages) > before)
        del kept
        return self.messages[-1] if failed else ""


_keys = itertools.count(1 << 40)

#: Where the arguments of a convolution are: x, w, and the first result.
PLACES = ((0, 0), (1, 0), (-1, 0))


@pytest.fixture
def xla(standin: StandIn) -> FakeXLA:
    del standin
    return FakeXLA()


def offered(plan: Plan, device: int = 0, has_workspace: bool = False) -> int:
    key = next(_keys)
    xla_of_plans.offer(plan, key, device, PLACES, has_workspace=has_workspace)
    return key


def test_a_plan_runs_in_the_stream_with_the_buffers(standin: StandIn, xla: FakeXLA) -> None:
    standin.workspace_size = 512
    key = offered(make_plan(), has_workspace=True)
    assert xla.call(key, [0x10000, 0x20000], [0x30000, 0x40000]) == ""
    (found,) = standin.executions
    assert found.pointers == {1: 0x10000, 2: 0x20000, 3: 0x30000}
    assert (found.workspace, found.stream) == (0x40000, xla.stream)
    assert xla.pushed == []


def test_the_stream_is_set_where_it_changes(standin: StandIn, xla: FakeXLA) -> None:
    key = offered(make_plan())
    for stream in (0x201, 0x201, 0x301, 0x201):
        xla.stream = stream
        assert xla.call(key, [0x10000, 0x20000], [0x30000]) == ""
    handles = [each.handle for each in standin.executions]
    assert len(set(handles)) == 1  # one thread needs no more
    assert [each.stream for each in standin.executions] == [0x201, 0x201, 0x301, 0x201]
    assert standin.stream_sets == 3


def test_a_handle_is_there_before_the_first_call(standin: StandIn, xla: FakeXLA) -> None:
    """XLA may capture that call, in which nothing should be allocated."""
    key = offered(make_plan())
    standin.creating = lambda: pytest.fail("a handle is created while XLA may capture")
    assert xla.call(key, [0x10000, 0x20000], [0x30000]) == ""


def test_the_context_of_the_stream_is_current(standin: StandIn, xla: FakeXLA) -> None:
    xla.current = 0
    assert xla.call(offered(make_plan()), [0x10000, 0x20000], [0x30000]) == ""
    assert xla.pushed == [xla.context, None]
    assert len(standin.executions) == 1


def test_two_threads_have_two_handles(standin: StandIn, xla: FakeXLA) -> None:
    """And Python's lock is free while a plan executes."""
    plans = [offered(make_plan()), offered(make_plan())]
    both = threading.Barrier(2, timeout=20)
    standin.before = both.wait
    in_threads(lambda key: xla.call(key, [0x10000, 0x20000], [0x30000]), plans)
    assert len({each.handle for each in standin.executions}) == 2
    assert xla.messages == []


def test_numbers_and_unknown_keys(standin: StandIn, xla: FakeXLA) -> None:
    number = Number(b"\0\0\x80\x3f")
    operands = (*CONVOLUTION[:1], Operand("a", 9, (), (), "FLOAT", by_value=True), CONVOLUTION[2])
    plan = make_plan(operands)
    key = next(_keys)
    places = ((0, 0), (0, number.address), (-1, 0))
    xla_of_plans.offer(plan, key, 0, places, has_workspace=False)
    assert xla.call(key, [0x10000], [0x30000]) == ""
    assert standin.executions[0].pointers == {1: 0x10000, 9: number.address, 3: 0x30000}
    assert (
        xla.call(key, [0x10000, 0x50000], [0x30000]) == ""
    )  # an input that this plan does not read
    assert "no such plan" in xla.call(next(_keys), [], [])


def test_refusals(standin: StandIn, xla: FakeXLA) -> None:
    plan = make_plan()
    key = offered(plan)
    assert "expected 2 inputs and 1 results or more, got 1 and 1" in xla.call(
        key, [0x10000], [0x30000]
    )
    assert "multiple of 16, got 0x10008" in xla.call(key, [0x10008, 0x20000], [0x30000])
    for place in (0x10000, 0x10FF0, 0x20000):
        assert "expected memory of its own" in xla.call(key, [0x10000, 0x20000], [place])
    assert standin.executions == []
    standin.status = 5000
    assert "(5000)" in xla.call(key, [0x10000, 0x20000], [0x30000])
    plan.close()
    assert "the plan is closed" in xla.call(key, [0x10000, 0x20000], [0x30000])
    with pytest.raises(ValueError, match="closed"):
        offered(plan)


def test_a_kernel_that_is_not_launched(
    xla: FakeXLA, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver's status is not one of cuDNN's."""
    kind = ctypes.CFUNCTYPE(_I, _P, _P, _P, _P)
    fake: Any = driver
    fake.cuLaunchKernelEx = kind(lambda *_: 201)
    monkeypatch.setattr(launching, "_may_overlap", lambda _: False)
    one = launching.Launch(_P(0x7000), 0, (1, 1, 1), 32)
    key = next(_keys)
    way = Classic("kernel", CONVOLUTION, [Kernel(one, "x", "w", "y")])
    xla_of_plans.offer(way, key, 0, PLACES, has_workspace=False)
    found = xla.call(key, [0x10000, 0x20000], [0x30000])
    assert found == "cudnn_cffi: a step failed: the driver answers 201"


def test_another_device_asks_python(
    standin: StandIn, xla: FakeXLA, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.install(monkeypatch.setattr, devices=2)
    plans = {0: make_plan(), 1: make_plan()}
    key = offered(plans[0], 0)
    xla.extend = lambda key, device: xla_of_plans.offer(
        plans[device], key, device, PLACES, has_workspace=False
    )
    for device in (0, 1, 1, 0):
        xla.device = device
        assert xla.call(key, [0x10000, 0x20000], [0x30000]) == ""
    assert xla.asked == [(key, 1)]
    assert [each.plan for each in standin.executions] == [
        plans[device].execution_plan.address for device in (0, 1, 1, 0)
    ]
    xla.device = 2
    assert "on device 2: 2" in xla.call(key, [0x10000, 0x20000], [0x30000])


@pytest.fixture
def captures(xla: FakeXLA, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graphs]:
    """Calls are captured at the third one."""
    del xla
    made = Graphs()
    monkeypatch.setattr(launcher.Launcher, "_replay", lambda *_, **__: made.set_up())
    yield made
    stop_replays()


@pytest.fixture
def key(captures: Graphs) -> Iterator[int]:
    """The key of a plan, whose graphs end with the test."""
    plan = make_plan()
    yield offered(plan)
    plan.close()
    assert not captures.executables


def test_calls_on_the_same_buffers_are_launched_as_graphs(
    standin: StandIn, xla: FakeXLA, captures: Graphs, key: int
) -> None:
    buffers = [0x10000, 0x20000], [0x30000]
    for _ in range(3):
        assert xla.call(key, *buffers) == ""
    own = [each.stream for each in standin.executions]
    assert own == [0x101] * 3 + [PRIVATE]  # the last one is captured, and does not run
    xla.stream = 0x201
    assert xla.call(key, *buffers) == ""
    assert [stream for _, stream in captures.launches] == [0x201]
    assert len(standin.executions) == 4
    assert xla.call(key, [0x10000, 0x20000], [0x40000]) == ""
    assert standin.executions[-1].pointers[3] == 0x40000
    assert len(captures.launches) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="threads are made by POSIX's functions")
def test_graphs_in_threads_that_python_does_not_know(
    standin: StandIn, xla: FakeXLA, captures: Graphs, key: int
) -> None:
    """They launch graphs, and capture none while a thread of Python's may be in CUDA."""
    buffers = [0x10000, 0x20000], [0x30000]
    for _ in range(5):
        assert xla.call(key, *buffers, is_apart=True) == ""
    assert len(standin.executions) == 5
    assert captures.captured == 0
    for _ in range(40):
        assert xla.call(key, *buffers) == ""
    assert captures.captured == 1
    before = len(captures.launches)
    assert xla.call(key, *buffers, is_apart=True) == ""
    assert len(captures.launches) == before + 1


def test_nothing_is_launched_as_a_graph_while_xla_captures(
    standin: StandIn, xla: FakeXLA, captures: Graphs, driver: FakeDriver, key: int
) -> None:
    buffers = [0x10000, 0x20000], [0x30000]
    for _ in range(3):
        assert xla.call(key, *buffers) == ""
    driver.captures[xla.stream] = 1
    for _ in range(5):
        assert xla.call(key, *buffers) == ""
    assert captures.launches == []
    assert [each.stream for each in standin.executions[4:]] == [xla.stream] * 5
    assert captures.captured == 1


def test_handlers_say_what_they_are(xla: FakeXLA) -> None:
    kind = ctypes.CFUNCTYPE(_P, ctypes.POINTER(Frame))
    traits = []
    for handler in xla.handlers:
        metadata = Metadata()
        asking = Asking(type=1, metadata=ctypes.pointer(metadata))
        assert not kind(handler)(ctypes.byref(Frame(extension=ctypes.addressof(asking))))
        assert (metadata.version.major, metadata.version.minor) == (0, 3)
        traits.append(metadata.traits)
    assert traits == [1, 0]
