"""The weights of parts: folded with a norm, or those of the model itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ... import errors
from ..autograd.layouts import formatted
from .kernel import Folding


class Weights:
    """The filters and the bias of a layer, with its norm folded into them.

    Filters that need neither folding nor another layout or data type are the model's own memory.

    Attributes:
        layer, norm: the modules; norm may be None.
        last: whether filters have their channels last.
        weight, bias: what a part reads; bias may be None. Both stay where they are.
    """

    def __init__(self, layer: Any, norm: Any, dtype: Any = None, *, last: bool = False) -> None:
        """Fold.

        Args:
            layer, norm: the modules; norm may be None.
            dtype: of what a part reads; by default that of the filters.
            last: whether filters have their channels last.
        """
        self.layer, self.norm = layer, norm
        self._dtype = layer.weight.dtype if dtype is None else dtype
        self.last = last
        with torch.no_grad():
            self.weight, self.bias = self._compute()

    @property
    def is_derived(self) -> bool:
        """Return whether a part reads other memory than the model's."""
        pairs = ((self.weight, self.layer.weight), (self.bias, self.layer.bias))
        return any(
            own is not None and (given is None or own.data_ptr() != given.data_ptr())
            for own, given in pairs
        )

    def _compute(self) -> tuple[Any, Any]:
        layer, norm = self.layer, self.norm
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
        weight = formatted(weight, self.last)
        return weight, None if bias is None else bias.to(self._dtype).contiguous()

    def _along(self, scale: Any, weight: Any) -> Any:
        """Return a number for each output channel in the shape of the filters."""
        axes = [1] * (weight.dim() - 1)
        if not getattr(self.layer, "transposed", False):
            return scale.view(-1, *axes)
        # Filters of each group of inputs are for the outputs of that group.
        groups = self.layer.groups
        each = scale.view(groups, 1, -1).expand(-1, weight.shape[0] // groups, -1)
        return each.reshape(weight.shape[0], -1, *axes[1:])

    def refresh(self) -> None:
        """Fold again, into the same memory."""
        with torch.no_grad():
            weight, bias = self._compute()
            for own, now in ((self.weight, weight), (self.bias, bias)):
                if own is not None and own.data_ptr() != now.data_ptr():
                    own.copy_(now)


class Refolding:
    """Folds the weights of several layers by PyTorch's functions, one after the other."""

    def __init__(self, weights: Sequence[Weights]) -> None:
        self._weights = weights

    def run(self) -> None:
        """Fold."""
        for each in self._weights:
            each.refresh()


class Folder:
    """The weights of all parts of a model, and what folds them.

    Attributes:
        why: why PyTorch folds what the kernel could; "" where it does not.
    """

    def __init__(self) -> None:
        self.why = ""
        self._weights: dict[Any, Weights] = {}
        self._foldings: dict[tuple[Weights, ...], Any] = {}

    def weights(self, part: Any, dtype: Any, last: bool) -> Weights:
        """Return the weights of a part, for inputs of a data type, with channels last or not."""
        key = (part.layer, part.norm, dtype, last)
        found = self._weights.get(key)
        if found is None:
            found = self._weights[key] = Weights(part.layer, part.norm, dtype, last=last)
        return found

    def folding(self, weights: Sequence[Weights]) -> Any:
        """Return what folds weights anew: an object with `run`; None if there is nothing to fold.

        Raises:
            CudnnError: the stream is being captured, and these were never folded before.
        """
        key = tuple(dict.fromkeys(each for each in weights if each.is_derived))
        found = self._foldings.get(key)
        if found is None and key:
            found = self._foldings[key] = self._new_folding(key)
        return found

    def _new_folding(self, weights: tuple[Weights, ...]) -> Any:
        device = weights[0].weight.device
        if device.type != "cuda":
            return Refolding(weights)
        if torch.cuda.is_current_stream_capturing():
            raise errors.CudnnError(
                "a fused model is prepared for inputs of a new kind while the stream is captured",
                hint="call the model once with such inputs before the capture",
            )
        try:
            return Folding(weights, device.index)
        except errors.CudnnError as error:
            self.why = error.message
            return Refolding(weights)
