"""Facts of a computation's descriptors, as the conditions of errata read them."""

from __future__ import annotations

from .. import arrays
from .._backend import Descriptor, values_of
from .record import ALIGNMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from .record import Erratum

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

#: The bytes of elements by data types.
_sizes: dict[object, int] = {}

#: The kind of operations that have modes.
POINTWISE = "Pointwise"

#: The kinds of operations by their classes, as in "Matmul".
_kinds: dict[type, str] = {}


class Facts:
    """A descriptor whose attributes are read once: what was set, or else what cuDNN tells.

    Each attribute is None if the descriptor has no such attribute, or it is not set. Enums are the
    names of their members, children are facts as well.

    Attributes:
        descriptor: the descriptor.
        kind: the kind of an operation, such as "Matmul".
        pointwise_mode: the mode of a pointwise operation; "" for others.
    """

    kind: str
    pointwise_mode: str

    def __init__(self, descriptor: Descriptor, seen: dict[int, Facts]) -> None:
        self.descriptor, self._seen = descriptor, seen
        values = self._values = values_of(descriptor)
        if type(values.get("dimensions")) is tuple is type(values.get("strides")):
            own = self.__dict__  # all of a tensor at once, without calls, which is faster
            own |= _OF_TENSORS
            own |= values
            for name in _LATER:
                if name in own:
                    del own[name]

    def __getattr__(self, name: str) -> Any:
        values = self._values
        value = values[name] if name in values else None  # noqa: SIM401  faster than a call
        if type(value) not in _PLAIN and isinstance(value, Descriptor):
            value = _facts(value, self._seen)
        elif name == "kind":
            value = _kinds.get(type(self.descriptor)) or kind_of(type(self.descriptor))
        elif name == "pointwise_mode":
            value = _pointwise_mode(self.descriptor)
        elif value is None or name in _ENUMS:
            value = self._read(name, value)
        elif type(value) not in _PLAIN and hasattr(value, "__iter__"):
            value = tuple(value)
        self.__dict__[name] = value
        return value

    def _read(self, name: str, value: object) -> object:
        """Return an attribute that is an enum, was not set, or is not known as it was set."""
        descriptor = self.descriptor
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
    key = id(descriptor)
    if key not in seen:
        seen[key] = Facts(descriptor, seen)
    return seen[key]


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
    """Return the mode of a pointwise operation; "" for others."""
    values = values_of(descriptor)
    options = values.get("pw_descriptor") if values else getattr(descriptor, "pw_descriptor", None)
    if options is None:
        return ""
    mode = values_of(options).get("mode") or options.mode
    if mode is None:
        return ""
    key = (type(options), "mode", mode)
    return _names[key] if key in _names else _name(options, "mode", mode)


def kind_of(cls: type) -> str:
    """Return the kind of operations that a class describes, such as "Matmul"."""
    found = _kinds.get(cls)
    if found is None:
        name = cls.__name__.removeprefix("Operation").removesuffix("Descriptor")
        found = _kinds[cls] = name
    return found


class Structure:
    """The kinds of a graph's operations, which graphs with other tensors and modes share.

    Attributes:
        kinds: the kinds of the operations, such as "Matmul".
        distinct: the kinds that there are.
        rows: the rows of errata of engines whose conditions allow this, by engine.
    """

    __slots__ = ("distinct", "kinds", "rows")

    def __init__(self, kinds: Iterable[str]) -> None:
        self.kinds = tuple(kinds)
        self.distinct = frozenset(self.kinds)
        self.rows: dict[int, list[Erratum]] = {}


def structure_of(given: Sequence[Descriptor], known: dict[object, Structure]) -> Structure:
    """Return the structure of operations, the one that is known for such if there is one."""
    key = tuple(map(type, given))
    found = known.get(key)
    if found is None:
        found = known[key] = Structure(map(kind_of, key))
    return found


