"""Operators and what traces them, with operations by PyTorch in the place of cuDNN."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from .cases import OPERATORS, check_operator, compiled, model_of, operator_calls


@pytest.mark.parametrize("place", range(OPERATORS))
def test_opcheck(torch: ModuleType, operators: list[str], place: int) -> None:
    name, arguments = operator_calls(torch, "cpu")[place]
    check_operator(torch, name, arguments)
    assert name in operators


def test_dropout(torch: ModuleType, operators: list[str]) -> None:
    """The operator is random, so only what it says of itself is checked; and its gradients."""
    from cudnn_cffi.torch import functional as own
    from cudnn_cffi.torch import modules

    utilities = ("test_schema", "test_autograd_registration", "test_faketensor")
    for shape in ((3, 5), (2, 3, 11, 1), (64,)):
        x = torch.randn(shape, requires_grad=True)
        check_operator(torch, "dropout", (x, 0.25, ""), test_utils=utilities)
    x = torch.randn(2, 4, 6, 6).to(memory_format=torch.channels_last).requires_grad_()
    for module in (modules.Dropout(0.25), lambda x: own.dropout(x, 0.25)):
        function = compiled(torch, module, x)
        operators.clear()
        y = function(x)
        (grad,) = torch.autograd.grad((y * 3).sum(), x)
        assert operators == ["dropout", "dropout_backward"]
        kept = y != 0
        assert 0.6 < float(kept.float().mean()) < 0.7
        torch.testing.assert_close(y[kept], x[kept] / 0.75)
        torch.testing.assert_close(grad, kept * 3 / 0.75)
    many = torch.func.vmap(lambda x: own.dropout(x, 0.25), randomness="different")(x)
    torch.testing.assert_close(many[0], own.dropout(x[0].detach().contiguous(), 0.25))


def test_ctc_loss_compiled(torch: ModuleType, operators: list[str]) -> None:
    """Labels as rows or one after the other, with lengths on either side."""
    from cudnn_cffi.torch import modules

    x = torch.randn(12, 3, 5, requires_grad=True)
    rows = torch.tensor([[1, 2, 3, 0], [4, 2, 0, 0], [1, 1, 3, 2]])
    flat = torch.tensor([1, 2, 3, 4, 2, 1, 1, 3, 2])
    for targets in (rows, flat):
        for times, lengths in (
            (torch.tensor([12, 9, 12]), torch.tensor([3, 2, 4])), ((12, 9, 12), (3, 2, 4)),
        ):  # fmt: skip
            for reduction in ("none", "sum", "mean"):
                results = []
                for room in (modules, torch.nn):
                    module = room.CTCLoss(reduction=reduction)
                    given = (x.log_softmax(2), targets, times, lengths)
                    if room is modules:
                        module = compiled(torch, module, *given)
                        operators.clear()
                    loss = module(*given)
                    results.append([loss, *torch.autograd.grad(loss.square().sum(), x)])
                assert operators == ["ctc_loss"]
                torch.testing.assert_close(results[0], results[1], rtol=1e-4, atol=1e-5)


def test_a_loss_of_other_labels_compiled(torch: ModuleType, operators: list[str]) -> None:
    """PyTorch computes what cuDNN does not, also where it is traced."""
    from cudnn_cffi.torch import modules

    x = torch.randn(12, 3, 5).log_softmax(2)
    given = (x, torch.tensor([[1, 2], [4, 2], [1, 3]]), (12, 9, 12), (2, 2, 2))
    module = modules.CTCLoss(blank=3, zero_infinity=True)
    found = torch.compile(module, backend="eager")(*given)
    torch.testing.assert_close(found, torch.nn.CTCLoss(blank=3, zero_infinity=True)(*given))
    assert operators == []


def test_attention_compiled(torch: ModuleType, operators: list[str]) -> None:
    from cudnn_cffi.torch import functional as own
    from cudnn_cffi.torch import modules

    half = torch.float16
    module = modules.MultiheadAttention(16, 2, batch_first=True).to(half)
    theirs = torch.nn.MultiheadAttention(16, 2, batch_first=True).to(half)
    theirs.load_state_dict(module.state_dict())
    x = torch.randn(2, 8, 16).to(half).requires_grad_()
    function = compiled(torch, module, x, x, x, need_weights=False)
    operators.clear()
    results = []
    for each in (function, theirs):
        y, _ = each(x, x, x, need_weights=False)
        results.append([y, *torch.autograd.grad(y.sum(), x)])
    torch.testing.assert_close(results[0], results[1], rtol=1e-2, atol=1e-2)
    assert operators == ["attention", "attention_backward"]
    q = torch.randn(1, 2, 8, 16).to(half).requires_grad_()
    for mask in (None, torch.randn(1, 2, 8, 8).to(half)):
        more = {"is_causal": mask is None}
        function = compiled(torch, own.scaled_dot_product_attention, q, q, q, mask, **more)
        operators.clear()
        found = function(q, q, q, mask, is_causal=mask is None)
        found.sum().backward()
        wanted = torch.nn.functional.scaled_dot_product_attention(
            q, q, q, mask, is_causal=mask is None
        )
        torch.testing.assert_close(found, wanted, rtol=1e-2, atol=1e-2)
        assert operators == ["attention", "attention_backward"]


def test_channels_last_of_fakes(torch: ModuleType, operators: list[str]) -> None:
    x = torch.randn(2, 4, 6, 6).to(memory_format=torch.channels_last).requires_grad_()
    w = torch.randn(8, 4, 3, 3, requires_grad=True)
    window = ((1, 1), (1, 1), (1, 1), 1)
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("convolution", (x, w, None, *window, "")),
        ("pooling", (x, "max", (2, 2), (2, 2), (0, 0), True, "")),
        ("activation", (x, "relu", None, "")),
        ("softmax", (x, 1, False, False, "")),
    ]
    for name, arguments in calls:
        check_operator(torch, name, arguments)


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
    assert torch.func.vmap(lambda x: own.conv2d(x, w))(x[:0]).shape == (0, *wanted.shape[1:])
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


def test_subclasses_see_operators(torch: ModuleType, operators: list[str]) -> None:
    """A class that wraps a tensor gets operators, forward and backward, and may change both."""
    from cudnn_cffi.torch import functional as own
    from torch.utils._pytree import tree_map

    seen: list[str] = []

    class Wrapped(torch.Tensor):  # type: ignore[name-defined,misc]
        @staticmethod
        def __new__(cls, inner: Any) -> Any:
            made = torch.Tensor._make_wrapper_subclass(
                cls, inner.shape, strides=inner.stride(), dtype=inner.dtype, device=inner.device
            )
            made.inner = inner
            return made

        @classmethod
        def __torch_dispatch__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(str(func))

            def unwrapped(each: Any) -> Any:
                return each.inner if isinstance(each, Wrapped) else each

            found = func(*tree_map(unwrapped, args), **tree_map(unwrapped, kwargs or {}))
            return tree_map(lambda e: Wrapped(e) if isinstance(e, torch.Tensor) else e, found)

    x, w = torch.randn(2, 4, 6, 6), torch.randn(8, 4, 3, 3)
    wrapped = Wrapped(x).requires_grad_()
    y = own.tanh(own.conv2d(wrapped, w))
    assert isinstance(y, Wrapped)
    torch.testing.assert_close(y.inner, torch.tanh(torch.conv2d(x, w)))
    (grad,) = torch.autograd.grad(y.sum(), wrapped)
    plain = x.clone().requires_grad_()
    (wanted,) = torch.autograd.grad(torch.tanh(torch.conv2d(plain, w)).sum(), plain)
    torch.testing.assert_close(grad.inner, wanted, rtol=1e-4, atol=1e-5)
    names = {f"cudnn_cffi.{name}.default" for name in (
        "convolution", "activation", "activation_backward", "convolution_backward_data"
    )}  # fmt: skip
    assert names <= set(seen)


def test_export(torch: ModuleType, operators: list[str]) -> None:
    """The exported program has operators, and computes the same for another batch."""
    model = model_of(torch, "cpu").eval()
    x = torch.randn(2, 3, 12, 12)
    model(x)
    shapes = {"input": {0: torch.export.Dim("batch", min=2, max=64)}}
    program = torch.export.export(model, (x,), dynamic_shapes=shapes)
    names = {str(node.target) for node in program.graph.nodes}
    assert {"cudnn_cffi.convolution.default", "cudnn_cffi.softmax.default"} <= names
    other = torch.randn(5, 3, 12, 12)
    operators.clear()
    torch.testing.assert_close(program.module()(other), model(other))
    assert operators.count("convolution") == 4


def test_choices_pass_through_operators(torch: ModuleType) -> None:
    import cudnn_cffi as cudnn
    from cudnn_cffi.torch.autograd import operators as library

    for choice in (
        None,
        "time",
        {"forward": "time", "tf32": False},
        {"engine": 3, "knobs": {"A": 1}},
    ):
        text = library.text_of(choice)
        found = library.policy_of(text)
        assert found == (None if choice is None else cudnn.choice.Policy.of(choice))
