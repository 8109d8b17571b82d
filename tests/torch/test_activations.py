"""Activations that overwrite their input, the fast softmax, and the modules that cudnn.torch has."""

from __future__ import annotations

import copy
import pickle
from types import ModuleType
from typing import Any

import pytest


def run(torch: Any, module: Any, x: Any) -> tuple[Any, Any]:
    """Return the result and the gradient of its squares."""
    x = x.clone().requires_grad_()
    y = module(x)
    return y.detach(), torch.autograd.grad(y.square().sum(), x)[0]


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, -2.0])
def test_swish_by_pytorch(torch: ModuleType, beta: float) -> None:
    from cudnn_cffi.torch.functional.activations import Activation

    x = torch.randn(5, dtype=torch.float64)
    wanted = x / (1 + torch.exp(-beta * x))
    torch.testing.assert_close(Activation("silu", beta).reference(x), wanted)


@pytest.mark.parametrize("name", ["Sigmoid", "Tanh"])
@pytest.mark.parametrize("where", ["cudnn", "pytorch"])
def test_in_place(torch: ModuleType, request: Any, name: str, where: str) -> None:
    """As cudnn.torch's; PyTorch has only functions for it."""
    from cudnn_cffi.torch import convert, modules

    if where == "cudnn":
        request.getfixturevalue("stand_in")
    module = getattr(modules, name)(inplace=True)
    assert "inplace=True" in repr(module)
    assert "inplace" not in repr(getattr(modules, name)())
    base = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    x = base * 2
    y = module(x)
    assert y.data_ptr() == x.data_ptr()
    assert x._version
    wanted = getattr(torch, name.lower())(base * 2)
    torch.testing.assert_close(y, wanted)
    one, other = (torch.autograd.grad(each.square().sum(), base) for each in (y, wanted))
    torch.testing.assert_close(one, other)
    with pytest.raises(RuntimeError, match="leaf"):
        module(base)
    x = base * 2
    kept = x.sin()
    module(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        kept.sum().backward()
    for copied in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        x = base * 2
        assert copied(x).data_ptr() == x.data_ptr()
    # Back at PyTorch there is no such module: what it computes would be in other memory.
    report = convert(torch.nn.Sequential(module, getattr(modules, name)()), back=True)
    assert [each.why for each in report] == [
        f"torch.nn.{name} does not overwrite its input", "",
    ]  # fmt: skip
    assert type(report.model[1]) is getattr(torch.nn, name)
    assert "inplace" not in vars(report.model[1])
    assert module(base * 1) is not None
    convert(report.model, everything=True)
    x = base * 2
    assert report.model[1](x).data_ptr() != x.data_ptr()


@pytest.mark.parametrize("word", ["relu", "gelu", "gelu_tanh", "softplus", "leaky_relu"])
def test_what_nothing_reads_is_not_kept(torch: ModuleType, stand_in: list[str], word: str) -> None:
    """The result of these is free while its gradient is awaited, and that of ReLU alone is kept."""
    from cudnn_cffi.torch.functional import activations

    layer = activations.Activation(word, None)
    x = torch.randn(3, 7, 5, dtype=torch.float64)
    x[0], x[1, :, ::2] = -40.0, -0.0
    own, theirs = (x.clone().requires_grad_() for _ in range(2))
    y, wanted = layer._apply(layer, own), layer.reference(theirs)
    assert stand_in == ["activation"]
    (kept,) = y.grad_fn.saved_tensors
    assert kept.data_ptr() == (y if word == "relu" else own).data_ptr()
    dy = torch.randn_like(x).transpose(1, 2).contiguous().transpose(1, 2)
    (found,), (gradient,) = torch.autograd.grad(y, own, dy), torch.autograd.grad(wanted, theirs, dy)
    torch.testing.assert_close(y, wanted)
    torch.testing.assert_close(found, gradient)


@pytest.mark.parametrize("word", ["relu", "clipped_relu", "sigmoid", "tanh"])
def test_what_is_overwritten_has_a_gradient_by_the_result(
    torch: ModuleType, stand_in: list[str], word: str
) -> None:
    """The way of tensors on a GPU: nothing but the result is kept, and its version is counted."""
    from cudnn_cffi.torch.functional import activations

    layer: Any = activations.Activation(word, None)
    base = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    x = base * 9
    y = activations._InPlace.apply(layer, x)
    assert y is x
    assert len(y.grad_fn.saved_tensors) == 1
    wanted = layer.reference(base * 9)
    torch.testing.assert_close(y, wanted)
    found = []
    for each in (y, wanted):
        (first,) = torch.autograd.grad(each.square().sum(), base, create_graph=True)
        found.append((first, *torch.autograd.grad(first.square().sum(), base)))
    torch.testing.assert_close(*found)
    # A gradient that has a gradient is PyTorch's; what flows through it to the result is not.
    assert stand_in == ["activation", "activation_backward"]
    y = activations._InPlace.apply(layer, base * 9)
    (got,) = torch.autograd.grad(y.square().sum(), base)
    torch.testing.assert_close(got, found[1][0])
    assert stand_in[2:] == ["activation", "activation_backward"]
    y = activations._InPlace.apply(layer, base * 9)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


KINDS = {
    "SpatialSoftmax": (3, 7, 4, 5), "SpatialLogSoftmax": (3, 7, 4, 5),
    "VolumetricSoftmax": (3, 7, 2, 4, 5), "VolumetricLogSoftmax": (3, 7, 2, 4, 5),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("has_batch", [True, False])
def test_softmax_over_channels(
    torch: ModuleType, stand_in: list[str], name: str, has_batch: bool
) -> None:
    from cudnn_cffi.torch import modules

    shape = KINDS[name][0 if has_batch else 1 :]
    x = torch.randn(shape, dtype=torch.float64)
    function = torch.log_softmax if "Log" in name else torch.softmax
    module = getattr(modules, name)()
    torch.testing.assert_close(
        run(torch, module, x), run(torch, lambda x: function(x, int(has_batch)), x)
    )
    assert set(stand_in) == {"softmax", "softmax_backward"}
    for each in (x[None, None], x.reshape(-1)):
        with pytest.raises(ValueError, match="axes"):
            module(each)
    assert not hasattr(torch.nn, name)


@pytest.mark.parametrize("name", ["Softmax", "Softmax2d", "SpatialSoftmax", "VolumetricSoftmax"])
def test_the_fast_softmax(torch: ModuleType, stand_in: list[str], name: str) -> None:
    """It goes to cuDNN's algorithm of the name, forward and backward, by its place or its name."""
    from cudnn_cffi.torch import convert, modules

    given = (1,) if name == "Softmax" else ()
    x = torch.randn(KINDS.get(name, (3, 7, 4, 5)), dtype=torch.float64)
    for fast, module in (
        (False, getattr(modules, name)(*given)),
        (True, getattr(modules, name)(*given, True)),
        (True, getattr(modules, name)(*given, fast=True)),
    ):
        torch.testing.assert_close(
            run(torch, module, x), run(torch, lambda x: torch.softmax(x, 1), x)
        )
        ((layer),) = module._layer.values()
        (backward,) = layer.parts.values()
        for each in (layer, backward):
            assert each.make().options["accurate"] is not fast
        assert ("fast=True" in repr(module)) == fast
        module.fast = not fast  # the layer is made anew
        module(x)
        assert next(iter(module._layer.values())).make().options["accurate"] is fast
    if hasattr(torch.nn, name):
        model = torch.nn.Sequential(getattr(modules, name)(*given, fast=True))
        convert(model, back=True)
        assert "fast" not in vars(model[0])
        convert(model, everything=True)
        assert model[0].fast is False


def test_functions_of_softmax(torch: ModuleType, operators: list[str]) -> None:
    from cudnn_cffi.torch import functional

    x = torch.randn(3, 5, dtype=torch.float64)
    for fast in (True, False):
        torch.testing.assert_close(functional.softmax(x, 1, fast=fast), torch.softmax(x, 1))


@pytest.mark.parametrize("dim", [True, "fast", 1.5])
def test_an_axis_is_a_number(torch: ModuleType, dim: Any) -> None:
    """cudnn.torch's SoftMax takes its fast mode there."""
    from cudnn_cffi import errors
    from cudnn_cffi.torch import modules

    with pytest.raises(errors.ArgumentError, match="dim: expected an axis") as caught:
        modules.Softmax(dim)
    assert "fast=True" in caught.value.hint


@pytest.mark.parametrize("kind", ["Spatial", "Volumetric"])
@pytest.mark.parametrize("more", [{}, {"weight": True}, {"reduction": "sum"}, {"ignore_index": 2}])
def test_cross_entropy_over_channels(
    torch: ModuleType, stand_in: list[str], kind: str, more: dict[str, Any]
) -> None:
    from cudnn_cffi.torch import modules

    shape = (2, 5, 4, 3) if kind == "Spatial" else (2, 5, 4, 3, 2)
    x = torch.randn(shape, dtype=torch.float64)
    labels = torch.randint(0, 5, (shape[0], *shape[2:]))
    if "weight" in more:
        more = {"weight": torch.rand(5, dtype=torch.float64)}
    module = getattr(modules, f"{kind}CrossEntropyLoss")(**more)
    torch.testing.assert_close(
        run(torch, lambda x: module(x, labels), x),
        run(torch, lambda x: torch.nn.functional.cross_entropy(x, labels, **more), x),
    )
    assert "softmax" in stand_in
    with pytest.raises(ValueError, match="axes"):
        module(x[..., 0], labels[..., 0])