class Operations:
    """The facts of a graph's operations, in their order, which are read when they are needed.

    Attributes:
        kinds, distinct: as `Structure` has them.
        modes: the modes of the pointwise operations.
        memory: what was set of the tensors that lie in memory and have several elements.
    """

    memory: list[Mapping[str, Any]]
    modes: set[str]

    def __init__(self, given: Sequence[Descriptor], structure: Structure) -> None:
        self._given = given
        self.kinds, self.distinct = structure.kinds, structure.distinct
        self._seen: dict[int, Facts] = {}
        self._of: dict[str, list[Facts]] = {}

    def __getattr__(self, name: str) -> Any:
        """Compute an attribute when it is first read, faster than `cached_property` does."""
        if name == "memory":
            found: object = self._memory()
        elif name == "modes":
            found = set(map(_pointwise_mode, self._given)) - {""}
        else:
            raise AttributeError(name)
        self.__dict__[name] = found
        return found

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, place: int) -> Facts:
        return _facts(self._given[place], self._seen)

    def __iter__(self) -> Iterator[Facts]:
        for each in self._given:
            yield _facts(each, self._seen)

    def first(self, count: int) -> Iterator[Mapping[str, Any]]:
        """Yield what was set of the first operations."""
        yield from map(values_of, self._given[:count])

    def of(self, kind: str) -> list[Facts]:
        """Return the operations of a kind."""
        known = self._of
        if kind not in known:
            pairs = zip(self.kinds, self._given, strict=True)
            known[kind] = [_facts(each, self._seen) for own, each in pairs if own == kind]
        return known[kind]

    def _memory(self) -> list[Mapping[str, Any]]:
        seen: set[object] = set()
        found = []
        for kind, each in zip(self.kinds, self._given, strict=True):
            values = values_of(each)
            for name in _TENSORS.get(kind, _ANY_TENSORS):
                own = values.get(name) if values else getattr(each, name, None)
                if own is None or own in seen:
                    continue
                seen.add(own)
                told = values_of(own) or _told(_facts(own, self._seen))
                if told.get("is_virtual"):
                    continue
                if max(told["dimensions"]) > 1:
                    found.append(told)
        return found


def _told(tensor: Facts) -> dict[str, Any]:
    names = ("dimensions", "strides", "data_type", "is_virtual")
    return {name: getattr(tensor, name) for name in names}


def shape_of(operation: Facts, name: str) -> Sequence[int]:
    """Return the extents of a tensor of an operation, of which nothing else is read."""
    each = values_of(operation.descriptor).get(name)
    found = values_of(each).get("dimensions") if isinstance(each, Descriptor) else None
    if found is None:
        found = getattr(operation, name).dimensions
    return found  # type: ignore[no-any-return]


def type_of(operation: Facts, name: str) -> str:
    """Return the data type of a tensor of an operation, "" if there is none, without the rest."""
    each = values_of(operation.descriptor).get(name)
    found = values_of(each).get("data_type") if isinstance(each, Descriptor) else None
    if isinstance(each, Descriptor) and isinstance(found, str):
        return _name(each, "data_type", found)
    read = tensor(operation, name)
    return "" if read is None else str(read.data_type)


def size_of(data_type: object) -> int:
    """Return the bytes of an element of a data type, as tensors have it."""
    if data_type not in _sizes:
        _sizes[data_type] = arrays.itemsize(arrays.dtype_name(data_type))
    return _sizes[data_type]


def operations_of(graph: object) -> Sequence[Descriptor]:
    """Return the descriptors of a graph's operations; nothing for one without any."""
    values = values_of(graph) if isinstance(graph, Descriptor) else {}
    return values.get("ops") or getattr(graph, "ops", None) or ()


def tensor(operation: Facts, name: str) -> Facts | None:
    """Return a tensor of an operation; None where it has no such tensor."""
    values = values_of(operation.descriptor)
    found: Facts | None = None if values and name not in values else getattr(operation, name)
    return found


def is_loose(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether elements of others lie between those of a tensor."""
    count, last = 1, 0
    for n, step in zip(shape, strides, strict=True):
        count *= n
        last += (n - 1) * step
    return last >= count


def has_gaps(tensor: Facts | None) -> bool:
    """Return whether elements of others lie between those of a tensor in memory."""
    return (
        tensor is not None and not tensor.is_virtual and is_loose(tensor.dimensions, tensor.strides)
    )


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


def always(_: Facts, __: Operations) -> bool:
    """Return True: the condition of what other facts decide."""
    return True


#: The tensors of operations whose engines read arrays at low addresses wrongly, or not at all.
_ADDRESSED = ("adesc", "bdesc", "cdesc", "x", "dy", "dw")


def is_alone(structure: Structure) -> bool:
    """Return whether a graph has one operation."""
    return len(structure.kinds) == 1


def is_low(operation: Facts, _: Operations) -> bool:
    """Return whether an operation has an array at a low address."""
    values = values_of(operation.descriptor)
    for name in _ADDRESSED:
        if name in values or not values:
            each = values.get(name)
            told = values_of(each) if isinstance(each, Descriptor) else {}
            found = told.get("byte_alignment")
            if found is None and (read := tensor(operation, name)) is not None:
                found = read.byte_alignment
            if found is not None and found < ALIGNMENT:
                return True
    return False
