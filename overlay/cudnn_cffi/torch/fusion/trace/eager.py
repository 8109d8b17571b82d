"""The values of a graph as PyTorch computes them, node by node: what they are, and how they lie."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import torch
from torch import Tensor, fx, nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from .... import errors
from ...autograd.layouts import Layout
from ...autograd.switches import autocast_type, without_cache
from .lock import Untraceable, let_go, tracing
from .state import State, is_known, original_of, pipeline_of

if TYPE_CHECKING:
    from ..parts import Parts
    from .tracing import Form, Traced


class Like(NamedTuple):
    """The description of a tensor among the inputs."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    @classmethod
    def of(cls, tensor: Tensor) -> Like:
        """Describe a tensor."""
        return cls(tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype, tensor.device)

    def empty(self) -> Tensor:
        """Return such a tensor."""
        return torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device=self.device)


#: The layers whose results are known here.
LAYERS = nn.RNN, nn.GRU, nn.LSTM


def like_results(layer: Any, input: Any, *_hx: object, **_named: object) -> Any:
    """Return tensors like the output and the last states of a layer, of the class of its input.

    None for packed sequences, for classes of others, and under the CPU's autocast, which does not
    give all of them its type.
    """
    x = input
    if type(layer) not in LAYERS or not isinstance(x, Tensor) or x.dim() not in (2, 3):
        return None
    lower = None if x.dtype == torch.float64 else autocast_type(x.device.type)
    if lower is not None and x.device.type == "cpu":
        return None
    dtype = x.dtype if lower is None else lower
    both, width = 1 + layer.bidirectional, layer.proj_size or layer.hidden_size
    turned = layer.batch_first and x.dim() == 3
    given = x.transpose(0, 1) if turned else x
    y = x.new_empty((*given.shape[:-1], both * width), dtype=dtype)
    batch = given.shape[1:-1]
    states = [
        x.new_empty((both * layer.num_layers, *batch, each), dtype=dtype)
        for each in ((width, layer.hidden_size) if type(layer) is nn.LSTM else (width,))
    ]
    return y.transpose(0, 1) if turned else y, tuple(states) if len(states) > 1 else states[0]


def mapped(argument: object, value_of: Callable[[fx.Node], object]) -> Any:
    """Return an argument of a node with values in the places of nodes."""
    return fx.node.map_arg(cast("None", argument), cast("Callable[[fx.Node], None]", value_of))


def nodes_in(argument: object) -> list[fx.Node]:
    """Return the nodes in an argument of a node."""
    found: list[fx.Node] = []
    mapped(argument, found.append)
    return found


def callable_of(node: fx.Node, module: nn.Module | None) -> Callable[..., object]:
    """Return what a node calls with its arguments."""
    if node.op == "call_method":
        name = str(node.target)
        return lambda own, *args, **kwargs: getattr(own, name)(*args, **kwargs)
    return cast("Callable[..., object]", node.target if module is None else module)


def attribute(root: nn.Module, path: object) -> Any:
    """Return an attribute of a module by its dotted name."""
    for name in str(path).split("."):
        root = getattr(root, name)
    return root


def walk(parts: Parts, inputs: Sequence[Tensor], values: dict[fx.Node, Any]) -> Iterator[fx.Node]:
    """Compute a model node by node, by PyTorch's functions; yield each node that has its value.

    Args:
        parts: of the model.
        inputs: of the call; if they have no memory, the model's tensors get none either, as PyTorch
            computes what reads those alone.
        values: gets the value of each node.
    """
    root, is_described = parts.traced.root, bool(inputs) and isinstance(inputs[0], FakeTensor)
    values.update(zip(parts.inputs, inputs, strict=True))
    for node in parts.traced.graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        if node.op == "get_attr":
            found = attribute(root, node.target)
            if isinstance(found, Tensor) and is_described:
                found = cast("FakeTensor", inputs[0]).fake_mode.from_tensor(found)
            values[node] = found
            continue
        module = attribute(root, node.target) if node.op == "call_module" else None
        args, kwargs = (mapped(each, values.__getitem__) for each in (node.args, node.kwargs))
        is_like = isinstance(module, LAYERS) and is_described
        found = like_results(module, *args, **kwargs) if is_like else None
        if found is None:
            found = callable_of(node, module)(*args, **kwargs)
        values[node] = found
        yield node


