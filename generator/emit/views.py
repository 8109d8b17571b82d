"""Enums, flags and macros as the tables and the stubs show them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec
from cudnn_cffi.api import model

from ..lower import names
from ..read import cexpr
from .errors import EmitError
from .text.source import Source


class Member(msgspec.Struct, frozen=True):
    """A member of an enum or a flag set."""

    name: str
    c_name: str
    value: int


class EnumView(msgspec.Struct, frozen=True, eq=False):
    """An enum or a flag set as a class of Python's; each is made once."""

    cls: str
    name: str
    header: str
    prefix: str
    members: tuple[Member, ...]


def enums(source: Source, groups: Iterable[model.Enum | model.FlagSet]) -> list[EnumView]:
    """Return enums and flag sets as classes, by name.

    Raises:
        EmitError: two enumerators of one would have the same name.
    """
    views = (_enum(group, source.prefixes[group.name]) for group in groups)
    return sorted(views, key=lambda view: view.cls)


@cache  # most are the same in all releases
def _enum(group: model.Enum | model.FlagSet, prefix: str) -> EnumView:
    flags = isinstance(group, model.FlagSet)
    enumerators = group.members if isinstance(group, model.FlagSet) else group.enumerators
    members = tuple(Member(names.member_name(m.name, prefix), m.name, m.value) for m in enumerators)
    by_name: dict[str, str] = {}
    for member in members:
        if (other := by_name.setdefault(member.name, member.c_name)) != member.c_name:
            raise EmitError(
                f"{group.name}: {other} and {member.c_name} would both be {member.name}"
            )
    cls = group.name if flags else names.class_name(group.name)
    return EnumView(cls, group.name, group.header, prefix, members)


def all_enums(source: Source) -> list[EnumView]:
    """Return the enums with every member that any release had, with the newest value it had."""
    newest: dict[str, model.Enum] = {}
    for api in source.merged.apis.values():
        for enum in api.enums:
            here = {member.name for member in enum.enumerators}
            before = newest.get(enum.name, enum).enumerators
            gone = [member for member in before if member.name not in here]
            newest[enum.name] = model.replace(enum, enumerators=(*enum.enumerators, *gone))
    return enums(source, newest.values())


def macros(api: model.Api) -> list[dict[str, Any]]:
    """Return the function-like macros whose body is arithmetic on their parameters."""
    views = []
    for macro in sorted(api.macros, key=lambda m: m.name):
        known = dict.fromkeys(macro.parameters, 1)
        try:
            cexpr.evaluate(macro.body, lambda name: known[name])  # noqa: B023
        except (cexpr.NotConstant, KeyError):
            continue
        expression = ast.unparse(
            ast.parse(cexpr.to_python(macro.body).replace("/", "//").strip(), mode="eval")
        )
        views.append({"name": macro.name, "parameters": macro.parameters, "expression": expression})
    return views
