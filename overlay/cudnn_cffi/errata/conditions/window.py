"""Conditions for pooling, reductions and norms."""

from __future__ import annotations

import math

from ..._backend import values_of
from ..facts import has_one_product, needed, read, tensor, type_of
from ..needs import needs
from ..record import BEYOND_32_BITS, MAXIMUM_OF_GRID, Condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._backend import Descriptor
    from ..facts import Operations, Structure

#: Results of a channel that a block of engine 3 of pooling computes.
_TILE = 256

#: Maximum of contiguous elements that engine 1 reduces to one.
_LONGEST = 1 << 22

#: Maximum of elements of a row that engine 1 reduces to one in a single block; several add to 128,
#: and to 45 that do not lie side by side. The order of two does not matter.
_FEW, _TWO = 64, 2

#: Reductions whose result depends on the order, and operations before them with other engines.
_SUMS = frozenset({"ADD", "AVG", "MUL", "NORM1", "NORM2"})
_PRODUCTS = frozenset(
    {"Matmul", *(f"Convolution{way}" for way in ("Forward", "BackwardData", "BackwardFilter"))}
)

#: The needs of means of windows, and of sums.
_MEANS, _SUM = "own.desc MEANS", "own.desc SUM"


def _is_bfloat16_channels_last(operation: Descriptor, _: Operations) -> bool:
    if needed(operation, "xdesc")["strides"][1] != 1:
        return False
    return type_of(operation, "xdesc") == "BFLOAT16"


def _are_maxima(propagation: str) -> Condition:
    """Return what finds maxima for which it is told whether NaN wins."""

    def applies(operation: Descriptor, _: Operations) -> bool:
        resampling = values_of(operation).get("desc")
        told = {} if resampling is None else values_of(resampling)
        asked = told.get("nan_propagation")
        if asked is None or getattr(asked, "name", asked) != propagation:
            return False
        mode = told.get("mode")
        if getattr(mode, "name", mode) != "MAXPOOL":
            return False
        return type_of(operation, "xdesc") not in ("INT8", "UINT8")

    return Condition(None, applies, needs=needs(f"any.desc MAXPOOL {propagation}"))


def _has_index(operation: Descriptor, _: Operations) -> bool:
    return values_of(operation).get("idxdesc") is not None


def _is_mean_padded_after(operation: Descriptor, _: Operations) -> bool:
    resampling = read(operation, "desc")
    if resampling is None or read(resampling, "mode") not in ("AVGPOOL", "AVGPOOL_INCLUDE_PADDING"):
        return False
    return bool(read(resampling, "pre_paddings") != read(resampling, "post_paddings"))


def _are_means_of_many(operation: Descriptor, _: Operations) -> bool:
    """Return whether there are means of more images than a grid has, of which a block has 32."""
    if needed(operation, "xdesc")["dimensions"][0] <= 32 * MAXIMUM_OF_GRID:
        return False
    resampling = read(operation, "desc")
    return resampling is not None and str(read(resampling, "mode")).startswith("AVGPOOL")


