"""Tell whether types prove the role of a parameter, or only its name suggests it.

A rule guesses where another meaning of a pointer has the same types. A person confirms the guess,
once for each function, by a line of facts.toml.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cudnn_cffi.api import model

from .site import Site

#: Releases before this one, which are all there will ever be, were read as a whole for the rules.
CONFIRMED_BEFORE = (8, 5)

#: Descriptors of what lies in device memory.
_DESCRIBING = frozenset(f"cudnn{each}Descriptor_t" for each in ("Tensor", "Filter", "RNNData"))

#: Types of numbers that count nothing.
_NO_COUNTS = ("float", "double", "bool", "_Bool")

_WORDS = {
    "scalar": "one number",
    "enum": "one number",
    "struct": "one struct",
    "array": "an array",
    "records": "an array of structs",
    "text": "text that ends with a zero",
    "scaling": "a scaling factor",
    "value": "one element",
    "buffer": "elements of a type that another argument says",
    "device": "device memory",
    "workspace": "scratch memory on the device",
    "reserve": "memory on the device that a later call reads",
    "user_data": "what a callback gets",
    "callback": "one callback",
    "tag": "NULL",
}


class Question(NamedTuple):
    """A parameter that nothing explains, or whose rule nothing proves."""

    place: str  # the header and the line, as far as they are known
    site: Site
    role: model.Parameter
    why: str  # "" where no rule says anything
    guess: bool  # a rule says what it is

    def __str__(self) -> str:
        return f"{self.name}: {self.why}" if self.why else self.name

    @property
    def remark(self) -> str:
        """A line for the maker of tables in which the parameter is an address."""
        why = self.why or "no rule says what it is"
        return f"{self.name} is taken as an address ({self.place}): {why}"

    @property
    def name(self) -> str:
        """The function, and the type and name of the parameter."""
        return f"{self.site.function.name}: {self.role.type} {self.role.name}"


def told(questions: Iterable[Question]) -> str:
    """Return the message about parameters, with the lines that facts.toml lacks."""
    questions = list(questions)
    lines = ["nothing explains or proves what these parameters are:"]
    lines += [f"  {each.place}: {each}" for each in questions]
    lines += ["Look them up in the documentation, and add lines to generator/classify/facts.toml."]
    guesses: dict[str, list[Question]] = {}
    for each in questions:
        if each.guess:
            guesses.setdefault(each.site.function.name, []).append(each)
    if guesses:
        lines += ["For those that are as said above, below [confirmed]:"]
        lines += map(_confirming, guesses.values())
        lines += ["For those that are not, or of which nothing is said, below [parameters]:"]
    else:
        lines += ["Below [parameters]:"]
    lines += map(_stating, questions)
    return "\n".join(lines)


def doubt(role: model.Parameter) -> str:
    """Return in words that nothing proves the role that a rule gives."""
    return f"nothing proves that it is {_words(role)}"


def is_proven(site: Site, role: model.Parameter) -> bool:
    """Return whether the parameter's types, and those beside it, leave no other role."""
    kind = site.type
    if kind.value:
        return role.owner != "released" or _objects(site) == 1
    counted, queued = bool(counts(site)), _is_queued(site)
    match role.kind:
        case "callback":
            return kind.function
        case "handle" | "descriptor":
            return role.owner == "owned" and not counted and _objects(site) == queued
        case "array" | "records":
            return bool(kind.bound) and not queued
        case "device":
            return queued and _is_described(site)
        case "workspace" | "reserve":
            return queued and role.length in counts(site)
    return False


def counts(site: Site) -> list[str]:
    """Return the parameters that may say how many there are of something."""
    return [
        other.parameter.name
        for other in site.all()
        if other.type.value
        and other.type.base not in _NO_COUNTS
        and not other.types.names(other.type.base)
    ]


def _objects(site: Site) -> int:
    """Return how many objects the function takes."""
    return sum(o.type.value and o.type.base in o.types.opaques for o in site.all())


def _is_queued(site: Site) -> bool:
    """Return whether the function may have work to do on the device, so with memory there."""
    streams = ("cudnnHandle_t", "cudaStream_t")
    return any(other.type.value and other.type.base in streams for other in site.all())


def _is_described(site: Site) -> bool:
    wanted = f"{site.name.lower().removesuffix('data')}desc"
    return any(
        other.name.lower() == wanted and other.type.value and other.type.base in _DESCRIBING
        for other in site.all()
    )


def declared(parameter: model.Parameter) -> str:
    """Return the declaration of a parameter."""
    body, bracket, bounds = parameter.type.partition("[")
    space = "" if body.endswith("*") else " "
    return f"{body}{space}{parameter.name}{bracket}{bounds}"


def _confirming(questions: list[Question]) -> str:
    """Return the line of facts.toml that says that a function's parameters are what rules say."""
    function = questions[0].site.function
    quoted = ", ".join(f'"{declared(each.role)}"' for each in questions)
    return f'"{function.name}({len(function.parameters)})" = [{quoted}]'


def _stating(question: Question) -> str:
    """Return a line of facts.toml that says what a parameter is, where no rule is right."""
    site = question.site
    fields = {"kind": "array", "direction": "in" if site.type.const else "out", "memory": "host"}
    if site.type.base == "void":
        device = question.role.kind != "device"
        fields |= {"kind": "device", "memory": "device"} if device else {"kind": "buffer"}
    elif site.type.base in site.types.records:
        fields["kind"] = "records"
    if site.type.pointers + site.type.array > 1 or site.type.function:
        fields["kind"] = "buffer"  # an address, as C takes it
    elif length := next(iter(counts(site)), ""):
        fields["length"] = length
    fields["reason"] = "its documentation"
    inside = ", ".join(f'{key} = "{value}"' for key, value in fields.items())
    return f'"{site.function.name}.{site.name}" = {{ {inside} }}'


def _words(role: model.Parameter) -> str:
    """Return the role that a rule gives a parameter, in words."""
    said = _WORDS.get(role.kind, "one object")
    if role.owner == "released":
        return f"{said} that is given away"
    if role.kind in ("array", "records"):
        said += f" in {role.memory} memory"
        said += f" of {role.length} elements" if role.length else ""
    written = role.direction == "out" and role.kind not in ("reserve", "tag", "workspace")
    return f"{said} that comes back" if written else said
