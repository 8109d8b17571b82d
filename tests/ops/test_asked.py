"""`plan` takes what a call takes; signatures name all of it."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from cudnn_cffi import errors, ops
from cudnn_cffi._operation.launching import arguments_of
from cudnn_cffi._operation.operation import Operation


def ask(operation: Operation, arrays: Any, call: Any) -> dict[str, Any]:
    return arguments_of(operation, operation.run, arrays, call)


#: Options that have to be there.
NEEDED = {
    "groups": 1, "heads": 1, "hidden_size": 4, "input_size": 3, "nodes": 2, "q_size": 4,
    "shape": (1, 2, 5), "size": (1, 2, 3, 3), "value": 1.0, "window": 2,
}  # fmt: skip

#: Arguments of calls that are no arrays, and their conversion.
OTHERS: dict[str, tuple[Any, Any]] = {
    "alpha2": (0.5, 0.5), "gradient": (False, False), "kv_lengths": ([2, 1], (2, 1)),
    "lengths": ([3, 1], (3, 1)), "q_lengths": ([2, 1], (2, 1)), "shape": ([1, 2, 5], (1, 2, 5)),
    "step": (None, None), "training": (True, True), "windows": (None, None),
}  # fmt: skip

SHARED = ("self", "out", "handle", "stream", "choose", "alpha", "beta")
CLASSES = sorted(dict.fromkeys(ops.OPERATIONS.values()), key=lambda cls: cls.__name__)


def made(cls: Any) -> Operation:
    """Return an operation with the options that it has to have."""
    if cls.__name__.startswith("RNNBackward"):
        return cls(ops.LSTM(3, 4).network)
    needed = {
        each.name: NEEDED[each.name]
        for each in inspect.signature(cls).parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    }
    return cls(**needed)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_plan_is_asked_for_as_a_call_is(cls: Any) -> None:
    """Every argument by its name, and each array in its place."""
    operation = made(cls)
    parameters = [name for name in inspect.signature(cls.__call__).parameters if name not in SHARED]
    assert "kwargs" not in parameters
    given: dict[str, Any] = {}
    wanted: Any
    for number, name in enumerate(parameters):
        given[name] = ops.Spec.like((number + 1,)) if name in cls.takes else OTHERS[name][0]
    if "reserve" in given and cls.__name__.startswith("RNNBackward"):
        held = ops.RNNReserve(given["reserve"], "STANDARD", "DEFAULT_MATH", None, operation)
        wanted, given["reserve"] = held.array, held
    else:
        wanted = given.get("reserve")
    asked = ask(operation, (), given)
    assert (asked["alpha"], asked["beta"]) == (1.0, 0.0)
    assert [asked[name] for name in ("out", "handle", "choose")] == [None] * 3
    in_order = dict(zip(cls.takes, asked["arrays"], strict=False))
    call = dict(asked["call"])
    for name in parameters:
        if name in cls.takes:
            assert in_order[name] == (wanted if name == "reserve" else given[name]), name
        else:
            assert call[name] == OTHERS[name][1], name
    missing = [name for name in cls.takes if in_order.get(name) is None]
    assert set(missing) <= {"page_table_k", "page_table_v"}, "gradients take no pages"


def test_a_plan_says_what_it_does_not_take() -> None:
    x = ops.Spec.like((2, 3, 4, 4))
    with pytest.raises(TypeError, match="pading"):
        ops.Convolution().plan(x, x, pading=1)
    with pytest.raises(TypeError, match="w"):
        ops.Convolution().plan(x)
    with pytest.raises(errors.ArgumentError, match=r"out: expected an array, as beta is 0\.5"):
        ops.Convolution().plan(x, x, beta=0.5)
    with pytest.raises(errors.ArgumentError, match="residual: expected an array, as alpha2"):
        ops.Convolution().plan(x, x, alpha2=0.5)
    with pytest.raises(errors.ArgumentError, match=r"x: .*\n.*Spec\.like"):
        ops.Convolution().plan((2, 3, 4, 4), x)


def test_a_residual_with_a_factor_of_zero_is_left_out() -> None:
    x = ops.Spec.like((2, 3, 4, 4))
    asked = ask(ops.Convolution(), (x, x), {"bias": None, "residual": x, "alpha2": 0.0})
    assert x not in asked["arrays"][2:]
    assert asked["call"] == ()


def test_a_plan_of_descriptions_chooses_no_seed() -> None:
    """The first call does, by the library of its array."""
    dropout = ops.Dropout()
    ask(dropout, (ops.Spec.like((4, 4)),), {})
    assert dropout.state.seed is None


def test_signatures_list_what_is_passed_on() -> None:
    """Also each scale of FP8."""
    for name, count in (("attention", 6), ("attention_backward", 12)):
        taken = inspect.signature(getattr(ops, name)).parameters
        assert len([each for each in taken if "scale_" in each]) == count
        assert {"causal", "dropout", "bias", "out", "choose"} <= set(taken)
        assert "scales" not in taken
    signature = inspect.signature(ops.max_pool)
    assert str(signature.parameters["padding"]).endswith("= 0")
    assert list(signature.parameters)[:4] == ["x", "window", "stride", "padding"]
    assert "kind" not in signature.parameters
    assert signature.replace(parameters=[]).parameters == {}
    assert list(signature.bind(1, 2, alpha=3.0).arguments) == ["x", "window", "alpha"]
