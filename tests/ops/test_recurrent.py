"""Sizes of recurrent networks, which are told without a GPU."""

from __future__ import annotations

import math
from typing import Any

import pytest
from cudnn_cffi import errors, handles, ops
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.ops.rnn import algorithms


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise errors.NotInitializedError("there is no GPU")

    monkeypatch.setattr(handles, "handle", refuse)


@pytest.mark.parametrize(
    ("net", "shapes"),
    [
        (lambda: ops.RNN(3, 5), [(5, 3), (5, 5), (5,), (5,)]),
        (lambda: ops.RNN(3, 5, bias=False), [(5, 3), (5, 5)]),
        (lambda: ops.GRU(3, 5, bias="input"), [(15, 3), (15, 5), (15,)]),
        (
            lambda: ops.LSTM(3, 5, layers=2),
            [(20, 3), (20, 5), (20,), (20,), (20, 5), (20, 5), (20,), (20,)],
        ),
        (
            lambda: ops.GRU(3, 5, layers=2, bidirectional=True),
            [*[(15, 3), (15, 5), (15,), (15,)] * 2, *[(15, 10), (15, 5), (15,), (15,)] * 2],
        ),
        (
            lambda: ops.LSTM(3, 5, layers=2, projection_size=2, bidirectional=True),
            [
                *[(20, 3), (20, 2), (20,), (20,), (2, 5)] * 2,
                *[(20, 4), (20, 2), (20,), (20,), (2, 5)] * 2,
            ],
        ),
    ],
)
def test_weights_are_counted(net: Any, shapes: list[tuple[int, ...]]) -> None:
    """The shapes are those of PyTorch's networks with the same arguments."""
    count = sum(map(math.prod, shapes))
    assert net().weights_count("float16") == net().weights_count("float32") == count


def test_only_cudnn_tells_it_without_matrices_of_the_input() -> None:
    with pytest.raises(errors.NotInitializedError):
        ops.LSTM(5, 5, skip_input=True).weights_count()


def test_data_types_are_checked() -> None:
    with pytest.raises(errors.ArgumentError, match="expected a data type"):
        ops.LSTM(5, 5).weights_count("much")


def test_arrays_that_do_not_fit_are_no_matter_of_an_algorithm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    net: Any = ops.LSTM(4, 8)

    def refuse(*_: object) -> None:
        raise errors.ShapeMismatchError("weights: expected the shape (448,), got (447,)")

    monkeypatch.setattr(net, "_way", refuse)
    monkeypatch.setattr(algorithms, "preferred", lambda *_: ["STANDARD", "PERSIST_STATIC"])
    with pytest.raises(errors.ShapeMismatchError, match="weights: expected the shape"):
        list(net._fitting(None, Rule(), "FMA_MATH", None, []))
