"""Rewrite a graph with fewer kernels: moves of elements, rotations of heads, and windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.nn import functional
from torch.utils._pytree import tree_leaves

from ..kernels.functions import WORDS, Attending, Masking, Moving, gated, rotated
from .rewriting import is_call, other_of
from .state import override_of
from .words import word_of

#: Functions and methods that move elements, or tell how they lie.
_MOVES = frozenset(
    (
        "view", "reshape", "permute", "transpose", "contiguous", "flatten", "unflatten",
        "unsqueeze", "squeeze", "roll", "getitem", "pad", "narrow",
    )
)  # fmt: skip

_ATTENTION = functional.scaled_dot_product_attention

#: Its options that do not matter where queries and keys have as many heads, or are looked at.
_HARMLESS = ("scale", "enable_gqa", "attn_mask")


class Shortening:
    """Rewrites of a graph, whose nodes' values are known."""

    def __init__(
        self, root: nn.Module, graph: fx.Graph, values: dict[fx.Node, Any],
        is_changed: Callable[[fx.Node], bool],
    ) -> None:  # fmt: skip
        """Take a graph.

        Args:
            root: the module whose modules it calls.
            graph: changed in place.
            values: what the value of each node is like.
            is_changed: whether something writes to the memory of a node's value.
        """
        self._graph, self._values, self._is_changed = graph, values, is_changed
        self._modules = {name: each for name, each in root.named_modules() if not override_of(each)}

    def run(self) -> None:
        """Rewrite."""
        for rewrite in (
            self._drop,
            self._gate,
            self._rotate,
            self._attend,
            self._attend_few,
            self._add_moved,
            self._add_before,
            self._move,
        ):
            for node in list(self._graph.nodes):
                if isinstance(self._values.get(node), Tensor):
                    rewrite(node)

    def _replace(self, node: fx.Node, target: Callable[..., Any], *args: Any, **more: Any) -> None:
        """Replace the function that computes a node."""
        read = [each for each in (node, *args, *more.values()) if isinstance(each, fx.Node)]
        if any(map(self._is_changed, read)):
            return
        with self._graph.inserting_before(node):
            made = self._graph.call_function(target, args, more)
        self._values[made] = self._values[node]
        node.replace_all_uses_with(made)

    def _is_tensor(self, node: object) -> bool:
        return isinstance(node, fx.Node) and isinstance(self._values.get(node), Tensor)

    def _gate(self, node: fx.Node) -> None:
        """Multiply the result of an activation with another tensor by one kernel."""
        if not is_call(node, "mul") or len(node.args) != 2 or node.kwargs:
            return
        for gate, other in (node.args, node.args[::-1]):
            if not self._is_tensor(gate) or not self._is_tensor(other) or len(gate.users) != 1:
                continue
            word = word_of(gate, self._modules.get(gate.target))
            if word is None or word[0] not in WORDS or gate.kwargs.get("inplace"):
                continue
            found = [self._values[each] for each in (gate.args[0], other, node)]
            if len({(each.shape, each.dtype) for each in found}) == 1 and found[0].dim():
                self._replace(node, gated, gate.args[0], other, word[0])
                return

    # Rotations

    def _rotate(self, node: fx.Node) -> None:
        """Compute x cosine + (-second half of x, first half of x) sine by one kernel."""
        if not is_call(node, "add") or len(node.args) != 2 or node.kwargs:
            return
        for first, second in (node.args, node.args[::-1]):
            if not (is_call(first, "mul") and is_call(second, "mul")):
                continue
            for turned in second.args:
                x = self._turned(turned)
                cosine, sine = other_of(first, x), other_of(second, turned)
                if x is None or not self._is_tensor(cosine) or not self._is_tensor(sine):
                    continue
                found = [self._values[each] for each in (x, cosine, sine, node)]
                fits = found[0].dim() == 4 and found[0].shape == found[3].shape
                if fits and len({each.dtype for each in found}) == 1:
                    self._replace(node, rotated, x, cosine, sine)
                    return

    def _turned(self, node: Any) -> fx.Node | None:
        """Return x of (-second half of x, first half of x)."""
        if not is_call(node, "cat") or not isinstance(node.args[0], (tuple, list)):
            return None
        axis = (*node.args, node.kwargs.get("dim"))[1]
        if axis != -1 or len(node.args[0]) != 2:
            return None
        low, high = node.args[0]
        if not is_call(low, "neg") or not is_call(low.args[0], "getitem"):
            return None
        low, x = low.args[0], low.args[0].args[0]
        if not is_call(high, "getitem") or high.args[0] is not x or not self._is_tensor(x):
            return None
        half = self._values[x].shape[-1] // 2
        wanted = (..., slice(half, None, None)), (..., slice(None, half, None))
        return x if (low.args[1], high.args[1]) == wanted else None

    # Attention to windows

    def _attend(self, node: fx.Node) -> None:
        """Compute softmax(scale q k^T + bias) v by one function."""
        if not is_call(node, "matmul") or not is_call(node.args[0], "softmax"):
            return
        soft, v = node.args
        if soft.kwargs.get("dim", (*soft.args, None)[1]) != -1 or soft.kwargs.get("dtype"):
            return
        found = self._scores(soft.args[0])
        if found is None or not self._is_tensor(v) or len(soft.users) != 1:
            return
        q, k, scale, masks = found
        tensors = [self._values[each] for each in (q, k, v, node, *masks)]
        if {each.dim() for each in tensors[:4]} != {4} or len({e.dtype for e in tensors}) != 1:
            return
        if len({tuple(each.shape[:2]) for each in tensors[:4]}) != 1:
            return
        if any(map(self._is_changed, masks)):
            return
        with self._graph.inserting_before(node):
            mask = self._mask(masks, tensors[0].shape[0], tensors[4:])
        if mask is not None or not masks:
            if mask is not None:
                self._values.setdefault(mask, tensors[4])  # memory of another tensor, too
            self._replace(node, _ATTENTION, q, k, v, attn_mask=mask, scale=scale)

    def _scores(self, node: Any) -> tuple[fx.Node, fx.Node, float, list[fx.Node]] | None:
        """Return q, k, the scale, and what is added: a bias of heads, and one of windows."""
        masks: list[fx.Node] = []
        shape = self._values[node].shape
        if is_call(node, "view") and is_call(node.args[0], "add"):
            inner, masked = node.args[0].args
            if not is_call(inner, "view") or not self._is_tensor(masked):
                return None
            count, heads = self._values[inner].shape[1:3]
            fits = (1, count, 1, *shape[2:]) == self._values[masked].shape and heads == shape[1]
            if not fits or self._values[inner].dim() != 5 or not is_call(inner.args[0], "add"):
                return None
            masks, node = [masked], inner.args[0]
        if is_call(node, "add") and len(node.args) == 2:
            node, bias = node.args
            if not self._is_tensor(bias) or self._values[bias].shape != (1, *shape[1:]):
                return None
            masks = [bias, *masks]
        if not is_call(node, "matmul") or self._values[node].shape != shape:
            return None
        scaled, turned = node.args
        if not is_call(turned, "transpose") or turned.args[1:] != (-2, -1):
            return None
        if not is_call(scaled, "mul") or not isinstance(scaled.args[1], float):
            return None
        return scaled.args[0], turned.args[0], scaled.args[1], masks

    def _mask(self, masks: list[fx.Node], count: int, like: list[Tensor]) -> fx.Node | None:
        """Return the sum of the masks for each window."""
        if len(masks) < 2:
            return masks[0] if masks else None
        windows = like[1].shape[1]
        made = self._graph.call_method("squeeze", (masks[1], 0))
        made = self._graph.call_function(torch.add, (made, masks[0]))
        if windows != count:
            made = self._graph.call_method("repeat", (made, count // windows, 1, 1, 1))
        return made

    def _attend_few(self, node: fx.Node) -> None:
        """Compute attention to few keys by a kernel of this package, with a mask by PyTorch's."""
        if node.target is not _ATTENTION or len(node.args) != 3:
            return
        scale, mask = (node.kwargs.get(name) for name in ("scale", "attn_mask"))
        others = [each for name, each in node.kwargs.items() if name not in _HARMLESS]
        if any(others) or not all(map(self._is_tensor, node.args)):
            return
        q, k, v = (self._values[each] for each in node.args)
        if self._values[node].dtype != q.dtype:
            return  # under autocast, PyTorch computes in another type than that of its arguments
        if scale is not None and not isinstance(scale, float):
            return
        if mask is None and Attending.takes(q, k, v):
            self._replace(node, Attending(scale), *node.args)
        elif self._is_tensor(mask) and Masking.takes(q, k, v, self._values[mask]):
            self._replace(node, Masking(scale), *node.args, mask)

    # Moves

    def _drop(self, node: fx.Node) -> None:
        """Leave out a copy that pads by nothing."""
        step = self._step(node) if is_call(node, "pad") else None
        if step is None or any(step[1][0]) or node.args[0].op == "placeholder":
            return
        if any(map(self._is_changed, (node, node.args[0]))):
            return
        old = self._values[node].untyped_storage()._cdata
        self._values[node] = self._values[node.args[0]]
        for each in self._graph.nodes:
            value = self._values.get(each)
            if not isinstance(value, Tensor) or value.untyped_storage()._cdata != old:
                continue
            if (after := self._step(each)) is not None:
                function, args, kwargs = after
                self._values[each] = function(self._values[each.args[0]], *args, **kwargs)
        node.replace_all_uses_with(node.args[0])

    def _chain(self, node: Any) -> tuple[fx.Node, list[Any]]:
        """Return what a node moves the elements of, and the functions that do it."""
        chain: list[Any] = []
        while isinstance(node, fx.Node) and (step := self._step(node)) is not None:
            chain.insert(0, step)
            node = node.args[0]
        return node, chain

    def _step(self, node: fx.Node) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
        """Return the function that moves elements, and what follows its first argument."""
        if not is_call(node, *_MOVES) or not node.args or not self._is_tensor(node.args[0]):
            return None
        if not self._is_tensor(node):
            return None
        rest = tuple(node.args[1:]), dict(node.kwargs)
        if any(isinstance(each, (fx.Node, Tensor, list)) for each in _leaves(rest)):
            return None
        name = node.target if isinstance(node.target, str) else node.target.__name__
        if name == "pad":
            mode, value = node.kwargs.get("mode", "constant"), node.kwargs.get("value")
            if len(node.args) != 2 or mode != "constant" or value:
                return None
        if name == "view":
            if not all(isinstance(each, int) for each in _leaves(rest)):
                return None
            return Tensor.reshape, *rest
        return (getattr(Tensor, name) if node.op == "call_method" else node.target), *rest

    def _copies(self, node: fx.Node) -> bool:
        """Return whether a node makes new memory."""
        before, after = self._values[node.args[0]], self._values[node]
        return bool(before.untyped_storage()._cdata != after.untyped_storage()._cdata)

    def _add_moved(self, node: fx.Node) -> None:
        """Move elements and add another tensor by one kernel."""
        if not is_call(node, "add") or len(node.args) != 2 or node.kwargs:
            return
        for moved, other in (node.args, node.args[::-1]):
            source, chain = self._chain(moved)
            if not chain or not self._is_tensor(other) or len(moved.users) != 1:
                continue
            found = [self._values[each] for each in (moved, other, node)]
            if len({(each.shape, each.dtype) for each in found}) == 1 and self._moves(moved):
                self._replace(node, Moving(chain), source, other)
                return

    def _add_before(self, node: fx.Node) -> None:
        """Add another tensor to the result of a linear layer, and not to a view of it."""
        if not is_call(node, "add") or len(node.args) != 2 or node.kwargs:
            return
        for view, other in (node.args, node.args[::-1]):
            source, chain = self._chain(view)
            if not chain or not self._is_tensor(other) or self._moves(view):
                continue
            if type(self._modules.get(str(source.target))) is not nn.Linear:
                continue
            nodes = [view]
            while nodes[0].args[0] is not source:
                nodes.insert(0, nodes[0].args[0])
            found = [self._values[each] for each in (view, other, node)]
            if len({(each.shape, each.dtype) for each in found}) > 1 or any(
                len(each.users) != 1 or self._is_changed(each) for each in (source, *nodes)
            ):
                continue
            like, value = self._values[source], found[0]
            order = sorted(range(value.dim()), key=lambda axis: -value.stride(axis))
            is_all = value.numel() == like.numel() and value.permute(order).is_contiguous()
            if not is_all or self._is_changed(other) or self._is_changed(node):
                continue
            with self._graph.inserting_before(node):
                turned = self._graph.call_method("permute", (other, *order))
                flat = self._graph.call_method("reshape", (turned, *like.shape))
                made = {source: self._graph.call_function(torch.add, (source, flat))}
                for each in nodes:
                    made[each] = self._graph.node_copy(each, lambda e, made=made: made.get(e, e))
            self._values[turned] = found[1].permute(order)
            self._values[flat] = self._values[turned].reshape(like.shape)
            self._values |= {new: self._values[old] for old, new in made.items()}
            node.replace_all_uses_with(made[view])
            return

    def _moves(self, node: fx.Node) -> bool:
        """Return whether elements are copied on the way to a node."""
        while self._step(node) is not None:
            if self._copies(node):
                return True
            node = node.args[0]
        return False

    def _move(self, node: fx.Node) -> None:
        """Do several copies by one kernel."""
        if self._step(node) is None or not self._copies(node):
            return
        after = node
        while len(after.users) == 1 and self._step(after := next(iter(after.users))) is not None:
            if self._copies(after):
                return  # it is moved with what follows
        source, chain = self._chain(node)
        if source.target is _ATTENTION or isinstance(source.target, (Attending, Masking)):
            return  # its heads may lie side by side
        if source.op != "get_attr":
            self._replace(node, Moving(chain), source)


def _leaves(value: object) -> list[Any]:
    """Return what lies in tuples, lists, dicts and slices."""
    found: list[Any] = []
    for each in tree_leaves(value):
        found += [each.start, each.stop, each.step] if isinstance(each, slice) else [each]
    return [each for each in found if each is not None]
