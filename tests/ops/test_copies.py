"""Copies of operations: with the same options, and nothing of what was computed."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from cudnn_cffi import errors, ops
from cudnn_cffi.ops import Operation

MADE: dict[str, Callable[[], Operation]] = {
    "dropout": lambda: ops.Dropout(0.25, 3),
    "its gradient": lambda: ops.DropoutBackward(0.25, 3),
    "lstm": lambda: ops.LSTM(8, 16, 2, dropout=0.5, seed=7),
    "multi-head attention": lambda: ops.MultiHeadAttention(2, 8, dropout=0.5, seed=9),
    "convolution": lambda: ops.Convolution(1, choose={"engine": 3, "knobs": {"A": 1}}),
    "group norm": lambda: ops.GroupNorm(2),
}

COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda each: pickle.loads(pickle.dumps(each)),
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("what", MADE)
def test_copies(what: str, how: str) -> None:
    operation = MADE[what]()
    made = COPIES[how](operation)
    assert type(made) is type(operation)
    assert (made.options, made.policy) == (operation.options, operation.policy)
    assert made.plans == ()


@pytest.mark.parametrize("how", COPIES)
def test_random_numbers_begin_anew(how: str) -> None:
    for given, told in ((5, 5), (None, None)):
        dropout = ops.Dropout(0.5, given)
        dropout.state.begin("")
        made = COPIES[how](dropout)
        assert made.state is not dropout.state
        assert (made.state.rate, made.state.seed) == (0.5, told)
    dropout.reset(11)
    assert COPIES[how](dropout).state.seed == 11
    assert copy.copy(dropout).state is dropout.state


@pytest.mark.parametrize("how", COPIES)
def test_a_network_that_has_run(how: str) -> None:
    net = ops.GRU(8, 16)
    net._picked["what decides"] = "STANDARD"
    made = COPIES[how](net)
    assert not made._picked
    assert made.network.cell == net.network.cell
    assert made.backward_data.network is made.network


@pytest.mark.parametrize("state", [{}, None, 3, {"options": 7}, {"options": None}])
def test_a_damaged_pickle_is_refused(state: Any) -> None:
    operation = ops.Convolution.__new__(ops.Convolution)
    assert repr(operation) == "Convolution()", "its state is missing"
    with pytest.raises(errors.ArgumentError, match="the pickle of a Convolution is damaged"):
        operation.__setstate__(state)
