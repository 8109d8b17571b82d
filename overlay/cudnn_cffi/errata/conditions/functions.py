"""Conditions for calls of C functions, and of pooling by any engine."""

from __future__ import annotations

from ..record import ALIGNMENT, MAXIMUM_OF_GRID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..record import Call

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


CONDITIONS = {
    "array of a call at a low address": _is_low,
    "bfloat16 with channels last": _is_bfloat16_by_pixels,
    "gradient of ELU from its result": _is_elu_by_result,
    "images that kernels read by vectors": _reads_vectors,
    "logarithms over channels, of long rows, of float64": _is_rounded_logarithm,
    "maxima of many channels": _is_maximum_of_many,
}
