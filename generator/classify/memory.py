"""Rules for `void *`: factors, buffers, workspaces, tensors' data."""

from __future__ import annotations

import re
from typing import Any

from cudnn_cffi.api import model

from .site import Answer, Rule, Site


def scaling_factor(site: Site) -> Answer:
    """Also what cudnnSetTensor fills a tensor with: cuDNN reads it as it reads alpha and beta."""
    if _is_void(site) and site.type.const and re.match(r"alpha|beta|value(Ptr)?$", site.name):
        return {"kind": "scaling", "memory": "host"}
    return None


def single_element(site: Site) -> Answer:
    """One element of the data type that another argument says."""
    if _is_void(site) and site.name == "paddingFill":
        out = site.verb == "Get"
        return {"kind": "value", "memory": "host", "direction": "out" if out else "in"}
    return None


def typed_by_another_argument(site: Site) -> Answer:
    """Elements of a type that another argument says."""
    if _is_void(site) and site.name in ("arrayOfElements", "param", "ptr", "algoSpace"):
        out = not site.type.const and site.verb in ("Get", "Save")
        count = site.sibling("elementCount")
        length = site.sibling("requested\\w+Count|algoSpaceSizeInBytes") or count
        return {
            "kind": "buffer",
            "memory": "host",
            "direction": "out" if out else "in",
            "length": length.name if length else None,
            "count": count.name if out and count else None,
        }
    return None


def scratch_memory(site: Site) -> Answer:
    """Answer for a workspace: nothing in it outlives the call."""
    if _is_void(site) and re.fullmatch(r"work[sS]pace|temp(Data)?2?", site.name):
        return _sized(site, "workspace", "inout")
    return None


def reserve_space(site: Site) -> Answer:
    """Written by a forward call, read by the backward calls that follow it."""
    if _is_void(site) and site.name == "reserveSpace":
        if site.type.const:
            return _sized(site, "reserve", "in")
        backward = "Backward" in site.function.name
        return _sized(site, "reserve", "inout" if backward else "out")
    return None


def _sized(site: Site, kind: model.Kind, direction: model.Direction) -> Answer:
    size = site.sibling(rf"(?i){site.name}Size(InBytes)?")
    return {
        "kind": kind,
        "direction": direction,
        "memory": "device",
        "length": size.name if size else None,
        "optional": size is not None,
    }


def device_memory(site: Site) -> Answer:
    """Everything else without a type is a tensor's data.

    Read when const. Otherwise written, and read as well where beta blends the result with what
    is there, or where an earlier call has left it for the function.
    """
    if not _is_void(site):
        return None
    size = site.sibling(rf"(?i){site.name}s?(Size|SizeInBytes)")
    answer: dict[str, Any] = {"kind": "device", "memory": "device"}
    if size is not None:
        answer["length"] = size.name
    if site.type.const:
        return answer
    blends = any(p.name.startswith("beta") for p in site.function.parameters)
    accumulates = any(p.type in _ACCUMULATING for p in site.function.parameters)
    running = site.name.startswith("resultRunning")
    saved = site.name.startswith("resultSave")
    inout = running or ((blends or accumulates) and not saved)
    return {**answer, "direction": "inout" if inout else "out"}


#: Types of arguments that say whether a result is added to the output's old value.
_ACCUMULATING = ("cudnnWgradMode_t", "cudnnAccumulateResult_t")


def _is_void(site: Site) -> bool:
    return site.type.base == "void" and site.type.pointers == 1 and not site.type.array


#: In order: the first that answers decides.
RULES: tuple[Rule, ...] = (
    scaling_factor,
    single_element,
    typed_by_another_argument,
    scratch_memory,
    reserve_space,
    device_memory,
)
