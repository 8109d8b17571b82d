"""Spatial transformers: grids of affine maps, and sampling at the points of a grid.

Second derivatives: by PyTorch
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from ... import errors, ops
from ..._support.arguments import boolean
from ..autograd.layer import Layer
from ..autograd.sharing import shared
from ..autograd.switches import is_strict
from .arguments import check_tensors

if TYPE_CHECKING:
    from ...choice.policy import Choose
    from ..autograd.record import Results

_functional = torch.nn.functional


class AffineGrid(Layer):
    """The layer of a grid; sizes are (N, C, H, W)."""

    contiguous = True
    by = ops.AffineGrid
    size: tuple[int, ...]

    def reference(self, theta: Tensor) -> Results:
        return _functional.affine_grid(theta, list(self.size), align_corners=True)

    def fake(self, theta: Tensor) -> Results:
        return theta.new_empty((theta.shape[0], *self.size[2:], 2))


class AffineGridBackward(Layer):
    """The layer of the gradient of a grid."""

    contiguous = True
    by = ops.AffineGridBackward
    size: tuple[int, ...]

    def reference(self, dgrid: Tensor) -> Results:
        return torch.ops.aten.affine_grid_generator_backward(dgrid, list(self.size), True)

    def fake(self, dgrid: Tensor) -> Results:
        return dgrid.new_empty((dgrid.shape[0], 2, 3))


class GridSample(Layer):
    """The layer of sampling."""

    contiguous = True
    by = ops.GridSample

    casts = "promote"

    def reference(self, x: Tensor, grid: Tensor) -> Results:
        return _functional.grid_sample(x, grid, align_corners=True)

    def fake(self, x: Tensor, grid: Tensor) -> Results:
        return x.new_empty((*x.shape[:2], *grid.shape[1:3]))


class GridSampleBackward(Layer):
    """The layer of the gradients of sampling."""

    contiguous = True
    by = ops.GridSampleBackward

    def compute(self, dy: Tensor, x: Tensor, grid: Tensor) -> Results:
        if is_strict():
            raise errors.NotSupportedError(
                "grid_sample: its gradient does not have the same bits each time"
            )
        return self.operation()(dy, x, grid)

    def reference(self, dy: Tensor, x: Tensor, grid: Tensor) -> Results:
        return torch.ops.aten.grid_sampler_2d_backward(dy, x, grid, 0, 0, True, [True, True])


def affine_grid(
    theta: Tensor, size: Sequence[int], align_corners: bool | None = None, *, choose: Choose = None
) -> Tensor:
    """Return the points at which affine maps sample, (N, H, W, 2).

    Args:
        theta: the maps, (N, 2, 3).
        size: the shape of the images, (N, C, H, W).
        align_corners: True; PyTorch's default is False.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        NotSupportedError: `align_corners` is not True; or an extent is 1, whose point is at -1 in
            cuDNN, at 0 in PyTorch.
    """
    _only_corners(align_corners)
    check_tensors(theta=theta)
    if 1 in tuple(size)[-2:]:
        raise errors.NotSupportedError(
            f"size: expected extents above 1, got {tuple(size)}: the point of an extent of 1 is at "
            "-1 in cuDNN, at 0 in PyTorch"
        )
    return shared(AffineGrid, tuple(size), choose=choose)(theta)


def grid_sample(
    input: Tensor, grid: Tensor, mode: Literal["bilinear"] = "bilinear",
    padding_mode: Literal["zeros"] = "zeros", align_corners: bool | None = None, *,
    choose: Choose = None,
) -> Tensor:  # fmt: skip
    """Sample images at the points of a grid, bilinear, with zeros outside.

    Args:
        input: the images, (N, C, H, W).
        grid: the points (x, y), (N, height, width, 2); -1 and 1 are the centers of outer pixels.
        mode, padding_mode: "bilinear" and "zeros"; cuDNN has no others.
        align_corners: True; PyTorch's default is False.
        choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

    Raises:
        NotSupportedError: `align_corners` is not True; or another mode is asked for.
    """
    _only_corners(align_corners)
    if (mode, padding_mode) != ("bilinear", "zeros"):
        raise errors.NotSupportedError(
            f"grid_sample: cuDNN has bilinear sampling with zeros outside, not {mode!r} with "
            f"{padding_mode!r}"
        )
    check_tensors(input=input, grid=grid)
    return shared(GridSample, choose=choose)(input, grid)


def _only_corners(align_corners: bool | None) -> None:
    if align_corners is None or not boolean(align_corners, "align_corners"):
        raise errors.NotSupportedError(
            f"align_corners: expected True, got {align_corners}: in cuDNN -1 and 1 are the "
            "centers of elements, in PyTorch by default the edges"
        )
