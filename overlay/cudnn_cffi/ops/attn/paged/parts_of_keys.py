"""Several queries of one sequence: parts of its keys are sequences, so that the device is full.

Each part has its own pages, and as many keys of the sequence as are left. Its result has the weight
that the sum of its exponentials has among those of all parts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .... import arrays
from ...._ways.array_spec import Spec
from ...._ways.call_sequence import Steps, packed
from ...._ways.case import Case
from ...._ways.classic_call import describe
from ...._ways.graph_draft import Draft
from .rows_of_groups import MOST_KEYS, bias_of, digits_of_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...._ways.case import Way
    from ...._ways.signatures import Handle

#: The blocks that fill a device.
_FULL = 128
#: Minimum number of keys in a part.
_LEAST = 256
#: Fewer parts do not pay for what adds them.
_FEWEST = 4
#: The statistics of a part without keys: its weight is zero, also where no part has keys.
NOTHING = -1e30


class Parts(NamedTuple):
    """The number of parts, and of the keys of each."""

    number: int
    keys: int

    @property
    def detail(self) -> str:
        """Return what a record tells of it."""
        return f" for {self.number} parts of keys"


def parts_of(heads: int, blocks: int, page: int) -> Parts | None:
    """Return the parts of a sequence; None where they would not pay, or do not fit pages."""
    count = 1
    while (
        2 * count * heads <= _FULL
        and blocks % (2 * count) == 0
        and blocks // (2 * count) * page >= _LEAST
    ):
        count *= 2
    is_fit = count >= _FEWEST and blocks * page <= MOST_KEYS
    return Parts(count, blocks // count * page) if is_fit else None


def in_parts(inner: Case, parts: Parts) -> Case | None:
    """Return a case of queries in rows with parts of a sequence; None if its bias is too large."""

    def further(spec: Spec) -> Spec:
        return packed((parts.number, *spec.shape[1:]), spec)

    inputs, outputs = dict(inner.inputs), dict(inner.outputs)
    table = inputs["page_table"]
    inputs |= {name: further(inputs[name]) for name in ("q", "lengths", "rows")}
    inputs["page_table"] = packed((parts.number, table.shape[1] // parts.number), table)
    bias = bias_of(inputs["q"], parts.keys)
    if bias is None:
        return None
    inputs["bias"], outputs["o"] = bias, further(outputs["o"])
    outputs["stats"] = packed((*outputs["o"].shape[:3], 1), outputs["o"], "float32")
    return inner._replace(inputs=inputs, outputs=outputs, call={**inner.call, "keys": parts.keys})


def lengths_draft(lengths: Spec, parts: Parts) -> Draft:
    """Return the graph of what is left of the sequence where parts begin, and of their lengths."""
    like = {"lengths": packed((1, 1, 1), lengths)}
    like["ones"] = packed((1, 1, 8), lengths, "bfloat16")
    like["begins"] = packed((1, 8, parts.number), lengths, "bfloat16")
    result = packed((1, 1, parts.number), lengths)
    draft = Draft(like, {"left": result, "own": result})
    given, ones, begins = (draft.input(name) for name in like)
    graph = draft.graph
    left = graph.add(graph.matmul(ones, begins), given)
    draft.output(graph.identity(left), "left")
    draft.output(graph.min(graph.max(left, 0.0), float(parts.keys)), "own")
    return draft


def sum_drafts(o: Spec) -> list[Draft]:
    """Return the graphs of the sum of the results of parts by their weights, of one plan each."""
    parts, heads, rows, width = o.shape
    one = 1, 1, heads * rows, width
    results = packed((1, parts, heads * rows, width), o)
    like = {"results": results, "weights": packed((1, parts, heads * rows, 1), o, "float32")}
    like["products"] = packed(results.shape, o, "float32")
    like["total"], like["sum"] = packed(one, o, "float32"), packed(one, o)
    found = [
        Draft({name: like[name] for name in takes}, {gives: like[gives]})
        for *takes, gives in (("results", "weights", "products"), ("products", "total"),
                              ("total", "sum"))
    ]  # fmt: skip
    product, total, rounded = found
    made = product.graph.mul(product.input("results"), product.input("weights"))
    product.output(made, "products")
    made = total.graph.reduction(total.input("products"), "ADD", shape=one)
    total.output(made, "total")
    rounded.output(rounded.graph.identity(rounded.input("total")), "sum")
    return found


def weights_draft(stats: Spec) -> Draft:
    """Return the graph of statistics that are finite: engines write -inf for no keys, or nothing.

    A softmax gives no weight to them then, also where all are that.
    """
    draft = Draft({"sums": stats}, {"weights": stats})
    draft.output(draft.graph.max(draft.input("sums"), NOTHING), "weights")
    return draft


def add_parts(
    steps: Steps,
    case: Case,
    parts: Parts,
    way: Way,
    add_bias: Callable[[Spec, str], str],
    handle: Handle,
    o: str,
) -> None:
    """Add the steps of queries in rows by a way to compute parts.

    Args:
        steps: what they are added to.
        case: of the parts.
        parts: what they are.
        way: computes them.
        add_bias: adds the steps of a bias, by the name of lengths.
        handle: where constants are kept.
        o: the name of the result.
    """
    q, out, stats = case.inputs["q"], case.outputs["o"], case.outputs["stats"]
    draft = lengths_draft(case.inputs["lengths"], parts)
    ones = arrays.encode_numbers([0, 1, 1, 1, 0, 0, 0, 0], "bfloat16")
    begins = digits_of_places([part * parts.keys for part in range(parts.number)])
    names = {
        "ones": steps.constant("ones", handle, ones), "lengths": "lengths",
        "begins": steps.constant("begins", handle, begins),
        **{name: steps.room(name, spec) for name, spec in draft.outputs.items()},
    }  # fmt: skip
    steps.way(draft.graph.build(handle), names)
    places = {name: name for name in ("k", "v", "page_table", "rows")}
    places |= {"q": _repeated(steps, q), "lengths": "own"}
    places |= {"o": steps.room("results", out), "stats": steps.room("sums", stats)}
    places["bias"] = add_bias(case.inputs["bias"], "left")
    steps.fill("results", out, 0.0)
    steps.fill("sums", stats, NOTHING)
    steps.way(way, places)
    steps.room("weights", stats)
    finite = weights_draft(stats).graph.build(handle)
    steps.way(finite, {"sums": "sums", "weights": "weights"})
    weights = describe(packed((1, parts.number, math.prod(stats.shape[1:]), 1), stats))
    accurate, channel = (
        arrays.member("SoftmaxAlgorithm", "ACCURATE"), arrays.member("SoftmaxMode", "CHANNEL")
    )  # fmt: skip
    call = 1.0, weights, "weights", 0.0, weights, "weights"
    steps.call("cudnnSoftmaxForward", accurate, channel, *call)
    for draft in sum_drafts(out):
        for name, spec in draft.outputs.items():
            where = o if name == "sum" else steps.room(name, spec)
            steps.way(
                draft.graph.build(handle), {each: each for each in draft.inputs} | {name: where}
            )


def _repeated(steps: Steps, q: Spec) -> str:
    """Add copies of the queries for each part; return their name."""
    room, count = steps.room("queries", q), q.shape[0]
    width = math.prod(q.shape[1:]) * arrays.itemsize(q.dtype)
    steps.copy_rows("q", room, 1, width, width)
    done = 1
    while done < count:
        target = steps.part(f"queries {done}", room, done * width)
        steps.copy_rows(room, target, 1, done * width, done * width)
        done *= 2
    return room
