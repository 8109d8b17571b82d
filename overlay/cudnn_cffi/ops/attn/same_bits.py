"""Gradients of attention with the same bits each time: some heads and blocks of keys at a time.

Engines that give them keep a number for each query and key. A call keeps them for its own heads and
keys alone, so that the workspace grows with the length, and not with its square. Heads are divided
between two streams; what blocks give is added in a fixed order.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

from ... import arrays
from ..._ways.alignment import bytes_of
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case, Way, is_deterministic
from ..._ways.classic_call import Change, Classic
from ..._ways.graph_draft import Draft
from ...graph.attn.checks import KEY_ROWS, QUERY_ROWS, bounds
from .base import like_array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..._ways.signatures import Device, Handle

#: Heads times keys of a call: two waves of blocks of 128 keys on an H200.
TOGETHER = 32768
#: A block has as many keys or more: on an H200, half as many take a tenth more time.
SIZE = 2048
#: Bytes of numbers for queries and keys up to which a call keeps all.
FEW = 1 << 28
#: The number that the keys of a block are a multiple of, except for the last block.
_TILE = 128
#: The arrays that blocks of keys take.
_ARRAYS = frozenset({"do", "q", "k", "v", "o", "stats", "alibi", "sink"})
#: The arrays that some heads have a part of.
_OF_HEADS = frozenset({"do", "q", "k", "v", "o", "stats", "bias", "dq", "dk", "dv"})
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
    """Return how deterministic gradients are computed: in parts, where the whole keeps all scores.

    Args:
        case: the arrays.
        options: of the gradients.
        whole: returns a way to compute them at once.
        part: returns a way to compute a case with other options.
        handle, device: as for plans.
    """
    q, k = case.inputs["q"], case.inputs["k"]
    odd = (
        len(q.shape) != 4
        or q.dtype not in ("float16", "bfloat16")
        or options["score"] is not None
        or options["form"] not in (None, "composite")
    )
    scores = math.prod(q.shape[:3]) * k.shape[2] * arrays.itemsize(q.dtype)
    way = whole()
    if odd or scores <= FEW or way.workspace_size < scores:
        return way
    together = _together(case)
    inner = case if together == q.shape[:2] else _of_heads(case, together)
    blocks = _blocks(inner, options)
    if blocks:
        way = _by_blocks(inner, options, blocks, part, handle, device)
    elif inner is not case:
        way = part(inner, options)
    return way if inner is case else _by_heads(case, together, way)


def _together(case: Case) -> tuple[int, int]:
    """Return the numbers of examples and of heads of queries of a call."""
    q, k, v = (case.inputs[name] for name in "qkv")
    batch, heads = q.shape[:2]
    specs = *case.inputs.values(), *case.outputs.values()
    is_cut = {*case.inputs, *case.outputs} <= _OF_HEADS
    if not is_cut or {len(each.shape) for each in specs} != {4}:
        return batch, heads
    group = heads // min(k.shape[1], v.shape[1])
    wanted = [(1, each) for each in range(group, heads, group) if heads % each == 0]
    wanted += [(each, heads) for each in range(1, batch + 1) if batch % each == 0]
    fitting = [each for each in wanted if math.prod(each) * k.shape[2] <= TOGETHER]
    found = fitting[-1] if fitting else wanted[0]
    places = [place for each in specs for place in _places(each, found, q)]
    return (batch, heads) if any(each % _ALIGNED for each in places) else found


def _of_heads(case: Case, together: tuple[int, int]) -> Case:
    """Return the arrays of some examples and heads."""

    def cut(name: str, spec: Spec) -> Spec:
        _, part = _part(spec, (0, 0), together, case.inputs["q"])
        return packed(part.shape, part) if name == "stats" else part

    return Case(
        {name: cut(name, each) for name, each in case.inputs.items()},
        {name: cut(name, each) for name, each in case.outputs.items()},
    )


def _places(spec: Spec, together: tuple[int, int], q: Spec) -> list[int]:
    """Return where an array of each call begins, in bytes."""
    firsts = [range(0, *each) for each in zip(q.shape[:2], together, strict=True)]
    return [_part(spec, first, together, q)[0] for first in itertools.product(*firsts)]


def _part(
    spec: Spec, first: tuple[int, ...], together: tuple[int, int], q: Spec
) -> tuple[int, Spec]:
    """Return where examples and heads of queries have their part of an array, in bytes, and it."""
    axes = [*zip(spec.shape[:2], spec.strides[:2], first, together, q.shape[:2], strict=True)]
    offset = sum(at * own // whole * stride for own, stride, at, _, whole in axes)
    shape = *[max(1, count * own // whole) for own, _, _, count, whole in axes], *spec.shape[2:]
    return offset * arrays.itemsize(spec.dtype), spec._replace(shape=shape)


def _by_heads(case: Case, together: tuple[int, int], way: Way) -> Classic:
    """Return one call of a way for all examples and heads, `together` of them at a time.

    Half of them go to a second stream: the last keys of one fill the device beside the next one.
    """
    specs = {**case.inputs, **case.outputs}
    places = [_places(each, together, case.inputs["q"]) for each in specs.values()]
    calls = [*zip(*places, strict=True)]

    def sequence(*halves: Sequence[tuple[int, ...]]) -> Classic:
        steps = Steps(case.inputs, case.outputs, _ALIGNED)
        for half, offsets_of in enumerate(halves):
            if len(halves) > 1:
                steps.change((Change.FORK, Change.BACK)[half])
            room = steps.room(f"workspace of half {half}", way.workspace_size)
            for number, offsets in enumerate(offsets_of):
                names = {
                    name: steps.part(f"{name} {half} {number}", name, offset) if offset else name
                    for name, offset in zip(specs, offsets, strict=True)
                }
                steps.way(way, names, room)
        if len(halves) > 1:
            steps.change(Change.JOIN)
        return steps.classic(deterministic=is_deterministic(way))

    made = sequence(calls[1::2], calls[::2])
    made.instead = lambda: sequence(calls)
    return made


def _blocks(case: Case, options: Mapping[str, Any]) -> Sequence[Block]:
    """Return the blocks of keys of a call; none where it computes all of them at once."""
    q, k = (case.inputs[name] for name in "qk")
    heads, keys = math.prod(q.shape[:2]), k.shape[2]
    size = max(SIZE, TOGETHER // heads)
    if keys <= size or heads * keys <= 2 * TOGETHER or not case.inputs.keys() <= _ARRAYS:
        return ()
    bands = bounds("attention_backward", *[options[n] for n in ("causal", "window", "diagonal")])
    if "alibi" in case.inputs and (bands.get("bottom_right") or bands.get("right") is None):
        return ()
    even = -(-keys // -(-keys // size))
    blocks = blocks_of(q.shape[2], keys, -(-even // _TILE) * _TILE, bands)
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
    found, made = [], dict[tuple[int, int, bool, bool], Way]()
    sink = blocks[-1] if options["dsink"] else None  # all queries see its keys
    for block in blocks:
        without = () if block is sink else ("sink", "dsink")
        inputs = {n: _rows(s, n, block) for n, s in case.inputs.items() if n not in without}
        inputs["stats"] = packed(inputs["stats"].shape, stats)
        outputs = {n: _rows(s, n, block) for n, s in case.outputs.items() if n not in without}
        outputs["dq"] = _rows(one, "dq", block)
        own = {**options, "causal": block.causal, "diagonal": "top_left", "dsink": block is sink}
        own["window"] = None
        key = block.keys, block.begin, block.causal, block is sink
        if key not in made:
            made[key] = part(Case(inputs, outputs), own)
        found.append((block, made[key]))
    adding = [_adding({"total": total, "part": one}, each, handle, device) for each in (total, dq)]
    steps = Steps(case.inputs, case.outputs)
    for name, spec in (("part", one), ("sum 0", total), ("sum 1", total), ("rows", stats)):
        steps.room(name, spec)
    steps.room("workspace", max(each.workspace_size for each in (*[w for _, w in found], *adding)))
    for name, spec in (("part", one), ("sum 0", total)):
        steps.zero(name, bytes_of(spec))
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


def _adding(
    inputs: Mapping[str, Spec], output: Spec, handle: Handle | None, device: Device | None
) -> Way:
    draft = Draft(inputs, {"sum": output})
    draft.output(draft.graph.add(*[draft.input(name) for name in inputs]), "sum")
    return draft.graph.build(handle, device)
