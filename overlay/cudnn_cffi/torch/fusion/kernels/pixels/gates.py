"""Gates and norms that the kernel after applies; the means of gates come from the kernel before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import fx

from ...trace.windows import Window
from ...trace.words import is_mutating
from ..functions import Run

if TYPE_CHECKING:
    from ..... import ops
    from ...parts import Part, Parts
    from ...values import Finds, Values


class Gates(NamedTuple):
    """The gates of a graph that kernels of convolutions have a part in.

    Attributes:
        applied: by convolutions that apply a gate or a norm to what they read: the node of that,
            which is not computed.
        summed: by nodes of gates: the convolution that sums its results for them.
    """

    applied: dict[fx.Node, fx.Node]
    summed: dict[fx.Node, fx.Node]

    def inside(self, parts: Parts) -> dict[fx.Node, fx.Node]:
        """Return by each node the last one of the part that reads what the node does."""
        found = {each: part.node for part in parts.list for each in part.nodes}
        return found | {product: node for node, product in self.applied.items()}


def find_gates(parts: Parts, values: Values, finds: Finds) -> Gates:
    """Return the gates that kernels have a part in, and choose those kernels.

    Args:
        parts: of the model.
        values: what the values are like; `chosen` gets the kernels.
        finds: returns the way to compute a part.
    """
    places = {part.node: place for place, part in enumerate(parts.list)}
    changes = [
        place
        for place, part in enumerate(parts.list)
        if part.kind == "other" and is_mutating(part.node, part.layer)
    ]
    found = Gates({}, {})
    for place, part in enumerate(parts.list):
        if part.node.meta.get("is_gate"):
            source = part.node.args[0]
            begin = places.get(source, place)  # inputs have none
            is_same = not any(begin < each < place for each in changes)
            run = _run_of(parts.list[begin], values) if is_same else None
            made = None if run is None else run.summed()
            if made is not None and source not in found.summed.values():
                found.summed[part.node] = source
                _choose(source, made, values)
        product = part.x
        normed = bool(product.meta.get("is_normed"))
        if not (normed or product.meta.get("is_gated")) or len(product.users) > 1:
            continue
        if part.residual is product or any(places[product] < each < place for each in changes):
            continue
        if _applies(part, product, values, finds):
            found.applied[part.node] = product
            if not normed:
                values.specs.pop(product.args[0], None)  # its result has no gaps
    return found


def _run_of(part: Part, values: Values) -> Run | None:
    """Return the kernel that computes all of a convolution of images; None for others."""
    chosen, node = values.chosen.get(part.node), part.node
    if chosen is None or node not in values.specs or node in values.follows:
        return None
    if values.tensor(node).dim() != 4:  # of lines, whose batch a gate takes for channels
        return None
    way = chosen.way
    rest = part.residual is not None and not way.residual
    rest = rest or (part.activation is not None and not way.activation)
    return way.run if isinstance(way.run, Run) and not rest else None


def _choose(node: fx.Node, run: Any, values: Values) -> None:
    chosen = values.chosen[node]
    values.chosen[node] = chosen._replace(way=chosen.way._replace(run=run))
    del values.specs[node]


def _applies(part: Part, product: fx.Node, values: Values, finds: Finds) -> bool:
    """Have a kernel compute a convolution of a gated or normed value; return whether one does."""
    specs, chosen = values.specs.get(part.node), values.chosen.get(part.node)
    if specs is None or chosen is None or isinstance(part.layer, Window):
        return False
    if chosen.dtype is not None or part.node in values.followers:
        return False
    x = specs["x"]
    if product.meta.get("is_normed"):
        if not _is_norm(product, x, values):
            return False
        way = finds(replace(part, before=product.args[1]), specs)
    else:
        gate = values.tensor(product.kwargs["gate"])
        if str(gate.dtype) != f"torch.{x.dtype}" or gate.shape != (*x.shape[:2], 1, 1):
            return False
        way = finds(part, {**specs, "gate": x})
    if way.run is None:
        return False
    values.chosen[part.node] = chosen._replace(way=way)
    del values.specs[part.node]
    return True


def _is_norm(product: fx.Node, x: ops.Spec, values: Values) -> bool:
    """Return whether a kernel reads the tensors of a norm of images."""
    given = [values.tensor(each) for each in product.kwargs["norm"] if each is not None]
    types = {each.dtype for each in given}
    return (
        values.tensor(product.args[0]).dim() == 4
        and str(values.tensor(product.args[0]).dtype) == f"torch.{x.dtype}"
        and len(types) == 1
        and types <= {getattr(torch, x.dtype), torch.float32}
        and all(each.is_contiguous() and each.numel() == x.shape[1] for each in given)
        and len({each.device for each in given}) == 1
        and given[0].device == values.tensor(product).device
    )
