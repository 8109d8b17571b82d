"""Gradients where a function in place has changed a result that they read, as ReLU after MaxPool.

PyTorch's own gradients of these layers read no results.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

LAYERS: dict[str, tuple[Any, ...]] = {
    "MaxPool1d": (2,),
    "MaxPool2d": (2,),
    "MaxPool3d": (2,),
    "ReLU6": (),
    "ELU": (),
    "SiLU": (),
    "LocalResponseNorm": (3,),
}


def pair(name: str, *options: Any) -> tuple[Any, Any]:
    """Return a layer of ours, and of PyTorch's."""
    from cudnn_cffi.torch import modules
    from torch import nn

    return getattr(modules, name)(*options), getattr(nn, name)(*options)


def numbers(torch: Any, name: str) -> Any:
    axes = int(name[-2]) if name.endswith("d") else 2
    return torch.randn(2, 4, *[6] * axes, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("change", ["relu_", "zero_", "mul_"])
def test_results_that_are_changed_in_place(
    torch: ModuleType, stand_in: list[str], name: str, change: str
) -> None:
    base = numbers(torch, name)
    layers = pair(name, *LAYERS[name])
    for _ in range(2):
        found = []
        for layer in layers:
            stand_in.clear()
            y = layer(base * 1)
            more = (torch.linspace(-3, 3, y.numel()).view(y.shape),) if change == "mul_" else ()
            y = getattr(y, change)(*more) * 1
            loss = y.square().sum() + y.sum()
            found.append(torch.autograd.grad(loss, base, retain_graph=True)[0])
            (again,) = torch.autograd.grad(loss, base)
            torch.testing.assert_close(again, found[-1])
            if layer is layers[0]:
                word = stand_in[0]
                assert stand_in == [word, *[word, f"{word}_backward"] * 2]
        torch.testing.assert_close(*found)


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("also", [False, True])
def test_what_they_are_computed_of_must_not_change(
    torch: ModuleType, name: str, also: bool
) -> None:
    x = numbers(torch, name) * 1
    y = pair(name, *LAYERS[name])[0](x)
    if also:
        y.mul_(2)
    x.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("name", LAYERS)
def test_why_they_cannot_be_computed_again(
    torch: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its error is told, and not that a result was changed, which is allowed."""
    from cudnn_cffi.torch.autograd.layer import Layer

    y = pair(name, *LAYERS[name])[0](numbers(torch, name) * 1)
    y.mul_(2)

    def again(*_: Any) -> Any:
        raise torch.OutOfMemoryError("no memory is left")

    monkeypatch.setattr(Layer, "saved_again", again)
    with pytest.raises(torch.OutOfMemoryError, match="no memory is left"):
        y.sum().backward()


@pytest.mark.usefixtures("stand_in")
def test_errors_of_hooks_are_the_caller_s(torch: ModuleType) -> None:
    calls: list[Any] = []

    def unpack(x: Any) -> Any:
        calls.append(x)
        raise KeyError("it was not kept")

    module, _ = pair("MaxPool2d", 2)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, unpack):
        y = module(numbers(torch, "MaxPool2d") * 1)
    with pytest.raises(KeyError, match="it was not kept"):
        y.sum().backward()
    assert len(calls) == 1


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("name", ["ReLU", "Softmax"])
def test_gradients_that_read_results_alone(torch: ModuleType, name: str) -> None:
    """They raise, as PyTorch's do."""
    for layer in pair(name, *((1,) if name == "Softmax" else ())):
        y = layer(torch.randn(2, 4, 5, 6, requires_grad=True))
        y.mul_(2)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()


@pytest.mark.usefixtures("stand_in")
def test_a_converted_network(torch: ModuleType) -> None:
    from cudnn_cffi.torch import convert

    nn = torch.nn
    model = nn.Sequential(nn.MaxPool2d(2), nn.ReLU(inplace=True), nn.Conv2d(4, 3, 3)).double()
    x = torch.randn(2, 4, 8, 8, dtype=torch.float64, requires_grad=True)
    wanted = torch.autograd.grad(model(x).square().sum(), [x, *model.parameters()])
    convert(model)
    found = torch.autograd.grad(model(x).square().sum(), [x, *model.parameters()])
    torch.testing.assert_close(found, wanted)
