"""Call one layer by itself, with random numbers like the arguments that the model gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from ..._operation.recording import record
from .survey import Layer

#: The computation of a layer that makes no call of cuDNN by this package.
THEIRS = "PyTorch"


class Trial:
    """A layer and its arguments: random numbers in the place of floating-point tensors."""

    def __init__(self, layer: Layer) -> None:
        """Make the arguments, on the device of those of the model."""
        self._module = layer.module
        self._is_first = layer.is_first
        self._arguments = [_again(*pair) for pair in zip(layer.given, layer.arguments, strict=True)]
        self._named = {name: _again(*pair) for name, pair in layer.named.items()}
        tensors = [each for each in self._given() if isinstance(each, Tensor)]
        #: The GPU of an argument; None if all are on the CPU.
        self.device = next((each.device for each in tensors if each.is_cuda), None)

    def _given(self) -> list[object]:
        return [*self._arguments, *self._named.values()]

    def forward(self) -> object:
        """Return what the layer computes of its arguments, which it may change, without hooks."""
        return self._module.forward(*self._arguments, **self._named)

    def forward_of_copies(self) -> object:
        """Return what the layer computes of copies of its arguments."""
        named = {name: _copy(each) for name, each in self._named.items()}
        return self._module.forward(*map(_copy, self._arguments), **named)

    def _taped(self) -> tuple[list[Tensor], list[Tensor]]:
        """Return results that have a gradient, and the arguments and parameters that it is for."""
        for each in self._given():
            if isinstance(each, Tensor) and each.is_floating_point():
                each.requires_grad_(not self._is_first)
        with torch.enable_grad():
            result = self.forward_of_copies()
        results = [each for each in tensors_of(result) if each.requires_grad]
        sources = [*tensors_of(self._given()), *self._module.parameters()]
        return results, [each for each in sources if each.requires_grad]

    def gradient(self) -> Callable[[], tuple[Tensor | None, ...]] | None:
        """Return a function that computes the gradients of one call; None if it has none."""
        return gradient_of(*self._taped())


@contextmanager
def kept_buffers(module: nn.Module) -> Iterator[None]:
    """Restore the buffers of a module, such as running statistics, after a block."""
    buffers = {name: each.clone() for name, each in module.named_buffers()}
    try:
        yield
    finally:
        with torch.no_grad():
            for name, each in module.named_buffers():
                each.copy_(buffers[name])


def gradient_of(
    results: Sequence[Tensor], sources: Sequence[Tensor]
) -> Callable[[], tuple[Tensor | None, ...]] | None:
    """Return a function that computes the gradients for sources; None if there is none.

    The gradients of results are numbers whose sums depend on the order, unlike those of ones.
    """
    if not results or not sources:
        return None
    grads = [_uneven(each) for each in results]

    def run() -> tuple[Tensor | None, ...]:
        return torch.autograd.grad(results, sources, grads, retain_graph=True, allow_unused=True)

    return run


def _uneven(like: Tensor) -> Tensor:
    """Return the same numbers each time, of a tensor's shape and layout, by kernels alone."""
    some = torch.arange(1021, device=like.device, dtype=torch.float32).sin().to(like.dtype)
    count = like.numel()
    whole = some.repeat(-(-count // some.numel()))[:count]
    return torch.empty_like(like).copy_(whole.view(like.shape))


def tensors_of(value: object) -> list[Tensor]:
    """Return the tensors in a result, such as a tuple or a dictionary of tensors."""
    return [each for each in tree_leaves(value) if isinstance(each, Tensor)]


def what_ran(run: Callable[[], object]) -> tuple[str, int | None]:
    """Return by what a call is computed, and the bytes of workspace that it takes."""
    with record() as log:
        run()
    if not log:
        return THEIRS, None
    return ", ".join(dict.fromkeys(each.way for each in log)), max(e.workspace for e in log)


def _again(like: object, kept: object) -> object:
    """Return an argument unchanged, or random numbers in the place of those of a tensor."""
    if not isinstance(like, tuple) or kept is not None:
        return kept
    dtype, shape, strides, device = cast("tuple[torch.dtype, list[int], list[int], object]", like)
    made = torch.empty_strided(shape, strides, dtype=dtype, device=cast("torch.device", device))
    return made.normal_()


def _copy(value: object) -> object:
    return value.clone() if isinstance(value, Tensor) else value
