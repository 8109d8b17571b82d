"""Conditions for engines."""

from __future__ import annotations

from ..facts import child, read
from ..needs import Condition, needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._backend import Descriptor

#: The tensors of pointwise operations, of which gradients read dy, and write dx.
_OPERANDS = "xdesc|bdesc|tdesc|dydesc"
_POINTWISE = f"{_OPERANDS}|ydesc|dxdesc"

#: A product and what is compared of tensors in memory, of any operation.
_COMPARED = f"adesc|cdesc|{_POINTWISE}"

#: Results of any operation beside a product.
_MADE = "cdesc|ydesc|dxdesc"

#: A row in memory of which an operation makes another one.
_ROW_OF_FEW_BYTES = f"{_OPERANDS} ONE_ROW SEVERAL -FLOAT -COMPUTED, ydesc|dxdesc ONE_ROW"

#: Tensors in memory that a product reads, also through operations that an engine computes before.
_READ = f"any: path TO_PRODUCT, adesc|{_OPERANDS} -COMPUTED"

#: The channels that engines compute at once where groups have fewer.
_OF_GROUP = 16

#: A ReLU that gives NaN for NaN.
_NAN_PASSES = "Pointwise: pw_descriptor RELU_FWD PROPAGATE_NAN"

#: Images of which a channel is no multiple of 16 bytes, and row-major volumes of two bytes.
_VOLUME = "own: x VOLUME NARROW BY_ROWS"

#: Images without gaps whose channels are innermost, but which are not one after the other.
_INSIDE = "CHANNELS_INSIDE -BY_ROWS -BY_PIXELS -GAPS -COMPUTED"

#: Attention's gradient without a mask beside scores whose last tile is half full or of one query.
_UNMASKED = (
    "FIVE_PRODUCTS",
    "first Matmul: cdesc IMAGE TORN_TILES",
    "no Pointwise: pw_descriptor BINARY_SELECT",
)


def _compared(facts: str) -> Condition:
    """Return the condition of tensors in memory beside one product."""
    return needs("ONE_PRODUCT", f"any: {_COMPARED} -COMPUTED SEVERAL {facts}")


def _repeated(facts: str) -> Condition:
    return needs("ONE_PRODUCT", f"{_READ} REPEATED {facts}")


def _divides_padding(port: str, way: str, extent: str, torn: str) -> Condition:
    """Return the condition of zeros beside an operand that become NaN or inf on their way to it.

    Engines read tiles of both operands, with zeros for elements beyond the inner extent.
    """
    return needs(
        "ONE_PRODUCT",
        f"Matmul: {port} COMPUTED {torn}",
        f"any: path {way}, pw_descriptor DIV, bdesc -{extent}",
    ) | needs(
        "ONE_PRODUCT",
        f"Matmul: {port} COMPUTED {torn}",
        f"any: path {way}, pw_descriptor NOT_OF_ZERO, xdesc -{extent}",
    )


def _maxima(propagation: str) -> Condition:
    return needs(f"own: desc MAXPOOL, desc {propagation}, no xdesc BYTE")


def _row_beside_columns(row: str, *more: str) -> Condition:
    """Return the condition of such a row of an operation, beside results by columns."""
    return needs("ONE_PRODUCT", f"any: {_MADE} BY_COLUMNS -COMPUTED", f"Pointwise: {row}", *more)


def _slope_after(kind: str) -> Condition:
    """Return the condition of the gradient of a function of what an operation of a kind computes.

    It is a pointwise operation that has no y, but dx.
    """
    return needs(kind, "own: no ydesc, xdesc COMPUTED")


def _becomes_float(kind: str) -> Condition:
    return needs("Matmul", f"own: xdesc {kind}, ydesc FLOAT COMPUTED, path TO_PRODUCT")


def _bias_of_other_type(phase: str) -> Condition:
    return needs(f"own: phase {phase}, mode OVER_ROWS, types OTHER_TYPE")


def _has_small_groups(operation: Descriptor, _: object) -> bool:
    """Return whether filters have few channels, and images have more."""
    images, filters = (child(operation, "x") or child(operation, "dx"), child(operation, "w"))
    if images is None or filters is None:
        return False
    own = read(filters, "dimensions")[1:2]
    return bool(own < (_OF_GROUP,) and read(images, "dimensions")[1:2] != own)


