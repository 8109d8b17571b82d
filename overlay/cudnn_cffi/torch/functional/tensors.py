"""Whole tensors: sums, products, reductions, copies into other layouts and types.

Second derivatives: by PyTorch, as the first ones; by cuDNN of `transform`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from ... import errors, ops
from ..._support.arguments import boolean
from ..autograd.layer import Layer
from ..autograd.layouts import dense, empty, is_last
from ..autograd.sharing import shared
from .arguments import check_tensors

if TYPE_CHECKING:
    from ..._ways.signatures import OperationWord, ReductionWord
    from ...choice.policy import Choose
    from ..autograd.record import Gradients, Results, Tensors
    from .arguments import Sizes

_TWO: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": torch.add, "mul": torch.mul, "min": torch.minimum, "max": torch.maximum,
}  # fmt: skip


class TensorOperation(Layer):
    """The layer of op(alpha * a, alpha2 * b); its gradients are PyTorch's."""

    by = ops.TensorOperation
    names = ("str operation", "float alpha", "float alpha2")

    def _start(self, operation: str, alpha: float, alpha2: float) -> None:
        self.name, self.alpha, self.alpha2 = operation, alpha, alpha2

    def make(self, **options: object) -> ops.Operation:
        return super().make(operation=self.name, **options)

    def compute(self, a: Tensor, b: Tensor | None) -> Results:
        return self.operation()(a, b, alpha=self.alpha)

    def reference(self, a: Tensor, b: Tensor | None) -> Results:
        a = a if self.alpha == 1.0 else a * self.alpha
        if b is None:
            return a.sqrt() if self.name == "sqrt" else 1 - a
        return _TWO[self.name](a, b if self.alpha2 == 1.0 else b * self.alpha2)

    def fake(self, a: Tensor, b: Tensor | None) -> Results:
        return torch.empty_like(dense(a))


def _product(x: Tensor, axes: Sequence[int], keep: bool) -> Tensor:
    for axis in sorted(axes, reverse=True):
        x = x.prod(axis, keepdim=keep)
    return x


#: Reductions by PyTorch, of an array over axes, which are kept or not.
_REDUCTIONS: dict[str, Callable[[Tensor, Sequence[int], bool], Tensor]] = {
    "add": lambda x, axes, keep: x.sum(axes, keepdim=keep),
    "avg": lambda x, axes, keep: x.mean(axes, keepdim=keep),
    "min": lambda x, axes, keep: x.amin(axes, keepdim=keep),
    "max": lambda x, axes, keep: x.amax(axes, keepdim=keep),
    "amax": lambda x, axes, keep: x.abs().amax(axes, keepdim=keep),
    "norm1": lambda x, axes, keep: x.abs().sum(axes, keepdim=keep),
    "norm2": lambda x, axes, keep: torch.linalg.vector_norm(x, 2, axes, keepdim=keep),
    "mul": _product,
    "mul_no_zeros": lambda x, axes, keep: _product(x.masked_fill(x == 0, 1.0), axes, keep),
}


class Reduction(Layer):
    """The layer of a reduction over axes; its gradient is PyTorch's."""

    by = ops.Reduction
    gives = ("y",)
    names = ("str operation", "int[] axes", "bool keep_axes")

    def _start(self, operation: str, axes: tuple[int, ...], keep_axes: bool) -> None:
        self.name, self.axes, self.keep_axes = operation, axes, keep_axes

    def make(self, **options: object) -> ops.Operation:
        return super().make(operation=self.name, **options)

    def reference(self, x: Tensor) -> Results:
        return _REDUCTIONS[self.name](x, self.axes, self.keep_axes)

    def fake(self, x: Tensor) -> Results:
        return x.new_empty(x.sum(self.axes, keepdim=self.keep_axes).shape)


