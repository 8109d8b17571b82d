"""Functions that take the places of several: where they are found, and that they compute the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn
functional = nn.functional

from cudnn_cffi.torch.fusion.kernels.functions import Attending, Masking  # noqa: E402
from torch._subclasses import FakeTensor  # noqa: E402

from . import emulated  # noqa: E402
from .test_running import check, some, what  # noqa: E402


class Function(nn.Module):  # type: ignore[misc, name-defined]
    """A module that computes a function between two linear layers, which has to be traced by running."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first, self.last = nn.Linear(16, 16), nn.Linear(16, 16)
        self.function = function
        self.sine = nn.Parameter(torch.randn(1, 1, 5, 8))
        self.register_buffer("mask", torch.zeros(4, 5, 5))

    def forward(self, x: Any) -> Any:
        if x.shape[-1] != 16:  # decides by shapes
            return x
        x = self.first(x)
        function: Any = self.function
        y = function(self, x) if function.__code__.co_argcount == 2 else function(x)
        return self.last(y)


def found(function: Callable[..., Any], *shape: int) -> list[str]:
    return what(check(Function(function).double().eval(), some(*shape)))


def turned(x: Any) -> Any:
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def heads(x: Any) -> Any:
    return x.unflatten(-1, (2, 8)).transpose(1, 2)


def test_rotations() -> None:
    def rotate(self: Any, x: Any) -> Any:
        y = heads(x)
        y = y * self.sine.cos() + turned(y) * self.sine
        return y.transpose(1, 2).flatten(2)

    def the_other_way(self: Any, x: Any) -> Any:
        y = heads(x)
        y = self.sine * turned(y) + self.sine.cos() * y
        return y.transpose(1, 2).flatten(2)

    for function in (rotate, the_other_way):
        assert "rotated" in found(function, 2, 5, 16)


def test_what_is_no_rotation() -> None:
    def another_half(self: Any, x: Any) -> Any:
        y = heads(x)
        other = torch.cat((-y[..., 2:], y[..., :2]), dim=-1)
        return (y * self.sine.cos() + other * self.sine).transpose(1, 2).flatten(2)

    def another_sign(self: Any, x: Any) -> Any:
        y = heads(x)
        other = torch.cat((y[..., 4:], -y[..., :4]), dim=-1)
        return (y * self.sine.cos() + other * self.sine).transpose(1, 2).flatten(2)

    def another_axis(self: Any, x: Any) -> Any:
        y = heads(x)
        other = torch.cat((-y[..., 4:], y[..., :4]), dim=2)[:, :, :5].repeat(1, 1, 1, 2)
        return (y * self.sine.cos() + other * self.sine).transpose(1, 2).flatten(2)

    def of_another(self: Any, x: Any) -> Any:
        y = heads(x)
        return (y * self.sine.cos() + turned(2 * y) * self.sine).transpose(1, 2).flatten(2)

    def changed_before(self: Any, x: Any) -> Any:
        y = heads(x)
        z = turned(y)
        y.mul_(2)
        return (y * self.sine.cos() + z * self.sine).transpose(1, 2).flatten(2)

    for function in (another_half, another_sign, another_axis, of_another, changed_before):
        assert "rotated" not in found(function, 2, 5, 16), function.__name__


@pytest.mark.parametrize("function", [functional.silu, functional.gelu, torch.sigmoid])
def test_gates(function: Callable[..., Any]) -> None:
    assert "gated" in found(lambda x: function(x) * x.flip(-1), 2, 5, 16)
    assert "gated" in found(lambda x: x.flip(-1) * function(x), 2, 5, 16)
    assert "gated" not in found(lambda x: function(x) * x[..., :1], 2, 5, 16)

    def twice(x: Any) -> Any:
        gate = function(x)
        return gate * x.flip(-1) + gate

    def in_place(x: Any) -> Any:
        return functional.silu(x, inplace=True) * x

    assert "gated" not in found(twice, 2, 5, 16)
    assert "gated" not in found(in_place, 2, 5, 16)


