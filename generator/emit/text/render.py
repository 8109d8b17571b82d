"""The templates in `templates/`, and what they may use of this room."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2

from ... import RESOURCES
from ...lower.codes import code_of, returned
from ...lower.plan import SCALED
from .. import c, python
from . import docstrings, layout

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
        auto_reload=False,
        bytecode_cache=jinja2.FileSystemBytecodeCache(),
    )
    environment.globals.update(enumerate=enumerate, returned=returned)
    environment.globals.update(c=c, docstrings=docstrings, layout=layout, python=python)
    environment.tests.update(packed=c.is_packed, factor=lambda code: code[0] in SCALED)
    environment.filters.update(
        code_of=code_of,
        format_of=python.unpacking,
        imported=python.imported,
        literal=layout.literal_text,
        paragraph=layout.paragraph,
    )
    return environment
