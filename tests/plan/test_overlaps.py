"""Arrays of a call that have memory in common."""

from __future__ import annotations

import copy
import itertools
import random
from typing import Any

import cudnn_cffi as cudnn
import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import finalize
from cudnn_cffi.plan import Operand
from cudnn_cffi.plan.operand import Pair, span
from cudnn_cffi.plan.run.apart import Extents, pairs_of, pairs_of_steps
from cudnn_cffi.plan.run.call_steps import HANDLE, Behind, Execute, Fill, Kernel, Step

from tests.plan.conftest import Library
from tests.plan.standin import CONVOLUTION, StandIn, make_plan

X, W, Y = CONVOLUTION
SIZE = span(X)


def refuses(plan: Any, standin: StandIn, compiled: bool, given: list[Any], pair: str) -> None:
    """Check that a call is refused before anything runs, also where it is known."""
    standin.executions.clear()
    if compiled:
        assert plan.attempt(*given) is NotImplemented
    with pytest.raises(errors.ArgumentError, match=f"^{pair.replace(' ', ': .* it overlaps ')}"):
        plan(*given)
    assert not standin.executions


def test_an_output_over_an_input(standin: StandIn, arrays: Library, compiled: bool) -> None:
    plan = make_plan()
    x, w, y = arrays.arrays()
    for _ in range(4):
        assert plan(x, w, y) is y
        for place in (0x10000, 0x10010, 0x10000 + SIZE - 16, 0x10010 - SIZE):
            refuses(plan, standin, compiled, [x, w, arrays.make(Y, place)], "y x")
        refuses(plan, standin, compiled, [x, w, arrays.make(Y, 0x20000)], "y w")
        for place in (0x10000 + SIZE, 0x10000 - SIZE):  # without a gap
            beside = arrays.make(Y, place)
            assert plan(x, w, beside) is beside
            assert standin.executions[-1].pointers == {1: 0x10000, 2: 0x20000, 3: place}
        assert plan(x, arrays.make(W, 0x10000), y) is y, "inputs may overlap"


def test_an_output_that_may_be_an_input(standin: StandIn, arrays: Library, compiled: bool) -> None:
    """It may where elements depend on the same elements alone, and have the same strides."""
    other = Y._replace(strides=(2048, 256, 16, 1), shares=("x",))
    made = make_plan((X, Y._replace(shares=("x",))))
    for plan in (made, copy.copy(made)):  # the second one is restored from its JSON
        for turn in range(4):
            x = arrays.make(X, 0x10000)
            same = arrays.make(Y, 0x10000)
            assert plan(x, same) is same
            assert standin.executions[-1].pointers == {1: 0x10000, 3: 0x10000}
            if compiled and turn:
                assert plan.attempt(x, same) is same
            refuses(plan, standin, compiled, [x, arrays.make(Y, 0x10100)], "y x")
    plan = make_plan((X, other))
    for _ in range(3):
        refuses(
            plan, standin, compiled, [arrays.make(X, 0x10000), arrays.make(other, 0x10000)], "y x"
        )


def test_rows_between_those_of_an_input(standin: StandIn, arrays: Library, compiled: bool) -> None:
    """Arrays without a common element may be parts of one that has both."""
    strides = (4096, 1, 256, 16)  # 8 of 16 channels
    plan = make_plan((X._replace(strides=strides), Y._replace(strides=strides)))
    x = arrays.make(X._replace(strides=strides), 0x10000)
    for turn in range(4):
        for place in (0x10010, 0xFFF0):
            y = arrays.make(Y._replace(strides=strides), place)
            assert plan(x, y) is y
            assert standin.executions[-1].pointers == {1: 0x10000, 3: place}
            if compiled and turn:
                assert plan.attempt(x, y) is y
        for place in (0x10000, 0x10020, 0x10000 - 0x1E0):
            y = arrays.make(Y._replace(strides=strides), place)
            refuses(plan, standin, compiled, [x, y], "y x")


def test_two_outputs(standin: StandIn, arrays: Library, compiled: bool) -> None:
    plan = make_plan((X, Y, Y._replace(name="z", uid=4)))
    x, y = arrays.make(X, 0x10000), arrays.make(Y, 0x30000)
    for _ in range(4):
        z = arrays.make(Y, 0x40000)
        assert plan(x, y, z) == (y, z)
        refuses(plan, standin, compiled, [x, y, y], "y z")
        refuses(plan, standin, compiled, [x, y, arrays.make(Y, 0x30000 - SIZE + 16)], "y z")
        refuses(plan, standin, compiled, [x, y, x], "z x")


