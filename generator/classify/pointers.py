"""Rules for pointers whose name or type says it all."""

from __future__ import annotations

from .site import Answer, Rule, Site, object_kind


def pointer_to_a_handle(site: Site) -> Answer:
    """T* of an object: its handle is returned; by Create as the caller's own."""
    opaque = site.types.opaques.get(site.type.base)
    if opaque is None or site.type.const or site.type.pointers != 1 or "*" not in opaque.target:
        return None
    kind = object_kind(opaque.name, site.types)
    owner = "owned" if site.verb == "Create" or "Create" in site.function.name else "borrowed"
    return {"kind": kind, "direction": "out", "owner": owner}


def handles_of_const_objects(site: Site) -> Answer:
    """`const T *` of objects: an array of them."""
    if site.type.base in site.types.opaques and site.type.const and site.type.pointers == 1:
        length = site.sibling("seqLength")
        return {"kind": "array", "memory": "host", "length": length.name if length else None}
    return None


def tag_that_must_be_null(site: Site) -> Answer:
    """Answer for an object's struct by pointer: nothing but NULL goes there."""
    opaque = site.types.opaques.get(site.type.base)
    if (
        opaque is not None
        and site.type.pointers == 1
        and "*" not in opaque.target
        and opaque.name.endswith("Tag_t")
    ):
        return {"kind": "tag", "direction": "out", "optional": True}
    return None


def list_of_results(site: Site) -> Answer:
    """Structs with a requested and a returned count."""
    capacity, count = site.sibling("requested\\w+Count"), site.sibling("returned\\w+Count")
    if site.type.pointers == 1 and site.type.base in site.types.records and capacity and count:
        return {
            "kind": "records",
            "direction": "out",
            "memory": "host",
            "length": capacity.name,
            "count": count.name,
        }
    return None


def pointer_to_a_struct(site: Site) -> Answer:
    """One struct."""
    if site.type.pointers == 1 and site.type.base in site.types.records:
        return {
            "kind": "struct",
            "memory": "host",
            "direction": "in" if site.type.const else "out",
        }
    return None


def text_buffer(site: Site) -> Answer:
    """`char *`: text, with its capacity in the next parameter."""
    if site.type.base == "char" and site.type.pointers == 1 and not site.type.const:
        capacity = site.next()
        return {
            "kind": "text",
            "direction": "out",
            "memory": "host",
            "length": capacity.name if capacity else None,
        }
    return None


def text(site: Site) -> Answer:
    """`const char *`: text that ends with a zero; `const char **`: one that comes back."""
    if site.type.base != "char" or not site.type.const or site.type.addresses:
        return None
    if site.type.pointers + site.type.array == 1:
        return {"kind": "text", "memory": "host"}
    if site.type.pointers == 2 and not site.type.array:
        return {"kind": "text", "direction": "out", "memory": "host", "owner": "borrowed"}
    return None


def address_of_device_memory(site: Site) -> Answer:
    """`void **`: the address of memory that cuDNN owns."""
    if site.type.addresses or site.type.array:
        return None  # there are several, and nothing says in which memory
    if site.type.base == "void" and site.type.pointers == 2 and site.name != "udata":
        return {"kind": "device", "direction": "out", "memory": "device", "owner": "borrowed"}
    return None


def data_for_a_callback(site: Site) -> Answer:
    """Answer for the `udata` that a callback gets."""
    if site.name == "udata":
        out = site.type.pointers == 2
        return {
            "kind": "user_data",
            "direction": "out" if out else "in",
            "optional": not out,
            "owner": "borrowed" if out else None,
        }
    return None


def pointer_to_a_callback(site: Site) -> Answer:
    """Answer for a callback that comes back, and for one whose type has no name."""
    if site.type.function:
        return {"kind": "callback"}
    if site.type.base in site.types.callbacks and site.type.pointers == 1:
        return {"kind": "callback", "direction": "out", "owner": "borrowed"}
    return None


#: In order: the first that answers decides.
RULES: tuple[Rule, ...] = (
    pointer_to_a_handle,
    handles_of_const_objects,
    tag_that_must_be_null,
    list_of_results,
    pointer_to_a_struct,
    text_buffer,
    text,
    address_of_device_memory,
    data_for_a_callback,
    pointer_to_a_callback,
)
