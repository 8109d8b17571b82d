"""Attention of FP8 for training, whose scales the module keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor, nn

from ... import errors, ops
from ..._support.arguments import boolean
from ..autograd.batches import one_by_one
from ..autograd.once import once
from ..autograd.states import is_transformed
from ..autograd.switches import is_grad_on
from .base import Cudnn, on_gpu

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..autograd.record import Context

_FP8 = torch.float8_e4m3fn
#: The largest number of the type.
_LARGEST = 448.0
#: Softmax's result, at most 1, is multiplied by it.
_OF_WEIGHTS = 256.0
#: A tensor may grow by this factor from one call to the next. On an H200, a greater one than this
#: costs digits of gradients over 4096 keys.
_HEADROOM = 16.0
#: The function that computes, which compiled models call.
_uncompiled: list[Callable[..., Tensor]] = []
#: The rows of `amax`.
_ROWS = ("q", "k", "v", "do", "dp", "dq", "dk", "dv")
#: The rows that are known after the gradients alone.
_INNER = _ROWS[4:]


def _scale(greatest: Tensor) -> Tensor:
    """Return what a tensor is multiplied by; 1 if it is zeros, or not finite."""
    usable = (greatest > 0) & greatest.isfinite()
    found = torch.where(usable, _LARGEST / greatest, 1.0)
    return found.clamp(max=torch.finfo(torch.float32).max ** 0.5)


class ScaledDotProductAttentionFP8(Cudnn, nn.Module):
    """Attention whose products, forward and backward, cuDNN computes in FP8 (e4m3).

    Tensors are multiplied by scales, rounded, and divided again. Results have the type of the
    query. For normal numbers they are 6 % off in the norm, and gradients 7 %, where scores have a
    deviation of 1; 12 and 17 % where it is 6.

    Gradients need a width of 128, and a multiple of 16 queries.

    PyTorch computes: tensors on the CPU and in transforms of `torch.func`, in their own data type

    Attributes:
        amax: the greatest absolute values of q, k, v, do, dp (of the scores' gradient), dq, dk and
            dv in the last calls in training, newest first: (8, history), float32, a buffer.
    """

    _decides = frozenset({"is_causal", "scale"})
    amax: Tensor
    _knows_gradients = False

    def __init__(
        self, is_causal: bool = False, scale: float | None = None,
        scaling: Literal["current", "delayed"] = "current", history: int = 16,
    ) -> None:  # fmt: skip
        """Make the module.

        Args:
            is_causal: whether a query sees only keys up to its own place.
            scale: of the scores; 1 / sqrt(width) without it.
            scaling: "current": what is given is scaled by its own greatest value; "delayed": by
                16 times that of the last calls, and larger values are cut off. The gradients, and
                what lies between, are scaled like that in any case, and cut off without an error.
            history: how many calls these are.
        """
        super().__init__()
        if scaling not in ("current", "delayed"):
            raise errors.ArgumentError(f'scaling: expected "current" or "delayed", got {scaling!r}')
        if history < 1:
            raise errors.ArgumentError(f"history: expected 1 or more, got {history}")
        self.is_causal, self.scaling = boolean(is_causal, "is_causal"), scaling
        self.scale = None if scale is None else float(scale)
        self.register_buffer("amax", torch.zeros(len(_ROWS), history))

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Return softmax(scale * query key') value.

        Args:
            query, key, value: (batch, heads, length, width), of any floating-point type; heads of
                keys divide those of queries.
        """
        if not _uncompiled:  # earlier, it would import Dynamo with all modules, for a second
            _uncompiled.append(torch.compiler.disable(ScaledDotProductAttentionFP8._attend))
        return _uncompiled[0](self, query, key, value)

    def _attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        for name, each in (("query", query), ("key", key), ("value", value)):
            if each.dim() != 4 or not each.is_floating_point():
                raise errors.ArgumentError(
                    f"{name}: expected floating point, (batch, heads, length, width), got "
                    f"{each.dtype} {tuple(each.shape)}"
                )
        grouped = key.shape[1] != query.shape[1]
        if is_transformed() or not on_gpu(query):
            self._leave("cuDNN computes tensors on a GPU outside of transforms", query)
            return nn.functional.scaled_dot_product_attention(
                query, key, value, is_causal=self.is_causal, scale=self.scale, enable_gqa=grouped
            )
        if self.amax.device != query.device:
            with torch.inference_mode(False):  # training changes it later
                self.amax = self.amax.to(query.device)
        if grouped and is_grad_on():  # engines have no such gradients
            count = query.shape[1] // key.shape[1]
            key, value = (each.repeat_interleave(count, 1) for each in (key, value))
        return _Attend.apply(query, key, value, self)

    def _quantized(self, name: str, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return a tensor in FP8, its scale, and what multiplies it after it is read."""
        now = x.detach().abs().amax().float()
        greatest = now
        if self.scaling == "delayed":
            before = self.amax[_ROWS.index(name)].max() * _HEADROOM
            greatest = torch.where(before > 0, before, now)
        if self.training:
            self._note(name, now)
        scale = _scale(greatest)
        scaled = (x.detach().float() * scale).clamp(-_LARGEST, _LARGEST).to(_FP8)
        if scaled.stride(-1) != 1:
            scaled = scaled.contiguous()
        return scaled, scale.reshape(1), (1 / scale).reshape(1)

    def _note(self, name: str, greatest: Tensor) -> None:
        """Keep a greatest value as the newest."""
        row = self.amax[_ROWS.index(name)]
        row.copy_(torch.cat([greatest.reshape(1), row[:-1]]))

    def _operation(self, cls: Any, **options: Any) -> Any:
        return cls(self.scale, causal=self.is_causal, choose=self.choose, **options)

    @property
    def refused(self) -> dict[tuple[object, ...], str]:
        """Return nothing: where cuDNN refuses, an error is raised."""
        return {}

    def extra_repr(self) -> str:
        """Return the options."""
        return f"is_causal={self.is_causal}, scale={self.scale}, scaling={self.scaling!r}"


class _Attend(torch.autograd.Function):
    """Attention of FP8, by a module that keeps the scales."""

    @staticmethod
    def forward(
        ctx: Context, q: Tensor, k: Tensor, v: Tensor, module: ScaledDotProductAttentionFP8
    ) -> Tensor:
        arrays, numbers = {}, {}
        for name, each in (("q", q), ("k", k), ("v", v)):
            arrays[name], scale, numbers[f"descale_{name}"] = module._quantized(name, each)
        weights = torch.full_like(scale, _OF_WEIGHTS)
        numbers |= {"scale_s": weights, "descale_s": 1 / weights}
        # A result is a mean of values, and no greater than they are.
        operation = module._kept("forward", lambda: module._operation(ops.Attention, stats=True))
        found = operation(*arrays.values(), **numbers, scale_o=scale)
        numbers["descale_o"] = numbers["descale_v"]
        ctx.save_for_backward(*arrays.values(), found.o, found.stats, *numbers.values())
        ctx.names, ctx.module = tuple(numbers), module
        ctx.kinds = q.dtype, k.dtype, v.dtype
        return (found.o.float() * numbers["descale_o"]).to(q.dtype)

    @staticmethod
    @one_by_one
    @once("attention of FP8")
    def backward(ctx: Context, gradient: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v, o, stats, *rest = ctx.saved_tensors
        module: ScaledDotProductAttentionFP8 = ctx.module
        numbers = dict(zip(ctx.names, rest, strict=True))
        if gradient.stride() != o.stride():
            gradient = torch.empty_like(o, dtype=gradient.dtype).copy_(gradient)
        do, _, numbers["descale_do"] = module._quantized("do", gradient)
        operation = module._kept("backward", lambda: module._operation(ops.AttentionBackward))
        greatest = {name: module.amax[_ROWS.index(name)].max() for name in _INNER}
        known = module._knows_gradients or bool(greatest["dp"] > 0)
        # At first the greatest values follow from each other: those of the scores' gradient, then
        # those of the gradients.
        for _ in range(1 if known else 3):
            scales = {name: _scale(_HEADROOM * each).reshape(1) for name, each in greatest.items()}
            numbers |= {f"scale_{name}": each for name, each in scales.items()}
            numbers["descale_dp"] = 1 / scales["dp"]
            found = operation(do, q, k, v, o, stats, **numbers)
            made = (found.amax_p, found.amax_q, found.amax_k, found.amax_v)
            greatest = {name: each.reshape(()) for name, each in zip(_INNER, made, strict=True)}
        module._knows_gradients = True
        if module.training:
            for name, each in greatest.items():
                module._note(name, each)
        results = zip(found[:3], _INNER[1:], ctx.kinds, ctx.needs_input_grad, strict=False)
        return *(
            (each.float() / scales[name]).to(kind) if needed else None
            for each, name, kind, needed in results
        ), None
