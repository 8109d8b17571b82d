"""Results of fused models, and what code of a model reads, lie as PyTorch has them."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn

from cudnn_cffi.torch import fuse  # noqa: E402
from cudnn_cffi.torch.autograd.layouts import Layout  # noqa: E402
from cudnn_cffi.torch.fusion.pipeline import _lying  # noqa: E402

from . import emulated  # noqa: E402


class Model(nn.Module):  # type: ignore[misc, name-defined]
    """Two convolutions, and what is done with what they give."""

    def __init__(self, then: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.conv, self.then = nn.Conv2d(8, 8, 3, padding=1), then
        self.other = nn.Conv2d(8, 8, 1)

    def forward(self, x: Any) -> Any:
        return self.then(self, self.conv(x).relu())


def _views(own: Model, y: Any) -> Any:
    return {"whole": y, "part": (y[:, 1], y.transpose(2, 3)[..., ::2])}


RESULTS: dict[str, Callable[[Any, Any], Any]] = {
    "as it is": lambda own, y: y,
    "two": lambda own, y: (own.other(y), y * 2),
    "views of one": _views,
    "turned": lambda own, y: y.permute(0, 2, 3, 1),
    "a slice": lambda own, y: y[:, :, 0],
    "numbers of a channel": lambda own, y: y[:, 0, 0, 0],
    "channels of a pixel": lambda own, y: y[0, :, 0, 0],
    "channels of a pixel, an image": lambda own, y: (y[:1, :, 0, 0], 1),
    "rows": lambda own, y: y.flatten(2),
    "repeated": lambda own, y: y[:1].expand(3, 8, 5, 6),
    "none": lambda own, y: [y[:0], 3, None, "text"],
    "joined": lambda own, y: torch.cat([y, own.other(y)], 1),
}


def same(one: Any, other: Any, tolerance: float = 1e-12) -> None:
    """Compare strides, but for axes of one element, and what is memory of each other."""
    pairs = zip(*(torch.utils._pytree.tree_leaves(each) for each in (one, other)), strict=True)
    tensors = [pair for pair in pairs if isinstance(pair[0], torch.Tensor)]
    for y, wanted in tensors:
        torch.testing.assert_close(y, wanted, rtol=tolerance, atol=tolerance)
        for extent, found, right in zip(y.shape, y.stride(), wanted.stride(), strict=True):
            assert extent == 1 or not y.numel() or found == right
    places = [[each.untyped_storage().data_ptr() for each in some if each.numel()]
              for some in zip(*tensors, strict=True)]  # fmt: skip
    assert len(set(places[0])) == len(set(places[1]))


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("name", RESULTS)
def test_results_lie_as_those_of_pytorch(
    name: str, inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = emulated.emulate(monkeypatch)
    model = emulated.settle(Model(RESULTS[name]))
    if inside:
        model = nn.Sequential(model, Reading(lambda y: [float(leaf.sum()) for leaf in
                              torch.utils._pytree.tree_leaves(y) if isinstance(leaf, torch.Tensor)]
                              and y))  # fmt: skip
    fused = fuse(model)
    for last in (False, True, False):
        x = torch.randn(2, 8, 5, 6, dtype=torch.float64)
        x = x.contiguous(memory_format=torch.channels_last) if last else x
        with torch.no_grad():
            same(fused(x), model(x))
    assert programs


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("extents", [(5, 6), (1, 1), (1, 4)])
def test_programs_are_for_one_layout_of_results(channels: int, extents: tuple[int, int]) -> None:
    """PyTorch goes by strides where one channel, or one pixel, could lie in both layouts."""
    high, wide = extents
    shape, conv = (2, channels, high, wide), nn.Conv2d(channels, 4, 3, padding=1).double()
    last = channels * high * wide, 1, channels * wide, channels
    made = torch.randn(2, channels, high, wide + 2, dtype=torch.float64)
    for x in (
        torch.randn(shape, dtype=torch.float64),
        torch.randn(shape, dtype=torch.float64).as_strided(shape, last),
        made[..., 1:-1],
        made.contiguous(memory_format=torch.channels_last)[..., 1:-1],
        made.transpose(2, 3).contiguous().transpose(2, 3)[..., 1:-1],
    ):
        y = conv(x)
        is_last = not y.is_contiguous()
        assert y.shape[2:] == (1, 1) or _lying(x) is is_last, x.stride()


class Reading(nn.Module):  # type: ignore[misc, name-defined]
    """A module whose calls no trace can follow."""

    def __init__(self, call: Callable[[Any], Any]) -> None:
        super().__init__()
        self.call = call

    def forward(self, x: Any) -> Any:
        if not isinstance(x, torch._subclasses.FakeTensor) and not isinstance(
            x, (dict, tuple, list)
        ):
            float(x.sum())
        return self.call(x)


def _in_place(x: Any) -> Any:
    x.view(-1)[::7] = 3.0
    return x * 2


def _by_strides(x: Any) -> Any:
    return x * (1.0 + x.stride(1))


CODES: dict[str, Callable[[Any], Any]] = {
    "strides": _by_strides,
    "a change of a view": _in_place,
    "memory as it lies": lambda x: x.as_strided((x.numel(),), (1,)).view(x.shape) * 1,
    "a view of it": lambda x: x.view(x.shape[0], -1)[:, :6],
    "itself": lambda x: x,
    "a maybe copy that it changes": lambda x: x.flatten(1).mul_(2).view(x.shape),
}


def with_code(name: str, is_changed: bool) -> Model:
    """Return a model with code that cannot be traced; what that returns may be changed."""

    def then(own: Any, y: Any) -> Any:
        found = own.code(y)
        if is_changed:
            found.add_(1)
        return found, own.other(y)

    model = Model(then)
    model.code = Reading(CODES[name])
    return model


@pytest.mark.parametrize("is_changed", [False, True])
@pytest.mark.parametrize("name", CODES)
def test_code_of_a_model_reads_what_lies_as_pytorch_has_it(
    name: str, is_changed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a later function changes what is memory of its argument."""
    programs = emulated.emulate(monkeypatch)

    model = emulated.settle(with_code(name, is_changed))
    fused = fuse(model)
    for last in (False, True):
        x = torch.randn(2, 8, 5, 6, dtype=torch.float64)
        x = x.contiguous(memory_format=torch.channels_last) if last else x
        with torch.no_grad():
            same_or_error(fused, model, x)
    assert programs or "may share" in fused._pipeline.why


def same_or_error(fused: Any, model: Any, x: Any, tolerance: float = 1e-12) -> None:
    """Compare results for copies of an input, or the errors."""
    try:
        wanted = model(x.clone())
    except RuntimeError as error:
        with pytest.raises(RuntimeError, match=re.escape(str(error)[:40])):
            fused(x.clone())
        return
    same(fused(x.clone()), wanted, tolerance)


def test_copies_of_results_lie_as_these_do() -> None:
    x = torch.randn(2, 3, 4, 5)
    value = {
        "a": x,
        "b": [x[:, 1:, ::2], x.permute(0, 2, 3, 1)],
        "c": torch.ones(3).expand(2, 3),
        "d": 1,
    }
    made = Layout(value).copied(value, {})
    same(made, value)
    assert made["a"].data_ptr() != x.data_ptr()
    before = copy.deepcopy(x)
    made["b"][0].zero_()
    assert torch.equal(x, before)
    assert not made["a"][:, 1:, ::2].any()
