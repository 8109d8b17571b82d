"""Set attributes: a function for each, made once, that checks, converts and calls.

A setter takes a descriptor and a value, and returns cuDNN's status. It raises what its encoder
does, and AttributeError for a closed descriptor. The address is read last, since converting a value
can run code that closes the descriptor.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .. import errors
from .._attributes import DESCRIPTORS
from .._call import lib
from .._tables import active
from . import schema
from .encoders import is_known, is_plain, make_encoder

if TYPE_CHECKING:
    from .._tables.enums import TolerantEnum
    from .encoders import Encode
    from .schema import Attribute

    class Owner(Protocol):
        """A descriptor that is not closed."""

        _cudnnBackendDescriptor_t: int

    Setter = Callable[[Owner, object], int]


#: None if no release has it.
_set_attribute: Callable[..., int] = getattr(lib, "cudnnBackendSetAttribute", None)  # type: ignore[assignment]

_pack_address = struct.Struct("=Q").pack
_pack_int64 = struct.Struct("=q").pack
_PACK_INTEGERS = [struct.Struct(f"={count}q").pack for count in range(17)]

#: Smaller integers are packed without a test of their range.
_LARGE = 1 << 62


def _make_setter(attribute: Attribute, find_class: Callable[[str], Any]) -> Setter:
    """Return what sets an attribute.

    Args:
        attribute: its record in the release in use.
        find_class: finds an emitted class by its name.
    """
    tables = active()
    number = int(tables.enum("BackendAttributeName")[attribute.c_name])
    kinds = {
        t: int(tables.enum("BackendAttributeType")["CUDNN_TYPE_" + t]) for t in order_of(attribute)
    }
    encoders = []
    for type_ in kinds:
        cls: Any = None
        if type_ == "BACKEND_DESCRIPTOR":
            cls = find_class(attribute.target or "Descriptor")
        elif not is_plain(type_):
            cls = tables.enum(attribute.enum or "")
        encoders.append((kinds[type_], make_encoder(type_, attribute, cls)))
    if len(encoders) > 1:
        return _make_choosing(number, encoders)
    kind, encode = encoders[0]
    (type_,) = kinds
    if attribute.many:
        if type_ == "INT64":
            return _quick_integers(number, kind, encode, min(attribute.most or 16, 16))
        return _plain(number, kind, encode)
    if type_ == "INT64":
        return _quick_integer(number, kind, encode)
    if type_ == "BACKEND_DESCRIPTOR":
        return _quick_child(number, kind, encode, cls)
    if cls is not None:
        return _quick_member(number, kind, encode, cls)
    return _plain(number, kind, encode)


def order_of(attribute: Attribute) -> Sequence[str]:
    """Return the types in the order in which they are tried: the first that loses nothing is taken.

    Operations take their scaling factors as float, which all of them do; a double is kept where a
    descriptor is about numbers alone.
    """
    types = list(attribute.types)
    if "DOUBLE" in types and "FLOAT" in types:
        operation = attribute.c_name.startswith("CUDNN_ATTR_OPERATION_")
        types.remove("DOUBLE" if operation else "FLOAT")
        if operation and "INT32" in types:
            types.remove("INT32")
    return types


def _plain(number: int, kind: int, encode: Encode) -> Setter:
    call = _set_attribute

    def set_(owner: Owner, value: object) -> int:
        count, data = encode(value)
        return call(owner._cudnnBackendDescriptor_t, number, kind, count, data)

    return set_


# Setters of what there is most of: each takes what is plain without another frame of Python's, and
# leaves all else to the encoder.


def _quick_integer(number: int, kind: int, encode: Encode) -> Setter:
    call, pack = _set_attribute, _pack_int64

    def set_(owner: Owner, value: object) -> int:
        if type(value) is int and -_LARGE < value < _LARGE:
            return call(owner._cudnnBackendDescriptor_t, number, kind, 1, pack(value))
        count, data = encode(value)
        return call(owner._cudnnBackendDescriptor_t, number, kind, count, data)

    return set_


def _quick_integers(number: int, kind: int, encode: Encode, most: int) -> Setter:
    call, packs = _set_attribute, _PACK_INTEGERS

    def set_(owner: Owner, value: object) -> int:
        if type(value) is tuple or type(value) is list:
            count = len(value)
            if count <= most:
                try:
                    data = packs[count](*value)
                except error:
                    pass
                else:
                    return call(owner._cudnnBackendDescriptor_t, number, kind, count, data)
        count, data = encode(value)
        return call(owner._cudnnBackendDescriptor_t, number, kind, count, data)

    error = struct.error
    return set_


def _quick_member(number: int, kind: int, encode: Encode, cls: type[TolerantEnum]) -> Setter:
    call = _set_attribute
    known = {member: struct.pack("=i", member) for member in cls}

    def set_(owner: Owner, value: object) -> int:
        if type(value) is cls and value in known:
            return call(owner._cudnnBackendDescriptor_t, number, kind, 1, known[value])
        count, data = encode(value)
        return call(owner._cudnnBackendDescriptor_t, number, kind, count, data)

    return set_


def _quick_child(number: int, kind: int, encode: Encode, cls: Any) -> Setter:
    call, pack = _set_attribute, _pack_address

    def set_(owner: Owner, value: Any) -> int:
        if type(value) is cls and value._finalized:
            try:
                child = value._cudnnBackendDescriptor_t
            except AttributeError:
                pass
            else:
                return call(owner._cudnnBackendDescriptor_t, number, kind, 1, pack(child))
        count, data = encode(value)
        return call(owner._cudnnBackendDescriptor_t, number, kind, count, data)

    return set_


def _make_choosing(number: int, encoders: Sequence[tuple[int, Encode]]) -> Setter:
    def set_(owner: Owner, value: object) -> int:
        texts = []
        for kind, encode in encoders:
            try:
                count, data = encode(value)
            except (TypeError, OverflowError) as error:
                texts.append(str(getattr(error, "message", error)))
                continue
            return _set_attribute(owner._cudnnBackendDescriptor_t, number, kind, count, data)
        raise TypeError("; ".join(dict.fromkeys(texts)))

    return set_


class Setters(dict):  # type: ignore[type-arg]
    """The setters of a class, by keyword, each made when it is first used."""

    def __init__(self, cls: Any, find_class: Callable[[str], Any]) -> None:
        self._cls, self._find_class = cls, find_class
        self.handles: set[str] = set()  # attributes that are handles
        self.nested: set[str] = set()  # attributes that are lists of lists

    def __missing__(self, name: str) -> Setter:
        attribute = self._cls._known().get(name)
        if attribute is None:
            raise self.unknown(name, errors.ArgumentError)
        if attribute.writable is False:
            raise errors.ArgumentError(
                f"{self._cls.__name__}.{name} is read only", hint=self._hint("")
            )
        if not attribute.types or not all(is_known(each, attribute) for each in attribute.types):
            raise errors.ArgumentError(
                f"{self._cls.__name__}.{name}: what it takes is not known",
                hint="set it by `set_attribute`, which is told the type",
            )
        if attribute.nested:
            self.nested.add(name)
        if "HANDLE" in attribute.types:
            self.handles.add(name)
        setter = self[name] = _make_setter(attribute, self._find_class)
        return setter

    def unknown(self, name: str, error: type[errors.CudnnError]) -> errors.CudnnError:
        cls = self._cls
        c_name = DESCRIPTORS[cls._emitted][1].get(name) if cls.c_name else None
        if c_name is not None:
            return schema.absent(f"{cls.__name__}.{name}", c_name, error)
        return errors.ArgumentError(
            f"{cls.__name__} has no attribute {name!r}", hint=self._hint(name)
        )

    def _hint(self, name: str) -> str:
        from difflib import get_close_matches

        names = [each.name for each in self._cls.attributes() if each.writable is not False]
        near = get_close_matches(name, names, 1, 0.6)
        meant = f"did you mean {near[0]}? " if near else ""
        return f"{meant}there are {', '.join(names)}" if names else ""
