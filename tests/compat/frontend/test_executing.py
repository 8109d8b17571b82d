"""`execute`: what cuDNN gets, in which stream, by which way, and what is refused before."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import errors
from cudnn_cffi.arrays import device_pointer
from cudnn_cffi.compat import frontend
from cudnn_cffi.compat.frontend import handles as frontend_handles
from cudnn_cffi.compat.frontend.plans import overriding
from cudnn_cffi.compat.frontend.plans.programs import Program, host_address
from cudnn_cffi.driver import keeping
from cudnn_cffi.handles import Handle
from cudnn_cffi.plan import Operand
from cudnn_cffi.plan.operand import span
from cudnn_cffi.plan.overrides import Overrides

from tests.fake_driver import FakeDriver
from tests.plan.conftest import Library, compiled, driver, make_library, standin  # noqa: F401
from tests.plan.conftest import known_arrays as arrays  # noqa: F401
from tests.plan.standin import CONVOLUTION, StandIn, make_plan, own
from tests.threads import in_threads


@pytest.fixture(autouse=True)
def defaults(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # noqa: ARG001, F811
    """Handles of this thread for graphs without one end with the stand-in that made them."""
    made = frontend_handles._Defaults()
    monkeypatch.setattr(frontend_handles, "_defaults", made)
    yield
    for each in made.by_device.values():
        each.close()


def a_handle() -> Any:
    made = frontend.Handle(None, stream=0)
    made.own = Handle(0)
    return made


def a_graph(plan: Any = None, aligned: tuple[int, ...] = (), hidden: Any = None) -> Any:
    """Return a graph with a plan that is executed by a stand-in, and its tensors."""
    graph = frontend.pygraph(handle=a_handle())
    for each in CONVOLUTION:
        graph.tensor(
            each.shape, each.strides, frontend.data_type.HALF, name=each.name, uid=each.uid
        )
    names = {each.uid: each.name for each in CONVOLUTION}
    graph._loaded = Program(plan or make_plan(), hidden or {}, set(aligned), names)
    graph._is_built = True
    return graph


def addresses(*given: Any) -> dict[int, int]:
    return {uid: device_pointer(each) for uid, each in enumerate(given, 1)}


def test_forms_of_keys_and_values(standin: StandIn, arrays: Library) -> None:  # noqa: F811
    x, w, y = arrays.arrays()
    graph = a_graph()
    tensors = [graph.find_tensor(uid) for uid in (1, 2, 3)]
    packs: list[Any] = [
        dict(zip(tensors, (x, w, y), strict=True)),
        {1: x, 2: w, 3: y},
        {3: y, 1: x, 2: w},
        {"x": x, "w": w, tensors[2]: y},
        {1: 0x10000, 2: 0x20000, 3: 0x30000},
        {1: x, 2: w, 3: y, None: None},
        {1: x, 2: w, 3: y, 77: None},
    ]
    for pack in packs:
        for _ in range(3):  # the compiled layer learns from the first one
            graph.execute(pack)
            assert standin.executions.pop().pointers == addresses(x, w, y)
    for _ in range(2):
        graph.execute([w, y, x], tensor_uids=[2, 3, 1])
        assert standin.executions.pop().pointers == addresses(x, w, y)
    assert not standin.executions


def test_shapes_of_arrays_do_not_matter(standin: StandIn, arrays: Library) -> None:  # noqa: F811
    """The graph says what lies at an address, as with the original."""
    x, w, y = arrays.arrays()
    flat = arrays.make(Operand("x", 1, (2048,), (1,), "HALF"), address=0x90000)
    graph = a_graph()
    for given in (x, flat, x, flat, flat):
        graph.execute({1: given, 2: w, 3: y})
        assert standin.executions.pop().pointers == addresses(given, w, y)


def test_ragged_arrays_of_any_shape_take_the_short_way(
    standin: StandIn,  # noqa: F811
    arrays: Library,  # noqa: F811
    compiled: bool,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Offsets on the device say what they have, which is another number of vectors each time."""
    if not compiled:
        pytest.skip("nothing was compiled")
    x, w, y = CONVOLUTION
    graph = a_graph(make_plan((x._replace(is_ragged=True), w, y)))

    def packed(rows: int, dtype: str) -> Any:
        kind = Operand("x", 1, (rows, 2, 8), (16, 8, 1), "HALF")
        return arrays.make(kind, address=0x90000, dtype=dtype)

    pack = {2: arrays.make(w, 0x20000), 3: arrays.make(y, 0x30000)}
    graph.execute({**pack, 1: packed(5, "float16")})
    with monkeypatch.context() as patch:
        patch.setattr("cudnn_cffi.compat.frontend.executing.launch", None)
        for rows in (5, 7, 300, 1):
            graph.execute({**pack, 1: packed(rows, "float16")})
            assert standin.executions.pop().pointers == {1: 0x90000, 2: 0x20000, 3: 0x30000}
    with pytest.raises(ValueError, match="x: expected float16, got float32"):
        graph.execute({**pack, 1: packed(5, "float32")})


