"""A few queries over pages by kernels of this package, where they are faster than engines."""

from __future__ import annotations

import math
from collections.abc import Mapping

from .... import driver, errors
from ...._operation.way_search import limited_filters
from ...._ways.array_spec import Spec
from ...._ways.call_sequence import Steps
from ...._ways.case import HALVES, Case
from ....choice import measured
from ....choice.policy import Rule
from ....kernels import OneQuery, can_compile
from ....kernels.last_queries import MOST_ROWS, LastQueries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...._ways.classic_call import Classic
    from ...._ways.signatures import Handle

#: The bytes that addresses are multiples of, and the elements that steps are multiples of.
_ALIGNED, _STEP = 16, 8


def by_kernel(
    steps: Steps, case: Case, options: Mapping[str, Any], rule: Rule, handle: Handle
) -> Classic | None:
    """Return the call of a kernel; None where none computes a case, or engines are faster.

    Args:
        steps: what comes before it.
        case: the arrays of the call.
        options: of the operation.
        rule: how to choose.
        handle: where it runs.
    """
    if not (
        _is_asked(rule)
        and _takes(case, options)
        and measured.holds(handle.device)
        and handle._context == driver.primary_context(handle.device)  # where kernels are loaded
    ):
        return None
    q, k, table = (case.inputs[name] for name in ("q", "k", "page_table"))
    batch, heads, queries, width = q.shape
    _, kv_heads, page, _ = k.shape
    scale = options["scale"] or 1 / math.sqrt(width)
    keys = options["max_length"] or table.shape[1] * page
    is_one = queries == 1 and _is_short(case, keys)
    if queries == 1 and not is_one and not _is_long(case, keys):
        return None
    arrays = "q", "k", "v", "page_table", "lengths"
    try:
        if is_one:
            one = OneQuery(
                batch, heads, kv_heads, width, page, table.shape[1], q.dtype, scale=scale,
                waits=True, device=handle.device,
            )  # fmt: skip
            steps.kernel(one.launch, *one.words(*arrays, 0, "o", *k.strides[:3]))
        else:
            blocks = driver.attribute(handle.device, driver.MULTIPROCESSORS)
            several = LastQueries(
                batch, queries, heads, kv_heads, width, page, table.shape[1], q.dtype, scale=scale,
                blocks=blocks, device=handle.device,
            )  # fmt: skip
            rooms = map(steps.room, ("parts", "sums"), several.sizes)
            strides = (*q.strides[:3], *case.outputs["o"].strides[:3], *k.strides[:3])
            words = several.words(*arrays, "o", *rooms, *strides)
            for launch in several.launches:
                steps.kernel(launch, *words)
    except errors.NotSupportedError:
        return None
    steps.align(dict.fromkeys(("q", "k", "v", "o"), _ALIGNED))
    name = OneQuery.__name__ if is_one else LastQueries.__name__
    made = steps.classic(algorithm=f"kernels.{name}")
    limit: Any = limited_filters(rule, handle).get("workspace_limit")
    return None if limit is not None and made.workspace_size > limit else made


def _most_keys(page: int) -> int:
    """Return the most keys of which the kernel of one query is faster than engines."""
    is_small = page < measured.DECODED_PAGE
    return measured.SMALL_PAGED_KEYS if is_small else measured.FEW_DECODED_KEYS


def _is_short(case: Case, keys: int) -> bool:
    """Return whether the kernel of one query computes it, and is faster than engines."""
    q, k, o = case.inputs["q"], case.inputs["k"], case.outputs["o"]
    rows = q.shape[0] * k.shape[1]
    is_small = rows <= measured.FEW_DECODED and keys <= _most_keys(k.shape[2])
    return is_small and q.is_in_c_order and o.is_in_c_order


def _is_long(case: Case, keys: int) -> bool:
    """Return whether the kernels of several queries are faster than engines for one query, too."""
    q, k = case.inputs["q"], case.inputs["k"]
    return (
        (q.shape[0], k.shape[1], q.shape[3]) == measured.LONG_DECODED
        and k.shape[2] >= measured.DECODED_PAGE
        and _most_keys(k.shape[2]) < keys <= measured.LONG_DECODED_KEYS
    )


def _is_asked(rule: Rule) -> bool:
    """Return whether a rule leaves it to this package what computes."""
    return (
        rule.pick == "heuristic"
        and rule.via is None
        and rule.tensor_cores is not False
        and can_compile()
    )


def _takes(case: Case, options: Mapping[str, Any]) -> bool:
    """Return whether kernels compute a case at all."""
    q, k, v, o = (*[case.inputs[name] for name in "qkv"], case.outputs["o"])
    _, heads, queries, width = q.shape
    kv_heads = k.shape[1]
    return (
        q.dtype in HALVES
        and "sink" not in case.inputs
        and not options["stats"]
        and options["window"] is None
        and options["soft_cap"] is None
        and width == k.shape[3] == v.shape[3]
        and heads % kv_heads == 0
        and heads // kv_heads * queries <= MOST_ROWS.get(width, 0)
        and (queries > 1 or heads // kv_heads <= _STEP)
        and k.strides == v.strides
        and all(map(_is_even, (q, k, v, o)))
    )


def _is_even(spec: Spec) -> bool:
    """Return whether rows rise by multiples of 16 bytes, and have their numbers side by side."""
    *steps, last = spec.strides
    are_even = all(step >= 0 and step % _STEP == 0 for step in steps)
    return last == 1 and spec.alignment >= _ALIGNED and are_even
