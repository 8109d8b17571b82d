"""Classes for enums and flag sets, with members for unknown numbers, and hints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, EnumType, IntEnum, IntFlag
from numbers import Integral
from typing import TYPE_CHECKING, Any, Protocol

from .. import errors

if TYPE_CHECKING:
    #: C name, header and prefix of an enum; and by name the C name and the value of each member.
    Row = tuple[str, str, str, Mapping[str, tuple[str, int]]]

    class Owner(Protocol):
        """The tables that a class is of."""

        release: str

        @property
        def releases(self) -> str:
            """The releases that have these tables, as text."""


#: Maximum number of members in a hint that has something better to say.
_FEW = 40

#: The C name of each enum class that was made, of any release.
ENUM_TYPES: dict[type, str] = {}

#: Tells in which releases a C name is, by the name and a release without it; see `absent`.
ELSEWHERE: list[Callable[[str, str], str]] = []


def make_enum(name: str, row: Row, owner: Owner, flags: bool) -> AnyEnum:
    """Make the class of an enum, or of a flag set, from a row of a release's tables."""
    c_name, header, prefix, members = row
    release = owner.release
    values = {member: value for member, (_, value) in members.items()}
    module = f"cudnn_cffi.v{release.replace('.', '_')}"
    base: AnyEnum = Flags if flags else TolerantEnum
    cls: AnyEnum = base(name, values, module=module)  # type: ignore[call-arg, arg-type, assignment]
    cls._prefix, cls._release = prefix, release
    cls._c_names = {c_name: member for member, (c_name, _) in members.items()}
    what = f"Bits of {header}" if flags else f"The members of {c_name} ({header})"
    text = f"{what}, as in cuDNN {owner.releases}."
    cls.__doc__ = f"{text}\n\nTheir C names begin with ``{prefix}``." if prefix else text
    if not flags:
        ENUM_TYPES[cls] = c_name
    return cls


class _Members(EnumType):
    """Finds members by their C names too, and says which one was meant by an unknown name."""

    _c_names: Mapping[str, str] = {}  # names of members by C names
    _prefix = _release = ""

    def __getitem__(cls, name: str) -> Any:
        try:
            return cls._member_map_[name]
        except KeyError:
            pass
        if name in cls._c_names:
            return cls._member_map_[cls._c_names[name]]
        raise _unknown(cls, name)

    def __getattr__(cls, name: str) -> Any:
        if name[:1] != "_":
            if name in cls._member_map_:  # in Python 3.11 it may be there alone
                return cls._member_map_[name]
            raise _unknown(cls, name)
        raise AttributeError(
            f"type object {cls.__name__!r} has no attribute {name!r}", name=name, obj=cls
        )

    def __dir__(cls) -> list[str]:
        """Return the members, without what every int has: for `help` and completion."""
        return ["__class__", "__doc__", "__members__", "__module__", "__name__", *cls._member_map_]


def _unknown(cls: _Members, name: object) -> errors.UnknownMemberError:
    return errors.UnknownMemberError(
        f"{cls.__name__} has no member {name!r}", hint=members_hint(cls, name)
    )


def find_member(cls: AnyEnum, text: str) -> Enum | None:
    """Return the member with a name or C name, in any case; None for no such member."""
    for name in (text, cls._c_names.get(text)):
        if name in cls._member_map_:
            return cls._member_map_[name]
    spelt = text.upper()
    for names in (cls._c_names.items(), zip(cls._member_map_, cls._member_map_, strict=True)):
        for each, name in names:
            if each.upper() == spelt:
                return cls._member_map_[name]
    return None


def members_hint(cls: AnyEnum | _Members, value: object) -> str:
    """Return a hint: the member that a text may have meant, or the members that there are.

    If only other releases have the member, the hint names these.
    """
    from difflib import get_close_matches

    if isinstance(value, str) and (when := _elsewhere(cls, value.upper())):
        return f"it was {when}"
    meant = ""
    if isinstance(value, str):
        names = {name.upper(): name for name in cls._member_map_}
        names |= {c_name.upper(): name for c_name, name in cls._c_names.items()}
        begun = (name for name in names if name.startswith(f"{value.upper()}_"))
        if near := [*get_close_matches(value.upper(), names, 1, 0.6), *begun]:
            meant = f"did you mean {names[near[0]]}? "
    if meant and len(cls) > _FEW:
        return meant.rstrip()
    return f"{meant}this cuDNN has {', '.join(cls._member_map_)}"


def _elsewhere(cls: AnyEnum | _Members, name: str) -> str:
    """Return when a member of this name was added or removed; "" where none does."""
    c_name = name if name.startswith("CUDNN_") else f"{cls._prefix}{name}"
    found = (tell(c_name, cls._release) for tell in ELSEWHERE)
    return next(found, "")


def spelling_hint(cls: AnyEnum, text: str) -> str:
    """Return a hint how to write the member that a text means, or which members there are."""
    member = find_member(cls, text)
    return members_hint(cls, text) if member is None else f"write {cls.__name__}.{member.name}"


def _to_text(self: IntEnum | IntFlag) -> str:
    return self.name or int.__repr__(self)


def _format(self: IntEnum | IntFlag, format_spec: str) -> str:
    """As a number where the type of a number is asked for, else as text."""
    if format_spec and format_spec[-1] in "bcdoxXneEfFgG%":
        return int.__format__(self, format_spec)
    return format(str(self), format_spec)


class Flags(IntFlag, metaclass=_Members):
    __str__ = _to_text
    __format__ = _format

    @classmethod
    def _missing_(cls, value: object) -> Enum | None:
        if isinstance(value, Integral):  # NumPy's too
            value = int(value)
        return super()._missing_(value)


class TolerantEnum(IntEnum, metaclass=_Members):
    """An enum that meets a number it does not know with a member made for it."""

    __str__ = _to_text
    __format__ = _format

    @classmethod
    def _missing_(cls, value: object) -> Enum | None:
        if isinstance(value, str):
            text = f"{value!r} is not a valid {cls.__name__}, expected a number"
            raise ValueError(f"{text}: {spelling_hint(cls, value)}")
        if not isinstance(value, Integral) or isinstance(value, bool):
            return None
        number = int(value)  # NumPy's too
        member = int.__new__(cls, number)
        member._name_ = f"UNKNOWN_{number}".replace("-", "MINUS_")
        member._value_ = number
        return cls._value2member_map_.setdefault(number, member)


#: A class of enum members or flags.
AnyEnum = type[TolerantEnum] | type[Flags]
