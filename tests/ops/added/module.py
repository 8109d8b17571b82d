"""The square of each element, as a module of PyTorch."""

from __future__ import annotations

from cudnn_cffi.torch.functional.squares import (  # type: ignore[import-not-found, import-untyped]
    ScaledSquare as Layer,
)
from cudnn_cffi.torch.modules.base import Cudnn
from torch import Tensor, nn


class ScaledSquare(Cudnn, nn.Module):  # type: ignore[misc]
    """The square of each element, times a factor.

    PyTorch computes: tensors of more than 8 axes
    """

    _decides = frozenset({"factor"})

    def __init__(self, factor: float = 1.0) -> None:
        """Make the module."""
        super().__init__()
        self.factor = factor

    def forward(self, input: Tensor) -> Tensor:
        layer = self._layer
        if layer is None:
            layer = self._remember(Layer(float(self.factor), **self._terms()))
        return layer(input)
