"""Rewrite a graph with fewer functions: RMS norms, and attention without masks and copies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import torch
from torch import Tensor, fx
from torch.nn import functional

_EVERY = slice(None)

#: The data types of norms that are computed in float32.
_TYPES = (torch.float16, torch.bfloat16, torch.float32)

#: The index by which heads of keys get an axis along which they are repeated.
_NEW_AXIS = (_EVERY, _EVERY, None, _EVERY, _EVERY)


def is_call(node: object, *names: str) -> bool:
    """Return whether a node calls a function or method of one of these names."""
    if not isinstance(node, fx.Node) or node.op not in ("call_function", "call_method"):
        return False
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    return str(name) in names and not str(name).startswith("_")


def other_of(node: Any, one: object) -> Any:
    """Return the other argument of a function of two; None if that is not all."""
    if len(node.args) != 2 or node.kwargs:
        return None
    first, second = node.args
    return second if first is one else first if second is one else None


def rewrite_norms(
    graph: fx.Graph, values: dict[fx.Node, Any], is_changed: Callable[[fx.Node], bool]
) -> None:
    """Replace x / sqrt(mean of squares + epsilon) weight by one function.

    Args:
        graph: changed in place.
        values: what the value of each node is like.
        is_changed: whether something writes to the memory of a node's value.
    """
    for node in list(graph.nodes):
        if not is_call(node, "rsqrt") or len(node.args) != 1 or not is_call(node.args[0], "add"):
            continue
        mean, epsilon = (*node.args[0].args, None)[:2]
        if not isinstance(epsilon, float) or node.args[0].kwargs or not is_call(mean, "mean"):
            continue
        axis = {**dict(zip(("dim", "keepdim"), mean.args[1:], strict=False)), **mean.kwargs}
        square = mean.args[0]
        if axis != {"dim": -1, "keepdim": True} or not is_call(square, "pow"):
            continue
        if len(square.args) != 2 or square.args[1] != 2 or square.kwargs:
            continue
        wide = square.args[0]
        for scaled in list(node.users):
            if is_call(scaled, "mul") and other_of(scaled, node) is wide and not is_changed(wide):
                _rewrite_norm(graph, values, wide, scaled, epsilon)


def _rewrite_norm(
    graph: fx.Graph, values: dict[fx.Node, Any], wide: fx.Node, scaled: fx.Node, epsilon: float
) -> None:
    """Rewrite the norm whose factors are multiplied with `wide` in the node `scaled`."""
    x = wide.args[0] if is_call(wide, "to", "float") else wide
    if values[wide].dtype != torch.float32 or values[x].dtype not in _TYPES:
        return
    last = next(iter(scaled.users), scaled) if len(scaled.users) == 1 else scaled
    narrow = last if is_call(last, "to", "half", "bfloat16") else scaled
    for user in list(narrow.users):
        weight = other_of(user, narrow) if is_call(user, "mul") else None
        given = values.get(weight) if isinstance(weight, fx.Node) else None
        if not isinstance(given, Tensor) or given.shape != values[x].shape[-1:]:
            continue
        if not values[x].dtype == given.dtype == values[narrow].dtype == values[user].dtype:
            continue
        with graph.inserting_before(user):
            shape = tuple(given.shape)
            made = graph.call_function(functional.rms_norm, (x, shape, weight, epsilon))
        values[made] = values[user]
        user.replace_all_uses_with(made)


def rewrite_attention(
    graph: fx.Graph, values: Mapping[fx.Node, Any], is_changed: Callable[[fx.Node], bool],
    constants: Collection[fx.Node],
) -> None:  # fmt: skip
    """Leave out masks that make attention causal, and copies of heads for each of their group."""
    known: dict[fx.Node, Any] = {}
    for node in list(graph.nodes):
        if node.target is not functional.scaled_dot_product_attention or len(node.args) != 3:
            continue
        more = dict(node.kwargs)
        mask = more.get("attn_mask")
        if mask in constants and not more.get("is_causal") and not _is_capturing():
            q, k = (values[each].shape for each in node.args[:2])
            if q[-2] == k[-2] and _is_causal(_value(mask, graph, constants, known)):
                more |= {"attn_mask": None, "is_causal": True}
        args = node.args
        if more.get("attn_mask") is None and not more.get("enable_gqa"):
            sources = [_repeated(each, values) for each in node.args[1:]]
            if not any(each is None or is_changed(each) for each in sources):
                args, more["enable_gqa"] = (node.args[0], *sources), True
        if more != node.kwargs or args != node.args:
            node.args, node.kwargs = args, more


def _is_capturing() -> bool:
    return bool(torch.cuda.is_available() and torch.cuda.is_current_stream_capturing())


def _is_causal(mask: object) -> bool:
    """Return whether a mask of truths has each query see the keys up to its own place."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool or mask.dim() < 2:
        return False
    square = torch.ones(mask.shape[-2:], dtype=torch.bool, device=mask.device).tril()
    return bool((mask == square).all())


def _repeated(node: Any, values: Mapping[fx.Node, Any]) -> fx.Node | None:
    """Return the keys or values whose heads a node repeats, one by one; None for others."""
    if not is_call(node, "reshape") or not is_call(wide := node.args[0], "expand"):
        return None
    new = wide.args[0]
    if not is_call(new, "getitem") or new.args[1] != _NEW_AXIS:
        return None
    source: fx.Node = new.args[0]
    if values[source].dim() != 4:
        return None
    batch, heads, length, width = values[source].shape
    count = values[wide].shape[2]
    same = values[wide].shape == (batch, heads, count, length, width)
    return source if same and values[node].shape == (batch, heads * count, length, width) else None


def _value(
    node: fx.Node, graph: fx.Graph, constants: Collection[fx.Node], known: dict[fx.Node, Any]
) -> Any:
    """Return the value of a node that is the same in each call, by computing all of these."""
    for each in graph.nodes if node not in known else ():
        if each not in constants:
            continue
        args, kwargs = (fx.node.map_arg(a, known.__getitem__) for a in (each.args, each.kwargs))
        if each.op == "call_method":
            known[each] = getattr(args[0], str(each.target))(*args[1:], **kwargs)
        else:
            known[each] = each.target(*args, **kwargs)
    return known[node]