def bytes_of(operand: Operand, begin: int) -> set[int]:
    width = span(operand._replace(shape=(1,), strides=(1,)))
    indices = itertools.product(*map(range, operand.shape))
    places = (sum(map(int.__mul__, each, operand.strides)) for each in indices)
    return {begin + width * place + byte for place in places for byte in range(width)}


@pytest.mark.parametrize("seed", range(8))
def test_all_common_elements_are_found(seed: int) -> None:
    """Shapes, strides and places are drawn; sets of bytes tell what there is."""
    draw = random.Random(seed)
    found = [0, 0]
    for _ in range(300):
        made: list[Operand] = []
        for name, role in (("x", "input"), ("y", "output")):
            rank = draw.randrange(1, 4)
            shape = tuple(draw.choices(range(1, 5), k=rank))
            strides = tuple(draw.choices((0, 1, 1, 2, 3, 4, 6, 8, 12, 16, 24), k=rank))
            kind = draw.choice(["HALF", "FLOAT", "INT8"])
            made.append(Operand(name, len(made) + 1, shape, strides, kind, 1, role))
        x, y = made
        at = {"x": 1000, "y": 1000 + draw.randrange(-90, 90)}
        extents = Extents(made, [Pair("y", "x")])
        overlap = bool(bytes_of(x, at["x"]) & bytes_of(y, at["y"]))
        found[overlap] += 1
        if overlap:
            with pytest.raises(errors.ArgumentError, match=r"^y: .* overlaps x"):
                extents.check(at)
        else:
            extents.check(at)
    assert min(found) > 50


def test_where_offsets_tell_how_far_an_array_reaches() -> None:
    """Only its begin is known."""
    x, y = X._replace(is_ragged=True), Y._replace(is_ragged=True)
    extents = Extents((x, y), [Pair("y", "x")])
    extents.check({"x": 0x1000, "y": 0x1010})
    with pytest.raises(errors.ArgumentError, match=r"^y: "):
        extents.check({"x": 0x1000, "y": 0x1000})


def shared(graph: cudnn.Graph) -> dict[str, tuple[str, ...]]:
    return {each.name: each.shares for each in finalize.operands(graph) if each.role == "output"}


@pytest.mark.parametrize(
    ("changes", "one"),
    [({}, True), ({"views": ((9, 4),)}, False), ({"is_ragged": True}, False)],
)
def test_arrays_that_may_be_one(changes: dict[str, Any], one: bool) -> None:
    for first, second in ((X, Y._replace(**changes)), (X._replace(**changes), Y)):
        (pair,) = pairs_of((first, second), lambda *_: True)
        assert pair == Pair("y", "x", one)


def test_what_a_plan_does_not_read_lies_anywhere() -> None:
    unread, number = X._replace(is_read=False), X._replace(by_value=True)
    assert pairs_of((unread, number, Y), lambda *_: True) == ()


@pytest.mark.usefixtures("cudnn")
def test_what_graphs_compute_element_by_element() -> None:
    def image(graph: cudnn.Graph, name: str, shape: Any = (2, 8, 4, 4)) -> Any:
        return graph.tensor(shape, "HALF", layout="NHWC", name=name)

    g = cudnn.Graph()
    g.output(g.relu(g.add(g.mul(image(g, "a"), 2.0), image(g, "b"))), name="y")
    assert shared(g) == {"y": ("a", "b")}

    g = cudnn.Graph()  # one of them is repeated
    g.output(g.mul(image(g, "a"), image(g, "b", (1, 8, 1, 1))), name="y")
    assert shared(g) == {"y": ("a",)}

    g = cudnn.Graph()  # what is added to a convolution
    made = g.convolution(image(g, "x"), image(g, "w", (8, 8, 3, 3)), padding=1)
    g.output(g.relu(g.add(made, image(g, "residual"))), name="y")
    assert shared(g) == {"y": ("residual",)}

    g = cudnn.Graph()  # what is added, and goes into the convolution as well
    x = g.relu(image(g, "x"))
    made = g.convolution(x, image(g, "w", (8, 8, 3, 3)), padding=1)
    g.output(g.add(made, x), name="y")
    assert shared(g) == {"y": ()}

    g = cudnn.Graph()  # what a second result depends on
    x = image(g, "x")
    g.output(g.relu(x), name="y")
    g.output(g.reduction(x, dims=(0, 2, 3)), name="z")
    assert shared(g) == {"y": (), "z": ()}

    g = cudnn.Graph()
    x = image(g, "x")
    g.output(g.relu(x), name="y")
    g.output(g.mul(x, image(g, "b")), name="z")
    assert shared(g) == {"y": (), "z": ("b",)}


