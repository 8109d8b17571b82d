"""The modules of functions, one for each header."""

from __future__ import annotations

from collections.abc import Iterator

from ..lower import names
from ..lower.plan import Plan
from . import docstrings, python
from .clashes import refuse_hidden_names
from .render import render
from .source import Source
from .views import all_enums


def files(source: Source) -> Iterator[tuple[str, str]]:
    """Yield path and text of each module."""
    yield "calls/__init__.py", '"""Functions of cuDNN, one module for each header."""\n'
    members = {view.cls: [m.name for m in view.members] for view in all_enums(source)}

    def doc(each: Plan) -> str:
        return docstrings.of_function(each, _availability(source, each), members)

    for module, plans in source.modules.items():
        refuse_hidden_names(plans)
        text = render(
            "calls.py.j2",
            doc=doc,
            header=plans[0].function.header,
            plans=plans,
            runtime=sorted({f"{n[1:]} as {n}" for p in plans for n in python.needs(p)}),
            enums=sorted({e for p in plans for e in p.enums}),
            mapped=sorted({e for p in plans for e in python.enum_maps(p)}),
            families=sorted({names.class_name(f) for p in plans for f in p.families}),
            records=sorted({names.class_name(r) for p in plans for r in p.records}),
        )
        yield f"calls/{module}.py", text


def _availability(source: Source, each: Plan) -> docstrings.Availability:
    name = each.function.name
    since = source.merged.since(name)
    successor, advice = source.successor(name), each.function.successor or ""
    code = f"`{successor}`" if successor else ""
    return docstrings.Availability(
        since,
        since == source.merged.releases[0].version,
        source.merged.removed(name),
        source.merged.deprecated(name) if each.function.deprecated else None,
        advice if " " in advice else code,  # words: the graph API
    )
