"""Conditions that files declare, for operations of graphs and for calls of functions.

A declaration of a record for engines has some of these keys, all of which must hold:

    {
     "operations": ["ConvolutionForward", "Pointwise ADD"],  all operations of the graph, in order
     "with": ["Matmul"], "without": ["Pointwise MUL"],      some of them
     "alone": true,                                          whether there is one operation
     "options": {"mode": "TANH_FWD"},                        of the operation
     "tensors": {"x": {"data_type": ["HALF", "BFLOAT16"], "layout": "NHWC", "rank": 4,
                       "shape": [-1, {"modulo": 8, "is_not": 0}, -1, -1],
                       "alignment": {"below": 16}}}
    }

A tensor is named as in `Graph`; "any" is one of the operation's tensors. A constraint is a value, a
list of values, or an object with some of "from", "to", "below", "above", "none_of" with a list,
"modulo" with "is" or "is_not"; -1 in a shape is any extent. A declaration of a record for functions
has "facts" with a constraint for each.

A knob of a record has a constraint, too.
"""

from __future__ import annotations

import operator

from .. import arrays
from .._attributes import DESCRIPTORS
from .facts import POINTWISE, child, read, told
from .needs import PORTS, TYPES, WORDS, Condition, needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from .._backend import Descriptor
    from .facts import Operations

    Constraint: TypeAlias = Any

_KEYS = ("operations", "with", "without", "alone", "options", "tensors")
_OF_TENSORS = ("data_type", "layout", "rank", "shape", "alignment")
_BOUNDS = ("from", "to", "below", "above", "modulo", "is", "is_not", "none_of")

#: Beyond all values of knobs.
_FAR = 1 << 64

#: The tests of bounds.
_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "from": operator.ge,
    "to": operator.le,
    "below": operator.lt,
    "above": operator.gt,
    "none_of": lambda value, others: value not in others,
}

#: Descriptors of options, by the attribute of the operation.
_NESTED = ("pw_descriptor", "conv_desc", "reduction_desc", "matmul_desc", "desc")

#: Attributes that are the tensors of operations, for "any".
_TENSORS = (
    *("x", "w", "y", "dx", "dw", "dy", "adesc", "bdesc", "cdesc", "xdesc", "ydesc", "tdesc"),
    *("dxdesc", "dydesc", "scale_desc", "bias_desc"),
)


def _problem_of(constraint: Constraint) -> str:
    """Return what is wrong with a constraint; "" for nothing."""
    if isinstance(constraint, dict):
        if not constraint or not constraint.keys() <= set(_BOUNDS):
            return (
                f"expected some of {', '.join(_BOUNDS)}, got {', '.join(constraint) or 'nothing'}"
            )
        if ("modulo" in constraint) != bool({"is", "is_not"} & constraint.keys()):
            return '"modulo" goes with "is" or "is_not"'
        others = constraint.get("none_of", [0])
        numbers = [each for name, each in constraint.items() if name != "none_of"]
        if not isinstance(others, list) or not others:
            return f'"none_of": expected a list of integers, got {others!r}'
        if not all(type(each) is int for each in (*numbers, *others)):
            return f"expected integers, got {constraint}"
        modulo = constraint.get("modulo", 1)
        if modulo < 1:
            return f'"modulo": expected a number above 0, got {modulo}'
        low = max(constraint.get("from", 0), constraint.get("above", -1) + 1)
        high = min(constraint.get("to", 1 << 62), constraint.get("below", 1 << 62) - 1)
        if low > high or not 0 <= constraint.get("is", 0) < modulo:
            return f"it matches nothing: {constraint}"
    elif isinstance(constraint, list) and not constraint:
        return "it matches nothing: an empty list"
    return ""


def problem_of_number(constraint: Constraint) -> str:
    """Return what is wrong with the constraint on a knob or extent; "" for nothing."""
    if isinstance(constraint, list):
        if not all(type(each) is int for each in constraint):
            return f"expected integers, got {constraint}"
        return _problem_of(constraint)
    if not isinstance(constraint, dict):
        if type(constraint) is not int:
            return f"expected an integer, a list of them or bounds, got {constraint!r}"
        return ""
    return _problem_of(constraint)


def fits_knobs(knobs: Mapping[str, Constraint], values: Mapping[str, int]) -> bool:
    """Return whether values of an engine's knobs are as a record says."""
    for name, each in knobs.items():
        if name not in values or not fits(each, values[name]):
            return False
    return True


class _Values:
    """The values that a constraint allows."""

    def __init__(self, constraint: Constraint) -> None:
        self._constraint = constraint

    def __contains__(self, value: object) -> bool:
        return fits(self._constraint, value)


class _Others(tuple[int, ...]):
    """The values that are none of some."""

    __slots__ = ()

    def __contains__(self, value: object) -> bool:
        return not tuple.__contains__(self, value)


def values_of(knobs: Mapping[str, Constraint]) -> list[str | Container[int]]:
    """Return the names of knobs, each with the values that a record has."""
    return [part for name, each in knobs.items() for part in (name, _values(each))]


