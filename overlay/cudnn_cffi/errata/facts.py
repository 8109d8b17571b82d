"""Facts of a computation's descriptors, as the conditions of errata read them."""

from __future__ import annotations

import math
from functools import cached_property

from .. import arrays
from .._backend import Descriptor, values_of
from .record import ALIGNMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ..plan import Computation

#: Attributes that are enums, whose facts are names such as "HALF".
_ENUMS = frozenset({"data_type", "mode", "phase"})

#: The values of a tensor's attributes that are seldom set.
_OF_TENSORS = {"is_virtual": False, "is_by_value": False}

#: Attributes of a tensor that are an enum, and another tensor.
_LATER = "data_type", "ragged_offset_desc"

#: The values of attributes that are seldom set, if others are.
_DEFAULTS = {
    **_OF_TENSORS,
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

    kind: str
    pointwise_mode: str

    def __init__(self, descriptor: Descriptor, seen: dict[int, Facts]) -> None:
        self._descriptor, self._seen = descriptor, seen
        values = self._values = values_of(descriptor)
        if type(values.get("dimensions")) is tuple is type(values.get("strides")):
            own = self.__dict__  # all of a tensor at once, which is faster
            own.update(_OF_TENSORS)
            own.update(values)
            for name in _LATER:
                own.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        value = self._values.get(name)
        if isinstance(value, Descriptor):
            value = _facts(value, self._seen)
        elif name == "kind":
            value = _kinds.get(type(self._descriptor)) or kind_of(type(self._descriptor))
        elif name == "pointwise_mode":
            value = _pointwise_mode(self._descriptor) if self.kind == "Pointwise" else ""
        elif value is None or name in _ENUMS:
            value = self._read(name, value)
        elif type(value) not in _PLAIN and hasattr(value, "__iter__"):
            value = tuple(value)
        self.__dict__[name] = value
        return value

    def _read(self, name: str, value: object) -> object:
        """Return an attribute that is an enum, was not set, or is not known as it was set."""
        descriptor = self._descriptor
        if value is None and name not in self._values:
            if name in _DEFAULTS and self._values:
                return _DEFAULTS[name]
            value = getattr(descriptor, name, None)
            if isinstance(value, Descriptor):
                return _facts(value, self._seen)
        if value is not None and name in _ENUMS:
            return _name(descriptor, name, value)
        if type(value) not in _PLAIN and hasattr(value, "__iter__"):
            return tuple(value)
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


def _pointwise_mode(descriptor: Descriptor) -> str:
    options = values_of(descriptor).get("pw_descriptor")
    if options is None:
        options = getattr(descriptor, "pw_descriptor", None)
    mode = None if options is None else values_of(options).get("mode") or options.mode
    return "" if options is None or mode is None else _name(options, "mode", mode)


def kind_of(cls: type) -> str:
    """Return the kind of operations that a class describes, such as "Matmul"."""
    found = _kinds.get(cls)
    if found is None:
        name = cls.__name__.removeprefix("Operation").removesuffix("Descriptor")
        found = _kinds[cls] = name
    return found


class Operations:
    """The facts of a graph's operations, in their order, which are read when they are needed.

    Attributes:
        kinds: the kinds of the operations, such as "Matmul".
        distinct: the kinds that there are.
    """

    def __init__(self, given: Sequence[Descriptor]) -> None:
        self._given, self._seen = given, dict[int, Facts]()
        self.kinds = tuple([_kinds.get(type(each)) or kind_of(type(each)) for each in given])
        self.distinct = frozenset(self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, place: int) -> Facts:
        return _facts(self._given[place], self._seen)

    def __iter__(self) -> Iterator[Facts]:
        for each in self._given:
            yield _facts(each, self._seen)

    def of(self, kind: str) -> Iterator[Facts]:
        """Yield the operations of a kind."""
        for own, each in zip(self.kinds, self._given, strict=True):
            if own == kind:
                yield _facts(each, self._seen)

    @cached_property
    def memory(self) -> list[Mapping[str, Any]]:
        """Return what was set of the tensors that lie in memory and have several elements."""
        found: dict[int, Mapping[str, Any]] = {}
        for kind, each in zip(self.kinds, self._given, strict=True):
            values = values_of(each)
            for name in _TENSORS.get(kind, _ANY_TENSORS):
                own = values.get(name) if values else getattr(each, name, None)
                if own is not None and id(own) not in found:
                    told = values_of(own) or _told(_facts(own, self._seen))
                    if not told.get("is_virtual") and max(told["dimensions"]) > 1:
                        found[id(own)] = told
        return list(found.values())

    @cached_property
    def modes(self) -> frozenset[str]:
        """Return the modes of the pointwise operations."""
        named = zip(self.kinds, self._given, strict=True)
        return frozenset([_pointwise_mode(each) for kind, each in named if kind == "Pointwise"])

    @cached_property
    def has_gaps(self) -> bool:
        """Return whether elements of others lie between those of a tensor in memory."""
        return any(is_loose(each["dimensions"], each["strides"]) for each in self.memory)


def _told(tensor: Facts) -> dict[str, Any]:
    names = ("dimensions", "strides", "data_type", "is_virtual")
    return {name: getattr(tensor, name) for name in names}


def operations_of(computation: Computation) -> Operations:
    """Return the facts of a computation's operations; nothing for one without a graph."""
    graph: object = computation.operation_graph
    values = values_of(graph) if isinstance(graph, Descriptor) else {}
    return Operations(values.get("ops") or getattr(graph, "ops", None) or ())


def tensor(operation: Facts, name: str) -> Facts | None:
    """Return a tensor of an operation; None where it has no such tensor."""
    found: Facts | None = getattr(operation, name)
    return found


def is_loose(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether elements of others lie between those of a tensor."""
    return arrays.last_offset(shape, strides) >= math.prod(shape)


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


def is_alone(operations: Operations) -> bool:
    """Return whether a graph has one operation."""
    return len(operations.kinds) == 1


def is_low(operation: Facts, _: Operations) -> bool:
    """Return whether an operation has an array at a low address."""
    names = ("adesc", "bdesc", "cdesc", "x", "dy", "dw")
    found = [tensor(operation, name) for name in names]
    return any(each is not None and each.byte_alignment < ALIGNMENT for each in found)
