"""Conditions for attention as a graph of products, "composite", and for all its forms."""

from __future__ import annotations

from ..record import ALIGNMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..record import Call


#: The lowest normal number of FLOAT above zero: kernels take smaller ones as zero.
LEAST_SCALE = 2.0**-126


def _is_scale_below(call: Call) -> bool:
    return call["scale"] < LEAST_SCALE


def _spills(call: Call) -> bool:
    """Return whether engines for the gradient let scores take part that are none.

    They compute tiles of 128 keys. Without a mask, those of the last tile that are none have the
    score 0 if there are 64, as have queries beside a single one, so that their exponential is
    infinite if a row's statistics are low. All others are -inf before a function changes them.
    """
    queries, keys = call["queries"], call["keys"]
    if call["changes_scores"]:
        return queries == 1 or keys % 128 > 0
    return not call["banded"] and keys % 64 == 0 and (queries == 1 or keys % 128 > 0)


def _ends_within_tile(call: Call) -> bool:
    """Return whether tiles of 128 queries and 128 keys have elements that are no scores."""
    return bool(call["lengths"] or call["queries"] % 128 or call["keys"] % 128)


def _has_slopes_outside(call: Call) -> bool:
    """Return whether such slopes of what is beside the scores take part; no mask helps."""
    keys, is_torn = call.get("keys", 0), call.get("queries") == 1
    if call.get("lengths"):
        is_torn = bool(call.get("nan_scores")) and keys % 64 > 0
    else:
        is_torn = is_torn or keys % 128 > 0
    return bool(call.get("infinite_slopes") and is_torn)


def _has_gradient_elsewhere(call: Call) -> bool:
    return call.get("do") != call.get("o")


def _has_odd_steps(call: Call) -> bool:
    """Return whether rows, heads or examples of an array begin where engines cannot read."""
    return any(step % ALIGNMENT for step in call.get("steps", ()))


def _is_fp8_of_odd_length(call: Call) -> bool:
    return bool(call.get("fp8") and call.get("queries", 0) % 16)


def _is_long_window_to_the_left(call: Call) -> bool:
    return bool(call.get("left_alone") and call.get("keys", 0) > 1024)


def _drops_of_one_query(call: Call) -> bool:
    is_dropped = call.get("dropout") and call.get("queries") == 1
    return bool(is_dropped and call.get("keys", 0) > 200)


def _has_sink_and_rows(call: Call) -> bool:
    return bool(call.get("sink") and call.get("rows"))


def _has_mask_of_float(call: Call) -> bool:
    return bool(call.get("float") and call.get("dropout_mask"))


def _drops_float(call: Call) -> bool:
    return bool(call.get("float") and call.get("dropout") and call.get("in_parts"))


def _is_one_query_of_float(call: Call) -> bool:
    return bool(call.get("float") and call.get("queries") == 1 and call.get("grouped"))


def _is_bias_of_examples(call: Call) -> bool:
    """Return whether each of several examples has a bias, the same for all its scores of a head."""
    batch, _heads, rows, columns = call.get("bias", (1, 1, 1, 1))
    return batch > 1 and rows == columns == 1


def _has_dropout_mask(call: Call) -> bool:
    return bool(call.get("dropout_mask"))


def _has_flat_bias(call: Call) -> bool:
    return bool(call.get("flat_bias"))


def _is_sink_with_dropout(call: Call) -> bool:
    return bool(call.get("dropout") and call.get("dsink"))


def _compares_indices(call: Call) -> bool:
    """Return whether a function of scores compares indices, or has them beside other options."""
    return bool(call.get("score_indices"))


def _loses_scores(call: Call) -> bool:
    """Return whether a function of scores reads an array that engines read wrongly."""
    return bool(call.get("score_lost"))


def _scales_dbias(call: Call) -> bool:
    return bool(call.get("dbias") and call.get("changes_scores"))


def _has_lengths(call: Call) -> bool:
    """Return whether engines leave an array unwritten; for one query of pages they write zeros."""
    is_written = call.get("one_paged_query") and call.get("array") == "o"
    return bool(call.get("lengths") and not is_written)


CONDITIONS = {
    "FLOAT of one query with shared heads": _is_one_query_of_float,
    "FLOAT with dropout": _drops_float,
    "FLOAT with dropout_mask": _has_mask_of_float,
    "FP8 queries no multiple of 16": _is_fp8_of_odd_length,
    "bias of one element for each example": _is_bias_of_examples,
    "dbias with score or a scale": _scales_dbias,
    "do with other strides than o": _has_gradient_elsewhere,
    "dropout of one query": _drops_of_one_query,
    "dropout_mask": _has_dropout_mask,
    "flat bias": _has_flat_bias,
    "gradient of a sink with dropout": _is_sink_with_dropout,
    "indices in score": _compares_indices,
    "lengths": _has_lengths,
    "infinite slopes beside scores": _has_slopes_outside,
    "rows at odd steps": _has_odd_steps,
    "scale of zero or below, or subnormal": _is_scale_below,
    "scores beside those of attention's gradient": _spills,
    "scores that end within a tile": _ends_within_tile,
    "sink with return_rows": _has_sink_and_rows,
    "arrays that are lost in score": _loses_scores,
    "window of more than 1024 keys to the left": _is_long_window_to_the_left,
}