def test_the_short_way_has_no_python_frame(
    standin: StandIn,  # noqa: F811
    arrays: Library,  # noqa: F811
    compiled: bool,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not compiled:
        pytest.skip("nothing was compiled")
    x, w, y = arrays.arrays()
    graph = a_graph()
    space = own(Operand("space", 9, (64,), (1,), "UINT8"), address=0xA0000, dtype="uint8")
    handle, other = a_handle(), a_graph()
    other._handle = None
    calls: list[Any] = [
        lambda: graph.execute({1: x, 2: w, 3: y}),
        lambda: graph.execute({1: x, 2: w, 3: y}, None),
        lambda: graph.execute({1: x, 2: w, 3: y}, 0xB0000),
        lambda: graph.execute({1: x, 2: w, 3: y}, workspace=0xB0000, handle=None),
        lambda: graph.execute({1: x, 2: w, 3: y}, space, graph._handle),
        lambda: graph.execute({1: x, 2: w, 3: y}, handle=handle),
        lambda: other.execute({1: x, 2: w, 3: y}, 0xB0000),
    ]

    def slow(*_: Any, **__: Any) -> None:
        raise AssertionError("Python was asked")

    for call in calls:
        call()
        with monkeypatch.context() as patch:
            patch.setattr("cudnn_cffi.compat.frontend.executing.launch", slow)
            for _ in range(3):
                call()
        assert [each.pointers for each in standin.executions] == [addresses(x, w, y)] * 4
        standin.executions.clear()


def test_workspaces(standin: StandIn) -> None:  # noqa: F811
    x, w, y = (own(each, address=0x10000 * (1 + at)) for at, each in enumerate(CONVOLUTION))
    standin.workspace_size = 64
    graph = a_graph()
    assert graph.get_workspace_size() == 64
    pack = {1: x, 2: w, 3: y}
    for space, wanted in (
        (0xB0000, 0xB0000),
        (own(Operand("s", 9, (64,), (1,), "UINT8"), address=0xA0000, dtype="uint8"), 0xA0000),
    ):
        for _ in range(3):
            graph.execute(pack, space)
            assert standin.executions.pop().workspace == wanted
    for _ in range(3):
        graph.execute(pack)
        assert standin.executions.pop().workspace
    small = own(Operand("s", 9, (32,), (1,), "UINT8"), address=0xA0000, dtype="uint8")
    for _ in range(2):
        with pytest.raises(ValueError, match="expected 64 bytes, got 32"):
            graph.execute(pack, small)
    assert not standin.executions


def test_handles_and_streams(standin: StandIn) -> None:  # noqa: F811
    x, w, y = (own(each, address=0x10000 * (1 + at)) for at, each in enumerate(CONVOLUTION))
    graph, other = a_graph(), a_handle()
    pack = {1: x, 2: w, 3: y}
    for handle in (None, other, graph._handle, other, other):
        for _ in range(3):
            graph.execute(pack, handle=handle)
            wanted = (handle or graph._handle).backend_handle
            assert standin.executions.pop().handle == wanted
    frontend.set_stream(other, 0x1234)
    assert frontend.get_stream(other) == 0x1234
    for _ in range(3):
        graph.execute(pack, handle=other)
        assert standin.executions.pop().stream == 0x1234
    with pytest.raises(TypeError, match="Handle"):
        graph.execute(pack, handle=other.backend_handle)
    frontend.destroy_handle(other)
    frontend.destroy_handle(other)
    for _ in range(2):
        with pytest.raises(ValueError, match="destroyed"):
            graph.execute(pack, handle=other)
    assert not standin.executions


@pytest.mark.parametrize("warm", [False, True])
def test_what_is_refused(standin: StandIn, warm: bool) -> None:  # noqa: F811
    x, w, y = (own(each, address=0x10000 * (1 + at)) for at, each in enumerate(CONVOLUTION))
    graph = a_graph(aligned=(1,))
    if warm:
        for _ in range(2):
            graph.execute({1: x, 2: w, 3: y})
        standin.executions.clear()
    refused: list[tuple[Any, type[Exception], str]] = [
        (lambda: graph.execute({1: x, 3: y}), ValueError, "'w'"),
        (lambda: graph.execute({1: x, 2: None, 3: y}), ValueError, "'w'"),
        (lambda: graph.execute({1: x, 2: 0, 3: y}), errors.NullPointerError, "w"),
        (lambda: graph.execute({1: 0x10008, 2: w, 3: y}), ValueError, "multiple of 16"),
        (lambda: graph.execute({1: x, 2: 0x20001, 3: y}), ValueError, "multiple of 2"),
        (lambda: graph.execute({"bogus": x, 2: w, 3: y}), KeyError, "bogus"),
        (lambda: graph.execute([x, w], tensor_uids=[1, 2, 3]), ValueError, "tensor_uids"),
        (lambda: graph.execute([x, w], tensor_uids=[1, 1]), ValueError, "tensor_uids"),
        (
            lambda: graph.execute({1: x, 2: w, 3: y}, override_uids=[1]),
            frontend.cudnnGraphNotSupportedError,
            "override",
        ),
    ]
    for call, kind, words in refused:
        for _ in range(2):
            with pytest.raises(kind, match=words):
                call()
    assert not standin.executions
    graph.execute({1: x, 2: 0x20002, 3: y})  # only attention wants 16
    assert standin.executions.pop().pointers[2] == 0x20002


@pytest.mark.parametrize("warm", [False, True])
def test_arrays_that_tell_something_else(
    standin: StandIn,  # noqa: F811
    arrays: Library,  # noqa: F811
    warm: bool,
) -> None:
    """The tensors are HALF: nothing else is read as that, and nothing beyond the end of an array."""
    x, w, y = arrays.arrays()
    standin.workspace_size = 64
    graph = a_graph()
    if warm:
        for _ in range(2):
            graph.execute({1: x, 2: w, 3: y})
        standin.executions.clear()

    def like(at: int, dtype: str, *shape: int) -> Any:
        shape = shape or CONVOLUTION[at].shape
        strides = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
        kind = Operand("x", 1, shape, strides, "HALF")
        return arrays.make(kind, address=0x10000 * (at + 1), dtype=dtype)

    half = like(0, "float16", 1024)  # of 2,048 elements
    refused = [
        ({1: like(0, "float32")}, "x: expected float16, got float32"),
        ({2: like(1, "int32")}, "w: expected float16, got int32"),
        ({3: like(2, "float64")}, "y: expected float16, got float64"),
        ({1: half}, "x: expected 4096 bytes, got 2048"),
        ({1: np.ones(CONVOLUTION[0].shape, np.float16)}, "x: .*host"),
    ]
    for change, words in refused:
        for _ in range(2):
            with pytest.raises(ValueError, match=words):
                graph.execute({1: x, 2: w, 3: y, **change})
    for space in (0x10000 - 16, 0x30010):
        for _ in range(2):
            with pytest.raises(ValueError, match=r"workspace: .* overlaps [xy]"):
                graph.execute({1: x, 2: w, 3: y}, space)
    assert not standin.executions
    graph.execute({1: like(0, "uint8", 4096), 2: like(1, "int16"), 3: 0x30000})  # bits of anything
    assert standin.executions.pop().pointers == addresses(x, w, y)


@pytest.mark.parametrize(
    ("data_type", "code"), [("INT32", "<u4"), ("INT64", "<u8"), ("INT8", "|b1"), ("UINT8", "|b1")]
)
def test_integers_that_have_the_same_bits(standin: StandIn, data_type: str, code: str) -> None:  # noqa: F811
    x, w, y = CONVOLUTION
    graph = a_graph(make_plan((x._replace(data_type=data_type), w, y)))

    def view(count: int) -> Any:
        tells = {"shape": (count,), "typestr": code, "data": (0x90000, False), "version": 3}
        # A type of its own: what other tests have shown of a type is remembered.
        return type("View", (), {"__cuda_array_interface__": tells})()

    graph.execute({1: view(prod(x.shape)), 2: 0x20000, 3: 0x30000})
    assert standin.executions.pop().pointers[1] == 0x90000
    with pytest.raises(ValueError, match=r"x: expected \d+ bytes, got"):
        graph.execute({1: view(prod(x.shape) - 1), 2: 0x20000, 3: 0x30000})
    truth = a_graph(make_plan((x._replace(data_type="BOOLEAN"), w, y)))
    if code == "|b1":  # a byte for each value, of which engines read eight
        with pytest.raises(ValueError, match="x: expected uint8, got bool"):
            truth.execute({1: view(prod(x.shape)), 2: 0x20000, 3: 0x30000})


@pytest.mark.parametrize("warm", [False, True])
def test_an_output_over_an_input(standin: StandIn, warm: bool) -> None:  # noqa: F811
    """Addresses are refused as arrays are: each has the extent that the graph says."""
    graph, size = a_graph(), span(CONVOLUTION[0])
    for _ in range(3 * warm):
        graph.execute({1: 0x10000, 2: 0x20000, 3: 0x30000})
    standin.executions.clear()
    for place in (0x10000, 0x10000 + size - 16, 0x10010 - size, 0x20000):
        for _ in range(2):
            with pytest.raises(ValueError, match="y: expected memory of its own, it overlaps"):
                graph.execute({1: 0x10000, 2: 0x20000, 3: place})
        with pytest.raises(ValueError, match="y: expected memory of its own, it overlaps"):
            graph.populate_cuda_graph(None, {1: 0x10000, 2: 0x20000, 3: place}, 0xB0000, 0xC0000)
    assert not standin.executions
    for place in (0x10000 + size, 0x10000 - size):
        graph.execute({1: 0x10000, 2: 0x10000, 3: place})
        assert standin.executions.pop().pointers[3] == place


@pytest.mark.parametrize("name", ["own", "view"])
def test_read_only_arrays(standin: StandIn, name: str, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """They are read, and not written, also where a call is known."""
    standin.workspace_size = 64
    library = make_library(name, monkeypatch)
    x, w, y = library.arrays()
    fixed = library.make(CONVOLUTION[2], address=0x40000)
    for each in w, fixed:
        (each._memory if name == "own" else each).readonly = True
    graph = a_graph()
    for _ in range(3):
        graph.execute({1: x, 2: w, 3: y})
        assert standin.executions.pop().pointers == addresses(x, w, y)
        with pytest.raises(ValueError, match="y: expected an array to write to, got a read-only"):
            graph.execute({1: x, 2: x, 3: fixed})
        with pytest.raises(ValueError, match="workspace: expected an array to write to"):
            graph.execute({1: x, 2: x, 3: y}, fixed)
    assert not standin.executions


def test_a_capture_keeps_arrays(standin: StandIn, arrays: Library, driver: FakeDriver) -> None:  # noqa: F811
    """PyTorch's alone may be the graph's own memory."""
    standin.workspace_size = 64
    graph = a_graph()
    graph._handle.own.stream = 0x880
    given = dict(enumerate(arrays.arrays(), 1))
    for _ in range(2):
        graph.execute(given, 0xA0000)
    driver.captures[0x880] = 7
    graph.execute(given, 0xA0000)
    driver.captures.clear()
    references = [weakref.ref(each) for each in given.values()]
    given.clear()
    gc.collect()
    assert [each() is not None for each in references] == [arrays.name != "torch"] * 3
    driver.end_graph(0x9007)
    keeping.sweep()
    gc.collect()
    assert [each() for each in references] == [None] * 3


def test_overridden_extents_decide_what_overlaps(
    standin: StandIn,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(overriding, "may_override", lambda _: True)
    monkeypatch.setattr(Overrides, "set_in", lambda *_: None)
    graph, (x, _, y) = a_graph(), CONVOLUTION
    half = {
        "override_uids": [1, 3],
        "override_shapes": [[*x.shape[:3], 8], [*y.shape[:3], 8]],
        "override_strides": [[1024, 1, 64, 8]] * 2,
    }
    beside = 0x10000 + span(x) // 2
    with pytest.raises(ValueError, match=r"y: .* overlaps x"):
        graph.execute({1: 0x10000, 2: 0x20000, 3: beside})
    graph.execute({1: 0x10000, 2: 0x20000, 3: beside}, **half)
    assert standin.executions.pop().pointers[3] == beside
    with pytest.raises(ValueError, match=r"y: .* overlaps x"):
        graph.execute({1: 0x10000, 2: 0x20000, 3: beside - 16}, **half)
    assert not standin.executions


def test_numbers_by_value(standin: StandIn) -> None:  # noqa: F811
    """A number lies where the caller has it, in host memory, or is written there."""
    import ctypes

    import numpy as np

    scale = Operand("s", 7, (1, 1, 1, 1), (1, 1, 1, 1), "FLOAT", by_value=True)
    graph = a_graph(make_plan((*CONVOLUTION[:2], scale, CONVOLUTION[2])))
    x, w, y = (own(each, address=0x10000 * (1 + at)) for at, each in enumerate(CONVOLUTION))
    host = np.full((1, 1, 1, 1), 2.5, np.float32)
    seen: list[float] = []

    def look(execution: Any) -> None:
        seen.append(ctypes.c_float.from_address(execution.pointers[7]).value)

    for value in (host, host.ctypes.data, 2.5, host):
        graph.execute({1: x, 2: w, 7: value, 3: y})
        if not isinstance(value, float):
            assert standin.executions[-1].pointers[7] == host.ctypes.data
            look(standin.executions[-1])
    assert seen == [2.5] * 3
    # NumPy's address of a number is that of an array that is gone.
    for number in (np.float32(2.5), np.float64(2.5), host[0, 0, 0, 0]):
        keep: list[Any] = []
        address = host_address(scale, number, keep)
        others = [np.float32(each) for each in range(100)]
        assert ctypes.c_float.from_address(address).value == 2.5, others


def test_another_plan_is_selected(standin: StandIn) -> None:  # noqa: F811
    x, w, y = (own(each, address=0x10000 * (1 + at)) for at, each in enumerate(CONVOLUTION))
    graph = a_graph()
    for _ in range(2):
        graph.execute({1: x, 2: w, 3: y})
    first = {each.plan for each in standin.executions}
    names = {each.uid: each.name for each in CONVOLUTION}
    graph._loaded = Program(make_plan(), {}, set(), names)
    graph._is_built = True
    standin.executions.clear()
    for _ in range(2):
        graph.execute({1: x, 2: w, 3: y})
    assert not first & {each.plan for each in standin.executions}


def test_without_a_handle_each_thread_has_its_own(standin: StandIn) -> None:  # noqa: F811

    x, w, y = (own(each, address=0x10000 * (1 + at)) for at, each in enumerate(CONVOLUTION))
    graph = a_graph()
    graph._handle = None

    def run() -> None:
        for _ in range(3):
            graph.execute({1: x, 2: w, 3: y})

    run()
    first = {each.handle for each in standin.executions}
    standin.executions.clear()
    in_threads(lambda _: run(), [0])
    second = {each.handle for each in standin.executions}
    standin.executions.clear()
    run()
    assert len(first) == len(second) == 1
    assert first != second
    assert {each.handle for each in standin.executions} == first
    assert len(standin.executions) == 3


def test_nothing_is_kept(standin: StandIn) -> None:  # noqa: ARG001, F811
    """A graph and its plan end with the last reference, also after short calls."""
    x, w, y = (own(each, address=0x10000 * (1 + at)) for at, each in enumerate(CONVOLUTION))
    graph = a_graph()
    plan = weakref.ref(graph._loaded.plan)
    for _ in range(3):
        graph.execute({1: x, 2: w, 3: y})
    del graph
    gc.collect()
    assert plan() is None


def test_a_failure_says_what_cudnn_said(standin: StandIn) -> None:  # noqa: F811
    x, w, y = (own(each, address=0x10000 * (1 + at)) for at, each in enumerate(CONVOLUTION))
    graph = a_graph()
    graph.execute({1: x, 2: w, 3: y})
    standin.status = 5000
    for _ in range(2):
        with pytest.raises(RuntimeError, match="cudnnBackendExecute"):
            graph.execute({1: x, 2: w, 3: y})


class TestWrapper:
    def graph(
        self, monkeypatch: pytest.MonkeyPatch, scale: Any = None, **options: Any
    ) -> tuple[Any, Any, Any]:
        """Return a wrapped convolution whose plan is executed by a stand-in, and its arrays."""
        x, w = (own(each, address=0x10000 * (1 + at)) for at, each in enumerate(CONVOLUTION[:2]))

        def build(self: Any, heuristics: Any) -> None:
            self.validate()
            self._plans = ["built"] * len(heuristics)
            self._loaded = Program(make_plan(), {}, set(), {})
            self._is_built = True

        monkeypatch.setattr(frontend.pygraph, "build", build)
        given = {"handle": a_handle(), "io_data_type": frontend.data_type.HALF} | options
        with frontend.Graph(**given) as graph:
            y = graph.conv_fprop(
                image=x, weight=w, padding=[1, 1], stride=[1, 1], dilation=[1, 1], name="conv"
            )
            if scale is not None:
                constant = graph.tensor_scalar(scale, frontend.scalar_type.COMPILE_TIME_CONST)
                y = graph.mul(y, constant, name="scale").set_uid(3)  # as the plan has it
            y.set_output(True)
        return graph, x, w

    def test_arrays_by_place_and_by_name(
        self,
        standin: StandIn,  # noqa: F811
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        graph, x, w = self.graph(monkeypatch)
        with pytest.raises(ValueError, match="set_io_tuples"):
            graph(x, w)
        graph.set_io_tuples(["conv::image", "conv::weight"], ["conv::Y"])
        y = graph(x, w)
        assert y.shape == (1, 8, 16, 16)
        assert standin.executions.pop().pointers == addresses(x, w, y)
        found = graph({"conv::image": x, "conv::weight": w})
        assert found["conv::Y"].shape == y.shape
        assert standin.executions.pop().pointers == addresses(x, w, found["conv::Y"])
        graph.set_io_tuples([x, w], [3])
        assert graph(x, w).shape == y.shape
        for call, kind, words in (
            (lambda: graph(x), ValueError, "2 arrays"),
            (lambda: graph({"conv::image": x}), RuntimeError, "conv::weight"),
            (lambda: graph.set_io_tuples([x], ["conv::Y"]), ValueError, "conv::weight"),
            (lambda: graph.set_io_tuples([x, x], ["conv::Y"]), ValueError, "twice"),
            (lambda: graph.set_io_tuples(["bogus"], []), ValueError, "bogus"),
            (lambda: graph.set_io_tuples("ab", []), ValueError, "list"),
            (lambda: graph.validate(), RuntimeError, "block"),
            (graph.__enter__, RuntimeError, "already"),
        ):
            with pytest.raises(kind, match=words):
                call()

    def test_known_numbers_are_not_asked_for(
        self,
        standin: StandIn,  # noqa: F811
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        graph, x, w = self.graph(monkeypatch, scale=0.5)
        graph.set_io_tuples([x, w], ["scale::OUT_0"])
        assert standin.executions == []
        y = graph(x, w)
        assert standin.executions.pop().pointers == addresses(x, w, y)
        y = graph({"conv::image": x, "conv::weight": w})["scale::OUT_0"]
        assert standin.executions.pop().pointers == addresses(x, w, y)

    def test_a_block_that_failed_can_be_written_again(self) -> None:
        graph = frontend.Graph(io_data_type=frontend.data_type.HALF)
        for _ in range(2):
            with pytest.raises(TypeError, match="bogus"), graph:
                graph.relu(graph.relu(graph.tensor([2, 3]), name="r"), bogus=1)

    def test_what_is_missing(
        self,
        standin: StandIn,  # noqa: F811
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        order = {"inputs": ["conv::image", "conv::weight"], "outputs": ["conv::Y"]}
        graph, x, w = self.graph(monkeypatch, workspace_alloc=False, **order)
        with pytest.raises(RuntimeError, match="workspace"):
            graph(x, w)
        graph(x, w, workspace=0xB0000)
        assert standin.executions.pop().workspace == 0xB0000
        graph, x, w = self.graph(monkeypatch, handle=None, **order)
        with pytest.raises(RuntimeError, match="auto"):
            graph(x, w)
        with pytest.raises(ValueError, match="inputs"):
            frontend.Graph(inputs="ab")
        with pytest.raises(RuntimeError, match="with block"):
            frontend.Graph()(x)


def test_results_of_a_wrapper_graph_are_for_the_handle_of_the_call(
    standin: StandIn,  # noqa: F811, ARG001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from cudnn_cffi.compat.frontend import wrapper

    seen: list[Any] = []

    def empty(_kind: str, _operand: Any, *place: Any) -> None:
        seen.append(place)

    def execute(_graph: Any, _pack: Any, **options: Any) -> None:
        seen.append(options)

    monkeypatch.setattr(wrapper, "library_of", lambda _: "own")
    monkeypatch.setattr(wrapper, "empty", empty)
    monkeypatch.setattr(wrapper, "get_default_handle", lambda: pytest.fail("got another one"))
    graph: Any = wrapper.Graph()  # numbers stand in for arrays
    own = graph._graph = a_graph()
    x, w, y = (own.find_tensor(each.uid) for each in CONVOLUTION)
    graph._order = ((x, w), (y,))
    monkeypatch.setattr(own, "get_execution_plan_count", lambda: 1)
    monkeypatch.setattr(type(own), "execute", execute)
    handle = a_handle()
    graph(1, 2, handle=handle)
    assert seen == [(handle.own.device, handle.own.stream), {"handle": handle}]
    with pytest.raises(RuntimeError, match="expected a handle"):
        graph(1, 2)


def test_a_default_handle_is_on_the_device_of_its_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi.compat.frontend import wrapper

    def make(device: int) -> Any:
        return SimpleNamespace(device=device, stream=0, closed=False, address=0x5000)

    monkeypatch.setattr("cudnn_cffi.handles.Handle", make)
    monkeypatch.setattr("cudnn_cffi.driver.device_of", lambda: 0)
    monkeypatch.setattr(wrapper, "_defaults", wrapper._Defaults())
    stream = SimpleNamespace(device=SimpleNamespace(index=1), cuda_stream=0x50)
    found: Any = wrapper.get_default_handle(stream)
    assert (found.own.device, found.own.stream, found.stream) == (1, 0x50, 0x50)
    assert wrapper.get_default_handle(stream) is found
    other: Any = wrapper.get_default_handle(0x60)
    assert other.own.device == 0
