"""Facts of a computation's descriptors, as the conditions of errata read them."""

from __future__ import annotations

from functools import cached_property

from .. import arrays
from .._backend import Descriptor, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any


#: Attributes that are enums, whose facts are names such as "HALF".
_ENUMS = frozenset({"data_type", "mode", "phase", "conv_mode"})

#: The operands of pointwise operations, and their results: gradients read dy and x, and write dx.
OPERANDS, RESULTS = ("xdesc", "bdesc", "tdesc", "dydesc"), ("ydesc", "dxdesc")

#: The values of attributes that are seldom set, if others are.
_DEFAULTS = {
    **dict.fromkeys(("is_virtual", "is_by_value"), False),
    **dict.fromkeys(("adesc", "bdesc", "cdesc", "idxdesc", *OPERANDS, *RESULTS)),
    **dict.fromkeys(("x", "dy", "dw")),
}

#: Types of values that stay as they are.
_PLAIN = frozenset({bool, float, int, str, tuple, type(None)})

#: The names of enum members, by class, attribute and the word that was set.
_names: dict[tuple[type, str, str], str] = {}

#: The bytes of elements by data types.
_sizes: dict[object, int] = {}

#: The kind of operations that have modes.
POINTWISE = "Pointwise"

#: The kinds of operations by their classes, as in "Matmul".
_kinds: dict[type, str] = {}


def read(descriptor: Descriptor, name: str) -> Any:
    """Return an attribute of a descriptor: what was set, or else what cuDNN tells.

    It is None if there is no such attribute, or it is not set. Enums are the names of members.
    """
    values = values_of(descriptor)
    value = values.get(name)
    if value is None and name not in values:
        if values and name in _DEFAULTS:
            return _DEFAULTS[name]
        value = getattr(descriptor, name, None)
    if value is not None and name in _ENUMS:
        return _name(descriptor, name, value)
    if type(value) in _PLAIN or isinstance(value, Descriptor) or not hasattr(value, "__iter__"):
        return value
    return tuple(value)  # type: ignore[arg-type]


class _Told(dict):  # type: ignore[type-arg]
    """Attributes of a descriptor as `read` returns them, when they are asked for."""

    def __init__(self, descriptor: Descriptor) -> None:
        self._descriptor = descriptor

    def __missing__(self, name: str) -> Any:
        found = self[name] = read(self._descriptor, name)
        return found

    def get(self, name: str, default: Any = None) -> Any:
        found = self[name]
        return default if found is None else found


def told(tensor: Descriptor) -> Mapping[str, Any]:
    """Return what was set of a tensor, or else what cuDNN tells of it; enums are as they were set.

    Nothing is made for a tensor of a `Graph`, since a choice waits for the answers.
    """
    values = values_of(tensor)
    if type(values.get("dimensions")) is tuple is type(values.get("strides")):
        return values
    return _Told(tensor)


def child(operation: Descriptor, name: str) -> Descriptor | None:
    """Return a descriptor that an operation has, such as one of a tensor; None if it has none."""
    values = values_of(operation)
    found: Descriptor | None = values.get(name) if values else getattr(operation, name, None)
    return found


def tensor(operation: Descriptor, name: str) -> Mapping[str, Any] | None:
    """Return what was set of a tensor of an operation; None if it has no such tensor."""
    found = child(operation, name)
    return None if found is None else told(found)


def _name(descriptor: Descriptor, name: str, value: object) -> str:
    if not isinstance(value, str):
        member: str = getattr(getattr(descriptor, name) if type(value) is int else value, "name")  # noqa: B009
        return member
    key = (type(descriptor), name, value)
    found = _names.get(key)
    if found is None:
        found = _names[key] = str(getattr(descriptor, name).name)
    return found


def mode_of(operation: Descriptor) -> str:
    """Return the mode of a pointwise operation; "" for others."""
    options = child(operation, "pw_descriptor")
    if options is None:
        return ""
    mode = values_of(options).get("mode") or options.mode  # type: ignore[attr-defined]
    if mode is None:
        return ""
    key = (type(options), "mode", mode)
    return _names[key] if key in _names else _name(options, "mode", mode)


def kind_of(cls: type) -> str:
    """Return the kind of operations that a class describes, such as "Matmul"."""
    found = _kinds.get(cls)
    if found is None:
        name: str = getattr(cls, "_emitted", "") or cls.__name__  # users may derive classes
        found = name.removeprefix("Operation").removesuffix("Descriptor")
        _kinds[cls] = found
    return found


class Structure:
    """The kinds of a graph's operations, which graphs with other tensors and modes share.

    Attributes:
        kinds: the kinds of the operations, such as "Matmul".
        places: the places of the operations of each kind.
    """

    __slots__ = ("kinds", "places")

    def __init__(self, kinds: Iterable[str]) -> None:
        self.kinds = tuple(kinds)
        self.places: dict[str, list[int]] = {}
        for place, kind in enumerate(self.kinds):
            self.places.setdefault(kind, []).append(place)


class Operations:
    """A graph's operations, in their order, and facts of all of them, each found when it is needed.

    Attributes:
        given: the descriptors.
        known: the structures that were made.
    """

    def __init__(self, given: Sequence[Descriptor], known: dict[object, Structure]) -> None:
        self.given, self.known = given, known

    @cached_property
    def structure(self) -> Structure:
        """The structure of the operations."""
        key = tuple(map(type, self.given))
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = Structure(map(kind_of, key))
        return found

    def of(self, kind: str) -> list[Descriptor]:
        """Return the operations of a kind."""
        given = self.given
        return [given[place] for place in self.structure.places.get(kind, ())]

    @cached_property
    def modes(self) -> frozenset[str]:
        """The modes of the pointwise operations."""
        return frozenset(map(mode_of, self.of(POINTWISE)))


def makers_of(operations: Operations) -> dict[int, Descriptor]:
    """Return the pointwise operations and reductions by the unique ids of their results."""
    return {
        y["unique_id"]: each
        for each in operations.given
        for name in RESULTS
        if (y := tensor(each, name)) is not None
    }


def size_of(data_type: object) -> int:
    """Return the bytes of an element of a data type, as tensors have it."""
    if data_type not in _sizes:
        _sizes[data_type] = arrays.itemsize(arrays.dtype_name(data_type))
    return _sizes[data_type]


def operations_of(graph: object) -> Sequence[Descriptor]:
    """Return the descriptors of a graph's operations; nothing for one without any."""
    values = values_of(graph) if isinstance(graph, Descriptor) else {}
    return values.get("ops") or getattr(graph, "ops", None) or ()
