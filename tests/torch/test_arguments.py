"""Functions take the arguments of PyTorch's of the same name, and refuse what cuDNN has not."""

from __future__ import annotations

import inspect
import re
from types import ModuleType
from typing import Any

import pytest
from cudnn_cffi import errors

#: Where a default differs: what PyTorch deprecates, and what it finds out by itself.
OTHERWISE = {("softmax", "dim"), ("log_softmax", "dim")}


def names_of(function: Any) -> dict[str, Any]:
    """The parameters of a function of PyTorch's with their defaults, also of one in C."""
    try:
        found = inspect.signature(function).parameters
    except ValueError:
        found = None
    if found is not None and "kwargs" not in found:
        return {name: each.default for name, each in found.items()}
    text = (function.__doc__ or "").strip().split("->")[0]
    listed = re.match(r"\w+\((.*)\)", text, re.DOTALL)
    assert listed, text[:200]
    pairs = [each.split("=") for each in listed[1].replace("\n", " ").split(",")]
    scope = {"None": None, "True": True, "False": False}
    return {
        pair[0].strip(): eval(pair[1], scope) if len(pair) > 1 else inspect.Parameter.empty
        for pair in pairs
        if pair[0].strip() != "*"
    }


def test_arguments_are_those_of_pytorch(torch: ModuleType) -> None:
    from cudnn_cffi.torch import functional

    looked = 0
    for name in dir(functional):
        theirs = getattr(torch.nn.functional, name, None)
        ours = getattr(functional, name)
        if theirs is None or not inspect.isfunction(ours):
            continue
        if name.startswith("max_pool"):
            theirs = getattr(torch.nn.functional, f"{name}_with_indices")
        if name == "scaled_dot_product_attention":
            continue  # its text is no list
        looked += 1
        takes = inspect.signature(ours).parameters
        assert takes["choose"].default is None
        own = {n: each.default for n, each in takes.items() if each.kind != each.KEYWORD_ONLY}
        wanted = names_of(theirs)
        assert list(own)[: len(wanted)] == list(wanted), name
        assert len(own) == len(wanted) or name.startswith(("avg_pool1d", "max_pool")), name
        for each, default in wanted.items():
            if (name, each) not in OTHERWISE and isinstance(default, (bool, int, float, str)):
                assert own[each] == default, (name, each)
    assert looked > 30


def test_options_are_computed_or_refused(torch: ModuleType, operators: list[str]) -> None:
    from cudnn_cffi.torch import functional as own

    theirs = torch.nn.functional
    x = torch.randn(2, 3, 6, 6, dtype=torch.float64)
    torch.testing.assert_close(
        own.avg_pool2d(x, 3, 2, 1, False, False), theirs.avg_pool2d(x, 3, 2, 1, False, False)
    )
    torch.testing.assert_close(
        own.max_pool2d(input=x, kernel_size=2, ceil_mode=True), theirs.max_pool2d(x, 2)
    )
    torch.testing.assert_close(
        own.conv2d(input=x, weight=x[:, :, :3, :3]), theirs.conv2d(x, x[:, :, :3, :3])
    )
    grid = torch.rand(2, 4, 4, 2, dtype=torch.float64)
    calls: list[Any] = [
        lambda: own.max_pool2d(x, 2, dilation=2),
        lambda: own.max_pool2d(x, 2, return_indices=True),
        lambda: own.max_pool2d(x, 4, ceil_mode=True, stride=3),
        lambda: own.avg_pool2d(x, 2, divisor_override=3),
        lambda: own.instance_norm(x, torch.zeros(3), torch.ones(3)),
        lambda: own.instance_norm(x, use_input_stats=False),
        lambda: own.cross_entropy(x, x, None, True),
        lambda: own.softplus(x, 1.0, 2.0),
        lambda: own.grid_sample(x, grid),
        lambda: own.affine_grid(grid[:, :2, 0, :1].expand(2, 2, 3), x.shape),
    ]
    for call in calls:
        with pytest.raises(errors.NotSupportedError, match=r"expected|ceil_mode"):
            call()
    for p in (-0.1, 1.1):
        with pytest.raises(errors.ArgumentError, match="p: expected a probability"):
            own.dropout(x, p)
    assert not own.dropout(x, 1.0).any()


@pytest.mark.parametrize(
    "name",
    ["relu", "relu6", "clipped_relu", "leaky_relu", "elu", "silu", "sigmoid", "tanh"],
)
def test_functions_in_place(torch: ModuleType, operators: list[str], name: str) -> None:
    from cudnn_cffi.torch import functional as own

    base = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    found = []
    for inplace in (True, False):
        x = base * 2
        y = getattr(own, name)(x, inplace=inplace)
        assert (y.data_ptr() == x.data_ptr()) == inplace
        found.append((y.detach().clone(), *torch.autograd.grad(y.square().sum(), base)))
    torch.testing.assert_close(*found)
