"""Linear layers as products of a matrix: convolutions of rows with filters of one element."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch import Tensor, nn

from ... import ops

if TYPE_CHECKING:
    from ...types import DTypeWord

#: Activations that are computed with a product where an engine may be compiled.
WORDS = frozenset(("relu", "gelu", "gelu_tanh", "swish", "sigmoid", "tanh"))


class Matrix(NamedTuple):
    """The weights of a linear layer, as those of a convolution.

    Attributes:
        module: what has them.
        names: the dotted names of the weight, and of the bias or None.
        last: whether the weight is filters whose channels become the last axis.
    """

    module: nn.Module
    names: tuple[str, str | None]
    last: bool = False

    kernel_size = stride = dilation = (1, 1)
    padding = (0, 0)
    groups = 1
    transposed = False

    @property
    def weight(self) -> Tensor:
        """Return the weight, (columns of the result, columns)."""
        found = cast("Tensor", attrgetter(self.names[0])(self.module))
        return (found.permute(0, 2, 3, 1) if self.last else found).flatten(1)

    @property
    def bias(self) -> Tensor | None:
        """Return the bias, a number for each column of the result."""
        name = self.names[1]
        return None if name is None else cast("Tensor | None", attrgetter(name)(self.module))

    @property
    def in_channels(self) -> int:
        """Return the number of columns."""
        return int(self.weight.shape[1])

    @property
    def name(self) -> str:
        """Return the name of the class, for reports."""
        return type(self.module).__name__ if self.names[0] == "weight" else self.names[0]


def as_image(tensor: Tensor) -> Tensor:
    """Return a tensor, (..., columns), as an image with channels last of one pixel for each row."""
    rows = tensor.reshape(-1, tensor.shape[-1])
    count, columns = rows.shape
    return rows.contiguous().as_strided(
        (1, columns, count, 1), (count * columns, 1, columns, columns)
    )


def as_filters(weight: Tensor) -> Tensor:
    """Return a weight as filters of one element, with channels last."""
    count, columns = weight.shape
    return weight.contiguous().as_strided((count, columns, 1, 1), (columns, 1, columns, columns))


def specs_of(
    x: Tensor, weight: Tensor, bias: Tensor | None, residual: Tensor | None
) -> dict[str, ops.Spec]:
    """Describe what a product reads and writes, as `building.find_way` takes it."""
    rows = x.numel() // max(1, x.shape[-1])
    device = weight.device.index if weight.device.type == "cuda" else None
    name = cast("DTypeWord", str(weight.dtype).removeprefix("torch."))

    def image(columns: int) -> ops.Spec:
        strides = (rows * columns, 1, columns, columns)
        return ops.Spec(name, (1, columns, rows, 1), strides, device, 16)

    count, columns = weight.shape
    found = {"x": image(columns), "y": image(count)}
    found["w"] = ops.Spec(name, (count, columns, 1, 1), (columns, 1, columns, columns), device, 16)
    if bias is not None:
        found["bias"] = ops.Spec(name, (count,), (1,), device, 16)
    if residual is not None and residual.shape == (*x.shape[:-1], count):
        if residual.dtype == weight.dtype:
            found["residual"] = image(count)
    return found
