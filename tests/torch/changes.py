"""A small model, and ways in which PyTorch's users change models between calls."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn

Model = Any


class Quantized(nn.Module):  # type: ignore[misc, name-defined]
    """A convolution whose filters are whole numbers and a step, both of them buffers."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.register_buffer("numbers", torch.randint(-9, 9, (channels, channels, 3, 3)).char())
        self.register_buffer("step", torch.full((channels, 1, 1, 1), 0.02))

    def forward(self, x: Any) -> Any:
        weight = self.numbers.to(x.dtype) * self.step
        return nn.functional.conv2d(x, weight, padding=1)


class Net(nn.Module):  # type: ignore[misc, name-defined]
    """Convolutions with norms, a residual, shared filters, and a tensor in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(8, 16, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(16)
        self.second = nn.Conv2d(16, 16, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(16)
        self.third = nn.Conv2d(16, 16, 3, padding=1)
        self.third.weight = self.second.weight
        self.norm3 = nn.BatchNorm2d(16, affine=False)
        self.point = nn.Conv2d(16, 16, 1)
        self.quantized = Quantized(16)
        self.head = nn.Linear(16, 24)
        self.norm4 = nn.BatchNorm1d(24)
        self.relu = nn.ReLU()
        self.scales = [torch.ones(16, 1, 1)]

    def forward(self, x: Any) -> Any:
        y = self.relu(self.norm1(self.first(x)))
        y = self.relu(self.norm2(self.second(y)) + y)
        y = self.norm3(self.third(y)) * self.scales[0].to(y)
        y = self.quantized(self.relu(self.point(y))) + y
        return self.norm4(self.head(y.mean((2, 3))))


def made(dtype: Any, device: str) -> tuple[Model, Any]:
    """A model in eval mode, and an input."""
    torch.manual_seed(3)
    model = Net().to(device)
    for each in model.modules():
        if isinstance(each, nn.modules.batchnorm._BatchNorm):
            each.running_mean.normal_(0.0, 0.3)
            each.running_var.uniform_(0.5, 1.5)
            if each.affine:
                nn.init.uniform_(each.weight, 0.5, 1.5)
                nn.init.normal_(each.bias, 0.0, 0.3)
    model.scales[0] = model.scales[0].to(device, dtype)
    return model.to(dtype).eval(), torch.randn(2, 8, 12, 12).to(device, dtype)


def in_float64(model: Model, x: Any) -> Any:
    """Return the results of a copy of the model in eval mode and float64."""
    with torch.no_grad():
        return copy.deepcopy(model).eval().double()(x.double())


def difference(y: Any, reference: Any) -> float:
    """The norm of the difference over the norm."""
    assert y.shape == reference.shape
    return float((y.double() - reference).norm() / reference.norm())


CHANGES: dict[str, Callable[[Model], Any]] = {}


def change(function: Callable[[Model], Any]) -> Callable[[Model], Any]:
    CHANGES[function.__name__] = function
    return function


@change
@torch.no_grad()  # type: ignore[untyped-decorator]
def in_place(model: Model) -> None:
    model.first.weight.mul_(1.5)
    model.norm2.bias.add_(0.5)


@change
def by_data(model: Model) -> None:
    model.second.weight.data.mul_(1.5)  # `third` has the same
    model.norm1.running_var.data.mul_(2.0)
    model.point.bias.data.add_(0.5)


@change
def data_replaced(model: Model) -> None:
    model.first.weight.data = model.first.weight.data.flip(0).clone()


@change
def data_with_other_strides(model: Model) -> None:
    model.second.weight.data = model.second.weight.data.transpose(0, 1)


@change
@torch.no_grad()  # type: ignore[untyped-decorator]
def detached(model: Model) -> None:
    model.first.weight.detach().neg_()
    model.head.weight.detach().neg_()


@change
def by_an_alias(model: Model) -> None:
    torch.from_dlpack(model.first.weight.detach()).mul_(-1.5)


@change
@torch.no_grad()  # type: ignore[untyped-decorator]
def copied(model: Model) -> None:
    model.third.weight.copy_(model.third.weight.flip(1))
    model.third.bias.copy_(model.third.bias + 1)


@change
def loaded(model: Model) -> None:
    state = {k: v * 1.5 if v.is_floating_point() else v for k, v in model.state_dict().items()}
    model.load_state_dict(state)


@change
def assigned(model: Model) -> None:
    state = {k: v * 1.5 if v.is_floating_point() else v for k, v in model.state_dict().items()}
    model.load_state_dict(state, assign=True)


@change
def swapped(model: Model) -> None:
    made = nn.Parameter(model.first.weight.detach().flip(0).clone())
    torch.utils.swap_tensors(model.first.weight, made)


@change
def replaced_parameter(model: Model) -> None:
    model.point.weight = nn.Parameter(model.point.weight.detach() * 2)


def _stepped(model: Model, **options: Any) -> None:
    for each in model.parameters():
        each.grad = torch.randn_like(each)
    torch.optim.AdamW(model.parameters(), 0.05, eps=1e-3, **options).step()
    torch.optim.SGD(model.parameters(), 0.05, **options).step()
    for each in model.parameters():
        each.grad = None


@change
def optimizer(model: Model) -> None:
    _stepped(model, foreach=False)


@change
def foreach_optimizer(model: Model) -> None:
    _stepped(model, foreach=True)


@change
def fused_optimizer(model: Model) -> None:
    _stepped(model, fused=True)


@change
@torch.no_grad()  # type: ignore[untyped-decorator]
def moving_average(model: Model) -> None:
    own = list(model.parameters())
    for each in own[: len(own) // 2]:
        each.lerp_(torch.randn_like(each), 0.3)
    for each in own[len(own) // 2 :]:
        each.data.lerp_(torch.randn_like(each), 0.3)


@change
def running_statistics(model: Model) -> None:
    model.train()
    x = torch.randn(4, 8, 6, 6).to(model.first.weight)
    with torch.no_grad():
        model(x * 2 + 1)
    model.eval()


@change
@torch.no_grad()  # type: ignore[untyped-decorator]
def requantized(model: Model) -> None:
    model.quantized.numbers.copy_(model.quantized.numbers.flip(0))
    model.quantized.step.data.mul_(1.5)


@change
@torch.no_grad()  # type: ignore[untyped-decorator]
def pruned(model: Model) -> None:
    from torch.nn.utils import prune

    prune.l1_unstructured(model.first, "weight", 0.5)
    prune.l1_unstructured(model.point, "weight", 0.5)
    prune.remove(model.point, "weight")


@change
def weight_norm(model: Model) -> None:
    torch.nn.utils.parametrizations.weight_norm(model.first)
    model.first.parametrizations.weight.original0.data.mul_(1.5)


@change
def parametrized(model: Model) -> None:
    class Doubled(nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, weight: Any) -> Any:
            return 2 * weight

    torch.nn.utils.parametrize.register_parametrization(model.point, "weight", Doubled())


@change
def half(model: Model) -> None:
    model.half().first.weight.data.mul_(1.5)


@change
def to_float32(model: Model) -> None:
    model.to(torch.float32).first.weight.data.mul_(1.5)


@change
def channels_last(model: Model) -> None:
    model.to(memory_format=torch.channels_last)
    model.first.weight.data.mul_(1.5)


@change
def trained_and_not(model: Model) -> None:
    model.train()
    model.norm1.running_mean.add_(0.5)
    model.eval()


@change
def replaced_module(model: Model) -> None:
    torch.manual_seed(4)
    model.point = nn.Conv2d(16, 16, 3, padding=1).to(model.point.weight)


@change
def replaced_forward(model: Model) -> None:
    def forward(self: Any, x: Any) -> Any:
        return 2 * type(self).forward(self, x)

    model.first.forward = types.MethodType(forward, model.first)
    model.relu.forward = types.MethodType(forward, model.relu)


@change
def replaced_forward_of_all(model: Model) -> None:
    def forward(self: Any, x: Any) -> Any:
        return type(self).forward(self, x) + 1

    model.forward = types.MethodType(forward, model)


@change
def replaced_class(model: Model) -> None:
    class Doubled(nn.Conv2d):  # type: ignore[misc, name-defined]
        def forward(self, input: Any) -> Any:
            return 2 * super().forward(input)

    model.point.__class__ = Doubled


@change
def bias_of_a_layer_without(model: Model) -> None:
    model.first.bias = nn.Parameter(torch.ones(16).to(model.first.weight))


@change
def hooked(model: Model) -> None:
    model.second.register_forward_hook(lambda module, given, result: 2 * result)
    model.norm3.register_forward_pre_hook(lambda module, given: (given[0] + 1,))


@change
def tensor_of_a_list(model: Model) -> None:
    model.scales[0].mul_(1.5)


@change
def other_tensor_of_a_list(model: Model) -> None:
    model.scales[0] = model.scales[0] * 1.5


class Counting(nn.Module):  # type: ignore[misc, name-defined]
    """Keeps state in the way that `kind` says."""

    n: Any

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.conv, self.norm = nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.register_buffer("n", torch.zeros(()))
        self.calls = 0
        self.tensor: Any = torch.zeros(())
        self.previous: Any = None
        self.seen: list[Any] = []

    def forward(self, x: Any) -> Any:
        y = torch.relu(self.norm(self.conv(x)))
        if self.kind == "buffer":
            self.n += 1
        elif self.kind == "method of a buffer":
            self.n.add_(1)
        elif self.kind == "new buffer":
            self.n = self.n + 1
        elif self.kind == "number":
            self.calls += 1
            return y + self.calls
        elif self.kind == "tensor":
            self.tensor += 1
            return y + self.tensor.to(y)
        elif self.kind == "new tensor":
            self.tensor = self.tensor + 1
            return y + self.tensor.to(y)
        elif self.kind == "result":
            last, self.previous = self.previous, y
            return y if last is None else y + last
        elif self.kind == "list":
            self.seen.append(y)
            return y * len(self.seen)
        elif self.kind == "decides":
            if y.sum() > -1:
                self.calls += 1
            return y + self.calls
        return y + self.n


KINDS = (
    "buffer", "method of a buffer", "new buffer", "number", "tensor", "new tensor", "result",
    "list", "decides",
)  # fmt: skip
