"""The records of errata."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from .._support.results import NamedTuple

#: A kind of symptom.
Kind: TypeAlias = Literal[
    "wrong numbers",
    "NaN",
    "unwritten results",
    "crash",
    "context lost",
    "fails",
    "hang",
    "not deterministic",
    "not capturable",
    "wrong when restored",
    "slow",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypedDict

    class Call(TypedDict, total=False):
        """The facts of a call that conditions of functions read; each reads those of its own."""

        algorithm: str
        alignment: int
        array: str
        banded: bool
        bias: Sequence[int]
        changes_scores: bool
        channels: int
        coefficient: float
        count: int
        data_type: str
        dbias: bool
        depthwise: bool
        do: Sequence[int]
        dropout: bool
        dropout_mask: bool
        dsink: bool
        empty: bool
        exact: bool
        falling: bool
        flat_bias: bool
        float: bool
        float64: bool
        fp8: bool
        gaps: bool
        grouped: bool
        has_ceiling: bool
        has_labels: bool
        in_parts: bool
        indices: bool
        infinite_slopes: bool
        is_scaled: bool
        keys: int
        layout: str
        left_alone: bool
        lengths: bool
        mode: str
        nan: bool
        nan_scores: bool
        o: Sequence[int]
        one_paged_query: bool
        products: int
        projects_output: bool
        projects_values: bool
        queries: int
        rows: bool
        same_strides: bool
        same_types: bool
        scale: float
        score_indices: bool
        score_lost: bool
        sink: bool
        size: int
        slope: float
        steps: Sequence[int]
        time_first: bool
        type: str
        width: int
        window: int


#: The evidence of most entries.
MEASURED = "measured with cuDNN 9.19.0 on an H200"

#: The source of what was seen on a GPU by the tests of this package.
SEEN = "seen here"

#: The alignment that most engines require, in bytes.
ALIGNMENT = 16

#: Maximum extent of a CUDA grid along its second and third axis.
MAXIMUM_OF_GRID = 65535

#: More elements than 32 bits count with a sign.
BEYOND_32_BITS = 1 << 31

#: The kinds of symptoms.
KINDS: tuple[Kind, ...] = get_args(Kind)

#: The kind of engines that are left out of deterministic choices alone.
OTHER_BITS = "not deterministic"

#: The kind of engines whose calls are not launched as CUDA graphs.
CAPTURED = "not capturable"

#: The kind of engines whose plans are wrong if they are made of cuDNN's JSON alone, as those of
#: networks' files are.
RESTORED = "wrong when restored"

#: The kinds of engines that are chosen all the same.
CHOSEN = OTHER_BITS, RESTORED


class Record(NamedTuple):
    """A record of errata, as files have it.

    Attributes:
        id: short words that never change.
        scope: "engine", "function" or "graph".
        subjects: of an engine, its operation in the graph, such as "Matmul"; the names of
            functions: C names, or those of functions of `ops` and nodes of graphs; the group of a
            record of graphs.
        engines: the indices of engines; empty for functions and graphs.
        knobs: the values of knobs with which an engine has it, as `scope` constrains them; empty
            for any.
        where: the name of a condition, or a declaration as `scope` reads it; {} for always.
        first, last: the releases that it holds for, as cudnnGetVersion numbers them; None for no
            limit.
        architectures: the compute capabilities that it holds for; empty for all.
        kind: one of `KINDS`.
        symptom: what is wrong, and for which arrays.
        workaround: what helps besides another engine or function; "" for nothing.
        evidence: how it is known: the release and the device, or an issue elsewhere.
        source: "seen here", or the thread that reports it.
        verified: whether it was seen here.
        avoided: whether the package avoids it: it leaves out the engine, refuses the graph, or
            takes another way. An engine that is not deterministic is left out of deterministic
            choices, one that is wrong when restored out of files of networks. All other records
            are advice.
        shows: what shows it: a "graph" as JSON, with the "data" of inputs, the "knobs" of the
            engine, the "engine" of what names none, the "arguments" of a function that is called,
            the graphs that it runs "after", or whose times it has, "apart", and the "limit" of
            errors; the bytes of "workspace" that would do; or the facts of a "call". "seen" names
            the device on which random graphs like this one showed it, where the graph alone does
            not.
        own: whether a user added it.
    """

    id: str
    scope: str
    subjects: tuple[str, ...]
    engines: tuple[int, ...] = ()
    knobs: Mapping[str, Any] = {}
    where: str | Mapping[str, Any] = {}
    first: int | None = None
    last: int | None = None
    architectures: tuple[tuple[int, int], ...] = ()
    kind: str = "wrong numbers"
    symptom: str = ""
    workaround: str = ""
    evidence: str = MEASURED
    source: str = SEEN
    verified: bool = True
    avoided: bool = True
    shows: Mapping[str, Any] = {}
    own: bool = False

    @property
    def shown_knobs(self) -> dict[str, int]:
        """The values of knobs with which an engine shows it."""
        shown = self.shows.get("knobs")
        if shown:
            return dict(shown)
        return {name: each for name, each in self.knobs.items() if type(each) is int}

    @property
    def has_graph(self) -> bool:
        """Whether a graph shows it, without other graphs or functions."""
        more = {"after", "apart", "arguments", "workspace"}
        return "graph" in self.shows and more.isdisjoint(self.shows)

    @property
    def shown_engine(self) -> int | None:
        """The engine that shows it; None for the one that is chosen."""
        return self.engines[0] if self.engines else self.shows.get("engine")

    def __str__(self) -> str:
        engines = f" {', '.join(map(str, self.engines))}" if self.engines else ""
        return f"{self.id}: {', '.join(self.subjects)}{engines}: {self.kind}: {self.symptom}"


class Erratum(NamedTuple):
    """A row of the table: a record for one of its engines, functions or groups of graphs.

    Attributes:
        subject: one of the subjects of the record.
        engine: one of its engines, or None.
        applies: returns whether the condition holds: for an operation and all operations of its
            graph, as descriptors, None if needs decide; for a `Call` of a function; for a graph, in
            words, "" if not.
        needs: those of engines, of which a graph has to meet one, see `needs`.
        symptom, evidence, workaround, first, last, knobs, id, kind: as `Record` has them.
        architectures: the compute capabilities that it holds for; None for all.
        is_limited: whether it holds for some releases or architectures only.
        reason: the symptom, the evidence, and the ways out, as errors tell them.
    """

    subject: str
    engine: int | None
    applies: Any
    symptom: str
    evidence: str = MEASURED
    workaround: str = ""
    first: int | None = None
    last: int | None = None
    architectures: tuple[tuple[int, int], ...] | None = None
    knobs: Mapping[str, Any] = {}
    id: str = ""
    needs: tuple[Any, ...] = ()
    is_limited: bool = False
    kind: str = "wrong numbers"
    reason: str = ""

    def concerns(self, release: int, capability: Callable[[], tuple[int, int] | None]) -> bool:
        """Return whether the entry holds for a release and a device.

        Args:
            release: as cudnnGetVersion numbers it.
            capability: returns the compute capability of the device, None for an unknown one, for
                which all entries hold. It is asked only by entries that depend on it.
        """
        if self.first is not None and release < self.first:
            return False
        if self.last is not None and release > self.last:
            return False
        if self.architectures is None:
            return True
        known = capability()
        return known is None or known in self.architectures
