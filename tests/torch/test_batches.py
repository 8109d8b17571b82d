"""Gradients of many results at once: `is_grads_batched`, vectorized derivatives, `vmap` of gradients."""

from __future__ import annotations

from typing import Any

import pytest

from .cases import MODULES, Case, name_of
from .test_wiring import assert_close, pair


def batched(torch: Any, module: Any, x: Any, how: str) -> list[Any]:
    """Return the gradients of three weighted sums of the result, computed at once."""
    given = [x.clone().requires_grad_(), *module.parameters()]
    y = module(given[0] * 1)
    many = torch.stack(
        [torch.cos(torch.arange(y.numel()) * n).view(y.shape) for n in (1.0, 2.0, 3.0)]
    )
    many = many.to(y.dtype)
    if how == "vmap":
        found = torch.func.vmap(lambda dy: torch.autograd.grad(y, given, dy, retain_graph=True))(
            many
        )
    else:
        found = torch.autograd.grad(
            y, given, many, is_grads_batched=True, create_graph=how == "twice"
        )
    found = list(found)
    if how == "twice":
        weights = sum((each.sin() * each).sum() for each in (*found, given[0]))
        found += torch.autograd.grad(weights, given, allow_unused=True)
    return found


@pytest.mark.parametrize("how", ["once", "twice", "vmap"])
@pytest.mark.parametrize("case", MODULES, ids=name_of)
def test_modules(torch: Any, operators: list[str], case: Case, how: str) -> None:
    torch.manual_seed(8)
    modules = pair(torch, case)
    x = torch.randn(case.shape, dtype=torch.float64)
    theirs = batched(torch, modules[1], x, how)
    ours = batched(torch, modules[0], x, how)
    for one, other in zip(ours, theirs, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            torch.testing.assert_close(one, other)


def test_in_place(torch: Any, operators: list[str]) -> None:
    """The node of what is overwritten."""
    from cudnn_cffi.torch import functional

    torch.manual_seed(9)
    x = torch.randn(5, 2, 4, dtype=torch.float64, requires_grad=True)
    y = functional.relu(x * 1, inplace=True)
    many = torch.randn(3, *y.shape, dtype=y.dtype)
    (found,) = torch.autograd.grad(y, x, many, is_grads_batched=True)
    torch.testing.assert_close(found, many * (x > 0))


def test_derivatives_in_one(torch: Any, operators: list[str]) -> None:
    """Vectorized Jacobians and Hessians, whose gradients have nodes, and which nest."""
    from cudnn_cffi.torch import functional

    torch.manual_seed(10)
    derivatives, theirs = torch.autograd.functional, torch.nn.functional
    x = torch.randn(1, 2, 4, 4, dtype=torch.float64)
    w = torch.randn(2, 2, 3, 3, dtype=torch.float64)
    found = [
        derivatives.jacobian(
            lambda x, w, room=room: room.gelu(room.conv2d(x, w, padding=1)), (x, w), vectorize=True
        )
        for room in (functional, theirs)
    ]
    assert_close(torch, *map(list, found))

    def loss(room: Any) -> Any:
        return lambda x: room.gelu(room.conv2d(x, w)).sum() + room.softmax(x, 1).square().sum()

    found = [derivatives.hessian(loss(room), x, vectorize=True) for room in (functional, theirs)]
    torch.testing.assert_close(*found)


@pytest.mark.parametrize("order", [1, -1])
def test_gradients_of_several_levels(torch: Any, order: int) -> None:
    """Each of a node's gradients is one of many of another transform."""
    from cudnn_cffi.torch.autograd.batches import one_by_one

    class Both(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x, 3 * x

        @staticmethod
        @one_by_one
        def backward(ctx: Any, *grads: Any) -> Any:
            (x,) = ctx.saved_tensors
            assert not any(torch._C._functorch.is_functorch_wrapped_tensor(e) for e in grads)
            return 2 * x * grads[0] + 3 * grads[1]

    torch.manual_seed(12)
    x = torch.randn(5, requires_grad=True)
    results = Both.apply(x)
    outer, inner = torch.randn(2, 5), torch.randn(4, 5)

    def grad(one: Any, other: Any) -> Any:
        return torch.autograd.grad(results, x, (one, other)[::order], retain_graph=True)[0]

    vmap = torch.func.vmap
    found = vmap(lambda one: vmap(lambda other: grad(one, other))(inner))(outer)
    wanted = [[grad(one, other) for other in inner] for one in outer]
    torch.testing.assert_close(found, torch.stack([torch.stack(each) for each in wanted]))
