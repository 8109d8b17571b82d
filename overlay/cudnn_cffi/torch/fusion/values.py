"""The values of a graph: what they are like, as PyTorch's fake tensors tell, and what they are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch import Tensor, fx, nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._pytree import tree_leaves, tree_map

from ... import arrays, errors, ops
from ..autograd.layouts import Layout, formatted
from ..autograd.switches import autocast_type, without_cache
from .building import Way, by_torch, is_product, padding_of, result_shape, tail
from .kernels.functions import Run
from .kernels.strips import Strips, pieces_of
from .products import specs_of
from .trace.copies import layout_matters
from .trace.eager import (
    LAYERS,
    Described,
    Like,
    attribute,
    callable_of,
    like_results,
    mapped,
    memories,
    modules_below,
    state_of,
)
from .trace.lock import Untraceable, let_go
from .trace.state import foreign_hooks, is_known
from .trace.tracing import PLAIN
from .trace.windows import Window, padded
from .trace.words import Writes, is_mutating, is_own_function, is_unknown, targets

if TYPE_CHECKING:
    from ...types import DTypeWord
    from .folding import Folder
    from .parts import Part, Parts
    from .weights import Joined, Weights

    #: Returns the way to compute a part of such arrays.
    Finds = Callable[[Part, dict[str, ops.Spec]], Way]


#: Number of elements from which on products are left to PyTorch, which counts them in 64 bits.
_MOST = 1 << 31


class Chosen(NamedTuple):
    """The computation of a part: the way, its weights, and the data type of its input.

    The data type is None where it is that of the input as it is, or a function that makes numbers
    of another one.
    """

    way: Way
    weights: Weights | Joined
    dtype: torch.dtype | Callable[[Tensor], Tensor] | None


class _Guard(Writes):
    """Refuses to write to tensors with memory, in a run that has only to tell what results are."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def before(self, tensor: Tensor) -> None:
        if not isinstance(tensor, FakeTensor):
            raise Untraceable(f"{self._name} writes to a tensor that is there before")


@contextmanager
def _asking(name: str, module: nn.Module | None) -> Iterator[None]:
    """Run a block in which a module has only to tell what it returns.

    Args:
        name: of the module, for errors.
        module: None, or one of PyTorch's, changes nothing.

    Raises:
        Untraceable: it has hooks, or changes itself or a tensor that is there before.
    """
    if module is None or is_known(module):
        yield
        return
    if any(map(foreign_hooks, modules_below(module))):
        raise Untraceable(f"{name} has hooks")
    state = state_of(module)
    try:
        with _Guard(name):
            yield
    finally:
        change = state.restore()
        if change is not None:
            raise Untraceable(f"{name} changes its attribute {change[1]}")


