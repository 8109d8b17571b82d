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
list of values, or an object with some of "from", "to", "below", "above", "modulo" with "is" or
"is_not"; -1 in a shape is any extent. A declaration of a record for functions has "facts" with a
constraint for each.

A knob of a record has a constraint, too. Its bounds may be {"blocks_of": n}: how many blocks of n
factors the sums of the operation have, as in {"SPLIT_K_SLC": {"above": {"blocks_of": 16}}}.
"""

from __future__ import annotations

from .. import arrays
from .facts import SUMS, factors_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeAlias

    from .facts import Facts, Operations

    Constraint: TypeAlias = Any

_KEYS = ("operations", "with", "without", "alone", "options", "tensors")
_OF_TENSORS = ("data_type", "layout", "rank", "shape", "alignment")
_BOUNDS = ("from", "to", "below", "above", "modulo", "is", "is_not")

#: The key of a bound that is relative to the sums of an operation.
_BLOCKS = "blocks_of"

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
        if not all(type(each) is int for each in constraint.values()):
            return f"expected integers, got {constraint}"
        if constraint.get("modulo", 1) < 1:
            return f'"modulo": expected a number above 0, got {constraint["modulo"]}'
        low = max(constraint.get("from", 0), constraint.get("above", -1) + 1)
        high = min(constraint.get("to", 1 << 62), constraint.get("below", 1 << 62) - 1)
        if low > high:
            return f"it matches nothing: {constraint}"
    elif isinstance(constraint, list) and not constraint:
        return "it matches nothing: an empty list"
    return ""


def problem_of_knob(constraint: Constraint, operation: str) -> str:
    """Return what is wrong with the constraint on a knob of an operation; "" for nothing."""
    if isinstance(constraint, list):
        if not all(type(each) is int for each in constraint):
            return f"expected integers, got {constraint}"
        return _problem_of(constraint)
    if not isinstance(constraint, dict):
        if type(constraint) is not int:
            return f"expected an integer, a list of them or bounds, got {constraint!r}"
        return ""
    relative = _relative(constraint)
    for name, each in relative.items():
        if name not in _BOUNDS[:4] or each.keys() != {_BLOCKS} or not _is_count(each[_BLOCKS]):
            return f'"{name}": expected an integer or {{"{_BLOCKS}": 1 or more}}, got {each}'
        if operation not in SUMS:
            return f"it matches nothing: {operation} has no factors; {', '.join(SUMS)} have"
    rest = {name: each for name, each in constraint.items() if name not in relative}
    return _problem_of(rest) if rest or not relative else ""


def _relative(constraint: Constraint) -> dict[str, dict[str, Any]]:
    """Return the bounds that are relative to the sums of an operation."""
    given = constraint if isinstance(constraint, dict) else {}
    return {name: each for name, each in given.items() if isinstance(each, dict)}


def _is_count(value: object) -> bool:
    return type(value) is int and value > 0


def _resolved(
    constraint: Constraint, relative: Mapping[str, Mapping[str, int]], factors: int
) -> dict[str, int]:
    """Return bounds as integers, for sums of so many factors."""
    bounds: dict[str, int] = constraint
    return bounds | {name: -(-factors // each[_BLOCKS]) for name, each in relative.items()}


def fits_knobs(
    knobs: Mapping[str, Constraint], values: Mapping[str, int], operation: Facts
) -> bool:
    """Return whether values of an engine's knobs are as a record says, for an operation."""
    for name, constraint in knobs.items():
        if name not in values:
            return False
        if relative := _relative(constraint):
            constraint = _resolved(constraint, relative, factors_of(operation))
        if not fits(constraint, values[name]):
            return False
    return True


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
    for port, facts in where.get("tensors", {}).items():
        if not isinstance(facts, dict) or not facts or not facts.keys() <= set(_OF_TENSORS):
            return f'"{port}": expected some of {", ".join(_OF_TENSORS)}, got {facts!r}'
        shape = facts.get("shape", [])
        if not isinstance(shape, list):
            return f'"{port}": "shape": expected a list, got {shape!r}'
        layout = facts.get("layout", "NCHW")
        if layout not in ("NCHW", "NHWC"):
            return f'"{port}": "layout": expected "NCHW" or "NHWC", got {layout!r}'
        others = [each for name, each in facts.items() if name not in ("shape", "layout")]
        for each in (*shape, *others):
            if why := _problem_of(each):
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
    rest = value % constraint["modulo"] if "modulo" in constraint else 0
    return bool(
        value >= constraint.get("from", value)
        and value <= constraint.get("to", value)
        and value < constraint.get("below", value + 1)
        and value > constraint.get("above", value - 1)
        and rest == constraint.get("is", rest)
        and rest != constraint.get("is_not", -1)
    )


def of_engine(where: Mapping[str, Any]) -> Callable[[Facts, Operations], bool]:
    """Return the condition of a declaration for engines."""

    def applies(operation: Facts, operations: Operations) -> bool:
        if "alone" in where and (len(operations) == 1) is not where["alone"]:
            return False
        wanted = where.get("operations")
        if wanted is not None and not (
            len(wanted) == len(operations)
            and all(map(_is_named, operations, wanted))
            and operation is operations[0]
        ):
            return False
        if not all(_has(operations, each) for each in where.get("with", ())):
            return False
        if any(_has(operations, each) for each in where.get("without", ())):
            return False
        for name, constraint in where.get("options", {}).items():
            if not fits(constraint, _option(operation, name)):
                return False
        return all(
            any(_is_tensor(each, facts) for each in _tensors(operation, port))
            for port, facts in where.get("tensors", {}).items()
        )

    return applies


def of_function(where: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], bool]:
    """Return the condition of a declaration for functions."""
    facts = where.get("facts", {})

    def applies(call: Mapping[str, Any]) -> bool:
        return all(name in call and fits(each, call[name]) for name, each in facts.items())

    return applies


def _is_named(operation: Facts, name: str) -> bool:
    kind, _, mode = name.partition(" ")
    return operation.kind == kind and (not mode or _option(operation, "mode") == mode)


def _has(operations: Operations, name: str) -> bool:
    return any(_is_named(each, name) for each in operations)


def _option(operation: Facts, name: str) -> Any:
    """Return an option of an operation, or of the descriptor of its options."""
    found = getattr(operation, name)
    for nested in _NESTED if found is None else ():
        descriptor = getattr(operation, nested)
        if descriptor is not None and (found := getattr(descriptor, name)) is not None:
            break
    return (
        found if isinstance(found, (int, float, str, type(None))) else getattr(found, "name", found)
    )


def _tensors(operation: Facts, port: str) -> Iterator[Facts]:
    names = _TENSORS if port == "any" else (port, f"{port}desc", f"{port}_desc")
    for name in names:
        found = getattr(operation, name)
        if found is not None:
            yield found


def _is_tensor(tensor: Facts, facts: Mapping[str, Any]) -> bool:
    shape, strides = tensor.dimensions, tensor.strides
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
        fits(facts.get("data_type", tensor.data_type), tensor.data_type)
        and fits(facts.get("rank", len(shape)), len(shape))
        and ("alignment" not in facts or fits(facts["alignment"], tensor.byte_alignment))
    )
