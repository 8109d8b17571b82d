"""Read attributes: children are made by us and filled by cuDNN."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import errors
from .._call import attribute_size, attribute_values, failed, ffi, lib
from .._tables import active
from .encoders import is_known, is_plain

if TYPE_CHECKING:
    from .schema import Attribute


#: Bytes after the elements.
_SPARE = 64

#: Elements that a list of an unknown length gets room for at first: of numbers, and of descriptors.
_ROOM, _CHILDREN = 64, 16


def read(
    owner: object, attribute: Attribute, find_class: Callable[[str], Any], most: int | None = None
) -> Any:
    """Return the value of an attribute of a finalized descriptor, as cuDNN tells it.

    Args:
        owner: the descriptor.
        attribute: its record.
        find_class: returns an emitted class by its name.
        most: how many children to have filled at most; None for all.

    Raises:
        CudnnError: cuDNN does not tell it.
    """
    error: errors.CudnnError | None = None
    for type_ in attribute.types:
        if not is_known(type_, attribute):
            continue
        get = _Getter(owner, attribute, type_)
        try:
            if type_ == "BACKEND_DESCRIPTOR":
                return _read_children(get, find_class(attribute.target or "Descriptor"), most)
            return _read_values(get, attribute, type_)
        except errors.CudnnError as each:
            error = error or each
    if error is None:
        raise errors.NotSupportedError("no release tells what this attribute is")
    raise error


class _Getter:
    """Calls cudnnBackendGetAttribute for one attribute."""

    def __init__(self, owner: Any, attribute: Attribute, type_: str) -> None:
        tables = active()
        self._owner, self.many = owner, attribute.many
        self._number = tables.enum("BackendAttributeName")[attribute.c_name]
        self.kind = tables.enum("BackendAttributeType")["CUDNN_TYPE_" + type_]

    def find_room(self) -> int:
        """Return how many elements there may be; 0 for attributes that do not tell it so."""
        try:
            return self(0, ffi.NULL)
        except errors.CudnnError:
            return 0

    def __call__(self, room: int, memory: object) -> int:
        """Return how many elements there are; cuDNN writes `room` at most."""
        count = ffi.new("int64_t *")
        result = int(ffi.cast("uintptr_t", count))
        address: int = self._owner.address

        def call(*_: object) -> Any:
            return lib.cudnnBackendGetAttribute(
                address, self._number, self.kind, room, memory, result
            )

        status = call()
        while status:
            arguments = (self._owner, self._number, self.kind, room, None)
            status = failed(call, "cudnnBackendGetAttribute", status, arguments)
        return int(count[0])


def _read_values(get: _Getter, attribute: Attribute, type_: str) -> Any:
    width = attribute_size(get.kind)
    room = 1
    if attribute.many or type_ == "CHAR":
        room = get.find_room() or _ROOM
    while True:
        # The rest is for a terminator that is not counted, and for elements of another type.
        memory = ffi.new("char[]", room * width + _SPARE)
        count = get(room, memory)
        if count <= room:
            break
        room = count
    if type_ == "CHAR":
        return ffi.string(memory, count).decode("utf-8", "replace") if count else ""
    values = attribute_values(memory, get.kind, count)
    if not is_plain(type_):
        # Several enums have this type.
        values = list(map(active().enum(attribute.enum or ""), values))
    if attribute.many:
        return tuple(values)
    if not values:
        raise errors.NotSupportedError("it is not set")
    return values[0]


def _read_children(get: _Getter, cls: Any, most: int | None) -> Any:
    """Return descriptors that cuDNN filled; those that it did not fill are closed."""
    told = 1 if not get.many else get.find_room() if most is None else most
    room = told or _CHILDREN
    while len(children := _filled(get, cls, room)) == room and not told:
        for child in children:
            child.close()
        room *= 4
    if get.many:
        return tuple(children)
    if not children:
        raise errors.NotSupportedError("it is not set")
    return children[0]


def _filled(get: _Getter, cls: Any, room: int) -> list[Any]:
    """Return the descriptors that cuDNN filled, at most `room`."""
    children: list[Any] = []
    count = 0
    try:
        for _ in range(room):
            children.append(cls._to_fill())
        memory = ffi.new("uintptr_t[]", [child.address for child in children])
        count = min(get(room, memory), room)
    finally:
        for child in children[count:]:
            child.close()
    return children[:count]
