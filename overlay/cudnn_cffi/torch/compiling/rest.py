"""The rest of a graph, which cuDNN does not compute, by PyTorch's compiler."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from torch import Tensor, fx, nn
from torch.fx.passes.split_module import split_module

from ..fusion.building import ACTIVATIONS
from ..fusion.parts import Part, is_told, split
from ..fusion.report import Ran
from .lifting import Source
from .names import Names

if TYPE_CHECKING:
    from .options import Options


def others(module: fx.GraphModule, layers: Container[object] = ()) -> Iterator[Ran]:
    """Return what computes with tensors in a graph, but for layers: functions."""
    names = Names()
    for node in module.graph.nodes:
        if node.op in ("call_function", "call_method", "call_module") and node.target not in layers:
            part = Part("other", node, (node,), node)
            if isinstance(node.meta.get("example_value"), Tensor) and is_told(part):
                yield Ran(names.of(node), part.text, "as it is", "")


def inductor(module: fx.GraphModule, examples: Sequence[Any]) -> Callable[..., Any]:
    """Return a graph that PyTorch's compiler has compiled."""
    from torch._inductor.compile_fx import compile_fx

    return compile_fx(module, list(examples))


class _Called(nn.Module):
    """Calls a function where a graph calls a module."""

    def __init__(self, call: Callable[..., Any]) -> None:
        super().__init__()
        self.call = call

    def forward(self, *args: Any) -> Any:
        return self.call(*args)


class Fusing(Protocol):
    """A graph that is fused."""

    def __call__(self, *args: Any) -> Any:
        """Return what the graph computes."""

    def ran(self) -> list[Ran]:
        """Return how each part is computed, as far as it was called."""


class Mixed:
    """A graph for inference: runs of layers are fused, and PyTorch compiles the rest."""

    def __init__(
        self, source: Source, examples: Sequence[Any], options: Options,
        fuse: Callable[[Source], Fusing],
    ) -> None:  # fmt: skip
        """Take a graph apart, and compile it.

        Args:
            source: the graph.
            examples: inputs as those of calls.
            options: of the backend.
            fuse: fuses a part of the graph.
        """
        module = source.module
        fused = _fused(source, examples, options)
        places: dict[fx.Node, int] = {}
        place, last = 0, None
        for node in module.graph.nodes:
            if node.op in ("placeholder", "output"):
                continue
            is_fused = node.name in fused
            place += last is not None and is_fused != last
            last = is_fused
            places[node] = place
        given = {
            node.name: each
            for node, each in zip(module.graph.find_nodes(op="placeholder"), examples, strict=True)
        }
        self._module = split_module(module, module, places.__getitem__)
        self._fused: list[Fusing] = []
        self._rest: list[Ran] = []
        for name, part in list(self._module.named_children()):
            if not isinstance(part, fx.GraphModule):
                continue
            nodes = part.graph.find_nodes(op="placeholder")
            fakes = [node.meta["example_value"] for node in nodes]
            pairs = zip(nodes, fakes, strict=True)
            inner = Source(part, [given.get(node.name, fake) for node, fake in pairs])
            if inner.why:
                self._rest += [each._replace(by="inductor") for each in others(part)]
                made: Callable[..., Any] = inductor(part, fakes)
            else:
                made = fuse(inner)
                self._fused.append(made)
            setattr(self._module, name, _Called(made))

    def __call__(self, *args: Any) -> Any:
        """Return what the graph computes."""
        return self._module(*args)

    def ran(self) -> list[Ran]:
        """Return how each part is computed, as far as it was called."""
        return [row for each in self._fused for row in each.ran()] + self._rest


def _fused(source: Source, examples: Sequence[Any], options: Options) -> set[str]:
    """Return the names of the nodes that are parts of plans."""
    words = frozenset(ACTIVATIONS if options.settings.compile else ("relu",))
    traced, places = source.outline(examples)
    parts = split(traced, words).list
    inside = [node for part in parts if part.kind != "other" for node in part.nodes]
    return {places[node] for node in inside}
