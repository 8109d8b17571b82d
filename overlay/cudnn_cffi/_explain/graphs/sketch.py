"""Changed copies of a graph's record: other types, layouts and extents, with results inferred."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ... import errors
from ...graph.builder import Builder
from ...graph.record.operations import OPERATIONS
from ...graph.rules.results import packed, strides_like
from ...graph.show import saving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ...graph.show.saving import GraphRecord, NodeRecord, TensorRecord
    from ...graph.tensors import Tensor


def produced(record: GraphRecord) -> dict[int, NodeRecord]:
    """Return the node that computes each result, by the result's uid."""
    return {uid: node for node in record.nodes for uid in node.outputs.values()}


def in_memory(record: GraphRecord) -> Iterator[TensorRecord]:
    """Yield tensors that have memory of their own."""
    for each in record.tensors:
        if not (each.virtual or each.by_value):
            yield each


def type_of(record: GraphRecord, tensor: TensorRecord) -> str:
    """Return the name of a tensor's data type, as `Tensor.data_type` decides it."""
    if tensor.data_type is not None:
        return tensor.data_type
    if tensor.virtual or tensor.workspace:
        return record.intermediate_data_type
    return record.io_data_type or tensor.stored_as


def with_tensors(
    record: GraphRecord, change: Callable[[TensorRecord], TensorRecord | None]
) -> GraphRecord:
    """Return a record whose tensors a function replaces; it returns None for those that stay."""
    return replace(record, tensors=tuple(change(each) or each for each in record.tensors))


def with_nodes(
    record: GraphRecord, change: Callable[[NodeRecord], NodeRecord | None]
) -> GraphRecord:
    """Return a record whose nodes a function replaces; it returns None for those that stay."""
    return replace(record, nodes=tuple(change(each) or each for each in record.nodes))


def without_options(node: NodeRecord, *names: str) -> NodeRecord:
    """Return a node without some of its options."""
    return replace(node, options={k: v for k, v in node.options.items() if k not in names})


def retyped(record: GraphRecord, kinds: Mapping[int, str]) -> GraphRecord:
    """Return a record with other data types of some tensors, by uid."""

    def change(each: TensorRecord) -> TensorRecord | None:
        kind = kinds.get(each.uid)
        return None if kind is None else replace(each, data_type=kind, stored_as=kind)

    return with_tensors(record, change)


def pruned(record: GraphRecord) -> GraphRecord:
    """Return a record without the tensors that nothing reads or computes any more."""
    used = {*record.outputs}
    for node in record.nodes:
        used |= {*node.inputs.values(), *node.outputs.values()}
    kept = [each for each in record.tensors if each.uid in used]
    used |= {each.ragged_offset for each in kept if each.ragged_offset is not None}
    used |= {each.base for each in kept if each.base is not None}
    return replace(record, tensors=tuple(each for each in record.tensors if each.uid in used))


def _has_nested(record: GraphRecord) -> bool:
    return any(
        isinstance(value, dict) and "nested" in value
        for node in record.nodes
        for value in node.options.values()
    )


def refitted(record: GraphRecord) -> GraphRecord:
    """Return a record whose results have the shapes that follow from the inputs and options.

    Raises:
        CudnnError: the inputs and options do not go together.
    """
    if _has_nested(record):
        return record
    results = produced(record)
    known = {each.uid: each for each in record.tensors}
    scratch = Builder(
        io_data_type=record.io_data_type,  # type: ignore[arg-type]
        intermediate_data_type=record.intermediate_data_type,  # type: ignore[arg-type]
        compute_data_type=record.compute_data_type,  # type: ignore[arg-type]
    )
    for each in record.tensors:
        if each.uid not in results:
            saving.read_tensor(scratch, each)  # type: ignore[arg-type]
    scratch.next_uid = max(known, default=0) + 1
    made: dict[int, Tensor] = dict(scratch.tensors)
    for node in saving.sorted_nodes(record):
        operation = OPERATIONS.get(node.kind)
        if operation is None:
            return record
        inputs = {port: made[uid] for port, uid in node.inputs.items()}
        options = {key: saving.decode_option(value) for key, value in node.options.items()}
        added = scratch.add_node(operation, inputs, options, None, tuple(node.outputs))  # type: ignore[arg-type]
        for port, uid in node.outputs.items():
            result = made[uid] = added.outputs[port]
            result.given_type = known[uid].data_type  # type: ignore[assignment]
            result.is_virtual = known[uid].virtual

    def change(each: TensorRecord) -> TensorRecord | None:
        if each.uid not in results or made[each.uid].shape == each.shape:
            return None
        shape = made[each.uid].shape
        return replace(each, shape=shape, strides=same_order(shape, each))

    return with_tensors(record, change)