#: Functions that move elements of (2, 6, 6, 16), and whether one kernel does it.
MOVES: dict[str, tuple[Callable[..., Any], bool]] = {
    "windows": (lambda x: x.view(2, 2, 3, 2, 3, 16).permute(0, 1, 3, 2, 4, 5).reshape(8, 9, 16), True),
    "padded": (lambda x: functional.pad(x, (0, 0, 1, 2, 0, 3)).reshape(2, 81, 16), True),
    "rolled": (lambda x: torch.roll(x, (2, -1), (1, 2)), True),
    "rolled and turned": (lambda x: x.roll(2, 1).transpose(1, 2).contiguous(), True),
    "cut": (lambda x: x[:, 1:, :5].reshape(2, -1, 16), True),
    "every second": (lambda x: x[:, ::2].contiguous(), True),
    "one row": (lambda x: functional.pad(x[:, 2], (0, 0, 1, 0)), True),
    "padded by nothing": (lambda x: functional.pad(x, (0, 0, 0, 0)), False),
    "padded by ones": (lambda x: functional.pad(x, (0, 0, 1, 0), value=1.0), False),
    "reflected": (lambda x: functional.pad(x, (0, 0, 1, 1), mode="reflect"), False),
    "indexed": (lambda x: x[:, [3, 1, 1]], True),
    "views": (lambda x: x.view(2, 36, 16)[:, 3:], False),
    "other types": (lambda x: x.int().roll(1, 1).double(), True),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVES)
def test_moves(name: str) -> None:
    move, is_one = MOVES[name]
    assert ("moved" in found(move, 2, 6, 6, 16)) == is_one
    assert ("moved" in found(lambda x: move(x) + 1, 2, 6, 6, 16)) == is_one

    def added(x: Any) -> Any:
        y = move(x)
        return torch.ones_like(y) * 3 + y

    assert ("moved" in found(added, 2, 6, 6, 16)) == is_one


def test_moves_of_what_is_written_to() -> None:
    def the_source(x: Any) -> Any:
        y = x.roll(1, 1).transpose(0, 1).contiguous()
        x.zero_()
        return y

    def the_result(x: Any) -> Any:
        y = functional.pad(x, (0, 0, 0, 0))
        y += 1
        return y * x

    def between(x: Any) -> Any:
        y = x.roll(1, 1)
        z = y.transpose(0, 1).contiguous()
        y.neg_()
        return z + y.transpose(0, 1)

    for function in (the_source, the_result, between):
        found(function, 4, 4, 16)


def windows(q: Any, k: Any, v: Any, bias: Any, mask: Any = None) -> Any:
    scores = (q * 0.3).matmul(k.transpose(-2, -1)) + bias
    if mask is not None:
        wide = scores.view(-1, *mask.shape[:1], *scores.shape[1:])
        scores = (wide + mask.unsqueeze(1).unsqueeze(0)).view(-1, *scores.shape[1:])
    return torch.softmax(scores, dim=-1).matmul(v)


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("kind", ["plain", "masked", "very negative", "one bias", "cold"])
def test_attention_to_windows(batch: int, kind: str) -> None:
    is_one = kind in ("plain", "masked", "very negative")

    def attend(self: Any, x: Any) -> Any:
        q = x.unflatten(-1, (2, 8)).transpose(1, 2)
        bias = self.sine.transpose(2, 3)[:, :, :5] * torch.ones(2, 1, 1, dtype=x.dtype)
        if kind == "one bias":
            bias = bias[:, :1]
        masks = (self.mask,) if kind in ("masked", "very negative") else ()
        k = q.flip(-1)
        y = windows(q, k, q + 1, bias, *masks)
        if kind == "cold":
            y = torch.softmax(q.matmul(k.transpose(-2, -1)) + bias, dim=-2).matmul(q + 1)
        return y.transpose(1, 2).flatten(2)

    model = Function(attend).double().eval()
    model.mask[1:, :, 2:] = -1e30 if kind == "very negative" else -100.0
    words = what(check(model, some(4 * batch, 5, 16)))
    assert ("scaled_dot_product_attention" in words) == is_one
    assert ("softmax" in words) != is_one


def partly(function: Callable[..., Any], more: dict[str, Any]) -> Callable[[Any], Any]:
    return lambda x: function(x, **more)


