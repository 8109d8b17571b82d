"""Attention of arrays whose lengths change, by a plan for greater ones.

cuDNN compiles an engine of attention for each pair of lengths. So lengths are rounded up to those
of a bucket, arrays are copied to the workspace, where zeros follow, and the plan gets the lengths.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ... import arrays
from ..._operation.way_search import may_differ
from ..._ways.alignment import MAXIMUM_COPY
from ..._ways.array_spec import Spec, in_front
from ..._ways.call_sequence import Steps
from ..._ways.case import Case, Way, is_deterministic, plan_of
from ..._ways.classic_call import Classic, describe
from ...choice.policy import Rule

#: The axes with the lengths of queries and of keys: of the arrays that have them.
_QUERIES = {**dict.fromkeys(("q", "o", "do", "dq", "stats"), 2), "bias": 2}
_KEYS = {**dict.fromkeys(("k", "v", "dk", "dv"), 2), "bias": 3}

_LONG = frozenset({*_QUERIES, *_KEYS})

#: The arrays that a plan for other lengths may have.
_TAKEN = frozenset({*_LONG, "seq_len_q", "seq_len_kv", "alibi", "sink"})

#: Options that depend on the lengths of arrays, or on all elements of the scores.
_FIXED = ("window", "score", "score_backward", "dbias", "dsink", "deterministic")


#: The number of lengths of a kind that get engines of their own. Another one takes 0.07 s if the
#: driver's cache has the kernel. The first plan of a bucket takes 0.8 s (H200, 9.19).
EXACT = 8


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
    """Return whether results are the same where zeros follow the arrays."""
    specs = {**case.inputs, **case.outputs}
    return (
        specs.keys() <= _TAKEN
        and specs["q"].dtype in ("float16", "bfloat16")
        and not options["dropout"]
        and options["causal"] in (False, True, "top_left")
        and options["diagonal"] == "top_left"
        and options["form"] is None
        and not any(options.get(name) for name in _FIXED)
        and all(len(each.shape) == 4 for name, each in specs.items() if name in _LONG)
        and not any(0 in each.strides for each in specs.values())
    )


def in_bucket(case: Case, bucket: Lengths, find: Callable[[Case], Way]) -> Classic | None:
    """Return what computes a case by a plan for the lengths of a bucket; None for large arrays.

    Args:
        case: what is computed.
        bucket: the lengths.
        find: returns a way to compute a case with arrays of these lengths.

    Raises:
        NotSupportedError: there is none.
    """
    q, k = case.inputs["q"], case.inputs["k"]
    own = Lengths(q.shape[2], k.shape[2])
    inputs = {name: _widened(name, each, bucket) for name, each in case.inputs.items()}
    outputs = {name: _widened(name, each, bucket) for name, each in case.outputs.items()}
    whole = {**inputs, **outputs}
    if any(_bytes(each) >= MAXIMUM_COPY for each in whole.values()):
        return None
    steps = Steps(case.inputs, case.outputs)
    names = {name: name for name in whole}
    for name, length in zip(("seq_len_q", "seq_len_kv"), own, strict=True):
        if name not in inputs:
            inputs[name] = Spec("int32", (q.shape[0],), (1,), q.device)
            names[name] = steps.whole_numbers(name, q.shape[0], length)
    for name, each in case.inputs.items():
        if whole[name] != each:
            names[name] = room = steps.room(f"longer {name}", whole[name])
            if name != "q" or "do" in inputs:  # results of further queries are left out
                steps.zero(room, _bytes(whole[name]))  # NaN times zero is NaN
            _copy(steps, name, each, room, whole[name], forth=True)
    for name, each in case.outputs.items():
        if whole[name] != each:
            names[name] = steps.room(f"longer {name}", whole[name])
    way = find(case._replace(inputs=inputs, outputs=outputs))
    steps.way(way, names)
    for name, each in case.outputs.items():
        if whole[name] != each:
            _copy(steps, name, each, names[name], whole[name], forth=False)
    made = steps.classic(deterministic=is_deterministic(way))
    made.core = plan_of(way)
    made.detail = f" for {bucket.q} queries and {bucket.kv} keys"
    return made


def _widened(name: str, spec: Spec, bucket: Lengths) -> Spec:
    """Return an array with the lengths of a bucket, its axes in the same order."""
    shape = list(spec.shape)
    for axes, length in ((_QUERIES, bucket.q), (_KEYS, bucket.kv)):
        if name in axes and (name != "bias" or shape[axes[name]] > 1):
            shape[axes[name]] = length
    if tuple(shape) == spec.shape:
        return spec
    order = sorted(range(4), key=lambda axis: (-spec.strides[axis], axis))
    strides = arrays.ordered_strides(shape, order)
    return spec._replace(shape=tuple(shape), strides=strides, alignment=16)


def _copy(steps: Steps, name: str, own: Spec, room: str, longer: Spec, forth: bool) -> None:
    """Add a copy of an array to the begin of a longer one, or back."""
    width = arrays.itemsize(own.dtype)
    changed = [axis for axis in range(4) if own.shape[axis] != longer.shape[axis]]
    inside = [axis for axis in range(4) if own.strides[axis] <= own.strides[changed[0]]]
    rows = math.prod(own.shape) // math.prod([own.shape[axis] for axis in inside])
    if len(changed) == 1 and own.is_dense:
        short, long = (
            math.prod([each.shape[axis] for axis in inside]) * width for each in (own, longer)
        )
        ends = (name, room, rows, short, short, long)
        steps.copy_rows(*ends if forth else (room, name, rows, short, long, short))
        return
    view = own._replace(strides=longer.strides)  # the begin of the longer one
    source, target = (describe(in_front(each, 4)) for each in (own, view))
    if forth:
        steps.call("cudnnTransformTensor", 1.0, source, name, 0.0, target, room)
    else:
        steps.call("cudnnTransformTensor", 1.0, target, room, 0.0, source, name)


def _bytes(spec: Spec) -> int:
    return (arrays.last_offset(spec.shape, spec.strides) + 1) * arrays.itemsize(spec.dtype)