class Transform(Layer):
    """The layer of a copy into another layout or type; its gradient is a copy back."""

    by = ops.Transform
    layout: str | None
    dtype: str | None

    twice = True

    def _last(self, x: Tensor) -> bool:
        return is_last(x) if self.layout is None else self.layout == "NHWC"

    def _kind(self, x: Tensor) -> torch.dtype:
        return x.dtype if self.dtype is None else getattr(torch, self.dtype)

    def reference(self, x: Tensor) -> Results:
        made = x.to(self._kind(x))
        return torch.empty_like(self.fake(x)).copy_(made) if not made.requires_grad else made

    def fake(self, x: Tensor) -> Results:
        made = torch.empty_like(dense(x)) if self.layout is None else empty(
            x, x.shape, self._last(x)
        )  # fmt: skip
        return torch.empty_like(made, dtype=self._kind(x))

    def saves(self, given: Tensors, results: Tensors) -> Tensors:
        return (given[0].new_empty(0),)  # that knows the type

    def gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        dtype = str(saved[0].dtype).removeprefix("torch.")
        back = shared(Transform, None, dtype, choose=self.choose)
        return (back(grads[0]),)

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        return (grads[0].to(saved[0].dtype),)


def tensor_operation(
    operation: OperationWord, a: Tensor, b: Tensor | None = None, alpha: float = 1.0,
    alpha2: float = 1.0, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return op(alpha * a, alpha2 * b) element by element, by `cudnnOpTensor`.

    Args:
        operation: "add", "mul", "min" or "max"; "sqrt" and "not" (1 - a) of one tensor.
        a: a tensor with up to five axes.
        b: one of the same shape, or with extents of 1, which are repeated.
        alpha, alpha2: what they are multiplied by.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: there is no such operation, or shapes do not fit.
    """
    check_tensors(a=a)
    word = ops.TensorOperation(operation).options["operation"]
    return shared(TensorOperation, word, float(alpha), float(alpha2), choose=choose)(a, b)


def add(a: Tensor, b: Tensor, alpha: float = 1.0, *, choose: Choose = None) -> Tensor:
    """Return a + alpha * b.

    Args:
        a: a tensor with up to five axes, on a GPU.
        b: one of the same shape, or with extents of 1, which are broadcast.
        alpha: the factor of `b`.
        choose: the policy that picks the engine or function; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: shapes do not fit, or a tensor is not on a GPU.

    Computed by `cudnnOpTensor`.
    """
    return tensor_operation("add", a, b, 1.0, alpha, choose=choose)


def reduce(
    x: Tensor, operation: ReductionWord = "add", axes: Sizes | None = None,
    keep_axes: bool = False, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Reduce over axes, by `cudnnReduceTensor` or functions that are faster at it.

    Args:
        x: a tensor with up to eight axes.
        operation: "add", "mul", "min", "max", "amax" (the largest absolute value), "avg", "norm1",
            "norm2" or "mul_no_zeros"; also "sum", "mean", "prod".
        axes: a number or several; all without them.
        keep_axes: whether the result has these axes, with one element.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: there is no such operation or axis.
    """
    check_tensors(x=x)
    word = ops.Reduction(operation).options["operation"]
    given = range(x.dim()) if axes is None else (axes,) if isinstance(axes, int) else axes
    wrong = [axis for axis in given if not -x.dim() <= axis < x.dim()]
    if wrong:
        raise errors.ArgumentError(f"axes: expected -{x.dim()} to {x.dim() - 1}, got {wrong[0]}")
    chosen = tuple(sorted({axis % x.dim() for axis in given}))
    if x.dim() and not chosen:  # PyTorch's functions reduce over all of them then
        raise errors.ArgumentError("axes: expected one or more, or None for all, got none")
    return shared(Reduction, word, chosen, boolean(keep_axes, "keep_axes"), choose=choose)(x)


def transform(
    x: Tensor, layout: Literal["NCHW", "NHWC"] | None = None, dtype: torch.dtype | None = None, *,
    choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Copy into another layout or data type, by `cudnnTransformTensor`.

    Args:
        x: a tensor with up to five axes.
        layout: "NCHW" or "NHWC", of the memory; without one that of `x`.
        dtype: the data type of the result; without one that of `x`.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: there is no such layout.
    """
    check_tensors(x=x)
    if layout not in (None, "NCHW", "NHWC"):
        raise errors.ArgumentError(f'layout: expected "NCHW" or "NHWC", got {layout!r}')
    word = None if dtype is None else str(dtype).removeprefix("torch.")
    return shared(Transform, layout, word, choose=choose)(x)
