"""The arguments of `candidates`, `build` and `autotune` by name, for type checkers and editors."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..types import Bytes
    from .engine.engines import Candidate
    from .engine.kernel_cache import KernelCache
    from .policy_words import Arrays, Knobs, Modes


class FilterOptions(TypedDict, total=False):
    """Conditions that an engine must meet; see `Filters`."""

    deterministic: bool | None
    tensor_cores: bool | None
    tf32: bool | None
    workspace_limit: Bytes | None
    runtime_compilation: bool | None
    native_cuda_graph: bool | None
    exclude: tuple[int, ...] | None
    where: Callable[[Candidate], object] | None


class _ChoiceOptions(FilterOptions, total=False):
    modes: Modes
    engine: int | None
    knobs: Knobs | None
    sm_count: int | None


class BuildOptions(_ChoiceOptions, total=False):
    """The arguments of `build`."""

    kernel_cache: KernelCache | None
    most: int | None


class CandidateOptions(_ChoiceOptions, total=False):
    """The arguments of `candidates`."""

    every_engine: bool


class TuningOptions(CandidateOptions, total=False):
    """The arguments of `autotune`."""

    operands: Arrays | None
    candidates: Iterable[Candidate] | None
    cold: bool
    repeats: int | None
    precision: float
    seconds: float
    most: int | None
    reference: Arrays | None
    tolerance: float | None
    seed: int
    remember: bool
