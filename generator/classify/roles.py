"""The role of every parameter of a release."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from typing import Any

from cudnn_cffi.api import model

from ..read.parse import Declarations
from . import arrays, memory, pointers, values
from .ctype import CType
from .errors import ClassificationError
from .facts import Facts
from .flags import flag_sets, with_flags
from .site import Site, Types

#: In order: the first that answers decides.
RULES = (*values.RULES, *pointers.RULES, *arrays.RULES, *memory.RULES)


def classify(declarations: Declarations, facts: Facts) -> model.Api:
    """Return the declarations with a role for every parameter and a set for every bit mask.

    Raises:
        ClassificationError: naming each parameter that nothing explains.
    """
    api = declarations.api
    types = Types.of(api)
    unexplained: list[str] = []
    functions = []
    for function in api.functions:
        parameters = tuple(
            _role(Site(function, i, p, CType.of(p.type), types), facts, unexplained)
            for i, p in enumerate(function.parameters)
        )
        stated = facts.function(function.name)
        functions.append(model.replace(function, parameters=parameters, **stated))
        unexplained += _inconsistencies(functions[-1], facts)
    if unexplained:
        raise ClassificationError(
            "nothing explains these parameters; add a rule to generator/classify or a fact "
            "to generator/classify/facts.toml:\n" + "\n".join(unexplained)
        )
    flags, taken = flag_sets(declarations, facts)
    functions = [with_flags(function, flags, facts) for function in functions]
    return model.replace(
        api,
        functions=tuple(functions),
        constants=tuple(c for c in api.constants if c.name not in taken),
        flags=tuple(flags),
    )


def classify_again(api: model.Api, facts: Facts) -> model.Api:
    """Return the same API with the roles that today's rules and facts give; needs no header."""
    functions = tuple(
        model.replace(
            function,
            reason=None,
            parameters=tuple(
                model.Parameter(name=p.name, type=p.type, documented=p.documented)
                for p in function.parameters
            ),
        )
        for function in api.functions
    )
    bits = [(flags.header, member) for flags in api.flags for member in flags.members]
    constants = [model.Constant(name=m.name, header=h, value=m.value) for h, m in bits]
    bodies = {m.name: f"1 << {m.value.bit_length() - 1}" for _, m in bits if m.value}
    bare = model.replace(api, functions=functions, constants=(*constants, *api.constants), flags=())
    return classify(Declarations(bare, bodies), facts)


def _role(site: Site, facts: Facts, unexplained: list[str]) -> model.Parameter:
    answers = (rule(site) for rule in RULES)
    first: Mapping[str, Any] = next((found for found in answers if found is not None), {})
    answer = {"kind": None, **first}
    answer.update(facts.parameter(f"{site.function.name}.{site.name}"))
    answer["length"] = answer.get("length") or None  # a fact says "" where no parameter tells
    if answer["kind"] is None:
        unexplained.append(f"  {site.function.name}: {site.parameter.type} {site.name}")
        return site.parameter
    return model.replace(site.parameter, **answer)


def _inconsistencies(function: model.Function, facts: Facts) -> Iterator[str]:
    """Yield lengths and counts that are no parameters, and arrays of unknown length."""
    names = {parameter.name for parameter in function.parameters}
    for parameter in function.parameters:
        for what in (parameter.length, parameter.count):
            if what is not None and what not in names:
                yield f"  {function.name}.{parameter.name}: no parameter {what!r}"
        if parameter.kind != "array" or parameter.length:
            continue
        place = f"  {function.name}: {parameter.type} {parameter.name}"
        if parameter.direction == "out":
            yield f"{place}: an array that is written, without a capacity"
        elif (
            "[" in parameter.type
            and parameter.memory != "device"
            and "length" not in facts.parameter(f"{function.name}.{parameter.name}")
        ):
            yield f"{place}: an array of unknown length"


def disagreements(api: model.Api, facts: Facts) -> list[tuple[str, model.Parameter]]:
    """Parameters whose direction is not the one that the header's comment claims.

    Those are left out of which facts.toml says why the comment is wrong.
    """
    found = [
        (f"{function.name}.{parameter.name}", parameter)
        for function in api.functions
        for parameter in function.parameters
        if parameter.documented is not None and parameter.documented != parameter.direction
    ]
    unexplained = []
    for key, parameter in found:
        reasons = [pattern for pattern in facts.comments if fnmatch.fnmatchcase(key, pattern)]
        facts.used.update(f"comments.{pattern}" for pattern in reasons)
        if not reasons:
            unexplained.append((key, parameter))
    return unexplained
