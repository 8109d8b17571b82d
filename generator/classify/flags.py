"""Bit masks: macros of shifted bits, grouped into sets."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudnn_cffi.api import model

from ..read.parse import Declarations
from .facts import Facts

_SHIFT = re.compile(r"\(?\s*1[uU]?[lL]*\s*<<.*")


def flag_sets(
    declarations: Declarations, facts: Facts
) -> tuple[list[model.FlagSet], frozenset[str]]:
    """Macros defined as shifted bits, with their zero-valued neighbours, grouped into sets.

    A fact names a set by the prefix of its members. Bits that no fact claims make a set of their
    own per common prefix, so that a new mask needs no fact, only a better name.
    """
    constants = {c.name: c for c in declarations.api.constants}
    bits = [name for name, body in declarations.bodies.items() if _SHIFT.fullmatch(body)]
    bits = [name for name in bits if name in constants]
    groups: dict[str, list[str]] = {}
    claimed: set[str] = set()
    for name, fact in facts.flags.items():
        members = [
            constant
            for constant in constants
            if constant.startswith(fact["prefix"])
            and constant.endswith(fact.get("suffix", ""))
            and (constant in bits or constants[constant].value == 0)
        ]
        if any(member in bits for member in members):
            facts.used.add(f"flags.{name}")
            groups[name] = members
            claimed.update(members)
    for name in bits:
        if name not in claimed:
            stem = name.rpartition("_")[0]
            groups.setdefault(_camel(stem), []).append(name)
            claimed.add(name)
    sets = []
    for name, members in sorted(groups.items()):
        bits_ = [model.Enumerator(name=m, value=int(constants[m].value)) for m in members]
        header = constants[members[0]].header
        sets.append(model.FlagSet(name=name, header=header, members=tuple(bits_)))
    return sets, frozenset(claimed)


def _camel(macro: str) -> str:
    words = macro.removeprefix("CUDNN_").split("_")
    return "".join(word.capitalize() for word in words) + "Flags"


def with_flags(
    function: model.Function, sets: Iterable[model.FlagSet], facts: Facts
) -> model.Function:
    """Return the function with the flag sets that facts name for its parameters."""
    names = {s.name for s in sets}
    changed = []
    for parameter in function.parameters:
        for name in names & facts.flags.keys():
            if f"{function.name}.{parameter.name}" in facts.flags[name].get("parameters", ()):
                parameter = model.replace(parameter, kind="flags", flags=name)
        changed.append(parameter)
    return model.replace(function, parameters=tuple(changed))
