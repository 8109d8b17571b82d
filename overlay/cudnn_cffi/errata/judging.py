"""Decide whether a graph has what conditions of errata need.

The compiled layer does it for the rows of an engine (`native/facts.c`), by numbers of `encoded`.
Without it, and for descriptors that it does not know, `holds` does.
"""

from __future__ import annotations

from array import array

from .. import arrays, backend
from .._attributes import DESCRIPTORS
from .._backend import Descriptor
from .._tables import active
from ..plan.arrays.slot_offsets import find_offset
from .definitions import OPERATION, OPTION, TENSOR, Graph, Tensor
from .facts import child, read
from .needs import GRAPH, PORTS, TYPES, WHICH, WORDS
from .record import CHOSEN
from .scope import values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from .needs import Clause, Group, Needs
    from .record import Erratum

    #: Words, ports, numbers, entries and descriptors of `native/facts.h`.
    Compiled: TypeAlias = tuple[
        Mapping[Any, Any], Sequence[str], bytes, Sequence[tuple[Any, ...] | None], type, int
    ]

#: The maximum number of engines that the compiled layer takes, and of rows of one.
_ENGINES, _BITS = 1024, 64

#: Bits of words and classes for the compiled layer; nothing before the first graph is asked about.
words: dict[Any, Any] = {}

#: The kinds that `native/facts.h` has.
FIRST_KINDS = (
    *("Matmul", "ConvolutionForward", "Pointwise", "Reduction"),
    *("ConvolutionBackwardData", "ConvolutionBackwardFilter"),
)

#: The kinds of operations, by their classes.
_KINDS = {
    name: name.removeprefix("Operation").removesuffix("Descriptor")
    for name in DESCRIPTORS
    if name.startswith("Operation")
}

_ENUMS = (
    *("DataType", "PointwiseMode", "ResampleMode", "NanPropagation", "ReduceTensorOp"),
    *("BackendNormMode", "BackendNormFwdPhase", "ConvolutionMode"),
)

#: The options that are words, by the classes that have them.
_OPTIONS = {
    "ConvolutionDescriptor": ("conv_mode",),
    "PointwiseDescriptor": ("mode", "nan_propagation"),
    "ReductionDescriptor": ("operator",),
    "ResampleDescriptor": ("mode", "nan_propagation"),
}


def _bits(names: Iterable[str], first: int = 0) -> dict[str, int]:
    return {name: 1 << place for place, name in enumerate(names, first)}


#: The bits of the bytes of an element, which are 1 to 16: their logarithm and one.
_SIZE = len(TENSOR)
_OF_GRAPH = _bits(dict.fromkeys([*GRAPH, *FIRST_KINDS, *_KINDS.values()]))
_OF_TYPE, _OF_WORD = _bits(TYPES, _SIZE + 3), _bits([*OPTION, *WORDS])
_OF_PORT = {**_bits(OPERATION), **_bits(TENSOR), **_OF_TYPE, **_OF_WORD}
_PRESENT = 1 << 62