def _values(constraint: Constraint) -> Container[int]:
    """Return the values that a constraint allows, if possible ones that C code finds."""
    if not isinstance(constraint, dict):
        return constraint if isinstance(constraint, list) else (constraint,)
    if constraint.keys() == {"none_of"}:
        return _Others(constraint["none_of"])
    if not constraint.keys() <= {"from", "to", "above", "below"}:
        return _Values(constraint)
    least = max(constraint.get("from", -_FAR), constraint.get("above", -_FAR) + 1)
    return range(least, min(constraint.get("to", _FAR) + 1, constraint.get("below", _FAR)))


def _problem_of_tensor(facts: Any) -> str:
    """Return what is wrong with the facts of a tensor; "" for nothing."""
    if not isinstance(facts, dict) or not facts or not facts.keys() <= set(_OF_TENSORS):
        return f"expected some of {', '.join(_OF_TENSORS)}, got {facts!r}"
    shape, layout = facts.get("shape", [-1]), facts.get("layout", "NCHW")
    if not isinstance(shape, list) or not shape:
        return f'"shape": expected a list of extents, got {shape!r}'
    if layout not in ("NCHW", "NHWC"):
        return f'"layout": expected "NCHW" or "NHWC", got {layout!r}'
    numbers = [facts[name] for name in ("rank", "alignment") if name in facts]
    why = next(filter(None, map(problem_of_number, (*shape, *numbers))), "")
    return why or _problem_of(facts.get("data_type"))


def problem(where: Mapping[str, Any], scope: str) -> str:
    """Return what is wrong with a declaration of a record of a scope; "" for nothing."""
    known = ("facts",) if scope == "function" else _KEYS
    unknown = sorted(where.keys() - set(known))
    if unknown:
        return f'"{unknown[0]}": expected {", ".join(known)}'
    for name in ("tensors", "options", "facts"):
        if not isinstance(where.get(name, {}), dict):
            return f'"{name}": expected an object'
    for name in ("operations", "with", "without"):
        rows = where.get(name, [])
        if not isinstance(rows, list) or not all(isinstance(each, str) for each in rows):
            return f'"{name}": expected a list of operations, got {rows!r}'
    if type(where.get("alone", True)) is not bool:
        return f'"alone": expected true or false, got {where["alone"]!r}'
    if "operations" in where and not where["operations"]:
        return '"operations": it matches nothing: an empty list'
    for port, facts in where.get("tensors", {}).items():
        if why := _problem_of_tensor(facts):
            return f'"{port}": {why}'
    for name in ("options", "facts"):
        for key, each in where.get(name, {}).items():
            if why := _problem_of(each):
                return f'"{key}": {why}'
    return ""


def fits(constraint: Constraint, value: Any) -> bool:
    """Return whether a value is as a constraint says."""
    if isinstance(constraint, list):
        return value in constraint
    if not isinstance(constraint, dict):
        return bool(value == constraint)
    if not isinstance(value, (int, float)):
        return False
    if "modulo" in constraint:
        rest = value % constraint["modulo"]
        if rest != constraint.get("is", rest) or rest == constraint.get("is_not"):
            return False
    for name, bound in constraint.items():
        test = _TESTS.get(name)
        if test is not None and not test(value, bound):
            return False
    return True


def of_engine(where: Mapping[str, Any], kind: str) -> Condition:
    """Return the condition of a declaration for engines that run an operation of a kind."""
    facts, decide = _facts_of(where, kind)
    given = needs(*facts)
    if decide:
        return given
    wanted = [_named(each) for each in where["operations"]] if "operations" in where else None
    present = [(*_named(each), True) for each in where.get("with", ())]
    present += [(*_named(each), False) for each in where.get("without", ())]
    options, tensors = where.get("options", {}), where.get("tensors", {})

    def applies(operation: Descriptor, operations: Operations) -> bool:
        if wanted is not None and not _are_named(operation, operations, wanted):
            return False
        for kind, mode, is_there in present:
            if mode and _has(operations, kind, mode) is not is_there:
                return False
        for name, constraint in options.items():
            if not fits(constraint, _option(operation, name)):
                return False
        return all(
            any(_is_tensor(each, facts) for each in _tensors(operation, port))
            for port, facts in tensors.items()
        )

    return given._replace(applies=applies)


#: The facts of tensors by rank, by shape, by layout and by data type.
_RANKS = {3: "MATRICES", 4: "IMAGE", 5: "VOLUME"}
_ODD = {"modulo": 2, "is": 1, "above": 35}
_SHAPES: dict[str, list[Any]] = {
    "THREES": [-1, -1, 3, 3],
    "FIVES": [-1, -1, 5, 5],
    "ODD_IMAGE": [-1, -1, _ODD, _ODD],
    "WIDE": [-1, {"from": 6144}, 1, 1],
    "WIDER": [-1, {"from": 12288}, 1, 1],
}
_LAYOUTS = {"NCHW": "BY_ROWS", "NHWC": "BY_PIXELS"}
_TYPES = {frozenset(names): fact for fact, names in TYPES.items()}

