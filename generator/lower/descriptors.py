"""Backend descriptors: Python's names for their types and attributes, and what releases change.

Differences between releases are a table of forms: the kind of an attribute from one release on,
until the next form. Numbers are not in it, since they are enumerators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import msgspec
from cudnn_cffi.api import model
from cudnn_cffi.api.names.forms import abbreviates

from .. import GeneratorError
from ..schema.enums import enum_types
from . import names
from .merge import Merged

_TYPE = "CUDNN_TYPE_"
_DESCRIPTOR = "BACKEND_DESCRIPTOR"

#: Words of C names that are read letter by letter.
_ACRONYMS = frozenset({"BN", "MOE", "RNG", "SDPA"})

#: Lists of lists of integers, though their type says pointer: cuDNN reads one element, a C++
#: std::vector of vectors of int64_t. No header says so, and a pointer there crashes it.
_NESTED = frozenset(
    {"CUDNN_ATTR_VARIANT_PACK_OVERRIDE_SHAPES", "CUDNN_ATTR_VARIANT_PACK_OVERRIDE_STRIDES"}
)

#: A word that two words were joined to begins with one of this many letters or more.
_WORD = 5

#: Names of the classes' own attributes.
_TAKEN = frozenset(
    {"address", "attributes", "available", "c_name", "close", "closed", "execute", "finalize"}
    | {"finalized", "from_address", "get_attribute", "initialize", "open", "populate_cuda_graph"}
    | {"self", "set", "set_attribute", "update_cuda_graph"}
)


class ClashError(GeneratorError):
    """Two descriptor types that would be one class."""


def class_name(descriptor: str, words: frozenset[str] = frozenset()) -> str:
    """CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR -> EngineHeurDescriptor.

    Args:
        descriptor: the enumerator of its type.
        words: those that are known: a longer one that begins with one of them is two.
    """
    found = []
    for word in _stem(descriptor).replace("*", "").split("_"):
        heads = [w for w in words if len(w) >= _WORD and len(w) + 2 < len(word)]
        head = max((w for w in heads if word.startswith(w)), key=len, default="")
        parts = (head, word[len(head) :]) if head else (word,)
        found += [part if part in _ACRONYMS else part.capitalize() for part in parts]
    return "".join(found) + "Descriptor"


def _stem(descriptor: str) -> str:
    return descriptor.removeprefix("CUDNN_BACKEND_").removesuffix("_DESCRIPTOR")


def attribute_names(descriptor: str, attributes: Sequence[str], oldest: int) -> dict[str, str]:
    """Return Python names of attributes, by their C names: without the words of their owner.

    A word that only abbreviates one of the owner's (BWD for BACKWARD) is cut off where all
    attributes of the oldest release have it.

    Args:
        descriptor: the enumerator of the owner.
        attributes: the owner's in all releases, those of the oldest first.
        oldest: how many these are.
    """
    stem = _stem(descriptor).split("_")
    bare = {name: name.removeprefix("CUDNN_ATTR_").split("_") for name in attributes}
    shared = len(names.shared_words([bare[name] for name in attributes[:oldest]]))
    found: dict[str, str] = {}
    for name, words in bare.items():
        cut = _cut(words, stem, shared)
        while cut and _own_name(words[cut:]) in found.values():
            cut -= 1  # what had the name first keeps it
        found[name] = _own_name(words[cut:])
    return found


def _own_name(words: Sequence[str]) -> str:
    name = "_".join(words).lower()
    return name + "_" if name in _TAKEN else names.parameter_name(name)


def _cut(words: Sequence[str], stem: Sequence[str], shared: int) -> int:
    """Return how many of an attribute's words are those of its owner."""
    taken = place = 0
    while place < len(stem) and taken < len(words) - 1:
        word = words[taken]
        if word == stem[place]:
            place += 1
        elif word == "".join(stem[place : place + 2]):
            place += 2
        elif taken < shared and abbreviates(word, stem[place]):
            place += 1
        else:
            break
        taken += 1
    return taken


class Attribute(msgspec.Struct, frozen=True):
    """An attribute in all releases, as the newest one with it has it.

    Attributes:
        name: the keyword and the property.
        c_name: the enumerator.
        form: what is known of it.
        uninitialized: the releases in which nothing initializes it, in words; or "".
    """

    name: str
    c_name: str
    form: Mapping[str, Any]
    uninitialized: str


class Descriptor(msgspec.Struct, frozen=True):
    """A type of descriptors in all releases: its class, the base of that, and its attributes."""

    cls: str
    c_name: str
    base: str
    attributes: tuple[Attribute, ...]


