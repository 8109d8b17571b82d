"""Docstrings of functions and methods, in sentences of our own, from what the model knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from cudnn_cffi.api import model

from ...classify import CType
from ...lower import names
from ...lower.plan import Plan, PyParameter, Result
from ...lower.values import Records
from ...meanings import load
from ..c import declared

#: Maximum number of members of an enum that are listed where it is an argument.
_FEW = 6

_CHANGING = re.compile(r"(?:RNN|Dropout|Backend)?([A-Z][a-z]+)")
_VERBS = {
    "Init": "Initialize",
    "Initialize": "Initialize",
    "Finalize": "Finalize",
    "Derive": "Derive",
    "Restore": "Restore",
    "Copy": "Copy into",
    "Make": "Make",
}

#: Other effects of functions, by a word of their names.
_DOING = re.compile(r"\b(build|execute|get|populate|save|update)\b")


def _listed(items: Iterable[str], last: str = "and") -> str:
    """Return "`a`, `b` and `c`"."""
    *others, final = (f"`{item}`" for item in items)
    return f"{', '.join(others)} {last} {final}" if others else final


def _first_that_fits(*texts: str) -> str:
    return next((text for text in texts if 0 < len(text) <= 88), texts[-1])


def _a(cls: str) -> str:
    """Return the class with its article."""
    return f"{'an' if re.match('[AEIO]|L?RN', cls) else 'a'} `{cls}`"


# Summaries ---------------------------------------------------------------------------------------


def summary(plan: Plan) -> str:
    """Return what the function does, in a line."""
    parameters = plan.function.parameters
    text = plan.function.name.removeprefix("cudnn")
    if text.endswith("VersionCheck"):
        return "Check that the sub-library has the version of the others."
    for parameter in parameters:
        cls = names.class_name(CType.of(parameter.type).base)
        if parameter.owner == "owned":
            return f"Create {_a(cls)}, which the caller destroys."
        if parameter.owner == "released":
            return f"Destroy {_a(cls)}."
    objects = [p for p in plan.parameters if p.source.kind == "descriptor"]
    changed = [p.name for p in objects if p.source.direction != "in"]
    found = _CHANGING.match(text)
    verb = found[1] if found else ""
    if verb in ("Set", *_VERBS) and (changed or not _written(plan)):
        return _change(plan, verb, changed)
    if plan.results and (_records(plan) or not _written(plan)):
        return _query(plan, [p.name for p in objects if p.source.direction == "in"])
    if _written(plan):
        return _computation(plan)
    words = names.snake(text).replace("_", " ").removeprefix("backend ")
    before, verb, after = _DOING.split(words, 1) if _DOING.search(words) else ("", "call", words)
    done = " ".join(part.strip() for part in (verb.capitalize(), before, after) if part.strip())
    with_ = f" with {_listed(p.name for p in objects)}" if objects else ""
    return _first_that_fits(f"{done}{with_}.", f"{done}.")


def _change(plan: Plan, verb: str, changed: list[str]) -> str:
    """Set `mathType` of `convDesc`."""
    targets = changed or [p.name for p in plan.parameters if p.source.kind == "handle"]
    others = [
        p.name
        for p in plan.parameters
        if p.name not in targets and p.source.kind != "handle" and not _is_length(plan, p)
    ]
    if not targets and not others:
        done = _listed(result.name for result in plan.results) if plan.results else "the library"
        return f"{_VERBS.get(verb, verb)} {done}."
    if verb != "Set":
        source = f" from {_listed(others)}" if others and targets else ""
        object_ = _listed(targets or others)
        return _first_that_fits(f"{_VERBS[verb]} {object_}{source}.", f"{_VERBS[verb]} {object_}.")
    if not others:
        return f"Reset {_listed(targets)}."
    of = f" of {_listed(targets)}" if targets else ""
    return _first_that_fits(
        f"Set {_listed(others)}{of}.",
        f"Set up {_listed(targets or others)} from the other arguments.",
    )


def _query(plan: Plan, objects: list[str]) -> str:
    """Return `mode` and `coef` of `activationDesc`."""
    of = f" {'of' if len(objects) == 1 else 'for'} {_listed(objects)}" if objects else ""
    if records := _records(plan):
        cls = names.class_name(records.memory.c_type)
        what = f"Return {_a(cls)}" if records.single else f"Return a list of `{cls}`"
        return _first_that_fits(f"{what}{of}.", f"{what}.")
    named = [result.name for result in plan.results if result.name != "result"]
    if not named:
        words = names.snake(plan.function.name.removeprefix("cudnn")).removeprefix("get_")
        return f"Return the {words.replace('_', ' ')}."
    return _first_that_fits(
        f"Return {_listed(named)}{of}.",
        f"Return {_listed(named)} for the descriptors." if len(objects) > 1 else "",
        f"Return {_listed(named)}.",
        f"Return {len(named)} values{of}.",
    )


def _computation(plan: Plan) -> str:
    """Compute `y` from `x` and `w`."""
    written = [p.name for p in _written(plan)]
    memory = [p for p in plan.parameters if p.source.kind == "device"]
    read = [p.name for p in memory if p.source.direction == "in"]
    if not read:
        in_place = all(p.source.direction == "inout" for p in _written(plan))
        what = f"Update {_listed(written)} in place" if in_place else f"Write {_listed(written)}"
        factors = [p.name for p in plan.parameters if p.source.kind == "scaling"]
        return _first_that_fits(f"{what} with {_listed(factors)}." if factors else "", f"{what}.")
    return _first_that_fits(
        f"Compute {_listed(written)} from {_listed(read)}.",
        f"Compute {_listed(written)}.",
        f"Compute {_listed(written[:3])}, and more.",
    )


def _records(plan: Plan) -> Records | None:
    """Return the structs that a call returns."""
    return next((r.value for r in plan.results if isinstance(r.value, Records)), None)


def _written(plan: Plan) -> list[PyParameter]:
    """Memory on the device that the function writes."""
    return [p for p in plan.parameters if p.source.kind == "device" and p.source.direction != "in"]


# Arguments and results ---------------------------------------------------------------------------

_KINDS = {
    "handle": "a `Handle` or its address",
    "stream": "a CUDA stream: an int, None, or an object with `__cuda_stream__`",
    "scaling": "a number, which cuDNN reads as double where the tensor is double, else as float",
    "workspace": "device memory for scratch space",
    "reserve": "device memory that the backward calls need again",
    "device": "device memory",
    "value": "a number, or host memory with one element",
    "user_data": "an address that goes to the callback as it is",
    "callback": "the address of a C function",
    "buffer": "host memory",
    "text": "a text",
    "records": "structs next to each other",
    "struct": "a struct, or its address",
}
_UNITS = {"workspace": "bytes", "reserve": "bytes", "device": "bytes"}


def _sized_by(plan: Plan, parameter: PyParameter) -> list[model.Parameter]:
    """Return the parameters whose length this one is."""
    return [p for p in plan.function.parameters if p.length == parameter.source.name]


def _is_length(plan: Plan, parameter: PyParameter) -> bool:
    return bool(_sized_by(plan, parameter)) and parameter.source.kind == "scalar"


def argument(plan: Plan, index: int, members: Mapping[str, Sequence[str]]) -> str:
    """`cudnnMathType_t`: a `MathType`, `DEFAULT_MATH` or `FMA_MATH`."""
    parameter = plan.parameters[index]
    source = parameter.source
    kind = CType.of(source.type)
    cls = names.class_name(kind.base)
    if source.kind == "array":
        parts = ["device memory" if source.memory == "device" else "a sequence of numbers"]
    elif source.kind == "descriptor":
        parts = [f"{_a(cls)} or its address"]
    elif source.kind == "enum":
        parts = [_a(cls)]
        if 1 < len(members.get(cls, ())) <= _FEW:
            parts = [f"{_a(cls)}: {_listed(members[cls], 'or')}"]
    elif source.flags:
        parts = [f"bits of `{source.flags}`"]
    elif source.kind == "scalar":
        parts = _number(plan, parameter)
    elif kind.base == "cudnnCallback_t":
        parts = ["a callable, or the address of a C function"]
    else:
        parts = [_KINDS[source.kind]] if source.kind in _KINDS else []
    described = dict(plan.described).get(index)
    if kind.bound:
        parts.append(f"at least {kind.bound} elements")
    elif source.length is not None:
        unit = _UNITS.get(source.kind, "elements")
        parts.append(f"at least `{names.parameter_name(source.length)}` {unit}")
    elif described is not None:
        parts.append(f"laid out as `{plan.parameters[described].name}` says")
    if source.kind == "descriptor" and source.direction != "in":
        parts.append("changed")
    elif source.kind in ("device", "reserve", "buffer") or source.memory == "device":
        doing = {"in": "read", "out": "written", "inout": "read and written"}
        parts += [doing[source.direction]] if source.kind != "workspace" else []
    if source.owner == "released":
        parts.append("invalid afterwards")
    if source.optional:
        parts.append("or None")
    if parameter.default is not None and parameter.default.value is not None:
        parts.append(f"{parameter.default.value} where left out")
    return _with_meaning(plan, source, ", ".join([source.type.replace(" *", "*"), *parts]))


def _with_meaning(plan: Plan, source: model.Parameter, text: str) -> str:
    """Return the type of an argument or result, and what it is."""
    meaning = load().argument(plan.function, source)
    return f"{text}{'; ' if meaning else ''}{meaning}."


def _number(plan: Plan, parameter: PyParameter) -> list[str]:
    """Return what a number by value counts or measures, where that is known."""
    sized = _sized_by(plan, parameter)
    if not sized:
        in_bytes = parameter.source.name.endswith("InBytes")
        return ["in bytes"] if in_bytes else []
    unit = _UNITS.get(sized[0].kind, "elements")
    most = all(p.direction == "out" and p.kind not in _UNITS for p in sized)
    listed = _listed(dict.fromkeys(names.parameter_name(p.name) for p in sized))
    verb = "may have" if most else "has" if len(sized) == 1 else "have"
    return [f"how many {unit} {listed} {verb}"]


def result(plan: Plan, result: Result) -> str:
    """`int`, the caller's to destroy."""
    source = result.source
    kind = CType.of(source.type)
    length = f"`{names.parameter_name(source.length)}`" if source.length else str(kind.bound or 1)
    if source.kind == "buffer":
        text = f"the elements, by their type; as many as there are, at most {length}"
        return _with_meaning(plan, source, text)
    parts = [result.annotation if kind.base != "void" else "an address"]
    if source.kind in ("array", "records") or kind.array:
        parts.append(
            f"as many as there are, at most {length}" if source.count else f"{length} elements"
        )
    if source.kind == "scalar" and source.name.endswith(("InBytes", "SizeInByte")):
        parts.append("in bytes")
    if source.owner == "owned":
        parts.append("the caller's to destroy")
    elif source.owner == "borrowed":
        parts.append(
            "in device memory" if source.memory == "device" else "lent, not to be destroyed"
        )
    return _with_meaning(plan, source, ", ".join(parts))


def in_place(plan: Plan) -> str:
    """`None`, and what is written; "" if the function writes no memory on the device."""
    written = [p.name for p in _written(plan)]
    return f"None; the function writes {_listed(written)}, in place." if written else ""


# The function as a whole -------------------------------------------------------------------------


def formula(plan: Plan) -> str:
    """Return what the function computes, "" if that is not known."""
    return load().formula(plan.function.name)


def see_also(plan: Plan) -> str:
    """`ops.softmax`, `Graph.softmax`, and the function's place in NVIDIA's manual."""
    meanings = load()
    links = [f"`{name}`" for name in meanings.see(plan.function.name)]
    manual = meanings.manual(plan.function.name, plan.function.header)
    return ", ".join([*links, *filter(None, [manual])])


def prototype(function: model.Function) -> str:
    """Return the declaration of a function, as C has it."""
    parameters = []
    for parameter in function.parameters:
        if CType.of(parameter.type).function:
            parameters.append(parameter.type.replace("(*)", f"(*{parameter.name})"))
            continue
        kind, bracket, rest = parameter.type.partition("[")
        parameters.append(declared(kind, f"{parameter.name}{bracket}{rest}"))
    return declared(function.result, f"{function.name}({', '.join(parameters) or 'void'})")
