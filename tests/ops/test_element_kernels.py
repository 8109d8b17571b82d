"""The activations, means and batch norms that go to kernels of the package, and what these are told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from cudnn_cffi import driver, errors, ops
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.ops.element import activation_kernels
from cudnn_cffi.ops.norm import batch_inference
from cudnn_cffi.ops.window import pooling, pooling_kernels

from .kernel_calls import FREE, RefusedError, find

LIKE = ops.Spec.like
LAUNCH: Any = SimpleNamespace(ordinal=0, words=lambda _: (1, 2, 3, 4, 5))
X = LIKE((8, 64), "half", range(2))
IMAGES = LIKE((2, 8, 16, 16), "half")


asked: list[Any] = []


@pytest.fixture(autouse=True)
def _device(monkeypatch: pytest.MonkeyPatch) -> None:
    asked.clear()

    def elements(*what: Any, **_: Any) -> Any:
        asked.append(what)
        return LAUNCH

    def means(*what: Any, includes: bool, sums: bool, **_: Any) -> Any:
        asked.append((*what, includes, sums))
        return SimpleNamespace(launch=LAUNCH, words=lambda x, y: (x, y, 7))

    def normalized(*what: Any, **_: Any) -> Any:
        asked.append(what)
        return SimpleNamespace(launch=LAUNCH, words=lambda *names: (*names, 7))

    monkeypatch.setattr(activation_kernels, "elements", elements)
    monkeypatch.setattr(pooling_kernels, "Means", means)
    monkeypatch.setattr(batch_inference, "Normalized", normalized)
    for each in (activation_kernels, pooling, batch_inference):
        monkeypatch.setattr(each, "can_compile", lambda: True)
    monkeypatch.setattr(driver, "primary_context", lambda _: 1)


@pytest.mark.parametrize("word", ["relu", "sigmoid", "tanh", "swish", "silu", "gelu", "gelu_tanh"])
def test_functions(word: Any) -> None:
    way = find(ops.Activation(word), X)
    assert way.algorithm == "kernels.elements"
    assert [each.arguments for each in way.steps] == [(0, "x", "y", 512)]
    assert [each.alignment for each in way.operands] == [16, 16]
    assert asked == [(word, "float16", 512, "NEITHER")]
    assert (way.workspace_size, way.deterministic) == (0, True)


def test_gradients() -> None:
    """They are computed by the result where it is there and enough; what is not read may lie anywhere."""
    for word, given, by, how in (
        ("gelu", (X, X), "x", "INPUT"), ("silu", (X, X, X), "x", "INPUT"),
        ("tanh", (X, X, X), "y", "RESULT"), ("relu", (X, None, X), "y", "RESULT"),
        ("sigmoid", (X, X), "x", "INPUT"),
    ):  # fmt: skip
        way = find(ops.ActivationBackward(word), *given)  # type: ignore[arg-type]
        assert [each.arguments for each in way.steps] == [("dy", by, "dx", 512)]
        assert asked.pop() == (word, "float16", 512, how)
        read = {each.name: each.alignment for each in way.operands}
        assert read == {name: 16 if name in ("dy", by, "dx") else 2 for name in read}
    find(ops.ActivationBackward("tanh"), X, X._replace(alignment=2), X)


@pytest.mark.parametrize(
    "more",
    [
        {"rule": Rule(pick="heuristic", via="classic")}, {"context": 2}, {"alpha": 2.0},
        {"beta": 1.0}, {"specs": (X._replace(alignment=8),)}, {"word": "elu"},
        {"specs": (X._replace(dtype="float64"),)}, {"specs": (X._replace(strides=(128, 1)),)},
        {"targets": {"y": X._replace(strides=(1, 8))}}, {"targets": {"y": X._replace(alignment=4)}},
    ],
)  # fmt: skip
def test_other_calls(more: dict[str, Any]) -> None:
    """Functions are asked for, or kernels are not loaded; blends, addresses, types and gaps."""
    specs, word = more.pop("specs", (X,)), more.pop("word", "gelu")
    with pytest.raises(RefusedError):
        find(ops.Activation(word), *specs, **more)


def test_large_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graphs come first for them."""
    monkeypatch.setattr(ops.Activation, "is_large", lambda *_: True)
    with pytest.raises(RefusedError):
        find(ops.Activation("relu"), X)


def test_numbers() -> None:
    find(ops.Activation("swish", 1.0), X)
    with pytest.raises(RefusedError):
        find(ops.Activation("swish", 2.0), X)


def test_means() -> None:
    way = find(ops.Pooling("average", 2), IMAGES)
    assert way.algorithm == "kernels.Means"
    assert [each.arguments for each in way.steps] == [("x", "y", 7)]
    size, out, two = [16, 16], (8, 8), (2, 2)
    assert asked == [("float16", 16, 1, size, out, two, two, [0, 0], True, False)]
    last = LIKE((2, 8, 16, 16), "half", "NHWC")
    find(ops.Pooling("average_without_padding", 3, 2, ((1, 0), (2, 1))), last)
    assert asked[1] == ("float16", 2, 8, size, (8, 9), (3, 3), two, [1, 2], False, False)
    find(ops.Pooling("sum", 2, batch=False), LIKE((8, 16), "half", range(2)))
    assert asked[2] == ("float16", 8, 1, [1, 16], (1, 8), (1, 2), (1, 2), [0, 0], False, True)


