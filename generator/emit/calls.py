"""The modules of functions, one for each header."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cudnn_cffi.api import model

from ..lower import names
from . import python
from .text.clashes import refuse_hidden_names
from .text.render import render
from .text.source import Source
from .views import all_enums


def files(source: Source) -> Iterator[tuple[str, str]]:
    """Yield path and text of each module."""
    yield "calls/__init__.py", '"""Functions of cuDNN, one module for each header."""\n'
    members = {view.cls: [m.name for m in view.members] for view in all_enums(source)}
    for module, plans in source.modules.items():
        refuse_hidden_names(plans)
        text = render(
            "calls.py.j2",
            members=members,
            availability=partial(_availability, source),
            header=plans[0].function.header,
            plans=plans,
            runtime=sorted({f"{n[1:]} as {n}" for p in plans for n in python.needs(p)}),
            enums=sorted({e for p in plans for e in p.enums}),
            mapped=sorted({e for p in plans for e in python.enum_maps(p)}),
            families=sorted({names.class_name(f) for p in plans for f in p.families}),
            records=sorted({names.class_name(r) for p in plans for r in p.records}),
        )
        yield f"calls/{module}.py", text


def _availability(source: Source, function: model.Function) -> str:
    """Return since when there is a function, and what became of it."""
    name, merged = function.name, source.merged
    since, removed, successor = merged.since(name), merged.removed(name), source.successor(name)
    text = f"Since {since}{' or earlier' if since == merged.releases[0].version else ''}"
    text += f", removed in {removed}" if removed else ""
    text += f"; deprecated since {merged.deprecated(name)}" if function.deprecated else ""
    if " " in (function.successor or ""):  # words: the graph API
        return f"{text}; use {function.successor}."
    return f"{text}; use `{successor}`." if successor else f"{text}."
