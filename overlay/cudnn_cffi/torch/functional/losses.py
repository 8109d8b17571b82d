"""Losses and dropout.

Second derivatives: by PyTorch; by cuDNN of `dropout`; none of `ctc_loss`, as in PyTorch
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import torch
from torch import Tensor

from ... import errors, ops
from ..._support.arguments import boolean
from ..autograd.batches import one_by_one
from ..autograd.layer import Layer
from ..autograd.once import once
from ..autograd.sharing import shared
from ..autograd.states import is_eager
from ..autograd.switches import is_grad_on
from ..fallback import refuse_repetition
from .activations import log_softmax
from .arguments import check_tensors, only

if TYPE_CHECKING:
    from ...choice.policy import Choose
    from ..autograd.record import Context, Gradients, Results, Tensors

#: Numbers on the host, or a tensor.
Labels: TypeAlias = Tensor | Sequence[int]

Reduction: TypeAlias = Literal["none", "mean", "sum"]

_functional = torch.nn.functional


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: None = None,
    ignore_index: int = -100, reduce: None = None, reduction: Reduction = "mean",
    label_smoothing: float = 0.0, *, choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return the cross entropy of logits and targets.

    cuDNN computes the logarithm of softmax and its gradient, PyTorch what is picked of it.

    Args:
        input: logits (N, C, ...), or (C,).
        target: classes (N, ...), or probabilities like `input`.
        weight, ignore_index, reduction, label_smoothing: as for PyTorch's function.
        size_average, reduce: None; PyTorch has `reduction` in their place.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        NotSupportedError: `size_average` or `reduce` is something else.
    """
    only(None, size_average=size_average, reduce=reduce)
    check_tensors(input=input)
    rows = log_softmax(input, 0 if input.dim() == 1 else 1, choose=choose)
    return picked(rows, target, weight, ignore_index, reduction, label_smoothing)


def picked(
    rows: Tensor, target: Tensor, weight: Tensor, ignore_index: int, reduction: Reduction,
    smoothing: float,
) -> Tensor:  # fmt: skip
    """Return the cross entropy from logarithms of probabilities."""
    rows = rows.contiguous()  # PyTorch's gradient for images refuses channels last
    if not smoothing and not target.is_floating_point():
        return _functional.nll_loss(
            rows, target, weight, ignore_index=ignore_index, reduction=reduction
        )
    # A second logarithm of softmax changes nothing, and PyTorch has all its options.
    return _functional.cross_entropy(
        rows, target, weight, ignore_index=ignore_index, reduction=reduction,
        label_smoothing=smoothing,
    )  # fmt: skip


class _DropoutFunction(torch.autograd.Function):
    """Dropout; its gradient is the same function of the gradient."""

    @staticmethod
    def forward(ctx: Context, layer: Dropout, x: Tensor) -> Tensor:
        y, reserve = layer.masked(x)
        ctx.layer = layer
        ctx.like = y.stride()
        ctx.save_for_backward(reserve)
        return y

    @staticmethod
    @one_by_one
    def backward(ctx: Context, *grads: Tensor) -> Gradients:
        (reserve,) = ctx.saved_tensors
        return None, _DropoutBackward.apply(ctx.layer, grads[0], reserve, ctx.like)


class _DropoutBackward(torch.autograd.Function):
    """The gradient of dropout, which is linear in the gradient of the result."""

    @staticmethod
    def forward(
        ctx: Context, layer: Dropout, dy: Tensor, reserve: Tensor, strides: tuple[int, ...]
    ) -> Tensor:
        ctx.layer, ctx.strides = layer, strides
        ctx.save_for_backward(reserve)
        if dy.stride() != strides or dy.is_neg():
            dy = torch.empty_strided(dy.shape, strides, dtype=dy.dtype, device=dy.device).copy_(dy)
        return layer.operation().backward(dy, reserve)

    @staticmethod
    @one_by_one
    def backward(ctx: Context, *grads: Tensor) -> Gradients:
        (reserve,) = ctx.saved_tensors
        found = _DropoutBackward.apply(ctx.layer, grads[0], reserve, ctx.strides)
        return None, found, None, None


class Dropout(Layer):
    """The layer of dropout, which has random numbers of its own."""

    by = ops.Dropout
    keeps = ("reserve",)
    rate: float

    twice = True
    tags = (torch.Tag.nondeterministic_seeded,)
    _function = _DropoutFunction

    def _start(self, rate: float) -> None:
        self.rate = rate
        self._kept: ops.Operation | None = None

    def make(self, **options: object) -> ops.Operation:
        # PyTorch's switches change nothing here, so one object serves all of them, and its random
        # numbers go on.
        if self._kept is None:
            self._kept = super().make(**options)
        return self._kept

    def compute(self, x: Tensor) -> Results:
        """Return the result in C order, and what was dropped."""
        return self.masked(x.contiguous())

    def infer(self, x: Tensor) -> Results:
        return self.masked(x).y

    def masked(self, x: Tensor) -> Any:
        """Return the result, and what was dropped."""
        refuse_repetition(self.word)
        return self.operation()(x)

    def reference(self, x: Tensor) -> Results:
        return (_functional.dropout(x, self.rate, True),)

    def fake(self, x: Tensor) -> Results:
        # A bit for each element, in words of 32.
        size = (x.numel() + 31) // 32 * 4
        return x.new_empty(x.shape), x.new_empty((size,), dtype=torch.uint8)


