"""Gradients of attention by blocks of keys, added in a fixed order.

Engines that give the same bits each time keep a number for each query and key. A block keeps them
for its own keys alone, so that the workspace grows with the length, and not with its square.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import arrays
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps
from ..._ways.case import Case, Way, is_deterministic
from ..._ways.classic_call import Classic
from ..._ways.graph_draft import Draft
from ...graph.attn.checks import KEY_ROWS, QUERY_ROWS, bounds
from .base import like_array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..._ways.signatures import Device, Handle

#: The keys of a block: on an H200, half as many take a tenth more time.
SIZE = 2048
#: Fewer blocks save no memory worth their time.
_LEAST = 4
#: The arrays that blocks of keys take.
_ARRAYS = frozenset({"do", "q", "k", "v", "o", "stats", "alibi", "sink"})
#: The arrays with a row, or a number, for each query.
_QUERIES = (*QUERY_ROWS, "stats")
#: Bytes that addresses of arrays are multiples of.
_ALIGNED = 16


class Block(NamedTuple):
    """Keys, and the queries that see one of them: those from `begin` on."""

    first: int
    keys: int
    begin: int = 0
    causal: bool = False


def blocks_of(queries: int, keys: int, size: int, bands: Mapping[str, Any]) -> tuple[Block, ...]:
    """Return the blocks, the last keys first; none where a block has no mask of its own.

    Args:
        queries, keys: the lengths.
        size: the most keys of a block.
        bands: the keys that a query sees, as `graph.attn.checks.bounds` has them.
    """
    if bands.get("left") is not None or bands.get("right"):
        return ()
    diagonal = keys - queries if bands.get("bottom_right") else 0
    seen = diagonal if bands else keys  # keys before that all queries see
    if bands and seen + queries < keys:
        return ()
    found = [Block(first, min(size, seen - first)) for first in range(0, seen, size)]
    found += [
        Block(first, min(size, keys - first), first - diagonal, True)
        for first in range(seen, keys, size)
    ]
    return tuple(reversed(found))


def find(
    case: Case,
    options: Mapping[str, Any],
    whole: Callable[[], Way],
    part: Callable[[Case, Mapping[str, Any]], Way],
    handle: Handle | None,
    device: Device | None,
) -> Way:
    """Return how deterministic gradients are computed: by blocks, where the whole keeps all scores.

    Args:
        case: the arrays.
        options: of the gradients.
        whole: returns a way to compute them at once.
        part: returns a way to compute a case with other options.
        handle, device: as for plans.
    """
    blocks = _fitting(case, options)
    if len(blocks) < _LEAST:
        return whole()
    way = whole()
    q, k = case.inputs["q"], case.inputs["k"]
    scores = q.shape[0] * q.shape[1] * q.shape[2] * k.shape[2] * arrays.itemsize(q.dtype)
    if way.workspace_size < scores:
        return way
    return _by_blocks(case, options, blocks, part, handle, device)


def _fitting(case: Case, options: Mapping[str, Any]) -> Sequence[Block]:
    """Return the blocks of keys; none where what is asked for cannot be computed by them."""
    inputs, (q, k) = case.inputs, (case.inputs[name] for name in "qk")
    odd = (
        not inputs.keys() <= _ARRAYS
        or q.dtype not in ("float16", "bfloat16")
        or options["score"] is not None
        or options["form"] not in (None, "composite")
    )
    if odd:
        return ()
    bands = bounds("attention_backward", *[options[n] for n in ("causal", "window", "diagonal")])
    if "alibi" in inputs and (bands.get("bottom_right") or bands.get("right") is None):
        return ()
    blocks = blocks_of(q.shape[2], k.shape[2], SIZE, bands)
    return blocks if all(_is_aligned(case, each) for each in blocks) else ()


def _is_aligned(case: Case, block: Block) -> bool:
    return all(
        _offset(spec, name, block) % _ALIGNED == 0
        for name, spec in (*case.inputs.items(), *case.outputs.items())
        if name != "stats"
    )


def _offset(spec: Spec, name: str, block: Block) -> int:
    """Return where the rows of a block begin, in bytes."""
    first = block.begin if name in _QUERIES else block.first if name in KEY_ROWS else 0
    return first * spec.strides[2] * arrays.itemsize(spec.dtype) if first else 0


def _rows(spec: Spec, name: str, block: Block) -> Spec:
    """Return the rows of an array that a block has."""
    if name not in (*_QUERIES, *KEY_ROWS):
        return spec
    batch, heads, rows, width = spec.shape
    rows = rows - block.begin if name in _QUERIES else block.keys
    return spec._replace(shape=(batch, heads, rows, width))


def _by_blocks(
    case: Case,
    options: Mapping[str, Any],
    blocks: Sequence[Block],
    part: Callable[[Case, Mapping[str, Any]], Way],
    handle: Handle | None,
    device: Device | None,
) -> Classic:
    """Return one call of the gradients of each block, and of the sums of those for queries."""
    dq, stats = case.outputs["dq"], case.inputs["stats"]
    one = like_array(dq.shape, dq)
    total = one._replace(dtype="float32")
    found = []
    sink = blocks[-1] if options["dsink"] else None  # all queries see its keys
    for block in blocks:
        without = () if block is sink else ("sink", "dsink")
        inputs = {n: _rows(s, n, block) for n, s in case.inputs.items() if n not in without}
        shape = inputs["stats"].shape
        inputs["stats"] = stats._replace(shape=shape, strides=arrays.packed_strides(shape))
        outputs = {n: _rows(s, n, block) for n, s in case.outputs.items() if n not in without}
        outputs["dq"] = _rows(one, "dq", block)
        own = {**options, "causal": block.causal, "diagonal": "top_left", "dsink": block is sink}
        own["window"] = None
        found.append((block, part(Case(inputs, outputs), own)))
    adding = [_adding({"total": total, "part": one}, each, handle, device) for each in (total, dq)]
    steps = Steps(case.inputs, case.outputs)
    for name, spec in (("part", one), ("sum 0", total), ("sum 1", total), ("rows", stats)):
        steps.room(name, spec)
    steps.room("workspace", max(each.workspace_size for each in (*[w for _, w in found], *adding)))
    for name, spec in (("part", one), ("sum 0", total)):
        steps.zero(name, _bytes(spec))
    for number, (block, way) in enumerate(found):
        names = {}
        for name, spec in (*case.inputs.items(), *case.outputs.items()):
            of, spec = ("part", one) if name == "dq" else (name, spec)
            offset = _offset(spec, name, block)
            names[name] = steps.part(f"{name} {number}", of, offset) if offset else of
        if block.begin:  # engines take statistics without gaps
            rows = dq.shape[0] * dq.shape[1]
            width, pitch = 4 * (dq.shape[2] - block.begin), 4 * dq.shape[2]
            steps.copy_rows(names["stats"], "rows", rows, width, pitch)
            names["stats"] = "rows"
        steps.way(way, names, "workspace")
        is_last = number == len(blocks) - 1
        names = {"total": f"sum {number % 2}", "part": "part"}
        names["sum"] = "dq" if is_last else f"sum {1 - number % 2}"
        steps.way(adding[is_last], names, "workspace")
    return steps.classic(deterministic=all(is_deterministic(way) for _, way in found))


def _bytes(spec: Spec) -> int:
    return (arrays.last_offset(spec.shape, spec.strides) + 1) * arrays.itemsize(spec.dtype)


def _adding(
    inputs: Mapping[str, Spec], output: Spec, handle: Handle | None, device: Device | None
) -> Way:
    draft = Draft(inputs, {"sum": output})
    draft.output(draft.graph.add(*[draft.input(name) for name in inputs]), "sum")
    return draft.graph.build(handle, device)
