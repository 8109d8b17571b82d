"""The computation of a model as a graph, by running it on tensors without memory.

Each function of PyTorch that the model calls becomes a node. Python decides by shapes and data
types while it runs, so the graph is for inputs of one kind. A decision by numbers of a tensor ends
the trace.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor, fx, nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from .... import errors
from ...autograd.layouts import Layout, last_format
from ...autograd.switches import autocast_types, without_cache
from .eager import memories
from .lock import Untraceable, let_go, tracing
from .rewriting import rewrite_attention, rewrite_norms
from .shortening import Shortening
from .state import ATTEMPTS, Drawing, State, is_known, is_own, override_of
from .tracing import Form, Traced, is_in_place
from .words import is_random, written

#: Functions that return their argument itself where they have nothing to do.
_SAME = frozenset(
    (
        "contiguous", "to", "float", "half", "bfloat16", "double", "type_as", "reshape", "flatten",
        "expand", "dropout",
    )
)  # fmt: skip

#: Methods that take the data type and the device alone from a tensor; functions that do the same.
_FILLED: dict[str, Callable[..., Tensor]] = {
    "new_zeros": torch.zeros, "new_ones": torch.ones, "new_full": torch.full,
    "new_tensor": torch.tensor,
}  # fmt: skip

#: The kinds of parts whose inputs only such a graph has: it takes modules apart.
KINDS = frozenset(("product", "norm"))

#: The numbers of axes of what batch norms take; their results keep the order of axes in memory.
_BATCH_NORMS = {"BatchNorm1d": (2, 3), "BatchNorm2d": (4,), "BatchNorm3d": (5,)}

#: Attributes that are views.
_VIEWS = ("T", "mT", "H", "mH")


def _multi_head_attention(
    query: Tensor, key: Tensor, value: Tensor, size: int, heads: int, weight: Tensor | None,
    bias: Tensor | None, bias_k: object, bias_v: object, zero: bool, _: float,
    out_weight: Tensor, out_bias: Tensor | None, training: bool = True,
    key_padding_mask: object = None, need_weights: bool = True, attn_mask: object = None,
    use_separate_proj_weight: bool = False, static_k: object = None, static_v: object = None,
    is_causal: bool = False, **_more: object,
) -> tuple[Tensor, None] | None:  # fmt: skip
    """Return what PyTorch's function returns, computed without copies; None where it has to do it.

    It computes self-attention of x, (length, batch, size).
    """
    others = (key_padding_mask, attn_mask, bias_k, bias_v, static_k, static_v)
    if query is not key or query is not value or query.dim() != 3 or weight is None:
        return None
    if any(each is not None for each in others):
        return None
    if zero or need_weights or use_separate_proj_weight or training or is_causal:
        return None
    packed = functional.linear(query.transpose(0, 1), weight, bias)
    q, k, v = packed.unflatten(-1, (3, heads, size // heads)).permute(2, 0, 3, 1, 4).unbind(0)
    y = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
    return functional.linear(y, out_weight, out_bias).transpose(0, 1), None


def _is_of_patches(layer: nn.Conv2d, x: Tensor) -> bool:
    """Return whether the windows of a convolution are patches that lie side by side."""
    window = layer.kernel_size
    return (
        layer.stride == window
        and window != (1, 1)
        and layer.padding in ((0, 0), "valid")
        and layer.dilation == (1, 1)
        and layer.groups == 1
        and (layer.weight.is_contiguous() or layer.weight.permute(0, 2, 3, 1).is_contiguous())
        and x.dim() == 4
        and x.shape[1] == layer.in_channels
        and all(x.shape[2:])
        and not any(size % step for size, step in zip(x.shape[2:], window, strict=True))
    )


def _of_patches(layer: nn.Conv2d, x: Tensor) -> Tensor:
    """Return a convolution of patches, as a product."""
    last = not layer.weight.is_contiguous()
    height, width = layer.kernel_size
    patches = x.unflatten(3, (-1, width)).unflatten(2, (-1, height))
    patches = patches.permute(0, 2, 4, 3, 5, 1) if last else patches.permute(0, 2, 4, 1, 3, 5)
    weight = layer.weight.permute(0, 2, 3, 1) if last else layer.weight
    y = functional.linear(patches.flatten(3), weight.flatten(1), layer.bias)
    return y.permute(0, 3, 1, 2)


def _known(func: object, args: Sequence[Any]) -> Tensor | None:
    """Return what a linear layer's result is like, which PyTorch takes long to find out."""
    if func is not functional.linear or autocast_types() != (None, None):
        return None
    x, weight, bias = (*args, None)[:3]
    given = [x, weight] if bias is None else [x, weight, bias]
    if not all(isinstance(each, Tensor) for each in given) or weight.dim() != 2:
        return None
    same = len({(each.dtype, each.device) for each in given}) == 1
    fits = x.dim() > 1 and x.shape[-1] == weight.shape[1]
    if not same or not fits or (bias is not None and bias.shape != weight.shape[:1]):
        return None
    with torch._C.DisableTorchFunction():
        return cast("Tensor", x.new_empty((*x.shape[:-1], weight.shape[0])))


