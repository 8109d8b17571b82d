"""Gradients where a function in place has changed a result that they read, as ReLU after MaxPool."""

from __future__ import annotations

import copy
from typing import Any

import pytest

LAYERS: dict[str, tuple[Any, ...]] = {
    "MaxPool1d": (2,),
    "MaxPool2d": (3, 2, 1),
    "MaxPool3d": (2,),
    "ReLU6": (),
    "ELU": (),
    "SiLU": (),
    "LocalResponseNorm": (3,),
}


def differ(one: Any, other: Any) -> float:
    assert not one.isnan().any()
    return float((one.double() - other).norm() / other.norm())


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_layers(torch: Any, name: str, dtype: str) -> None:
    """Calls are known after some, and recorded in C++ where that is compiled."""
    from cudnn_cffi.torch import modules

    axes = int(name[-2]) if name.endswith("d") else 2
    shape = (1, 4, *[8] * axes)
    count = 4 * 8**axes
    ours, theirs = (getattr(each, name)(*LAYERS[name]) for each in (modules, torch.nn))
    for turn in range(6):
        torch.manual_seed(turn)
        # All differ and have 11 bits, and none is at an edge: the largest of a window is one.
        x = (2 * torch.randperm(count) + 1 - count).view(shape) / 512
        x = x.cuda().to(getattr(torch, dtype))
        grads = []
        for layer, given in ((ours, x), (theirs, x.double())):
            leaf = given.clone().requires_grad_()
            y = layer(leaf * 1)
            weights = torch.linspace(-2, 2, y.numel(), device="cuda", dtype=torch.float64)
            weights = weights.view(y.shape).to(y.dtype)
            if turn:
                torch.relu_(y) if turn % 2 else y.mul_(-2)
            grads.append(torch.autograd.grad((y * weights).sum(), leaf)[0])
        assert differ(*grads) < (6e-5 if dtype == "float32" else 5e-3), turn
        middle = x.clone().requires_grad_() * 1
        y = ours(middle)
        y.mul_(2)
        middle.mul_(2)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()


@pytest.mark.usefixtures("exact")
def test_a_converted_network(torch: Any) -> None:
    from cudnn_cffi.torch import convert

    nn, steps = torch.nn, 2
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.MaxPool2d(2), nn.ReLU(inplace=True), nn.Conv2d(8, 8, 3),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4),
    ).cuda()  # fmt: skip
    theirs = copy.deepcopy(model).double()
    convert(model)
    for each in (model, theirs):
        optimizer = torch.optim.SGD(each.parameters(), 0.01)
        for turn in range(steps):
            torch.manual_seed(turn)
            x = torch.randn(4, 3, 20, 20, device="cuda")
            optimizer.zero_grad()
            each(x.to(next(each.parameters()).dtype)).square().sum().backward()
            optimizer.step()
    for one, other in zip(model.parameters(), theirs.parameters(), strict=True):
        assert differ(one.detach(), other.detach()) < 2e-3
