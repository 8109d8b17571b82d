"""Several queries: a plan without a mask for the keys that all of them see, and one for the last.

Engines take longer to read a mask than to read keys of a group, and only keys from the first
query's own on need one. So the last pages are a sequence of their own, and each of both results
has the weight that the sum of its exponentials has. cuDNN gathers nothing: a product of the page
table with zeros and ones, which is summed, finds the last pages of each sequence.
"""

from __future__ import annotations

from typing import NamedTuple

from .... import arrays
from ...._ways.array_spec import Spec, reshaped
from ...._ways.call_sequence import Steps, packed
from ...._ways.case import Case
from ...._ways.graph_draft import Draft
from .parts_of_keys import NOTHING
from .rows_of_groups import SUMMED, around_ones, bias_of, digits_of_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...._ways.case import Way
    from ...._ways.signatures import Handle

#: Times as many pages as the last ones pay for two plans.
_LEAST = 16
#: The numbers up to it are exact in float32.
_EXACT = 1 << 24
#: The keys of a sequence up to which their page is found in float32, whatever its extent is.
_LONGEST = 1 << 22


class Last(NamedTuple):
    """The number of the last pages, of the keys of a page, and of the queries."""

    pages: int
    page: int
    queries: int

    @property
    def detail(self) -> str:
        """Return what a record tells of it."""
        return f", and another for the last {self.pages} pages"


