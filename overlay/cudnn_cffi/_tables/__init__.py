"""A release's enums, structs, constants and functions, from its emitted tables."""

from __future__ import annotations

from .absent import elsewhere
from .active import active, chosen_release, enum_map, expected_member, in_use, record_class
from .enums import ENUM_TYPES, find_member, members_hint
from .tables import VERSION_MACROS, Tables, family_named, newest, tables, version_macro

__all__ = [
    "ENUM_TYPES",
    "VERSION_MACROS",
    "Tables",
    "active",
    "chosen_release",
    "elsewhere",
    "enum_map",
    "expected_member",
    "family_named",
    "find_member",
    "in_use",
    "members_hint",
    "newest",
    "record_class",
    "tables",
    "version_macro",
]
