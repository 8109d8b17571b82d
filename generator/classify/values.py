"""Rules for parameters that are passed by value: numbers, enums, objects."""

from __future__ import annotations

from cudnn_cffi.api import model

from .ctype import CType
from .site import Answer, Rule, Site, object_kind


def value_of_a_plain_type(site: Site) -> Answer:
    """Answer for a number, a member of an enum, a struct or a callback."""
    if not site.type.value:
        return None
    if site.type.base in site.types.enums:
        return {"kind": "enum"}
    if site.type.base in site.types.callbacks:
        return {"kind": "callback"}
    if site.type.base in site.types.records:
        return {"kind": "struct"}
    if site.type.base not in site.types.opaques:
        return {"kind": "scalar"}
    return None


def value_of_an_object(site: Site) -> Answer:
    """Answer for a handle, stream or descriptor."""
    opaque = site.types.opaques.get(site.type.base)
    if not site.type.value or opaque is None or "*" not in opaque.target:
        return None  # a struct of CUDA's by value is no object
    kind = object_kind(site.type.base, site.types)
    if site.verb == "Destroy":
        return {"kind": kind, "owner": "released"}
    return {"kind": kind, "direction": _object_direction(site)}


_CHANGERS = ("Set", "Init", "Initialize", "Finalize", "Derive", "Restore", "Make", "Copy")


def _object_direction(site: Site) -> model.Direction:
    """Functions that change an object take it by value; without const, but so do others."""
    if site.type.const or site.type.base in ("cudnnHandle_t", "cudaStream_t"):
        return "in"
    following = site.next()
    beside = CType.of(following.type) if following is not None else None
    if beside is not None and beside.pointers == 2:
        return "out"  # a descriptor of the memory whose address is returned beside it
    if beside is not None and beside.base == "void" and _follows_handle(site):
        return "in"  # it describes the memory beside it, which is set
    if site.verb == "Get" and site.function.name.endswith("Descriptors"):
        return "out"
    if site.verb not in _CHANGERS or (
        site.verb == "Set" and site.index and not _follows_handle(site)
    ):
        return "in"
    return "inout"


def _follows_handle(site: Site) -> bool:
    return site.index == 1 and site.function.parameters[0].type == "cudnnHandle_t"


#: In order: the first that answers decides.
RULES: tuple[Rule, ...] = (
    value_of_a_plain_type,
    value_of_an_object,
)
