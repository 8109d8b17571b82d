"""Functions of each element, and softmax.

Second derivatives: by PyTorch
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor

from ... import errors, ops
from ..._support.arguments import boolean
from ...choice.policy import open_policy, reopen
from ...ops.element.activation import ACTIVATIONS
from ..autograd.batches import one_by_one
from ..autograd.layer import Layer
from ..autograd.layouts import dense, matched
from ..autograd.nodes import REFUSALS, gradients_of, known
from ..autograd.sharing import is_dynamo, keep, shared
from ..autograd.states import changed, is_eager
from ..autograd.switches import is_grad_on
from .arguments import check_tensors

if TYPE_CHECKING:
    from ...choice.policy import Choose
    from ..autograd.record import Context, Gradients, Results, Tensors

_functional = torch.nn.functional


#: PyTorch's functions of x and of the number, by our words.
_THEIRS: dict[str, Callable[[Tensor, Any], Tensor]] = {
    "relu": lambda x, _: torch.relu(x),
    "clipped_relu": lambda x, most: _functional.hardtanh(x, 0.0, most),
    "leaky_relu": _functional.leaky_relu,
    "sigmoid": lambda x, _: torch.sigmoid(x),
    "tanh": lambda x, _: torch.tanh(x),
    "elu": _functional.elu,
    "silu": lambda x, beta: _functional.silu(x) if beta == 1.0 else x * torch.sigmoid(x * beta),
    "softplus": _functional.softplus,
    "gelu": lambda x, _: _functional.gelu(x),
    "gelu_tanh": lambda x, _: _functional.gelu(x, approximate="tanh"),
}


#: The gradients that follow from the result alone, by PyTorch.
_BY_RESULT: dict[str, Callable[[Tensor, Tensor, Any], Tensor]] = {
    "relu": lambda dy, y, _: dy * (y > 0),
    "clipped_relu": lambda dy, y, most: dy * ((y > 0) & (y < most)),
    "sigmoid": lambda dy, y, _: dy * (y * (1 - y)),
    "tanh": lambda dy, y, _: dy * ((1 + y) * (1 - y)),
}


class _Elements(Layer):
    """The base of an activation and its gradient."""

    names = ("str word", "float? number")
    activation: str
    coefficient: float | None

    def _start(self, word: str, number: float | None) -> None:
        self.activation, self.coefficient = word, number
        default = ACTIVATIONS[word].coefficient
        self.number = default[1] if number is None and default is not None else number
        self.by_result: Any = _BY_RESULT.get(word)

    def arrange(self, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        like = dense(next(each for each in reversed(given) if each is not None))
        return tuple([each if each is None else matched(each, like) for each in given])


class Activation(_Elements):
    """The layer of an activation."""

    by = ops.Activation
    again = 1

    def _start(self, word: str, number: float | None) -> None:
        super()._start(word, number)
        self.casts = "float32" if word == "softplus" else ""  # as PyTorch's function of the name

    def reference(self, x: Tensor) -> Results:
        return _THEIRS[self.activation](x, self.number)

    def fake(self, x: Tensor) -> Results:
        return torch.empty_like(x)

    def saves(self, given: Tensors, results: Tensors) -> Tensors:
        if self.activation == "relu":
            return (results[0],)
        # Classic functions alone read the result, too.
        return (given[0], results[0]) if ACTIVATIONS[self.activation].mode else (given[0],)

    def gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        if len(saved) == 1 and self.by_result:
            saved = (None, *saved)
        return (self.parts[ActivationBackward](grads[0], *saved),)

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        if len(saved) == 1 and self.by_result:
            return (self.by_result(grads[0], saved[0], self.number),)
        return super().own_gradients(saved, needs, grads)

    def in_place(self, x: Tensor) -> Tensor:
        """Overwrite the tensor, and return it.

        Raises:
            RuntimeError: the tensor is a leaf that needs a gradient.
        """
        grad = is_grad_on() and x.requires_grad
        plain = x.is_cuda and is_eager(x)
        # PyTorch refuses to write to a leaf with a gradient, and says so.
        if not plain or (grad and (x.is_leaf or not self.by_result)):
            # Most gradients need the input: compute from a copy, which autograd keeps.
            return x.copy_(self(x.clone() if grad else x))
        if grad:
            return _InPlace.apply(self, x)
        self.overwrite(x)
        return x

    def overwrite(self, x: Tensor) -> None:
        """Compute into the input, without gradients."""
        try:
            self.operation()(x, out=x)
        except REFUSALS as error:
            x.copy_(self._instead((x,), error))
        else:
            changed(x)  # which PyTorch has not seen


class _InPlace(torch.autograd.Function):
    """An activation that overwrites its input."""

    @staticmethod
    def forward(ctx: Context, layer: Activation, x: Tensor) -> Tensor:
        layer.overwrite(x)
        ctx.mark_dirty(x)
        ctx.layer, ctx.scope = layer, open_policy()
        ctx.save_for_backward(x)
        return x

    @staticmethod
    @one_by_one
    def backward(ctx: Context, *grads: Tensor) -> Gradients:
        with reopen(ctx.scope):
            return (None, *ctx.layer.backward(ctx.saved_tensors, (True,), grads))


class ActivationBackward(_Elements):
    """The layer of the gradient of an activation."""

    by = ops.ActivationBackward

    def reference(self, dy: Tensor, x: Tensor | None, y: Tensor | None = None) -> Results:
        if x is None:
            return self.by_result(dy, y, self.number)
        return gradients_of(Activation(*self.options).reference, (x,), (True,), (dy,))[0]

    def fake(self, dy: Tensor, x: Tensor | None, y: Tensor | None = None) -> Results:
        return torch.empty_like(y if x is None else x)


class _Softmax(Layer):
    """The base of softmax and its gradient."""

    names = ("int axis", "bool log", "bool fast")
    axis: int
    log: bool

    casts = "float32"

    def _start(self, axis: int, log: bool, fast: bool) -> None:
        self.axis, self.log, self.accurate = axis, log, not fast

    def arrange(self, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        like = dense(given[-1])
        return tuple([matched(each, like) for each in given])


class Softmax(_Softmax):
    """The layer of softmax, or of its logarithm."""

    by = ops.Softmax
    keeps = ("y",)

    def reference(self, x: Tensor) -> Results:
        return torch.log_softmax(x, self.axis) if self.log else torch.softmax(x, self.axis)

    def fake(self, x: Tensor) -> Results:
        return torch.empty_like(x)

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        return (SoftmaxBackward(*self.options).reference(grads[0], saved[0]),)


class SoftmaxBackward(_Softmax):
    """The layer of the gradient of softmax."""

    by = ops.SoftmaxBackward

    def reference(self, dy: Tensor, y: Tensor) -> Results:
        if self.log:
            return dy - y.exp() * dy.sum(self.axis, keepdim=True)
        return y * (dy - (dy * y).sum(self.axis, keepdim=True))

    def fake(self, dy: Tensor, y: Tensor) -> Results:
        return torch.empty_like(y)


def _activate(
    x: Tensor, word: str, number: float | None, choose: Choose, inplace: bool = False
) -> Tensor:
    given = "activation", word, number, choose
    found: Tensor | None = None if inplace or is_dynamo() else known(x, given)
    if found is not None:
        return found
    check_tensors(input=x)
    inplace = boolean(inplace, "inplace")
    layer: Any = keep(shared(Activation, word, number, choose=choose), x, given)
    return layer.in_place(x) if inplace else layer(x)


def relu(input: Tensor, inplace: bool = False, *, choose: Choose = None) -> Tensor:
    """Return max(x, 0) for each element.

    The gradient for a NaN is 0, where PyTorch's is that of the result.

    Args:
        input: a tensor of any shape on a GPU, floating point.
        inplace: whether the result overwrites the input.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: the input is no tensor on a GPU.
        NotSupportedError: cuDNN does not compute this.
    """
    return _activate(input, "relu", None, choose, inplace)


def clipped_relu(
    input: Tensor, ceiling: float = 6.0, inplace: bool = False, *, choose: Choose = None
) -> Tensor:
    """Return min(max(x, 0), ceiling) for each element.

    Args:
        ceiling: the largest result.
        input, inplace, choose: as for `relu`, whose errors it raises, too.
    """
    return _activate(input, "clipped_relu", float(ceiling), choose, inplace)


def relu6(input: Tensor, inplace: bool = False, *, choose: Choose = None) -> Tensor:
    """Return min(max(x, 0), 6) for each element.

    Args:
        input, inplace, choose: as for `relu`, whose errors it raises, too.
    """
    return clipped_relu(input, 6.0, inplace, choose=choose)


def leaky_relu(
    input: Tensor, negative_slope: float = 0.01, inplace: bool = False, *, choose: Choose = None
) -> Tensor:
    """Return x for elements above 0, else negative_slope * x.

    Args:
        negative_slope: the slope below 0.
        input, inplace, choose: as for `relu`, whose errors it raises, too.
    """
    return _activate(input, "leaky_relu", float(negative_slope), choose, inplace)


def sigmoid(input: Tensor, *, inplace: bool = False, choose: Choose = None) -> Tensor:
    """Return 1 / (1 + exp(-x)) for each element.

    Args:
        input, inplace, choose: as for `relu`, whose errors it raises, too.
    """
    return _activate(input, "sigmoid", None, choose, inplace)


def tanh(input: Tensor, *, inplace: bool = False, choose: Choose = None) -> Tensor:
    """Return the hyperbolic tangent of each element.

    Args:
        input, inplace, choose: as for `relu`, whose errors it raises, too.
    """
    return _activate(input, "tanh", None, choose, inplace)


def elu(
    input: Tensor, alpha: float = 1.0, inplace: bool = False, *, choose: Choose = None
) -> Tensor:
    """Return x for elements above 0, else alpha * (exp(x) - 1).

    Args:
        alpha: the factor below 0.
        input, inplace, choose: as for `relu`, whose errors it raises, too.
    """
    return _activate(input, "elu", float(alpha), choose, inplace)


def silu(input: Tensor, inplace: bool = False, *, choose: Choose = None) -> Tensor:
    """Return x / (1 + exp(-x)) for each element.

    Args:
        input, inplace, choose: as for `relu`, whose errors it raises, too.
    """
    return _activate(input, "silu", None, choose, inplace)


def swish(x: Tensor, beta: float = 1.0, *, choose: Choose = None) -> Tensor:
    """Return x / (1 + exp(-beta * x)) for each element.

    Args:
        x: a tensor of any shape on a GPU, floating point.
        beta: the factor in the exponent.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: the input is no tensor on a GPU.
        NotSupportedError: cuDNN does not compute this.
    """
    return _activate(x, "silu", float(beta), choose)


def softplus(
    input: Tensor, beta: float = 1.0, threshold: float = 20.0, *, choose: Choose = None
) -> Tensor:
    """Return log(1 + exp(beta * x)) / beta for each element.

    Args:
        input: a tensor of any shape on a GPU, floating point.
        beta: the factor in the exponent.
        threshold: where PyTorch begins to return x itself: 20 or more, which makes no difference.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        NotSupportedError: the threshold is below 20.
    """
    if threshold < 20:
        raise errors.NotSupportedError(f"threshold: expected 20 or more, got {threshold}")
    return _activate(input, "softplus", float(beta), choose)


def gelu(
    input: Tensor, approximate: Literal["none", "tanh"] = "none", *, choose: Choose = None
) -> Tensor:
    """Return x * P(X <= x) for each element, where X is standard normal.

    Args:
        input: a tensor of any shape on a GPU, floating point.
        approximate: "none", or "tanh" for the approximation by that function.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: the approximation is unknown, or the input is no tensor on a GPU.
    """
    if approximate not in ("none", "tanh"):
        raise errors.ArgumentError(f'approximate: expected "none" or "tanh", got {approximate!r}')
    return _activate(input, "gelu" if approximate == "none" else "gelu_tanh", None, choose)


def _soft(
    x: Tensor, dim: int, dtype: torch.dtype | None, log: bool, choose: Choose, fast: bool = False
) -> Tensor:
    if dtype is not None:
        check_tensors(input=x)
        x = x.to(dtype)
    given = "softmax", dim, log, fast, choose
    found: Tensor | None = None if is_dynamo() else known(x, given)
    if found is not None:
        return found
    check_tensors(input=x)
    axes = max(x.dim(), 1)
    if not -axes <= dim < axes:
        raise errors.ArgumentError(f"dim: expected {-axes} to {axes - 1}, got {dim}")
    layer: Any = keep(
        shared(Softmax, dim % axes, log, boolean(fast, "fast"), choose=choose), x, given
    )
    return layer(x)


def softmax(
    input: Tensor, dim: int, _stacklevel: int = 3, dtype: torch.dtype | None = None, *,
    fast: bool = False, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return exp(x) over its sum along an axis.

    Elements that are all -inf give NaN, as PyTorch's, or by some of cuDNN's kernels what an exp(x)
    of 0 gives.

    Args:
        input: a tensor of any shape on a GPU, floating point.
        dim: the axis.
        dtype: the data type to which the input is converted first.
        fast: whether cuDNN may leave out that the largest element is subtracted first: elements
            whose exp(x) overflows give NaN then, as do those that all give 0.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: the input is no tensor on a GPU.
        NotSupportedError: cuDNN does not compute this.
    """
    return _soft(input, dim, dtype, False, choose, fast)


def log_softmax(
    input: Tensor, dim: int, _stacklevel: int = 3, dtype: torch.dtype | None = None, *,
    choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return the logarithm of a softmax along an axis.

    Args:
        input, dim, dtype, choose: as for `softmax`, whose errors it raises, too.
    """
    return _soft(input, dim, dtype, True, choose)
