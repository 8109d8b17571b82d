"""The extents of results that follow from the inputs of a node, by the ports of the front end.

A rule is called as its method, or as the record of the method says. It returns nothing where
an extent that it needs is not known yet, and raises ValueError where inputs do not go together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..enums import moe_grouped_matmul_mode

if TYPE_CHECKING:
    from ..tensors import Node

Shapes = Mapping[str, Sequence[int]]


def _spatial(node: Node, rank: int) -> tuple[Sequence[int], ...]:
    get = node.params.get
    both = get("padding")
    count = rank - 2
    before, after = get("pre_padding") or both, get("post_padding") or both
    return (
        before or [0] * count,
        after or [0] * count,
        get("stride") or [1] * count,
        get("dilation") or [1] * count,
    )


def _conv_fprop(node: Node) -> Shapes:
    x, w = node.inputs["image"].dim, node.inputs["weight"].dim
    if not x or len(x) != len(w):
        return {}
    before, after, stride, dilation = _spatial(node, len(x))
    found = [x[0], w[0]]
    for i in range(len(x) - 2):
        reach = (w[i + 2] - 1) * dilation[i] + 1
        found.append((x[i + 2] + before[i] + after[i] - reach) // stride[i] + 1)
    return {"Y": found}


def _conv_dgrad(node: Node) -> Shapes:
    dy, w = node.inputs["loss"].dim, node.inputs["filter"].dim
    if not dy or len(dy) != len(w):
        return {}
    before, after, stride, dilation = _spatial(node, len(dy))
    found = [dy[0], w[1]]
    for i in range(len(dy) - 2):
        reach = (w[i + 2] - 1) * dilation[i] + 1
        found.append((dy[i + 2] - 1) * stride[i] + reach - before[i] - after[i])
    return {"DX": found}


def _matmul(node: Node) -> Shapes:
    a, b = list(node.inputs["A"].dim), list(node.inputs["B"].dim)
    if len(a) < 2 or len(b) < 2:
        return {}
    if a[-1] != b[-2]:
        raise ValueError(f"node {node.name!r}: the inner extents of {a} and {b} differ")
    rank = max(len(a), len(b))
    batches = []
    for ours, theirs in zip(
        [1] * (rank - len(a)) + a[:-2], [1] * (rank - len(b)) + b[:-2], strict=True
    ):
        if ours != theirs and 1 not in (ours, theirs):
            raise ValueError(f"node {node.name!r}: the batches of {a} and {b} differ")
        batches.append(max(ours, theirs))
    return {"C": [*batches, a[-2], b[-1]]}


def _slice(node: Node) -> Shapes:
    dim = node.inputs["input"].dim
    parts = node.params["slices"]
    if len(parts) != len(dim):
        raise ValueError(f"node {node.name!r}: expected {len(dim)} slices, got {len(parts)}")
    return {
        "OUT_0": [
            len(range(*part.indices(extent))) for part, extent in zip(parts, dim, strict=True)
        ]
    }


def _transpose(node: Node) -> Shapes:
    dim = node.inputs["input"].dim
    return {"OUT_0": [dim[axis] for axis in node.params["permutation"]] if dim else []}


def _concatenate(node: Node) -> Shapes:
    dims = [list(each.dim) for each in node.inputs.values()]
    axis = node.params["axis"]
    result = dims[0]
    if result:
        result[axis] = sum(dim[axis] for dim in dims)
    return {"OUT_0": result}


def _genstats(node: Node) -> Shapes:
    dim = node.inputs["input"].dim
    kept = [extent if axis == 1 else 1 for axis, extent in enumerate(dim)]
    return {"SUM": kept, "SQ_SUM": kept}


def _block_scale_quantize(node: Node) -> Shapes:
    dim = list(node.inputs["input"].dim)
    scale, axis = list(dim), node.params.get("axis")
    axis = len(dim) - 1 if axis in (None, -1) else axis
    scale[axis] = -(-scale[axis] // node.params["block_size"])
    return {"Y": dim, "scale": scale}


def _moe_grouped_matmul(node: Node) -> Shapes:
    rows = {
        moe_grouped_matmul_mode.GATHER: "token_index",
        moe_grouped_matmul_mode.COMBINE: "top_k_scores",
    }.get(node.params.get("mode"), "token")
    if rows not in node.inputs:
        return {}
    return {"OUT_0": [1, node.inputs[rows].dim[-2], node.inputs["weight"].dim[-1]]}


def _moe_grouped_matmul_bwd(node: Node) -> Shapes:
    dy, token, first = (node.inputs[p].dim for p in ("doutput", "token", "first_token_offset"))
    return {"dweight": [first[0], token[-1], dy[-1]]}


def _broadcast(node: Node) -> Shapes:
    """Return the extents of a result: those of its operands, with extents of 1 repeated.

    A number that the graph knows has as many dimensions as the others.
    """
    result: list[int] = []
    operands = [each for each in node.inputs.values() if each.pass_by_value is None]
    for each in operands or node.inputs.values():
        dim = list(each.dim)
        if not dim:
            return {}
        long, short = (dim, result) if len(dim) > len(result) else (result, dim)
        for at in range(1, len(short) + 1):
            one, other = long[-at], short[-at]
            if one != other and 1 not in (one, other):
                shapes = ", ".join(f"{t.name} {list(t.dim)}" for t in node.inputs.values())
                raise ValueError(f"node {node.name!r}: extents do not go together: {shapes}")
            long[-at] = max(one, other)
        result = long
    return {"OUT_0": result}


def _same(node: Node) -> Shapes:
    """Return the extents of the first tensor."""
    dim = list(next(iter(node.inputs.values())).dim)
    return {"Y": dim, "OUT_0": dim}


def _gradients(node: Node) -> Shapes:
    found = {"DX": list(node.inputs["input"].dim)}
    if "scale" in node.inputs:
        found["DScale"] = found["DBias"] = list(node.inputs["scale"].dim)
    return found


def _normalized(node: Node, first: int = 0) -> Shapes:
    """Return statistics of extent 1 in each dimension that the scale spans, from `first` on."""
    dim = list(node.inputs["input"].dim)
    scale = node.inputs["scale"].dim if "scale" in node.inputs else [1, *[0] * (len(dim) - 1)]
    if len(scale) != len(dim):
        return {"Y": dim}
    kept = [axis for axis in range(len(dim)) if axis < first or scale[axis] == 1]
    return _with_statistics(dim, kept)


def _normalized_by_entry(node: Node) -> Shapes:
    return _normalized(node, 1)


def _normalized_by_channel(node: Node) -> Shapes:
    return _with_statistics(list(node.inputs["input"].dim), (0, 1))


def _normalized_over_batch(node: Node) -> Shapes:
    return _with_statistics(list(node.inputs["input"].dim), (1,))


def _with_statistics(dim: list[int], kept: Sequence[int]) -> Shapes:
    """Return statistics with the extents of some dimensions, and 1 in the others."""
    stats = [extent if axis in kept else 1 for axis, extent in enumerate(dim)]
    ports = ("mean", "inv_var", "next_running_mean", "next_running_var")
    return {"Y": dim, **dict.fromkeys(ports, stats)}


def _attention(node: Node) -> Shapes:
    q, v = list(node.inputs["q"].dim), list(node.inputs["v"].dim)
    one = [1, 1, 1, 1]
    stats = [*q[:-1], 1]
    return {"O": [*q[:-1], v[-1]], "Stats": stats, "Amax_S": one, "Amax_O": one}


def _attention_backward(node: Node) -> Shapes:
    one = [1, 1, 1, 1]
    found = {f"d{port.upper()}": list(node.inputs[port].dim) for port in "qkv"}
    return found | {f"amax_d{port}": one for port in ("Q", "K", "V", "P")}


#: The rules by their names.
RULES: dict[str, Callable[[Node], Shapes]] = {
    name[1:]: each for name, each in globals().items() if name[0] == "_" and callable(each)
}