def _number_beside(result: str) -> Condition:
    """Return the condition of a number of one or two bytes in memory, beside several elements."""
    narrow, byte, fp8 = (
        needs(f"{result} SEVERAL", f"own: ydesc|dxdesc {each} -SEVERAL -COMPUTED")
        for each in ("NARROW", "BYTE", "FP8")
    )
    return narrow | byte | fp8


CONDITIONS = {
    # Convolutions and their gradients
    "ReLU of FLOAT that NaN passes": needs("own: x FLOAT", _NAN_PASSES),
    "ReLU that NaN passes": needs(_NAN_PASSES),
    "ReLU after filters of odd bytes that NaN passes": needs(
        "own: x NARROW, w TORN_FILTERS", _NAN_PASSES
    ),
    "array at a low address": needs("SINGLE", "own: adesc|bdesc|cdesc|x|dy|dw LOW"),
    "bias for filters of FLOAT, no multiple of 4": needs(
        "ConvolutionForward", "own: w FLOAT ODD_FILTERS", "Pointwise: pw_descriptor ADD"
    ),
    "channels of a pixel of x or dy no multiple of 8 bytes": needs("own: x|dy ODD_CHANNELS"),
    "factor of an array beside a convolution": needs(
        "ConvolutionForward",
        "own: pw_descriptor MUL, xdesc|bdesc NUMBER, no xdesc|bdesc COMPUTED",
    ),
    "filters' gradient beside an array of one pixel": needs(
        "Pointwise: xdesc|bdesc|tdesc PIXEL SEVERAL -COMPUTED"
    ),
    "filters in another layout than images": needs(
        "-SINGLE", "own: x BY_ROWS -BY_PIXELS, w BY_PIXELS -BY_ROWS"
    )
    | needs("-SINGLE", "own: x BY_PIXELS -BY_ROWS, w BY_ROWS -BY_PIXELS"),
    "gradient of a function of a convolution": _slope_after("ConvolutionForward")
    | _slope_after("ConvolutionBackwardData"),
    "gradient of more images with channels last than a grid has": needs(
        "own: dx MANY_IMAGES CHANNELS_INSIDE"
    ),
    "gradient of more row-major images than a grid has": needs(
        "own: dx MANY_IMAGES -CHANNELS_INSIDE"
    ),
    "filters' gradient of images within each other": needs(f"own: x|dy {_INSIDE}"),
    "filters' gradient of images with gaps": needs("own: x|dy GAPS -COMPUTED"),
    "filters' gradient of images with gaps, beside other operations": needs(
        "-SINGLE", "own: x|dy GAPS -COMPUTED"
    ),
    "gradient of images within each other": needs(f"own: dx|dy {_INSIDE}"),
    "gradient of row-major images that operations compute": needs(
        "-SINGLE", "own: dy COMPUTED -CHANNELS_INSIDE"
    ),
    "gradient of flipped filters": needs("own: conv_desc FLIPPED"),
    "gradient of images in another order": needs("own: dx|dy OTHER_ORDER"),
    "gradient of images with gaps": needs("own: dx|dy GAPS -COMPUTED"),
    "gradient of padded channels beyond 2^31 elements": needs(
        "own: dx PADDED_BEYOND CHANNELS_INSIDE"
    ),
    "images or results beyond 2^31 elements": needs("own: x|y BEYOND"),
    "groups of few channels": Condition(applies=_has_small_groups),
    "images with gaps": needs("own: x|y GAPS -COMPUTED"),
    "images within each other": needs(f"own: x|y {_INSIDE}"),
    "many channels that are innermost": needs("own: x MANY_CHANNELS CHANNELS_INSIDE"),
    "more row-major images than a grid has": needs("own: x MANY_IMAGES -CHANNELS_INSIDE"),
    "paddings before and after differ": needs("own: conv_desc UNEVEN"),
    "pixels of dy no multiple of 16 bytes": needs("own: dy ODD_PIXELS"),
    "results of padded channels beyond 2^31 elements": needs(
        "own: y PADDED_BEYOND CHANNELS_INSIDE"
    ),
    "results of one pixel of row-major images": needs(
        "-SINGLE", "own: x CHANNELS_OUTSIDE", "any: place -FIRST, ydesc|dxdesc PIXEL -COMPUTED"
    ),
    "row-major images that operations compute": needs(
        "-SINGLE", "own: x COMPUTED -CHANNELS_INSIDE"
    ),
    "row-major pixels of x no multiple of 16 bytes": needs(
        "SINGLE", "own: x ODD_PIXELS TORN_CHANNELS -CHANNELS_INSIDE"
    ),
    "row-major FP8 pixels of x no multiple of 16 bytes": needs(
        "own: x FP8 ODD_PIXELS TORN_CHANNELS -CHANNELS_INSIDE"
    ),
    "row-major FP8 pixels of dy no multiple of 16 bytes": needs(
        "own: dy FP8 ODD_PIXELS TORN_CHANNELS -CHANNELS_INSIDE"
    ),
    "row-major volumes": needs("SINGLE", _VOLUME),
    "row-major volumes of few channels": needs("SINGLE", f"{_VOLUME}, w FEW"),
    "sum with a bias kept before an activation": needs(
        "THREE",
        "own: place FIRST",
        "Pointwise: place SECOND, pw_descriptor ADD",
        "Pointwise: place THIRD",
        "no Pointwise: ydesc COMPUTED",
    )
    | needs(
        "own: place FIRST",
        "Pointwise: place SECOND, pw_descriptor ADD",
        "Pointwise: place THIRD, pw_descriptor ADD, ydesc -COMPUTED",
        "Pointwise: place -FIRST -SECOND -THIRD",
    ),
    "tanh after a convolution": needs("ConvolutionForward", "Pointwise: pw_descriptor TANH_FWD"),
    # Products, and attention as a graph of products
    "FP8 with channels last alone at a low address": needs(
        "SINGLE", "own: x|w|dy LOW FP8 CHANNELS_INSIDE"
    ),
    "a single column": needs("ONE_PRODUCT", "own: cdesc ONE_COLUMN, bdesc -ONE_ROW"),
    "attention of two products": needs("TWO_PRODUCTS"),
    "attention with an array of two bytes by columns": needs(
        "TWO_PRODUCTS", "Pointwise: place EARLY, xdesc|bdesc BY_COLUMNS NARROW -COMPUTED"
    ),
    "matrices at low addresses before a product": needs(
        "ONE_PRODUCT",
        "no Matmul: place FIRST",
        f"{_READ} LOW_MATRIX",
        f"any: {_COMPARED} -COMPUTED SEVERAL LOW_MATRIX",
    ),
    "product at a low address": _compared("LOW"),
    "GEN_INDEX after one product": needs("ONE_PRODUCT", "Pointwise: pw_descriptor GEN_INDEX"),
    "attention's gradient without a mask beside 64 keys modulo 128, or one query": needs(
        *_UNMASKED
    ),
    "attention's gradient without a mask beside one query": needs(
        *_UNMASKED, "first Matmul: cdesc ONE_ROW"
    ),
    # A curved function of scores, or two that read them
    "attention's gradient with a curved function of scores": needs(
        "FIVE_PRODUCTS", "Pointwise: pw_descriptor EXP", "Pointwise: pw_descriptor -STRAIGHT"
    )
    | needs("FIVE_PRODUCTS", "Pointwise: pw_descriptor EXP", "first Matmul: scores TWICE"),
    "gaps after a convolution": needs("ONE_CONVOLUTION", f"own: {_POINTWISE} LOOSE -COMPUTED"),
    "gaps after a product": needs("ONE_PRODUCT", f"own: {_POINTWISE} LOOSE -COMPUTED"),
    "matrices of a batch within each other": _compared("INSIDE"),
    "more examples or heads than a grid has": needs(
        "SEVERAL_PRODUCTS", "first Matmul: cdesc MANY_HEADS"
    ),
    "more products than a grid has": _compared("MANY_MATRICES"),
    "number of one or two bytes beside a product or convolution": (
        _number_beside("Matmul: cdesc")
        | _number_beside("ConvolutionForward: y")
        | _number_beside("ConvolutionBackwardData: dx")
        | _number_beside("ConvolutionBackwardFilter: dw")
    ),
    "rows beside a product that are outputs": needs(
        "ONE_PRODUCT",
        "own: cdesc -ONE_ROW",
        "Pointwise: ydesc|dxdesc ONE_ROW SEVERAL -ONE_COLUMN -COMPUTED",
    ),
    "rows beside results by columns that are outputs": _row_beside_columns(
        "ydesc|dxdesc ONE_ROW SEVERAL -ONE_COLUMN -COMPUTED"
    ),
    "rows of few bytes beside results by columns": (
        _row_beside_columns(_ROW_OF_FEW_BYTES)
        | _row_beside_columns("ydesc|dxdesc ONE_ROW SEVERAL -FLOAT -COMPUTED")
    ),
    "rows of few bytes that operations read beside narrow results by columns": (
        _row_beside_columns(_ROW_OF_FEW_BYTES, f"any: {_MADE} NARROW -COMPUTED")
    ),
    # A softmax has both
    "several products without a sum and an exponential": needs("SEVERAL_PRODUCTS", "-Reduction")
    | needs("SEVERAL_PRODUCTS", "no Pointwise: pw_descriptor EXP"),
    "computed channels repeated": needs("ONE_CONVOLUTION", "Pointwise: reads SPREADS"),
    "computed rows or columns repeated": needs("ONE_PRODUCT", "Pointwise: reads SPREADS_MATRICES"),
    "copies and two computed operands": needs(
        "ONE_OF_BOTH", "Pointwise: pw_descriptor IDENTITY", "any: reads TWO_COMPUTED"
    ),
    "quotient, logarithm or reciprocal as an operand": (
        _divides_padding("adesc", "TO_A", "ONE_COLUMN", "TORN_COLUMNS")
        | _divides_padding("bdesc", "TO_B", "ONE_ROW", "TORN_ROWS")
    ),
    "rows or columns of a matrix repeated": _repeated(""),
    "elements of a vector repeated": _repeated("ONE_ROW") | _repeated("ONE_COLUMN"),
    "rows at no multiples of 16 bytes": _compared("ODD_ROWS"),
    # Pointwise operations alone, pooling, reductions and norms
    "more matrices or columns than a grid has": needs(
        "ONE_KIND", f"own: {_COMPARED} MATRICES MANY_ROWS -COMPUTED"
    ),
    "BFLOAT16 images with channels last": needs("own: xdesc BFLOAT16 CHANNELS_INSIDE"),
    "bias of another type than scale in inference": _bias_of_other_type("INFERENCE"),
    "bias of another type than scale in training": _bias_of_other_type("TRAINING"),
    "gradient of pooling without x and y": needs("own: no xdesc, no idxdesc"),
    "instance norm": needs("own: mode INSTANCE_NORM"),
    "instance norm beyond 2^31 elements": needs("own: xdesc ABOVE, mode INSTANCE_NORM"),
    "means of more images than a grid has": needs("own: xdesc MANY_MEANS, desc MEANS"),
    "means with padding after the pixels alone": needs("own: desc PADDED_MEANS UNEVEN"),
    "images of 8 bits": needs("own: xdesc|ydesc BYTE") | needs("own: xdesc|ydesc FP8"),
    "index of maxima": needs("own: idxdesc"),
    "interpolated bytes": needs("own: xdesc BYTE, desc -MAXPOOL -MEANS"),
    "interpolated volumes": needs("own: xdesc VOLUME, desc -MAXPOOL -MEANS"),
    "largest or smallest of several": needs("own: desc EXTREMES"),
    "maxima of FP8_E4M3": needs("own: xdesc FP8_E4M3, desc MAXPOOL"),
    "maxima in which NaN wins": _maxima("PROPAGATE_NAN"),
    "maxima in which numbers win over NaN": _maxima("NOT_PROPAGATE_NAN"),
    "more images than a grid has, in tiles": needs("own: ydesc MANY_TILES"),
    "statistics of another type than FLOAT": needs(
        "own: mode OVER_ROWS, mean_desc|inv_variance_desc -FLOAT"
    ),
    "ReLU after a product of FLOAT that NaN passes": needs("own: adesc FLOAT", _NAN_PASSES),
    "ReLU with a clip or slope beside a product": needs(
        "Matmul", "own: pw_descriptor RELU_FWD CLIPPED"
    ),
    "bytes that operations read around a convolution": needs(
        "ConvolutionForward", "own: xdesc BYTE, ydesc COMPUTED"
    )
    | needs("ConvolutionForward", "own: xdesc FP8, ydesc COMPUTED"),
    "MOD beside a product": needs("Matmul", "own: pw_descriptor MOD")
    | needs("ConvolutionForward", "own: pw_descriptor MOD"),
    "bytes that become FLOAT before a product": _becomes_float("BYTE") | _becomes_float("FP8"),
    "sum after a convolution": needs("ConvolutionForward", "own: desc SUM"),
    "sum after one product": needs("ONE_PRODUCT", "own: desc SUM"),
    "sums but for rows of 64 elements": needs(
        *("-Matmul", "-ConvolutionForward", "-ConvolutionBackwardData"),
        *("-ConvolutionBackwardFilter", "own: desc SUM, sums MANY_SUMMED"),
    ),
    "sums of more elements than a grid takes": needs("own: xdesc LONG, sums LONG_SUM"),
}
