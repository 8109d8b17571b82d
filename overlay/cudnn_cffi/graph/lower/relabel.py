"""Describe tensors by other shapes that engines take: the same elements at the same addresses.

Engines for pointwise operations and reductions take batches of matrices and tensors with the
channels last; those for matrix products take batches. Such graphs compute the same whatever their
dimensions are called, so dimensions can be joined and put in another order. Nothing is copied, and
the operands of the plan keep their shapes.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

from ... import arrays, errors
from ...choice.engine.errata import MOST_COLUMNS
from ..arguments import goes_by_strides
from ..rules.results import packed, strides_like

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..methods.operations import Operations
    from ..tensors import Node, Tensor


_MATRIX, _BATCH, _IMAGE = 2, 3, 4
_VIEWS = ("reshape", "slice", "transpose")
_PLAIN = ("pointwise", "reduction", *_VIEWS)
_WITH_MATMUL = {"matmul", "pointwise", "reduction"}

_NORMS = ("norm_forward", "norm_backward")
#: The ports of a norm whose tensors lie alike.
_ALIKE = (("x", "dy", "y", "dx"), ("scale", "bias", "dscale", "dbias"))

_RESAMPLING = {"resample_forward", "resample_backward"}

#: Maximum of elements of a row that is cut from a longer one.
_ROW = 65536

#: The filters' port of each kind of convolution.
_FILTERS = {
    "convolution_forward": "w",
    "convolution_backward_data": "w",
    "convolution_backward_filter": "dw",
}


def relabel(graph: Operations) -> bool:
    """Give the tensors of a graph shapes that engines take; return whether that changed one.

    A graph stays as it is where its shapes are fine, or where no others would be.

    Raises:
        NotSupportedError: engines take the graph and compute it wrongly.
    """
    kinds = {node.kind for node in graph.nodes}
    tensors = _used(graph)
    _check_together(graph)
    _check_norms(graph)
    _check_order_of_parameters(graph)
    _check_gradients(graph)
    if kinds & _RESAMPLING and any(len(each.shape) == _BATCH for each in tensors):
        return _to_planes(graph, tensors)
    if kinds & _FILTERS.keys():
        _check_filters(graph)
        _check_images(graph)
        _check_around_convolutions(graph)
    if kinds == {"pointwise"}:
        _check_orders(graph)
    if kinds <= {"pointwise", "reduction"}:
        _check_results_of_rows(graph)
    _check_gaps(graph)
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
    as_image = "reduction" in kinds or _repeats(tensors)
    image = _largest(tensors)
    read_as_image = is_image and as_image and _is_channels_last(image)  # engines take no others
    odd = _not_of_rows(graph, [image]) if read_as_image else []
    if not any(
        node.options["mode"] == "GEN_INDEX" or "group_offset" in node.inputs for node in graph.nodes
    ):
        order = _order(tensors)
        if order is not None and _is_fine(order, as_image, tensors) and not odd:
            return False
        if order is not None and _to_form(graph, tensors, order, as_image):
            return True
    if kinds == {"pointwise"} and not is_image:
        return _to_matrices(graph, tensors)
    if kinds == {"pointwise"}:
        odd += [each for each in tensors if _is_of_other_order(each)]
    if odd:
        raise _misread(graph, odd)
    return False


def _used(graph: Operations) -> list[Tensor]:
    """Return the tensors that nodes read or write; of a view, not the tensor that it lies in."""
    used = {each.uid: each for node in graph.nodes for each in node.tensors().values()}
    return list(used.values())


def _largest(tensors: list[Tensor]) -> Tensor:
    """Return the largest tensor in memory."""
    real = [each for each in tensors if not (each.is_virtual or each.by_value)]
    return max(real, key=lambda each: prod(each.shape))


def _to_form(graph: Operations, tensors: list[Tensor], order: list[int], as_image: bool) -> bool:
    """Give tensors that are packed in one order the shapes of rows or images, if there are any."""
    groups = _groups(tensors, order)
    if as_image:
        return len(groups) <= _MATRIX and _to_images(graph, tensors, groups)
    return len(groups) <= _BATCH and _to_rows(tensors, groups)


def _to_matrices(graph: Operations, tensors: list[Tensor]) -> bool:
    """Make tensors with gaps batches of matrices, which engines read row by row.

    Of a graph of one or two dimensions, engines leave most elements unwritten.

    Raises:
        NotSupportedError: a tensor does not lie row by row, or one is repeated within a matrix.
    """
    more = _BATCH - len(tensors[0].shape)
    if more:
        _to_batches(graph, tensors, more)
    real = [each for each in tensors if not (each.is_virtual or each.by_value)]
    full = _largest(tensors).shape
    if any(not _lies_by_rows(each) or each.shape[1:] != full[1:] for each in real):
        raise errors.NotSupportedError(
            f"graph {graph.name}: in one to three dimensions, engines compute wrong numbers, or "
            "read beyond arrays, of tensors that do not lie row by row, or are repeated within a "
            "matrix: " + ", ".join(f"{e.describe()} with the strides {e.strides}" for e in real),
            hint="copy them; or give the tensors four dimensions and the layout NHWC",
        )
    return more > 0


def _to_planes(graph: Operations, tensors: list[Tensor]) -> bool:
    """Make pooling along lines that of planes of one line.

    Engines take lines, and leave results unwritten, fail when they run, or end the context.

    Raises:
        NotSupportedError: sizes are changed by interpolation.
    """
    (node,) = graph.nodes
    if not all(map(goes_by_strides, tensors)) or node.options["mode"] in ("BILINEAR", "NEAREST"):
        raise errors.NotSupportedError(
            f"graph {graph.name}: engines leave results unwritten, or fail when they run, if "
            "tensors of three dimensions are resampled",
            hint="give the tensors four dimensions, with a height of 1",
        )
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


def _lies_by_rows(tensor: Tensor) -> bool:
    """Return whether the last dimension has no gaps, and each contains those after it."""
    axes = [
        (extent, stride)
        for extent, stride in zip(tensor.shape, tensor.strides, strict=True)
        if extent > 1
    ]
    inner = 1
    for extent, stride in reversed(axes):
        if stride < inner:
            return False
        inner = extent * stride
    return tensor.shape[-1] == 1 or tensor.strides[-1] == 1


def connected(nodes: Sequence[Node]) -> list[Node]:
    """Return those of some nodes that hang together with the first, by results that others read."""
    known = {id(node) for node in nodes}
    neighbours: dict[int, set[int]] = {each: set() for each in known}
    for node in nodes:
        for each in node.inputs.values():
            if each.producer is not None and id(each.producer) in known:
                neighbours[id(node)].add(id(each.producer))
                neighbours[id(each.producer)].add(id(node))
    found, fresh = set[int](), {id(nodes[0])}
    while fresh:
        found |= fresh
        fresh = {other for each in fresh for other in neighbours[each]} - found
    return [node for node in nodes if id(node) in found]


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


def _check_together(graph: Operations) -> None:
    """Refuse graphs that engines take and compute in part only, or that end the process."""
    nodes = graph.nodes
    kinds = {node.kind for node in nodes}
    norms = [node for node in nodes if node.kind in _NORMS]
    symptom = "engines leave results unwritten, or wrong, of graphs with"
    if "matmul" in kinds and kinds & _FILTERS.keys():
        symptom = "cuDNN ends the process for graphs with"
        what = "convolutions and matrix products"
    elif len(norms) > 1 and not _is_gradient_of_relu(norms):
        what = f"more than one norm ({', '.join(node.name for node in norms)})"
    elif len(nodes) > 1 and kinds & _RESAMPLING:
        what = "pooling and other operations"
    elif kinds - {"pointwise", "reduction"} and len(connected(nodes)) < len(nodes):
        what = "operations that do not hang together by results"
    else:
        return
    raise errors.NotSupportedError(
        f"graph {graph.name}: {symptom} {what}", hint="make them graphs of their own"
    )


def _is_gradient_of_relu(norms: Sequence[Node]) -> bool:
    """Return whether a norm is computed again for the gradient of the ReLU after it: a pattern."""
    kinds = [node.kind for node in norms]
    return kinds == ["norm_forward", "norm_backward"] and norms[0].options["phase"] == "INFERENCE"


def _check_norms(graph: Operations) -> None:
    """Refuse norms that cuDNN does not finalize: images lie alike, and so do dense parameters."""
    for node in graph.nodes:
        tensors = node.tensors() if node.kind in _NORMS else {}
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


def _check_order_of_parameters(graph: Operations) -> None:
    """Refuse norms whose scale lies in another order than the images: engines read it in theirs."""
    for node in graph.nodes:
        tensors = node.tensors() if node.kind in _NORMS else {}
        x, scale = tensors.get("x"), tensors.get("scale")
        if x is None or scale is None:
            continue
        axes = [axis for axis, extent in enumerate(scale.shape) if extent > 1]
        orders = {tuple(sorted(axes, key=lambda axis: -each.strides[axis])) for each in (x, scale)}
        if len(orders) > 1:
            raise errors.NotSupportedError(
                f"graph {graph.name}: node {node.name} ({node.word}): engines read a scale in the "
                f"order of x, expected the same order of axes, got {scale.describe()} with "
                f"{scale.strides} and {x.describe()} with {x.strides}",
                hint="copy scale and bias to the layout of x",
            )


def _check_gradients(graph: Operations) -> None:
    """Refuse gradients of norms and pooling in another type: engines write that of the input."""
    for node in graph.nodes:
        if node.kind not in ("norm_backward", "resample_backward"):
            continue
        images = [each for port, each in node.tensors().items() if port in ("x", "dy", "y", "dx")]
        if len({each.data_type for each in images}) > 1:
            raise errors.NotSupportedError(
                f"graph {graph.name}: node {node.name} ({node.word}): engines leave gradients "
                "unwritten, or wrong, if images have several data types: "
                + ", ".join(f"{each.describe()} of {each.data_type}" for each in images),
                hint="convert them to one type",
            )


def _check_orders(graph: Operations) -> None:
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


def _check_results_of_rows(graph: Operations) -> None:
    """Refuse what engines take and compute wrongly: a result or a condition repeated along rows."""
    reduces = any(node.kind == "reduction" for node in graph.nodes)  # engines take its results
    largest = _largest(_used(graph))
    inner = min(
        (axis for axis, extent in enumerate(largest.shape) if extent > 1),
        key=lambda axis: largest.strides[axis],
        default=None,
    )
    for node in graph.nodes:
        for port, each in node.inputs.items():
            if each.by_value or inner is None or each.shape[inner] != 1:
                continue
            is_number = each.data_type != "BOOLEAN" and prod(each.shape) == 1
            if (each.is_virtual and not reduces) or (port == "t" and not is_number):
                what = "a result" if each.is_virtual else "a condition"
                raise errors.NotSupportedError(
                    f"graph {graph.name}: engines compute wrong numbers if {what} is repeated "
                    f"along the innermost dimension: {each.describe()} in {node.name}",
                    hint="make it an output of a graph of its own"
                    if each.is_virtual
                    else "copy it into the full shape",
                )


def _check_gaps(graph: Operations) -> None:
    """Refuse what engines take and compute wrongly: a smaller tensor with gaps, read as packed.

    So they read what a pointwise operation repeats, also after a convolution or a matrix product,
    but for matrices that lie row by row and are repeated as a whole. Attention's engines take
    strides.
    """
    kinds = [node.kind for node in graph.nodes]
    if kinds.count("matmul") > 1:
        return
    apart: dict[int, Tensor] = {}
    for node in graph.nodes:
        if node.kind not in ("pointwise", "reduction"):
            continue
        tensors = node.tensors().values()
        most = max((each.shape for each in tensors), key=prod)
        for each in tensors:
            if (
                not (each.is_virtual or each.by_value)
                and 1 < prod(each.shape) < prod(most)
                and _order([each]) is None
                and not (
                    {*kinds} == {"pointwise"}
                    and len(most) == _BATCH
                    and each.shape[1:] == most[1:]
                    and _lies_by_rows(each)
                )
            ):
                apart[each.uid] = each
    if apart:
        raise errors.NotSupportedError(
            f"graph {graph.name}: engines read tensors that are repeated, or write those that are "
            "reduced, as if nothing lay between their elements: "
            + ", ".join(f"{e.describe()} with the strides {e.strides}" for e in apart.values()),
            hint="copy them",
        )


def _check_filters(graph: Operations) -> None:
    """Refuse filters that lie neither row-major nor with the channels last: engines read no others.

    They take the strides of filters for one of these two layouts.
    """
    for node in graph.nodes:
        if node.kind not in _FILTERS:
            continue
        w = node.tensors()[_FILTERS[node.kind]]
        if w.is_virtual or not goes_by_strides(w):
            continue
        rank = len(w.shape)
        if not any(
            arrays.same_strides(w.shape, w.strides, arrays.ordered_strides(w.shape, order))
            for order in (range(rank), (0, *range(2, rank), 1))
        ):
            raise errors.NotSupportedError(
                f"graph {graph.name}: engines read filters as row-major or with the channels last, "
                f"whatever their strides are: {w.describe()} has the strides {w.strides}",
                hint="copy them",
            )


def _check_images(graph: Operations) -> None:
    """Refuse images with gaps that engines of fused convolutions read at wrong addresses.

    Engines of a convolution alone, of one data type, take any strides.
    """
    convolutions = [node for node in graph.nodes if node.kind in _FILTERS]
    tensors = [each for node in convolutions for each in node.tensors().values()]
    if len(graph.nodes) == 1 and len({each.data_type for each in tensors}) == 1:
        return
    for node in convolutions:
        for port, each in node.tensors().items():
            if port == _FILTERS[node.kind] or each.is_virtual or not goes_by_strides(each):
                continue
            if _has_odd_gaps(each):
                raise errors.NotSupportedError(
                    f"graph {graph.name}: engines read and write images with gaps at wrong "
                    "addresses unless channels are innermost and strides multiples of 16 bytes: "
                    f"{each.describe()} has the strides {each.strides}",
                    hint="copy it",
                )


def _has_odd_gaps(image: Tensor) -> bool:
    """Return whether strides from a gap on are no multiples of 16 bytes, or channels not inside."""
    width = arrays.itemsize(arrays.dtype_name(image.data_type))
    axes = [(stride, n) for n, stride in zip(image.shape, image.strides, strict=True) if n > 1]
    step, has_gap = 1, False
    for stride, extent in sorted(axes):
        has_gap = has_gap or stride != step
        if has_gap and (stride * width % 16 or not _is_channels_last(image)):
            return True
        step = stride * extent
    return False


def _check_around_convolutions(graph: Operations) -> None:
    """Refuse operands that engines read wrongly before and after a convolution."""
    images = [
        each
        for node in graph.nodes
        if node.kind in _FILTERS
        for port, each in node.inputs.items()
        if port != "w"
    ]
    if odd := _not_of_rows(graph, images):
        raise _misread(graph, odd)
    for each in _used(graph):
        if (
            not (each.is_virtual or each.by_value)
            and goes_by_strides(each)
            and prod(each.shape) == prod(each.shape[1:2])
            and _order([each]) is not None
        ):
            # Engines read by the strides of axes of one, too: odd ones end the context.
            each.strides = packed(each.shape)
    if len(graph.nodes) > 1:
        _turn_pixels(graph, images)


def _turn_pixels(graph: Operations, images: list[Tensor]) -> None:
    """Give images of one pixel the strides of channels last, where no other image has rows.

    Engines that fuse go by the strides of axes of one: results that are strided as rows they write
    over each other (see `choice.engine.errata`).
    """
    pixels = [
        each
        for each in _used(graph)
        if len(each.shape) >= _IMAGE
        and not each.by_value
        and goes_by_strides(each)
        and min(each.shape[:2]) > 1
        and max(each.shape[2:]) == 1
        and each.strides[:2] == (each.shape[1], 1)
    ]
    filters = [node.tensors()[_FILTERS[node.kind]] for node in graph.nodes if node.kind in _FILTERS]
    rest = [each for each in images if not any(each is one for one in pixels)]
    if not all(map(_is_channels_last, rest)):
        return
    for each in pixels:
        if not any(each is one for one in filters):
            each.strides = (*each.strides[:2], *(each.shape[1],) * (len(each.shape) - 2))


def _is_channels_last(image: Tensor) -> bool:
    return image.shape[1] == 1 or image.strides[1] == 1


def _is_of_other_order(image: Tensor) -> bool:
    """Return whether an image is neither row-major nor has the channels last.

    Beside an image in another order, engines read it at wrong addresses.
    """
    if image.is_virtual or image.by_value:
        return False
    axes = [axis for axis, extent in enumerate(image.shape) if extent > 1]
    order = sorted(axes, key=lambda axis: -image.strides[axis])
    return order not in (axes, [axis for axis in axes if axis != 1] + [1] * (1 in axes))


def _not_of_rows(graph: Operations, images: list[Tensor]) -> list[Tensor]:
    """Return operands of pointwise operations and reductions that engines read or write wrongly.

    To engines an image is a matrix with a row for each position, and a column for each channel.
    Rows and columns can be repeated. A tensor that has some of the axes of positions, or has them
    in another order, is read at wrong addresses.
    """
    last = all(map(_is_channels_last, images))
    odd: dict[int, Tensor] = {}
    for node in graph.nodes:
        if node.kind not in ("pointwise", "reduction"):
            continue
        full = max((each.shape for each in node.tensors().values()), key=prod)
        for each in node.tensors().values():
            if each.by_value or len(each.shape) != len(full) or not goes_by_strides(each):
                continue
            if not _is_of_rows(each, full, last):
                odd[each.uid] = each
    return list(odd.values())


def _misread(graph: Operations, odd: list[Tensor]) -> errors.NotSupportedError:
    return errors.NotSupportedError(
        f"graph {graph.name}: in images, and around convolutions, engines compute wrong numbers "
        "with tensors that lie in another order, or are repeated along some axes of positions "
        "only: " + ", ".join(f"{e.describe()} with the strides {e.strides}" for e in odd),
        hint="copy them into the layout and shape of the images",
    )


def _is_of_rows(tensor: Tensor, full: tuple[int, ...], channels_last: bool) -> bool:
    """Return whether an operand of an image has all axes of its positions, in order, or none."""
    positions = [axis for axis in (0, *range(2, len(full))) if full[axis] > 1]
    kept = [axis for axis in positions if tensor.shape[axis] > 1]
    if not kept or (tensor.is_virtual and kept == positions):
        return True
    order = [*positions, 1] if channels_last else sorted([*positions, 1])
    steps = [tensor.strides[axis] for axis in order if tensor.shape[axis] > 1]
    if kept != positions or steps != sorted(steps, reverse=True):
        return False
    if not channels_last:
        return tensor.shape == full
    if tensor.shape[1] > 1 and tensor.strides[1] != 1:
        return False
    return all(
        tensor.strides[outer] == tensor.strides[inner] * full[inner]
        for outer, inner in pairwise(positions)
    )


def _repeats(tensors: list[Tensor]) -> bool:
    """Return whether tensors in memory differ in shape: elements of some are repeated."""
    return len({each.shape for each in tensors if not (each.is_virtual or each.by_value)}) > 1


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


def _order(tensors: list[Tensor]) -> list[int] | None:
    """Return the dimensions, outermost first, if all tensors in memory are packed in that order."""
    real = [each for each in tensors if not (each.is_virtual or each.by_value)]
    if not real:
        return None
    largest = _largest(real)
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


def _to_rows(tensors: list[Tensor], groups: list[list[int]]) -> bool:
    row = groups[-1] if groups else ()  # none, if all tensors have one element
    longest = width = max(prod(tensor.shape[axis] for axis in row) for tensor in tensors)
    if longest > MOST_COLUMNS and len(groups) < _BATCH:
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
