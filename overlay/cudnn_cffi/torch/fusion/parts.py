"""The parts of a model: chains of layers that are computed at once, and all the rest."""

from __future__ import annotations

import operator
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import fx, nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd

from .norms import Scale, scale_of
from .products import MOST_JOINED, WORDS, Matrix, joined, matrix_of
from .trace.state import is_own, override_of, pipeline_of
from .trace.windows import Before, Window
from .trace.words import VIEWS, is_in_chain, is_mutating, is_unknown, name_of, word_of

if TYPE_CHECKING:
    from .trace.tracing import Traced
    from .trace.words import Activation
    from .weights import Pair

_PLAIN = (nn.Parameter, torch.Tensor, FakeTensor, type(None))

_CONVOLUTIONS = {"Conv1d": 1, "Conv2d": 2, "Conv3d": 3}
_TRANSPOSED = {f"ConvTranspose{axes}d": axes for axes in (1, 2, 3)}
_NORMS = {1: "BatchNorm1d", 2: "BatchNorm2d", 3: "BatchNorm3d"}


_ADDITIONS = {operator.add, operator.iadd, torch.add}


_TRIVIAL = (
    "getattr", "size", "dim", "_assert", "eq", "ne", "floordiv", "shape", "tree_unflatten",
)  # fmt: skip
_SAME = (nn.Identity, nn.Flatten, nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)


@dataclass(slots=True)
class Part:
    """A chain of nodes that is computed at once, or a single node that is run as it is.

    Attributes:
        kind: "convolution"; "product" for a linear layer; "norm" for a layer norm or an RMS norm;
            "linear" and "transposed" for those that are folded with a norm alone; or "other".
        node: the last node of the chain, whose value is that of the part.
        nodes: all nodes of the chain.
        x: the input of the layer; the node itself where that is single.
        layer, norm: the modules, and their names below.
        residual: what is added.
        keeps: whether it is added in place, so that the sum keeps the data type.
        activation: a word of `building.ACTIVATIONS`, and its number.
        why: why a layer is run as it is; "" where nothing could be fused.
        before: the activation of a norm, of which a kernel reads the input.
    """

    kind: str
    node: fx.Node
    nodes: tuple[fx.Node, ...]
    x: fx.Node
    layer: nn.Module | Matrix | Scale | Window | None = None
    norm: _BatchNorm | None = None
    residual: fx.Node | None = None
    activation: Activation | None = None
    why: str = ""
    keeps: bool = False
    before: Activation | None = None

    @property
    def conv(self) -> _ConvNd:
        """Return the module of a convolution."""
        return cast("_ConvNd", self.layer)

    @property
    def name(self) -> str:
        """Return the name of its first module, or of the function."""
        first = next((each for each in self.nodes if each.op == "call_module"), self.nodes[0])
        if isinstance(self.layer, (Matrix, Scale)) and not isinstance(first.target, str):
            return self.layer.names[0].rpartition(".")[0]
        return first.target if isinstance(first.target, str) else first.name

    @property
    def covers(self) -> tuple[str, ...]:
        """Return the names of the modules that it computes."""
        return tuple(str(each.target) for each in self.nodes if each.op == "call_module")

    @property
    def text(self) -> str:
        """Return what it computes, in words."""
        if self.kind == "other":
            return name_of(self.node.target) if self.layer is None else type(self.layer).__name__
        layer = self.layer.module if isinstance(self.layer, Window) else self.layer
        first = layer.name if isinstance(layer, (Matrix, Scale)) else type(layer).__name__
        words = [first]
        words += ["norm"] if self.norm is not None else []
        words += ["residual"] if self.residual is not None else []
        words += [self.activation[0]] if self.activation is not None else []
        return " + ".join(words)


@dataclass(slots=True)
class Parts:
    """All parts of a model in the order in which they are computed.

    Attributes:
        traced: the graph, and its modules.
        inputs: the nodes of arguments.
        free: for each input, whether only convolutions read it: then its layout does not matter.
        list: the parts.
        output: the arguments of the node that returns: nodes in tuples, lists, dicts.
    """

    traced: Traced
    inputs: list[fx.Node]
    free: tuple[bool, ...]
    list: list[Part]
    output: object


def _convolution(module: nn.Module | None) -> tuple[int, str]:
    """Return the number of spatial axes (0 for no convolution), and why it is not fused."""
    for name, axes in _CONVOLUTIONS.items():
        if isinstance(module, getattr(nn, name)):
            if not is_own(module, name):
                return axes, f"{type(module).__name__} is not {name} itself"
            if why := override_of(module):
                return axes, why
            if module.padding_mode != "zeros":
                return axes, f"padding_mode={module.padding_mode!r}"
            for each in (module.weight, module.bias):
                if type(each) not in _PLAIN:
                    return axes, f"it has a {type(each).__name__}"
            return axes, ""
    return 0, ""


