"""Calls that read memory, or change it in place, where PyTorch's layout is another than that of plans."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn

from cudnn_cffi.torch import backend, fuse  # noqa: E402

from . import emulated  # noqa: E402


@pytest.fixture(autouse=True)
def plans(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Fused graphs are prepared as on a GPU, with emulated plans; return the programs."""
    torch._dynamo.reset()
    yield emulated.emulate(monkeypatch)
    torch._dynamo.reset()


def changed(y: Any) -> Any:
    return y.mul_(3.0)


def flattened(y: Any) -> Any:
    torch.relu_(y.flatten(1))
    return y


def viewed(y: Any) -> Any:
    z = y.view(y.shape[0], -1)
    z += 1
    return y


def reshaped(y: Any) -> Any:
    y.reshape(-1).copy_(torch.arange(y.numel()))
    return y


def packed(y: Any) -> Any:
    changed(y.contiguous())
    return y


def named(y: Any) -> Any:
    torch.relu_(input=torch.flatten(input=y, start_dim=1))
    return y


def several(y: Any) -> Any:
    torch._foreach_mul_([y.flatten(1), y.sum(1)], 3.0)
    return y


def view_is_read(y: Any) -> Any:
    z = y.flatten(2)
    changed(y)
    return z


def output_is_given(y: Any) -> Any:
    z = y.view(y.shape[0], -1)
    torch.mul(y, 2, out=y)
    return z


def part_is_set(y: Any) -> Any:
    y.view(y.shape[0], -1)[:, 1::3] = 7
    return y


def last(y: Any) -> Any:
    changed(y.to(memory_format=torch.channels_last))
    return y


def moved(y: Any) -> Any:
    changed(y.permute(0, 2, 3, 1).contiguous())
    return y


def rows(y: Any) -> Any:
    z = y.permute(0, 2, 3, 1).reshape(-1, y.shape[1])
    z += 1
    return y, z


def by_operator(y: Any) -> Any:
    torch.ops.aten.reshape.default(y, [-1]).mul_(3.0)
    return y


def as_it_lies(y: Any) -> Any:
    return y.as_strided((2, 5), (7, 1)) * 2


def by_strides(y: Any) -> Any:
    return y * y.stride(1) + y[:, 1:].storage_offset()


def resized(y: Any) -> Any:
    return y.resize_(y.shape[0], 8 * 6 * 5)


DIFFERENT = (
    *(flattened, viewed, reshaped, packed, view_is_read, output_is_given, part_is_set, last, moved),
    *(rows, named, several, by_operator, as_it_lies, by_strides, resized),
)


def sequence(y: Any) -> Any:
    z = y.flatten(2).transpose(1, 2)
    z += 1
    return z


def flat_at_the_end(y: Any) -> Any:
    return torch.relu_(y).flatten(1)


def copied(y: Any) -> Any:
    changed(y.clone())
    return y


def copied_after(y: Any) -> Any:
    y[:, 1:] = 7
    return y.permute(0, 2, 3, 1).reshape(-1)


class Net(nn.Module):  # type: ignore[misc, name-defined]
    """A function after a convolution."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.conv, self.function = nn.Conv2d(3, 8, 3), function

    def forward(self, x: Any) -> Any:
        return self.function(self.conv(x))


class Deciding(nn.Module):  # type: ignore[misc, name-defined]
    """A function after layers that are fused, in a model that decides by numbers."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
        self.second = nn.Sequential(nn.Conv2d(8, 8, 1), nn.ReLU(inplace=True))
        self.function = function

    def forward(self, x: Any) -> Any:
        y = self.first(x)
        return self.function(self.second(y) if y.sum() > -1e9 else y)


def compare(model: Any, call: Any, form: Any) -> None:
    x = torch.randn(2, 3, 8, 7, dtype=torch.float64).contiguous(memory_format=form)
    with torch.no_grad():
        for _ in range(2):
            torch.testing.assert_close(call(x), model(x))


#: PyTorch refuses such views of images with their channels last.
FIRST = (viewed, output_is_given, part_is_set)

CASES = [
    *((each, torch.contiguous_format) for each in DIFFERENT),
    *((each, torch.channels_last) for each in DIFFERENT if each not in FIRST),
]


@pytest.mark.parametrize(("function", "form"), CASES)
def test_results_are_those_of_pytorch(function: Any, form: Any) -> None:
    model = Net(function).double().eval()
    fused = fuse(copy.deepcopy(model))
    compare(model, fused, form)
    assert "traced" not in fused.report[0].why
    compare(model, torch.compile(copy.deepcopy(model), backend=backend), form)


@pytest.mark.parametrize(("function", "form"), CASES)
def test_fused_layers_inside(function: Any, form: Any, plans: list[Any]) -> None:
    """Code of a model reads results in PyTorch's layout."""
    model = Deciding(function).double().eval()
    compare(model, fuse(copy.deepcopy(model)), form)
    assert len(plans) == 2


@pytest.mark.parametrize("function", [sequence, flat_at_the_end, copied, copied_after])
def test_what_lies_alone_is_fused(function: Any, plans: list[Any]) -> None:
    model = Net(function).double().eval()
    fused = fuse(copy.deepcopy(model))
    compare(model, fused, torch.contiguous_format)
    assert plans
    assert fused.report[0].by == "emulated"
