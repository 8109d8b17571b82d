"""Attention of arrays whose lengths change, by a plan for greater ones.

cuDNN compiles an engine of attention for each pair of lengths. So lengths are rounded up to those
of a bucket. Its plan has ragged arrays: it reads where each sequence begins and how long it is, so
that arrays are read and written where they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ... import arrays
from ..._operation.way_search import may_differ
from ..._ways.alignment import MAXIMUM_COPY
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps
from ..._ways.case import Case, Way, is_deterministic, plan_of
from ..._ways.classic_call import Classic
from ...choice.policy import Rule
from ...graph.attn.checks import QUERY_ROWS, ROWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Handle

#: The arrays that have the same offsets.
_SHARED = {
    "offsets_q": ("q", "dq"), "offsets_k": ("k", "dk"), "offsets_v": ("v", "dv"),
    "offsets_o": ("o", "do"),
}  # fmt: skip

#: The arrays with a number for each head, which heads that are examples of the plan cannot have.
_OF_HEADS = ("alibi", "sink")

#: The arrays that a plan for other lengths may have.
_TAKEN = frozenset({*ROWS, "stats", "bias", *_OF_HEADS})

#: Options that depend on the lengths of arrays, or on all elements of the scores.
_FIXED = ("window", "score", "score_backward", "dbias", "dsink", "deterministic")

#: The number of lengths of a kind that get engines of their own: the same ones in each run of a
#: program. Another one takes 0.07 s if the driver's cache has the kernel, and 5 to 30 us less than
#: the plan of a bucket in each call. The first plan of a bucket takes 1 s (H200, 9.19).
EXACT = 8

#: Offsets are int32.
_TOO_FAR = 1 << 31


class Lengths(NamedTuple):
    """The lengths of queries and of keys."""

    q: int
    kv: int


def round_up(length: int) -> int:
    """Return the length of the bucket of a length: at most a quarter, or 64, more.

    One query stays one, for which cuDNN has engines of their own.
    """
    if length == 1:
        return 1
    step = max(64, 1 << max((length - 1).bit_length() - 3, 0))
    return -(-length // step) * step


def find_bucket(
    options: Mapping[str, object], case: Case, rule: Rule, first: dict[object, dict[object, bool]]
) -> Lengths | None:
    """Return the lengths of the bucket of a case; None if it gets a plan of its own.

    The first lengths of a kind do, and those that fill their buckets.

    Args:
        options: of the operation.
        case: its arrays.
        rule: how it is computed.
        first: the first lengths by kind, which the case's are added to.
    """
    if not may_differ(rule) or not _is_fit(options, case):
        return None
    q, k = case.inputs["q"], case.inputs["k"]
    own = Lengths(q.shape[2], k.shape[2])
    kept = q.shape[:2], k.shape[1], q.shape[3], case.inputs["v"].shape[3]
    known = first.setdefault(case.kind_of(kept), {})
    if own in known or len(known) < EXACT:
        known[own] = True
        return None
    bucket = Lengths(round_up(own.q), round_up(own.kv))
    return None if bucket == own else bucket


def _is_fit(options: Mapping[str, object], case: Case) -> bool:
    """Return whether a plan for greater lengths computes the same."""
    specs = {**case.inputs, **case.outputs}
    stats = specs.get("stats")
    return (
        specs.keys() <= _TAKEN
        and specs["q"].dtype in ("float16", "bfloat16")
        and not options["dropout"]
        and options["causal"] in (False, True, "top_left")
        and options["diagonal"] == "top_left"
        and options["form"] is None
        and not any(options.get(name) for name in _FIXED)
        and all(len(each.shape) == 4 for name, each in specs.items() if name not in _OF_HEADS)
        and not any(0 in each.strides for each in specs.values())
        and (stats is None or stats.is_in_c_order)
    )


class _Layout(NamedTuple):
    """Heads and examples as the plan of a bucket has them."""

    has_heads: bool
    batch: int
    #: Heads of queries.
    heads: int

    def ragged(self, spec: Spec, length: int) -> Spec:
        """Return an array whose sequences have at most a length, as the plan declares it."""
        heads = spec.shape[1] if self.has_heads else 1
        step = spec.strides[1] if heads > 1 else spec.shape[3]
        return spec._replace(
            shape=(self.batch * length, heads, spec.shape[3]),
            strides=(spec.strides[2], step, spec.strides[3]),
        )

    def begins(self, spec: Spec) -> tuple[int, ...]:
        """Return where sequences begin, and the end of the last one, in elements."""
        (batch, heads, length, _), (of_batch, of_head, of_row, _) = spec.shape, spec.strides
        if self.has_heads:
            found = [row * of_batch for row in range(batch)]
        else:
            times = self.heads // heads
            found = [
                row * of_batch + head * of_head
                for row in range(batch) for head in range(heads) for _ in range(times)
            ]  # fmt: skip
        return (*found, found[-1] + length * of_row)


def _layout_of(specs: Mapping[str, Spec]) -> _Layout | None:
    """Return how a plan can see the arrays; None if none can.

    The steps between heads are part of a plan, and those between examples are not. So heads that
    are a length apart become examples.
    """
    bias, (batch, heads) = specs.get("bias"), specs["q"].shape[:2]
    rows = [each for name, each in specs.items() if name in ROWS]
    if all(each.shape[1] == 1 or each.strides[1] < each.strides[2] for each in rows):
        return _Layout(True, batch, heads)
    is_shared = any(specs[name].shape[1] < heads for name in "kv")
    if (is_shared and "dk" in specs) or any(name in specs for name in _OF_HEADS):
        return None
    if bias is not None and bias.shape[:2] not in ((1, 1), (batch, heads)):
        return None  # an example of the plan has one bias
    return _Layout(False, batch * heads, heads)


def in_bucket(
    case: Case, bucket: Lengths, handle: Handle, find: Callable[[Case], Way]
) -> Classic | None:
    """Return what computes a case by a plan for the lengths of a bucket; None if none can.

    Args:
        case: what is computed.
        bucket: the lengths.
        handle: where the lengths are kept in device memory.
        find: returns a way to compute a case with ragged arrays of these lengths at most.

    Raises:
        NotSupportedError: there is none, or the stream is captured.
    """
    specs = {**case.inputs, **case.outputs}
    layout = _layout_of(specs)
    if layout is None:
        return None
    q, k = specs["q"], specs["k"]
    own = Lengths(q.shape[2], k.shape[2])
    numbers: dict[str, tuple[int, ...]] = {
        "seq_len_q": (own.q,) * layout.batch, "seq_len_kv": (own.kv,) * layout.batch,
    }  # fmt: skip
    for name, sharing in _SHARED.items():
        found = {layout.begins(specs[each]) for each in sharing if each in specs}
        if len(found) != 1:
            return None
        (numbers[name],) = found
        if max(numbers[name]) >= _TOO_FAR:
            return None
    inputs = {name: _longer(name, each, bucket, layout) for name, each in case.inputs.items()}
    outputs = {name: _longer(name, each, bucket, layout) for name, each in case.outputs.items()}
    for name, values in numbers.items():
        inputs[name] = Spec("int32", (len(values),), (1,), q.device)
    way = find(case._replace(inputs=inputs, outputs=outputs))
    steps, names = Steps(case.inputs, case.outputs), {name: name for name in (*inputs, *outputs)}
    first = {values: name for name, values in reversed(numbers.items())}  # equal ones are kept once
    names |= {name: first[values] for name, values in numbers.items()}
    steps.whole_constants(handle, {name: values for values, name in first.items()})
    for name, each in case.inputs.items():
        if name in ("stats", "bias") and not _is_kept(each, inputs[name]):
            names[name] = room = steps.room(f"longer {name}", inputs[name])
            size = math.prod(inputs[name].shape) * arrays.itemsize(each.dtype)
            if size >= MAXIMUM_COPY:
                return None
            steps.zero(room, size)  # NaN times zero is NaN
            _copy(steps, name, each, room, inputs[name])
    stats = case.outputs.get("stats")
    if stats is not None and not _is_kept(stats, outputs["stats"]):
        names["stats"] = steps.room("longer stats", outputs["stats"])
    steps.way(way, names)
    if stats is not None and names["stats"] != "stats":
        rows = stats.shape[0] * stats.shape[1]
        steps.copy_rows(names["stats"], "stats", rows, 4 * own.q, 4 * bucket.q, 4 * own.q)
    made = steps.classic(deterministic=is_deterministic(way))
    made.core = plan_of(way)
    made.detail = f" for {bucket.q} queries and {bucket.kv} keys"
    return made


def _longer(name: str, spec: Spec, bucket: Lengths, layout: _Layout) -> Spec:
    """Return an array as the plan of a bucket has it."""
    if name in _OF_HEADS:
        return spec
    if name in ROWS:
        return layout.ragged(spec, bucket.q if name in QUERY_ROWS else bucket.kv)
    batch, heads, queries, keys = spec.shape
    if not layout.has_heads:
        batch, heads = batch * heads, 1
    wide = name == "stats" or queries > 1
    shape = batch, heads, bucket.q if wide else 1, bucket.kv if keys > 1 else 1
    return Spec(spec.dtype, shape, arrays.packed_strides(shape), spec.device)


def _is_kept(own: Spec, longer: Spec) -> bool:
    """Return whether an array has the same elements in memory as one with other extents."""
    return own.shape[2:] == longer.shape[2:] and own.is_in_c_order


def _copy(steps: Steps, name: str, own: Spec, room: str, longer: Spec) -> None:
    """Add a copy of an array to the begins of rows of a longer one."""
    *_, queries, keys = own.shape
    width = arrays.itemsize(own.dtype)
    if own.is_in_c_order and 1 in (queries, keys):
        rows = own.shape[0] * own.shape[1]
        short, long = queries * keys * width, math.prod(longer.shape[2:]) * width
        steps.copy_rows(name, room, rows, short, short, long)
        return
    strides = arrays.packed_strides((*own.shape[:2], *longer.shape[2:]))
    steps.copy(own, name, own._replace(strides=strides), room)
