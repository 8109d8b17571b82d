"""A case as a C program, which needs cuDNN, the CUDA runtime and the C library.

Its descriptors are those that this package makes of the graph, attribute by attribute.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import errors
from ..._backend import Descriptor
from ..._backend.setters import order_of
from ..._tables import active, find_member
from ...graph.finalize import make_node, make_tensors, options_are_doubles, read_by
from ...plan.operand import Operand, encode
from . import data
from .case import Case

if TYPE_CHECKING:
    from ..._backend.schema import Attribute
    from ...graph import Graph, Node

_TEMPLATE = Path(__file__).with_name("program.c")

#: The C types of attribute types that hold no members of enums.
_PLAIN = {
    "BOOLEAN": "bool",
    "CHAR": "char",
    "DOUBLE": "double",
    "FLOAT": "float",
    "FRACTION": "cudnnFraction_t",
    "INT32": "int32_t",
    "INT64": "int64_t",
}


def text(case: Case, head: str) -> str:
    """Return the program.

    Args:
        case: the case that it runs.
        head: the comment at its beginning, as lines of text.

    Raises:
        NotSupportedError: an attribute of the graph has no form in C here.
    """
    graph = case.graph.lowered()
    lines = _Lines(graph)
    ops = [lines.add(*each) for each in lines.nodes()]
    knobs = active().enum("BackendKnobType")
    filled = {
        "head": _comment(head),
        "data": "\n".join(_data(case, graph)),
        "engine": str(case.engine),
        "seed": f"{case.seed & (1 << 64) - 1}u",
        "graph": "\n".join(f"    {each}" for each in lines.lines),
        "operations": ", ".join(ops),
        "dynamic": "    SET(graph, CUDNN_ATTR_OPERATIONGRAPH_IS_DYNAMIC_SHAPE_ENABLED, "
        "CUDNN_TYPE_BOOLEAN, bool, true);"
        if graph.dynamic_shapes
        else "",
        "knobs": "\n".join(_knobs({_c_name(knobs, k): v for k, v in case.knobs.items()})),
    }
    found = _TEMPLATE.read_text(encoding="utf-8")
    for name, each in filled.items():
        found = found.replace(f"/*{{{name}}}*/", each)
    return found


# Descriptors


def _c_name(enum: Any, value: object) -> str:
    """Return the C name of a member of an enum."""
    member = find_member(enum, value) if isinstance(value, str) else enum(value)
    names = {name: c_name for c_name, name in enum._c_names.items()}  # noqa: SLF001
    if member is None or member.name not in names:
        raise errors.NotSupportedError(f"{enum.__name__}: {value!r} has no name in C")
    return str(names[member.name])


class _Lines:
    """Lines of C that make descriptors, each after those that it holds."""

    def __init__(self, graph: Graph) -> None:
        self.lines: list[str] = []
        self._graph = graph
        self._made: list[Descriptor] = []  # whose ids are in use
        self._names: dict[int, str] = {}

    def nodes(self) -> Iterator[tuple[Descriptor, str, frozenset[str]]]:
        """Yield the descriptors of the graph's nodes, a name, and attributes that are doubles."""
        tensors = make_tensors(self._graph)
        for number, node in enumerate(self._graph.nodes):
            yield make_node(node, tensors), f"node{number}", _doubles(node)

    def add(self, made: Descriptor, name: str, doubles: frozenset[str] = frozenset()) -> str:
        """Add the lines of a descriptor, and return its name in C."""
        if id(made) in self._names:
            return self._names[id(made)]
        known = {each.name: each for each in made.attributes()}
        sets = [
            f"SET({name}, {known[attribute].c_name}, "
            f"{self._value(made, known[attribute], value, name, attribute in doubles)});"
            for attribute, value in _given(made).items()
            if value is not None
        ]
        self._names[id(made)] = name
        self._made.append(made)
        self.lines += [f"cudnnBackendDescriptor_t {name} = make({made.c_name});", *sets]
        self.lines.append(f'finish({name}, "{name}");')
        return name

    def _value(
        self, owner: Descriptor, attribute: Attribute, value: Any, name: str, is_double: bool
    ) -> str:
        """Return type, C type and elements of an attribute."""
        types = ["DOUBLE"] if is_double else list(order_of(attribute))
        if attribute.nested:
            raise errors.NotSupportedError(f"{attribute.c_name}: lists of lists have no form in C")
        items = list(value) if attribute.many or isinstance(value, tuple) else [value]
        if types == ["VOID_PTR"]:
            name = f"constant_{_uid(_given(owner)['unique_id'])}"
            return f"CUDNN_TYPE_VOID_PTR, void *, (void *){name}"
        if not items:
            raise errors.NotSupportedError(f"{attribute.c_name}: an empty list has no form in C")
        if isinstance(items[0], Descriptor):
            words = [
                self.add(each, _child_name(each, name, place)) for place, each in enumerate(items)
            ]
            return f"CUDNN_TYPE_BACKEND_DESCRIPTOR, cudnnBackendDescriptor_t, {', '.join(words)}"
        types = [each for each in types if each != "BACKEND_DESCRIPTOR"]  # a number in its place
        if types[0] not in _PLAIN:
            words = [_c_name(active().enum(attribute.enum or ""), each) for each in items]
            return f"CUDNN_TYPE_{types[0]}, int, {', '.join(words)}"
        chosen = next(each for each in types if _fits(each, items))
        words = [_number(chosen, each) for each in items]
        return f"CUDNN_TYPE_{chosen}, {_PLAIN[chosen]}, {', '.join(words)}"


