"""The arguments of `candidates`, `build` and `autotune` by name, for type checkers and editors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

from .engine.engines import Candidate
from .engine.kernel_cache import KernelCache


class FilterOptions(TypedDict, total=False):
    """What an engine must be like; see `Filters`."""

    deterministic: bool | None
    tensor_cores: bool | None
    tf32: bool | None
    workspace_limit: int | str | None
    runtime_compilation: bool | None
    native_cuda_graph: bool | None
    exclude: tuple[int, ...] | None
    where: Callable[[Candidate], object] | None


class _ChoiceOptions(FilterOptions, total=False):
    modes: Sequence[str]
    engine: int | None
    knobs: Mapping[Any, int] | None
    sm_count: int | None


class BuildOptions(_ChoiceOptions, total=False):
    """What `build` takes."""

    kernel_cache: KernelCache | None
    most: int | None


class CandidateOptions(_ChoiceOptions, total=False):
    """What `candidates` takes."""

    every_engine: bool


class TuningOptions(CandidateOptions, total=False):
    """What `autotune` takes."""

    operands: Mapping[str, Any] | Sequence[Any] | None
    candidates: Iterable[Candidate] | None
    cold: bool
    repeats: int | None
    precision: float
    seconds: float
    most: int | None
    reference: Mapping[str, Any] | Sequence[Any] | None
    tolerance: float | None
    seed: int
    remember: bool
