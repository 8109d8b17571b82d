"""The schema of a descriptor type in the release in use: numbers, attributes, and setters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import errors, library
from .._attributes import DESCRIPTORS, FORMS
from .._index import RELEASES
from .._support.results import NamedTuple
from .._tables import active, chosen_release, elsewhere, in_use
from ..versions import version_key


class AbsentAttributeError(errors.NotSupportedError, AttributeError):
    """A property for an attribute that the release in use lacks; `hasattr` says False."""


class Attribute(NamedTuple):
    """An attribute of a backend descriptor, as the release in use has it.

    Attributes:
        name: the keyword and the property.
        c_name: the enumerator of cudnnBackendAttributeName_t.
        types: of its elements: enumerators of cudnnBackendAttributeType_t after CUDNN_TYPE_.
        many: whether it is a list.
        since: the first known release that has it.
        nested: whether its elements are lists of integers, whatever `types` says.
        most: the most elements that a list may have, where that is known.
        needed: "required", "alternative", "optional" or "unchecked", to finalize the descriptor;
            None where it is not known.
        needed_in_graph: the same, to finalize an operation graph.
        unless: an alternative is needed only while none of these is set, or set otherwise.
        along_with: an alternative is needed only where one of these is set.
        required_in: modes in which it must be set: C names of enumerators, which this descriptor or
            one that it holds has all of.
        default: a number or the C name of an enumerator; None where it is not known.
        uninitialized: whether it must be set, since cuDNN leaves to chance what it is else.
        unread_default: whether cuDNN shows the default and does not use it; then it is always set.
        fatal: whether cuDNN crashes if neither it nor one of `unless` is set.
        enum: the name of the enum class of its elements, or None.
        target: the name of the class of descriptors that it holds, or None.
        as_long_as: what gives the same length.
        readable: whether cuDNN tells it; None where that is not known.
        writable: whether it can be set; None where that is not known.
    """

    name: str
    c_name: str
    types: tuple[str, ...]
    many: bool
    since: str
    nested: bool = False
    most: int | None = None
    needed: str | None = None
    needed_in_graph: str | None = None
    unless: tuple[str, ...] = ()
    along_with: tuple[str, ...] = ()
    required_in: tuple[tuple[str, ...], ...] = ()
    default: int | float | str | None = None
    uninitialized: bool = False
    unread_default: bool = False
    fatal: bool = False
    enum: str | None = None
    target: str | None = None
    as_long_as: tuple[str, ...] = ()
    readable: bool | None = None
    writable: bool | None = None


def _form_in(forms: Mapping[str, Any], release: str) -> Mapping[str, Any]:
    """Return the record of an attribute in a release; an empty one if the release lacks it."""
    wanted, found = version_key(release), {}
    for version, form in forms.items():
        if version_key(version) > wanted:
            break
        found = form
    return found


def _make(
    name: str, c_name: str, forms: Mapping[str, object], form: Mapping[str, Any]
) -> Attribute:
    return Attribute(
        name=name,
        c_name=c_name,
        many=form["count"] == "many" and form["types"] != ("CHAR",),
        since=next(version for version, each in forms.items() if each),
        **{field: value for field, value in form.items() if field != "count"},
    )


def attributes_of(cls: str) -> dict[str, Attribute]:
    """Return the attributes that the release in use has of an emitted class, by name."""
    active()
    release = chosen_release()
    found = {}
    for name, c_name in DESCRIPTORS[cls][1].items():
        if form := _form_in(FORMS[c_name], release):
            found[name] = _make(name, c_name, FORMS[c_name], form)
    return found


def absent_names(cls: str) -> set[str]:
    """Return the attributes that the release in use lacks, or the newest; no library is loaded."""
    having = in_use().attributes
    return {name for name, c_name in DESCRIPTORS[cls][1].items() if c_name not in having}


def has_type(cls: str) -> bool:
    """Return whether the release in use has the descriptor type of an emitted class."""
    return DESCRIPTORS[cls][0] in active().all_names()


def absent(what: str, c_name: str, error: type[errors.CudnnError]) -> errors.CudnnError:
    """Return the error for a descriptor type or attribute that the release in use lacks."""
    release = chosen_release() or list(RELEASES)[-1]
    loaded = library.current()
    when = elsewhere(c_name, release) or "not in this release"
    version = loaded.version if loaded is not None else release
    where = f", loaded {version} from {loaded.path}" if loaded else f", the tables are {release}'s"
    hint = ""
    if when.startswith("added in "):
        hint = f"load cuDNN {when.split(',')[0].removeprefix('added in ')} or newer"
    return error(f"{what}: {when}{where}", version=version, tables=release, hint=hint)
