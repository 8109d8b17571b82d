"""The classes of descriptors and other objects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from ..classify import CType
from ..lower import names
from ..lower.plan import Plan
from . import python
from .text.render import render
from .text.source import Source


class FamilyView(msgspec.Struct, frozen=True):
    """A class of objects, with the functions that create and destroy one, and its methods."""

    cls: str
    name: str
    create: Plan
    destroy: Plan
    methods: dict[str, Plan]

    @property
    def functions(self) -> dict[str, str]:
        """The functions of cuDNN by the names of the methods."""
        return {name: plan.function.name for name, plan in self.methods.items()}


def files(source: Source, families: Sequence[FamilyView]) -> Iterator[tuple[str, str]]:
    """Yield path and text of the module of the classes."""
    plans = [p for f in families for p in (*f.methods.values(), f.create)]
    modules = {p.module for f in families for p in (*f.methods.values(), f.create, f.destroy)}
    text = render(
        "families.py.j2",
        life=source.merged.life,
        removal=source.removal,
        families=families,
        modules=sorted(modules),
        enums=sorted({e for p in plans for e in p.enums}),
        records=sorted({names.class_name(r) for p in plans for r in p.records}),
    )
    yield "families.py", text


def all_families(source: Source) -> list[FamilyView]:
    """Return the classes, by C type: one for each type that a function creates."""
    return [_family(source, name) for name in sorted(source.context.families)]


def _family(source: Source, name: str) -> FamilyView:
    creators = [p for p in source.plans if _single(p, name, "owned")]
    destroyers = [p for p in source.plans if _single(p, name, "released")]
    create = max(creators, key=lambda p: (p.name in source.newest, p.name))
    destroy = max(destroyers, key=lambda p: (p.name in source.newest, p.name))
    methods: dict[str, Plan] = {}
    for each in source.plans:
        method = _method_name(each, name)
        if method is None or each in creators or each in destroyers:
            continue
        methods[method] = each
    return FamilyView(names.class_name(name), name, create, destroy, dict(sorted(methods.items())))


def _single(each: Plan, base: str, owner: str) -> bool:
    return any(
        p.owner == owner and CType.of(p.type).base == base and p.kind in ("handle", "descriptor")
        for p in each.function.parameters
    )


def _method_name(each: Plan, base: str) -> str | None:
    """Return the name as a method of `base`, where the function is about an object of that type.

    It is when the object comes first, or right after the handle and the function's name has the
    object's name in it.
    """
    parameters = each.function.parameters
    own = next((i for i, p in enumerate(parameters[:2]) if python.is_object(p, base)), None)
    if own is None or (own == 1 and parameters[0].type != "cudnnHandle_t"):
        return None
    stem = names.class_name(base)
    stem = re.sub(r"(Descriptor|ParamPack|Plan)$", "", stem) or stem
    text = each.name.removeprefix("cudnn")
    if own == 1 and stem not in text:
        return None
    if base == "cudnnHandle_t":
        short = text
        if not re.match(r"(Set|Get)(Stream|CudnnHandle)", text):
            return None
    else:
        short = text
        for word in (stem, "Descriptor", "ParamPack"):
            short = re.sub(rf"{word}(?=[A-Z0-9_]|$)", "", short, count=1)
    name = names.snake(short) or names.snake(text)
    return names.method_name(name)
