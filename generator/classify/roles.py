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


def classify(
    declarations: Declarations, facts: Facts, unexplained: list[str] | None = None
) -> model.Api:
    """Return the declarations with a role for every parameter and a set for every bit mask.

    Args:
        declarations: those of a release.
        facts: what no rule can know.
        unexplained: gets a line for each parameter that nothing explains, which then is an
            address that the caller gives as C takes it; without a list such a parameter is an
            error.

    Raises:
        ClassificationError: naming each parameter that nothing explains.
    """
    api = declarations.api
    types = Types.of(api)
    found: list[str] = []
    functions = []
    for function in api.functions:
        parameters = tuple(
            _role(Site(function, i, p, CType.of(p.type), types), facts)
            for i, p in enumerate(function.parameters)
        )
        problems = dict(_problems(model.replace(function, parameters=parameters), facts))
        if problems:
            found += problems.values()
            parameters = tuple(_address(p) if p.name in problems else p for p in parameters)
        stated = facts.function(function.name)
        functions.append(model.replace(function, parameters=parameters, **stated))
    if found and unexplained is None:
        raise ClassificationError(
            "nothing explains these parameters; add a rule to generator/classify or a fact "
            "to generator/classify/facts.toml:\n" + "\n".join(f"  {line}" for line in found)
        )
    if unexplained is not None:
        unexplained += found
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


def _role(site: Site, facts: Facts) -> model.Parameter:
    answers = (rule(site) for rule in RULES)
    first: Mapping[str, Any] = next((found for found in answers if found is not None), {})
    answer = {"kind": None, **first}
    answer.update(facts.parameter(f"{site.function.name}.{site.name}"))
    answer["length"] = answer.get("length") or None  # a fact says "" where no parameter tells
    if answer["kind"] is None:
        return site.parameter
    return model.replace(site.parameter, **answer)


def _address(parameter: model.Parameter) -> model.Parameter:
    """Return a parameter that nothing explains as an address, or by value as what it is."""
    kind = CType.of(parameter.type)
    if kind.value:
        return parameter
    direction: model.Direction = "in" if kind.const else "inout"
    plain = model.Parameter(parameter.name, parameter.type, documented=parameter.documented)
    return model.replace(plain, kind="buffer", memory="host", direction=direction, optional=True)


def _problems(function: model.Function, facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield parameters with what nothing explains of them.

    That is what they are, lengths and counts that are no parameters, and arrays of unknown length.
    """
    names = {parameter.name for parameter in function.parameters}
    for parameter in function.parameters:
        kind = CType.of(parameter.type)
        place = f"{function.name}: {parameter.type} {parameter.name}"
        if parameter.kind == "scalar" and not kind.value and parameter.direction == "in":
            yield parameter.name, place
        for what in (parameter.length, parameter.count):
            if what is not None and what not in names:
                yield parameter.name, f"{function.name}.{parameter.name}: no parameter {what!r}"
        if parameter.kind not in ("array", "records") or parameter.length or kind.bound:
            continue
        if parameter.direction == "out":
            yield parameter.name, f"{place}: an array that is written, without a capacity"
        elif (
            kind.array
            and parameter.memory != "device"
            and "length" not in facts.parameter(f"{function.name}.{parameter.name}")
        ):
            yield parameter.name, f"{place}: an array of unknown length"


def disagreements(api: model.Api, facts: Facts) -> list[tuple[str, model.Parameter]]:
    """Parameters whose direction is not the one that the header's comment claims.

    Comments are left out of which facts.toml says why the comment is wrong.
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
