"""Facts about the schema that no library tells, found by people: facts.toml."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from cudnn_cffi.api.model import Count

from ..attributes import store
from .answers import AnswersError

FACTS = Path(__file__).with_name("facts.toml")


class EnumFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The enum of an attribute type's elements."""

    enum: str
    reason: str


class Fact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact about attributes by a person; its fields are those of `BackendAttribute`."""

    names: tuple[str, ...]
    reason: str
    count: Count | None = None
    target: str | None = None
    unless: tuple[str, ...] | None = None
    unread_default: bool | None = None
    fatal: bool | None = None
    misread: bool | None = None


_STATED = tuple(field for field in Fact.__struct_fields__ if field not in ("names", "reason"))


class Facts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All facts about the schema."""

    enums: dict[str, EnumFact] = {}  # by attribute type
    attribute: tuple[Fact, ...] = ()

    def by_attribute(self) -> dict[str, dict[str, Any]]:
        """Return the fields that are stated, by the name of the attribute."""
        found: dict[str, dict[str, Any]] = {}
        for fact in self.attribute:
            for name in fact.names:
                for field in _STATED:
                    value = getattr(fact, field)
                    if value is not None:
                        found.setdefault(name, {})[field] = value
        return found


@cache
def load(path: Path = FACTS) -> Facts:
    """Return the facts.

    Raises:
        AnswersError: the file is not a table of facts.
    """
    return store.load_facts(path, Facts, AnswersError)
