"""Layer norms and RMS norms of the last axis, as graphs have them."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, fx, nn
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Sequence


_FUNCTIONS = (functional.layer_norm, functional.rms_norm)


@dataclass(frozen=True, slots=True)
class Scale:
    """The weights of a norm.

    Attributes:
        module: what has them.
        names: the dotted names of the weight, and of the bias or None.
        epsilon: is added to the variance, or to the mean of squares.
        rms: whether the mean is not subtracted.
    """

    module: nn.Module
    names: tuple[str, str | None]
    epsilon: float
    rms: bool

    @property
    def weight(self) -> Tensor:
        """Return the factors, one for each column."""
        return cast("Tensor", attrgetter(self.names[0])(self.module))

    @property
    def bias(self) -> Tensor | None:
        """Return what is added to each column."""
        name = self.names[1]
        return None if name is None else cast("Tensor | None", attrgetter(name)(self.module))

    @property
    def name(self) -> str:
        """Return what it is, for reports."""
        return "RMSNorm" if self.rms else "LayerNorm"

    def compute(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Return the norm, computed by PyTorch."""
        if self.rms:
            return functional.rms_norm(x, weight.shape, weight, self.epsilon)
        return functional.layer_norm(x, weight.shape, weight, bias, self.epsilon)

    def is_plain(self) -> bool:
        """Return whether the weights are tensors of no other class, with one axis."""
        bias = self.bias
        found = [self.weight] if bias is None else [self.weight, bias]
        return all(type(each) in (nn.Parameter, Tensor) and each.dim() == 1 for each in found)


def scale_of(node: fx.Node, root: nn.Module, module: Any) -> Scale | None:
    """Return the norm that a node computes; None for others, and norms without weights.

    Args:
        node: of a graph.
        root: the module whose tensors the graph names.
        module: the norm that the node calls, or None.
    """
    made: Scale | None = None
    if module is not None and len(node.args) == 1 and not node.kwargs:
        rms = not isinstance(module, nn.LayerNorm)
        epsilon = module.eps
        if module.weight is not None and epsilon is not None:
            has_bias = not rms and module.bias is not None
            names = "weight", "bias" if has_bias else None
            made = Scale(module, names, epsilon, rms)
    elif module is None and node.args and node.target in _FUNCTIONS:
        made = _of_function(node, root)
    return made if made is not None and made.is_plain() else None


def _of_function(node: fx.Node, root: nn.Module) -> Scale | None:
    rms = node.target is functional.rms_norm
    words = ("input", "normalized_shape", "weight", *(() if rms else ("bias",)), "eps")
    given = {**dict(zip(words, node.args, strict=False)), **node.kwargs}
    epsilon = given.get("eps", None if rms else 1e-5)
    weights = [given.get("weight"), given.get("bias")]
    names = [
        str(each.target) if isinstance(each, fx.Node) and each.op == "get_attr" else None
        for each in weights
    ]
    shape = cast("Sequence[int]", given.get("normalized_shape", ()))
    if names[0] is None or not isinstance(epsilon, float) or given["input"] is not node.args[0]:
        return None
    if weights[1] is not None and names[1] is None:
        return None
    made = Scale(root, (names[0], names[1]), epsilon, rms)
    fits = isinstance(shape, (tuple, list, torch.Size)) and len(shape) == 1
    return made if fits and made.weight.shape == torch.Size(shape) else None
