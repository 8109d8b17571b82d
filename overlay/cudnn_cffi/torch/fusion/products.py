"""Linear layers as products of a matrix: convolutions of rows with filters of one element."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, cast

import torch
from torch import Tensor, fx, nn
from torch.nn import functional

from ... import ops

if TYPE_CHECKING:
    from ...types import DTypeWord

#: Maximum size in bytes of weights that are copied to lie together: each call reads them twice.
MOST_JOINED = 1 << 24

#: Activations that are computed with a product where an engine may be compiled.
WORDS = frozenset(("relu", "gelu", "gelu_tanh", "swish", "sigmoid", "tanh"))


@dataclass(frozen=True, slots=True)
class Matrix:
    """The weights of a linear layer, as those of a convolution.

    Attributes:
        module: what has them.
        names: the dotted names of the weight, and of the bias or None.
        last: whether the weight is filters whose channels become the last axis.
        others: those whose rows follow the rows of this one.
    """

    module: nn.Module
    names: tuple[str, str | None]
    last: bool = False
    others: tuple[Matrix, ...] = ()

    stride: ClassVar[tuple[int, int]] = (1, 1)
    dilation: ClassVar[tuple[int, int]] = (1, 1)
    padding: ClassVar[tuple[int, int]] = (0, 0)
    groups: ClassVar[int] = 1
    transposed: ClassVar[bool] = False

    @property
    def weight(self) -> Tensor:
        """Return the weight of the first, (columns of the result, columns)."""
        found = cast("Tensor", attrgetter(self.names[0])(self.module))
        return (found.permute(0, 2, 3, 1) if self.last else found).flatten(1)

    @property
    def bias(self) -> Tensor | None:
        """Return the bias, a number for each column of the result."""
        name = self.names[1]
        return None if name is None else cast("Tensor | None", attrgetter(name)(self.module))

    def is_plain(self, axes: int) -> bool:
        """Return whether the weight has this number of axes, and both are plain tensors."""
        weight = attrgetter(self.names[0])(self.module)
        bias = self.bias
        return (
            type(weight) in (nn.Parameter, Tensor)
            and weight.dim() == axes
            and type(bias) in (nn.Parameter, Tensor, type(None))
            and (bias is None or (bias.dim() == 1 and bias.dtype == weight.dtype))
        )

    @property
    def in_channels(self) -> int:
        """Return the number of columns."""
        return int(self.weight.shape[1])

    @property
    def name(self) -> str:
        """Return what it is, for reports."""
        return f"{1 + len(self.others)} x Linear" if self.others else "Linear"


def matrix_of(node: fx.Node, root: nn.Module, module: nn.Module | None) -> Matrix | None:
    """Return the weights that a node multiplies with; None where it is no linear layer.

    Args:
        node: of a graph.
        root: the module whose tensors the graph names.
        module: the linear layer that the node calls, or None.
    """
    if module is not None:
        made = Matrix(module, ("weight", "bias"))
        return made if len(node.args) == 1 and not node.kwargs and made.is_plain(2) else None
    if node.op != "call_function" or node.kwargs:
        return None
    if node.target is joined:
        count, *given = cast("list[fx.Node]", node.args[1:])
        words = [str(each.target) for each in given]
        biases: list[Any] = words[cast("int", count) :] or [None] * len(words)
        pairs = zip(words[: cast("int", count)], biases, strict=False)
        first, *others = [Matrix(root, each) for each in pairs]
        return replace(first, others=tuple(others))
    if node.target is not functional.linear or not isinstance(node.args[0], fx.Node):
        return None
    weight, bias = (*node.args, None)[1:3]
    axes, last = 2, False
    if isinstance(weight, fx.Node) and weight.target == "flatten":  # filters of patches
        if weight.args[1:] != (1,) or weight.kwargs:
            return None
        axes, weight = 4, weight.args[0]
        if isinstance(weight, fx.Node) and weight.target == "permute":
            if weight.args[1:] != (0, 2, 3, 1):
                return None
            last, weight = True, weight.args[0]
    names: list[str | None] = []
    for each in (weight, bias):
        if each is not None and (not isinstance(each, fx.Node) or each.op != "get_attr"):
            return None
        names.append(None if each is None else str(each.target))
    made = Matrix(root, (str(names[0]), names[1]), last)
    return made if made.is_plain(axes) else None


def joined(x: Tensor, count: int, *given: Tensor) -> Tensor:
    """Return the results of linear layers with the same input, side by side.

    Args:
        x: the input.
        count: the number of layers.
        given: the weights, then the biases, if there are any.
    """
    pairs = zip(given[:count], given[count:] or [None] * count, strict=True)
    return torch.cat([functional.linear(x, weight, bias) for weight, bias in pairs], -1)


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
    fits = residual is not None and residual.shape == (*x.shape[:-1], count)
    if residual is not None and fits and residual.dtype == weight.dtype:
        found["residual"] = image(count)
    return found
