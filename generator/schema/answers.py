"""Answers of libraries about the schema of their backend descriptors, one file a release.

The files are in generator/schema/answers/, sorted, one attribute a line; they say nothing of the
machine that asked. `generator.schema.probe` writes them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
from cudnn_cffi.api.model import Count, Default, Need, Stated, version_key

from .. import GeneratorError
from ..attributes import store
from ..lab.bench import Reached

ANSWERS = Path(__file__).with_name("answers")


class AnswersError(GeneratorError):
    """A file that is not the answers of a library."""


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer of one library about one attribute. The fields are those of `BackendAttribute`."""

    count: Count | None = None
    most: int | None = None
    as_long_as: tuple[str, ...] = ()
    needed: Need | None = None
    needed_in_graph: Need | None = None
    unless: tuple[str, ...] = ()
    along_with: tuple[str, ...] = ()
    default: Default | None = None
    uninitialized: bool = False
    required_in: tuple[tuple[str, ...], ...] = ()
    stated: Stated | None = None
    target: str | None = None
    enum: str | None = None


class ModeNeeds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The attributes that a descriptor needs in a mode; see `generator.schema.modes`."""

    modes: tuple[tuple[str, ...], ...]  # those that need the same: a member of each mode
    reached: Reached
    required: tuple[str, ...] = ()  # in every least valid descriptor, by Finalize
    alternative: tuple[str, ...] = ()  # in some of them
    required_in_graph: tuple[str, ...] = ()  # the same of operations, by Finalize of a graph
    alternative_in_graph: tuple[str, ...] = ()


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of one library."""

    version: str  # "9.28.0"
    descriptors: dict[str, Reached]
    attributes: dict[str, Answer]
    modes: dict[str, tuple[ModeNeeds, ...]] = {}  # by descriptor, where modes differ
    undeclared: tuple[str, ...] = ()  # attributes that comments of the header alone name


@cache
def load(folder: Path = ANSWERS) -> tuple[Answers, ...]:
    """Return the answers of all libraries that were asked, oldest first.

    Raises:
        AnswersError: a file that cannot be read, or is something else.
    """
    return store.load_all(folder, Answers, AnswersError)


def save(answers: Answers, folder: Path = ANSWERS) -> Path:
    """Keep `answers`, one attribute a line; replaces what was kept of the same release."""
    form = b'{"version":%s,\n"descriptors":{\n%s\n},\n"attributes":{\n%s\n},\n"modes":{\n%s\n},\n'
    form += b'"undeclared":%s}\n'
    text = form % (
        store.encode(answers.version),
        store.lines(answers.descriptors),
        store.lines(answers.attributes),
        store.lines(answers.modes),
        store.encode(answers.undeclared),
    )
    path = store.keep(folder, answers.version, text)
    load.cache_clear()
    return path


def before(version: str, folder: Path = ANSWERS) -> Answers | None:
    """Return what is kept of the nearest older release that was asked."""
    older = [one for one in load(folder) if version_key(one.version) < version_key(version)]
    return older[-1] if older else None


def differences(older: Answers, newer: Answers) -> list[str]:
    """Return lines that tell how two releases answer differently about the same attributes.

    A library may be another, or log and refuse in another way: then its answers lack much.
    """
    found = [
        f"{name}: {reached} -> {newer.descriptors[name]}"
        for name, reached in older.descriptors.items()
        if newer.descriptors.get(name, reached) != reached
    ]
    for name, one in older.attributes.items():
        other = newer.attributes.get(name, one)
        changed = [
            f"{field} {getattr(one, field)} -> {getattr(other, field)}"
            for field in Answer.__struct_fields__
            if getattr(one, field) != getattr(other, field)
        ]
        if changed:
            found.append(f"{name}: {', '.join(changed)}")
    return found
