"""Conditions for graphs as a whole.

The shapes and strides of a graph's tensors are those that it was written with; see
`graph.lower.relabel` for the graphs that are described by other shapes instead.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod

from ... import arrays
from ..record import ALIGNMENT
from .tensors import (
    connected,
    goes_by_strides,
    is_channels_last,
    is_memory,
    is_of_pixels,
    kinds_of,
    largest,
    lies_by_rows,
    order_of,
    repeats,
    sources,
    used,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .tensors import Graph, Node, Tensor

_MATRIX, _BATCH, _IMAGE = 2, 3, 4
NORMS = ("norm_forward", "norm_backward")
RESAMPLING = frozenset({"resample_forward", "resample_backward"})

#: The filters' port of each kind of convolution.
FILTERS = {
    "convolution_forward": "w",
    "convolution_backward_data": "w",
    "convolution_backward_filter": "dw",
}


def _with_strides(tensors: Iterable[Tensor]) -> str:
    return ", ".join(f"{each.describe()} with the strides {each.strides}" for each in tensors)


def images_read(graph: Graph) -> list[Tensor]:
    """Return the images that convolutions read."""
    return [
        each
        for node in graph.nodes
        if node.kind in FILTERS
        for port, each in node.inputs.items()
        if port != "w"
    ]


def _convolutions_and_products(graph: Graph) -> str:
    kinds = {*kinds_of(graph)}
    both = "matmul" in kinds and kinds & FILTERS.keys()
    return "convolutions and matrix products" if both else ""


def _several_norms(graph: Graph) -> str:
    norms = [node for node in graph.nodes if node.kind in NORMS]
    if len(norms) < 2 or _is_gradient_of_relu(norms):
        return ""
    return f"more than one norm ({', '.join(node.name for node in norms)})"


def _is_gradient_of_relu(norms: Sequence[Node]) -> bool:
    """Return whether a norm is computed again for the gradient of the ReLU after it: a pattern."""
    kinds = [node.kind for node in norms]
    return kinds == ["norm_forward", "norm_backward"] and norms[0].options["phase"] == "INFERENCE"


def _pooling_with_others(graph: Graph) -> str:
    is_mixed = len(graph.nodes) > 1 and RESAMPLING.intersection(kinds_of(graph))
    return "pooling and other operations" if is_mixed else ""


def _apart(graph: Graph) -> str:
    is_apart = {*kinds_of(graph)} - {"pointwise", "reduction"} and len(
        connected(graph.nodes)
    ) < len(graph.nodes)
    return "operations that do not hang together by results" if is_apart else ""


def _scale_in_other_order(graph: Graph) -> str:
    for node in graph.nodes:
        tensors = node.tensors() if node.kind in NORMS else {}
        x, scale = tensors.get("x"), tensors.get("scale")
        if x is None or scale is None:
            continue
        axes = [axis for axis, extent in enumerate(scale.shape) if extent > 1]
        orders = [sorted(axes, key=lambda axis: -each.strides[axis]) for each in (x, scale)]
        if orders[0] != orders[1]:
            return (
                f"node {node.name} ({node.word}): expected the same order of axes, got "
                f"{scale.describe()} with {scale.strides} and {x.describe()} with {x.strides}"
            )
    return ""


def _after_gradients(*ports: str) -> Callable[[Graph], str]:
    """Return what finds a gradient of a norm, by its port, that another operation reads."""

    def found(graph: Graph) -> str:
        gradients = {
            each.uid
            for node in graph.nodes
            if node.kind == "norm_backward"
            for port, each in node.outputs.items()
            if port in ports
        }
        for node in graph.nodes:
            for each in node.inputs.values():
                if each.uid in gradients:
                    return f"operations after gradients of norms ({node.name})"
        return ""

    return found


def _repeated_before_products(graph: Graph) -> str:
    """Return a result that is repeated within the matrices of a product's operand.

    A single number for each matrix is read rightly, and attention's engines take its patterns.
    """
    made = {each.uid: node for node in graph.nodes for each in node.outputs.values()}
    products = [node for node in graph.nodes if node.kind == "matmul"]
    for product in products:
        for port, axis, inner in (("a", -2, -1), ("b", -1, -2)):
            operand = product.inputs.get(port)
            waiting = [operand] if operand is not None and operand.shape[axis] > 1 else []
            while waiting:
                node = made.get(waiting.pop().uid)
                if node is None or node.kind != "pointwise":
                    continue
                (y,) = node.outputs.values()
                for each in node.inputs.values():
                    if not each.is_virtual:
                        continue
                    is_repeated = each.shape[axis] == 1 < each.shape[inner]
                    if len(products) == 1:
                        is_repeated = each.shape[-2:] != y.shape[-2:] and max(each.shape[-2:]) > 1
                    if is_repeated:
                        return f"{each.describe()} in {node.name}"
                    waiting.append(each)
    return ""


def _read_twice_before_product(graph: Graph) -> str:
    """Return an array that several operations read, before one product or convolution.

    Results that several operations read are right, and so is one operation that reads it twice.
    """
    made = {each.uid: node for node in graph.nodes for each in node.outputs.values()}
    products = [each for each in graph.nodes if each.kind == "matmul" or each.kind in FILTERS]
    for operand in products[0].inputs.values() if len(products) == 1 else ():
        waiting, passed, arrays = [operand], set(), set()
        while waiting:
            node = made.get(waiting.pop().uid)
            if node is None or node.kind != "pointwise" or id(node) in passed:
                continue
            passed.add(id(node))
            given = {each.uid: each for each in node.inputs.values() if not each.by_value}
            for uid, each in given.items():
                if uid in made:
                    waiting.append(each)
                elif uid in arrays:
                    return f"{each.describe()} in {node.name}"
                arrays.add(uid)
    return ""


def _repeated_after_products(graph: Graph) -> str:
    """Return what a product or convolution computes if a pointwise operation repeats it."""
    after: set[int] = set()
    for node in graph.nodes:
        if node.kind == "matmul" or node.kind in FILTERS:
            after.update(each.uid for each in node.outputs.values())
        if node.kind != "pointwise":
            continue
        (y,) = node.outputs.values()
        for each in node.inputs.values():
            if each.uid in after:
                after.add(y.uid)
                if each.shape != y.shape:
                    return f"{each.describe()} in {node.name}"
    return ""


def _gradients_of_other_type(graph: Graph) -> str:
    for node in graph.nodes:
        if node.kind not in ("norm_backward", "resample_backward"):
            continue
        images = [each for port, each in node.tensors().items() if port in ("x", "dy", "y", "dx")]
        if len({each.data_type for each in images}) > 1:
            return f"node {node.name} ({node.word}): " + ", ".join(
                f"{each.describe()} of {each.data_type}" for each in images
            )
    return ""


def _filters_in_other_order(graph: Graph) -> str:
    for node in graph.nodes:
        if node.kind not in FILTERS:
            continue
        w = node.tensors()[FILTERS[node.kind]]
        if w.is_virtual or not goes_by_strides(w):
            continue
        axes = range(len(w.shape))
        if not any(
            arrays.same_strides(w.shape, w.strides, arrays.ordered_strides(w.shape, order))
            for order in (axes, (0, *axes[2:], 1))
        ):
            return f"{w.describe()} has the strides {w.strides}"
    return ""


def _images_with_gaps(graph: Graph) -> str:
    """Return an image with gaps that engines of fused convolutions read at wrong addresses.

    Engines of a convolution alone, of one data type but FP8, take any strides. Engines of FP8 write
    packed images where there are gaps between them.
    """
    convolutions = [node for node in graph.nodes if node.kind in FILTERS]
    types = {each.data_type for node in convolutions for each in node.tensors().values()}
    is_fp8 = any(each.startswith("FP8") for each in types)
    if len(graph.nodes) == 1 and len(types) == 1 and not is_fp8:
        return ""
    made = {each.uid: node for node in graph.nodes for each in node.outputs.values()}
    for node in convolutions:
        for port, each in node.tensors().items():
            if port == FILTERS[node.kind]:
                continue
            is_result = port in node.outputs
            for image in sources(each, {} if is_result else made):
                is_apart = is_fp8 and is_result and _are_apart(image)
                if goes_by_strides(image) and (is_apart or _has_odd_gaps(image)):
                    return f"{image.describe()} has the strides {image.strides}"
    return ""


def _are_apart(images: Tensor) -> bool:
    """Return whether there are gaps between images."""
    inner = zip(images.shape[1:], images.strides[1:], strict=True)
    size = max([1, *(n * step for n, step in inner if n > 1)])
    return images.shape[0] > 1 and images.strides[0] != size


def _has_odd_gaps(image: Tensor) -> bool:
    """Return whether strides from a gap on are no multiples of 16 bytes, or channels not inside."""
    width = arrays.itemsize(arrays.dtype_name(image.data_type))
    axes = [(stride, n) for n, stride in zip(image.shape, image.strides, strict=True) if n > 1]
    step, has_gap = 1, False
    for stride, extent in sorted(axes):
        has_gap = has_gap or stride != step
        if has_gap and (stride * width % ALIGNMENT or not is_channels_last(image)):
            return True
        step = stride * extent
    return False


def _odd_around_convolutions(graph: Graph) -> str:
    if FILTERS.keys().isdisjoint(kinds_of(graph)):
        return ""
    odd = not_of_rows(graph, images_read(graph))
    for node in graph.nodes:
        if node.kind == "convolution_forward":
            x, y = node.inputs["x"], node.outputs["y"]
            if y.is_virtual and goes_by_strides(x) and not is_channels_last(x) and is_of_pixels(y):
                odd.append(x)
    return _with_strides(odd)


def _matrices_of_several_orders(graph: Graph) -> str:
    if {*kinds_of(graph)} != {"pointwise"}:
        return ""
    real = [
        each
        for each in used(graph)
        if len(each.shape) == _MATRIX and is_memory(each) and min(each.shape) > 1
    ]
    is_mixed = len({each.strides[0] > each.strides[1] for each in real}) > 1
    return ", ".join(each.describe() for each in real) if is_mixed else ""


def _is_column(tensor: Tensor, axis: int) -> bool:
    """Return whether a tensor has one element along an axis; others may have fewer dimensions."""
    return tensor.shape[axis : axis + 1] == (1,)


def _repeated_along_rows(of_results: bool) -> Callable[[Graph], str]:
    """Return what finds a result, or a condition in memory, that is repeated along rows."""

    def find(graph: Graph) -> str:
        kinds = {*kinds_of(graph)}
        if not kinds <= {"pointwise", "reduction"}:
            return ""
        full = largest(used(graph))
        axes = [axis for axis, extent in enumerate(full.shape) if extent > 1]
        if not axes:
            return ""
        inner = min(axes, key=lambda axis: full.strides[axis])
        made = {each.uid for node in graph.nodes for each in node.outputs.values()}
        reduced: set[int] = set()  # engines take what follows from a reduction
        for node in graph.nodes:
            if node.kind == "reduction" or any(e.uid in reduced for e in node.inputs.values()):
                reduced.update(each.uid for each in node.outputs.values())
            for port, each in node.inputs.items():
                is_result = each.uid in made
                if each.by_value or is_result != of_results or not _is_column(each, inner):
                    continue
                is_number = each.data_type != "BOOLEAN" and prod(each.shape) == 1
                is_read = is_result and each.uid not in reduced
                if is_read or (port == "t" and not is_number):
                    return f"{each.describe()} in {node.name}"
        return ""

    return find


def _columns_beside_rows(graph: Graph) -> str:
    """Return results of pointwise operations that have one column, where others have more.

    Engines take those that follow from a reduction, a product or a convolution. Beside a
    convolution, the columns are the channels.
    """
    kinds = {*kinds_of(graph)}
    if not kinds <= {"pointwise", "reduction", "matmul", *FILTERS}:
        return ""
    full = largest(used(graph))
    axes = [axis for axis, extent in enumerate(full.shape) if extent > 1]
    inner = min(axes, key=lambda axis: full.strides[axis], default=0)
    if "matmul" in kinds:
        inner = len(full.shape) - 1
    elif kinds & FILTERS.keys():
        inner = 1
    widest = max(each.shape[inner] for each in used(graph) if len(each.shape) > inner)
    made: set[int] = set()
    for node in graph.nodes:
        (y,) = node.outputs.values()
        if node.kind != "pointwise" or any(e.uid in made for e in node.inputs.values()):
            made.add(y.uid)
        elif is_memory(y) and _is_column(y, inner) and min(prod(y.shape), widest) > 1:
            return f"{y.describe()} of {node.name}"
    return ""


def _smaller_with_gaps(graph: Graph) -> str:
    """Return smaller tensors with gaps, which engines read as packed.

    So they read what a pointwise operation repeats, also after a convolution or a matrix product,
    but for matrices that lie row by row and are repeated as a whole. Attention's engines take
    strides.
    """
    kinds = kinds_of(graph)
    if kinds.count("matmul") > 1:
        return ""
    apart: dict[int, Tensor] = {}
    for node in graph.nodes:
        if node.kind not in ("pointwise", "reduction"):
            continue
        tensors = node.tensors().values()
        most = max((each.shape for each in tensors), key=prod)
        for each in tensors:
            if (
                is_memory(each)
                and 1 < prod(each.shape) < prod(most)
                and order_of([each]) is None
                and not (
                    {*kinds} == {"pointwise"}
                    and len(most) == _BATCH
                    and each.shape[1:] == most[1:]
                    and lies_by_rows(each)
                )
            ):
                apart[each.uid] = each
    return _with_strides(apart.values())


def is_of_other_order(image: Tensor) -> bool:
    """Return whether an image is neither row-major nor has the channels last.

    Beside an image in another order, engines read it at wrong addresses.
    """
    if not is_memory(image):
        return False
    axes = [axis for axis, extent in enumerate(image.shape) if extent > 1]
    order = sorted(axes, key=lambda axis: -image.strides[axis])
    return order not in (axes, [axis for axis in axes if axis != 1] + [1] * (1 in axes))


def not_of_rows(graph: Graph, images: Iterable[Tensor]) -> list[Tensor]:
    """Return operands of pointwise operations and reductions that engines read or write wrongly.

    To engines an image is a matrix with a row for each position, and a column for each channel.
    Rows and columns can be repeated. A tensor that has some of the axes of positions, or has them
    in another order, is read at wrong addresses.
    """
    last = all(map(is_channels_last, images))
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


# Conditions of graphs that other shapes do not make right, found when these are looked for


def _not_row_by_row(graph: Graph) -> str:
    """Return the tensors in memory if matrices of a pointwise graph do not lie row by row."""
    tensors = used(graph)
    real = [each for each in tensors if is_memory(each)]
    full = largest(tensors).shape
    is_odd = any(not lies_by_rows(each) or each.shape[1:] != full[1:] for each in real)
    return _with_strides(real) if is_odd else ""


def _interpolated_lines(graph: Graph) -> str:
    is_flat = all(map(goes_by_strides, used(graph)))
    modes = {node.options["mode"] for node in graph.nodes}
    return "" if is_flat and modes.isdisjoint(("BILINEAR", "NEAREST")) else "three dimensions"


def _misread_images(graph: Graph) -> str:
    """Return the tensors of an image's pointwise operations and reductions that are misread."""
    tensors = used(graph)
    image = largest(tensors)
    kinds = {*kinds_of(graph)}
    is_image = "reduction" in kinds or repeats(tensors)
    odd = not_of_rows(graph, [image]) if is_image and is_channels_last(image) else []
    if kinds == {"pointwise"}:
        odd += [each for each in tensors if is_of_other_order(each)]
    return _with_strides(odd)


CONDITIONS = {
    "a condition repeated along the innermost dimension": _repeated_along_rows(False),
    "a result of one column beside wider ones": _columns_beside_rows,
    "a result repeated along the innermost dimension": _repeated_along_rows(True),
    "convolutions and matrix products": _convolutions_and_products,
    "filters neither row-major nor with the channels last": _filters_in_other_order,
    "gradients of images of several types": _gradients_of_other_type,
    "images with gaps": _images_with_gaps,
    "interpolation of lines": _interpolated_lines,
    "matrices not row by row": _not_row_by_row,
    "matrices of several orders": _matrices_of_several_orders,
    "misread images": _misread_images,
    "odd operands around convolutions": _odd_around_convolutions,
    "operations after gradients of norms": _after_gradients("dx"),
    "operations after gradients of scales": _after_gradients("dscale", "dbias"),
    "operations that share no results": _apart,
    "pooling with others": _pooling_with_others,
    "array read by several operations before a product": _read_twice_before_product,
    "results repeated after products": _repeated_after_products,
    "results repeated before products": _repeated_before_products,
    "scale in another order than x": _scale_in_other_order,
    "several norms": _several_norms,
    "smaller tensors with gaps": _smaller_with_gaps,
}
