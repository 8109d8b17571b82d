"""Make and read the backend descriptors of engines, heuristics and plans."""

from __future__ import annotations

from contextlib import suppress

from .. import errors
from .._lookup import calls, families
from .._tables import active, chosen_release, elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["children", "clear_last_error", "count", "has", "make", "read", "read_one", "read_text"]

_ATTRIBUTE = "CUDNN_ATTR_{}"
_TYPE = "CUDNN_TYPE_"


def has(attribute: str) -> bool:
    """Return whether the loaded release has an attribute, by its name without CUDNN_ATTR_."""
    return _ATTRIBUTE.format(attribute) in active().attributes


def _find(attribute: str) -> tuple[Any, Any, str]:
    """Return the attribute's member, its type's member and the type's name.

    Raises:
        NotSupportedError: the loaded release does not have the attribute.
    """
    tables, c_name = active(), _ATTRIBUTE.format(attribute)
    if c_name not in tables.attributes:
        when = elsewhere(c_name, chosen_release())
        raise errors.NotSupportedError(
            f"cuDNN {chosen_release()} has no {c_name}" + (f": it was {when}" if when else ""),
            version=chosen_release(),
        )
    type_name = tables.attributes[c_name][1][0]
    member = tables.enum("BackendAttributeType")[type_name.removeprefix(_TYPE)]
    return tables.enum("BackendAttributeName")[attribute], member, type_name.removeprefix(_TYPE)


def make(kind: str, **values: Any) -> Any:
    """Make a descriptor, set its attributes in order, and finalize it.

    Args:
        kind: the type, as in "ENGINEHEUR".
        **values: the attributes by their names without the type, in lower case; None leaves one
            out.

    Raises:
        NotSupportedError: the loaded release has no such attribute.
        CudnnError: cuDNN refuses the descriptor.
    """
    members = [
        (*_find(f"{kind}_{name.upper()}"), value)
        for name, value in values.items()
        if value is not None
    ]
    made = families.BackendDescriptor(active().enum("BackendDescriptorType")[f"{kind}_DESCRIPTOR"])
    clear_last_error()
    for name, type_, type_name, value in members:
        if type_name == "CHAR":
            value = value.encode()
            made.set_attribute(name, type_, len(value), value)
        else:
            elements = value if isinstance(value, (list, tuple)) else (value,)
            made.set_attribute(name, type_, len(elements), elements)
    made.finalize()
    return made


def read(descriptor: Any, attribute: str, most: int = 1) -> list[Any]:
    """Return at most `most` elements of an attribute."""
    name, type_, _ = _find(attribute)
    elements: list[Any] = descriptor.get_attribute(name, type_, most).arrayOfElements
    return elements


def read_one(descriptor: Any, attribute: str) -> Any:
    """Return the only element of an attribute; None where there is none."""
    return next(iter(read(descriptor, attribute)), None)


def read_text(descriptor: Any, attribute: str) -> str:
    """Return an attribute of characters as text."""
    name, type_, _ = _find(attribute)
    size = descriptor.get_attribute(name, type_, 0).elementCount
    (text,) = descriptor.get_attribute(name, type_, size).arrayOfElements
    return bytes(text).rstrip(b"\0").decode("utf-8", "replace")


def count(descriptor: Any, attribute: str) -> int:
    """Return how many elements an attribute has."""
    name, type_, _ = _find(attribute)
    number: int = descriptor.get_attribute(name, type_, 0).elementCount
    return number


def children(descriptor: Any, attribute: str, kind: str, most: int | None = None) -> list[Any]:
    """Return the descriptors that an attribute holds.

    Args:
        descriptor: what to read.
        attribute: its name without CUDNN_ATTR_.
        kind: the type of the children.
        most: how many there may be; by default as many as cuDNN says when it is asked for none.
    """
    name, type_, _ = _find(attribute)
    if most is None:
        most = descriptor.get_attribute(name, type_, 0).elementCount
    member = active().enum("BackendDescriptorType")[f"{kind}_DESCRIPTOR"]
    made = [families.BackendDescriptor(member) for _ in range(most)]
    if not made:
        return made
    found = descriptor.get_attribute(name, type_, most, made).elementCount
    return made[:found]


def clear_last_error() -> None:
    """Forget cuDNN's text for the last error of this thread.

    A call that fails without a text would leave that of an earlier call.
    """
    with suppress(errors.CudnnError):  # older releases do not have it
        calls.cudnnGetLastErrorString(64)
