"""Calls with gradients that are known go straight to their plans, and are right: again and again, with
other numbers, other needs, and on several threads and streams."""

from __future__ import annotations

import copy
import threading
from typing import Any

import pytest

from tests.torch.cases import MODULES, Case, name_of

from .test_torch_modules import LOOSER, check, exact, made, run

assert exact is not None  # a fixture, which holds for these tests, too

#: What is computed by one plan for each gradient, or by one plan for all.
KINDS = (
    *("Conv2d", "ConvTranspose2d", "MaxPool2d", "AvgPool2d", "ReLU", "GELU", "Softmax"),
    *("BatchNorm2d", "LayerNorm", "RMSNorm", "InstanceNorm2d", "LocalResponseNorm"),
)
CASES = [each for each in MODULES if each.name in KINDS]


def layers_of(module: Any) -> list[Any]:
    layer = module._layer
    return list(layer.values()) if isinstance(layer, dict) else [layer]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_known_calls(torch: Any, case: Case) -> None:
    from cudnn_cffi import _call

    ours, theirs = made(torch, case, torch.float32)
    for turn in range(4):
        torch.manual_seed(turn)
        x = torch.randn(case.shape)
        weights = torch.randn(copy.deepcopy(theirs)(x.double()).shape)  # a norm keeps statistics
        check(
            run(torch, ours, x.cuda(), weights.cuda()),
            run(torch, theirs, x.double(), weights.double()), 2e-5 * LOOSER.get(case.name, 1.0),
        )  # fmt: skip
    # Of parameters that are filled in Python knows alone.
    known = case.name == "ReLU" or (case.name == "LayerNorm" and theirs.bias is not None)
    if known and _call.mode() == "api":
        (layer,) = layers_of(ours)
        assert layer.refused or (len(layer._calls) and len(layer._gradients))


@pytest.mark.parametrize("name", ["Conv2d", "LayerNorm", "RMSNorm"])
def test_other_needs(torch: Any, name: str) -> None:
    """What gradients are needed may change from call to call."""
    case = next(each for each in CASES if each.name == name)
    ours, theirs = made(torch, case, torch.float32)
    for turn in range(3):
        for needs in ("x", "weight", "all"):
            torch.manual_seed(turn)
            x = torch.randn(case.shape)
            weights = torch.randn(theirs(x.double()).shape)
            found = []
            for module, kind in ((ours, "cuda"), (theirs, torch.float64)):
                given = x.to(kind).requires_grad_(needs != "weight")
                own = [] if needs == "x" else [each for _, each in module.named_parameters()]
                wanted = [*([] if needs == "weight" else [given]), *own]
                for each in module.parameters():
                    each.requires_grad_(needs != "x")
                found.append(torch.autograd.grad(module(given), wanted, weights.to(kind)))
            check(list(found[0]), list(found[1]), 2e-5)


def test_threads_and_streams(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    torch.manual_seed(0)
    ours = torch.nn.Sequential(
        modules.Conv2d(4, 8, 3, padding=1), modules.ReLU(), modules.MaxPool2d(2),
        modules.LayerNorm(8), modules.Conv2d(8, 4, 3, bias=False), modules.GELU(),
    ).cuda()  # fmt: skip
    theirs = torch.nn.Sequential(
        torch.nn.Conv2d(4, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.LayerNorm(8), torch.nn.Conv2d(8, 4, 3, bias=False), torch.nn.GELU(),
    )  # fmt: skip
    theirs.load_state_dict(ours.state_dict())
    theirs.double()
    inputs = [torch.randn(2, 4, 16, 16) for _ in range(4)]
    expected = []
    for each in inputs:
        x = each.double().requires_grad_()
        expected.append(torch.autograd.grad(theirs(x).square().mean(), [x, *theirs.parameters()]))
    found: list[Any] = [None] * 4
    errors: list[BaseException] = []

    def work(place: int) -> None:
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                x = inputs[place].cuda().requires_grad_()
                for _ in range(30):
                    loss = ours(x).square().mean()
                    found[place] = torch.autograd.grad(loss, [x, *ours.parameters()])
                torch.cuda.current_stream().synchronize()
        except BaseException as error:
            errors.append(error)

    torch.cuda.synchronize()
    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not errors, errors
    for own, other in zip(found, expected, strict=True):
        check(list(own), list(other), 5e-4)
