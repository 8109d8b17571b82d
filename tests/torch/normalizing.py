"""Checks of batch norm in training by kernels, beside float64 and PyTorch, with data that breaks kernels."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)

from cudnn_cffi.torch import modules  # noqa: E402
from cudnn_cffi.torch.fusion.kernels.rows import activated  # noqa: E402
from cudnn_cffi.torch.fusion.training import norms  # noqa: E402

#: Shapes, activations, whether there is a residual, and whether the norm has parameters.
CASES = [
    ((3, 64, 9, 7), ("relu", None), False, True),
    ((2, 96, 33, 5), ("relu", None), True, True),
    ((1, 24, 1, 2), None, False, False),
    ((4, 40, 17, 13), ("swish", None), False, True),
    ((2, 8, 129, 2), ("hard_swish", None), False, False),
    ((2, 136, 6, 6), ("clipped_relu", 6.0), False, True),
    ((5, 72, 8, 8), None, True, True),
]

KINDS = ("normal", "far from zero", "constant", "one far", "zeros", "small")


def images(shape: Any, kind: str, device: str, dtype: Any) -> Any:
    """Images with channels last; channels of `one far` have a number that is far from all others."""
    x = torch.randn(shape, device=device)
    if kind == "far from zero":
        x = x * 0.5 + 40.0
    elif kind == "constant":
        x = x * 0 + 7.25
    elif kind == "one far":
        x[0, :, 0, 0] = -3e4
    elif kind == "zeros":
        x = x * 0
    elif kind == "small":
        x = x * 1e-3
    return x.to(dtype).to(memory_format=torch.channels_last)


def _compute(norm: Any, word: Any, x: Any, residual: Any, dy: Any, call: Any) -> list[Any]:
    """The result, gradients, and statistics."""
    given = [each if each is None else each.detach().requires_grad_() for each in (x, residual)]
    norm.zero_grad()
    y = call(*given)
    y.backward(dy)
    parameters = [] if norm.weight is None else [norm.weight.grad, norm.bias.grad]
    others = [each.grad for each in given if each is not None]
    return [y.detach(), *others, *parameters, norm.running_mean, norm.running_var]


def check_norms(device: str, case: Any, dtype: Any, kinds: Any = KINDS) -> None:
    """Errors beside float64 are at most one and a half times those of PyTorch."""
    shape, word, adds, affine = case
    for kind in kinds:
        torch.manual_seed(len(kind))
        x = images(shape, kind, device, dtype)
        residual = images(shape, "normal", device, dtype) if adds else None
        dy = images(shape, "normal", device, dtype)
        made = []
        for place in range(3):
            torch.manual_seed(3)
            norm = modules.BatchNorm2d(shape[1], momentum=0.3, affine=affine).to(device)
            if affine:
                torch.nn.init.uniform_(norm.weight, -1.5, 1.5)
                torch.nn.init.normal_(norm.bias)
            made.append(norm.double() if place == 2 else norm)

        def plain(norm: Any, x: Any, residual: Any) -> Any:
            y = torch.nn.functional.batch_norm(
                x, norm.running_mean, norm.running_var, norm.weight, norm.bias, True, 0.3
            )
            return activated(y if residual is None else y + residual, word)

        zeros = torch.zeros(norms.tiles_of(shape[1]) + 3, dtype=torch.int32, device=device)
        ours = norms.Normalizing(made[0], word, 2, has_word=word is None)
        torch.full((1 << 18,), torch.nan, device=device)  # new memory begins with NaN
        found = _compute(made[0], word, x, residual, dy, lambda x, r: ours(x, zeros, r))
        node = ours(x.requires_grad_(), zeros, residual).grad_fn
        assert isinstance(node, norms.NODE), "the kernels take it"
        assert node.is_fresh == (adds and word is not None)
        x = x.detach()
        assert not zeros.any()
        theirs = _compute(made[1], word, x, residual, dy, lambda x, r: plain(made[1], x, r))
        wide = [each if each is None else each.double() for each in (x, residual)]
        wanted = _compute(made[2], word, *wide, dy.double(), lambda x, r: plain(made[2], x, r))
        found[-2:] = made[0].running_mean, made[0].running_var
        # The second call of ours, which looks for its node, has changed statistics again.
        for own, other in zip(wanted[-2:], (x.double().mean((0, 2, 3)), x.double().var((0, 2, 3))), strict=True):
            own.lerp_(other, 0.3)
        for own, other in zip(theirs[-2:], (x.float().mean((0, 2, 3)), x.float().var((0, 2, 3))), strict=True):
            own.lerp_(other, 0.3)
        for place, (one, two, right) in enumerate(zip(found, theirs, wanted, strict=True)):
            assert one.dtype == two.dtype
            assert one.isfinite().all() == two.isfinite().all(), (kind, place)
            errors = [float((each.double() - right).norm()) for each in (one, two)]
            size = float(right.norm())
            step = 2.0**-8 if one.dtype == torch.bfloat16 else 2.0**-11
            step = step if one.dtype == dtype else 2e-6
            assert errors[0] <= 1.5 * errors[1] + step * size + 1e-6, (kind, place, errors, size)