class _Splitter:
    """Finds the parts of a graph."""

    def __init__(self, traced: Traced, words: frozenset[str], windows: bool = False) -> None:
        self.traced = traced
        self.words = words
        self.windows = windows
        self.order = {node: place for place, node in enumerate(traced.graph.nodes)}
        self.modules = dict(traced.root.named_modules(remove_duplicate=False))
        self.changes = [
            self.order[node]
            for node in self.order
            if is_mutating(node, self.module_of(node)) and not is_in_chain(node, self.module_of)
        ]

    def module_of(self, node: fx.Node) -> nn.Module | None:
        return self.modules.get(node.target) if node.op == "call_module" else None

    def chains(self) -> Iterator[Part]:
        taken: set[fx.Node] = set()
        for node in self.traced.graph.nodes:
            module = self.module_of(node)
            if node in taken or module is None or len(node.args) != 1 or node.kwargs:
                continue
            axes, why = _convolution(module)
            if axes and not why:
                part: Part | None = self._chain(node, module, axes, taken)
            elif is_own(module, "Linear") and not override_of(module):
                part = self._folded(node, module, "linear", 1)
            elif type(module).__name__ in _TRANSPOSED and not override_of(module):
                name = type(module).__name__
                if not is_own(module, name):
                    continue
                part = self._folded(node, module, "transposed", _TRANSPOSED[name])
            else:
                continue
            if part is not None:
                taken.update(part.nodes)
                yield part

    def products(self) -> Iterator[Part]:
        """Return linear layers, each with what follows: an activation, or an addition."""
        taken: set[fx.Node] = set()
        for node in self.traced.graph.nodes:
            layer = self._matrix(node)
            if layer is None:
                continue
            part = Part("product", node, (node,), node.args[0], layer)
            if (word := self._activation(part, WORDS, taken)) is not None:
                part.node, part.nodes, part.activation = word[0], (node, word[0]), word[1]
            elif (added := self._addition(part, taken)) is not None:
                part.node, part.nodes, part.residual = added[0], (node, added[0]), added[1]
            taken.update(part.nodes)
            yield part

    def joinable(self) -> Iterator[list[fx.Node]]:
        """Return calls of linear layers that have the same input, from two on."""
        groups: dict[tuple[object, ...], list[fx.Node]] = {}
        for node in self.traced.graph.nodes:
            layer = self._matrix(node) if node.op == "call_module" else None
            if layer is None or self._activation_or_addition(node):
                continue
            weight, bias = layer.weight, layer.bias
            if type(weight) is not nn.Parameter or type(bias) not in (nn.Parameter, type(None)):
                continue
            key = node.args[0], weight.shape[1], weight.dtype, bias is None
            groups.setdefault(key, []).append(node)
        for group in groups.values():
            sizes = [cast("Matrix", self._matrix(each)).weight.nbytes for each in group]
            if len(group) > 1 and sum(sizes) <= MOST_JOINED and self._may_move(group[0], group[-1]):
                yield group

    def _activation_or_addition(self, node: fx.Node) -> bool:
        """Return whether what follows a linear layer is computed with it."""
        part = Part("product", node, (node,), node)
        return bool(self._activation(part, WORDS, set()) or self._addition(part, set()))

    def _matrix(self, node: fx.Node) -> Matrix | None:
        module = self.module_of(node)
        if module is not None and (not is_own(module, "Linear") or override_of(module)):
            return None
        return matrix_of(node, self.traced.root, module)

    def norms(self) -> Iterator[Part]:
        """Return layer norms and RMS norms of the last axis that have a weight."""
        for node in self.traced.graph.nodes:
            module = self.module_of(node)
            if module is not None and override_of(module):
                continue
            if module is None or is_own(module, "LayerNorm") or is_own(module, "RMSNorm"):
                layer = scale_of(node, self.traced.root, module)
                if layer is not None:
                    yield Part("norm", node, (node,), node.args[0], layer)

    def _activation(
        self, part: Part, words: Container[str], taken: set[fx.Node]
    ) -> tuple[fx.Node, Activation] | None:
        """Return the node and the word of the activation after a part that is computed with it."""
        after = self._next(part.node)
        if after is None or after in taken or not self._may_move(part.nodes[0], after):
            return None
        word = word_of(after, self.module_of(after))
        is_first = after.args and after.args[0] is part.node
        plain = after.op != "call_module" or not override_of(self.module_of(after))
        return (after, word) if word and word[0] in words and is_first and plain else None

    def _next(self, node: fx.Node) -> fx.Node | None:
        return next(iter(node.users)) if len(node.users) == 1 else None

    def _is_norm(self, node: fx.Node, name: str) -> bool:
        """Return whether a node calls a norm of that name itself, with running statistics."""
        norm = self.module_of(node)
        if norm is None or not is_own(norm, name) or override_of(norm):
            return False
        return norm.running_mean is not None and norm not in self.traced.unfolded

    def _norm_after(self, node: fx.Node, axes: int) -> fx.Node | None:
        after = self._next(node)
        if after is None or after.op != "call_module" or after.kwargs or len(after.args) != 1:
            return None
        fits = self._is_norm(after, _NORMS[axes]) and self._may_move(node, after)
        return after if fits else None

    def _fused_norm_after(self, node: fx.Node, axes: int) -> fx.Node | None:
        """Return the call of a norm with addition and ReLU that follows a convolution, or None."""
        after = self._next(node)
        if (
            after is None
            or after.op != "call_module"
            or not after.args
            or after.args[0] is not node
        ):
            return None
        others = (*after.args[1:], *after.kwargs.values())
        fits = (
            self._is_norm(after, f"BatchNormActivation{axes}d")
            and all(each is None or isinstance(each, fx.Node) for each in others)
            and node not in others
            and self._may_move(node, after)
        )
        return after if fits else None

    def _folded(self, node: fx.Node, module: nn.Module, kind: str, axes: int) -> Part | None:
        norm = self._norm_after(node, axes)
        if norm is None or type(module.weight) not in _PLAIN:
            return None
        return Part(kind, norm, (node, norm), node.args[0], module, self.module_of(norm))

    def _chain(self, node: fx.Node, module: nn.Module, axes: int, taken: set[fx.Node]) -> Part:
        part = Part("convolution", node, (node,), node.args[0], module)
        pads = self._zeros_before(node, axes) if self.windows else ()
        if pads:
            part.nodes, part.x = (part.x, node), part.x.args[0]
        before = self._before(part, axes, pads) if pads else None
        if before is not None:
            part.nodes, part.x = (part.x, *part.nodes), part.x.args[0]
        if pads or (axes == 1 and self.windows):
            part.layer = Window(cast("_ConvNd", module), pads, before)
        fused = self._fused_norm_after(node, axes)
        if fused is not None:
            part.node, part.norm = fused, self.module_of(fused)
            part.nodes = (*part.nodes, fused)
            part.residual = fused.kwargs.get("residual", (*fused.args, None)[1])
            part.activation = ("relu", None)
            return part
        norm = self._norm_after(node, axes)
        if norm is not None:
            part.node, part.nodes = norm, (*part.nodes, norm)
            part.norm = self.module_of(norm)
        added = self._addition(part, taken)
        if added is not None:
            after, residual = added
            part.node, part.nodes, part.residual = after, (*part.nodes, after), residual
        if (found := self._activation(part, self.words, taken)) is not None:
            part.node, part.nodes = found[0], (*part.nodes, found[0])
            part.activation = found[1]
        return part

    def _before(self, part: Part, axes: int, pads: tuple[tuple[int, int], ...]) -> Before | None:
        """Return what makes the input of a convolution of volumes for it alone."""
        made = part.x
        writer = made.meta.get("writer")
        if axes != 3 or writer is None or any(first != last for first, last in pads[1:]):
            return None
        if self._next(made) is not part.nodes[0] or not self._may_move(made, part.nodes[-1]):
            return None
        if any(each.op != "get_attr" for each in made.all_input_nodes if each is not made.args[0]):
            return None
        return Before(cast("Any", made.target), writer, made.args[1:], self.traced.root)

    def _zeros_before(self, node: fx.Node, axes: int) -> tuple[tuple[int, int], ...]:
        """Return how many zeros are put around the input of a convolution alone; () for none."""
        source = node.args[0]
        if not isinstance(source, fx.Node) or name_of(source.target) != "pad":
            return ()
        given = {**dict(zip(("input", "pad", "mode", "value"), source.args, strict=False))}
        given |= source.kwargs
        pads = given.get("pad")
        padding = cast("_ConvNd", self.module_of(node)).padding
        if (
            source.op != "call_function"
            or self._next(source) is not node
            or not isinstance(given.get("input"), fx.Node)
            or given.get("mode", "constant") != "constant"
            or given.get("value") not in (None, 0)
            or isinstance(padding, str)
            or not isinstance(pads, (tuple, list))
            or len(pads) > 2 * axes
            or not all(isinstance(each, int) and each >= 0 for each in pads)
            or not self._may_move(source, node)
        ):
            return ()
        pads = [*pads, *[0] * (2 * axes - len(pads))]
        return tuple([(pads[i], pads[i + 1]) for i in range(2 * axes - 2, -1, -2)])

    def _addition(self, part: Part, taken: set[fx.Node]) -> tuple[fx.Node, fx.Node] | None:
        """Return the addition after a part that is computed with it, and what is added."""
        after = self._next(part.node)
        if after is None or after in taken or len(after.args) != 2 or after.kwargs:
            return None
        is_method = after.op == "call_method" and after.target in ("add", "add_")
        if not is_method and not (after.op == "call_function" and after.target in _ADDITIONS):
            return None
        first, second = after.args
        if not isinstance(first, fx.Node) or not isinstance(second, fx.Node) or first is second:
            return None
        if is_mutating(after) and first is not part.node:
            return None  # it changes the other one
        if not self._may_move(part.nodes[0], after):
            return None
        part.keeps = is_mutating(after)
        return after, second if first is part.node else first

    def _may_move(self, first: fx.Node, after: fx.Node) -> bool:
        """Return whether a part with that first node may be computed where a later node is.

        Its inputs must not have been changed by then.
        """
        start, end = self.order[first], self.order[after]
        return not any(start < place < end for place in self.changes)


