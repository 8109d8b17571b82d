"""Describe tensors by other shapes that engines take: the same elements at the same addresses.

Engines for pointwise operations and reductions take batches of matrices and tensors with the
channels last; those for matrix products take batches. Such graphs compute the same whatever their
dimensions are called, so dimensions can be joined and put in another order. Nothing is copied, and
the operands of the plan keep their shapes.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from .. import errors
from .arguments import goes_by_strides
from .infer import packed, strides_like

if TYPE_CHECKING:
    from .special import Special
    from .tensors import Node, Tensor


_MATRIX, _BATCH, _IMAGE = 2, 3, 4
_VIEWS = ("reshape", "slice", "transpose")
_PLAIN = ("pointwise", "reduction", *_VIEWS)
_WITH_MATMUL = {"matmul", "pointwise", "reduction"}


def relabel(graph: Special) -> bool:
    """Give the tensors of a graph shapes that engines take; return whether that changed one.

    A graph stays as it is where its shapes are fine, or where no others would be.
    """
    kinds = {node.kind for node in graph.nodes}
    if kinds == {"pointwise"}:
        _check_orders(graph)
        _check_results_of_rows(graph)
    tensors = list(graph.tensors.values())
    _check_gaps(graph)
    ranks = {len(each.shape) for each in tensors}
    if [node.kind for node in graph.nodes].count("matmul") == 1 and kinds <= _WITH_MATMUL:
        merged = _merge_batches(graph)
        if merged:
            return True
    if len(ranks) != 1 or any(
        each.base is not None or not goes_by_strides(each) for each in tensors
    ):
        return False
    if "matmul" in kinds and ranks == {_MATRIX} and kinds <= _WITH_MATMUL:
        return _to_batches(graph)
    if not kinds <= {"pointwise", "reduction"} or any(
        node.options["mode"] == "GEN_INDEX" or "group_offset" in node.inputs for node in graph.nodes
    ):
        return False
    order = _order(tensors)
    repeats = "reduction" not in kinds and _repeats(tensors)
    if order is None or _is_fine(order, repeats or "reduction" in kinds, tensors):
        _check_repeated(graph, repeats)
        return False
    groups = _groups(tensors, order)
    if repeats or "reduction" in kinds:
        changed = len(groups) <= _MATRIX and _to_images(graph, groups)
        _check_repeated(graph, repeats and not changed)
        return changed
    return len(groups) <= _BATCH and _to_rows(graph, groups)


def is_plain(graph: Special) -> bool:
    """Return whether engines are known to compute a graph of pointwise operations and reductions.

    They are where tensors in memory are packed in one order, and only those are repeated. Graphs of
    other operations are as they are.
    """
    nodes = graph.nodes
    if any(node.kind not in _PLAIN for node in nodes):
        return True
    if any(node.kind in _VIEWS for node in nodes):
        return False
    by_uid = {each.uid: each for node in nodes for each in node.tensors().values()}
    used = list(by_uid.values())
    if len({len(each.shape) for each in used}) != 1:
        return True
    if _order(used) is None:
        return False
    most = max(prod(each.shape) for each in used)
    last = [node.outputs.get("y") for node in nodes if node.kind == "reduction"]
    return all(
        prod(each.shape) == most
        or not each.is_virtual
        or each.by_value
        or any(each is one for one in last)
        for each in used
    )


def _check_orders(graph: Special) -> None:
    """Refuse what engines take and compute wrongly: matrices by rows and by columns."""
    used = {each.uid: each for node in graph.nodes for each in node.tensors().values()}
    real = [
        each
        for each in used.values()
        if len(each.shape) == _MATRIX
        and not (each.is_virtual or each.by_value)
        and min(each.shape) > 1
    ]
    if len({each.strides[0] > each.strides[1] for each in real}) > 1:
        raise errors.NotSupportedError(
            f"graph {graph.name}: engines compute wrong numbers where some matrices lie by rows "
            f"and some by columns: {', '.join(each.describe() for each in real)}",
            hint="give them the same layout",
        )


def _check_results_of_rows(graph: Special) -> None:
    """Refuse what engines take and compute wrongly: a result for each row, repeated along it."""
    for node in graph.nodes:
        y = next(iter(node.outputs.values()))
        inner = min(
            (axis for axis, extent in enumerate(y.shape) if extent > 1),
            key=lambda axis: y.strides[axis],
            default=None,
        )
        for each in node.inputs.values():
            is_result = each.is_virtual and not each.by_value
            if is_result and inner is not None and each.shape[inner] == 1:
                raise errors.NotSupportedError(
                    f"graph {graph.name}: engines compute wrong numbers where a result is repeated "
                    f"along the innermost dimension: {each.describe()} in {node.name}",
                    hint="make it an output of a graph of its own",
                )


def _check_gaps(graph: Special) -> None:
    """Refuse what engines take and compute wrongly: a smaller tensor with gaps, read as packed.

    So they read what a pointwise operation repeats, also behind a convolution or a matrix product.
    Attention's engines take strides.
    """
    if [node.kind for node in graph.nodes].count("matmul") > 1:
        return
    apart: dict[int, Tensor] = {}
    for node in graph.nodes:
        if node.kind not in ("pointwise", "reduction"):
            continue
        tensors = node.tensors().values()
        most = max(prod(each.shape) for each in tensors)
        for each in tensors:
            if (
                not (each.is_virtual or each.by_value)
                and 1 < prod(each.shape) < most
                and _order([each]) is None
            ):
                apart[each.uid] = each
    if apart:
        raise errors.NotSupportedError(
            f"graph {graph.name}: engines read tensors that are repeated, or write those that are "
            "reduced, as if nothing lay between their elements: "
            + ", ".join(f"{e.describe()} with the strides {e.strides}" for e in apart.values()),
            hint="copy them",
        )


def _repeats(tensors: list[Tensor]) -> bool:
    """Return whether tensors in memory differ in shape: elements of some are repeated."""
    return len({each.shape for each in tensors if not (each.is_virtual or each.by_value)}) > 1


def _check_repeated(graph: Special, repeats: bool) -> None:
    """Refuse what engines take and compute wrongly: they read behind a repeated tensor."""
    rank = len(next(iter(graph.tensors.values())).shape)
    if repeats and rank < _IMAGE:
        tensors = [each for each in graph.tensors.values() if each.role in ("input", "output")]
        raise errors.NotSupportedError(
            f"graph {graph.name}: engines read behind tensors that are repeated in pointwise "
            f"graphs of {rank} dimensions: {', '.join(each.describe() for each in tensors)}",
            hint="give the tensors four dimensions and the layout NHWC, or the same shape",
        )


def _to_batches(graph: Special) -> bool:
    for tensor in graph.tensors.values():
        tensor.strides = (prod(tensor.shape) or 1, *tensor.strides)
        tensor.shape = (1, *tensor.shape)
    _adapt_options(graph)
    return True


def _merge_batches(graph: Special) -> bool:
    """Join the dimensions of batches where there are several: engines take one beside attention."""
    used = {each.uid: each for node in graph.nodes for each in node.tensors().values()}
    tensors = list(used.values())
    rank = len(tensors[0].shape)
    if (
        rank <= _BATCH
        or any(len(e.shape) != rank or not goes_by_strides(e) for e in tensors)
        or any(node.options.get("mode") == "GEN_INDEX" for node in graph.nodes)
        or any(port in node.inputs for node in graph.nodes for port in "mnk")
    ):
        return False
    batches = {each.shape[:-2] for each in tensors if prod(each.shape[:-2]) > 1}
    steps = {uid: _joined_step(each) for uid, each in used.items()}
    if len(batches) > 1 or any(
        node.kind == "reduction" and _reduces_batches(node) for node in graph.nodes
    ):
        return False
    if any(each is None for each in steps.values()):
        return False
    for uid, each in used.items():
        step = steps[uid]
        assert step is not None
        each.strides = (step, *each.strides[-2:])
        each.shape = (prod(each.shape[:-2]), *each.shape[-2:])
    _adapt_options(graph)
    return True


def _reduces_batches(node: Node) -> bool:
    x, y = node.inputs["x"], node.outputs["y"]
    return x.shape[:-2] != y.shape[:-2]


def _joined_step(tensor: Tensor) -> int | None:
    """Return the stride of all batch dimensions as one; None where they are none."""
    step: int | None = None
    size = 1
    for extent, own in zip(tensor.shape[-3::-1], tensor.strides[-3::-1], strict=True):
        if extent == 1:
            continue
        if step is None:
            step = own
        elif own != step * size:
            return None
        size *= extent
    return step if step is not None else prod(tensor.shape[-2:])


def _order(tensors: list[Tensor]) -> list[int] | None:
    """Return the dimensions, outermost first, if all tensors in memory are packed in that order."""
    real = [each for each in tensors if not (each.is_virtual or each.by_value)]
    if not real:
        return None
    largest = max(real, key=lambda each: prod(each.shape))
    order = sorted(
        range(len(largest.shape)),
        key=lambda axis: (-largest.strides[axis], largest.shape[axis] == 1),
    )
    for each in real:
        step = 1
        for axis in reversed(order):
            if each.shape[axis] != 1 and each.strides[axis] != step:
                return None
            step *= each.shape[axis]
    return order


def _is_fine(order: list[int], as_image: bool, tensors: list[Tensor]) -> bool:
    rank = len(order)
    row_major = order == list(range(rank))
    if rank == _BATCH and row_major:  # of matrices, engines compute some elements wrongly
        return not as_image and any(each.shape[-1] != 1 for each in tensors)
    return rank >= _IMAGE and order == [0, *range(2, rank), 1]


def _groups(tensors: list[Tensor], order: list[int]) -> list[list[int]]:
    """Return dimensions that can be one, outermost first: those that each tensor has, or lacks."""
    groups: list[list[int]] = []
    last: list[bool] | None = None
    for axis in order:
        having = [each.shape[axis] != 1 for each in tensors]
        if not any(having):
            continue
        if having == last:
            groups[-1].append(axis)
        else:
            groups.append([axis])
        last = having
    return groups


def _to_rows(graph: Special, groups: list[list[int]]) -> bool:
    for tensor in graph.tensors.values():
        shape = [prod(tensor.shape[axis] for axis in group) for group in groups]
        tensor.shape = (*(1,) * (_BATCH - len(shape)), *shape)
        tensor.strides = packed(tensor.shape)
    return True


def _to_images(graph: Special, groups: list[list[int]]) -> bool:
    for tensor in graph.tensors.values():
        shape = [prod(tensor.shape[axis] for axis in group) for group in groups]
        rows, columns = (*(1,) * (_MATRIX - len(shape)), *shape)
        tensor.shape = (rows, columns, 1, 1)
        tensor.strides = strides_like(tensor.shape, (2, 2, 2, 2), (8, 1, 4, 2))
    _adapt_options(graph)
    return True


def _adapt_options(graph: Special) -> None:
    for node in graph.nodes:
        if "shape" in node.options:
            node.options["shape"] = next(iter(node.outputs.values())).shape
