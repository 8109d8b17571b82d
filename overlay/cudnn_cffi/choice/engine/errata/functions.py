"""Errata of C functions, and of pooling by any engine."""

from __future__ import annotations

from .record import ALIGNMENT, MAXIMUM_OF_GRID, functions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .record import Call

#: Maximum of elements of a row whose logarithms are right; 700 are wrong.
_SHORT_ROW = 512


def _is_maximum_of_many(call: Call) -> bool:
    is_many = call["channels"] > MAXIMUM_OF_GRID
    return is_many and "MAX" in call["mode"] and call["layout"] == "NCHW"


def _is_bfloat16_by_pixels(call: Call) -> bool:
    return call["type"] == "bfloat16" and call["layout"] == "NHWC"


def _is_elu_by_result(call: Call) -> bool:
    return call["mode"] == "ELU" and (call["coefficient"] != 1.0 or call["width"] == 2)


def _is_rounded_logarithm(call: Call) -> bool:
    is_far = call["mode"] == "CHANNEL" or call["count"] > _SHORT_ROW
    return call["width"] == 8 or (call["width"] == 4 and is_far)


def _is_low(call: Call) -> bool:
    return call["alignment"] < ALIGNMENT


def _reads_vectors(call: Call) -> bool:
    """Return whether a kernel for images of two bytes, or with channels innermost, reads them."""
    return call["layout"] == "NHWC" or call["width"] == 2


ERRATA = (
    *functions(
        ["pooling"],
        _is_bfloat16_by_pixels,
        "engines compute wrong numbers for bfloat16 with channels last",
    ),
    *functions(
        ["cudnnPoolingBackward"],
        _is_maximum_of_many,
        f"it cannot be launched for maxima of more than {MAXIMUM_OF_GRID:,} channels that are not "
        "innermost",
        workaround="describe some of the channels as images of their own",
    ),
    *functions(
        ["cudnnActivationBackward"],
        _is_elu_by_result,
        "it takes the gradient of ELU from the result: near 0 it is 1 if alpha is not, and for "
        "very negative inputs of two bytes it is rounded away",
        workaround="compute it in float32 or float64, with an alpha of 1",
    ),
    *functions(
        ["cudnnConvolutionBackwardBias"],
        _is_low,
        "it ends the context if dy or db is not at a multiple of 16 bytes",
        workaround="copy the arrays",
    ),
    *functions(
        ["cudnnSoftmaxForward"],
        _is_rounded_logarithm,
        "its logarithms over channels, of long rows, and of float64 are rounded as the largest "
        "number of a row: by 3e-5 for numbers of float32 near 1000",
        workaround="compute it again of the result, whose largest numbers are near 0",
    ),
    *functions(
        ["cudnnBatchNormalizationForwardTraining"],
        _reads_vectors,
        "it ends the context if images of two bytes, or with channels innermost, are not at "
        "multiples of 16 bytes",
        workaround="copy the images",
    ),
)
