"""The weights of all parts of a model, and what folds them anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd

from ... import errors
from ..autograd.switches import autocast_type
from .kernels.compiled import NARROW
from .kernels.fold import Folding, begin_folding
from .products import Matrix
from .weights import Joined, Losses, Weights, refuse_captures

if TYPE_CHECKING:
    from .parts import Part


class Folds(Protocol):
    """Folds weights anew, into the same memory."""

    def run(self) -> None:
        """Fold."""

    @property
    def is_lossy(self) -> bool:
        """Return whether 16 bits were too few for a norm that the device folded by now."""


class Refolding:
    """Folds the weights of several layers by PyTorch's functions, one after the other."""

    def __init__(self, weights: Sequence[Weights]) -> None:
        self._weights, self._losses = weights, Losses(weights)

    def run(self) -> None:
        """Fold."""
        for each in self._weights:
            each.refresh()
        self._losses.note()

    @property
    def is_lossy(self) -> bool:
        """Return whether 16 bits were too few for a norm that the device folded by now."""
        return self._losses.are_there


class Folder:
    """The weights of all parts of a model, and what folds them.

    Attributes:
        why: why PyTorch folds what the kernel could; "" where it does not.
    """

    def __init__(self, *, now: bool = True) -> None:
        """Begin with none.

        Args:
            now: False if weights are read after a folding of `folding` ran, and not before.
        """
        self.why = ""
        self._now = now
        self._weights: dict[tuple[object, ...], Weights | Joined] = {}
        self._foldings: dict[tuple[Weights, ...], Folds] = {}

    def weights(self, part: Part, dtype: torch.dtype | None, last: bool) -> Weights | Joined:
        """Return the weights of a part, for inputs of a data type, with channels last or not."""
        layer = part.conv  # or linear, which has weights as well
        key = (layer, part.norm, dtype, last)
        found = self._weights.get(key)
        if found is None:
            if isinstance(part.layer, Matrix) and part.layer.others:
                found = Joined((replace(part.layer, others=()), *part.layer.others), dtype)
            else:
                found = Weights(layer, part.norm, dtype, last=last, now=self._now)
            self._weights[key] = found
        return found

    def foresee(self, root: nn.Module) -> None:
        """Begin to compile the kernel before it is known what is folded: it takes the longest.

        Without batch norms, models with one convolution or none mostly fold nothing.
        """
        norms = any(isinstance(each, _BatchNorm) for each in root.modules())
        layers = (_ConvNd, nn.Linear) if norms else _ConvNd
        weights = [e._parameters.get("weight") for e in root.modules() if isinstance(e, layers)]
        filters = [each for each in weights if each is not None and each.is_cuda]
        if len(filters) < (1 if norms else 2) or isinstance(filters[0], FakeTensor):
            return
        lower = autocast_type("cuda")
        kinds = [(each.dtype, lower or each.dtype) for each in filters if norms]
        ordinal = filters[0].device.index
        begin_folding([each for each in kinds if each[1] in NARROW], ordinal)

    def folding(self, weights: Sequence[Weights]) -> Folds | None:
        """Return what folds weights anew; None if there is nothing to fold.

        Raises:
            CudnnError: the stream is being captured, and these were never folded before.
        """
        key = tuple(dict.fromkeys(each for each in weights if each.is_derived))
        found = self._foldings.get(key)
        if found is None and key:
            found = self._foldings[key] = self._new_folding(key)
        return found

    def is_lossy(self) -> bool:
        """Return whether norms were folded that should not have been, since numbers changed."""
        return any(each.is_lossy for each in tuple(self._foldings.values()))

    def _new_folding(self, weights: tuple[Weights, ...]) -> Folds:
        device = weights[0].weight.device
        if device.type != "cuda":
            return Refolding(weights)
        refuse_captures(device)
        try:
            return Folding(weights, device.index, Losses)
        except errors.NotSupportedError as error:
            self.why = error.message
            return Refolding(weights)
