"""Find emitted functions and classes by name, whatever releases were generated.

The module of a function depends on the headers of the newest release that has it; a name that a
release lacks may be in no module at all. So the overlay imports emitted names from here:

    calls.cudnnPoolingForward   the function, in the form that the loaded release has
    families.TensorDescriptor   the class; one that cannot be made, where nobody has the function
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import errors
from ._call import read_spec
from ._index import CALLS, FAMILIES
from ._object import Family
from ._tables import active

if TYPE_CHECKING:
    from . import families
    from . import names as calls

__all__ = ["calls", "families", "function", "has", "takes"]


def has(name: str) -> bool:
    """Return whether the loaded release has a function."""
    return name in active().functions


def function(name: str) -> Any:
    """Return the wrapper of a function, in the form that the loaded release has.

    Raises:
        MissingFunctionError: no release that was generated has it.
    """
    wrapper = name
    if any(other.startswith(f"{name}__") for other in CALLS):
        # Its signature changed between releases: the loaded one has a form of its own.
        wrapper = active().functions.get(name, name)
    if wrapper not in CALLS:
        raise errors.MissingFunctionError(f"{name}: no generated release has it")
    return import_wrapper(wrapper)


def import_wrapper(wrapper: str) -> Any:
    """Return an emitted function by its own name, which may be that of one form of several."""
    return getattr(import_module(f"cudnn_cffi.calls.{CALLS[wrapper]}"), wrapper)


def takes(name: str, parameter: str) -> bool:
    """Return whether a function, in the loaded release's form, has a parameter of that name."""
    try:
        wrapper = function(name).__name__
    except errors.MissingFunctionError:
        return False
    return any(parameter == each.name for each in read_spec(wrapper).parameters)


def _absent(name: str) -> type:
    """Make a class in the place of one that was not emitted, so that others can derive from it."""

    def __init__(_self: object, *_: object, **__: object) -> None:
        function(f"cudnnCreate{name}")

    c_name = f"cudnn{name}_t"
    body = {"__slots__": (f"_{c_name}",), "_c_name": c_name, "__init__": __init__}
    return type(name, (Family,), {**body, "__module__": "cudnn_cffi.families"})


class _Names:
    """Attributes that are found when they are first used."""

    def __init__(self, find: Callable[[str], object]) -> None:
        self._find = find

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self._find(name)
        setattr(self, name, value)
        return value


def _family(name: str) -> object:
    if name not in FAMILIES:
        return _absent(name)
    return getattr(import_module("cudnn_cffi.families"), name)


if not TYPE_CHECKING:
    calls = _Names(function)
    families = _Names(_family)
