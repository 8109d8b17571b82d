"""Preparing a model, and calibrating it, leaves all that it has, and its inputs, as they are."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn

from cudnn_cffi.torch import fuse  # noqa: E402

from . import emulated  # noqa: E402


def _adds(own: Any, x: Any) -> Any:
    own.calls.add_(1)
    return own.conv(x) * own.calls


def _averages(own: Any, x: Any) -> Any:
    own.calls.mul_(0.5).add_(x.mean())
    return own.conv(x) + own.calls


def _writes_out(own: Any, x: Any) -> Any:
    torch.add(own.calls, 2, out=own.calls)
    return own.conv(x) * own.calls


def _writes_to_a_view(own: Any, x: Any) -> Any:
    own.calls.view(1)[0] += 1
    return own.conv(x) * own.calls


def _writes_to_an_input(own: Any, x: Any) -> Any:
    own.calls.add_(1)
    return own.conv(x.mul_(2)) * own.calls


def _writes_by_a_flag(own: Any, x: Any) -> Any:
    nn.functional.elu(own.calls.add_(-1), 0.5, True)
    return own.conv(x) * own.calls


class Writing(nn.Module):  # type: ignore[misc, name-defined]
    """A convolution, and a call that writes to a buffer."""

    def __init__(self, call: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.conv, self.call = nn.Conv2d(16, 16, 1), call
        self.register_buffer("calls", torch.ones((), dtype=torch.float32))

    def forward(self, x: Any) -> Any:
        return self.call(self, x)


class Deciding(nn.Module):  # type: ignore[misc, name-defined]
    """A module whose calls no trace can follow: what is inside is prepared by itself."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Any) -> Any:
        return self.inner(x) if x.isfinite().all() else x


CALLS = (
    _adds, _averages, _writes_out, _writes_to_a_view, _writes_to_an_input, _writes_by_a_flag,
)  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("is_inside", [False, True])
def test_what_calls_write_is_written_once(
    call: Any, is_inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = emulated.emulate(monkeypatch)
    model = Writing(call)
    model = Deciding(model) if is_inside else model
    own = copy.deepcopy(model.eval())
    fused = fuse(model)
    for count in (2, 3, 2):
        x = torch.randn(count, 16, 4, 5)
        mine = x.clone()
        with torch.no_grad():
            torch.testing.assert_close(fused(mine), own(x))
        assert torch.equal(mine, x)
        torch.testing.assert_close([*model.buffers()], [*own.buffers()])
    assert programs


@pytest.mark.parametrize("call", CALLS)
def test_a_calibration_writes_nothing(call: Any) -> None:
    model = nn.Sequential(Writing(call), nn.ReLU()).eval()
    own, batches = copy.deepcopy(model), [torch.randn(2, 16, 4, 5) for _ in range(2)]
    given = copy.deepcopy(batches)
    for _ in range(2):
        assert fuse(model, dtype="int8", calibration=batches).settings.narrow.layers
        assert [*map(torch.equal, batches, given)] == [True, True]
        assert torch.equal(model[0].calls, own[0].calls)


def test_weights_of_recurrent_layers_that_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch lays them out as one buffer on a GPU, when a layer that got others is copied."""

    def lay_out(self: Any) -> None:
        for each in self._flat_weights:
            each.data = each.data.clone()

    monkeypatch.setattr(nn.RNNBase, "flatten_parameters", lay_out)
    model = nn.Sequential(nn.Linear(4, 4), nn.LSTM(4, 4)).eval()
    own, fused, x = copy.deepcopy(model), fuse(model), torch.randn(5, 2, 4)
    for factor in (0.75, 0.5):
        named = {name: each.detach() * factor for name, each in model.named_parameters()}
        with torch.no_grad():
            found, wanted = (
                torch.func.functional_call(each, dict(named), (x,))[0] for each in (fused, own)
            )
        torch.testing.assert_close(found, wanted)