def last_of(queries: int, blocks: int, k: Spec) -> Last | None:
    """Return the last pages; None where they would not pay, or their numbers are too large."""
    page = k.shape[2]
    count = max(-(-(queries + page - 1) // page), 2)
    is_exact = k.shape[0] <= _EXACT and blocks * page <= _LONGEST
    return Last(count, page, queries) if is_exact and blocks >= _LEAST * count else None


def apart(inner: Case, last: Last) -> tuple[Case, Case] | None:
    """Return the cases of the keys that all queries see, and of the last; None if none can be."""
    q, o = inner.inputs["q"], inner.outputs["o"]
    bias = bias_of(q, last.pages * last.page)
    if bias is None:
        return None
    outputs = {"o": packed(o.shape, o), "stats": packed((*o.shape[:3], 1), o, "float32")}
    seen = {name: each for name, each in inner.inputs.items() if name != "bias"}
    pages = packed((q.shape[0], last.pages), inner.inputs["page_table"])
    masked = {**seen, "page_table": pages, "bias": bias}
    # The fastest engine for finite pages does not take attention as one node.
    whole: Mapping[str, object] = {**inner.call, "form": "composite"}
    part: Mapping[str, object] = {**inner.call, "keys": last.pages * last.page}
    return Case(seen, outputs, call=whole), Case(masked, outputs, call=part)


def lengths_draft(lengths: Spec, last: Last) -> Draft:
    """Return the graph of the first of the last pages, and of the keys before them and in them."""
    like = packed((lengths.shape[0], 1, 1), lengths)
    given = reshaped(lengths, *like.shape)
    draft = Draft({"lengths": given}, dict.fromkeys(("first", "seen", "last"), like))
    graph, length = draft.graph, draft.input("lengths")
    # A half keeps what is rounded from the page before.
    own = graph.max(graph.add(length, 0.5 - last.queries), 0.0)
    first = graph.floor(graph.mul(own, 1 / last.page))
    seen = graph.mul(first, float(last.page))
    draft.output(graph.identity(first), "first")
    draft.output(graph.identity(seen), "seen")
    draft.output(graph.sub(length, seen), "last")
    return draft


def pages_drafts(table: Spec, last: Last) -> list[Draft]:
    """Return the graphs of the last pages, of one plan each."""
    batch, blocks = table.shape
    first = packed((batch, 1, 1), table)
    # Engines compute one product alone where neither factor has the batch.
    like = {"first": first, "places": packed((batch, last.pages, SUMMED), table, "bfloat16")}
    like["blocks"] = packed((1, SUMMED, blocks), table, "bfloat16")
    like["table"] = reshaped(table, batch, 1, blocks)
    one = Draft(like, {"found": packed((batch, last.pages, blocks), table, "float32")})
    graph = one.graph
    place, ours, theirs, page = (one.input(name) for name in like)
    far = graph.abs(graph.add(graph.matmul(ours, theirs), place))
    one.output(graph.mul(graph.max(graph.add(graph.neg(far), 1.0), 0.0), page), "found")
    rows = packed((1, 1, batch * last.pages, blocks), table, "float32")
    row = packed((*rows.shape[:3], 1), rows)
    total = Draft({"found": rows}, {"sums": row})
    total.output(total.graph.reduction(total.input("found"), "ADD", shape=row.shape), "sums")
    whole = Draft({"sums": row}, {"pages": packed(row.shape, table)})
    whole.output(whole.graph.identity(whole.input("sums")), "pages")
    return [one, total, whole]


def sum_drafts(part: Spec, stats: Spec, o: Spec) -> list[Draft]:
    """Return the graphs of the weight of the first result, and of the sum of both."""
    weight = Draft({"sums_of_seen": stats, "sums_of_last": stats}, {"weight": stats})
    graph = weight.graph
    one, other = (graph.max(weight.input(name), NOTHING) for name in weight.inputs)
    weight.output(graph.sigmoid(graph.sub(one, other)), "weight")
    both = Draft({"result_of_seen": part, "result_of_last": part, "weight": stats}, {"o": o})
    graph = both.graph
    first, second, share = (both.input(name) for name in both.inputs)
    both.output(graph.add(second, graph.mul(graph.sub(first, second), share)), "o")
    return [weight, both]


def add_last(
    steps: Steps,
    cases: Sequence[Case],
    ways: Sequence[Way],
    last: Last,
    add_bias: Callable[[Spec, str], str],
    handle: Handle,
    places: dict[str, str],
    o: Spec,
) -> None:
    """Add the steps of both plans, and of the sum of their results.

    Args:
        steps: what they are added to.
        cases, ways: what is computed, and the ways to do it.
        last: the last pages.
        add_bias: adds the steps of a bias, by the name of lengths.
        handle: where constants are kept.
        places: the names of queries in rows, and of the result.
        o: the result in rows.
    """
    table, lengths = (cases[0].inputs[name] for name in ("page_table", "lengths"))
    numbers = [each for place in range(last.pages) for each in around_ones(place)]
    numbers *= table.shape[0]
    names = {"lengths": "lengths", "table": "page_table", "o": places["o"]}
    names["places"] = steps.constant("places", handle, arrays.encode_numbers(numbers, "bfloat16"))
    names["blocks"] = steps.constant("blocks", handle, digits_of_keys(table.shape[1]))

    def add(drafts: list[Draft]) -> None:
        for draft in drafts:
            for name, spec in draft.outputs.items():
                if name not in names:
                    names[name] = steps.room(name, spec)
            takes = (*draft.inputs, *draft.outputs)
            steps.way(draft.graph.build(handle), {name: names[name] for name in takes})

    add([lengths_draft(lengths, last), *pages_drafts(table, last)])
    for case, way, word in zip(cases, ways, ("seen", "last"), strict=True):
        of_plan = {name: name for name in case.inputs} | {"q": places["q"], "lengths": names[word]}
        if word == "last":
            of_plan["page_table"] = names["pages"]
            of_plan["bias"] = add_bias(case.inputs["bias"], names[word])
        for name, of, value in (("o", "result", 0.0), ("stats", "sums", NOTHING)):
            of_plan[name] = names[f"{of}_of_{word}"] = steps.room(
                f"{of}_of_{word}", case.outputs[name]
            )
            steps.fill(of_plan[name], case.outputs[name], value)
        steps.way(way, of_plan)
    result = cases[0].outputs
    add(sum_drafts(result["o"], result["stats"], o))