def pairs(traced: Traced) -> list[Pair]:
    """Return the layers and the norms that are folded into them."""
    chains = _Splitter(traced, frozenset()).chains()
    return [(each.conv, each.norm) for each in chains if each.norm is not None]


def join(traced: Traced) -> None:
    """Compute linear layers that have the same input by one product."""
    graph = traced.graph
    splitter = _Splitter(traced, frozenset())
    for group in splitter.joinable():
        modules: list[Any] = [splitter.module_of(each) for each in group]
        words = ["weight"] if modules[0].bias is None else ["weight", "bias"]
        with graph.inserting_before(group[0]):
            given = [graph.get_attr(f"{each.target}.{word}") for word in words for each in group]
            made = graph.call_function(joined, (group[0].args[0], len(group), *given))
        start = 0
        for node, module in zip(group, modules, strict=True):
            end = start + module.weight.shape[0]
            with graph.inserting_before(node):
                part = graph.call_function(operator.getitem, (made, (..., slice(start, end))))
            node.replace_all_uses_with(part)
            graph.erase_node(node)
            start = end


#: Modules of networks whose linear layers and norms are looked for, see `Traced.kinds`.
_COMPOSITES = (nn.MultiheadAttention, nn.LayerNorm, nn.RMSNorm)

_ATTENTION = nn.functional.scaled_dot_product_attention


