"""Checks of batch norm in training by kernels, with data that breaks kernels."""

from __future__ import annotations

import copy
import math
from functools import partial
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)

from cudnn_cffi.torch import modules  # noqa: E402
from cudnn_cffi.torch.fusion.kernels.activations import activated  # noqa: E402
from cudnn_cffi.torch.fusion.norms import Scale  # noqa: E402
from cudnn_cffi.torch.fusion.training import layer_norms, norms, pooling, weights  # noqa: E402
from torch.nn import functional  # noqa: E402

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


def _compute(norm: Any, x: Any, residual: Any, dy: Any, call: Any) -> tuple[list[Any], Any]:
    """The result, gradients, and statistics; and the node of autograd."""
    given = [each if each is None else each.detach().requires_grad_() for each in (x, residual)]
    y = call(norm, *given)
    node = y.grad_fn
    y.backward(dy)
    parameters = [] if norm.weight is None else [norm.weight.grad, norm.bias.grad]
    others = [each.grad for each in given if each is not None]
    return [y.detach(), *others, *parameters, norm.running_mean, norm.running_var], node


def _by_kernels(word: Any, zeros: Any) -> Any:
    def call(norm: Any, x: Any, residual: Any) -> Any:
        return norms.Normalizing(norm, word, 2, has_word=word is None)(x, zeros, residual)

    return call


def _by_pytorch(word: Any) -> Any:
    def call(norm: Any, x: Any, residual: Any) -> Any:
        statistics = norm.running_mean, norm.running_var
        y = functional.batch_norm(x, *statistics, norm.weight, norm.bias, True, 0.3)
        return activated(y if residual is None else y + residual, word)

    return call


def _norm(channels: int, affine: bool, device: str) -> Any:
    torch.manual_seed(3)
    norm = modules.BatchNorm2d(channels, momentum=0.3, affine=affine).to(device)
    if affine:
        torch.nn.init.uniform_(norm.weight, -1.5, 1.5)
        torch.nn.init.normal_(norm.bias)
    return norm


def check_norms(device: str, case: Any, dtype: Any, kinds: Any = KINDS) -> None:
    """Errors beside float64 are at most one and a half times those of PyTorch."""
    shape, word, adds, affine = case
    for kind in kinds:
        torch.manual_seed(len(kind))
        x, dy, other = (images(shape, each, device, dtype) for each in (kind, "normal", "normal"))
        residual = other if adds else None
        zeros = torch.zeros(norms.tiles_of(shape[1]) + 3, dtype=torch.int32, device=device)
        torch.full((1 << 18,), torch.nan, device=device)  # new memory begins with NaN
        own = [_norm(shape[1], affine, device) for _ in range(3)]
        found, node = _compute(own[0], x, residual, dy, _by_kernels(word, zeros))
        assert isinstance(node, norms.NODE), "the kernels take it"
        assert node.is_fresh == (adds and word is not None)
        assert not zeros.any()
        theirs, _ = _compute(own[1], x, residual, dy, _by_pytorch(word))
        wide = [each if each is None else each.double() for each in (x, residual)]
        wanted, _ = _compute(own[2].double(), wide[0], wide[1], dy.double(), _by_pytorch(word))
        for place, (one, two, right) in enumerate(zip(found, theirs, wanted, strict=True)):
            assert one.dtype == two.dtype
            assert bool(one.isfinite().all()) == bool(two.isfinite().all()), (kind, place)
            errors = [float((each.double() - right).norm()) for each in (one, two)]
            size = float(right.norm())
            step = 2.0**-8 if one.dtype == torch.bfloat16 else 2.0**-11
            step = step if one.dtype == dtype else 2e-6
            assert errors[0] <= 1.5 * errors[1] + step * size + 1e-6, (kind, place, errors, size)


def check_second_derivatives(device: str) -> None:
    """Gradients of gradients are as close to float64 as PyTorch's of float16."""
    for word, adds in ((("relu", None), True), (("swish", None), False)):
        torch.manual_seed(1)
        x, residual = (images((4, 16, 9, 7), "normal", device, torch.float16) for _ in range(2))
        factor = images((4, 16, 9, 7), "normal", device, torch.float64)
        zeros = torch.zeros(norms.tiles_of(16) + 2, dtype=torch.int32, device=device)
        found = []
        by = _by_kernels(word, zeros), _by_pytorch(word), _by_pytorch(word)
        for call, dtype in zip(by, (x.dtype, x.dtype, torch.float64), strict=True):
            own = _norm(16, True, device).to(torch.promote_types(dtype, torch.float32))
            given = [each.detach().to(dtype).requires_grad_() for each in (x, residual)]
            y = call(own, given[0], given[1] if adds else None)
            assert isinstance(y.grad_fn, norms.NODE) == (call is by[0])
            loss = (factor * y.double()).square().sum()
            (first,) = torch.autograd.grad(loss, given[0], create_graph=True)
            (first.double() * factor).sum().backward()
            grads = [given[0].grad, own.weight.grad, *([given[1].grad] if adds else [])]
            found.append([each.double() for each in grads])
        for ours, theirs, right in zip(*found, strict=True):
            errors = [float((each - right).norm() / right.norm()) for each in (ours, theirs)]
            assert errors[0] <= 1.5 * errors[1] + 1e-3, (word, errors)


