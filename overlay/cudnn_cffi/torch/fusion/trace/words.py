"""Meanings of nodes in graphs: activations, views, changes of arguments, work beside the rest."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import torch
from torch import Tensor, fx, nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .state import is_known

#: A word of `building.ACTIVATIONS`, and its number.
Activation: TypeAlias = tuple[str, float | None]

#: Parts of names of functions whose results differ from call to call.
RANDOM = (
    *("rand", "normal", "bernoulli", "multinomial", "dropout", "empty", "uniform", "poisson"),
    *("exponential", "cauchy", "geometric", "gumbel", "standard_gamma", "dirichlet", "binomial"),
    "fractional",
)

#: Functions and methods without further arguments, by their names.
_WORDS: dict[str, Activation] = {
    **dict.fromkeys(("relu", "relu_"), ("relu", None)),
    "relu6": ("clipped_relu", 6.0),
    **dict.fromkeys(("sigmoid", "sigmoid_"), ("sigmoid", None)),
    **dict.fromkeys(("tanh", "tanh_"), ("tanh", None)),
    "silu": ("swish", None),
    "hardswish": ("hard_swish", None),
    "hardsigmoid": ("hard_sigmoid", None),
}

#: Functions that return a view of their input, or the input itself, and change nothing.
VIEWS = (
    "flatten", "view", "reshape", "permute", "transpose", "unsqueeze", "squeeze", "getitem",
    "chunk", "split", "contiguous", "unbind", "t", "expand", "narrow", "select", "movedim",
    "unflatten",
)  # fmt: skip
#: The room whose functions are put into graphs.
_FUSION = __name__.rpartition(".trace.")[0]


def is_random(target: object) -> bool:
    """Return whether results of a function or method differ from call to call, maybe."""
    tags = getattr(target, "tags", ())  # of an operator of `torch.ops`
    return torch.Tag.nondeterministic_seeded in tags or any(
        word in name_of(target) for word in RANDOM
    )


def name_of(target: object) -> str:
    """Return the name of a function or method that a node calls."""
    return target if isinstance(target, str) else getattr(target, "__name__", str(target))


def word_of(node: fx.Node, module: nn.Module | None) -> Activation | None:
    """Return the activation that a node computes: its word and number; None for none."""
    if node.op == "call_module":
        return _word_of_module(module)
    if node.op == "call_method":
        name = str(node.target)
        return _WORDS.get(name) if len(node.args) == 1 and not node.kwargs else None
    if node.op != "call_function":
        return None
    name = getattr(node.target, "__name__", "")
    if node.target not in (getattr(torch, name, None), getattr(functional, name, None)):
        return None
    rest = {key: value for key, value in node.kwargs.items() if key != "inplace"}
    if name == "gelu" and len(node.args) == 1 and set(rest) <= {"approximate"}:
        return ("gelu_tanh" if rest.get("approximate") == "tanh" else "gelu"), None
    if rest or len(node.args) > 2 or (len(node.args) == 2 and not isinstance(node.args[1], bool)):
        return None
    return _WORDS.get(name)


def _word_of_module(module: Any) -> Activation | None:
    kind = type(module)
    if kind.__module__.startswith("cudnn_cffi.torch."):  # they have PyTorch's names
        kind = getattr(nn, kind.__name__, nn.ReLU6 if isinstance(module, nn.ReLU6) else kind)
    if kind is nn.ReLU:
        return "relu", None
    if kind is nn.ReLU6 or (kind is nn.Hardtanh and module.min_val == 0):
        return "clipped_relu", float(module.max_val)
    if kind is nn.LeakyReLU:
        return "leaky_relu", float(module.negative_slope)
    if kind is nn.ELU:
        return "elu", float(module.alpha)
    if kind is nn.GELU:
        return ("gelu_tanh" if module.approximate == "tanh" else "gelu"), None
    plain = {
        nn.Sigmoid: "sigmoid", nn.Tanh: "tanh", nn.SiLU: "swish", nn.Hardswish: "hard_swish",
        nn.Hardsigmoid: "hard_sigmoid",
    }  # fmt: skip
    return (plain[kind], None) if kind in plain else None


def is_unknown(node: fx.Node, module: nn.Module | None = None) -> bool:
    """Return whether a node runs code that may change anything."""
    if node.op == "call_module":
        return not is_known(module)
    return node.op == "call_function" and not is_own_function(node) and not _is_pytorch(node.target)


def is_own_function(node: fx.Node) -> bool:
    """Return whether a node calls a function of this package that was put into the graph."""
    room = str(getattr(node.target, "__module__", ""))
    return node.op == "call_function" and room.startswith(_FUSION)


def written(target: Any, args: Sequence[object], kwargs: Mapping[str, object]) -> list[object]:
    """Return the arguments that an operator of `torch.ops` says that it changes."""
    found: list[object] = []
    several = isinstance(target, torch._ops.OpOverloadPacket)
    names = target.overloads() if several else ()
    overloads = [getattr(target, each) for each in names] if several else [target]
    for each in overloads:
        schema = each._schema if isinstance(each, torch._ops.OpOverload) else None
        for place, one in enumerate(() if schema is None else schema.arguments):
            if one.alias_info is None or not one.alias_info.is_write:
                continue
            if one.name in kwargs:
                found.append(kwargs[one.name])
            elif place < len(args) and not one.kwarg_only:
                found.append(args[place])
    return found


class Writes(TorchDispatchMode):
    """Calls `before` with each tensor that an operator is about to change."""

    def before(self, tensor: Tensor) -> None:
        """Look at a tensor before it is changed."""
        raise NotImplementedError

    def __torch_dispatch__(
        self, func: Any, types: object, args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:  # fmt: skip
        kwargs = kwargs or {}
        for each in tree_leaves(written(func, args, kwargs)):
            if isinstance(each, Tensor):
                self.before(each)
        return func(*args, **kwargs)


def targets(node: fx.Node) -> list[fx.Node]:
    """Return the arguments that a node may write to, if it writes to any."""
    first = [*node.args, *node.kwargs.values()][:1]
    others = node.kwargs.get("out"), written(node.target, node.args, node.kwargs)
    found: list[fx.Node] = []
    fx.node.map_arg((first, *others), found.append)
    return found


def is_mutating(node: fx.Node, module: nn.Module | None = None) -> bool:
    """Return whether a node changes one of its arguments, as far as can be seen."""
    if is_unknown(node, module):
        return True
    if node.op == "call_module":
        return bool(getattr(module, "inplace", False))
    if node.kwargs.get("inplace") or "out" in node.kwargs:
        return True
    if written(node.target, node.args, node.kwargs):
        return True
    name = name_of(node.target)
    if node.op == "call_function" and getattr(node.target, "__module__", "") == "_operator":
        return name in ("setitem",) or (name.startswith("i") and hasattr(operator, name[1:]))
    return name.endswith("_") and not name.endswith("__")


def is_in_chain(node: fx.Node, module_of: Callable[[fx.Node], Any]) -> bool:
    """Return whether all that a node changes is the result of a layer, and used by it alone."""
    source = node.args[0] if node.args else None
    if node.op == "call_module" and (len(node.args) != 1 or node.kwargs):
        return False  # it may change any of them
    if "out" in node.kwargs or (node.op == "call_function" and is_unknown(node)):
        return False  # it may change another tensor
    return (
        isinstance(source, fx.Node)
        and len(source.users) == 1
        and source.op == "call_module"
        and isinstance(module_of(source), (nn.Linear, nn.modules.conv._ConvNd, nn.BatchNorm2d))
    )


def _is_pytorch(function: object) -> bool:
    room = getattr(function, "__module__", None) or "torch"
    return str(room).split(".", 1)[0] in ("torch", "_operator", "operator", "builtins", "math")


def find_beside(parts: Any) -> set[fx.Node]:
    """Return the nodes of a model's parts that depend on the model's tensors alone.

    There are none where calls write to tensors.
    """
    found: set[fx.Node] = set()
    same = parts.traced.constants
    others = [each for each in parts.list if each.kind == "other" and each.node not in same]
    if any(is_mutating(each.node, each.layer) for each in others if each.node.op != "get_attr"):
        return found
    for part in others:
        node, inputs = part.node, part.node.all_input_nodes
        if not inputs:
            continue
        own = all(each in found or each.op == "get_attr" or each in same for each in inputs)
        if own and not is_random(node.target):
            found.add(node)
    return found


def waiting(slot: int) -> Callable[[list[object]], None]:
    """Return the step that waits for the event in a slot, if there is one."""

    def step(values: list[object]) -> None:
        event = values[slot]
        if event is not None:
            torch.cuda.current_stream().wait_event(cast("torch.cuda.Event", event))

    return step