def test_attention_to_few_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """One function computes it, whose heads lie side by side; other attention is PyTorch's."""
    monkeypatch.setattr(Attending, "takes", staticmethod(lambda *_: True))

    def attend(x: Any, **more: Any) -> Any:
        q, k, v = heads(x), heads(x * 2), heads(x + 1)
        return functional.scaled_dot_product_attention(q, k, v, **more).transpose(1, 2).flatten(2)

    def masked(self: Any, x: Any) -> Any:
        return attend(x, attn_mask=self.mask[0])

    for more in ({}, {"scale": 0.3}, {"attn_mask": None, "dropout_p": 0.0, "is_causal": False}):
        names = found(partly(attend, more), 2, 5, 16)
        assert "attended" in names
        assert "moved" not in names
    for other in (masked, partly(attend, {"is_causal": True})):
        assert "scaled_dot_product_attention" in found(other, 2, 5, 16)
    # There is no such kernel on the CPU, so PyTorch's function has to stand in for it.
    fake = staticmethod(lambda *given: all(isinstance(each, FakeTensor) for each in given))
    monkeypatch.setattr(Masking, "takes", fake)
    names = found(masked, 2, 5, 16)
    assert "masked" in names
    assert "moved" not in names


def test_attention_of_other_tensors_is_that_of_pytorch() -> None:
    x = torch.randn(2, 3, 5, 64).half()
    assert not Attending.takes(x, x, x)  # on the CPU
    y = Attending(0.2)(x.float(), x.float(), x.float())
    wanted = functional.scaled_dot_product_attention(*[x.float()] * 3, scale=0.2)
    assert torch.equal(y, wanted)
    assert y.transpose(1, 2).is_contiguous()
    mask = torch.randn(3, 1, 5).half()
    assert not Masking.takes(x, x, x, mask)
    y = Masking(0.2)(x.float(), x.float(), x.float(), mask.float())
    wanted = functional.scaled_dot_product_attention(
        *[x.float()] * 3, attn_mask=mask.float(), scale=0.2
    )
    assert torch.equal(y, wanted)
    assert y.transpose(1, 2).is_contiguous()


def test_attention_in_the_type_of_autocast(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch casts what attention reads, so a kernel for its type as it is is none for it."""
    monkeypatch.setattr(Attending, "takes", staticmethod(lambda *_: True))

    def attend(x: Any) -> Any:
        x = x.half()
        q, k, v = heads(x), heads(x * 2), heads(x + 1)
        y = functional.scaled_dot_product_attention(q, k, v)
        return y.transpose(1, 2).flatten(2)

    model = Function(attend).eval()
    x = torch.randn(2, 5, 16)
    for lower, name in (
        (torch.float16, "attended"),
        (torch.bfloat16, "scaled_dot_product_attention"),
    ):
        with torch.no_grad(), torch.autocast("cpu", dtype=lower):
            program = emulated.prepared(model, x)
            assert name in what(program)
            assert program.run([x]).dtype == model(x).dtype == lower


class Pixels(nn.Module):  # type: ignore[misc, name-defined]
    """A linear layer of pixels whose result, turned back, is added to images."""

    def __init__(self, case: str) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer, self.case = nn.Linear(6, 6), case

    def forward(self, x: Any) -> Any:
        count, channels, height, width = x.shape
        if channels != 6:  # decides by shapes
            return x
        y = self.layer(x.permute(0, 2, 3, 1).reshape(count, height * width, channels))
        if self.case == "changed":
            y += 1
        if self.case == "halves":
            return x[:, :3] + y.view(count, height, width, 6).permute(0, 3, 1, 2)[:, 3:]
        z = y.view(count, height, width, channels).permute(0, 3, 1, 2)
        if self.case == "wider":
            z = z.mean(0, keepdim=True)
        z = x + z if self.case != "behind" else z + x
        return z + y.mean() if self.case == "read twice" else z


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize(
    ("case", "joins"),
    [
        ("", True), ("behind", True), ("changed", False), ("halves", False), ("wider", False),
        ("read twice", False),
    ],
)  # fmt: skip
def test_additions_to_views_of_products(case: str, joins: bool, last: bool) -> None:
    form = torch.channels_last if last else torch.contiguous_format
    x = some(3, 6, 5, 4).contiguous(memory_format=form)
    ran = what(check(Pixels(case).double().eval(), x))
    assert ("Linear + residual" in ran) == joins, ran
    assert ("add" in ran) != joins, ran
