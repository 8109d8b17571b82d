"""Names of headers that cannot be names of emitted code; no user could use them."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from typing import Any

from cudnn_cffi.api import model

from ...lower import names
from ...lower.plan import Plan
from .. import python
from ..errors import EmitError


def refuse_clashes(api: model.Api) -> None:
    """Refuse names of a release that Python cannot have, and two types that would be one class.

    Raises:
        EmitError: there are such names.
    """
    entities: list[Any] = [*api.functions, *api.constants, *api.macros, *api.typedefs]
    entities += [*api.opaques, *api.callbacks]
    public: list[tuple[str, str]] = [(each.name, each.header) for each in entities]
    public += [(enum.name, enum.header) for enum in api.enums]
    members = [(e.name, enum.header) for enum in api.enums for e in enum.enumerators]
    public += members
    public += [(r.name, r.header) for r in api.records if "." not in r.name]
    for name, header in public:
        if not is_name(name) or (name[0] == "_" and (name, header) in members):
            raise EmitError(f"{api.release}: {name} of {header} is not a name that Python can have")
    owners: dict[str, str] = {f.name: f"the flag set {f.name}" for f in api.flags}
    named: list[model.Enum | model.Record | model.Opaque] = [*api.enums]
    named += [record for record in api.records if "." not in record.name]
    named += [opaque for opaque in api.opaques if opaque.header.startswith("cudnn")]
    for entity in named:
        cls = names.class_name(entity.name)
        if cls in owners:
            raise EmitError(f"{api.release}: {entity.name} and {owners[cls]} would both be {cls}")
        owners[cls] = entity.name


#: Names that calls.py.j2 uses by itself, in modules and in functions.
_TEMPLATE = ("_new", "_type", "_out", "_status", "_error", python.RESULTS)


def refuse_hidden_names(plans: Sequence[Plan]) -> None:
    """Refuse two things of one name in a module of calls, or among a function's parameters.

    Raises:
        EmitError: there are such names.
    """
    owners = dict.fromkeys(_TEMPLATE, "the call layer")
    owners.update((name, "the call layer") for each in plans for name in python.needs(each))
    owners.update((f"_{enum}", f"the enum {enum}") for each in plans for enum in each.enums)
    for each in plans:
        for name in (each.name, f"_{each.name}", each.tuple_name):
            if name is not None and (name in owners or not is_name(name)):
                other = owners.get(name, "Python")
                raise EmitError(f"{each.name}: the name {name} is taken by {other}")
            owners[name or ""] = each.name
        for used in ([p.name for p in each.parameters], [r.name for r in each.results]):
            for name in used:
                if used.count(name) > 1 or not is_name(name) or name[0] == "_":
                    raise EmitError(f"{each.name}: {name} would be the name of two parameters")


def is_name(name: str) -> bool:
    """Return whether a C name can be a Python name, and equals no other one to Python."""
    return name.isidentifier() and name.isascii() and not keyword.iskeyword(name)
