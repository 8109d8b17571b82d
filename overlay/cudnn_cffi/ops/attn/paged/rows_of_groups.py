"""Several queries whose heads are rows of one product, so that keys are read once for a group.

No mask of cuDNN's lets each query see the keys up to its own, if there are several rows for each.
So a product and what follows it, one kernel, compute a bias from the lengths: a row's place less a
key's, in digits that bfloat16 has, is multiplied by a large number where it is below zero.
"""

from __future__ import annotations

from .... import arrays
from ...._ways.array_spec import Spec
from ...._ways.call_sequence import packed
from ...._ways.graph_draft import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....types import DTypeWord

#: The numbers below it are exact in bfloat16.
_DIGIT = 256
#: The digits of a key's place.
_DIGITS = 3
#: Places of keys below it have these digits, and are exact in float32.
MOST_KEYS = _DIGIT**_DIGITS
#: The extent that is summed: engines take multiples of 16 bytes.
SUMMED = 8
#: Scores of keys that are not seen are lower by it, for each key that lies between.
_FAR = 1e30
#: Maximum of bytes of a bias.
_MOST = 1 << 30


def folded(spec: Spec, heads: int) -> Spec:
    """Return queries, or their results, with the heads of a group as rows of one head, packed."""
    batch, all_heads, queries, width = spec.shape
    return packed((batch, heads, all_heads // heads * queries, width), spec)


def is_folded_in_place(spec: Spec) -> bool:
    """Return whether queries of a head follow each other, so that heads are further rows."""
    return spec.shape[2] == 1 or spec.strides[1] == spec.shape[2] * spec.strides[2]


def bias_of(q: Spec, keys: int) -> Spec | None:
    """Return the bias of queries in rows; None if it takes too much memory.

    Float16 has no number that is low enough, and infinity makes parts NaN whose keys none sees.
    """
    dtype: DTypeWord = "float32" if q.dtype == "float16" else "bfloat16"
    found = packed((q.shape[0], 1, q.shape[2], keys), q, dtype)
    size = q.shape[0] * q.shape[2] * keys * arrays.itemsize(dtype)
    return found if size <= _MOST and keys <= MOST_KEYS else None


def bias_draft(bias: Spec) -> Draft:
    """Return the graph of a bias: of the lengths, and of the digits of rows and of keys."""
    batch, _, rows, keys = bias.shape
    like = {"lengths": packed((batch, 1, 1), bias, "int32")}
    like["digits_of_rows"] = packed((batch, rows, SUMMED), bias, "bfloat16")
    like["digits_of_keys"] = packed((1, SUMMED, keys), bias, "bfloat16")
    draft = Draft(like, {"bias": packed((batch, rows, keys), bias)})
    lengths, ours, theirs = (draft.input(name) for name in like)
    graph = draft.graph
    seen = graph.min(graph.add(graph.matmul(ours, theirs), lengths), 0.0)
    draft.output(graph.mul(seen, _FAR), "bias")
    return draft


def digits_of_rows(bias: Spec, queries: int) -> bytes:
    """Return for each row which query it is, counted from the end, and ones."""
    batch, _, rows, _ = bias.shape
    numbers = [each for row in range(rows) for each in around_ones(row % queries - queries)]
    return arrays.encode_numbers(numbers, "bfloat16") * batch


def around_ones(number: int) -> list[int]:
    """Return the digits of a number, and ones, for a product with `digits_of_keys`."""
    low = number % _DIGIT
    return [low, *[1] * _DIGITS, number - low, *[0] * (SUMMED - 2 - _DIGITS)]


def digits_of_keys(keys: int) -> bytes:
    """Return the digits of each key's place, below zero, between ones."""
    ones = arrays.encode_numbers([1.0], "bfloat16") * keys
    found = [ones]
    for place in range(_DIGITS):
        each = _DIGIT**place
        codes = [arrays.encode_numbers([-digit * each], "bfloat16") for digit in range(_DIGIT)]
        needed = codes[: -(-keys // each)]
        cycle = b"".join([code * each for code in needed])
        found.append((cycle * -(-2 * keys // len(cycle)))[: 2 * keys])
    found += [ones, bytes(2 * keys * (SUMMED - 2 - _DIGITS))]
    return b"".join(found)


def digits_of_places(places: list[int]) -> bytes:
    """Return the same for some places."""
    found: list[int] = [1] * len(places)
    for place in range(_DIGITS):
        each = _DIGIT**place
        found += [-(value // each % _DIGIT) * each for value in places]
    found += [0] * len(places) * (SUMMED - 1 - _DIGITS)
    return arrays.encode_numbers(found, "bfloat16")
