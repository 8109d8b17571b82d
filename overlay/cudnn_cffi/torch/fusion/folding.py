"""The weights of parts: folded with a norm, or those of the model itself."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter, is_
from typing import Any

import torch
from torch import nn

from ..layer import formatted


class Weights:
    """The filters and the bias of a layer, with its norm folded into them.

    Filters that need neither folding nor another layout or data type are the model's own memory.

    Attributes:
        weight, bias: what a part reads; bias may be None. Both stay where they are.
    """

    def __init__(self, layer: Any, norm: Any, dtype: Any = None, *, last: bool = False) -> None:
        """Fold.

        Args:
            layer, norm: the modules; norm may be None.
            dtype: of what a part reads; by default that of the filters.
            last: whether filters have their channels last.
        """
        self._layer, self._norm = layer, norm
        self._dtype = layer.weight.dtype if dtype is None else dtype
        self._last = last
        with torch.no_grad():
            self.weight, self.bias = self._compute()

    def _compute(self) -> tuple[Any, Any]:
        layer, norm = self._layer, self._norm
        weight, bias = layer.weight.detach(), layer.bias
        bias = None if bias is None else bias.detach()
        if norm is not None:
            narrow = weight.dtype in (torch.float16, torch.bfloat16)
            wide = torch.float32 if narrow else torch.float64
            scale = torch.rsqrt(norm.running_var.to(wide) + norm.eps)
            if norm.weight is not None:
                scale = scale * norm.weight.to(wide)
            offset = -norm.running_mean.to(wide)
            if bias is not None:
                offset = offset + bias.to(wide)
            bias = offset * scale
            if norm.bias is not None:
                bias = bias + norm.bias.to(wide)
            weight = weight.to(wide) * self._along(scale, weight)
            bias = bias.to(self._dtype)
        weight = weight.to(self._dtype)
        weight = formatted(weight, self._last)
        return weight, None if bias is None else bias.to(self._dtype).contiguous()

    def _along(self, scale: Any, weight: Any) -> Any:
        """Return a number for each output channel in the shape of the filters."""
        axes = [1] * (weight.dim() - 1)
        if not getattr(self._layer, "transposed", False):
            return scale.view(-1, *axes)
        # Filters of each group of inputs are for the outputs of that group.
        groups = self._layer.groups
        each = scale.view(groups, 1, -1).expand(-1, weight.shape[0] // groups, -1)
        return each.reshape(weight.shape[0], -1, *axes[1:])

    def refresh(self) -> None:
        """Fold again, into the same memory."""
        with torch.no_grad():
            weight, bias = self._compute()
            for own, now in ((self.weight, weight), (self.bias, bias)):
                if own is not None and own.data_ptr() != now.data_ptr():
                    own.copy_(now)


_version = attrgetter("_version")
_address = torch.Tensor.data_ptr


class Watch:
    """Notices that tensors of a model changed: replaced, moved, or written to.

    PyTorch counts what is written to a tensor, except by way of `tensor.data`, and in tensors that
    were made in inference mode.
    """

    def __init__(self, model: nn.Module) -> None:
        self._places = list(_places(model))
        self._keep()

    def _keep(self) -> None:
        self._tensors = [own[name] for own, name in self._places]
        # Keeps alive what programs read, until a check has noticed that the model dropped it.
        self.memory = [each.detach() for each in self._tensors]
        self._counted = [each for each in self._tensors if not each.is_inference()]
        self._versions = list(map(_version, self._counted))
        self._addresses = list(map(_address, self._tensors))

    def changes(self) -> str:
        """Return what changed since the last time: "", "numbers" or "tensors"."""
        try:
            tensors = [own[name] for own, name in self._places]
        except KeyError:
            return "tensors"
        if not all(map(is_, tensors, self._tensors)):
            return "tensors"
        if list(map(_address, tensors)) != self._addresses:
            return "tensors"
        if list(map(_version, self._counted)) != self._versions:
            return "numbers"
        return ""

    def settle(self) -> None:
        """Take what is there now for what was."""
        self._keep()


def _places(model: nn.Module) -> Iterable[tuple[dict[str, Any], str]]:
    for module in model.modules():
        for own in (module._parameters, module._buffers, vars(module)):
            for name, tensor in own.items():
                if isinstance(tensor, torch.Tensor) and name != "num_batches_tracked":
                    yield own, name
