"""Blocks of networks, and ways in which PyTorch's users change a transformer between calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn
functional = nn.functional

Model = Any


class Block(nn.Module):  # type: ignore[misc, name-defined]
    """A block of a transformer, whose attention may be masked by what is in a buffer."""

    def __init__(self, size: int = 16, heads: int = 2, masked: bool = False) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.attention = nn.MultiheadAttention(size, heads, 0.1, batch_first=True)
        self.query, self.key, self.value = (nn.Linear(size, size) for _ in range(3))
        self.first, self.second = nn.Linear(size, 3 * size), nn.Linear(3 * size, size)
        self.dropout = nn.Dropout(0.2)
        self.register_buffer("mask", torch.eye(5).bool() if masked else None)

    def forward(self, x: Any) -> Any:
        y = self.norm1(x)
        y, _ = self.attention(y, y, y, need_weights=False, attn_mask=self.mask)
        x = x + self.dropout(y)
        q, k, v = (
            each(x).unflatten(-1, (2, -1)).transpose(-3, -2)
            for each in (self.query, self.key, self.value)
        )
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + y.transpose(-3, -2).flatten(-2)
        y = functional.gelu(self.first(self.norm2(x)))
        return x + self.dropout(self.second(y))


class Residual(nn.Module):  # type: ignore[misc, name-defined]
    """A block of a residual network."""

    def __init__(self, channels: int, out: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1)
        self.bn2 = nn.BatchNorm2d(out)
        self.short = nn.Conv2d(channels, out, 1, stride) if channels != out else None
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Any) -> Any:
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        y += x if self.short is None else self.short(x)
        return self.relu(y)


def block(**more: Any) -> Model:
    """Return a block in float64 and eval mode, with random weights."""
    torch.manual_seed(0)
    made = Block(**more).double().eval()
    for each in made.parameters():
        nn.init.normal_(each, 0.0, 0.4)
    return made


CHANGES: dict[str, Callable[[Model], Any]] = {}


def change(function: Callable[[Model], Any]) -> Callable[[Model], Any]:
    CHANGES[function.__name__] = function
    return function


@change
@torch.no_grad()  # type: ignore[untyped-decorator]
def in_place(model: Model) -> None:
    model.attention.in_proj_weight.mul_(2)


@change
def by_data(model: Model) -> None:
    model.attention.out_proj.bias.data.add_(1)
    model.norm1.weight.data.mul_(-1)


@change
@torch.no_grad()  # type: ignore[untyped-decorator]
def detached(model: Model) -> None:
    model.second.weight.detach().neg_()


@change
def by_an_alias(model: Model) -> None:
    torch.from_dlpack(model.norm2.weight.detach()).mul_(-1.5)


@change
@torch.no_grad()  # type: ignore[untyped-decorator]
def copied(model: Model) -> None:
    model.key.weight.copy_(model.key.weight.flip(1))


@change
def by_data_of_joined(model: Model) -> None:
    model.query.weight.data[1] = 3
    model.value.bias.data[0] += 2


@change
def replaced_parameter(model: Model) -> None:
    model.attention.in_proj_weight = nn.Parameter(model.attention.in_proj_weight.flip(0).detach())


@change
def swapped(model: Model) -> None:
    made = nn.Parameter(model.query.weight.detach().flip(0).clone())
    torch.utils.swap_tensors(model.query.weight, made)


@change
def data_replaced(model: Model) -> None:
    model.first.weight.data = model.first.weight.data.flip(0).clone()


@change
def data_with_other_strides(model: Model) -> None:
    model.first.weight.data = model.first.weight.data.t().contiguous().t() * 2


@change
def without_a_bias(model: Model) -> None:
    model.second.bias = None


@change
def a_bias_of_joined_is_gone(model: Model) -> None:
    model.value.bias = None


@change
def loaded(model: Model) -> None:
    model.load_state_dict({key: each * 2 for key, each in model.state_dict().items()})


@change
def assigned(model: Model) -> None:
    model.load_state_dict({key: each * 2 for key, each in model.state_dict().items()}, assign=True)


@change
def tied(model: Model) -> None:
    model.attention.out_proj.weight = nn.Parameter(model.attention.in_proj_weight[:16].detach())
    model.key.weight = model.query.weight


@change
def replaced_module(model: Model) -> None:
    made = nn.Sequential(nn.Linear(16, 48), nn.ReLU())
    model.first = made.to(model.second.weight)


@change
def weight_norm(model: Model) -> None:
    nn.utils.parametrizations.weight_norm(model.second)
    model.second.parametrizations.weight.original0.data.mul_(2)


@change
@torch.no_grad()  # type: ignore[untyped-decorator]
def pruned(model: Model) -> None:
    from torch.nn.utils import prune

    prune.l1_unstructured(model.first, "weight", 0.5)


@change
def optimizer(model: Model) -> None:
    for each in model.parameters():
        each.grad = torch.randn_like(each)
    torch.optim.AdamW(model.parameters(), 0.05, eps=1e-3, foreach=True).step()
    for each in model.parameters():
        each.grad = None


@change
def trained_and_not(model: Model) -> None:
    model.train()
    model.norm2.bias.data.add_(1)
    model.eval()


@change
def hooked(model: Model) -> None:
    model.second.register_forward_hook(lambda *call: call[-1] * 2)


@change
def another_forward(model: Model) -> None:
    model.value.forward = lambda x: x * 2
