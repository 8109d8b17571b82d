"""Other options of a graph's operations, and operations without their optional parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...graph.record.operations import OPERATIONS
from .sketch import pruned, same_order, with_nodes, with_tensors, without_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...graph.show.saving import GraphRecord, NodeRecord, TensorRecord

#: Options whose absence changes how a result is computed, but hardly its numbers.
_MINOR = (
    *("nan_propagation", "deterministic", "form", "stats_log2", "unfuse_fma", "padding_value"),
    *("batch_count", "in_place_index"),
)

#: Options that engines know a commoner value of: name -> values.
_COMMONER = {
    "mode": {
        "CONVOLUTION": ("CROSS_CORRELATION",),
        "AVGPOOL_EXCLUDE_PADDING": ("AVGPOOL_INCLUDE_PADDING",),
        "MUL_NO_ZEROS": ("MUL",),
    },
    "padding_mode": {"EDGE_VAL_PAD": ("ZERO_PAD",), "NEG_INF_PAD": ("ZERO_PAD",)},
}

#: Options of operations that can be left out, with the words for them.
_PARTS = {
    "dropout": "dropout",
    "left": "left bound of the window",
    "right": "causal mask",
    "bottom_right": "bottom-right alignment of the mask",
    "score": "function of scores",
}

#: Inputs that go with an option.
_PORTS_OF = {
    "dropout": ("seed", "offset", "dropout_scale"),
    "score": tuple(f"score{number}" for number in range(20)),
}


def _replaced(record: GraphRecord, old: NodeRecord, new: NodeRecord) -> GraphRecord:
    return pruned(with_nodes(record, lambda node: new if node is old else None))


def defaults(record: GraphRecord) -> Iterator[tuple[str, GraphRecord]]:
    """Leave out options of small effect, or give them values that more engines know."""
    for node in record.nodes:
        for name in _MINOR:
            if node.options.get(name) not in (None, False):
                yield (
                    f"the default of {name} in {node.name}",
                    _replaced(record, node, without_options(node, name)),
                )
        if node.options.get("bottom_right"):
            yield (
                f"a top-left mask in {node.name}",
                _replaced(record, node, without_options(node, "bottom_right")),
            )
        for name, commoner in _COMMONER.items():
            for value in commoner.get(str(node.options.get(name)), ()):
                changed = replace(node, options=node.options | {name: value})
                yield f"{name}={value} in {node.name}", _replaced(record, node, changed)


def dense(record: GraphRecord) -> Iterator[tuple[str, GraphRecord]]:
    """Make grouped convolutions dense, steps between elements of a window 1."""
    shapes = {each.uid: each.shape for each in record.tensors}
    for node in record.nodes:
        if not node.kind.startswith("convolution"):
            continue
        tensors = {**node.inputs, **node.outputs}
        x = tensors.get("x", tensors.get("dx"))
        w = tensors.get("w", tensors.get("dw"))
        if x is None or w is None:
            continue
        channels, per_group = shapes[x][1], shapes[w][1]
        if channels != per_group:
            yield f"one group in {node.name}", _with_one_group(record, node, w, channels)
        if any(each != 1 for each in _sizes(node, "dilation")):
            ones = [1] * len(_sizes(node, "dilation"))
            changed = replace(node, options=node.options | {"dilation": ones})
            yield f"a dilation of 1 in {node.name}", _replaced(record, node, changed)


def _sizes(node: NodeRecord, name: str) -> tuple[int, ...]:
    value = node.options.get(name)
    return tuple(value) if isinstance(value, (list, tuple)) else ()


def _with_one_group(record: GraphRecord, node: NodeRecord, w: int, channels: int) -> GraphRecord:
    def change(each: TensorRecord) -> TensorRecord | None:
        if each.uid != w:
            return None
        shape = (each.shape[0], channels, *each.shape[2:])
        return replace(each, shape=shape, strides=same_order(shape, each))

    own = without_options(node, "groups")
    if node.kind == "convolution_backward_filter":
        old = _sizes(node, "shape")
        own = replace(own, options=own.options | {"shape": [old[0], channels, *old[2:]]})
    return _replaced(with_tensors(record, change), node, own)


def without(record: GraphRecord) -> Iterator[tuple[str, GraphRecord]]:
    """Leave out a mask, dropout, an optional input or an optional result."""
    read = {uid for node in record.nodes for uid in node.inputs.values()}
    for node in record.nodes:
        for name, word in _PARTS.items():
            if node.options.get(name) not in (None, False, 0) or (
                name in ("left", "right") and name in node.options
            ):
                gone = _PORTS_OF.get(name, ())
                kept = {port: uid for port, uid in node.inputs.items() if port not in gone}
                own = replace(without_options(node, name), inputs=kept)
                yield f"no {word} in {node.name}", _replaced(record, node, own)
        operation = OPERATIONS.get(node.kind)
        if operation is None:
            continue
        for port in operation.inputs:
            if port.optional and port.name in node.inputs:
                kept = {name: uid for name, uid in node.inputs.items() if name != port.name}
                yield (
                    f"no {port.name} in {node.name}",
                    _replaced(record, node, replace(node, inputs=kept)),
                )
        for port in operation.outputs:
            uid = node.outputs.get(port.name)
            if port.optional and uid is not None and uid not in read and len(node.outputs) > 1:
                kept = {name: each for name, each in node.outputs.items() if name != port.name}
                own = replace(node, outputs=kept)
                outputs = tuple(each for each in record.outputs if each != uid)
                if outputs:
                    yield (
                        f"no result {port.name} of {node.name}",
                        _replaced(replace(record, outputs=outputs), node, own),
                    )
