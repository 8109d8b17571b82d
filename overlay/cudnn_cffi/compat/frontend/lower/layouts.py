"""The strides of results for which a program sets none: those that the front end gives them.

Programs rely on them, since nothing looks at the strides of the arrays that they pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ....arrays import ordered_strides, packed_strides

if TYPE_CHECKING:
    from ....graph.tensors import Tensor as Own
    from ..tensors import Node

    Get = Callable[[str], Own]

Strides = Sequence[int]


def channels_last(shape: Strides) -> list[int]:
    """Return packed strides with the second dimension innermost."""
    return list(packed_strides(shape, "NHWC"))


def in_order(shape: Strides, strides: Strides) -> list[int]:
    """Return packed strides in the order of others; of equal ones the first is the inner one."""
    order = sorted(range(len(shape)), key=lambda axis: (strides[axis], axis), reverse=True)
    return list(ordered_strides(shape, order))


#: Nodes whose results have their channels innermost, whatever their inputs look like.
_CHANNELS_LAST = frozenset(
    (
        *("CONV_FPROP", "CONV_DGRAD", "CONV_WGRAD", "REDUCTION", "RESHAPE", "GENSTATS"),
        *("BATCHNORM_BWD", "INSTANCENORM_BWD"),
    )
)

#: Nodes whose first result lies as their input does, and statistics in its order.
_LIKE_INPUT = frozenset(
    (
        *("LAYERNORM", "RMSNORM", "ADALAYERNORM", "BATCHNORM_INFERENCE"),
        *("BLOCK_SCALE_QUANTIZE", "BLOCK_SCALE_DEQUANTIZE"),
    )
)


def strides_of(node: Node, port: str, shape: tuple[int, ...], get: Get) -> Strides:
    """Return the strides of a result.

    Args:
        node, port: whose result it is.
        shape: its extents.
        get: returns an input of the node, by its port.

    Raises:
        ValueError: the front end gives it none.
    """
    kind = node.node_type.name
    if kind == "POINTWISE":
        return _pointwise(node, port, shape, get)
    if kind in _CHANNELS_LAST:
        return channels_last(shape)
    if kind in _LIKE_INPUT:
        strides = get("input").strides
        return strides if port in ("Y", "OUT_0") else in_order(shape, strides)
    if kind in ("BATCHNORM", "INSTANCENORM"):
        return get("input").strides if port == "Y" else channels_last(shape)
    if kind in ("LAYERNORM_BWD", "RMSNORM_BWD"):
        return get("input" if port == "DX" else "scale").strides
    if kind in ("ROPE", "ROPE_BWD"):
        return get("input" if kind == "ROPE" else "dY").strides
    if kind == "SLICE":
        whole = get("input")
        steps = [part.indices(extent)[2] for part, extent in _parts(node, whole)]
        return [step * stride for step, stride in zip(steps, whole.strides, strict=True)]
    if kind == "TRANSPOSE":
        return [get("input").strides[axis] for axis in node.params["permutation"]]
    if kind == "CONCATENATE":
        return in_order(shape, get("inputs_0").strides)
    return packed_strides(shape)


def _parts(node: Node, x: Own) -> list[tuple[slice, int]]:
    return list(zip(node.params["slices"], x.shape, strict=True))


def _pointwise(node: Node, port: str, shape: tuple[int, ...], get: Get) -> Strides:
    """Return the strides of the last operand that has these extents."""
    operands = [get(each) for each in node.inputs]
    for each in reversed(operands):
        if each.shape == shape:
            return each.strides
    if not node.outputs[port].is_virtual:
        raise ValueError(
            f"node {node.name!r}: no operand has the extents {list(shape)} of its result, so the "
            "strides have to be set: call set_stride"
        )
    if len(operands[0].strides) == len(shape):
        return in_order(shape, operands[0].strides)
    return packed_strides(shape)
