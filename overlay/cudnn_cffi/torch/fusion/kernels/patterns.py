"""Rewrite a graph so that kernels of this package compute what several layers do."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import torch
from torch import fx, nn
from torch.nn import functional
from torch.nn.modules.utils import _pair

from ..trace.state import is_own, override_of
from ..trace.words import is_in_chain, is_mutating, word_of
from .activations import NUMBERS
from .pixels.means import gate_of
from .rows import WRITERS, averaged, group_norm, pooled, repeated, tailed

if TYPE_CHECKING:
    from ..trace.tracing import Traced
    from ..trace.words import Activation

#: Numbers of times that pixels may be repeated: PyTorch divides by them, and rounds for others.
_EXACT = (1, 2, 4, 8)

#: The window, stride, padding and dilation of a max pooling that a convolution may compute, and
#: that no window begins in the padding after an image.
HALVING = (3, 3), (2, 2), (1, 1), (1, 1), False

#: The index of all images and all channels.
_ROWS = (slice(None), slice(None))

_PRODUCTS = {operator.mul, torch.mul, "mul"}
_SUMS = {operator.add, operator.iadd, torch.add, "add", "add_"}


class _Rewriter:
    """Replaces nodes of a graph, if nothing changes what they read."""

    def __init__(self, traced: Traced) -> None:
        self.graph = traced.graph
        self.root = traced.root
        self.modules = dict(traced.root.named_modules(remove_duplicate=False))
        self.order = {node: place for place, node in enumerate(self.graph.nodes)}
        self.unfolded = traced.unfolded
        self.changes = [
            (place, node)
            for node, place in self.order.items()
            if is_mutating(node, self.module_of(node)) and not is_in_chain(node, self.module_of)
        ]

    def module_of(self, node: object) -> Any:
        """Return the module that a node calls with one argument, as it is; None for others."""
        if not isinstance(node, fx.Node) or node.op != "call_module":
            return None
        module = self.modules.get(str(node.target))
        plain = len(node.args) == 1 and not node.kwargs
        return module if plain and module is not None and not override_of(module) else None

    def tensor(self, node: fx.Node, word: str) -> fx.Node | None:
        """Return a node for a tensor of the module that a node calls, before it."""
        if getattr(self.module_of(node), word, None) is None:
            return None
        with self.graph.inserting_before(node):
            return self.graph.get_attr(f"{node.target}.{word}")

    def word(self, node: object) -> Activation | None:
        """Return the activation that a node computes of one argument, if a kernel does."""
        if not isinstance(node, fx.Node) or node.op not in (
            "call_module", "call_function", "call_method",
        ):  # fmt: skip
            return None
        found = word_of(node, self.module_of(node))
        return found if found is not None and found[0] in NUMBERS else None

    def next(self, node: fx.Node) -> fx.Node | None:
        """Return the only node that reads a value."""
        return next(iter(node.users)) if len(node.users) == 1 else None

    def is_free(self, first: fx.Node, last: fx.Node, *inside: fx.Node) -> bool:
        """Return whether nothing changes between two nodes, but for the nodes in a pattern."""
        start, end = self.order[first], self.order[last]
        return not any(start < place < end and node not in inside for place, node in self.changes)

    def activation_after(self, node: fx.Node) -> tuple[list[fx.Node], Activation | None]:
        """Return the node after a value that is an activation, and that; none and None without."""
        after = self.next(node)
        word = self.word(after)
        if after is None or word is None or not self.is_free(node, after):
            return [], None
        return [after], word

    def replace(self, nodes: list[fx.Node], function: Any, *args: Any, **kwargs: Any) -> fx.Node:
        """Have a function compute the value of the last of some nodes, which are one chain."""
        last = nodes[-1]
        with self.graph.inserting_before(last):
            made = self.graph.call_function(function, args, kwargs)
        made.meta["writer"] = WRITERS.get(function)
        self.order[made] = self.order[last]
        last.replace_all_uses_with(made)
        for each in reversed(nodes):
            self.graph.erase_node(each)
            del self.order[each]
        return made

    def share(self) -> None:
        """Have activations of one value computed once."""
        known: dict[object, fx.Node] = {}
        for node in list(self.order):
            if self.word(node) is None or node.op != "call_function" or self.changes:
                continue
            first = known.setdefault((node.target, node.args, tuple(node.kwargs.items())), node)
            if first is not node:
                node.replace_all_uses_with(first)
                self.graph.erase_node(node)
                del self.order[node]

    # Patterns: each takes the first node

    def gate(self, node: fx.Node) -> None:
        """Rewrite x times a gate of the means of x, by two convolutions of one element."""
        pool = self.module_of(node)
        is_pool = type(pool) is nn.AdaptiveAvgPool2d and pool.output_size in (1, (1, 1))
        x = node.args[0] if node.args else None
        if not is_pool or not isinstance(x, fx.Node):
            return
        chain: list[fx.Node] = [node]
        while len(chain) < 6:
            after = self.next(chain[-1])
            if after is None:
                return
            chain.append(after)
        _, first, squeezed, second, gate, last = chain
        layers = [self.module_of(each) for each in (first, second)]
        words = [self.word(each) for each in (squeezed, gate)]
        is_last = last.target in _PRODUCTS and {*last.args} == {x, gate} and not last.kwargs
        if None in words or not is_last or not all(map(_is_product, layers)):
            return
        if not self.is_free(node, last, *chain):
            return
        given = [self.tensor(each, word) for each in (first, second) for word in ("weight", "bias")]
        made = self.replace(chain[:-1], gate_of, x, *given[:2], words[0], *given[2:], words[1])
        made.meta["is_gate"] = True
        self.replace([last], tailed, x, gate=made).meta["is_gated"] = True

    def group_norm(self, node: fx.Node) -> None:
        """Rewrite a number for each channel that is added, a group norm, and an activation."""
        norm = self.module_of(node)
        if not is_own(norm, "GroupNorm") or not isinstance(node.args[0], fx.Node):
            return
        rest, word = self.activation_after(node)
        weight, bias = self.tensor(node, "weight"), self.tensor(node, "bias")
        x, added, before = node.args[0], None, []
        pair = self.offset(x) if self.next(x) is node else None
        if pair is not None and self.is_free(x, node):
            before, (x, added) = [x], pair
        given = norm.num_groups, weight, bias, norm.eps, word, added
        self.replace([*before, node, *rest], group_norm, x, *given)

    def offset(self, node: fx.Node) -> tuple[fx.Node, fx.Node] | None:
        """Return images, and numbers for their channels that a node adds to them."""
        if node.target not in (operator.add, torch.add, "add") or len(node.args) != 2:
            return None
        pair = [each for each in node.args if isinstance(each, fx.Node)]
        offsets = [each for each in pair if _is_turned(each)]
        if node.kwargs or len(pair) != 2 or len(offsets) != 1:
            return None
        return (pair[0] if offsets[0] is pair[1] else pair[1]), offsets[0]

    def batch_norm(self, node: fx.Node) -> None:
        """Rewrite a batch norm that follows no layer that takes it, and an activation."""
        norm = self.module_of(node)
        is_unfolded = norm in self.unfolded
        if not any(
            is_own(norm, f"BatchNorm{axes}d") for axes in ((1, 2, 3) if is_unfolded else (2, 3))
        ):
            return
        source = node.args[0]
        if norm.running_mean is None or not isinstance(source, fx.Node):
            return
        before = self.module_of(source)
        follows = isinstance(before, nn.modules.conv._ConvNd) and len(source.users) == 1
        if follows and not is_unfolded:
            return
        rest, word = self.activation_after(node)
        names = ("running_mean", "running_var", "weight", "bias")
        given = tuple([self.tensor(node, each) for each in names])
        made = self.replace([node, *rest], tailed, source, word, norm=given, epsilon=norm.eps)
        made.meta["is_normed"] = word is not None

    def nearest(self, node: fx.Node) -> None:
        """Rewrite an interpolation that repeats pixels a whole number of times."""
        layer = self.module_of(node)
        if type(layer) in (nn.Upsample, nn.UpsamplingNearest2d):
            given = {"scale_factor": layer.scale_factor, "mode": layer.mode, "size": layer.size}
        elif node.target is functional.interpolate and len(node.args) == 1:
            given = dict(node.kwargs)
        else:
            return
        if given.pop("mode", "nearest") != "nearest" or not isinstance(node.args[0], fx.Node):
            return
        times = given.pop("scale_factor", None)
        each = times if isinstance(times, tuple) else (times,)
        if any(given.values()) or not all(n in _EXACT for n in each):
            return
        own = tuple(map(int, each)) if isinstance(times, tuple) else int(each[0])
        self.replace([node], repeated, node.args[0], own)

    def pool(self, node: fx.Node) -> None:
        """Rewrite a max pooling, or means of windows without padding."""
        layer = self.module_of(node)
        if type(layer) is nn.AvgPool2d:
            others = _pair(layer.padding), layer.ceil_mode, layer.divisor_override
            if others == ((0, 0), False, None):
                sides = _pair(layer.kernel_size), _pair(layer.stride)
                self.replace([node], averaged, node.args[0], *sides)
            return
        if type(layer) is not nn.MaxPool2d or layer.return_indices:
            return
        pairs = [
            _pair(each) for each in (layer.kernel_size, layer.stride, layer.padding, layer.dilation)
        ]
        given = *pairs, layer.ceil_mode
        self.replace([node], pooled, node.args[0], *given).meta["halves"] = given == HALVING

    def scale(self, node: fx.Node) -> None:
        """Rewrite x * factor + residual, with a factor for each channel that is a parameter."""
        if node.target not in _PRODUCTS or len(node.args) != 2 or node.kwargs:
            return
        first, second = node.args
        if isinstance(second, fx.Node) and second.op == "get_attr":
            first, second = second, first
        if not isinstance(first, fx.Node) or not isinstance(second, fx.Node):
            return
        last = self.next(node)
        if first.op != "get_attr" or second.op == "get_attr" or last is None:
            return
        if last.target not in _SUMS or len(last.args) != 2 or last.kwargs:
            return
        residual = last.args[1] if last.args[0] is node else last.args[0]
        if is_mutating(last) and last.args[0] is not node:
            return
        if not isinstance(residual, fx.Node) or residual is node or not self.is_free(node, last):
            return
        more = {"residual": residual, "keeps": is_mutating(last)}
        self.replace([node, last], tailed, second, factor=first, **more)


def _is_turned(node: fx.Node) -> bool:
    """Return whether a node gives rows of numbers axes of one element for pixels."""
    if node.target is not operator.getitem or not isinstance(node.args[1], tuple):
        return False
    index = node.args[1]
    return len(index) > 2 and index[:2] == _ROWS and all(each is None for each in index[2:])


def _is_product(layer: Any) -> bool:
    """Return whether a layer is a convolution with filters of one element alone."""
    return (
        is_own(layer, "Conv2d")
        and layer.kernel_size == layer.stride == (1, 1)
        and layer.padding in ((0, 0), "valid", "same")
        and layer.groups == 1
    )


def gather(traced: Traced) -> Traced:
    """Return a graph in which functions of `rows` compute what they can, changed in place."""
    rewriter = _Rewriter(traced)
    rewriter.share()
    patterns = (
        rewriter.gate, rewriter.group_norm, rewriter.batch_norm, rewriter.nearest, rewriter.pool,
        rewriter.scale,
    )  # fmt: skip
    for pattern in patterns:
        for node in list(traced.graph.nodes):
            if node in rewriter.order and node.args:
                pattern(node)
    return traced
