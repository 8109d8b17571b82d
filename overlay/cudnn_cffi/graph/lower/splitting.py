"""Compute a graph by several plans, where no engine takes it as a whole.

Parts are found from the first operation on: the largest set of operations that hang together, need
nothing that is not computed yet, and that an engine takes. Results of one part that others read lie
in the workspace. Operations that only move data are other strides of the same memory, or copies. An
operation that no engine takes alone is replaced by a composite, or its tensors are copied into a
layout that engines take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from ... import arrays, errors
from ..._support.arguments import byte_limit
from ..._tables import chosen_release
from ...choice.build import build
from ...choice.engine.refusals import is_final
from ...choice.filters import MODES
from ...choice.store.keys import to_key
from ...choice.store.plan_cache import plans
from ...choice.store.single_flight import once
from ...errata.conditions.tensors import connected, goes_by_strides
from ...handles import lasting
from ...plan import Computation, Plan
from ...plan import Sequence as Plans
from ...plan.intermediates import arranged
from ...plan.operand import Operand
from ...plan.run.copy import Copy
from ...plan.sequence import BUFFER, Part
from ..finalize import operands, signature
from ..rules.results import packed
from ..tensors import Node, Tensor
from .by_release import lower
from .copies import MOVES, keep_compute_type
from .partial_graphs import Stored, are_same, cut, in_order, needed, orders, size, stored_type
from .relabel import is_plain
from .replaced import Replaced
from .replacements import find_replacement, match_types

if TYPE_CHECKING:
    from ...choice import DeviceProperties
    from ...choice.build import BuildWord
    from ...choice.keywords import BuildOptions
    from ...handles import Handle
    from ..methods.operations import Operations


#: Maximum number of operations that are tried as one part: attention's gradient has thirty.
_MOST = 60

#: Number of layouts of `orders` that are tried, by the kind of operation.
_LAYOUTS = {
    **dict.fromkeys(("pointwise", "reduction"), 4),
    **dict.fromkeys(("matmul", "resample_forward", "resample_backward"), 2),
    **dict.fromkeys(("convolution_forward", "convolution_backward_data"), 2),
    **dict.fromkeys(("convolution_backward_filter", "norm_forward", "norm_backward"), 2),
}

#: Operations that engines know by a pattern of others, so each is a part by itself.
_WHOLE = ("attention", "attention_backward")

#: Returns the plan of a part.
Make = Callable[["Operations"], Plan]


class _Whole(NamedTuple):
    """The parts of a computation that keys of plans consist of."""

    signature: str
    handle: Handle | None
    device: DeviceProperties | None
    operands: tuple[Operand, ...] = ()
    is_current: bool = True


def build_parts(
    graph: Operations,
    compute: Callable[[Operations], Computation],
    handle: Handle | None,
    device: DeviceProperties | None,
    choose: BuildWord,
    options: BuildOptions,
    refusal: errors.NotSupportedError,
) -> Plan:
    """Return the plans that compute a graph together, from the cache or new ones.

    Args:
        graph: the graph, which no engine takes as a whole.
        compute: returns the computation of a part.
        handle, device: one of the two.
        choose, options: how engines are chosen, as for `choice.build`.
        refusal: why no engine takes the graph.

    Raises:
        NotSupportedError: an operation cannot be computed even alone, or the plans need more
            workspace than is allowed.
    """
    generation = plans.generation
    structure, names = graph.key_and_names()
    whole = _Whole(signature(structure), handle, device)
    filters = {name: each for name, each in options.items() if name not in ("modes", "sm_count")}
    modes, sm_count = options.get("modes", MODES), options.get("sm_count")
    key = to_key(whole, modes, None, None, sm_count, filters)  # type: ignore[arg-type]
    place = None if key is None else ("parts", choose, key.memory, names)

    def make() -> Plan:
        try:
            made = _split(graph, compute, whole, choose, options, refusal)
        except errors.NoPlanError as error:
            if place is not None and is_final(error.refusals):
                plans.refuse(place, error, generation)
            raise
        if place is not None:
            plans.put(place, made, generation=generation)
        return made

    if place is None:
        return make()
    return plans.get(place) or once(place, lambda: plans.get(place, again=True), make)


def _split(
    graph: Operations,
    compute: Callable[[Operations], Computation],
    whole: _Whole,
    choose: BuildWord,
    options: BuildOptions,
    refusal: errors.NotSupportedError,
) -> Plans:
    release = chosen_release()
    lowered = lower(graph, release, graph.composites, whole=False)
    match_types(lowered)

    def make(part: Operations) -> Plan:
        return build(compute(part), choose, **options)

    splitter = _Splitter(lowered, make, refusal)
    splitter.run()
    made = splitter.join(
        operands(lowered, graph),
        handle=None if whole.handle is None else lasting(whole.handle),
        device=whole.device,
        signature=whole.signature,
        text=str(graph),
    )
    limit = byte_limit(options.get("workspace_limit"), "workspace_limit")
    if limit is not None and made.workspace_size > limit:
        raise errors.NotSupportedError(
            f"graph {graph.name}: {len(made.parts)} plans compute it together, with "
            f"{made.workspace_size} bytes of workspace; at most {limit} are allowed"
        )
    return made


class _Splitter:
    """The parts of a graph, as far as they were found.

    Attributes:
        graph: the whole; operations in it are replaced while parts are found.
        steps: plans and copies, with the tensors that their operands are.
        stored: where tensors lie that are in memory.
        buffers: the bytes of each piece of memory between parts, by the uid of its tensor.
        copies: where tensors lie once more, by uid and strides.
    """

    def __init__(self, graph: Operations, make: Make, refusal: errors.NotSupportedError) -> None:
        self.graph = graph
        self.make = make
        self.refusal = refusal
        self.steps: list[tuple[Plan | Copy, dict[str, tuple[int, int]]]] = []
        self.stored: dict[int, Stored] = {}
        self.buffers: dict[int, int] = {}
        self.copies: dict[tuple[int, tuple[int, ...]], Stored] = {}
        for each in graph.tensors.values():
            if each.producer is None and not each.is_virtual and not each.by_value:
                self.stored[each.uid] = (
                    Stored(each.uid, each.strides)
                    if each.base is None
                    else Stored(each.base.uid, each.strides, each.offset)
                )

    def run(self) -> None:
        """Find all parts."""
        left = self.graph.nodes[:] = needed(in_order(self.graph.nodes))
        while left:
            taken = self._take(left)
            if taken is None:
                node = left[0]
                inserted = self._replace(node)
                if inserted is None:
                    raise self._refused(node)
                left = [*inserted, *left[1:]]
            else:
                left = [node for node in left if node not in taken]

    def _take(self, left: Sequence[Node]) -> Sequence[Node] | None:
        """Add the part that begins with the first operation; return the operations in it."""
        self.why: errors.NotSupportedError | None = None
        if left[0].kind in _WHOLE:
            return [left[0]] if self._try(left[:1]) else None
        window, tried = list(takewhile(lambda node: node.kind not in _WHOLE, left[:_MOST])), 0
        while window:
            part = connected(window)
            if len(part) != tried:
                tried = len(part)
                if self._try(part):
                    return part
            window = window[: window.index(part[-1])]
        node = left[0]
        if node.kind in MOVES:
            return [node] if self._move(node) else None
        return [node] if any(map(self._try_in_order, [node] * 4, range(4))) else None

    def _try(self, part: Sequence[Node]) -> bool:
        made = cut(self.graph, part, self.stored)
        if made is None or not is_plain(made):
            return False
        try:
            plan = self.make(made)
        except errors.NotSupportedError as error:
            self.why = error
            return False
        self._add(plan, made)
        return True

    def _add(self, plan: Plan, made: Operations) -> None:
        """Add a plan, whose results lie in memory from then on."""
        for tensor in made.outputs:
            self._store(self.graph.tensors[tensor.uid], tensor.strides)
        known = {each.name: each.uid for each in made.tensors.values()}
        places = {each.name: (known[each.name], 0) for each in plan.operands if each.is_argument}
        self.steps.append((plan, places))

    def _store(self, tensor: Tensor, strides: tuple[int, ...]) -> None:
        """Give a result memory: the caller's of an output, else some between parts."""
        self.stored[tensor.uid] = Stored(tensor.uid, strides)
        if not tensor.is_output:
            self.buffers[tensor.uid] = size(tensor, strides)

    # Operations that only move data

    def _move(self, node: Node) -> bool:
        """Make the result of an operation that moves data a view, or add copies."""
        y = next(iter(node.outputs.values()))
        if node.kind == "concatenate":
            return self._concatenate(node, y)
        x = node.inputs["x"]
        place = self.stored.get(x.uid)
        if place is None or not goes_by_strides(x):
            return False
        if node.kind == "expand":
            return self._expand(x, y, place)
        kind = stored_type(x)
        if node.kind == "transpose":
            strides = tuple(place.strides[axis] for axis in node.options["permutation"])
            seen = place._replace(strides=strides)
        elif node.kind == "slice":
            o = node.options
            offset = sum(a * b for a, b in zip(o["start"], place.strides, strict=True))
            strides = tuple(a * b for a, b in zip(place.strides, o["step"], strict=True))
            seen = Stored(place.root, strides, place.offset + offset)
        else:
            wanted = packed(y.shape) if node.options.get("mode") == "LOGICAL" else y.strides
            source = packed(x.shape) if node.options.get("mode") == "LOGICAL" else x.strides
            if not are_same(x.shape, place.strides, source):
                place = self._copied(x, place, source)
            seen = place._replace(strides=wanted)
        if stored_type(y) != kind:  # then `_replace` has another operation convert it
            return False
        if y.is_virtual or y.in_workspace:
            self.stored[y.uid] = seen
        else:
            self._store(y, y.strides)
            self._copy(y.shape, kind, seen, self.stored[y.uid])
        return True

    def _concatenate(self, node: Node, y: Tensor) -> bool:
        """Copy the inputs beside each other."""
        tensors, axis = list(node.inputs.values()), node.options["axis"]
        if "in_place_index" in node.options or any(
            each.uid not in self.stored
            or stored_type(each) != stored_type(y)
            or not goes_by_strides(each)
            for each in tensors
        ):
            return False
        self._store(y, y.strides)
        begin = 0
        for each in tensors:
            target = Stored(y.uid, y.strides, begin * y.strides[axis])
            self._copy(each.shape, stored_type(each), self.stored[each.uid], target)
            begin += each.shape[axis]
        return True

    def _expand(self, x: Tensor, y: Tensor, place: Stored) -> bool:
        """Copy the input once, and then the filled part until the result is full."""
        kind = stored_type(x)
        if stored_type(y) != kind:
            return False
        self._store(y, y.strides)
        filled, target = list(x.shape), self.stored[y.uid]
        self._copy(x.shape, kind, place, target)
        for axis, wanted in enumerate(y.shape):
            while filled[axis] < wanted:
                more = list(filled)
                more[axis] = min(filled[axis], wanted - filled[axis])
                begin = target._replace(offset=filled[axis] * y.strides[axis])
                self._copy(tuple(more), kind, target, begin)
                filled[axis] += more[axis]
        return True

    def _copy(self, shape: tuple[int, ...], kind: str, source: Stored, target: Stored) -> None:
        step = Copy(shape, kind, source[1:], target[1:])
        self.steps.append((step, {"x": (source.root, 0), "y": (target.root, 0)}))

    def _copied(self, tensor: Tensor, place: Stored, strides: tuple[int, ...]) -> Stored:
        """Return where a copy of a tensor lies that has other strides."""
        known = self.copies.get((tensor.uid, strides))
        if known is None:
            known = self.copies[tensor.uid, strides] = self._memory(tensor, strides)
            self._copy(tensor.shape, stored_type(tensor), place, known)
        return known

    def _memory(self, tensor: Tensor, strides: tuple[int, ...]) -> Stored:
        """Return memory between parts for the elements of a tensor."""
        made = self.graph.add_tensor(tensor.shape, strides, stored_type(tensor), virtual=True)
        self.buffers[made.uid] = size(tensor, strides)
        place = self.stored[made.uid] = Stored(made.uid, strides)
        return place

    # Operations that no engine takes as they are

    def _replace(self, node: Node) -> list[Node] | None:
        """Replace an operation by a composite; return the added nodes, or None."""
        composite = find_replacement(node)
        if composite is None:
            return None
        graph, before = self.graph, list(self.graph.nodes)
        try:
            composite(Replaced(graph, node, node.inputs, node.outputs))
        except errors.NotSupportedError as error:
            self.why = error
            return None
        added = graph.nodes[len(before) :]
        if not added:
            return None
        keep_compute_type(node, added)
        at = before.index(node)
        graph.nodes[:] = [*before[:at], *added, *before[at + 1 :]]
        return in_order(added)

    def _try_in_order(self, node: Node, number: int) -> bool:
        """Try an operation with all tensors copied into one layout."""
        if number >= _LAYOUTS.get(node.kind, 0):
            return False
        tensors = [e for e in node.tensors().values() if not e.by_value]
        ranks = {len(each.shape) for each in tensors}
        if len(ranks) != 1 or not all(map(goes_by_strides, tensors)):
            return False
        order = orders(tensors)[number]
        before = dict(self.stored), len(self.steps), dict(self.buffers), dict(self.copies)
        inputs = {}
        try:
            for each in node.inputs.values():
                if each.by_value:
                    continue
                place, wanted = self.stored[each.uid], arrays.ordered_strides(each.shape, order)
                inputs[each.uid] = (
                    place
                    if are_same(each.shape, place.strides, wanted) and self._is_aligned(each, place)
                    else self._copied(each, place, wanted)
                )
            done = self._compute_in_order(node, inputs, order)
        except errors.NotSupportedError as error:
            self.why = error
            done = False
        if not done:
            self.stored, _, self.buffers, self.copies = before
            del self.steps[before[1] :]
        return done

    def _is_aligned(self, tensor: Tensor, place: Stored) -> bool:
        """Return whether a tensor in the memory of another is as aligned as it says."""
        root = self.graph.tensors[place.root]
        moved = place.offset * arrays.itemsize(arrays.dtype_name(stored_type(tensor)))
        return root.alignment >= tensor.alignment and moved % tensor.alignment == 0

    def _compute_in_order(
        self, node: Node, inputs: dict[int, Stored], order: Sequence[int]
    ) -> bool:
        made = cut(
            self.graph,
            [node],
            self.stored | {uid: Stored(uid, p.strides) for uid, p in inputs.items()},
        )
        if made is None:
            return False
        for tensor in made.tensors.values():
            if not tensor.by_value:
                tensor.strides = arrays.ordered_strides(tensor.shape, order)
        plan = self.make(made)
        copies = []
        known = {each.name: each.uid for each in made.tensors.values()}
        places = {}
        for each in plan.operands:
            if not each.is_argument:
                continue
            uid = known[each.name]
            if uid in inputs:
                size = arrays.itemsize(arrays.dtype_name(each.data_type))
                places[each.name] = (inputs[uid].root, inputs[uid].offset * size)
                continue
            tensor = self.graph.tensors[uid]
            if tensor.by_value:
                places[each.name] = (uid, 0)
                continue
            strides = made.tensors[uid].strides
            if tensor.is_output and not are_same(tensor.shape, tensor.strides, strides):
                copies.append((tensor, strides))
            else:
                self._store(tensor, strides)
                places[each.name] = (uid, 0)
        self.steps.append((plan, places))
        for tensor, strides in copies:
            place = self._memory(tensor, strides)
            places[tensor.name] = (place.root, 0)
            self._store(tensor, tensor.strides)
            self._copy(tensor.shape, stored_type(tensor), place, self.stored[tensor.uid])
        return True

    def _refused(self, node: Node) -> errors.NotSupportedError:
        """Return the error for an operation that cannot be computed."""
        why = self.why or self.refusal
        if len(self.graph.nodes) == 1:
            return self.refusal
        return why.replace(
            message=f"node {node.name} ({node.word}) cannot be computed alone, nor with those that "
            f"follow: {why.message}"
        )

    # The whole

    def join(
        self,
        taken: Sequence[Operand],
        handle: Handle | None = None,
        device: DeviceProperties | None = None,
        signature: str = "",
        text: str = "",
    ) -> Plans:
        """Return all steps as one plan.

        Raises:
            NotSupportedError: a copy has truth values as bytes that an engine has as bits.
        """
        bits = {
            places[each.name][0]
            for step, places in self.steps
            for each in (() if isinstance(step, Copy) else step.operands)
            if each.is_bits and each.is_argument
        }
        for step, places in self.steps:
            for uid, _ in places.values():
                if isinstance(step, Copy) and step.data_type == "BOOLEAN" and uid in bits:
                    raise errors.NotSupportedError(
                        f"{self.graph.tensors[uid].name}: engines have truth values as bits, and "
                        "copies as bytes",
                        hint="make them FLOAT by identity first",
                    )
        shown = tuple(
            each._replace(views=(), has_bytes=each.data_type == "BOOLEAN" and each.uid not in bits)
            for each in taken
            if each.role != "workspace"
        )
        names = {each.uid: each.name for each in shown}
        offsets, size = arranged(self.buffers, [places.values() for _, places in self.steps])
        steps = [
            Part(
                step,
                {
                    name: (names[uid], offset) if uid in names else (BUFFER, offsets[uid] + offset)
                    for name, (uid, offset) in places.items()
                },
            )
            for step, places in self.steps
        ]
        return Plans(
            steps, shown, buffers=size, handle=handle, device=device, signature=signature, text=text
        )