def check_other_gradients(device: str) -> None:
    """Gradients of many results at once, and of what hooks keep in C order, are those of a call."""
    torch.manual_seed(2)
    norm, rows = _norm(16, True, device), torch.nn.LayerNorm(16).to(device)
    zeros = torch.zeros(norms.tiles_of(16) + 2, dtype=torch.int32, device=device)
    x, residual = (images((2, 16, 6, 4), "normal", device, torch.bfloat16) for _ in range(2))
    added = norms.Normalizing(norm, ("relu", None), 0, has_word=False)
    by_rows = layer_norms.RowNormalizing(Scale(rows, ("weight", "bias"), 1e-5, False), rows)
    pool = pooling.MaxPooling(modules.MaxPool2d(2))

    def in_rows(x: Any) -> Any:
        with torch.autocast(device, torch.bfloat16):
            return by_rows(x)

    for call, given in (
        (lambda x, y: added(x, zeros, y), [x, residual]), (pool, [x]),
        (in_rows, [x.detach().permute(0, 2, 3, 1)]),
    ):  # fmt: skip
        own = [each.detach().requires_grad_() for each in given]
        y = call(*own)
        assert y.grad_fn.name() in ("_NormBackward", "_PoolingBackward", "_LayerNormBackward")
        many = torch.randn(3, *y.shape, device=device).to(y.dtype)
        grad = partial(torch.autograd.grad, retain_graph=True)
        wanted = [grad(y, own, each) for each in many]
        stacked = [torch.stack(each) for each in zip(*wanted, strict=True)]
        found = [
            grad(y, own, many, is_grads_batched=True),
            torch.func.vmap(lambda dy, y=y, own=own, grad=grad: grad(y, own, dy))(many),
        ]
        for each in found:
            assert all(map(torch.equal, each, stacked))
        with torch.autograd.graph.saved_tensors_hooks(
            lambda each: each.clone(memory_format=torch.contiguous_format), lambda each: each
        ):
            y = call(*own)
        assert all(map(torch.equal, grad(y, own, many[0]), wanted[0]))
        assert all(map(torch.equal, grad(y, own, torch._neg_view(-many[0])), wanted[0]))


#: Rows and columns of layer norms, and whether there is a bias.
ROWS = [((3, 5, 7, 96), True), ((1, 8), False), ((70, 264), True), ((2, 130, 768), True)]


def check_layer_norms(device: str, case: Any, dtype: Any, kinds: Any = KINDS) -> None:
    """Results are those of float64, rounded, and gradients as close as those of float32."""
    shape, has_bias = case
    for kind in kinds:
        torch.manual_seed(len(kind))
        rows = math.prod(shape[:-1]), shape[-1], 1, 1
        x, dy = (images(rows, e, device, dtype).reshape(shape) for e in (kind, "normal"))
        module = torch.nn.LayerNorm(shape[-1], 1e-6, bias=has_bias).to(device)
        torch.nn.init.uniform_(module.weight, -1.5, 1.5)
        if has_bias:
            torch.nn.init.normal_(module.bias)
        torch.full((1 << 18,), torch.nan, device=device)  # new memory begins with NaN
        ours = layer_norms.RowNormalizing(
            Scale(module, ("weight", "bias" if has_bias else None), 1e-6, False), module
        )

        def compute(call: Any, kind: Any, module: Any = module, x: Any = x, dy: Any = dy) -> Any:
            own = module if kind == dtype else copy.deepcopy(module).to(kind)
            given = x.detach().to(kind).requires_grad_()
            own.zero_grad()
            with torch.autocast(device, dtype, enabled=kind == dtype):
                y = (call or own)(given)
            y.backward(dy.to(y.dtype))
            grads = [each.grad for each in own.parameters()]
            return [
                y.detach().to(dtype if kind == torch.float32 else y.dtype),
                given.grad,
                *grads,
            ], y

        found, y = compute(ours, dtype)
        assert y.grad_fn.name() == "_LayerNormBackward", "the kernels take it"
        theirs, wanted = compute(None, torch.float32)[0], compute(None, torch.float64)[0]
        for place, (one, two, right) in enumerate(zip(found, theirs, wanted, strict=True)):
            errors = [float((each.double() - right).norm()) for each in (one, two)]
            step = 2.0**-8 if one.dtype == torch.bfloat16 else 2.0**-11
            step = step if one.dtype == dtype else 2e-6
            assert errors[0] <= 1.5 * errors[1] + step * float(right.norm()) + 1e-6, (
                kind,
                place,
                errors,
            )


def check_casts(device: str, dtype: Any, count: int = 260) -> None:
    """Casts by the kernel are PyTorch's, of any sizes and strides; another tensor is refused."""
    sizes = [(1,), (7,), (8192,), (8193,), (5, 4, 3, 3), (64, 64, 3, 3), *[(3, 17)] * count]
    own = [torch.randn(size, device=device) * 3e4 for size in sizes]
    own[1][:3] = torch.tensor([torch.nan, torch.inf, -1e-30])
    own[4] = own[4].to(memory_format=torch.channels_last)
    for wide in (own, [each.to(dtype) for each in own]):
        kind = dtype if wide[0].dtype == torch.float32 else torch.float32
        made = [torch.full_like(each, torch.nan, dtype=kind) for each in wide]
        assert weights._cast_by_kernel(wide, made), "the kernel takes it"
        for each, other in zip(made, wide, strict=True):
            assert torch.equal(each.nan_to_num(7.0), other.to(kind).nan_to_num(7.0))
            assert each.stride() == other.stride()
    gaps = [torch.zeros(8, 8, device=device)[:, :4]]
    assert not weights._cast_by_kernel(gaps, [torch.empty_like(e, dtype=dtype) for e in gaps])