def _known_of(module: nn.Module, args: Sequence[Any]) -> Tensor | None:
    """Return the same for a linear layer or a norm that is a module."""
    if len(args) != 1 or not isinstance(args[0], Tensor):
        return None
    if is_own(module, "Linear"):
        linear = cast("nn.Linear", module)
        return _known(functional.linear, (*args, linear.weight, linear.bias))
    (x,) = args
    if not _takes(module, x) or autocast_types() != (None, None):
        return None
    weights = [each for each in (module.weight, module.bias) if each is not None]
    if any((each.dtype, each.device) != (x.dtype, x.device) for each in weights):
        return None
    with torch._C.DisableTorchFunction():
        keeps = type(module).__name__ in _BATCH_NORMS
        return cast("Tensor", torch.empty_like(x) if keeps else x.new_empty(x.shape))


def _takes(module: nn.Module, x: Tensor) -> bool:
    """Return whether a module is a norm whose result is like x, but without gaps."""
    if is_own(module, "LayerNorm"):
        shape = cast("nn.LayerNorm", module).normalized_shape
        return tuple(x.shape[-len(shape) :]) == tuple(shape) and x.is_contiguous()
    if is_own(module, "GroupNorm"):
        norm = cast("nn.GroupNorm", module)
        fits = x.dim() > 1 and x.shape[1] == norm.num_channels
        return bool(fits and x.numel() > norm.num_groups)
    name = type(module).__name__
    if x.dim() in _BATCH_NORMS.get(name, ()) and is_own(module, name):
        batch = cast("nn.BatchNorm2d", module)
        fits = x.shape[1] == batch.num_features and x.numel() > 0 and not batch.training
        form = last_format(x.dim()) or torch.contiguous_format
        is_dense = x.is_contiguous() or x.is_contiguous(memory_format=form)
        return fits and is_dense and batch.running_mean is not None
    return False