def same_order(shape: tuple[int, ...], tensor: TensorRecord) -> tuple[int, ...]:
    """Return strides without gaps of a shape, in the order of a tensor's strides."""
    return strides_like(shape, tensor.shape, tensor.strides)


def is_packed(tensor: TensorRecord) -> bool:
    """Return whether a tensor's elements lie side by side, in any order of axes."""
    return tensor.strides == same_order(tensor.shape, tensor)


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return strides without gaps, those of the last axis side by side."""
    return packed(shape)


def lines(record: GraphRecord) -> list[str]:
    """Return a graph as lines, one for each setting, tensor and node, to be compared."""
    names = {each.uid: each.name or f"tensor {each.uid}" for each in record.tensors}
    found = [f"compute {record.compute_data_type}, intermediate {record.intermediate_data_type}"]
    for flag in ("composites", "dynamic_shapes", "override_shapes"):
        if getattr(record, flag):
            found.append(f"{flag} {getattr(record, flag)}")
    for each in record.tensors:
        if each.by_value:
            continue
        role = "virtual" if each.virtual else "output" if each.output else "input"
        text = f"{role} {names[each.uid]} {type_of(record, each)} {list(each.shape)}"
        if not each.virtual:
            text += f" strides {list(each.strides)}"
        if each.alignment != 16 and not each.virtual:
            text += f" alignment {each.alignment}"
        for more in ("reordering_mode", "vectorization"):
            if getattr(each, more) is not None:
                text += f" {more} {getattr(each, more)}"
        if each.ragged_offset is not None:
            text += f" ragged by {names.get(each.ragged_offset)}"
        found.append(text)
    for node in record.nodes:
        inputs = ", ".join(f"{port}={names.get(uid, uid)}" for port, uid in node.inputs.items())
        outputs = ", ".join(names.get(uid, str(uid)) for uid in node.outputs.values())
        own = {"compute_data_type": record.compute_data_type}  # which is told above
        told = [(key, value) for key, value in node.options.items() if own.get(key) != value]
        options = " ".join(f"{key}={_short(value)}" for key, value in told)
        found.append(f"{outputs} = {node.kind}({inputs}) {options}".rstrip())
    return found


def _short(value: object) -> str:
    return "{...}" if isinstance(value, dict) else str(value)


def check_sound(record: GraphRecord) -> None:
    """Refuse a record with a part that means nothing, which no small change mends.

    Raises:
        GraphError: a node has no known kind or no result, or names a tensor that is not there; or
            a tensor has strides for other dimensions than it has.
    """
    known = {each.uid for each in record.tensors}
    for each in record.tensors:
        if len(each.strides) != len(each.shape):
            raise errors.GraphError(
                f"tensor {each.name}: expected {len(each.shape)} strides, got {len(each.strides)}"
            )
    saving.sorted_nodes(record)
    if not record.nodes:
        raise errors.GraphError(f"graph {record.name}".strip() + ": it has no node")
    for node in record.nodes:
        if not node.outputs:
            raise errors.GraphError(f"node {node.name}: it has no result")
        for port, uid in {**node.inputs, **node.outputs}.items():
            if uid not in known:
                raise errors.GraphError(
                    f"node {node.name} {port}: there is no tensor with the uid {uid}"
                )
