"""Convolutions as plans take them: along one axis, and with zeros around their input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, cast

from torch import Tensor, fx, nn
from torch.nn import functional

if TYPE_CHECKING:
    from torch.nn.modules.conv import _ConvNd


def padded(x: Tensor, zeros: Sequence[tuple[int, int]]) -> Tensor:
    """Return a tensor with zeros before and after its last axes."""
    pads = [n for pair in reversed(zeros) for n in pair]
    return functional.pad(x, pads) if pads else x


@dataclass(frozen=True, slots=True)
class Before:
    """A function that makes the input of a convolution, for it alone.

    Attributes:
        function: of a tensor, and of what follows.
        writer: returns what writes pixels of the function's result, of the same arguments; or None.
        args: what follows the tensor: numbers, and nodes of the model's own tensors.
        root: the module whose tensors the nodes name.
    """

    function: Callable[..., Tensor]
    writer: Callable[..., Callable[[Tensor, int, int], None] | None]
    args: tuple[object, ...]
    root: nn.Module

    def arguments(self) -> tuple[Any, ...]:
        """Return what follows the tensor, with the model's tensors."""

        def tensor(node: fx.Node) -> object:
            return attrgetter(str(node.target))(self.root)

        return cast("tuple[Any, ...]", fx.node.map_arg(cast("Any", self.args), cast("Any", tensor)))

    def __call__(self, x: Tensor) -> Tensor:
        """Return the input of the convolution."""
        return self.function(x, *self.arguments())


@dataclass(frozen=True, slots=True)
class Window:
    """A convolution as plans take it: one along a single axis as one of images of one row.

    Attributes:
        module: the layer.
        zeros: how many zeros are put before and after each axis; () for none.
        before: what makes its input; None where that is computed by itself.
        pads: the padding in place of the layer's and of zeros; None for those.
    """

    module: _ConvNd
    zeros: tuple[tuple[int, int], ...] = ()
    before: Before | None = None
    pads: tuple[Any, ...] | None = None

    transposed: ClassVar[bool] = False

    @property
    def is_line(self) -> bool:
        """Return whether there is one axis."""
        return len(self.module.kernel_size) == 1

    @property
    def weight(self) -> Tensor:
        """Return the filters."""
        weight = self.module.weight
        return weight.unsqueeze(2) if self.is_line else weight

    @property
    def bias(self) -> Tensor | None:
        """Return the bias."""
        return self.module.bias

    @property
    def padding(self) -> Any:
        """Return a number for each axis; "same" or "valid"."""
        if self.pads is not None:
            return self.pads
        padding: Any = self.module.padding
        if isinstance(padding, str):
            return padding
        if self.zeros:
            padding = [n + min(pair) for n, pair in zip(padding, self.zeros, strict=True)]
        return (0, *padding) if self.is_line else tuple(padding)

    @property
    def kernel_size(self) -> tuple[int, ...]:
        """Return the extents of filters."""
        return self._each(self.module.kernel_size)

    @property
    def stride(self) -> tuple[int, ...]:
        """Return the stride."""
        return self._each(self.module.stride)

    @property
    def dilation(self) -> tuple[int, ...]:
        """Return the dilation."""
        return self._each(self.module.dilation)

    @property
    def groups(self) -> int:
        """Return the number of groups of channels."""
        return int(self.module.groups)

    @property
    def in_channels(self) -> int:
        """Return the number of channels of inputs."""
        return int(self.module.in_channels)

    @property
    def out_channels(self) -> int:
        """Return the number of filters."""
        return int(self.module.out_channels)

    def _each(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        return (1, *numbers) if self.is_line else tuple(numbers)

    def image(self, x: Tensor) -> Tensor:
        """Return an input or a result as images."""
        return x.unsqueeze(2) if self.is_line and x.dim() == 3 else x

    @property
    def rest(self) -> tuple[tuple[int, int], ...]:
        """Return the zeros that are not padding, as they are on one side; () for none."""
        rest = tuple([(a - min(a, b), b - min(a, b)) for a, b in self.zeros])
        return rest if any(map(any, rest)) else ()

    def padded(self, x: Tensor) -> Tensor:
        """Return an input as the layer takes it: what is before that, and zeros."""
        return padded(x if self.before is None else self.before(x), self.zeros)
