"""Modules of activations and softmax."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn

from ... import errors
from ..._support.arguments import boolean
from ..autograd.switches import is_grad_on
from ..functional import activations as functions
from . import base
from .base import Cudnn


class _Elements(Cudnn):
    _word: ClassVar[str] = ""
    #: The attribute that is the number of the function, if it has one.
    _number: ClassVar[str] = ""
    inplace: bool = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls._number:
            cls._decides = frozenset({cls._number})

    def _function(self) -> tuple[str, float | None]:
        """Return the word and the number of the function."""
        return self._word, float(getattr(self, self._number)) if self._number else None

    def forward(self, input: Tensor) -> Tensor:
        layer = self._layer or self._make(functions.Activation, *self._function())
        if self.inplace:
            # A gradient that needs the input, which is overwritten, is PyTorch's to compute.
            grad = is_grad_on() and input.requires_grad
            if not base.on_gpu(input) or (grad and not layer.by_result):
                self._leave("the gradient needs the input, which is overwritten", input)
                return self._by_pytorch(input)
            return layer.in_place(input)
        return layer(input)

    def _by_pytorch(self, input: Tensor) -> Tensor:
        return super().forward(input)


class ReLU(_Elements, nn.ReLU):
    """`torch.nn.ReLU`, computed by cuDNN."""

    _word = "relu"


class ReLU6(_Elements, nn.ReLU6):
    """`torch.nn.ReLU6`, computed by cuDNN."""

    _word, _number = "clipped_relu", "max_val"


class ClippedReLU(ReLU6):
    """A ReLU with a ceiling."""

    def __init__(self, ceiling: float = 6.0, inplace: bool = False) -> None:
        """Make the module.

        Args:
            ceiling: the largest value.
            inplace: whether the input is overwritten.
        """
        super().__init__(inplace)
        self.max_val = float(ceiling)

    def extra_repr(self) -> str:
        """Return the ceiling, whether the input is overwritten, and the choice."""
        return ", ".join(filter(None, (f"{self.max_val}", super().extra_repr())))


class _InPlace(_Elements):
    """An activation that may overwrite its input, which PyTorch's module of the name does not."""

    _own = (*Cudnn._own, "inplace")

    def __init__(self, inplace: bool = False) -> None:
        """Make the module.

        Args:
            inplace: whether the input is overwritten.
        """
        super().__init__()
        self.inplace = inplace

    def _by_pytorch(self, input: Tensor) -> Tensor:
        found = super()._by_pytorch(input)
        return input.copy_(found) if self.inplace else found

    def extra_repr(self) -> str:
        """Return whether the input is overwritten, and the choice."""
        text = super().extra_repr()
        return ", ".join(filter(None, ("inplace=True" if self.inplace else "", text)))


class Sigmoid(_InPlace, nn.Sigmoid):
    """`torch.nn.Sigmoid`, computed by cuDNN."""

    _word = "sigmoid"


class Tanh(_InPlace, nn.Tanh):
    """`torch.nn.Tanh`, computed by cuDNN."""

    _word = "tanh"


class ELU(_Elements, nn.ELU):
    """`torch.nn.ELU`, computed by cuDNN.

    PyTorch computes: what is in place, with a gradient
    """

    _word, _number = "elu", "alpha"


class LeakyReLU(_Elements, nn.LeakyReLU):
    """`torch.nn.LeakyReLU`, computed by cuDNN.

    PyTorch computes: what is in place, with a gradient
    """

    _word, _number = "leaky_relu", "negative_slope"


class SiLU(_Elements, nn.SiLU):
    """`torch.nn.SiLU`, computed by cuDNN.

    PyTorch computes: what is in place, with a gradient
    """

    _word = "silu"


class GELU(_Elements, nn.GELU):
    """`torch.nn.GELU`, computed by cuDNN."""

    _decides = frozenset({"approximate"})

    def _function(self) -> tuple[str, float | None]:
        return "gelu_tanh" if self.approximate == "tanh" else "gelu", None


