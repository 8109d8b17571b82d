"""Several queries of few sequences: parts of their keys are sequences, so that the device is full.

Each part has its own pages, and as many keys of the sequence as are left. Its result has the weight
that the sum of its exponentials has among those of all parts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ... import arrays
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case
from ..._ways.classic_call import describe
from ..._ways.graph_draft import Draft
from .rows_of_groups import bias_of, digits_of_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._ways.case import Way
    from ..._ways.signatures import Handle

#: The blocks that fill a device.
_FULL = 128
#: Parts have this number of keys at least.
_LEAST = 256
#: Fewer parts do not pay for what adds them.
_FEWEST = 4
#: The statistics of a part without keys: its weight is zero, also where no part has keys.
_NOTHING = -1e30


class Parts(NamedTuple):
    """The number of parts of each sequence, and of the keys of a part."""

    number: int
    keys: int


def parts_of(batch: int, heads: int, blocks: int, page: int) -> Parts | None:
    """Return the parts of sequences; None where they would not pay, or do not fit pages."""
    count = 1
    while (
        2 * count * batch * heads <= _FULL
        and blocks % (2 * count) == 0
        and blocks // (2 * count) * page >= _LEAST
    ):
        count *= 2
    return Parts(count, blocks // count * page) if count >= _FEWEST else None


def in_parts(inner: Case, parts: Parts) -> Case | None:
    """Return a case of queries in rows with parts of sequences; None if its bias is too large."""

    def further(spec: Spec) -> Spec:
        return packed((spec.shape[0] * parts.number, *spec.shape[1:]), spec)

    inputs, outputs = dict(inner.inputs), dict(inner.outputs)
    table = inputs["page_table"]
    inputs |= {name: further(inputs[name]) for name in ("q", "lengths", "rows")}
    shape = table.shape[0] * parts.number, table.shape[1] // parts.number
    inputs["page_table"] = packed(shape, table)
    bias = bias_of(inputs["q"], parts.keys)
    if bias is None:
        return None
    inputs["bias"], outputs["o"] = bias, further(outputs["o"])
    outputs["stats"] = packed((*outputs["o"].shape[:3], 1), outputs["o"], "float32")
    return inner._replace(inputs=inputs, outputs=outputs, call={**inner.call, "keys": parts.keys})


def lengths_draft(lengths: Spec, parts: Parts) -> Draft:
    """Return the graph of what is left of sequences where parts begin, and of their lengths."""
    batch = lengths.shape[0]
    like = {"lengths": packed((batch, 1, 1), lengths)}
    like["ones"] = packed((batch, 1, 8), lengths, "bfloat16")
    like["begins"] = packed((1, 8, parts.number), lengths, "bfloat16")
    result = packed((batch, 1, parts.number), lengths)
    draft = Draft(like, {"left": result, "own": result})
    given, ones, begins = (draft.input(name) for name in like)
    graph = draft.graph
    left = graph.add(graph.matmul(ones, begins), given)
    draft.output(graph.identity(left), "left")
    draft.output(graph.min(graph.max(left, 0.0), float(parts.keys)), "own")
    return draft


def sum_draft(o: Spec, batch: int) -> Draft:
    """Return the graph of the sum of the results of parts by their weights."""
    parts, (heads, rows, width) = o.shape[0] // batch, o.shape[1:]
    like = {"results": packed((batch, parts, heads * rows, width), o)}
    like["weights"] = packed((batch, parts, heads * rows, 1), o, "float32")
    shape = batch, 1, heads * rows, width
    draft = Draft(like, {"sum": packed(shape, o)})
    results, weights = (draft.input(name) for name in like)
    product = draft.graph.mul(results, weights)
    draft.output(draft.graph.reduction(product, "ADD", shape=shape), "sum")
    return draft


def add_parts(
    steps: Steps,
    case: Case,
    parts: Parts,
    way: Way,
    add_bias: Callable[[str], str],
    handle: Handle,
    o: str,
) -> None:
    """Add the steps of queries in rows by a way to compute parts.

    Args:
        steps: what they are added to.
        case: that of the parts.
        parts: what they are.
        way: computes them.
        add_bias: adds the steps of the bias, by the name of lengths.
        handle: where constants are kept.
        o: the name of the result.
    """
    q, out, stats = case.inputs["q"], case.outputs["o"], case.outputs["stats"]
    batch = q.shape[0] // parts.number
    draft = lengths_draft(packed((batch,), case.inputs["lengths"]), parts)
    ones = arrays.encode_numbers([0, 1, 1, 1, 0, 0, 0, 0], "bfloat16") * batch
    begins = digits_of_places([part * parts.keys for part in range(parts.number)])
    names = {
        "ones": steps.constant("ones", handle, ones), "lengths": "lengths",
        "begins": steps.constant("begins", handle, begins),
        **{name: steps.room(name, spec) for name, spec in draft.outputs.items()},
    }  # fmt: skip
    steps.way(draft.graph.build(handle), names)
    places = {name: name for name in ("k", "v", "page_table", "rows")}
    places |= {"q": _repeated(steps, q, batch, parts.number), "lengths": "own"}
    places |= {"o": steps.room("results", out), "stats": steps.room("sums", stats)}
    places["bias"] = add_bias("left")
    steps.fill("results", out, 0.0)
    steps.fill("sums", stats, _NOTHING)
    steps.way(way, places)
    shape = batch, parts.number, math.prod(stats.shape[1:]), 1
    weights = describe(packed(shape, stats))
    steps.room("weights", stats)
    accurate, channel = (
        arrays.member("SoftmaxAlgorithm", "ACCURATE"), arrays.member("SoftmaxMode", "CHANNEL")
    )  # fmt: skip
    call = 1.0, weights, "sums", 0.0, weights, "weights"
    steps.call("cudnnSoftmaxForward", accurate, channel, *call)
    total = sum_draft(out, batch).graph.build(handle)
    steps.way(total, {"results": "results", "weights": "weights", "sum": o})


def _repeated(steps: Steps, q: Spec, batch: int, count: int) -> str:
    """Add copies of the queries for each part; return their name."""
    room = steps.room("queries", q)
    width = math.prod(q.shape[1:]) * arrays.itemsize(q.dtype)
    steps.copy_rows("q", room, batch, width, width, count * width)
    done = 1
    while done < count:
        target = steps.part(f"queries {done}", room, done * width)
        steps.copy_rows(room, target, batch, done * width, count * width, count * width)
        done *= 2
    return room
