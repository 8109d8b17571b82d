"""The reductions that go to the kernel of the package, and what it is told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from cudnn_cffi import driver, errors, ops
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.ops.element import reduction_kernels
from cudnn_cffi.plan.run.call_steps import Kernel, Scratch

from .kernel_calls import FREE, RefusedError, find

LIKE = ops.Spec.like


class FakeKernel:
    """Stands for the class of the kernel, which needs a device."""

    workspace_size = 1000

    def __init__(self, *what: Any, **options: Any) -> None:
        self.what, self.options = what, options
        launch = SimpleNamespace(ordinal=0, words=lambda _: (1, 2, 3, 4, 5))
        self.launches = [launch, launch] if self.workspace_size else [launch]
        made.append(self)

    def words(self, x: str, y: str, parts: str) -> list[tuple[str | int, ...]]:
        return [(x, 0, parts, 7), (parts, y, 0, 8)] if parts else [(x, y, 0, 9)]


made: list[FakeKernel] = []


@pytest.fixture(autouse=True)
def _device(monkeypatch: pytest.MonkeyPatch) -> None:
    made.clear()
    monkeypatch.setattr(reduction_kernels, "Reduce", FakeKernel)
    monkeypatch.setattr(reduction_kernels, "can_compile", lambda: True)
    monkeypatch.setattr(driver, "primary_context", lambda _: 1)


@pytest.mark.parametrize("dtype", ["half", "bfloat16", "float", "double"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_gradients_of_biases(dtype: str, layout: str) -> None:
    way = find(ops.ConvolutionBackwardBias(), LIKE((8, 64, 16, 16), dtype, layout), alpha=2.0)
    assert way.algorithm == "kernels.Reduce"
    word, axes, *types = made[0].what
    assert (word, types[0] == types[1]) == ("ADD", True)
    assert made[0].options["alpha"] == 2.0
    last = [(1, 0, 0), (8 * 256, 64, 0)] if layout == "NHWC" else [(8, 64 * 256, 0), (256, 1, 0)]
    assert list(axes.reduced) == last
    assert axes.kept[1] == (64, 1 if layout == "NHWC" else 256, 1)
    first, second = way.steps
    assert isinstance(first, Kernel)
    assert first.arguments == ("dy", 0, Scratch(0), 7)
    assert second.arguments == (Scratch(0), "db", 0, 8)
    assert way.workspace_size == 1024
    assert [each.alignment for each in way.operands] == [
        {"half": 2, "bfloat16": 2, "float": 4}.get(dtype, 8)
    ] * 2


def test_one_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeKernel, "workspace_size", 0)
    way = find(ops.Reduction("mean", 1, keep_axes=True), LIKE((8, 64), "half", range(2)))
    assert made[0].what[0] == "AVG"
    assert [each.arguments for each in way.steps] == [("x", "y", 0, 9)]
    assert way.workspace_size == 0


def test_a_nan_is_left_out_where_it_does_not_win() -> None:
    for wins in (True, False):
        find(ops.Reduction("max", 1, propagate_nan=wins), LIKE((8, 64), "half", range(2)))
        assert made.pop().options["nan"] is wins


def test_no_positions() -> None:
    with pytest.raises(RefusedError):
        find(ops.Reduction("max", 1, indices=True), LIKE((8, 64), "half", range(2)))


@pytest.mark.parametrize(
    "more",
    [
        {"rule": Rule(pick="heuristic", via="classic")}, {"context": 2}, {"limit": 999},
        {"axes": (0, 2, 4)}, {"shape": (8, 1, 1, 1, 1, 1)},
    ],
)  # fmt: skip
def test_functions(more: dict[str, Any]) -> None:
    """By what is asked for, where kernels are not, or too little memory is; three kinds of axes."""
    axes, shape = more.pop("axes", 1), more.pop("shape", (4,) * 6)
    with pytest.raises(RefusedError):
        find(ops.Reduction("sum", axes), LIKE(shape, "half", range(6)), **more)


def test_backwards() -> None:
    """Strides below zero are not words of a kernel."""
    x = LIKE((8, 64), "half", range(2))
    with pytest.raises(RefusedError):
        find(ops.Reduction("sum", 1), x._replace(strides=(-64, 1)))
    y = LIKE((8,), "half", range(1))
    with pytest.raises(RefusedError):
        find(ops.Reduction("sum", 1), x, outputs={"y": y._replace(strides=(-1,))})


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or with a driver that does not load what it makes."""
    x = LIKE((8, 64), "half", range(2))
    for error, raised in (
        (errors.NotSupportedError("cuModuleLoadData"), RefusedError),
        (errors.CudnnError("cuModuleLoadData"), errors.CudnnError),  # which is no lack
    ):
        refuse = Mock(side_effect=error)
        monkeypatch.setattr(reduction_kernels, "Reduce", refuse)
        with pytest.raises(raised):
            find(ops.Reduction("sum", 1), x)
        refuse.assert_called_once()
    monkeypatch.setattr(reduction_kernels, "can_compile", lambda: False)
    with pytest.raises(RefusedError):
        find(ops.ConvolutionBackwardBias(), LIKE((2, 3, 4, 5), "half"))


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_the_sum_of_a_loss(reduction: Any) -> None:
    """Losses of all rows are added by the kernel."""
    x = LIKE((4, 10, 3), "half", range(3))
    operation = ops.CrossEntropy(reduction)
    way = operation.by_classic(operation.case(x, x), FREE, SimpleNamespace(
        device=0, _context=1, workspace=SimpleNamespace(limit=None)
    ))  # type: ignore[arg-type]  # fmt: skip
    assert made[0].options["alpha"] == (-1.0 if reduction == "sum" else -1 / 12)
    assert made[0].what[1].reduced[1] == (120, 1, 0)
    assert [type(each).__name__ for each in way.steps].count("Kernel") == 2
    assert way.steps[-1].arguments[1] == "loss"  # type: ignore[union-attr, index]
