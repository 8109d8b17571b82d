"""Places of values in memory: side by side in place of a concatenation, or where others were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, fx

from .... import arrays
from ...autograd.layouts import last_format
from ..trace.words import is_mutating, is_own_function

if TYPE_CHECKING:
    from ..parts import Part, Parts
    from ..values import Finds, Values

#: Alignment of slices in bytes, which engines need.
_ALIGNMENT = 16


class Whole(NamedTuple):
    """A concatenated value, whose first channels are others.

    Attributes:
        node: the concatenation.
        places: where each of its inputs begins, in channels.
        written: the inputs that plans write there.
        prefixes: the concatenations of its first inputs, and itself.
    """

    node: fx.Node
    places: dict[fx.Node, int]
    written: set[fx.Node]
    prefixes: list[fx.Node]

    def slice_of(self, node: fx.Node, memory: Tensor, values: Values) -> Tensor:
        """Return the memory of an input or a prefix."""
        begin = self.places.get(node, 0)
        return memory[:, begin : begin + values.tensor(node).shape[1]]


def inputs_of(node: fx.Node) -> list[fx.Node] | None:
    """Return the inputs that a node puts side by side along the channels; None for other nodes."""
    if node.op != "call_function" or node.target not in (torch.cat, torch.concat):
        return None
    given: Any = {**dict(zip(("tensors", "dim"), node.args, strict=False)), **node.kwargs}
    nodes = given.get("tensors")
    if (
        set(given) != {"tensors", "dim"}
        or given["dim"] != 1
        or not isinstance(nodes, (list, tuple))
    ):
        return None
    return list(nodes) if all(isinstance(each, fx.Node) for each in nodes) else None


def wholes(parts: Parts, values: Values, finds: Finds, kept: set[fx.Node]) -> list[Whole]:
    """Return the concatenations that some of their inputs are written to, and choose their plans.

    Args:
        parts: of the model.
        values: what the values are like; `chosen` gets the plans that write slices.
        finds: returns the way to compute a part.
        kept: nodes whose values must have memory of their own.
    """
    kinds = {part.node: part for part in parts.list}
    inside = {each: part for part in parts.list for each in part.nodes}
    changed = {
        each
        for part in parts.list
        if part.kind == "other" and is_mutating(part.node, part.layer)
        for each in part.node.all_input_nodes
    }
    joints = {node: given for node in kinds if (given := inputs_of(node))}
    found: list[Whole] = []
    taken: set[fx.Node] = set()
    for node in sorted(joints, key=lambda each: -len(joints[each])):
        given = joints[node]
        y = values.fakes[node]
        if node in taken or node in kept or len(set(given)) < len(given) or not _is_image(y):
            continue
        prefixes = [
            each
            for each, first in joints.items()
            if first == given[: len(first)]
            and each not in kept
            and each not in taken
            and _reads(each, inside, whole=each is node)
        ]
        if node not in prefixes or changed & {*given, *prefixes}:
            continue
        places, begin = {}, 0
        for each in given:
            places[each] = begin
            begin += values.tensor(each).shape[1]
        written = set()
        for each in given:
            part = kinds.get(each)
            if part is None or each in kept or each in taken:
                continue
            readers = [inside[user] for user in each.users if user in inside]
            own = all(r.node in prefixes or is_own_function(r.node) for r in readers)
            if own and _choose(part, places[each], values, finds, y):
                written.add(each)
        if written:
            taken.update(prefixes, written)
            found.append(Whole(node, places, written, prefixes))
    return found


def _is_image(y: object) -> bool:
    """Return whether a value is images with channels last."""
    form = last_format(y.dim()) if isinstance(y, Tensor) and y.numel() else None
    return form is not None and bool(y.is_contiguous(memory_format=form))  # type: ignore[attr-defined]


def _reads(node: fx.Node, inside: dict[fx.Node, Part], *, whole: bool) -> bool:
    """Return whether all that read a value take it with gaps between pixels, or it has none."""
    readers = [inside[user] for user in node.users if user in inside]
    return whole or all(r.kind == "convolution" or is_own_function(r.node) for r in readers)


def _choose(part: Part, begin: int, values: Values, finds: Finds, whole: Tensor) -> bool:
    """Have a plan write a slice; return whether there is one that computes as much of the part."""
    chosen, specs = values.chosen.get(part.node), values.specs.get(part.node)
    if chosen is None or specs is None or chosen.way.run is None:
        return False
    y = values.tensor(part.node)
    same = y.dtype == whole.dtype and y.shape[2:] == whole.shape[2:]
    rest = part.residual is not None and not chosen.way.residual
    same = same and chosen.weights.weight.dtype == y.dtype  # others are of 8 bits
    if rest or not same or begin * y.element_size() % _ALIGNMENT:
        return False
    if whole.shape[1] * y.element_size() % _ALIGNMENT:
        return False
    strides = arrays.packed_strides(tuple(whole.shape), "NHWC")
    way = finds(part, {**specs, "y": specs["y"]._replace(strides=strides)})
    if way.run is None or way[3:] != chosen.way[3:]:
        return False
    values.chosen[part.node] = chosen._replace(way=way)
    return True
