"""The models of a generated package: one history of the API of every release.

Entities hardly change from release to release. `history.json` has each once, with the API that has
it first and the first one that no longer has it; enumerators and members of flags have lives of
their own. The models of releases that a user generated are also files of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from ..._support.arguments import path_of
from ..._support.decoding import decoded
from ..model import (
    DAMAGE,
    SCHEMA,
    SECTIONS,
    Api,
    BackendAttribute,
    Callback,
    Constant,
    Enum,
    Enumerator,
    FlagSet,
    Function,
    Header,
    Library,
    Macro,
    ModelError,
    Opaque,
    Record,
    Release,
    Typedef,
    Version,
    VersionMacro,
    decode,
    decode_releases,
    replace,
    version_key,
)

#: The file of the history.
HISTORY = "history.json"

#: In a row of an attribute: the `told_by` that most attributes of the API have.
SAME = "="

Row = TypeVar("Row")


class Life(
    msgspec.Struct, Generic[Row], frozen=True, omit_defaults=True, forbid_unknown_fields=True
):
    """An entity from one API on, until another one no longer has it."""

    since: str
    row: Row
    until: str | None = None
    of: str = ""  # of a member: the enum that it is in


class Told(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An API, and what most of its attributes were told by."""

    release: Version
    told_by: str | None = None


class History(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lives of all entities; the sections are those of `Api`, and `members`."""

    schema: int
    apis: tuple[Told, ...]
    headers: tuple[Life[Header], ...]
    functions: tuple[Life[Function], ...]
    enums: tuple[Life[Enum], ...]
    constants: tuple[Life[Constant], ...]
    macros: tuple[Life[Macro], ...]
    versions: tuple[Life[VersionMacro], ...]
    flags: tuple[Life[FlagSet], ...]
    records: tuple[Life[Record], ...]
    opaques: tuple[Life[Opaque], ...]
    callbacks: tuple[Life[Callback], ...]
    typedefs: tuple[Life[Typedef], ...]
    attributes: tuple[Life[BackendAttribute], ...]
    libraries: tuple[Life[Library], ...]
    members: tuple[Life[Enumerator], ...]

    def api(self, name: str) -> Api:
        """Return the model of an API; KeyError for one that is not here."""
        order = {told.release: place for place, told in enumerate(self.apis)}
        now = order[name]

        def alive(lives: Sequence[Life[Any]]) -> Iterator[Life[Any]]:
            for life in lives:
                if order[life.since] <= now and (life.until is None or now < order[life.until]):
                    yield life

        members: dict[str, list[Enumerator]] = {}
        for life in alive(self.members):
            members.setdefault(life.of, []).append(life.row)
        sections: dict[str, Any] = {
            section: tuple(life.row for life in alive(getattr(self, section)))
            for section in SECTIONS
        }
        sections["enums"] = tuple(
            replace(each, enumerators=tuple(members.get(each.name, ())))
            for each in sections["enums"]
        )
        told_by = self.apis[now].told_by
        sections["attributes"] = tuple(
            replace(each, told_by=told_by) if each.told_by == SAME else each
            for each in sections["attributes"]
        )
        return Api(release=name, **sections)


def encode_history(history: History) -> bytes:
    """JSON with one life a line, so that a line diff shows what changed."""
    parts = [b'{"schema":%d' % history.schema]
    for section in History.__struct_fields__[1:]:
        lines = b",\n".join(map(msgspec.json.encode, getattr(history, section)))
        parts.append(b',\n"%s":[\n%s%s]' % (section.encode(), lines, b"\n" if lines else b""))
    return b"".join([*parts, b"}\n"])


def decode_history(data: bytes, source: str = HISTORY) -> History:
    """Return the history in `data`.

    Raises:
        ModelError: not JSON, not a history, or one of a newer schema.
    """
    try:
        schema = decoded(data, _Head).schema
        if schema != SCHEMA:
            raise ModelError(f"{source}: schema {schema}, but this version reads {SCHEMA}")
        history = decoded(data, History)
    except DAMAGE as error:
        raise ModelError(f"{source}: not a history of cuDNN's API: {error}") from error
    known = {told.release for told in history.apis} | {None}
    for section in (*SECTIONS, "members"):
        for life in getattr(history, section):
            if not known.issuperset((life.since, life.until)):
                raise ModelError(
                    f"{source}: not a history of cuDNN's API: {section}: {life.row.name}: "
                    f"{life.since} or {life.until} is not among its releases"
                )
    return history


class _Head(msgspec.Struct):
    schema: int


@lru_cache(maxsize=2)
def _read_history(path: str, _time: int, _size: int) -> tuple[History, dict[str, Api]]:
    """Return the history, and a place for the APIs that are asked for."""
    return decode_history(_read(Path(path)), path), {}


class Store:
    """The models of a generated package.

    They are in `history.json`, or in `<release>.json`, with `releases.json` and `advice.json`.
    """

    def __init__(self, folder: str | os.PathLike[str] | Traversable) -> None:
        #: A folder, also one within a zip file.
        self.folder: Path | Traversable = (
            path_of(folder, "folder") if isinstance(folder, (str, os.PathLike)) else folder
        )

    def releases(self) -> tuple[Release, ...]:
        """All releases, oldest first; empty when nothing was generated yet."""
        path = self.folder / "releases.json"
        try:
            if isinstance(path, Path):
                path.stat()
            elif not path.is_file():
                return ()
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError:
            pass  # said when it is read
        return decode_releases(_read(path), str(path))

    def api(self, name: str) -> Api:
        """Return the API with the name that `Release.api` gives."""
        history, apis = self._history()
        if history is not None and name in {told.release for told in history.apis}:
            if name not in apis:
                apis[name] = history.api(name)
            return apis[name]
        path = self.folder / f"{name}.json"
        if history is not None and not path.is_file():
            known = ", ".join(told.release for told in history.apis)
            raise ModelError(f"{self.folder / HISTORY}: expected the API {name}, got {known}")
        if not path.is_file():
            path = self.folder / HISTORY
        return decode(_read(path), str(path))

    def _history(self) -> tuple[History | None, dict[str, Api]]:
        """Return the history, None where each API has a file of its own, and what it gave."""
        path = self.folder / HISTORY
        if not path.is_file():
            return None, {}
        if isinstance(path, Path):
            state = path.stat()
            return _read_history(str(path), state.st_mtime_ns, state.st_size)
        return decode_history(_read(path), str(path)), {}

    def advice(self) -> dict[str, tuple[str, str]]:
        """By name, what a header recommends instead, and the first release whose header does."""
        path = self.folder / "advice.json"
        if not path.is_file():
            return {}
        try:
            return decoded(_read(path), dict[str, tuple[str, str]])
        except msgspec.MsgspecError as error:
            raise ModelError(f"{path}: not a table of advice: {error}") from error

    def apis(self) -> Iterator[Api]:
        """Each distinct API, oldest first."""
        names = dict.fromkeys(release.api for release in self.releases())
        for name in sorted(names, key=version_key):
            yield self.api(name)


def _read(path: Path | Traversable) -> bytes:
    try:
        if isinstance(path, Path) and path.exists() and not path.is_file():
            raise ModelError(f"{path}: cannot be read: it is not a file")
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from error
