"""The tables in use: those of the loaded library, chosen once, and look-ups in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from .. import errors
from .._index import RELEASES
from .._support import fork
from .._support.wording import a
from .enums import TolerantEnum, spelling_hint
from .selection import select
from .tables import Tables, newest, tables

if TYPE_CHECKING:
    import ctypes

_lock = fork.lock()
_active: Tables | None = None
_chosen_for: str | None = None  # the loaded version; None where no library was found
_release = ""  # the known release that the tables were chosen as


def in_use() -> Tables:
    """Return the tables whose names to list: the newest until a library is loaded.

    Listing names loads none.
    """
    from .. import library

    return _active or (newest() if library.current() is None else active())


def active(version: str | None = None) -> Tables:
    """Return the tables of the loaded library, chosen once; without a library the newest.

    Args:
        version: what the library reports that is being loaded.

    Raises:
        UnsupportedVersionError: there are none for it, or others were handed out before.
    """
    global _active, _chosen_for, _release
    if _active is not None and (version is None or version == _chosen_for):
        return _active
    with _lock:
        if version is None:
            version = _loadable_version()
        if _active is not None:
            if version is not None and version != _chosen_for:
                _check_late(version)
            return _active
        if version is None:
            _release = list(RELEASES)[-1]
        else:
            _release = select(version, RELEASES).release
            _chosen_for = version
        _active = tables(_release)
        return _active


def _loadable_version() -> str | None:
    """Return the version of the library that calls would use; None without a library."""
    from .. import library

    try:
        return library.load().version
    except errors.LibraryNotFoundError:
        return None


def _check_late(version: str) -> None:
    """Refuse a library with another API than names that were handed out before."""
    global _chosen_for
    assert _active is not None
    wanted = select(version, RELEASES).tables
    if wanted != _active.release:
        raise errors.UnsupportedVersionError(
            f"cuDNN {version} was loaded after names of {_active.release} had been handed out",
            version=version,
            tables=_active.release,
            hint="load the library first, with cudnn_cffi.load(path)",
        )
    _chosen_for = version


def chosen_release() -> str:
    """Return the release whose tables are in use; "" before they are chosen."""
    return _release


class EnumMap(dict[int, TolerantEnum]):
    """Members by number, filled on demand: a look-up costs a fifth of calling the class."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __missing__(self, number: int) -> TolerantEnum:
        member = self[number] = active().enum(self.name)(number)
        return member


_maps: dict[str, EnumMap] = {}


def enum_map(name: str) -> EnumMap:
    """Return the members of an enum or flag set of the active tables, by number."""
    return _maps.setdefault(name, EnumMap(name))


def expected_member(c_type: str, text: str) -> errors.ArgumentError | None:
    """Return the error for a text in place of a C enum; None for a type that is no enum."""
    cls = active().enum_of(c_type.removeprefix("const "))
    if cls is None:
        return None
    return errors.ArgumentError(
        f"expected {a(cls.__name__)}, got the text {text!r}",
        hint=spelling_hint(cls, text),
    )


def record_class(c_name: str) -> type[ctypes.Structure]:
    """Return the class of a C struct in the active tables; TypeError where they have none."""
    tables = active()
    try:
        return cast("type[ctypes.Structure]", tables.get(c_name))
    except KeyError:
        raise TypeError(f"cuDNN {tables.release} has no {c_name}") from None
