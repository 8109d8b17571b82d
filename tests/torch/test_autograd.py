"""Gradients for any part of what a module is given, and modules that are copied and called otherwise."""

from __future__ import annotations

import copy
import itertools
import pickle
from types import ModuleType
from typing import Any

import pytest

from .cases import MODULES, Case, name_of
from .test_wiring import assert_close, pair


def gradients(torch: Any, module: Any, given: Any, wanted: Any, kind: str) -> list[Any] | None:
    """The gradients for the input and all parameters, of which some are wanted."""
    x = given.detach().clone().requires_grad_("x" in wanted)
    for name, each in module.named_parameters():
        each.requires_grad_(name in wanted)
        each.grad = None
    y = module(x * 1)
    if not y.requires_grad:
        return None
    weights = torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape)
    if kind == "expanded":
        y.sum().backward(retain_graph=True)  # twice, which adds up
        y.sum().backward()
    elif kind == "transposed":
        y.backward(weights.transpose(0, -1).contiguous().transpose(0, -1))
    else:
        y.backward(weights)
    return [x.grad, *[each.grad for each in module.parameters()]]


@pytest.mark.parametrize("case", MODULES, ids=name_of)
def test_any_part_may_want_a_gradient(torch: ModuleType, stand_in: list[str], case: Case) -> None:
    torch.manual_seed(8)
    modules = pair(torch, case)
    names = ["x", *[name for name, _ in modules[0].named_parameters()]]
    x = torch.randn(case.shape, dtype=torch.float64)
    for count in range(1, len(names) + 1):
        for wanted in itertools.combinations(names, count):
            for kind in ("plain", "expanded", "transposed"):
                ours, theirs = (gradients(torch, each, x, wanted, kind) for each in modules)
                assert (ours is None) == (theirs is None), (wanted, kind)
                pairs = list(zip(ours or (), theirs or (), strict=True))
                assert [one is None for one, _ in pairs] == [other is None for _, other in pairs]
                for one, other in pairs:
                    if one is not None:
                        torch.testing.assert_close(one, other)


def results(torch: Any, module: Any, given: Any, how: str) -> list[Any]:
    """The output and all gradients of a module that is called in some way."""
    x = given.clone().requires_grad_()
    graph, parameters = torch.autograd.graph, list(module.parameters())
    if how == "checkpoint":
        y = torch.utils.checkpoint.checkpoint(module, x, use_reentrant=False)
    elif how == "hooks":
        with graph.saved_tensors_hooks(lambda each: each.clone(), lambda each: each):
            y = module(x)
    elif how == "on the CPU":
        with graph.save_on_cpu():
            y = module(x)
    elif how == "other parameters":
        module(x)
        others = {name: each * 2 for name, each in module.named_parameters()}
        y, parameters = torch.func.functional_call(module, others, (x,)), list(others.values())
    else:
        module(x)
        copied = copy.deepcopy(module) if how == "copied" else pickle.loads(pickle.dumps(module))
        y, parameters = copied(x), list(copied.parameters())
    return [y.detach(), *torch.autograd.grad(y.square().sum(), [x, *parameters])]


WAYS = ("checkpoint", "hooks", "on the CPU", "other parameters", "copied", "pickled")


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("case", MODULES, ids=name_of)
def test_ways_to_call_a_module(
    torch: ModuleType, stand_in: list[str], case: Case, how: str
) -> None:
    torch.manual_seed(9)
    ours, theirs = pair(torch, case)
    x = torch.randn(case.shape, dtype=torch.float64)
    assert_close(torch, results(torch, ours, x, how), results(torch, theirs, x, how))