class Softplus(_Elements, nn.Softplus):
    """`torch.nn.Softplus`, computed by cuDNN where the threshold is at least 20, as by default.

    PyTorch computes: a threshold below 20
    """

    _word, _number = "softplus", "beta"

    def forward(self, input: Tensor) -> Tensor:
        # From there on both are the same; cuDNN has no threshold.
        if self.threshold >= 20:
            return super().forward(input)
        self._leave("cuDNN has no threshold below 20", input)
        return nn.Softplus.forward(self, input)


class _Softmax(Cudnn):
    _own = (*Cudnn._own, "fast")
    _decides = frozenset({"dim", "fast"})
    _log: ClassVar[bool] = False
    #: Number of spatial axes after the channels, which it is over; 0 for the axis `dim`.
    _axes: ClassVar[int] = 0

    #: Whether cuDNN may leave out that the largest element is subtracted first.
    fast: bool = False

    def forward(self, input: Tensor) -> Tensor:
        axes = input.dim()
        dim = self._dim(axes)
        if dim is None or not -axes <= dim < axes:
            return super().forward(input)
        axis = dim % axes
        layers = self._layer
        layer = None if layers is None else layers.get(axis)
        if layer is None:
            options = axis, self._log, self.fast
            layer = self._kept(axis, lambda: functions.Softmax(*options, **self._terms()))
        return layer(input)

    def _dim(self, axes: int) -> int | None:
        count = self._axes
        if not count:
            return self.dim
        if axes not in (count + 1, count + 2):
            raise ValueError(
                f"input: expected {count + 2} axes, or {count + 1} without the batch, got {axes}"
            )
        return -1 - count

    def extra_repr(self) -> str:
        """Return the axis, whether it is the fast one, and the choice."""
        return ", ".join(filter(None, (super().extra_repr(), "fast=True" if self.fast else "")))


class Softmax(_Softmax, nn.Softmax):
    """`torch.nn.Softmax`, computed by cuDNN."""

    def __init__(self, dim: int | None = None, fast: bool = False) -> None:
        """Make the module.

        Args:
            dim: the axis.
            fast: as for `functional.softmax`.

        Raises:
            ArgumentError: the axis is no number.
        """
        if dim is not None and (isinstance(dim, bool) or not hasattr(dim, "__index__")):
            raise errors.ArgumentError(
                f"dim: expected an axis, got {dim!r}", hint="fast=True is for the fast softmax"
            )
        super().__init__(dim)
        self.fast = boolean(fast, "fast")


class LogSoftmax(_Softmax, nn.LogSoftmax):
    """`torch.nn.LogSoftmax`, computed by cuDNN."""

    _log = True


class Softmax2d(_Softmax, nn.Softmax2d):
    """`torch.nn.Softmax2d`, computed by cuDNN."""

    def __init__(self, fast: bool = False) -> None:
        """Make the module; `fast` is as for `functional.softmax`."""
        super().__init__()
        self.fast = boolean(fast, "fast")

    def _dim(self, axes: int) -> int | None:
        return -3 if axes in (3, 4) else None


class SpatialSoftmax(_Softmax, nn.Module):
    """A softmax over the channels of (N, C, H, W) or (C, H, W)."""

    _axes = 2

    def __init__(self, fast: bool = False) -> None:
        """Make the module; `fast` is as for `functional.softmax`."""
        super().__init__()
        self.fast = boolean(fast, "fast")


class SpatialLogSoftmax(_Softmax, nn.Module):
    """The logarithm of a softmax over the channels of (N, C, H, W) or (C, H, W)."""

    _axes = 2
    _log = True


class VolumetricSoftmax(SpatialSoftmax):
    """A softmax over the channels of (N, C, D, H, W) or (C, D, H, W)."""

    _axes = 3


class VolumetricLogSoftmax(SpatialLogSoftmax):
    """The logarithm of a softmax over the channels of (N, C, D, H, W) or (C, D, H, W)."""

    _axes = 3
