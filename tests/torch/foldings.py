"""Layers and norms to fold, in all data types and orders of memory."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn

from cudnn_cffi.torch.fusion.kernels.fold import table_of  # noqa: E402
from cudnn_cffi.torch.fusion.weights import Weights, find_lossy  # noqa: E402


def check(prepare: Callable[[list[Any]], Callable[[], None]], device: str) -> None:
    """Compare what `prepare(weights)()` folds with what PyTorch folds."""
    layers = [
        (nn.Conv2d(16, 24, 3), nn.BatchNorm2d(24)),
        (nn.Conv2d(3, 64, 7, bias=False), nn.BatchNorm2d(64)),
        (nn.Conv2d(64, 32, 1), nn.BatchNorm2d(32, affine=False)),
        (nn.Conv2d(600, 600, 3, groups=600), nn.BatchNorm2d(600)),
        (nn.Conv2d(1030, 3, 5), nn.BatchNorm2d(3)), (nn.Conv2d(500, 9, 3), nn.BatchNorm2d(9)),
        (nn.Conv2d(2048, 5, 1, bias=False), nn.BatchNorm2d(5)),
        (nn.Conv2d(8, 5, 1), nn.BatchNorm2d(5)), (nn.Conv2d(2, 7, 3), nn.BatchNorm2d(7)),
        (nn.Conv2d(72, 40, 1), nn.BatchNorm2d(40)), (nn.Conv2d(512, 3, 3), nn.BatchNorm2d(3)),
        (nn.Conv3d(8, 16, 3), nn.BatchNorm3d(16)), (nn.Conv1d(5, 7, 3), nn.BatchNorm1d(7)),
        (nn.Linear(24, 40), nn.BatchNorm1d(40)), (nn.Conv2d(16, 24, (3, 2)), None),
        (nn.ConvTranspose2d(4, 6, 3, groups=2), nn.BatchNorm2d(6)),
    ]  # fmt: skip
    types = torch.half, torch.bfloat16, torch.float32, torch.float64
    torch.manual_seed(0)
    for layer, norm in layers:
        layer.to(device)
        if norm is not None:
            norm.to(device)
            norm.running_mean.normal_()
            norm.running_var.uniform_(0.5, 1.5)
            if norm.affine:
                nn.init.uniform_(norm.weight, -1.5, 1.5)
                nn.init.normal_(norm.bias)
    with torch.no_grad():  # zeros, constants, numbers that are lost or too large in 16 bits
        filters = layers[0][0].weight
        filters[0], filters[1], filters[2] = 0.0, 0.3, 1e-7
        filters[3].mul_(1e-6)
        filters[4, 0], filters[4, 1, 0], filters[4, 2] = 65504.0, -torch.inf, 0.0
        filters[5, ::2] = 0.0
    forms = (
        lambda own: own,
        lambda own: own.to(memory_format=torch.channels_last) if own.weight.dim() == 4 else None,
        lambda own: setattr(
            own.weight, "data", own.weight.data.transpose(0, 1).contiguous().transpose(0, 1)
        ),
    )
    made, wanted = [], []
    for source, target, last in itertools.product(
        types, (None, torch.half, torch.bfloat16), (False, True)
    ):
        for place, (pair, form) in enumerate(itertools.product(layers, forms)):
            layer, norm = copy.deepcopy(pair)
            form(layer.to(source))
            if norm is not None and place % 2:  # the others stay in float32
                norm.to(source)
            weights = Weights(layer, norm, target, last=last)
            if weights.is_derived:
                made.append(weights)
                read = [each for each in (weights.weight, weights.bias) if each is not None]
                wanted.append([each.double() for each in read])
                for each in read:
                    if layer.bias is None or each.data_ptr() != layer.bias.data_ptr():
                        each.fill_(float("nan"))
    assert len(table_of(made)[2]) < len(made) // 8
    fold, others = prepare(made), prepare(made[::2])

    def compare(made: list[Any], wanted: list[Any]) -> None:
        fold()
        for weights, references in zip(made, wanted, strict=True):
            for found, reference in zip((weights.weight, weights.bias), references, strict=False):
                # In float64 a compiler may round a product and a sum at once.
                exact = found.dtype != torch.float64
                limits = {} if exact else {"rtol": 1e-14, "atol": 1e-16}
                same = torch.equal if exact else torch.allclose
                assert same(found.double(), reference, **limits), (weights.layer, found.dtype)

    for _ in range(2):  # all of it at first, then nothing
        compare(made, wanted)
    for place in range(6):  # one number of some layers changes, and changes back
        some = made[place % 3 :: 3]
        numbers = [number_of(weights, place) for weights in some]
        before = [each.clone() for each in numbers]
        for each in numbers:
            each.mul_(2).add_(1)
        read = [Weights(each.layer, each.norm, each.weight.dtype, last=each.last) for each in some]
        compare(some, [[one.double() for one in (each.weight, each.bias) if one is not None]
                       for each in read])  # fmt: skip
        for each, old in zip(numbers, before, strict=True):
            each.copy_(old)
        compare(some, wanted[place % 3 :: 3])
        for each in numbers:  # in between, some of them are folded with others than before
            each.mul_(2).add_(1)
        others()
        for each, old in zip(numbers, before, strict=True):
            each.copy_(old)
        compare(some, wanted[place % 3 :: 3])


def check_losses(fold: Callable[[list[Any]], int], device: str) -> None:
    """Check that `fold(weights)` tells which norms need more than 16 bits, as find_lossy does."""
    changes = [
        {}, {"running_mean": 31.0}, {"running_mean": 65.0}, {"running_mean": -65.0, "bias": 2.0},
        {"running_mean": 65.0, "weight": -0.1}, {"running_mean": 1e3, "weight": 0.0},
        {"running_var": 1e-12}, {"running_var": 1e-12, "weight": 0.0}, {"running_var": 1e10},
        {"running_var": 1e10, "weight": 1e-5}, {"running_mean": 31.0, "weight": 2200.0},
    ]  # fmt: skip
    layers = [  # of the last, filters are too large to have errors that cancel
        lambda: nn.Conv2d(8, 6, 3), lambda: nn.ConvTranspose2d(8, 6, 3, bias=False),
        lambda: nn.Conv2d(7300, 6, 3, bias=False),
        lambda: nn.ConvTranspose2d(800, 6, 3, groups=2, bias=False),
    ]  # fmt: skip
    for dtype, make in itertools.product((torch.half, torch.bfloat16, torch.float32), layers):
        for change in changes:
            torch.manual_seed(0)
            layer, norm = make(), nn.BatchNorm2d(6, eps=1e-12)
            with torch.no_grad():
                if layer.bias is None:
                    nn.init.uniform_(layer.weight, -0.5, 0.5)
                for name, number in change.items():
                    getattr(norm, name).fill_(number)
            layer, norm = layer.to(dtype).to(device), norm.to(device)
            lossy = bool(find_lossy([(layer, norm)]))
            for last in (False, True):
                weights = Weights(layer, norm, last=last)
                assert bool(fold([weights])) == lossy, (layer, dtype, change)
                assert last or layer.in_channels == 7300 or not table_of([weights])[2]


def number_of(weights: Weights, place: int) -> Any:
    """Return a number that weights are folded from, as a view: of the tensors in turn."""
    layer, norm = weights.layer, weights.norm
    found = [layer.weight, layer.bias]
    if norm is not None:
        found += [norm.running_mean, norm.running_var, norm.weight, norm.bias]
    tensors = [each.data for each in found if each is not None]
    one = tensors[place % len(tensors)]
    at = int(torch.randint(0, one.numel(), ()))
    return one[tuple(int(each) for each in torch.unravel_index(torch.tensor(at), one.shape))]