class Values:
    """The values of a graph for inputs of one kind, without memory, and how parts are computed.

    Attributes:
        fakes: the value of each node.
        constants: the values that are the same in each call.
        chosen: the computation of each part that has weights.
        specs: what convolutions read and write.
        straight: the nodes whose arguments are in the order of their axes.
        layouts: how the arguments of nodes lie whose code may read that.
        pooled: the poolings that the convolutions before them compute.
        follows: by convolutions whose kernels compute a product of their results, too, its node.
        is_mutating: whether a call changes what is there before and after it, as far as can be
            seen.
    """

    @without_cache()
    def __init__(
        self, parts: Parts, inputs: Sequence[Like], folder: Folder, finds: Finds,
        *, joins: bool = True,
    ) -> None:  # fmt: skip
        """Find a way for each part; see `Program`.

        Args:
            parts, inputs, folder, finds: as there.
            joins: whether convolutions may compute the pooling or the product after them.
        """
        self.fakes: dict[fx.Node, object] = {}
        self.constants: dict[fx.Node, object] = {}
        self.chosen: dict[fx.Node, Chosen] = {}
        self.specs: dict[fx.Node, dict[str, ops.Spec]] = {}
        self.straight: set[fx.Node] = set()
        self.pooled: set[fx.Node] = set()
        self.follows: dict[fx.Node, fx.Node] = {}
        self.layouts: dict[fx.Node, Layout] = {}
        self.is_mutating = False
        self._copying: set[fx.Node] = set()  # nodes whose results are memory of copies
        self._is_moved = False  # whether the layout of a value differs from PyTorch's
        self._traced, self._inputs = parts.traced, inputs
        self._written: dict[fx.Node, list[fx.Node]] = {}  # by nodes that write to arguments
        self._folder, self._finds, self._joins = folder, finds, joins
        self._mode = mode = FakeTensorMode(allow_non_fake_inputs=True)
        with mode, torch.no_grad():
            made = [each.empty() for each in inputs]
        fakes = self.fakes
        fakes.update(zip(parts.inputs, made, strict=True))
        self._outside = memories(made)
        calls: Counter[nn.Module] = Counter()
        for part in parts.list:
            node = part.node
            if node.op == "get_attr":
                found = attribute(parts.traced.root, node.target)
                self.constants[node] = found
                # Known as it is to the fake mode, so that views of it have its memory.
                fakes[node] = mode.from_tensor(found) if isinstance(found, Tensor) else found
                self._outside |= memories(fakes[node])
            elif part.kind == "convolution":
                self._look_at(part)
            elif part.kind == "product":
                self._look_at_product(part)
            elif part.kind == "norm":
                self._look_at_norm(part)
            elif node in self.pooled:
                fakes[node] = fakes[node.args[0]]
            elif part.kind != "other":
                own = folder.weights(part, None, False)
                self.chosen[node] = Chosen(Way(None, "torch"), own, None)
                with mode, torch.no_grad():
                    fakes[node] = by_torch(part, self.tensor(part.x), own.weight, own.bias, None)
            else:
                self._note_changes(part)
                self._is_moved = self._is_moved or is_own_function(node)
                if part.layer is not None and not is_known(part.layer):
                    if self._is_moved:
                        place = calls[part.layer]
                        self.layouts[node] = self._described.layout_of(part.layer, place)
                    calls[part.layer] += 1
                with mode, torch.no_grad():
                    fakes[node] = self._call(part)

        places = {node: memories(each) for node, each in fakes.items()}
        if why := layout_matters(parts, fakes, places, self._written, self._copying):
            raise Untraceable(why)
        if joins:
            self._join(parts)
        let_go(mode)

    @property
    def followers(self) -> set[fx.Node]:
        """Return the values of `follows`."""
        return set(self.follows.values())

    def _join(self, parts: Parts) -> None:
        """Let kernels compute products of their results, which need not be read for them."""
        places = {part.node: place for place, part in enumerate(parts.list)}
        changes = [
            place
            for place, part in enumerate(parts.list)
            if part.kind == "other" and is_mutating(part.node, part.layer)
        ]
        for place, part in enumerate(parts.list):
            first, own = self.chosen.get(part.x), self.chosen.get(part.node)
            specs = self.specs.get(part.node)
            if first is None or own is None or specs is None or part.x not in self.specs:
                continue
            run, start = first.way.run, places[part.x]
            if own.dtype is not None or part.residual is not None or not isinstance(run, Run):
                continue
            if isinstance(part.layer, Window) or not is_product(part.conv, specs["w"]):
                continue
            if any(start < each < place for each in changes):
                continue
            made = run.followed_by(specs, part.activation)
            if made is not None:
                self.follows[part.x] = part.node
                self.chosen[part.x] = first._replace(way=first.way._replace(run=made))
                way = Way(made, "kernel", "", False, part.activation is not None)
                self.chosen[part.node] = own._replace(way=way)
                del self.specs[part.x], self.specs[part.node]

    def layout_of_results(self, output: object) -> Layout | None:
        """Return how results have to lie; None where they lie as PyTorch's.

        Raises:
            Untraceable: tensors may be in an object, where nothing looks for them.
        """
        leaves = tree_leaves(mapped(output, self.fakes.__getitem__))
        for each in leaves:
            if not isinstance(each, (Tensor, *PLAIN)):
                raise Untraceable(f"it returns a {type(each).__name__}")
        flat = [each for each in leaves if isinstance(each, Tensor) and each.dim() < 3]
        others = sum(isinstance(each, Tensor) for each in leaves) - len(flat)
        is_same = not others and all(map(_is_alone, flat))
        if is_same or not (self._is_moved or self._traced.kinds):
            return None
        return self._traced.layout or self._described.layout

    @cached_property
    def _described(self) -> Described:
        return Described(self._traced, self._inputs)

    def tensor(self, node: fx.Node) -> Tensor:
        """Return the value of a node that is a tensor."""
        return cast("Tensor", self.fakes[node])

    def retype(self, node: fx.Node, dtype: torch.dtype) -> None:
        """Give the value of a node another data type."""
        with self._mode, torch.no_grad():
            self.fakes[node] = torch.empty_like(self.tensor(node), dtype=dtype)

    def _note_changes(self, part: Part) -> None:
        """Note whether a node changes an input or a tensor of the model."""
        node = part.node
        if is_mutating(node, part.layer):
            self._written[node] = targets(node)
            changed = [self.fakes.get(each) for each in node.all_input_nodes]
            outside = not self._outside.isdisjoint(memories(changed))
            self.is_mutating = self.is_mutating or outside or is_unknown(node, part.layer)

    def _call(self, part: Part) -> object:
        with _asking(part.name, part.layer):
            return self._try(part)

    def _try(self, part: Part) -> object:
        try:
            return self._value(part)
        except Untraceable:
            raise
        except Exception as error:
            text = errors.first_line(error)[:160]
            raise Untraceable(f"what {part.name} returns is not known before: {text}") from error

    def _value(self, part: Part) -> object:
        node, call = part.node, callable_of(part.node, part.layer)
        args, kwargs = (mapped(each, self.fakes.__getitem__) for each in (node.args, node.kwargs))
        if isinstance(part.layer, nn.modules.batchnorm._BatchNorm) and len(args) == 1:
            return torch.empty_like(args[0])  # at once: PyTorch takes long to find that out
        if isinstance(part.layer, LAYERS):
            found = like_results(part.layer, *args, **kwargs)
            if found is not None:
                return found
        if node in self.layouts:
            laid = self.layouts[node]((args, kwargs))
            value = call(*laid[0], **laid[1])
            if not memories(value).isdisjoint(memories(laid) - memories((args, kwargs))):
                self._copying.add(node)
            return value
        try:
            return call(*args, **kwargs)
        except (RuntimeError, ValueError):
            # For example, a view that is impossible with channels last: try without them.
            args, kwargs = tree_map(straight, args), tree_map(straight, kwargs)
            value = call(*args, **kwargs)
            self.straight.add(node)
            return value

    def _weights(self, part: Part, dtype: torch.dtype | None, last: bool) -> Weights | Joined:
        """Return the weights of a part.

        Raises:
            Untraceable: they are on another device than its input, which PyTorch says in its words.
        """
        own, x = self._folder.weights(part, dtype, last), self.tensor(part.x)
        if own.weight.device != x.device:
            raise Untraceable(f"{part.name} is on {own.weight.device}, its input on {x.device}")
        return own

    def _look_at(self, part: Part) -> None:
        """Find a way for a convolution, and what its result is like."""
        x, layer = self.tensor(part.x), part.conv
        residual = None if part.residual is None else self.tensor(part.residual)
        is_window = isinstance(layer, Window) and x.dim() == len(layer.module.weight.shape)
        is_line = is_window and layer.is_line
        given, made = x, x
        if is_window:
            with self._mode, torch.no_grad():
                made = x if layer.before is None else layer.before(x)
                x = layer.image(padded(made, layer.rest))
        if is_line and residual is not None and residual.dim():
            with self._mode, torch.no_grad():
                residual = residual.unsqueeze(-2)
        lower = _lower(x)
        dtype = x.dtype if lower is None else lower
        flat = x.dim() in (4, 5) and x.dim() == layer.weight.dim()
        own = self._weights(part, lower, flat)
        way = Way(None, "torch", "" if flat else f"arrays of {x.dim()} axes")
        with self._mode, torch.no_grad():
            if flat:
                try:
                    shape = result_shape(layer, tuple(x.shape))
                except ValueError as error:  # PyTorch will say so in its words
                    raise Untraceable(f"{part.name}: {error}") from error
                y = torch.empty(shape, dtype=own.weight.dtype, device=x.device)
                y = formatted(y, True)
                self._is_moved = self._is_moved or not y.is_contiguous()
            else:
                like = given if _has_before(part) else given.to(dtype)
                y = by_torch(part, like, own.weight, own.bias, residual)
        if flat:
            found = {"x": _spec(x, dtype), "w": _spec(own.weight), "y": _spec(y)}
            if own.bias is not None:
                found["bias"] = _spec(own.bias)
            if isinstance(residual, Tensor) and residual.dim() == y.dim():
                found["residual"] = _spec(residual)
            cut = self._by_pieces(part, made, y, found)
            after = self._pooling_after(part.node, y) if cut is None and not is_window else {}
            way = self._finds(part, found | after) if cut is None else cut
            if way.pools:
                self.pooled.update(part.node.users)
                with self._mode:
                    y = formatted(y.new_empty(after["pooled"].shape), True)
            elif cut is None:
                self.specs[part.node] = found
            if residual is not None and not way.residual:
                with self._mode, torch.no_grad():
                    y = tail(y, residual, None, part.keeps)  # of another shape or data type, maybe
        if is_line:
            with self._mode:
                y = y.squeeze(2)
        self.fakes[part.node] = y
        is_read = dtype == x.dtype or _has_before(part)  # which decides its own type
        self.chosen[part.node] = Chosen(way, own, None if is_read else dtype)

    def _pooling_after(self, node: fx.Node, y: Tensor) -> dict[str, ops.Spec]:
        """Return what `patterns.HALVING` makes of a result, if that alone reads it."""
        if not self._joins or [each.meta.get("halves") for each in node.users] != [True]:
            return {}
        with self._mode:
            shape = (*y.shape[:2], *[-(-size // 2) for size in y.shape[2:]])
            return {"pooled": _spec(y.new_empty(shape))}

    def _by_pieces(
        self, part: Part, x: Tensor, y: Tensor, specs: dict[str, ops.Spec]
    ) -> Way | None:
        """Return the way of a convolution that is computed piece by piece; None for others."""
        pieces = pieces_of(part.conv, padding_of(part.conv), x, y)
        if pieces is None:
            is_whole = not _has_before(part) and max(x.numel(), y.numel()) < _MOST
            return None if is_whole else Way(None, "torch", "it has no elements, or too many")
        way = self._finds(replace(part, layer=pieces.layer), pieces.specs(specs))
        if way.run is None:
            return way
        run = Strips(pieces, way.run, bias="bias" in specs, residual=way.residual)
        return way._replace(run=run, text=f"{way.text}, pieces: {pieces.number()}")

    def _look_at_product(self, part: Part) -> None:
        """Find a way for a linear layer, and what its result is like."""
        x = self.tensor(part.x)
        residual = None if part.residual is None else self.tensor(part.residual)
        lower = _lower(x)
        own = self._weights(part, lower, False)
        dtype = x.dtype if lower is None else lower
        way = Way(None, "torch", "it has no elements, or too many")
        shape = (*x.shape[:-1], own.weight.shape[0])
        if math.prod(shape) > 0 and x.numel() > 0 and max(math.prod(shape), x.numel()) < _MOST:
            specs = specs_of(x, own.weight, own.bias, residual)
            specs["x"] = specs["x"]._replace(
                dtype=cast("DTypeWord", str(dtype).removeprefix("torch."))
            )
            way = self._finds(part, specs)
        with self._mode, torch.no_grad():
            # PyTorch takes long to find out what is known here.
            if way.run is None or (residual is not None and not way.residual):
                y = by_torch(part, x.to(dtype), own.weight, own.bias, residual)
            else:
                y = x.new_empty(shape, dtype=dtype)
        self.fakes[part.node] = y
        self.chosen[part.node] = Chosen(way, own, None if dtype == x.dtype else dtype)

    def _look_at_norm(self, part: Part) -> None:
        """Find a way for a norm; its result is like its input."""
        x = self.tensor(part.x)
        own = self._weights(part, None, False)
        way = Way(None, "torch", f"{x.dtype} meets parameters of {own.weight.dtype}")
        found = {"x": x, "y": x, "w": own.weight, "bias": own.bias}
        given = {name: each for name, each in found.items() if each is not None}
        same = len({each.dtype for each in given.values()}) == 1
        if same and x.numel() and _lower(x) is None:
            way = self._finds(
                part, {name: _spec(each, packed=True) for name, each in given.items()}
            )
        with self._mode, torch.no_grad():
            y = x.new_empty(x.shape) if way.run else by_torch(part, x, own.weight, own.bias, None)
        self.fakes[part.node] = y
        self.chosen[part.node] = Chosen(way, own, None)


def _lower(x: Tensor) -> torch.dtype | None:
    """Return the data type that autocast casts a tensor to, which leaves float64 as it is."""
    return None if x.dtype == torch.float64 else autocast_type(x.device.type)


def _has_before(part: Part) -> bool:
    """Return whether the input of a convolution is made for it alone."""
    return isinstance(part.layer, Window) and part.layer.before is not None


def _is_alone(tensor: Tensor) -> bool:
    """Return whether a tensor is contiguous, and all that is in its memory."""
    is_all = tensor.nbytes == tensor.untyped_storage().nbytes()
    return bool(is_all and tensor.is_contiguous())


def straight(value: object) -> object:
    """Return a tensor in the order of its axes; anything else as it is."""
    return value.contiguous() if isinstance(value, Tensor) else value


def _spec(tensor: Tensor, dtype: torch.dtype | None = None, packed: bool = False) -> ops.Spec:
    """Describe a tensor, with its channels last, or as packed in the order of its axes."""
    shape = tuple(map(int, tensor.shape))
    strides = arrays.packed_strides(shape) if packed else arrays.packed_strides(shape, "NHWC")
    address = 0 if isinstance(tensor, FakeTensor) else tensor.data_ptr()
    name = str(tensor.dtype if dtype is None else dtype).removeprefix("torch.")
    device = tensor.device.index if tensor.device.type == "cuda" else None
    alignment = min(16, address & -address) if address else 16
    return ops.Spec(cast("DTypeWord", name), shape, strides, device, alignment)
