"""Replace operations that a release lacks by composites of those that it has."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from ... import errors
from ..._tables import elsewhere, newest, tables
from ...errata.asks import wrong_function
from ...versions import version_key, version_number
from ..record.operation import ENUMS
from ..record.operations import OPERATIONS
from ..tensors import Node, Tensor
from .composites import COMPOSITES, Composite, find_composite, is_unreduced
from .copies import MOVES, GraphT, copy
from .relabel import relabel
from .relu import is_misread
from .replaced import Replaced

if TYPE_CHECKING:
    from ..methods.operations import Operations


#: The lowest number of FLOAT.
LOWEST = -3.4028234663852886e38
#: Modes that no known release finalizes, or has an engine for.
_NEVER = {
    *[("reduction", mode) for mode in ("AVG", "NORM1", "NORM2", "MUL_NO_ZEROS")],
    ("pointwise", "FLOOR_MOD"),
}
_CONSTANT = "CUDNN_ATTR_TENSOR_CONSTANT_VALUE"
#: The operands that are told apart; of other kinds all are. Lengths and tables are not.
_FACTORS = {
    "matmul": ("a", "b"),
    "attention": ("q", "k", "v"),
    "attention_backward": ("q", "k", "v", "o", "do"),
}


def lacking(node: Node, release: str) -> str:
    """Return the C name of something that a node needs and a release lacks; "" for nothing.

    An operation that is always replaced counts as lacking.
    """
    names = tables(release).all_names()
    operation = node.operation
    if not operation.descriptor:
        return operation.kind
    if operation.kind in ("transpose", "slice") and _is_plain_input(node.inputs["x"]):
        return operation.kind  # no work for an engine: the input is read with other strides
    if is_unreduced(node):
        return "an engine for axes of one element"
    if is_misread(node, version_number(release)):
        return "an engine for factors, a slope above 1, or a slope and a ceiling"
    if (operation.kind, node.options.get("mode")) in _NEVER:
        return f"an engine for {node.options['mode']}"
    descriptor = f"CUDNN_BACKEND_{operation.descriptor}_DESCRIPTOR"
    if descriptor not in names:
        return descriptor
    needed = [
        f"CUDNN_ATTR_{port.attribute}"
        for port in operation.ports
        if port.many or port.name in node.inputs or port.name in node.outputs
    ]
    helper = operation.helper
    for option, value in node.options.items():
        attribute = operation.options.get(option)
        if attribute is None and helper is not None:
            attribute = helper.options.get(option)
        if attribute is not None:
            needed.append(f"CUDNN_ATTR_{attribute}")
        known = operation.settings.get(option)
        if known is not None and known.type in ENUMS:
            needed.append(f"CUDNN_{ENUMS[known.type]}{value}")
    return next((each for each in needed if each not in names), "")


def _is_plain_input(tensor: Tensor) -> bool:
    return tensor.producer is None and not tensor.is_virtual and not tensor.by_value


def lower(graph: GraphT, release: str, composites: Iterable[str], *, whole: bool = True) -> GraphT:
    """Return the graph with composites for the operations that a release lacks.

    Args:
        graph: it stays as it is.
        release: a known release.
        composites: kinds of operations, or words for nodes, to replace in any case.
        whole: whether one engine must take all of it; else operations that move data remain, and
            shapes stay.

    Raises:
        NotSupportedError: the release lacks an operation, and no composite replaces it.
    """
    forced = set(composites)
    replaced: dict[int, Composite] = {}
    if forced:
        _check_forced(graph, forced)
    for node in graph.nodes:
        if not whole and node.kind in MOVES:
            continue
        missing = lacking(node, release)
        if not missing and not forced & {node.kind, node.word, node.name}:
            continue
        made = find_composite(node)
        if made is None:
            if not missing:
                raise errors.ArgumentError(
                    f"node {node.name} ({node.word}): there is no composite for it",
                    hint=f"there are composites of {', '.join(COMPOSITES)}",
                )
            raise _absent(node, missing, release)
        is_attention = node.kind in ("attention", "attention_backward")
        replaced[id(node)] = partial(_apart, made, release) if is_attention else made
    lowered = copy(graph, replaced, version_key(release), whole)
    _drop_numbers(graph, lowered)
    _tell_apart(lowered, release)
    _lower_scalars(lowered, release)
    _check_maxima(lowered, release)
    _check_types(lowered, release)
    if whole and lowered.nodes:
        relabel(lowered)
    return lowered


def _check_forced(graph: Operations, forced: set[str]) -> None:
    """Refuse names of composites that are neither an operation nor a node of the graph."""
    modes = newest().enum("PointwiseMode").__members__
    known = {*OPERATIONS, *(each.lower() for each in modes)}
    for each in sorted(forced - known - {node.name for node in graph.nodes}):
        raise errors.ArgumentError(
            f"composites: {each!r} is no operation, and no node of the graph is called so",
            hint=f"there are composites of {', '.join(COMPOSITES)}",
        )


def _absent(node: Node, missing: str, release: str) -> errors.NotSupportedError:
    when = elsewhere(missing, release) or "in no known release"
    return errors.NotSupportedError(
        f"node {node.name} ({node.word}): {missing} was {when}, the release is {release}"
        if when.startswith(("added", "removed"))
        else f"node {node.name} ({node.word}): {missing} is {when}",
        arguments={port: each.describe() for port, each in node.tensors().items()},
        version=release,
    )


def _drop_numbers(graph: Operations, lowered: Operations) -> None:
    """Remove the numbers that no node of the graph reads."""
    read = {each.uid for node in graph.nodes for each in node.inputs.values()}
    for uid, tensor in graph.tensors.items():
        if tensor.value is not None and uid not in read:
            del lowered.tensors[uid]


def _tell_apart(graph: Operations, release: str) -> None:
    """Give an operation a view of an input for each operand that it is besides one.

    So of a product alone, whose operand another operation reads: engines have one order for both.
    Several products may be attention, which engines know by what reads each array.
    """
    products = [node for node in graph.nodes if node.kind == "matmul"]
    others = [
        each for node in graph.nodes if node.kind != "matmul" for each in node.inputs.values()
    ]
    read = {each.uid for each in others} if len(products) == 1 else set()
    for node in graph.nodes:
        _view(graph, node, node.inputs, read if node.kind == "matmul" else (), release)


def _apart(make: Composite, release: str, at: Replaced) -> None:
    """Replace a node whose operands were told apart."""
    _view(at.graph, at.node, at.inputs, (), release)
    make(at)


def _view(
    graph: Operations, node: Node, inputs: dict[str, Tensor], read: Iterable[int], release: str
) -> None:
    known = set(read)
    for port in _FACTORS.get(node.kind, [*inputs]):
        each = inputs[port]
        if each.uid not in known or not _is_plain_input(each):
            known.add(each.uid)
        elif wrong_function(f"{node.kind} operands", {}, release=version_number(release)):
            inputs[port] = graph.view(each, each.shape, each.strides)


def _lower_scalars(graph: Operations, release: str) -> None:
    names = tables(release).all_names()
    mishandled = wrong_function("minus infinity", {}, release=version_number(release))
    for tensor in graph.tensors.values():
        if tensor.is_constant and _CONSTANT not in names:
            tensor.is_constant = False
        if tensor.value == -math.inf and mishandled:
            tensor.value = LOWEST


def _check_maxima(graph: Operations, release: str) -> None:
    """Refuse gradients of maxima without their positions, and types that have no room for these."""
    number = version_number(release)
    for node in graph.nodes:
        why = ""
        if node.kind == "resample_backward" and node.options["mode"] == "MAXPOOL":
            has_index = "index" in node.inputs
            why = wrong_function("resample_backward", {"indices": has_index}, release=number)
        index = node.outputs.get("index")
        if index is not None and index.data_type == "INT8":
            count = math.prod(node.options["window"])
            why = wrong_function("resample_forward", {"count": count}, release=number)
        if why:
            raise errors.NotSupportedError(f"node {node.name} ({node.word}): index: {why}")


def _check_types(graph: Operations, release: str) -> None:
    """Refuse data types that the release lacks."""
    names = tables(release).all_names()
    for tensor in graph.tensors.values():
        if f"CUDNN_DATA_{tensor.data_type}" not in names:
            c_name = f"CUDNN_DATA_{tensor.data_type}"
            when = elsewhere(c_name, release) or "in no known release"
            raise errors.NotSupportedError(
                f"tensor {tensor.name}: {c_name} was {when}, the release is {release}"
            )
