"""Operators and what traces them, with operations by PyTorch in the place of cuDNN."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from .cases import OPERATORS, model_of, operator_calls


@pytest.mark.parametrize("place", range(OPERATORS))
def test_opcheck(torch: ModuleType, operators: list[str], place: int) -> None:
    name, arguments = operator_calls(torch, "cpu")[place]
    operator = getattr(torch.ops.cudnn_cffi, name).default
    torch.library.opcheck(operator, arguments, rtol=1e-2, atol=1e-2)
    assert name in operators


def test_channels_last_of_fakes(torch: ModuleType, operators: list[str]) -> None:
    x = torch.randn(2, 4, 6, 6).to(memory_format=torch.channels_last).requires_grad_()
    w = torch.randn(8, 4, 3, 3, requires_grad=True)
    window = ((1, 1), (1, 1), (1, 1), 1)
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("convolution", (x, w, None, *window, "")),
        ("pooling", (x, "max", (2, 2), (2, 2), (0, 0), True, "")),
        ("activation", (x, "relu", None, "")),
        ("softmax", (x, 1, False, "")),
    ]
    for name, arguments in calls:
        operator = getattr(torch.ops.cudnn_cffi, name).default
        torch.library.opcheck(operator, arguments, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("training", [True, False])
def test_compiled_without_a_break(
    torch: ModuleType, operators: list[str], training: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole model is one graph of operators, forward and backward."""
    model = model_of(torch, "cpu").train(training)
    x = torch.randn(2, 3, 12, 12)
    state = {name: each.clone() for name, each in model.state_dict().items()}
    results = []
    for function in (model, torch.compile(model, fullgraph=True, backend="aot_eager")):
        model.load_state_dict(state)
        model.zero_grad()
        operators.clear()
        y = function(x)
        (y * torch.linspace(0, 1, y.numel()).view_as(y)).sum().backward()
        assert {"convolution", "activation", "softmax", "pooling"} <= set(operators)
        assert {"convolution_backward_filter", "pooling_backward"} <= set(operators)
        grads = [each.grad.clone() for each in model.parameters()]
        results.append([y.detach(), *grads, *[each.clone() for each in model.buffers()]])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_vmap_and_functional_gradients(torch: ModuleType, operators: list[str]) -> None:
    from cudnn_cffi.torch import functional as own

    x, w = torch.randn(3, 2, 4, 6, 6), torch.randn(8, 4, 3, 3)
    found = torch.func.vmap(lambda x: own.conv2d(x, w))(x)
    wanted = torch.nn.functional.conv2d(x.flatten(0, 1), w).unflatten(0, (3, 2))
    torch.testing.assert_close(found, wanted)
    grad = torch.func.grad(lambda w: own.conv2d(x[0], w).square().sum())(w)
    other = torch.func.grad(lambda w: torch.nn.functional.conv2d(x[0], w).square().sum())(w)
    torch.testing.assert_close(grad, other, rtol=1e-4, atol=1e-4)


def test_modes_see_operators(torch: ModuleType, operators: list[str]) -> None:
    from cudnn_cffi.torch import functional as own
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Mode(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Mode():
        own.relu(torch.randn(3))
    assert "cudnn_cffi.activation.default" in seen


def test_choices_pass_through_operators(torch: ModuleType) -> None:
    import cudnn_cffi as cudnn
    from cudnn_cffi.torch import library

    for choice in (
        None,
        "time",
        {"forward": "time", "tf32": False},
        {"engine": 3, "knobs": {"A": 1}},
    ):
        text = library.text_of(choice)
        found = library.policy_of(text)
        assert found == (None if choice is None else cudnn.choice.Policy.of(choice))
