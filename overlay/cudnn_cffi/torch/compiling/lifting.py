"""A graph of Dynamo's as `fuse` takes it: layers are modules that have their weights.

Dynamo passes parameters and buffers as inputs. Here those of a layer become the layer's own again,
for as long as calls bring the same memory.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, fx, nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn import functional

from ..functional.arguments import numbers
from ..fusion.trace.eager import attribute
from ..fusion.trace.tracing import Traced
from ..fusion.trace.words import VIEWS, is_mutating, name_of, written
from .names import Names

_PLAIN = (Tensor, nn.Parameter, FakeTensor)

#: Where functions of PyTorch are that compute with tensors, and do nothing else.
_ROOMS = ("torch", "torch.functional", "torch.nn.functional", "torch._tensor", "_operator", "math")
_NAMESPACES = ("torch._C._nn", "torch._C._linalg", "torch._C._fft", "torch._C._special")


class _Layer(NamedTuple):
    """A function with weights, by which module it is replaced.

    Attributes:
        kind: "convolution", "transposed", "linear" or "norm".
        axes: the number of spatial axes; 0 for any.
        parameters: the arguments of the function, with their defaults.
    """

    kind: str
    axes: int
    parameters: inspect.Signature


def _signature(*names: str, **defaults: object) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    pairs = {**dict.fromkeys(names, inspect.Parameter.empty), **defaults}
    return inspect.Signature(
        [inspect.Parameter(name, kind, default=each) for name, each in pairs.items()]
    )


def _layers() -> Iterator[tuple[object, _Layer]]:
    linear = _signature("input", "weight", bias=None)
    plain: dict[str, object] = {"bias": None, "stride": 1, "padding": 0}
    convolution = _signature("input", "weight", **plain, dilation=1, groups=1)
    transposed = _signature(
        "input", "weight", **plain, output_padding=0, groups=1, dilation=1
    )  # fmt: skip
    for axes in (1, 2, 3):
        yield getattr(torch, f"conv{axes}d"), _Layer("convolution", axes, convolution)
        yield getattr(torch, f"conv_transpose{axes}d"), _Layer("transposed", axes, transposed)
    yield functional.linear, _Layer("linear", 1, linear)
    yield functional.batch_norm, _Layer("norm", 0, inspect.signature(functional.batch_norm))


_LAYERS = dict(_layers())

#: The arguments of layers that are their parameters or buffers.
_WEIGHTS = ("weight", "bias", "running_mean", "running_var")


class Lifted(NamedTuple):
    """A node that becomes a module.

    Attributes:
        kind, axes: as of `_Layer`; the axes of a norm are those of the layer before it.
        x: the input.
        weights: the placeholders of its tensors, by the names that modules have for them.
        options: all other arguments; floats may be placeholders of numbers.
    """

    kind: str
    axes: int
    x: fx.Node
    weights: dict[str, fx.Node | None]
    options: dict[str, object]


class Source:
    """A graph of Dynamo's, whose inputs are weights, numbers, and all else.

    Attributes:
        module: the graph, as Dynamo gave it.
        graph: a copy without reads of numbers from tensors.
        lifted: the nodes that become modules.
        weights: the places of their tensors among the inputs.
        rest: the places of all other inputs, and whether each is a number in a tensor.
        why: why it cannot be fused; "" if it can.
    """

    def __init__(self, module: fx.GraphModule, examples: Sequence[object]) -> None:
        """Look at a graph.

        Args:
            module: the graph.
            examples: an input like those of calls for each placeholder.
        """
        self.module = module
        self.graph = fx.Graph()
        self.graph.output(self.graph.graph_copy(module.graph, {}))
        self._inputs = [each for each in self.graph.nodes if each.op == "placeholder"]
        given = dict(zip(self._inputs, examples, strict=True))
        boxed = {each for each in self._inputs if _is_boxed(each, given[each])}
        for each in boxed:
            for user in list(each.users):
                user.replace_all_uses_with(each)
                self.graph.erase_node(user)
        self._numbers = {
            each for each in self._inputs if each in boxed or not isinstance(given[each], Tensor)
        }
        self.lifted = self._find(given)
        own = {each for one in self.lifted.values() for each in one.weights.values()}
        self.weights = [place for place, each in enumerate(self._inputs) if each in own]
        self.rest = [
            (place, each in boxed) for place, each in enumerate(self._inputs) if each not in own
        ]
        self._own = own
        self.why = self._why_not() or next(filter(None, map(_why_not_with, examples)), "")

    def outline(self, examples: Sequence[Any]) -> tuple[Traced, dict[fx.Node, str]]:
        """Return the graph with modules, for any numbers, and the names of its nodes here."""
        bound = Bound(self, [examples[place] for place in self.weights])
        traced, known = bound.trace([1 for _ in self.rest])
        return traced, {
            made: node.name for node, made in known.items() if isinstance(made, fx.Node)
        }

    # Layers

    def _find(self, examples: Mapping[fx.Node, object]) -> dict[fx.Node, Lifted]:
        """Return the nodes that become modules: whose weights nothing else reads."""
        found: dict[fx.Node, Lifted] = {}
        for node in self.graph.nodes:
            layer = _LAYERS.get(node.target) if node.op == "call_function" else None
            made = None if layer is None else self._lift(node, layer, found, examples)
            if made is not None:
                found[node] = made
        while True:
            read = [each for one in found.values() for each in one.weights.values()]
            shared = {each for each in read if each and not set(each.users) <= found.keys()}
            followed = {one.x for one in found.values() if one.kind == "norm"}
            for node, one in list(found.items()):
                alone = one.kind in ("transposed", "linear") and node not in followed
                lost = one.kind == "norm" and one.x not in found
                if alone or lost or not shared.isdisjoint(one.weights.values()):
                    del found[node]
                    break
            else:
                return found

    def _lift(
        self, node: fx.Node, layer: _Layer, before: Mapping[fx.Node, Lifted],
        examples: Mapping[fx.Node, object],
    ) -> Lifted | None:  # fmt: skip
        try:
            bound = layer.parameters.bind(*node.args, **node.kwargs)
        except TypeError:
            return None
        bound.apply_defaults()
        options = dict(bound.arguments)
        x = options.pop("input")
        weights = {name: options.pop(name) for name in _WEIGHTS if name in options}
        axes = layer.axes
        if layer.kind == "norm":
            source = before.get(x)
            needed: tuple[str, ...] = ("running_mean", "running_var")
            if source is None or options.pop("training") is not False or len(x.users) != 1:
                return None
            if _dim(examples[source.weights["weight"]]) != _dim(x.meta.get("example_value")):
                return None  # there is no batch, or more than one: the norm takes another axis
            axes = source.axes
            options.pop("momentum")
        else:
            needed = ("weight",)
        if any(not isinstance(weights[name], fx.Node) for name in needed):
            return None
        for name, each in weights.items():
            if each is not None and not (
                isinstance(each, fx.Node)
                and each.op == "placeholder"
                and isinstance(examples[each], Tensor)
                and (name.startswith("running") or isinstance(examples[each], nn.Parameter))
            ):
                return None
        for value in options.values():
            if isinstance(value, fx.Node) and value not in self._numbers:
                return None
        return Lifted(layer.kind, axes, x, weights, options) if isinstance(x, fx.Node) else None

    # All else

    def _why_not(self) -> str:
        if not any(
            each.kind == "convolution" or each.kind == "norm" for each in self.lifted.values()
        ):
            return "it has no layer to fuse"
        for node in self.graph.nodes:
            if node.op == "call_module":
                return f"{node.target} is a module"
            if node.op == "get_attr" and isinstance(attribute(self.module, node.target), nn.Module):
                return f"{node.target} is a graph inside of it"
            if node.op == "call_function" and not _is_plain(node.target):
                return f"{name_of(node.target)} changes how others are computed"
            if node.op == "call_method" and node.target == "requires_grad_":
                return "it asks for a gradient"
            if name_of(node.target) == "as_strided":
                return "it reads memory as it lies"
            if self._writes(node):
                return f"{node.name} writes to an input"
        return ""

    def _writes(self, node: fx.Node) -> bool:
        """Return whether a node may write to what is there before a call."""
        name = name_of(node.target)
        if name in ("batch_norm", "instance_norm") and node not in self.lifted:
            flag = node.kwargs.get("training", node.kwargs.get("use_input_stats", None))
            training = node.args[5] if len(node.args) > 5 else flag
            outside = any(_is_outside(each) for each in (*node.args[1:5], *node.kwargs.values()))
            return outside and training is not False
        if node.op in ("placeholder", "output", "get_attr") or not is_mutating(node):
            return False
        targets = [*node.args[:1], node.kwargs.get("out"), node.kwargs.get("input")]
        targets += written(node.target, node.args, node.kwargs)
        nodes: list[fx.Node] = []
        for each in targets:
            fx.node.map_arg(each, nodes.append)
        return any(map(_is_outside, nodes))


def _why_not_with(example: object) -> str:
    """Return why a graph with an input like this cannot be fused; "" if it can."""
    if not isinstance(example, Tensor):
        return ""
    if type(example) not in _PLAIN:
        return f"an input is a {type(example).__name__}"
    return "" if example.layout == torch.strided else f"an input is {example.layout}"


def _is_boxed(node: fx.Node, example: object) -> bool:
    """Return whether an input is a number in a tensor, which Dynamo makes of some floats."""
    return (
        isinstance(example, Tensor)
        and example.dim() == 0
        and example.device.type == "cpu"
        and bool(node.users)
        and all(each.op == "call_method" and each.target == "item" for each in node.users)
    )


def _is_plain(function: object) -> bool:
    if isinstance(function, torch._ops.HigherOrderOperator):
        return False
    if function is torch._C._log_api_usage_once:
        return True
    room = getattr(function, "__module__", None) or ""
    return room in (*_ROOMS, *_NAMESPACES, "builtins") or room.startswith("torch._ops.")


def _dim(value: object) -> int:
    """Return the number of axes of a tensor; -1 of anything else."""
    return value.dim() if isinstance(value, Tensor) else -1


def _is_outside(value: object) -> bool:
    """Return whether a value is an input or an attribute, or a view of one."""
    while isinstance(value, fx.Node):
        if value.op in ("placeholder", "get_attr"):
            return True
        if name_of(value.target) not in VIEWS or not value.args:
            return False
        value = value.args[0]
    return False


class Bound(nn.Module):
    """A source with weights: a module of all other inputs.

    Its submodules are made as traces need them, and kept, so that all traces share them.
    """

    def __init__(self, source: Source, weights: Sequence[Tensor]) -> None:
        super().__init__()
        own = self.__dict__
        own["source"] = source
        own["weights"] = {
            source._inputs[place]: nn.Parameter(each.detach(), requires_grad=False)
            for place, each in zip(source.weights, weights, strict=True)
        }
        own["_names"] = {}
        own["_free"] = Names()
        self.training = False

    def forward(self, *rest: object) -> object:
        """Compute it as Dynamo's graph does."""
        source = self.source
        given = dict(zip([place for place, _ in source.rest], rest, strict=True))
        boxed = {place for place, is_boxed in source.rest if is_boxed}
        args: list[object] = []
        for place, node in enumerate(source._inputs):
            value = self.weights[node] if place not in given else given[place]
            args.append(torch.tensor(value, dtype=torch.float64) if place in boxed else value)
        return source.module(*args)

    def trace(self, given: Sequence[object]) -> tuple[Traced, dict[fx.Node, Any]]:
        """Return the graph for inputs whose numbers are known, and its nodes by those of Dynamo."""
        graph, source = fx.Graph(), self.source
        known: dict[fx.Node, Any] = {}
        values = iter(given)
        for node in source.graph.nodes:
            if node in source._own:
                continue
            if node.op == "placeholder":
                value = next(values)
                number = node in source._numbers
                known[node] = value if number else graph.node_copy(node)
                continue
            one = source.lifted.get(node)
            if one is not None:
                made = graph.call_module(self._module(node, one, known), (known[one.x],))
                made.meta = dict(node.meta)
            elif node.op == "get_attr":
                made = graph.get_attr(self._constant(node))
            else:
                made = graph.node_copy(node, known.__getitem__)
            known[node] = made
        return Traced(self, graph, {}), known

    def _constant(self, node: fx.Node) -> str:
        name = f"constant_{node.name}"
        if name not in self.__dict__:
            self.__dict__[name] = attribute(self.source.module, node.target)
        return name

    def _module(self, node: fx.Node, one: Lifted, known: Mapping[fx.Node, Any]) -> str:
        """Return the name of the module of a node, for numbers that are known."""
        options = {
            name: known[each] if isinstance(each, fx.Node) else each
            for name, each in one.options.items()
        }
        key = (node, tuple(options.values()))
        name: str | None = self._names.get(key)
        if name is None:
            name = self._names[key] = self._put(node, _module(one, options, self.weights))
        return name

    def _put(self, node: fx.Node, module: nn.Module) -> str:
        while True:
            path = self._free.of(node).split(".")
            parent: nn.Module = self
            for each in path[:-1]:
                if parent._modules.get(each) is None:
                    parent.add_module(each, nn.Module())
                parent = parent._modules[each]
            if path[-1] not in parent._modules:
                parent.add_module(path[-1], module.eval())
                return ".".join(path)


