"""Executions of a graph's plan with other extents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ...._tables import active
from ....plan.overrides import OverriddenPlan, Overrides
from ..failures import cudnnGraphNotSupportedError
from .programs import Program

if TYPE_CHECKING:
    from typing import Protocol

    from ..tensors import Tensor

    class HasTensors(Protocol):
        """A graph, with what it was made with."""

        _override: bool
        _by_uid: dict[int, Tensor]


def may_override(graph: HasTensors) -> bool:
    """Return whether executions of a graph may have other extents, in the loaded release."""
    name = "OPERATIONGRAPH_IS_OVERRIDE_SHAPE_ENABLED"
    return graph._override and name in active().enum("BackendAttributeName").__members__


def overridden(
    graph: HasTensors, program: Program, uids: object, shapes: object, strides: object
) -> Program:
    """Return a program that executes a plan with other extents; the same one for none.

    Args:
        graph: whose plan it is.
        program: it executes the plan.
        uids: the tensors.
        shapes, strides: a list for each of them.

    Raises:
        cudnnGraphNotSupportedError: the graph, or the release, has no overrides.
        ValueError: a uid is unknown, or lists differ in their lengths, or have other numbers than
            positive extents.
    """
    if uids is None and shapes is None and strides is None:
        return program
    if not may_override(graph):
        raise cudnnGraphNotSupportedError(
            "override_uids, override_shapes and override_strides: expected a graph with "
            "is_override_shape_enabled, and cuDNN 9.21 or newer; make a graph for each shape, or "
            "share kernels by is_dynamic_shape_enabled and a kernel_cache"
        )
    lists = [list(cast("Sequence[object]", each or ())) for each in (uids, shapes, strides)]
    names = ("override_uids", "override_shapes", "override_strides")
    for name, each in zip(names, lists, strict=True):
        if len(each) != len(lists[0]):
            raise ValueError(f"{name}: expected {len(lists[0])} of them, got {len(each)}")
    found: dict[int, tuple[list[int], list[int]]] = {}
    for uid, *rows in zip(*lists, strict=True):
        tensor = graph._by_uid.get(cast("int", uid))
        if tensor is None:
            raise ValueError(f"override_uids: no tensor of this graph has the uid {uid!r}")
        for name, least, row in zip(names[1:], (1, 0), rows, strict=True):
            numbers = list(cast("Sequence[int]", row))
            if len(numbers) != len(tensor.dim) or any(int(n) < least for n in numbers):
                raise ValueError(
                    f"{name}: expected {len(tensor.dim)} numbers from {least} on for the tensor "
                    f"with the uid {uid}, got {numbers}"
                )
        shape, steps = ([int(n) for n in cast("Sequence[int]", row)] for row in rows)
        found[tensor.uid] = shape, steps
    if not found:
        return program
    operands = list(program.plan.operands)
    for place, operand in enumerate(operands):
        if operand.is_argument and operand.uid in found:
            shape, steps = found[operand.uid]
            operands[place] = operand._replace(shape=tuple(shape), strides=tuple(steps))
    plan = OverriddenPlan(program.plan, Overrides(found), operands)
    return Program(plan, program.numbers, program.aligned, program.names)
