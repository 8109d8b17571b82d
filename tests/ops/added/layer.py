"""The square of each element, for PyTorch: a layer as CONTRIBUTING.md says to add one.

Second derivatives: by PyTorch
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from cudnn_cffi import ops
from cudnn_cffi.torch.autograd.layer import Layer
from cudnn_cffi.torch.autograd.sharing import shared
from cudnn_cffi.torch.functional.arguments import check_tensors
from torch import Tensor

if TYPE_CHECKING:
    from cudnn_cffi.choice.policy import Choose


class ScaledSquare(Layer):
    """The layer of a square."""

    by = ops.ScaledSquare  # type: ignore[attr-defined]
    factor: float

    def reference(self, x: Tensor) -> Tensor:
        return self.factor * x * x

    def fake(self, x: Tensor) -> Tensor:
        return torch.empty_like(x)


class ScaledSquareBackward(Layer):
    """The layer of the gradient of a square."""

    by = ops.ScaledSquareBackward  # type: ignore[attr-defined]
    factor: float


def scaled_square(input: Tensor, factor: float = 1.0, *, choose: Choose = None) -> Tensor:
    """Return the square of each element, times a factor."""
    check_tensors(input=input)
    return shared(ScaledSquare, float(factor), choose=choose)(input)
