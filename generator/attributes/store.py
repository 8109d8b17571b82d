"""Answers of libraries, as files in the source tree: one for each release, a line for each entry.

Facts that a person found out are tables, each entry with a reason.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from cudnn_cffi._support.decoding import decoded
from cudnn_cffi.api.model import version_key


class _Told(Protocol):
    @property
    def version(self) -> str: ...


_T = TypeVar("_T", bound=_Told)
_F = TypeVar("_F")

encode = msgspec.json.Encoder(order="deterministic").encode


def load_all(folder: Path, kind: type[_T], error: type[Exception]) -> tuple[_T, ...]:
    """Return what is kept in `folder`, oldest first.

    Raises:
        error: a file that cannot be read, or is something else.
    """
    kept = []
    for path in folder.glob("*.json"):
        try:
            kept.append(decoded(path.read_bytes(), kind))
        except (OSError, msgspec.MsgspecError) as why:
            raise error(f"{path}: not the answers of a library: {why}") from why
    return tuple(sorted(kept, key=lambda each: version_key(each.version)))


def load_facts(path: Path, kind: type[_F], error: type[Exception]) -> _F:
    """Return the facts in a file.

    Raises:
        error: the file cannot be read, or is something else.
    """
    try:
        return decoded(path.read_bytes(), kind, msgspec.toml.decode)
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as why:
        raise error(f"{path}: not a table of facts: {why}") from why


def lines(table: Mapping[str, Any]) -> bytes:
    """Return a table as JSON, a line for each entry."""
    return b",\n".join(b"%s:%s" % (encode(key), encode(table[key])) for key in sorted(table))


def keep(folder: Path, version: str, text: bytes) -> Path:
    """Write a file, whole or not at all, in the place of that of the same release."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{version}.json"
    new = path.with_suffix(f".{os.getpid()}")
    try:
        new.write_bytes(text)
        return new.replace(path)
    finally:
        new.unlink(missing_ok=True)