class _Recorder(TorchFunctionMode):
    """Makes a node of each function that is called with tensors, or makes some."""

    def __init__(self, root: nn.Module) -> None:
        super().__init__()
        self.graph = fx.Graph()
        self.values: dict[fx.Node, Any] = {}
        self._names: dict[int, str] = {}
        for own in (root.named_buffers, root.named_parameters):
            for name, tensor in own(remove_duplicate=False):
                self._names.setdefault(id(tensor), name)
        self._nodes: dict[int, fx.Node] = {}
        self._kept: list[Tensor] = []  # so that no other tensor gets the id of one
        self._turned: dict[int, tuple[Any, ...]] = {}
        self._autocast = autocast_types()
        self.is_moved = False  # whether the layout of values may differ from PyTorch's

    def put(self, tensor: Tensor, node: fx.Node) -> None:
        """Note which node has a tensor for its value."""
        self._nodes[id(tensor)] = node
        self._kept.append(tensor)

    def node_of(self, value: object) -> Any:
        """Return the node of a tensor; anything else as it is."""
        if not isinstance(value, Tensor):
            return value
        found = self._nodes.get(id(value))
        if found is None:
            name = self._names.get(id(value))
            if name is None:
                raise Untraceable("it computes with a tensor that is no parameter and no buffer")
            found = self.graph.get_attr(name)
            self.values[found] = value
            self.put(value, found)
        return found

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: Any = (), kwargs: Any = None
    ) -> object:
        kwargs = kwargs or {}
        if func is functional.multi_head_attention_forward and len(args) <= 13:
            with self:
                result = _multi_head_attention(*args, **kwargs)
            if result is not None:
                self.is_moved = True
                return result
        name = getattr(func, "__name__", "")
        if name in _FILLED and args and isinstance(args[0], Tensor):
            own, *args = args
            kwargs = {"dtype": own.dtype, "device": own.device, **kwargs}
            func = _FILLED[name]
            if len(args) > 1 and func in (torch.zeros, torch.ones):
                args = [tuple(args)]
        if autocast_types() != self._autocast:
            raise Untraceable("it switches autocast")
        if name == "transpose" and not kwargs and len(args) == 3:
            before = self._turned.get(id(args[0]))
            if before is not None and {*before[1:]} == {*args[1:]}:
                return before[0]  # turned and turned back
        changed = written(func, args, kwargs)
        if is_in_place(name) or "out" in kwargs or kwargs.get("inplace"):
            changed += [*args[:1], kwargs.get("out")]
        for each in tree_leaves(changed):
            if isinstance(each, Tensor) and not isinstance(each, FakeTensor):
                raise Untraceable("it writes to a tensor of the model")
        result = _known(func, args) if not kwargs else None
        if result is None:
            result = func(*args, **kwargs)
        self.note(func, args, kwargs, result)
        if name == "transpose" and not kwargs and len(args) == 3 and result is not args[0]:
            self._turned[id(result)] = tuple(args)
        return result

    def note(
        self, func: Callable[..., Any], args: Sequence[object], kwargs: Any, result: object
    ) -> None:
        """Make a node of a call, if it computes or changes a tensor."""
        name = getattr(func, "__name__", "")
        writes = is_in_place(name) or "out" in kwargs or bool(kwargs.get("inplace"))
        writes = writes or bool(written(func, args, kwargs))
        found = [each for each in tree_leaves(result) if isinstance(each, Tensor)]
        if not found and not writes:
            return
        if name in _SAME and isinstance(result, Tensor) and any(result is each for each in args):
            return
        op, target = "call_function", cast("Any", func)
        if name == "__get__":
            name = getattr(getattr(func, "__self__", None), "__name__", "")
            if name not in _VIEWS:
                raise Untraceable(f"it reads {name} of a tensor")
            target, args = getattr, (*args[:1], name)
        elif (made := getattr(operator, name, None)) is not None and name.startswith("__"):
            target = made
        elif getattr(Tensor, name, None) is func:
            op, target = "call_method", name
        self.add(op, target, args, kwargs, result)

    def add(
        self, op: str, target: Any, args: Sequence[object], kwargs: Any, result: object
    ) -> None:
        """Add a node, and one for each tensor in its result."""
        given = fx.node.map_aggregate(tuple(args), self.node_of)
        named = fx.node.map_aggregate(dict(kwargs), self.node_of)
        node = self.graph.create_node(op, target, given, named)
        self._note(node, result)

    def _note(self, node: fx.Node, result: object) -> None:
        self.values[node] = result
        if isinstance(result, Tensor):
            self.put(result, node)
        elif isinstance(result, (tuple, list)):
            for place, each in enumerate(result):
                if any(isinstance(leaf, Tensor) for leaf in tree_leaves(each)):
                    args = (node, place)
                    self._note(self.graph.call_function(operator.getitem, args), each)

    def finish(self, result: object) -> None:
        """Add the nodes that return the result."""
        if type(result) not in (tuple, list, dict) and not isinstance(result, Tensor):
            leaves, spec = tree_flatten(result)
            if any(not isinstance(each, (Tensor, int, float, str, type(None))) for each in leaves):
                raise Untraceable(f"it returns a {type(result).__name__}")
            nodes = [self.node_of(each) for each in leaves]
            made = self.graph.call_function(tree_unflatten, (nodes, spec))
            self.graph.output(made)
            return
        self.graph.output(fx.node.map_aggregate(result, self.node_of))


@contextmanager
def _layers_as_nodes(root: nn.Module, recorder: _Recorder) -> Iterator[None]:
    """Make a node of each call of a layer in this thread; the caller holds `tracing`."""
    names = {module: name for name, module in root.named_modules()}
    thread, call_module = threading.get_ident(), nn.Module.__call__

    def call(self: nn.Module, *args: Any, **kwargs: Any) -> object:
        if (
            threading.get_ident() != thread
            or self not in names
            or not torch._C._len_torch_function_stack()
        ):
            return call_module(self, *args, **kwargs)
        name = names[self]
        if why := override_of(self):
            raise Untraceable(f"{name or 'it'}: {why}")
        if not name or self._modules or not is_known(self):
            return call_module(self, *args, **kwargs)
        if autocast_types() != recorder._autocast:
            raise Untraceable("it switches autocast")
        if type(self) is nn.Conv2d and not kwargs and _is_of_patches(self, args[0]):
            recorder.is_moved = True
            return _of_patches(self, args[0])
        result = None if kwargs else _known_of(self, args)
        if result is None:
            with torch._C.DisableTorchFunction():
                result = call_module(self, *args, **kwargs)
        if type(self) in (nn.Identity, nn.Dropout) and result is args[0]:
            return result
        recorder.add("call_module", name, args, kwargs, result)
        return result

    nn.Module.__call__ = call
    try:
        yield
    finally:
        nn.Module.__call__ = call_module


