"""From what was recorded to plans: validate, describe to cuDNN, choose, build."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ... import errors
from ..._tables import active
from ...choice import candidates
from ...choice.build import build_first
from ...choice.engine.engines import Candidate, Engines
from ...choice.engine.finalize import describe_device
from ...choice.engine.refusals import no_plan
from ...plan import Plan
from .enums import (
    behavior_note,
    build_plan_policy,
    cuda_graph_retention,
    heur_mode,
    knob_type,
    numerical_note,
)
from .failures import cudnnGraphNotSupportedError, unsupported
from .handles import default_handle, device_properties, kernel_cache, knob, to_own
from .lower.attention import ATTENTION
from .lower.nodes import Lowering, UntypedError
from .recording import Recorder
from .tensors import GraphContext, row_major

#: The kinds of nodes whose tensors theirs checks in `validate`; others are cuDNN's to refuse.
_CHECKED_EARLY = ("MATMUL", "POINTWISE", "REDUCTION", "RESHAPE", "SLICE", "TRANSPOSE")


class PlanConfig:
    """An engine and its knobs: what a plan is built of.

    Attributes:
        engine_id: the number of the engine.
        knobs: the values of its knobs.
        mode: the heuristics that proposed it; None where nobody did.
        candidate: what this package knows of it.
    """

    __slots__ = ("candidate", "engine_id", "knobs", "mode")

    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        self.engine_id = candidate.engine
        self.knobs = {knob_type[name]: value for name, value in candidate.knobs.items()}
        self.mode = getattr(heur_mode, candidate.source, None)

    @property
    def name(self) -> str:
        """Return a name with the engine, and the numbers and values of its knobs."""
        numbers = active().enum("BackendKnobType")
        pairs = sorted((int(numbers[name]), v) for name, v in self.candidate.knobs.items())
        return "".join([f"eng{self.engine_id}", *(f"_k{n}={v}" for n, v in pairs)])

    @property
    def workspace(self) -> int | None:
        """Return the bytes of workspace that it needs; None where nobody knows yet."""
        return self.candidate.workspace

    def notes(self, kind: str) -> list[str]:
        """Return the names of its notes.

        Args:
            kind: "behavior_notes" or "numeric_notes".
        """
        return [each.name for each in getattr(self.candidate, kind)]

    def __repr__(self) -> str:
        return f"PlanConfig({self.name})"


class SeveralPlans(PlanConfig):
    """Plans that compute a graph together, where errata keep all single engines from it.

    Attributes:
        plan: the plans.
    """

    __slots__ = ("plan",)

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.engine_id = -1
        self.knobs = {}
        self.mode = heur_mode.A

    @property
    def name(self) -> str:
        """Return a name with the engines of the plans."""
        engines = [each.engine for each in self.plan.parts if isinstance(each, Plan)]
        return "_".join(["several", *(f"eng{each}" for each in engines)])

    @property
    def workspace(self) -> int:
        """Return the bytes of workspace that the plans need."""
        return self.plan.workspace_size

    def notes(self, kind: str) -> list[str]:
        """Return the names of the notes of all plans."""
        known: Any = behavior_note if kind == "behavior_notes" else numerical_note
        return [each for each in self.plan.notes if each in known.__members__]


class Planning(Recorder):
    """A graph that is turned into plans."""

    def __init__(
        self,
        name: str = "test_graph",
        io_data_type: Any = None,
        intermediate_data_type: Any = None,
        compute_data_type: Any = None,
        handle: Any = None,
        sm_count: int | None = None,
        sm_version: int | None = None,
        kernel_cache: kernel_cache | None = None,
        device_property: device_properties | None = None,
        is_dynamic_shape_enabled: bool = False,
        is_override_shape_enabled: bool = False,
        cuda_graph_retention: cuda_graph_retention | None = None,
        *,
        is_cuda_graph_replay_expected: bool = False,
    ) -> None:
        """Make an empty graph.

        Args:
            name: of the graph.
            io_data_type: of tensors in memory for which none is set.
            intermediate_data_type: of virtual tensors; `io_data_type` without one.
            compute_data_type: what operations compute in; `io_data_type` without one.
            handle: of the device that the plans are for; by default one of this thread.
            sm_count: how many multiprocessors engines are to use; all without it.
            sm_version: not used; the device tells.
            kernel_cache: kernels that plans of several shapes share.
            device_property: the properties of a device, in the place of a handle.
            is_dynamic_shape_enabled: whether kernels may be shared by plans of several shapes.
            is_override_shape_enabled: whether shapes are to be set for each execution, which is
                refused: an execution with other shapes raises cudnnGraphNotSupportedError.
            cuda_graph_retention: ignored: a captured CUDA graph always keeps the plan alive.
            is_cuda_graph_replay_expected: ignored.
        """
        super().__init__(
            GraphContext(
                io_data_type, intermediate_data_type or io_data_type,
                compute_data_type or io_data_type,
            )
        )  # fmt: skip
        self.name = name
        self._handle = handle
        self._sm_count = sm_count
        self._kernel_cache = kernel_cache
        self._device = device_property
        self._dynamic = is_dynamic_shape_enabled
        self._override = is_override_shape_enabled
        self._retention = cuda_graph_retention
        self.is_cuda_graph_replay_expected = is_cuda_graph_replay_expected
        self._lowering: Lowering | None = None
        self._late: errors.CudnnError | None = None  # what `build_operation_graph` has to say
        self._unserved: errors.CudnnError | None = None  # what `create_execution_plans` has to say
        self._computation: Any = None
        self._engines: Engines | None = None
        self._plans: list[PlanConfig] = []
        self._refusals: tuple[Any, ...] = ()
        self._planned = False
        self._index = 0
        self._pinned = False
        self._built: dict[int, Plan] = {}
        # Reasons why plans cannot be built, as text: an error holds frames, and they hold arrays.
        self._failed: dict[int, str] = {}
        self._is_built = False
        self._barred: set[str] = set()
        self._filters: list[tuple[str, str, bool]] = []
        self._limit: int | None = None
        self._programs: dict[int, Any] = {}  # what executes each plan
        self._loaded: Any = None  # what executes a plan that was read

    # Description

    def validate(self) -> None:
        """Check tensors and nodes, and infer what was left out.

        Raises:
            ValueError: something is missing, or does not go together.
            cudnnGraphNotSupportedError: no release of cuDNN, or not the loaded one, computes it.
        """
        self._validated = False
        for node in self._nodes:
            node.infer_properties(self._context)
        for each in self._by_uid.values():
            if each.dim and not each.stride:
                each.stride = row_major(each.dim)
            if not each.is_pass_by_value:
                each.validate()
        self._late = self._unserved = self._computation = None
        self._lowering = None
        with unsupported():
            try:
                self._lowering = Lowering.of(self, self.name, self._context, self._dynamic)
            except errors.CudnnError as error:
                if isinstance(error, errors.NotSupportedError):
                    raise
                early = all(node.node_type.name in _CHECKED_EARLY for node in self._nodes)
                if early and not isinstance(error, UntypedError):
                    raise
                self._late = error
            if self._lowering is not None and self._with_attention():
                try:
                    self._lowering.graph.lowered()
                except errors.NotSupportedError as error:
                    if not all(node.node_type.name in ATTENTION for node in self._nodes):
                        raise
                    self._unserved = error  # as theirs, which asks each engine about attention
        self._validated = True

    def _with_attention(self) -> bool:
        return any(node.node_type.name in ATTENTION for node in self._nodes)

    def build_operation_graph(self) -> None:
        """Describe the graph to cuDNN.

        Raises:
            ValueError, cudnnGraphNotSupportedError: as `validate` does; the latter also for
                operations that the loaded release lacks.
            RuntimeError: cuDNN refuses a tensor, a node or the graph; the error names it.
        """
        if self._computation is not None and self._validated:
            return
        if not self._validated:
            self.validate()
        if self._late is not None:
            raise self._late
        if self._unserved is not None:
            self.freeze()
            return
        assert self._lowering is not None
        graph = self._lowering.graph
        with unsupported(refusals=False):
            if self._device is not None and self._handle is None:
                made = graph.computation(device=self._device.own)
            else:
                made = graph.computation(self._own_handle())
        self.freeze()
        self._computation = made
        for tensor, own in self._lowering.made.items():
            if not tensor.dim_assigned:
                tensor.dim = own.shape
            if not tensor.stride_assigned:
                tensor.stride = own.strides

    def _own_handle(self, handle: Any = None) -> Any:
        own = to_own(handle if handle is not None else self._handle)
        return default_handle() if own is None else own

    # Choice

    def create_execution_plans(self, heuristics: Sequence[heur_mode] | None = None) -> None:
        """Ask heuristics for engines and their knobs; A and FALLBACK where none are named.

        Raises:
            cudnnGraphNotSupportedError: none proposes anything; the error has all reasons.
            RuntimeError: it was called before.
        """
        if self._planned:
            raise RuntimeError(
                "create_execution_plans was called before: make a new graph, or select a plan"
            )
        modes = list(heuristics or (heur_mode.A, heur_mode.FALLBACK))
        if all(mode is heur_mode.OPENSOURCE for mode in modes):
            raise cudnnGraphNotSupportedError(
                "heur_mode.OPENSOURCE: it proposes kernels of NVIDIA's front end, which cudnn_cffi "
                "does not have; A, B and FALLBACK propose engines of cuDNN"
            )
        with unsupported(errors.CudnnError):
            if several := self._several():
                self._plans, self._built[0] = [several], several.plan
                self._planned, self._index = True, 0
                return
            self._describe()
            found = candidates(
                self._computation,
                [mode.name for mode in modes if mode is not heur_mode.OPENSOURCE],  # type: ignore[misc]
                sm_count=self._sm_count,
            )
            if not found:
                computation = self._computation
                raise no_plan(found.refusals, computation.text, describe_device(computation))
        self._refusals = found.refusals
        self._plans = [PlanConfig(each) for each in found]
        self._planned, self._index = True, 0

    def _several(self) -> SeveralPlans | None:
        """Return the plans of a gradient with a mask of dropout that the program gives.

        An erratum keeps the engines that take it as a whole from it.
        """
        self.build_operation_graph()
        if self._unserved is None or self._lowering is None:
            return None
        if not any("dropout_0" in node.inputs for node in self._nodes):
            return None
        described = self._device is not None and self._handle is None
        device = self._device.own if described and self._device is not None else None
        handle = None if described else self._own_handle()
        try:
            plan = self._lowering.graph.build(handle, device, sm_count=self._sm_count)
            return SeveralPlans(plan)
        except errors.NotSupportedError as error:
            raise self._unserved from error

    def create_execution_plan(self, engine_id: int, knobs: Any = None) -> Planning:
        """Add an engine with certain knobs to the plans.

        Args:
            engine_id: the number of the engine.
            knobs: values by `knob_type`, as `get_engine_and_knobs_at_index` returns them.

        Raises:
            cudnnGraphNotSupportedError: the engine does not support the graph.
            ValueError: there is no such engine, or it has no such knob or value.
        """
        with unsupported():
            self._describe()
            named = {each.name: value for each, value in (knobs or {}).items()}
            (found,) = candidates(
                self._computation, engine=engine_id, knobs=named, sm_count=self._sm_count
            )
        self._plans.append(PlanConfig(found))
        self._planned = True
        return self

    @property
    def plans(self) -> list[PlanConfig]:
        """Return the engines and knobs that were proposed, best first."""
        return list(self._plans)

    @property
    def selected_engine(self) -> None:
        """Return None: engines of cuDNN serve all graphs."""
        return None

    def backend_plan_entries(self) -> list[PlanConfig]:
        """Return the plans: all are of cuDNN."""
        if not self._planned:
            self.create_execution_plans()
        return self.plans

    def get_execution_plan_count(self) -> int:
        """Return how many plans there are."""
        return len(self._plans)

    def _config(self, index: int) -> PlanConfig:
        if not isinstance(index, int) or not 0 <= index < len(self._plans):
            raise IndexError(f"plan {index!r}: there are {len(self._plans)} plans")
        return self._plans[index]

    def get_plan_name_at_index(self, index: int) -> str:
        """Return the name of a plan: the engine, and its knobs by number."""
        return self._config(index).name

    def get_engine_and_knobs_at_index(self, index: int) -> tuple[int, dict[knob_type, int]]:
        """Return the engine and the knobs of a plan, for `create_execution_plan`."""
        config = self._config(index)
        return config.engine_id, dict(config.knobs)

    def _describe(self) -> None:
        """Describe the graph to cuDNN, or refuse what the release does not compute."""
        self.build_operation_graph()
        if self._unserved is not None:
            raise self._unserved

    def _asked(self) -> Engines:
        with unsupported():
            self._describe()
        if self._engines is None:
            self._engines = Engines(self._computation, self._sm_count)
        return self._engines

    def get_engine_count(self) -> int:
        """Return how many engines cuDNN numbers for such graphs, supported or not."""
        return self._asked().count

    def get_knobs_for_engine(self, engine_id: int) -> list[knob]:
        """Return the knobs of an engine and their values.

        Raises:
            RuntimeError: the engine does not support the graph.
        """
        known = self._asked().get(engine_id).knobs
        return [knob(knob_type[k.name], k.maximum, k.minimum, k.stride) for k in known]

    def get_behavior_notes_for_plan_at_index(self, index: int) -> list[behavior_note]:
        """Return what to know of how a plan works."""
        return [behavior_note[name] for name in self._config(index).notes("behavior_notes")]

    def get_behavior_notes(self) -> list[behavior_note]:
        """Return what to know of how the selected plan works."""
        return self.get_behavior_notes_for_plan_at_index(self._index)

    # Selection

    def select_plan(self, index: int) -> Planning:
        """Have `build_plans` build this plan and no other.

        Raises:
            RuntimeError: there are no plans yet.
            IndexError: there is no such plan.
        """
        if not self._planned:
            raise RuntimeError("select_plan: call create_execution_plans first")
        self._config(index)
        self._index, self._pinned, self._is_built = index, True, False
        return self

    def deselect_workspace_greater_than(self, workspace_limit: int) -> Planning:
        """Leave out plans that need more workspace."""
        self._limit = workspace_limit
        return self._requalify()

    def deselect_engines(self, engine_names: Sequence[str]) -> Planning:
        """Leave out plans whose names have one of these texts in them."""
        self._barred.update(engine_names)
        return self._requalify()

    def select_behavior_notes(self, notes: Sequence[behavior_note]) -> Planning:
        """Leave out plans that do not have all of these notes."""
        return self._filter("behavior_notes", notes, True)

    def deselect_behavior_notes(self, notes: Sequence[behavior_note]) -> Planning:
        """Leave out plans that have one of these notes."""
        return self._filter("behavior_notes", notes, False)

    def select_numeric_notes(self, notes: Sequence[numerical_note]) -> Planning:
        """Leave out plans that do not have all of these notes."""
        return self._filter("numeric_notes", notes, True)

    def deselect_numeric_notes(self, notes: Sequence[numerical_note]) -> Planning:
        """Leave out plans that have one of these notes."""
        return self._filter("numeric_notes", notes, False)

    def _filter(self, kind: str, notes: Sequence[Any], keep: bool) -> Planning:
        self._filters += [(kind, note.name, keep) for note in notes]
        return self._requalify()

    def _requalify(self) -> Planning:
        if self._is_built and self._why_not(self._index):
            self._is_built = False
        return self

    def _why_not(self, index: int) -> str:
        """Return why a plan is left out; "" for one that is not."""
        config = self._plans[index]
        for part in self._barred:
            if part in config.name:
                return f"deselect_engines left out {part!r}"
        for kind, note, keep in self._filters:
            has = note in config.notes(kind)
            if has != keep:
                return f"it {'has' if has else 'does not have'} the note {note}"
        if self._limit is not None:
            plan = self._built.get(index)
            size = config.workspace if plan is None else plan.workspace_size
            if size is not None and size > self._limit:
                return f"it needs {size} bytes of workspace, {self._limit} are allowed"
        return ""

    # Building

    def check_support(self) -> None:
        """Build the first plan that can be built; `build_plans` then has it already.

        Raises:
            cudnnGraphNotSupportedError: none can be built; the error has all reasons.
        """
        if not self._plans:
            raise cudnnGraphNotSupportedError(
                "there are no plans: call create_execution_plans first"
            )
        self._first()

    def _first(self) -> int:
        """Return the index of the first plan that can be built."""
        reasons, cause = [], None
        start = self._index
        for index in range(start, start + 1 if self._pinned else len(self._plans)):
            why = self._why_not(index)
            if not why:
                try:
                    self._build_at(index)
                except cudnnGraphNotSupportedError as error:
                    why, cause = str(error), cause or error
                else:
                    why = self._why_not(index)
                    if not why:
                        return index
            reasons.append(f"[{index}] {self._plans[index].name}: {why}")
        reasons += [f"{each.stage}: {each.reason}" for each in self._refusals if each.reason]
        raise cudnnGraphNotSupportedError(
            "\n    ".join(["no plan could be built:", *reasons])
        ) from cause

    def _build_at(self, index: int) -> Plan:
        if index in self._failed:
            raise cudnnGraphNotSupportedError(self._failed[index])
        plan = self._built.get(index)
        if plan is None:
            cache = self._kernel_cache
            try:
                with unsupported():
                    _, plan = build_first(
                        self._computation,
                        [self._plans[index].candidate],
                        None if cache is None else cache.of(self._computation),
                    )
            except cudnnGraphNotSupportedError as error:
                self._failed[index] = str(error)
                raise
            self._built[index] = plan
        return plan

    def build_plans(
        self, policy: build_plan_policy = build_plan_policy.HEURISTICS_CHOICE, ctx: Any = None
    ) -> None:
        """Build the first plan that can be built, or all of them.

        Raises:
            cudnnGraphNotSupportedError: none can be built; the error has all reasons.
        """
        if not self._planned:
            self.create_execution_plans()
        self._is_built = False
        if policy is build_plan_policy.ALL:
            for index in range(len(self._plans)):
                if not self._why_not(index):
                    try:
                        self._build_at(index)
                    except cudnnGraphNotSupportedError:
                        continue
        self._index = self._first()
        self._is_built = True

    def build_plan_at_index(self, index: int) -> Planning:
        """Build a plan, and select it.

        Raises:
            IndexError: there is no such plan.
            ValueError: it was left out by a selection.
            cudnnGraphNotSupportedError: it cannot be built.
        """
        self._config(index)
        self._refuse_barred(index)
        self._build_at(index)
        why = self._why_not(index)
        if why:
            raise cudnnGraphNotSupportedError(f"plan {index} ({self._plans[index].name}): {why}")
        self._index, self._is_built = index, True
        return self

    def _refuse_barred(self, index: int) -> None:
        why = self._why_not(index)
        if why:
            raise ValueError(f"plan {index} ({self._plans[index].name}) is left out: {why}")

    def build(self, heuristics: Sequence[heur_mode] | None = None, ctx: Any = None) -> None:
        """Do all steps: validate, build_operation_graph, create_execution_plans, and so on."""
        if not self._validated:
            self.validate()
        self.build_operation_graph()
        if not self._planned:
            self.create_execution_plans(heuristics)
        self.check_support()
        self.build_plans()

    def key(self) -> int:
        """Return a number that is the same for graphs that differ in names only."""
        if not self._validated:
            self.validate()
        if self._late is not None:
            raise self._late
        assert self._lowering is not None
        return int(self._lowering.graph.signature[:16], 16)

    def get_cuda_graph_retention(self) -> cuda_graph_retention:
        """Return whether a captured CUDA graph keeps the plan alive, as it was asked for."""
        if self._retention is not None:
            return self._retention
        name = os.environ.get("CUDNN_CUDA_GRAPH_RETENTION", "").upper()
        return getattr(cuda_graph_retention, name, cuda_graph_retention.PER_GRAPH)
