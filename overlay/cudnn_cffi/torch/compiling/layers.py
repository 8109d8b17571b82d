"""Layers by cuDNN in the places of PyTorch's functions, for graphs that may need gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, fx, nn
from torch.nn import functional

from ..._support.recent import Recent
from ..fallback import Owner
from ..functional.conv.convolution import (
    Convolution,
    ConvolutionTranspose,
    options_of,
    transposed_options,
)
from ..functional.norm import batch, norms
from ..functional.norm.base import has_other_types
from ..fusion.building import Settings
from ..fusion.report import Ran
from ..modules import base, pooling
from .names import Names
from .options import Options
from .rest import inductor, others

if TYPE_CHECKING:
    from ..functional.arguments import Padding, Sizes

#: Maximum number of layers that stand for one node, by their options.
_MOST = 64


class Stand(nn.Module):
    """Computes what a function of PyTorch computes, with the same arguments, by a layer.

    PyTorch computes what cuDNN does not, as for modules.
    """

    def __init__(self, options: Options, name: str, word: str) -> None:
        """Make no layer yet.

        Args:
            options: of the backend.
            name: of the module in the model, for messages and reports.
            word: the name of PyTorch's function.
        """
        super().__init__()
        self.choose = options.settings.choose
        self.fallback = options.fallback
        self.name, self.word = name, word
        self.axes = int(word[-2]) if word.endswith("d") else 0
        self.owner = Owner(f"{name} ({word})", options.fallback)
        self.kept: Recent[object, Any] = Recent(_MOST)

    def __reduce__(self) -> tuple[object, ...]:
        settings = Settings(choose=self.choose)
        return type(self), (Options("eager", self.fallback, settings), self.name, self.word)

    def layer(self, cls: Callable[..., Any], *options: object) -> Any:
        """Return the layer with such options."""
        found = self.kept.get(options)
        if found is None:
            found = self.kept[options] = cls(*options, choose=self.choose, owner=self.owner)
        return found

    def ran(self) -> Ran:
        """Return how it is computed, as far as it was called."""
        left, why = list(self.kept.values()), {}
        while left:
            layer = left.pop()
            why.update(layer.refused)
            if not isinstance(layer, nn.Module):
                left += layer.parts.values()  # the gradients
        reasons = "; ".join(dict.fromkeys(why.values()))
        by = "torch" if reasons else "layer" if self.kept else "as it is"
        return Ran(self.name, self.word, by, reasons)


class _Convolution(Stand):
    def forward(
        self, input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
        padding: Padding = 0, dilation: Sizes = 1, groups: int = 1,
    ) -> Tensor:  # fmt: skip
        options = options_of(self.axes, weight, stride, padding, dilation, groups)
        return self.layer(Convolution, *options)(input, weight, bias)


class _Transposed(Stand):
    def forward(
        self, input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
        padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, dilation: Sizes = 1,
    ) -> Tensor:  # fmt: skip
        options = transposed_options(self.axes, stride, padding, output_padding, groups, dilation)
        return self.layer(ConvolutionTranspose, *options)(input, weight, bias)


class _BatchNorm(Stand):
    def forward(
        self, input: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
        weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False,
        momentum: float | None = 0.1, eps: float = 1e-5,
    ) -> Tensor:  # fmt: skip
        if (
            not training
            or momentum is None
            or not base.on_gpu(input)
            or has_other_types(input, weight, running_mean)
            or input.numel() == input.shape[1]  # PyTorch refuses it in words
        ):
            given = (running_mean, running_var, weight, bias, training, momentum, eps)
            return functional.batch_norm(input, *given)
        layer = self.layer(batch.BatchNorm, float(momentum), float(eps))
        return batch.run_batch_norm(layer, (input, weight, bias), running_mean, running_var)


class _LayerNorm(Stand):
    def forward(
        self, input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None,
        bias: Tensor | None = None, eps: float = 1e-5,
    ) -> Tensor:  # fmt: skip
        return self.layer(norms.LayerNorm, tuple(normalized_shape), float(eps))(input, weight, bias)


class _RMSNorm(Stand):
    def forward(
        self, input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None,
        eps: float | None = None,
    ) -> Tensor:  # fmt: skip
        epsilon = norms.default_epsilon(input) if eps is None else float(eps)
        return self.layer(norms.RMSNorm, tuple(normalized_shape), epsilon)(input, weight)


class _Pool(Stand):
    def pool(self, input: Tensor, word: str, **options: Any) -> Any:
        """Compute by the module with such options."""
        key = tuple([tuple(e) if isinstance(e, list) else e for e in options.values()])
        module = self.kept.get(key)
        if module is None:
            module = getattr(pooling, f"{word}Pool{self.axes}d")(**options)
            module._name_as(self.name)
            module.choose, module.fallback = self.choose, self.fallback
            self.kept[key] = module
        return module(input)


class _MaxPool(_Pool):
    def forward(
        self, input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        dilation: Sizes = 1, ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        return self.pool(
            input, "Max", kernel_size=kernel_size, stride=stride or None, padding=padding,
            dilation=dilation, return_indices=return_indices, ceil_mode=ceil_mode,
        )  # fmt: skip


class _AveragePool(_Pool):
    def forward(
        self, input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        ceil_mode: bool = False, count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Any:  # fmt: skip
        more = {} if self.axes == 1 else {"divisor_override": divisor_override}
        return self.pool(
            input, "Avg", kernel_size=kernel_size, stride=stride or None, padding=padding,
            ceil_mode=ceil_mode, count_include_pad=count_include_pad, **more,
        )  # fmt: skip


def _stands() -> Iterator[tuple[object, str, type[Stand]]]:
    for axes in (1, 2, 3):
        yield getattr(torch, f"conv{axes}d"), f"conv{axes}d", _Convolution
        name = f"conv_transpose{axes}d"
        yield getattr(torch, name), name, _Transposed
        for name, cls in ((f"max_pool{axes}d", _MaxPool), (f"avg_pool{axes}d", _AveragePool)):
            yield getattr(functional, name), name, cls
    yield functional.batch_norm, "batch_norm", _BatchNorm
    yield functional.layer_norm, "layer_norm", _LayerNorm
    yield torch.rms_norm, "rms_norm", _RMSNorm
    yield functional.rms_norm, "rms_norm", _RMSNorm


#: The name of each function of PyTorch that a layer computes, and the class for it.
STANDS = {function: (word, cls) for function, word, cls in _stands()}


class Layered:
    """A graph whose layers are cuDNN's, with gradients, and whose rest is PyTorch's."""

    def __init__(
        self, module: fx.GraphModule, examples: Sequence[Any], options: Options, why: str
    ) -> None:
        """Change a graph, and graphs inside of it, in place.

        Args:
            module: the graph.
            examples: inputs as those of calls.
            options: of the backend.
            why: it is not fused.
        """
        self._why = why
        tensors = [each for each in examples if isinstance(each, Tensor)]
        self._is_elsewhere = not any(map(base.on_gpu, tensors))
        self._rest = list(others(module, STANDS))
        self._stands: list[Stand] = []
        names = Names()
        for inner in [each for each in module.modules() if isinstance(each, fx.GraphModule)]:
            for node in inner.graph.nodes:
                found = STANDS.get(node.target) if node.op == "call_function" else None
                if found is None:
                    continue
                word, cls = found
                made = cls(options, names.of(node), word)
                name = f"layer_{len(self._stands)}"
                inner.add_submodule(name, made)
                node.op, node.target = "call_module", name
                self._stands.append(made)
            inner.recompile()
        self._run: Callable[..., Any] = module.forward
        if options.rest == "inductor":
            self._run = inductor(module, examples)
            self._rest = [each._replace(by="inductor") for each in self._rest]

    def __call__(self, *args: Any) -> Any:
        """Return what the graph computes."""
        return self._run(*args)

    def ran(self) -> list[Ran]:
        """Return how each part is computed, as far as it was called."""
        stands = [each.ran() for each in self._stands]
        if self._is_elsewhere:
            stands = [each._replace(by="torch", why="it is not on a GPU") for each in stands]
        first = [Ran("(the graph)", "graph", "not fused", self._why)] if stands else []
        return [*first, *stands, *self._rest]