def compiled(engines: Mapping[int, Sequence[Erratum]]) -> Compiled:
    """Return what the compiled layer needs to know of the rows of engines; see `native/facts.h`."""
    count = max(engines, default=-1) + 1
    if count > _ENGINES or max(map(len, engines.values()), default=0) > _BITS:
        return words, PORTS, b"", (), Descriptor, 0
    rules = sum(len(_possible(each)) for rows in engines.values() for each in rows)
    after = 1 + count + 3 * (len(engines) + rules)
    places, heads, groups = [0] * count, array("Q"), array("Q")
    known: dict[tuple[int, ...], int] = {}
    entries: list[tuple[Any, ...] | None] = []
    for engine, rows in engines.items():
        head, more = array("Q"), 0
        places[engine], first = 1 + count + len(heads), len(entries)
        for row, each in enumerate(rows):
            is_left_out = each.kind not in CHOSEN
            entries.append((each.reason, *values_of(each.knobs)) if is_left_out else None)
            if is_left_out and (each.is_limited or each.applies):
                more |= 1 << row
            for one in _possible(each):
                block = _block(one.groups, each.subject)
                if block not in known:  # several engines share it
                    known[block] = after + len(groups)
                    groups.extend(block)
                facts = {*one.facts, each.subject}
                lacks = _OF_GRAPH.keys() & one.lacks
                head.extend([_sum(_OF_GRAPH, facts), _sum(_OF_GRAPH, lacks)])
                head.append(row + _BITS * known[block])
        heads.extend([len(head) // 3, more, first, *head])
    numbers = array("Q", [count, *places, *heads, *groups])
    place = find_offset(Descriptor, "_values")
    return words, PORTS, numbers.tobytes(), tuple(entries), Descriptor, place


def _possible(row: Erratum) -> list[Needs]:
    """Return the needs that a graph can have: trees of old releases lack operations."""
    return [each for each in row.needs if _OF_GRAPH.keys() >= {*each.facts, row.subject}]


def _block(groups: Sequence[Group], own: str) -> tuple[int, ...]:
    return (len(groups), *(number for each in groups for number in _numbers(each, own)))


def _sum(bits: Mapping[str, int], names: Iterable[str]) -> int:
    return sum({bits[name] for name in names})


def _numbers(group: Group, own: str) -> list[int]:
    kind = own if group.kind == "own" else group.kind
    kinds = (1 << 64) - 1 if kind == "any" else _OF_GRAPH.get(kind, 0)
    found = [group.which, kinds, len(group.clauses)]
    for each in group.clauses:
        ports = sum(1 << PORTS.index(port) for port in each.ports)
        facts = _PRESENT + _sum(_OF_PORT, each.facts)
        found += [ports, facts, _sum(_OF_PORT, each.lacks), each.is_none]
    return found


def learn() -> None:
    """Set the words and classes of `native/facts.h` for the release in use."""
    found: dict[Any, Any] = {}
    for members in [active().enum(each).__members__ for each in _ENUMS]:
        for word, member in members.items():
            facts = {**TYPES, **WORDS}.items()
            bits = {_OF_PORT[fact] for fact, names in facts if member.name in names}
            found[word] = found.get(word, 0) | sum(bits)
    for word in active().enum("DataType").__members__:
        found[word] |= arrays.itemsize(arrays.dtype_name(word)).bit_length() << _SIZE
    for name in DESCRIPTORS:
        found[getattr(backend, name)] = (
            _OF_GRAPH[_KINDS[name]] if name in _KINDS else _OPTIONS.get(name, ())
        )
    words.update(found)


def holds(given: Needs, own: str, graph: Graph) -> bool:
    """Return whether a graph has what records for a kind of operations need."""
    facts = graph.of_graph
    if own not in facts or not facts.issuperset(given.facts) or facts & {*given.lacks}:
        return False
    return all(_holds(each, own, graph) for each in given.groups)


def _holds(group: Group, own: str, graph: Graph) -> bool:
    kind = own if group.kind == "own" else group.kind
    places = [i for i, each in enumerate(graph.structure.kinds) if kind in ("any", each)]
    if WHICH[group.which] == "first":
        del places[1:]
    is_found = any(all(_has(graph, i, each) for each in group.clauses) for i in places)
    return is_found is not (WHICH[group.which] == "no")


def _has(graph: Graph, place: int, clause: Clause) -> bool:
    is_found = any(
        _is_there(graph, place, port)
        and all(_is_fact(graph, place, port, each) for each in clause.facts)
        and not any(_is_fact(graph, place, port, each) for each in clause.lacks)
        for port in clause.ports
    )
    return is_found is not clause.is_none


def _is_there(graph: Graph, place: int, port: str) -> bool:
    return port in PORTS[: PORTS.index("adesc")] or child(graph.given[place], port) is not None


def _is_fact(graph: Graph, place: int, port: str, fact: str) -> bool:
    """Return whether an operation, or what it has at a port, has a fact."""
    if fact in OPERATION:
        return OPERATION[fact](graph, place)
    value: Any = read(graph.given[place], port)
    if fact in TENSOR:
        return TENSOR[fact](Tensor(value))
    if fact in TYPES:
        return read(value, "data_type") in TYPES[fact]
    if fact in OPTION:
        return OPTION[fact](value)
    told = value
    if not isinstance(value, str):
        told = read(value, "mode") or read(value, "conv_mode") or read(value, "operator")
        if fact.endswith("PROPAGATE_NAN"):
            told = child(value, "nan_propagation")
    return getattr(told, "name", told) in WORDS[fact]
