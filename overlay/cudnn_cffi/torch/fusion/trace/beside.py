"""The nodes of a graph that are computed beside the others, and the steps that wait for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import torch

from .words import is_mutating, is_random

if TYPE_CHECKING:
    from torch import fx

    from ..parts import Parts


def find_beside(parts: Parts) -> set[fx.Node]:
    """Return the nodes that depend on the model's tensors alone.

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
