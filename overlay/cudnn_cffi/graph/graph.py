"""Graphs of operations, from tensors to a plan."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, NoReturn, Self, cast

from .. import errors
from .._index import RELEASES
from .._support.arguments import boolean
from .._support.constructors import list_makers
from .._tables import active, chosen_release
from ..choice import DeviceProperties, autotune, build, candidates
from ..choice.engine.engines import Candidate, Engines
from ..choice.engine.finalize import to_plan
from ..errata import table
from ..handles import checked_handle
from ..handles import handle as own_handle
from ..plan.overrides import OverriddenPlan, Overrides
from ..versions import version_of
from . import finalize
from .arguments import names
from .attn import forms
from .check import check
from .finalize import GraphComputation
from .lower import by_release as lowering
from .lower import copies, resized, splitting
from .lower.composites import COMPOSITES
from .methods.operations import Operations
from .question import GraphQuestion
from .record.hints import unknown_method
from .show import picture
from .show import text as texts

if TYPE_CHECKING:
    from typing import Unpack

    from ..choice import Candidates, Tuned
    from ..choice.build import BuildWord, Choose
    from ..choice.keywords import BuildOptions, CandidateOptions, TuningOptions
    from ..handles import Handle
    from ..plan import Computation, Plan
    from ..plan.computation import Device as AnyDevice
    from ..plan.saving import Saved
    from .record.types import Shaped
    from .tensors import Node, Tensor

    #: The properties of a device, or its name.
    Device = DeviceProperties | str


COMPOSITES.update(attention=forms.lower_forward, attention_backward=forms.lower_backward)

#: Operations that engines take in larger graphs only, if at all -> advice.
_ALONE = {
    "softmax": "use `attention`, or cudnnSoftmaxForward",
    "concatenate": "write into parts of one array",
    "reshape": "give the array another shape before the call",
    "transpose": "transpose inputs, or the array of the result",
    "slice": "slice inputs, or the array of the result",
    "gen_stats": "put it after a convolution, or use `batch_norm`",
    "bn_bwd_weights": "use `norm_backward`",
    "rng": "use it in `attention`, or pass random numbers as an input",
    "gen_index": "pass indices as an input",
    "block_scale_quantize": "pass the array quantized, with its scales",
    "contract_band_matrix": "pass the whole matrix",
    "expand_band_matrix": "pass the whole matrix",
    "diagonal_band_mask": "use `attention` with `left` and `right`",
    "moe_grouped_matmul_backward": "use a product for each expert",
    "rope_forward": "rotate the array before the call",
    "rope_backward": "rotate the array after the call",
    "signal": "wait between two plans, by an event of CUDA",
    "reduction MUL": "add logarithms",
    "reduction MUL_NO_ZEROS": "add logarithms",
}


def advice_for(words: Iterable[str]) -> str:
    """Return advice for the first operation that engines take in larger graphs only; "" if none.

    Args:
        words: the words of operations, and kinds with modes, such as "reduction MUL".
    """
    found = next((each for each in words if each in _ALONE), "")
    if not found:
        return ""
    return f"engines take {found} in larger graphs only, if at all; instead, {_ALONE[found]}"


#: Options of `build` that parts of a graph can have as well as the whole.
_OF_PARTS = {
    *("deterministic", "modes", "runtime_compilation", "sm_count", "tensor_cores", "tf32"),
    "workspace_limit",
}


def _is_loose(node: Node) -> bool:
    """Return whether the results of a node may differ in their bits, where nothing was said."""
    return node.kind == "attention_backward" and not node.options.get("deterministic")


@list_makers
class Graph(Operations):
    """A graph of operations on tensors, which cuDNN compiles into one plan.

    Each method that adds an operation takes tensors of the graph, and Python numbers, which are
    passed by value. It returns the resulting tensor, or several. Shapes have batch and channels
    first; strides and offsets are in elements. Every such method raises `ShapeMismatchError` for
    shapes that do not fit together, `GraphError` for a tensor of another graph, and
    `ArgumentError` for other bad arguments. `build` finds operations that the loaded release lacks.

    Example::

        g = cudnn.Graph(io_data_type="HALF")
        x = g.tensor((8, 64, 56, 56), layout="NHWC", name="x")
        w = g.tensor((64, 64, 3, 3), layout="NHWC", name="w")
        b = g.tensor((1, 64, 1, 1), name="b")
        g.output(g.relu(g.convolution(x, w, padding=1) + b), name="y")
        plan = g.build()
        y = plan(x_array, w_array, b_array)
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise unknown_method(self, name)

    def check(self) -> None:
        """Refuse a graph that cannot be computed, before cuDNN is asked.

        Raises:
            GraphError: it says which node or tensor is wrong, and why.
        """
        check(self)

    @property
    def signature(self) -> str:
        """A text that is the same for graphs that differ in names only, in any process."""
        return finalize.signature(self.key)

    def lowered(self, release: str | int | None = None, composites: Iterable[str] = ()) -> Graph:
        """Return a graph with composites in the place of operations that a release lacks.

        `build` does this by itself; print the result to see the operations that run.

        Args:
            release: a known release, such as "9.19.0" or 91900; by default that of the loaded
                library, or the newest known one where there is no library.
            composites: kinds of operations, or names of nodes, to replace in any case; those of
                `Graph.composites` are replaced too.

        Raises:
            NotSupportedError: the release lacks an operation, and no composite replaces it.
        """
        if release is None:
            active()
            release = chosen_release()
        else:
            given, release = release, version_of(release)
            if release not in RELEASES:
                first, *_, last = RELEASES
                raise errors.ArgumentError(
                    f"release: expected one of {first} to {last}, got {given!r}"
                )
        return lowering.lower(self, release, (*self.composites, *names(composites, "composites")))

    def copy(self) -> Graph:
        """Return a graph with the same tensors and nodes."""
        return copies.copy(self)

    def computation(
        self, handle: Handle | None = None, device: Device | None = None
    ) -> Computation:
        """Return the finalized operation graph, lowered for the loaded release, with its operands.

        Args:
            handle: the handle of the device; that of this thread and the current device where
                neither this nor `device` is given.
            device: properties of a device, for a machine without it: `DeviceProperties`, or what
                that takes, such as the name of a device that is known.

        Raises:
            GraphError: the graph cannot be computed.
            CudnnError: cuDNN refuses a tensor, a node or the graph; the error names it.
        """
        computation = self._computation(handle, device)
        computation.operation_graph  # noqa: B018
        return computation

    def _computation(self, handle: Handle | None, device: Device | None) -> GraphComputation:
        """Return the computation, whose descriptors are made when they are needed."""
        if device is not None:
            if handle is not None:
                raise errors.ArgumentError("expected a handle or a device, got both")
            if type(device) is not DeviceProperties:
                device = DeviceProperties.of(device)
        else:
            handle = own_handle() if handle is None else checked_handle(handle)
        key, errata = self.key_and_names(), table.state()
        found, lowered = finalize.seen.get(key), None
        if found is None or found[3] is not errata:
            check(self)
            lowered = self._fitting()
            found = finalize.signature(key[0]), finalize.operands(lowered, self), self, errata
            finalize.seen[key] = found
        made = GraphComputation(self, self._fitting, found[1], found[0], handle, device, errata)
        made.lower_to(lowered)
        return made

    def _fitting(self) -> Graph:
        """Return the graph as the loaded release can have it."""
        active()
        return self.lowered(chosen_release())

    def build(
        self,
        handle: Handle | None = None,
        device: Device | None = None,
        choose: Choose = "heuristics",
        *,
        split: bool = True,
        **options: Unpack[BuildOptions],
    ) -> Plan:
        """Return a plan that runs the graph: one from the caches, or a new one.

        Args:
            handle, device: as for `computation`.
            split: whether several plans may do it, one after the other, where no engine takes the
                graph as a whole; the result is a `Sequence` then, and its `parts` are the plans.
            choose, options: how the engine is chosen: `engine` and `knobs` force one;
                `deterministic`, `workspace_limit` and others filter; see `choice.build`.

        Raises:
            NoPlanError: no engine supports the graph; it tells the reason of each.
            GraphError, CudnnError: as `computation` does.
        """
        self, split = self._as_wanted(options), boolean(split, "split")
        try:
            plan = build(self._computation(handle, device), choose, **options)
        except errors.NotSupportedError as error:
            refused = error
        else:
            if self.dynamic_shapes or self.override_shapes:
                own = self.copy()  # callers may change theirs, and others share the plan
                plan.lead_to(Graph._others(own, plan, handle, device, choose, split, options))
            return plan
        said = cast("BuildOptions", {n: each for n, each in options.items() if each is not None})
        if split and isinstance(choose, str) and said.keys() <= _OF_PARTS:
            try:
                return self._build_parts(handle, device, choose, said, refused)
            except errors.NotSupportedError as error:
                refused = error
        words = [(node.word, f"{node.kind} {node.options.get('mode')}") for node in self.nodes]
        if not refused.hint and (hint := advice_for(chain.from_iterable(words))):
            refused = refused.replace(hint=hint)
        if isinstance(refused, errors.NoPlanError):
            place = device if handle is None else handle.device
            refused.question = GraphQuestion(self, place, split, dict(options))
        raise refused

    def at(self, **shapes: Shaped) -> Self:
        """Return a copy of the graph for inputs of other extents, with the results that follow.

        Args:
            shapes: by the names of inputs, their extents, or an array that has them. Other inputs
                keep their extents. Strides keep their order.

        Raises:
            GraphError: there is no such input; or it has gaps and only extents are given; or a
                view, or an operation that has extents as options, would change.
            ShapeMismatchError: the extents do not go together.
        """
        return resized.resized(self, shapes)

    def _others(
        self, plan: Plan, handle: Handle | None, device: Device | None, choose: Choose,
        split: bool, options: BuildOptions,
    ) -> Callable[[Mapping[str, object]], Plan]:  # fmt: skip
        """Return the function of `Plan.at`, which builds the plan for other extents."""

        def find(shapes: Mapping[str, object]) -> Plan:
            other = self.at(**cast("Mapping[str, Shaped]", shapes))
            if not self.override_shapes:
                return other.build(handle, device, choose, split=split, **options)
            old, new = (Graph._computation(each, handle, device) for each in (self, other))
            changed = finalize.changes(old.lowered, new.lowered)
            return OverriddenPlan(plan, Overrides(changed), new.operands) if changed else plan

        return find

    def _build_parts(
        self,
        handle: Handle | None,
        device: Device | None,
        choose: BuildWord,
        options: BuildOptions,
        refused: errors.NotSupportedError,
    ) -> Plan:
        if device is not None:
            device = DeviceProperties.of(device)
        elif handle is None:
            handle = own_handle()

        def compute(part: Operations) -> GraphComputation:
            return Graph._computation(cast("Graph", part), handle, device)

        return splitting.build_parts(self, compute, handle, device, choose, options, refused)

    def candidates(
        self,
        handle: Handle | None = None,
        device: Device | None = None,
        **options: Unpack[CandidateOptions],
    ) -> Candidates:
        """Return the engines and knobs that may run the graph.

        Args:
            handle, device: as for `computation`.
            options: as for `choice.candidates`: `every_engine`, filters such as `deterministic`
                and `workspace_limit` (bytes, or a text such as "64 MiB"), and others.

        Raises:
            GraphError, CudnnError: as `computation` does.
            ArgumentError, NotSupportedError: as `choice.candidates` does.
        """
        self = self._as_wanted(options)
        return candidates(self._computation(handle, device), **options)

    def autotune(self, handle: Handle | None = None, **options: Unpack[TuningOptions]) -> Tuned:
        """Time the candidates on the device, and return records of them, the fastest first.

        Args:
            handle: as for `computation`.
            options: as for `choice.autotune`: `operands`, `seconds`, filters and others.

        Returns: the records; `best` is the plan of the fastest one.

        Raises:
            NoPlanError: no candidate computes the right result.
            GraphError, CudnnError: as `computation` and `choice.autotune` do.
        """
        self = self._as_wanted(options)
        return autotune(self._computation(handle, None), **options)

    def _as_wanted(self, options: BuildOptions | CandidateOptions | TuningOptions) -> Graph:
        """Return the graph, where bits are to stay with no sums that blocks add to in any order.

        Engines of these sums have no note that tells.
        """
        if not options.get("deterministic") or not any(map(_is_loose, self.nodes)):
            return self
        found = self.copy()
        for node in filter(_is_loose, found.nodes):
            node.options["deterministic"] = True
        return found

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same tensors and nodes, names included."""
        if not isinstance(other, Graph):
            return NotImplemented
        return self.key == other.key and self._all_names() == other._all_names()

    __hash__ = object.__hash__

    def _all_names(self) -> list[str]:
        things: list[Tensor | Node] = [*self.tensors.values(), *self.nodes]
        return [self.name, *[each.name for each in things]]

    def __str__(self) -> str:
        return texts.text(self)

    def __repr__(self) -> str:
        return f"<Graph {self.name or hex(id(self))}: {len(self.nodes)} nodes>"

    def to_dot(self) -> str:
        """Return the graph in the language of Graphviz."""
        return texts.dot(self)

    def to_svg(self) -> str:
        """Return a picture of the graph, as SVG."""
        return picture.svg(self)

    def _repr_svg_(self) -> str:
        return picture.svg(self)

    def to_json(self, indent: int = 0) -> str:
        """Return the graph as JSON, with everything but arrays; `from_json` reads it.

        Args:
            indent: spaces for each level; 0 for one line.
        """
        from .show import saving  # which takes time

        return saving.to_json(self, indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the graph that `to_json` wrote.

        Raises:
            GraphError: the text is damaged, or not a graph that can be computed.
        """
        from .show import saving

        return saving.from_json(cls, text)

    def __reduce__(self) -> tuple[Callable[[str], Graph], tuple[str]]:
        return type(self).from_json, (self.to_json(),)


def graph_of(signature: str) -> Graph | None:
    """Return the graph of a signature, if plans of it were asked for lately in this process.

    Operations append the shapes of their arrays.
    """
    own = signature.partition(" ")[0]
    for known, _, made, _ in reversed(finalize.seen.values()):
        graph = cast("Graph | None", made)
        if graph is not None and known == own == graph.signature:
            return graph
    return None


def build_saved(saved: Saved, handle: Handle | None, device: AnyDevice | None) -> Plan:
    """Return a saved plan anew: of its graph, by its engine and knobs; `Plan.from_json` asks.

    Raises:
        GraphError: the graph is damaged.
        CudnnError: cuDNN refuses the engine.
    """
    if handle is None and device is None:
        device = DeviceProperties(saved["profile"])
    graph, known = Graph.from_json(saved["graph"]), cast("DeviceProperties | None", device)
    made = GraphComputation(
        graph, lambda: graph, saved["operands"], saved["signature"], handle, known, table.state()
    )
    made.lower_to(graph)
    count = json.loads(saved["plan"])["engine"].get("targetSMcount")
    engine = Engines(made, count).get(cast("int", saved["engine"]))
    return to_plan(made, Candidate(engine, dict(saved["knobs"] or {}), "saved"))