def run_trace(
    root: nn.Module, form: Form, inputs: Sequence[Tensor], attempts: int = ATTEMPTS
) -> Traced:
    """Return what a module computes of arguments of a form, for tensors like some.

    Args:
        root: the module.
        form: of the arguments.
        inputs: the tensors among them.
        attempts: how often to try while other threads may draw random numbers.

    Raises:
        Untraceable: it decides by numbers of a tensor, or changes itself, or draws random numbers
            on the host, or does what is no function of PyTorch.
    """
    recorder = _Recorder(root)
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    with without_cache(), Drawing(root) as drawing, mode, torch.no_grad():
        made = [
            torch.empty_strided(each.shape, each.stride(), dtype=each.dtype, device=each.device)
            for each in inputs
        ]
        for name, each in zip(form.names, made, strict=True):
            node = recorder.graph.placeholder(name)
            recorder.values[node] = each
            recorder.put(each, node)
        args, kwargs = form.filled(made)
        state = State(root)
        try:
            with tracing(), _layers_as_nodes(root, recorder), recorder:
                result = root(*args, **kwargs)
            recorder.finish(result)
        except Untraceable:
            raise
        except Exception as error:
            raise Untraceable(f"it cannot be traced: {errors.first_line(error)[:160]}") from error
        finally:
            change = state.restore()
            let_go(mode)
        if change is not None:
            raise Untraceable(f"it changes its attribute {'.'.join(filter(None, change))}")
    if drawing.is_disturbed and attempts > 1:
        return run_trace(root, form, inputs, attempts - 1)
    if drawing.why:
        raise Untraceable(drawing.why)
    graph, values = recorder.graph, recorder.values
    layout = None if recorder.is_moved else Layout(result)
    targets = [each for node in graph.nodes if _writes(node) for each in _targets(node)]
    changed = set().union(*[memories(values.get(each)) for each in targets])

    def is_changed(node: fx.Node) -> bool:
        return not changed.isdisjoint(memories(values[node]))

    rewrite_norms(graph, values, is_changed)
    constants = _constants(recorder)
    with torch.no_grad():
        rewrite_attention(graph, values, is_changed, constants)
    Shortening(root, graph, values, is_changed).run()
    graph.eliminate_dead_code(_is_needed)
    return Traced(root, graph, {}, kinds=KINDS, constants=constants, layout=layout)


def _writes(node: fx.Node) -> bool:
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    if node.op == "call_module" or getattr(node.target, "__module__", "") == "_operator":
        return name == "setitem" or (name.startswith("i") and hasattr(operator, name[1:]))
    return (
        is_in_place(name)
        or name == "setitem"
        or "out" in node.kwargs
        or bool(node.kwargs.get("inplace"))
        or bool(written(node.target, node.args, node.kwargs))
    )


def _targets(node: fx.Node) -> list[fx.Node]:
    """Return what a node that writes writes to."""
    found: list[Any] = []
    own = written(node.target, node.args, node.kwargs)
    fx.node.map_arg((own or node.args[:1], node.kwargs.get("out")), found.append)
    return found


def _is_needed(node: fx.Node) -> bool:
    return node.op in ("placeholder", "output") or _writes(node)


def _constants(recorder: _Recorder) -> frozenset[fx.Node]:
    """Return the nodes whose values are the same in each call, and are never changed by one.

    They depend on no input, no tensor of the model, and no random number.
    """
    nodes, values = list(recorder.graph.nodes), recorder.values
    places = {node: memories(values.get(node)) for node in nodes}
    changes = {
        node: set().union(*[places[each] for each in _targets(node)])
        for node in nodes
        if _writes(node)
    }
    output = nodes[-1].all_input_nodes
    changed = set().union(*[places[each] for each in output])
    while True:
        found: set[fx.Node] = set()
        read: set[int] = set()  # memory that was read by others before
        more: set[int] = set()
        for node in nodes:
            given = node.all_input_nodes
            own = node.op in ("call_function", "call_method") and found.issuperset(given)
            touched = places[node] | changes.get(node, set())
            if own and not is_random(node.target) and changed.isdisjoint(touched):
                if node in changes and not read.isdisjoint(touched):
                    more |= touched
                found.add(node)
                continue
            read |= set().union(*[places[each] for each in given])
            if node in changes:
                more |= changes[node]
        if more <= changed:
            return frozenset(found)
        changed |= more