class DropoutBackward(Layer):
    """The layer of the gradient of dropout in C order, which is linear, and its own gradient."""

    by = ops.DropoutBackward
    fixed: ClassVar[Mapping[str, object]] = {"seed": 0}
    names = ("float rate",)
    contiguous = True
    keeps = ("reserve",)

    twice = True

    def reference(self, dy: Tensor, reserve: Tensor) -> Results:
        raise errors.NotSupportedError("PyTorch cannot tell what was dropped by cuDNN")

    def fake(self, dy: Tensor, reserve: Tensor) -> Results:
        return dy.new_empty(dy.shape)


def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *,
    choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Set elements to zero with a probability, and divide the others by 1 - p.

    Calls with the same `p` share random numbers, which begin at a seed of PyTorch's generator on
    the CPU.

    Args:
        input: a tensor of any shape on a GPU, floating point.
        p: the probability, from 0 to 1.
        training: whether elements are dropped; else the input is returned.
        inplace: whether the result overwrites the input.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        ArgumentError: `p` is not from 0 to 1.
    """
    check_tensors(input=input)
    if not 0.0 <= p <= 1.0:
        raise errors.ArgumentError(f"p: expected a probability, got {p!r}")
    training, inplace = boolean(training, "training"), boolean(inplace, "inplace")
    if not training or p == 0.0:
        return input
    found = input * 0.0 if p == 1.0 else shared(Dropout, float(p), choose=choose)(input)
    return input.copy_(found) if inplace else found


class _CTCFunction(torch.autograd.Function):
    """The loss of each sequence; its gradient is computed with it."""

    @staticmethod
    def forward(ctx: Context, layer: CTC, x: Tensor, *labels: Labels) -> Tensor:
        loss, gradient = layer.operation()(x, *labels, gradient=True)
        ctx.save_for_backward(gradient)
        return loss

    @staticmethod
    @one_by_one
    @once("ctc_loss")
    def backward(ctx: Context, dloss: Tensor) -> Gradients:
        (gradient,) = ctx.saved_tensors
        return None, _scaled(gradient, dloss), None, None, None


class CTC(Layer):
    """The layer of the loss of connectionist temporal classification, for each sequence.

    Labels and lengths are numbers of the host, or int32 tensors on the GPU, as the operator's are.
    """

    by = ops.CTCLoss
    takes = ("x", "labels", "input_lengths", "label_lengths")
    optional = frozenset()
    names = ("int longest",)  # the maximum number of labels of a sequence on the GPU
    keeps = ("gradient",)
    contiguous = True

    twice = True  # it says itself that there are none
    _function = _CTCFunction

    def _start(self, longest: int) -> None:
        self.max_label_length = longest

    def compute(self, x: Tensor, *labels: Labels) -> Results:
        return self.operation()(x, *labels, gradient=True)

    def infer(self, x: Tensor, *labels: Labels) -> Results:
        return self.operation()(x, *labels, gradient=False).loss

    def reference(self, x: Tensor, labels: Tensor, times: Tensor, lengths: Tensor) -> Results:
        count = int(torch.as_tensor(lengths).sum())
        labels = torch.as_tensor(labels, device=x.device)[:count]
        return (_functional.ctc_loss(x, labels, times, lengths, reduction="none"),)

    def fake(self, x: Tensor, labels: Tensor, times: Tensor, lengths: Tensor) -> Results:
        return x.new_empty(x.shape[1:2]), x.new_empty(x.shape)

    def gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        if is_grad_on():
            raise errors.NotSupportedError("ctc_loss: there is no second derivative")
        return (_scaled(saved[0], grads[0]), None, None, None)

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        raise errors.NotSupportedError("ctc_loss: there is no second derivative")


def _scaled(gradient: Tensor, dloss: Tensor) -> Tensor:
    found = gradient * dloss[None, :, None]
    # Where no loss is possible, zero times infinity is to be zero.
    return found.masked_fill_((dloss == 0)[None, :, None], 0.0)


def _listed(value: Tensor) -> tuple[int, ...] | None:
    """Return numbers of the host; None for a tensor on a GPU."""
    if isinstance(value, torch.Tensor):
        return None if value.is_cuda else tuple(value.reshape(-1).tolist())
    return tuple([int(each) for each in value])


def _in_row(targets: Tensor, lengths: Tensor) -> Tensor:
    """Return the labels of all rows one after the other, and the last padding after them.

    All shapes are known without the lengths.
    """
    count, most = targets.shape
    steps = torch.arange(most, device=targets.device)
    places = (lengths.cumsum(0) - lengths)[:, None] + steps
    places = torch.where(steps < lengths[:, None], places, count * most)
    return targets.new_zeros(count * most + 1).scatter(0, places.flatten(), targets.flatten())


def _labels(targets: Tensor, lengths: Labels, times: Labels, x: Tensor) -> tuple[Tensor, ...]:
    """Return how many labels there may be, and labels, lengths of `x` and of labels for cuDNN.

    Raises:
        NotSupportedError: cuDNN takes no such labels.
    """

    def there(value: Tensor) -> Tensor:
        return torch.as_tensor(value, dtype=torch.int32).to(x.device, torch.int32).reshape(-1)

    own = inputs = None
    # cuDNN refuses labels that may be longer than the sequences.
    longest = min(256, x.shape[0])
    if is_eager(x):  # what is traced reads no numbers
        own, inputs = _listed(lengths), _listed(times)
    if targets.dim() == 2:
        longest = min(longest, max(targets.shape[1], 1))
        if own is None:
            targets = _in_row(targets.to(x.device, torch.int64), there(lengths).long())
        else:
            rows = zip(targets, own, strict=True)
            targets = torch.cat([row[:length] for row, length in rows])
    if not targets.is_cuda and own is not None and inputs is not None and 0 not in own:
        return 256, tuple(targets.reshape(-1).tolist()), inputs, own
    if own is not None:
        if max(own, default=0) > longest:
            raise errors.NotSupportedError(
                f"target_lengths: expected at most {longest} on the GPU, got {max(own)}"
            )
        most = max(own, default=1)
        longest = min(longest, 1 << max(most - 1, 0).bit_length())  # a few kinds of calls only
    if not targets.numel():
        targets = targets.new_ones(1)
    return longest, there(targets), there(times), there(lengths)


def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Labels, target_lengths: Labels,
    blank: int = 0, reduction: Reduction = "mean", zero_infinity: bool = False, *,
    choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Return the loss of connectionist temporal classification.

    Args:
        log_probs: logarithms of probabilities, (time, batch, symbols) or (time, symbols), float32,
            as `log_softmax` returns them: cuDNN divides the probabilities of a step by their sum.
        targets: labels of all sequences one after the other, or (batch, most labels).
        input_lengths, target_lengths: a number for each sequence.
        blank: 0, which is cuDNN's.
        reduction: "none", "sum", or "mean" of losses over their numbers of labels.
        zero_infinity: whether losses of impossible labels are zero.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        NotSupportedError: cuDNN does not compute this.
    """
    check_tensors(log_probs=log_probs)
    return run_ctc(
        lambda longest: shared(CTC, longest, choose=choose), log_probs, targets, input_lengths,
        target_lengths, blank, reduction, zero_infinity,
    )  # fmt: skip


