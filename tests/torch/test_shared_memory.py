"""Changes in place of what lies in the same memory in PyTorch's layout, or in that of plans alone."""

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
    z = y.view(len(y), -1)
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
    z = y.view(len(y), -1)
    torch.mul(y, 2, out=y)
    return z


def part_is_set(y: Any) -> Any:
    y.view(len(y), -1)[:, 1::3] = 7
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


DIFFERENT = (
    *(flattened, viewed, reshaped, packed, view_is_read, output_is_given, part_is_set, last, moved),
    *(rows, named, several),
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


class Net(nn.Module):  # type: ignore[misc, name-defined]
    """A function after a convolution."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.conv, self.function = nn.Conv2d(3, 8, 3), function

    def forward(self, x: Any) -> Any:
        return self.function(self.conv(x))


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
    compare(model, fuse(copy.deepcopy(model)), form)
    compare(model, torch.compile(copy.deepcopy(model), backend=backend), form)


@pytest.mark.parametrize("function", [sequence, flat_at_the_end, copied])
def test_what_lies_alone_is_fused(function: Any, plans: list[Any]) -> None:
    model = Net(function).double().eval()
    fused = fuse(copy.deepcopy(model))
    compare(model, fused, torch.contiguous_format)
    assert plans
    assert fused.report[0].by == "emulated"
