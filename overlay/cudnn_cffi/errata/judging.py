"""Decide whether a graph has what conditions of errata need.

The compiled layer does it for the rows of an engine (`native/facts.c`), by numbers of `encoded`.
Without it, and for descriptors that it does not know, `holds` does.
"""

from __future__ import annotations

from array import array

from .. import arrays, backend
from .._attributes import DESCRIPTORS
from .._tables import active
from .definitions import OPERATION, OPTION, TENSOR, Graph, Tensor
from .facts import child, read
from .needs import GRAPH, PORTS, TYPES, WHICH, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .needs import Clause, Group, Needs, Rule

_FIRST_KINDS = "Matmul", "ConvolutionForward", "Pointwise"

#: The kinds of operations, by their classes.
_KINDS = {
    name: name.removeprefix("Operation").removesuffix("Descriptor")
    for name in DESCRIPTORS
    if name.startswith("Operation")
}

_ENUMS = (
    *("DataType", "PointwiseMode", "ResampleMode", "NanPropagation", "ReduceTensorOp"),
    *("BackendNormMode", "BackendNormFwdPhase"),
)

#: The options that are words, by the classes that have them.
_OPTIONS = {
    "PointwiseDescriptor": ("mode", "nan_propagation"),
    "ReductionDescriptor": ("operator",),
    "ResampleDescriptor": ("mode", "nan_propagation"),
}


def _bits(names: Iterable[str], first: int = 0) -> dict[str, int]:
    return {name: 1 << place for place, name in enumerate(names, first)}


#: The bits of the bytes of an element, whose sizes are 1 to 16.
_SIZE = len(TENSOR)
_OF_GRAPH = _bits(dict.fromkeys([*GRAPH, *_FIRST_KINDS, *_KINDS.values()]))
_OF_TYPE, _OF_WORD = _bits(TYPES, _SIZE + 5), _bits([*OPTION, *WORDS])
_OF_PORT = {**_bits(OPERATION), **_bits(TENSOR), **_OF_TYPE, **_OF_WORD}
_PRESENT = 1 << 62


def encoded(rules: Iterable[Rule]) -> bytes:
    """Return rules as numbers; see `native/facts.h`."""
    found = array("Q")
    for row, own, one in rules:
        graph = _sum(_OF_GRAPH, {*one.facts, own}), _sum(_OF_GRAPH, one.lacks)
        groups = [number for each in one.groups for number in _numbers(each, own)]
        found.extend([5 + len(groups), row, *graph, len(one.groups), *groups])
    return found.tobytes()


def _sum(bits: Mapping[str, int], names: Iterable[str]) -> int:
    return sum({bits[name] for name in names})


def _numbers(group: Group, own: str) -> list[int]:
    kind = own if group.kind == "own" else group.kind
    kinds = (1 << 64) - 1 if kind == "any" else _OF_GRAPH[kind]
    found = [group.which, kinds, len(group.clauses)]
    for each in group.clauses:
        ports = sum(1 << PORTS.index(port) for port in each.ports)
        facts = _PRESENT + _sum(_OF_PORT, each.facts)
        found += [ports, facts, _sum(_OF_PORT, each.lacks), each.is_none]
    return found


def words() -> dict[Any, Any]:
    """Return the words and classes of `native/facts.h` for the release in use."""
    found: dict[Any, Any] = {}
    for members in [active().enum(each).__members__ for each in _ENUMS]:
        for word, member in members.items():
            facts = {**TYPES, **WORDS}.items()
            bits = {_OF_PORT[fact] for fact, names in facts if member.name in names}
            found[word] = found.get(word, 0) | sum(bits)
    for word in active().enum("DataType").__members__:
        found[word] |= arrays.itemsize(arrays.dtype_name(word)) << _SIZE
    for name in DESCRIPTORS:
        found[getattr(backend, name)] = (
            _OF_GRAPH[_KINDS[name]] if name in _KINDS else _OPTIONS.get(name, ())
        )
    return found


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
        told = read(value, "mode") or read(value, "operator")
        if fact.endswith("PROPAGATE_NAN"):
            told = child(value, "nan_propagation")
    return getattr(told, "name", told) in WORDS[fact]
