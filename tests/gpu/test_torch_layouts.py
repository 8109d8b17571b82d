"""Tensors in any memory order, with gaps, repeated, negated or without elements, as PyTorch."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.conftest import Program
from tests.torch.cases import LAYOUTS, MODULES, Case, laid_out

from .test_torch_modules import check, made

pytestmark = pytest.mark.usefixtures("exact")

#: A few cases with layouts of the input and of the gradient, drawn by a seed.
DRAWN: list[tuple[Case, str, str]] = [
    (case, random.Random(place).choice(LAYOUTS), random.Random(1000 + place).choice(LAYOUTS))
    for place, case in enumerate(MODULES)
]


def run(torch: Any, module: Any, x: Any, dy: Any) -> list[Any]:
    x = x.detach().requires_grad_()
    y = module(x)
    return [y.detach(), *torch.autograd.grad(y, [x, *module.parameters()], dy)]


def test_memory(torch: Any) -> None:
    """All in one test: each is some milliseconds."""
    wrong = []
    for case, how, grad in DRAWN:
        ours, theirs = made(torch, case, torch.float32)
        x = laid_out(torch, torch.randn(case.shape), how)
        dy = laid_out(torch, torch.randn(theirs(x.double().contiguous()).shape), grad)
        wanted = run(torch, theirs, x.double().contiguous(), dy.double().contiguous())
        x, dy = (laid_out(torch, each.contiguous().cuda(), each_how)
                 for each, each_how in ((x, how), (dy, grad)))  # fmt: skip
        try:
            check(run(torch, ours, x, dy), wanted, 1e-3)
        except (AssertionError, RuntimeError) as error:
            wrong.append((case.name, case.shape, how, grad, str(error)[:200]))
    assert not wrong


@pytest.mark.parametrize("how", ["backward", "gaps", "repeated", "negative"])
@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
def test_networks(torch: Any, name: str, how: str) -> None:
    from cudnn_cffi.torch import modules

    ours, theirs = (getattr(each, name)(6, 8, 2).double() for each in (modules, torch.nn))
    theirs.load_state_dict(ours.state_dict())
    shapes = [(5, 4, 6), *[(2, 4, 8)] * (2 if name == "LSTM" else 1)]
    given = [torch.randn(shape, dtype=torch.float64) for shape in shapes]
    dy = torch.randn(5, 4, 8, dtype=torch.float64)
    found = []
    for module, device in ((ours.cuda(), "cuda"), (theirs, "cpu")):
        leaves = [laid_out(torch, each.to(device), how).detach() for each in given]
        for each in leaves:
            each.requires_grad_()
        y, _ = module(leaves[0], tuple(leaves[1:]) if name == "LSTM" else leaves[1])
        dys = laid_out(torch, dy.to(device), how)
        found.append([y.detach(), *torch.autograd.grad(y, [*leaves, *module.parameters()], dys)])
    assert not ours.refused, ours.refused
    check(found[0], found[1], 1e-6)


def test_cross_entropy_with_channels_last(torch: Any) -> None:
    from cudnn_cffi.torch import functional, modules

    x, target = torch.randn(2, 5, 6, 7).cuda(), torch.randint(0, 5, (2, 6, 7)).cuda()
    for how in ("last", "backward", "gaps"):
        given = laid_out(torch, x, how).detach().requires_grad_()
        wanted = torch.nn.functional.cross_entropy(given.contiguous(), target)
        (grad,) = torch.autograd.grad(wanted, given)
        for call in (modules.CrossEntropyLoss(), functional.cross_entropy):
            found = call(given, target)
            torch.testing.assert_close(found, wanted)
            torch.testing.assert_close(torch.autograd.grad(found, given)[0], grad)


def test_parameters_with_gaps(torch: Any) -> None:
    from cudnn_cffi.torch import functional as own

    P = torch.nn.functional
    x = torch.randn(2, 6, 4, 8, device="cuda")
    number = torch.rand(6, device="cuda") + 0.5
    row = torch.rand(8, device="cuda") + 0.5
    for how in ("gaps", "repeated", "negative"):
        n, r = (laid_out(torch, each, how) for each in (number, row))
        pairs = [
            (own.batch_norm(x, None, None, n, n, True), P.batch_norm(x, None, None, n, n, True)),
            (own.batch_norm(x, n, n, n, n), P.batch_norm(x, n, n, n, n)),
            (own.instance_norm(x, weight=n, bias=n), P.instance_norm(x, weight=n, bias=n)),
            (own.group_norm(x, 3, n, n), P.group_norm(x, 3, n, n)),
            (own.layer_norm(x, (8,), r, r), P.layer_norm(x, (8,), r, r)),
            (own.batch_norm_activation(x, None, None, n, n, x, True),
             torch.relu(P.batch_norm(x, None, None, n, n, True) + x)),
        ]  # fmt: skip
        for found, wanted in pairs:
            torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-3)


CHOSEN = [case for place, case in enumerate(MODULES) if place % 4 == 1]


def outcome(module: Any, x: Any) -> Any:
    x = x.clone().requires_grad_()
    try:
        y = module(x)
        y.sum().backward()
    except (RuntimeError, ValueError, TypeError, IndexError):
        return None
    return [y.detach(), x.grad, *[each.grad for each in module.parameters()]]


def test_no_elements(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    def pair(case: Case) -> list[Any]:
        return [getattr(room, case.name)(*case.arguments, **case.options).cuda()
                for room in (modules, torch.nn)]  # fmt: skip

    for case in CHOSEN:
        for axis in range(len(case.shape)):
            ours, theirs = pair(case)
            theirs.load_state_dict(ours.state_dict())
            shape = [0 if place == axis else size for place, size in enumerate(case.shape)]
            x = torch.zeros(shape, device="cuda")
            found, wanted = outcome(ours, x), outcome(theirs, x)
            if wanted is None:
                continue  # PyTorch refuses it
            assert found is not None, (case, axis)
            torch.testing.assert_close(found, wanted, equal_nan=True)


def test_functions_and_what_traces_take_no_elements(torch: Any) -> None:
    from cudnn_cffi.torch import functional as own
    from cudnn_cffi.torch import modules

    w = torch.randn(8, 6, 3, 3, device="cuda", requires_grad=True)
    x = torch.zeros(0, 6, 5, 5, device="cuda", requires_grad=True)
    calls: list[Any] = [
        lambda: own.conv2d(x, w), lambda: own.max_pool2d(x, 2), lambda: own.relu(x),
        lambda: own.softmax(x, 1), lambda: own.group_norm(x, 3), lambda: own.layer_norm(x, (5,)),
    ]  # fmt: skip
    for call in calls:
        call().sum().backward()
    assert not w.grad.any()
    for module in (modules.Conv2d(6, 8, 3), modules.MaxPool2d(2), modules.BatchNorm2d(6)):
        for training in (True, False):
            module = module.cuda().train(training)
            shape = module(x).shape
            torch._dynamo.reset()
            y = torch.compile(module, backend="aot_eager")(x)
            y.sum().backward()
            assert y.shape == shape
            assert torch.export.export(module, (x,)).module()(x).shape == shape


def test_torchscript_goes_on_after_no_refusal(program: Program) -> None:
    """It ended the process."""
    assert program("traced_refusals").stdout == "traced\n"