def _doubles(node: Node) -> frozenset[str]:
    return frozenset(("alpha", "beta")) if options_are_doubles(node) else frozenset()


def _given(made: Descriptor) -> dict[str, Any]:
    """Return the attributes that were set."""
    return made._values  # noqa: SLF001


def _child_name(made: Descriptor, owner: str, place: int) -> str:
    uid = _given(made).get("unique_id")
    if uid is not None:
        return f"tensor{_uid(uid)}"
    kind = made.c_name.removeprefix("CUDNN_BACKEND_").removesuffix("_DESCRIPTOR")
    return f"{owner}_{kind.lower()}{place or ''}"


def _uid(uid: int) -> str:
    return str(uid) if uid >= 0 else f"m{-uid}"


def _fits(kind: str, items: Iterable[Any]) -> bool:
    """Return whether values are of a type; of several types the first is taken that fits."""
    if kind in ("INT32", "INT64"):
        return all(isinstance(each, int) and not isinstance(each, bool) for each in items)
    return True


def _number(kind: str, value: Any) -> str:
    if kind == "BOOLEAN":
        return "true" if value else "false"
    if kind == "FRACTION":
        parts = value if isinstance(value, tuple) else (value.numerator, value.denominator)
        return f"{{{parts[0]}, {parts[1]}}}"
    if kind in ("FLOAT", "DOUBLE"):
        return _real(float(value))
    return _integer(int(value))


def _integer(value: int) -> str:
    if value == -(1 << 63):
        return "INT64_MIN"
    return str(value) if -(1 << 31) <= value < 1 << 31 else f"INT64_C({value})"


def _real(value: float) -> str:
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value)


def _knobs(values: dict[str, int]) -> Iterator[str]:
    """Yield the lines that set knobs."""
    attribute = "CUDNN_ATTR_KNOB_CHOICE_KNOB"
    for place, (name, value) in enumerate(values.items()):
        made = f"knob{place}"
        yield f"    cudnnBackendDescriptor_t {made} = make(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);"
        yield f"    SET({made}, {attribute}_TYPE, CUDNN_TYPE_KNOB_TYPE, int, {name});"
        yield f"    SET({made}, {attribute}_VALUE, CUDNN_TYPE_INT64, int64_t, {value});"
        yield f'    finish({made}, "{name}");'
    if values:
        listed = ", ".join(f"knob{place}" for place in range(len(values)))
        yield (
            "    SET(config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR, "
            f"cudnnBackendDescriptor_t, {listed});"
        )


# Arrays


