"""Drawn networks in float64: fused graphs, with emulated plans, compute what the networks compute."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn

from cudnn_cffi.torch import fuse  # noqa: E402

from tests.differ.changes import CHANGES, narrowed  # noqa: E402
from tests.differ.draw import Draw  # noqa: E402
from tests.differ.layers import network  # noqa: E402
from tests.differ.ways import tensors  # noqa: E402

from . import emulated  # noqa: E402

#: The seed of all cases, their number, and the least number of calls that PyTorch computes.
SEED, COUNT, LEAST = 6, 60, 60

#: Changes after the first call.
CHANGED = [each for each in CHANGES if each is not narrowed]


def _computed(call: Any, model: Any, x: Any) -> list[Any]:
    """Return results, gradients in training, and buffers."""
    own = [each for each in model.parameters() if each.requires_grad] if model.training else []
    with torch.set_grad_enabled(model.training):
        ys = tensors(call(x.clone()))
        sums = [(y * torch.linspace(-1, 1, y.numel()).view(y.shape)).sum() for y in ys]
        sums = [each for each in sums if each.requires_grad]
        grads = torch.autograd.grad(sums, own, allow_unused=True) if own and sums else ()
    found = [*ys, *grads, *model.buffers()]
    return [each.detach().clone() for each in found if each is not None]


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_fused_graphs(training: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    emulated.emulate(monkeypatch)
    computed = 0
    for case in range(COUNT):
        draw = Draw("networks", SEED, case)
        model, shape = network(draw)
        if not model.steps:
            continue
        for each in model.modules():
            if isinstance(each, nn.Dropout):
                each.p = 0.0
        other = copy.deepcopy(model.train(training))
        fused: Any = fuse(model, training=True) if training else fuse(model)
        for turn in range(3):
            if turn == 1:
                with torch.no_grad():
                    CHANGED[case % len(CHANGED)](model)
                try:
                    other = copy.deepcopy(model)
                except RuntimeError:  # weights that were computed with a gradient
                    break
            x = torch.randn(shape, generator=torch.Generator().manual_seed(turn)).double()
            try:
                wanted = _computed(other, other, x)
            except (RuntimeError, ValueError):  # such as a norm of one element
                break
            found = _computed(fused, model, x)
            computed += 1
            torch.testing.assert_close(
                found, wanted, rtol=1e-8, atol=1e-8, equal_nan=True,
                msg=lambda text, line=draw.line: f"{line}: {text}",
            )  # fmt: skip
    assert computed > LEAST


def test_autocast_leaves_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    emulated.emulate(monkeypatch)
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 4)
    ).double()
    x = torch.randn(2, 3, 8, 8, dtype=torch.float64)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        torch.testing.assert_close(fuse(model)(x), model.eval()(x))  # also their types
