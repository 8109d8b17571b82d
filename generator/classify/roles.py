"""The role of every parameter of a release."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from typing import Any

from cudnn_cffi.api import model

from ..read.parse import MORE, Declarations
from . import arrays, memory, pointers, proofs, values
from .ctype import CType
from .errors import ClassificationError
from .facts import Facts
from .flags import flag_sets, with_flags
from .proofs import Question
from .site import Site, Types

#: In order: the first that answers decides.
RULES = (*values.RULES, *pointers.RULES, *arrays.RULES, *memory.RULES)


def classify(
    declarations: Declarations,
    facts: Facts,
    unexplained: list[Question] | None = None,
    *,
    keep_guesses: bool = False,
) -> model.Api:
    """Return the declarations with a role for every parameter and a set for every bit mask.

    Args:
        declarations: those of a release.
        facts: what no rule can know.
        unexplained: gets an entry for each parameter that nothing explains or proves, which then
            is an address that the caller gives as C takes it; without a list such a parameter is
            an error.
        keep_guesses: leave it at what a rule says of a parameter, since nothing is called.

    Raises:
        ClassificationError: naming each parameter that nothing explains or proves.
    """
    api = declarations.api
    types = Types.of(api)
    closed = model.version_key(api.release) < proofs.CONFIRMED_BEFORE
    found: list[Question] = []
    functions = []
    for function in api.functions:
        if any(parameter.type == MORE for parameter in function.parameters):
            plain = tuple(map(_address, function.parameters))  # nothing can call it
            functions.append(model.replace(function, parameters=plain))
            continue
        sites = [
            Site(function, i, p, CType.of(p.type), types) for i, p in enumerate(function.parameters)
        ]
        parameters = tuple(_role(site, facts) for site in sites)
        problems = dict(_problems(model.replace(function, parameters=parameters), facts, closed))
        for site, role in zip(sites, parameters, strict=True):
            guess = not closed and site.name not in problems and _is_guess(site, role, facts)
            if guess or site.name in problems:
                place = declarations.places.get(f"{function.name}.{site.name}", function.header)
                why = proofs.doubt(role) if guess else problems[site.name]
                found.append(Question(place, site, role, why, guess))
            if guess and not keep_guesses:
                problems[site.name] = ""
        parameters = tuple(_address(p) if p.name in problems else p for p in parameters)
        stated = facts.function(function.name)
        functions.append(model.replace(function, parameters=parameters, **stated))
    if found and unexplained is None:
        raise ClassificationError(proofs.told(found))
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
    """Return a parameter that no rule explains: an address, or as it is if passed by value."""
    kind = CType.of(parameter.type)
    if kind.value:
        return model.replace(parameter, owner=None)
    direction: model.Direction = "in" if kind.const else "inout"
    plain = model.Parameter(parameter.name, parameter.type, documented=parameter.documented)
    return model.replace(plain, kind="buffer", memory="host", direction=direction, optional=True)


def _is_guess(site: Site, role: model.Parameter, facts: Facts) -> bool:
    """Return whether only names suggest the role of a parameter."""
    function = site.function
    return not (
        proofs.is_proven(site, role)
        or facts.states(f"{function.name}.{site.name}")
        or facts.confirms(function.name, len(function.parameters), proofs.declared(site.parameter))
    )


def _problems(function: model.Function, facts: Facts, closed: bool) -> Iterator[tuple[str, str]]:
    """Yield parameters with what nothing explains of them; "" if it is all.

    That is what they are, lengths and counts that are no parameters, and arrays of unknown length.
    """
    names = {parameter.name for parameter in function.parameters}
    for parameter in function.parameters:
        kind, key = CType.of(parameter.type), f"{function.name}.{parameter.name}"
        if parameter.kind == "scalar" and not kind.value and parameter.direction == "in":
            yield parameter.name, ""
        for what in (parameter.length, parameter.count):
            if what is not None and what not in names:
                yield parameter.name, f"{key}: no parameter {what!r}"
        if parameter.kind not in ("array", "records") or parameter.length or kind.bound:
            continue
        if parameter.direction == "out":
            yield parameter.name, "an array that is written, without a capacity"
        elif (
            (kind.array or not closed)
            and parameter.memory != "device"
            and "length" not in facts.parameter(key)
        ):
            yield parameter.name, "an array of unknown length"


def disagreements(api: model.Api, facts: Facts) -> list[tuple[str, model.Parameter]]:
    """Parameters whose direction is not the one that the header's comment claims.

    Comments that are wrong, as facts.toml explains, are left out.
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
