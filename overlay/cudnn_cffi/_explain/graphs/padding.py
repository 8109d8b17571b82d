"""Larger extents, so that the sizes of arrays are multiples that engines want."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .sketch import produced, same_order, with_nodes, with_tensors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...graph.show.saving import GraphRecord, NodeRecord, TensorRecord

#: Multiples that engines want of extents.
MULTIPLES = (2, 4, 8, 16, 32, 64, 128)

#: Axes of a tensor's extents that belong together, by what people call them.
Axes = dict[int, tuple[int, ...]]


def padded(record: GraphRecord) -> Iterator[tuple[str, GraphRecord]]:
    """Make extents multiples of 2 to 128, the same extent at all places at once."""
    shapes = {each.uid: each.shape for each in record.tensors}
    for word, axes in _axes(record).items():
        extents = sorted({shapes[uid][axis] for uid, own in axes.items() for axis in own} - {1})
        seen = set()
        for multiple in MULTIPLES:
            new = {n: -(-n // multiple) * multiple for n in extents}
            changed = tuple(new.items())
            if changed in seen or all(a == b for a, b in changed):
                continue
            seen.add(changed)
            pairs = ", ".join(f"{a} to {b}" for a, b in changed if a != b)
            yield f"{word} padded from {pairs}", _with_extents(record, axes, new)


def _axes(record: GraphRecord) -> dict[str, Axes]:
    """Return the axes that may be padded, by the word for their extents."""
    found: dict[str, Axes] = {}
    kinds = {node.kind for node in record.nodes}
    ranks = {each.uid: len(each.shape) for each in record.tensors if not each.by_value}
    filters = {
        uid
        for node in record.nodes
        if node.kind.startswith("convolution")
        for port, uid in {**node.inputs, **node.outputs}.items()
        if port in ("w", "dw")
    }
    if any(each.startswith("attention") for each in kinds):
        four = [uid for uid, rank in ranks.items() if rank == 4]
        found["head width"] = dict.fromkeys(four, (3,))
        found["lengths"] = dict.fromkeys(four, (2,))
    elif any(each.startswith(("convolution", "resample", "norm", "gen_stats")) for each in kinds):
        images = {uid: rank for uid, rank in ranks.items() if rank >= 3}
        found["channels"] = {uid: (0, 1) if uid in filters else (1,) for uid in images}
        found["extents of images"] = {
            uid: tuple(range(2, rank)) for uid, rank in images.items() if uid not in filters
        }
        found["batch"] = {uid: (0,) for uid in images if uid not in filters}
    elif "matmul" in kinds:
        found["rows and columns"] = {
            uid: (rank - 2, rank - 1) for uid, rank in ranks.items() if rank >= 2
        }
    else:
        found["last extents"] = {uid: (rank - 1,) for uid, rank in ranks.items() if rank}
        found["second extents"] = {uid: (1,) for uid, rank in ranks.items() if rank > 1}
    return found


def _with_extents(record: GraphRecord, axes: Axes, new: dict[int, int]) -> GraphRecord:
    results = produced(record)

    def grown(shape: tuple[int, ...], own: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(new.get(n, n) if axis in own else n for axis, n in enumerate(shape))

    def change(each: TensorRecord) -> TensorRecord | None:
        shape = grown(each.shape, axes.get(each.uid, ()))
        if shape == each.shape or each.uid in results:
            return None
        return replace(each, shape=shape, strides=same_order(shape, each))

    def change_node(node: NodeRecord) -> NodeRecord | None:
        shape = node.options.get("shape")
        if not isinstance(shape, (list, tuple)):
            return None
        own = next((axes[uid] for uid in node.outputs.values() if uid in axes), ())
        return replace(node, options=node.options | {"shape": list(grown(tuple(shape), own))})

    return with_nodes(with_tensors(record, change), change_node)