def _module(one: Lifted, options: dict[str, Any], weights: Mapping[fx.Node, Tensor]) -> nn.Module:
    """Return a module with weights for a node."""
    tensors = {name: None if e is None else weights[e] for name, e in one.weights.items()}
    made: Any
    if one.kind == "norm":
        cls = getattr(nn, f"BatchNorm{one.axes}d")
        size = tensors["running_mean"].shape[0]  # type: ignore[union-attr]
        made = cls(size, float(options["eps"]), affine=False, device="meta")
        made._buffers.update(
            running_mean=tensors.pop("running_mean"), running_var=tensors.pop("running_var"),
            num_batches_tracked=None,
        )  # fmt: skip
        made.affine = tensors["weight"] is not None
    else:
        weight: Any = tensors["weight"]
        if one.kind == "linear":
            made = nn.Linear(weight.shape[1], weight.shape[0], False, device="meta")
        else:
            made = _convolution(one, options, weight)
    made._parameters.update(tensors)
    return made


def _convolution(one: Lifted, options: dict[str, Any], weight: Tensor) -> nn.Module:
    words = {
        name: each if isinstance(each, str) or name == "groups" else numbers(each, one.axes, name)
        for name, each in options.items()
    }
    own, other = weight.shape[:2]
    groups = words["groups"]
    is_transposed = one.kind == "transposed"
    cls = getattr(nn, f"Conv{'Transpose' if is_transposed else ''}{one.axes}d")
    channels = (own, other * groups) if is_transposed else (other * groups, own)
    return cls(*channels, tuple(weight.shape[2:]), bias=False, device="meta", **words)
