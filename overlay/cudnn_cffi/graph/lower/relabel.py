"""Describe tensors by other shapes that engines take: the same elements at the same addresses.

Engines for pointwise operations and reductions take batches of matrices and tensors with the
channels last; those for matrix products take batches. These graphs compute the same whatever their
dimensions are called, so dimensions can be joined and put in another order. Nothing is copied, and
the operands of the plan keep their shapes.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ... import arrays, errors
from ...errata import graphs as errata
from ...errata.asks import wrong_function
from ...errata.conditions.tensors import (
    goes_by_strides,
    is_channels_last,
    order_of,
    repeats,
)
from ...errata.definitions import MAXIMUM_OF_COLUMNS
from ..rules.results import packed, strides_like

if TYPE_CHECKING:
    from ..methods.operations import Operations
    from ..tensors import Node, Tensor


_MATRIX, _BATCH, _IMAGE = 2, 3, 4
_VIEWS = ("reshape", "slice", "transpose")
_PLAIN = ("pointwise", "reduction", *_VIEWS)
_WITH_MATMUL = {"matmul", "pointwise", "reduction"}

#: The ports of a norm whose tensors lie alike.
_ALIKE = (("x", "dy", "y", "dx"), ("scale", "bias", "dscale", "dbias"))

#: Maximum of elements of a row that is cut from a longer one.
_ROW = 65536


def relabel(graph: Operations) -> bool:
    """Give the tensors of a graph shapes that engines take; return whether that changed one.

    A graph stays as it is where its shapes are fine, or where no others would be.

    Raises:
        NotSupportedError: engines take the graph and compute it wrongly.
    """
    kinds = {node.kind for node in graph.nodes}
    tensors = _used(graph)
    _check_norms(graph)
    errata.refuse(graph, errata.TOGETHER)
    if kinds & errata.RESAMPLING and any(len(each.shape) == _BATCH for each in tensors):
        return _to_planes(graph, tensors)
    errata.refuse(graph, errata.LAYOUTS)
    if kinds & errata.FILTERS.keys():
        _turn_ones(graph, tensors)
    if [node.kind for node in graph.nodes].count("matmul") == 1 and kinds <= _WITH_MATMUL:
        merged = _merge_batches(graph)
        if merged:
            return True
    ranks = {len(each.shape) for each in tensors}
    if len(ranks) != 1 or not all(map(goes_by_strides, tensors)):
        return False
    if "matmul" in kinds and ranks == {_MATRIX} and kinds <= _WITH_MATMUL:
        return _to_batches(graph, tensors, 1)
    if not kinds <= {"pointwise", "reduction"}:
        return False
    is_image = max(ranks) >= _IMAGE
    as_image = "reduction" in kinds or repeats(tensors)
    misread = errata.find(graph, errata.IMAGES) if is_image else None
    if not any(
        node.options["mode"] == "GEN_INDEX" or "group_offset" in node.inputs for node in graph.nodes
    ):
        order = order_of(tensors)
        if order is not None and _is_fine(order, as_image, tensors) and not misread:
            return False
        if order is not None and _to_form(graph, tensors, order, as_image):
            return True
    if kinds == {"pointwise"} and not is_image:
        return _to_matrices(graph, tensors)
    if misread:
        raise errata.error(graph, misread)
    return False


def _used(graph: Operations) -> list[Tensor]:
    """Return the tensors that nodes read or write; of a view, not the tensor that it lies in."""
    used = {each.uid: each for node in graph.nodes for each in node.tensors().values()}
    return list(used.values())


def _to_form(graph: Operations, tensors: list[Tensor], order: list[int], as_image: bool) -> bool:
    """Give tensors that are packed in one order the shapes of rows or images, if there are any."""
    groups = _groups(tensors, order)
    if as_image:
        return len(groups) <= _MATRIX and _to_images(graph, tensors, groups)
    return len(groups) <= _BATCH and _to_rows(tensors, groups)


def _to_matrices(graph: Operations, tensors: list[Tensor]) -> bool:
    """Make tensors with gaps batches of matrices, which engines read row by row.

    The stride of a single column is 1, if errata say so.

    Raises:
        NotSupportedError: a tensor does not lie row by row, or one is repeated within a matrix.
    """
    more = _BATCH - len(tensors[0].shape)
    if more:
        _to_batches(graph, tensors, more)
    columns = [each for each in tensors if each.shape[-1] == 1 and each.strides[-1] > 1]
    if not wrong_function("strides of one element", {}):
        columns = []
    for each in columns:
        each.strides = (*each.strides[:-1], 1)
    errata.refuse(graph, errata.MATRICES)
    return more > 0 or bool(columns)


def _to_planes(graph: Operations, tensors: list[Tensor]) -> bool:
    """Make pooling along lines that of planes of one line.

    Raises:
        NotSupportedError: sizes are changed by interpolation.
    """
    errata.refuse(graph, errata.LINES)
    (node,) = graph.nodes
    for each in tensors:
        each.strides = (*each.strides[:2], each.shape[2] * each.strides[2], each.strides[2])
        each.shape = (*each.shape[:2], 1, each.shape[2])
    o = node.options
    o["window"], o["stride"] = (1, *o["window"]), (1, *o["stride"])
    o["pre_padding"], o["post_padding"] = (0, *o["pre_padding"]), (0, *o["post_padding"])
    if "shape" in o:
        *outer, width = o["shape"]
        o["shape"] = (*outer, 1, width)
    return True


def is_plain(graph: Operations) -> bool:
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
    if order_of(used) is None:
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


def _check_norms(graph: Operations) -> None:
    """Refuse norms that cuDNN does not finalize: images lie alike, and so do dense parameters."""
    for node in graph.nodes:
        tensors = node.tensors() if node.kind in errata.NORMS else {}
        for ports in _ALIKE:
            group = [tensors[port] for port in ports if port in tensors]
            wanted = "the same strides"
            is_odd = any(
                not arrays.same_strides(each.shape, each.strides, group[0].strides)
                for each in group
            )
            if "scale" in ports:
                wanted = f"no gaps, and {wanted}"
                is_odd = is_odd or any(
                    arrays.last_offset(each.shape, each.strides) >= prod(each.shape)
                    for each in group
                )
            if is_odd:
                raise errors.NotSupportedError(
                    f"graph {graph.name}: node {node.name} ({node.word}): expected {wanted} of "
                    f"{' and '.join(port for port in ports if port in tensors)}, got "
                    + ", ".join(f"{each.describe()} with {each.strides}" for each in group),
                    hint="copy one of them to the layout of the other",
                )


def _turn_ones(graph: Operations, tensors: list[Tensor]) -> None:
    """Give axes of one element strides that engines for convolutions read right, if errata say so.

    They lie around what is within, in the order that the other axes have. Where these have both of
    the usual orders, it is that of the other arrays. Odd strides of a tensor with channels alone
    become those of a packed one. Beside other operations, images of one pixel get those of channels
    last, unless another image has rows.
    """
    if not wrong_function("strides of one element", {}):
        return
    found = [
        each
        for each in tensors
        if len(each.shape) >= _BATCH and not each.by_value and goes_by_strides(each)
    ]
    for each in found:
        if not each.is_virtual and _has_channels_alone(each):
            each.strides = packed(each.shape)
    _turn_ones_of(found)
    if len(graph.nodes) == 1:
        return
    pixels = [
        each
        for each in found
        if len(each.shape) >= _IMAGE
        and min(each.shape[:2]) > 1
        and max(each.shape[2:]) == 1
        and each.strides[:2] == (each.shape[1], 1)
    ]
    known = {each.uid for each in pixels}
    if not all(
        is_channels_last(each) for each in errata.images_read(graph) if each.uid not in known
    ):
        return
    filters = [
        node.tensors()[errata.FILTERS[node.kind]]
        for node in graph.nodes
        if node.kind in errata.FILTERS
    ]
    for each in pixels:
        if not any(each is one for one in filters):
            each.strides = (*each.strides[:2], *(each.shape[1],) * (len(each.shape) - 2))


def _has_channels_alone(tensor: Tensor) -> bool:
    return prod(tensor.shape) == prod(tensor.shape[1:2]) and order_of([tensor]) is not None


def _turn_ones_of(tensors: list[Tensor]) -> None:
    """Give axes of one element strides of a usual order, unless the others have neither.

    An array that has both orders gets that of the others: engines may read it from any array.
    """
    fitting = [arrays.usual_strides(each.shape, each.strides) for each in tensors]
    by_rows = any(rows is not None and last is None for rows, last in fitting)
    by_pixels = any(last is not None and rows is None for rows, last in fitting)
    for each, (rows, last) in zip(tensors, fitting, strict=True):
        if rows is None or last is None or by_rows == by_pixels or _has_channels_alone(each):
            each.strides = arrays.settled_strides(each.shape, each.strides, by_rows)
        else:
            each.strides = rows if by_rows else last


def _to_batches(graph: Operations, tensors: list[Tensor], more: int) -> bool:
    """Add dimensions of one element in front."""
    for tensor in tensors:
        size = 1 + arrays.last_offset(tensor.shape, tensor.strides)
        tensor.strides = (*(size,) * more, *tensor.strides)
        tensor.shape = (*(1,) * more, *tensor.shape)
    for node in graph.nodes:
        if node.options.get("mode") == "GEN_INDEX":
            node.options["axis"] += more
    _adapt_options(graph)
    return True


def _merge_batches(graph: Operations) -> bool:
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


def _is_fine(order: list[int], as_image: bool, tensors: list[Tensor]) -> bool:
    rank = len(order)
    row_major = order == list(range(rank))
    if rank == _BATCH and row_major:
        is_odd = as_image or all(each.shape[-1] == 1 for each in tensors)
        return not (is_odd and wrong_function("graphs as batches of matrices", {}))
    return rank >= _IMAGE and order == [0, *range(2, rank), 1]


def _groups(tensors: list[Tensor], order: list[int]) -> list[list[int]]:
    """Return groups of dimensions to join, outermost first: a tensor has all of a group or none."""
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


def _to_rows(tensors: list[Tensor], groups: list[list[int]]) -> bool:
    row = groups[-1] if groups else ()  # none, if all tensors have one element
    longest = width = max(prod(tensor.shape[axis] for axis in row) for tensor in tensors)
    if longest > MAXIMUM_OF_COLUMNS and len(groups) < _BATCH:
        width = next(n for n in range(_ROW, 0, -1) if longest % n == 0)
    for tensor in tensors:
        shape = [prod(tensor.shape[axis] for axis in group) for group in groups]
        if width < longest:
            shape[-1:] = (shape[-1] // width, width) if shape[-1] > 1 else (1, 1)
        tensor.shape = (*(1,) * (_BATCH - len(shape)), *shape)
        tensor.strides = packed(tensor.shape)
    return True


def _to_images(graph: Operations, tensors: list[Tensor], groups: list[list[int]]) -> bool:
    for tensor in tensors:
        shape = [prod(tensor.shape[axis] for axis in group) for group in groups]
        rows, columns = (*(1,) * (_MATRIX - len(shape)), *shape)
        tensor.shape = (rows, columns, 1, 1)
        tensor.strides = strides_like(tensor.shape, (2, 2, 2, 2), (8, 1, 4, 2))
    _adapt_options(graph)
    return True


def _adapt_options(graph: Operations) -> None:
    for node in graph.nodes:
        if "shape" in node.options:
            node.options["shape"] = next(iter(node.outputs.values())).shape