def _data(case: Case, graph: Graph) -> Iterator[str]:
    """Yield the declarations of arrays, of what is bound to tensors, and of expected results."""
    operands = case.operands
    for tensor in graph.tensors.values():
        if tensor.is_constant:
            made = Operand(tensor.name, 0, tensor.shape, tensor.strides, tensor.data_type)
            yield _bytes(f"constant_{_uid(tensor.uid)}", encode(made, tensor.value))
    numbers = case.numbers()
    places: dict[str, int] = {}
    rows: list[str] = []
    for each in operands:
        if each.by_value or each.value is not None:
            value = each.value if each.value is not None else numbers[each.name]
            if each.data_type not in ("FLOAT", "DOUBLE", "HALF", "BFLOAT16"):
                value = int(value)
            yield _bytes(f"number_{_uid(each.uid)}", encode(each, value))
            continue
        given = case.data.get(each.name)
        if isinstance(given, list):
            yield _reals(f"given_{_uid(each.uid)}", given)
        places[each.name] = len(rows)
        rows.append(_array(case, each))
    yield from ("static const struct array arrays[] = {", *rows, "};")
    yield "static const struct binding bindings[] = {"
    read = {*read_by(graph.nodes)}
    read |= {each.ragged_offset.uid for each in graph.tensors.values() if each.ragged_offset}
    for each in operands:
        if each.name not in places:
            yield f"    {{{each.uid}, -1, 0, number_{_uid(each.uid)}}},"
        elif each.is_read:
            for uid, offset in ((each.uid, 0), *each.views):
                if not each.views or uid in read:
                    yield f"    {{{uid}, {places[each.name]}, {offset}, NULL}},"
    yield "};"
    yield from _expectations(case, places)


def _bytes(name: str, content: bytes) -> str:
    listed = ", ".join(map(str, content.ljust(16, b"\0")))
    return f"static _Alignas(16) const unsigned char {name}[] = {{{listed}}};"


def _wrapped(words: Iterable[str]) -> Iterator[str]:
    line = "   "
    for each in words:
        if len(line) + len(each) > 96:
            yield line
            line = "   "
        line += f" {each},"
    yield line


def _reals(name: str, values: Iterable[float]) -> str:
    lines = "\n".join(_wrapped(map(_real, values)))
    return f"static const double {name}[] = {{\n{lines}\n}};"


def _array(case: Case, each: Operand) -> str:
    """Return the row of an array."""
    role = {"input": "INPUT", "output": "OUTPUT"}.get(each.role)
    role = role or ("OWN" if each.fill is None else "OWN_ZEROS")
    kept = data.format_of(each)
    given = case.data.get(each.name)
    kind, constant, listed = "ZEROS", "0", "NULL"
    if isinstance(given, str):
        kind = given.upper()
    elif isinstance(given, list):
        kind, listed = "GIVEN", f"given_{_uid(each.uid)}"
    elif given is not None:
        kind, constant = "CONSTANT", _real(float(given))  # type: ignore[arg-type]
    parts = (
        _string(each.name),
        role,
        f"{{{kept.size}, {kept.exponent}, {kept.mantissa}, {kept.smallest!r}, {kept.largest!r}, "
        f"{'true' if kept.has_infinity else 'false'}}}",
        str(each.alignment),
        str(len(each.shape)),
        _braced(each.shape),
        _braced(each.strides),
        kind,
        constant,
        listed,
        f"{case.checksums.get(each.name, '0')}u",
    )
    return f"    {{{', '.join(parts)}}}, /* {each.data_type} */"


def _braced(values: Iterable[int]) -> str:
    return f"{{{', '.join(map(_integer, values)) or '0'}}}"


def _expectations(case: Case, places: dict[str, int]) -> Iterator[str]:
    rows = []
    for number, each in enumerate(case.expected):
        yield _reals(f"values_{number}", each.values)
        chosen = sums = "NULL"
        if each.places:
            chosen = f"places_{number}"
            listed = "\n".join(_wrapped(map(str, each.places)))
            yield f"static const int64_t {chosen}[] = {{\n{listed}\n}};"
        if each.sums:
            sums = f"sums_{number}"
            yield _reals(sums, each.sums)
        rows.append(
            f"    {{{places[each.name]}, {_real(each.largest)}, {_real(each.tolerance)}, "
            f"{each.nans}, {len(each.values)}, {chosen}, values_{number}, "
            f"{len(each.sums)}, {sums}}},"
        )
    yield "/* The last row is not used: C has no array without elements. */"
    yield from ("static const struct expectation expectations[] = {", *rows, "    {0},", "};")


def _string(value: str) -> str:
    """Return a string literal, with other characters than printable ASCII as octal numbers."""
    made = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}"
        for byte in value.encode()
    )
    return f'"{made}"'


def _comment(text: str) -> str:
    safe = text.replace("*/", "* /").replace("/*", "/ *")
    return "/* " + "\n * ".join(safe.rstrip().splitlines()).replace(" * \n", " *\n") + "\n */"