def by_reference(parts: Parts, inputs: Sequence[Tensor]) -> object:
    """Return what a model computes, node by node."""
    values: dict[fx.Node, Any] = {}
    for _ in walk(parts, inputs, values):
        pass
    return mapped(parts.output, values.__getitem__)


def modules_below(module: nn.Module) -> Iterator[nn.Module]:
    """Return a module and those in it, also those that fragments stand for."""
    for each in module.modules():
        yield each
        pipeline = pipeline_of(each)
        if pipeline is not None:
            yield pipeline.root  # whose modules are the fragment's


def state_of(module: nn.Module) -> State:
    """Return the state of all modules in one, and of their originals."""
    inside = list(modules_below(module))
    return State(*inside, *map(original_of, inside), deep=False)


class _Described(TorchDispatchMode):
    """Takes tensors of a model as without memory, too, so that nothing is written to them."""

    def __init__(self, mode: FakeTensorMode) -> None:
        super().__init__()
        self._mode = mode

    def __torch_dispatch__(
        self, func: Any, types: object, args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:  # fmt: skip
        def told(each: Tensor) -> Tensor:
            return each if isinstance(each, FakeTensor) else self._mode.from_tensor(each)

        kwargs = kwargs or {}
        if torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is self._mode:
            args, kwargs = tree_map_only(Tensor, told, (args, kwargs))
        return func(*args, **kwargs)


class Described:
    """A call of a model on tensors without memory: how PyTorch lays values out.

    Attributes:
        layout: of the results.
    """

    def __init__(self, traced: Traced, inputs: Sequence[Like]) -> None:
        """Call it.

        Raises:
            Untraceable: what it computes is not known before.
        """
        root, form = traced.root, cast("Form", traced.form)
        own = {each for each in root.modules() if not is_known(each) and each is not root}
        self._given: dict[nn.Module, list[Layout]] = {}
        thread = threading.get_ident()

        def call(
            call_module: Callable[..., object], module: nn.Module, args: Any, kwargs: Any
        ) -> object:
            found = None
            if threading.get_ident() == thread:
                if module in own:
                    self._given.setdefault(module, []).append(Layout((args, kwargs)))
                elif isinstance(module, LAYERS):
                    found = like_results(module, *args, **kwargs)
            return call_module(module, *args, **kwargs) if found is None else found

        # Otherwise each call is the module's own, and no lock is needed.
        told = own or any(isinstance(each, LAYERS) for each in root.modules())
        mode, state = FakeTensorMode(allow_non_fake_inputs=True), state_of(root)
        try:
            with without_cache(), mode, _Described(mode), torch.no_grad():
                args, kwargs = form.filled([each.empty() for each in inputs])
                with _calls_by(call) if told else nullcontext():
                    self.layout = Layout(root(*args, **kwargs))
        except Untraceable:
            raise
        except Exception as error:
            why = f"how its results lie is unknown: {errors.first_line(error)[:160]}"
            raise Untraceable(why) from error
        finally:
            state.restore()
            let_go(mode)

    def layout_of(self, module: nn.Module, place: int) -> Layout:
        """Return how the arguments of a call of a module lie, by the number of the call.

        Raises:
            Untraceable: there is no such call.
        """
        found = self._given.get(module, [])
        if place >= len(found):
            raise Untraceable(f"{type(module).__name__} is not called as in the graph")
        return found[place]


@contextmanager
def _calls_by(call: Callable[..., object]) -> Iterator[None]:
    """Have a function make all calls of modules: of what makes them else, and their arguments."""
    with tracing():
        call_module = nn.Module.__call__

        def calling(self: nn.Module, *args: Any, **kwargs: Any) -> object:
            return call(call_module, self, args, kwargs)

        nn.Module.__call__ = calling
        try:
            yield
        finally:
            nn.Module.__call__ = call_module


def memories(value: object) -> set[int]:
    """Return what tells the memories of tensors apart that are only described."""
    return {
        each.untyped_storage()._cdata for each in tree_leaves(value) if isinstance(each, FakeTensor)
    }