def has_composites(traced: Traced) -> bool:
    """Return whether a graph has nodes that compute what several functions do."""
    modules = dict(traced.root.named_modules(remove_duplicate=False))
    for node in traced.graph.nodes:
        module = modules.get(node.target) if node.op == "call_module" else None
        if type(module) in _COMPOSITES or str(node.target) in traced.leaves:
            return True
        if node.op == "call_function" and (is_unknown(node) or node.target is _ATTENTION):
            return True
    return False


def split(traced: Traced, words: frozenset[str], *, windows: bool = False) -> Parts:
    """Return the parts of a model.

    Args:
        traced: its graph.
        words: activations that are computed together with the layer before them.
        windows: whether convolutions may be `Window`.
    """
    if "product" in traced.kinds:
        join(traced)
    splitter = _Splitter(traced, words, windows)
    parts = {part.node: part for part in splitter.chains()}
    taken = {node for part in parts.values() for node in part.nodes}
    if "product" in traced.kinds:
        parts.update({p.node: p for p in splitter.products() if taken.isdisjoint(p.nodes)})
    if "norm" in traced.kinds:
        parts.update({p.node: p for p in splitter.norms()})
    inner = {node for part in parts.values() for node in part.nodes}
    found: list[Part] = []
    inputs: list[fx.Node] = []
    output: object = None
    for node in traced.graph.nodes:
        if node in parts:
            found.append(parts[node])
        elif node.op == "placeholder":
            inputs.append(node)
        elif node.op == "output":
            output = node.args[0]
        elif node not in inner:
            module = splitter.module_of(node)
            why = _convolution(module)[1] or traced.leaves.get(str(node.target), "")
            found.append(Part("other", node, (node,), node, module, why=why))
    inside = {each for part in parts.values() if part.kind == "convolution" for each in part.nodes}
    free = tuple([bool(node.users) and inside.issuperset(node.users) for node in inputs])
    return Parts(traced, inputs, free, found, output)


def is_told(part: Part) -> bool:
    """Return whether a report tells of a part that is run as it is: whether it computes."""
    node = part.node
    if part.layer is not None and pipeline_of(part.layer) is not None:
        return False  # a fragment tells of itself
    if part.why or node.op == "call_module":
        return bool(part.why) or type(part.layer) not in _SAME
    known = (*VIEWS, *_TRIVIAL)
    return node.op in ("call_function", "call_method") and name_of(node.target) not in known


def is_view(part: Part) -> bool:
    """Return whether the value is memory of another one, and no step has to make it."""
    if part.node.op == "call_module":
        return type(part.layer) in _SAME
    return name_of(part.node.target) in VIEWS and not is_mutating(part.node)
