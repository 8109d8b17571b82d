"""The classes of backend descriptors, and the table of their attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..lower.descriptors import Attribute, Descriptor, Descriptors
from .text import layout
from .text.render import render
from .text.source import Source

#: By attribute type: the annotation of an element that is set, and of one that is returned.
_ANNOTATIONS = {
    "BOOLEAN": ("bool", "bool"),
    "CHAR": ("str", "str"),
    "DOUBLE": ("float", "float"),
    "FLOAT": ("float", "float"),
    "FRACTION": ("Fraction | tuple[int, int]", "tuple[int, int]"),
    "HANDLE": ("Handle | int", "Handle | int"),
    "INT32": ("int", "int"),
    "INT64": ("int", "int"),
    "VOID_PTR": ("DevicePointer | HostPointer", "Any"),
}

#: By attribute type: how one element and several of them read.
_WORDS = {
    "BOOLEAN": ("a bool", "bools"),
    "CHAR": ("a character", "a text"),
    "DOUBLE": ("a float", "floats"),
    "FLOAT": ("a float", "floats"),
    "FRACTION": ("a fraction", "fractions"),
    "HANDLE": ("a `Handle` or its address", "handles"),
    "INT32": ("an int", "ints"),
    "INT64": ("an int", "ints"),
    "VOID_PTR": ("an address, or an array", "addresses or arrays"),
}


def files(source: Source) -> Iterator[tuple[str, str]]:
    """Yield path and text of the module of the classes, and of the table of their attributes."""
    found = Descriptors(source.merged)
    yield "_attributes.py", render("attributes.py.j2", rows=found.rows, forms=found.forms)
    used = {each.form.get("enum") for one in found.all for each in one.attributes}
    text = render(
        "backend.py.j2",
        bases=found.bases,
        descriptors=found.all,
        enums=sorted(each for each in used if each),
        listed=_listed,
        life=source.merged.life,
        returned=_returned,
        signature=_signature,
        what=_what,
    )
    yield "backend.py", text


def _is_list(attribute: Attribute) -> bool:
    return attribute.form["count"] == "many" and "CHAR" not in attribute.form["types"]


def _is_settable(attribute: Attribute) -> bool:
    return attribute.form.get("writable") is not False


def _element(attribute: Attribute, place: int) -> str:
    """Return the annotation of an element: as it is taken (0), or returned (1)."""
    if attribute.form.get("nested"):
        return "tuple[int, ...]" if place else "Sequence[int]"
    types = attribute.form["types"]
    kinds = dict.fromkeys(_ANNOTATIONS.get(each, ("", ""))[place] for each in types)
    parts = [kind for kind in kinds if kind]
    if enum := attribute.form.get("enum"):
        parts.append(enum if place else f"{enum} | str")
    if target := attribute.form.get("target"):
        parts.append(target)
    return " | ".join(parts) or "Any"


def _returned(attribute: Attribute) -> str:
    """Return the annotation of a property."""
    one = _element(attribute, 1)
    if _is_list(attribute):
        return f"tuple[{one}, ...]"
    form = attribute.form
    required = "required" in (form.get("needed"), form.get("needed_in_graph"))
    maybe = form.get("target") and _is_settable(attribute) and not required
    return f"{one} | None" if maybe else one


def _signature(descriptor: Descriptor, name: str, first: str, returned: str) -> str:
    """Return the head of a method that takes the attributes as keywords."""
    items = [first]
    for each in descriptor.attributes:
        if _is_settable(each):
            one = _element(each, 0)
            taken = f"Sequence[{one}]" if _is_list(each) else one
            items += ["*"] * (len(items) == 1) + [f"{each.name}: {taken} | None = None"]
    head = layout.Bracketed(f"def {name}(", tuple(items))
    return layout.lay_out(head, 8, after=f" -> {returned}: ...")


def _what(attribute: Attribute) -> str:
    form = attribute.form
    several = int(form["count"] == "many")
    parts = [_WORDS[each][several] for each in form["types"] if each in _WORDS]
    if enum := form.get("enum"):
        parts.append(f"members of `{enum}`" if several else f"a member of `{enum}`")
    if target := form.get("target"):
        parts.append(f"`{target}` objects" if several else f"a `{target}`")
    if form.get("nested"):
        parts = ["sequences of ints"]
    text = " or ".join(dict.fromkeys(parts)) or "a value of unknown type"
    if most := form.get("most"):
        text += f", at most {most}"
    if same := form.get("as_long_as"):
        text += f", in number as {_listed(same)}"
    if "required" in (form.get("needed"), form.get("needed_in_graph")):
        text += "; required"
    elif not _is_settable(attribute):
        text += "; read only"
    return f"{text[0].upper()}{text[1:]}."


def _listed(items: Iterable[str]) -> str:
    return ", ".join(f"`{each}`" for each in items)
