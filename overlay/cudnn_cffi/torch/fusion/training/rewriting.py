"""The graph of a model for training, with fewer and faster calls."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from torch import fx, nn

from ...modules.base import CLASSES, Cudnn
from ..norms import scale_of
from ..parts import Part, _Splitter
from ..report import Ran
from ..trace.state import is_own, override_of
from ..trace.words import name_of
from .layer_norms import RowNormalizing
from .layers import (
    Convolving,
    Counting,
    Multiplying,
    Unshuffling,
    counted_elsewhere,
    counts,
    with_activation,
)
from .norms import WORDS, Normalizing, Zeros, tiles_of
from .pooling import MaxPooling, is_pooling
from .sums import Following, Passing
from .weights import Weights

if TYPE_CHECKING:
    from ..trace.tracing import Traced
    from ..trace.words import Activation

_RELU = frozenset({"relu"})

_CONVOLUTIONS, _NORMS, _FUSED_NORMS = (
    tuple([CLASSES[f"{name}{axes}d"] for axes in (1, 2, 3)])
    for name in ("Conv", "BatchNorm", "BatchNormActivation")
)
_EVERY_NORM = frozenset({*_NORMS, *_FUSED_NORMS})
#: The way of a layer that kernels compute, or modules where they do not take it.
_BY = "kernel or cuDNN"

_OF_IMAGES = _NORMS[1], _FUSED_NORMS[1]


class Program(NamedTuple):
    """The computation of a module.

    Attributes:
        module: computes it.
        ran: how each layer is computed, for reports.
    """

    module: fx.GraphModule
    ran: list[Ran]

    def __call__(self, *inputs: object) -> object:
        """Return what the module computes."""
        return self.module(*inputs)


class _Rewriting:
    """A graph that is changed, and the modules that it calls by other names than the model."""

    def __init__(self, traced: Traced) -> None:
        self.traced = traced
        self.graph = traced.graph
        self.splitter = _Splitter(traced, _RELU)
        self.modules: dict[str, Any] = self.splitter.modules
        self.ran: dict[fx.Node, Ran] = {}
        self.words: dict[fx.Node, Activation] = {}  # of norms whose modules do not compute them

    def module_of(self, node: fx.Node) -> Any:
        """Return the module that a node calls, if it is one alone; None for others."""
        module = self.modules.get(str(node.target)) if node.op == "call_module" else None
        plain = module is not None and not override_of(module) and not node.kwargs
        return module if plain else None

    def name(self, module: nn.Module, word: str) -> str:
        """Return a new name of a module, by which nodes call it."""
        name = f"_cudnn_cffi_{word}_{len(self.modules)}"
        self.modules[name] = module
        return name

    def call(self, node: fx.Node, module: nn.Module, args: tuple[Any, ...]) -> None:
        """Let a node call another module."""
        node.target = self.name(module, type(module).__name__.lower())
        node.op, node.args, node.kwargs = "call_module", args, {}

    def tell(self, node: fx.Node, what: str, by: str, why: str = "") -> None:
        """Note how a node is computed, by the name that it has in the model."""
        name = str(node.target) if node.op == "call_module" else node.name
        self.ran[node] = Ran(name, what, by, why)


def rewrite(traced: Traced) -> Program:
    """Return the computation of a graph, which is changed.

    Batch norm in training, the addition of a residual and an activation become one call. Kernels of
    this package compute it in 16 bits with channels last, and layer norms between layers under
    autocast. Parameters of convolutions and linear layers are cast all at once where autocast is
    on; batches are counted by one call; a first layer with steps of two is computed by squares of
    pixels; the gradient of a convolution is added to that of a residual; and max pooling keeps the
    places of maxima.
    """
    work = _Rewriting(traced)
    _tell_all(work)
    _fuse_norms(work)
    _count_once(work)
    _normalize(work)
    _cast_once(work)
    _normalize_rows(work)
    _add_gradients(work)
    _keep_places(work)
    work.graph.lint()
    rows = [work.ran[node] for node in work.graph.nodes if node in work.ran]
    return Program(fx.GraphModule(_attributes(work), work.graph, "Training"), rows)


def _attributes(work: _Rewriting) -> dict[str, Any]:
    """Return what the nodes of a graph name: modules, and tensors of the model."""
    found: dict[str, Any] = {}
    for node in work.graph.nodes:
        if node.op == "call_module":
            found[str(node.target)] = work.modules[str(node.target)]
        elif node.op == "get_attr":
            found[str(node.target)] = operator.attrgetter(str(node.target))(work.traced.root)
    return found


def _tell_all(work: _Rewriting) -> None:
    for node in work.graph.nodes:
        if node.op == "call_module":
            module = work.modules[str(node.target)]
            why = work.traced.leaves.get(str(node.target), "")
            ours = isinstance(module, Cudnn)
            work.tell(node, type(module).__name__, "cuDNN" if ours else "as it is", why)
        elif node.op in ("call_function", "call_method") and node.users:
            word = name_of(node.target)
            if word in ("add", "iadd", "add_", "relu", "relu_"):
                work.tell(node, word, "as it is")


def _norms(work: _Rewriting) -> Iterator[tuple[fx.Node, Any]]:
    """Return the calls of batch norms that use the statistics of the batch."""
    for node in list(work.graph.nodes):
        module = work.module_of(node)
        if module is not None and module.training and type(module) in _EVERY_NORM:
            yield node, module


def _fuse_norms(work: _Rewriting) -> None:
    """Compute each batch norm, the addition of a residual, and ReLU by one call."""
    splitter = work.splitter
    for node, module in _norms(work):
        is_fused = isinstance(module, _FUSED_NORMS) or node in work.words
        if is_fused or len(node.args) != 1:
            continue
        axes = int(type(module).__name__[len("BatchNorm")])
        part = Part("norm", node, (node,), node.args[0], module)
        added = splitter._addition(part, set())
        if added is not None:
            part.node, part.residual = added
            part.nodes = (node, part.node)
        found = splitter._activation(part, WORDS if axes == 2 and not added else _RELU, set())
        if found is None:
            continue
        last, word = found
        inner = [*part.nodes[1:], last]
        args = (part.x,) if part.residual is None else (part.x, part.residual)
        name = str(node.target)
        words = ["norm", *(["residual"] if part.residual is not None else []), word[0]]
        # The last node stays, where everything that is needed has been computed.
        if word[0] in _RELU:
            work.call(last, with_activation(module, axes, part.keeps), args)
        else:
            work.call(last, copy.copy(module), args)
            work.words[last] = word
        for each in reversed([node, *inner[:-1]]):
            work.ran.pop(each, None)
            work.graph.erase_node(each)
        work.ran[last] = Ran(name, " + ".join(words), "cuDNN", "")


def _count_once(work: _Rewriting) -> None:
    """Count batches of all norms at the beginning."""
    found = [(node, module) for node, module in _norms(work) if counts(module)]
    if not found:
        return
    spaces = [dict(module._buffers) for _, module in found]
    for node, module in found:
        node.target = work.name(counted_elsewhere(module), "norm")
    _at_start(work, Counting(spaces))


def _normalize(work: _Rewriting) -> None:
    """Compute norms of images, and the functions after them, by kernels."""
    found = [(node, module) for node, module in _norms(work) if type(module) in _OF_IMAGES]
    if not found:
        return
    start = 0
    zeros = Zeros([module for _, module in found], 0)
    given = _at_start(work, zeros)
    for node, module in found:
        fused = isinstance(module, _FUSED_NORMS)
        word = ("relu", None) if fused else work.words.get(node)
        x, *residual = node.args
        zeros.kinds.add((None if word is None else word[0], bool(residual), module.num_features))
        made = Normalizing(module, word, start, has_word=fused or word is None)
        if (ran := work.ran.get(node)) is not None:
            work.ran[node] = ran._replace(by=_BY)
        work.call(node, made, (x, given, *residual))
        start += tiles_of(module.num_features)
    zeros.count = start


def _cast_once(work: _Rewriting) -> None:
    """Cast the parameters of convolutions and linear layers at the beginning."""
    found = []
    for node in work.graph.nodes:
        module = work.module_of(node)
        if module is not None and len(node.args) == 1 and _is_plain(module):
            found.append((node, module))
    keys = {
        (id(module), name): (module, name)
        for _, module in found
        for name in ("weight", "bias")
        if module._parameters[name] is not None
    }
    if not keys:
        return
    places = {key: place for place, key in enumerate(keys)}
    weights = _at_start(work, Weights(list(keys.values())))
    for node, module in found:
        own = []
        with work.graph.inserting_before(node):
            for name in ("weight", "bias"):
                place = places.get((id(module), name))
                if place is not None:
                    own.append(work.graph.call_function(operator.getitem, (weights, place)))
        made: nn.Module = Multiplying()
        if isinstance(module, _CONVOLUTIONS):
            is_first = node.args[0].op == "placeholder" and Unshuffling.takes(module)
            made = Unshuffling(module) if is_first else Convolving(module)
        work.call(node, made, (*node.args, *own))


def _is_plain(module: Any) -> bool:
    """Return whether a layer has its parameters itself, and needs no other padding."""
    if not isinstance(module, _CONVOLUTIONS) and not is_own(module, "Linear"):
        return False
    own = module._parameters
    plain = getattr(module, "padding_mode", "zeros") == "zeros"
    return plain and "bias" in own and own.get("weight") is not None


def _normalize_rows(work: _Rewriting) -> None:
    """Compute by kernels the layer norms that only convolutions and linear layers read."""
    root = work.traced.root
    for node in list(work.graph.nodes):
        module = work.module_of(node)
        if module is not None and not is_own(module, "LayerNorm"):
            continue
        scale = scale_of(node, root, module) if node.op in _CALLS else None
        if scale is None or scale.rms or not _is_narrowed(work, node):
            continue
        instead = module or (lambda x, own=scale: own.compute(x, own.weight, own.bias))
        ran = work.ran.pop(node, None)
        work.call(node, RowNormalizing(scale, instead), node.args[:1])
        work.ran[node] = Ran(ran.name if ran else node.name, "layer norm", _BY, "")


def _is_narrowed(work: _Rewriting, node: fx.Node) -> bool:
    """Return whether only layers read a value, or views of it, that autocast narrows."""
    for user in node.users:
        module = work.modules.get(str(user.target)) if user.op == "call_module" else None
        if isinstance(module, (Convolving, Multiplying)):
            if user.args[1:].count(node):
                return False
        elif (
            user.op not in _CALLS
            or module is not None
            or name_of(user.target) not in _PERMUTATIONS
            or not _is_narrowed(work, user)
        ):
            return False
    return bool(node.users)


_CALLS = "call_function", "call_method", "call_module"
_PERMUTATIONS = "permute", "flatten", "view", "reshape"


def _add_gradients(work: _Rewriting) -> None:
    """Let a convolution add its gradient to that of the only other user of its input."""
    for x in list(work.graph.nodes):
        users = [each for each in work.graph.nodes if each in x.users]  # in their order
        if len(users) != 2 or x.op == "placeholder":
            continue
        first, other = users
        inner, outer = (work.modules.get(str(each.target)) for each in users)
        if not isinstance(inner, Convolving) or first.args.count(x) != 1:
            continue
        is_fused = isinstance(outer, (*_FUSED_NORMS, Normalizing)) and other.args[-1] is x
        if not is_fused and not (isinstance(outer, Convolving) and other.args[0] is x):
            continue
        if (
            other.args.count(x) != 1
            or other.args[-1] is other.args[0]
            or first.op != "call_module"
            or other.op != "call_module"
        ):
            continue
        with work.graph.inserting_before(first):
            made = work.graph.call_module(
                work.name(Passing(inner.__dict__["layer"]), "passing"), first.args
            )
            y, same = (work.graph.call_function(operator.getitem, (made, i)) for i in (0, 1))
        if first in work.ran:
            work.ran[y] = work.ran.pop(first)
        first.replace_all_uses_with(y)
        work.graph.erase_node(first)
        other.replace_input_with(x, same)
        work.call(other, Following(outer, other.args.index(same)), other.args)


def _keep_places(work: _Rewriting) -> None:
    """Let max pooling keep the places of maxima for its gradient."""
    for node in work.graph.nodes:
        module = work.module_of(node)
        if module is not None and len(node.args) == 1 and is_pooling(module):
            work.ran[node] = work.ran[node]._replace(by=_BY)
            work.call(node, MaxPooling(module), node.args)


def _at_start(work: _Rewriting, module: nn.Module) -> fx.Node:
    """Call a module without arguments before all others."""
    first: Any = next(each for each in work.graph.nodes if each.op != "placeholder")
    with work.graph.inserting_before(first):
        return work.graph.call_module(work.name(module, type(module).__name__.lower()), ())
