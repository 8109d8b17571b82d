"""Calls whose results depend on the layout of what they view, change in place, or read as it lies.

Results of plans have channels last. So a view of one may have to be a copy, and what is a copy of
one in PyTorch's layout may be the result itself.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING

from torch import Tensor, fx

if TYPE_CHECKING:
    from ..parts import Part, Parts

#: Functions, methods and modules that never copy their argument, those that copy it where there is
#: no view, and all that its layout decides for.
_VIEWS = ("view", "view_as")
_SHAPES = ("flatten", "Flatten", "ravel", "reshape", "reshape_as")
_MAYBE = (*_VIEWS, *_SHAPES, "contiguous", "to")

#: Functions and methods that tell or read how memory lies.
_LYING = ("as_strided", "_reshape_alias", "resize_", "resize_as_", "storage_offset", "stride")


def layout_matters(
    parts: Parts,
    fakes: Mapping[fx.Node, object],
    memories: Mapping[fx.Node, set[int]],
    written: Mapping[fx.Node, Sequence[fx.Node]],
    copying: Container[fx.Node],
) -> str:
    """Return what reads memory as it lies, or changes what others may share; "" for none.

    Only values count that are read after a change, and results in another layout.

    Args:
        parts: of the graph.
        fakes: the value of each node.
        memories: what tells the memories of each value apart.
        written: the arguments that nodes write to.
        copying: the nodes whose results are memory of copies of arguments, maybe.
    """
    order = {node: place for place, node in enumerate(parts.traced.graph.nodes)}
    owner: dict[fx.Node, fx.Node] = {}  # of its memory: itself, or the node that it is a view of
    near: dict[fx.Node, set[fx.Node]] = {}  # owners whose memory may be the same
    changes: list[tuple[Part, fx.Node]] = []
    for part in parts.list:
        node = part.node
        owner[node] = node
        near[node] = set()
        if part.kind != "other":
            continue
        for x in [each for each in node.all_input_nodes if each in owner]:
            target = node.target if part.layer is None else type(part.layer)
            name = str(getattr(target, "__name__", target)).partition(".")[0]  # without an overload
            shares = not memories[node].isdisjoint(memories[x])
            # A view of a whole result with channels last is one in PyTorch's layout, too.
            is_sure = shares and (name in _VIEWS or (name in _SHAPES and owner[x] is x))
            is_moved = any(_has_other_layout(fakes[each]) for each in (x, owner[x]))
            if name in _LYING and (is_moved or name.endswith("_")):  # which has moved it now
                return f"{part.name} reads memory as it lies"
            if node in copying or (name in _MAYBE and is_moved and not is_sure):
                near[node].add(owner[x])
                near[owner[x]].add(node)
            elif shares:
                owner[node] = owner[x]
        changes += [(part, owner[each]) for each in written.get(node, ()) if each in owner]
    outputs = set(parts.traced.graph.find_nodes(op="output"))
    for part, changed in changes:
        now = order[part.node]
        # Later copies, and views, have the changed numbers anyway.
        linked = _linked(changed, near, {node for node in near if order[node] < now})
        for node, own in owner.items():
            if own in linked and any(user in outputs or order[user] > now for user in node.users):
                return f"{part.name} changes what {node.name} may share"
    return ""


def _linked(
    node: fx.Node, near: Mapping[fx.Node, set[fx.Node]], allowed: set[fx.Node]
) -> set[fx.Node]:
    """Return the other nodes that a node is linked with, each through those that are allowed."""
    found, left = {node}, [node]
    while left:
        more = near[left.pop()] & (allowed - found)
        found |= more
        left += more
    return found - {node}


def _has_other_layout(value: object) -> bool:
    return isinstance(value, Tensor) and not value.is_contiguous()
