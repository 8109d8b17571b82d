"""Say in the error of a descriptor that was not made which attributes it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import errors
from .._attributes import DESCRIPTORS
from .._tables import active
from . import schema

if TYPE_CHECKING:
    from typing import Protocol

    from .schema import Attribute

    class Descriptor(Protocol):
        """A backend descriptor."""

        def _known(self) -> Mapping[str, Attribute]: ...


def explained(descriptor: Descriptor, emitted: str, error: errors.CudnnError) -> errors.CudnnError:
    """Return an error of making a descriptor that names it, and says what is missing.

    Args:
        descriptor: the descriptor.
        emitted: the name of the emitted class that it is of.
        error: the error of cuDNN.
    """
    known = descriptor._known()
    message = f"{type(descriptor).__name__}: {error.message}"
    if known and all(each.writable is False for each in known.values()):
        holders = _holders(emitted)
        hint = (
            f"it is not made but read, as {' or '.join(holders)}"
            if holders
            else "no attribute of it can be set, and none of another type returns it"
        )
    else:
        values = getattr(descriptor, "_values", {})
        absent = [each for each in known.values() if each.name not in values]
        hint = _required(descriptor, absent) or _alternatives(absent, values)
    return error.replace(message=message, hint=hint or error.hint)


def _required(descriptor: Descriptor, absent: list[Attribute]) -> str:
    parts = []
    for each in absent:
        modes = (mode for mode in each.required_in if all(_has(descriptor, one) for one in mode))
        mode = next(modes, None)
        if mode:
            parts.append(f"{each.name} (with {' and '.join(mode)})")
        elif "required" in (each.needed, each.needed_in_graph):
            parts.append(each.name)
    return f"required and not set: {', '.join(parts)}" if parts else ""


def _alternatives(absent: list[Attribute], values: Mapping[str, object]) -> str:
    parts = [
        f"{each.name} (or {', '.join(each.unless)})"
        for each in absent
        if each.needed == "alternative"
        and each.unless
        and not any(other in values for other in each.unless)
    ]
    return f"not set: {'; '.join(parts)}" if parts else ""


def _has(descriptor: Descriptor, member: str) -> bool:
    """Return whether an attribute, or one of a descriptor that it holds, is this enumerator."""
    for each in descriptor._known().values():
        value: Any = getattr(descriptor, "_values", {}).get(each.name, each.default)
        if hasattr(value, "_known"):
            if _has(value, member):
                return True
        elif each.enum and value is not None and not isinstance(value, tuple):
            with suppress(errors.CudnnError, KeyError):
                enum = active().enum(each.enum)
                if enum[member] == (enum[value] if isinstance(value, str) else value):
                    return True
    return False


def _holders(name: str) -> list[str]:
    """Return the readable attributes that hold descriptors of a class."""
    return [
        f"{cls}.{each.name}"
        for cls in DESCRIPTORS
        for each in schema.attributes_of(cls).values()
        if each.target == name and each.readable
    ]
