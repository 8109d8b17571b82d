"""Batch norm with an addition and a ReLU, where operations do what they should."""

from __future__ import annotations

import copy
import pickle
from types import ModuleType
from typing import Any

import pytest

from .cases import compiled

SHAPES = [(8, 6), (4, 6, 5), (4, 6, 5, 3), (2, 6, 3, 4, 3)]


def pair(torch: Any, shape: tuple[int, ...], **options: Any) -> tuple[Any, Any]:
    """Our module, and PyTorch's three functions in its place."""
    from cudnn_cffi.torch import modules

    axes = max(len(shape) - 2, 1)
    theirs = getattr(torch.nn, f"BatchNorm{axes}d")(shape[1], **options).double()
    ours = getattr(modules, f"BatchNormActivation{axes}d")(shape[1], **options).double()
    for each in theirs.parameters():
        torch.nn.init.uniform_(each, -1, 1)
    ours.load_state_dict(theirs.state_dict())

    def function(x: Any, residual: Any = None) -> Any:
        y = theirs(x)
        return torch.relu(y if residual is None else y + residual)

    function.module = theirs  # type: ignore[attr-defined]
    return ours, function


def results(torch: Any, function: Any, module: Any, given: list[Any]) -> list[Any]:
    given = [each.clone().requires_grad_() for each in given]
    y = function(*given)
    weights = torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape)
    found = torch.autograd.grad((y * weights).sum(), [*given, *module.parameters()])
    return [y.detach(), *found, *[each.clone() for each in module.buffers()]]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize(
    "options", [{}, {"affine": False}, {"track_running_stats": False}, {"momentum": None}],
    ids=str,
)  # fmt: skip
def test_modules(
    torch: ModuleType, stand_in: list[str], shape: tuple[int, ...], adds: bool, training: bool,
    options: dict[str, Any],
) -> None:  # fmt: skip
    torch.manual_seed(3)
    ours, theirs = pair(torch, shape, **options)
    for module in (ours, theirs.module):
        module.train(training)
    given = [torch.randn(shape, dtype=torch.float64) for _ in range(1 + adds)]
    for one, other in zip(
        results(torch, ours, ours, given), results(torch, theirs, theirs.module, given), strict=True
    ):
        torch.testing.assert_close(one, other)
    if options.get("momentum", 1) is None and training:  # PyTorch's average over all batches
        assert "batch_norm_activation" not in stand_in
    elif training or options.get("track_running_stats") is False:
        assert {"batch_norm_activation", "batch_norm_activation_backward"} <= set(stand_in)
        assert "activation" not in stand_in
    else:
        assert {"batch_norm_inference", "activation"} <= set(stand_in)


def test_channels_last(torch: ModuleType, stand_in: list[str]) -> None:
    ours, theirs = pair(torch, (4, 6, 5, 3))
    x, z = (torch.randn(4, 6, 5, 3, dtype=torch.float64) for _ in range(2))
    x = x.to(memory_format=torch.channels_last)  # and the residual has them first
    for one, other in zip(
        results(torch, ours, ours, [x, z]), results(torch, theirs, theirs.module, [x, z]),
        strict=True,
    ):  # fmt: skip
        torch.testing.assert_close(one, other)
    assert ours(x, z).is_contiguous(memory_format=torch.channels_last)


def test_a_residual_without_a_gradient(torch: ModuleType, stand_in: list[str]) -> None:
    ours, theirs = pair(torch, (4, 6, 5, 3))
    x, z = (torch.randn(4, 6, 5, 3, dtype=torch.float64) for _ in range(2))
    x.requires_grad_()
    one, other = (torch.autograd.grad(f(x, z).square().sum(), x)[0] for f in (ours, theirs))
    torch.testing.assert_close(one, other)
    one, other = (torch.autograd.grad(f(z, x).square().sum(), x)[0] for f in (ours, theirs))
    torch.testing.assert_close(one, other)


@pytest.mark.parametrize("adds", [False, True])
def test_second_derivatives(torch: ModuleType, operators: list[str], adds: bool) -> None:
    from cudnn_cffi.torch import functional

    torch.manual_seed(5)
    given = [torch.randn(3, 4, 5, dtype=torch.float64, requires_grad=True) for _ in range(1 + adds)]
    weight, bias = (torch.rand(4, dtype=torch.float64, requires_grad=True) for _ in range(2))

    def function(weight: Any, bias: Any, x: Any, z: Any = None) -> Any:
        return functional.batch_norm_activation(x, None, None, weight, bias, z, True)

    everything = (weight, bias, *given)
    assert torch.autograd.gradcheck(function, everything, fast_mode=True)
    assert torch.autograd.gradgradcheck(function, everything, fast_mode=True)
    assert {"batch_norm_activation", "batch_norm_activation_backward"} <= set(operators)


@pytest.mark.parametrize("adds", [False, True])
def test_compiled(torch: ModuleType, operators: list[str], adds: bool) -> None:
    """The compiled module computes the same, and changes its statistics alike."""
    ours, _ = pair(torch, (4, 6, 5, 3))
    ours = ours.float()
    given = [torch.randn(4, 6, 5, 3) for _ in range(1 + adds)]
    state = copy.deepcopy(ours.state_dict())
    wanted = results(torch, ours, ours, given)
    ours.load_state_dict(state)
    function = compiled(torch, ours, *given)
    ours.load_state_dict(state)
    operators.clear()
    for one, other in zip(results(torch, function, ours, given), wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
    assert {"batch_norm_activation", "batch_norm_activation_backward"} <= set(operators)


def test_copies_and_words(torch: ModuleType, stand_in: list[str]) -> None:
    """Modules have the states of PyTorch's batch norms, but are not taken for them."""
    from cudnn_cffi.torch import convert, modules

    module = modules.BatchNormActivation2d(6, momentum=0.3)
    assert torch.nn.SyncBatchNorm.convert_sync_batchnorm(module) is module
    assert repr(module).startswith("cudnn.BatchNormActivation2d(6, eps=1e-05, momentum=0.3")
    theirs = torch.nn.BatchNorm2d(6)
    theirs.load_state_dict(module.state_dict())
    x = torch.randn(3, 6, 4, 4)
    y = module(x)
    for each in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        torch.testing.assert_close(each(x), y)
        assert each.num_batches_tracked == module.num_batches_tracked + 1
    (entry,) = convert(module, back=True)
    assert not entry.changed
    assert entry.why == "PyTorch has no such module"


def test_what_is_refused(torch: ModuleType, operators: list[str]) -> None:
    import cudnn_cffi as cudnn
    from cudnn_cffi.torch import functional, modules

    x = torch.randn(3, 6)
    with pytest.raises(cudnn.ArgumentError, match="running_mean, running_var: expected tensors"):
        functional.batch_norm_activation(x, None, None)
    with pytest.raises(ValueError, match="more than 1 value per channel"):
        modules.BatchNormActivation1d(6)(x[:1])
    with pytest.raises(ValueError, match="expected 4D input"):
        modules.BatchNormActivation2d(6)(x)
