"""From what was recorded to plans: validate, describe to cuDNN, choose, build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

from ... import errors
from ...choice import candidates
from ...choice.build import build_first
from ...choice.engine.engines import Engines
from ...choice.engine.finalize import describe_device
from ...choice.engine.refusals import no_plan
from .enums import behavior_note, build_plan_policy, cuda_graph_retention, heur_mode, knob_type
from .failures import cudnnGraphNotSupportedError, unsupported
from .handles import default_handle, device_properties, kernel_cache, knob, to_own
from .lower.attention import ATTENTION
from .lower.nodes import Lowering, UntypedError
from .plans.configs import PlanConfig, Selection, SeveralPlans
from .plans.overriding import may_override
from .recording import Recorder
from .tensors import GraphContext, row_major

if TYPE_CHECKING:
    from ...choice import DeviceProperties, Refusal
    from ...handles import Handle as OwnHandle
    from ...plan import Computation, Plan
    from .enums import numerical_note
    from .handles import HandleLike
    from .plans.programs import Program

#: The kinds of nodes whose tensors the original checks in `validate`; cuDNN refuses others.
_CHECKED_EARLY = ("MATMUL", "POINTWISE", "REDUCTION", "RESHAPE", "SLICE", "TRANSPOSE")


class Planning(Recorder):
    """A graph that is turned into plans."""

    def __init__(
        self,
        name: str = "test_graph",
        io_data_type: object = None,
        intermediate_data_type: object = None,
        compute_data_type: object = None,
        handle: HandleLike | None = None,
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
            intermediate_data_type: of virtual tensors; by default `io_data_type`.
            compute_data_type: of computation; by default `io_data_type`.
            handle: of the device that the plans are for; by default one of this thread.
            sm_count: how many multiprocessors engines are to use; by default all.
            sm_version: not used; the device tells.
            kernel_cache: kernels that plans of several shapes share.
            device_property: the properties of a device, in the place of a handle.
            is_dynamic_shape_enabled: whether kernels may be shared by plans of several shapes.
            is_override_shape_enabled: whether executions may set shapes, from 9.21 on; with other
                releases such an execution raises cudnnGraphNotSupportedError.
            cuda_graph_retention: ignored: a captured CUDA graph always keeps the plan alive.
            is_cuda_graph_replay_expected: ignored.
        """
        inner, compute = intermediate_data_type or io_data_type, compute_data_type or io_data_type
        super().__init__(GraphContext(io_data_type, inner, compute))
        self.name = name
        self._handle = handle
        self._sm_count = sm_count
        self._kernel_cache = kernel_cache
        self._device = device_property
        self._dynamic, self._override = is_dynamic_shape_enabled, is_override_shape_enabled
        self._retention = cuda_graph_retention
        self.is_cuda_graph_replay_expected = is_cuda_graph_replay_expected
        self._lowering: Lowering | None = None
        self._late: errors.CudnnError | None = None  # what `build_operation_graph` has to say
        self._unserved: errors.CudnnError | None = None  # what `create_execution_plans` has to say
        self._computation: Computation | None = None
        self._engines: Engines | None = None
        self._plans: list[PlanConfig] = []
        self._refusals: tuple[Refusal, ...] = ()
        self._planned = False
        self._index = 0
        self._pinned = False
        self._built: dict[int, Plan] = {}
        # Reasons why plans cannot be built, as text: an error holds frames, and they hold arrays.
        self._failed: dict[int, str] = {}
        self._is_ready = False
        self._selection = Selection()
        self._programs: dict[int, Program] = {}  # what executes each plan
        self._loaded: Program | None = None  # what executes a plan that was read

    @property
    def _is_built(self) -> bool:
        return self._is_ready

    @_is_built.setter
    def _is_built(self, value: bool) -> None:
        # Another plan may be selected now: the short way is that of the one before.
        self.__dict__.pop("execute", None)
        self._is_ready = value

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
                flags = self._dynamic, may_override(self)
                self._lowering = Lowering.of(self, self.name, self._context, *flags)
            except errors.NotSupportedError:
                raise
            except errors.CudnnError as error:
                early = all(node.node_type.name in _CHECKED_EARLY for node in self._nodes)
                if early and not isinstance(error, UntypedError):
                    raise
                self._late = error
            kinds = [node.node_type.name in ATTENTION for node in self._nodes]
            if self._lowering is not None and any(kinds):
                try:
                    self._lowering.graph.lowered()
                except errors.NotSupportedError as error:
                    if not all(kinds):
                        raise
                    self._unserved = error  # the original asks each engine, too
        self._validated = True

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
            made = graph.computation(*self._where())
        self.freeze()
        self._computation = made
        for tensor, own in self._lowering.made.items():
            if not tensor.dim_assigned:
                tensor.dim = own.shape
            if not tensor.stride_assigned:
                tensor.stride = own.strides

    def _own_handle(self, handle: HandleLike | None = None) -> OwnHandle:
        own = to_own(handle if handle is not None else self._handle)
        return default_handle() if own is None else own

    def _where(self) -> tuple[OwnHandle | None, DeviceProperties | None]:
        """Return the handle that plans are for, or the properties of a device in its place."""
        if self._device is not None and self._handle is None:
            return None, self._device.own
        return self._own_handle(), None

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
            computation = self._describe()
            found = candidates(
                computation,
                [mode.name for mode in modes if mode is not heur_mode.OPENSOURCE],  # type: ignore[misc]
                sm_count=self._sm_count,
            )
            if not found:
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
        try:
            return SeveralPlans(self._lowering.graph.build(*self._where(), sm_count=self._sm_count))
        except errors.NotSupportedError as error:
            raise self._unserved from error

    def create_execution_plan(
        self, engine_id: int, knobs: Mapping[knob_type, int] | None = None
    ) -> Self:
        """Add an engine with certain knobs to the plans.

        Args:
            engine_id: the number of the engine.
            knobs: values by `knob_type`, as `get_engine_and_knobs_at_index` returns them.

        Raises:
            cudnnGraphNotSupportedError: the engine does not support the graph.
            ValueError: there is no such engine, or it has no such knob or value.
        """
        with unsupported():
            computation = self._describe()
            named = {each.name: value for each, value in (knobs or {}).items()}
            (found,) = candidates(
                computation, engine=engine_id, knobs=named, sm_count=self._sm_count
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
        """Return the number of plans."""
        return len(self._plans)

    def _config(self, index: int) -> PlanConfig:
        if not isinstance(index, int) or not 0 <= index < len(self._plans):
            raise IndexError(f"expected one of {len(self._plans)} plans, got index {index!r}")
        return self._plans[index]

    def get_plan_name_at_index(self, index: int) -> str:
        """Return the name of a plan: the engine, and its knobs by number."""
        return self._config(index).name

    def get_engine_and_knobs_at_index(self, index: int) -> tuple[int, dict[knob_type, int]]:
        """Return the engine and the knobs of a plan, for `create_execution_plan`."""
        config = self._config(index)
        return config.engine_id, dict(config.knobs)

    def _describe(self) -> Computation:
        """Describe the graph to cuDNN, or refuse what the release does not compute."""
        self.build_operation_graph()
        if self._unserved is not None:
            raise self._unserved
        assert self._computation is not None
        return self._computation

    def _asked(self) -> Engines:
        with unsupported():
            computation = self._describe()
        if self._engines is None:
            self._engines = Engines(computation, self._sm_count)
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

    def select_plan(self, index: int) -> Self:
        """Select this plan: `build_plans` builds no other.

        Raises:
            RuntimeError: there are no plans yet.
            IndexError: there is no such plan.
        """
        if not self._planned:
            raise RuntimeError("select_plan: call create_execution_plans first")
        self._config(index)
        self._index, self._pinned, self._is_built = index, True, False
        return self

    def deselect_workspace_greater_than(self, workspace_limit: int) -> Self:
        """Leave out plans that need more workspace."""
        self._selection.limit = workspace_limit
        return self._requalify()

    def deselect_engines(self, engine_names: Sequence[str]) -> Self:
        """Leave out plans whose names have one of these texts in them."""
        self._selection.barred.update(engine_names)
        return self._requalify()

    def select_behavior_notes(self, notes: Sequence[behavior_note]) -> Self:
        """Leave out plans that do not have all of these notes."""
        return self._filter("behavior_notes", notes, True)

    def deselect_behavior_notes(self, notes: Sequence[behavior_note]) -> Self:
        """Leave out plans that have one of these notes."""
        return self._filter("behavior_notes", notes, False)

    def select_numeric_notes(self, notes: Sequence[numerical_note]) -> Self:
        """Leave out plans that do not have all of these notes."""
        return self._filter("numeric_notes", notes, True)

    def deselect_numeric_notes(self, notes: Sequence[numerical_note]) -> Self:
        """Leave out plans that have one of these notes."""
        return self._filter("numeric_notes", notes, False)

    def _filter(
        self, kind: str, notes: Sequence[behavior_note | numerical_note], keep: bool
    ) -> Self:
        self._selection.notes += [(kind, note.name, keep) for note in notes]
        return self._requalify()

    def _requalify(self) -> Self:
        if self._is_built and self._why_not(self._index):
            self._is_built = False
        return self

    def _why_not(self, index: int) -> str:
        return self._selection.why_not(self._plans[index], self._built.get(index))

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
        if index not in self._built:
            cache, computation = self._kernel_cache, self._describe()
            try:
                with unsupported():
                    kernels = None if cache is None else cache.of(computation)
                    _, plan = build_first(computation, [self._plans[index].candidate], kernels)
            except cudnnGraphNotSupportedError as error:
                self._failed[index] = str(error)
                raise
            self._built[index] = plan
        return self._built[index]

    def build_plans(
        self, policy: build_plan_policy = build_plan_policy.HEURISTICS_CHOICE, ctx: object = None
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

    def build_plan_at_index(self, index: int) -> Self:
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

    def build(self, heuristics: Sequence[heur_mode] | None = None, ctx: object = None) -> None:
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