def _are_many_tiles(operation: Descriptor, _: Operations) -> bool:
    """Return whether there are more images than a grid has, of which a block has 256 results.

    Extents count as the next powers of two: so many images a block has in any case.
    """
    images, _channels, *extents = needed(operation, "ydesc")["dimensions"]
    if images <= MAXIMUM_OF_GRID:
        return False
    tile = math.prod([1 << (n - 1).bit_length() for n in extents])
    return bool(images > MAXIMUM_OF_GRID * max(1, _TILE // tile))


def _are_instances_beyond(operation: Descriptor, _: Operations) -> bool:
    if math.prod(needed(operation, "xdesc")["dimensions"]) <= BEYOND_32_BITS:
        return False
    return bool(read(operation, "mode") == "INSTANCE_NORM")


def _is_without_input(operation: Descriptor, _: Operations) -> bool:
    return tensor(operation, "xdesc") is None and tensor(operation, "idxdesc") is None


def _is_long_sum(operation: Descriptor, _: Operations) -> bool:
    """Return whether so many elements that lie side by side make one result."""
    x = needed(operation, "xdesc")
    if math.prod(x["dimensions"]) <= _LONGEST:
        return False
    reduced_to = needed(operation, "ydesc")["dimensions"]
    axes = zip(x["dimensions"], reduced_to, x["strides"], strict=True)
    reduced = [(n, stride) for n, m, stride in axes if m == 1 and n > 1]
    along = min((stride for _, stride in reduced), default=0)
    return along == 1 and math.prod([n for n, _ in reduced]) > _LONGEST


def _is_without_products(structure: Structure) -> bool:
    return _PRODUCTS.isdisjoint(structure.distinct)


def _has_convolution(structure: Structure) -> bool:
    return "ConvolutionForward" in structure.distinct


def _is_sum(operation: Descriptor, _: Operations) -> bool:
    operator = read(read(operation, "desc"), "operator")
    return getattr(operator, "name", operator) in _SUMS


def _is_sum_of_many(operation: Descriptor, operations: Operations) -> bool:
    """Return whether so many elements make one sum that several blocks add to it."""
    x, y = (needed(operation, name) for name in ("xdesc", "ydesc"))
    axes = zip(x["dimensions"], y["dimensions"], x["strides"], strict=True)
    summed = [(given, step) for given, made, step in axes if given != made]
    most = _FEW if [step for _, step in summed] == [1] else _TWO
    return math.prod(given for given, _ in summed) > most and _is_sum(operation, operations)


def _is_instance_norm(operation: Descriptor, _: Operations) -> bool:
    return bool(read(operation, "mode") == "INSTANCE_NORM")


def _goes_over_rows(operation: Descriptor) -> bool:
    return read(operation, "mode") in ("LAYER_NORM", "RMS_NORM", "ADA_LAYER_NORM")


def _has_low_statistics(operation: Descriptor, _: Operations) -> bool:
    kinds = {type_of(operation, name) for name in ("mean_desc", "inv_variance_desc")}
    return _goes_over_rows(operation) and not kinds <= {"FLOAT", ""}


def _has_bias_of_other_type(phase: str) -> Condition:
    """Return the condition for forward norms of a phase."""

    def applies(operation: Descriptor, _: Operations) -> bool:
        if read(operation, "phase") != phase or not _goes_over_rows(operation):
            return False
        scale, bias = type_of(operation, "scale_desc"), type_of(operation, "bias_desc")
        return scale != bias and "" not in (scale, bias)

    return Condition(
        None,
        applies,
        needs=needs(f"any.phase {phase}", "any.mode OVER_ROWS", "any.bias_desc OTHER_TYPE"),
    )


CONDITIONS: dict[str, Callable[..., bool] | Condition] = {
    "BFLOAT16 images with channels last": Condition(
        None, _is_bfloat16_channels_last, needs=needs("own.xdesc BFLOAT16")
    ),
    "bias of another type than scale in inference": _has_bias_of_other_type("INFERENCE"),
    "bias of another type than scale in training": _has_bias_of_other_type("TRAINING"),
    "gradient of pooling without x and y": _is_without_input,
    "instance norm": Condition(
        None, _is_instance_norm, needs=needs("own.mode INSTANCE_NORM", decide=True)
    ),
    "instance norm beyond 2^31 elements": Condition(
        None, _are_instances_beyond, needs=needs("any.xdesc BEYOND", "any.mode INSTANCE_NORM")
    ),
    "means of more images than a grid has": Condition(
        None, _are_means_of_many, needs=needs("own.xdesc BEYOND_GRID", _MEANS)
    ),
    "means with padding after the pixels alone": Condition(
        None, _is_mean_padded_after, needs=needs(_MEANS, "own.desc UNEVEN")
    ),
    "index of maxima": Condition(None, _has_index, needs=needs("own.idxdesc", decide=True)),
    "maxima in which NaN wins": _are_maxima("PROPAGATE_NAN"),
    "maxima in which numbers win over NaN": _are_maxima("NOT_PROPAGATE_NAN"),
    "more images than a grid has, in tiles": Condition(
        None, _are_many_tiles, needs=needs("own.ydesc BEYOND_GRID")
    ),
    "statistics of another type than FLOAT": Condition(
        None, _has_low_statistics, needs=needs("any.mode OVER_ROWS")
    ),
    "sum after a convolution": Condition(
        _has_convolution, _is_sum, needs=needs("ConvolutionForward", _SUM)
    ),
    "sum after one product": Condition(has_one_product, _is_sum, needs=needs("ONE_PRODUCT", _SUM)),
    "sums but for rows of 64 elements": Condition(
        _is_without_products, _is_sum_of_many, needs=needs(_SUM)
    ),
    "sums of more elements than a grid takes": Condition(
        None, _is_long_sum, needs=needs("own.xdesc LONG")
    ),
}
