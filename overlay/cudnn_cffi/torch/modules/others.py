"""Modules of losses, dropout and spatial transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from ..autograd.layer import REFUSALS
from ..autograd.sharing import is_dynamo
from ..autograd.switches import may_compute
from ..functional import losses, spatial
from ..functional.activations import Softmax
from . import base
from .base import Cudnn, is_traceable


class CrossEntropyLoss(Cudnn, nn.CrossEntropyLoss):
    """`torch.nn.CrossEntropyLoss`, whose softmax is computed by cuDNN.

    PyTorch computes: the selection by labels, after cuDNN's logarithm of softmax
    """

    _axes: int | None = None

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        if self._axes is not None and input.dim() != self._axes + 2:
            raise ValueError(f"input: expected {self._axes + 2} axes, got {input.dim()}")
        if not base.on_gpu(input) or not input.dim():
            self._leave("a single number has no axis", input)
            return super().forward(input, target)
        axis = 0 if input.dim() == 1 else 1
        layer = self._kept(axis, lambda: Softmax(axis, True, False, **self._terms()))
        return losses.picked(
            layer(input), target, self.weight, self.ignore_index, self.reduction,
            self.label_smoothing,
        )  # fmt: skip


class SpatialCrossEntropyLoss(CrossEntropyLoss):
    """Cross entropy of the channels of (N, C, H, W)."""

    _axes = 2


class VolumetricCrossEntropyLoss(CrossEntropyLoss):
    """Cross entropy of the channels of (N, C, D, H, W)."""

    _axes = 3


class CTCLoss(Cudnn, nn.CTCLoss):
    """`torch.nn.CTCLoss`, computed by cuDNN for float32 and a blank of 0.

    PyTorch computes: a blank other than 0, types other than float32, more than 256 labels on a GPU
    """

    def forward(
        self, log_probs: Tensor, targets: Tensor, input_lengths: losses.Labels,
        target_lengths: losses.Labels,
    ) -> Tensor:  # fmt: skip
        if is_traceable(log_probs) and may_compute():

            def kept(longest: int) -> losses.CTC:
                return self._kept(longest, lambda: losses.CTC(longest, choose=self.choose))

            def layer(longest: int) -> Any:
                if self.choose is None and is_dynamo():
                    # Some compilers cannot make layers, and which one it is only a trace knows.
                    return lambda *given: losses.CTC.operator(*given, longest, "")[0]
                return kept(longest)

            try:
                return losses.run_ctc(
                    layer, log_probs, targets, input_lengths, target_lengths, self.blank,
                    self.reduction, self.zero_infinity,
                )  # fmt: skip
            except REFUSALS as error:
                self._refuse(error, log_probs)
                if not is_dynamo():
                    kept(256).note((log_probs,), error)
        else:
            why = "PyTorch computes its transforms, and all if torch.backends.cudnn is off"
            self._leave(why, log_probs)
        return super().forward(log_probs, targets, input_lengths, target_lengths)


class Dropout(Cudnn, nn.Dropout):
    """`torch.nn.Dropout` by cuDNN, with random numbers of its own.

    They begin at a seed of PyTorch's generator on the CPU. They are not the numbers of PyTorch's
    generator on the GPU: `torch.utils.checkpoint` cannot repeat them.
    """

    _decides = frozenset({"p"})

    def forward(self, input: Tensor) -> Tensor:
        if not self.training or not 0.0 < self.p < 1.0:
            return super().forward(input)
        if not base.on_gpu(input):
            self._leave("", input)
            return super().forward(input)
        if self.inplace:
            return input.copy_(self._masked(input))
        return self._masked(input)

    def _masked(self, x: Tensor) -> Tensor:
        layer = self._layer or self._make(losses.Dropout, float(self.p))
        return layer(x)


class AffineGrid(Cudnn, nn.Module):
    """The points (N, H, W, 2) at which affine maps (N, 2, 3) sample.

    PyTorch computes: extents of 1, whose point is at 0
    """

    _decides = frozenset({"size"})

    def __init__(self, size: Sequence[int]) -> None:
        """Make the module.

        Args:
            size: of what is sampled, (N, C, H, W).
        """
        super().__init__()
        self.size = tuple(size)

    def forward(self, theta: Tensor) -> Tensor:
        if 1 in self.size[-2:]:
            self._leave("cuDNN has the point of an extent of 1 at -1", theta)
            return nn.functional.affine_grid(theta, list(self.size), align_corners=True)
        layer = self._layer or self._make(spatial.AffineGrid, self.size)
        return layer(theta)

    def extra_repr(self) -> str:
        """Return the size."""
        return f"{self.size}"


class GridSample(Cudnn, nn.Module):
    """Bilinear sampling at the points of a grid; -1 and 1 are the centers of the last elements."""

    def forward(self, input: Tensor, grid: Tensor) -> Tensor:
        layer = self._layer or self._make(spatial.GridSample)
        return layer(input, grid)
