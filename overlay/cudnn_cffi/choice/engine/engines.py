"""Engines of an operation graph, and configurations of them."""

from __future__ import annotations

from functools import cached_property
from itertools import islice

from ... import errors
from ..._backend import first_of
from ...errata.asks import errata_of_engine, may_capture, other_bits, wrong_knobs
from ...library.companions import require_cublas
from . import descriptors
from .finalize import NONDETERMINISTIC, to_plan
from .knobs import Knob, check_knobs, read_choices, read_knobs, to_choices, walk
from .refusals import forget
from .rounding import adds_in_any_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...backend import EngineCfgDescriptor, EngineDescriptor, EngineHeurDescriptor
    from ...enums import BackendBehaviorNote, BackendNumericalNote
    from ...plan import Computation, Plan


class Engines:
    """The engines of a computation, each made once.

    Attributes:
        computation: the one that they are to run.
        sm_count: how many multiprocessors they are to use; None for all.

    Raises:
        SublibraryError: cuBLAS is missing.
    """

    def __init__(self, computation: Computation, sm_count: int | None = None) -> None:
        require_cublas()
        self.computation = computation
        self.sm_count = sm_count
        self._made: dict[int, Engine] = {}
        self._heuristics: dict[str, EngineHeurDescriptor] = {}

    @cached_property
    def count(self) -> int:
        """Return how many engines cuDNN numbers for the graph, supported or not."""
        return int(self.computation.operation_graph.engine_global_count)

    def _target(self) -> dict[str, object]:
        """Return the device for a descriptor that has no handle."""
        device = self.computation.device
        return {"deviceprop": None if device is None else device.descriptor}

    def get(self, index: int) -> Engine:
        """Return an engine.

        Raises:
            CudnnError: it does not support the graph.
        """
        if index not in self._made:
            descriptor = descriptors.make(
                "ENGINE",
                operation_graph=self.computation.operation_graph,
                global_index=index,
                sm_count_target=self.sm_count,
                **self._target(),
            )
            self._made[index] = Engine(self.computation, index, descriptor, self.sm_count)
        return self._made[index]

    def ask(self, mode: str, most: int | None = None) -> tuple[EngineCfgDescriptor, ...]:
        """Return the configurations that heuristics suggest, best first.

        Args:
            mode: of the heuristics.
            most: how many are wanted at most; None for all. Each one takes cuDNN time.

        Raises:
            CudnnError: the heuristics do not support the graph.
        """
        heuristics = self._heuristics.get(mode)
        if heuristics is None:
            heuristics = self._heuristics[mode] = descriptors.make(
                "ENGINEHEUR",
                operation_graph=self.computation.operation_graph,
                mode=f"MODE_{mode}",
                sm_count_target=self.sm_count,
                **self._target(),
            )
        return tuple(heuristics.results if most is None else first_of(heuristics, "results", most))

    def to_candidate(self, config: EngineCfgDescriptor, mode: str) -> Candidate:
        """Return a candidate of a configuration that heuristics suggest."""
        own = config.engine
        index = int(own.global_index)
        engine = self._made.get(index)
        if engine is None:
            engine = self._made[index] = Engine(self.computation, index, own, self.sm_count)
        return Candidate(engine, read_choices(config), mode, config)


class Engine:
    """One way of cuDNN's to run a graph.

    Attributes:
        index: its number among all engines for graphs of this kind.
    """

    def __init__(
        self,
        computation: Computation,
        index: int,
        descriptor: EngineDescriptor,
        sm_count: int | None = None,
    ) -> None:
        self.computation = computation
        self.sm_count = sm_count
        self.index = index
        self.descriptor = descriptor

    @cached_property
    def knobs(self) -> tuple[Knob, ...]:
        """Return the knobs with their ranges."""
        return read_knobs(self.descriptor)

    @cached_property
    def numeric_notes(self) -> tuple[BackendNumericalNote, ...]:
        """Return what to know of the numbers that it computes: `BackendNumericalNote`."""
        return tuple(self.descriptor.numerical_note)

    @cached_property
    def behavior_notes(self) -> tuple[BackendBehaviorNote, ...]:
        """Return what to know of how it works: `BackendBehaviorNote`."""
        return tuple(self.descriptor.behavior_note)

    @cached_property
    def deterministic(self) -> bool:
        """Return whether the same input gives the same bits each time, as far as notes tell."""
        noted = any(note.name == NONDETERMINISTIC for note in self.numeric_notes)
        return not noted and not adds_in_any_order(self.computation)


