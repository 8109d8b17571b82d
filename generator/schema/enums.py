"""Find the enum of the elements of an attribute type: by its name, or by a fact."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cudnn_cffi.api.model import Api

from .facts import load

_ATTRIBUTE_TYPES = "cudnnBackendAttributeType_t"


def enum_types(api: Api) -> Mapping[str, str]:
    """Return the enum of each attribute type that has one: its C name, by the type's."""
    enums = {enum.name for enum in api.enums}
    # The backend's comes last, and stays where two are called alike.
    plain = {_plain(name): name for name in sorted(enums, key=lambda name: "Backend" in name)}
    types = next((e.enumerators for e in api.enums if e.name == _ATTRIBUTE_TYPES), ())
    facts = load().enums
    found = {}
    for type_ in types:
        named = plain.get(_plain(type_.name.removeprefix("CUDNN_TYPE_")))
        enum = facts[type_.name].enum if type_.name in facts else named
        if enum in enums:
            found[type_.name] = enum
    return found


def _plain(name: str) -> str:
    return re.sub(r"^cudnn(backend)?|_t$|_|s$", "", name.lower())