@pytest.mark.usefixtures("cudnn")
@pytest.mark.parametrize("mean", ["mean", "scale"])
def test_running_statistics_are_updated_in_place(mean: str) -> None:
    """Each is read for its own result alone, unless it is a factor as well."""
    g = cudnn.Graph()
    names = ("scale", "bias", "mean", "variance")
    given = {name: g.tensor((1, 8, 1, 1), "FLOAT", name=name) for name in names}
    made = g.batch_norm(
        g.tensor((2, 8, 4, 4), "HALF", layout="NHWC", name="x"), given["scale"], given["bias"],
        running_mean=given[mean], running_variance=given["variance"], momentum=0.1,
    )  # fmt: skip
    assert made.running_mean is not None
    assert made.running_variance is not None
    for name, each in (("y", made.y), ("m", made.running_mean), ("v", made.running_variance)):
        g.output(each, name=name)
    assert shared(g) == {"y": (), "m": () if mean == "scale" else (mean,), "v": ("variance",)}


def test_functions_whose_output_may_be_an_input() -> None:
    """Where cuDNN's documentation says so, for the operand that it names."""
    a, b, y = (
        Operand(name, 1 + at, (4,), (1,), "FLOAT", role=role)
        for at, (name, role) in enumerate((("a", "input"), ("b", "input"), ("y", "output")))
    )

    def judged(step: Any, *more: Any) -> list[tuple[str, bool]]:
        steps = [step, *more]
        names = [each.names for each in steps]
        return [(each.other, each.may_be_one) for each in pairs_of_steps((a, b, y), names, steps)]

    forward = Step("cudnnActivationForward", HANDLE, 0, 1.0, 0, "a", 0.0, 0, "y")
    assert judged(forward) == [("a", True)]
    gradient = Step("cudnnActivationBackward", HANDLE, 0, 1.0, 0, "b", 0, "a", 0, "b", 0.0, 0, "y")
    assert judged(gradient) == [("a", True), ("b", False)]
    gradient = Step("cudnnSoftmaxBackward", HANDLE, 0, 0, 1.0, 0, "b", 0, "a", 0.0, 0, "y")
    assert judged(gradient) == [("a", True), ("b", False)]
    sums = Step("cudnnOpTensor", HANDLE, 0, 1.0, 0, "a", 1.0, 0, "b", 0.0, 0, "y")
    assert judged(sums) == [("a", True), ("b", False)]
    root = Step("cudnnOpTensor", HANDLE, 0, 1.0, 0, "a", 1.0, 0, "a", 0.0, 0, "y")
    assert judged(root) == [("a", True)], "of one tensor, it is both"
    pooling = Step("cudnnPoolingForward", HANDLE, 0, 1.0, 0, "a", 0.0, 0, "y")
    assert judged(pooling) == [("a", False)]
    rows = Step("cudnnSoftmaxForward", HANDLE, 0, 0, 1.0, 0, "a", 0.0, 0, "y")
    assert judged(rows) == [("a", False)], "nothing is said of it"
    infer = "cudnnBatchNormalizationForwardInference"
    norm = Step(infer, HANDLE, 0, 1.0, 0.0, 0, "a", 0, "y", 0, "b", "b", "b", "b", 1e-5)
    assert judged(norm) == [("a", False), ("b", False)]
    assert judged(Kernel(object(), "a", "y", by_element=True)) == [("a", True)]  # type: ignore[arg-type]
    assert judged(Kernel(object(), "a", "y")) == [("a", False)]  # type: ignore[arg-type]
    assert judged(Fill("y", 4), forward) == [("a", False)], "it is read after y was written"
    behind = Step("cudnnActivationForward", HANDLE, 0, 1.0, 0, Behind("a", 2), 0.0, 0, "y")
    assert pairs_of_steps((a, y), ["ay"], [behind]) == (Pair("y", "a"),), "read at another place"
    room = Step("cudnnActivationForward", HANDLE, 0, 1.0, 0, "a", 0.0, 0, 0)
    assert judged(room, Fill("y", 4)) == [], "it is read before y is written"


@pytest.mark.usefixtures("standin")
def test_plans_among_steps() -> None:
    by_element = make_plan((X, Y._replace(shares=("x",))))
    for plan, known in ((by_element, True), (make_plan((X, Y)), False)):
        step = Execute(plan, {"x": "x", "y": "y"})
        assert pairs_of_steps((X, Y), [step.names], [step]) == (Pair("y", "x", known),)
