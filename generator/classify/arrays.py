"""Rules for arrays, and for pointers to a number of a known type."""

from __future__ import annotations

import re

from .ctype import CType
from .site import Answer, Rule, Site

#: Parameters that may tell how long an array is, by the array's name; with or without Requested.
_LENGTHS = (
    (r"\w*[a-z]A|axes", ("nbDims", "arrayLength")),  # a number for each dimension
    (r"\w+Array", ("arrayLength", "batchSize")),
)

#: Endings of the names of capacities; the second is a slip of the pen in 7.5.0.
_REQUESTED = ("Requested", "Requsted")


def array_on_the_device(site: Site) -> Answer:
    """`const T *dev...`: an array in device memory."""
    if site.type.const and site.name.startswith("dev") and site.type.base != "void":
        return {"kind": "array", "memory": "device"}
    return None


def array_in(site: Site) -> Answer:
    """`const T[]`: an array that is read."""
    if not _is_array(site) or not site.type.const:
        return None
    kind = "records" if site.type.base in site.types.records else "array"
    return {"kind": kind, "memory": "host", "length": _length(site, (site.name + "Size",))}


def array_out(site: Site) -> Answer:
    """T[] that is written: a capacity is passed, often as ...Requested, and a count returned."""
    if not _is_array(site) or site.type.const:
        return None
    stem = site.name.removesuffix("Array")
    own = tuple(f"{stem}Size{ending}" for ending in _REQUESTED)
    capacity = _length(site, own, requested=True)
    count = None
    for ending in _REQUESTED:
        if capacity is not None and capacity.endswith(ending):
            written = capacity.removesuffix(ending)
            for name in (written, written.replace("Size", "ArraySize")):
                if (found := site.sibling(name)) is not None and "*" in found.type:
                    count = found.name
    return {
        "kind": "array",
        "direction": "out",
        "memory": "host",
        "length": capacity,
        "count": count,
    }


def _is_array(site: Site) -> bool:
    """Return whether it is an array of one dimension, of no addresses."""
    return site.type.array and not site.type.pointers and site.parameter.type.count("[") == 1


def _length(site: Site, own: tuple[str, ...], requested: bool = False) -> str | None:
    """Return the parameter that says how long an array is; None if no rule knows it."""
    names = list(own)
    for pattern, lengths in _LENGTHS:
        if re.fullmatch(pattern, site.name):
            asked = [f"{length}Requested" for length in lengths]
            names += [*asked, *lengths] if requested else [*lengths, *asked]
    for name in names:
        found = site.sibling(name)
        if found is not None and CType.of(found.type).value:
            return found.name
    return None


def number_out(site: Site) -> Answer:
    """int *n, cudnnDataType_t *dataType: a number that is returned."""
    if not _points_to_number(site) or site.type.const:
        return None
    kind = "enum" if site.type.base in site.types.enums else "scalar"
    return {"kind": kind, "direction": "out"}


def elements_behind_a_typed_pointer(site: Site) -> Answer:
    """const float *dropoutMask is on the device; const int *labels is on the host."""
    if not _points_to_number(site) or not site.type.const:
        return None
    if site.type.base == "float":
        return {"kind": "array", "memory": "device"}
    return {"kind": "array", "memory": "host"}


def _points_to_number(site: Site) -> bool:
    """Return whether it points to a number or an enum: not to memory, text, struct, function."""
    kind = site.type
    inside = kind.base in site.types.opaques or re.search("struct |union ", site.parameter.type)
    other = kind.array or kind.function or kind.base == "void" or inside
    return kind.pointers == 1 and not other


#: In order: the first that answers decides.
RULES: tuple[Rule, ...] = (
    array_on_the_device,
    array_in,
    array_out,
    number_out,
    elements_behind_a_typed_pointer,
)