@pytest.mark.parametrize(
    ("kind", "window", "x"),
    [
        ("max", 2, IMAGES), ("average", 5, IMAGES), ("average", 2, LIKE((64, 64, 32, 32), "half")),
        ("average", 2, LIKE((2, 3, 4, 4, 4), "half")), ("average", 2, LIKE((2, 3, 4, 4), "double")),
        ("average", 2, IMAGES._replace(strides=(4096, 512, 32, 2))),
    ],
)  # fmt: skip
def test_other_windows(kind: Any, window: int, x: Any) -> None:
    with pytest.raises(RefusedError):
        find(ops.Pooling(kind, window), x)
    with pytest.raises(RefusedError):
        find(
            ops.PoolingBackward("average"),
            *[IMAGES._replace(shape=(2, 8, n, n)) for n in (8, 16, 8)],
        )


LAST = LIKE((2, 16, 3, 5), "half", "NHWC")
NARROW, FULL = LIKE((16,), "half"), LIKE((16,), "float32")


def test_batch_norms() -> None:
    """Parameters in 16 bits, as `model.half()` makes them, or some of them."""
    norm = ops.BatchNormInference(epsilon=0.5)
    names = ("x", "y", "scale", "bias", "mean", "variance", 7)
    rows = LIKE((30, 16), "half", range(2))
    for x, given, types in (
        (LAST, (NARROW,) * 4, ["float16"] * 4),
        (LAST, (NARROW, NARROW, FULL, FULL), ["float16"] * 2 + ["float32"] * 2),
        (rows, (FULL, NARROW, FULL, FULL), ["float32", "float16", "float32", "float32"]),
    ):
        way = find(norm, x, *given)
        assert way.algorithm == "kernels.Normalized"
        assert [each.arguments for each in way.steps] == [names]
        assert [each.by_element for each in way.steps] == [True]
        assert asked.pop() == ("float16", 30, 16, 0.5, types)
        assert (way.workspace_size, way.deterministic) == (0, True)


@pytest.mark.parametrize(
    ("x", "p", "more"),
    [
        (LAST, FULL, {}), (LIKE((2, 16, 3, 5), "half"), NARROW, {}), (LAST, NARROW, {"alpha": 2.0}),
        (LAST._replace(alignment=8), NARROW, {}), (LAST, NARROW._replace(strides=(2,)), {}),
        (LAST, NARROW, {"rule": Rule(pick="heuristic", via="classic")}), (LAST, NARROW, {"context": 2}),
        (LAST._replace(strides=(480, 1, 160, 32)), NARROW, {}),
        (LIKE((2, 12, 3, 5), "half", "NHWC"), LIKE((12,), "half"), {}),
    ],
)  # fmt: skip
def test_other_batch_norms(x: Any, p: Any, more: dict[str, Any]) -> None:
    """Engines or functions compute full parameters, other layouts, addresses, gaps and odd rows."""
    with pytest.raises(RefusedError):
        find(ops.BatchNormInference(), x, p, p, p, p, **more)
    with pytest.raises(RefusedError):
        find(ops.BatchNormInference("per_activation"), LAST, *(LIKE((16, 3, 5), "half"),) * 4)


def test_the_order_of_batch_norms() -> None:
    """A choice that limits what is timed compiles no engine: the kernel is one for all shapes."""
    norm = ops.BatchNormInference()
    timed, quick = Rule(pick="time"), Rule(pick="time", most=10)
    via = Rule(pick="time", via="graph")
    for device, p, rule, wanted in (
        (None, NARROW, FREE, ("classic", "graph")), (0, NARROW, quick, ("classic",)),
        (None, NARROW, quick, ("classic", "graph")), (0, NARROW, via, ("graph",)),
        (0, NARROW, timed, ("classic", "graph")), (0, FULL, quick, ("classic", "graph")),
    ):  # fmt: skip
        x, p = (each._replace(device=device) for each in (LAST, p))
        assert norm._order(norm.case(x, p, p, p, p), rule) == wanted


def test_the_order_of_ways() -> None:
    """Kernels come before engines, where a call leaves that open."""
    for window, wanted in ((2, ("classic", "graph")), (5, ("graph", "classic"))):
        operation = ops.Pooling("average", window)
        assert operation._order(operation.case(IMAGES), FREE) == wanted
    operation = ops.Pooling("average")
    assert operation._order(operation.case(IMAGES), Rule(via="graph")) == ("graph",)


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or with a driver that does not load what it makes."""
    refusals: list[tuple[Exception, type[Exception]]] = [
        (errors.NotSupportedError("cuModuleLoadData"), RefusedError),
        (errors.CudnnError("cuModuleLoadData"), errors.CudnnError),  # which is no lack
    ]
    for error, raised in refusals:
        refuse = Mock(side_effect=error)
        monkeypatch.setattr(activation_kernels, "elements", refuse)
        monkeypatch.setattr(pooling_kernels, "Means", refuse)
        monkeypatch.setattr(batch_inference, "Normalized", refuse)
        several = (
            (ops.Activation("relu"), X), (ops.Pooling("average"), IMAGES),
            (ops.BatchNormInference(), LAST, *(NARROW,) * 4),
        )  # fmt: skip
        for operation, *given in several:
            with pytest.raises(raised):
                find(operation, *given)
        assert refuse.call_count == 3
    monkeypatch.setattr(activation_kernels, "can_compile", lambda: False)
    with pytest.raises(RefusedError):
        find(ops.Activation("relu"), X)
