"""The templates in `templates/`, and what they may use of this room."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2

from .. import RESOURCES
from ..lower.codes import code_of, returned
from ..lower.plan import SCALED
from . import c, docstrings, layout, python

TEMPLATES = RESOURCES / "templates"


def render(template: str, **values: Any) -> str:
    """Return the text of a template."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        autoescape=False,
    )
    environment.globals.update(enumerate=enumerate, returned=returned)
    environment.tests.update(packed=c.is_packed, factor=lambda code: code[0] in SCALED)
    environment.filters.update(
        definition=python.definition,
        passed_to=python.passed_to,
        handed_to=python.handed_to,
        watched=python.watched,
        imported=python.imported,
        quick=python.quick,
        call=python.call_of,
        conversions=python.conversions,
        judged=python.judged,
        returned=python.returned,
        annotation_in=python.annotation_in,
        format_of=python.unpacking,
        code_of=code_of,
        declared=c.declared,
        prototype=c.prototype,
        readers=c.readers,
        own=python.own,
        summary=docstrings.summary,
        argument=docstrings.argument,
        result=docstrings.result,
        c_prototype=docstrings.prototype,
        paragraph=layout.paragraph,
        lay_out=layout.lay_out,
        assigned=layout.assigned,
        literal=lambda value, indent=0, before="": layout.lay_out(
            layout.literal(value), indent, before
        ),
    )
    return environment
