"""Filters: what engines must be like to be candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from .. import errors
from .._advice import said
from .._support.arguments import boolean, byte_limit
from .._support.results import NamedTuple
from .._support.wording import meant
from .engine.rounding import narrowing_notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..plan import Computation
    from .engine.engines import Candidate
    from .policy_words import HeuristicMode, Modes


#: The modes of heuristics that are asked by default, in this order.
MODES: tuple[HeuristicMode, ...] = ("A", "B", "FALLBACK")


def listed(modes: Modes) -> Sequence[HeuristicMode]:
    """Return modes of heuristics, or one, as a sequence.

    Raises:
        ArgumentError: it is an iterator: who reads it next would find no mode.
    """
    if isinstance(modes, str) or not isinstance(modes, Iterable):
        return (modes,)
    if isinstance(modes, Iterator):
        raise errors.ArgumentError(f"modes: expected a sequence, got {modes!r}")
    return modes


def _names(notes: Iterable[Any]) -> set[str]:
    return {each.name for each in notes}


#: Facts of a candidate that filters may ask for; only those that they do are read.
_FACTS: dict[str, Callable[[Candidate], bool]] = {
    "deterministic": lambda each: each.deterministic,
    "tensor_cores": lambda each: "TENSOR_CORE" in _names(each.numeric_notes),
    "runtime_compilation": lambda each: "RUNTIME_COMPILATION" in _names(each.behavior_notes),
    "native_cuda_graph": (
        lambda each: "SUPPORTS_CUDA_GRAPH_NATIVE_API" in _names(each.behavior_notes)
    ),
}


class Filters(NamedTuple):
    """Conditions on a candidate; None if they do not matter.

    Attributes:
        deterministic: True refuses engines that may give other bits each time; False is None.
        tensor_cores: whether tensor cores are used.
        tf32: False refuses engines that may round float32 inputs to TensorFloat-32 or to another
            narrower type: those that use tensor cores for products of float32, or convert float32
            inputs down.
        workspace_limit: the most bytes of workspace.
        runtime_compilation: whether the engine is compiled when the plan is built.
        native_cuda_graph: whether `Plan.populate_cuda_graph` can be used.
        exclude: indices of engines that are not used.
        where: any other condition, a function of a candidate.
    """

    deterministic: bool | None = None
    tensor_cores: bool | None = None
    tf32: bool | None = None
    workspace_limit: int | None = None
    runtime_compilation: bool | None = None
    native_cuda_graph: bool | None = None
    exclude: tuple[int, ...] | None = None
    where: Callable[[Candidate], object] | None = None

    @staticmethod
    def name_of(filters: Mapping[str, object]) -> str:
        """Return a text that tells these filters from others.

        Raises:
            ArgumentError: there is no such filter.
        """
        wanted = to_filters(filters)._asdict()
        return ",".join(f"{k}={v}" for k, v in wanted.items() if v is not None)

    def narrowing(self, computation: Computation) -> frozenset[str]:
        """Return the notes of engines that `tf32` refuses for a computation."""
        return narrowing_notes(computation) if self.tf32 is False else frozenset()

    def why_not(self, candidate: Candidate, narrowing: frozenset[str]) -> str:
        """Return why a candidate is left out, "" for one that stays.

        Args:
            candidate: the one to judge.
            narrowing: what `narrowing` returns for its computation.
        """
        for name, is_so in _FACTS.items():
            wanted = getattr(self, name)
            if wanted is not None and bool(wanted) != is_so(candidate):
                return f"{name}={wanted} was asked for"
        if narrowing:
            notes = (*candidate.numeric_notes, *candidate.behavior_notes)
            if narrowing & _names(notes):
                return "tf32=False was asked for"
        if self.workspace_limit is not None:
            size = candidate.workspace
            if size is not None and size > self.workspace_limit:
                limit = self.workspace_limit
                return f"it needs {size} bytes of workspace, at most {limit} are allowed"
        if self.exclude and candidate.engine in self.exclude:
            return f"engine {candidate.engine} is excluded"
        if self.where is not None and not self.where(candidate):
            return "where() refused it"
        return ""


def why_not(computation: Computation, candidate: Candidate, filters: Mapping[str, object]) -> str:
    """Return why filters leave a candidate out; "" where they do not.

    Raises:
        ArgumentError: there is no such filter.
    """
    wanted = to_filters(filters)
    return wanted.why_not(candidate, wanted.narrowing(computation))


def to_filters(filters: Mapping[str, object]) -> Filters:
    """Return filters by their names.

    Raises:
        ArgumentError: there is no such filter, or it has no such value.
    """
    unknown = [name for name in filters if name not in Filters._fields]
    if unknown:
        near = meant(unknown[0], Filters._fields, said("filter"))
        raise errors.ArgumentError(
            f"there is no filter {unknown[0]!r}",
            hint=f"{near}filters: {', '.join(Filters._fields)}",
        )
    found = Filters(**filters)  # type: ignore[arg-type]
    switches: dict[str, bool | None] = {}
    for name in _YES_OR_NO:
        value = getattr(found, name)
        if value is not None:
            switches[name] = boolean(value, name)
    if switches.get("deterministic") is False:  # as in policies
        switches["deterministic"] = None
    limit, where = byte_limit(found.workspace_limit, "workspace_limit"), found.where
    if found.exclude is not None and not isinstance(found.exclude, (tuple, list, set, frozenset)):
        raise errors.ArgumentError(f"exclude: expected indices of engines, got {found.exclude!r}")
    if where is not None and not callable(where):
        raise errors.ArgumentError(f"where: expected a function, got {where!r}")
    return found._replace(workspace_limit=limit, **switches)  # type: ignore[arg-type]


_YES_OR_NO = (
    *("deterministic", "tensor_cores", "tf32", "runtime_compilation", "native_cuda_graph"),
)
