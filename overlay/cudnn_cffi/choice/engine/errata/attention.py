"""Errata of attention as a graph of products, "composite", and of all forms of attention.

The symptoms of the composite's are the requests that it computes wrongly, as errors list them.
"""

from __future__ import annotations

from .record import ALIGNMENT, MEASURED, Erratum, functions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .record import Call

_FORWARD, _BACKWARD = "attention", "attention_backward"
_BOTH = (_FORWARD, _BACKWARD)
_OF_RELEASE = "of the release, not measured"
_PARTS = "build several plans, as `ops` do"


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


def _scales_dbias(call: Call) -> bool:
    return bool(call.get("dbias") and call.get("changes_scores"))


def _composite(
    kinds: tuple[str, ...],
    applies: Callable[[Call], bool],
    request: str,
    evidence: str = MEASURED,
    workaround: str = "",
    first: int | None = None,
    last: int | None = None,
) -> list[Erratum]:
    subjects = [f"{kind} composite" for kind in kinds]
    return [
        Erratum(subject, None, applies, request, evidence, workaround, first, last)
        for subject in subjects
    ]


#: Arrays with repeated elements beside a bias, which no form of attention takes.
REPEATED = Erratum(
    _FORWARD,
    None,
    lambda call: bool(call.get("repeats")),
    "cuDNN ends the process if an array beside a bias has repeated elements",
    workaround="copy it",
)

ERRATA = (
    REPEATED,
    *functions(
        _BOTH,
        lambda call: bool(call.get("lengths")),
        "engines do not write results and statistics of an example without keys, nor gradients of "
        "its keys and values",
        workaround="fill them first",
    ),
    *functions(
        [_BACKWARD],
        _has_gradient_elsewhere,
        "engines read the gradient of the result with the strides of the result",
        "PyTorch copies it for releases before 9.5.1",
        "copy do to the layout of o",
        last=90500,
    ),
    *functions(
        _BOTH,
        _has_odd_steps,
        "engines read q, k, v and do beside their elements, or end the context, if rows, heads "
        "or examples are not multiples of 16 bytes apart",
        workaround="copy the array",
    ),
    *functions(
        [_BACKWARD],
        _is_fp8_of_odd_length,
        "half of the gradients of the last queries are not written if queries of FP8 are not a "
        "multiple of 16",
        workaround="pad q, o, do and stats to a multiple of 16 queries, and pass seq_len_q",
    ),
    *_composite(
        _BOTH,
        lambda _: True,
        "attention, wrong in this release,",
        _OF_RELEASE,
        first=91000,
        last=91001,
    ),
    *_composite(
        _BOTH,
        _is_long_window_to_the_left,
        "a window to the left of more than 1024 keys, wrong in this release,",
        _OF_RELEASE,
        first=91400,
        last=91400,
    ),
    *_composite(
        _BOTH,
        _drops_of_one_query,
        "dropout of one query and more than 200 keys",
        f"engines read outside of their memory, or use another mask than they return: {MEASURED}",
    ),
    *_composite(
        _BOTH,
        _has_sink_and_rows,
        "return_rows with a sink, wrong before,",
        _OF_RELEASE,
        last=92099,
    ),
    *_composite(
        _BOTH,
        _has_mask_of_float,
        "FLOAT with dropout_mask",
        f"the engine that takes it writes NaN: {MEASURED}",
    ),
    *_composite(
        (_FORWARD,),
        _drops_float,
        "FLOAT dropout",
        "the kernels of the engine that takes it do not compile with 9.12 to 9.28",
    ),
    *_composite(
        (_FORWARD,),
        _is_bias_of_examples,
        "a bias of one element for each example",
        f"engines add a wrong one, also for one element for each of their heads: {MEASURED}",
        _PARTS,
    ),
    *_composite((_BACKWARD,), _has_dropout_mask, "dropout_mask", workaround=_PARTS),
    *_composite(
        (_BACKWARD,),
        _has_flat_bias,
        "a bias that is repeated along queries or keys",
        workaround=_PARTS,
    ),
    *_composite(
        (_BACKWARD,),
        _is_sink_with_dropout,
        "the gradient of a sink with dropout",
        f"it comes out multiplied by 1 - dropout: {MEASURED}",
        _PARTS,
    ),
    *_composite(
        (_BACKWARD,),
        _scales_dbias,
        "dbias with score or a scale of zero or below",
        f"it comes out multiplied by the scale: {MEASURED}",
    ),
)
