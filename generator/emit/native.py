"""The C of the call layer, and what Python knows of it: declarations and specs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from cudnn_cffi.api import model

from ..lower.codes import TYPES
from ..lower.plan import SCALED, Plan
from .errors import EmitError
from .text.render import TEMPLATES, render
from .text.source import Source

NATIVE = TEMPLATES.with_name("native")

#: Maximum number of results of a function; `_call` and native/ have room for as many.
MOST_RESULTS = 64

_LAYOUT = "@layout@"


def files(source: Source) -> Iterator[tuple[str, str]]:
    """Yield path and text of the shims, their declarations, and the specs."""
    for each in source.plans:
        if len(each.slots) > MOST_RESULTS:
            raise EmitError(f"{each.name} has more than {MOST_RESULTS} results")
    double = _value(source, "CUDNN_DATA_DOUBLE")
    index = {each.name: i for i, each in enumerate(source.plans)}
    getters = {code: index.get(getter, 0) for code, (_, getter) in SCALED.items()}

    shims = render("shims.c.j2", plans=source.plans, layout=_LAYOUT, getters=getters, double=double)
    cdef = render("cdef.h.j2", plans=source.plans).rstrip()
    # The hash of its text: a compiled layer of another text is never used.
    by_hand = "".join(each.read_text(encoding="utf-8") for each in sorted(NATIVE.glob("*.[ch]")))
    digest = hashlib.sha256((by_hand + shims + cdef).encode()).hexdigest()[:16]
    yield "_native/shims.c", shims.replace(_LAYOUT, digest)
    yield "_native/cdef.h", cdef
    specs = {each.name: _spec(each) for each in source.plans}
    yield "_specs.py", render("specs.py.j2", specs=specs, layout=digest, double=double, types=TYPES)


def _value(source: Source, enumerator: str) -> int:
    """Return the value of an enumerator, which all releases must agree on."""
    values = {
        each.value
        for api in source.merged.apis.values()
        for enum in api.enums
        for each in enum.enumerators
        if each.name == enumerator
    }
    if len(values) > 1:
        raise EmitError(f"{enumerator} has several values: {sorted(values)}")
    return values.pop() if values else -1


def _spec(each: Plan) -> tuple[Any, ...]:
    indices = {p.name: i for i, p in enumerate(each.function.parameters)}
    parameters = tuple(
        (p.name, p.source.type, _role(p.source), p.source.optional, indices[p.source.name])
        for p in each.parameters
    )
    return (
        each.function.name,
        each.function.header,
        each.result_code,
        each.codes,
        parameters,
        each.described,
    )


def _role(parameter: model.Parameter) -> str:
    """Return the kind of a parameter, and of a buffer whether it is written."""
    written = parameter.kind == "buffer" and parameter.direction != "in"
    return "output" if written else parameter.kind