class Descriptors:
    """The descriptor types of all models."""

    def __init__(self, merged: Merged) -> None:
        self._merged = merged
        self._enums = {name: enum_types(api) for name, api in merged.apis.items()}
        self._versions = [release.version for release in merged.releases]

    @cached_property
    def _owned(self) -> dict[str, dict[str, list[model.BackendAttribute | None]]]:
        """By descriptor type and C name: the attribute in each release, or None."""
        found: dict[str, dict[str, list[model.BackendAttribute | None]]] = {}
        for place, release in enumerate(self._merged.releases):
            for each in self._merged.apis[release.api].attributes:
                row = found.setdefault(each.owner, {})
                row.setdefault(each.name, [None] * len(self._versions))[place] = each
        return found

    @cached_property
    def _types(self) -> list[str]:
        """The descriptor types of all releases, those of the oldest first."""
        enums = [enum for api in self._merged.apis.values() for enum in api.enums]
        found = [enum for enum in enums if enum.name == "cudnnBackendDescriptorType_t"]
        return list(dict.fromkeys(member.name for enum in found for member in enum.enumerators))

    @cached_property
    def names(self) -> dict[str, str]:
        """The class of each descriptor type, and of each pattern for several."""
        words = {word for name in self._types for word in _stem(name).split("_")}
        words |= {
            word
            for row in self._owned.values()
            for name in row
            for word in name.removeprefix("CUDNN_ATTR_").split("_")
        }
        found = {name: class_name(name, frozenset(words)) for name in self._types}
        found |= {target: class_name(target) for target in self._patterns}
        for name, cls in found.items():
            if same := [other for other in found if found[other] == cls and other != name]:
                raise ClashError(f"{name} and {same[0]} would both be {cls}")
        return found

    @cached_property
    def _patterns(self) -> list[str]:
        found = {
            each.target
            for row in self._owned.values()
            for forms in row.values()
            for each in forms
            if each is not None and each.target and "*" in each.target
        }
        return sorted(found)

    @cached_property
    def bases(self) -> list[tuple[str, str]]:
        """Classes that several types have as their base, and what they are a pattern of."""
        return [(self.names[pattern], pattern) for pattern in self._patterns]

    @cached_property
    def _attribute_names(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for owner, row in self._owned.items():
            first = next(i for i, forms in enumerate(zip(*row.values(), strict=True)) if any(forms))
            ordered = sorted(row, key=lambda name: row[name][first] is None)
            oldest = sum(forms[first] is not None for forms in row.values())
            found |= attribute_names(owner, ordered, oldest)
        return found

    def _form(self, each: model.BackendAttribute, api: str) -> dict[str, Any]:
        """Return what an attribute is in an API, without what is not known."""
        named = self._attribute_names
        types = tuple(t.removeprefix(_TYPE) for t in each.types)
        by_type = [self._enums[api][t] for t in each.types if t in self._enums[api]]
        enum = each.enum or next(iter(by_type), None)
        form = {
            "types": types,
            "count": each.count or "one",
            "most": each.most,
            "nested": True if each.name in _NESTED else None,
            "needed": each.needed,
            "needed_in_graph": each.needed_in_graph,
            "default": each.default,
            "uninitialized": each.uninitialized or None,
            "unread_default": each.unread_default or None,
            "fatal": each.fatal or None,
            "enum": names.class_name(enum) if enum else None,
            "target": self.names[each.target] if each.target else None,
            "readable": False if each.misread else each.readable,
            "writable": each.writable,
            "as_long_as": tuple(named.get(name, name) for name in each.as_long_as) or None,
            "unless": tuple(named.get(name, name) for name in each.unless) or None,
            "along_with": tuple(named.get(name, name) for name in each.along_with) or None,
            "required_in": each.required_in or None,
        }
        if _DESCRIPTOR in types and not each.target:
            form["target"] = "Descriptor"
        return {key: value for key, value in form.items() if value is not None}

    @cached_property
    def forms(self) -> dict[str, dict[str, Any]]:
        """By C name: what an attribute is from a release on; an empty form where it is gone."""
        found = {}
        for row in self._owned.values():
            for name, each in row.items():
                forms: dict[str, Any] = {}
                last: dict[str, Any] = {}
                before = None
                for release, one in zip(self._merged.releases, each, strict=True):
                    if one is before:  # of the same API
                        continue
                    before = one
                    form = {} if one is None else self._form(one, release.api)
                    if form != last:
                        forms[release.version] = last = form
                found[name] = forms
        return found

    @cached_property
    def all(self) -> list[Descriptor]:
        """The descriptor types of all releases."""
        found = []
        for c_name in self._types:
            attributes = []
            for name, each in self._owned.get(c_name, {}).items():
                form = next(f for f in reversed(self.forms[name].values()) if f)
                own, left = self._attribute_names[name], self._left_to_chance(each)
                attributes.append(Attribute(own, name, form, left))
            base = next((b for b, p in self.bases if fnmatchcase(c_name, p)), "Descriptor")
            found.append(Descriptor(self.names[c_name], c_name, base, tuple(attributes)))
        return found

    def _left_to_chance(self, each: Sequence[model.BackendAttribute | None]) -> str:
        """Return the releases in which nothing initializes an attribute, in words."""
        places = [i for i, one in enumerate(each) if one is not None and one.uninitialized]
        if not places:
            return ""
        first, last = self._versions[places[0]], self._versions[places[-1]]
        return first if first == last else f"{first} to {last}"

    @property
    def rows(self) -> dict[str, tuple[Any, ...]]:
        """By class: the descriptor type, and the attributes' C names by their own."""
        return {
            one.cls: (one.c_name, {each.name: each.c_name for each in one.attributes})
            for one in self.all
        }
