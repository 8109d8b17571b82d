"""One look-up of names: for the front door, with the loaded release, and for a named release."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from .. import descriptors, errors
from .._index import CALLS, FAMILIES
from .._lookup import function, import_wrapper
from .._tables import (
    Tables,
    active,
    chosen_release,
    family_named,
    in_use,
    newest,
    pinned,
    tables,
    version_part,
)

#: Names of the overlay, by module; they are preferred to emitted ones.
OVERLAY = {
    **dict.fromkeys(descriptors.MODULES, "descriptors"),
    **{name: "errors" for name in errors.__all__ if name[0].isupper()},
    "DeviceArray": "memory",
    "DeviceProperties": "choice",
    "Event": "driver.streams",
    "Graph": "graph",
    "Handle": "handles",
    "Network": "network",
    "Plan": "plan",
    "Stream": "driver.streams",
    "check": "arrays",
    "check_calls": "_call.checking",
    "cudnnSetCallback": "logs",
    "explain": "_explain",
    "handle": "handles",
    "has": "_front.resolve",
    "is_available": "_front.available",
    "load": "library",
    "load_network": "network",
    "log": "logs",
    "pinned_empty": "memory",
    "repro": "diagnose.repro",
    "version": "_front.available",
}

_PACKAGE = __name__.partition(".")[0]


def has(name: str) -> bool:
    """Return whether the loaded release has a function, enum, constant or class of this name.

    Without a library it says what the newest known release has. `hasattr` says less: functions of
    all known releases are attributes of `cudnn_cffi`, and those that the loaded one lacks raise
    when they are called.

    Raises:
        ArgumentError: `name` is not a str.
    """
    if not isinstance(name, str):
        raise errors.ArgumentError(f"name: expected a str, got {name!r}")
    return name in active().all_names()


def find(name: str) -> Any:
    """Return what a name stands for; the library is loaded where that depends on the release.

    A function that the loaded release lacks is found all the same: it raises when it is called.

    Raises:
        AbsentError: the release has nothing of that name.
    """
    family = family_named(name)
    if family is not None or name in OVERLAY:
        return _import_own(family or name)
    if name in CALLS:
        return function(name)
    own, module = active(), sys.modules[_PACKAGE]
    release = chosen_release()
    text = f"module {_PACKAGE!r} has no attribute {name!r} with the tables of cuDNN {release}"
    return _find_value(name, own, release, module, text)


def find_in(release: str, name: str, module: ModuleType) -> Any:
    """Return what a name stands for in a release, for the module of that release.

    Raises:
        AbsentError: the release has nothing of that name.
        UnsupportedVersionError: it is a function, or an object's class, and the loaded library has
            another API.
    """
    own, family = tables(release), family_named(name)
    if family is not None and own.has_family(family):
        pinned.check(release)
        return _import_own(family)
    if name in own.functions:
        pinned.check(release)
        wrapper = own.functions[name]
        return _import_own(wrapper) if wrapper in OVERLAY else import_wrapper(wrapper)
    return _find_value(name, own, release, module, f"cuDNN {release} has no {name}")


def graph_in(release: str, module: str) -> ModuleType:
    """Return `cudnn_cffi.graph` with the descriptors of a release, for the module of that release.

    Its names raise AbsentError where the release lacks them, and UnsupportedVersionError where the
    loaded library has another API.
    """
    name = f"{module}.graph"
    if name in sys.modules:
        return sys.modules[name]
    graph = import_module(f"{_PACKAGE}.graph")
    backend = import_module(f"{_PACKAGE}.backend")
    made = ModuleType(name, graph.__doc__)
    has_types = {*tables(release).all_names(), ""}

    def is_there(each: str) -> bool:
        cls = getattr(backend, each, None)
        return each not in backend.__all__ or getattr(cls, "c_name", "") in has_types

    def __getattr__(attribute: str) -> Any:
        if attribute[:1] == "_":
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        if not is_there(attribute):
            from .._advice import AbsentError

            c_name = getattr(backend, attribute).c_name
            text = f"cuDNN {release} has no {attribute}"
            raise AbsentError(text, release, name=c_name, obj=made)
        pinned.check(release)
        return getattr(graph, attribute)

    def __dir__() -> list[str]:
        return [each for each in dir(graph) if is_there(each)]

    made.__dict__.update(__getattr__=__getattr__, __dir__=__dir__)
    sys.modules[name] = made
    return made


def _import_own(name: str) -> Any:
    """Return what the overlay has under a name, or else the emitted class."""
    return getattr(import_module(f"{_PACKAGE}.{OVERLAY.get(name, 'families')}"), name)


def _find_value(name: str, own: Tables, release: str, module: ModuleType, text: str) -> Any:
    """Return an enum, member, constant, struct or macro of a release."""
    if (part := own.rows.versions.get(name)) is not None:
        return version_part(part, release)
    try:
        return own.get(name)
    except KeyError:
        pass
    from .._advice import AbsentError

    raise AbsentError(text, release, name=name, obj=module)


def names(release: str) -> frozenset[str]:
    """Return the names of a release: what its module has."""
    return tables(release).all_names()


#: Names that the overlay adds, whatever the release.
OURS = frozenset(name for name in OVERLAY if name not in FAMILIES)


def public() -> list[str]:
    """Return `__all__`: what `import *` gives, of the library that it loads."""
    try:
        own = active()
    except errors.LibraryError:  # says why when the first name is asked for that depends on it
        own = newest()
    return sorted({"__version__", *OURS, *own.all_names()})


def listed() -> frozenset[str]:
    """Return what `dir` lists: the names of the release in use, or else of the newest."""
    # Looking around must not load a library.
    return OURS | in_use().all_names()