#: The ports of the options that have a mode, by kinds of operations.
_OF_MODE = {POINTWISE: "pw_descriptor", "ResampleFwd": "desc", "ResampleBwd": "desc"}


def _facts_of(where: Mapping[str, Any], kind: str) -> tuple[list[str], bool]:
    """Return what a declaration needs, and whether that decides."""
    found, own, decide = [], [], True
    if "alone" in where:
        found.append("SINGLE" if where["alone"] else "-SINGLE")
    for name, sign, no in (("with", "", ""), ("without", "-", "no ")):
        for other, mode in map(_named, where.get(name, ())):
            if not mode:
                found.append(f"{sign}{other}")
            elif other == POINTWISE and WORDS.get(mode) == (mode,):
                found.append(f"{no}{other}: pw_descriptor {mode}")
            else:
                decide = False
    attributes = DESCRIPTORS.get(f"Operation{kind}Descriptor", ("", {}))[1]
    mode, place = where.get("options", {}).get("mode"), _OF_MODE.get(kind, "mode")
    if place in attributes and isinstance(mode, str) and WORDS.get(mode) == (mode,):
        own.append(f"{place} {mode}")
        decide = decide and len(where["options"]) == 1
    else:
        decide = decide and "options" not in where
    for port, given in where.get("tensors", {}).items():
        names = [each for each in ports_of(port) if each in attributes]
        if len(names) != 1 or names[0] not in PORTS:
            decide = False
            continue
        types = given.get("data_type", [])
        facts = [
            _RANKS.get(given["rank"]) if type(given.get("rank")) is int else None,
            next((fact for fact, each in _SHAPES.items() if each == given.get("shape")), None),
            _LAYOUTS.get(given.get("layout")),
            _TYPES.get(frozenset(types if isinstance(types, list) else (types,))),
        ]
        own.append(" ".join([names[0], *filter(None, facts)]))
        decide = decide and len(given) == len(facts) - facts.count(None)
    groups = [f"own: {', '.join(own)}"] if own else []
    return [*found, *groups], decide and "operations" not in where


def of_function(where: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], bool]:
    """Return the condition of a declaration for functions."""
    facts = where.get("facts", {})

    def applies(call: Mapping[str, Any]) -> bool:
        return all(name in call and fits(each, call[name]) for name, each in facts.items())

    return applies


def _named(name: str) -> tuple[str, str]:
    """Return the kind of operations that a name has, and their mode; "" for any."""
    kind, _, mode = name.partition(" ")
    return kind, mode


def _are_named(
    operation: Descriptor, operations: Operations, wanted: Sequence[tuple[str, str]]
) -> bool:
    """Return whether this is the first operation, and all are of some kinds and modes."""
    kinds = tuple([kind for kind, _ in wanted])
    if operation is not operations.given[0] or operations.structure.kinds != kinds:
        return False
    return all(
        not mode or _option(each, "mode") == mode
        for each, (_, mode) in zip(operations.given, wanted, strict=True)
    )


def _has(operations: Operations, kind: str, mode: str) -> bool:
    if kind == POINTWISE:
        return mode in operations.modes
    return any(_option(each, "mode") == mode for each in operations.of(kind))


def _option(operation: Descriptor, name: str) -> Any:
    """Return an option of an operation, or of the descriptor of its options."""
    found = read(operation, name)
    for nested in _NESTED if found is None else ():
        descriptor = child(operation, nested)
        if descriptor is not None and (found := read(descriptor, name)) is not None:
            break
    return (
        found if isinstance(found, (int, float, str, type(None))) else getattr(found, "name", found)
    )


def ports_of(port: str) -> tuple[str, ...]:
    """Return the attributes that a tensor may be at."""
    return port, f"{port}desc", f"{port}_desc"


def _tensors(operation: Descriptor, port: str) -> Iterator[Descriptor]:
    for name in _TENSORS if port == "any" else ports_of(port):
        if (found := child(operation, name)) is not None:
            yield found


def _is_tensor(tensor: Descriptor, facts: Mapping[str, Any]) -> bool:
    own = told(tensor)
    shape, strides = own["dimensions"], own["strides"]
    wanted = facts.get("shape")
    if wanted is not None and not (
        len(wanted) == len(shape)
        and all(
            constraint == -1 or fits(constraint, extent)
            for constraint, extent in zip(wanted, shape, strict=True)
        )
    ):
        return False
    layout = facts.get("layout")
    if layout is not None and not arrays.same_strides(
        shape, strides, arrays.packed_strides(shape, layout)
    ):
        return False
    return (
        fits(facts.get("rank", len(shape)), len(shape))
        and ("data_type" not in facts or fits(facts["data_type"], read(tensor, "data_type")))
        and ("alignment" not in facts or fits(facts["alignment"], read(tensor, "byte_alignment")))
    )
