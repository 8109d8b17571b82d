"""Needs of conditions of errata: facts without which a graph does not meet them.

The compiled layer compares needs with the facts of a graph (`native/facts.c`). A condition does not
hold if one is missing, and holds if they decide and all are there. Otherwise, and without the
compiled layer, the condition itself is asked.
"""

from __future__ import annotations

from .. import backend
from .._attributes import DESCRIPTORS
from .._tables import active
from .record import Needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .record import Clause

#: Facts of a graph, and of tensors, in the order of `native/facts.h`, which says what each means.
GRAPH = (
    *("SINGLE", "SEVERAL", "ONE_KIND", "PRODUCT", "CONVOLUTION", "ONE_PRODUCT", "TWO_PRODUCTS"),
    *("FIVE_PRODUCTS", "SEVERAL_PRODUCTS", "ONE_OF_BOTH"),
)
TENSOR = (
    *("MEMORY", "COMPUTED", "LOW", "LOW_MATRIX", "GAPS", "REPEATED", "INSIDE", "ODD_ROWS"),
    *("BY_COLUMNS", "TORN_TILES", "ONE_ROW", "BEYOND_GRID", "LONG", "BEYOND", "PADDED_BEYOND"),
    *("MATRICES", "IMAGE", "VOLUME", "PIXEL", "MANY_CHANNELS", "CHANNELS_APART"),
    *("CHANNELS_INSIDE", "OTHER_ORDER", "ODD_PIXELS", "OTHER_TYPE", "UNEVEN"),
)

#: The kinds of operations that records of the package have.
_KINDS = (
    *(f"Convolution{way}" for way in ("Forward", "BackwardData", "BackwardFilter")),
    *("Matmul", "Pointwise", "Reduction", "ResampleFwd", "ResampleBwd", "NormForward"),
    *("NormBackward", "SDPAFwd", "PagedCacheLoad"),
)

#: Facts of data types and options: the members of enums that have them.
_WORDS = {
    "NOT_OF_ZERO": ("DIV", "LOG", "RECIPROCAL", "RSQRT"),
    "SUM": ("ADD", "AVG", "MUL", "NORM1", "NORM2"),
    "MEANS": ("AVGPOOL", "AVGPOOL_INCLUDE_PADDING", "AVGPOOL_EXCLUDE_PADDING"),
    "OVER_ROWS": ("LAYER_NORM", "RMS_NORM", "ADA_LAYER_NORM"),
    **{
        each: (each,)
        for each in (
            *("ADD", "MUL", "IDENTITY", "GEN_INDEX", "TANH_FWD", "EXP", "BINARY_SELECT"),
            *("MAXPOOL", "PROPAGATE_NAN", "NOT_PROPAGATE_NAN", "INSTANCE_NORM", "INFERENCE"),
            *("TRAINING", "BFLOAT16", "HALF", "FLOAT"),
        )
    },
}

_ENUMS = (
    *("DataType", "PointwiseMode", "ResampleMode", "NanPropagation", "ReduceTensorOp"),
    *("BackendNormMode", "BackendNormFwdPhase"),
)

#: The options that are words, by the classes that have them.
_OPTIONS = {
    "PointwiseDescriptor": ("mode",),
    "ReductionDescriptor": ("operator",),
    "ResampleDescriptor": ("mode", "nan_propagation"),
}

#: The attributes of clauses, which have their places in it.
ports: list[str | None] = [None]

_OF_GRAPH = {name: 1 << place for place, name in enumerate((*GRAPH, *_KINDS))}
_OF_PORT = {name: 1 << place for place, name in enumerate((*TENSOR, *_WORDS))}

#: Words for the operations that have the facts of a clause, in the order of `native/facts.h`.
WHICH = "any", "first", "early", "no"

#: The bits of any kinds; that of the kind of a record; and that of kinds of which there is none.
_ANY, _OWN, _OTHER = (1 << 64) - 1, 1 << 62, 1 << 63


def needs(*facts: str, decide: bool = False) -> Needs:
    """Return needs by their names.

    Args:
        facts: of the graph, such as "ONE_PRODUCT"; or of a port of an operation, such as
            "Matmul.cdesc LONG", where "any" stands for all kinds or all ports, and "own" for the
            kind that a record is of. Before it, "first" says that the first operation of the kind
            has them, "early" that one of the first five operations has, and "no" that none has.
        decide: as `Needs` has it.
    """
    graph = 0
    clauses: list[Clause] = []
    for each in facts:
        place, *wanted = each.split()
        which = WHICH.index(place) if place in WHICH else 0
        if which:
            place, *wanted = wanted
        if "." not in place:
            graph |= _OF_GRAPH[place]
            continue
        kind, _, port = place.partition(".")
        bits = sum({_OF_PORT[name] for name in wanted})
        kinds = {"any": _ANY, "own": _OWN}.get(kind) or _OF_GRAPH[kind]
        name = None if port == "any" else port
        if name not in ports:
            ports.append(name)
        clauses.append((kinds, ports.index(name), bits, which))
    return Needs(graph, tuple(clauses), decide)


#: The facts of tensors with some extents.
_RANKS = {3: "MATRICES", 4: "IMAGE", 5: "VOLUME"}


def of_declared(where: Mapping[str, Any], kind: str) -> Needs:
    """Return the needs of a declaration of a record for engines, as `scope` describes it."""
    tensors = where.get("tensors", {})
    facts, decide = [], where.keys() <= {"with", "tensors"} and len(tensors) <= 1
    for each in where.get("with", ()):
        other, _, mode = each.partition(" ")
        if other == "Pointwise" and _WORDS.get(mode) == (mode,):
            facts.append(f"{other}.pw_descriptor {mode}")
        elif other in _KINDS and not mode:
            facts.append(other)
        else:
            decide = False
    ports = DESCRIPTORS.get(f"Operation{kind}Descriptor", ("", {}))[1]
    for port, told in tensors.items():
        names = [each for each in (port, f"{port}desc", f"{port}_desc") if each in ports]
        if len(names) == 1:
            rank = _RANKS.get(told["rank"], "") if type(told.get("rank")) is int else ""
            facts.append(f"own.{names[0]} {rank}")
            decide = decide and bool(rank) and len(told) == 1
        else:
            decide = False
    return needs(*facts, decide=decide)


def of_record(given: Needs, kind: str) -> Needs:
    """Return the needs of a record of a kind of operations.

    Kinds that no record of the package has are not told apart, and facts do not decide for them.
    """
    own = _OF_GRAPH[kind] if kind in _KINDS else _OTHER
    clauses = [(own if each[0] == _OWN else each[0], *each[1:]) for each in given.clauses]
    return Needs(given.graph | own, tuple(clauses), given.decide and own != _OTHER)


def words() -> dict[Any, Any]:
    """Return the words and classes of `native/facts.h` for the release in use."""
    found: dict[Any, Any] = {}
    for members in [active().enum(each).__members__ for each in _ENUMS]:
        for word, member in members.items():
            facts = [_OF_PORT[fact] for fact, names in _WORDS.items() if member.name in names]
            found[word] = found.get(word, 0) | sum(facts)
    also = {"Matmul": _OF_GRAPH["PRODUCT"], "ConvolutionForward": _OF_GRAPH["CONVOLUTION"]}
    for name in DESCRIPTORS:
        kind = name.removeprefix("Operation").removesuffix("Descriptor")
        is_operation = name.startswith("Operation")
        bits = _OF_GRAPH[kind] | also.get(kind, 0) if kind in _KINDS else _OTHER
        found[getattr(backend, name)] = bits if is_operation else _OPTIONS.get(name, ())
    return found