class Candidate:
    """An engine with values of its knobs, before anything is compiled.

    Attributes:
        knobs: values by the names of knobs; those that are not here have cuDNN's defaults.
        source: where it is from: the mode of heuristics, "measured", "engine", "forced", "sweep" or
            "cache".
    """

    __slots__ = ("_config", "_engine", "_sizes", "knobs", "source")

    def __init__(
        self,
        engine: Engine,
        knobs: dict[str, int],
        source: str,
        config: EngineCfgDescriptor | None = None,
    ) -> None:
        self._engine = engine
        self.knobs = knobs
        self.source = source
        self._config = config
        self._sizes: dict[str, int | None] = {}

    @property
    def engine(self) -> int:
        """Return the engine's index."""
        return self._engine.index

    @property
    def engine_knobs(self) -> tuple[Knob, ...]:
        """Return the knobs of the engine with their ranges."""
        return self._engine.knobs

    @property
    def numeric_notes(self) -> tuple[BackendNumericalNote, ...]:
        """Return what to know of the numbers that it computes: `BackendNumericalNote`."""
        return self._engine.numeric_notes

    @property
    def behavior_notes(self) -> tuple[BackendBehaviorNote, ...]:
        """Return what to know of how it works: `BackendBehaviorNote`."""
        return self._engine.behavior_notes

    @property
    def deterministic(self) -> bool:
        """Return whether the same input gives the same bits each time."""
        return self._engine.deterministic and not self.other_bits

    @property
    def other_bits(self) -> str:
        """Return the known error by which bits differ, though no note tells; "" for none."""
        return other_bits(self._engine.computation, self.engine, self.knobs)

    @property
    def errata(self) -> tuple[str, ...]:
        """Return the ids of the known errors that keep it from being chosen: `errata.get`."""
        return errata_of_engine(self._engine.computation, self.engine, self.knobs)

    @property
    def may_replay(self) -> bool:
        """Return whether calls of its plan may be launched as CUDA graphs."""
        return may_capture(self._engine.computation, self.engine, self.knobs)

    @property
    def config(self) -> EngineCfgDescriptor:
        """Return the finalized CUDNN_BACKEND_ENGINECFG_DESCRIPTOR.

        Raises:
            CudnnError: cuDNN refuses these values of the knobs.
        """
        if self._config is None:
            choices = to_choices(self.knobs)
            self._config = descriptors.make(
                "ENGINECFG", engine=self._engine.descriptor, knob_choices=choices or None
            )
        return self._config

    @property
    def workspace(self) -> int | None:
        """Return the bytes of workspace, before compiling; None where cuDNN does not say."""
        return self._size("workspace_size")

    @property
    def shared_memory(self) -> int | None:
        """Return the bytes of shared memory, before compiling; None where cuDNN does not say."""
        return self._size("shared_memory_used")

    def _size(self, attribute: str) -> int | None:
        if attribute not in self._sizes:
            try:
                size = getattr(self.config, attribute)
            except errors.CudnnError as error:  # this release, or this engine, does not say
                forget(error)
                size = None
            self._sizes[attribute] = None if size is None or size < 0 else int(size)
        return self._sizes[attribute]

    @property
    def key(self) -> tuple[int, frozenset[tuple[str, int]]]:
        """Return what two candidates that do the same have in common."""
        return self.engine, frozenset(self.knobs.items())

    def for_computation(self, computation: Computation) -> Candidate:
        """Return it for a computation of the same graph, which may be another object.

        Raises:
            ArgumentError: the computation is of another graph.
            CudnnError: the engine does not support the graph on the computation's device.
        """
        own = self._engine.computation
        if own is computation:
            return self
        if not own.signature or own.signature != computation.signature:
            raise errors.ArgumentError(
                f"choose: expected a candidate of this graph, got one of another: {self!r}",
                hint="candidates() of this graph, with the same deterministic=; "
                "Engine(number, knobs) means any graph's",
            )
        engines = Engines(computation, self._engine.sm_count)
        return Candidate(engines.get(self.engine), dict(self.knobs), self.source)

    def with_knobs(self, **knobs: int) -> Candidate:
        """Return the same engine with other values of some knobs.

        Raises:
            ArgumentError: the engine has no such knob, or does not take the value.
        """
        checked = check_knobs(self.engine, self.engine_knobs, knobs)
        return Candidate(self._engine, {**self.knobs, **checked}, "forced")

    def sweep(
        self,
        knobs: Sequence[str] | Mapping[str, Sequence[int]] | None = None,
        *,
        most: int = 100,
        tries: int = 2000,
        seed: int = 0,
    ) -> Iterator[Candidate]:
        """Yield candidates over the values of this engine's knobs.

        Often few combinations are supported: what cuDNN refuses at once is left out, and the rest
        may still be refused by a build. Values with known errors are left out, too.

        Args:
            knobs: the names of the knobs to vary, or the values to try of each; by default all
                knobs and all values. Other knobs keep the values that they have here.
            most: the most candidates.
            tries: the most combinations to try.
            seed: decides the order of the combinations, which is random.

        Raises:
            ArgumentError: the engine has no such knob, or does not take a value.
        """
        known = {knob.name: knob for knob in self.engine_knobs}
        if knobs is None:
            knobs = tuple(known)
        vary: dict[str, Sequence[int]] = {}
        for name in knobs:
            given = knobs[name] if hasattr(knobs, "keys") else None  # type: ignore[call-overload]
            if given is None and name in known:
                vary[name] = known[name].values
                continue
            vary[name] = [] if given is None else list(given)
            for value in vary[name] or (given,):
                check_knobs(self.engine, self.engine_knobs, {name: value})  # type: ignore[dict-item]
        return self._swept(vary, most, tries, seed)

    def _swept(
        self, vary: Mapping[str, Sequence[int]], most: int, tries: int, seed: int
    ) -> Iterator[Candidate]:
        for values in islice(walk(self.engine_knobs, vary, seed), tries):
            if most <= 0:
                return
            candidate = Candidate(self._engine, {**self.knobs, **values}, "sweep")
            if wrong_knobs(self._engine.computation, self.engine, candidate.knobs):
                continue
            try:
                candidate.config  # noqa: B018  makes it
            except errors.CudnnError as error:
                if error.status is None:
                    raise
                forget(error)
                continue
            most -= 1
            yield candidate

    def build(self) -> Plan:
        """Return the plan, compiled if the engine needs that.

        Raises:
            NotSupportedError: cuDNN refuses the configuration after all.
            CudnnError: cuDNN fails in another way.
        """
        return to_plan(self._engine.computation, self)

    def to_dict(self) -> dict[str, object]:
        """Return all that is known as plain values."""
        return {
            "engine": self.engine,
            "knobs": dict(self.knobs),
            "source": self.source,
            "numeric_notes": [note.name for note in self.numeric_notes],
            "behavior_notes": [note.name for note in self.behavior_notes],
            "workspace": self.workspace,
            "shared_memory": self.shared_memory,
            "errata": list(self.errata),
        }

    def __repr__(self) -> str:
        knobs = [f"{name}={value}" for name, value in self.knobs.items()]
        known = [f"known error {each}" for each in self.errata]
        return f"Candidate({', '.join([f'engine {self.engine}', *knobs, *known])})"