def run_ctc(
    layer: Callable[[int], CTC], x: Tensor, targets: Tensor, times: Labels, lengths: Labels,
    blank: int, reduction: Reduction, zero_infinity: bool,
) -> Tensor:  # fmt: skip
    """Compute the loss by a layer, which a function returns for the most labels of a sequence.

    Raises:
        NotSupportedError: cuDNN does not compute this.
    """
    zero_infinity = boolean(zero_infinity, "zero_infinity")
    if blank != 0:
        raise errors.NotSupportedError(f"blank: expected 0, got {blank}")
    if x.dtype != torch.float32:
        raise errors.NotSupportedError(f"log_probs: expected float32, got {x.dtype}")
    single = x.dim() == 2
    if single:
        x = x[:, None]
        targets = targets.reshape(1, -1) if targets.dim() == 1 else targets
        times, lengths = torch.as_tensor(times).reshape(1), torch.as_tensor(lengths).reshape(1)
    longest, labels, inputs, own = _labels(targets, lengths, times, x)
    loss: Tensor = layer(longest)(x, labels, inputs, own)
    count, known = torch.as_tensor(own, device=x.device), _listed(lengths) if is_eager(x) else None
    if known is None or 0 in known:  # without labels all steps are blanks: cuDNN's loss is 0
        steps = torch.arange(x.shape[0], device=x.device)[:, None]
        blanks = torch.where(steps < inputs, x[:, :, 0] - x.logsumexp(2), 0.0)
        loss = torch.where(count == 0, -blanks.sum(0), loss)
    if zero_infinity:
        loss = torch.where(torch.isinf(loss), torch.zeros_like(loss), loss)
    if reduction == "none":
        return loss[0] if single else loss
    if reduction == "sum":
        return loss.sum()
    if reduction != "mean":
        raise errors.ArgumentError(
            f'reduction: expected "none", "sum" or "mean", got {reduction!r}'
        )
    return (loss / count.clamp(min=1)).mean()
