"""Facts of a computation's descriptors, as the conditions of errata read them."""

from __future__ import annotations

import math
from functools import cached_property

from .. import arrays
from .._backend import Descriptor, values_of
from .record import ALIGNMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..plan import Computation

#: Attributes that are enums, whose facts are names such as "HALF".
_ENUMS = frozenset({"data_type", "mode", "phase"})

#: The values of attributes that are seldom set, if others are.
_DEFAULTS = {
    "is_virtual": False,
    "is_by_value": False,
    **dict.fromkeys(("adesc", "bdesc", "cdesc", "idxdesc", "tdesc", "xdesc", "ydesc")),
    **dict.fromkeys(("x", "dy", "dw")),
}

#: Types of values that stay as they are.
_PLAIN = frozenset({bool, float, int, str, tuple, type(None)})

#: The names of enum members, by class, attribute and the word that was set.
_names: dict[tuple[type, str, str], str] = {}

#: The kinds of operations by their classes, as in "Matmul".
_kinds: dict[type, str] = {}


class Facts:
    """A descriptor whose attributes are read once: what was set, or else what cuDNN tells.

    Each attribute is None if the descriptor has no such attribute, or it is not set. Enums are the
    names of their members, children are facts as well.

    Attributes:
        kind: the kind of an operation, such as "Matmul".
        pointwise_mode: the mode of a pointwise operation; "" for others.
    """

    def __init__(self, descriptor: Descriptor, seen: dict[int, Facts]) -> None:
        self._descriptor, self._seen = descriptor, seen
        self._values: Mapping[str, object] = values_of(descriptor)
        self.kind: str = _kinds.get(type(descriptor)) or kind_of(type(descriptor))

    def __getattr__(self, name: str) -> Any:
        descriptor = self._descriptor
        value: Any
        if name == "pointwise_mode":
            options = self.pw_descriptor if self.kind == "Pointwise" else None
            value = "" if options is None else options.mode
        elif name in self._values:
            value = self._values[name]
        elif name in _DEFAULTS and self._values:
            value = _DEFAULTS[name]
        else:
            value = getattr(descriptor, name, None)
        if isinstance(value, Descriptor):
            value = _facts(value, self._seen)
        elif name in _ENUMS and value is not None:
            value = _name(descriptor, name, value)
        elif type(value) not in _PLAIN and hasattr(value, "__iter__"):
            value = tuple(value)
        self.__dict__[name] = value
        return value


def _facts(descriptor: Descriptor, seen: dict[int, Facts]) -> Facts:
    found = seen.get(id(descriptor))
    if found is None:
        found = seen[id(descriptor)] = Facts(descriptor, seen)
    return found


def _name(descriptor: Descriptor, name: str, value: object) -> str:
    if not isinstance(value, str):
        told: str = getattr(getattr(descriptor, name) if type(value) is int else value, "name")  # noqa: B009
        return told
    key = (type(descriptor), name, value)
    found = _names.get(key)
    if found is None:
        found = _names[key] = str(getattr(descriptor, name).name)
    return found


def kind_of(cls: type) -> str:
    """Return the kind of operations that a class describes, such as "Matmul"."""
    found = _kinds.get(cls)
    if found is None:
        name = cls.__name__.removeprefix("Operation").removesuffix("Descriptor")
        found = _kinds[cls] = name
    return found


class Operations(tuple[Facts, ...]):
    """The facts of a graph's operations.

    Attributes:
        kinds: the kinds of the operations, such as "Matmul".
        distinct: the kinds that there are.
    """

    kinds: tuple[str, ...]
    distinct: frozenset[str]

    @cached_property
    def memory(self) -> list[Facts]:
        """Return the tensors that lie in memory and have several elements."""
        found = [tensor(one, name) for one in self for name in _TENSORS.get(one.kind, _ANY_TENSORS)]
        return [
            each for each in found if each is not None and not each.is_virtual and count(each) > 1
        ]


def operations_of(computation: Computation) -> Operations:
    """Return the facts of a computation's operations; nothing for one without a graph."""
    seen: dict[int, Facts] = {}
    given = getattr(computation.operation_graph, "ops", None) or ()
    found = Operations([_facts(each, seen) for each in given])
    found.kinds = tuple([each.kind for each in found])
    found.distinct = frozenset(found.kinds)
    return found


def tensor(operation: Facts, name: str) -> Facts | None:
    """Return a tensor of an operation; None where it has no such tensor."""
    found: Facts | None = getattr(operation, name)
    return found


def count(tensor: Facts) -> int:
    """Return the number of elements of a tensor."""
    return math.prod(tensor.dimensions)


def has_gaps(tensor: Facts | None) -> bool:
    """Return whether elements of others lie between those of a tensor in memory."""
    if tensor is None or tensor.is_virtual:
        return False
    return arrays.last_offset(tensor.dimensions, tensor.strides) >= count(tensor)


def mode_of(operation: Facts) -> str:
    """Return the mode of a pointwise operation; "" for others."""
    found: str = operation.pointwise_mode
    return found


#: The attributes of operations that are tensors which conditions compare.
_TENSORS = {
    "Matmul": ("adesc", "bdesc", "cdesc"),
    "Pointwise": ("xdesc", "bdesc", "tdesc", "ydesc"),
    "Reduction": ("xdesc", "ydesc"),
}
_ANY_TENSORS = ("adesc", "bdesc", "cdesc", "xdesc", "tdesc", "ydesc")


def is_low(operation: Facts, operations: Operations) -> bool:
    """Return whether an operation is alone, and has an array at a low address."""
    if len(operations) != 1:
        return False
    names = ("adesc", "bdesc", "cdesc", "x", "dy", "dw")
    found = [tensor(operation, name) for name in names]
    return any(each is not None and each.byte_alignment < ALIGNMENT for each in found)
